"""Margins and decision curves against quadrature, closed forms and the definitions."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import integrate, stats

import bayesrank as br
from bayesrank.cases import weights
from bayesrank.decisions import decision_curve, noninferiority
from tests.told import fields_of, notes_in

NAMES = ["old", "new", "eager", "bad"]
COUNTS = br.from_counts(
    tn=[90, 93, 60, 90], fp=[10, 7, 40, 10], fn=[10, 9, 1, 25], tp=[40, 41, 49, 25], entity=NAMES
)


def above(a, b, margin):
    """P(A > B - margin) of independent Betas."""
    return integrate.quad(lambda x: b.pdf(x) * a.sf(x - margin), 0, 1, limit=200)[0]


def between(a, b, margin):
    return integrate.quad(
        lambda x: b.pdf(x) * (a.cdf(x + margin) - a.cdf(x - margin)), 0, 1, limit=200
    )[0]


def test_margins_against_quadrature():
    posterior = br.fit(COUNTS, "beta_binomial", draws=5000, seed=8)
    against_old = noninferiority(posterior, "old", tpr=0.08, tnr=0.04)
    betas = [
        [stats.beta(tn + 1, fp + 1), stats.beta(tp + 1, fn + 1)]
        for (tn, fp), (fn, tp) in COUNTS.values
    ]
    for i, name in enumerate(NAMES[1:], start=1):
        found = against_old.sel(entity=name)
        tnr, tpr = (above(betas[i][k], betas[0][k], m) for k, m in ((0, 0.04), (1, 0.08)))
        exact = {
            "tnr_noninferior": tnr,
            "tpr_noninferior": tpr,
            "noninferior": tnr * tpr,  # the rows are independent
            "superior": np.prod([above(betas[i][k], betas[0][k], 0) for k in (0, 1)]),
            "equivalent": np.prod(
                [between(betas[i][k], betas[0][k], m) for k, m in ((0, 0.04), (1, 0.08))]
            ),
        }
        for what, p in exact.items():
            free = np.sqrt(p * (1 - p) / 20_000)
            assert abs(float(found[what]) - p) < 4.5 * free + 3e-4, (name, what)
            assert 0 < float(found[f"{what}_error"]) < (1 + 4.5 / np.sqrt(78)) * free + 3e-4
    assert against_old["entity"].values.tolist() == NAMES[1:]
    assert (against_old["undefined"] == 0).all()
    for rate in ("tpr", "tnr"):
        values = br.scores.get(rate)(posterior)
        difference = values.sel(entity=NAMES[1:]) - values.sel(entity="old")
        cuts = difference.quantile([0.025, 0.5, 0.975], ("chain", "draw")).values
        for end, cut in zip(("_lower", "", "_upper"), cuts, strict=True):
            np.testing.assert_allclose(against_old[f"{rate}_difference{end}"], cut, rtol=1e-12)


@pytest.mark.parametrize(
    ("tn", "tp", "word"),
    [
        *(
            (900, 450, "equivalent"),
            (990, 499, "superior"),
            (909, 458, "equivalent"),
            (930, 440, "non-inferior"),
        ),
        *((700, 499, "inferior"), (990, 300, "inferior"), (855, 425, "undecided")),
    ],
)
def test_words(tn, tp, word):
    counts = br.from_counts(
        tn=[900, tn], fp=[100, 1000 - tn], fn=[50, 500 - tp], tp=[450, tp], entity=["ref", "x"]
    )
    margins = {"tpr": 0.06, "tnr": 0.03} if word == "non-inferior" else {}
    assert noninferiority(br.fit(counts, seed=2), "ref", **margins)["verdict"].values.tolist() == [
        word
    ]


def test_better_by_less_than_the_margins_is_both():
    counts = br.from_counts(
        tn=[90_000, 91_000], fp=[10_000, 9000], fn=[5000, 4500], tp=[45_000, 45_500]
    )
    found = noninferiority(br.fit(counts, seed=2), "entity 1")
    assert found["verdict"].values.tolist() == ["superior and equivalent"]


def test_rates_without_a_value():
    values = br.as_performance(br.fit(COUNTS, draws=100, chains=2, seed=1)).copy()
    values.loc[{"entity": "new"}] = np.nan
    found = noninferiority(values, "old")
    assert found["undefined"].values.tolist() == [1, 0, 0]
    assert np.isnan(found["noninferior"].sel(entity="new"))
    assert found["verdict"].sel(entity="new").item() == "undecided"
    point = noninferiority(COUNTS, "old")
    assert point["noninferior_error"].isnull().all()
    assert set(point["verdict"].values) == {"undecided"}
    assert point["noninferior"].values.tolist() == [1.0, 0.0, 0.0]


def test_no_entity_is_inferior_without_cases():
    """The prior alone speaks of a rate of which nothing was observed, and decides nothing."""
    cells = {
        "tn": [900, 0, 0, 700],
        "fp": [10, 0, 0, 300],
        "fn": [5, 0, 5, 300],
        "tp": [900, 0, 900, 700],
    }
    counts = br.from_counts(**cells, entity=["ref", "none", "half", "bad"])
    posterior = br.fit(counts, prior=[[1, 30], [30, 1]], seed=1, force=True)
    found = noninferiority(posterior, "ref")
    assert (1 - found["noninferior"] > 0.95).all()
    assert found["verdict"].values.tolist() == ["undecided", "undecided", "inferior"]
    assert (noninferiority(posterior, "none")["verdict"] == "undecided").all()


RNG = np.random.default_rng(7)
Y = RNG.random(120) < 0.35
RISK = {
    "good": np.clip(np.where(Y, RNG.beta(5, 3, 120), RNG.beta(2, 6, 120)), 0.02, 0.98),
    "coarse": np.round(RNG.random(120), 1) * 0.8 + 0.1,
}
AT = [0.01, 0.1, 0.3, 0.6, 0.99]


def net_benefit(y, treated, t, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    value = np.where(treated, np.where(y, 1.0, -t / (1 - t)), 0.0)
    return (weight * value).sum() / weight.sum(), value


def test_a_curve_against_the_bootstraps_closed_form():
    """Weights Dirichlet(1, ..., 1): of a mean of v the posterior mean is v̄, the variance Σ(v - v̄)²/n/(n + 1)."""
    curve = decision_curve(Y, RISK, AT, draws=8_000, seed=3)
    assert curve["entity"].values.tolist() == ["good", "coarse", "treat all", "treat none"]
    decisions = {**RISK, "treat all": np.ones(120), "treat none": np.zeros(120)}
    for name, risk in decisions.items():
        for t in AT:
            mean, value = net_benefit(Y, risk >= t, t)
            one = curve.sel(entity=name, threshold=t)
            assert float(one["observed"]) == pytest.approx(mean, abs=1e-12)
            sd = np.sqrt(((value - mean) ** 2).sum() / 120 / 121)
            assert abs(float(one["mean"]) - mean) <= 4.5 * sd / np.sqrt(8_000) + 1e-12
            assert float(one["mean_error"]) <= (1 + 4.5 / np.sqrt(78)) * sd / np.sqrt(8_000) + 1e-12
            assert float(one["mean_error"]) >= 0.9 * sd / np.sqrt(8_000)
            assert float(one["lower"]) - 1e-12 <= mean <= float(one["upper"]) + 1e-12
            # The interval's width, where it is nearly normal: four sd.
            if name == "good" and t < 0.9:
                assert float(one["upper"] - one["lower"]) == pytest.approx(3.92 * sd, rel=0.08)


def test_who_decides_alike_is_tied():
    curve = decision_curve(Y, RISK, AT, draws=500, seed=3)
    low = curve.sel(threshold=0.01)
    for name in ("mean", "lower", "probability_best", "expected_regret"):
        assert float(low[name].sel(entity="good")) == float(low[name].sel(entity="treat all"))
    assert low["probability_best"].values == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    high = curve.sel(threshold=0.99)
    assert high["probability_best"].values == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    np.testing.assert_allclose(curve["probability_best"].sum("entity"), 1)
    assert (curve["probability_best_error"] > 0).all()


def test_the_same_cases_judge_all_thresholds():
    """A draw that is kind to one threshold is to its neighbours: what is asked for changes no draw."""
    one, more = (decision_curve(Y, RISK, at, draws=200, seed=3) for at in ([0.3], AT))
    xr.testing.assert_equal(
        one.sel(threshold=0.3).drop_vars("notes"), more.sel(threshold=0.3).drop_vars("notes")
    )


def test_order_of_cases_and_entities_changes_nothing():
    order = np.random.default_rng(1).permutation(120)
    turned = {name: RISK[name][order] for name in reversed(RISK)}
    one = decision_curve(Y, RISK, AT, draws=200, seed=3)
    other = decision_curve(Y[order].tolist(), pd.DataFrame(turned), AT, draws=200, seed=3)
    for name in ("mean", "lower", "probability_best"):
        np.testing.assert_allclose(other[name].sel(entity=one["entity"]), one[name], rtol=1e-12)


def test_another_prevalence():
    curve = decision_curve(Y, RISK, AT, draws=1000, seed=3, prevalence=0.1)
    tpr, fpr = (np.mean(RISK["good"][here] >= 0.3) for here in (Y, ~Y))
    exact = 0.1 * tpr - 0.9 * fpr * 3 / 7
    one = curve.sel(entity="good", threshold=0.3)
    assert float(one["observed"]) == pytest.approx(exact, abs=1e-12)
    assert abs(float(one["mean"]) - exact) < 4.5 * float(one["mean_error"])
    np.testing.assert_allclose(
        curve["mean"].sel(entity="treat all"), 0.1 - 0.9 * np.array(AT) / (1 - np.array(AT))
    )
    pi = xr.DataArray(np.random.default_rng(3).beta(10, 90, 1000), dims="draw")
    drawn = decision_curve(Y, RISK, AT, draws=1000, seed=3, prevalence=pi).sel(
        entity="treat all", threshold=0.3
    )
    values = pi - (1 - pi) * 3 / 7
    assert float(drawn["mean"]) == pytest.approx(float(values.mean()))
    assert float(drawn["upper"]) == pytest.approx(float(values.quantile(0.975)))
    same = decision_curve(Y, RISK, AT, draws=1000, seed=3, prevalence=xr.full_like(pi, 0.1))
    xr.testing.assert_allclose(same, curve)


def test_few_cases_have_a_note():
    few = decision_curve([0] * 9 + [1] * 4, {"a": np.linspace(0.1, 0.9, 13)}, [0.5])
    assert fields_of(few, "few_units_without_prior")["units"] == 4
    assert notes_in(decision_curve([0, 1] * 50, {"a": np.linspace(0.1, 0.9, 100)}, [0.5])) == []


def test_memory_bounds_what_is_held_at_a_time_and_changes_no_draw(monkeypatch):
    y, risk = Y.tolist() * 2, np.tile(RISK["coarse"], 2)
    whole = decision_curve(y, {"coarse": risk}, AT, draws=1300, seed=3)
    monkeypatch.setattr(weights, "step_of", lambda size: 77)
    xr.testing.assert_allclose(
        decision_curve(y, {"coarse": risk}, AT, draws=1300, seed=3), whole, rtol=1e-12
    )
