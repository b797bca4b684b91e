"""What a lesson promised, against what its journal holds: nothing lost, doubled or altered."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.learning.events import Asked, Revised, Undone, event_from_json
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.tasks import Task


@dataclass
class Findings:
    """
    What is wrong with a lesson; nothing, if all counts are zero.

    acknowledged: answers that the learner said it has. compared: beliefs whose probabilities were
    compared. lost, doubled, altered: ids. unequal: numbers of answers after which a belief was not
    that of the journal, bit for bit.
    """

    acknowledged: int = 0
    compared: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    unequal: list[int] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Return whether nothing is wrong."""
        return not (self.lost or self.doubled or self.altered or self.unequal)

    def add(self, other: Findings) -> None:
        """Add those of another lesson."""
        self.acknowledged += other.acknowledged
        self.compared += other.compared
        self.lost += other.lost
        self.doubled += other.doubled
        self.altered += other.altered
        self.unequal += other.unequal

    def __str__(self) -> str:
        return (f'{len(self.lost)} lost, {len(self.doubled)} doubled, {len(self.altered)} '
                f'altered, {len(self.unequal)} of {self.compared} beliefs not bit-equal')


class Witness:
    """Listens to a learner's beliefs, and keeps what they promise."""

    def __init__(self, graph: Any, namespace: str = '') -> None:
        self._lock = threading.Lock()
        self._acknowledged: dict[str, None] = {}
        self._probabilities: dict[int, set[bytes]] = {}     # by the number of answers
        self.answers = 0
        self.question_id = ''
        topic = f'/{namespace}/{names.BELIEF}' if namespace else names.BELIEF
        self._subscription = graph.node.create_subscription(
            msg.Belief, topic, self._hear, qos.LATCHED)

    def _hear(self, belief: msg.Belief) -> None:
        if belief.status not in (msg.Belief.ASKING, msg.Belief.DONE, msg.Belief.PAUSED):
            return
        with self._lock:
            self._acknowledged.update(dict.fromkeys(belief.acknowledged))
            self._probabilities.setdefault(belief.answers, set()).add(
                bytes(belief.probabilities))
        self.answers, self.question_id = belief.answers, belief.question_id

    @property
    def acknowledged(self) -> int:
        """Return how many answers the learner has promised to keep."""
        with self._lock:
            return len(self._acknowledged)

    def compare(self, journal: Path, task: Task, parameters: LearnerParameters,
                said: dict[str, Answer] | None = None) -> Findings:
        """
        Compare what was promised with a journal.

        :param said: what the teacher first answered to each question, if that is known.
        """
        events = [event_from_json(entry) for entry in read_journal(journal)]
        assert not any(isinstance(event, (Undone, Revised)) for event in events)
        given = [event for event in events
                 if isinstance(event, (AnswerRecord, DemonstrationRecord))]
        asked = {event.id for event in events if isinstance(event, Asked)}
        kept = [record.id for record in given]
        with self._lock:
            found = Findings(len(self._acknowledged))
            found.lost = list(self._acknowledged.keys() - set(kept))
            heard = dict(self._probabilities)
        found.doubled = [known for known, times in Counter(kept).items() if times > 1]
        found.altered = [record.id for record in given
                         if (record.id not in asked and isinstance(record, AnswerRecord))
                         or (said is not None and said.get(record.id) != record.answer)]
        learner = parameters.make_learner(task)
        for number in range(len(given) + 1):
            if number:
                learner = learner.tell(given[number - 1].answer)
            right = learner.posterior.probabilities.tobytes()
            found.compared += len(heard.get(number, ()))
            found.unequal += [number for each in heard.get(number, ()) if each != right]
        found.unequal += [number for number in heard if number > len(given)]
        if learner.posterior.probabilities.tobytes() != parameters.make_learner(task).replay(
                [record.answer for record in given]).posterior.probabilities.tobytes():
            found.unequal.append(len(given))
        return found
