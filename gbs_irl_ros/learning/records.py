"""What the parts of a lesson tell each other: questions, answers, beliefs, and their identity."""

from __future__ import annotations

import hashlib
import hmac
import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.answers import Answer, Unasked
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.named_enum import NamedEnum
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.invention import Invention
from gbs_irl_ros.tasks.shown_place import Place

PROBABILITY_SLACK = 1e-6
NOT_ESTIMATED = -1.0        # an error rate that is given, not learned


@dataclass(frozen=True)
class Rival:
    """
    A task that may be meant, and what it would do where a question is asked.

    answer: what it would say to the question; '': the actions or the reward say so.
    """

    name: str
    probability: float
    actions: tuple[int, ...]
    reward: float
    answer: str = ''

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise InvalidRecordError(f'probability must be in [0, 1], got {self.probability}')
        if not math.isfinite(self.reward):
            raise InvalidRecordError(f'reward must be finite, got {self.reward}')


@dataclass(frozen=True)
class QuestionRecord:
    """
    A question on its way to the teacher.

    id: unique; the same question asked again has the same.
    number: 0 for the first of a session.
    sentence: as a person reads it.
    rivals: the tasks it would tell apart, most probable first.
    """

    id: str
    session: str
    number: int
    question: Question
    sentence: str = ''
    rivals: tuple[Rival, ...] = ()

    def __post_init__(self) -> None:
        _check_text('id', self.id)
        _check_text('session', self.session)


class _Identified:
    id: str

    def __post_init__(self) -> None:
        _check_text('id', self.id)


@dataclass(frozen=True)
class AnswerRecord(_Identified):
    """
    An answer on its way to the learner.

    id: of the question it answers.
    by: node or person.
    stamp: nanoseconds since 1970.
    """

    id: str
    answer: Answer
    by: str = ''
    stamp: int = 0


@dataclass(frozen=True)
class DemonstrationRecord(_Identified):
    """
    What was shown or said unasked.

    correction: the robot was about to do something else.
    """

    id: str
    answer: Unasked
    by: str = ''
    correction: bool = False
    stamp: int = 0


@dataclass(frozen=True)
class PlaceRecord(_Identified):
    """A place that the teacher shows on the map, from which tasks are built."""

    id: str
    place: Place
    by: str = ''
    stamp: int = 0


@dataclass(frozen=True)
class InventionRecord(_Identified):
    """Tasks that the learner thought of itself, as the teacher had asked for."""

    id: str
    invention: Invention
    by: str = ''
    stamp: int = 0


@dataclass(frozen=True)
class HistoryEntry:
    """
    One thing that the teacher said or showed, and that counts.

    question: None if it was shown unasked.
    said: the answer as a person says it.
    """

    answer: AnswerRecord | PlaceRecord | InventionRecord
    question: QuestionRecord | None = None
    correction: bool = False
    said: str = ''


@dataclass(frozen=True)
class HistoryRecord:
    """
    What the teacher has said so far.

    total: how many entries count in all; those here are the last of them.
    """

    session: str
    sequence: int
    total: int
    entries: tuple[HistoryEntry, ...]
    stamp: int = 0

    def __post_init__(self) -> None:
        _check_text('session', self.session)
        if self.total < len(self.entries):
            raise InvalidRecordError(
                f'total must be at least the {len(self.entries)} entries, got {self.total}')


@dataclass(frozen=True, eq=False)
class PolicyRecord:
    """
    A policy in force.

    sequence: rises with every policy and belief of a session.
    final: the learner has no further question.
    """

    session: str
    sequence: int
    task_hash: str
    policy: Policy
    final: bool = False
    stamp: int = 0

    def __post_init__(self) -> None:
        _check_text('session', self.session)
        _check_text('task_hash', self.task_hash)

    @cached_property
    def checksum(self) -> str:
        """Return a SHA-256 over all that a robot obeys."""
        digest = hashlib.sha256()
        digest.update(
            f'{self.session};{self.sequence};{self.task_hash};{bool(self.final)};'.encode())
        policy = self.policy
        arrays = [(policy.action_sets, '<u8'), (policy.confidence, '<f8'),
                  (policy.goal_states, '<u4'), (policy.never, '<u4')]
        for values, dtype in arrays if len(policy.never) else arrays[:-1]:     # as it ever was
            digest.update(f'{len(values)};'.encode())
            digest.update(np.ascontiguousarray(values, dtype=dtype).tobytes())
        return digest.hexdigest()


AS_GOOD = (DoneReason.LOSES_NOTHING, DoneReason.VALUE_AT_RISK)     # with probability reason_value


class Status(NamedEnum):
    """What a learner is doing."""

    WAITING = 'waiting'     # for the task
    ASKING = 'asking'       # a question is with the teacher
    PAUSED = 'paused'       # by request
    DONE = 'done'           # it knows enough
    FAILED = 'failed'       # it cannot continue
    STUCK = 'stuck'         # no question is left, and no listed task explains the answers


