"""Pooling: evidence is summed before the prior, only where it may be, and what the sum hides is said."""

import itertools
import pickle
from math import comb

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency, gamma

import bayesrank as br
from bayesrank._core.compat import import_arviz
from bayesrank._core.notes import Note
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank._core.source import groups_of
from bayesrank.claims.pooling import differing_datasets, pooling_notes
from bayesrank.evidence.counts import parts_of
from bayesrank.evidence.homogeneity import _gamma_tail, holm, mean_differs
from bayesrank.evidence.pooled import record_of
from bayesrank.evidence.predictions import counts_of
from bayesrank.performance.arrays import observed_counts
from tests.strategies import INCOMPLETE
from tests.told import codes_in, notes_in

# Kidney stones (Charig et al. 1986): successes of two treatments, with a row of negatives that says nothing.
STONES = br.from_counts(
    tn=[1] * 4, fp=[1] * 4, fn=[6, 36, 71, 25], tp=[81, 234, 192, 55],
    entity=["A", "B", "A", "B"], dataset=["small", "small", "large", "large"],
)  # fmt: skip


def pool_of(evidence):
    """The record of a pool in attrs of evidence."""
    return record_of(EvidenceRecord.of(evidence))


@st.composite
def several_data_sets(draw):
    """Complete counts of a few entities, data sets and classes."""
    entities, datasets, classes = (
        draw(st.integers(1, 3)),
        draw(st.integers(1, 4)),
        draw(st.integers(2, 3)),
    )
    shape = (entities, datasets, classes, classes)
    values = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 30, shape)
    names = [
        draw(st.permutations([1, "1", "b"])),
        ["x", 7, 2.5, "ü"],
        range(classes),
        range(classes),
    ]
    coords = {
        d: np.array(n[:size], object)
        for d, n, size in zip(("entity", "dataset"), names, shape, strict=False)
    }
    coords |= {"actual": list(range(classes)), "predicted": list(range(classes))}
    coords |= {"measured": (("entity", "dataset"), np.ones(shape[:2], bool))}
    return xr.DataArray(values, coords, ("entity", "dataset", "actual", "predicted"), name="counts")


# --- What the sum is ----------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(several_data_sets(), st.randoms(use_true_random=False))
def test_the_order_of_data_sets_and_entities_changes_nothing(counts, random):
    pooled = br.pool(counts)
    order = {
        d: random.sample(range(counts.sizes[d]), counts.sizes[d]) for d in ("entity", "dataset")
    }
    other = br.pool(counts.isel(order))
    assert other.isel(entity=np.argsort(order["entity"])).equals(pooled)
    assert (pooled == counts.sum("dataset")).all()
    assert pooled.dims == ("entity", "actual", "predicted")
    assert pooled.dtype == np.int64
    assert "measured" not in pooled.coords


@settings(max_examples=10)
@given(several_data_sets(), st.sampled_from(["uniform", "jeffreys", 0.3]))
def test_the_prior_is_added_once(counts, prior):
    # Mean of a Dirichlet: concentration over its sum; 400 draws of a probability have a standard error below 0.025.
    posterior = groups_of(br.fit(br.pool(counts), prior=prior, seed=1, draws=100))
    added = posterior["constant_data"]["prior_concentration"]
    assert (added == {"uniform": 1.0, "jeffreys": 0.5, 0.3: 0.3}[prior]).all()
    concentration = added + counts.sum("dataset")
    expected = concentration / concentration.sum(["actual", "predicted"])
    error = np.sqrt(
        expected * (1 - expected) / (concentration.sum(["actual", "predicted"]) + 1) / 400
    )
    found = posterior["posterior"]["performance"].mean(["chain", "draw"])
    assert (np.abs(found - expected) < 6 * error + 1e-9).all()


# --- What may be summed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "counts", [INCOMPLETE, INCOMPLETE.drop_vars("measured")], ids=["measured", "zeros"]
)
def test_different_data_sets_are_refused_with_the_choices(counts):
    words = r"same data sets .* got 'b' without 'y' \(join='inner' keeps .* here 1; a hierarchical model.*; or select"
    with pytest.raises(ValueError, match=words):
        br.pool(counts)
    inner = br.pool(counts, join="inner")
    assert inner.equals(counts.sel(dataset="x", drop=True).drop_vars("measured", errors="ignore"))
    assert parts_of(inner)["dataset"].values.tolist() == ["x"]
    assert br.pool(counts.sel(dataset=["x"])).equals(inner)
    assert br.pool(counts.sel(entity=["a"])).sum() == 16


