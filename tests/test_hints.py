"""A misspelled argument, column, command, data set or file: the error names the one that is probably meant."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from tests.commands import refused

HINTS = [
    ("br.credible_ranking(POST, 'f1', hdi_prob=0.9)", "did you mean prob="),
    ("br.credible_ranking(POST, 'f1', alpha=0.1)", "did you mean prob="),
    ("br.credible_ranking(POST, 'f1', chains=4)", "chains= is an argument of br.fit"),
    ("br.credible_ranking(POST, 'f1', dim='model')", "source.rename(model='entity')"),
    ("br.credible_ranking(POST, 'f1', ascending=True)", "did you mean higher_is_better="),
    ("br.credible_ranking(DRAWS, higher_is_better=True)", "source.rename(model='entity') names it"),
    ("br.fit(COUNTS, cores=2)", "did you mean nuts="),
    ("br.fit(COUNTS, 'paird')", "did you mean 'paired'?"),
    ("br.from_counts(TN=[1], FP=[1], FN=[1], TP=[1])", "did you mean tn="),
    ("br.from_predictions([0, 1], y_pred={'a': [0, 1]})", "did you mean predictions="),
    ("br.from_rates(sensitivity=0.9, prevalence=0.1)", "did you mean tpr="),
    ("br.from_frame(GRADES, score='dice')", "did you mean outcome="),
    ("br.from_frame(GRADES, outcome='dise')", "did you mean 'dice'?"),
    ("br.from_votes(GRADES, left='x', right='y', winner='w')", "did you mean a="),
    ("br.top_set(POST, 'f1', n=1)", "did you mean k="),
    ("br.tile.credible(POST, grid=3)", "did you mean resolution="),
    ("br.predictive.confusion_pmf(COUNTS, n=10)", "its arguments are counts, positives"),
    ("br.datasets.load('antibody_test')", "did you mean 'antibody_tests'?"),
    ("br.probability(POST, 'A > b', 'f1')", "did you mean 'a'?"),
    ("br.pool(COUNTS, join='iner')", "did you mean 'inner'?"),
]


@pytest.fixture(scope="module")
def names():
    counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[9, 6], tp=[21, 24], entity=["a", "b"])
    draws = xr.DataArray(
        np.ones((2, 5, 3)), dims=("chain", "draw", "model"), coords={"model": list("xyz")}
    )
    grades = pd.DataFrame({"case": [1, 1], "model": ["a", "b"], "dice": [0.1, 0.2]})
    return {
        "br": br,
        "COUNTS": counts,
        "POST": br.fit(counts, draws=20, seed=1),
        "DRAWS": draws,
        "GRADES": grades,
    }


@pytest.mark.parametrize(("line", "hint"), HINTS, ids=[line for line, _ in HINTS])
def test_a_wrong_argument_names_the_right_one(line, hint, names):
    with pytest.raises(br.ArgumentError) as caught:
        eval(line, names)
    assert hint in str(caught.value)


def test_the_command_names_the_nearest_command_and_file(tmp_path):
    assert "Did you mean 'rank'?" in refused("rnak", "x.csv")
    assert "The commands are" in refused("zzz")
    (tmp_path / "matrix.csv").write_text("a,b\n1,0\n")
    assert "matrix.csv'?" in refused("rank", tmp_path / "matrx.csv")
    assert "did you mean 'antibody_tests'?" in refused("rank", "antibody_test")
