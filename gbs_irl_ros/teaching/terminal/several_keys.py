"""The keys that say "each of these is fine": mark the actions one after the other, then Enter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.terminal.bindings import Binding, meant_by
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER

BETWEEN = re.compile(
    r'\s*,\s*(?:(?:or|and|oder|und)\s+)?|\s+(?:or|and|oder|und)\s+', re.IGNORECASE)
BEGIN = marked('mark each direction that is fine, then Enter')


class SeveralKeys:
    """
    Follows a person who marks several actions.

    marked: the actions so far, in this order; None: nothing is being marked.
    """

    def __init__(self, tell: Callable[[Sequence[int]], str]) -> None:
        """
        Begin.

        :param tell: says that each of these actions is right; returns what to say then.
        """
        self._tell = tell
        self.marked: list[int] | None = None

    def forget(self) -> None:
        """Mark nothing more."""
        self.marked = None

    def bindings(self, actions: Sequence[Binding],
                 answers: dict[str, ActionAnswer]) -> list[Binding]:
        """
        Return the keys that work.

        :param actions: the keys of all actions that can be chosen; answers: theirs, by label.
        """
        if self.marked is None:
            return [*actions, Binding((keys.SEVERAL,), tr('several'), self._begin,
                                      tr('several are fine: {how}', how=tr(BEGIN)))] \
                if len(actions) > 1 else list(actions)
        names = {answers[each.label].action: each.label for each in actions}
        marking = [replace(each, run=partial(self._mark, answers[each.label].action, names))
                   for each in actions]
        return [*marking,
                Binding((ENTER,), tr('send'), self._send, tr('send what is marked')),
                Binding((BACKSPACE,), tr('back'), partial(self._rub_out, names),
                        tr('take the last mark back, or mark nothing'))]

    def spoken(self, line: str, actions: Sequence[Binding],
               answers: dict[str, ActionAnswer]) -> str | None:
        """Take a line such as "north or east"; None if it is something else."""
        words = BETWEEN.split(line.strip())
        meant = [meant_by(word, actions) for word in words]
        if len(words) < 2 or None in meant:
            return None
        self.marked = list(dict.fromkeys(answers[each.label].action for each in meant if each))
        return self._send()

    def _begin(self) -> str:
        self.marked = []
        return tr(BEGIN)

    def _mark(self, action: int, names: dict[int, str]) -> str:
        assert self.marked is not None
        if action in self.marked:
            self.marked.remove(action)
        else:
            self.marked.append(action)
        return self._so_far(names)

    def _rub_out(self, names: dict[int, str]) -> str:
        if not self.marked:
            self.marked = None
            return ''
        self.marked.pop()
        return self._so_far(names)

    def _so_far(self, names: dict[int, str]) -> str:
        assert self.marked is not None
        if not self.marked:
            return tr(BEGIN)
        marked_so_far = f' {tr("or")} '.join(names[each] for each in self.marked)
        return tr('fine: {actions}; Enter sends', actions=marked_so_far)

    def _send(self) -> str:
        marked = self.marked or []
        if not marked:
            raise GbsIrlError(tr('nothing is marked yet: {how}', how=tr(BEGIN)))
        return self._tell(marked)
