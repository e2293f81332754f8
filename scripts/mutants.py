"""Change one operator or number of the package at a time, and list the changes that no quick test notices.

usage: python scripts/mutants.py [--number 60] [--seed TEXT] [--only PACKAGE]

The places are random; their seed is the hash of the commit, so that each commit is asked something else. Each mutant
runs in a copy of the repository, with the tests of its package, until the first failure. The tests of a package run
first without a change: if they fail, no mutant of it can be judged. A mutant whose tests take more than TOO_LONG
seconds, as with a loop that does not end, counts as killed. Where the tests end without a result, as when the machine
has no memory left, the script ends.

A survivor whose change keeps the meaning (``min`` over one more equal value, a tolerance, a number of iterations) is no
gap in the tests; read the list before writing tests.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The tests that hold a package; a folder stands for all its files.
TESTS = {
    "ranking": ["tests/ranking", "tests/words", "tests/statements", "tests/test_typical.py", "tests/test_pooling.py",
                "tests/evidence", "tests/test_gate.py", "tests/test_decisions.py", "tests/test_planning.py"],
    "exact": ["tests/ranking", "tests/scores"],
    "planning": ["tests/test_planning.py", "tests/words"],
    "decisions": ["tests/test_gate.py", "tests/test_decisions.py", "tests/test_decision_curves.py", "tests/evidence",
                  "tests/words"],
    "evidence": ["tests/evidence", "tests/test_counts.py", "tests/test_outcomes.py", "tests/test_outcome_counts.py",
                 "tests/test_pooling.py", "tests/test_class_labels.py", "tests/test_paired.py", "tests/test_files.py",
                 "tests/test_variance_components.py", "tests/test_positive_class.py", "tests/test_weights.py",
                 "tests/test_alignment.py", "tests/test_seeds.py", "tests/ranking/test_aggregates.py"],
    "tables": ["tests/tables", "tests/evidence", "tests/test_files.py", "tests/test_door.py",
               "tests/test_mangled_files.py"],
    "logs": ["tests/evidence", "tests/test_files.py", "tests/test_submissions.py"],
}  # fmt: skip
#: The longest time that the tests of one package may take, in seconds.
TOO_LONG = 900
ALWAYS = ["tests/test_refusals.py"]
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}


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
        if isinstance(node.op, ast.Not | ast.USub) and not _is_number(node.operand) and self._is_it(node):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed")
    parser.add_argument("--only", choices=sorted(TESTS))
    given = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    seed = given.seed or commit.stdout.strip()
    rng = random.Random(seed)
    packages = [given.only] if given.only else sorted(TESTS)
    files = [path for package in packages for path in sorted((ROOT / "bayesrank" / package).rglob("*.py"))]
    every = [(path, place) for path in files for place in range(places_in(path))]
    chosen = rng.sample(every, min(given.number, len(every)))
    print(f"{len(chosen)} of {len(every)} mutants, seed {seed}")
    killed, survivors = 0, []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv*", "_build", "*cache*"))
        for package in sorted({path.relative_to(ROOT).parts[1] for path, _ in chosen}):
            if run(copy, package) is not None:
                sys.exit(f"the tests of {package} fail without a change: {' '.join(TESTS[package])}")
        for path, place in chosen:
            inside = path.relative_to(ROOT)
            target, began = copy / inside, time.monotonic()
            line, old, new = mutate(target, place)
            killer = run(copy, inside.parts[1])
            killed += killer is not None
            survivors += [] if killer else [(inside, line, old, new)]
            shutil.copy(path, target)
            seconds, result = time.monotonic() - began, "killed" if killer else "SURVIVED"
            print(f"{result:8} {seconds:5.0f} s  {inside}:{line}  {new[:120]}  {killer or ''}", flush=True)
    print(f"{killed} of {len(chosen)} killed")
    for inside, line, old, new in survivors:
        print(f"survivor {inside}:{line}\n  - {old}\n  + {new}")


def run(copy: Path, package: str) -> str | None:
    """Run the tests of a package in a copy; return the first test that fails, None if all pass."""
    tests = [*TESTS[package], *ALWAYS]
    job = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-m", "not slow", "-n", "2", "--no-header", *tests]
    started = subprocess.Popen(job, cwd=copy, env=environment(copy), start_new_session=True, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    try:
        said, _ = started.communicate(timeout=TOO_LONG)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)  # the workers, too
        started.wait()
        return "too long"
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if started.returncode and not failed:
        sys.exit(f"pytest ended with {started.returncode} without a failed test:\n{said[-2000:]}")
    return failed[0][:150] if started.returncode else None


def environment(copy: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(copy)}


if __name__ == "__main__":
    main()
