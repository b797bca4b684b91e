"""Demonstrations on their way to the learner: sent again until it has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gbs_irl_ros import msg
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.records import DemonstrationRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.teaching.teacher_actions import ServiceError

SEND_AGAIN_S = 2.0
MAX_WAITING = 100
MAX_TRIES = 30     # then the learner does not want it, and has said why


@dataclass
class _Sent:
    """A demonstration that the learner has not acknowledged yet."""

    message: msg.Demonstration
    tries: int = 0


class DemonstrationSender:
    """
    Publishes demonstration (Demonstration): a learner that is just starting would miss one.

    The learner takes each id once, so sending again does no harm.
    """

    def __init__(self, node: BaseNode) -> None:
        self._node, self._logger = node, node.get_logger()
        self._sent: dict[str, _Sent] = {}
        self._publisher = node.create_publisher(
            msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
        self._timer = node.every(SEND_AGAIN_S, self._send_again)

    @property
    def num_kept(self) -> int:
        """Return how many demonstrations wait for an acknowledgement."""
        return len(self._sent)

    def send(self, record: DemonstrationRecord) -> None:
        """Send a demonstration; the same one again changes nothing."""
        if record.id not in self._sent:
            if len(self._sent) >= MAX_WAITING:
                raise ServiceError(tr('{count} demonstrations wait for the learner already; is it '
                                      'running?', count=MAX_WAITING))
            sent = _Sent(conversions.demonstration_to_msg(record))      # may raise: not kept then
            with self._node.exclusive():        # not while the timer finds nothing to send
                self._sent[record.id] = sent
                self._publish(sent)
                self._node.resume(self._timer)

    def acknowledge(self, ids: Iterable[str]) -> None:
        """Forget what the learner has."""
        for known in ids:
            self._sent.pop(known, None)

    def _send_again(self) -> None:
        if not self._sent:
            self._timer.cancel()
        for known_as, sent in list(self._sent.items()):
            if sent.tries >= MAX_TRIES:
                self._sent.pop(known_as, None)
                self._logger.error(
                    f'the learner has not taken the demonstration {known_as}'
                    f'{f" of {len(steps)} steps" if (steps := sent.message.steps) else ""}; its '
                    'log says why')
            else:
                self._publish(sent)

    def _publish(self, sent: _Sent) -> None:
        sent.tries += 1
        self._publisher.publish(sent.message)
