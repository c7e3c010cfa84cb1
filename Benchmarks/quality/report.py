"""Writes reports/quality.md."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import conditions
from datasets import DataSet
from markdown import grouped, item, wrapped
from metrics import SAMPLES, Bootstrap

HERE = Path(__file__).resolve().parent
CUTS = {False: "one cut in time", True: "a cut for each user"}
# The columns of metrics in the summary.
SUMMARIZED = {0: "nDCG@10", 2: "recall@100"}


@dataclass
class Row:
    """One method with the metrics of each compared user."""

    method: str
    values: np.ndarray
    settings: str = ""
    is_peer: bool = False


@dataclass
class Comparison:
    """All methods on one data set and one cut. The first row is the pipeline with `order_by: discovery`."""

    data: DataSet
    within_users: bool
    users: int
    items: int
    learning: int
    # The largest difference between a metric of Nightjar and the same metric computed by this folder.
    difference: str
    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass
class Report:
    machine: list[str]
    threads: int
    missing: list[DataSet]
    comparisons: list[Comparison] = field(default_factory=list)


def machine(bin: Path) -> list[str]:
    """Returns lines about the machine and the versions."""
    version = conditions.printed(bin / "nightjar", "--version")
    return [
        conditions.hardware(),
        f"Nightjar {version} at {conditions.commit()}",
        conditions.packages(HERE / "requirements.txt"),
    ]


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(_lines(report)) + "\n", encoding="utf-8")


def _lines(report: Report) -> list[str]:
    made = f"""
        `make quality DATA=DIR` wrote this page on {datetime.now(UTC):%Y-%m-%d}. It compares the lists of Nightjar with the
        lists of other recommenders on public data sets. All methods have the same learning interactions,
        users and candidates."""
    lines = ["# Quality of the lists", "", *wrapped(made), ""]
    lines += [*(f"- {line}" for line in report.machine), f"- Nightjar used {report.threads} threads, each peer 1.", ""]
    lines += _summary(report.comparisons) + _method() + _data(report)
    for comparison in report.comparisons:
        lines += _comparison(comparison)
    return lines + _settings(report.comparisons)


def _summary(comparisons: list[Comparison]) -> list[str]:
    """Compares discovery with the peer of the highest nDCG@10, and with the peer of the highest recall@100."""
    lines = ["## Summary", "", "| data set | cut | metric | discovery | best peer | discovery minus best peer |"]
    lines.append("| --- | --- | --- | ---: | --- | ---: |")
    for comparison in comparisons:
        bootstrap = Bootstrap(comparison.users)
        discovery = comparison.rows[0].values
        for metric, name in SUMMARIZED.items():
            best = max((row for row in comparison.rows if row.is_peer), key=lambda row: row.values[:, metric].mean())
            difference = _estimate(bootstrap, discovery[:, metric] - best.values[:, metric], sign="+")
            cells = [comparison.data.title, CUTS[comparison.within_users], name, f"{discovery[:, metric].mean():.3f}"]
            cells += [f"{best.method}, {best.values[:, metric].mean():.3f}", difference]
            lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _method() -> list[str]:
    how = f"""
        Each data set is divided in two ways: with one cut in time for all users, and with a cut for each user. Each cut
        leaves the last 20% of the interactions for the test. Nightjar's evaluation makes both cuts, and the peers read
        them from its files. Candidates are all items that the user has not interacted with up to the cut. The tables
        contain the means over all users with later likes. The brackets contain 95% bootstrap intervals ({SAMPLES} samples
        of users, paired between methods)."""
    points = [
        "nDCG@10 and nDCG@100 measure the order of the first 10 and 100 entries. Recall@100 is the share of a "
        "user's later likes that the first 100 entries contain. [Metrics](../docs/reference/metrics.md#ranking-metrics) contains the formulas.",
        "The last column is the paired difference in nDCG@10: discovery minus the method. If the interval is above 0, "
        "discovery is better.",
        "The script chooses the settings of each peer on an inner cut within the learning part, by nDCG@10. LightGBM has "
        "fixed settings. Discovery chooses its settings in a similar way, but keeps its defaults unless the gain is clear. "
        "The last table lists the chosen settings of the peers.",
        "Peers order items with equal scores by popularity. EASE, item-kNN, iALS, BPR and WARP therefore give popular "
        "items to users without likes.",
        "LightGBM orders the best candidates of EASE, item-kNN, popularity, trending popularity and, if items have "
        "positions, distance. It is the only peer that uses positions.",
        "The script computes the metrics of each Nightjar method again from the lists of the method. The lists of "
        "`popular` must also be in the order of a separate count of likes. Candidates with equal counts can be in a "
        'different order: Nightjar lists the nearest first, and the peer "popularity" lists the first candidate of the '
        "export first. The figures of the two methods differ for this reason only.",
    ]
    return ["## Method", "", *wrapped(how), "", *(line for point in points for line in item(point)), ""]


def _data(report: Report) -> list[str]:
    lines = ["## Data sets", "", "| data set | folder in `DATA` | source |", "| --- | --- | --- |"]
    compared = dict.fromkeys(comparison.data for comparison in report.comparisons)
    for data in [*compared, *report.missing]:
        absent = " (left out: the folder was missing)" if data in report.missing else ""
        lines.append(f"| {data.title}{absent} | `{data.folder}` | <{data.source}> |")
    homes = """
        For visits, a user's home is the median position of the visits up to the cut. Only the first visit of a user to a
        place counts."""
    return [*lines, "", *wrapped(homes), ""]


def _comparison(comparison: Comparison) -> list[str]:
    lines = [f"## {comparison.data.title}: {CUTS[comparison.within_users]}", ""]
    size = f"""
        {grouped(comparison.users)} users with later likes, {grouped(comparison.items)} candidates and
        {grouped(comparison.learning)} interactions up to the cut. For the lists of Nightjar, the largest difference
        between the two computations of a metric is {comparison.difference}."""
    lines += [*wrapped(size), ""]
    lines += ["| method | nDCG@10 | nDCG@100 | recall@100 | discovery minus method |", "| --- " + "| ---: " * 4 + "|"]
    bootstrap = Bootstrap(comparison.users)
    discovery = comparison.rows[0].values
    for row in comparison.rows:
        cells = [row.method, *(_estimate(bootstrap, row.values[:, metric]) for metric in range(3))]
        difference = discovery[:, 0] - row.values[:, 0]
        cells.append("" if row is comparison.rows[0] else _estimate(bootstrap, difference, sign="+"))
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    return lines + [line for reason in comparison.left_out for line in (reason, "")]


def _estimate(bootstrap: Bootstrap, values: np.ndarray, sign: str = "") -> str:
    low, high = bootstrap.interval(values)
    return f"{values.mean():{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def _settings(comparisons: list[Comparison]) -> list[str]:
    lines = ["## Settings of the peers", "", "| data set | cut | peer | settings |", "| --- | --- | --- | --- |"]
    for comparison in comparisons:
        for row in comparison.rows:
            if row.settings:
                cells = [comparison.data.title, CUTS[comparison.within_users], row.method, row.settings]
                lines.append("| " + " | ".join(cells) + " |")
    return lines
