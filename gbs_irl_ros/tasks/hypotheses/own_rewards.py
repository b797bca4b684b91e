"""The rewards that belong to a domain itself."""

from __future__ import annotations

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.tasks.cost import check_cost, planning_cost
from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.worlds.built_world import PRIOR, BuiltWorld

FIELDS = Record({'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return the rewards of the domain."""
    if built.own is None:
        values.refuse('this world has no rewards of its own, got own; expected another kind',
                      'kind')
        values.report.raise_if_any()
    assert built.own is not None
    check_cost(values, 'kind', planning_cost(built.mdp, built.own.num_rewards),
               f'{built.own.num_rewards} rewards in {built.mdp.num_states} states')
    return built.own
