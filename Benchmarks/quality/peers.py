"""The peers: other recommenders, which learn from the same likes as Nightjar.

A peer maps the learning part and its settings to scores. `choose` selects its settings on an inner cut within the
learning part, as Nightjar's `fit` does, so no peer sees the later likes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import scipy.linalg
from implicit.als import AlternatingLeastSquares
from implicit.bpr import BayesianPersonalizedRanking
from implicit.cpu.matrix_factorization_base import MatrixFactorizationBase
from lightfm import LightFM
from scipy.sparse import csr_array, csr_matrix

from metrics import Scorer, lists, measured
from split import Learning, inner_split

SEED = 42
DAY = 86_400


@dataclass(frozen=True)
class Peer:
    name: str
    fit: Callable[..., Scorer]
    # The values to try for each setting.
    grid: dict[str, list] = field(default_factory=dict)
    # The largest numbers of users and items. With more, the peer needs too much time or memory.
    most_users: int = 10**9
    most_items: int = 10**9

    def settings(self) -> list[dict]:
        return [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]


def popularity(learning: Learning) -> np.ndarray:
    """Returns the number of users who like each item."""
    return np.bincount(learning.likes.item, minlength=learning.items).astype(np.float64)


def trend(learning: Learning, days: float) -> np.ndarray:
    """Returns the same as `popularity`, but a like loses half of its weight within `days`."""
    likes = learning.likes
    ages = (learning.interactions.at.max() - likes.at) / DAY
    return np.bincount(likes.item, weights=0.5 ** (ages / days), minlength=learning.items)


def popular(learning: Learning) -> Scorer:
    scores = popularity(learning)
    return lambda users: np.tile(scores, (len(users), 1))


def trending(learning: Learning, days: float) -> Scorer:
    scores = trend(learning, days)
    return lambda users: np.tile(scores, (len(users), 1))


def item_knn(learning: Learning, neighbors: int, shrinkage: float) -> Scorer:
    """Scores an item by the sum of its cosine similarities to the liked items among its nearest neighbors."""
    liked = learning.liked
    together = csr_array(liked.T @ liked).tocoo()
    likers = liked.sum(axis=0)
    row, column = together.coords
    cosine = together.data / (np.sqrt(likers[row] * likers[column]) + shrinkage)
    other = row != column
    row, column, cosine = row[other], column[other], cosine[other]
    # Within each row, the nearest neighbors come first.
    order = np.lexsort((-cosine, row))
    starts = np.searchsorted(row[order], np.arange(learning.items))
    place = np.arange(len(order)) - starts[row[order]]
    kept = order[place < neighbors]
    near = csr_array((cosine[kept], (column[kept], row[kept])), shape=together.shape)
    return lambda users: (liked[users] @ near).toarray()


def ease(learning: Learning, penalty: float) -> Scorer:
    """Computes the scores of EASE, X B with B = I - P / diag(P), where P is the inverse of X'X + penalty I.

    All data sets here have fewer users than items. P follows from the smaller matrix K = X X' + penalty I: X P = K^-1 X,
    and the diagonal of P is (1 - x_j' K^-1 x_j) / penalty, where x_j is a column of X.
    """
    liked = learning.liked
    users = np.flatnonzero(np.diff(liked.indptr))
    active = liked[users].toarray()
    kernel = active @ active.T
    kernel[np.diag_indices_from(kernel)] += penalty
    solved = scipy.linalg.cho_solve(scipy.linalg.cho_factor(kernel, overwrite_a=True), active)
    diagonal = (1 - np.einsum("uj,uj->j", active, solved)) / penalty
    scores = np.zeros((learning.users, learning.items), dtype=np.float32)
    scores[users] = active - solved / diagonal
    return lambda some: scores[some]


def ials(learning: Learning, factors: int, alpha: float, regularization: float) -> Scorer:
    model = AlternatingLeastSquares(
        factors=factors, alpha=alpha, regularization=regularization, random_state=SEED, num_threads=1
    )
    return _factorized(model, learning)


def bpr(learning: Learning, factors: int, iterations: int) -> Scorer:
    # The model uses one thread, because the order of concurrent updates would change the result.
    model = BayesianPersonalizedRanking(
        factors=factors, iterations=iterations, random_state=SEED, num_threads=1
    )
    return _factorized(model, learning)


def _factorized(model: MatrixFactorizationBase, learning: Learning) -> Scorer:
    model.fit(csr_matrix(learning.liked), show_progress=False)
    return _dot(learning, np.asarray(model.user_factors), np.asarray(model.item_factors), 0)


def warp(learning: Learning, factors: int, epochs: int, penalty: float) -> Scorer:
    model = LightFM(
        no_components=factors, loss="warp", user_alpha=penalty, item_alpha=penalty, random_state=SEED
    )
    model.fit(csr_matrix(learning.liked).tocoo(), epochs=epochs, num_threads=1)
    return _dot(learning, model.user_embeddings, model.item_embeddings, model.item_biases)


def _dot(learning: Learning, users: np.ndarray, items: np.ndarray, biases: np.ndarray | float) -> Scorer:
    # The factors of a user without likes are random.
    has_likes = (np.diff(learning.liked.indptr) > 0)[:, None]
    return lambda some: np.where(has_likes[some], users[some] @ items.T + biases, 0)


def choose(peer: Peer, learning: Learning) -> dict:
    """Returns the settings with the highest nDCG@10 on the inner cut; the first of several equally good settings."""
    trials = peer.settings()
    if len(trials) == 1:
        return trials[0]
    inner, users, relevant = inner_split(learning)
    known = popularity(inner)

    def quality(settings: dict) -> float:
        return measured(lists(peer.fit(inner, **settings), users, inner.seen, known), relevant)[:, 0].mean()

    return max(trials, key=quality)


PEERS = [
    Peer("popularity", popular),
    Peer("trending popularity", trending, {"days": [3, 7, 14, 30, 90, 180, 365]}),
    Peer("item-kNN", item_knn, {"neighbors": [20, 50, 100, 200], "shrinkage": [0, 10]}),
    Peer("EASE", ease, {"penalty": [100, 300, 1000]}, most_users=12_000),
    Peer("iALS", ials, {"factors": [16, 64], "alpha": [1, 10], "regularization": [1, 10]}),
    Peer("BPR", bpr, {"factors": [16, 64], "iterations": [50, 100, 300]}),
    Peer("WARP", warp, {"factors": [16, 64], "epochs": [10, 30], "penalty": [0, 1e-5]}),
]
