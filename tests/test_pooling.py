"""Pooling: evidence is summed before the prior, only where it may be, and what the sum hides is said."""

import json
import re
import warnings

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesrank as br
from bayesrank._compat import groups_of
from bayesrank.counts import parts_of
from bayesrank.pooling import pooling_notes

INCOMPLETE = br.from_counts(
    tn=[1, 2, 3], fp=[1, 1, 1], fn=[0, 0, 0], tp=[4, 5, 6], entity=["a", "b", "a"], dataset=["x", "x", "y"]
)
# Kidney stones (Charig et al. 1986): successes of two treatments, with a row of negatives that says nothing.
STONES = br.from_counts(
    tn=[1] * 4, fp=[1] * 4, fn=[6, 36, 71, 25], tp=[81, 234, 192, 55],
    entity=["A", "B", "A", "B"], dataset=["small", "small", "large", "large"],
)  # fmt: skip
STUDIES = br.from_counts(tn=[9] * 30, fp=[1] * 30, fn=[1] * 30, tp=[9] * 30, entity=["test"] * 30, dataset=range(30))


@st.composite
def several_data_sets(draw):
    """Complete counts of a few entities, data sets and classes."""
    entities, datasets, classes = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(2, 3))
    shape = (entities, datasets, classes, classes)
    values = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 30, shape)
    names = [draw(st.permutations([1, "1", "b"])), ["x", 7, 2.5, "ü"], range(classes), range(classes)]
    coords = {d: np.array(n[:size], object) for d, n, size in zip(("entity", "dataset"), names, shape, strict=False)}
    coords |= {"actual": list(range(classes)), "predicted": list(range(classes))}
    coords |= {"measured": (("entity", "dataset"), np.ones(shape[:2], bool))}
    return xr.DataArray(values, coords, ("entity", "dataset", "actual", "predicted"), name="counts")


# --- What the sum is ----------------------------------------------------------------------------------------------


@given(several_data_sets(), st.randoms(use_true_random=False))
def test_the_order_of_data_sets_and_entities_changes_nothing(counts, random):
    pooled = br.pool(counts)
    order = {d: random.sample(range(counts.sizes[d]), counts.sizes[d]) for d in ("entity", "dataset")}
    other = br.pool(counts.isel(order))
    assert other.isel(entity=np.argsort(order["entity"])).equals(pooled)
    assert (pooled == counts.sum("dataset")).all()
    assert pooled.dims == ("entity", "actual", "predicted")
    assert pooled.dtype == np.int64
    assert "measured" not in pooled.coords


@given(several_data_sets())
def test_one_data_set_is_its_own_pool(counts):
    one = counts.isel(dataset=[0])
    assert br.pool(one).equals(one.isel(dataset=0, drop=True).drop_vars("measured"))


@settings(max_examples=20)
@given(several_data_sets(), st.sampled_from(["uniform", "jeffreys", 0.3]))
def test_the_prior_is_added_once(counts, prior):
    # Mean of a Dirichlet: concentration over its sum; 400 draws of a probability have a standard error below 0.025.
    posterior = groups_of(br.fit(br.pool(counts), prior=prior, seed=1, draws=100))
    added = posterior["constant_data"]["prior_concentration"]
    assert (added == {"uniform": 1.0, "jeffreys": 0.5, 0.3: 0.3}[prior]).all()
    concentration = added + counts.sum("dataset")
    expected = concentration / concentration.sum(["actual", "predicted"])
    error = np.sqrt(expected * (1 - expected) / (concentration.sum(["actual", "predicted"]) + 1) / 400)
    found = posterior["posterior"]["performance"].mean(["chain", "draw"])
    assert (np.abs(found - expected) < 6 * error + 1e-9).all()


def test_thirty_small_studies_keep_their_informedness():
    values = br.scores.informedness(br.fit(br.pool(STUDIES), seed=1)).values
    low, high = np.quantile(values, [0.025, 0.975])
    assert low < 0.80 < high
    # TPR and TNR are Beta(271, 31) each, their mean 271/302; 4,000 draws of standard deviation 0.0248.
    assert values.mean() == pytest.approx(2 * 271 / 302 - 1, abs=5 * 0.0248 / np.sqrt(4000))


def test_detectors_lie_in_their_own_intervals():
    pooled = br.pool(br.datasets.load("anomaly_detectors"))
    low, high = np.quantile(br.scores.f1(br.fit(pooled, seed=1)), [0.025, 0.975], axis=(0, 1))
    observed = br.scores.f1(pooled)
    inside = (low <= observed) & (observed <= high)
    # "null" never fires: its F1 is 0, the end of the range, which no equal-tailed interval holds.
    assert observed["entity"].values[~inside].tolist() == ["null"]
    assert observed.sel(entity="null") == 0


