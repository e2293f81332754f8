"""Which model is fitted: the one that was named, or that of the evidence; cases become counts for models of counts."""

import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from click.testing import CliRunner

import bayesrank as br
from bayesrank._compat import groups_of
from bayesrank.cli import cli
from bayesrank.evidence.predictions import UNPAIRED, counts_of
from bayesrank.performance import observed_counts

COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
ANSWERS = pd.DataFrame({"a": [1, 0, 1, 1] * 6, "b": [1, 1, 0, 0] * 6})
SETS = np.repeat(["x", "y", "z"], 8)
OUTCOMES = br.from_outcomes(ANSWERS)
LABELS = br.joint_outcomes([0, 1, 1, 0] * 6, ANSWERS)
GRADES = xr.DataArray([[3, 5, 2]], {"entity": ["a"], "outcome": [0, 1, 2]}, ("entity", "outcome"))


def attrs(posterior):
    return groups_of(posterior)["posterior"].attrs


def invoke(*arguments):
    result = CliRunner().invoke(cli, [*arguments])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


@pytest.mark.parametrize(
    ("evidence", "model"),
    [(COUNTS, "dirichlet_multinomial"), (GRADES, "dirichlet_multinomial"), (OUTCOMES, "paired"), (LABELS, "paired")],
    ids=["tables", "outcomes", "cases", "labels of cases"],
)
def test_the_evidence_chooses_the_model(evidence, model):
    chosen, named = br.fit(evidence, seed=1, draws=5), br.fit(evidence, model, seed=1, draws=5)
    assert attrs(chosen)["model"] == attrs(named)["model"] == model
    assert attrs(chosen)["model_chosen_by"] == "evidence"
    assert attrs(named)["model_chosen_by"] == "user"
    name = "performance" if evidence is not OUTCOMES else "mean_outcome"
    xr.testing.assert_equal(groups_of(chosen)["posterior"][name], groups_of(named)["posterior"][name])


def test_sensitivity_has_the_same_default():
    for evidence, score in ((COUNTS, "f1"), (OUTCOMES, None)):
        model = attrs(br.fit(evidence, seed=1, draws=5))["model"]
        some = {"alternatives": [], "draws": 20, "seed": 1}
        one, other = (br.sensitivity(evidence, score, model=m, **some) for m in (None, model))
        np.testing.assert_array_equal(one["probability_best"], other["probability_best"])


@pytest.mark.parametrize("model", ["hierarchical_beta_binomial", "hierarchical_dirichlet_multinomial"])
def test_hierarchical_models_learn_from_the_data_sets_of_cases(model):
    joint = br.from_outcomes(ANSWERS, dataset=SETS)
    of_cases, of_counts = (br.fit(x, model, seed=1, draws=50) for x in (joint, counts_of(joint)))
    found = groups_of(of_cases)["posterior"]
    assert found.sizes["dataset"] == 3
    assert found.attrs["note"] == UNPAIRED
    xr.testing.assert_equal(found["performance_typical"], groups_of(of_counts)["posterior"]["performance_typical"])
    assert UNPAIRED in str(br.credible_ranking(of_cases, "mean_outcome")["notes"].item())


def test_missing_answers_are_not_measured():
    frame = ANSWERS.astype(float)
    frame.loc[SETS == "z", "b"] = np.nan
    joint = br.from_outcomes(frame, dataset=SETS, missing="own")
    counts = counts_of(joint)
    assert counts["measured"].sel(entity="b").values.tolist() == [True, True, False]
    posterior = br.fit(joint, "hierarchical_beta_binomial", seed=1, draws=5)
    assert not bool(observed_counts(posterior)["measured"].sel(entity="b", dataset="z"))


@pytest.mark.parametrize(
    "rows",
    ["a,x,70,10,9,21\nb,y,79,1,1,29\n", "a,x,70,10,9,21\nb,x,79,1,1,29\na,y,9,1,0,10\n"],
    ids=["nothing in common", "one in common"],
)
def test_the_remedy_for_incomplete_designs_works_as_typed(tmp_path, rows):
    path = tmp_path / "counts.csv"
    path.write_text("entity,dataset,tn,fp,fn,tp\n" + rows)
    result = CliRunner().invoke(cli, ["rank", str(path), "--draws", "20"])
    remedy = re.search(r"--model (?:be )?(\w+)", str(result.exception))[1]
    for join in ("exact", "inner"):
        command = ["rank", str(path), "--draws", "20", "--join", join, "--model", remedy]
        assert "Learned from 2 data sets" in invoke(*command)
