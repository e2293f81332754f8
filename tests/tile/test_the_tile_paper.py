"""What the paper that introduced the Tile says: values, lemmas, properties, figures with known answers."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import bayesrank as br
from bayesrank import performance


@pytest.mark.parametrize(
    "name", ["change_predicted", "change_actual", "swap_actual_predicted", "swap_classes"]
)
def test_lemmas_1_to_4(name):
    """Values, of performances with every set of cells empty too: what is undefined stays so."""
    cells = [*np.ndindex(2, 2, 2, 2)][1:] + np.random.default_rng(7).integers(
        1, 6, (12, 4)
    ).tolist()
    array = br.as_performance(
        br.from_counts(**dict(zip(("tn", "fp", "fn", "tp"), np.array(cells).T, strict=True)))
    )
    relabelled = performance.relabel(array, name)
    for a, b in np.ndindex(5, 5):
        there = br.canonical_score(array, *br.tile.moved_place(name, a / 4, b / 4))
        expected = 1 - there if name.startswith("change") else there
        np.testing.assert_allclose(
            br.canonical_score(relabelled, a / 4, b / 4), expected, rtol=1e-9, atol=1e-12
        )


def test_lemma_5_and_property_1():
    rng = np.random.default_rng(1)
    before = br.from_rates(tnr=rng.random(60), tpr=rng.random(60), prevalence=0.3)
    after = performance.shift_prior(before, 0.8)
    np.testing.assert_allclose(after.isel(actual=1).sum("predicted"), 0.8)
    np.testing.assert_allclose(br.scores.tpr(after), br.scores.tpr(before))
    for a, b in [(0.3, 0.6), (0.9, 0.1)]:
        # R_I after the shift is R_I' before it
        importance = {"tn": 1 - a, "fp": 1 - b, "fn": b, "tp": a}
        ratio = {"tn": 0.2 / 0.7, "fp": 0.2 / 0.7, "fn": 0.8 / 0.3, "tp": 0.8 / 0.3}
        moved = {cell: weight * ratio[cell] for cell, weight in importance.items()}
        found = br.ranking_score(after, br.importance(**importance))
        np.testing.assert_allclose(found, br.ranking_score(before, br.importance(**moved)))
    balanced = br.tile.prior_grid(0.8).values
    expected = [
        br.tile.moved_place("shift_prior", x, x, old=0.5, new=0.8)[0] for x in np.linspace(0, 1, 11)
    ]
    np.testing.assert_allclose(balanced, expected)


@pytest.mark.parametrize("prevalence", [0.2, 0.5, 0.8])
def test_figure_5(prevalence):
    # always negative, (TNR, TPR) = (0.7, 0.7) and (0.5, 0.8), always positive
    tnr, tpr = np.array([1, 0.7, 0.5, 0]), np.array([0, 0.7, 0.8, 1])
    toy = br.from_rates(tnr=tnr, tpr=tpr, prevalence=prevalence, entity=["P0", "P1", "P2", "P3"])
    winner = br.tile.entity(toy, resolution=51)
    assert winner.sel(a=0.02, b=0.1, method="nearest") == "P0"
    assert winner.sel(a=0.98, b=0.9, method="nearest") == "P3"
    # T A.5.1: the border of "never" and "always" is the curve γ_π
    border, curve = br.tile.frontier(toy, "P0", "P3"), br.tile.no_skill_curve(prevalence=prevalence)
    np.testing.assert_allclose(
        np.interp(border["a"], curve["a"], curve["b"]), border["b"], atol=2e-3
    )
    if prevalence == 0.5:  # Eq. 6 and 7: with balanced priors all frontiers are lines
        for i, j in [(0, 1), (1, 2), (2, 3), (0, 3)]:
            line = br.tile.frontier(toy, f"P{i}", f"P{j}")
            slope_a = (1 - tnr[i]) * (1 - tpr[j]) - (1 - tpr[i]) * (1 - tnr[j])
            slope_b = tpr[i] * tnr[j] - tnr[i] * tpr[j]
            np.testing.assert_allclose(
                slope_a * line["a"] + slope_b * line["b"] + tnr[i] - tnr[j], 0, atol=1e-12
            )


def test_volume_ranks_almost_as_accuracy():
    array = br.tile.sample_performances(20_000, seed=1)
    rho = spearmanr(br.tile.volume(array), br.scores.accuracy(array))[0]
    assert rho == pytest.approx(
        0.996, abs=0.001
    )  # printed to three digits; its standard error is below 1e-4


def test_figure_4_and_7():
    # NPV with PPV and TNR with TPR: null for the uniform distribution; standard error of τ about 0.0067 at 10,000
    tile = br.tile.correlation("npv", 3, seed=1)
    assert abs(tile.sel(a=1, b=0)) < 5 * 0.0067
    assert tile.sel(a=0, b=1) == pytest.approx(1)
    assert (br.tile.correlation("tnr", 3, seed=1) > -5 * 0.0067).all()
    # balanced accuracy is at (π₋, π₋), kappa on b = 1/2
    tile = br.tile.correlation("balanced_accuracy", 11, prevalence=0.3, size=2000)
    assert tile.sel(a=0.7, b=0.7, method="nearest") == pytest.approx(1)
    assert tile.argmax(...)["a"] == tile.argmax(...)["b"] == 7
