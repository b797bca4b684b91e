"""
What the paper says its experiments show, beside what is measured here.

Each claim has a measure and a rule that decides whether it shows; the rules were written down with
the experiments. ``because`` is what we make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from gbs_irl_ros.experiments.summary import Record, read_table
from gbs_irl_ros.experiments.sweeps import ABOUT_LIKELIHOODS, BOUNDS, TIMED

SMALL = ('random_10x5', 'random_10x10')
MEDIUM = ('random_50x5', 'random_50x10', 'random_100x5', 'random_100x10')
LARGE = ('puddle_world', 'trap_world', 'driver')
ALIKE = 0.05            # accuracy or value loss: less than this is "essentially similar"


class Verdict(Enum):
    """Whether a claim shows."""

    AGREES = 'agrees'
    PARTLY = 'partly'
    DIFFERS = 'differs'

    @classmethod
    def of(cls, *parts: bool) -> Verdict:
        """Return the verdict for a claim of several parts."""
        return cls.AGREES if all(parts) else cls.PARTLY if any(parts) else cls.DIFFERS


class Tables:
    """The tables of docs/paper."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, list[Record]] = {}

    def records(self, table: str) -> list[Record]:
        """Return the records of a table."""
        if table not in self._known:
            self._known[table] = read_table(self._folder / f'{table}.csv')
        return self._known[table]

    def number(self, table: str, experiment: str, column: str, method: str = 'gbs') -> float:
        """Return one number; KeyError if it is not there."""
        for record in self.records(table):
            if record['experiment'] == experiment and column in record \
                    and record.get('method', method) == method:
                return float(record[column])
        raise KeyError(f'{table}.csv has no {column} of {experiment}, {method}')

    def accuracy(self, experiment: str, method: str, after: int) -> float:
        """Return the mean accuracy."""
        return self.number('results', experiment, f'accuracy_{after}', method)

    def loss(self, experiment: str, method: str, after: int) -> float:
        """Return the mean relative value loss."""
        return self.number('results', experiment, f'relative_loss_{after}', method)

    def ahead(self, experiment: str, method: str, after: int) -> tuple[float, float]:
        """Return by how much the first method is more accurate, and the half-width of that."""
        return (self.number('differences', experiment, f'ahead_{after}', method),
                self.number('differences', experiment, f'ahead_{after}_ci', method))

    def questions(self, experiment: str, method: str = 'gbs', level: int = 99) -> float:
        """Return the median number of questions until accuracy stays at a level."""
        return self.number('results', experiment, f'questions_{level}', method)

    def seconds(self, experiment: str, method: str) -> float:
        """Return the time for one question."""
        return self.number('results', experiment, 'seconds_per_question', method)


@dataclass(frozen=True)
class Claim:
    """
    One claim.

    says: the paper, in our words. measured: the numbers, in words. verdict: the rule.
    because: why it is so, or what else is to be known.
    """

    says: str
    measured: Callable[[Tables], str]
    verdict: Callable[[Tables], Verdict]
    because: str


@dataclass(frozen=True)
class Section:
    """
    Claims about the same figures.

    figures: their names. command: what makes them.
    """

    title: str
    figures: tuple[str, ...]
    claims: tuple[Claim, ...]

    @property
    def command(self) -> str:
        """Return the command that makes the figures."""
        names = [name for name in self.figures if name not in ('time', 'bound', 'likelihoods')]
        more = {'time': TIMED, 'bound': BOUNDS, 'likelihoods': ABOUT_LIKELIHOODS}
        for figure in self.figures:
            names += [name for name in more.get(figure, ()) if name not in names]
        return f'make paper ONLY={",".join(names)}'


# ---- words for numbers --------------------------------------------------------------------------


def _size(experiment: str) -> str:
    return experiment.removeprefix('random_').removeprefix('sparse_').replace('x', ' × ')


def _name(experiment: str) -> str:
    return experiment.replace('_', ' ') if experiment in LARGE else _size(experiment)


