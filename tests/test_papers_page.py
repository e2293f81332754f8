"""Every name in docs/papers.md runs its example in a fresh interpreter, after ``import bayesrank as br`` alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bayesrank.cli import cli

PAGE = Path(__file__).parent.parent / "docs" / "papers.md"

#: Runs the example of each name that the page has; a score, which has no example, is computed.
EXAMPLES = """
import doctest, sys
import bayesrank as br

counts = br.from_counts(tn=8, fp=2, fn=1, tp=4)
for name in sys.argv[1:]:
    found = eval(name)
    if isinstance(found, br.scores.Score):
        assert 0 <= found(counts).item() <= 1, name
        continue
    [test] = [test for test in doctest.DocTestFinder(recurse=False).find(found, name.split(".")[-1]) if test.examples]
    # A name alone is what a user has: the function under its own name, and br.
    test.globs = vars(sys.modules[found.__module__]) | {"br": br}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0, name
"""


@pytest.mark.slow
def test_every_name_of_the_page_runs_its_example():
    names = sorted(set(re.findall(r"br(?:\.[a-z_0-9]+)+", PAGE.read_text(encoding="utf-8"))))
    names = [name for name in names if name not in ("br.scores", "br.datasets")]
    assert len(names) > 110
    done = subprocess.run([sys.executable, "-c", EXAMPLES, *names], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


@pytest.mark.parametrize("score", ["tn=1,fp=1,fn=5,tp=1", "a=0.3,b=0.7", "f0.7"])
def test_scores_of_the_command_line(score):
    done = CliRunner().invoke(cli, ["rank", "antibody_tests", "--score", score, "--draws", "50"])
    assert done.exit_code == 0, done.output
