"""Places that are neutral to chance: exact in fractions, and under an uncertain prevalence against brute force."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
import xarray as xr
from scipy import integrate, stats

import bayesrank as br
from bayesrank.tile import describe_place, neutral_band, neutral_prevalence, no_skill_spread


def value(a, b, share, called):
    """Canonical score of the no-skill performance with a share of positive calls, in fractions; None if undefined."""
    negative = 1 - share
    right = (1 - a) * negative * (1 - called) + a * share * called
    wrong = (1 - b) * negative * called + b * share * (1 - called)
    return None if right + wrong == 0 else right / (right + wrong)


def test_curves_of_two_prevalences_meet_at_npv_and_ppv_only():
    """All no-skill performances have one value where π₊² a b = π₋² (1 - a)(1 - b), and nowhere else."""
    shares, calls = (F(1, 5), F(1, 2)), [F(k, 6) for k in range(7)]
    for a, b in product([F(k, 10) for k in range(11)], repeat=2):
        neutral = []
        for share in shares:
            found = {v for called in calls if (v := value(a, b, share, called)) is not None}
            on_curve = share**2 * a * b == (1 - share) ** 2 * (1 - a) * (1 - b)
            assert (len(found) == 1) == on_curve, (a, b, share)
            neutral.append(on_curve)
        assert all(neutral) == ((a, b) in ((0, 1), (1, 0)))


def test_the_inverse_finds_the_prevalence_of_each_place():
    for share in (0.05, 0.3, 0.5, 0.9):
        curve = br.tile.no_skill_curve(prevalence=share, points=9)
        inside = (curve["a"] > 0) & (curve["a"] < 1)
        found = neutral_prevalence(curve["a"], curve["b"])
        np.testing.assert_allclose(found.where(inside, drop=True), share, rtol=1e-9)
        assert found.where(~inside, drop=True).isnull().all()
    assert neutral_prevalence(1, 0.5) == 0  # F1
    assert neutral_prevalence(0, 0.5) == 1
    assert np.isnan(neutral_prevalence(0, 1))


def test_the_spread_is_the_range_over_no_skill_performances():
    rng = np.random.default_rng(1)
    called = np.linspace(0, 1, 501)
    for a, b, share in rng.uniform(0.02, 0.98, (20, 3)):
        score = br.scores.canonical(a, b)
        values = score.of_cells(
            (1 - share) * (1 - called), (1 - share) * called, share * (1 - called), share * called
        )
        assert no_skill_spread(a, b, share) == pytest.approx(np.ptp(values), abs=1e-12)
    assert no_skill_spread(1, 0, 0.3) == no_skill_spread(0, 1, 0.3) == 0
    # TPR without positives, and TNR without negatives, are undefined for all; F1 without positives is 0 or undefined.
    assert np.isnan([no_skill_spread(1, 1, 0), no_skill_spread(0, 0, 1)]).all()
    assert no_skill_spread(1, 0.5, 0) == 0


def test_the_band_is_that_of_the_curves_of_draws():
    draws = np.random.default_rng(2).beta(3, 7, 20_000)
    band = neutral_band((3, 7), points=6)
    drawn = neutral_band(xr.DataArray(draws.reshape(4, -1), dims=("chain", "draw")), points=6)
    for a in (0.2, 0.6, 0.8):
        b = (1 - draws) ** 2 * (1 - a) / (draws**2 * a + (1 - draws) ** 2 * (1 - a))
        ends = np.quantile(b, [0.025, 0.5, 0.975])
        here = band.sel(a=a, method="nearest")
        np.testing.assert_allclose([here["lower"], here["median"], here["upper"]], ends, atol=0.02)
        np.testing.assert_allclose(
            here["least"], drawn["least"].sel(a=a, method="nearest"), atol=0.02
        )
    assert band["lower"].isel(a=0) == 1
    assert band["upper"].isel(a=-1) == 0
    assert (band["lower"] <= band["median"]).all()
    assert (band["median"] <= band["upper"]).all()


def test_the_least_expected_spread_is_the_least():
    prior, a = stats.beta(3, 7), 0.6

    def expected(a, b):
        kink = neutral_prevalence(a, b)
        return integrate.quad(
            lambda x: prior.pdf(x) * float(no_skill_spread(a, b, x)), 0, 1, points=[kink]
        )[0]

    band = neutral_band((3, 7), points=6).sel(a=a, method="nearest")
    least, spread = band["least"].item(), band["spread"].item()
    assert spread == pytest.approx(expected(a, least), abs=1e-5)
    grid = np.linspace(0.05, 0.99, 40)
    assert spread <= min(expected(a, b) for b in grid) + 1e-5
    assert expected(a, least) < expected(a, least + 0.02)
    assert expected(a, least) < expected(a, least - 0.02)
    x, on_diagonal = band["diagonal"].item(), band["diagonal_spread"].item()
    assert on_diagonal == pytest.approx(expected(x, x), abs=1e-5)
    assert on_diagonal <= min(expected(b, b) for b in grid) + 1e-5


@pytest.mark.parametrize("prior", [(0.3, 0.3), (0.5, 0.5), (0.5, 2), (1, 1)])
def test_the_least_is_not_a_minimum_nearby(prior):
    """A prior that puts the prevalence near 0 or near 1 has several minima along b."""
    nodes, b = (
        stats.beta(*prior).ppf((np.arange(1000) + 0.5) / 1000),
        np.linspace(0.002, 0.998, 250),
    )
    band = neutral_band(prior, points=5)
    for a in (0.25, 0.5, 0.75):
        every = no_skill_spread(a, b[:, None], nodes).mean(axis=1)
        assert band["spread"].sel(a=a).item() <= every.min() + 1e-3
    assert (
        band["diagonal_spread"].item()
        <= no_skill_spread(b[:, None], b[:, None], nodes).mean(axis=1).min() + 1e-3
    )


def test_a_prior_at_both_ends_leaves_no_gap():
    """Quantiles that are 0 or 1 to the last digit: TNR and TPR are not neutral because they are undefined there."""
    for prior in (
        (0.001, 0.001),
        (1e-7, 1),
        (1, 1e-8),
        (100, 1e-6),
        (0.02, 0.02),
        (5.01, 0.01),
        (1, 0.02),
        (3, 0.05),
    ):
        band, exchanged = neutral_band(prior, points=5), neutral_band(prior[::-1], points=5)
        assert not band.to_array().isnull().any()
        assert band["diagonal_spread"] > 0.88
        assert band["diagonal_spread"].item() == pytest.approx(
            exchanged["diagonal_spread"].item(), abs=1e-6
        )
        np.testing.assert_allclose(band["spread"], exchanged["spread"][::-1], atol=1e-6)


def test_the_least_of_a_prevalence_near_1_is_that_of_a_closed_form():
    """1 - π of Beta(1, 0.02) is u^50 with a uniform u, to the last digit; on the diagonal the range is a tanh."""
    log = 50 * np.log((np.arange(200_000) + 0.5) / 200_000)

    def expected(x):
        return np.abs(np.tanh((np.log1p(-np.exp(log)) - log + np.log(x) - np.log1p(-x)) / 2)).mean()

    band = neutral_band((1, 0.02), points=3)
    assert band["diagonal_spread"].item() == pytest.approx(
        expected(band["diagonal"].item()), abs=2.5e-4
    )
    assert (
        band["diagonal_spread"].item() <= min(map(expected, np.geomspace(1e-15, 0.5, 200))) + 2.5e-4
    )


def test_the_band_of_a_uniform_prevalence_is_nearly_the_whole_tile():
    band = neutral_band((1, 1), points=11).isel(a=slice(1, -1))
    assert band["lower"].max() < 0.01
    assert band["upper"].min() > 0.99


def test_two_places_can_have_the_least_expected_spread():
    """Two prevalences, each with probability ½: in fractions, lower at the curve of each than halfway."""

    def expected(b):
        pairs = [
            (value(F(1, 2), b, share, F(0)), value(F(1, 2), b, share, F(1)))
            for share in (F(1, 10), F(9, 10))
        ]
        return sum(abs(one - other) for one, other in pairs) / 2

    assert expected(F(81, 82)) == expected(F(1, 82)) < expected(F(1, 2)) == F(4, 5)
    found = neutral_band(np.array([0.1, 0.9]), points=3).sel(a=0.5)
    assert min(abs(found["least"].item() - end) for end in (81 / 82, 1 / 82)) < 1e-6
    assert found["spread"].item() == pytest.approx(float(expected(F(1, 82))), abs=1e-9)


def test_the_band_of_few_draws_holds_at_least_its_probability():
    for size in (2, 3, 5, 10, 20, 40, 41):
        draws = np.random.default_rng(size).beta(3, 7, size)
        band = neutral_band(draws, points=5).sel(a=0.25)
        curves = 3 * (1 - draws) ** 2 / (draws**2 + 3 * (1 - draws) ** 2)
        held = (curves >= band["lower"].item() - 1e-12) & (curves <= band["upper"].item() + 1e-12)
        assert held.mean() >= 0.95


def test_the_least_expected_spread_can_lie_outside_the_band():
    band = neutral_band((1, 9), points=5).sel(a=0.5)
    assert band["least"] > band["upper"]


def test_the_spread_matches_dims_by_name():
    a = xr.DataArray([0.2, 0.5, 0.7], dims="score")
    share = xr.DataArray([0.1, 0.3, 0.6], dims="population")
    found = no_skill_spread(a, 0.4, share)
    assert found.dims == ("score", "population")
    np.testing.assert_array_equal(found, no_skill_spread(a.values[:, None], 0.4, share.values))


def test_on_the_edges_one_constant_prediction_is_ahead_at_every_prevalence():
    for share, other in product((F(1, 9), F(1, 2), F(8, 9)), (F(1, 5), F(4, 5))):
        for a, b, ahead in ((0, other, 1), (other, 0, 1), (1, other, 0), (other, 1, 0)):
            negative, positive = (value(F(a), F(b), share, F(called)) for called in (0, 1))
            assert (negative > positive) if ahead else (positive > negative)
            assert neutral_prevalence(float(a), float(b)) == ahead


def test_the_least_expected_spread_depends_on_how_the_prevalence_was_measured():
    """The numbers of docs/theory/chance.md, against a mean over quantiles at the best of many places."""
    for positive, printed in ((30, 0.09), (5, 0.18)):
        nodes = stats.beta(positive, 100 - positive).ppf((np.arange(4000) + 0.5) / 4000)
        places = np.linspace(0.5, 0.99, 491)[:, None]
        always = (
            places * nodes / (places * nodes + (1 - places) * (1 - nodes))
        )  # positive; negative is 1 minus it
        least = np.abs(2 * always - 1).mean(axis=1).min()
        assert round(least, 2) == printed
        found = neutral_band((positive, 100 - positive), points=3)["diagonal_spread"].item()
        assert found == pytest.approx(least, abs=1e-4)


def test_a_known_prevalence_is_the_limit():
    band = neutral_band((3e6, 7e6), points=5)
    curve = 0.49 * (1 - band["a"]) / (0.09 * band["a"] + 0.49 * (1 - band["a"]))
    for name in ("lower", "least", "upper"):
        np.testing.assert_allclose(band[name], curve, atol=2e-3)
    assert band["diagonal"].item() == pytest.approx(0.7, abs=1e-3)  # balanced accuracy
    assert float(band["spread"].max()) < 1e-3
    mirrored = neutral_band((7, 3), points=5)
    np.testing.assert_allclose(
        mirrored["least"], 1 - neutral_band((3, 7), points=5)["least"][::-1], atol=1e-6
    )


def test_a_prevalence_near_one_keeps_the_digits_of_the_other_class():
    assert br.notes(describe_place(0.5, 0.5, 0.9999999))[0].startswith(
        "At prevalence 0.9999999, always"
    )
    assert (
        "at prevalence about 0.9985, and only there"
        in br.verdict(describe_place(0.0014999, 0.0014999))[1]
    )


@pytest.mark.parametrize("share", [1e-6, 4e-7, 1 - 1e-7])
def test_a_place_inside_is_not_named_after_a_score_on_an_edge(share):
    """At the place of kappa a performance that is always negative has another order than by F1."""
    a, b = br.tile.chance_corrected_place(0.5, 0.5, share)
    assert 0 < a < 1
    assert br.verdict(describe_place(a, b))[-1].startswith("Nearest scores: ")
    assert br.verdict(describe_place(a, b, share))[-1].endswith("it orders as Cohen's kappa.")
    assert "NPV (distance 1.4e-13)" in br.verdict(describe_place(1e-13, 1 - 1e-13))[-1]
    # Nor after a score whose ratio of importances is another one.
    assert (
        describe_place(1 - 2e-13, 1 - 2e-13, 1e-13)["distance"].sel(score="balanced_accuracy") > 0
    )


def test_a_place_in_words():
    words = br.verdict(describe_place(0.9, 0.6))
    assert words[0].startswith("A true positive counts 9 times as much as a true negative")
    assert "at prevalence about 0.214, and only there" in words[1]
    for near in (0.0004, 0.0005, 0.00004):
        assert (
            f"at prevalence {1 - near}, and only there" in br.verdict(describe_place(near, near))[1]
        )
    assert words[2].startswith("Nearest scores: F1 (distance 0.14)")
    assert br.verdict(describe_place(1, 0.5))[-1] == "It is F1."
    assert br.verdict(describe_place(0.25, 0.5))[0].startswith(
        "A true negative counts 3 times as much as a true positive"
    )
    # Three scores are 0.412 away: all are named, or none.
    tied = describe_place(0.9, 0.6)["distance"]
    assert tied.size == 5
    assert np.ptp(tied.values[2:]) < 1e-12
    # The same order, but other values than the canonical score.
    assert (
        br.verdict(describe_place(0, 0.5))[-1]
        == "It orders as Jaccard index of the negative class."
    )
    counts = br.from_counts(tn=4, fp=1, fn=2, tp=3)
    assert br.canonical_score(counts, 0, 0.5).item() != pytest.approx(
        br.scores.jaccard_negative(counts).item()
    )
    kappa = br.place("cohen_kappa", 0.25)
    assert (
        br.verdict(describe_place(*kappa, prevalence=0.25))[-1]
        == "At prevalence 0.25, it orders as Cohen's kappa."
    )
    assert (
        "At every prevalence, all classifiers without skill that have a value"
        in br.verdict(describe_place(1, 0))[1]
    )
    assert "At no prevalence between 0 and 1" in br.verdict(describe_place(0, 0.3))[1]
    at = describe_place(0.7, 0.7, prevalence=0.3)
    assert br.verdict(at)[-1] == "At prevalence 0.3, it is balanced accuracy."
    assert "always negative has the value 0.5, and always positive the value 0.5" in br.notes(at)[0]
    assert (
        "always negative has no value, and always positive the value 0.3"
        in br.notes(describe_place(1, 0, 0.3))[0]
    )
    assert at["right_ratio"].item() == pytest.approx(7 / 3)


def test_balanced_accuracy_and_kappa_are_recognised_at_their_places_for_every_prevalence():
    for share in (*np.linspace(0.01, 0.99, 99).round(2), 1e-9, 4.3e-4, 1 - 1e-6):
        negative = round(1 - share, 2) if 0.01 <= share <= 0.99 else 1 - share
        said = br.verdict(describe_place(negative, negative, share))[-1]
        assert said == (
            "It is accuracy."
            if share == 0.5
            else f"At prevalence {share:.7g}, it is balanced accuracy."
        )
        kappa = negative**2 / (negative**2 + share**2)
        named = describe_place(kappa, 0.5, share)["distance"].sel(score="cohen_kappa")
        assert named == 0
    assert br.verdict(describe_place(1, 0.5, 1e-7))[-1] == "It is F1."
    even = describe_place(0.5, 0.52, 0.5)["score"].values.tolist()
    assert even == ["accuracy", "balanced_accuracy", "cohen_kappa"]
    assert br.verdict(describe_place(0.5005, 0.5))[0].startswith(
        "A true positive counts slightly more than a true neg"
    )
    assert "scores at prevalence 0.3: " in br.verdict(describe_place(0.9, 0.2, 0.3))[-1]


def test_lines_of_equal_performance_in_pr_space():
    for a, b, v in ((1.0, 0.5, 0.6), (0.5, 0.5, 0.8), (0.2, 0.9, 0.7)):
        line = br.tile.isoperformance(a, b, v, 0.3, points=7)
        recall, precision = line["tpr"].values, line["precision"].values
        known = ~np.isnan(precision) & (precision > 0)
        called = 0.3 * recall[known] / precision[known]
        cells = 0.7 - (called - 0.3 * recall[known]), called - 0.3 * recall[known]
        values = br.scores.canonical(a, b).of_cells(
            *cells, 0.3 * (1 - recall[known]), 0.3 * recall[known]
        )
        np.testing.assert_allclose(values, v, atol=1e-9)
    fixed = br.tile.isoperformance(1, 0, 0.4, 0.3)
    np.testing.assert_allclose(fixed["precision"].dropna("point"), 0.4)


def test_results_are_named_after_themselves():
    half = xr.DataArray(
        np.array([0.25, 0.5], np.float16), dims="place", name="half", attrs={"units": "1"}
    )
    results = {
        "no_skill_spread": no_skill_spread(half, 0.5, 0.25),
        "neutral_prevalence": neutral_prevalence(half, 0.5),
    }
    for name, found in results.items():
        assert (found.name, found.dtype, found.attrs) == (name, float, {})


def test_ratios_of_importances_have_no_exponents():
    words = br.verdict(describe_place(0.5, 1000 / 1001))[0]
    assert words.endswith("a false negative counts 1000 times as much as a false positive.")


def test_arguments():
    with pytest.raises(ValueError, match="prevalence must be a pair"):
        neutral_band(0.3)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        neutral_band(np.array([0.0, 0.5]))
    with pytest.raises(ValueError, match="points must be"):
        neutral_band((3, 7), points=2)
    with pytest.raises(ValueError, match="two positive numbers"):
        neutral_band((3, -7))
    for beyond in ((4e15, 1.2e16), (1e-310, 1e-310)):
        with pytest.raises(ValueError, match="Beta parameters from 1e-08 to 1e"):
            neutral_band(beyond)
    with pytest.raises(ValueError, match="must have the same labels on shared dims"):
        no_skill_spread(
            xr.DataArray([0.1, 0.2], {"a": [1, 2]}), 0.4, xr.DataArray([0.1, 0.2], {"a": [1, 3]})
        )
    with pytest.raises(ValueError, match="a must"):
        describe_place(1.5, 0.5)


@pytest.mark.parametrize("draws", [
    [0.142633, 0.614475, 0.387977, 0.157916, 0.2106, 0.286523, 0.334176],
    pytest.param([0.999999, 0.000284, 0.220045, 0.997404, 0.024023, 0.999876], marks=pytest.mark.slow),
    [0.0016, 0.166, 0.878],
    pytest.param([0.969534, 0.694193, 0.951478, 0.338458, 0.417486], marks=pytest.mark.slow),
    pytest.param([0.980969, 0.00401091, 0.190316], marks=pytest.mark.slow),
])  # fmt: skip
def test_no_place_has_a_smaller_expected_range_over_few_draws(draws):
    draws, b = np.array(draws), np.linspace(0, 1, 4001)
    band = neutral_band(draws, points=201)
    for i in (1, 2, 100, 199):
        on_line = no_skill_spread(band["a"].values[i], b[:, None], draws).mean(axis=1)
        assert band["spread"].values[i] <= on_line.min()
    on_diagonal = np.nanmean(no_skill_spread(b[:, None], b[:, None], draws), axis=1)
    assert band["diagonal_spread"].item() <= on_diagonal.min()
