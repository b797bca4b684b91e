"""Enumerations whose members are known by name, and all of whose members are dealt with."""

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


def no_other_case(value: NoReturn) -> NoReturn:
    """Have the type checker find a member that was forgotten (typing.assert_never of 3.11)."""
    raise AssertionError(f'there is no case for {value!r}')