def test_tables_of_zeros():
    counts = INCOMPLETE.assign_coords(measured=xr.ones_like(INCOMPLETE["measured"]))
    assert br.pool(counts).sel(entity="b").values.tolist() == [
        [2, 1],
        [0, 5],
    ]  # measured, and so seen
    pooled = br.pool(
        INCOMPLETE.sel(entity=["b"])
    )  # the data set y has no cases, and is missing for no entity
    assert parts_of(pooled)["dataset"].values.tolist() == ["x"]


def test_nothing_in_common_is_refused():
    counts = br.from_counts(
        tn=[1, 1], fp=[1, 1], fn=[1, 1], tp=[1, 1], entity=["a", "b"], dataset=["x", "y"]
    )
    for evidence, join, words in (
        (
            counts,
            "inner",
            "on which every entity has cases; got none: 'a' without 'y'; 'b' without 'x'",
        ),
        (counts, "exact", "here 0"),
        (
            (counts * 0).drop_vars("measured"),
            "exact",
            r"got none \(a hierarchical model .*; or select data sets or",
        ),
    ):
        with pytest.raises(ValueError, match=words):
            br.pool(evidence, join=join)


def test_coords_over_entities_stay():
    counts = STONES.assign_coords(
        maker=("entity", ["m", "n"]),
        test_set=(("entity", "dataset"), [["s", "s"], ["t", "t"]]),
        panel=(("entity", "dataset"), [["p", "q"], ["p", "p"]]),
        group=("dataset", ["g", "h"]),
    )
    pooled = br.pool(counts)
    assert set(pooled.coords) == {"entity", "actual", "predicted", "maker", "test_set"}
    assert pooled["test_set"].values.tolist() == ["s", "t"]
    assert pooled["test_set"].dims == ("entity",)


# --- The summands -------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(several_data_sets())
def test_the_parts_are_remembered(counts):
    expected = counts.drop_vars("measured")
    pooled = br.pool(counts)
    parts = parts_of(pooled)
    assert parts.equals(expected)
    for dim in (
        "entity",
        "dataset",
    ):  # 7 and 7.0, and True and 1, are equal: their types are looked at, too
        assert list(map(type, parts[dim].values.tolist())) == list(
            map(type, expected[dim].values.tolist())
        )
    assert parts_of(pooled.isel(entity=[-1])).equals(expected.isel(entity=[-1]))
    assert parts_of(pooled.isel(entity=slice(None, None, -1))).equals(
        expected.isel(entity=slice(None, None, -1))
    )


def test_parts_survive_copies_and_a_fit_and_the_file_of_a_posterior(tmp_path):
    pooled = br.pool(br.datasets.load("utah_trees"))
    expected = br.datasets.load("utah_trees").drop_vars("measured")
    posterior = br.fit(pooled, seed=1, draws=5)
    posterior.to_netcdf(str(tmp_path / "posterior.nc"))
    fitted = observed_counts(posterior)
    read = observed_counts(import_arviz().from_netcdf(tmp_path / "posterior.nc"))
    for held in (pooled.copy(deep=True), pickle.loads(pickle.dumps(pooled)), fitted, read):
        assert parts_of(held).equals(expected)
    assert isinstance(groups_of(posterior)["observed_data"]["counts"].attrs["pooled"], str)


def test_counts_read_from_a_file_keep_the_record_and_the_test_sets(tmp_path):
    # Pooled class sizes are equal, but A and B met other numbers of cases on each data set.
    cells = {"tn": [8, 4, 4, 8], "fp": [2, 1, 1, 2], "fn": [1] * 4, "tp": [9] * 4}
    pooled = br.pool(br.from_counts(**cells, entity=["A", "A", "B", "B"], dataset=["x", "y"] * 2))
    pooled.to_netcdf(tmp_path / "pooled.nc")
    with xr.open_dataarray(tmp_path / "pooled.nc") as loaded:
        back = loaded.load()
    assert parts_of(back) is None
    for held in (back, xr.DataArray.from_dict(pooled.to_dict())):
        assert pool_of(held) == pool_of(pooled)
        sets = observed_counts(br.fit(held, seed=1, draws=5))["test_set"].values.tolist()
        assert sets == observed_counts(br.fit(pooled, seed=1, draws=5))["test_set"].values.tolist()
        assert len(set(sets)) == 2


