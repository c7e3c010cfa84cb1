"""Runs programs one after the other, and measures the wall-clock time, processor time and peak memory of each.

This module imports no large module, because Linux counts the memory of the parent process toward the program's peak.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers"


@dataclass
class Run:
    """One run of one program."""

    seconds: float
    processor_seconds: float
    peak_megabytes: float
    # The JSON that the program printed, if any.
    printed: dict = field(default_factory=dict)


@dataclass
class Contestant:
    """A program to measure, and its untimed preparation before each run."""

    name: str
    command: Sequence[str | Path]
    prepare: Callable[[], object] = lambda: None
    # Whether the program measures its own time, as peers do: without the start of Python and the import of modules.
    tells_own_time: bool = False


@dataclass
class Result:
    """All runs of one contestant."""

    name: str
    runs: list[Run]

    def _median(self, value: Callable[[Run], float]) -> float:
        return statistics.median(value(run) for run in self.runs)

    @property
    def seconds(self) -> float:
        return self._median(lambda run: run.seconds)

    def ratio(self, other: "Result") -> float:
        """Returns the time divided by the time of `other`. It is the median over rounds, because the speed drifts
        between rounds.
        """
        rounds = zip(self.runs, other.runs, strict=True)
        return statistics.median(ours.seconds / theirs.seconds for ours, theirs in rounds)

    @property
    def processor_seconds(self) -> float:
        return self._median(lambda run: run.processor_seconds)

    @property
    def peak_megabytes(self) -> float:
        return max(run.peak_megabytes for run in self.runs)

    @property
    def printed(self) -> dict:
        return self.runs[-1].printed


def run(contestant: Contestant) -> Run:
    """Runs a program until it exits. A status other than 0 ends the benchmarks with the program's error output."""
    contestant.prepare()
    # Flushes earlier programs' writes first, so that they do not slow down this program.
    os.sync()
    command = [str(part) for part in contestant.command]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The output is short, so neither pipe fills up while the other one is read.
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"{contestant.name}: '{' '.join(command)}' ended with {process.returncode}:\n{errors}")
    lines = output.splitlines()
    printed = json.loads(lines[-1]) if contestant.tells_own_time else {}
    return Run(
        seconds=printed.get("seconds", seconds),
        processor_seconds=usage.ru_utime + usage.ru_stime,
        peak_megabytes=usage.ru_maxrss / 1024 * 1.048576,
        printed=printed,
    )


def interleaved(contestants: Sequence[Contestant], repetitions: int) -> list[Result]:
    """Runs all contestants in turn, repeatedly, so that other load on the machine affects them equally."""
    results = [Result(contestant.name, []) for contestant in contestants]
    for _ in range(repetitions):
        for contestant, result in zip(contestants, results, strict=True):
            result.runs.append(run(contestant))
            told(f"    {result.runs[-1].seconds:9.2f} s  {contestant.name}")
    return results


def peer(name: str, script: str, *arguments: object, prepare: Callable[[], object] = lambda: None) -> Contestant:
    """Returns one of the scripts in `peers` as a contestant."""
    command = [sys.executable, PEERS / script, *(str(argument) for argument in arguments)]
    return Contestant(name, command, prepare, tells_own_time=True)


def ask(script: str, *arguments: object) -> dict:
    """Runs a script that checks results, and returns its JSON output."""
    command = [sys.executable, PEERS / script, *(str(argument) for argument in arguments)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def warm_memory(users: int) -> None:
    """Touches as much memory as the cases may need, because the first touch takes up to 2.4 s per GB on a virtual
    machine.
    """
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    count = min(available // 2, users * 50_000)
    subprocess.run([sys.executable, "-c", "import sys; bytearray(int(sys.argv[1]))", str(count)], check=True)


def told(text: str) -> None:
    """Prints progress to standard error."""
    print(text, file=sys.stderr, flush=True)
