"""Change one operator or number of the package at a time, and list the changes that no quick test notices.

usage: python scripts/mutants.py [--number 60] [--seed TEXT] [--only PACKAGE]

The places are random; their seed is the hash of the commit, so that each commit is asked something else. First the
quick tests run once in a copy of the repository without a change, and ``coverage`` records which test ran which line.
(It takes about twice the processor time of the tests alone. Tests that fail in it, as may those of the time that
something takes, are named and left out.) Then each mutant runs the tests that ran its line, the shortest first, until
one fails. If none fails, all tests of their files run, since a test can use what an earlier test computed and kept. A
mutant whose tests take ``PATIENCE`` times as long as without it, as with a loop that does not end, counts as killed.
Where the tests end without a result, as when the machine has no memory left, the script ends.

A survivor whose change keeps the meaning (``min`` over one more equal value, a tolerance, a number of iterations) is no
gap in the tests; read the list before writing tests.
"""

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "analysis",
    "cases",
    "claims",
    "cli",
    "decisions",
    "evidence",
    "exact",
    "io",
    "models",
    "planning",
    "ranking",
    "report",
    "scores",
)
#: Mutants that are judged at the same time, each in its own copy of the repository.
TOGETHER = 2
PATIENCE = 10
COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
COMPUTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}
#: A plugin of pytest that runs only some of the collected tests, in a given order, and writes how long each took.
PLUGIN = """
import json, os

def pytest_collection_modifyitems(items):
    if "WANTED" in os.environ:
        order = {name: at for at, name in enumerate(json.load(open(os.environ["WANTED"])))}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

seconds, failed = {}, set()

def pytest_runtest_logreport(report):
    seconds[report.nodeid] = seconds.get(report.nodeid, 0) + report.duration
    if report.failed:
        failed.add(report.nodeid)

def pytest_sessionfinish(session):
    if "SECONDS" in os.environ and not hasattr(session.config, "workerinput"):
        passed = {test: time for test, time in seconds.items() if test not in failed}
        json.dump(passed, open(os.environ["SECONDS"], "w"))
"""


class Mutate(ast.NodeTransformer):
    """Count the places that can be changed, and change the one with number ``wanted``."""

    def __init__(self, wanted: int = -1) -> None:
        self.wanted, self.seen, self.line = wanted, 0, 0

    def _is_it(self, node: ast.AST) -> bool:
        self.seen += 1
        if self.seen - 1 == self.wanted:
            self.line = node.lineno  # type: ignore[attr-defined]
            return True
        return False

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in COMPARED and self._is_it(node):
            node.ops = [COMPARED[type(node.ops[0])]()]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        texts = any(isinstance(side, ast.JoinedStr | ast.Constant) and not _is_number(side)
                    for side in (node.left, node.right))  # fmt: skip
        if not texts and type(node.op) in COMPUTED and self._is_it(node):
            node.op = COMPUTED[type(node.op)]()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._is_it(node):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if (
            isinstance(node.op, ast.Not | ast.USub)
            and not _is_number(node.operand)
            and self._is_it(node)
        ):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if _is_number(node) and self._is_it(node):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # words are tested elsewhere

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value is not None else None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def places_in(path: Path) -> int:
    count = Mutate()
    count.visit(ast.parse(path.read_text("utf-8")))
    return count.seen


def mutate(path: Path, place: int) -> tuple[int, str, str]:
    """Write a file with one change; return its line, and the line before and after."""
    before, change = ast.unparse(ast.parse(path.read_text("utf-8"))), Mutate(place)
    after = ast.unparse(ast.fix_missing_locations(change.visit(ast.parse(path.read_text("utf-8")))))
    path.write_text(after, "utf-8")
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    old, new = next(((a, b) for a, b in lines if a != b), ("", ""))
    return change.line, old.strip(), new.strip()


