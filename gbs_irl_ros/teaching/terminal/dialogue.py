"""A conversation in a terminal: keys in, a screen out; or lines, where nothing can be drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.screen import draw, given
from gbs_irl_ros.teaching.terminal.styled_text import ansi, line, plain
from gbs_irl_ros.teaching.terminal.terminal import HANGUP, Terminal
from gbs_irl_ros.teaching.terminal.view import View

LOOK_EVERY_S = 0.1      # how often what moves is drawn again
LOOK_AT_REST_S = 0.3    # how often it is looked whether something has begun to move
COLUMNS = 79
# [WARN] [1712345678.901234567] [robot.teleop]: text
LOGGED = re.compile(r'^\[(\w+)\] \[[\d.]+\] \[[^\]]*\]: ')
RULE = '-' * COLUMNS


def look(terminal: Terminal, conversation: Conversation, plain_screen: PlainScreen,
         lesson: Callable[[], LessonSnapshot], wait_s: float = LOOK_EVERY_S) -> float:
    """
    Wait a moment for keys, do what they mean, and show what is going on.

    Return how long to wait next time.
    """
    keys = terminal.read(wait_s)
    for key in keys:
        if key == HANGUP:
            conversation.is_over = True
            return wait_s
        conversation.see(lesson().spoken())
        conversation.press(key)
    logged, now = terminal.logged, lesson().spoken()
    if not keys and not logged and not terminal.is_woken and now.is_like(conversation.lesson):
        return LOOK_AT_REST_S
    if logged:
        conversation.say(headline(logged))
    conversation.see(now)
    view = conversation.view()
    if terminal.is_full:
        terminal.show([ansi(line, styled=terminal.is_styled)
                       for line in draw(view, *terminal.size)])
    else:
        terminal.write_lines(plain_screen.news(view))
    return LOOK_EVERY_S


def converse(conversation: Conversation, lesson: Callable[[], LessonSnapshot],
             read: Callable[[str], str], write: Callable[[str], None]) -> None:
    """
    Take lines, where there is no keyboard, until nothing is asked any more or the person quits.

    :param read: shows a prompt and returns a line; raises EOFError at the end of all lines.
    """
    plain_screen = PlainScreen()
    while True:
        conversation.see(lesson().spoken())
        for each in plain_screen.news(conversation.view()):
            write(each)
        if conversation.is_over or is_done(lesson()):
            return
        try:
            conversation.enter(read('> '))
        except EOFError:
            return


def is_done(lesson: LessonSnapshot) -> bool:
    """Return whether the learner asks nothing more."""
    return lesson.belief is not None and lesson.belief.status is Status.DONE


def headline(lines: Sequence[str]) -> str:
    """Return the first line that begins as a logger's, or else the last: of an exception."""
    for each in lines:
        if LOGGED.match(each):
            return LOGGED.sub(r'\1: ', each)
    return lines[-1] if lines else ''


class PlainScreen:
    """
    A screen for a terminal that cannot draw: what is new is written below what is there.

    It remembers what was written, so that nothing is written twice.
    """

    def __init__(self) -> None:
        self._whole: object = None
        self._small: object = None

    def news(self, view: View) -> list[str]:
        """Return the lines to write now: everything after a change of the subject."""
        lesson = view.lesson
        asked = lesson.asked
        subject = (lesson.status_text if asked is None else asked.id, lesson.learner_lives,
                   view.helping, view.driving, _course(view.rehearsal), view.place is None,
                   view.words is None)
        detail = (view.message, view.number, _course(view.demonstrated), view.pointed,
                  lesson.recorded, view.place, view.words, view.options)
        lines: list[str] = []
        if subject != self._whole:
            lines = [RULE, *(plain(each).rstrip() for each in draw(view, COLUMNS))]
        elif detail != self._small:
            lines = [*(plain(each) for each in given(view, COLUMNS)),
                     *([plain(line(view.message))] if view.message else [])]
        self._whole, self._small = subject, detail
        return lines


def _course(course: object) -> object:
    return getattr(course, 'states', None)
