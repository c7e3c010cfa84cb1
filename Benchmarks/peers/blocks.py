"""Computes the exact best 10 candidates of each user within 500 km by matrix products in blocks, for the rank peers.

Every user is compared with every candidate, so the time grows with the square of the number of users.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sharing import RADIUS, Floats, Rows, haversine, row_numbers, unit_vectors  # sets BLAS threads, so before NumPy
import numpy as np  # isort: skip
import numpy.typing as npt

TOP, WITHIN = 10, 500.0
# Elements per block of at least 16 users; 300 000 and 4 000 000 were not faster.
BLOCK = 1_000_000
# The number of additional finalists whose scores are recomputed exactly, so that rounding in a block cannot
# hide one of the best candidates.
SPARE = 6
TOLERANCE = 1e-9


@dataclass
class World:
    """The users, who are also the candidates. Each array except `swiped` has one row per user."""

    latitude: Floats
    longitude: Floats
    # The candidates' values; the last column is all ones.
    values: Floats
    # The users' coefficients of these values and of the distance in km.
    weights: Floats
    per_km: Floats
    # The candidates swiped by user u are `swiped[starts[u]:starts[u + 1]]`.
    starts: Rows
    swiped: Rows


@dataclass
class Lists:
    """The best candidates per user, best first, padded with -1 and minus infinity."""

    users: Rows
    candidates: Rows
    scores: Floats


def best(world: World, users: Rows, threads: int, precision: type = np.float64) -> Lists:
    """Returns the lists of `users`. A list excludes the user, swiped candidates, and candidates outside the radius."""
    points = unit_vectors(world.latitude, world.longitude)
    # Centering reduces the cancellation in single precision.
    points = (points - points.mean(axis=0)).astype(precision)
    squares = (points**2).sum(axis=1)
    values = np.ascontiguousarray(world.values.T, dtype=precision)
    columns = np.ascontiguousarray(points.T)
    limit = precision((2 * np.sin(WITHIN / (2 * RADIUS))) ** 2)
    rows = max(16, BLOCK // len(points))

    buffers = threading.local()

    def block(first: int) -> tuple[Rows, Floats]:
        chosen = users[first : first + rows]
        # Each thread reuses its arrays, because the system needs longer to clear new pages than the work
        # itself takes.
        if not hasattr(buffers, "far"):
            buffers.far, buffers.scores = (np.empty((rows, len(points)), precision) for _ in range(2))
        far, scores = buffers.far[: len(chosen)], buffers.scores[: len(chosen)]
        # The squared chord, then the distance, in place.
        np.matmul(points[chosen], columns, out=far)
        far *= -2
        far += squares[chosen, None]
        far += squares
        np.maximum(far, 0, out=far)
        beyond = far > limit * precision(1.0001)
        np.sqrt(far, out=far)
        far *= precision(0.5)
        np.arcsin(far, out=far)
        # Scores are negated. If most elements are equal, as for distant candidates, argpartition finds the
        # least elements ten times as fast as the greatest.
        far *= (-2 * RADIUS * world.per_km[chosen, None]).astype(precision)
        np.matmul(-world.weights[chosen].astype(precision), values, out=scores)
        scores += far
        scores[beyond] = np.inf
        scores[np.arange(len(chosen)), chosen] = np.inf
        for place, user in enumerate(chosen):
            scores[place, world.swiped[world.starts[user] : world.starts[user + 1]]] = np.inf
        count = min(TOP + SPARE, len(points))
        finalists = np.argpartition(scores, count - 1, axis=1)[:, :count]
        excluded = np.take_along_axis(scores, finalists, 1) == np.inf
        return exactly(world, chosen, finalists, excluded)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(block, range(0, len(users), rows)))
    return Lists(users, np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))


def exactly(world: World, users: Rows, finalists: Rows, excluded: npt.NDArray[np.bool_]) -> tuple[Rows, Floats]:
    """Returns the best finalists by scores in double precision with haversine distances."""
    distance = haversine(
        world.latitude[users, None], world.longitude[users, None], world.latitude[finalists], world.longitude[finalists]
    )
    scores = np.einsum("uf,ucf->uc", world.weights[users], world.values[finalists])
    scores += world.per_km[users, None] * distance
    scores[excluded | (distance > WITHIN)] = -np.inf
    order = np.argsort(-scores, axis=1)[:, :TOP]
    scores = np.take_along_axis(scores, order, 1)
    return np.where(scores > -np.inf, np.take_along_axis(finalists, order, 1), -1), scores


def differing(run: Path, found: Lists) -> dict:
    """Counts the lists in `rankings/partners.csv` that differ, apart from candidates with equal scores.

    The function leaves out users without a model, because their lists are by distance and have no scores.
    """
    import polars

    lists = polars.read_csv(run / "rankings/partners.csv", columns=["user_id", "rank", "candidate_id", "score"])
    place = np.full(int(found.users.max()) + 1, -1)
    place[found.users] = np.arange(len(found.users))
    user = row_numbers(lists["user_id"])
    lists = lists.filter((user < len(place)) & (place[np.minimum(user, len(place) - 1)] >= 0))
    user, rank = place[row_numbers(lists["user_id"])], lists["rank"].to_numpy() - 1
    candidates = np.full(found.candidates.shape, -1)
    scores = np.full(found.scores.shape, -np.inf)
    candidates[user, rank] = row_numbers(lists["candidate_id"])
    scores[user, rank] = lists["score"].cast(polars.Float64).to_numpy()
    judged = ~np.isnan(scores).any(axis=1)

    with np.errstate(invalid="ignore"):
        equal = (scores == found.scores) | (np.abs(scores - found.scores) <= TOLERANCE)
    same = candidates == found.candidates
    wrong = judged & ~equal.all(axis=1)
    return {
        "lists": int(judged.sum()),
        "differing": int(wrong.sum()),
        "differing_in_ties": int((judged & ~wrong & ~same.all(axis=1)).sum()),
    }
