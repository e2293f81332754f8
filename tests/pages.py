"""Run the code blocks of a page: files, Python and commands, in the order of the page.

A block ``csv`` behind a line that ends with a name in backticks is a file of that name. A block ``python`` holds a
doctest. A block ``console`` holds commands behind ``$`` and what they print. After the line ``<!-- sampled -->``
numbers come from a sampler, whose draws depend on the processor, and may differ by their Monte-Carlo error.
"""

import ast
import doctest
import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from click.testing import CliRunner

from bayesrank.cli import cli

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAMPLED = "<!-- sampled -->\n"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
#: Four Monte-Carlo errors of the difference of two samples (1,000 effective draws each): at the end of a 95% interval
#: that is 0.25 wide; of a probability p, times the root of p (1 - p); and of a small loss.
TOLERANCE, OF_PROBABILITY, LEAST = 0.03, 0.18, 0.003


def pages_of(root):
    """Return the README and the pages of the site."""
    found = sorted((root / "docs").rglob("*.md"))
    return [
        root / "README.md",
        *(path for path in found if not {"notebooks", "_build"} & set(path.parts)),
    ]


def has_code(text):
    """Return whether a page has code that runs."""
    return any(kind.endswith("console") or ">>>" in source for kind, _, source in blocks(text))


def blocks(text):
    """Yield (kind, name of the file, source) of each fenced block; "sampled" begins the kind of a sampler's block."""
    for match in FENCE.finditer(text):
        before = text[: match.start()]
        named = re.search(r"`([\w./-]+)`[^`]*\Z", before)
        kind = f"sampled {match[1]}" if before.endswith(SAMPLED) else match[1]
        yield kind, named[1] if kind == "csv" and named else "", match[2]


def commands(source):
    """Yield (command, what it prints) of a block of the console."""
    for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def agree(shown, printed, sampled):
    """Return whether the output is the shown one; numbers of a sampler may differ by their Monte-Carlo error."""
    if not sampled:
        return doctest.OutputChecker().check_output(shown, printed, FLAGS)
    words = [NUMBER.sub("0", text).split() for text in (shown, printed)]
    pairs = zip(*(NUMBER.findall(text) for text in (shown, printed)), strict=False)
    numbers = [[float(x.replace(",", "")) for x in pair] for pair in pairs]
    return words[0] == words[1] and all(round(abs(a - b), 9) <= tolerance(a) for a, b in numbers)


def tolerance(number):
    """Return how far a number of another sample may be."""
    return min(max(OF_PROBABILITY * max(number * (1 - number), 0.0) ** 0.5, LEAST), TOLERANCE)


def run_command(command):
    """Return what a command line of bayesrank prints."""
    name, *arguments = shlex.split(command, comments=True)
    assert name == "bayesrank", command
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, (command, result.output)
    return result.output


class SampledChecker(doctest.OutputChecker):
    """Compare what a doctest prints, but for the Monte-Carlo error of its numbers."""

    def check_output(self, want, got, optionflags):
        return super().check_output(want, got, optionflags) or agree(want, got, sampled=True)


class Output(NamedTuple):
    """What one command or doctest example of a page shows and prints."""

    source: str
    shown: str
    printed: str
    agrees: bool
    line: int  #: The line of the text at which ``shown`` begins, from 0.
    indent: int = 0


class Recorder(doctest.DocTestRunner):
    """Run examples and record what each prints; an exception that no example shows is raised."""

    def __init__(self, sampled=False):
        super().__init__(SampledChecker() if sampled else None, verbose=False, optionflags=FLAGS)
        self.outputs = []

    def record(self, example, printed, agrees):
        line = example.lineno + example.source.count("\n")
        self.outputs.append(
            Output(example.source, example.want, printed, agrees, line, example.indent)
        )

    def report_success(self, out, test, example, got):
        self.record(example, got, True)

    def report_failure(self, out, test, example, got):
        self.record(example, re.sub(r"^(?=\n)", "<BLANKLINE>", got, flags=re.MULTILINE), False)

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise exc_info[1]


def doctest_outputs(source, names, path, sampled=False):
    """Run a block of Python with these names; return the names with those that it adds, and its outputs."""
    test = doctest.DocTestParser().get_doctest(source, names, str(path), str(path), 0)
    recorder = Recorder(sampled)
    recorder.run(test, clear_globs=False)
    return test.globs, recorder.outputs


