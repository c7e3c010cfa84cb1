"""The metrics of lists, and their bootstrap intervals."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_array

NAMES = ["ndcg@10", "ndcg@100", "recall@100"]
LENGTH = 100
SAMPLES = 2000
SEED = 20
# Scores are computed for this many users at once, so memory does not grow with the number of users.
BATCH = 256

# Maps rows of users to one row of scores each.
Scorer = Callable[[np.ndarray], np.ndarray]


def lists(scorer: Scorer, users: np.ndarray, seen: csr_array, popularity: np.ndarray) -> list[np.ndarray]:
    """Returns the items with the highest scores for each user, without the items that the user has seen.

    The more popular of two items with equal scores comes first. If all scores of a user are equal, the list
    contains the most popular items.
    """
    by_popularity = np.argsort(-popularity, kind="stable")
    found = []
    for start in range(0, len(users), BATCH):
        batch = users[start : start + BATCH]
        scores = np.array(scorer(batch), dtype=np.float64)
        for user, own in zip(batch, scores, strict=True):
            own[seen.indices[seen.indptr[user] : seen.indptr[user + 1]]] = -np.inf
            found.append(_top(own[by_popularity], by_popularity))
    return found


def _top(scores: np.ndarray, items: np.ndarray) -> np.ndarray:
    length = min(LENGTH, int(np.isfinite(scores).sum()))
    if length == 0:
        return items[:0]
    least = -np.partition(-scores, length - 1)[length - 1]
    best = np.flatnonzero(scores >= least)
    return items[best[np.argsort(-scores[best], kind="stable")][:length]]


def measured(lists: Sequence[np.ndarray], relevant: Sequence[np.ndarray]) -> np.ndarray:
    """Returns one row per user, with the metrics in NAMES."""
    discounts = 1 / np.log2(np.arange(LENGTH) + 2)
    rows = []
    for found, wanted in zip(lists, relevant, strict=True):
        hits = np.isin(found, wanted)
        row = []
        for length in (10, 100):
            gain = discounts[: min(length, len(found))][hits[:length]].sum()
            row.append(gain / discounts[: min(length, len(wanted))].sum())
        rows.append([*row, hits.sum() / len(wanted)])
    return np.array(rows)


class Bootstrap:
    """Samples of users. All methods use the same samples, so differences between methods are paired."""

    def __init__(self, users: int) -> None:
        counts = np.random.default_rng(SEED).multinomial(users, np.full(users, 1 / users), size=SAMPLES)
        self.weights = counts / users

    def interval(self, values: np.ndarray) -> tuple[float, float]:
        """Returns the 95% interval of the mean."""
        low, high = np.percentile(self.weights @ values, [2.5, 97.5])
        return float(low), float(high)
