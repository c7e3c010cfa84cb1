"""The data sets: where to get them, how to convert them, and which pipeline files evaluate them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import converters

PIPELINES = Path(__file__).resolve().parent / "pipelines"
MOVIELENS = "https://grouplens.org/datasets/movielens/100k/"
CHECKINS = "https://github.com/rahmanidashti/LBSNDatasets"


@dataclass(frozen=True)
class DataSet:
    """A downloaded folder, and how the benchmark reads it as likes of candidates by users."""

    name: str
    title: str
    # The folder in DATA, and the page to download it from.
    folder: str
    source: str
    convert: Callable[[Path, Path], None]
    # The smallest value of a like; `None` if each interaction is a like.
    liked_from: int | None
    # The name of the pipeline files, if it is not the name of the data set.
    pipelines: str | None = None
    # The values of `stars` that the pipeline ignores.
    ignored: frozenset[int] = frozenset()

    @property
    def pipeline(self) -> Path:
        return PIPELINES / f"{self.pipelines or self.name}.yaml"

    @property
    def score_pipeline(self) -> Path | None:
        """The pipeline file with `order_by: score`, where attributes could predict the likes."""
        path = PIPELINES / f"{self.pipelines or self.name}-score.yaml"
        return path if path.exists() else None


def _checkins(name: str, title: str, folder: str, prefix: str) -> DataSet:
    return DataSet(name, title, folder, CHECKINS, partial(converters.checkins, prefix=prefix), None, "checkins")


DATA_SETS = [
    DataSet(
        "movielens-likes", "MovieLens 100K, likes", "ml-100k", MOVIELENS, converters.movielens, 4,
        ignored=frozenset({1, 2, 3}),
    ),
    DataSet("movielens-stars", "MovieLens 100K, stars", "ml-100k", MOVIELENS, converters.movielens, 4),
    _checkins("foursquare", "Foursquare, first visits", "Foursquare/Foursquare_3", "Foursquare"),
    _checkins("gowalla", "Gowalla, first visits", "Gowalla/Gowalla_3", "Gowalla"),
    _checkins("yelp", "Yelp, first visits", "Yelp/Yelp_3", "Yelp"),
]  # fmt: skip
