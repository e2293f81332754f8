"""Convex mixtures of entities and of data sets, and the filter of Piérard et al., Foundations, Property 1."""

import re
from ast import literal_eval
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import bayesrank as br


def two_entities():
    return br.from_counts(tn=[50, 90], fp=[40, 0], fn=[0, 6], tp=[10, 4], entity=["eager", "shy"])


def test_mixing_data_sets_by_their_sizes_is_pooling_their_cases():
    """Piérard's summarization: weights in proportion to the cases give the relative frequencies of all of them."""
    counts = br.from_counts(
        tn=[5, 30], fp=[1, 2], fn=[2, 2], tp=[2, 6], entity=["m", "m"], dataset=["one", "two"]
    )
    mixed = br.theory.mix(counts, {"one": 10 / 50, "two": 40 / 50}, dim="dataset")
    pooled = counts.sum("dataset") / counts.sum()
    assert mixed.values == pytest.approx(pooled.values)
    assert mixed.dims == ("entity", "actual", "predicted")
    assert mixed.values == pytest.approx(br.as_performance(br.pool(counts)).values)


def test_many_mixtures_at_once():
    share = xr.DataArray(np.linspace(0, 1, 5), dims="share")
    weights = xr.concat(
        [share, 1 - share], dim=xr.DataArray(["eager", "shy"], dims="entity", name="entity")
    )
    accuracy = br.scores.accuracy(br.theory.mix(two_entities(), weights))
    assert accuracy.values == pytest.approx(np.linspace(0.94, 0.6, 5))


def test_mixing_with_nothing_measured_is_nan_only_with_weight():
    source = br.as_performance(two_entities()).copy()
    source.loc[{"entity": "shy"}] = np.nan
    assert np.isnan(br.theory.mix(source, {"eager": 0.5, "shy": 0.5})).all()
    assert br.theory.mix(source, {"eager": 1.0}).sum().item() == pytest.approx(1)


def test_draws_pass_through_and_stay_lazy():
    performance = br.as_performance(br.fit(two_entities(), draws=30, chains=2, seed=1)).chunk(
        draw=10
    )
    mixed = br.theory.mix(performance, {"shy": 1.0})
    assert mixed.dims == ("chain", "draw", "actual", "predicted")
    xr.testing.assert_allclose(mixed, performance.sel(entity="shy", drop=True))
    assert br.theory.mix(performance, {"eager": 0.5, "shy": 0.5}).chunks is not None
    assert br.theory.filter_by_importance(performance, br.importance(fp=1, tp=1)).chunks is not None


def test_the_filter_gives_a_performance_or_nan():
    counts, importance = two_entities(), br.importance(fp=1, tp=1)
    filtered = br.theory.filter_by_importance(counts, importance)
    assert filtered.dims == counts.dims
    xr.testing.assert_allclose(
        br.scores.accuracy(filtered), br.scores.ppv(counts).rename("accuracy")
    )
    assert np.isnan(
        br.theory.filter_by_importance(br.from_counts(tn=9, fp=0, fn=1, tp=0), importance)
    ).all()


def test_mixtures_of_mixtures_are_mixtures_of_the_parts():
    """Foundations, 3.4: the set of mixtures holds its own mixtures (Φ is idempotent), in fractions of the weights."""
    rng = np.random.default_rng(4)
    names = list("abc")
    source = br.as_performance(
        br.from_counts(
            **dict(zip(("tn", "fp", "fn", "tp"), rng.integers(1, 30, (4, 3)), strict=True)),
            entity=names,
        )
    )
    first, second = rng.dirichlet(np.ones(3), 2)
    parts = [
        br.theory.mix(source, dict(zip(names, weights, strict=True))) for weights in (first, second)
    ]
    again = 0.3 * parts[0] + 0.7 * parts[1]
    direct = br.theory.mix(source, dict(zip(names, 0.3 * first + 0.7 * second, strict=True)))
    xr.testing.assert_allclose(again, direct)


def test_at_one_prevalence_mixtures_are_the_segments_of_roc_space():
    """The Tile, 3.3, Axiom 3: a mixture has the mixed rates, and its value lies between those of its parts."""
    pair = br.from_rates(fpr=[0.1, 0.5], tpr=[0.3, 0.9], prevalence=0.3, entity=["low", "high"])
    mixed = br.theory.mix(pair, {"low": 0.25, "high": 0.75})
    assert br.scores.fpr(mixed).item() == pytest.approx(0.25 * 0.1 + 0.75 * 0.5)
    assert br.scores.tpr(mixed).item() == pytest.approx(0.25 * 0.3 + 0.75 * 0.9)
    for a, b in np.random.default_rng(5).random((20, 2)):
        low, high = sorted(br.canonical_score(pair, a, b).values)
        assert low <= br.canonical_score(mixed, a, b).item() <= high


