"""Hypothesis strategies and known laws that several test files share."""

import tracemalloc

import numpy as np
import xarray as xr
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import bayesrank as br
from bayesrank.statements._parser import Beats, Either, Every, Not, Place

#: A true hypothesis fails a Kolmogorov-Smirnov test at this level once in a million seeds.
LEVEL = 1e-6
#: The entity b was not measured on the data set y.
INCOMPLETE = br.from_counts(
    tn=[1, 2, 3],
    fp=[1, 1, 1],
    fn=[0, 0, 0],
    tp=[4, 5, 6],
    entity=["a", "b", "a"],
    dataset=["x", "x", "y"],
)
#: Two entities on two data sets.
PERIODS = br.from_counts(
    tn=[70, 79, 60, 8],
    fp=[10, 1, 4, 2],
    fn=[9, 1, 3, 1],
    tp=[21, 29, 7, 9],
    entity=list("aabb"),
    dataset=list("xyxy"),
)
NAMES = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=5, unique=True)


@st.composite
def two_class_counts(draw, min_entities=1, max_entities=5, max_count=60):
    """Counts of a few entities, zeros and whole tables of zeros included."""
    size = draw(st.integers(min_entities, max_entities))
    cells = draw(hnp.arrays(np.int64, (size, 4), elements=st.integers(0, max_count)))
    return br.from_counts(**dict(zip(("tn", "fp", "fn", "tp"), cells.T, strict=True)))


@st.composite
def matrices(draw, max_classes=4, max_count=60):
    """One square confusion matrix of two or more classes."""
    size = draw(st.integers(2, max_classes))
    return draw(hnp.arrays(np.int64, (size, size), elements=st.integers(0, max_count)))


def draws_of(values, names=None, **more):
    """Draws (draw, entity) of a score."""
    values = np.asarray(values, float)
    return xr.DataArray(
        values,
        {"entity": names or [f"e{i:03}" for i in range(values.shape[1])]},
        ("draw", "entity"),
        **more,
    )


def outcome_counts(counts):
    """Counts (entity, dataset, outcome) under numbers for names."""
    dims = ("entity", "dataset", "outcome")
    coords = {dim: range(size) for dim, size in zip(dims, np.shape(counts), strict=True)}
    return xr.DataArray(np.asarray(counts), coords, dims, name="counts")


def right_of(right, cases):
    """Counts of the outcomes 0 and 1, from right answers (entity, dataset) of as many cases."""
    right = np.asarray(right)
    return outcome_counts(np.stack([cases - right, right], -1))


def performances(*cells):
    """Performances (entity, actual, predicted) from rows of cells tn, fp, fn, tp, which are scaled to sum to 1."""
    table = np.array(cells, float)
    table /= table.sum(1, keepdims=True)
    names = [f"e{k}" for k in range(len(table))]
    return xr.DataArray(
        table.reshape(-1, 2, 2), {"entity": names}, ("entity", "actual", "predicted")
    )


@st.composite
def score_draws(draw, max_draws=12, max_entities=6, undefined=True, levels=5):
    """Draws (draw, entity) of a score on a few levels, so that ties are common; NaN where ``undefined``."""
    shape = (draw(st.integers(1, max_draws)), draw(st.integers(1, max_entities)))
    value = st.integers(0, levels - 1).map(float)
    elements = st.one_of(value, st.just(float("nan"))) if undefined else value
    values = draw(hnp.arrays(float, shape, elements=elements))
    return xr.DataArray(
        values, {"entity": [f"e{i}" for i in range(shape[1])]}, ("draw", "entity"), name="x"
    )


def statements(size):
    """Any statement on an order of ``size`` entities."""
    entity = st.integers(0, size - 1)
    beats = st.builds(Beats, entity, st.sampled_from([">", ">=", "="]), entity)
    top = st.builds(Place, entity, st.integers(1, 30), st.just(False))
    worst = st.builds(Place, entity, st.just(1), st.just(True))

    def inside(part):
        several = st.lists(part, min_size=2, max_size=3).map(tuple)
        return st.builds(Not, part) | st.builds(Every, several) | st.builds(Either, several)

    return st.recursive(beats | top | worst, inside, max_leaves=5)


def written(statement, names):
    """A statement as text, with all names in quotes and all parts in brackets."""

    def quoted(entity):
        return "'" + names[entity].replace("'", "''") + "'"

    match statement:
        case Not(inner):
            return f"not ({written(inner, names)})"
        case Every(parts) | Either(parts):
            word = " and " if isinstance(statement, Every) else " or "
            return word.join(f"({written(part, names)})" for part in parts)
        case Beats(entity, sign, rival):
            return f"{quoted(entity)} {sign} {quoted(rival)}"
        case Place(entity, _, True):
            return f"{quoted(entity)} is worst"
        case Place(entity, number, _):
            return f"{quoted(entity)} in top {number}"


def peak_of(call, *given):
    """Bytes in use at most during a call."""
    tracemalloc.start()
    try:
        call(*given)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_beta_marginals(posterior, entity, table):
    """Scores of a two-class table with Dirichlet cells are Beta, by aggregation and neutrality."""
    (tn, fp), (fn, tp) = table
    laws = {
        "tpr": (tp, fn),
        "tnr": (tn, fp),
        "ppv": (tp, fp),
        "npv": (tn, fn),
        "accuracy": (tp + tn, fp + fn),
        "prevalence": (tp + fn, tn + fp),
        "jaccard": (tp, fp + fn),
    }
    for score, law in laws.items():
        values = br.scores.get(score)(posterior).sel(entity=entity).values.ravel()
        assert stats.kstest(values, stats.beta(*law).cdf).pvalue > LEVEL, (score, entity)