def check(outputs):
    """Fail at the first output that is not what the page shows; return the number of outputs."""
    for each in outputs:
        assert each.agrees, f"{each.source}prints\n{each.printed}instead of\n{each.shown}"
    return len(outputs)


def run_doctest(source, names, path, sampled=False):
    """Run a block of Python with these names; return them with those that it adds."""
    names, outputs = doctest_outputs(source, names, path, sampled)
    check(outputs)
    return names


def page_outputs(path, text):
    """Run all blocks of a page in the working directory; return the output of each command and example."""
    names: dict = {}
    found = []
    for (kind, file, source), match in zip(blocks(text), FENCE.finditer(text), strict=True):
        first = text.count("\n", 0, match.start(2))
        sampled = kind.startswith("sampled")
        if kind == "csv":
            assert file, f"{path}: no file name before {source[:40]!r}"
            Path(file).write_text(source, encoding="utf-8")
        elif kind.endswith("python") and ">>>" in source:
            names, outputs = doctest_outputs(source, names, path, sampled)
            found += [each._replace(line=first + each.line) for each in outputs]
        elif kind.endswith("console"):
            line = first
            for command, shown in commands(source):
                printed = run_command(command)
                found.append(
                    Output(command + "\n", shown, printed, agree(shown, printed, sampled), line + 1)
                )
                line += 1 + shown.count("\n")
    return found


def run_page(path, text):
    """Run all blocks of a page in the working directory; fail where the output is not what the page shows."""
    return check(page_outputs(path, text))


def script_with_output(text):
    """Return the match of the first Python block that a block of its output follows (``code`` and ``shown``)."""
    return re.search(r"```python\n(?P<code>.*?)```\n\n```\n(?P<shown>.*?)```", text, re.DOTALL)


def run_script(code):
    """Return what a script prints, without spaces at the ends of lines."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, {})
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())


def update(text, outputs):
    """Return a text with the outputs that differ from the shown ones replaced."""
    lines = text.splitlines(keepends=True)
    for each in sorted(outputs, key=lambda each: -each.line):
        if not each.agrees:
            new = [
                f"{' ' * each.indent}{line}".rstrip() + "\n" for line in each.printed.splitlines()
            ]
            lines[each.line : each.line + each.shown.count("\n")] = new + ["\n"] * _trailing(each)
    return "".join(lines)


def _trailing(output):
    """Return the number of empty lines that a page has behind an output, before its next command."""
    return len(output.shown) - len(output.shown.rstrip("\n")) - 1 if output.shown.strip() else 0


class Cell(NamedTuple):
    """What one cell of a notebook shows and prints, and its last value, with its text."""

    source: str
    shown: str
    printed: str
    value: object
    text: str
    agrees: bool  #: Whether it prints what it shows.
    same: (
        bool  #: Whether its tables are the shown ones; their form depends on the version of pandas.
    )


def run_notebook(cells, names):
    """Run the cells of a notebook with ``names``, to which they add; yield each cell of code with what it prints.

    Words must agree exactly. After the first sampler numbers may differ, since draws of NUTS differ between versions.
    """
    sampled = False
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source, printed, value = "".join(cell["source"]), io.StringIO(), None
        code = ast.parse(source)
        last = code.body.pop() if code.body and isinstance(code.body[-1], ast.Expr) else None
        with redirect_stdout(printed), pd.option_context("display.max_columns", 20):  # as Jupyter
            exec(compile(code, "cell", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            text = repr(value)
        shown = "".join(
            "".join(out["text"]) for out in cell["outputs"] if out["output_type"] == "stream"
        )
        results = [out["data"] for out in cell["outputs"] if out["output_type"] == "execute_result"]
        sampled |= "nuts" in source or "pm.sample" in source
        pair = [
            re.sub(r"[\d.]+", "#", each) if sampled else each
            for each in (shown, printed.getvalue())
        ]
        same = sampled or all("".join(each["text/plain"]) == text for each in results)
        yield cell, Cell(source, shown, printed.getvalue(), value, text, pair[0] == pair[1], same)
