"""The memory that is available, and a check before large arrays are made."""

import os
from contextlib import suppress
from functools import cache
from math import prod
from pathlib import Path, PurePosixPath

import numpy as np

from bayesrank._core.errors import ArgumentError


def check_memory(wanted: str, what: str, shape: tuple[int, ...], held: str) -> None:
    """Raise an error if this many floats exceed half of the available memory."""
    needed = 8 * prod(shape)
    available, whose = available_memory()
    if needed > available / 2:
        raise ArgumentError(
            f"{wanted} for {what}, which",
            f"are {needed / 2**30:.1f} GiB, more than half of {whose} ({available / 2**30:.1f} GiB)",
            held,
        )


def available_memory() -> tuple[float, str]:
    """Return the bytes available to this process and what limits them: the process, its container or the machine."""
    machine = (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if hasattr(os, "sysconf")
        else np.inf
    )
    limits: list[tuple[float, str]] = [(machine, "this machine's memory")]
    limits += [(limit, "this container's memory") for limit in _own_limits()]
    with suppress(ImportError):  # Windows
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            limits.append((soft, "the memory that this process may use"))
    return min(limits)


@cache
def _own_limits() -> list[float]:
    return container_limits()  # once: reading the files takes longer than a small fit


def container_limits(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> list[float]:
    """Return the memory limits of the process's control groups (versions 1 and 2), if any."""
    entries = [["", "", "/"], ["", "memory", "/"]]
    with suppress(OSError):
        entries += [line.split(":", 2) for line in own.read_text().splitlines()]
    result = []
    for _, controllers, path in entries:
        if controllers not in ("", "memory"):
            continue
        base, file = (
            (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        )
        group_path = PurePosixPath(path)
        for folder in (group_path, *group_path.parents):
            with suppress(OSError):
                text = (base / str(folder).lstrip("/") / file).read_text().strip()
                result += [float(text)] if text.isdigit() else []
    return result
