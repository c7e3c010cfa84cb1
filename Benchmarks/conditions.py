"""The conditions of a measurement: the machine, the commit and the versions, as lines of a report."""

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def hardware() -> str:
    """Returns the processors, the memory and the operating system."""
    processor = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{os.cpu_count()} x {processor}, {memory:.0f} GiB, {system}, Linux {platform.release()}"


def commit() -> str:
    """Returns the commit of the repository, with `-dirty` if files differ from the commit."""
    return printed("git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12")


def packages(requirements: Path) -> str:
    """Returns the versions of Python and of the packages that the file `requirements` names."""
    names = [line.split("==")[0] for line in requirements.read_text().split()]
    versions = [f"{name} {importlib.metadata.version(name)}" for name in names]
    return f"Python {platform.python_version()}, " + ", ".join(versions)


def printed(*command: object) -> str:
    """Returns the output of a command. For a failed command, returns `unknown` and prints a message to standard error.
    """
    try:
        text = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
        return text.strip() or "unknown"
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"benchmarks: {command[0]}: {error}", file=sys.stderr)
        return "unknown"
