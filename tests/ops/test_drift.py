"""Drift: parts that sum, that vanish when their cause does, and that agree with known OPS."""

import numpy as np
import pytest
import xarray as xr
from scipy import optimize

import bayesrank as br
from bayesrank.scores.score import cells_at
from tests.ops.test_curves import TABLES
from tests.ops.test_draws import counted
from tests.ops.test_values import TABLE_5


def cells(tpr, fpr, prevalence, size=10**6):
    positive = round(size * prevalence)
    tp, fp = round(tpr * positive), round(fpr * (size - positive))
    return {"tn": size - positive - fp, "fp": fp, "fn": positive - tp, "tp": tp}


def counts(*states):
    """One entity over periods t0, t1, ... of (TPR, FPR, prevalence)."""
    tables = [cells(*state) for state in states]
    columns = {name: [table[name] for table in tables] for name in tables[0]}
    names = [f"t{i}" for i in range(len(states))]
    return br.from_counts(**columns, entity=["model"] * len(states), dataset=names)


def test_prevalence_alone_is_all_prevalence():
    # theory sheet, item 12: F1's OPS at (0.95, 0.3) is 0.950, 0.880, 0.851
    result = br.ops.drift(counts((0.95, 0.3, 0.5), (0.95, 0.3, 0.1), (0.95, 0.3, 0.02)), "f1").isel(
        entity=0
    )
    np.testing.assert_allclose(result.ops, [0.950, 0.880, 0.851], atol=5e-4)
    np.testing.assert_allclose(
        result.change.sel(part="prevalence")[1:], [-0.070, -0.029], atol=1e-3
    )
    np.testing.assert_allclose(result.change.sel(part="rates")[1:], 0, atol=1e-9)
    assert result.change.isel(dataset=0).isnull().all()


@pytest.fixture(scope="module")
def posterior():
    table = counts((0.9, 0.2, 0.3), (0.85, 0.2, 0.1), (0.6, 0.4, 0.1), (0.9, 0.2, 0.3)) // 1000
    return br.fit(table, "dirichlet_multinomial", draws=250, chains=2, seed=1)


@pytest.mark.parametrize("baseline", [None, "t1"])
def test_parts_sum_and_total_is_the_difference(posterior, baseline):
    result = br.ops.drift(posterior, "f1", baseline=baseline)
    np.testing.assert_allclose(
        result.change.sel(part="total"),
        result.change.sel(part=["prevalence", "rates"]).sum("part", skipna=False),
    )
    np.testing.assert_allclose(result.ops, br.ops.of_draws(posterior, "f1"), atol=1e-12)
    np.testing.assert_allclose(
        result.change.sel(part="total"), result.ops - result.ops.shift(dataset=1)
    )
    first = baseline or "t0"
    expected = (result.ops - result.ops.sel(dataset=first, drop=True)).where(
        result["dataset"] != first
    )
    np.testing.assert_allclose(result.since_baseline.sel(part="total"), expected)


def test_probabilities(posterior):
    result = br.ops.drift(posterior, "f1").isel(entity=0)
    # t1: about 1,000 cases, 100 positive: TPR 0.9 to 0.85 is unsure; t2 clearly worse; t3 clearly better
    assert 0.5 < result.degraded.sel(dataset="t1").item() < 0.999
    assert result.degraded.sel(dataset="t2").item() > 0.99
    assert result.degraded.sel(dataset="t3").item() < 0.01
    assert (result["degraded_error"][1:] > 0).all()
    assert "batch means" in result["degraded_error"].attrs["method"]
    assert result.degraded.isel(dataset=0).isnull().item()
    inside = result.change_lower <= result.change_mean
    assert inside.isel(dataset=slice(1, None)).all()


def test_each_chunk_is_computed_once_and_the_first_once_before(posterior):
    calls = []
    lazy = counted(br.as_performance(posterior), calls, draw=50)
    result = br.ops.drift(lazy, "f1")
    assert len(calls) == 1  # whether periods share their draws
    result.compute()
    assert len(calls) == 1 + 5


def test_the_kind_of_performance(posterior):
    one = br.as_performance(posterior)
    both = xr.Dataset(
        {
            "performance": one,
            "performance_typical": one.isel(dataset=slice(None, None, -1)).drop_vars("dataset"),
        }
    )
    found = br.ops.drift(both, "f1", kind="typical")
    np.testing.assert_array_equal(found.ops, br.ops.drift(both, "f1").ops[..., ::-1])
    each = {str(i): both.isel(dataset=i, drop=True) for i in range(3)}
    np.testing.assert_array_equal(
        br.ops.drift(each, "f1", kind="typical").ops[0], found.ops[..., 0]
    )


