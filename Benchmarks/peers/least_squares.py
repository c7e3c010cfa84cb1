#!/usr/bin/env python3
"""Compares `kernels least-squares` with NumPy on the same rows: one least-squares problem per user.

Makes users with rows of one category and a few numbers. Solves each user's ridge regression, whose intercept has no
penalty, and the regression of least norm without a penalty. Checks that all coefficients agree. Prints one line of JSON
per method.

    least_squares.py --kernels .build/release/kernels [--users 100000] [--rows 100] [--codes 24] [--numbers 7]

Needs NumPy (measured with 2.4.6).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Threads run over users, so BLAS threads would only compete. The variable must be set before NumPy is
# imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

TOLERANCE = 1e-8
# The number of users per NumPy batch. A batch of this size fits the cache, and was the fastest of sizes from
# 100 to 10 000.
BLOCK = 1000
# Repetitions per turn. The median counts, because the first repetition also pays for page faults.
TIMES = 3


def make_rows(options):
    """Returns codes (users x rows, Zipf's law), numbers (users x rows x numbers), and values of +1 and -1."""
    random = np.random.default_rng(options.seed)
    shares = 1 / np.arange(1, options.codes + 1)
    shape = (options.users, options.rows)
    codes = random.choice(options.codes, shape, p=shares / shares.sum()).astype(np.uint32)
    numbers = random.standard_normal(shape + (options.numbers,))
    # Half of the numbers are flags, as features often are.
    flags = options.numbers // 2
    numbers[:, :, :flags] = numbers[:, :, :flags] > 0.5
    effects = random.standard_normal((options.users, options.codes))
    slopes = random.standard_normal((options.users, options.numbers, 1))
    taste = np.take_along_axis(effects, codes.astype(np.int64), 1) + (numbers @ slopes)[:, :, 0]
    values = np.where(taste + random.standard_normal(shape) > 0, 1.0, -1.0)
    return codes, numbers, values


def write_design(directory, codes, numbers, values):
    """Writes the files that `kernels least-squares` reads."""
    users, rows = codes.shape
    columns = numbers.reshape(users * rows, -1).T
    np.save(directory / "codes.npy", codes.ravel())
    np.save(directory / "numbers.npy", np.ascontiguousarray(columns).ravel())
    np.save(directory / "values.npy", values.ravel())
    np.save(directory / "offsets.npy", np.arange(users + 1, dtype=np.uint64) * rows)


def expand(codes, numbers, width):
    """Returns the columns of ones, codes and numbers: users x rows x (1 + codes + numbers)."""
    users, rows = codes.shape
    columns = np.zeros((users, rows, 1 + width + numbers.shape[2]))
    columns[:, :, 0] = 1
    np.put_along_axis(columns, codes[:, :, None].astype(np.int64) + 1, 1, 2)
    columns[:, :, 1 + width :] = numbers
    return columns


def ridge_batched(columns, values, penalty):
    """Solves the normal equations of all users, a block of users at a time."""
    penalties = np.diag(np.r_[0, np.full(columns.shape[2] - 1, penalty)])
    found = np.empty((len(columns), columns.shape[2]))
    for first in range(0, len(columns), BLOCK):
        x, y = columns[first : first + BLOCK], values[first : first + BLOCK, :, None]
        transposed = x.transpose(0, 2, 1)
        found[first : first + BLOCK] = np.linalg.solve(transposed @ x + penalties, transposed @ y)[:, :, 0]
    return found


def ridge_threads(columns, values, penalty, threads):
    """Runs `ridge_batched` on several threads, which is possible because NumPy's solvers release the GIL."""
    starts = range(0, len(columns), BLOCK)
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(
            lambda first: ridge_batched(columns[first : first + BLOCK], values[first : first + BLOCK], penalty), starts
        )
        return np.concatenate(list(parts))


def plain_loop(columns, values):
    """Solves for the least norm per user by `lstsq` on centered columns, so that the intercept has no penalty."""
    found = np.empty((len(columns), columns.shape[2]))
    for user, (x, y) in enumerate(zip(columns[:, :, 1:], values)):
        means, mean = x.mean(0), y.mean()
        found[user, 1:] = np.linalg.lstsq(x - means, y - mean, rcond=1e-10)[0]
        found[user, 0] = mean - means @ found[user, 1:]
    return found


def plain_batched(columns, values):
    """Solves for the least norm per user by pseudo-inverses of the centered sums of products, a block of users at a
    time.
    """
    found = np.empty((len(columns), columns.shape[2]))
    for first in range(0, len(columns), BLOCK):
        x, y = columns[first : first + BLOCK, :, 1:], values[first : first + BLOCK]
        means, mean = x.mean(1, keepdims=True), y.mean(1, keepdims=True)
        x = x - means
        transposed = x.transpose(0, 2, 1)
        inverse = np.linalg.pinv(transposed @ x, hermitian=True, rcond=1e-10)
        found[first : first + BLOCK, 1:] = (inverse @ (transposed @ (y - mean)[:, :, None]))[:, :, 0]
        found[first : first + BLOCK, 0] = mean[:, 0] - np.einsum(
            "up,up->u", means[:, 0], found[first : first + BLOCK, 1:]
        )
    return found


def timed(solve):
    """Returns the result of `solve` and its median time in seconds."""
    seconds = []
    for _ in range(TIMES):
        start = time.perf_counter()
        found = solve()
        seconds.append(time.perf_counter() - start)
    return found, statistics.median(seconds)


def run_kernel(options, directory, penalty, threads):
    """Returns Nightjar's result and its median time in seconds, without reading and writing."""
    out = directory / "parameters.npy"
    out.unlink(missing_ok=True)
    finished = subprocess.run(
        [options.kernels, "least-squares", "--design", directory, "--out", out, "--widths", str(options.codes)]
        + ["--penalty", str(penalty), "--threads", str(threads), "--repeat", str(TIMES)],
        check=True,
        stdout=subprocess.PIPE,
    )
    return np.load(out), json.loads(finished.stdout)["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", required=True, help="the path of the program 'kernels'")
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--codes", type=int, default=24)
    parser.add_argument("--numbers", type=int, default=7)
    parser.add_argument("--penalty", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--slow-users", type=int, default=2000, help="the number of users for slow methods")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()

    codes, numbers, values = make_rows(options)
    columns = expand(codes, numbers, options.codes)
    few = min(options.slow_users, options.users)
    agrees = True

    def report(problem, system, users, seconds, difference):
        nonlocal agrees
        agrees = agrees and difference <= TOLERANCE
        median = statistics.median(seconds)
        figures = {"problem": problem, "system": system, "users": users, "seconds": median, "rounds": seconds}
        print(json.dumps(figures | {"users_per_second": users / median, "largest_difference": difference}), flush=True)

    with tempfile.TemporaryDirectory() as name:
        everybody, some = Path(name) / "all", Path(name) / "some"
        for directory, count in (everybody, options.users), (some, few):
            directory.mkdir()
            write_design(directory, codes[:count], numbers[:count], values[:count])

        for threads in sorted({1, options.threads}):
            seconds, their_seconds = [], []
            # Both sides take turns, so that other load on the machine affects them equally.
            for _ in range(options.repeat):
                ours, taken = run_kernel(options, everybody, options.penalty, threads)
                seconds.append(taken)
                theirs, taken = timed(lambda: ridge_threads(columns, values, options.penalty, threads))
                their_seconds.append(taken)
            difference = float(np.abs(ours.reshape(options.users, -1) - theirs).max())
            report("ridge", f"nightjar, {threads} threads", options.users, seconds, difference)
            report("ridge", f"numpy batched, {threads} threads", options.users, their_seconds, 0.0)

        loop, loop_seconds = timed(lambda: plain_loop(columns[:few], values[:few]))
        batched, batched_seconds = timed(lambda: plain_batched(columns[:few], values[:few]))
        plain, plain_seconds = run_kernel(options, some, 0.0, options.threads)
        difference = float(np.abs(plain.reshape(few, -1) - loop).max())
        report("plain", f"nightjar, {options.threads} threads", few, [plain_seconds], difference)
        report("plain", "numpy lstsq in a loop", few, [loop_seconds], 0.0)
        # Sums of products square the condition number, so the tolerance does not apply.
        report("plain", "numpy batched pinv", few, [batched_seconds], 0.0)
        print(json.dumps({"pinv_largest_difference": float(np.abs(batched - loop).max())}), flush=True)

    if not agrees:
        sys.exit(f"least_squares: coefficients of Nightjar and NumPy differ by more than {TOLERANCE}")


if __name__ == "__main__":
    main()
