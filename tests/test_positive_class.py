"""The positive class is known from standing pairs and from what the user says, never from the alphabet."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.labels import standing_pair
from bayesrank.evidence.counts import parts_of
from bayesrank.evidence.predictions import counts_of
from tests.commands import csv_of, invoke, json_of, refused

TRUTH = ["cancer"] * 12 + ["healthy"] * 20
SAID = {
    "bold": ["cancer"] * 11 + ["healthy"] + ["cancer"] * 9 + ["healthy"] * 11,
    "shy": ["cancer"] * 6 + ["healthy"] * 6 + ["cancer"] + ["healthy"] * 19,
}
KNOWN = br.from_predictions(TRUTH, SAID, positive="cancer")


@pytest.mark.parametrize(
    "pair",
    [
        (0, 1),
        (-1, 1),
        (False, True),
        ("negative", "positive"),
        ("no", "yes"),
        ("NO", "Yes"),
        ("0", "1"),
        (-1.0, 1),
    ],
)
def test_standing_pairs_in_any_order_and_case(pair):
    assert standing_pair(pair) == standing_pair(pair[::-1]) == pair
    y = [pair[1], pair[0], pair[0], pair[1]]
    counts = br.from_predictions(y, {"a": [pair[1], pair[0], pair[1], pair[1]]})
    assert br.scores.tpr(counts).item() == 1
    assert br.scores.ppv(counts).item() == 2 / 3


@pytest.mark.parametrize(
    "pair", [("cancer", "healthy"), ("neg", "pos"), (1, 2), (0, 2), ("a", "b"), ("yes", "maybe")]
)
def test_other_pairs_have_no_positive_class(pair):
    assert standing_pair(pair) is None
    counts = br.from_predictions([pair[0], pair[1]] * 4, {"a": [pair[0]] * 4 + [pair[1]] * 4})
    assert br.scores.accuracy(counts).item() == 0.5
    with pytest.raises(ValueError, match="positive must name the positive class for f1"):
        br.scores.f1(counts)


def test_which_scores_are_symmetric_is_what_their_formulas_say():
    tables = np.random.default_rng(3).dirichlet([0.7] * 4, 50).reshape(-1, 2, 2)
    every = map(br.scores.get, br.scores.catalog().index)
    for score in (score for score in every if score.space in ("binary", "classes")):
        same = np.allclose(
            score.of_tables(tables),
            score.of_tables(tables[:, ::-1, ::-1]),
            rtol=1e-9,
            atol=1e-12,
            equal_nan=True,
        )
        assert score.is_symmetric == same, score.name


def test_sensitivity_is_not_reversed():
    ranking = br.credible_ranking(br.fit(KNOWN, seed=1), "sensitivity")
    assert br.ranking_table(ranking).index[0] == "bold"
    assert br.scores.tpr(KNOWN).values.tolist() == [11 / 12, 0.5]
    turned = br.from_predictions(TRUTH, SAID, positive="healthy")
    assert br.scores.tnr(turned).values.tolist() == [11 / 12, 0.5]
    zero = counts_of(br.joint_outcomes([0, 1, 1, 0], {"a": [0, 1, 0, 1]}, positive=0))
    assert (zero["positive"].item(), br.scores.ppv(zero).item()) == (0, 0.5)


def test_the_mark_survives_arithmetic_selection_files_and_posteriors(tmp_path):
    assert (KNOWN * 2).sel(entity=["shy"])["positive"].item() == "cancer"
    assert br.pool(KNOWN.expand_dims(dataset=["x"], axis=1))["positive"].item() == "cancer"
    KNOWN.to_netcdf(tmp_path / "counts.nc")
    kept = xr.load_dataarray(tmp_path / "counts.nc")
    np.testing.assert_array_equal(br.scores.f1(kept), br.scores.f1(KNOWN))
    for model in ("dirichlet_multinomial", "beta_binomial"):
        posterior = br.fit(KNOWN, model, seed=1, draws=20)
        posterior.to_netcdf(str(tmp_path / f"{model}.nc"))
        values = br.scores.f1(posterior)
        assert values["positive"].item() == "cancer"
        again = br.scores.f1(xr.load_dataset(tmp_path / f"{model}.nc", group="posterior"))
        np.testing.assert_allclose(again, values)
    joint = br.joint_outcomes(TRUTH, SAID, positive="cancer")
    assert joint["label"].values.tolist() == ["healthy", "cancer"]
    assert br.scores.f1(br.fit(joint, "paired", seed=1, draws=20))["positive"].item() == "cancer"
    assert "positive" not in br.one_vs_rest(KNOWN).coords


def test_matrices_are_put_in_order():
    table = [[20, 5], [3, 9]]
    one = br.from_matrix(table, "actual_rows", labels=[1, 0])
    assert br.scores.tpr(one).item() == 20 / 25
    frame = pd.DataFrame(table, ["ill", "well"], ["ill", "well"])
    with pytest.raises(ValueError, match="positive must name"):
        br.scores.tpr(br.from_matrix(frame, "actual_rows"))
    assert br.scores.tpr(br.from_matrix(frame, "actual_rows", positive="ill")).item() == 20 / 25
    assert (
        br.scores.tpr(br.from_matrix(table, "actual_rows", labels=["well", "ill"])).item() == 9 / 12
    )


def test_unordered_categories_state_none():
    truth = pd.Series(TRUTH, dtype="category")
    assert "positive" not in br.from_predictions(truth, SAID).coords
    ordered = pd.Categorical(TRUTH, ["healthy", "cancer"], ordered=True)
    assert br.from_predictions(ordered, SAID)["positive"].item() == "cancer"


@pytest.fixture
def path(tmp_path):
    where = tmp_path / "labels.csv"
    pd.DataFrame({"actual": TRUTH, **SAID}).to_csv(where, index=False)
    return str(where)


COMMANDS = [
    "rank -s f1",
    "scores -s f1",
    "ops",
    "decide --benefit tn=0,fp=-1,fn=-9,tp=0",
    "sensitivity -s f1",
]


@pytest.mark.parametrize("words", [*COMMANDS, pytest.param("tile", marks=pytest.mark.slow)])
def test_every_command_takes_and_states_it(words, path):
    command, *options = words.split()
    arguments = [command, path, "--draws", "10", *options]
    assert "positive must name the positive class" in refused(*arguments)
    arguments += ["--positive", "cancer"]
    assert "The positive class is 'cancer', the negative one 'healthy'." in " ".join(
        invoke(*arguments).split()
    )
    assert command != "rank" or csv_of(*arguments).columns[-1] == "positive"
    assert json_of(*arguments)["positive"] == "cancer"


def test_the_parts_of_a_pool_know_the_positive_class():
    trees = br.datasets.load("utah_trees")
    pooled = br.pool(trees)
    assert parts_of(pooled)["positive"].item() == trees["positive"].item() == "present"
    ranking = br.credible_ranking(br.fit(pooled, seed=1, draws=50), "f1")
    np.testing.assert_allclose(ranking["observed"], br.scores.f1(pooled))
