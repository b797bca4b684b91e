"""The screen of a person who teaches in a terminal: what is known, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.languages.speaking import figures, marked, percent, tr, tr_count
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import STATUS_WORDS, execution_text
from gbs_irl_ros.learning.records import HistoryEntry, Rival
from gbs_irl_ros.learning.sentences import HARDLY, WORTH_SAYING, reliability_text
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
from gbs_irl_ros.teaching.told import question_text, rival_text, said_text

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
SHOW_THE_PLACE = marked(
    'Point at a place: where I should go, what lies on the way, where I must never go.')
SAY_IT = marked('Say it in your own words, then Enter.')


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
    name = tr('no task yet') if lesson.world is None else lesson.world.name
    name += f' · {tr("driving")}' if view.driving else ''
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
    parts = [tr('{share} sure', share=percent(belief.sure, '.0f'))]
    if belief.none_of_these >= WORTH_SAYING:
        parts.append(', ' + tr('none of these {share}',
                               share=percent(belief.none_of_these, '.0f')))
    forecast = belief.forecast
    if forecast is not None and forecast.has_end and forecast.most and not view.lesson.is_paused:
        parts.append(', ' + tr_count(forecast.likely, 'about {count} more answer',
                                     'about {count} more answers'))
        if forecast.fewest < forecast.most:
            parts.append(' ' + tr('({fewest} to {most})', fewest=forecast.fewest,
                                  most=forecast.most))
    return parts


def _asked(view: View, columns: int, most: int) -> list[Line]:
    lesson = view.lesson
    record = lesson.asked
    if view.driving:
        texts = [tr('Drive the robot: one key, one cell.') if lesson.robot is not None
                 else tr('Drive the robot: it has not said yet where it is.')]
        if lesson.corrects:
            texts.append(tr('The robot does its task: what you drive is a correction, which it '
                            'reports itself.'))
        if record is not None:
            texts.append(tr('A question waits: {question}',
                            question=question_text(record, lesson.world)))
        return [line(each, BOLD if not number else '') for number, text in enumerate(texts)
                for each in wrapped(text, columns, 2)][:most]
    if view.words is not None or view.place is not None:
        return [line(each, BOLD) for each in wrapped(
            tr(SHOW_THE_PLACE) if view.words is None else tr(SAY_IT), columns, most)]
    text = lesson.status_text if record is None \
        else question_text(record, lesson.world)
    return [line(each, BOLD) for each in wrapped(text, columns, most)]


def given(view: View, columns: int) -> list[Line]:
    """Return the answer, the place or the words as far as they are given."""
    record, world = view.lesson.asked, view.lesson.world
    if view.words is not None:
        return [line(each) for each in wrapped(
            tr('You say: {words}_', words=view.words), columns)[-MAX_WORDS:]]
    if view.place is not None and world is not None:
        return [line(each) for each in wrapped(_pointed_place(view.place, world), columns, 2)]
    if record is None or world is None or view.driving:
        return []
    if view.number:
        return [line(tr('Your number: {typed}_', typed=view.number))]
    if view.options is not None and view.options.typed:
        return [line(tr('Your number: {typed}_', typed=view.options.typed))]
    if view.demonstrated is not None:
        done = view.demonstrated.actions
        names = ', '.join(world.appearance.action_names[action] for action in done)
        return [line(each) for each in wrapped(
            tr('You show {given} of {wanted}: {names}', given=len(done),
               wanted=record.question.steps, names=names), columns, 2)]
    if view.pointed is not None:
        action = world.appearance.action_names[dict(record.question.route)[view.pointed]]
        return [line(each) for each in wrapped(
            tr('Wrong {where}, where I would do "{action}"? Enter says so.',
               where=world.where(view.pointed), action=action), columns, 2)]
    return []


def _pointed_place(marks: PlaceMarks, world: World) -> str:
    if marks.typed:
        return tr('The place: {what}', what=f'{marks.typed}_')
    try:
        states = place_states(marks.place, world)
    except InvalidPlaceError as error:
        return tr('The place: {what}', what=error)
    what = world.state_name(int(states[0])) if len(states) == 1 \
        else tr('{cells}, {count} free cells', cells=marks.place.cells, count=len(states))
    return tr('The place: {what}', what=what)


def _warnings(view: View, columns: int) -> list[Line]:
    lesson, texts = view.lesson, []
    if lesson.nothing_fits_text:
        texts.append(f'{lesson.nothing_fits_text} ' + (
            tr('{undo} removes the last answer, {place} lets you point at a place.',
               undo=keys.UNDO, place=keys.PLACE) if lesson.can_show_places
            else tr('{undo} removes the last answer.', undo=keys.UNDO)))
    if lesson.belief is not None and lesson.belief.forecast is not None \
            and not lesson.belief.forecast.has_end:
        texts.append(f'{tr(HARDLY)} '
                     + tr('{key} ends the lesson as it is.', key=keys.ENOUGH))
    if lesson.asked is not None and not lesson.learner_lives:
        texts.append(tr('The learner is silent: is it running? Your answers are kept.'))
    if lesson.recorded is not None:
        texts.append(tr_count(len(lesson.recorded), 'RECORDING: {count} step; t sends',
                              'RECORDING: {count} steps; t sends'))
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
        note = [line(ellipsis('   ' + tr('{first} to {last} of {count}; ↓ ↑ show the others',
                                         first=first + 1, last=last, count=len(labels)),
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
    lines = [line(ellipsis(tr('Why I ask. What may be right:'), columns), FAINT)]
    for rival in record.rivals:
        opinion = _opinion(rival, view)
        lines += _hanging(f'{percent(rival.probability, ".0f"):>4} ',
                          f'{opinion} ({rival.name})' if opinion else rival.name, columns)
    return lines


def _opinion(rival: Rival, view: View) -> str:
    """Return what would be the answer if this task were meant."""
    record, world = view.lesson.asked, view.lesson.world
    if record is None or world is None:
        return ''
    question, names = record.question, world.appearance.action_names
    if question.kind is QuestionKind.REWARD:
        return figures(rival.reward, '.3g')
    if question.kind is QuestionKind.YES_NO:
        return tr('yes') if question.action in rival.actions else tr('no')
    if question.kind is QuestionKind.CONFIRM:
        return tr('yes') if rival.actions else tr('no')
    if question.kind in (QuestionKind.PLACE, QuestionKind.TASK, QuestionKind.COMPARE):
        return rival_text(rival) if rival.answer != rival.name else ''
    if len(rival.actions) == len(names):
        return tr('any direction is fine')
    return f' {tr("or")} '.join(names[action] for action in rival.actions if action < len(names))


def _robot(view: View, columns: int) -> list[Line]:
    execution = view.lesson.execution
    if execution is None:
        return []
    style = WARNING if execution.status is ExecutionStatus.LOST else ''
    return [line(each, style) for each in wrapped(
        tr('Robot: {status}: {text}', status=tr(STATUS_WORDS[execution.status]),
           text=execution_text(execution, tr('press {key}', key=keys.GO), view.lesson.world)),
        columns, 3)]


def _reliability(view: View, columns: int) -> list[Line]:
    belief = view.lesson.belief
    if belief is None or belief.answers < FEW_ANSWERS:
        return []
    return [line(each, FAINT) for each in wrapped(reliability_text(belief.error_rate), columns, 2)]


def _unexplained(view: View, columns: int) -> list[Line]:
    """Return the answers that no task explains, numbered as in the sentence that says so."""
    found = view.lesson.unexplained
    lines = [line(ellipsis(tr('What does not fit:'), columns), WARNING)] if found else []
    return lines + [line(ellipsis(f'  {place}. {_told(entry, view)}', columns))
                    for place, entry in found.items()][:MAX_REMEMBERED]


def _told(entry: HistoryEntry, view: View) -> str:
    world = view.lesson.world
    asked = question_text(entry.question, world) if entry.question is not None else \
        tr('a correction') if entry.correction else tr('shown unasked')
    return f'{said_text(entry, world)} ({asked})'


def _history(view: View, columns: int) -> list[Line]:
    history = view.lesson.history
    if history is None or not history.entries:
        return []
    lines = [line(ellipsis(tr('You said so far ({count}):', count=history.total), columns), FAINT)]
    for entry in history.entries[:-MAX_REMEMBERED - 1:-1]:
        lines.append(line(ellipsis(f'  {_told(entry, view)}', columns)))
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
        tr('on the way to the learner: {count}', count=waiting)
        if waiting and view.lesson.asked is None else '')
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
        tr('Keys that work now; any key goes back'), columns)]
    lines = [each for binding in bindings for each in _hanging(
        f'{binding.shown}{" " * (broad - width(binding.shown))}  ',
        binding.about or binding.label, columns)]
    if rows is not None and len(title) + len(lines) + 1 > rows:
        return [*title, *_keys(bindings, columns, '')]
    return [*title, *lines]
