"""Finds the nearest 20 other users within 1.5 km with SciPy's k-d tree on points of the unit sphere.

    nearest.py RUN-DIRECTORY [--threads 2] [--lists LISTS.csv] [--out FOUND.npy]
    nearest.py RUN-DIRECTORY --check FOUND.npy    checks that rankings/nearest.csv has the same distances

Positions come from the snapshot, so that both programs search the same people. The reported time includes writing
LISTS.csv, but not FOUND.npy.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree
from sharing import RADIUS, Floats, Rows, column, haversine, row_numbers, tell, unit_vectors

TOP, WITHIN = 20, 1.5
# The accuracy of a chord in double precision, in kilometers.
TOLERANCE = 1e-6


def nearest(latitude: Floats, longitude: Floats, threads: int) -> tuple[Floats, Rows]:
    """Returns ascending distances in km and their candidates, n x 20. Missing candidates have an infinite distance."""
    points = unit_vectors(latitude, longitude)
    # The search also finds the user, usually first, unless others are at the same place.
    bound = np.nextafter(2 * np.sin((WITHIN + TOLERANCE) / (2 * RADIUS)), 1)
    chords, others = cKDTree(points).query(points, k=TOP + 1, distance_upper_bound=bound, workers=threads)
    own = others == np.arange(len(points))[:, None]
    # With more than 20 others at the same place, the user may be missing. The last candidate is then surplus.
    own[~own.any(axis=1), -1] = True
    chords, others = chords[~own].reshape(-1, TOP), others[~own].reshape(-1, TOP)
    distances = np.full(chords.shape, np.inf)
    np.arcsin(chords / 2, out=distances, where=np.isfinite(chords))
    return 2 * RADIUS * distances, others


def write(distances: Floats, others: Rows, out: Path) -> None:
    """Writes user_id, rank, candidate_id and distance_km of all candidates found."""
    import polars

    user, rank = np.nonzero(np.isfinite(distances))
    ids = polars.Series("id", np.arange(len(distances))).cast(polars.String).str.zfill(7)
    ids = "u" + ids
    lists = {
        "user_id": ids.gather(user),
        "rank": rank + 1,
        "candidate_id": ids.gather(others[user, rank]),
        "distance_km": distances[user, rank].round(1),
    }
    polars.DataFrame(lists).write_csv(out)


def differing(run: Path, found: Floats, latitude: Floats, longitude: Floats) -> int:
    """Counts the users whose listed distances differ from the distances in `found`."""
    import polars

    lists = polars.read_csv(run / "rankings/nearest.csv", columns=["user_id", "rank", "candidate_id"])
    user, candidate = row_numbers(lists["user_id"]), row_numbers(lists["candidate_id"])
    listed = np.full(found.shape, np.inf)
    listed[user, lists["rank"].to_numpy() - 1] = haversine(
        latitude[user], longitude[user], latitude[candidate], longitude[candidate]
    )
    found = np.where(found > WITHIN + TOLERANCE, np.inf, found)
    with np.errstate(invalid="ignore"):
        same = (found == listed) | (np.abs(found - listed) <= TOLERANCE)
    # Within the tolerance of the radius, a candidate may be on either side of it.
    same |= (np.abs(found - WITHIN) <= TOLERANCE) & np.isinf(listed)
    return int((~same.all(axis=1)).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lists", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", type=Path)
    options = parser.parse_args()
    users = options.run / "snapshot/entities/users"
    if options.check:
        found = np.load(options.check)
        wrong = differing(options.run, found, column(users, "latitude"), column(users, "longitude"))
        tell(0, lists=len(found), differing=wrong)
        return
    start = time.perf_counter()
    found, others = nearest(column(users, "latitude"), column(users, "longitude"), options.threads)
    if options.lists:
        write(found, others, options.lists)
    seconds = time.perf_counter() - start
    if options.out:
        np.save(options.out, found)
    tell(seconds)


if __name__ == "__main__":
    main()
