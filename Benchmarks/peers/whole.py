"""Does the whole job from CSV to lists with polars and NumPy: a regression per user, and the best 10 within 500 km.

    whole.py DIRECTORY --out LISTS.csv [--found FOUND.npz] [--threads 2] [--sample 2000]

The time of ranking is measured for a sample of users and extrapolated to all users. The script publishes nothing.
`top.py --check` compares the lists.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sharing import Floats, haversine, tell  # sets the number of BLAS threads, so before NumPy
import numpy as np  # isort: skip
import polars
from blocks import World, best
from ingest import read_with_polars

PENALTY = 1.0
# Users per batch.
BLOCK = 500


def snapped(degrees: Floats, range: float) -> Floats:
    """Returns the centers of the geohash cells of precision 6, which has 15 bits per angle."""
    side = range / 2**15
    cell = np.minimum(np.floor((degrees + range / 2) / side), 2**15 - 1)
    return (cell + 0.5) * side - range / 2


def fit(columns: Floats, values: Floats, starts: np.ndarray, threads: int) -> Floats:
    """Returns each user's b and w with the least Σ (y - b - x·w)² + Σ w². Columns have mean 0 and deviation 1 over all
    rows.
    """
    means, deviations = columns.mean(axis=0), columns.std(axis=0)
    columns = (columns - means) / deviations
    width = columns.shape[1] + 1
    penalties = np.diag(np.r_[0, np.full(width - 1, PENALTY)])
    users = np.flatnonzero(np.diff(starts))
    found = np.zeros((len(starts) - 1, width))

    def block(first: int) -> None:
        chosen = users[first : first + BLOCK]
        begins, counts = starts[chosen], np.diff(starts)[chosen]
        rows = np.arange(begins[0], starts[chosen[-1] + 1])
        # Rows are padded to the longest user. Rows of zeros add nothing to the sums.
        place = np.repeat(np.arange(len(chosen)), counts)
        within = rows - np.repeat(begins, counts)
        x = np.zeros((len(chosen), counts.max(), width))
        y = np.zeros((len(chosen), counts.max(), 1))
        x[place, within, 0], x[place, within, 1:], y[place, within, 0] = 1, columns[rows], values[rows]
        transposed = x.transpose(0, 2, 1)
        found[chosen] = np.linalg.solve(transposed @ x + penalties, transposed @ y)[:, :, 0]

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(block, range(0, len(users), BLOCK)))
    found[:, 1:] /= deviations
    found[:, 0] -= found[:, 1:] @ means
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--found", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=2000)
    options = parser.parse_args()
    laps = [time.perf_counter()]

    users, swipes = read_with_polars(options.directory)
    swipes = swipes.sort("user", "swiped_at", maintain_order=True)
    count = len(users)
    latitude = snapped(users["latitude"].to_numpy(), 180)
    longitude = snapped(users["longitude"].to_numpy(), 360)
    codes = users["business_field"].rank("dense").to_numpy().astype(np.int64) - 1
    fields = int(codes.max()) + 1
    user, candidate = swipes["user"].to_numpy(), swipes["candidate"].to_numpy()
    starts = np.searchsorted(user, np.arange(count + 1))
    laps.append(time.perf_counter())

    values = np.zeros((count, fields + 2))
    values[np.arange(count), codes] = 1
    values[:, fields], values[:, fields + 1] = users["rating"].to_numpy(), users["age"].to_numpy()
    distance = haversine(latitude[user], longitude[user], latitude[candidate], longitude[candidate])
    parameters = fit(
        np.column_stack([values[candidate], distance]), swipes["liked"].to_numpy() * 2.0 - 1, starts, options.threads
    )
    laps.append(time.perf_counter())

    everybody = World(
        latitude,
        longitude,
        np.column_stack([values, np.ones(count)]),
        np.column_stack([parameters[:, 1:-1], parameters[:, 0]]),
        # Users without swipes get the nearest candidates.
        np.where(np.diff(starts) > 0, parameters[:, -1], -1),
        starts,
        candidate,
    )
    sample = np.sort(np.random.default_rng(5).permutation(count)[: options.sample])
    found = best(everybody, sample, options.threads)
    laps.append(time.perf_counter())

    place, rank = np.nonzero(found.candidates >= 0)
    ids = users["id"]
    lists = {
        "user_id": ids.gather(found.users[place]),
        "rank": rank + 1,
        "candidate_id": ids.gather(found.candidates[place, rank]),
        "score": found.scores[place, rank],
    }
    polars.DataFrame(lists).write_csv(options.out)
    laps.append(time.perf_counter())

    if options.found:
        np.savez(options.found, users=found.users, candidates=found.candidates, scores=found.scores)
    reading, fitting, ranking, writing = np.diff(laps).tolist()
    seconds = reading + fitting + (ranking + writing) * count / len(sample)
    tell(seconds, measured_users=len(sample), reading=reading, fitting=fitting)


if __name__ == "__main__":
    main()
