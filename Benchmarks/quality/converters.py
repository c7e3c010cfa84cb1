"""Converts downloaded data sets into CSV exports that the pipelines in this folder read."""

import bisect
import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

# Coordinates are rounded to about 11 m, so a user's home does not change with each visit.
DECIMALS = 4


def write_csv(path: Path, header: list[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def movielens(source: Path, target: Path) -> None:
    """Converts MovieLens 100K: users, movies with year and genres, and ratings from 1 to 5 stars."""

    def fields(name: str, separator: str) -> Iterator[list[str]]:
        # The titles of movies are in Latin-1.
        with (source / name).open(encoding="latin-1") as file:
            for line in file:
                if line.strip():
                    yield line.rstrip("\n").split(separator)

    # The genres are the last 19 columns of u.item; 1 means that the movie has the genre.
    genres = [row[0] for row in fields("u.genre", "|")]
    items = []
    for row in fields("u.item", "|"):
        own = [genre for genre, flag in zip(genres, row[-len(genres) :], strict=True) if flag == "1"]
        items.append([row[0], row[2][-4:], ";".join(own)])
    write_csv(target / "items.csv", ["id", "year", "genres"], items)
    write_csv(target / "users.csv", ["id"], ([row[0]] for row in fields("u.user", "|")))
    ratings = (row[:4] for row in fields("u.data", "\t"))
    write_csv(target / "interactions.csv", ["user", "item", "stars", "at"], ratings)


def checkins(source: Path, target: Path, prefix: str) -> None:
    """Converts a data set of LBSNDatasets: places with positions, and the first visit of each user to each place.

    The files give no homes. A user's home is the median position of the visits so far. users.csv contains a version
    of the user for each move, so an evaluation restores the home as of its cut and learns nothing from later visits.
    """
    positions = {place: (float(lat), float(lon)) for place, lat, lon in _rows(source / f"{prefix}_poi_coos.txt")}
    # The check-ins of the Yelp data set are in a file with a slightly different name.
    [path] = source.glob(f"{prefix}_check*ins.txt")
    visits = sorted((int(float(at)), user, place) for user, place, at in _rows(path))
    write_csv(
        target / "items.csv", ["id", "latitude", "longitude"], ([place, *at] for place, at in positions.items())
    )
    write_csv(target / "users.csv", ["id", "updated", "latitude", "longitude"], _homes(visits, positions))
    first: dict[tuple[str, str], int] = {}
    for at, user, place in visits:
        first.setdefault((user, place), at)
    rows = ([user, place, at, 1] for (user, place), at in first.items())
    write_csv(target / "interactions.csv", ["user", "item", "at", "like"], rows)


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield line.split("\t")


def _homes(
    visits: list[tuple[int, str, str]], positions: dict[str, tuple[float, float]]
) -> Iterator[list[object]]:
    """Yields one row per user and home: the id, the time of the move, and the position."""
    seen: dict[str, tuple[list[float], list[float]]] = {}
    homes: dict[str, tuple[float, float]] = {}
    for at, user, place in visits:
        latitudes, longitudes = seen.setdefault(user, ([], []))
        bisect.insort(latitudes, positions[place][0])
        bisect.insort(longitudes, positions[place][1])
        home = (_middle(latitudes), _middle(longitudes))
        if homes.get(user) != home:
            homes[user] = home
            yield [user, at, *home]


def _middle(ascending: list[float]) -> float:
    return round(ascending[(len(ascending) - 1) // 2], DECIMALS)
