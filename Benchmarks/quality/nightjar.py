"""Runs Nightjar's stages ingest and evaluate, and reads the figures of an evaluation."""

import csv
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metrics import LENGTH, NAMES, measured
from split import RANKING, Split

# Nightjar and this script add the same numbers in different orders.
TOLERANCE = 1e-9
# The methods that the report shows after the pipeline. It leaves out the random order.
TITLES = {
    "popular": "Nightjar, popular",
    "trending": "Nightjar, trending",
    "item_to_item": "Nightjar, item to item",
    "like_rate": "Nightjar, like rate",
    "nearest": "Nightjar, nearest",
}


@dataclass(frozen=True)
class Program:
    bin: Path
    threads: int

    def evaluate(self, pipeline: Path, run: Path, within_users: bool) -> None:
        """Writes the snapshot and the evaluation of the exports next to `pipeline` into `run`."""
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True)
        self._call("ingest", pipeline, run)
        within = "[person]" if within_users else "[]"
        self._call("evaluate", pipeline, run, "--set", f"evaluation.within={within}", "--threads", str(self.threads))

    def _call(self, stage: str, pipeline: Path, run: Path, *options: str) -> None:
        command = [str(self.bin / "nightjar"), stage, str(pipeline), "--run-dir", str(run), "--quiet", *options]
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if finished.returncode != 0:
            raise SystemExit(f"quality: {' '.join(command)} ended with {finished.returncode}\n{finished.stderr}")


def _ranking(run: Path) -> dict:
    return json.loads((run / "evaluation/metrics.json").read_text())["rankings"][RANKING]


def left_out(run: Path) -> list[str]:
    """Returns a sentence with the reason for each method in TITLES that the evaluation leaves out."""
    ranking = _ranking(run)
    missing = [method for method in TITLES if method not in ranking["method_order"]]
    unexplained = [method for method in missing if method not in ranking["left_out"]]
    if unexplained:
        raise SystemExit(f"quality: the evaluation lacks {', '.join(unexplained)} without a reason; build Nightjar again")
    return [f"{TITLES[method]} is left out: {ranking['left_out'][method]}." for method in missing]


def figures(run: Path, split: Split) -> dict[str, np.ndarray]:
    """Returns, for each method, the metrics in NAMES of the compared users, from per_user.csv."""
    rows: dict[tuple[str, str], list[float]] = {}
    with (run / "evaluation/per_user.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if int(row["likes"]) > 0:
                rows[row["method"], row["user_id"]] = [float(row[name]) for name in NAMES]
    users = [split.user_ids[user] for user in split.test_users]
    return {method: np.array([rows[method, user] for user in users]) for method in _ranking(run)["method_order"]}


def checked(run: Path, split: Split, popularity: np.ndarray) -> tuple[dict[str, np.ndarray], float]:
    """Returns the figures of an evaluation, and their largest difference from the same figures computed from its lists.

    Fails unless both sides compute the same metrics for Nightjar's lists, and unless the lists of `popular` are in the
    order of `popularity`. Candidates with equal popularity can have any order: Nightjar takes the nearest candidate
    first, and then decides by a hash of the ids.
    """
    stated = figures(run, split)
    largest = 0.0
    for method in stated:
        lists = _lists(run, method, split)
        largest = max(largest, float(np.abs(measured(lists, split.relevant) - stated[method]).max()))
        if method == "popular":
            _check_order(lists, split, popularity)
    if largest > TOLERANCE:
        raise SystemExit(f"quality: the recomputed metrics differ from the metrics in {run} by {largest}. Check metrics.py.")
    return stated, largest


def _check_order(lists: list[np.ndarray], split: Split, popularity: np.ndarray) -> None:
    seen = split.learning.seen
    for user, found in zip(split.test_users, lists, strict=True):
        unseen = popularity.copy()
        unseen[seen.indices[seen.indptr[user] : seen.indptr[user + 1]]] = -1
        best = -np.sort(-unseen)[:LENGTH]
        if not np.array_equal(unseen[found], best[best >= 0]):
            raise SystemExit("quality: a list of Nightjar's method 'popular' is not ordered by popularity")


def _lists(run: Path, method: str, split: Split) -> list[np.ndarray]:
    items = {name: index for index, name in enumerate(split.item_ids)}
    lists: dict[str, list[int]] = {}
    path = run / f"evaluation/trec/{RANKING}.{method}.run"
    for line in path.read_text(encoding="utf-8").splitlines():
        user, _, item, *_ = line.split()
        lists.setdefault(user, []).append(items[item])
    return [np.array(lists.get(split.user_ids[user], []), dtype=int) for user in split.test_users]
