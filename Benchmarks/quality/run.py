#!/usr/bin/env python3
"""Compares the lists of Nightjar with other recommenders on public data sets, and writes reports/quality.md.

    run.py --data DIRECTORY [--only NAME ...] [--bin .build/release] [--work DIRECTORY] [--report FILE]

`make quality DATA=DIRECTORY` builds the program, installs the peers and calls this script. Data sets that are missing in
DIRECTORY are left out. If all are missing, the script ends with status 66.
"""

import argparse
import os

# Set one BLAS thread before NumPy is loaded, so that results do not depend on the number of BLAS threads.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

# All benchmarks share the module `conditions`.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from boosted import boosted
from datasets import DATA_SETS, DataSet
from metrics import lists, measured
from nightjar import TITLES, Program, checked, left_out
from peers import PEERS, Peer, choose, popularity
from report import CUTS, HERE, Comparison, Report, Row, machine, write
from split import Split, read_split

INPUT_MISSING = 66
ALL_PEERS = [*PEERS, Peer("LightGBM", boosted, most_users=12_000)]


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def compare(data: DataSet, within_users: bool, program: Program, work: Path) -> Comparison:
    """Evaluates the pipelines of one data set and all peers on one cut."""
    told(f"{data.title}, {CUTS[within_users]}")
    run = work / "run"
    program.evaluate(work / data.pipeline.name, run, within_users)
    split = read_split(data, work, run)
    learning = split.learning
    ours, difference = checked(run, split, popularity(learning))
    rows = [Row("**Nightjar, discovery**", ours["pipeline"])]
    if data.score_pipeline:
        program.evaluate(work / data.score_pipeline.name, work / "score", within_users)
        scored, other = checked(work / "score", split, popularity(learning))
        rows.append(Row("Nightjar, score", scored["pipeline"]))
        difference = max(difference, other)
    comparison = Comparison(
        data, within_users, len(split.test_users), learning.items, len(learning.interactions.user),
        f"{difference:.0e}", rows, left_out(run),
    )  # fmt: skip
    comparison.rows += [
        Row(title, ours[method])
        for method, title in TITLES.items()
        # Without positions, all candidates are equally near.
        if method in ours and (method != "nearest" or learning.positions is not None)
    ]
    for peer in ALL_PEERS:
        add(peer, split, comparison)
    return comparison


def add(peer: Peer, split: Split, comparison: Comparison) -> None:
    """Adds a peer to the comparison, or the reason for leaving it out."""
    learning = split.learning
    if learning.users > peer.most_users or learning.items > peer.most_items:
        comparison.left_out.append(f"{peer.name} is left out because it would need too much time or memory.")
        return
    start = time.monotonic()
    settings = choose(peer, learning)
    scorer = peer.fit(learning, **settings)
    found = lists(scorer, split.test_users, learning.seen, popularity(learning))
    values = measured(found, split.relevant)
    shown = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
    comparison.rows.append(Row(peer.name, values, shown, is_peer=True))
    told(f"  {peer.name:20} nDCG@10 {values[:, 0].mean():.4f}  {time.monotonic() - start:6.1f} s  {shown}")


def prepare(data: DataSet, source: Path, work: Path) -> None:
    """Writes the exports and copies the pipeline files beside them."""
    work.mkdir()
    data.convert(source / data.folder, work)
    for pipeline in (data.pipeline, data.score_pipeline):
        if pipeline:
            shutil.copy(pipeline, work)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the directory with the downloaded data sets")
    parser.add_argument("--only", nargs="+", choices=[data.name for data in DATA_SETS], help="the data sets to compare")
    parser.add_argument("--threads", type=int, default=2, help="the number of threads of Nightjar")
    parser.add_argument("--bin", type=Path, default=HERE.parent.parent / ".build/release")
    parser.add_argument("--work", type=Path, help="the directory for temporary files (default: TMPDIR)")
    parser.add_argument("--report", type=Path, default=HERE.parent.parent / "reports/quality.md")
    options = parser.parse_args()
    chosen = [data for data in DATA_SETS if not options.only or data.name in options.only]
    missing = [data for data in chosen if not (options.data / data.folder).is_dir()]
    present = [data for data in chosen if data not in missing]
    if not present:
        folders = ", ".join(dict.fromkeys(data.folder for data in chosen))
        told(f"quality: {options.data} contains none of the folders {folders}. Download a data set: "
            "docs/developing/quality.md lists the sources.")
        return INPUT_MISSING
    for data in missing:
        told(f"{data.title} is left out: {options.data / data.folder} is missing. Source: {data.source}")
    # LightGBM warns about missing feature names of NumPy arrays, and implicit warns about the threads of BLAS.
    warnings.filterwarnings("ignore")
    program = Program(options.bin.resolve(), options.threads)
    report = Report(machine(program.bin), options.threads, missing)
    with tempfile.TemporaryDirectory(dir=options.work) as name:
        for data in present:
            prepare(data, options.data, Path(name) / data.name)
            for within_users in CUTS:
                report.comparisons.append(compare(data, within_users, program, Path(name) / data.name))
                # The report is written after each comparison, because all comparisons together take long.
                write(report, options.report)
    told(f"report    {options.report}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
