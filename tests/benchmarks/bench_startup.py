"""Processor time of the command from its start to its end, as a ratio to ``import pandas`` in the same run.

Run: python tests/benchmarks/bench_startup.py [runs]. Each command runs in a new process. A warm command finds
code compiled by Numba on disk; a cold one does not. Both find bytecode, which installing a package writes.
"""

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

COUNTS = "entity,tn,fp,fn,tp\na,80,20,10,90\nb,85,15,12,88\nc,70,30,20,80\n"
PANDAS = ["-c", "import pandas"]
#: The command, and the ratio to reach when warm and when cold.
COMMANDS = {
    "--version": (["--version"], 0.5, None),
    "rank, three entities": (["rank", "counts.csv"], 3, 6),
    "report, three entities": (["report", "counts.csv", "-o", "report.html"], 5, 12),
}


def seconds(arguments: list[str], folder: str, cold: bool = False) -> float:
    """Return the processor seconds of a Python process."""
    with TemporaryDirectory() as cache:
        own = {"NUMBA_CACHE_DIR": cache} if cold else {}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | own
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(runs: int) -> None:
    with TemporaryDirectory() as folder:
        Path(folder, "counts.csv").write_text(COUNTS, encoding="utf-8")
        for name, (arguments, warm_goal, cold_goal) in COMMANDS.items():
            command = ["-m", "bayesrank", *arguments]
            seconds(command, folder)
            for cold, goal in ((False, warm_goal), (True, cold_goal)):
                if goal is None:
                    continue
                pairs = [
                    (seconds(command, folder, cold), seconds(PANDAS, folder)) for _ in range(runs)
                ]
                ratio = statistics.median(one / other for one, other in pairs)
                state = "cold" if cold else "warm"
                print(
                    f"{name}, {state}: {pairs[0][0]:.2f} s, {ratio:.2f} times import pandas (wanted below {goal:g})"
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
