"""What a node logs: no name, id or error text in it can play tricks on a terminal."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from rclpy.impl import rcutils_logger
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import LoggingSeverity

from gbs_irl_ros.core.printable import printable

# rclpy tells calls of a logger apart by the line they come from: not by the one below.
rcutils_logger._internal_callers.append(os.path.realpath(__file__))
LOGGERS = (__file__, rcutils_logger.__file__)


class ReadableLogger(rcutils_logger.RcutilsLogger):
    """A logger of rclpy whose lines are printable, and not longer than anybody reads."""

    def log(self, message: str, severity: Any, **options: Any) -> bool:
        """
        Log a message, control characters made visible; as rclpy's otherwise.

        To find out who logs, rclpy looks for the source of each caller among all modules that are
        imported. That takes 20 ms of every process at its first line, and more than the rest of
        the logging afterwards. Without options, where nothing has to be remembered about the
        caller, it is enough to look at its frame.
        """
        text = printable(message)
        if options:
            return bool(super().log(text, severity, **options))
        if not self.is_enabled_for(severity):
            return False
        caller = _caller(sys._getframe(1))
        rclpy_implementation.rclpy_logging_rcutils_log(
            LoggingSeverity(severity), self.name, text,
            caller.f_code.co_name, caller.f_code.co_filename, caller.f_lineno)
        return True


def _caller(frame: FrameType) -> FrameType:
    """Return the first frame that is not one of a logger."""
    while frame.f_code.co_filename in LOGGERS and frame.f_back is not None:
        frame = frame.f_back
    return frame
