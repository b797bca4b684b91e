"""The keys that work, and which of them a key or a typed word means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.teaching.terminal.key_reader import shown_key


@dataclass(frozen=True)
class Binding:
    """
    A key that works now, or several for the same.

    label: what it does, in a word or two; '' if it need not be shown.
    about: the same as a sentence, for the help. name: of the keys, if not as they are.
    action: that it names, None if none. listed: it stands in a list, and not among the keys.
    """

    keys: tuple[str, ...]
    label: str
    run: Callable[[], str]
    about: str = ''
    name: str = ''
    action: int | None = None
    listed: bool = False

    @property
    def shown(self) -> str:
        """Return the keys as a person reads them."""
        return self.name or ' '.join(shown_key(key) for key in self.keys)


def bound_to(key: str, bindings: Sequence[Binding]) -> Binding | None:
    """Return what a key does, whether or not Shift or Caps Lock is pressed with it."""
    exact = (each for each in bindings if key in each.keys)
    alike = (each for each in bindings if key.lower() in [one.lower() for one in each.keys])
    return next(exact, None) or next(alike, None)


def meant_by(word: str, bindings: Sequence[Binding],
             action_keys: Sequence[str] = ()) -> Binding | None:
    """
    Return what a typed word means: a key, a name, or the beginning of one name only.

    :param action_keys: the task's own names of the actions' keys, which may be typed, too.
    """
    found = bound_to(word, bindings) if len(word) == 1 else None
    for names in ([each.label for each in bindings],
                  [action_keys[each.action] if each.action is not None and action_keys else ''
                   for each in bindings]):
        for each, name in zip(bindings, names, strict=True):
            found = found or (each if name and name.lower() == word.lower() else None)
    begun = [each for each in bindings if word and each.label.lower().startswith(word.lower())]
    return found or (begun[0] if len(begun) == 1 else None)


def not_understood(word: str, bindings: Sequence[Binding]) -> GbsIrlError:
    """Return the error that lists what could have been typed."""
    offered = [each.keys[-1] if each.keys else each.name or each.label
               for each in bindings if each.label]
    return GbsIrlError(tr('not understood, got {word!r}; expected one of {offered}', word=word,
                          offered=offered))