def test_parts_that_do_not_fit_are_not_given():
    pooled = br.pool(STONES)
    for other in (
        *(
            pooled.drop_attrs(),
            STONES,
            (2 * pooled).assign_attrs(pooled.attrs),
            pooled.isel(entity=0),
        ),
        *(
            pooled.assign_coords(entity=["A", "C"]),
            br.one_vs_rest(pooled).assign_attrs(pooled.attrs),
        ),
    ):
        assert parts_of(other) is None


# --- What the sum hides -------------------------------------------------------------------------------------------


def test_kidney_stones_are_simpsons_paradox():
    assert br.scores.tpr(STONES).round(2).values.tolist() == [[0.93, 0.73], [0.87, 0.69]]
    assert br.scores.tpr(br.pool(STONES)).round(2).values.tolist() == [0.78, 0.83]
    paradox = Note("order_reversed_by_pool", {"score": "tpr", "pairs": [["A", "B"]]})
    assert pooling_notes(STONES, "tpr") == [paradox]
    # The miss rate is better where it is lower.
    assert pooling_notes(STONES, "fnr") == [Note(paradox.code, {**paradox.fields, "score": "fnr"})]
    assert pooling_notes(STONES, "tnr") == []
    # A and B met 350 cases each in all, but other numbers of small and of large stones: two test sets.
    ranking = br.credible_ranking(br.fit(br.pool(STONES), draws=50, seed=1), "tpr")
    assert paradox in notes_in(ranking)
    assert "same_cases" not in codes_in(ranking)


@pytest.mark.parametrize(
    ("dataset", "fn", "tp"),
    [("small", 12, 162), ("small", 0, 270), ("large", 125, 55)],
    ids=["equal in one", "the other way in one", "pooled the same way"],
)
def test_no_paradox_unless_all_disagree_with_the_pool(dataset, fn, tp):
    counts = STONES.copy(deep=True)
    counts.loc[{"actual": "positive", "entity": "B", "dataset": dataset}] = [fn, tp]
    assert pooling_notes(counts, "tpr") == []


def test_a_paradox_needs_two_data_sets_and_skips_those_without_a_score():
    third = br.from_counts(
        tn=[5, 5], fp=[1, 1], fn=[0, 0], tp=[0, 9], entity=["A", "B"], dataset=["all", "all"]
    )
    several = xr.concat([STONES, third], "dataset")
    assert [note.code for note in pooling_notes(several, "tpr")] == ["order_reversed_by_pool"]
    one = several.sel(dataset=["small", "all"]).copy(deep=True)
    one.loc[{"entity": "B", "dataset": "all", "predicted": "positive", "actual": "positive"}] = 9000
    assert np.isnan(br.scores.tpr(one).sel(entity="A", dataset="all"))
    assert br.scores.tpr(br.pool(one)).argmax() == 1
    assert pooling_notes(one, "tpr") == []


def test_equal_scores_are_equal_whatever_the_order_of_a_sum():
    # TPR + TNR is 0.92 and 0.927 for both, but in floating point A is ahead by the last bit on both; pooled B is ahead.
    counts = br.from_counts(
        tn=[890, 1, 897, 827], fp=[110, 9, 103, 173], fn=[97, 18, 97, 9], tp=[3, 82, 3, 1],
        entity=["A", "B", "A", "B"], dataset=["x", "x", "y", "y"],
    )  # fmt: skip

    def hits(tn, fp, fn, tp):
        return tp / (tp + fn) + tn / (tn + fp)

    values = br.scores.as_score(hits)(counts)
    assert (values.sel(entity="A") > values.sel(entity="B")).all()
    np.testing.assert_allclose(values, [[0.92, 0.927]] * 2, rtol=1e-15)
    assert br.scores.as_score(hits)(br.pool(counts)).diff("entity") > 0.5
    assert pooling_notes(counts, hits) == []


