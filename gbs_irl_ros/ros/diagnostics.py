"""How a node is, for the tools that watch robots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import text

Level = DiagnosticStatus        # for its constants OK, WARN and ERROR


@dataclass(frozen=True)
class Health:
    """
    How a node is.

    level: of ``Level``. text: in a few words. values: what else is worth knowing.
    """

    level: bytes
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)


def health_to_msg(health: Health, name: str, stamp: int) -> DiagnosticArray:
    """Return a DiagnosticArray with one status."""
    message = DiagnosticArray()
    message.header.stamp = stamp_to_msg(stamp)
    message.status = [DiagnosticStatus(
        level=health.level, name=text('name', name), hardware_id='gbs_irl_ros',
        message=text('message', health.text),
        values=[KeyValue(key=text('key', key), value=text('value', str(value)))
                for key, value in health.values.items()])]
    return message
