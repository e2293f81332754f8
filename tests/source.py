"""The syntax of files, parsed once for all tests that read the package."""

import ast
from functools import cache


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@cache
def syntax(path):
    return ast.parse(text_of(path))


def files_naming(folder, *words, pattern="*.py"):
    """Yield path and syntax of each file below a folder that contains one of the words; other files are not parsed."""
    for path in folder.rglob(pattern):
        if any(word in text_of(path) for word in words):
            yield path, syntax(path)
