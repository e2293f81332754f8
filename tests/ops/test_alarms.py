"""Alarms of drift: known answers of their p-values, and false alarms and discoveries over looks."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank.ops.alarms import comparison_level, probability_not_fallen


def months(tp, positives, tn=1800, negatives=2000, entity="m"):
    tp = np.asarray(tp)
    counts = {
        "tp": tp,
        "fn": positives - tp,
        "tn": np.full_like(tp, tn),
        "fp": np.full_like(tp, negatives - tn),
    }
    return br.from_counts(
        **counts, entity=[entity] * len(tp), dataset=[f"month {i}" for i in range(len(tp))]
    )


@pytest.mark.parametrize(
    ("x0", "n0", "x1", "n1"), [(18, 20, 12, 20), (184, 200, 160, 200), (5, 9, 30, 40)]
)
def test_half_a_case_against_the_alarm_is_fishers_exact_test(x0, n0, x1, n1):
    """Altham (1969): the posterior probability by these priors is Fisher's one-sided p-value."""
    found = probability_not_fallen(x0, n0 - x0 + 1, x1 + 1, n1 - x1)
    assert found == pytest.approx(stats.hypergeom.cdf(x1, n0 + n1, x0 + x1, n1), rel=1e-6)


def test_equal_distributions_are_even():
    assert probability_not_fallen(7.5, 2.5, 7.5, 2.5) == pytest.approx(0.5, abs=1e-9)
    np.testing.assert_allclose(
        probability_not_fallen(np.array([1.0, 1e9]), 1.0, 1.0, 1.0), [0.5, 0], atol=1e-6
    )


def test_one_look_spends_the_whole_error():
    assert comparison_level(1, 0.05, 1.0) == pytest.approx(0.05, rel=0.03)


def test_looks_of_any_number_share_the_error():
    levels = [comparison_level(looks, 0.025, 1.0) for looks in (2, 6, 24, 120)]
    assert levels == sorted(levels, reverse=True)
    for level, looks in zip(levels, (2, 6, 24, 120), strict=True):
        assert level >= 0.025 / (2.1 * looks)  # no less than the bound of Bonferroni
    # An error too small to simulate gets that bound.
    assert comparison_level(24, 1e-5, 1.0) == pytest.approx(1e-5 / (2.1 * 24))


def test_the_level_is_that_of_normal_looks():
    """24 looks and a baseline of one size, of one rate: the false alarms of other random numbers."""
    level, rng = comparison_level(24, 0.025, 1.0), np.random.default_rng(7)
    z = rng.standard_normal((40_000, 25))
    alarm = np.zeros(len(z), bool)
    for t in range(1, 25):
        recent = z[:, max(1, t - 2) : t + 1]
        apart = (z[:, 0] - recent.mean(1)) / np.sqrt(1 + 1 / recent.shape[1])
        alarm |= stats.norm.sf(apart) <= level
        alarm |= stats.norm.sf((z[:, 0] - z[:, t]) / np.sqrt(2)) <= level
        if t > 1:
            alarm |= stats.norm.sf((z[:, t - 1] - z[:, t]) / np.sqrt(2)) <= level / 10
    assert alarm.mean() == pytest.approx(0.025, abs=0.003)


def test_a_fall_is_named_and_a_rise_is_none():
    fell = br.ops.drift(
        br.fit(months([184, 185, 150], 200), "dirichlet_multinomial", seed=1), "f1"
    ).isel(entity=0)
    alarms = fell["alarm"].sel(dataset="month 2")
    assert alarms.sel(rate="tpr", against="previous").item()
    assert not alarms.sel(rate="fpr").any()
    assert not fell["alarm"].isel(dataset=slice(2)).any()
    assert (fell["p_worse"] <= 0.05).equals(fell["alarm"])
    rose = br.ops.drift(br.fit(months([150, 151, 184], 200), "dirichlet_multinomial", seed=1), "f1")
    assert not rose["alarm"].any()


def test_more_false_alarms_are_worse():
    counts = br.from_counts(
        tn=[1960, 1800],
        fp=[40, 200],
        fn=[20, 20],
        tp=[180, 180],
        entity=["m"] * 2,
        dataset=["May", "June"],
    )
    found = br.ops.drift(br.fit(counts, "dirichlet_multinomial", seed=1), "f1")["alarm"].isel(
        entity=0, dataset=1
    )
    assert found.sel(against="baseline").values.tolist() == [False, True]


def test_a_month_without_positives_is_no_look_and_no_alarm():
    counts = months([184, 0, 150], 200)
    counts.loc[{"dataset": "month 1", "actual": "positive"}] = 0
    found = br.ops.drift(
        br.fit(counts, "dirichlet_multinomial", seed=1, prior="haldane"), "f1"
    ).isel(entity=0)
    assert found["p_worse"].sel(rate="tpr", dataset="month 1").isnull().all()
    assert found["alarm"].sel(rate="tpr", dataset="month 2").any()


def test_more_entities_share_the_error():
    tp = [184, 185, 155]
    one, two = months(tp, 200), months(tp, 200, entity="other")
    alone, both = (
        br.ops.drift(br.fit(counts, "dirichlet_multinomial", seed=1, draws=4000), "f1")["p_worse"]
        .isel(entity=0)
        .sel(dataset="month 2", rate="tpr", against="baseline")
        .item()
        for counts in (one, xr.concat([one, two], "entity"))
    )
    assert both > 1.5 * alone


def test_the_baseline_may_be_a_later_month():
    counts = months([195, 184, 184, 150], 200)
    found = br.ops.drift(
        br.fit(counts, "dirichlet_multinomial", seed=1), "f1", baseline="month 1"
    ).isel(entity=0)
    assert found["p_worse"].isel(dataset=slice(2)).isnull().all()  # no looks
    assert found["alarm"].sel(dataset="month 3", rate="tpr").any()
    assert found["since_baseline_mean"].sel(dataset="month 1").isnull().all()
    assert found["since_baseline_mean"].sel(dataset="month 0", part="rates") > 0


def test_points_without_draws_have_no_alarms():
    assert "alarm" not in br.ops.drift(months([184, 150], 200), "f1")


def test_the_verdict_names_what_fell_and_since_when():
    found = br.ops.drift(
        br.fit(months([184, 185, 150], 200), "dirichlet_multinomial", seed=1), "f1"
    )
    headline, values, *_ = br.verdict(found)
    assert headline.startswith(
        "Alarm in month 2: sensitivity (TPR) fell from 0.918 in month 0 to 0.749"
    )
    assert "month 1" in headline or "month 0" in headline
    assert "F1" in values
    assert "OPS" in values
    quiet = br.ops.drift(
        br.fit(months([184, 185, 183], 200), "dirichlet_multinomial", seed=1), "f1"
    )
    assert br.verdict(quiet)[0].startswith("No alarm in 2 looks since month 0")
    assert any("24 successive looks" in note for note in br.notes(quiet))
