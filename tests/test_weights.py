"""Draws of case weights: the posteriors that are known exactly, and what their grid and their order promise."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core import checks as _checks
from bayesrank._core.source import groups_of
from bayesrank.cases import _weighing
from bayesrank.evidence.weighting import check_numbers_of_cases, scale_weights
from tests.strategies import LEVEL
from tests.told import fields_of

RNG = np.random.default_rng(3)
LABELS = ["n"] * 70 + ["p"] * 30


def means(weights, values):
    """The posterior of a mean, as one would compute it."""
    dim = weights.dims[-1]
    return ((weights * xr.DataArray(values, dims=dim)).sum(dim) / weights.sum(dim)).values.ravel()


def errors_off(draws, mean, variance):
    """How many standard errors mean and variance are off, at most; the variance's from the draws' fourth moment."""
    size, off = draws.size, draws - draws.mean()
    error = np.sqrt((np.mean(off**4) - np.mean(off**2) ** 2) / size)
    assert error < 0.03 * variance, "this would not tell a variance that is a few per cent off"
    return max(
        abs(draws.mean() - mean) / np.sqrt(variance / size), abs(draws.var() - variance) / error
    )


# --- What is known exactly ----------------------------------------------------------------------------------------


def test_the_mean_of_values_has_its_known_posterior():
    values, other = RNG.normal(size=(2, 40))
    weights = br.case_weights(40, draws=4000, seed=1)
    for of in (values, other, values - other):
        assert (
            errors_off(means(weights, of), of.mean(), ((of - of.mean()) ** 2).sum() / 40 / 41) < 5
        )


def test_clusters_are_what_is_weighed():
    cluster = np.repeat(np.arange(30), 4)
    values = RNG.normal(size=30)[cluster] + 0.3 * RNG.normal(size=120)
    weights = br.case_weights(120, cluster=cluster, draws=4000, seed=1)
    assert (
        weights.values.reshape(4, 4000, 30, 4) == weights.values.reshape(4, 4000, 30, 4)[..., :1]
    ).all()
    of = values.reshape(30, 4).mean(1)
    assert (
        errors_off(means(weights, values), values.mean(), ((of - of.mean()) ** 2).sum() / 30 / 31)
        < 5
    )
    single, plain = (
        br.case_weights(25, cluster=names, seed=1, draws=10).values for names in (range(25), None)
    )
    np.testing.assert_array_equal(single, plain)


@pytest.mark.parametrize(
    ("cluster", "weight", "inside"),
    [
        (["a", "a", "b", "a"], None, [1, 1, 0, 1]),
        (["b", "a"], [1, 3], [0, 1]),
        ([1, 1, 2], [1, 2, 1], [1, 1, 0]),
    ],
)
def test_clusters_of_different_sizes_weigh_by_their_cases(cluster, weight, inside):
    """Two clusters, one of three cases: the mean is 3 U / (3 U + 1 - U) with U uniform."""
    weights = br.case_weights(len(cluster), cluster=cluster, count=weight, seed=1)
    np.testing.assert_allclose(weights.sum("case"), 4)
    share = means(weights, inside)
    assert stats.kstest(share / (3 - 2 * share), "uniform").pvalue > LEVEL
    if weight == [1, 2, 1]:
        np.testing.assert_allclose(2 * weights[..., 0], weights[..., 1])


def test_a_pattern_has_the_weight_of_all_its_cases():
    weights = br.case_weights(3, count=[5, 0, 20], seed=1)
    assert (weights.isel(case=1) == 0).all()
    np.testing.assert_allclose(weights.sum("case"), 25)
    outcomes = br.from_outcomes(pd.DataFrame({"a": [0] * 5 + [1] * 20}))
    patterns = br.case_weights(outcomes, seed=1)
    assert patterns.dims == ("chain", "draw", "pattern")
    assert patterns["count"].values.tolist() == [5, 20]
    for draws in (weights.isel(case=0), patterns.isel(pattern=0)):
        assert stats.kstest(draws.values.ravel() / 25, stats.beta(5, 20).cdf).pvalue > LEVEL


def test_it_is_the_paired_model_without_a_prior():
    frame = pd.DataFrame({"a": RNG.integers(0, 4, 60), "b": RNG.integers(0, 4, 60)})
    outcomes = br.from_outcomes(frame)
    peer = groups_of(br.fit(outcomes, "paired", seed=2, prior="haldane"))["posterior"][
        "mean_outcome"
    ]
    weights = br.case_weights(outcomes, seed=1)
    ours = (weights * outcomes["outcome"]).sum("pattern") / 60
    for draws in (lambda x: x.sel(entity="a"), lambda x: x.sel(entity="a") - x.sel(entity="b")):
        assert stats.ks_2samp(draws(ours).values.ravel(), draws(peer).values.ravel()).pvalue > LEVEL


def test_numbers_of_each_class_set_by_design():
    for cases in (LABELS, pd.Series(LABELS), np.array(LABELS) == "p"):
        weights = br.case_weights(cases, prevalence="observed", seed=1)
        np.testing.assert_allclose(weights[..., :70].sum("case"), 70)
        np.testing.assert_allclose(weights[..., 70:].sum("case"), 30)
    for part in (weights[..., 0] / 70, weights[..., 99] / 30):
        size = round(1 / float(part.mean()))
        assert stats.kstest(part.values.ravel(), stats.beta(1, size - 1).cdf).pvalue > LEVEL
    # Those of random cases differ in nothing but the classes' totals.
    random = br.case_weights(np.array(LABELS) == "p", seed=1)
    share = random[..., 70:].sum("case").values.ravel() / 100
    assert stats.kstest(share, stats.beta(30, 70).cdf).pvalue > LEVEL
    np.testing.assert_allclose(
        random[..., 70:] / random[..., 70:].sum("case"), weights[..., 70:] / 30
    )


def test_classes_of_joint_outcomes_by_design():
    joint = br.joint_outcomes(LABELS, {"a": LABELS[::-1], "b": LABELS})
    sums = (
        br.case_weights(joint, prevalence="observed", seed=1, draws=20)
        .groupby(joint["actual"])
        .sum()
    )
    np.testing.assert_allclose(
        sums.sel(actual=["n", "p"]).transpose("actual", ...)[:, 0, 0], [70, 30]
    )


# --- The grid -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cases", [1, 57])
def test_weights_are_one_on_average(cases):
    weights = br.case_weights(cases, draws=7, chains=3, seed=1)
    assert weights.name == "weight"
    assert weights.sizes == {"chain": 3, "draw": 7, "case": cases}
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.mean("case"), 1, rtol=1e-12)
    assert weights.chunks is None
    assert len(np.unique(weights.values)) > (cases > 1) * 20 * cases


@pytest.mark.parametrize(
    ("cases", "most", "fewer"), [(9, 1020, (1, 999, 1001)), (3000, 360, (348, 350))]
)
def test_a_shorter_run_is_the_start_of_a_longer_one(cases, most, fewer):
    """Also where the draws of a stream (1,000, or 349 of 3,000 cases) do not end where the run does."""
    long = br.case_weights(cases, draws=most, chains=2, seed=1)
    assert len(np.unique(long[..., 0])) == 2 * most
    for draws in fewer:
        short = br.case_weights(cases, draws=draws, chains=1, seed=1)
        np.testing.assert_array_equal(short.values, long.values[:1, :draws])


@pytest.mark.parametrize("chunks", [1, 349, 5000])
def test_lazy_weights_are_the_same(chunks):
    """Also where chunks begin and end within the draws of a stream: 699 of the 1,500 clusters."""
    pytest.importorskip("dask")
    given = {
        "cluster": np.arange(3000) // 2,
        "draws": 3 if chunks == 1 else 710,
        "chains": 2,
        "seed": 1,
    }
    lazy = br.case_weights(3000, **given, chunks=chunks)
    assert lazy.chunks[0] == (1, 1)
    assert lazy.chunks[1][0] == min(chunks, given["draws"])
    xr.testing.assert_identical(lazy.compute(), br.case_weights(3000, **given))


def test_lazy_weights_are_drawn_once_a_chunk(monkeypatch):
    pytest.importorskip("dask")
    draw, asked = _weighing._draw, []
    monkeypatch.setattr(_weighing, "_draw", lambda *given: asked.append(given[2:]) or draw(*given))
    lazy = br.case_weights(LABELS, draws=50, chains=2, seed=1, chunks=20)
    assert not asked
    br.cases.weighted_metric("auc_roc", LABELS, {"a": np.arange(100)}, lazy, positive="p")
    assert sorted(asked) == [(chain, i, min(i + 20, 50)) for chain in (0, 1) for i in (0, 20, 40)]


def test_what_would_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(
        _checks.os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**8}[name]
    )
    with pytest.raises(ValueError, match="chunks must be given for 4 x 1000 draws of 100 cases"):
        br.case_weights(100)


def test_streams_belong_to_seed_and_evidence():
    def of(cases, **given):
        return br.case_weights(cases, **{"draws": 5, "seed": 1} | given).values

    plain = of(100)
    np.testing.assert_array_equal(plain, of(100))
    np.testing.assert_array_equal(of(LABELS), of(pd.Series(LABELS)))
    for other in (
        of(100, seed=2),
        of(LABELS),
        of(LABELS[::-1]),
        of(100, cluster=np.arange(100) // 2),
    ):
        assert not np.isclose(other, plain).any()
    assert not np.isclose(of(LABELS), of(LABELS[::-1])).any()
    assert not np.isclose(plain[0], plain[1]).any()
    generator = np.random.default_rng(1)
    assert not np.isclose(of(9, seed=generator), of(9, seed=generator)).any()


def test_data_sets_are_independent_of_each_other():
    """Each has its sums and its stream, whoever else is there."""
    names = ["x", "y", "x", "z"] * 30
    weights = br.case_weights(120, dataset=names, seed=1)
    np.testing.assert_allclose(weights.groupby("dataset").mean(), 1)
    assert weights["dataset"].values.tolist() == names
    kept = [i for i, name in enumerate(names) if name != "y"]
    fewer = br.case_weights(len(kept), dataset=[names[i] for i in kept], seed=1)
    np.testing.assert_array_equal(fewer.values, weights.values[..., kept])
    # y and z hold equally many cases, and are not coupled: correlations of 4,000 draws stay within 5 / sqrt(4000).
    a, b = (weights.isel(case=names.index(name)).values.ravel() for name in ("y", "z"))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.08
    one = br.case_weights(120, dataset="x", seed=1, draws=3)
    assert set(one["dataset"].values.tolist()) == {"x"}


def test_the_order_of_cases_and_entities_changes_nothing_of_joint_outcomes():
    frame = pd.DataFrame({name: RNG.integers(0, 3, 90) for name in "abc"})
    frame["cluster"] = np.arange(90) // 3
    frame["dataset"] = np.where(frame["cluster"] < 20, "x", "y")
    shuffled = frame.sample(frac=1, random_state=1)[["c", "cluster", "a", "dataset", "b"]]
    for groups in ([], ["cluster"], ["dataset"], ["cluster", "dataset"]):
        found = []
        for one in (frame, shuffled):
            columns = [name for name in one if name in "abc" or name in groups]
            outcomes = br.from_outcomes(one[columns], **{name: name for name in groups})
            weights = br.case_weights(outcomes, seed=1, draws=20)
            total = (
                weights * outcomes["outcome"] ** 2 * (1 + outcomes["outcome"].sel(entity="a"))
            ).sum("pattern")
            found.append(total.transpose("chain", "draw", "entity").sel(entity=list("abc")).values)
        np.testing.assert_allclose(*found, rtol=1e-12)


# --- What a reader must know --------------------------------------------------------------------------------------


def test_few_cases_are_named():
    def few(cases, **given):
        """Return the number of units in the note, and whether they are clusters, of one class and of one data set."""
        about = br.case_weights(cases, draws=1, **given).attrs
        if "notes" not in about:
            return None
        fields = fields_of(about, "few_units_without_prior")
        return (
            fields["units"],
            fields["unit"] == "cluster",
            fields["one_class"],
            fields["one_dataset"],
        )

    assert few(50) is None
    assert few(49) == (49, False, False, False)
    assert few(25, count=[2] * 25) is None
    assert few(100, cluster=np.arange(100) // 4) == (25, True, False, False)
    assert few(100, dataset=["x"] * 60 + ["y"] * 40) == (40, False, False, True)
    assert few(LABELS) is None
    assert few(1) == (1, False, False, False)
    assert few(LABELS, prevalence="observed") == (30, False, True, False)
    assert few(LABELS, prevalence="observed", cluster=np.arange(100) // 4) == (
        25,
        True,
        False,
        False,
    )


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_only_ratios_of_importance_weights_in_a_data_set_matter(scale):
    weights, datasets = np.array([1.0, 1.0, 2.0, 5.0]), ["x"] * 4 + ["y"] * 4
    both = check_numbers_of_cases(None, np.concatenate([weights, scale * weights]), 8)
    found = scale_weights(both, datasets).number
    alone = weights * weights.sum() / (weights**2).sum()
    np.testing.assert_allclose(found, [*alone, *alone], rtol=1e-6)
