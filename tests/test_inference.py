"""Posteriors: marginals known in closed form, exact draws against NUTS, streams that depend on names alone."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.compat import import_arviz
from bayesrank._core.source import groups_of
from bayesrank.models import make_model
from bayesrank.models.parts.priors import concentration
from tests.strategies import LEVEL, assert_beta_marginals

NAMES = ["a", "b"]
CELLS = {"tn": [70, 60], "fp": [10, 20], "fn": [6, 9], "tp": [24, 21]}
COUNTS = br.from_counts(**CELLS, entity=NAMES)
#: The same counts on two test sets.
NAMED = COUNTS.assign_coords(test_set=("entity", ["x", "y"]))


def draws_of(source, entity):
    return source.sel(entity=entity).values.ravel()


@pytest.mark.parametrize(
    ("prior", "alpha"), [("uniform", 1.0), ("jeffreys", 0.5), (2.0, 2.0), ("haldane", 0.0)]
)
def test_beta_marginals_of_the_dirichlet(prior, alpha):
    posterior = br.fit(COUNTS, prior=prior, seed=3)
    for name in NAMES:
        assert_beta_marginals(posterior, name, COUNTS.sel(entity=name).values + alpha)


def test_cocaine_classifier_intervals():
    """Tötsch and Hoffmann's classifier 7a; HDIs [0.8950, 1] and [0.4324, 0.9458], tolerance of 40,000 draws."""
    counts = br.datasets.load("small_studies").sel(entity=["7a"])
    assert counts.values.ravel().tolist() == [6, 2, 0, 26]
    posterior = br.fit(counts, "beta_binomial", prior="uniform", draws=10_000, seed=1)
    for score, (low, high) in {"tpr": (0.8950, 1.0), "tnr": (0.4324, 0.9458)}.items():
        x = np.sort(br.scores.get(score)(posterior).values.ravel())
        inside = int(0.95 * x.size)
        start = int(np.argmin(x[inside:] - x[:-inside]))
        # The ends of a shortest interval move more than quantiles do: 0.01 is 0.07 standard deviations of the TNR.
        assert abs(x[start] - low) < 0.01
        assert abs(x[start + inside] - high) < 0.01


def test_finley():
    tornado = br.datasets.load("tornado").squeeze("dataset", drop=True)
    printed = {
        "tpr": 0.549,
        "false_discovery_rate": 0.72,
        "jaccard": 0.228,
        "informedness": 0.523,
        "cohen_kappa": 0.355,
    }
    finley = {s: br.scores.get(s)(tornado).isel(entity=0).item() for s in printed}
    assert {s: round(v, 3) for s, v in finley.items()} == printed
    accuracy = br.scores.accuracy(tornado)
    assert accuracy.isel(entity=1) > accuracy.isel(entity=0)


