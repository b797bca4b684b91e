"""What a node logs: no name, id or error text in it can play tricks on a terminal."""

from __future__ import annotations

import os
from typing import Any

from rclpy.impl import rcutils_logger

from gbs_irl_ros.core.printable import printable

# rclpy tells calls of a logger apart by the line they come from: not by the one below.
rcutils_logger._internal_callers.append(os.path.realpath(__file__))


class ReadableLogger(rcutils_logger.RcutilsLogger):
    """A logger of rclpy whose lines are printable, and not longer than anybody reads."""

    def log(self, message: str, severity: Any, **options: Any) -> bool:
        """Log a message, control characters made visible; as rclpy's otherwise."""
        return bool(super().log(printable(message), severity, **options))