class Tests(NamedTuple):
    """Which tests ran each line of a file of the package, and how many seconds each test took."""

    by_line: dict[tuple[Path, int], set[str]]
    seconds: dict[str, float]

    def of_line(self, file: Path, line: int) -> list[str]:
        return self._shortest_first(self.by_line.get((file, line), set()))

    def beside(self, file: Path, line: int) -> list[str]:
        """All tests of the files of tests that ran the line; if none ran it, of those that ran any line of the file."""
        near = self.by_line.get((file, line)) or {
            test for (other, _), tests in self.by_line.items() if other == file for test in tests
        }
        files = {test.split("::")[0] for test in near}
        return self._shortest_first(test for test in self.seconds if test.split("::")[0] in files)

    def _shortest_first(self, tests: Iterable[str]) -> list[str]:
        return sorted(
            (test for test in tests if test in self.seconds), key=lambda test: self.seconds[test]
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed")
    parser.add_argument("--only", choices=PACKAGES)
    given = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seed = given.seed or commit.stdout.strip()
    packages = [given.only] if given.only else PACKAGES
    files = [
        path
        for package in packages
        for path in sorted((ROOT / "bayesrank" / package).rglob("*.py"))
    ]
    every = [(path.relative_to(ROOT), place) for path in files for place in range(places_in(path))]
    chosen = random.Random(seed).sample(every, min(given.number, len(every)))
    print(f"{len(chosen)} of {len(every)} mutants, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "some_tests.py").write_text(PLUGIN, "utf-8")
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(TOGETHER):
            copy = Path(folder, str(number))
            ignored = shutil.ignore_patterns(".git", ".venv*", "_build", "*cache*")
            shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
            copies.put(copy)
        tests = run_unchanged(copy, packages)
        print(
            f"{len(tests.seconds)} tests without a change: {sum(tests.seconds.values()):.0f} s",
            flush=True,
        )
        with ThreadPoolExecutor(TOGETHER) as pool:
            survivors = [
                line for line in pool.map(lambda one: judge(copies, tests, *one), chosen) if line
            ]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} killed", *survivors, sep="\n")


def judge(copies: SimpleQueue[Path], tests: Tests, file: Path, place: int) -> str | None:
    """Run the tests on one mutant, in a copy that is free; describe the mutant if it survives."""
    copy, began = copies.get(), time.monotonic()
    line, old, new = mutate(copy / file, place)
    killer = run(copy, tests, tests.of_line(file, line)) or run(
        copy, tests, tests.beside(file, line)
    )
    shutil.copy(ROOT / file, copy / file)
    copies.put(copy)
    result = "killed" if killer else "SURVIVED"
    print(
        f"{result:8} {time.monotonic() - began:5.0f} s  {file}:{line}  {new[:120]}  {killer or ''}",
        flush=True,
    )
    return None if killer else f"survivor {file}:{line}\n  - {old}\n  + {new}"


def run_unchanged(copy: Path, packages: list[str] | tuple[str, ...]) -> Tests:
    """Run the quick tests without a change, and record which tests ran which lines."""
    seconds = copy.parent / "seconds.json"
    measured = [f"--cov=bayesrank/{package}" for package in packages]
    job = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-n", "2", "--dist", "worksteal", "--no-header",
           "-p", "pytest_cov", "-p", "some_tests", *measured, "--cov-context=test", "--cov-report="]  # fmt: skip
    done = subprocess.run(
        job, cwd=copy, env=environment(copy, SECONDS=seconds), text=True, capture_output=True
    )
    if done.returncode not in (0, 1):
        sys.exit(
            f"the quick tests ended with {done.returncode} without a change:\n{done.stdout[-3000:]}"
        )
    print(
        *(line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))),
        sep="\n",
        flush=True,
    )
    data = CoverageData(str(copy / ".coverage"))
    data.read()
    by_line = {
        (Path(file).relative_to(copy), line): {
            context.split("|")[0] for context in contexts if context
        }
        for file in data.measured_files()
        for line, contexts in data.contexts_by_lineno(file).items()
    }
    return Tests(by_line, json.loads(seconds.read_text("utf-8")))


def run(copy: Path, tests: Tests, wanted: list[str]) -> str | None:
    """Run tests in a copy; return the first that fails, None if all pass."""
    if not wanted:
        return None
    names = copy.with_suffix(".json")
    names.write_text(json.dumps(wanted), "utf-8")
    files = sorted({test.split("::")[0] for test in wanted})
    job = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-m", "not slow", "-n", "0", "--no-header",
           "-p", "some_tests", "-p", "no:cacheprovider", *files]  # fmt: skip
    started = subprocess.Popen(job, cwd=copy, env=environment(copy, WANTED=names), start_new_session=True, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    try:
        said, _ = started.communicate(
            timeout=60 + PATIENCE * sum(tests.seconds[test] for test in wanted)
        )
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        return "too long"
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if started.returncode and not failed:
        sys.exit(f"pytest ended with {started.returncode} without a failed test:\n{said[-2000:]}")
    return failed[0][:150] if started.returncode else None


def environment(copy: Path, **names: Path) -> dict[str, str]:
    """The variables of a run of pytest: the package of the copy, and where its plugin finds its files."""
    return (
        os.environ
        | {"PYTHONPATH": f"{copy}{os.pathsep}{copy.parent}"}
        | {key: str(at) for key, at in names.items()}
    )


if __name__ == "__main__":
    main()
