"""Writes the same lists into PostgreSQL with psql's `\\copy`. The table has the same columns and index as Nightjar's.

    publish_postgresql.py RUN-DIRECTORY ADDRESS --rows FILE --prepare    writes the rows in the format of `\\copy`
    publish_postgresql.py RUN-DIRECTORY ADDRESS --rows FILE              copies the rows into the table
    publish_postgresql.py RUN-DIRECTORY ADDRESS --rows FILE --check      checks that Nightjar's store serves each line
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

from publish import documents

TABLE = """
DROP TABLE IF EXISTS peer;
CREATE TABLE peer (content_id bigint NOT NULL, user_id text COLLATE "C" NOT NULL, document json NOT NULL,
    PRIMARY KEY (content_id, user_id));
"""


def psql(address: str, *commands: str) -> str:
    words = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", address]
    words += [word for command in commands for word in ("-c", command)]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def escaped(text: str) -> str:
    """Escapes a value for the text format of COPY."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("address")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.prepare:
        with options.rows.open("w") as rows:
            for user, document in documents(options.run):
                rows.write(f"1\t{escaped(user)}\t{escaped(document)}\n")
    elif options.check:
        # The server compares the rows of both tables.
        join = """FROM (SELECT user_id, document::text AS line FROM nightjar.served_lists) AS ours
            FULL JOIN (SELECT user_id, document::text AS line FROM peer) AS theirs USING (user_id, line)"""
        count = f"SELECT count(*), count(*) FILTER (WHERE ours IS NULL OR theirs IS NULL) {join}"
        lists, differing = psql(options.address, count).strip().split("|")
        print(json.dumps({"lists": int(lists), "differing": int(differing)}))
    else:
        psql(options.address, TABLE, "CHECKPOINT")
        start = time.perf_counter()
        psql(options.address, f"\\copy peer FROM '{options.rows}'")
        print(json.dumps({"seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