def test_undefined_period_is_nan():
    table = counts((0.9, 0.2, 0.3), (0.9, 0.2, 0.0), (0.9, 0.2, 0.3))
    result = br.ops.drift(table, "f1").isel(entity=0)
    assert result.ops.isnull().values.tolist() == [False, True, False]
    assert result.change.isnull().all()


def test_periods_that_share_draws_are_refused():
    """Two fits of one seed and the same test set share the draws of its row totals: ops of both move together."""
    spring, autumn = (br.from_counts(tn=880, fp=20, fn=fn, tp=100 - fn) for fn in (40, 30))
    coupled = {
        "spring": br.fit(spring, seed=1, draws=50),
        "autumn": br.fit(autumn, seed=1, draws=50),
    }
    with pytest.raises(
        ValueError, match="'spring' and 'autumn' have the same draws of the prevalence"
    ):
        br.ops.drift(coupled, "f1")
    same = {
        "spring": br.fit(spring, seed=1, draws=50),
        "autumn": br.fit(spring, seed=1, draws=50, prevalence=0.3),
    }
    with pytest.raises(ValueError, match="'spring' and 'autumn' have the same draws of the fpr"):
        br.ops.drift(same, "f1")
    br.ops.drift(coupled | {"autumn": br.fit(autumn, seed=2, draws=50)}, "f1")
    # A prevalence set by design does not vary, and couples nothing.
    designed = {
        name: br.fit(c, "beta_binomial", seed=1, draws=50)
        for name, c in (("s", spring), ("a", autumn))
    }
    br.ops.drift(designed, "f1")


def table_5(prevalence, f1, mcc, step=2e-4, fpr=(0.05, 0.25), tpr=(0.4, 0.6)):
    """All rates that round to a row of Table 5 of Zhao et al., within a part of the ROC square."""
    fpr, tpr = np.meshgrid(np.arange(*fpr, step), np.arange(*tpr, step))
    table = cells_at(fpr, tpr, prevalence)
    near = (abs(br.scores.f1.of_cells(*table) - f1) <= 5e-4) & (
        abs(br.scores.mcc.of_cells(*table) - mcc) <= 5e-4
    )
    return fpr[near], tpr[near]


def test_the_rows_of_table_5_behave_as_the_page_says():
    """The numbers of docs/theory/drift.md."""
    # The text says 11.24%. At 0.112, as the tables round it, an F1 of 0.361 has an OPS of 0.826, not 0.825.
    assert [br.ops.of_value("f1", 0.361, share).round(3).item() for share in (0.112, 0.1124)] == [
        0.826,
        0.825,
    ]
    fpr, tpr = table_5(0.1124, 0.361, 0.268)
    np.testing.assert_allclose(
        [fpr.min(), fpr.max(), tpr.min(), tpr.max()], [0.127, 0.175, 0.441, 0.524], atol=2e-3
    )
    for prevalence, ends in ((0.3, [0.725, 0.773]), (0.203, [0.784, 0.805])):
        ops = br.ops.of_value(
            "f1", br.scores.f1.of_cells(*cells_at(fpr, tpr, prevalence)), prevalence
        )
        np.testing.assert_allclose([ops.min(), ops.max()], ends, atol=2e-3)
    fine = table_5(0.1124, 0.361, 0.268, step=2e-5, fpr=(0.126, 0.177), tpr=(0.439, 0.526))
    own, moved = (
        br.ops.of_value("f1", br.scores.f1.of_cells(*cells_at(*fine, share)), share)
        for share in (0.1124, 0.203)
    )
    fall = (own - moved).values
    assert [round(float(end), 3) for end in (fall.min(), fall.max())] == [0.020, 0.041]
    fpr, tpr = table_5(0.3, 0.514, 0.344)
    np.testing.assert_allclose([fpr.mean(), tpr.mean()], [0.140, 0.459], atol=2e-3)


