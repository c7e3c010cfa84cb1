"""Ranks the best 10 candidates within 500 km by the models of a run, for a sample of users, with matrix products in blocks.

    top.py RUN-DIRECTORY --precision single|double [--threads 2] [--sample 2000] [--out FOUND.npz]
    top.py RUN-DIRECTORY --check FOUND.npz     checks that rankings/partners.csv has the same lists

The reported time excludes reading columns and is extrapolated from the sample to all users.
"""

import argparse
import time
from pathlib import Path

from sharing import column, tell  # sets the number of BLAS threads, so before NumPy
import numpy as np  # isort: skip
from blocks import Lists, World, best, differing


def world(run: Path) -> World:
    """Reads users and candidates from the snapshot, and coefficients from the models."""
    users, models, swipes = run / "snapshot/entities/users", run / "models", run / "snapshot/interactions/swipes"
    codes = column(users, "attributes/business_field.codes")
    fields = len(column(users, "attributes/business_field.vocabulary.offsets")) - 1
    values = np.zeros((len(codes), fields + 3))
    values[np.arange(len(codes)), codes] = 1
    values[:, fields] = column(users, "attributes/rating")
    values[:, fields + 1] = column(users, "attributes/age")
    values[:, fields + 2] = 1
    # A model has all columns, and the last one is the distance. Users without a model get the nearest candidates.
    fitted = np.diff(column(models, "terms.offsets").astype(np.int64)) > 0
    terms = column(models, "terms.coefficient").reshape(fitted.sum(), -1)
    weights, per_km = np.zeros(values.shape), np.full(len(codes), -1.0)
    weights[fitted] = np.column_stack([terms[:, :-1], column(models, "intercept")[fitted]])
    per_km[fitted] = terms[:, -1]
    return World(
        column(users, "latitude"),
        column(users, "longitude"),
        values,
        weights,
        per_km,
        column(swipes, "user.offsets").astype(np.int64),
        column(swipes, "candidate"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--precision", choices=["single", "double"], default="double")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", type=Path)
    options = parser.parse_args()
    if options.check:
        found = np.load(options.check)
        lists = Lists(found["users"], found["candidates"], found["scores"])
        tell(0, **differing(options.run, lists))
        return
    everybody = world(options.run)
    count = len(everybody.latitude)
    sample = np.sort(np.random.default_rng(5).permutation(count)[: options.sample])
    precision = np.float32 if options.precision == "single" else np.float64
    start = time.perf_counter()
    found = best(everybody, sample, options.threads, precision)
    seconds = time.perf_counter() - start
    if options.out:
        np.savez(options.out, users=found.users, candidates=found.candidates, scores=found.scores)
    tell(seconds * count / len(sample), measured_users=len(sample))


if __name__ == "__main__":
    main()
