"""Count what makes a package heavy to hold in the head, beside packages to learn from.

usage: python scripts/count_structure.py [NAME=FOLDER ...]

Without arguments the package is bayesrank of this repository. Each row is a package. Docstrings and comments
count as lines, never as code; folders and files of tests are left out. The last columns count questions
"which kind of evidence is this?", which only bayesrank asks, and the folders that ask them.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "bayesrank"
#: Names of variables that do not say what they hold.
VAGUE = """
found held known beside also one each other about given wanted seen met kept here there this that these those thing
item what how who place taken said plain whole many few left apart told
"""
#: Questions of the kind of evidence, wherever the answer is not a method of the evidence.
KIND = re.compile(
    r'"(?:wins|ties|pool|probability|fold_score|standard_error|judged_truth|verdict|seed_mean|pattern|'
    r'pattern_count)"\s+(?:not )?in\b|\bholds_\w+\(|\bare_outcomes\(|\.judged is\b|\.votes is\b|\.seeds is\b|'
    r"about\.(?:votes|probabilities|partial_truth|paired|unpaired|over)\b|\bhas_groups\(|"
    r"\bform_of_summary\(|\btakes_cases\("
)
#: What makes a statement dense, if it has two of them.
DENSE = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.IfExp,
    ast.Lambda,
    ast.NamedExpr,
    ast.BoolOp,
)
LONG_BODY, MANY_PARAMETERS, LONG_LINE = 40, 6, 100


class Weight(NamedTuple):
    """One row: what is counted in a package."""

    package: str
    lines: int
    functions: int
    body_p50: int
    body_p90: int
    over_40_lines: int
    over_6_parameters: int
    line_p95: int
    over_100_characters: float | None  #: share of lines, %
    conditional_expressions: float  #: in 100 lines of code
    dense_statements: float  #: %
    vague_names: float  #: %, of assigned names
    class_names_used_twice: int
    questions_of_kind: int | None = None
    folders_that_ask: int | None = None


#: Measured in November 2026.
ANCHORS = (
    Weight("tinygp", 4_525, 324, 3, 14, 6, 2, 74, None, 1.2, 0.3, 0.4, 7),
    Weight("xarray-einstats", 3_059, 118, 6, 28, 4, 2, 85, None, 1.2, 0.8, 0.0, 0),
    Weight("scoringrules", 12_981, 572, 9, 25, 12, 44, 76, None, 2.7, 0.0, 0.0, 0),
    Weight("scores", 13_325, 255, 11, 50, 37, 38, 95, None, 0.1, 0.1, 0.0, 0),
    Weight("preliz", 20_357, 2_187, 2, 11, 40, 31, 71, None, 0.2, 0.1, 0.4, 2),
    Weight("arviz-stats", 20_633, 508, 14, 55, 77, 73, 86, None, 1.1, 0.4, 0.1, 0),
    Weight("pyhf", 14_912, 536, 7, 34, 43, 20, 80, None, 1.3, 0.8, 0.2, 3),
)


def weigh(package: str, folder: Path) -> Weight:
    """Return the counts of a package."""
    files = [path for path in sorted(folder.rglob("*.py")) if not is_test(path.relative_to(folder))]
    texts = [path.read_text(encoding="utf-8") for path in files]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    code = [line for text in texts for line in code_lines(text)]
    lengths = [len(line) for line in code]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    bodies = [body_length(node) for node in functions]
    statements = [node for node in nodes if isinstance(node, ast.stmt)]
    names = assigned_names(nodes)
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    return Weight(
        package,
        lines=sum(len(text.splitlines()) for text in texts),
        functions=len(functions),
        body_p50=quantile(bodies, 0.5),
        body_p90=quantile(bodies, 0.9),
        over_40_lines=sum(length > LONG_BODY for length in bodies),
        over_6_parameters=sum(parameters(node) > MANY_PARAMETERS for node in functions),
        line_p95=quantile(lengths, 0.95),
        over_100_characters=percent(length > LONG_LINE for length in lengths),
        conditional_expressions=100
        * sum(isinstance(node, ast.IfExp) for node in nodes)
        / max(len(code), 1),
        dense_statements=percent(is_dense(node) for node in statements),
        vague_names=percent(name in VAGUE.split() for name in names),
        class_names_used_twice=sum(count > 1 for count in classes.values()),
        questions_of_kind=sum(len(KIND.findall(line)) for line in code),
        folders_that_ask=len(folders_that_ask(folder, files)),
    )


def folders_that_ask(folder: Path, files: list[Path]) -> set[str]:
    """Return the folders (or modules) of the package that ask which kind of evidence they hold."""
    asking = [
        path
        for path in files
        if KIND.search("\n".join(code_lines(path.read_text(encoding="utf-8"))))
    ]
    return {path.relative_to(folder).parts[0] for path in asking}


def is_test(path: Path) -> bool:
    return any("test" in part for part in path.parts)


def code_lines(text: str) -> list[str]:
    """Return the lines that are neither empty, nor comments, nor part of a docstring."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented |= docstring_lines(node)
    lines = enumerate(text.splitlines(), 1)
    return [
        line
        for i, line in lines
        if line.strip() and i not in documented and not line.strip().startswith("#")
    ]


def docstring_lines(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> set[int]:
    if ast.get_docstring(node, clean=False) is None:
        return set()
    return set(range(node.body[0].lineno, end_of(node.body[0]) + 1))


def body_length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring."""
    return end_of(node) - node.lineno + 1 - len(docstring_lines(node))


def end_of(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of parameters, without self and cls."""
    signature = node.args
    named = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
    is_method = bool(named) and named[0].arg in ("self", "cls")
    return len(named) - is_method + bool(signature.vararg) + bool(signature.kwarg)


def is_dense(node: ast.stmt) -> bool:
    """Return whether a simple statement holds several ideas."""
    return not hasattr(node, "body") and sum(isinstance(part, DENSE) for part in ast.walk(node)) > 1


def assigned_names(nodes: Iterable[ast.AST]) -> list[str]:
    targets = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return [
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    ]


def quantile(values: list[int], share: float) -> int:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0


def percent(events: Iterable[bool]) -> float:
    happened = list(events)
    return 100 * sum(happened) / max(len(happened), 1)


def table(rows: Iterable[Weight]) -> str:
    """Return the rows as a Markdown table."""
    heading = [name.replace("_", " ") for name in Weight._fields]
    lines = [heading, ["---"] * len(heading), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(value: str | float | None) -> str:
    if value is None:
        return ""
    return (
        value
        if isinstance(value, str)
        else f"{value:,}"
        if isinstance(value, int)
        else f"{value:.1f}"
    )


if __name__ == "__main__":
    named = [argument.split("=", 1) for argument in sys.argv[1:]] or [["bayesrank", str(PACKAGE)]]
    print(table([*(weigh(name, Path(folder)) for name, folder in named), *ANCHORS]))