@dataclass(frozen=True, eq=False)
class BeliefRecord:
    """
    What a learner thinks, and which answers it has for certain.

    probabilities: ``[H]``, if one of the listed tasks is meant, summing to 1; none before the task
        is known.
    none_of_these: probability that none of them is meant.
    map_probability: of the most probable policy; counts ``none_of_these``.
    entropy: of the policies and "none of these" [bit].
    forecast: how many more answers it takes, None if not known.
    acknowledged: ids of the last answers and demonstrations that are safely on disk.
    certificate: what is guaranteed about the error, or why nothing is.
    claim: what the stop rule promises when the lesson is done, for a person to read.
    status_text: for a person to read; ``status`` and ``reason`` are for programs.
    reason_value: what the condition of the stop rule was reached with; 0 for other reasons.
    error_rate: estimated chance that an answer is wrong; -1: it is not estimated.
    unexplained: ids of answers that the most probable task contradicts, if nothing fits.
    places: that were shown, or invented; the tasks which they add come behind those of the task.
    """

    session: str
    sequence: int
    task_hash: str
    status: Status
    status_text: str
    probabilities: np.ndarray
    map_hypothesis: int
    map_probability: float
    entropy: float
    answers: int
    forecast: Forecast | None = None
    question_id: str = ''
    acknowledged: tuple[str, ...] = ()
    certificate: str = ''
    stamp: int = 0
    reason: DoneReason = DoneReason.NO_REASON
    reason_value: float = 0.0
    none_of_these: float = 0.0
    error_rate: float = NOT_ESTIMATED
    unexplained: tuple[str, ...] = ()
    places: tuple[Step, ...] = ()
    claim: str = ''

    def __post_init__(self) -> None:
        _check_text('session', self.session)
        values = np.array(self.probabilities, dtype=np.float64)
        if len(values) and not (np.all(values >= 0.0)
                                and abs(values.sum() - 1.0) <= PROBABILITY_SLACK):
            raise InvalidRecordError(
                f'probabilities must not be negative and sum to 1, got a sum of {values.sum()}')
        if not 0 <= self.map_hypothesis < max(len(values), 1):
            raise InvalidRecordError(
                f'map_hypothesis must be in 0 .. {len(values) - 1}, got {self.map_hypothesis}')
        if not 0.0 <= self.map_probability <= 1.0 + PROBABILITY_SLACK:
            raise InvalidRecordError(
                f'map_probability must be in [0, 1], got {self.map_probability}')
        if not 0.0 <= self.none_of_these <= 1.0:
            raise InvalidRecordError(f'none_of_these must be in [0, 1], got {self.none_of_these}')
        if self.error_rate != NOT_ESTIMATED and not 0.0 <= self.error_rate <= 1.0:
            raise InvalidRecordError(
                f'error_rate must be in [0, 1], or {NOT_ESTIMATED:g} if it is not estimated, '
                f'got {self.error_rate}')
        if not (math.isfinite(self.entropy) and self.entropy >= 0.0):
            raise InvalidRecordError(f'entropy must not be negative, got {self.entropy}')
        if not math.isfinite(self.reason_value):
            raise InvalidRecordError(f'reason_value must be finite, got {self.reason_value}')
        values.setflags(write=False)
        object.__setattr__(self, 'probabilities', values)

    @property
    def sure(self) -> float:
        """Return the probability that the policy is what is meant, or does as well."""
        return self.reason_value if self.reason in AS_GOOD else self.map_probability


@dataclass(frozen=True)
class HeartbeatRecord:
    """
    A sign of life, which also says which policy is in force.

    sequence, checksum: of that policy; 0 and '' if there is none yet.
    count: beats so far.
    signature: by a key that learner and controller share, '' without one.
    """

    session: str
    sequence: int
    count: int
    stamp: int = 0
    checksum: str = ''
    signature: str = ''

    def __post_init__(self) -> None:
        _check_text('session', self.session)

    def signed(self, key: bytes, challenge: str) -> HeartbeatRecord:
        """
        Return it with its signature; a policy is covered by its checksum.

        :param challenge: of the controller that is to believe it.
        """
        return replace(self, signature=self._signature(key, challenge))

    def is_signed_by(self, key: bytes, challenge: str) -> bool:
        """Return whether somebody who knows the key has sent it, in reply to this challenge."""
        return hmac.compare_digest(
            self._signature(key, challenge).encode(), self.signature.encode())

    def _signature(self, key: bytes, challenge: str) -> str:
        texts = ''.join(f'{len(each)};{each};' for each in (challenge, self.session))
        signed = f'{texts}{self.sequence};{self.count};{self.checksum}'
        return hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()


def _check_text(name: str, value: str) -> None:
    if not value:
        raise InvalidRecordError(f'{name} must not be empty')
