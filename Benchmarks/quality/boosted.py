"""The peer LightGBM: it orders the candidates of several simple methods by gradient-boosted trees.

The trees learn on the inner cut which candidates a user likes later. All features come from the likes before that cut,
so the homes and distances of the learning rows contain no later visits.
"""

import numpy as np
from lightgbm import LGBMRanker

import peers
from metrics import Scorer, lists
from split import Learning, inner_split

EARTH_RADIUS = 6371.0
HALF_LIVES = [7, 30, 90, 365]
# The distance of users without likes, who have no home.
FAR = 20_000.0


class Features:
    """The candidates of each user, with one row of features per candidate."""

    def __init__(self, learning: Learning) -> None:
        self.learning = learning
        self.liked = learning.liked
        self.popularity = peers.popularity(learning)
        self.found_by: list[Scorer] = [
            peers.ease(learning, 300), peers.item_knn(learning, 100, 10), peers.popular(learning),
            peers.trending(learning, 30),
        ]  # fmt: skip
        self.by_item = [np.log1p(self.popularity)]
        self.by_item += [np.log1p(peers.trend(learning, days)) for days in HALF_LIVES]
        self.scorers: list[Scorer] = [*self.found_by[:2], peers.ials(learning, 32, 10, 10)]
        if learning.positions is not None:
            self.units = _unit_vectors(learning.positions)
            self.homes = self._homes()
            self.found_by.append(lambda users: -self._from_home(users))

    def candidates(self, users: np.ndarray) -> list[np.ndarray]:
        """Returns, for each user, the best items of each method, without items that the user has seen."""
        found = [lists(scorer, users, self.learning.seen, self.popularity) for scorer in self.found_by]
        return [np.unique(np.concatenate(own)) for own in zip(*found, strict=True)]

    def rows(self, users: np.ndarray, candidates: list[np.ndarray]) -> list[np.ndarray]:
        """Returns, for each user, one row per candidate."""
        scores = [scorer(users) for scorer in self.scorers]
        if self.learning.positions is not None:
            scores.append(np.log1p(self._from_home(users)))
        result = []
        for index, (user, own) in enumerate(zip(users, candidates, strict=True)):
            likes = self.liked.indices[self.liked.indptr[user] : self.liked.indptr[user + 1]]
            columns = [score[index][own] for score in scores] + [values[own] for values in self.by_item]
            columns.append(np.full(len(own), len(likes)))
            if self.learning.positions is not None:
                columns.append(np.log1p(self._from_likes(likes, own)))
            result.append(np.column_stack(columns))
        return result

    def _homes(self) -> np.ndarray:
        """Returns the median position of each user's likes as a unit vector; NaN without likes."""
        homes = np.full((self.learning.users, 2), np.nan)
        for user in np.flatnonzero(np.diff(self.liked.indptr)):
            likes = self.liked.indices[self.liked.indptr[user] : self.liked.indptr[user + 1]]
            homes[user] = np.median(self.learning.positions[likes], axis=0)
        return _unit_vectors(homes)

    def _from_home(self, users: np.ndarray) -> np.ndarray:
        return np.nan_to_num(_kilometers(self.homes[users] @ self.units.T), nan=FAR)

    def _from_likes(self, likes: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        """Returns the distance of each candidate from the user's nearest like."""
        if len(likes) == 0:
            return np.full(len(candidates), FAR)
        return _kilometers((self.units[candidates] @ self.units[likes].T).max(axis=1))


def boosted(learning: Learning) -> Scorer:
    inner, users, relevant = inner_split(learning)
    past = Features(inner)
    candidates = past.candidates(users)
    labels = [np.isin(own, wanted) for own, wanted in zip(candidates, relevant, strict=True)]
    model = LGBMRanker(
        n_estimators=300, learning_rate=0.03, num_leaves=15, min_child_samples=50, subsample=0.8, subsample_freq=1,
        colsample_bytree=0.8, random_state=peers.SEED, n_jobs=1, deterministic=True, force_row_wise=True, verbose=-1,
    )  # fmt: skip
    rows = np.concatenate(past.rows(users, candidates))
    model.fit(rows, np.concatenate(labels).astype(int), group=[len(own) for own in candidates])
    present = Features(learning)

    def scorer(some: np.ndarray) -> np.ndarray:
        scores = np.full((len(some), learning.items), -np.inf)
        candidates = present.candidates(some)
        for index, (own, rows) in enumerate(zip(candidates, present.rows(some, candidates), strict=True)):
            scores[index, own] = model.booster_.predict(rows)
        return scores

    return scorer


def _unit_vectors(positions: np.ndarray) -> np.ndarray:
    latitude, longitude = np.radians(positions).T
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )


def _kilometers(cosines: np.ndarray) -> np.ndarray:
    return EARTH_RADIUS * np.arccos(np.clip(cosines, -1, 1))
