"""Every call that docs/papers.md names runs in a fresh interpreter, after ``import bayesrank as br`` alone."""

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
print("done")
"""

#: What the user of the calls below has.
GIVEN = """
import matplotlib
matplotlib.use("Agg")
import numpy as np
import bayesrank as br

one = br.from_counts(tn=32, fp=8, fn=4, tp=16)
two = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[9, 5], tp=[21, 25], entity=["a", "b"])
posterior = br.fit(two, seed=1, draws=100)
importance = br.importance(tn=1, fp=1, fn=5, tp=1)
truth, scores = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
"""

#: Calls with the arguments that a row names, by its first cell and a part of its third.
WITH_ARGUMENTS = {
    ("3.4", "operations="): """
for operations in ("relabel", "shuffle", [[0.9, 0.1], [0.2, 0.8]]):
    assert not br.audit("accuracy", operations=operations)["axiom_3_upper"]""",
    ("4.3", "taken wherever a score is"): """
assert br.place(importance) == br.place(br.scores.of_importance(importance))
br.audit(importance, prevalence=0.3); br.tile.correlation(importance, resolution=3, prevalence=0.3)
br.ops.of_value(importance, 0.6, prevalence=0.3); br.contour(importance, 0.5, [0.2], 0.3)
br.predictive.score_pmf(br.predictive.confusion_pmf(one), importance)
br.credible_ranking(posterior, importance)""",
    ("Prop. 5", "sum of two"): """
parts = br.importance(tn=1, fp=0, fn=2, tp=1), br.importance(tn=1, fp=3, fn=0, tp=1)
br.ranking_score(one, parts[0] + parts[1])""",
    ("5.1, Fig. A.7.1", "without a satisfaction"): "assert set(one.dims) == {'entity', 'actual', 'predicted'}",
    ("A.2.1 note", "classes=3"): "assert not br.audit('macro_f1', classes=3)['axiom_3_upper']",
    ("A.2.3", "over `outcome`"): """
import xarray as xr
shares = xr.DataArray([0.2, 0.3, 0.5], {"outcome": [0, 1, 2]}, "outcome")
br.ranking_score(shares, xr.ones_like(shares), shares.copy(data=[0, 0.5, 1]))""",
    (
        "A.2.5",
        "on pairs",
    ): "assert 0 <= br.scores.rand_index(br.from_predictions(truth, {'a': [1, 0, 1, 1, 0, 1]})).item() <= 1",
    ("A.4.2 best consistency", "Spearman"): """
for method in ("kendall", "spearman"):
    br.tile.best_consistency("mcc", two, method=method)
br.tile.best_consistency("mcc", posterior)""",
    ("2.2, A.1.5", "G-measure"): """
try:
    br.scores.get("G-measure")
except KeyError as error:
    assert "fowlkes_mallows" in str(error)""",
    (
        "Fig. 1",
        "or several",
    ): "br.papers.roc_beside_tile(br.tile.value(one, 5).isel(entity=0), [1, 1], [0, 1], 0.25, two)",
    ("4.1", "a = ½"): "br.canonical_score(one, 0.5, 0.3); br.canonical_score(one, 0.3, 0.5)",
    ("4.2", "br.place(br.importance"): "br.place(br.importance(tn=1, fp=2, fn=3, tp=4))",
    ("4.4 by symmetry", "prediction_rate="): """
br.place("markedness", prediction_rate=0.3); br.audit("markedness", prediction_rate=0.3)
br.theory.compare_orders("markedness", "ppv", prediction_rate=0.3)""",
    ("Fig. 5 picture", "colors="): "br.plots.winner_tile(br.tile.regions(two), colors={'a': 'red'})",
    ("Fig. 6 left", "prevalence="): """
br.plots.value_tile(br.tile.value(one, 5).isel(entity=0), prevalence=0.3); br.papers.placement_tile(0.3)""",
    ("Fig. 6 right", "prediction_rate="): """
