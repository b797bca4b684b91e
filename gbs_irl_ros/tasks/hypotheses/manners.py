"""Names for rewards that are given by weights, in words that a person understands."""

from __future__ import annotations

from collections.abc import Iterable

STRONG, WEAK = 0.5, 0.05        # of the largest weight: from here on avoided, minded at all
AVOIDS, DISLIKES, LIKES = 'avoids', 'dislikes', 'likes'


def manner(weights: Iterable[tuple[str, float]]) -> str:
    """
    Return what somebody with these weights is like: "avoids crashes, dislikes the shoulder".

    What counts is how large a weight is beside the largest one: half of it or more is avoided, a
    twentieth or more disliked, and what counts for less is not minded and not named. So rewards
    whose weights differ little share a name.

    :param weights: what is weighed, as a person calls it, and how much.
    """
    given = list(weights)
    largest = max((abs(weight) for _, weight in given), default=0.0)
    groups: dict[str, list[str]] = {AVOIDS: [], DISLIKES: [], LIKES: []}
    for name, weight in given:
        share = weight / largest if largest else 0.0
        if share >= WEAK:
            groups[LIKES].append(name)
        elif share <= -STRONG:
            groups[AVOIDS].append(name)
        elif share <= -WEAK:
            groups[DISLIKES].append(name)
    return ', '.join(f'{verb} ' + ' and '.join(names) for verb, names in groups.items() if names) \
        or 'minds nothing'