def alike(rng, datasets, cases=100, entities=3):
    """Data sets of one and the same performance."""
    values = rng.multinomial(cases, [0.4, 0.1, 0.2, 0.3], (entities, datasets))
    coords = {"entity": list("abcdefgh"[:entities]), "dataset": range(datasets)}
    coords |= {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}
    return xr.DataArray(
        values.reshape(*values.shape[:2], 2, 2),
        coords,
        ("entity", "dataset", "actual", "predicted"),
    )


# --- Data sets that differ ----------------------------------------------------------------------------------------


def said(counts, score, **about):
    """The caveat of a pool."""
    learned = not ModelRecord.from_attrs(about).sets_prevalence
    return differing_datasets(
        pool_of(br.pool(counts)), br.scores.get(score), prevalence_matters=learned
    )


def exact_p(table):
    """P-value of Pearson's statistic, over all tables (data set, two outcomes) with these margins."""
    size, total = table.sum(1), table.sum(0)
    rarer = int(total.argmin())
    expected = size * total[rarer] / total.sum()

    def statistic(x):
        return ((x - expected) ** 2 / size).sum()

    p = 0.0
    for x in itertools.product(*(range(n + 1) for n in size)):
        if sum(x) == total[rarer] and statistic(np.array(x)) >= statistic(table[:, rarer]) * (
            1 - 1e-9
        ):
            p += np.prod([comb(n, k) for n, k in zip(size, x, strict=True)]) / comb(
                size.sum(), total[rarer]
            )
    return p


@pytest.mark.parametrize(
    "table", [[[90, 10], [70, 30], [185, 15]], [[60, 40], [50, 50], [45, 55], [60, 40]]]
)
def test_large_samples_have_pearsons_p_value(table):
    table = np.array(table)
    x, d, n = chi2_contingency(table, correction=False).statistic, len(table), table.sum()
    # The statistic is Pearson's times (N - 1) / N; its exact variance is little below 2 (D - 1).
    expected = np.log10(chi2.sf(x * (n - 1) / n, d - 1))
    assert np.log10(mean_differs(table, [0, 1])) == pytest.approx(expected, rel=0.02, abs=0.01)


@pytest.mark.parametrize(
    "table",
    [
        [[9, 1], [2, 8]],
        [[3, 1], [0, 4], [5, 0]],
        [[1, 6], [0, 9], [2, 1], [0, 3]],
        [[0, 12], [0, 11], [2, 3]],
    ],
)
def test_small_samples_have_the_exact_p_value(table):
    table = np.array(table)
    expected = exact_p(table)
    # 10,998 permutations of a probability p have the standard error sqrt(p (1 - p) / 10,998).
    assert mean_differs(table, [0, 1]) == pytest.approx(
        expected, abs=5 * np.sqrt(expected / 10_998) + 1e-4
    )
    assert mean_differs(table[::-1], [0, 1]) == mean_differs(table, [0, 1])
    assert mean_differs(np.array([[5, 0], [3, 0]]), [0, 1]) == 1  # all outcomes are equal


def test_two_data_sets_of_two_outcomes_have_the_exact_p_value():
    for table in np.random.default_rng(0).integers(1, 20, (20, 2, 2)):
        assert mean_differs(table, [0, 1]) == pytest.approx(exact_p(table), rel=1e-9)
        # Of equal tables every other one is as far from the mean, whatever the rounding.
        assert mean_differs(table[[0, 0]], [0, 1]) == pytest.approx(1, rel=1e-12)


def test_moments_of_the_statistic_are_those_of_all_permutations():
    # All permutations of seven outcomes over data sets of 2, 4 and 1 cases.
    outcomes, size = np.array([0, 0, 1, 2, 2, 2, 5.0]), np.array([2, 4, 1])
    z = (outcomes - outcomes.mean()) / outcomes.std(ddof=1)
    found = [
        (np.add.reduceat(np.array(x), [0, 2, 6]) ** 2 / size).sum()
        for x in itertools.permutations(z)
    ]
    values, times = np.unique(z, return_counts=True)
    shape, scale = np.mean(found) ** 2 / np.var(found), np.var(found) / np.mean(found)
    assert np.mean(found) == pytest.approx(2)
    assert _gamma_tail(3.0, size, times, values) == pytest.approx(
        gamma.sf(3.0, shape, scale=scale), rel=1e-9
    )


