"""No regular expression of the readers and the command takes long: time grows no faster than the text, or nearly."""

import ast
import re
import time
from pathlib import Path

import pytest

import bayesrank as br
from bayesrank.io.tables.roles import METRIC_WORDS
from tests.source import syntax

FOLDER = Path(br.__file__).parent
FILES = [path for part in ("io", "cli") for path in sorted((FOLDER / part).rglob("*.py"))]
FILES.append(FOLDER / "_core" / "inputs.py")
#: Characters of a text, and seconds: of twice the characters, a quadratic pattern may take four times as long.
LENGTH, LONGEST = 4_000, 0.06
CALLS = {"compile", "match", "search", "fullmatch", "sub", "split", "findall"}


def patterns():
    """Each pattern that is written as a text in a call of the module re, with the function that uses it."""
    for path in FILES:
        for node in ast.walk(syntax(path)):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if named and getattr(node.func.value, "id", "") == "re" and node.func.attr in CALLS:
                text = node.args[0]
                if isinstance(text, ast.Constant):
                    yield f"{path.stem}:{node.lineno}", path, text.value, node


def attacks(pattern):
    """Long texts made of the letters of a pattern, and of its beginning."""
    is_text = isinstance(pattern, str)
    letters = {
        *re.sub(r"\\[a-zA-Z]|[?+*()|{}]", " ", pattern if is_text else pattern.decode("latin-1")),
        *' \n"([{<,;1a_.-',
    }
    units = {*letters, *(f"{a}{b}" for a in '"([{<, 1a_' for b in "\"')]}>, 1a_=")}
    return [unit * (LENGTH // len(unit)) for unit in sorted(units)]


FOUND = list(patterns())


def test_the_patterns_are_found():
    assert len(FOUND) > 40
    assert METRIC_WORDS.pattern in {pattern for _, _, pattern, _ in FOUND}


def methods_of(path, node):
    """The methods by which a pattern is used: that of the call, or those of the name that holds a compiled one."""
    if node.func.attr != "compile":
        return {"search" if node.func.attr in ("sub", "split", "findall") else node.func.attr}
    text = path.read_text(encoding="utf-8")
    line = text.splitlines()[node.lineno - 1]
    name = re.match(r"([A-Z]+) = ", line)
    used = re.findall(rf"\b{name[1]}\.(match|fullmatch|search|sub)\(", text) if name else ["match"]
    return {"search" if method == "sub" else method for method in used} or {"search"}


@pytest.mark.parametrize(
    ("path", "pattern", "node"), [one[1:] for one in FOUND], ids=[one[0] for one in FOUND]
)
def test_a_pattern_takes_no_long_time(path, pattern, node):
    compiled = re.compile(pattern, re.S if "re.S" in ast.unparse(node) else 0)
    for text in attacks(pattern):
        for prefix in ("", '{"', "1 1:a 1:a ", " (br."):
            given = prefix + text + "!"
            given = given if isinstance(pattern, str) else given.encode("latin-1", "replace")
            for method in methods_of(path, node):
                start = time.process_time()
                getattr(compiled, method)(given)
                assert time.process_time() - start < LONGEST, (method, given[:20])