br.plots.value_tile(br.tile.value(one, 5).isel(entity=0), prediction_rate=0.3)
br.papers.placement_tile(prediction_rate=0.3)""",
    ("Fig. 8", "over a map"): "br.plots.value_tile(br.tile.value(one, 5).isel(entity=0), prevalence=0.1)",
    ("§2.1, Eq 1", "of labels"): "br.from_predictions(truth, {'a': [int(score > 0.3) for score in scores]})",
    ("Eq 9 (u_l corrected)", "_at_"): "br.ops.of_value('precision_at_recall', 0.5, 0.1, at=0.8)",
    ("§3.3 AUC rule", "auc_pr"): "br.ops.of_value('auc_pr', 0.6, 0.1)",
    ("Fig 3 b", "at=0.8"): "br.plots.ops_values(br.ops.value_curves('precision_at_recall', [0.1], 11, at=0.8))",
    ("Table 4", "times the size"): "br.from_rates(fpr=[0.122], tpr=[0.568], prevalence=0.091) * 9000",
    ("Fig 4, 5", "mapping from test sets"): """
curve = br.ops.of_curve(truth, scores, "precision_at_recall", at=[0.5, 0.8], draws=0)
br.plots.ops_curve({"first": curve, "second": curve})""",
    ("Fig 6, 7", "mapping from test sets"): """
curve = br.ops.of_curve(truth, scores, "lift_at_share", at=[0.5, 0.8], draws=0)
br.plots.ops_curve({"first": curve, "second": curve})""",
    ("Fig 2 a", "as_counts=True"): "br.papers.roc_points(5, 8, 'mcc', as_counts=True)",
    ("Fig 3", "mapping from models"): """
models = {name: br.predictive.confusion_pmf(one, model=name) for name in ("binomial", "beta_binomial")}
br.plots.matrix_pmf(models)""",
    ("Fig 4, picture", "bins="): """
br.plots.score_pmf(br.predictive.score_pmf(br.predictive.confusion_pmf(one), "f1"), bins=20)""",
    ("A, Eq 13-19", "by name"): """
for name in ("tpr", "fpr", "tnr", "fnr", "lr_plus", "lr_minus", "odds_ratio"):
    assert np.isfinite(br.scores.get(name)(one)).all()""",
    ("A, Eq 24 synonym 'Delta P'", "delta_p_prime"): """
assert br.scores.get("delta_p_prime").name == "informedness" and br.scores.get("delta_p").name == "markedness\"""",
    ("Eq 45-46 beyond; Fig B.2", "extent="): "br.papers.contours('mcc', 0.3, extent=(-0.5, 1.5))",
    ("Fig B.13", "extent="): "br.papers.contours('markedness', 0.3, extent=(-0.5, 1.5))",
    ("D.2, Fig D.2", "sliders of N and p"): "br.papers.explore_contours([(2, 3), (3, 3)], ['f1'])",
    ("D.5, Fig D.6", "sliders of N and p"): "br.papers.explore_pmf([(2, 3), (3, 3)], ['f1'])",
}


def rows():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if "| where" not in line]


def run(script, *arguments):
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.mark.slow
def test_every_name_of_the_page_runs_its_example():
    names = sorted(set(re.findall(r"br(?:\.[a-z_0-9]+)+", PAGE.read_text(encoding="utf-8"))))
    names = [name for name in names if name not in ("br.scores", "br.datasets")]
    assert len(names) > 110
    assert run(EXAMPLES, *names).endswith("done\n")


@pytest.mark.slow
def test_rows_that_name_arguments_run_with_them():
    found = {(row[0], part) for row in rows() for _, part in WITH_ARGUMENTS if part in row[2]}
    assert not set(WITH_ARGUMENTS) - found
    named = {row[0] for row in rows() if re.search(r"[a-z_]=|with `|\bof a mapping|by name", row[2])}
    only_words = {"A, Eq 22", "A, Eq 23-26", "A, Eq 27-32", "A, Eq 33-37", "A, Eq 39-43", "A, Eq 44"}  # by name
    assert named - only_words <= {where for where, _ in WITH_ARGUMENTS}
    assert run("\n".join([GIVEN, *WITH_ARGUMENTS.values(), "print('done')"])).endswith("done\n")


@pytest.mark.parametrize("score", ["tn=1,fp=1,fn=5,tp=1", "a=0.3,b=0.7", "f0.7"])
def test_scores_of_the_command_line(score):
    done = CliRunner().invoke(cli, ["rank", "antibody_tests", "--score", score, "--draws", "50"])
    assert done.exit_code == 0, done.output
