"""Names that nobody reads: misspelt arguments of the launch file, misspelt parameters in files."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence

from gbs_irl_ros.launching.parameter_files import (
    ParameterFileError,
    blocks,
    is_about,
    merged,
    settings_in,
)

OF_LAUNCH = {'ros_namespace', 'ros_remaps', 'ros_params', 'global_params'}
OF_ROS = {'use_sim_time', 'start_type_description_service'}     # parameters of every node
QOS = 'qos_overrides.'
# What a launch file that includes ours, or a block for all nodes, may mean for others is taken for
# a misspelling only if it is this similar: `world` is not `gz_world`, `base_frame_id` of Nav2 not
# `base_frame`.
SIMILAR_ARGUMENT, SIMILAR_PARAMETER = 0.8, 0.88
SIMILAR = 0.6       # enough where it can only be meant for us


def ignored_arguments(given: Collection[str], known: Collection[str],
                      typed: Sequence[str] = ()) -> Iterator[str]:
    """
    Yield a sentence for each argument that is ignored, and is probably meant for us.

    :param given: the names that are set, here or by launch files around this one.
    :param typed: the words of the command line.
    """
    by_hand = {word.partition(':=')[0] for word in typed if ':=' in word}
    for name in sorted(set(given) - set(known) - OF_LAUNCH):
        near = difflib.get_close_matches(name, known, n=1,
                                         cutoff=SIMILAR if name in by_hand else SIMILAR_ARGUMENT)
        if near:
            yield f'there is no argument {name!r}, and it is ignored; did you mean {near[0]!r}?'
        elif name in by_hand:
            yield (f'there is no argument {name!r}, and it is ignored; --show-args instead of '
                   'arguments lists those that there are')


def check_parameters(files: Sequence[str], shipped: str, nodes: Collection[str]) -> None:
    """
    Raise if a file sets a parameter that a node of ours does not have, and would ignore.

    Blocks of other nodes are not ours to judge.

    :param shipped: the file with all parameters of our nodes.
    :param nodes: the full names of our nodes.
    """
    if not files:
        return
    all_blocks = merged([shipped])
    known = {node: settings_in(all_blocks, node) for node in nodes}
    for file in files:
        for pattern, parameters in blocks(file):
            ours = [node for node in nodes if is_about(pattern, node)]
            if ours:
                _check_block(f'{file}: {pattern}', parameters,
                             OF_ROS.union(*(known[node] for node in ours)),
                             for_all=pattern.endswith('*'))


def _check_block(where: str, parameters: Collection[str], known: Collection[str], *,
                 for_all: bool) -> None:
    for name in parameters:
        if name in known or name.startswith(QOS):
            continue
        near = difflib.get_close_matches(name, known, n=1,
                                         cutoff=SIMILAR_PARAMETER if for_all else SIMILAR)
        if near or not for_all:
            of = 'none of our nodes has' if for_all else 'this node does not have'
            hint = f'did you mean {near[0]!r}?' if near else 'config/params.yaml lists them all'
            raise ParameterFileError(f'{where}: {name}: {of} such a parameter; {hint}')
