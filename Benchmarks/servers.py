"""Runs PostgreSQL and Redis servers for benchmarks, on the loopback interface and in a given directory."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _postgresql() -> Path | None:
    """Returns the newest version that Debian installed."""
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    return max(found, key=lambda path: int(path.parts[-3]), default=None)


def _redis() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


def have_postgresql() -> bool:
    return _postgresql() is not None


def have_redis() -> bool:
    return _redis() is not None


def _wait(server: subprocess.Popen, answers: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + 60
    while not answers():
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"the server did not start:\n{log.read_text()}")
        time.sleep(0.1)


@contextlib.contextmanager
def _running(command: list[str], answers: Callable[[], bool], log: Path) -> Iterator[None]:
    with log.open("w") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=log.parent)
    try:
        _wait(server, answers, log)
        yield
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def postgresql(directory: Path) -> Iterator[str]:
    """Runs a server and yields its address. It has default settings, except for 1 GB of buffers and a write-ahead log
    of up to 4 GB.
    """
    programs, port = _postgresql().parent, free_port()
    directory.mkdir()
    # PostgreSQL refuses to run as root.
    runner = []
    if os.geteuid() == 0:
        shutil.chown(directory, "postgres", "postgres")
        for above in directory.parents:
            above.chmod(above.stat().st_mode | 0o111) if above.stat().st_uid == 0 else None
        runner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    data = directory / "data"
    initialize = [*runner, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*initialize, "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL, cwd=directory)
    settings = {"listen_addresses": "127.0.0.1", "shared_buffers": "1GB", "max_wal_size": "4GB"}
    command = [*runner, programs / "postgres", "-D", data, "-p", port, "-k", directory]
    command += [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]

    def answers() -> bool:
        asked = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-q"]
        return subprocess.run(asked, check=False).returncode == 0

    with _running([str(word) for word in command], answers, directory.with_suffix(".log")):
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"


@contextlib.contextmanager
def redis(directory: Path) -> Iterator[str]:
    """Runs a server that keeps all data in memory, and yields its address."""
    port = free_port()
    directory.mkdir()
    command = [_redis(), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    with _running([*command, "--dir", str(directory)], answers, directory.with_suffix(".log")):
        yield f"redis://127.0.0.1:{port}/0"
