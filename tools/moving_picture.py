"""
Draw docs/lesson.svg, the moving picture of README.md, from a lesson that is really given.

The learner asks about `room`, the simulated teacher answers, and the policy that was learned is
followed by the drive of the controller on the simulated robot; `test/test_moving_picture.py` does
it again and compares. Colours follow the reader's choice of light or dark; whoever wants no motion
sees the end. Run it by `tools/ros-env python tools/moving_picture.py`.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from gbs_irl_ros.core import CAREFUL, Answer, Learner, Question, SimulatedTeacher
from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.drive import towards
from gbs_irl_ros.driving.policy_follower import PolicyFollower
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.sentences import answer_words, sentence
from gbs_irl_ros.tasks import Task, load_task_file
from gbs_irl_ros.tasks.layout import UNIT
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

FILE = Path(__file__).parent.parent / 'docs' / 'lesson.svg'
SEED = 2
WIDTH, HEIGHT, CELL = 880, 372, 33
MAP_X, MAP_Y, TEXT_X, SAID_Y, BAR_Y, BAR_STEP = 20, 21, 516, 152, 212, 27
BARS = 5                # tasks that are shown by name; the others are one bar
BAR_WIDTH = 290
LINE, BOLD_LINE = 44, 38     # letters
ASKED_S, ANSWERED_S, LAST_S = 1.1, 1.3, 4.0     # how long each is seen
DRIVE_S, TICK_S = 6.0, 0.1                      # as shown; of the simulation
STYLE = """
svg { --card: #ffffff; --ink: #1c2128; --soft: #59636e; --line: #d1d9e0; --floor: #f4f1ea;
  --wall: #3b3f46; --asked: #b3530a; --bar: #1f5fa8; --way: #7b3294; --yes: #1a7f37; }
@media (prefers-color-scheme: dark) {
  svg { --card: #161b22; --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --floor: #2b323b;
    --wall: #0b0e13; --asked: #f0a35e; --bar: #6cb0f5; --way: #c79be0; --yes: #56c271; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
text { font: 15px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); }
.small { font-size: 12px; fill: var(--soft); } .bold { font-weight: 700; }
.region { font-size: 11px; text-anchor: middle; paint-order: stroke; stroke: var(--floor);
  stroke-width: 3px; }
.asked { fill: none; stroke: var(--asked); stroke-width: 3; }
.mark { font-weight: 800; fill: var(--asked); text-anchor: middle; }
.answer { stroke: var(--yes); stroke-width: 4; stroke-linecap: round; stroke-linejoin: round;
  fill: none; }
.said { fill: var(--yes); font-weight: 700; } .way { fill: none; stroke: var(--way);
  stroke-width: 4; stroke-dasharray: 7 6; stroke-linejoin: round; }
.bar { fill: var(--bar); } .back { fill: var(--line); opacity: .5; }
.robot circle { fill: var(--card); stroke: var(--way); stroke-width: 3; }
.robot path { fill: var(--way); } .star { fill: #e6a700; stroke: var(--ink); }
"""
TINTS = {'carpet': '#c0392b', 'toys': '#8e5bb5'}        # of what may be forbidden; places: green


@dataclass(frozen=True)
class Turn:
    """A question, the answer, and the learner that has heard it."""

    question: Question
    answer: Answer
    after: Learner


def give_lesson() -> tuple[Task, Learner, list[Turn]]:
    """Return the task, the learner before the lesson, and all that is asked and answered."""
    file = load_task_file(DEFAULT_TASK)
    task = file.task
    first = learner = Learner(task, 'gbs', SEED, caution=CAREFUL)
    teacher = SimulatedTeacher.for_hypothesis(task.hypotheses, file.truth.index,
                                              float(np.mean(task.noise.gamma_hat)))
    rng, turns = np.random.default_rng(SEED), []
    while (question := learner.ask()) is not None:
        answer = teacher.answer(question, rng)
        learner = learner.tell(answer)
        turns.append(Turn(question, answer, learner))
    return task, first, turns


def drive(task: Task, learner: Learner) -> list[Pose]:
    """Return the poses of a simulated robot that does what was learned."""
    cells, policy = CellMap(task.world), learner.policy
    follower, robot = PolicyFollower(cells, confidence=0.5), DifferentialDrive(cells)
    rng, limits = np.random.default_rng(SEED), Limits(speed=1.0, turn=3.0)
    start = int(np.flatnonzero(task.world.start)[0])
    poses = [Pose(*cells.centre(start), -math.pi / 2.0)]
    while (decision := follower.decide(policy, poses[-1])).status is ExecutionStatus.DRIVING:
        command = towards(poses[-1], cells.centre(decision.target), limits)
        poses.append(robot.moved(poses[-1], command, TICK_S, rng))
    assert decision.status is ExecutionStatus.GOAL, decision
    return poses


class MovingPicture:
    """
    An SVG whose parts appear, grow and move along one line of time that is repeated.

    Each part has by itself the looks of the end; its key frames say what it had before.
    """

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._numbers = itertools.count()
        self.rules: list[str] = []
        self.parts: list[str] = []

    def share(self, seconds: float) -> str:
        """Return a moment as a key frame."""
        return f'{100.0 * min(seconds / self._duration, 1.0):.2f}%'

    def moving(self, frames: Sequence[tuple[float, str]], timing: str = 'linear') -> str:
        """Return the class of a part that has these styles at these moments [s]."""
        name = f'm{next(self._numbers)}'
        inside = ' '.join(f'{self.share(when)} {{ {style} }}' for when, style in frames)
        self.rules.append(f'.{name} {{ animation: {name} {self._duration:.1f}s {timing} infinite; '
                          f'{frames[-1][1]} }} @keyframes {name} {{ {inside} }}')
        return name

    def seen(self, begin: float, end: float | None = None) -> str:
        """Return the class of a part that is seen from one moment to another, or to the end."""
        frames = [(0.0, 'opacity: 0'), (begin, 'opacity: 0'), (begin + 0.2, 'opacity: 1')]
        if begin <= 0.0:
            frames = [(0.0, 'opacity: 1')]
        if end is None:
            return self.moving([*frames, (self._duration, 'opacity: 1')])
        return self.moving([*frames, (end - 0.01, 'opacity: 1'), (end, 'opacity: 0'),
                            (self._duration, 'opacity: 0')])

    def add(self, *parts: str) -> None:
        """Add parts in front of the others."""
        self.parts.extend(parts)

    def text(self, title: str) -> str:
        """Return the file."""
        return '\n'.join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            f'<title>{escape(title)}</title>', '<style>', STYLE.strip(), *self.rules, '</style>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="var(--card)" '
            'stroke="var(--line)"/>',
            *self.parts, '</svg>', ''])


def lines(text: str, x: float, y: float, kind: str = '') -> str:
    """Return a text of several lines."""
    return ''.join(f'<text class="{kind}" x="{x:g}" y="{y + 20 * number:g}">{escape(line)}</text>'
                   for number, line in enumerate(textwrap.wrap(
                       text, BOLD_LINE if kind == 'bold' else LINE)))


def said(text: str, kind: str) -> str:
    """Return what is said under the question."""
    return f'<text class="said {kind}" x="{TEXT_X}" y="{SAID_Y}">{escape(text)}</text>'


def percent(share: float) -> str:
    """Return a share in per cent; never all or nothing, which answers do not tell."""
    return '>99%' if share > 0.995 else '<1%' if share < 0.005 else f'{share:.0%}'


class Floor:
    """
    The map: where a state is on the picture, and what is drawn there.

    covered: states where something else will be in front of names.
    """

    def __init__(self, task: Task, covered: Sequence[int] = ()) -> None:
        self._covered = covered
        self._world = task.world
        self._layout = task.world.layout

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a position [m] is."""
        left, _, _, top = self._layout.extent
        size = self._layout.cell_size
        return MAP_X + (x - left) / size * CELL, MAP_Y + (top - y) / size * CELL

    def middle(self, state: int) -> tuple[float, float]:
        """Return where the middle of a cell is."""
        return self.at(*self._world.appearance.positions[state])

    def drawn(self) -> Iterator[str]:
        """Yield cells, walls and names."""
        rows, columns = self._layout.shape
        yield (f'<rect x="{MAP_X - 6}" y="{MAP_Y - 6}" width="{columns * CELL + 12}" '
               f'height="{rows * CELL + 12}" rx="6" fill="var(--wall)"/>')
        for row, column in np.argwhere(self._layout.states >= 0):
            yield (f'<rect x="{MAP_X + column * CELL}" y="{MAP_Y + row * CELL}" width="{CELL}" '
                   f'height="{CELL}" fill="var(--floor)" stroke="var(--line)" '
                   'stroke-width=".6"/>')
        for name, states in self._world.appearance.regions.items():
            for state in states:
                x, y = self.middle(int(state))
                yield (f'<rect x="{x - CELL / 2:g}" y="{y - CELL / 2:g}" width="{CELL}" '
                       f'height="{CELL}" fill="{TINTS.get(name, "#1b7837")}" opacity=".22"/>')
        for name, states in self._world.appearance.regions.items():
            free = [int(state) for state in states if state not in self._covered]
            x, y = np.mean([self.middle(state) for state in free or states], axis=0)
            y += 4 if free else -CELL / 2 - 5
            yield f'<text class="region" x="{x:.0f}" y="{y:.0f}">{escape(name)}</text>'

    def asked(self, state: int) -> str:
        """Return the mark of a cell that is asked about."""
        x, y = self.middle(state)
        return (f'<rect class="asked" x="{x - 13:g}" y="{y - 13:g}" width="26" height="26" '
                f'rx="6"/><text class="mark" x="{x:g}" y="{y + 6:g}">?</text>')

    def arrow(self, state: int, action: int) -> str:
        """Return the arrow of an answer; a dot to stay."""
        (x, y), (across, up) = self.middle(state), UNIT[self._world.headings[action]]
        if not (across or up):
            return f'<path class="answer" d="M{x:g} {y:g}h.1"/>'
        turn = math.degrees(math.atan2(-up, across))
        return (f'<path class="answer" transform="translate({x:g} {y:g}) rotate({turn:g})" '
                'd="M-9 0H9M3-6L9 0L3 6"/>')

    def route(self, states: Sequence[int]) -> str:
        """Return the line of a way."""
        points = ' '.join(f'{x:g},{y:g}' for x, y in map(self.middle, states))
        return f'<polyline class="way" points="{points}"/>'


def draw(task: Task, first: Learner, turns: Sequence[Turn], poses: Sequence[Pose]) -> str:
    """Return the moving picture of a lesson and of the drive after it."""
    each = ASKED_S + ANSWERED_S
    done = each * len(turns)
    ends = [task.world.layout.state_at(pose.x, pose.y) for pose in (poses[0], poses[-1])]
    picture, floor = MovingPicture(done + DRIVE_S + LAST_S), Floor(task, ends)
    picture.add(*floor.drawn())
    for number, turn in enumerate(turns):
        asked, answered, over = (number * each + more for more in (0.0, ASKED_S, each))
        question, whole = turn.question, picture.seen(asked, over)
        if question.route:
            on_map = floor.route([state for state, _ in question.route])
            answer = ''
        else:
            on_map, answer = floor.asked(question.state), ''
            if isinstance(turn.answer, ActionAnswer):
                answer = floor.arrow(question.state, turn.answer.action)
        before = picture.seen(asked, over if question.route else answered)
        picture.add(f'<g class="{before}">{on_map}</g>')
        if answer:
            picture.add(f'<g class="{picture.seen(answered)}">{answer}</g>')
        picture.add(
            f'<g class="{whole}"><text class="small" x="{TEXT_X}" y="36">question {number + 1} of '
            f'{len(turns)}</text>{lines(sentence(question, task.world), TEXT_X, 62)}</g>',
            said(f'You: {answer_words(turn.answer, task.world)}', picture.seen(answered, over)))
    picture.add(*beliefs(picture, task, first, turns, each))
    picture.add(*driving(picture, floor, poses, done))
    meant = task.hypotheses.name(turns[-1].after.most_probable_reward)
    sure = f'{percent(turns[-1].after.certainty)} sure: {meant}.'
    picture.add(
        f'<g class="{picture.seen(done)}"><text class="small" x="{TEXT_X}" y="36">no more '
        f'questions</text>{lines(sure, TEXT_X, 62, "bold")}</g>',
        said('The robot drives.', picture.seen(done, done + DRIVE_S)),
        said('The goal is reached.', picture.seen(done + DRIVE_S)))
    return picture.text(f'A robot asks {len(turns)} questions about a room, learns to {meant}, '
                        'and drives there.')


def beliefs(picture: MovingPicture, task: Task, first: Learner, turns: Sequence[Turn],
            each: float) -> Iterator[str]:
    """Yield how probable tasks are at each moment."""
    learners = (first, *(turn.after for turn in turns))
    stages = np.array([learner.posterior.probabilities for learner in learners])
    order = np.argsort(-stages.max(axis=0), kind='stable')[:BARS]
    rest = 1.0 - stages[:, order].sum(axis=1)
    rows = [(task.hypotheses.name(int(index)), stages[:, index]) for index in order]
    rows.append((f'{stages.shape[1] - BARS} others, or none of these', rest))
    yield (f'<text class="small" x="{TEXT_X}" y="{BAR_Y - 24}">what may be meant, and how '
           'probable it is</text>')
    for row, (name, shares) in enumerate(rows):
        y = BAR_Y + row * BAR_STEP
        frames = [(0.0, f'transform: scaleX({shares[0]:.4f})')]
        for number, share in enumerate(shares[1:]):
            answered = number * each + ASKED_S
            frames += [(answered, frames[-1][1]),
                       (answered + 0.7, f'transform: scaleX({share:.4f})')]
        yield f'<rect class="back" x="{TEXT_X}" y="{y}" width="{BAR_WIDTH}" height="6" rx="2"/>'
        yield (f'<g transform="translate({TEXT_X} {y})"><rect '
               f'class="bar {picture.moving([*frames, (math.inf, frames[-1][1])])}" '
               f'width="{BAR_WIDTH}" height="6" rx="2"/></g>')
        yield f'<text class="small" x="{TEXT_X}" y="{y - 4}">{escape(name)}</text>'
        for number, share in enumerate(shares):
            begin = 0.0 if number == 0 else (number - 1) * each + ASKED_S
            end = None if number == len(turns) else number * each + ASKED_S
            yield (f'<text class="small {picture.seen(begin, end)}" x="{TEXT_X + BAR_WIDTH + 10}" '
                   f'y="{y + 6}">{escape(percent(share))}</text>')


def driving(picture: MovingPicture, floor: Floor, poses: Sequence[Pose],
            begin: float) -> Iterator[str]:
    """Yield the robot on its way, and the star at its end."""
    points = [floor.at(pose.x, pose.y) for pose in poses]
    turns = np.degrees(np.unwrap([-pose.yaw for pose in poses]))
    styles = [f'transform: translate({x:.1f}px, {y:.1f}px) rotate({turn:.0f}deg)'
              for (x, y), turn in zip(points, turns, strict=True)]
    kept = [*range(0, len(styles) - 1, 3), len(styles) - 1]
    x, y = points[-1]
    moves = picture.moving([
        (0.0, styles[0]),
        *((begin + DRIVE_S * number / (len(styles) - 1), styles[number]) for number in kept),
        (math.inf, styles[-1])])
    rays = [((14, 6)[ray % 2], math.pi * ray / 5) for ray in range(10)]
    star = ' '.join(f'{x + radius * math.sin(angle):.1f},{y - radius * math.cos(angle):.1f}'
                    for radius, angle in rays)
    yield f'<g class="{picture.seen(begin)}"><polygon class="star" points="{star}"/></g>'
    yield f'<g class="robot {moves}"><circle r="9"/><path d="M-3-4L6 0L-3 4Z"/></g>'


def main() -> None:
    """Write the file."""
    task, first, turns = give_lesson()
    FILE.write_text(draw(task, first, turns, drive(task, turns[-1].after)), encoding='utf-8')


if __name__ == '__main__':
    main()