# --- What may be summed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [INCOMPLETE, INCOMPLETE.drop_vars("measured")], ids=["measured", "zeros"])
def test_different_data_sets_are_refused_with_the_choices(counts):
    with pytest.raises(
        ValueError, match=r"the same data sets .* got 'b' without 'y' \(join='inner' keeps .* here 1; or"
    ):
        br.pool(counts)
    with pytest.raises(ValueError, match="select data sets or entities"):
        br.pool(counts)
    inner = br.pool(counts, join="inner")
    assert inner.equals(counts.sel(dataset="x", drop=True).drop_vars("measured", errors="ignore"))
    assert parts_of(inner)["dataset"].values.tolist() == ["x"]
    assert br.pool(counts.sel(dataset=["x"])).equals(inner)
    assert br.pool(counts.sel(entity=["a"])).sum() == 16


def test_a_measured_table_of_zeros_is_seen():
    counts = INCOMPLETE.assign_coords(measured=xr.ones_like(INCOMPLETE["measured"]))
    assert br.pool(counts).sel(entity="b").values.tolist() == [[2, 1], [0, 5]]


def test_a_data_set_that_nobody_saw_is_lacked_by_nobody():
    pooled = br.pool(INCOMPLETE.sel(entity=["b"]))
    assert parts_of(pooled)["dataset"].values.tolist() == ["x"]


def test_nothing_in_common_is_refused():
    counts = br.from_counts(tn=[1, 1], fp=[1, 1], fn=[1, 1], tp=[1, 1], entity=["a", "b"], dataset=["x", "y"])
    with pytest.raises(ValueError, match="that every entity saw; got none: 'a' without 'y'; 'b' without 'x'"):
        br.pool(counts, join="inner")
    with pytest.raises(ValueError, match="here 0"):
        br.pool(counts)
    with pytest.raises(ValueError, match=r"got none \(select"):
        br.pool((counts * 0).drop_vars("measured"))


def test_a_message_names_few_of_many():
    keep = np.eye(6, 9, dtype=bool)
    counts = xr.DataArray(
        np.ones((6, 9, 2, 2), int),
        {"entity": list("abcdef"), "dataset": range(9), "actual": [0, 1], "predicted": [0, 1],
         "measured": (("entity", "dataset"), keep)},
        ("entity", "dataset", "actual", "predicted"),
    )  # fmt: skip
    with pytest.raises(
        ValueError, match=r"'a' without 1, 2, 3 and 2 more; .*'c' without 0, 1, 3 .*; and 3 more entities"
    ):
        br.pool(counts)


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


@given(several_data_sets())
def test_the_parts_are_remembered(counts):
    expected = counts.drop_vars("measured")
    pooled = br.pool(counts)
    parts = parts_of(pooled)
    assert parts.equals(expected)
    for dim in ("entity", "dataset"):  # 7 and 7.0, and True and 1, are equal: their types are looked at, too
        assert list(map(type, parts[dim].values.tolist())) == list(map(type, expected[dim].values.tolist()))
    assert parts_of(pooled.isel(entity=[-1])).equals(expected.isel(entity=[-1]))
    assert parts_of(pooled.isel(entity=slice(None, None, -1))).equals(expected.isel(entity=slice(None, None, -1)))


def test_parts_survive_copies_files_and_a_fit(tmp_path):
    pooled = br.pool(br.datasets.load("utah_trees"))
    expected = br.datasets.load("utah_trees").drop_vars("measured")
    pooled.to_netcdf(tmp_path / "pooled.nc")
    with xr.open_dataarray(tmp_path / "pooled.nc") as loaded:
        back = loaded.load()
    fitted = groups_of(br.fit(pooled, seed=1, draws=5))["observed_data"]["counts"]
    for held in (pooled.copy(deep=True), back, xr.DataArray.from_dict(pooled.to_dict()), fitted):
        assert parts_of(held).equals(expected)


def test_parts_that_do_not_fit_are_not_given():
    pooled = br.pool(STONES)
    assert parts_of(pooled.drop_attrs()) is None
    assert parts_of(STONES) is None
    assert parts_of((2 * pooled).assign_attrs(pooled.attrs)) is None
    assert parts_of(pooled.assign_coords(entity=["A", "C"])) is None
    assert parts_of(pooled.isel(entity=0)) is None
    assert parts_of(br.one_vs_rest(pooled).assign_attrs(pooled.attrs)) is None


def test_data_sets_named_by_dates_can_be_pooled():
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]")
    pooled = br.pool(STONES.assign_coords(dataset=days))
    assert json.loads(pooled.attrs["parts"])["dataset"] == ["2020-01-01 00:00:00", "2020-01-02 00:00:00"]
    assert (parts_of(pooled) == STONES.values).all()