# --- NUTS ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_nuts_agrees_with_exact_draws(model):
    """Means within 5 standard errors, of NUTS's from its autocorrelation; spreads within 5 of theirs."""
    groups = ["prior", "prior_predictive", "posterior_predictive", "log_likelihood"]
    options = {
        "draws": 200,
        "chains": 2,
        "nuts": {"tune": 200},
        "sampler": "nuts",
        "groups": groups,
    }
    az, posterior = import_arviz(), br.fit(COUNTS, model, seed=11, **options)
    exact = br.as_performance(br.fit(COUNTS, model, draws=5000, seed=2))
    sampled = br.as_performance(posterior)
    free = exact.std(("chain", "draw")) > 0
    error = az.mcse(sampled.drop_vars("entity").to_dataset(name="p"), method="mean")["p"].values
    mean = np.abs(sampled.mean(("chain", "draw")) - exact.mean(("chain", "draw"))).values
    assert (mean < 5 * np.hypot(error, exact.std(("chain", "draw")).values / np.sqrt(20_000)))[
        free.values
    ].all()
    ratio = (sampled.std(("chain", "draw")) / exact.std(("chain", "draw"))).values[free.values]
    # sd of a standard deviation of n normal draws: 1 / sqrt(2n); NUTS's squares are worth at least 100 of its 400.
    assert (np.abs(ratio - 1) < 5 / np.sqrt(2 * 100)).all()
    assert free.values.any()
    share = sampled.sum("predicted")
    np.testing.assert_allclose(share.sel(entity="a"), share.sel(entity="b"), atol=1e-12)
    groups = groups_of(posterior)
    assert set(groups) == {
        "posterior", "sample_stats", "observed_data", "constant_data",
        "prior", "prior_predictive", "posterior_predictive", "log_likelihood",
    }  # fmt: skip
    assert np.isfinite(groups["log_likelihood"]["counts"]).all()


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
@pytest.mark.parametrize(
    "evidence", [COUNTS, br.from_counts(tn=[3, 9], fp=[1, 2], fn=[0, 4], tp=[5, 1], entity=NAMES)]
)
def test_the_graph_has_the_density_of_the_closed_form(evidence, model):
    """Log densities of the PyMC model differ from those of the Dirichlet posterior by a constant."""
    found = make_model(model, evidence, {"prior": [[3.0, 1.0], [0.5, 2.0]]})
    graph, known = found.build(), found.conjugate()
    logp, rng, gaps = (
        graph.compile_logp(jacobian=False, mode="FAST_COMPILE"),
        np.random.default_rng(1),
        [],
    )
    sets = found.test_sets if model == "dirichlet_multinomial" else []
    totals = known.posterior.sum("predicted")
    first = [totals.values[known.test_set.values == name][0] for name in sets]
    for _ in range(3):
        rows = rng.dirichlet([1.0, 1.0], (2, 2))
        point, shares = {"rate_simplex__": simplex(rows)}, rng.dirichlet([1.0, 1.0], len(sets))
        point |= {"prevalence_simplex__": simplex(shares)} if sets else {}
        wanted = ((known.posterior.values - 1) * np.log(rows)).sum()
        wanted += sum(((a - 1) * np.log(p)).sum() for a, p in zip(first, shares, strict=True))
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-8)


def simplex(p):
    """Probabilities as PyMC's simplex transform holds them."""
    log = np.log(p[..., :-1])
    return log - np.log(p).mean(-1, keepdims=True)


# --- Prevalence ---------------------------------------------------------------------------------------------------


def share_of(posterior, entity):
    return (
        br.as_performance(posterior).sum("predicted").sel(entity=entity, actual="positive").values
    )


def test_entities_of_one_test_set_share_the_prevalence():
    same = br.fit(COUNTS, seed=1)
    np.testing.assert_allclose(share_of(same, "a"), share_of(same, "b"), rtol=1e-12)
    other = br.from_counts(tn=[70, 61], fp=[10, 20], fn=[6, 9], tp=[24, 21], entity=NAMES)
    apart = (
        br.fit(NAMED, seed=1),
        br.fit(other, seed=1),
        br.fit(COUNTS, seed=1, prior={"a": 1, "b": 2}),
    )
    for posterior in apart:
        correlation = np.corrcoef(
            share_of(posterior, "a").ravel(), share_of(posterior, "b").ravel()
        )[0, 1]
        assert abs(correlation) < 5 / np.sqrt(4000)


def test_sharing_changes_the_variance_of_differences_and_no_marginal():
    """Var(acc_a - acc_b) by moments. Given π, accuracies are independent: shared, Cov = Var(π) Π_i E[y_i - z_i]."""
    n, draws = 110, 5000
    alpha = {c: np.array(v) + 0.5 for c, v in CELLS.items()}
    positive, negative = alpha["fn"] + alpha["tp"], alpha["tn"] + alpha["fp"]
    pi = stats.beta(positive[0], negative[0])
    slope = alpha["tp"] / positive - alpha["tn"] / negative
    accuracy = [
        stats.beta(alpha["tn"][i] + alpha["tp"][i], n + 2 - alpha["tn"][i] - alpha["tp"][i])
        for i in (0, 1)
    ]
    separate = accuracy[0].var() + accuracy[1].var()
    for evidence, variance in ((COUNTS, separate - 2 * pi.var() * slope.prod()), (NAMED, separate)):
        values = br.scores.accuracy(br.fit(evidence, seed=4, draws=draws))
        for i, name in enumerate(NAMES):
            assert stats.kstest(draws_of(values, name), accuracy[i].cdf).pvalue > LEVEL
        difference = values.sel(entity="a") - values.sel(entity="b")
        assert abs(float(difference.var()) / variance - 1) < 5 * np.sqrt(2 / (4 * draws))


