#!/usr/bin/env python3
"""Counts the instructions of each stage on a small export, and compares them with Benchmarks/instructions.json.

    instructions.py [--bin .build/release] [--record]

Unlike times, counts are nearly the same whenever and beside whatever they are taken, so they can fail a change: a stage
that takes more than 3 % above its committed count ends this with status 1. --record writes the counts instead, to be
committed with the change that explains them. Needs valgrind; where there is none, says so and ends with status 0. On other
kinds of processors libraries take other ways, and counts are others: then it is skipped too, by name.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "instructions.json"
STAGES = ["ingest", "index", "fit", "rank", "publish"]
USERS, SWIPES_PER_USER = 1000, 20
LIMIT = 1.03


def processor() -> str:
    """What the counts depend on: vendor and family, as OpenBLAS and glibc choose code by these."""
    facts = dict(re.findall(r"^(vendor_id|cpu family|model)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    return f"{facts.get('vendor_id', os.uname().machine)} family {facts.get('cpu family')} model {facts.get('model')}"


def count(bin: Path) -> dict[str, int]:
    """Instructions by stage, of the whole process with one thread."""
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
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, work / "pipeline.yaml"]
            command += ["--run-dir", work / "run", "--threads", "1", "--quiet"]
            # The environment stands in the process's memory; a library may look for settings in it.
            environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
            finished = subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True)
            collected = re.search(r"Collected : (\d+)", finished.stderr)
            if finished.returncode or not collected:
                sys.exit(f"instructions: nightjar-{stage} under valgrind ended with {finished.returncode}:\n{finished.stderr}")
            counts[stage] = int(collected[1])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=HERE.parent / ".build/release")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    for tool in "valgrind", "strip":
        if not which(tool):
            print(f"instructions: skipped, as there is no {tool} in PATH.", file=sys.stderr)
            return
    recorded = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    if not options.record and recorded.get("processor") != processor():
        print(f"instructions: skipped: counted on {recorded.get('processor')}, this is {processor()}.", file=sys.stderr)
        return
    counts = count(options.bin.resolve())
    if options.record:
        COUNTS.write_text(json.dumps({"processor": processor(), "instructions": counts}, indent=2) + "\n")
    before = counts if options.record else recorded["instructions"]
    worse = []
    for stage in STAGES:
        change = counts[stage] / before[stage]
        print(f"{stage:8} {counts[stage]:>14,}  {100 * (change - 1):+7.2f} %".replace(",", " "))
        if change > LIMIT:
            worse.append(stage)
        elif change < 2 - LIMIT:
            print(f"instructions: {stage} takes fewer than before: record that with --record.", file=sys.stderr)
    if worse:
        sys.exit(
            f"instructions: {', '.join(worse)} took over {100 * (LIMIT - 1):.0f} % more instructions than in "
            f"{COUNTS.relative_to(HERE.parent)}. Find out why, or record the new counts with --record and say why."
        )


if __name__ == "__main__":
    main()