# --- What the sum hides -------------------------------------------------------------------------------------------


def test_kidney_stones_are_simpsons_paradox():
    rates = br.scores.tpr(STONES).round(2)
    assert rates.sel(entity="A").values.tolist() == [0.93, 0.73]
    assert rates.sel(entity="B").values.tolist() == [0.87, 0.69]
    assert br.scores.tpr(br.pool(STONES)).round(2).values.tolist() == [0.78, 0.83]
    paradox = (
        "By tpr, 1 pair is ranked one way by every data set on which both have a score, and the other way by the pool "
        "(Simpson's paradox): A above B, pooled below."
    )
    assert pooling_notes(STONES, "tpr")[0] == paradox
    # The miss rate is better where it is lower.
    assert pooling_notes(STONES, "fnr")[0] == paradox.replace("tpr", "fnr")
    assert "paradox" not in " ".join(pooling_notes(STONES, "tnr"))


@pytest.mark.parametrize(
    ("dataset", "fn", "tp"),
    [("small", 12, 162), ("small", 0, 270), ("large", 125, 55)],
    ids=["equal in one", "the other way in one", "pooled the same way"],
)
def test_no_paradox_unless_all_disagree_with_the_pool(dataset, fn, tp):
    counts = STONES.copy(deep=True)
    counts.loc[{"actual": "positive", "entity": "B", "dataset": dataset}] = [fn, tp]
    each, pooled = br.scores.tpr(counts), br.scores.tpr(br.pool(counts))
    above = each.sel(entity="A", drop=True) > each.sel(entity="B", drop=True)
    assert bool(above.all()) == (dataset == "large")
    assert bool(pooled.sel(entity="A") < pooled.sel(entity="B")) == (dataset == "small")
    assert "paradox" not in " ".join(pooling_notes(counts, "tpr"))


def test_a_paradox_needs_two_data_sets_and_skips_those_without_a_score():
    third = br.from_counts(tn=[5, 5], fp=[1, 1], fn=[0, 0], tp=[0, 9], entity=["A", "B"], dataset=["all", "all"])
    several = xr.concat([STONES, third], "dataset")
    assert "paradox" in pooling_notes(several, "tpr")[0]
    one = several.sel(dataset=["small", "all"])
    assert np.isnan(br.scores.tpr(one).sel(entity="A", dataset="all"))
    assert br.scores.tpr(one).sel(dataset="small").argmax() == 0
    assert br.scores.tpr(br.pool(one)).argmax() == 0
    lifted = one.copy(deep=True)
    lifted.loc[{"entity": "B", "dataset": "all", "predicted": "positive", "actual": "positive"}] = 9000
    assert br.scores.tpr(br.pool(lifted)).argmax() == 1
    assert "paradox" not in " ".join(pooling_notes(lifted, "tpr"))


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
    assert "paradox" not in " ".join(pooling_notes(counts, hits))


def test_many_pairs_are_counted_and_few_named():
    names = [f"A{i}" for i in range(3)] + [f"B{i}" for i in range(2)]
    counts = xr.concat([STONES.sel(entity=name[0]).assign_coords(entity=name) for name in names], "entity")
    sentence = pooling_notes(counts, "tpr")[0]
    assert "6 pairs are ranked one way" in sentence
    assert "A0 above B0, A0 above B1, A1 above B0 and 3 more, pooled below." in sentence


def alike(rng, datasets, cases=100, entities=3):
    """Data sets of one and the same performance."""
    values = rng.multinomial(cases, [0.4, 0.1, 0.2, 0.3], (entities, datasets))
    coords = {"entity": list("abcdefgh"[:entities]), "dataset": range(datasets)}
    coords |= {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}
    return xr.DataArray(values.reshape(*values.shape[:2], 2, 2), coords, ("entity", "dataset", "actual", "predicted"))


def test_equal_data_sets_say_nothing():
    assert pooling_notes(STUDIES, "informedness") == []
    assert pooling_notes(STUDIES.isel(dataset=[0]), "informedness") == []


def test_chance_alone_is_seldom_called_heterogeneity():
    # One entity, so that a sentence is wrong with probability 0.01: of 60 sets of data more than 4 are one in 3,000.
    rng = np.random.default_rng(8)
    said = sum(bool(pooling_notes(alike(rng, 6, entities=1), score)) for _ in range(30) for score in ("f1", "tpr"))
    assert said <= 4