def test_prevalence_choices():
    for model, default in (("beta_binomial", "observed"), ("dirichlet_multinomial", "sampled")):
        assert groups_of(br.fit(COUNTS, model, seed=1))["posterior"].attrs["prevalence"] == default
    np.testing.assert_allclose(share_of(br.fit(COUNTS, "beta_binomial", seed=1), "a"), 30 / 110)
    np.testing.assert_allclose(
        share_of(br.fit(COUNTS, prevalence="observed", seed=1), "a"), 30 / 110
    )
    np.testing.assert_allclose(share_of(br.fit(COUNTS, prevalence=0.07, seed=1), "b"), 0.07)
    each = xr.DataArray([0.1, 0.2], {"entity": ["b", "a"]}, ["entity"])
    np.testing.assert_allclose(share_of(br.fit(COUNTS, prevalence=each, seed=1), "a"), 0.2)
    draws = xr.DataArray(np.random.default_rng(1).beta(3, 30, (4, 1000)), dims=("chain", "draw"))
    np.testing.assert_allclose(share_of(br.fit(COUNTS, prevalence=draws, seed=1), "a"), draws)
    classes = xr.DataArray([0.1, 0.9], {"actual": ["positive", "negative"]}, ["actual"])
    np.testing.assert_allclose(share_of(br.fit(COUNTS, prevalence=classes, seed=1), "a"), 0.1)


def test_the_prevalence_does_not_touch_the_rates():
    rates = [
        br.scores.tpr(br.fit(COUNTS, prevalence=p, seed=1)) for p in ("sampled", "observed", 0.01)
    ]
    for other in rates[1:]:
        np.testing.assert_allclose(rates[0], other, rtol=1e-9)


# --- Priors -------------------------------------------------------------------------------------------------------


def test_priors_in_every_form():
    ones = np.ones((2, 2, 2))
    array = np.array([[2.0, 1.0], [0.5, 3.0]])
    labelled = xr.DataArray(
        array,
        {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]},
        ["actual", "predicted"],
    )
    cases = [
        (None, ones / 2), ("one_case", ones / 2), ("unit", ones / 2), ("jeffreys", ones / 2),
        ("four_cases", ones), (1, ones), ("uniform", ones),
        (0.3, 0.3 * ones), ("haldane", 0 * ones),
        (array, np.stack([array, array])),
        ({"a": 2, "b": "jeffreys"}, np.stack([2 * ones[0], ones[0] / 2])),
        ({"b": array, "a": 1}, np.stack([ones[0], array])),
        (labelled[::-1, ::-1], np.stack([array, array])),
        (xr.DataArray([1.0, 2.0], {"entity": ["b", "a"]}, ["entity"]), np.stack([2 * ones[0], ones[0]])),
    ]  # fmt: skip
    for prior, expected in cases:
        found = concentration(COUNTS, prior)
        assert found.dims == COUNTS.dims
        np.testing.assert_array_equal(found.sel(entity=NAMES), expected)