def _plain(value: float) -> str:
    return 'more than 100' if value == float('inf') else f'{value:g}'


def _signed(pair: tuple[float, float]) -> str:
    return f'{pair[0]:+.3f} ± {pair[1]:.3f}'


def _each(experiments: Sequence[str], words: Callable[[str], str]) -> str:
    return '; '.join(f'{_name(experiment)}: {words(experiment)}' for experiment in experiments)


def _triple(t: Tables, experiment: str, after: int, number: str) -> str:
    values = (getattr(t, number)(experiment, method, after) for method in ('gbs', 'iqbc', 'emg'))
    return ' / '.join(f'{value:.3f}' for value in values)


def _spread(t: Tables, experiment: str, after: int, number: str) -> float:
    values = [getattr(t, number)(experiment, method, after) for method in ('gbs', 'iqbc', 'emg')]
    return max(values) - min(values)


def _grows(t: Tables, few: str, many: str) -> bool:
    """Tell whether GBS-IRL's lead over IQBC is larger with more actions, beyond chance."""
    (before, before_ci), (after, after_ci) = (t.ahead(name, 'iqbc', 5) for name in (few, many))
    return after - before > (before_ci ** 2 + after_ci ** 2) ** 0.5


# ---- the claims ---------------------------------------------------------------------------------


