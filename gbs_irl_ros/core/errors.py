"""The errors that this package raises on purpose; each is also a built-in one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GbsIrlError(Exception):
    """Base of every error that this package raises on purpose."""


class InvalidMdpError(GbsIrlError, ValueError):
    """The arrays given do not describe an MDP."""


class InvalidRewardsError(GbsIrlError, ValueError):
    """The arrays given do not describe rewards for this MDP."""


class InvalidPolicyError(GbsIrlError, ValueError):
    """The arrays given do not describe a policy."""


class InvalidHypothesesError(GbsIrlError, ValueError):
    """The hypotheses do not fit together, or no answer could ever speak against one of them."""


class InvalidNoiseError(GbsIrlError, ValueError):
    """The figures given do not describe how a teacher errs."""


class InvalidQuestionError(GbsIrlError, ValueError):
    """The question is about something that does not exist."""


class InvalidOptionError(GbsIrlError, ValueError):
    """An option of a learner, a strategy or a stop rule has a value that it must not have."""


class InvalidAnswerError(GbsIrlError, ValueError):
    """The answer names something that does not exist, or does not fit its question."""


class ImpossibleAnswerError(GbsIrlError, ValueError):
    """No hypothesis allows the answer: believing it would leave nothing to believe."""


class InvalidWordsError(GbsIrlError, ValueError):
    """What a teacher says in words fits no task, or all of them."""


class InvalidPlaceError(GbsIrlError, ValueError):
    """The place that a teacher shows does not exist, or no task can be built from it."""


class InvalidRecordError(GbsIrlError, ValueError):
    """A record that travels between nodes contradicts itself."""


class NotConvergedError(GbsIrlError, RuntimeError):
    """An algorithm ended without the accuracy that was asked for."""


class VanishingValuesError(GbsIrlError, ValueError):
    """Values are too small for floating-point numbers, so actions cannot be compared."""


class PluginError(GbsIrlError, RuntimeError):
    """Something that was registered from outside cannot be used; says what it is called."""


class MissingPackageError(GbsIrlError, ImportError):
    """Something optional is used that is not installed."""


class UnknownNameError(GbsIrlError, KeyError):
    """A name is not in its table."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        super().__init__(what, name, sorted(known))     # pickled by these

    def __str__(self) -> str:
        what, name, known = self.args
        close = difflib.get_close_matches(str(name), known, n=1)
        hint = f' Did you mean {close[0]!r}?' if close else ''
        return f'unknown {what} {name!r}; known: {known}.{hint}'
