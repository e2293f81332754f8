"""The syntax of files, parsed once for all tests that read the package."""

import ast
from functools import cache


@cache
def syntax(path):
    return ast.parse(path.read_text(encoding="utf-8"))