SECTIONS = (
    Section('Small random MDPs', SMALL, (
        Claim('Early on, GBS-IRL, IQBC and EMG are about equally accurate.',
              lambda t: 'accuracy after 5 questions, GBS / IQBC / EMG: ' + _each(
                  SMALL, lambda name: _triple(t, name, 5, 'accuracy')),
              lambda t: Verdict.of(*(_spread(t, name, 5, 'accuracy') < ALIKE for name in SMALL)),
              'After two questions the three are within 0.02 of one another, as the figures '
              'show, and after one EMG is a little ahead; then it falls behind for a few '
              'questions, the more the more actions there are.'),
        Claim('GBS-IRL is slightly ahead of both, and less of IQBC than of EMG.',
              lambda t: 'GBS ahead in accuracy after 5 and 10 questions: ' + _each(
                  SMALL, lambda name: ', '.join(
                      f'of {method.upper()} {_signed(t.ahead(name, method, 5))} and '
                      f'{_signed(t.ahead(name, method, 10))}' for method in ('iqbc', 'emg'))),
              lambda t: Verdict.of(
                  all(t.ahead(name, 'emg', 10)[0] > t.ahead(name, 'emg', 10)[1]
                      for name in SMALL),
                  all(abs(t.ahead(name, 'iqbc', 10)[0]) < t.ahead(name, 'emg', 10)[0]
                      for name in SMALL),
                  all(t.ahead(name, 'iqbc', 5)[0] > t.ahead(name, 'iqbc', 5)[1]
                      for name in SMALL)),
              'EMG is behind from the fourth question on. Of IQBC GBS-IRL is not ahead: where '
              'each state has one optimal action both ask where the vote is most divided, the '
              'one by its largest share, the other by its entropy, and 2,000 pairs show no '
              'difference.'),
        Claim('In value the three are alike: the differences hardly matter for the task.',
              lambda t: 'value loss after 10 questions, GBS / IQBC / EMG: ' + _each(
                  SMALL, lambda name: _triple(t, name, 10, 'loss')),
              lambda t: Verdict.of(*(_spread(t, name, 10, 'loss') < ALIKE for name in SMALL)),
              'EMG, which asks for value and not for accuracy, even loses a little less in the '
              'first questions.'),
    )),
    Section('Computing time', ('time',), (
        Claim('EMG takes many times as long as the others, and the more the larger |X| × |A| is.',
              lambda t: 'time of a question, EMG over GBS: ' + _each(
                  (*SMALL, 'random_50x5'),
                  lambda name: f'{t.seconds(name, "emg") / t.seconds(name, "gbs"):.1f} times'),
              lambda t: Verdict.of(
                  all(t.seconds(name, 'emg') > 5.0 * t.seconds(name, 'gbs') for name in SMALL),
                  t.seconds('random_10x5', 'emg') < t.seconds('random_10x10', 'emg')
                  < t.seconds('random_50x5', 'emg')),
              'Our EMG plans for all answers of a question together and starts from the values '
              'it had; planning one by one would take longer still.'),
    )),
    Section('Medium-sized random MDPs', (*MEDIUM, 'sparse_50x5', 'sparse_50x10'), (
        Claim('IQBC suffers more from more actions than GBS-IRL does.',
              lambda t: 'GBS ahead of IQBC in accuracy after 5 questions: ' + _each(
                  MEDIUM, lambda name: _signed(t.ahead(name, 'iqbc', 5))),
              lambda t: Verdict.of(_grows(t, 'random_50x5', 'random_50x10'),
                                   _grows(t, 'random_100x5', 'random_100x10')),
              'With votes weighted by the posterior IQBC does as well with ten actions as with '
              'five, and sparser rewards (sparse_50x5, sparse_50x10) change nothing in that. As '
              'printed, with the counts of a fixed set, it asks one question for ever and '
              'hardly learns, least with ten actions: see “IQBC as printed”. A rule of that '
              'kind may be what the paper compared with.'),
        Claim('The same tendency shows in the small MDPs.',
              lambda t: 'GBS ahead of IQBC in accuracy after 5 questions: ' + _each(
                  SMALL, lambda name: _signed(t.ahead(name, 'iqbc', 5))),
              lambda t: Verdict.of(_grows(t, *SMALL)),
              'For the same reason.'),
        Claim('GBS-IRL itself hardly depends on the number of actions.',
              lambda t: 'median questions until accuracy stays at 0.99: ' + _each(
                  MEDIUM, lambda name: _plain(t.questions(name))),
              lambda t: Verdict.of(*(abs(t.questions(f'random_{states}x10')
                                         - t.questions(f'random_{states}x5')) <= 2.0
                                     for states in (50, 100))),
              'With more actions an answer says more, so it takes fewer questions, not more.'),
    )),
    Section('Large structured domains', (*LARGE, 'driver_features'), (
        Claim('GBS-IRL and IQBC are very similar.',
              lambda t: 'GBS ahead of IQBC in accuracy after 10 and 20 questions: ' + _each(
                  LARGE, lambda name: f'{_signed(t.ahead(name, "iqbc", 10))} and '
                                      f'{_signed(t.ahead(name, "iqbc", 20))}'),
              lambda t: Verdict.of(*(abs(t.ahead(name, 'iqbc', 20)[0]) < ALIKE
                                     for name in LARGE)),
              'From 20 questions on. Before that GBS-IRL is ahead, most of all in the driver. '
              'In the trap world random questions need several times as many.'),
        Claim('The driver takes about 10 questions, the trap world about 20.',
              lambda t: 'median questions until accuracy stays at 0.99: ' + _each(
                  LARGE, lambda name: _plain(t.questions(name)))
              + '. Mean accuracy after 5, 10 and 20: ' + _each(
                  LARGE, lambda name: ' / '.join(f'{t.accuracy(name, "gbs", n):.3f}'
                                                 for n in (5, 10, 20))),
              lambda t: Verdict.of(t.questions('trap_world') > 1.5 * t.questions('driver'),
                                   5 <= t.questions('driver') <= 15,
                                   15 <= t.questions('trap_world') <= 25),
              'The order shows: the trap world is the hardest of the three, as in the paper. '
              'Medians are lower than its numbers; read off the mean curves, where the slowest '
              'trials count, it is about 10 for the driver and nearly 20 for the trap world, as '
              'in the paper. One answer among five actions carries at most 1.65 bits under '
              'this noise, and to tell 500 tasks apart takes 9: the driver is near what anybody '
              'could do.'),
        Claim('Both methods single out the right task after a few samples.',
              lambda t: 'accuracy after 20 questions, GBS / IQBC: ' + _each(
                  LARGE, lambda name: f'{t.accuracy(name, "gbs", 20):.3f} / '
                                      f'{t.accuracy(name, "iqbc", 20):.3f}'),
              lambda t: Verdict.of(*(t.accuracy(name, method, 20) > 0.99 for name in LARGE
                                     for method in ('gbs', 'iqbc'))),
              'Against rivals that weigh the same features as the right reward '
              '(driver_features) this holds for the exact likelihood alone: see the theory '
              'below.'),
        Claim('They do better here than in the medium-sized random MDPs: structure helps.',
              lambda t: 'median questions of GBS until accuracy stays at 0.99: ' + _each(
                  (*LARGE, *MEDIUM), lambda name: _plain(t.questions(name))),
              lambda t: Verdict.of(max(map(t.questions, LARGE)) < min(map(t.questions, MEDIUM))),
              'Our random MDPs are easier: the policies of two random rewards differ in most '
              'states, so that nearly every question tells many hypotheses apart, and random '
              'questions are not much worse. The paper does not say how its MDPs and rewards '
              'were drawn.'),
    )),
    Section('Actions and rewards', ('feedback', 'grid_actions'), (
        Claim('Actions, rewards and both together all let the learner improve, slowly.',
              lambda t: 'accuracy after 5, 20 and 100 random samples: ' + '; '.join(
                  f'{words} ' + ' / '.join(f'{t.accuracy("feedback", method, n):.3f}'
                                           for n in (5, 20, 100))
                  for method, words in (('action', 'actions'), ('reward', 'rewards'),
                                        ('action_reward', 'both'))),
              lambda t: Verdict.of(*(t.accuracy('feedback', method, 100)
                                     > t.accuracy('feedback', method, 5) + ALIKE
                                     for method in ('action', 'reward', 'action_reward'))),
              '“Random sampling” means that nothing is chosen; with GBS-IRL actions get there '
              'many times sooner (grid_actions).'),
        Claim('Unless rewards say very much, actions teach more than rewards.',
              lambda t: 'actions ahead of rewards in accuracy: ' + ', '.join(
                  f'{_signed(t.ahead("feedback", "reward", n))} after {n}' for n in (10, 50)),
              lambda t: Verdict.of(*(t.ahead('feedback', 'reward', n)[0]
                                     > t.ahead('feedback', 'reward', n)[1] for n in (10, 50))),
              'A sparse reward says nothing unless the goal itself is asked about.'),
    )),
    Section('Reward questions', ('reward_sparse', 'reward_anywhere', 'reward_shaped'), (
        Claim('With a sparse reward, reward questions teach little, random or active.',
              lambda t: 'accuracy after 20 and 50 questions: ' + '; '.join(
                  f'{method} {t.accuracy("reward_sparse", method, 20):.3f} and '
                  f'{t.accuracy("reward_sparse", method, 50):.3f}'
                  for method in ('active', 'random')),
              lambda t: Verdict.of(*(t.accuracy('reward_sparse', method, 50) < 0.9
                                     for method in ('active', 'random'))),
              'After each answer of “nothing here” one of 190 cells is less likely, and no '
              'more.'),
        Claim('Active questions still have some advantage there.',
              lambda t: 'active ahead of random in accuracy after 50 and 100 questions: ' +
              '; '.join(f'{words} {_signed(t.ahead(name, "random", 50))} and '
                        f'{_signed(t.ahead(name, "random", 100))}'
                        for name, words in (('reward_sparse', 'goal in the corner'),
                                            ('reward_anywhere', 'goal anywhere'))),
              lambda t: Verdict.of(*(t.ahead(name, 'random', 100)[0]
                                     > t.ahead(name, 'random', 100)[1]
                                     for name in ('reward_sparse', 'reward_anywhere'))),
              'To tell the actions at a doubtful state apart, cells in its row or column say '
              'most, so that questions about corners come last: with the goal in a corner '
              'active questions find it later than random ones. With the goal anywhere the '
              'difference is within chance: an earlier run with other draws had +0.047 ± 0.042 '
              'after 100 questions. The paper does not give its formula.'),
        Claim('With a shaped reward learning is extremely fast, even from random samples.',
              lambda t: 'median questions until accuracy stays at 0.95: ' + '; '.join(
                  f'{method} {_plain(t.questions("reward_shaped", method, 95))}'
                  for method in ('active', 'random')),
              lambda t: Verdict.of(*(t.questions('reward_shaped', method, 95) <= 10
                                     for method in ('active', 'random'))),
              'Every answer tells how far the goal is.'),
    )),
    Section('The theory', ('bound', 'likelihoods'), (
        Claim('Theorem 2: P[wrong] is at most |H| (1 - λ)^t in 1-neighborly problems.',
              lambda t: 'questions until 5 % of the trials of version 1 are wrong, and until the '
              'bound says so: ' + '; '.join(
                  f'{name.removeprefix("bound_").replace("_", " of ")} '
                  f'{_plain(t.number("bounds", name, "questions_5", "gbs1_cstar"))} and '
                  f'{_plain(t.number("bounds", name, "bound_5", "gbs1_cstar"))}'
                  for name in BOUNDS),
              lambda t: Verdict.of(*(t.number('bounds', name, 'highest_share', 'gbs1_cstar') <= 1.0
                                     for name in BOUNDS)),
              'Wherever the bound says anything, fewer are wrong than it allows, by far.'),
        Claim('With several optimal actions, all results remain valid under the aggregated '
              'likelihood.',
              lambda t: 'accuracy of GBS after 100 questions, aggregated / exact: ' + '; '.join(
                  f'{words} {t.accuracy(name, "gbs", 100):.3f} / '
                  f'{t.accuracy(name, "gbs_exact", 100):.3f} (some policy contains the right one '
                  f'in {100 * t.number("supersets", name, "share_with_supersets"):.0f} % of the '
                  'trials)'
                  for name, words in (('supersets', 'random MDPs with costs'),
                                      ('driver_features', 'driver, rivals of its features'))),
              lambda t: Verdict.of(*(t.accuracy(name, 'gbs', 100) > 0.99
                                     for name in ('supersets', 'driver_features'))),
              'A hypothesis whose optimal actions contain the right ones is never '
              'contradicted, so it stays at least as likely as the right one for ever. That '
              'needs rewards under which much is optimal, such as costs that are easily '
              'avoided. The exact likelihood spreads its probability over the optimal actions '
              'and rejects them; it is the default of this package.'),
        Claim('Interesting domains need not be 1-neighborly, and c* is easily 1 with several '
              'optimal actions.',
              lambda t: 'smallest k, c*: ' + _each(
                  (*SMALL, *MEDIUM, *LARGE), lambda name: _facts(t, name)) + '; random MDPs with '
              f'costs: {_facts(t, "supersets")}',
              lambda t: Verdict.of(
                  all(t.number('domains', name, 'neighbourly') != 1
                      for name in (*SMALL, *MEDIUM, *LARGE)),
                  t.number('domains', 'supersets', 'c_high') >= 1.0),
              'None of the domains is near 1-neighborly, so that version 1 asks as version 2 '
              'does there.'),
    )),
)


def _facts(t: Tables, experiment: str) -> str:
    low, high = (t.number('domains', experiment, column) for column in ('c_low', 'c_high'))
    c_star = f'{high:.2f}' if high - low < 0.01 else f'in [{low:.2f}, {high:.2f}]'
    k = t.number('domains', experiment, 'neighbourly')
    return f'{k:.0f}, {c_star}' if k >= 0.0 else f'k not looked for, {c_star}'