@pytest.mark.parametrize(
    ("printed", "size"), zip(TABLE_5, (row[1] for row in TABLES.values()), strict=True)
)
def test_the_sets_of_table_4_are_counts_with_the_scores_of_table_5(printed, size):
    prevalence, f1, _, mcc, _ = printed

    def off(rates):
        table = cells_at(*rates, prevalence)
        return [br.scores.f1.of_cells(*table) - f1, br.scores.mcc.of_cells(*table) - mcc]

    fpr, tpr = optimize.root(off, [0.14, 0.5]).x
    counts = (br.from_rates(fpr=fpr, tpr=tpr, prevalence=prevalence) * size).round().astype(int)
    assert counts.sum().item() == pytest.approx(size, abs=2)  # each cell is rounded
    assert br.scores.prevalence(counts).item() == pytest.approx(prevalence, abs=2 / size)
    assert br.scores.f1(counts).item() == pytest.approx(f1, abs=1e-3)
    assert br.scores.mcc(counts).item() == pytest.approx(mcc, abs=1e-3)


@pytest.mark.parametrize(
    ("prevalence", "f1", "mcc", "solutions"),
    [
        (0.3, 0.614, 0.468, [0.1245]),
        (0.091, 0.408, 0.348, [0.0612, 0.1217]),
        (0.19, 0.453, 0.3, [0.2369, 0.3304]),
    ],
)
def test_how_often_the_lines_of_two_scores_meet_in_the_square(prevalence, f1, mcc, solutions):
    """Along the line of the F1 the MCC takes its value as often as the page says."""
    fpr = np.linspace(0, 1, 20_001)
    tpr = br.contour("f1", f1, fpr, prevalence).values
    off = br.scores.mcc.of_cells(*cells_at(fpr, tpr, prevalence)) - mcc
    off[(tpr < 0) | (tpr > 1)] = np.nan
    np.testing.assert_allclose(fpr[:-1][off[:-1] * off[1:] < 0], solutions, atol=3e-4)


@pytest.mark.parametrize(
    ("first", "second", "parts"),
    [
        ((0.0612, 0.4128), (0.3, 0.1245, 0.5717), (-0.087, 0.046)),
        ((0.1217, 0.5680), (0.19, 0.3304, 0.7053), (-0.001, -0.091)),
        ((0.0612, 0.4128), (0.19, 0.2369, 0.5885), (-0.030, -0.063)),
        ((0.0612, 0.4128), (0.19, 0.3304, 0.7053), (-0.020, -0.072)),
    ],
)
def test_the_main_example_of_the_paper_by_its_other_solutions(first, second, parts):
    """The page docs/theory/drift.md computes it by the first solution of each set."""
    share, fpr, tpr = second
    periods = {
        "general": br.from_rates(fpr=[first[0]], tpr=[first[1]], prevalence=0.091),
        "later": br.from_rates(fpr=[fpr], tpr=[tpr], prevalence=share),
    }
    later = {0.3: (0.614, 0.468), 0.19: (0.453, 0.3)}[share]
    for period, printed in zip(periods.values(), ((0.408, 0.348), later), strict=True):
        found = br.scores.f1(period).item(), br.scores.mcc(period).item()
        assert found == pytest.approx(printed, abs=5e-4)
    change = (
        br.ops.drift(periods, "f1")["change"]
        .isel(entity=0)
        .sel(dataset="later", part=["prevalence", "rates"])
    )
    np.testing.assert_allclose(change, parts, atol=1e-3)


def test_a_slow_collapse_shows_since_the_first_period_and_in_the_rates():
    """Recall falls from 0.92 to 0.675 in twelve steps, none of which is large; the OPS stays near 1."""
    recall = np.linspace(0.92, 0.675, 12)
    months = {
        f"month {i + 1}": br.fit(
            br.from_counts(tn=1960, fp=40, fn=round(200 * (1 - r)), tp=round(200 * r)),
            "beta_binomial",
            seed=i,
        )
        for i, r in enumerate(recall)
    }
    found = br.ops.drift(months, "f1").isel(entity=0)
    last = found.sel(dataset="month 12")
    assert found["ops_mean"].min() > 0.9
    assert last["degraded_since_baseline"] > 0.99
    assert found["degraded"].isel(dataset=slice(1, None)).max() < 0.95
    np.testing.assert_allclose([found["tpr_mean"][0], last["tpr_mean"]], [0.92, 0.675], atol=0.01)
    np.testing.assert_allclose(last["fpr_mean"], 0.02, atol=0.002)
    parts = last["since_baseline"].mean(("chain", "draw"))
    assert parts.sel(part="total").item() == pytest.approx(
        parts.sel(part=["prevalence", "rates"]).sum().item()
    )
    assert np.isnan(found["since_baseline_mean"].isel(dataset=0)).all()
