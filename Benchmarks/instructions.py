#!/usr/bin/env python3
"""Counts the instructions of each stage on a small export, and compares them with Benchmarks/instructions.json.

    instructions.py [--bin .build/release] [--record]

Unlike times, counts hardly depend on other load, so they can reject a change. If a stage needs over 3 % more
instructions than its committed count, the script exits with status 1. With --record, it writes the counts instead.
Commit them with the change that explains them. The script needs valgrind, and the compiler and system of the committed
counts. Without these, it prints what is missing and exits with status 0.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "instructions.json"
STAGES = ["ingest", "index", "fit", "rank", "publish"]
# With fewer users, process start-up dominates the counts.
USERS, SWIPES_PER_USER = 3000, 20
LIMIT = 1.03


def toolchain() -> str:
    """Returns the versions of the software on which the counts depend, except for the code.

    The processor has no effect, because valgrind emulates a processor.
    """
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Swift version [0-9.]+", swift)
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    vectors = "AVX2" if re.search(r"\bavx2\b", Path("/proc/cpuinfo").read_text()) else "no AVX2"
    return f"{version[0] if version else swift.strip()} on {system}, {platform.machine()}, {vectors}"


def count(bin: Path) -> dict[str, int]:
    """Counts the instructions of each stage, for the whole process with one thread."""
    counts = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        synthesis = ["synthesize", "--users", str(USERS), "--swipes-per-user", str(SWIPES_PER_USER), "--seed", "1"]
        subprocess.run([bin / "nightjar", *synthesis, "--out", work], check=True, capture_output=True)
        (work / "run").mkdir()
        for stage in STAGES:
            # valgrind cannot read Swift's debug information (DWARF 5).
            program = work / f"nightjar-{stage}"
            subprocess.run(["strip", "--strip-debug", "-o", program, bin / program.name], check=True)
            command = [
                "valgrind",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                program,
                work / "pipeline.yaml",
            ]
            command += ["--run-dir", work / "run", "--threads", "1", "--quiet"]
            # The environment is minimal, because libraries read settings from it.
            environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
            finished = subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True)
            collected = re.search(r"Collected : (\d+)", finished.stderr)
            if finished.returncode or not collected:
                status = finished.returncode
                sys.exit(f"instructions: nightjar-{stage} under valgrind ended with {status}:\n{finished.stderr}")
            counts[stage] = int(collected[1])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=HERE.parent / ".build/release")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    for tool in "valgrind", "strip", "swift":
        if not which(tool):
            print(f"instructions: skipped, because {tool} is not in PATH.", file=sys.stderr)
            return
    recorded = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    if not options.record and recorded.get("toolchain") != toolchain():
        print(
            f"instructions: skipped, because the committed counts are from {recorded.get('toolchain')}, and this is "
            f"{toolchain()}.",
            file=sys.stderr,
        )
        return
    counts = count(options.bin.resolve())
    if options.record:
        COUNTS.write_text(json.dumps({"toolchain": toolchain(), "instructions": counts}, indent=2) + "\n")
    before = counts if options.record else recorded["instructions"]
    worse = []
    for stage in STAGES:
        change = counts[stage] / before[stage]
        print(f"{stage:8} {counts[stage]:>14,}  {100 * (change - 1):+7.2f} %".replace(",", " "))
        if change > LIMIT:
            worse.append(stage)
        elif change < 2 - LIMIT:
            print(
                f"instructions: {stage} needs fewer instructions than recorded. Record the new count with --record.",
                file=sys.stderr,
            )
    if worse:
        sys.exit(
            f"instructions: {', '.join(worse)} needed over {100 * (LIMIT - 1):.0f} % more instructions than in "
            f"{COUNTS.relative_to(HERE.parent)}. Find the cause, or record the new counts with --record and state the "
            "reason in the commit message."
        )


if __name__ == "__main__":
    main()
