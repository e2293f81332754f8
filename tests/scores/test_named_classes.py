"""A named class without cases: 0 or absent in observed averages, as in scikit-learn; a class in draws."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn import metrics

import bayesrank as br
from bayesrank.planning.preposterior import Preposterior
from bayesrank.scores._against_rest import DECLARED, INVENTED

#: Of the four classes "c" has no case and is answered, and "d" has neither a case nor an answer.
TABLE = np.array([[7, 1, 2, 0], [1, 8, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
TRUTH = np.repeat([*"abcd"], TABLE.sum(1))
ANSWERS = np.concatenate([np.repeat([*"abcd"], row) for row in TABLE])
MODELS = ("dirichlet_multinomial", "hierarchical_classes")
SCORES = ("macro_tpr", "macro_f1", "balanced_accuracy")


def named_counts():
    return br.from_matrix(TABLE, "actual_rows", labels=[*"abcd"])


def as_categorical(make):
    return make(pd.Categorical(TRUTH, [*"abcd"]), {"m": ANSWERS})


SOURCES = {
    "matrix": named_counts,
    "predictions": lambda: br.from_predictions(TRUTH, {"m": ANSWERS}, labels=[*"abcd"]),
    "joint": lambda: br.joint_outcomes(TRUTH, {"m": ANSWERS}, labels=[*"abcd"]),
    "categories": lambda: as_categorical(br.from_predictions),
    "pooled": lambda: br.pool(
        br.from_predictions(TRUTH, {"m": ANSWERS}, labels=[*"abcd"], dataset=np.arange(19) % 2)
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_draws_average_over_every_named_class(source, tmp_path):
    evidence = SOURCES[source]()
    posterior = br.fit(evidence, draws=40, chains=1, seed=1)
    each = br.one_vs_rest(br.as_performance(posterior))
    posterior.to_netcdf(tmp_path / "posterior.nc")
    with xr.open_datatree(tmp_path / "posterior.nc") as read:
        for held in (posterior, read):
            for name, part in (
                ("macro_tpr", "tpr"),
                ("macro_f1", "f1"),
                ("balanced_accuracy", "tpr"),
            ):
                found, wanted = br.scores.get(name)(held), br.scores.get(part)(each).mean("label")
                np.testing.assert_allclose(found, wanted, rtol=1e-9, err_msg=name)
    weights = each.sum("predicted").isel(actual=1)
    wanted = (br.scores.f1(each) * weights).sum("label")
    np.testing.assert_allclose(br.scores.get("weighted_f1")(posterior), wanted, rtol=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_observed_averages_are_those_of_scikit_learn(model):
    counts = named_counts()
    posterior = br.fit(counts, model, draws=200, chains=1, seed=1)
    # scikit-learn averages over the labels that occur.
    wanted = [
        metrics.recall_score(TRUTH, ANSWERS, average="macro", zero_division=0),
        metrics.f1_score(TRUTH, ANSWERS, average="macro"),
        np.mean([7 / 10, 8 / 9]),
    ]
    assert wanted[0] == pytest.approx((7 / 10 + 8 / 9 + 0) / 3)
    for name, value in zip(SCORES, wanted, strict=True):
        for source in (counts, br.as_performance(counts)):
            assert br.scores.get(name)(source).item() == pytest.approx(value), name
        ranking = br.credible_ranking(posterior, name, joint=False)
        assert ranking["observed"].item() == pytest.approx(value)
        assert not ranking["contradicted"].any()


def test_the_recall_of_a_named_class_is_that_of_the_model():
    """Ten classes of which one has no case: the mean recall is near that of the nine, not 9/10 of it."""
    table = np.diag([3] * 9 + [0])
    table[0, 9] = 1  # the last class has an answer and no case
    named = br.from_matrix(table, "actual_rows", labels=[*"abcdefghij"])
    unnamed = br.from_matrix(table, "actual_rows")
    means = [
        br.scores.macro_tpr(br.fit(counts, "hierarchical_classes", seed=1)).mean().item()
        for counts in (named, unnamed)
    ]
    assert means[0] == pytest.approx(0.94, abs=0.03)
    assert means[1] == pytest.approx(0.9 * means[0], abs=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_a_class_whose_share_is_set_to_zero_has_no_recall(model):
    """With class shares as observed, no case of it is possible, so the rule is that of observed values."""
    posterior = br.fit(named_counts(), model, prevalence="observed", draws=20, chains=1, seed=1)
    each = br.scores.tpr(br.one_vs_rest(br.as_performance(posterior))).isel(label=[0, 1])
    np.testing.assert_allclose(br.scores.balanced_accuracy(posterior), each.mean("label"))
    recall = br.scores.macro_tpr(posterior)
    # A posterior answers with both classes.
    np.testing.assert_allclose(recall, each.sum("label") / 4, rtol=1e-9)


def test_labels_that_the_data_alone_show_are_no_classes():
    for source in (
        br.from_matrix(pd.DataFrame(TABLE, [*"abcd"], [*"abcd"]), "actual_rows"),
        br.from_predictions(TRUTH, {"m": np.where(ANSWERS == "a", "(no answer)", ANSWERS)}),
    ):
        posterior = br.fit(source, "dirichlet_multinomial", draws=20, chains=1, seed=1)
        each = br.scores.tpr(br.one_vs_rest(br.as_performance(posterior))).sel(label=[*"ab"])
        np.testing.assert_allclose(br.scores.macro_tpr(posterior), each.sum("label") / 3, rtol=1e-9)


def test_future_tables_have_the_same_classes(monkeypatch):
    """A plan takes the mean over four classes, of which two may get their first cases."""
    posterior = br.fit(named_counts(), "dirichlet_multinomial", seed=1)
    used, make = [], Preposterior.table_score
    monkeypatch.setattr(
        Preposterior, "table_score", lambda *given: used.append(make(*given)) or used[-1]
    )
    br.plan(posterior, "macro_tpr", width=0.2, sizes=[20, 40], futures=20, seed=1)
    wanted = (8 / 11 + 0.9 + 1 + 1) / 4
    assert used[0]((TABLE + np.eye(4))[None]).item() == pytest.approx(wanted)


def test_a_mark_counts_where_cases_are_possible():
    tables = np.array([[[8, 1, 1], [0, 9, 1], [0, 0, 0]], [[8, 1, 1], [0, 9, 1], [1, 0, 4]]]) / 25
    for last, wanted in ((DECLARED, [1.7 / 3, 2.5 / 3]), (INVENTED, [1.7 / 3, 1.7 / 3])):
        found = br.scores.macro_tpr.of_tables(tables, np.array([1, 1, last]))
        np.testing.assert_allclose(found, wanted)
    lacking = np.where(np.arange(3)[:, None] == 2, np.nan, tables[1])
    assert np.isnan(br.scores.macro_tpr.of_tables(lacking, np.array([1, 1, DECLARED])))