def test_without_a_prior_the_rates_of_an_empty_cell_are_undefined():
    """No board of perfect rates raises; its rows say so, and no other entity is best for want of a rival."""
    rng, undefined = np.random.default_rng(9), 0
    for _ in range(6):
        tp, tn = rng.binomial(30, 0.97, 3), np.array([200, 120, 40])
        counts = br.from_counts(tn=tn, fp=210 - tn, fn=30 - tp, tp=tp, entity=list("abc"))
        posterior = br.fit(counts, prior="haldane", seed=1, draws=200)
        perfect = (tp == 30).tolist()
        assert br.scores.tpr(posterior).isnull().all(("chain", "draw")).values.tolist() == perfect
        assert br.scores.tpr(posterior).isnull().any(("chain", "draw")).values.tolist() == perfect
        assert br.scores.tnr(posterior).notnull().all()
        for method in ("draws", "auto"):
            ranking = br.credible_ranking(posterior, "informedness", method=method)
            assert (ranking["undefined"] == perfect).all()
            assert ranking["median"].isnull().values.tolist() == perfect
            if any(perfect):
                undefined += 1
                named = [name for name, one in zip("abc", perfect, strict=True) if one]
                start = f"{', '.join(named)} {'has' if len(named) == 1 else 'have'} a cell with no cases and no prior"
                assert any(note.startswith(start) for note in br.notes(ranking))
                assert ranking.attrs["headline"] in ("leads", "none")
    assert undefined >= 4


def test_an_undefined_rival_caps_the_headline():
    counts = br.from_counts(
        tn=[90, 90, 10], fp=[10, 10, 90], fn=[0, 3, 90], tp=[100, 97, 10], entity=list("abc")
    )
    ranking = br.credible_ranking(br.fit(counts, prior="haldane", seed=1), "informedness")
    assert ranking["probability_best"].sel(entity="b") > 0.99
    assert (ranking.attrs["headline"], list(ranking.attrs["caps"])) == (
        "leads",
        ["rivals_undefined"],
    )
    assert "of a is undefined" in br.verdict(ranking)[0]
    forced = br.credible_ranking(
        br.fit(counts, prior="haldane", seed=1, force=True), "informedness"
    )
    assert forced["undefined"].sum() == 0
    with pytest.raises(ValueError, match=r"prior must be positive.*method='draws' leaves"):
        br.credible_ranking(counts, "informedness", method="exact", prior="haldane")


def test_a_rate_degenerates_if_it_is_forced():
    zero = br.from_counts(tn=8, fp=0, fn=1, tp=3)
    forced = br.scores.fpr(br.fit(zero, prior="haldane", force=True, seed=1))
    assert (forced == 0).all()
    # A forced rate without any information is undefined.
    counts = br.from_counts(
        tn=[8, 8], fp=[1, 1], fn=[1, 0], tp=[3, 0], entity=["a", "a"], dataset=["x", "y"]
    )
    posterior = br.fit(counts, prior="haldane", force=True, seed=1, draws=20)
    assert br.scores.tpr(posterior).sel(dataset="y").isnull().all()


def test_prior_group_is_the_prior():
    prior = groups_of(br.fit(COUNTS, prior=2, seed=1, groups=["prior"]))["prior"]
    assert stats.kstest(draws_of(br.scores.tpr(prior), "a"), stats.beta(2, 2).cdf).pvalue > LEVEL
    assert (
        stats.kstest(draws_of(br.scores.prevalence(prior), "a"), stats.beta(4, 4).cdf).pvalue
        > LEVEL
    )


# --- Streams ------------------------------------------------------------------------------------------------------


def correlation(one, other, score="tpr"):
    x, y = (br.scores.get(score)(p).isel(entity=0).values.ravel() for p in (one, other))
    return np.corrcoef(x, y)[0, 1]


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_two_fits_of_one_seed_are_not_coupled_by_the_names_of_their_entities(model):
    """Independent draws correlate by less than 5 / sqrt(n) but once in two million seeds."""
    spring = br.fit(br.from_counts(tn=700, fp=100, fn=60, tp=240), model, seed=1)
    autumn = br.fit(br.from_counts(tn=701, fp=99, fn=61, tp=239), model, seed=1)
    for score in ("tpr", "tnr"):
        assert abs(correlation(spring, autumn, score)) < 5 / np.sqrt(4000)
    stronger = br.fit(br.from_counts(tn=700, fp=100, fn=60, tp=240), model, seed=1, prior=2)
    assert abs(correlation(spring, stronger)) < 5 / np.sqrt(4000)


