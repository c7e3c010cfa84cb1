"""Reads exports with pyarrow, DuckDB or polars into typed columns in memory, with row numbers instead of ids.

    ingest.py pyarrow|duckdb|polars DIRECTORY --threads 2
    ingest.py nightjar RUN-DIRECTORY                       prints only the digest of the snapshot's columns

Prints the time and a digest of the columns. All digests must agree.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sharing import Floats, Rows, column, tell


def digest(users: int, fields: int, ratings: Floats, ages: Floats, swipes: tuple[Rows, Rows, Rows, Rows]) -> dict:
    """Returns sums that are independent of row order. A swipe is a user's row, a candidate's row, a like or pass, and a
    time.
    """
    user, candidate, liked, second = (values.astype(np.int64) for values in swipes)
    return {
        "users": users,
        "fields": fields,
        "ratings": round(float(ratings.sum(dtype=np.float64)), 3),
        "ages": int(ages.sum(dtype=np.float64)),
        "swipes": len(user),
        "pairs": int((user * (candidate % 1009)).sum()),
        "liked_users": int((user * liked).sum()),
        "seconds": int(second.sum()),
    }


def with_pyarrow(directory: Path, threads: int) -> dict:
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv

    pyarrow.set_cpu_count(threads)

    def read(name: str, **types: pyarrow.DataType) -> pyarrow.Table:
        options = pyarrow.csv.ConvertOptions(column_types=types)
        return pyarrow.csv.read_csv(directory / name, convert_options=options)

    start = time.perf_counter()
    moment = pyarrow.timestamp("s", tz="UTC")
    words = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    users = read("users.csv", business_field=words, age=pyarrow.int16(), updated_at=moment)
    swipes = read("swipes.csv", liked=pyarrow.int8(), swiped_at=moment)
    ids = users["id"].combine_chunks()
    user = pyarrow.compute.index_in(swipes["swiper_id"], value_set=ids)
    candidate = pyarrow.compute.index_in(swipes["target_id"], value_set=ids)
    liked, second = swipes["liked"], swipes["swiped_at"]
    del swipes
    seconds = time.perf_counter() - start

    fields = len(users["business_field"].unify_dictionaries().chunk(0).dictionary)
    columns = (user.to_numpy(), candidate.to_numpy(), liked.to_numpy(), second.cast(pyarrow.int64()).to_numpy())
    answer = digest(len(users), fields, users["rating"].to_numpy(), users["age"].to_numpy(), columns)
    return {"seconds": seconds, "answer": answer}


def with_duckdb(directory: Path, threads: int) -> dict:
    import duckdb

    database = duckdb.connect(config={"threads": threads})
    database.execute("SET TimeZone = 'UTC'")
    start = time.perf_counter()
    database.execute(f"""
        CREATE TABLE users AS SELECT (row_number() OVER () - 1)::INTEGER AS number, * FROM read_csv(
          '{directory}/users.csv', header = true, columns = {{'id': 'VARCHAR', 'latitude': 'DOUBLE', 'longitude':
          'DOUBLE', 'business_field': 'VARCHAR', 'rating': 'DOUBLE', 'age': 'SMALLINT', 'updated_at': 'TIMESTAMP'}})""")
    database.execute(f"""
        CREATE TABLE swipes AS SELECT swiper.number AS user, target.number AS candidate, liked, swiped_at FROM read_csv(
          '{directory}/swipes.csv', header = true, columns = {{'swiper_id': 'VARCHAR', 'target_id': 'VARCHAR', 'liked':
          'TINYINT', 'swiped_at': 'TIMESTAMP'}}) AS swipe
        LEFT JOIN users AS swiper ON swiper.id = swiper_id LEFT JOIN users AS target ON target.id = target_id""")
    seconds = time.perf_counter() - start

    users = database.execute("SELECT rating, age FROM users").fetchnumpy()
    fields = database.execute("SELECT count(DISTINCT business_field) FROM users").fetchone()[0]
    swipes = database.execute("SELECT user, candidate, liked, epoch(swiped_at)::BIGINT AS at FROM swipes").fetchnumpy()
    columns = (swipes["user"], swipes["candidate"], swipes["liked"], swipes["at"])
    return {"seconds": seconds, "answer": digest(len(users["age"]), fields, users["rating"], users["age"], columns)}


def with_polars(directory: Path, threads: int) -> dict:
    import os

    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    start = time.perf_counter()
    users, swipes = read_with_polars(directory)
    seconds = time.perf_counter() - start
    fields = users["business_field"].n_unique()
    columns = (swipes["user"], swipes["candidate"], swipes["liked"], swipes["swiped_at"].dt.epoch("s"))
    answer = digest(
        len(users), fields, users["rating"].to_numpy(), users["age"].to_numpy(), tuple(c.to_numpy() for c in columns)
    )
    del polars
    return {"seconds": seconds, "answer": answer}


def read_with_polars(directory: Path) -> tuple:
    """Returns users with their row numbers, and swipes with row numbers instead of ids."""
    import polars

    text, moment = polars.String, "%Y-%m-%dT%H:%M:%SZ"
    types = {"id": text, "latitude": polars.Float64, "longitude": polars.Float64, "business_field": text}
    types |= {"rating": polars.Float64, "age": polars.Int16, "updated_at": text}
    users = polars.read_csv(directory / "users.csv", schema=types).with_row_index("number")
    users = users.with_columns(
        polars.col("business_field").cast(polars.Categorical), polars.col("updated_at").str.to_datetime(moment)
    )
    types = {"swiper_id": text, "target_id": text, "liked": polars.Int8, "swiped_at": text}
    swipes = polars.read_csv(directory / "swipes.csv", schema=types)
    swipes = swipes.with_columns(polars.col("swiped_at").str.to_datetime(moment))
    numbers = users.select("id", "number")
    for id, name in ("swiper_id", "user"), ("target_id", "candidate"):
        swipes = swipes.join(numbers, left_on=id, right_on="id", how="left", maintain_order="left")
        swipes = swipes.rename({"number": name}).drop(id)
    return users, swipes


def of_nightjar(run: Path, threads: int) -> dict:
    users, swipes = run / "snapshot/entities/users", run / "snapshot/interactions/swipes"
    fields = len(column(users, "attributes/business_field.vocabulary.offsets")) - 1
    ratings, ages = column(users, "attributes/rating"), column(users, "attributes/age")
    columns = (
        np.repeat(np.arange(len(ratings)), np.diff(column(swipes, "user.offsets").astype(np.int64))),
        column(swipes, "candidate"),
        column(swipes, "value") > 0,
        column(swipes, "at") // 1000,
    )
    return {"seconds": 0, "answer": digest(len(ratings), fields, ratings, ages, columns)}


def main() -> None:
    systems = {"pyarrow": with_pyarrow, "duckdb": with_duckdb, "polars": with_polars, "nightjar": of_nightjar}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", choices=systems)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    tell(**systems[options.system](options.directory, options.threads))


if __name__ == "__main__":
    main()
