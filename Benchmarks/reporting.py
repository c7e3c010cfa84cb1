"""Writes reports/benchmarks.md from the measurements."""

import itertools
import json
import math
import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import conditions
from markdown import grouped, wrapped
from measuring import HERE, Contestant, Result, Run


@dataclass
class Comparison:
    """One case at one size."""

    case: str
    users: int
    ours: Result
    peers: list[Result]
    agreement: str = ""
    # The number of users that the peers were timed on, if not all.
    sampled: int | None = None

    @property
    def best(self) -> Result | None:
        return min(self.peers, key=lambda result: result.seconds, default=None)

    @property
    def ratio(self) -> float | None:
        """Our time divided by the best peer's time."""
        return self.ours.ratio(self.best) if self.best else None

    @staticmethod
    def of_least_squares(users: int, script: Contestant) -> "Comparison":
        """Compares the ridge regressions on all threads, from the output of peers/least_squares.py."""
        command = [str(part) for part in script.command]
        finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        lines = [json.loads(line) for line in finished.stdout.splitlines()]
        ridges = [line for line in lines if line.get("problem") == "ridge"][-2:]
        # The script interleaves both sides itself. Only the solving time of each process counts.
        ours, numpy = (
            Result(line["system"], [Run(seconds, math.nan, math.nan) for seconds in line["rounds"]]) for line in ridges
        )
        agreement = f"largest difference of a coefficient {ridges[0]['largest_difference']:.1e}"
        return Comparison("least squares, 100 rows x 32 columns", users, ours, [numpy], agreement)


@dataclass
class Report:
    machine: list[str]
    threads: int
    repeat: int
    swipes_per_user: int
    comparisons: list[Comparison] = field(default_factory=list)


def machine() -> list[str]:
    """Returns lines about the machine and the versions."""
    swift = conditions.printed("swift", "--version").splitlines()[0]
    return [
        conditions.hardware(),
        f"Nightjar at {conditions.commit()}, {swift}",
        conditions.packages(HERE / "requirements.txt"),
    ]


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(_lines(report)) + "\n")


def _lines(report: Report) -> list[str]:
    sizes = sorted({comparison.users for comparison in report.comparisons})
    load = os.getloadavg()[2]
    made = f"""
        `make bench` wrote this page on {datetime.now(UTC):%Y-%m-%d}. The benchmarks used {", ".join(map(grouped, sizes))}
        users with {report.swipes_per_user} swipes per user, which `nightjar synthesize` generated. They used
        {report.threads} threads. Each figure is the median of {report.repeat} rounds, in which all programs took turns."""
    noise = f"""
        The average load of the last 15 minutes was {load:.1f}. If the load is well above {report.threads}, other programs
        were running. Ratios are then more reliable than seconds."""
    meaning = [
        "The seconds of Nightjar include the whole process: start, reading, writing, and syncing to disk.",
        "The seconds of a peer exclude the start of Python. For ingest and rank, they also exclude writing.",
        'For least squares and for "search alone", the seconds of both programs exclude reading and writing.',
        "Processor seconds and peak memory include the whole process. For a peer, this includes the start of Python.",
        "For `nightjar run`, processor seconds are the sum of all stages. Peak memory is the peak of the largest stage.",
        "Extrapolated times were measured on a sample of users and scaled to all users. The last table lists the sample sizes.",
    ]
    lines = ["# Benchmarks", "", *wrapped(made), "", *(f"- {line}" for line in report.machine), ""]
    lines += [*wrapped(noise), "", "How to read the tables:", "", *(f"- {line}" for line in meaning), ""]
    lines += _beside_peers(report.comparisons) + _lost(report.comparisons)
    return lines + _growth(report.comparisons, sizes) + _agreements(report.comparisons)


def _beside_peers(comparisons: list[Comparison]) -> list[str]:
    ratio = (
        "A ratio is Nightjar's time divided by the time of the peer. It is the median over all rounds. If it is below 1, "
        "Nightjar is faster."
    )
    lines = ["## Comparison with peers", "", *wrapped(ratio), ""]
    lines += [
        "| case | users | system | seconds | users/s | processor s | peak MB | ratio |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for comparison in comparisons:
        for result in [comparison.ours, *comparison.peers]:
            theirs = result is not comparison.ours
            cells = [
                comparison.case,
                grouped(comparison.users),
                result.name + (" (extrapolated)" if theirs and comparison.sampled else ""),
            ]
            cells += [_figure(result.seconds), grouped(round(comparison.users / result.seconds))]
            # Processor time cannot be extrapolated from a sample to all users.
            cells += ["" if theirs and comparison.sampled else _figure(result.processor_seconds)]
            cells += ["" if math.isnan(result.peak_megabytes) else grouped(round(result.peak_megabytes))]
            cells += [f"{comparison.ours.ratio(result):.3g}" if theirs else ""]
            lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _lost(comparisons: list[Comparison]) -> list[str]:
    lost = [comparison for comparison in comparisons if comparison.ratio and comparison.ratio > 1]
    lines = ["## Cases that Nightjar loses", ""]
    for comparison in lost:
        lines.append(
            f"- {comparison.case}, {grouped(comparison.users)} users: {comparison.ratio:.2f} times the time of "
            f'"{comparison.best.name}".'
        )
    return [*(lines if lost else [*lines, "Nightjar loses no case at these sizes."]), ""]


def _growth(comparisons: list[Comparison], sizes: list[int]) -> list[str]:
    """Returns the section on the time and memory of Nightjar's programs by size."""
    growth = (
        "Between two sizes, the time grows in proportion to users^e. If e is 1, the time is proportional to the number of "
        "users. If e is 2, it is proportional to the square of this number."
    )
    lines = ["## Growth", "", *wrapped(growth), ""]
    pairs = list(itertools.pairwise(sizes))
    head = ["case", *(f"{grouped(size)}: s" for size in sizes), *(f"e {_short(a)} to {_short(b)}" for a, b in pairs)]
    head += [f"{grouped(size)}: MB" for size in sizes]
    lines += ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for case in dict.fromkeys(comparison.case for comparison in comparisons):
        ours = {comparison.users: comparison.ours for comparison in comparisons if comparison.case == case}
        cells = [case, *(_figure(ours[size].seconds) if size in ours else "" for size in sizes)]
        for smaller, larger in pairs:
            both = smaller in ours and larger in ours
            exponent = both and math.log(ours[larger].seconds / ours[smaller].seconds) / math.log(larger / smaller)
            cells.append(f"{exponent:.2f}" if both else "")
        peaks = (ours[size].peak_megabytes if size in ours else math.nan for size in sizes)
        cells += ["" if math.isnan(peak) else grouped(round(peak)) for peak in peaks]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _agreements(comparisons: list[Comparison]) -> list[str]:
    lines = ["## Answers", "", "| case | users | peers timed on | answers |", "| --- | ---: | ---: | --- |"]
    for comparison in comparisons:
        if comparison.agreement:
            measured = grouped(comparison.sampled or comparison.users)
            lines.append(f"| {comparison.case} | {grouped(comparison.users)} | {measured} | {comparison.agreement} |")
    return lines


def _short(number: int) -> str:
    return f"{number // 1_000_000} M" if number % 1_000_000 == 0 else f"{number // 1000} k"


def _figure(seconds: float) -> str:
    """Returns the number of seconds with three digits, or with all digits before the decimal point."""
    return "" if math.isnan(seconds) else f"{seconds:.3g}" if seconds < 1000 else grouped(round(seconds))
