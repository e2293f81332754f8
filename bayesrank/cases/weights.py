r"""Weights of single cases: what the Bayesian bootstrap says of a test set that came out as it did.

The cases were drawn from a distribution of which nothing is assumed. Given them, their probabilities are
:math:`\mathrm{Dirichlet}(1, \ldots, 1)`: one weight a case and draw. Whatever can be computed from weighted cases then
has a posterior, and entities that are computed from the same weights are compared in pairs. It is what the model
``paired`` is without a prior, of anything that is no confusion matrix.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_memory, describe_value
from bayesrank._chunks import dask_array, join_parts
from bayesrank._draws import draw_dims, iterate_blocks
from bayesrank._labels import name_coord
from bayesrank._random import BLOCK, Seed, root_sequence
from bayesrank.cases._weighing import Cases, Part, cases_given, parts_drawn, step_of, weights_drawn
from bayesrank.models._joint import too_narrow

__all__ = ["blocks_of", "case_weights", "check_case_weights", "few", "weight_blocks"]

PREVALENCES = ("sampled", "observed")
#: What a weight is of.
CASES = ("case", "pattern")


def case_weights(
    cases: Any,
    *,
    draws: int = 1000,
    chains: int = 4,
    weight: Any = None,
    dataset: Any = None,
    cluster: Any = None,
    prevalence: str = "sampled",
    seed: Seed = None,
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
    shape = check_integer("chains", chains, 1), check_integer("draws", draws, 1)
    chunks = None if chunks is None else check_integer("chunks", chunks, 1)
    check_choice("prevalence", prevalence, PREVALENCES)
    found = cases_given(cases, weight, dataset, cluster)
    if prevalence == "observed" and found.label is None:
        raise ValueError(
            "prevalence must be 'sampled' where the labels are not known (give them as cases); got 'observed'"
        )
    parts = parts_drawn(found, prevalence == "observed")
    root = root_sequence(seed)
    size = found.times.size

    def block(chain: int, start: int, stop: int) -> np.ndarray:
        return weights_drawn(parts, size, root, chain, start, stop)[None]

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
    parts, root = parts_drawn(cases_given(joint, None, None, None), by_class=False), root_sequence(seed)
    size = joint.sizes["pattern"]
    step = step_of(size)
    for start in range(0, draws, step):
        yield start, weights_drawn(parts, size, root, 0, start, min(start + step, draws))


def check_case_weights(weights: Any, size: int | None = None) -> xr.DataArray:
    """Weights (chain, draw, case), or with other dims of draws, and of ``size`` cases.

    Those without a coord ``count`` get one: every case once.

    Examples
    --------
    >>> weights = xr.DataArray([[0.5, 1.5], [1.2, 0.8]], dims=("draw", "case"))
    >>> check_case_weights(weights, 2)["count"].values.tolist()
    [1, 1]
    """
    if not isinstance(weights, xr.DataArray):
        raise TypeError(f"weights must be a DataArray, as from br.case_weights; got {describe_value(weights)}")
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
    >>> weights = check_case_weights(case_weights(3, draws=2, chains=2))
    >>> [(start, block.shape) for start, block in blocks_of(weights)]
    [(0, (2, 3)), (2, (2, 3))]
    """
    for block in iterate_blocks(weights, across=True):
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


def _whole(block: Callable[[int, int, int], np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    check_memory("chunks must be given", f"{shape[0]} x {shape[1]} draws of {shape[2]} cases", shape, "None")
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
    return join_parts(parts, ((1,) * chains, tuple(np.subtract(stops, starts).tolist())), (size,))


def _note(found: Cases, parts: list[Part], prevalence: str) -> dict[str, str]:
    clustered = found.cluster is not None
    units = min(int(part.shape.sum()) for part in parts)
    fewest, where = units, ""
    if prevalence == "observed" and not clustered:
        fewest = min(int(total) for part in parts for _, total in part.groups if total)
        where = " of a class" * (fewest < units)
    return few(fewest, "cluster" if clustered else "case", where + " on one of the data sets" * (len(parts) > 1))
