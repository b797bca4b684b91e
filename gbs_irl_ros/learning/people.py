"""The people who teach: what is known of each before a lesson, and after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.person import Profile, load_profile, person_file, save_profile
from gbs_irl_ros.learning.records import Status


class People:
    """The files of the people who teach; a damaged one is told, and neither used nor changed."""

    def __init__(self, folder: Path, warn: Callable[[str], object]) -> None:
        """
        Open nothing yet.

        :param folder: that of the lessons.
        :param warn: called with a sentence about what is wrong.
        """
        self._folder, self._warn = folder, warn

    def known(self, name: str) -> Profile | None:
        """Return what is known of a person; None for nobody in particular ('')."""
        if not name:
            return None
        try:
            return load_profile(person_file(self._folder, name), name)
        except InvalidRecordError as error:
            self._warn(f'{error}; the lesson begins as with somebody unknown. Restore the file or '
                       'delete it')
            return Profile(name)

    def remember(self, lesson: Lesson, stamp: int) -> None:
        """Keep how the person of a lesson has answered, if it is over; twice changes nothing."""
        name = lesson.standing.past.person
        if not name or lesson.status is not Status.DONE:
            return
        path = person_file(self._folder, name)
        try:
            before = load_profile(path, name)
            after = before.with_lesson(lesson.session, lesson.learner, stamp,
                                       lesson.standing.past.times.pace)
            if (after.answers, after.times) != (before.answers, before.times):
                save_profile(after, path)
        except GbsIrlError as error:
            self._warn(f'nothing is remembered of {name!r}: {error}')
