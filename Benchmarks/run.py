#!/usr/bin/env python3
"""Measures the stages and their peers on synthetic exports, compares the results, and writes reports/benchmarks.md.

    run.py [--sizes 10000 20000 100000 1000000] [--repeat 3] [--threads 2] [--bin .build/release] [--work DIRECTORY]

`make bench` builds the program, installs the peers and calls this script. No other program should run meanwhile.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import servers
from measuring import HERE, PEERS, Contestant, Result, ask, interleaved, peer, run, told, warm_memory
from reporting import Comparison, Report, machine, write

STAGES = ["ingest", "index", "fit", "rank", "publish"]
# Peers whose work is quadratic are timed on a sample of users. Each key is a number of users, and its value is the
# size of the sample for at most this number of users. For more users, the sample has SAMPLE_OF_MORE users.
SAMPLE = {10_000: 10_000, 100_000: 4_000}
SAMPLE_OF_MORE = 400
# For more users, NumPy needs more memory than is available.
MOST_USERS_OF_LEAST_SQUARES = 100_000


@dataclass
class Bench:
    """The common state of all cases of one size."""

    options: argparse.Namespace
    size: int
    work: Path
    comparisons: list[Comparison] = field(default_factory=list)

    @property
    def sample(self) -> int:
        fitting = [sample for users, sample in SAMPLE.items() if self.size <= users]
        return min(self.size, fitting[0] if fitting else SAMPLE_OF_MORE)

    def stage(self, stage: str, pipeline: str) -> Contestant:
        """Returns a stage of a pipeline as a contestant. The run directory has the pipeline's name and contains the
        earlier stages.
        """
        directory = self.work / pipeline
        made = {"ingest": "snapshot", "index": "index", "fit": "models", "rank": "rankings"}
        command = [self.options.bin / f"nightjar-{stage}", self.work / f"{pipeline}.yaml", "--quiet"]
        command += ["--run-dir", directory, "--threads", self.options.threads]

        def prepare() -> None:
            directory.mkdir(exist_ok=True)
            shutil.rmtree(directory / made.get(stage, "none"), ignore_errors=True)
            if stage == "publish":
                remove_store(self.work / "serving.sqlite")

        return Contestant(f"nightjar-{stage}", command, prepare)

    def publication(self, address: str, prepare: Callable[[], object]) -> Contestant:
        """Returns the publish stage with the store at `address` instead of the store in the pipeline file."""
        contestant = self.stage("publish", "whole")
        contestant.command += ["--set", f"publish.store={address}"]
        contestant.prepare = prepare
        return contestant

    def compare(self, case: str, ours: Contestant, *peers: Contestant) -> list[Result]:
        told(f"  {case}")
        ours_result, *peer_results = interleaved([ours, *peers], self.options.repeat)
        self.comparisons.append(Comparison(case, self.size, ours_result, peer_results))
        return [ours_result, *peer_results]

    def compare_searches(self, case: str, pipeline: str, searches: list[Contestant], others: list[Contestant]) -> None:
        """Compares the rank stage, and the search of this stage alone, with peers that do the same work."""
        command = [self.options.bin / "kernels", "search", self.work / f"{pipeline}.yaml", "--repeat", "1"]
        command += ["--run-dir", self.work / pipeline, "--threads", self.options.threads]
        alone = Contestant("search of nightjar-rank", command, tells_own_time=True)
        told(f"  {case}")
        results = interleaved([self.stage("rank", pipeline), alone, *searches, *others], self.options.repeat)
        found = results[2 : 2 + len(searches)]
        self.comparisons.append(Comparison(f"search alone: {case}", self.size, results[1], found))
        self.comparisons.append(Comparison(f"rank: {case}", self.size, results[0], results[2:]))

    def agree(self, answer: dict) -> None:
        """Records in the last comparison that the results agree. If lists differ, the benchmarks end with an error."""
        if answer["differing"]:
            sys.exit(f"{self.comparisons[-1].case}, {self.size} users: answers differ: {answer}")
        ties = answer.get("differing_in_ties", 0)
        text = f"{answer['lists']} lists equal" + (
            f"; {ties} of them except for candidates with equal scores" if ties else ""
        )
        self.comparisons[-1].agreement = text


def remove_store(store: Path) -> None:
    for suffix in "", "-wal", "-shm":
        store.with_name(store.name + suffix).unlink(missing_ok=True)


def synthesize(bench: Bench) -> None:
    command = [bench.options.bin / "nightjar", "synthesize", "--users", bench.size, "--seed", "1", "--force"]
    command += ["--swipes-per-user", bench.options.swipes_per_user, "--out", bench.work]
    run(Contestant("nightjar synthesize", command))
    for pipeline in "whole", "nearest":
        shutil.copy(HERE / "pipelines" / f"{pipeline}.yaml", bench.work)


def ingest(bench: Bench) -> None:
    threads = ["--threads", bench.options.threads]
    peers = [peer(name, "ingest.py", name, bench.work, *threads) for name in ("pyarrow", "duckdb", "polars")]
    results = bench.compare("ingest", bench.stage("ingest", "whole"), *peers)
    expected = ask("ingest.py", "nightjar", bench.work / "whole")["answer"]
    for result in results[1:]:
        if result.printed["answer"] != expected:
            sys.exit(f"ingest: {result.name} read {result.printed['answer']}, but nightjar read {expected}")
    bench.comparisons[-1].agreement = "counts and sums over all columns equal"


def index_and_fit(bench: Bench) -> None:
    """Measures the growth and memory of two stages that have no peers."""
    for stage in "index", "fit":
        bench.compare(stage, bench.stage(stage, "whole"))


def rank(bench: Bench) -> None:
    found = {precision: bench.work / f"{precision}.npz" for precision in ("double", "single")}
    peers = [
        peer(f"NumPy in blocks, {precision} precision", "top.py", bench.work / "whole", "--precision", precision)
        for precision in found
    ]
    for contestant, out in zip(peers, found.values(), strict=True):
        contestant.command += ["--threads", bench.options.threads, "--sample", bench.sample, "--out", out]
    bench.compare_searches("best 10 within 500 km", "whole", peers, [])
    for comparison in bench.comparisons[-2:]:
        comparison.sampled = bench.sample if bench.sample < bench.size else None
    # The lists of single precision are not compared, because their last ranks may be wrong.
    bench.agree(ask("top.py", bench.work / "whole", "--check", found["double"]))


def publish(bench: Bench) -> None:
    theirs = bench.work / "peer.sqlite"
    store = bench.work / "serving.sqlite"
    python = peer(
        "sqlite3 executemany", "publish.py", bench.work / "whole", theirs, prepare=lambda: remove_store(theirs)
    )
    bench.compare("publish", bench.stage("publish", "whole"), python)
    bench.agree(ask("publish.py", bench.work / "whole", store, "--check"))
    remove_store(theirs)
    remove_store(store)


def publish_to_postgresql(bench: Bench) -> None:
    if not servers.have_postgresql():
        told("  publish to PostgreSQL is skipped, because PostgreSQL is not installed")
        return
    script, rows = "publish_postgresql.py", bench.work / "rows.tsv"
    with servers.postgresql(bench.work / "postgresql") as address:
        arguments = [bench.work / "whole", address, "--rows", rows]
        subprocess.run([sys.executable, PEERS / script, *arguments, "--prepare"], check=True)
        clear = ["psql", "-Xq", "-d", address, "-c", "DROP SCHEMA IF EXISTS nightjar CASCADE", "-c", "CHECKPOINT"]
        ours = bench.publication(address, lambda: subprocess.run(clear, check=True, stderr=subprocess.DEVNULL))
        bench.compare("publish to PostgreSQL", ours, peer("psql \\copy", script, *arguments))
        bench.agree(ask(script, *arguments, "--check"))
    rows.unlink()


def publish_to_redis(bench: Bench) -> None:
    if not servers.have_redis():
        told("  publish to Redis is skipped, because Redis is not installed")
        return
    with servers.redis(bench.work / "redis") as address:
        arguments = ["publish_redis.py", bench.work / "whole", address]

        def clear() -> None:
            place = urlsplit(address)
            command = ["redis-cli", "-h", place.hostname, "-p", str(place.port), "FLUSHALL", "SYNC"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

        ours = bench.publication(address, clear)
        bench.compare("publish to Redis", ours, peer("raw socket, SET", *arguments, prepare=clear))
        run(ours)
        bench.agree(ask(*arguments, "--check"))


def nearest(bench: Bench) -> None:
    for stage in "ingest", "index", "fit":
        run(bench.stage(stage, "nearest"))
    found = bench.work / "nearest.npy"
    arguments = ["nearest.py", bench.work / "nearest", "--threads", bench.options.threads]
    search = peer("SciPy cKDTree, nothing written", *arguments, "--out", found)
    lists = peer("SciPy cKDTree, lists as CSV", *arguments, "--lists", bench.work / "nearest.csv")
    bench.compare_searches("nearest 20 within 1.5 km", "nearest", [search], [lists])
    bench.agree(ask("nearest.py", bench.work / "nearest", "--check", found))
    shutil.rmtree(bench.work / "nearest")


def least_squares(bench: Bench) -> None:
    """Runs a separate script, which gives both programs the same rows: 100 per user, with 32 columns."""
    if bench.size > MOST_USERS_OF_LEAST_SQUARES:
        return
    told("  least squares")
    script = Contestant(
        "least squares", [sys.executable, PEERS / "least_squares.py", "--kernels", bench.options.bin / "kernels"]
    )
    script.command += ["--users", bench.size, "--threads", bench.options.threads, "--repeat", bench.options.repeat]
    bench.comparisons.append(Comparison.of_least_squares(bench.size, script))


def whole(bench: Bench) -> None:
    work, store, found = bench.work / "var", bench.work / "serving.sqlite", bench.work / "whole.npz"

    def prepare() -> None:
        shutil.rmtree(work, ignore_errors=True)
        remove_store(store)

    command = [bench.options.bin / "nightjar", "run", bench.work / "whole.yaml", "--work", work]
    ours = Contestant("nightjar run", [*command, "--threads", bench.options.threads], prepare)
    theirs = peer(
        "polars and NumPy, no store", "whole.py", bench.work, "--out", bench.work / "lists.csv", "--found", found
    )
    theirs.command += ["--threads", bench.options.threads, "--sample", bench.sample]
    bench.compare("whole job", ours, theirs)
    bench.comparisons[-1].sampled = bench.sample if bench.sample < bench.size else None
    bench.agree(ask("top.py", work / "whole/latest", "--check", found))


CASES = [
    ingest, index_and_fit, rank, publish, publish_to_postgresql, publish_to_redis, nearest, least_squares, whole,
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 20_000, 100_000, 1_000_000])
    parser.add_argument("--swipes-per-user", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bin", type=Path, default=HERE.parent / ".build/release")
    parser.add_argument("--work", type=Path, help="the directory for temporary files (default: TMPDIR)")
    parser.add_argument("--report", type=Path, default=HERE.parent / "reports/benchmarks.md")
    options = parser.parse_args()
    options.bin = options.bin.resolve()

    report = Report(machine(), options.threads, options.repeat, options.swipes_per_user)
    for size in sorted(options.sizes):
        told(f"{size} users")
        with tempfile.TemporaryDirectory(dir=options.work) as name:
            bench = Bench(options, size, Path(name))
            synthesize(bench)
            warm_memory(size)
            for case in CASES:
                case(bench)
        report.comparisons += bench.comparisons
        # The report is written after each size, because the largest size takes most of an hour.
        write(report, options.report)
    told(f"report    {options.report}")


if __name__ == "__main__":
    main()
