"""Enumerations whose members are known by name."""

from __future__ import annotations

import re
from enum import Enum
from typing import NoReturn

from gbs_irl_ros.core.errors import UnknownNameError


class NamedEnum(Enum):
    """An enumeration that lists its names when it is given an unknown one."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        what = re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', cls.__name__).lower()
        raise UnknownNameError(what, value, [member.value for member in cls])