def test_predictions_are_seeded_by_the_evidence():
    one, other = (br.fit(br.from_counts(tn=tn, fp=99, fn=60, tp=240), seed=1) for tn in (700, 701))
    first, second = (
        br.posterior_predictive(p, size=500, seed=3).isel(entity=0) for p in (one, other)
    )
    a, b = (x.sel(actual="positive", predicted="positive").values.ravel() for x in (first, second))
    assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(4000)


def test_the_last_bits_of_an_estimator_change_no_stream():
    """Processors differ in them: the draws of one notebook were others on another machine."""
    truth, rng = np.arange(40) % 2, np.random.default_rng(2)
    values = np.clip(0.3 * truth + 0.7 * rng.random(40), 0.01, 0.99)
    areas = [
        draws_of(
            groups_of(br.fit(br.from_probabilities(truth, {"a": p}), seed=1))["posterior"][
                "auc_roc"
            ],
            "a",
        )
        for p in (values, np.nextafter(values, 1), values * (1 + 1e-8))
    ]
    np.testing.assert_allclose(areas[0], areas[1], rtol=1e-12)
    assert abs(np.corrcoef(areas[0], areas[2])[0, 1]) < 5 / np.sqrt(4000)


def test_blocks_and_chains_have_streams_of_their_own():
    """Also where gamma variables are drawn by their logarithms."""
    for prior in ("uniform", 0.01):
        x = (
            br.scores.tpr(br.fit(COUNTS, prior=prior, draws=2300, chains=2, seed=4))
            .isel(entity=0)
            .values
        )
        for one, other in ((x[0, :1000], x[0, 1000:2000]), (x[0, :1000], x[1, :1000])):
            assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(1000)


def test_seeds_of_every_kind():
    for seed in (5, np.int64(5), np.random.SeedSequence(5)):
        one, two = (br.as_performance(br.fit(COUNTS, seed=seed, draws=5)) for _ in range(2))
        xr.testing.assert_equal(one, two)
    generator = np.random.default_rng(5)
    one, two = (br.as_performance(br.fit(COUNTS, seed=generator, draws=5)) for _ in range(2))
    assert not one.equals(two)


# --- The default prior ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("prior", ["one_case", "four_cases"])
def test_accuracies_are_beta_however_many_classes(classes, prior):
    """One case in all, of two classes one of each; or four: half on the diagonal, equal shares of rows and columns."""
    half = 2 if prior == "four_cases" else 1 if classes == 2 else 0.5
    matrix = 80 * np.eye(classes, dtype=int) + np.random.default_rng(1).integers(
        0, 3, (classes, classes)
    )
    right, all_cases = np.trace(matrix), matrix.sum()
    counts = br.from_matrix(matrix, "actual_rows")
    alpha = concentration(counts, prior).isel(entity=0).values
    assert np.trace(alpha) == pytest.approx(half)
    np.testing.assert_allclose(alpha.sum(0), 2 * half / classes)
    np.testing.assert_allclose(alpha.sum(1), 2 * half / classes)
    fitted = groups_of(
        br.fit(counts, "dirichlet_multinomial", prior=prior, draws=500, seed=1, groups=["prior"])
    )
    for group, law in (
        ("prior", (half, half)),
        ("posterior", (right + half, all_cases - right + half)),
    ):
        accuracy = br.scores.accuracy(fitted[group]).values.ravel()
        assert stats.kstest(accuracy, stats.beta(*law).cdf).pvalue > LEVEL


def test_no_draw_underflows_so_that_a_ratio_looks_undefined():
    """Two classes never seen together, prior of 1e-4: PPV of what is never predicted is nearly 0 or 1, not NaN."""
    matrix = np.diag([50, 40, 0])
    matrix[2, 0] = 10
    performance = br.as_performance(
        br.fit(br.from_matrix(matrix, "actual_rows"), prior=1e-4, seed=1)
    )
    assert bool((performance > 0).all())
    assert bool(br.scores.ppv(br.one_vs_rest(performance)).notnull().all())


# --- Test sets ------------------------------------------------------------------------------------------------------


