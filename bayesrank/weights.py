r"""Weights of single cases: what the Bayesian bootstrap says of a test set that came out as it did.

The cases were drawn from a distribution of which nothing is assumed. Given them, their probabilities are
:math:`\mathrm{Dirichlet}(1, \ldots, 1)`: one weight a case and draw. Whatever can be computed from weighted cases then
has a posterior, and entities that are computed from the same weights are compared in pairs. It is what the model
``paired`` is without a prior, of anything that is no confusion matrix.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import (
    case_labels,
    fits_memory,
    in_words,
    item_names,
    name_coord,
    nested,
    object_array,
    repeats,
    unique_rows,
    whole,
)
from bayesrank._checks import whole_numbers as checked_counts
from bayesrank._chunks import dask_array, joined
from bayesrank._draws import draw_dims, walk
from bayesrank._random import BLOCK, Seed, fingerprint, root_sequence, stream
from bayesrank.models._joint import too_narrow

__all__ = ["blocks_of", "case_weights", "checked_weights", "few", "weight_blocks"]

PREVALENCES = ("sampled", "observed")
#: Numbers that come from one stream, at most, unless one draw has more.
NUMBERS = 2**20
#: What a weight is of.
CASES = ("case", "pattern")


def case_weights(
    cases: Any,
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
    weight: Any = None,
    dataset: Any = None,
    cluster: Any = None,
    prevalence: str = "sampled",
    chunks: int | None = None,
) -> xr.DataArray:
    r"""Draws of the cases' weights, for whatever takes scikit-learn's ``sample_weight``: the Bayesian bootstrap.

    Parameters
    ----------
    cases : int, sequence of labels or Dataset
        How many cases there are; or the true label of each; or joint outcomes, as from
        :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`, whose patterns are weighed.
    draws, chains : int
        Draws in each chain, and chains.
    seed : int, SeedSequence or Generator, optional
        Of all randomness. One seed gives the same cases the same weights, and the first draws of a longer run are
        those of a shorter one. Of a bare number of cases nothing else is known: give independent test sets of one size
        seeds of their own.
    weight : sequence of int, optional
        How many times each case counts (whole numbers).
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all. Data sets are drawn independently of each other.
    cluster : sequence, optional
        What each case belongs to (a patient, a series): the cases of a cluster share a draw. A cluster lies within
        one data set.
    prevalence : "sampled" or "observed"
        Whether the cases were drawn at random, whatever their class, or the numbers of cases of each class were set by
        design and hence are those of every draw. The latter needs the labels.
    chunks : int, optional
        Draws of a chain in a chunk: the weights are then lazy, and drawn chunk by chunk whenever they are used. Needs
        Dask.

    Returns
    -------
    xarray.DataArray
        ``weight`` (chain, draw, case), or (chain, draw, pattern) of joint outcomes: not negative, and in every draw
        summing to the number of cases of each data set, so that weights are 1 on average. The coord ``count``
        holds what they are on average, and ``dataset`` and ``cluster`` what was given. Below 50 cases or clusters,
        ``attrs["note"]`` says that they are few.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold.

    Notes
    -----
    The weights of n cases are n times a Dirichlet(1, ..., 1) variable; a pattern that occurred k times has the sum
    of k of them. The mean of values v has the posterior mean :math:`\bar v` and the variance
    :math:`\sum (v - \bar v)^2 / n / (n + 1)`, exactly; so have differences of two entities, which is what pairs them.
    With clusters these are weighed, and all cases weigh the same whatever the size of their cluster.

    No case is known but those that were met: where all agree, all draws do. Cases in another order get other draws of
    the same distribution. Joint outcomes are put in an order that their content tells, so that the order of cases and
    entities changes nothing there.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9:130-134.

    Examples
    --------
    >>> weights = case_weights(60, seed=1)
    >>> weights.dims, weights.sizes["draw"], bool(np.allclose(weights.mean("case"), 1))
    (('chain', 'draw', 'case'), 1000, True)

    The posterior of a mean, and the standard deviation that it has by the formula:

    >>> values = np.arange(60.0)
    >>> mean = (weights * values).mean("case")
    >>> float(mean.std().round(1)), float(np.sqrt(((values - 29.5) ** 2).sum() / 60 / 61).round(1))
    (2.2, 2.2)
    """
    shape = whole("chains", chains, 1), whole("draws", draws, 1)
    chunks = None if chunks is None else whole("chunks", chunks, 1)
    if prevalence not in PREVALENCES or not isinstance(prevalence, str):
        raise ValueError(f"prevalence must be 'sampled' or 'observed'; got {prevalence!r}")
    found = _cases(cases, weight, dataset, cluster)
    if prevalence == "observed" and found.label is None:
        raise ValueError(
            "prevalence must be 'sampled' where the labels are not known (give them as cases); got 'observed'"
        )
    parts = _parts(found, prevalence == "observed")
    root = root_sequence(seed)
    size = found.times.size

    def block(chain: int, start: int, stop: int) -> np.ndarray:
        return _weights(parts, size, root, chain, start, stop)[None]

    data = _whole(block, (*shape, size)) if chunks is None else _lazy(block, (*shape, size), chunks)
    dim = CASES[isinstance(cases, xr.Dataset)]
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1]), "count": (dim, found.times)}
    coords |= {
        name: (dim, name_coord(list(held)))
        for name, held in (("dataset", found.dataset), ("cluster", found.cluster))
        if held is not None
    }
    return xr.DataArray(
        data, coords, ("chain", "draw", dim), "weight", {"prevalence": prevalence} | _note(found, parts, prevalence)
    )


def weight_blocks(joint: xr.Dataset, draws: int, seed: Seed) -> Iterator[tuple[int, np.ndarray]]:
    """Weights (draw, pattern) of one chain of :func:`case_weights`, a few draws at a time, and which the first one is.

    Of many cases all draws of their weights are more than can be held.

    Examples
    --------
    >>> outcomes = {"outcome": (("pattern", "entity"), [[0.0], [1.0]]), "count": ("pattern", [3, 5])}
    >>> joint = xr.Dataset(outcomes, {"entity": ["a"]})
    >>> parts = list(weight_blocks(joint, 1200, 1))
    >>> [(start, part.shape) for start, part in parts]
    [(0, (1000, 2)), (1000, (200, 2))]
    >>> whole = case_weights(joint, draws=1200, chains=1, seed=1)[0]
    >>> bool((np.concatenate([part for _, part in parts]) == whole).all())
    True
    """
    parts, root = _parts(_cases(joint, None, None, None), by_class=False), root_sequence(seed)
    size = joint.sizes["pattern"]
    step = _step(size)
    for start in range(0, draws, step):
        yield start, _weights(parts, size, root, 0, start, min(start + step, draws))


def checked_weights(weights: Any, size: int | None = None) -> xr.DataArray:
    """Weights (chain, draw, case), or with other dims of draws, and of ``size`` cases.

    Those without a coord ``count`` get one: every case once.

    Examples
    --------
    >>> weights = xr.DataArray([[0.5, 1.5], [1.2, 0.8]], dims=("draw", "case"))
    >>> checked_weights(weights, 2)["count"].values.tolist()
    [1, 1]
    """
    if not isinstance(weights, xr.DataArray):
        raise TypeError(f"weights must be a DataArray, as from br.case_weights; got {in_words(weights)}")
    dims = draw_dims(weights)
    found = [dim for dim in weights.dims if dim in CASES]
    if not dims or len(found) != 1 or set(weights.dims) - {*dims, *found}:
        raise ValueError(f"weights must have the dims chain, draw and case (or pattern); got {weights.dims}")
    if weights.dtype.kind not in "iuf":
        raise TypeError(f"weights must hold numbers; got dtype {weights.dtype}")
    if not weights.size:
        raise ValueError(f"weights must hold a draw and a case at least; got the sizes {dict(weights.sizes)}")
    if size is not None and weights.sizes[found[0]] != size:
        raise ValueError(f"weights must be of the {size} cases of y_true; got {weights.sizes[found[0]]}")
    if "count" not in weights.coords:
        weights = weights.assign_coords(count=(found[0], np.ones(weights.sizes[found[0]], np.int64)))
    return weights.transpose(*dims, found[0])


def blocks_of(weights: xr.DataArray) -> Iterator[tuple[int, np.ndarray]]:
    """Checked weights (draw, case), a few draws at a time, and which draw of all the first one is; lazy ones once.

    Examples
    --------
    >>> weights = checked_weights(case_weights(3, draws=2, chains=2))
    >>> [(start, block.shape) for start, block in blocks_of(weights)]
    [(0, (2, 3)), (2, (2, 3))]
    """
    for block in walk(weights, across=True):
        if not (np.isfinite(block.values) & (block.values >= 0)).all():
            raise ValueError("weights must hold non-negative finite numbers; got others")
        yield block.start, block.values


def few(units: int, unit: str, where: str = "") -> dict[str, str]:
    """What a reader must know of few units, as attrs of the weights, which alone do not tell it.

    Examples
    --------
    >>> few(1, "case")["note"]
    'Only 1 case, and no prior to speak of: intervals from fewer than some 50 are too narrow.'
    """
    said = too_narrow(units, unit, where)
    return {"note": said} if said else {}


class _Cases(NamedTuple):
    """What is known of the cases, in the order in which they were given."""

    times: np.ndarray  # how often each occurred
    #: A label each; of joint outcomes the rows hold what else there is, in an order of the entities' names.
    label: np.ndarray | None
    rows: np.ndarray | None
    dataset: Sequence | None
    cluster: Sequence | None


class _Part(NamedTuple):
    """The cases of one data set: what is drawn, and how it becomes weights."""

    where: np.ndarray  # (case), positions among all cases
    unit: np.ndarray  # (case), what is drawn as one
    size: np.ndarray  # (case), what a case weighs in its unit
    shape: np.ndarray  # (unit), of its gamma variable
    groups: list[tuple[Any, float]]  # cases whose weights have a known sum
    key: tuple  # of its streams


def _cases(cases: Any, weight: Any, dataset: Any, cluster: Any) -> _Cases:
    if isinstance(cases, xr.Dataset):
        for name, given in (("weight", weight), ("dataset", dataset), ("cluster", cluster)):
            if given is not None:
                raise ValueError(f"{name} must be None for joint outcomes, which hold it; got {in_words(given)}")
        return _checked(_of_patterns(cases))
    number = isinstance(cases, int | float | np.number | str | None)
    label = None if number else case_labels("cases", cases)
    size = whole("cases", cases, 1) if label is None else label.size
    named = {
        name: None if given is None else item_names(name, given, size, broadcast=name == "dataset")
        for name, given in (("dataset", dataset), ("cluster", cluster))
    }
    return _checked(_Cases(repeats(weight, size), label, None, **named))


def _checked(found: _Cases) -> _Cases:
    if not found.times.any():
        raise ValueError("weight must be above 0 for at least one case; got none")
    if found.cluster is not None and found.dataset is not None:
        nested(list(found.cluster), list(found.dataset))
    return found


def _of_patterns(joint: xr.Dataset) -> _Cases:
    own = ["outcome"] if "outcome" in joint else ["actual", "predicted"]
    missing = [name for name in (*own, "count", "entity") if name not in joint.variables]
    if missing or any("pattern" not in joint[name].dims for name in (*own, "count")):
        raise ValueError(
            "cases must be a number, labels, or joint outcomes as from br.joint_outcomes or br.from_outcomes; got a "
            f"Dataset with {list(map(str, joint.variables))}"
        )
    names = np.argsort([repr(name) for name in joint["entity"].values.tolist()], kind="stable")
    answers = joint[own[-1]].transpose("pattern", "entity").values[:, names]
    label = None if "outcome" in joint else joint["actual"].values
    columns = answers if label is None else np.column_stack([label.astype(object), answers.astype(object)])
    groups = (joint[name].values.tolist() if name in joint.coords else None for name in ("dataset", "cluster"))
    return _Cases(checked_counts("count", joint["count"].values), label, columns, *groups)


def _parts(found: _Cases, by_class: bool) -> list[_Part]:
    size = found.times.size
    where, names = pd.factorize(object_array(found.dataset or [""] * size))
    return [_part(found, np.flatnonzero(where == i), name, by_class) for i, name in enumerate(names.tolist())]


def _part(found: _Cases, where: np.ndarray, name: Any, by_class: bool) -> _Part:
    count = found.times[where]
    # Where more is known of the cases than a label, what they hold tells their order.
    content = np.arange(where.size) if found.rows is None else _ranked(found.rows[where])
    if found.cluster is None:
        order = np.argsort(content, kind="stable")
        unit, size, shape = np.arange(where.size), np.ones(where.size), count[order].astype(float)
    else:
        unit = pd.factorize(object_array(found.cluster)[where])[0]
        if found.rows is not None:
            unit = _by_content(unit, content, count)
        order = np.lexsort([content, unit])
        unit, size = unit[order], count[order].astype(float)
        shape = (np.bincount(unit, size) > 0).astype(float)
    where = where[order]
    known = found.label if found.rows is None else found.rows
    evidence = fingerprint(unit, size, shape, *([] if known is None else [known[where]]))
    classes: list = [slice(None)]
    if by_class and found.label is not None:
        classes = [np.flatnonzero(found.label[where] == one) for one in dict.fromkeys(found.label.tolist())]
    groups = [(cases, float(found.times[where[cases]].sum())) for cases in classes]
    return _Part(where, unit, size, shape, groups, (name, evidence))


def _ranked(rows: np.ndarray) -> np.ndarray:
    """Which of the distinct rows each row is, in an order that their content alone tells."""
    codes = np.column_stack([_codes(column) for column in rows.T])
    return unique_rows(codes)[1]


def _codes(column: np.ndarray) -> np.ndarray:
    which, seen = pd.factorize(column)
    place = np.argsort([repr(value) for value in np.asarray(seen).tolist()], kind="stable")
    return np.argsort(place)[which]


def _by_content(unit: np.ndarray, content: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Clusters numbered by what they hold; those that hold the same are as good as each other."""
    held: list[list[tuple[int, int]]] = [[] for _ in range(unit.max() + 1)]
    for one, what, often in zip(unit.tolist(), content.tolist(), count.tolist(), strict=True):
        held[one].append((what, often))
    order = sorted(range(len(held)), key=lambda one: sorted(held[one]))
    return np.argsort(order)[unit]


def _weights(
    parts: list[_Part], size: int, root: np.random.SeedSequence, chain: int, start: int, stop: int
) -> np.ndarray:
    """Weights (draw, case) of all data sets."""
    out = np.zeros((stop - start, size))
    for part in parts:
        out[:, part.where] = _draw(part, root, chain, start, stop)
    return out


def _step(size: int) -> int:
    """Draws of so many numbers that come from one stream: that depends on nothing but the evidence."""
    return min(BLOCK, max(1, NUMBERS // size))


def _draw(part: _Part, root: np.random.SeedSequence, chain: int, start: int, stop: int) -> np.ndarray:
    """Weights (draw, case) of the draws ``start`` to ``stop`` of a chain."""
    # So draws do not depend on how many are asked for.
    step = _step(part.shape.size)
    weight = np.empty((stop - start, part.where.size))
    for first in range(start // step * step, stop, step):
        last = min(first + step, stop)
        rng = stream(root, "case_weights", *part.key, chain, first // step)
        mass = rng.standard_gamma(np.broadcast_to(part.shape, (last - first, part.shape.size)))
        mass = mass[max(start - first, 0) :]
        alone = part.shape.size == part.where.size and (part.size == 1).all()
        weight[max(first - start, 0) : last - start] = mass if alone else mass[:, part.unit] * part.size
    for cases, total in part.groups:
        if total:
            weight[:, cases] *= total / weight[:, cases].sum(axis=1, keepdims=True)
    return weight


def _whole(block: Callable[[int, int, int], np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    fits_memory("chunks must be given", f"{shape[0]} x {shape[1]} draws of {shape[2]} cases", shape, "None")
    out = np.empty(shape)
    for chain in range(shape[0]):
        for start in range(0, shape[1], BLOCK):
            stop = min(start + BLOCK, shape[1])
            out[chain, start:stop] = block(chain, start, stop)[0]
    return out


def _lazy(block: Callable[[int, int, int], np.ndarray], shape: tuple[int, int, int], chunks: int) -> Any:
    dask_array()
    import dask

    chains, draws, size = shape
    later = dask.delayed(block)
    starts = range(0, draws, chunks)
    stops = [*starts[1:], draws]
    parts = [[later(chain, *ends) for ends in zip(starts, stops, strict=True)] for chain in range(chains)]
    return joined(parts, ((1,) * chains, tuple(np.subtract(stops, starts).tolist())), (size,))


def _note(found: _Cases, parts: list[_Part], prevalence: str) -> dict[str, str]:
    clustered = found.cluster is not None
    units = min(int(part.shape.sum()) for part in parts)
    fewest, where = units, ""
    if prevalence == "observed" and not clustered:
        fewest = min(int(total) for part in parts for _, total in part.groups if total)
        where = " of a class" * (fewest < units)
    return few(fewest, "cluster" if clustered else "case", where + " on one of the data sets" * (len(parts) > 1))