def test_one_entity_that_differs_is_enough():
    # The median over entities is above 0.5: five tests of six are alike in all studies.
    rng = np.random.default_rng(7)
    rates = np.full((6, 15), 0.82)
    rates[2, ::2] = 0.6
    tp, tn = rng.binomial(100, rates), rng.binomial(200, 0.9, (6, 15))
    names = [f"test {i}" for i in range(6)]
    studies = br.from_counts(
        tn=tn.ravel(), fp=200 - tn.ravel(), fn=100 - tp.ravel(), tp=tp.ravel(),
        entity=np.repeat(names, 15), dataset=list(range(15)) * 6,
    )  # fmt: skip
    (note,) = said(studies, "tpr")
    p = 6 * chi2_contingency([tp[2], 100 - tp[2]], correction=False).pvalue
    fields = {
        "datasets": 15,
        "different": 1,
        "entities": 6,
        "entity": "test 2",
        "part": "recall",
        "label": "positive",
    }
    assert note.code == "pooled_datasets_differ"
    assert (fields | {"model": "crossed_logit_normal"}).items() <= note.fields.items()
    assert np.log10(note.fields["p"]) == pytest.approx(np.log10(p), abs=0.5)
    assert said(studies, "tnr") == []
    assert said(studies.sel(entity=names[3:]), "tpr") == []
    # The ranking prints it, of draws and of quadrature, of all entities and of those that are left.
    pooled = br.pool(studies)
    posterior = br.fit(pooled, seed=1, draws=100)
    for ranking in (
        br.credible_ranking(posterior, "tpr"),
        br.credible_ranking(pooled, "tpr", method="exact"),
    ):
        assert notes_in(ranking)[0] == note
    kept = br.credible_ranking(br.fit(pooled.sel(entity=names[3:]), seed=1, draws=100), "tpr")
    assert "pooled_datasets_differ" not in codes_in(kept)


@pytest.mark.slow
def test_the_caveat_is_rare_where_data_sets_are_alike():
    # Of 120 boards more than 14 are one in 1,000 if 5% have it; scripts/measure_pooling.py has more boards.
    rng = np.random.default_rng(8)
    pools = [pool_of(br.pool(alike(rng, 6, cases))) for cases in (8, 100) for _ in range(30)]
    found = sum(
        bool(differing_datasets(pool, br.scores.get(score)))
        for pool in pools
        for score in ("f1", "tpr")
    )
    assert found <= 14


def test_a_prevalence_that_differs_counts_only_for_scores_that_depend_on_it():
    # The same rates at two prevalences; from small samples of positives chance alone moves the TPR much.
    positives = [10, 400] * 10
    rng = np.random.default_rng(4)
    tp = rng.binomial(positives, 0.8)
    fp = rng.binomial(410 - np.array(positives), 0.1)
    counts = br.from_counts(
        tn=410 - np.array(positives) - fp,
        fp=fp,
        fn=positives - tp,
        tp=tp,
        entity=["a"] * 20,
        dataset=range(20),
    )
    assert said(counts, "informedness") == []
    [note] = said(counts, "f1")
    assert {"entity": "a", "part": "share", "label": "positive"}.items() <= note.fields.items()
    # At a prevalence that is set, the data sets' own do not matter.
    assert said(counts, "f1", prevalence="0.1") == []


def test_undefined_scores_are_left_out():
    measured = (("entity", "dataset"), np.ones((3, 5), bool))
    some = alike(np.random.default_rng(1), 5).assign_coords(measured=measured)
    assert said(some.where(False, 0), "f1") == []
    some[0], some[1, 1:] = 0, 0
    assert said(some, "f1") == []


def test_scores_of_many_classes_have_notes_too():
    folds = br.datasets.load("mnist_folds").drop_vars("measured")
    assert said(folds, "mcc") == []
    uneven = folds.copy(deep=True)
    uneven[:, 0] = uneven[:, 0].transpose("entity", "predicted", "actual").values[:, ::-1]
    (note,) = said(uneven, "mcc")
    assert note.fields["model"] == "hierarchical_dirichlet_multinomial"


