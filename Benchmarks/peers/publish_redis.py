"""Writes the same lists from memory into Redis with batches of SET commands on a socket, and counts the replies.

    publish_redis.py RUN-DIRECTORY ADDRESS
    publish_redis.py RUN-DIRECTORY ADDRESS --check    checks that Nightjar's store serves each line of the lists
"""

import argparse
import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from publish import documents

BATCH = 2_000


def command(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Redis:
    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self.socket = socket.create_connection((place.hostname, place.port))
        self.replies = self.socket.makefile("rb", 1 << 20)

    def load(self, rows: list[tuple[bytes, bytes]]) -> None:
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            self.socket.sendall(b"".join(command(b"SET", key, value) for key, value in batch))
            for _ in batch:
                reply = self.replies.readline()
                if reply != b"+OK\r\n":
                    raise SystemExit(f"publish_redis: Redis replied {reply!r} instead of OK")

    def get(self, key: bytes) -> bytes | None:
        self.socket.sendall(command(b"GET", key))
        length = int(self.replies.readline()[1:])
        return None if length < 0 else self.replies.read(length + 2)[:-2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("address")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows = [(user.encode(), line.encode()) for user, line in documents(options.run)]
    redis = Redis(options.address)
    if options.check:
        generation = redis.get(b"nightjar:{whole}:current") or b"none"
        prefix = b"nightjar:{whole}:" + generation + b":list:partners:"
        differing = sum(redis.get(prefix + user) != line for user, line in rows)
        print(json.dumps({"lists": len(rows), "differing": differing}))
        return
    keyed = [(b"peer:list:partners:" + user, line) for user, line in rows]
    start = time.perf_counter()
    redis.load(keyed)
    print(json.dumps({"seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