def test_repeated_draws_change_the_shares_of_a_mixture():
    """Foundations, A.2.4: a draw of a query without relevant and without found documents is repeated."""
    half = Fraction(1, 2)
    # (share of the query and system, whether the draw counts): nothing is relevant to the second query.
    draws = {("broad", 1): True, ("narrow", 1): True, ("broad", 2): True, ("narrow", 2): False}
    counted = {key: half * half for key, counts in draws.items() if counts}
    broad = sum(share for (system, _), share in counted.items() if system == "broad") / sum(
        counted.values()
    )
    assert broad == Fraction(2, 3)


@pytest.mark.parametrize("classes", [2, 3, 10, 50])
def test_the_macro_average_of_accuracies_is_linear_in_the_accuracy(classes):
    rng = np.random.default_rng(classes)
    tables = rng.dirichlet(np.full(classes**2, 0.2), 20).reshape(20, classes, classes)
    right = np.trace(tables, axis1=1, axis2=2)
    found = br.scores.average("accuracy", "macro").of_tables(tables)
    np.testing.assert_allclose(found, 1 - 2 * (1 - right) / classes, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 10, 50])
def test_micro_averages_are_increasing_functions_of_the_accuracy(classes):
    """A wrong case adds C - 2 true negatives and one false of each kind; a right one C - 1, and a true positive."""
    rng = np.random.default_rng(classes)
    tables = rng.multinomial(40, np.full(classes**2, classes**-2.0), 30).reshape(
        30, classes, classes
    )
    tables[:, range(classes), range(classes)] += rng.integers(0, 30, (30, classes))
    right, total = np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2))
    wrong = total - right
    cells = (classes - 1) * right + (classes - 2) * wrong, wrong, wrong, right
    order = np.argsort(right / total)
    for name in ("accuracy", "f0_5", "f1", "f2", "npv", "ppv", "tnr", "tpr"):
        found = br.scores.average(name, "micro").of_tables(tables / total[:, None, None])
        np.testing.assert_allclose(found, br.scores.get(name).of_cells(*cells), atol=1e-12)
        steps = np.diff(found[order])[np.diff((right / total)[order]) > 1e-9]
        assert (steps > 0).all()


def test_the_tables_of_the_page_on_averages_in_fractions():
    """Each printed pair of docs/theory/averages.md: the values, and that the mixture is ahead of or behind both."""
    page = (Path(__file__).parents[2] / "docs/theory/averages.md").read_text("utf-8")
    lines = re.findall(
        r"^(\w+) +(\[\[.*\]\]) ([\d.]+), (\[\[.*\]\]) ([\d.]+): mixture ([\d.]+), (\w+)$",
        page,
        re.M,
    )
    assert len(lines) == 14
    sides = set()
    for name, *printed in lines:
        one, other = (np.array(literal_eval(table)) for table in printed[:3:2])
        values = [macro(name, table) for table in (one, other, one + other)]
        assert [f"{float(value):.3f}" for value in values] == [printed[1], printed[3], printed[4]]
        ahead = values[2] > max(values[:2])
        assert ahead or values[2] < min(values[:2])
        assert printed[5] == ("ahead" if ahead else "behind")
        sides.add((name, ahead))
    assert len(sides) == 14


def macro(name, table):
    """Return the mean of a score over the classes against all others, in fractions."""
    values = []
    for c in range(len(table)):
        tp = int(table[c, c])
        fn, fp = int(table[c].sum()) - tp, int(table[:, c].sum()) - tp
        tn = int(table.sum()) - tp - fn - fp
        weight = {"f0_5": Fraction(1, 4), "f1": Fraction(1), "f2": Fraction(4)}.get(name)
        right, wrong = {"npv": (tn, fn), "ppv": (tp, fp), "tnr": (tn, fp), "tpr": (tp, fn)}.get(
            name, (0, 0)
        )
        if weight is not None:
            right, wrong = (1 + weight) * tp, fp + weight * fn
        values.append(Fraction(right) / (right + wrong))
    return sum(values) / len(values)