def test_heterogeneity_has_its_factor():
    # Two kinds of data sets, TPR 0.9 and 0.5, each 20 times: standard deviation 0.2 between them (times sqrt(40/39)).
    kinds = [90, 50] * 20
    counts = br.from_counts(
        tn=[50] * 40, fp=[50] * 40, fn=[100 - tp for tp in kinds], tp=kinds, entity=["a"] * 40, dataset=range(40)
    )
    # Pooled it is Beta(2801, 1201): the factor is 0.2025 / 0.00724 = 28.0, to the 2% of 1,000 draws.
    (sentence,) = pooling_notes(counts, "tpr")
    factor, chance = map(float, re.findall(r"([\d.]+) times", sentence))
    assert 0.2 * np.sqrt(40 / 39) / np.sqrt(0.7 * 0.3 / 4003) == pytest.approx(28.0, abs=0.05)
    assert factor == pytest.approx(28.0, abs=2)
    # Data sets of 100 positives drawn alike: sqrt(40) times as much.
    assert chance == pytest.approx(np.sqrt(40), abs=0.4)
    assert sentence.startswith("From data set to data set tpr varies")
    assert sentence.endswith("they hold for these data sets together, not for a new one.")
    assert pooling_notes(counts, "tnr") == []
    # The likelihood ratio has no mean, so no standard deviation.
    assert pooling_notes(counts, "positive_likelihood_ratio") == []


def test_data_sets_without_a_score_change_no_factor():
    # Two data sets, TPR 0.9 and 0.5: standard deviation 0.4 / sqrt(2); pooled it is Beta(141, 61): factor 8.8.
    kinds = {"tn": [50, 50], "fp": [50, 50], "fn": [10, 50], "tp": [90, 50]}
    counts = br.from_counts(**kinds, entity=["a"] * 2, dataset=range(2))
    assert 0.4 / np.sqrt(2) / np.sqrt(141 * 61 / 202**2 / 203) == pytest.approx(8.8, abs=0.1)

    def factors(counts, score):
        return [float(x) for x in re.findall(r"([\d.]+) times", *pooling_notes(counts, score))]

    assert factors(counts, "tpr")[0] == pytest.approx(8.8, abs=0.7)
    # Single true negatives have no F1; drawn again they would have 0 or 1, and chance alone would seem to do much.
    empty = xr.zeros_like(counts).isel(dataset=[0] * 20).assign_coords(dataset=range(2, 22))
    empty[:, :, 0, 0] = 1
    without, alone = factors(xr.concat([counts, empty], "dataset"), "f1"), factors(counts, "f1")
    assert without == pytest.approx(alone, rel=0.2)
    # Nor does an entity that has a score on one data set only.
    once = counts.copy(deep=True).assign_coords(entity=["b"])
    once[:, 1] = 0
    assert factors(xr.concat([counts, once], "entity"), "tpr") == factors(counts, "tpr")


def test_a_constant_score_varies_not_at_all():
    def constant(tn, fp, fn, tp):
        return 0 * tn + 0.5

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pooling_notes(STONES, constant) == []


def test_a_prevalence_that_differs_counts_only_for_scores_that_depend_on_it():
    # The same rates at two prevalences; from small samples of positives chance alone moves the TPR much.
    positives = [10, 400] * 10
    rng = np.random.default_rng(4)
    tp = rng.binomial(positives, 0.8)
    fp = rng.binomial(410 - np.array(positives), 0.1)
    counts = br.from_counts(
        tn=410 - np.array(positives) - fp, fp=fp, fn=positives - tp, tp=tp, entity=["a"] * 20, dataset=range(20)
    )
    assert pooling_notes(counts, "informedness") == []
    assert "f1 varies" in pooling_notes(counts, "f1")[0]


def test_undefined_scores_are_left_out():
    assert pooling_notes(alike(np.random.default_rng(1), 5).where(False, 0), "f1") == []
    some = alike(np.random.default_rng(1), 5)
    some[0] = 0
    some[1, 1:] = 0
    assert pooling_notes(some, "f1") == []


def test_scores_of_many_classes_have_notes_too():
    folds = br.datasets.load("mnist_folds").drop_vars("measured")
    assert pooling_notes(folds, "mcc") == []
    uneven = folds.copy(deep=True)
    uneven[:, 0] = uneven[:, 0].transpose("entity", "predicted", "actual").values[:, ::-1]
    assert "mcc varies" in pooling_notes(uneven, "mcc")[0]


def test_notes_are_the_same_whoever_else_is_there_and_in_whatever_order():
    counts = br.datasets.load("utah_trees").drop_vars("measured")
    notes = pooling_notes(counts, "f1")
    assert len(notes) == 1
    # Data sets are drawn again in their order: the factor is exact, what chance does is that of 1,000 draws.
    assert pooling_notes(counts.isel(entity=[2, 0, 1]), "f1") == notes
    assert pooling_notes(counts.isel(dataset=slice(None, None, -1)), "f1")[0].split("(")[0] == notes[0].split("(")[0]