def test_a_named_test_set_is_shared_and_others_are_apart():
    three = br.from_counts(
        tn=[70, 60, 65], fp=[10, 20, 15], fn=[6, 9, 9], tp=[24, 21, 21], entity=["a", "b", "c"]
    )
    named = three.assign_coords(test_set=("entity", ["north", "south", "north"]))
    posterior = br.fit(named, seed=1)
    np.testing.assert_allclose(share_of(posterior, "a"), share_of(posterior, "c"), rtol=1e-12)
    apart = np.corrcoef(share_of(posterior, "a").ravel(), share_of(posterior, "b").ravel())[0, 1]
    assert abs(apart) < 5 / np.sqrt(4000)
    groups = groups_of(posterior)
    assert groups["posterior"]["prevalence"]["test_set"].values.tolist() == ["north", "south"]
    assert groups["observed_data"]["counts"]["test_set"].values.tolist() == [
        "north",
        "south",
        "north",
    ]
    derived = groups_of(br.fit(three, seed=1))["observed_data"]["counts"]["test_set"]
    assert derived.values.tolist() == ["test set 1"] * 3


def test_an_entity_without_a_case_has_the_prior_if_it_is_forced():
    counts = br.from_counts(tn=[70, 0], fp=[10, 0], fn=[6, 0], tp=[24, 0], entity=NAMES)
    forced = br.scores.tpr(br.fit(counts, force=True, seed=1))
    assert stats.kstest(draws_of(forced, "b"), stats.beta(0.5, 0.5).cdf).pvalue > LEVEL


def test_rates_of_a_class_with_prevalence_0_are_kept():
    groups = groups_of(
        br.fit(COUNTS, prevalence=0.0, seed=1, groups=["log_likelihood", "posterior_predictive"])
    )
    rate = groups["posterior"]["rate"].sel(entity="a", actual="positive", predicted="positive")
    assert stats.kstest(rate.values.ravel(), stats.beta(24.5, 6.5).cdf).pvalue > LEVEL
    assert np.isfinite(groups["log_likelihood"]["counts"]).all()
    assert "rate" not in groups_of(br.fit(COUNTS, prevalence=0.1, seed=1))["posterior"]


# --- Likelihoods --------------------------------------------------------------------------------------------------


def test_log_likelihood_is_that_of_the_multinomial():
    """Rows given their totals and the totals together are the whole table; the totals of a test set count once."""
    for prevalence in ("sampled", "observed"):
        found = groups_of(
            br.fit(
                COUNTS, prevalence=prevalence, seed=1, draws=3, chains=1, groups=["log_likelihood"]
            )
        )
        performance = found["posterior"]["performance"]
        for draw in range(3):
            p = performance.sel(chain=0, draw=draw, entity="a").values
            n = COUNTS.sel(entity="a").values
            got = found["log_likelihood"].sel(chain=0, draw=draw)
            rows = got["counts"].sel(entity="a").values
            expected = [
                stats.multinomial(r.sum(), q / q.sum()).logpmf(r) for r, q in zip(n, p, strict=True)
            ]
            np.testing.assert_allclose(rows, expected, rtol=1e-9)
            if prevalence == "sampled":
                assert got["row_totals"].sizes == {"test_set": 1}
                whole = stats.multinomial(n.sum(), p.ravel()).logpmf(n.ravel())
                np.testing.assert_allclose(rows.sum() + got["row_totals"].item(), whole, rtol=1e-9)
        assert ("row_totals" in found["log_likelihood"]) == (prevalence == "sampled")


def test_a_class_without_cases_has_likelihood_one():
    counts = br.from_counts(tn=9, fp=2, fn=0, tp=0)
    found = groups_of(
        br.fit(counts, prevalence="observed", seed=1, draws=3, groups=["log_likelihood"])
    )
    assert (found["log_likelihood"]["counts"].sel(actual="positive") == 0).all()


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_beside_the_largest_prior_no_case_counts(model):
    counts = br.from_counts(tn=70, fp=10, fn=9, tp=21)
    # Half of what is predicted of each class is right, to sixteen digits' root.
    found = br.scores.tpr(br.fit(counts, model, prior=2.0**53, seed=1, draws=50))
    np.testing.assert_allclose(found, 0.5, atol=6 / np.sqrt(4 * 2.0**54))