def test_notes_are_the_same_in_whatever_order():
    counts = br.datasets.load("utah_trees").drop_vars("measured")
    notes = said(counts, "f1")
    assert len(notes) == 1
    assert said(counts.isel(entity=[2, 0, 1]), "f1") == notes
    assert said(counts.isel(dataset=slice(None, None, -1)), "f1") == notes


# --- Pooled cases -------------------------------------------------------------------------------------------------


def answers(rng, shares, datasets, cases=60):
    """Right and wrong answers of entities, whose share of right ones is that of the data set."""
    where = np.repeat(np.arange(datasets), cases)
    return pd.DataFrame(
        {name: rng.binomial(1, np.resize(p, datasets)[where]) for name, p in shares.items()}
    ), where


def test_pooled_cases_have_the_caveat_of_their_counts():
    frame, where = answers(np.random.default_rng(2), {"a": [0.9, 0.5], "b": [0.7]}, 6)
    joint = br.from_outcomes(frame, dataset=where)
    pooled = br.pool(joint)
    assert "dataset" not in pooled.coords
    assert pooled["count"].sum() == joint["count"].sum()
    (note,) = differing_datasets(pool_of(pooled), None)
    fields = {
        "datasets": 6,
        "different": 1,
        "entities": 2,
        "entity": "a",
        "part": "mean outcome",
        "label": "",
    }
    assert fields.items() <= note.fields.items()
    assert differing_datasets(pool_of(br.pool(counts_of(joint))), None) == [note]
    ranking = br.credible_ranking(br.fit(pooled, seed=1, draws=50), "mean_outcome")
    assert notes_in(ranking)[0] == note
    # What the note says to type.
    assert (
        groups_of(br.fit(joint, "hierarchical_beta_binomial", seed=1, draws=5))["posterior"].sizes[
            "dataset"
        ]
        == 6
    )


def test_pooled_predictions_are_those_of_their_tables():
    joint = br.datasets.load_joint("utah_trees")
    found, counts = (pool_of(br.pool(x)) for x in (joint, br.datasets.load("utah_trees")))
    assert found["p"] == counts["p"]
    assert found["datasets"] == counts["datasets"]


def test_clusters_are_the_units_that_are_compared():
    # Ten answers a question are alike: 5 questions a data set, of which the answers alone seem to differ.
    question = np.repeat(np.arange(30), 10)
    frame = pd.DataFrame({"a": np.repeat(np.random.default_rng(5).binomial(1, 0.6, 30), 10)})
    clustered, apart, once = (
        pool_of(br.pool(br.from_outcomes(frame[::step], dataset=question[::step] // 5, **how)))[
            "p"
        ][0][2][0]
        for step, how in ((1, {"cluster": question}), (1, {}), (10, {}))
    )
    assert clustered == once > 0.05 > 0.001 > apart
    question = np.repeat(np.arange(300), 2)
    frame = pd.DataFrame({"a": (question < 150).astype(int)})
    (note,) = differing_datasets(
        pool_of(br.pool(br.from_outcomes(frame, dataset=question // 5, cluster=question))), None
    )
    assert note.fields["model"] is None  # no hierarchical model takes clusters


def test_numbers_are_compared_by_their_means():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"cost": rng.exponential(1, 200), "other": rng.exponential(1, 200)})
    where = np.arange(200) // 20
    assert differing_datasets(pool_of(br.pool(br.from_outcomes(frame, dataset=where))), None) == []
    frame["cost"] += where / 5
    (note,) = differing_datasets(pool_of(br.pool(br.from_outcomes(frame, dataset=where))), None)
    assert (note.fields["entity"], note.fields["part"]) == ("cost", "mean outcome")


def test_an_inner_join_of_cases_keeps_the_data_sets_that_all_met():
    frame = pd.DataFrame({"a": [1, 0, 1, 1], "b": [1, 1, np.nan, np.nan]})
    joint = br.from_outcomes(frame, dataset=["x", "x", "y", "y"], missing="own")
    assert br.pool(joint)["count"].sum() == 4
    assert br.pool(joint, join="inner")["count"].sum() == 2
    with pytest.raises(ValueError, match="coord dataset to be pooled"):
        br.pool(br.pool(joint))


def test_holm_is_holm():
    # Holm (1979): sorted p-values times 4, 3, 2, 1, never falling.
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])
