"""Run the code blocks of a page: files, Python and commands, in the order of the page.

A block ``csv`` behind a line that ends with a name in backticks is a file of that name. A block ``python`` holds a
doctest. A block ``console`` holds commands behind ``$`` and what they print. After the line ``<!-- sampled -->``
numbers come from a sampler, whose draws depend on the processor, and may differ by their Monte-Carlo error.
"""

import doctest
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from bayesrank.cli import cli

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SAMPLED = "<!-- sampled -->\n"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
#: Four Monte-Carlo errors of the difference of two samples (1,000 effective draws each): at the end of a 95% interval
#: that is 0.25 wide; of a probability p, times the root of p (1 - p); and of a small loss.
TOLERANCE, OF_PROBABILITY, LEAST = 0.03, 0.18, 0.003


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


def run_doctest(source, names, path, sampled=False):
    """Run a block of Python with these names; return them with those that it adds."""
    test = doctest.DocTestParser().get_doctest(source, names, str(path), str(path), 0)
    checker = SampledChecker() if sampled else None
    assert doctest.DocTestRunner(checker, optionflags=FLAGS).run(test, clear_globs=False).failed == 0, source
    return test.globs


def run_page(path, text):
    """Run all blocks of a page in the working directory; fail where the output is not what the page shows."""
    names: dict = {}
    run = 0
    for kind, file, source in blocks(text):
        if kind == "csv":
            assert file, f"{path}: no file name before {source[:40]!r}"
            Path(file).write_text(source, encoding="utf-8")
        elif kind.endswith("python") and ">>>" in source:
            names = run_doctest(source, names, path, sampled=kind.startswith("sampled"))
            run += 1
        elif kind.endswith("console"):
            for command, shown in commands(source):
                printed = run_command(command)
                assert agree(shown, printed, kind.startswith("sampled")), (command, printed)
                run += 1
    return run
