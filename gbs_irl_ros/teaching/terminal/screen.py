"""The screen of a person who teaches in a terminal: what is known, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import HistoryEntry, Rival
from gbs_irl_ros.learning.sentences import HARDLY, WORTH_SAYING, execution_text, reliability_text
from gbs_irl_ros.tasks.shown_place import place_states
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.styled_text import (
    BOLD,
    FAINT,
    WARNING,
    Line,
    Piece,
    cut,
    ellipsis,
    flowed,
    line,
    padded,
    plain,
    width,
    wrapped,
)
from gbs_irl_ros.teaching.terminal.view import PlaceMarks, View
from gbs_irl_ros.teaching.terminal.world_picture import picture_legend, world_picture

BESIDE = 64             # columns from which on the picture has something at its side
SIDE = 30               # columns of that, at least
GAP = '   '
FEW_ROWS = 20           # a screen with fewer shows the most important keys only
MAX_ROWS = 60          # of a screen without end
MAX_REMEMBERED = 8     # entries of the history
MAX_WORDS = 3           # lines of what is typed
CHOSEN = '>'            # before the entry of a list that is moved to
FEW_ANSWERS = 3         # fewer say nothing yet about the teacher
URGENT = (keys.STOP, keys.UNDO, keys.PLACE, keys.SAY, keys.HELP, keys.QUIT)
URGENT_IN_DRIVING = (keys.STOP, keys.HELP, keys.QUIT, keys.DRIVE, keys.RECORD)
BETWEEN_KEYS = '  '
SHOW_THE_PLACE = \
    'Point at a place: where I should go, what lies on the way, where I must never go.'
SAY_IT = 'Say it in your own words, then Enter.'


def draw(view: View, columns: int, rows: int | None = None) -> list[Line]:
    """Return the screen, as many lines as it has rows; without rows, as many as are needed."""
    head = _help(view, columns, rows) if view.helping else _head(view, columns, rows)
    foot = _message(view, columns) if view.helping else _foot(view, columns, rows)
    room = (MAX_ROWS if rows is None else rows) - len(head) - len(foot)
    middle = [] if view.helping else _middle(view, columns, room)
    if rows is None:
        return [cut(each, columns) for each in (*head, *middle, *foot)]
    middle = middle[:max(room, 0)]
    empty = [line('')] * (room - len(middle))
    return [cut(each, columns) for each in (*head, *middle, *empty, *foot)][:rows]


# ---- what is asked --------------------------------------------------------------------------

def _head(view: View, columns: int, rows: int | None) -> list[Line]:
    most = 2 if rows is not None and rows < FEW_ROWS else 4
    return [_title(view, columns), *_asked(view, columns, most), *given(view, columns),
            *_warnings(view, columns)]


def _title(view: View, columns: int) -> Line:
    lesson = view.lesson
    name = 'no task yet' if lesson.world is None else lesson.world.name
    name += ' · driving' if view.driving else ''
    known = ''
    for part in _progress(view):        # the most important first, and whole
        if width(name) + 2 + width(known + part) <= columns or (
                not known and width(part) + 4 <= columns):
            known += part
        else:
            break
    name = ellipsis(name, columns - width(known) - 2 if known else columns)
    return (Piece(name, BOLD), Piece(' ' * (columns - width(name) - width(known))), Piece(known))


def _progress(view: View) -> list[str]:
    belief = view.lesson.belief
    if belief is None or not len(belief.probabilities):
        return []
    parts = [f'{belief.sure:.0%} sure']
    if belief.none_of_these >= WORTH_SAYING:
        parts.append(f', none of these {belief.none_of_these:.0%}')
    forecast = belief.forecast
    if forecast is not None and forecast.has_end and forecast.most and not view.lesson.is_paused:
        parts.append(f', about {forecast.likely} more answer' + 's' * (forecast.likely != 1))
        if forecast.fewest < forecast.most:
            parts.append(f' ({forecast.fewest} to {forecast.most})')
    return parts


def _asked(view: View, columns: int, most: int) -> list[Line]:
    lesson = view.lesson
    record = lesson.asked
    if view.driving:
        texts = ['Drive the robot: one key, one cell.' if lesson.robot is not None
                 else 'Drive the robot: it has not said yet where it is.']
        if lesson.corrects:
            texts.append('The robot does its task: what you drive is a correction, which it '
                         'reports itself.')
        if record is not None:
            texts.append(f'A question waits: {record.sentence}')
        return [line(each, BOLD if not number else '') for number, text in enumerate(texts)
                for each in wrapped(text, columns, 2)][:most]
    if view.words is not None or view.place is not None:
        return [line(each, BOLD) for each in wrapped(
            SHOW_THE_PLACE if view.words is None else SAY_IT, columns, most)]
    text = lesson.status_text if record is None else record.sentence
    return [line(each, BOLD) for each in wrapped(text, columns, most)]


def given(view: View, columns: int) -> list[Line]:
    """Return the answer, the place or the words as far as they are given."""
    record, world = view.lesson.asked, view.lesson.world
    if view.words is not None:
        return [line(each) for each in wrapped(f'You say: {view.words}_', columns)[-MAX_WORDS:]]
    if view.place is not None and world is not None:
        return [line(each) for each in wrapped(_pointed_place(view.place, world), columns, 2)]
    if record is None or world is None or view.driving:
        return []
    if view.number:
        return [line(f'Your number: {view.number}_')]
    if view.options is not None and view.options.typed:
        return [line(f'Your number: {view.options.typed}_')]
    if view.demonstrated is not None:
        done = view.demonstrated.actions
        names = ', '.join(world.appearance.action_names[action] for action in done)
        return [line(each) for each in wrapped(
            f'You show {len(done)} of {record.question.steps}: {names}', columns, 2)]
    if view.pointed is not None:
        action = world.appearance.action_names[dict(record.question.route)[view.pointed]]
        return [line(each) for each in wrapped(
            f'Wrong {world.where(view.pointed)}, where I would do "{action}"? Enter says so.',
            columns, 2)]
    return []


def _pointed_place(marks: PlaceMarks, world: World) -> str:
    if marks.typed:
        return f'The place: {marks.typed}_'
    try:
        states = place_states(marks.place, world)
    except InvalidPlaceError as error:
        return f'The place: {error}'
    what = world.state_name(int(states[0])) if len(states) == 1 \
        else f'{marks.place.cells}, {len(states)} free cells'
    return f'The place: {what}'


def _warnings(view: View, columns: int) -> list[Line]:
    lesson, texts = view.lesson, []
    if lesson.nothing_fits_text:
        texts.append(f'{lesson.nothing_fits_text} {keys.UNDO} removes the last answer'
                     + (f', {keys.PLACE} lets you point at a place.' if lesson.can_show_places
                        else '.'))
    if lesson.belief is not None and lesson.belief.forecast is not None \
            and not lesson.belief.forecast.has_end:
        texts.append(f'{HARDLY} {keys.ENOUGH} ends the lesson as it is.')
    if lesson.asked is not None and not lesson.learner_lives:
        texts.append('The learner is silent: is it running? Your answers are kept.')
    if lesson.recorded is not None:
        count = len(lesson.recorded)
        texts.append(f'RECORDING: {count} {"step" if count == 1 else "steps"}; t sends')
    return [line(each, WARNING) for text in texts for each in wrapped(text, columns, 2)]


# ---- why, and what else is going on ---------------------------------------------------------

def _middle(view: View, columns: int, room: int) -> list[Line]:
    """Return the picture and, at its side or below, everything around it."""
    if room <= 0:
        return []
    if _is_task_list(view):
        listed = _options(view, columns, room)
        return [*listed, *([line(''), *_around(view, columns)] if len(listed) < room else [])]
    legend = picture_legend(view, columns, room)
    room -= len(legend)
    if columns < BESIDE:
        listed = _options(view, columns, room // 2)
        return [*listed, *world_picture(view, columns, room - len(listed)), *legend,
                *_around(view, columns)]
    picture = [line(''), *world_picture(view, columns - SIDE - len(GAP), room - 1)]
    broad = max(width(plain(each)) for each in picture)
    beside = columns - broad - len(GAP)
    side = [line(''), *_options(view, beside, room - 1), *_around(view, beside)]
    count = min(max(len(picture), len(side)), room)
    picture += [line('')] * (count - len(picture))
    side += [line('')] * (count - len(side))
    both: list[Line] = [(*padded(left, broad), Piece(GAP), *right)
                        for left, right in zip(picture[:count], side[:count], strict=True)]
    return [*both, *legend]


def _is_task_list(view: View) -> bool:
    """Tell whether tasks are listed: their names need all columns, and no picture."""
    return view.options is not None and not view.options.states and bool(view.options.labels) \
        and view.place is None and not view.driving and view.rehearsal is None


def _options(view: View, columns: int, room: int) -> list[Line]:
    """Return a list to choose from; of a long one a part, with what is chosen in it."""
    if view.options is None or view.driving or view.place is not None or room < 2:
        return []
    labels, chosen = view.options.labels, view.options.chosen
    first, last = 0, len(labels)
    note: list[Line] = []
    if len(labels) > room:
        page = room - 1
        first = (chosen or 0) // page * page
        last = min(first + page, len(labels))
        note = [line(ellipsis(f'   {first + 1} to {last} of {len(labels)}; ↓ ↑ show the others',
                              columns), FAINT)]
    return [line(ellipsis(f'{CHOSEN if place == chosen else " "}{place + 1:>2} {labels[place]}',
                          columns), BOLD if place == chosen else '')
            for place in range(first, last)] + note


def _around(view: View, columns: int) -> list[Line]:
    return [*_why(view, columns), *_robot(view, columns), *_reliability(view, columns),
            *_unexplained(view, columns), *_history(view, columns)]


def _why(view: View, columns: int) -> list[Line]:
    record = view.lesson.asked
    if record is None or view.driving or not record.rivals:
        return []
    lines = [line(ellipsis('Why I ask. What may be right:', columns), FAINT)]
    for rival in record.rivals:
        opinion = _opinion(rival, view)
        lines += _hanging(f'{rival.probability:4.0%} ',
                          f'{opinion} ({rival.name})' if opinion else rival.name, columns)
    return lines


def _opinion(rival: Rival, view: View) -> str:
    """Return what would be the answer if this task were meant."""
    record, world = view.lesson.asked, view.lesson.world
    if record is None or world is None:
        return ''
    question, names = record.question, world.appearance.action_names
    if question.kind is QuestionKind.REWARD:
        return f'{rival.reward:.3g}'
    if question.kind is QuestionKind.YES_NO:
        return 'yes' if question.action in rival.actions else 'no'
    if question.kind is QuestionKind.CONFIRM:
        return 'yes' if rival.actions else 'no'
    if question.kind in (QuestionKind.PLACE, QuestionKind.TASK, QuestionKind.COMPARE):
        return rival.answer if rival.answer != rival.name else ''
    if len(rival.actions) == len(names):
        return 'any direction is fine'
    return ' or '.join(names[action] for action in rival.actions if action < len(names))


def _robot(view: View, columns: int) -> list[Line]:
    execution = view.lesson.execution
    if execution is None:
        return []
    style = WARNING if execution.status is ExecutionStatus.LOST else ''
    return [line(each, style) for each in wrapped(
        f'Robot: {execution.status.value}: '
        + execution_text(execution, f'press {keys.GO}', view.lesson.world), columns, 3)]


def _reliability(view: View, columns: int) -> list[Line]:
    belief = view.lesson.belief
    if belief is None or belief.answers < FEW_ANSWERS:
        return []
    return [line(each, FAINT) for each in wrapped(reliability_text(belief.error_rate), columns, 2)]


def _unexplained(view: View, columns: int) -> list[Line]:
    """Return the answers that no task explains, numbered as in the sentence that says so."""
    found = view.lesson.unexplained
    lines = [line(ellipsis('What does not fit:', columns), WARNING)] if found else []
    return lines + [line(ellipsis(f'  {number}. {_told(entry)}', columns))
                    for number, entry in found.items()][:MAX_REMEMBERED]


def _told(entry: HistoryEntry) -> str:
    asked = entry.question.sentence if entry.question is not None else \
        'a correction' if entry.correction else 'shown unasked'
    return f'{entry.said} ({asked})'


def _history(view: View, columns: int) -> list[Line]:
    history = view.lesson.history
    if history is None or not history.entries:
        return []
    lines = [line(ellipsis(f'You said so far ({history.total}):', columns), FAINT)]
    for entry in history.entries[:-MAX_REMEMBERED - 1:-1]:
        lines.append(line(ellipsis(f'  {_told(entry)}', columns)))
    return lines


def _hanging(begin: str, text: str, columns: int) -> list[Line]:
    """Return a beginning with a text behind it, wrapped so that the beginning stands out."""
    first, *rest = wrapped(text, max(columns - width(begin), 1), 2) or ['']
    return [line(f'{begin}{first}'), *(line(f'{" " * width(begin)}{each}') for each in rest)]


# ---- messages and keys ----------------------------------------------------------------------

def _foot(view: View, columns: int, rows: int | None) -> list[Line]:
    brief = rows is not None and (rows < FEW_ROWS or columns < BESIDE)
    urgent = URGENT_IN_DRIVING if view.driving else URGENT
    other = [each for each in view.other if not brief or each.keys[0] in urgent]
    return [*_message(view, columns), *_keys(view.answering, columns, BOLD),
            *_keys(other, columns, '')]


def _message(view: View, columns: int) -> list[Line]:
    waiting = view.lesson.on_their_way
    text = view.message or (
        f'on the way to the learner: {waiting}' if waiting and view.lesson.asked is None
        else '')
    return [line(each, WARNING) for each in wrapped(text, columns, 3) or ['']]


def _keys(bindings: Sequence[Binding], columns: int, style: str) -> list[Line]:
    return [line(each, style) for each in flowed(
        [f'{each.shown} {each.label}' for each in bindings if each.label and not each.listed],
        columns, BETWEEN_KEYS)]


def _help(view: View, columns: int, rows: int | None) -> list[Line]:
    """Return all keys that work now, one a line if there is room."""
    bindings = [each for each in (*view.answering, *view.other) if each.label and not each.listed]
    broad = max(width(each.shown) for each in bindings)
    title = [line(each, BOLD) for each in wrapped(
        'Keys that work now; any key goes back', columns)]
    lines = [each for binding in bindings for each in _hanging(
        f'{binding.shown}{" " * (broad - width(binding.shown))}  ',
        binding.about or binding.label, columns)]
    if rows is not None and len(title) + len(lines) + 1 > rows:
        return [*title, *_keys(bindings, columns, '')]
    return [*title, *lines]
