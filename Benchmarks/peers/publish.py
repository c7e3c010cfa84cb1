"""Writes lists from memory into SQLite (WAL) with Python's `executemany`, one document per user.

    publish.py RUN-DIRECTORY STORE
    publish.py RUN-DIRECTORY OUR-STORE --check    checks that Nightjar's store serves each line of the lists

The reported time excludes reading the lists.
"""

import argparse
import json
import sqlite3
import time
from pathlib import Path


def documents(run: Path) -> list[tuple[str, str]]:
    """Returns the user id and the line of each list."""
    found = []
    for part in sorted((run / "rankings/partners").glob("part-*.jsonl")):
        with part.open() as lines:
            # The id is the first value of a line.
            found += [(line.split('"', 4)[3], line.rstrip("\n")) for line in lines]
    return found


def publish(rows: list[tuple[str, str]], store: Path) -> None:
    database = sqlite3.connect(store, isolation_level=None)
    database.execute("PRAGMA journal_mode = wal")
    database.execute("PRAGMA synchronous = normal")
    database.execute("BEGIN")
    database.execute("CREATE TABLE lists (user_id TEXT PRIMARY KEY, document TEXT) WITHOUT ROWID")
    database.executemany("INSERT INTO lists VALUES (?, ?)", rows)
    database.execute("COMMIT")
    database.close()


def differing(rows: list[tuple[str, str]], store: Path) -> int:
    """Counts the lists whose served document differs from the file."""
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    served = database.execute("SELECT user_id, document FROM served_lists WHERE pipeline = 'whole'")
    expected, wrong = dict(rows), 0
    for user, document in served:
        line = expected.pop(user, None)
        # The store may omit values that it keeps elsewhere, so only the recommendations are compared.
        wrong += line is None or (
            line != document and json.loads(line)["recommendations"] != json.loads(document)["recommendations"]
        )
    return wrong + len(expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows = documents(options.run)
    if options.check:
        print(json.dumps({"lists": len(rows), "differing": differing(rows, options.store)}))
        return
    start = time.perf_counter()
    publish(rows, options.store)
    print(json.dumps({"seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
