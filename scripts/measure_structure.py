"""Measure how often one posterior is parsed in a ranking, a report and a plan, and how typed the code is.

usage: python scripts/measure_structure.py [--json] [--callers]

The first table traces objects, whatever their names: the container that the user passes, and how often its classes are
ordered, its draws checked, its score resolved and computed. The second table reads the code of the package.
"""

import argparse
import ast
import inspect
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

import bayesrank as br

PACKAGE = Path(br.__file__).parent
#: What is counted by calls: one function each, or several with the same work.
COUNTED = {
    "classes ordered": ["_classes:order_classes"],
    "groups opened": ["_compat:open_groups"],
    "draws checked": ["performance.arrays:_check", "performance.arrays:_check_when_computed"],
    "scores resolved": [
        "scores.names:get",
        "scores.ranking_scores:of_importance",
        "scores.names:_of_function",
    ],
    "scores computed": ["scores.score:values_of"],
}
#: Functions that read parts of the record.
OPENERS = (
    "_source:Source.group",
    "_source:Source.observed",
    "_source:groups_of",
    "performance.arrays:posterior_of",
)
FEATURES = ("attrs", "about")


def module_of(path: str) -> str:
    return ".".join(Path(path).relative_to(PACKAGE).with_suffix("").parts)


def trace(job, source) -> tuple[dict, dict]:
    """Return in how many packages and modules a function has the unparsed source as an argument, and the counts."""
    wanted = {name: what for what, names in COUNTED.items() for name in names}
    counts: Counter = Counter()
    callers: dict[str, Counter] = {what: Counter() for what in COUNTED}
    handled, openers = set(), set()
    known = {}

    def watch(frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        where = known.get(code)
        if where is None:
            where = known[code] = (
                module_of(code.co_filename) if code.co_filename.startswith(str(PACKAGE)) else ""
            )
        if not where:
            return
        what = wanted.get(f"{where}:{code.co_qualname}")
        caller = known.get(frame.f_back.f_code, "") if frame.f_back is not None else ""
        if what is not None:
            counts[what] += 1
            callers[what][f"{caller}:{frame.f_back.f_code.co_name}"] += 1
        if f"{where}:{code.co_qualname}" in OPENERS and caller:
            openers.add(caller.split(".")[0])
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(frame.f_locals.get(name) is source for name in arguments):
            handled.add(where)

    sys.setprofile(watch)
    try:
        job()
    finally:
        sys.setprofile(None)
    return {
        "packages with the unparsed source": len({name.split(".")[0] for name in handled}),
        "modules with the unparsed source": len(handled),
        "packages that read its groups": len(openers - {"_source"}),
        **{what: counts[what] for what in COUNTED},
    }, callers


def jobs():
    rng = np.random.default_rng(1)
    right = rng.integers(60, 80, 3)
    counts = br.from_counts(
        tn=right, fp=80 - right, fn=[6, 9, 2], tp=[24, 21, 28], entity=list("abc")
    )
    posterior = br.fit(counts, "beta_binomial", seed=1)
    yield "a ranking", posterior, lambda: br.credible_ranking(posterior, "f1")
    yield "a report", posterior, lambda: br.ranking_report(posterior, "f1")
    yield "a plan", posterior, lambda: br.plan(posterior, "f1")
    yield "a credible Tile", posterior, lambda: br.tile.credible(posterior, 21)


def read_code() -> dict:
    """Return the counts of the second table."""
    lookups = untyped = private = long = inner = 0
    public = public_functions()
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.is_symlink() or "__pycache__" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = module_of(str(path)).split(".")[0]
        for node in ast.walk(tree):
            lookups += is_lookup(node)
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                untyped += sum(is_untyped(one.annotation) for one in given)
                if len([one for one in given if one.arg not in ("self", "cls")]) > 6:
                    long += 1
                    inner += is_inner(node, module_of(str(path)), public)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bayesrank."):
                parts = node.module.split(".")[1:]
                other = parts[0] != own and not parts[0].startswith("_")
                hidden = any(part.startswith("_") for part in parts[1:])
                private += sum(
                    other and (hidden or name.name.startswith("_")) for name in node.names
                )
    return {
        "string look-ups in attrs": lookups,
        "parameters typed Any or object": untyped,
        "private names across packages": private,
        "functions of more than six parameters": long,
        "... that are inner": inner,
        "lines of Python": sum(len(p.read_text("utf-8").splitlines()) for p in files()),
    }


def public_functions() -> set[tuple[str, int]]:
    """Return module and first line of each function that the documentation lists, and of methods of such classes."""
    names = [getattr(br, name) for name in br.__all__]
    for namespace in filter(inspect.ismodule, list(names)):
        names += [getattr(namespace, name) for name in dir(namespace) if not name.startswith("_")]
    names += [br.models.find_model(name) for name in br.models.names()]
    for one in filter(inspect.isclass, list(names)):
        names += [
            one.__init__,
            *(method for name, method in vars(one).items() if not name.startswith("_")),
        ]
    functions = filter(inspect.isfunction, map(inspect.unwrap, filter(callable, names)))
    return {
        (module_of(one.__code__.co_filename), one.__code__.co_firstlineno)
        for one in functions
        if one.__code__.co_filename.startswith(str(PACKAGE))
    }


def is_inner(node: ast.FunctionDef, module: str, public: set[tuple[str, int]]) -> bool:
    """Return whether a function is neither public, a command, compiled, nor a sentence of a note's fields."""
    decorators = [ast.unparse(one) for one in node.decorator_list]
    if module.startswith("words.sentences.") or any(
        re.match(r"njit\(|click\.command", one) for one in decorators
    ):
        return False
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return (module, first) not in public


def files():
    return [p for p in PACKAGE.rglob("*.py") if "__pycache__" not in p.parts]


def is_lookup(node: ast.AST) -> bool:
    """Return whether a node reads a text key from something called attrs or about."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return (
            _is_attrs(node.value)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        )
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and node.args
    ):
        return _is_attrs(node.func.value) and isinstance(node.args[0], ast.Constant)
    return (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.In | ast.NotIn)
        and (isinstance(node.left, ast.Constant) and _is_attrs(node.comparators[0]))
    )


def _is_attrs(node: ast.AST) -> bool:
    text = ast.unparse(node)
    return bool(re.search(rf"(^|\.)({'|'.join(FEATURES)})( or \{{\}})?\)?$", text))


def is_untyped(annotation: ast.AST | None) -> bool:
    return annotation is not None and ast.unparse(annotation) in ("Any", "object")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--callers", action="store_true", help="also print who called what is counted"
    )
    given = parser.parse_args()
    for _, _, job in jobs():  # what is imported or compiled on the first call is not counted
        job()
    both = {name: trace(job, source) for name, source, job in jobs()}
    traced = {name: found for name, (found, _) in both.items()}
    code = read_code()
    if given.callers:
        for name, (_, callers) in both.items():
            print(name, *(f"  {what}: {dict(found)}" for what, found in callers.items()), sep="\n")
    if given.json:
        print(json.dumps({"traced": traced, "code": code}, indent=1))
        return
    width = max(len(name) for name in traced["a ranking"])
    print(f"{'':{width}}", *(f"{name:>16}" for name in traced))
    for what in traced["a ranking"]:
        print(f"{what:{width}}", *(f"{found[what]:16}" for found in traced.values()))
    print()
    for what, number in code.items():
        print(f"{what:{width}} {number:16,}")


if __name__ == "__main__":
    main()
