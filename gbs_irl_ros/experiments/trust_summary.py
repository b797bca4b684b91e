"""The numbers of docs/trust.md: one record for each cell of the sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.experiments.curves import mean_and_halfwidth
from gbs_irl_ros.experiments.trust import TrustRow
from gbs_irl_ros.experiments.trust_lessons import WAYS

Z = 1.96                # of a 95 % confidence interval


class CellSummary(NamedTuple):
    """
    How the lessons of a cell ended.

    right, wrong, none, open: shares of all lessons.
    answers: mean; closing: of these to closing questions; more: than the paper's lessons take, the
        mean over pairs of lessons of the same number, with half the width of its interval.
    claimed: mean of lessons that ended right or wrong; kept: the share of these in which the claim
        was true, with its interval (Wilson). loss: their mean loss.
    """

    task: str
    missing: str
    error: float
    way: str
    lessons: int
    right: float
    wrong: float
    none: float
    open: float
    answers: float
    closing: float
    more: float
    more_ci: float
    claimed: float
    kept: float
    kept_low: float
    kept_high: float
    loss: float

    @property
    def wrong_interval(self) -> tuple[float, float]:
        """Return the 95 % confidence interval of the share that ended wrong."""
        return wilson(round(self.wrong * self.lessons), self.lessons)

    @property
    def keeps_its_word(self) -> bool:
        """Tell whether the claim is not above the share kept, within its interval."""
        return not self.claimed > self.kept_high


def summarised(rows: Iterable[TrustRow]) -> list[CellSummary]:
    """Return the cells in the order of the rows."""
    cells: dict[tuple[str, str, float, str], list[TrustRow]] = {}
    for row in rows:
        cells.setdefault((row.task, row.missing, row.error, row.way), []).append(row)
    return [_cell(found, cells[task, missing, error, 'paper'])
            for (task, missing, error, _), found in cells.items()]


def _cell(rows: Sequence[TrustRow], paper: Sequence[TrustRow]) -> CellSummary:
    first, count = rows[0], len(rows)
    ends = Counter(row.end for row in rows)
    stopped = [row for row in rows if row.end in ('right', 'wrong')]
    kept = sum(row.loss <= WAYS[first.way].loss for row in stopped)
    plain = {row.lesson: row.answers for row in paper}
    more = np.array([row.answers - plain[row.lesson] for row in rows], dtype=np.float64)
    mean, halfwidth = mean_and_halfwidth(more, np.zeros(count))
    return CellSummary(
        first.task, first.missing, first.error, first.way, count,
        right=ends['right'] / count, wrong=ends['wrong'] / count, none=ends['none'] / count,
        open=ends['open'] / count,
        answers=_mean([row.answers for row in rows]), closing=_mean([row.closing for row in rows]),
        more=float(mean), more_ci=float(halfwidth),
        claimed=_mean([row.claimed for row in stopped]), kept=kept / max(len(stopped), 1),
        kept_low=wilson(kept, len(stopped))[0], kept_high=wilson(kept, len(stopped))[1],
        loss=_mean([row.loss for row in stopped]))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share (Wilson 1927); all of it for none."""
    if total == 0:
        return 0.0, 1.0
    share, z2 = count / total, Z * Z
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    # By rounding, the interval of 0 or 1 might not hold it.
    return max(0.0, min(share, float(centre - half))), min(1.0, max(share, float(centre + half)))
