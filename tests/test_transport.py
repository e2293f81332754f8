"""Transport to another prevalence: rates stay, shares are what was said, and nobody's evidence is lost."""

import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of

COUNTS = br.from_counts(tn=[45, 40], fp=[5, 10], fn=[10, 2], tp=[40, 48], entity=["a", "b"])
POSTERIOR = br.fit(COUNTS, seed=1, draws=300)


def test_rates_stay_and_predictive_values_follow_bayes():
    moved = br.at_prevalence(POSTERIOR, 0.02)
    for score in ("tpr", "tnr", "informedness"):
        xr.testing.assert_allclose(
            br.scores.get(score)(moved), br.scores.get(score)(POSTERIOR), rtol=1e-12
        )
    tpr, tnr = br.scores.tpr(POSTERIOR), br.scores.tnr(POSTERIOR)
    bayes = 0.02 * tpr / (0.02 * tpr + 0.98 * (1 - tnr))
    np.testing.assert_allclose(br.scores.ppv(moved), bayes, rtol=1e-12)


def test_it_is_a_fit_at_that_prevalence():
    """The rates of a fit do not depend on the prevalence that it is told, so moving one is fitting the other."""
    told = groups_of(br.fit(COUNTS, seed=1, draws=300, prevalence=0.1))["posterior"]["performance"]
    moved = groups_of(br.at_prevalence(POSTERIOR, 0.1))["posterior"]["performance"]
    np.testing.assert_allclose(moved, told, rtol=1e-12)
    ranking = br.credible_ranking(br.at_prevalence(POSTERIOR, 0.1), "f1")
    np.testing.assert_allclose(
        ranking["observed"], br.scores.f1(br.performance.shift_prior(COUNTS, 0.1)), rtol=1e-12
    )


def test_an_uncertain_prevalence_is_one_a_draw():
    share = xr.DataArray(
        np.random.default_rng(1).beta(2, 30, (4, 300)),
        {"chain": range(4), "draw": range(300)},
        ["chain", "draw"],
    )
    moved = groups_of(br.at_prevalence(POSTERIOR, share))["posterior"]
    assert moved.attrs["prevalence"] == "given as an array"
    found = moved["performance"].sum("predicted").sel(actual="positive")
    for entity in ("a", "b"):
        np.testing.assert_allclose(found.sel(entity=entity), share, rtol=1e-9)


def test_all_kinds_are_moved_and_evidence_stays():
    cells = {"tn": [45, 40, 30], "fp": [5, 10, 20], "fn": [10, 2, 5], "tp": [40, 48, 45]}
    studies = br.from_counts(**cells, entity=["a"] * 3, dataset=list("xyz"))
    fit = br.fit(studies, "hierarchical_beta_binomial", seed=1, draws=100)
    moved = br.at_prevalence(fit, 0.3)
    for kind in ("observed", "typical", "new"):
        share = br.as_performance(moved, kind).sum("predicted").sel(actual="positive")
        np.testing.assert_allclose(share, 0.3, rtol=1e-9)
    xr.testing.assert_identical(groups_of(moved)["observed_data"], groups_of(fit)["observed_data"])
    assert "prevalence" not in groups_of(moved)["posterior"]


def test_a_share_of_nothing_and_back():
    """A fit at prevalence 0 keeps its rates; without them rows of no share cannot be moved."""
    none = br.fit(COUNTS, seed=1, draws=50, prevalence=0.0)
    back = br.at_prevalence(none, 0.5)
    assert br.scores.tpr(back).notnull().all()
    bare = groups_of(none)["posterior"].drop_vars("rate")
    assert br.scores.tpr(br.at_prevalence(bare, 0.5)).isnull().all()
    assert br.scores.tnr(br.at_prevalence(bare, 0.0)).notnull().all()


def test_many_classes_are_moved_by_name():
    digits = br.fit(
        br.from_matrix([[95, 3, 2], [4, 90, 6], [1, 2, 97]], "actual_rows"), seed=1, draws=50
    )
    share = xr.DataArray([0.2, 0.5, 0.3], {"actual": [0, 1, 2]}, ["actual"])
    moved = br.as_performance(br.at_prevalence(digits, share))
    np.testing.assert_allclose(
        moved.sum("predicted").isel(entity=0), np.broadcast_to([0.2, 0.5, 0.3], (4, 50, 3))
    )
