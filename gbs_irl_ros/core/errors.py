"""Every error this package raises on purpose; each is also a built-in one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GbsIrlError(Exception):
    """Base of all of them."""


class InvalidMdpError(GbsIrlError, ValueError):
    """The arrays given do not describe an MDP."""


class InvalidRewardsError(GbsIrlError, ValueError):
    """The arrays given do not describe rewards for this MDP."""


class InvalidHypothesesError(GbsIrlError, ValueError):
    """The hypotheses cannot be told apart by any answer, or do not fit together."""


class InvalidNoiseError(GbsIrlError, ValueError):
    """The noise model is not one."""


class InvalidQuestionError(GbsIrlError, ValueError):
    """The question is about something that does not exist."""


class InvalidOptionError(GbsIrlError, ValueError):
    """An option of a learner, a strategy or a stop rule has a value that it must not have."""


class NotReadyError(GbsIrlError, RuntimeError):
    """What is asked for needs something that is not there yet."""


class InvalidAnswerError(GbsIrlError, ValueError):
    """The answer names something that does not exist, or does not fit its question."""


class ImpossibleAnswerError(GbsIrlError, ValueError):
    """No hypothesis allows the answer: believing it would leave nothing to believe."""


class InvalidRecordError(GbsIrlError, ValueError):
    """A record that travels between nodes contradicts itself."""


class NotConvergedError(GbsIrlError, RuntimeError):
    """An algorithm ended without the accuracy that was asked for."""


class VanishingValuesError(GbsIrlError, ValueError):
    """Values are too small for floating-point numbers, so actions cannot be compared."""


class UnknownNameError(GbsIrlError, KeyError):
    """A name is in no table."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        super().__init__(what, name, sorted(known))     # pickled by these

    def __str__(self) -> str:
        what, name, known = self.args
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f' Did you mean {close[0]!r}?' if close else ''
        return f'unknown {what} {name!r}; known: {known}.{hint}'
