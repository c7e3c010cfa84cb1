"""The learning part and the later likes, as Nightjar's evaluation divided them."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from datasets import DataSet

# The share of the learning part from which a peer learns while its settings are chosen.
INNER_SHARE = 0.8
# The settings of a peer are compared on at most this many users.
INNER_USERS = 1000
RANKING = "find"


@dataclass(frozen=True)
class Interactions:
    """Parallel arrays with one element per interaction. A pair of a user and an item occurs once."""

    user: np.ndarray
    item: np.ndarray
    at: np.ndarray
    is_like: np.ndarray

    def where(self, chosen: np.ndarray) -> "Interactions":
        return Interactions(self.user[chosen], self.item[chosen], self.at[chosen], self.is_like[chosen])


@dataclass(frozen=True)
class Learning:
    """The data that a method can use: the interactions up to the cut, and the positions of the items."""

    interactions: Interactions
    users: int
    items: int
    # Whether each user has a cut of their own.
    within_users: bool
    # Latitude and longitude of each item in degrees; `None` for data sets without positions.
    positions: np.ndarray | None

    @property
    def likes(self) -> Interactions:
        return self.interactions.where(self.interactions.is_like)

    def matrix(self, interactions: Interactions) -> csr_array:
        """Returns a matrix of users by items, with 1 for each of the interactions."""
        ones = np.ones(len(interactions.user), dtype=np.float32)
        return csr_array((ones, (interactions.user, interactions.item)), shape=(self.users, self.items))

    @property
    def liked(self) -> csr_array:
        return self.matrix(self.likes)

    @property
    def seen(self) -> csr_array:
        return self.matrix(self.interactions)


@dataclass(frozen=True)
class Split:
    learning: Learning
    # The compared users, and the items that each of them likes after the cut.
    test_users: np.ndarray
    relevant: list[np.ndarray]
    user_ids: list[str]
    item_ids: list[str]


def read_split(data: DataSet, exports: Path, run: Path) -> Split:
    """Reads the split of the evaluation in `run`. Fails if the counts of the exports differ from the counts of the
    evaluation.
    """
    user_ids = _ids(exports / "users.csv")
    item_ids = _ids(exports / "items.csv")
    users = {name: index for index, name in enumerate(user_ids)}
    items = {name: index for index, name in enumerate(item_ids)}
    every = _interactions(data, exports / "interactions.csv", users, items)
    split = json.loads((run / "evaluation/metrics.json").read_text())["split"]
    cuts = _cuts(split["groups"], users)
    learned = every.at * 1000 <= cuts[every.user]
    _require(int(learned.sum()) == split["learning"], "the exports and Nightjar's evaluation have different numbers of learning interactions")
    _require(int((~learned).sum()) == split["test"], "the exports and Nightjar's evaluation have different numbers of test interactions")
    within = len(split["groups"]) > 1
    learning = Learning(every.where(learned), len(users), len(items), within, _positions(exports / "items.csv"))
    relevant = _qrels(run / f"evaluation/trec/{RANKING}.qrels", users, items)
    later = every.where(~learned & every.is_like)
    pairs = {(user, item) for user, found in relevant.items() for item in found}
    liked = set(zip(later.user.tolist(), later.item.tolist(), strict=True))
    _require(pairs == liked, "the exports and Nightjar's evaluation have different later likes")
    test_users = np.array(sorted(relevant))
    return Split(learning, test_users, [np.array(relevant[user]) for user in test_users], user_ids, item_ids)


def inner_split(learning: Learning) -> tuple[Learning, np.ndarray, list[np.ndarray]]:
    """Divides the learning part as the evaluation divides all data, for the choice of settings.

    Returns the earlier part, the compared users, and the items that each of them likes later.
    """
    part = learning.interactions
    if learning.within_users:
        order = np.lexsort((part.at, part.user))
        counts = np.bincount(part.user, minlength=learning.users)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order)) - np.repeat(starts, counts)
        earlier = place < (INNER_SHARE * counts).astype(int)[part.user]
    else:
        earlier = part.at <= np.quantile(part.at, INNER_SHARE, method="lower")
    inner = Learning(
        part.where(earlier), learning.users, learning.items, learning.within_users, learning.positions
    )
    later = part.where(~earlier & part.is_like)
    users = np.unique(later.user)
    if len(users) > INNER_USERS:
        users = np.sort(np.random.default_rng(1).choice(users, INNER_USERS, replace=False))
    by_user = learning.matrix(later)
    return inner, users, [by_user.indices[by_user.indptr[user] : by_user.indptr[user + 1]] for user in users]


def _ids(path: Path) -> list[str]:
    """Returns the distinct ids of an export. A user with several versions has several rows."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(dict.fromkeys(row["id"] for row in csv.DictReader(file)))


def _positions(path: Path) -> np.ndarray | None:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if "latitude" not in rows[0]:
        return None
    return np.array([[float(row["latitude"]), float(row["longitude"])] for row in rows])


def _interactions(data: DataSet, path: Path, users: dict[str, int], items: dict[str, int]) -> Interactions:
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            stars = int(row.get("stars", 0))
            if stars not in data.ignored:
                is_like = data.liked_from is None or stars >= data.liked_from
                rows.append((users[row["user"]], items[row["item"]], int(row["at"]), is_like))
    user, item, at, is_like = (np.array(column) for column in zip(*rows, strict=True))
    pairs = set(zip(user.tolist(), item.tolist(), strict=True))
    _require(len(pairs) == len(rows), "the exports contain a pair of a user and an item twice")
    # LightFM reads only matrices with 32-bit indices.
    return Interactions(user.astype(np.int32), item.astype(np.int32), at, is_like)


def _cuts(groups: list[dict], users: dict[str, int]) -> np.ndarray:
    """Returns the cut of each user in milliseconds. A group without a cut has no learning interactions."""
    cuts = [-1 if group["cut_ms"] is None else group["cut_ms"] for group in groups]
    if len(groups) == 1:
        return np.full(len(users), cuts[0])
    result = np.full(len(users), -1)
    for group, cut in zip(groups, cuts, strict=True):
        result[users[group["group"]]] = cut
    return result


def _qrels(path: Path, users: dict[str, int], items: dict[str, int]) -> dict[int, list[int]]:
    relevant: dict[int, list[int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        user, _, item, gain = line.split()
        if int(gain) > 0:
            relevant.setdefault(users[user], []).append(items[item])
    return relevant


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise SystemExit(f"quality: {problem}. Correct the converter or split.py.")
