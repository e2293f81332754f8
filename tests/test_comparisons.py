"""Comparing models: closed forms against brute force, importance sampling against refits, known origins, refusals."""

import itertools
import math

import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.comparisons import _left_out, comparing
from bayesrank.models.hierarchical_beta_binomial import HierarchicalBetaBinomial
from tests.strategies import outcome_counts, right_of
from tests.test_hierarchical import by_quadrature

HIERARCHICAL = "hierarchical_beta_binomial"
LOGIT = "hierarchical_logit_normal"


def log_evidence(fit):
    return _left_out.log_marginal(comparing.model_to_compare("it", fit, parts=True))


def studies(rng, sets):
    """Two-class counts of two entities whose rates vary by 0.3 around 0.8, on data sets of varying prevalence."""
    rate = rng.beta(0.8 * (1 / 0.3**2 - 1), 0.2 * (1 / 0.3**2 - 1), (2, 2, sets))
    cases = np.stack([rng.integers(n // 2, 2 * n, sets) for n in (25, 50)])[:, None]
    right = rng.binomial(cases, rate)
    (tp, tn), (fn, fp) = right.reshape(2, -1), (cases - right).reshape(2, -1)
    names = [f"set {d:02d}" for d in range(sets)] * 2
    return br.from_counts(
        tn=tn, fp=fp, fn=fn, tp=tp, entity=np.repeat(["a", "b"], sets), dataset=names
    )


@pytest.fixture
def always_refit(monkeypatch):
    for module in (_left_out, comparing):
        monkeypatch.setattr(module, "pareto_k_threshold", lambda draws: -np.inf)


COUNTS = studies(np.random.default_rng(5), sets=5)


@pytest.fixture(scope="module")
def fits():
    return {
        "pooled": br.fit(br.pool(COUNTS), seed=1, draws=500),
        "apart": br.fit(COUNTS, "dirichlet_multinomial", seed=1, draws=500),
        # Priors that a data set left out moves little, so that importance sampling has something to agree with.
        "hierarchical": br.fit(
            COUNTS, HIERARCHICAL, seed=1, draws=1000, prior="uniform", spread=0.5
        ),
    }


# --- Closed forms -------------------------------------------------------------------------------------------------


def test_a_case_left_out_of_one_table_is_the_ratio_of_the_theory():
    """Σ n log((α + n - 1)/(A + N - 1)), cell by cell: the answer given the class, and the class."""
    counts = br.from_counts(tn=7, fp=2, fn=1, tp=4)
    found = br.compare(
        {"it": br.fit(counts, "dirichlet_multinomial", prior=0.7, seed=1, draws=5)}, by="case"
    )
    n = counts.values.ravel()
    wanted = (n * np.log((0.7 + n - 1) / (2.8 + n.sum() - 1))).sum()
    assert float(found["elpd"][0]) == pytest.approx(wanted, rel=1e-12)
    assert found["method"].values.tolist() == ["closed form"]
    assert np.isnan(found["pareto_k"][0])
    by_design = br.compare(
        {"it": br.fit(counts, "beta_binomial", prior=0.7, seed=1, draws=5)}, by="case"
    )
    table, rows = counts.values[0], counts.values[0].sum(-1, keepdims=True)
    wanted = (table * np.log((0.7 + table - 1) / (1.4 + rows - 1))).sum()
    assert float(by_design["elpd"][0]) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("pooled", [False, True])
def test_a_case_left_out_is_what_a_refit_without_it_expects(pooled):
    """Brute force: for every case of every table the posterior mean of its answer and its class, learned without it."""
    evidence = br.pool(COUNTS) if pooled else COUNTS
    fit = br.fit(evidence, "dirichlet_multinomial", seed=1, draws=5, prior=1.5)
    found = float(br.compare({"it": fit}, by="case")["elpd"][0])
    wanted = 0.0
    tables = COUNTS.values.sum(1, keepdims=True) if pooled else COUNTS.values
    for e, d, c, k in np.ndindex(*COUNTS.shape):
        table = tables[e, 0 if pooled else d] + 1.5
        table[c, k] -= 1
        wanted += COUNTS.values[e, d, c, k] * np.log(table[c, k] / table[c].sum())
    # Both entities met the same cases: the classes count once.
    sizes = (tables[0] + 1.5).sum(-1)
    for d, c in np.ndindex(5, 2):
        left = sizes[0 if pooled else d].copy()
        left[c] -= 1
        wanted += COUNTS.values[0, d, c].sum() * np.log(left[c] / left.sum())
    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_table_left_out_is_beta_binomial(fits):
    found = br.compare({name: fits[name] for name in ("pooled", "apart")}, by="table")
    x = COUNTS.values
    for name in ("pooled", "apart"):
        unit = found["unit_elpd"].sel(model=name)
        for e, d in np.ndindex(2, 5):
            rest = x[e].sum(0) - x[e, d] if name == "pooled" else 0 * x[e, d]
            wanted = sum(
                stats.betabinom(x[e, d, c].sum(), 0.5 + rest[c, 1], 0.5 + rest[c, 0]).logpmf(
                    x[e, d, c, 1]
                )
                for c in (0, 1)
            )
            assert float(unit.sel(unit=f"{'ab'[e]} on set {d:02d}")) == pytest.approx(
                wanted, rel=1e-9
            )
        sizes = x[0].sum(-1)
        rest = sizes.sum(0) - sizes[3] if name == "pooled" else 0 * sizes[3]
        wanted = stats.betabinom(sizes[3].sum(), 1 + rest[1], 1 + rest[0]).logpmf(sizes[3, 1])
        assert float(unit.sel(unit="class sizes on set 03")) == pytest.approx(wanted, rel=1e-8)


def test_data_sets_hold_their_tables_and_class_sizes_once(fits):
    by_set, by_table = (br.compare(fits, by=by) for by in ("dataset", "table"))
    for name in ("pooled", "apart"):
        assert float(by_set["elpd"].sel(model=name)) == pytest.approx(
            float(by_table["elpd"].sel(model=name)), rel=1e-12
        )
    assert (by_set.attrs["units"], by_table.attrs["units"]) == (5, 15)
    assert br.compare(fits).identical(by_set)


@pytest.mark.slow
def test_all_possible_evidence_has_probability_one():
    """Of two data sets with two and three cases, right or wrong; of two cases of two classes."""
    pairs = list(itertools.product(range(3), range(4)))
    for pooled, model in (
        (False, "dirichlet_multinomial"),
        (True, "dirichlet_multinomial"),
        (False, HIERARCHICAL),
    ):
        total = 0.0
        for x, y in pairs:
            counts = right_of([[x, y]], np.array([2, 3]))
            fit = br.fit(br.pool(counts) if pooled else counts, model, draws=2, chains=1, seed=1)
            total += np.exp(log_evidence(fit))
        assert total == pytest.approx(1, abs=1e-9 if model != HIERARCHICAL else 2e-3), (
            pooled,
            model,
        )
    tables = [t for t in itertools.product(range(3), repeat=4) if sum(t) == 2]
    each = [br.from_counts(tn=a, fp=b, fn=c, tp=d) for a, b, c, d in tables]
    # Or of two data sets with one case each, which are one test set if they are pooled.
    pairs = np.array(list(itertools.product(np.eye(4, dtype=int), repeat=2)))
    cells = [dict(zip(("tn", "fp", "fn", "tp"), pair.T, strict=True)) for pair in pairs]
    pools = [
        br.pool(br.from_counts(**each, entity=["a", "a"], dataset=["x", "y"])) for each in cells
    ]
    for possible in (each, pools):
        fits = (br.fit(counts, draws=2, chains=1, seed=1) for counts in possible)
        assert sum(np.exp(log_evidence(fit)) for fit in fits) == pytest.approx(1, abs=1e-9)


# --- Importance sampling and refits -------------------------------------------------------------------------------


def test_importance_sampling_agrees_with_exact_refits(fits, monkeypatch):
    only = {"it": fits["hierarchical"]}
    weighed = br.compare(only, refit=False)
    monkeypatch.setattr(_left_out, "pareto_k_threshold", lambda draws: -np.inf)
    exact = br.compare(only)
    assert exact["refitted"].item() == exact.attrs["units"]
    assert weighed["refitted"].item() == 0
    good = (weighed["unit_pareto_k"] < 0.6).values[0]
    assert good.sum() >= 3
    gap = (weighed["unit_elpd"] - exact["unit_elpd"]).values[0]
    # 4,000 draws: the log of a mean of weights whose tail is heavier the larger k is.
    assert np.abs(gap[good]).max() < 0.15
    assert np.abs(gap[good]).mean() < 0.04


@pytest.mark.parametrize("by", ["dataset", pytest.param("table", marks=pytest.mark.slow)])
def test_refits_by_draws_agree_with_those_by_quadrature(by, always_refit, monkeypatch):
    only = {
        "it": br.fit(
            COUNTS.isel(dataset=slice(3)),
            HIERARCHICAL,
            seed=1,
            draws=500,
            prior="uniform",
            spread=0.5,
        )
    }
    exact = br.compare(only, by=by)
    monkeypatch.delattr(HierarchicalBetaBinomial, "log_evidence")
    drawn = br.compare(only, by=by)
    # Log of a mean over 2,000 draws of a probability that varies by its own size: 0.03 a row.
    np.testing.assert_allclose(drawn["unit_elpd"], exact["unit_elpd"], atol=0.2)
    assert np.isnan(drawn["log_evidence"]).all()


def test_exact_is_a_ratio_of_plain_integrals(always_refit):
    """One entity, three data sets of right and wrong: ∫ over mean and spread with and without the last one."""
    right, cases = np.array([8, 5, 2]), np.array([10, 9, 8])
    counts = right_of([right], cases)
    found = br.compare({"it": br.fit(counts, HIERARCHICAL, seed=1, draws=50, prior=[1, 3])})
    prior = np.array([3.0, 1.0])  # of right and wrong
    _, whole = by_quadrature(right, cases, prior, [])
    for i in range(3):
        _, rest = by_quadrature(np.delete(right, i), np.delete(cases, i), prior, [])
        wanted = np.log(math.comb(cases[i], right[i]) * whole / rest)
        assert float(found["unit_elpd"][0, i]) == pytest.approx(wanted, abs=2e-3)


def test_large_k_without_refit_is_said(fits, always_refit):
    found = br.compare(fits, refit=False)
    assert found["unreliable"].sel(model="hierarchical") == 5
    assert found["unreliable"].sel(model="pooled") == 0
    assert "The result for hierarchical is unreliable" in found.attrs["verdict"]


def test_a_population_of_entities_predicts_class_sizes_as_any_model_does():
    """Entities met three test sets; prevalences have the same prior in both models."""
    counts = br.from_counts(
        tn=[30, 32, 55, 60],
        fp=[10, 8, 15, 5],
        fn=[3, 4, 9, 2],
        tp=[17, 16, 11, 8],
        entity=list("abcd"),
    )
    fits = {
        "population": br.fit(counts, HIERARCHICAL, seed=1, groups=["log_likelihood"]),
        "flat": br.fit(counts, seed=1, prior="unit"),
    }
    log_likelihood = fits["population"]["log_likelihood"]
    assert log_likelihood["row_totals"].dims == ("chain", "draw", "test_set")
    share = fits["population"]["posterior"]["prevalence"].sel(
        test_set="test set 1", actual="positive"
    )
    np.testing.assert_allclose(
        log_likelihood["row_totals"].sel(test_set="test set 1"),
        stats.binom(60, share).logpmf(20),
        rtol=1e-9,
    )
    found = br.compare(fits, by="table")
    of_sizes = [u for u in found["unit"].values.tolist() if u.startswith("class sizes")]
    assert len(of_sizes) == 3
    each = found["unit_elpd"].sel(unit=of_sizes)
    np.testing.assert_allclose(each.sel(model="population"), each.sel(model="flat"), atol=0.1)


# --- What the comparison says -------------------------------------------------------------------------------------


def test_numbers_hang_together(fits):
    found = br.compare(fits)
    np.testing.assert_allclose(found["elpd"], found["unit_elpd"].sum("unit"), rtol=1e-12)
    assert (np.diff(found["elpd"]) <= 0).all()
    assert found["elpd_diff"][0] == found["dse"][0] == 0
    for name, units in (
        ("dse", found["unit_elpd"][0] - found["unit_elpd"]),
        ("se", found["unit_elpd"]),
    ):
        np.testing.assert_allclose(found[name], np.sqrt(5) * units.std("unit", ddof=1), rtol=1e-9)
    assert (found["p"] > 0).all()
    assert "Only 5 data sets: the errors of the differences are rough." in found.attrs["verdict"]
    cases = br.compare({name: fits[name] for name in ("pooled", "apart")}, by="case")
    # Two entities answered each case, whose class counts once.
    assert cases.attrs["units"] == int(COUNTS.sum()) * 3 // 2
    np.testing.assert_allclose(
        cases["elpd"], (cases["unit_elpd"] * cases["cases"]).sum("unit"), rtol=1e-12
    )
    with pytest.raises(
        ValueError, match=r"by must be 'dataset' or 'table' .* as 'hierarchical'; got 'case'"
    ):
        br.compare(fits, by="case")


def test_no_order_changes_a_number(fits):
    moved = COUNTS.isel(entity=[1, 0], dataset=[3, 0, 4, 2, 1])
    again = {
        "pooled": br.fit(br.pool(moved), seed=1, draws=500),
        "apart": br.fit(moved, "dirichlet_multinomial", seed=1, draws=500),
        "hierarchical": br.fit(
            moved, HIERARCHICAL, seed=1, draws=1000, prior="uniform", spread=0.5
        ),
    }
    for by in ("dataset", "table"):
        mine, other = br.compare(fits, by=by), br.compare(again, by=by)
        np.testing.assert_allclose(mine["elpd"], other["elpd"], rtol=1e-9)
    # One of each may stand beside the other.
    mixed = br.compare({"one": fits["apart"], "other": again["apart"]})
    np.testing.assert_allclose(mixed["elpd_diff"], 0, atol=1e-9)
    assert "are not separated" in mixed.attrs["verdict"]


def test_who_was_not_there_is_not_predicted():
    counts = COUNTS.copy(deep=True)
    counts.loc[{"entity": "b", "dataset": "set 02"}] = 0
    counts["measured"].loc[{"entity": "b", "dataset": "set 02"}] = False
    fits = {
        "apart": br.fit(counts, "dirichlet_multinomial", seed=1, draws=100),
        "hierarchical": br.fit(counts, HIERARCHICAL, seed=1),
    }
    found = br.compare(fits, by="table")
    assert "b on set 02" not in found["unit"].values.tolist()
    assert np.isfinite(found["unit_elpd"]).all()
    assert found.attrs["units"] == 9 + 5


def test_pooled_counts_alone_are_compared_as_they_are():
    pooled = br.pool(COUNTS)
    fits = {
        "flat": br.fit(pooled, seed=1, draws=50),
        "population": br.fit(pooled, HIERARCHICAL, seed=1),
    }
    found = br.compare(fits)
    assert found.attrs["by"] == "table"
    assert found["unit"].values.tolist()[:2] == ["a", "b"]


def test_a_comparison_has_the_evidence():
    fit = br.fit(br.from_counts(tn=3, fp=1, fn=0, tp=2), "beta_binomial", seed=1)
    found = br.compare({"it": fit})["log_evidence"].item()
    rows = stats.betabinom.logpmf([3, 2], [4, 2], 0.5, 0.5)
    assert found == pytest.approx(rows.sum(), abs=1e-12)


def test_the_options_of_a_model_come_back():
    """A refit has the prior of the fit, whatever it was called, and named test sets stay together."""
    counts = COUNTS.assign_coords(test_set=("dataset", [f"site {d}" for d in range(5)]))
    weak = br.fit(counts, HIERARCHICAL, prior="jeffreys", seed=1, draws=300)
    strong = br.fit(counts, HIERARCHICAL, prior=[[90, 10], [10, 90]], seed=1, draws=300)
    found = br.compare({"weak": weak, "strong": strong}, by="table")
    assert "class sizes on set 03" in found["unit"].values.tolist()
    assert abs(found["elpd_diff"][1]) > 0.2
    given = br.fit(COUNTS, HIERARCHICAL, prevalence=0.3, seed=1, draws=300)
    assert (
        br.compare(
            {"given": given, "design": br.fit(COUNTS, "beta_binomial", seed=1, draws=5)}
        ).attrs["units"]
        == 5
    )


def test_a_difference_is_one_by_nats_and_by_errors():
    """Within two errors, within four nats, a difference, and one of few units."""
    for behind, error, size, apart in (
        (10, 6, 20, False),
        (3.9, 0.1, 20, False),
        (4.1, 2, 20, True),
        (4.1, 2, 19, True),
    ):
        held = {
            "elpd": [-50, -50 - behind],
            "elpd_diff": [0, behind],
            "dse": [0, error],
            "unreliable": [0, 0],
        }
        result = xr.Dataset(
            {name: ("model", values) for name, values in held.items()}, {"model": ["a", "b"]}
        )
        words = comparing._verdict(result, "table", size)
        assert ("better than b" in words) == apart != ("are not separated" in words)
        assert ("rough" in words) == (size < 20)


@pytest.mark.slow
def test_a_sampled_model_is_refitted_by_sampling():
    rng = np.random.default_rng(9)
    grades = outcome_counts(
        [[[55, 4, 1], *(rng.multinomial(60, rng.dirichlet([4, 6, 10])) for _ in range(5))]]
    )
    nuts = {"tune": 400, "target_accept": 0.9}
    options = {"seed": 1, "draws": 400, "chains": 2}
    fits = {
        "hierarchical": br.fit(grades, "hierarchical_dirichlet_multinomial", nuts=nuts, **options),
        "pooled": br.fit(br.pool(grades), seed=1),
    }
    found = br.compare(fits)
    assert found["model"].values.tolist() == ["hierarchical", "pooled"]
    assert found["refitted"].sel(model="hierarchical") >= 1
    assert found["unreliable"].sum() == 0


def predicted_without(counts, dataset, seed):
    """Log predictive density of a data set, by plain simulation from a fit to the others: rows, and class sizes."""
    rng = np.random.default_rng(seed)
    rest = counts.sel(dataset=counts["dataset"] != dataset)
    group = groups_of(br.fit(rest, LOGIT, seed=seed, draws=1000, chains=4))["posterior"]
    flat = {str(name): held.stack(draws=("chain", "draw")) for name, held in group.items()}
    tables = counts.sel(dataset=dataset)
    names = tables["entity"].values[tables["measured"].values].tolist()
    draws, each = flat["sd_of_deviations"].sizes["draws"], 20
    rows = np.zeros((each, draws))

    def effect(term):
        sd = flat[f"sd_of_{term}"].transpose("draws", ...).values
        rho, z = flat[f"correlation_of_{term}"].values, rng.standard_normal((each, draws, 2))
        return np.stack(
            [sd[:, 0] * z[..., 0], sd[:, 1] * (rho * z[..., 0] + np.sqrt(1 - rho**2) * z[..., 1])],
            -1,
        )

    hard = effect("difficulty") if "sd_of_difficulty" in flat else 0.0
    for name in names:
        rate = flat["median_rate"].sel(entity=name).transpose("draws", "actual", "predicted").values
        rate = np.stack([rate[:, 0, 0], rate[:, 1, 1]], -1)
        table = tables.sel(entity=name).values
        logits = special.logit(rate) - hard + effect("deviations")
        right = np.array([table[0, 0], table[1, 1]])
        rows += stats.binom.logpmf(right, table.sum(-1), special.expit(logits)).sum(-1)
    sizes = 0.0
    mean, spread = (
        flat["mean_prevalence"].transpose("draws", "actual").values,
        flat["spread_of_prevalence"].values,
    )
    for cases in {tuple(tables.sel(entity=name).values.sum(-1)) for name in names}:
        kappa = (1 / spread**2 - 1)[:, None]
        log = [stats.dirichlet_multinomial.logpmf(cases, a, sum(cases)) for a in mean * kappa]
        sizes += special.logsumexp(log) - np.log(draws)
    return special.logsumexp(rows) - np.log(rows.size) + sizes


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ascus_hc2_repc", "scheidler_lymph_imaging"])
def test_studies_with_unequal_totals_are_predicted_by_refits_without_them(name, always_refit):
    """The entities of a study have other cases, so a refit without it infers other test sets than the fit had."""
    counts = br.datasets.load(name)
    # Simulation predicts small studies well; the tests of three of them had other cases.
    counts = counts.isel(dataset=(counts.sum(["entity", "actual", "predicted"]) < 500).values)
    counts = counts.isel(
        dataset=np.argsort(-counts["measured"].sum("entity").values, kind="stable")[:4]
    )
    assert (counts.sum(["actual", "predicted"]).where(counts["measured"]).std("entity") > 0).any()
    found = br.compare({"it": br.fit(counts, LOGIT, seed=1, draws=500, chains=4)}).sel(model="it")
    assert found["refitted"] == found.attrs["units"]
    for unit in found["unit"].values[:2].tolist():
        elpd = float(found["unit_elpd"].sel(unit=unit))
        assert abs(elpd - predicted_without(counts, unit, seed=7)) < 0.3


@pytest.mark.slow
def test_a_meta_analysis_is_compared_whole():
    counts = br.datasets.load("ascus_hc2_repc")
    found = br.compare(counts, [LOGIT, HIERARCHICAL], seed=1, draws=500, chains=2)
    assert np.isfinite(found["elpd"]).all()
    assert (found["unreliable"] == 0).all()
    # Its effects are integrated out of the likelihood of a study.
    assert found["refitted"].sel(model=LOGIT) == 0


@pytest.mark.parametrize(
    "model", [pytest.param(LOGIT, marks=pytest.mark.slow), "hierarchical_classes"]
)
def test_a_table_left_out_of_a_shared_test_set_gets_one_of_its_own(model, always_refit):
    """Class sizes are predicted by the Beta prior of the share of positives, whichever table is left out."""
    counts = br.from_counts(
        tn=[45, 38, 40], fp=[5, 12, 10], fn=[4, 9, 2], tp=[16, 11, 18], entity=list("abc")
    )
    found = br.compare({"it": br.fit(counts, model, seed=1, draws=500, chains=2)}).sel(model="it")
    assert found["unit"].values.tolist() == ["a", "b", "c", "class sizes of test set 1"]
    sizes = stats.betabinom.logpmf(20, 70, 2, 2)
    if model != LOGIT:  # the spread of class shares has a uniform prior
        spread = (np.arange(2000) + 0.5) / 2000
        sizes = np.log(stats.betabinom.pmf(20, 70, *[(1 / spread**2 - 1) / 2] * 2).mean())
    # The log of a mean of 1,000 probabilities that vary by 1.6 times their mean.
    assert abs(found["unit_elpd"].values[-1] - sizes) < 0.2


def test_models_fitted_by_name_are_those_fitted_before():
    names = ["dirichlet_multinomial", "hierarchical_beta_binomial"]
    found = br.compare(COUNTS, names, seed=1)
    xr.testing.assert_identical(
        found, br.compare({name: br.fit(COUNTS, name, seed=1) for name in names})
    )


def test_models_are_refused_beside_posteriors():
    counts = br.from_counts(tn=[4], fp=[1], fn=[1], tp=[4], entity=["a"])
    with pytest.raises(ValueError, match=r"^models cannot be used for posteriors"):
        br.compare({"one": br.fit(counts, seed=1, draws=10)}, ["beta_binomial"])
