"""The numbers of docs/comparison.md: means for each method and budget, and paired differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.experiments.comparison import ComparisonRow
from gbs_irl_ros.experiments.curves import mean_and_halfwidth
from gbs_irl_ros.experiments.significance import compare_pairs

MEASURES = ('accuracy', 'loss', 'held_out')
REFERENCE = 'gbs'
BUDGETS = {'presses': (20, 100), 'visits': (1, 5, 10)}      # at which methods are compared
NEAR = 1        # key presses by which a budget may be missed: demonstrations are of three steps


class ComparisonCell(NamedTuple):
    """Means over trials, each with half the width of its 95 % confidence interval (Student)."""

    domain: str
    method: str
    visits: int
    presses: int
    trials: int
    accuracy: float
    accuracy_ci: float
    loss: float
    loss_ci: float
    held_out: float
    held_out_ci: float

    def is_at(self, unit: str, budget: int) -> bool:
        """Tell whether this is what a budget buys."""
        return abs(getattr(self, unit) - budget) <= (NEAR if unit == 'presses' else 0)


class Difference(NamedTuple):
    """
    GBS-IRL minus another method in the same trials, at one budget.

    low, high: the 95 % interval of the mean (Student). p: of the sign-flip test; p_holm: corrected
    for all methods at that budget in that domain.
    """

    domain: str
    method: str
    unit: str
    budget: int
    measure: str
    trials: int
    mean: float
    low: float
    high: float
    p: float
    p_holm: float


def comparison_cells(rows: Iterable[ComparisonRow]) -> list[ComparisonCell]:
    """Return the cells in the order of the rows."""
    found: dict[tuple[str, str, int, int], list[ComparisonRow]] = {}
    for row in rows:
        found.setdefault((row.domain, row.method, row.visits, row.presses), []).append(row)
    cells = []
    for key, same in found.items():
        numbers: list[float] = []
        for measure in MEASURES:
            values = np.array([getattr(row, measure) for row in same])
            mean, halfwidth = mean_and_halfwidth(values, np.zeros(len(values)))
            numbers += [float(mean), float(halfwidth)]
        cells.append(ComparisonCell(*key, len(same), *numbers))
    return cells


def comparison_differences(rows: Sequence[ComparisonRow], cells: Sequence[ComparisonCell]
                           ) -> list[Difference]:
    """Return GBS-IRL against every other method, wherever both have the same budget."""
    values = {(row.domain, row.method, row.visits, row.trial): row for row in rows}
    found: list[Difference] = []
    for domain in dict.fromkeys(cell.domain for cell in cells):
        trials = sorted({row.trial for row in rows if row.domain == domain})
        for unit, budgets in BUDGETS.items():
            for budget in budgets:
                at = {cell.method: cell.visits for cell in cells
                      if cell.domain == domain and cell.is_at(unit, budget)}
                others = [method for method in at if method != REFERENCE and REFERENCE in at]
                for measure in MEASURES:
                    gaps = [np.array([
                        getattr(values[domain, REFERENCE, at[REFERENCE], trial], measure)
                        - getattr(values[domain, method, at[method], trial], measure)
                        for trial in trials]) for method in others]
                    found += [Difference(domain, method, unit, budget, measure, len(trials), *each)
                              for method, each in zip(others, compare_pairs(gaps), strict=True)]
    return found
