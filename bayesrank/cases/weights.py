"""Weights of single cases by the Bayesian bootstrap."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, describe_value
from bayesrank._core.chunks import dask_array
from bayesrank._core.draws import draw_dims, iterate_blocks
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import name_coord
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.random import Seed, root_sequence
from bayesrank.cases._weighing import Cases, Part, collect_cases, draw_weights, make_parts, step_of
from bayesrank.evidence.alignment import align_cases, case_labels, is_default
from bayesrank.models.parts.joint import few_units_notes

#: Dims whose items have weights.
CASES = ("case", "pattern")


@check_call
def case_weights(
    cases: Any,
    *,
    draws: int = 1000,
    chains: int = 4,
    count: Any = None,
    dataset: Any = None,
    cluster: Any = None,
    prevalence: str = "sampled",
    seed: Seed = None,
    chunks: int | None = None,
) -> xr.DataArray:
    """Draw case weights by the Bayesian bootstrap, for metrics with scikit-learn's ``sample_weight``.

    The weights of n cases are n times a Dirichlet(1, ..., 1) variable. The bootstrap uses only the
    observed cases: if all cases are alike, all draws are equal. The order of joint outcomes and of
    their entities does not matter.

    Parameters
    ----------
    cases : int, sequence of labels or Dataset
        The number of cases, the true label of each case, or joint outcomes from
        :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`, whose patterns get the
        weights.
    draws, chains : int
        Number of draws in each chain, and number of chains.
    count : sequence of int, optional
        Number of cases that each item stands for.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all. Data sets are drawn independently of each
        other.
    cluster : sequence, optional
        The cluster of each case (a patient, a series), within one data set. The cases of a cluster
        share a draw.
    prevalence : "sampled" or "observed"
        ``"sampled"`` if cases of all classes were drawn at random. ``"observed"`` if the number of
        cases of each class was set by design; each class then keeps its total in every draw, which
        needs the labels.
    seed : int, SeedSequence or Generator, optional
        One seed gives the same cases the same weights, and a longer run starts with the draws of a
        shorter one. If you pass only a number of cases, independent test sets of one size need
        different seeds.
    chunks : int, optional
        Draws of a chain per chunk. The weights are then lazy, and drawn when they are used. Needs
        Dask.

    Returns
    -------
    xarray.DataArray
        ``weight`` (chain, draw, case), or (chain, draw, pattern) for joint outcomes: not negative,
        and in every draw their sum over a data set is its number of cases. The coord ``count``
        contains the mean weights; the coords ``dataset`` and ``cluster`` contain the arguments. An
        index of ``cases`` becomes the coord ``case``, unless it is the default index or a
        MultiIndex. With fewer than 50 cases or clusters, ``attrs["notes"]`` has a note.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9:130-134.

    Examples
    --------
    The posterior of a mean has a known standard deviation:

    >>> weights, values = case_weights(60, seed=1), np.arange(60.0)
    >>> mean = (weights * values).mean("case")
    >>> float(mean.std().round(1)), float(np.sqrt(((values - 29.5) ** 2).sum() / 60 / 61).round(1))
    (2.2, 2.2)
    """
    shape = check_integer("chains", chains, 1), check_integer("draws", draws, 1)
    chunks = None if chunks is None else check_integer("chunks", chunks, 1)
    check_choice("prevalence", prevalence, ("sampled", "observed"))
    aligned, notes = align_cases(
        {"cases": cases, "count": count, "dataset": dataset, "cluster": cluster}
    )
    collected = collect_cases(*aligned.values())
    if prevalence == "observed" and collected.label is None:
        raise ArgumentError(
            "prevalence",
            "must be 'sampled' if the labels are not known (give them as cases)",
            "'observed'",
        )
    parts = make_parts(collected, prevalence == "observed")
    root = root_sequence(seed)
    sizes = (*shape, collected.times.size)

    if chunks is None:
        check_memory(
            "chunks must be given", f"{chains} x {draws} draws of {sizes[-1]} cases", sizes, "None"
        )
        data: Any = np.empty(sizes)
        for chain in range(sizes[0]):
            data[chain] = draw_weights(parts, sizes[-1], root, chain, 0, sizes[1])
    else:
        data = _lazy(parts, root, sizes, chunks)
    dim = CASES[isinstance(cases, xr.Dataset)]
    coords = {
        "chain": np.arange(shape[0]),
        "draw": np.arange(shape[1]),
        "count": (dim, collected.times),
    }
    for name, held in (("dataset", collected.dataset), ("cluster", collected.cluster)):
        if held is not None:
            coords[name] = (dim, name_coord(held))
    labels = case_labels(cases)
    # Labels that are more than positions join the weights to y_true and predictions.
    if labels is not None and labels.nlevels == 1 and not is_default(labels):
        coords[dim] = labels.to_numpy()
    record = add_notes(
        {"prevalence": prevalence}, [*notes, *_few_units(collected, parts, prevalence)]
    )
    return xr.DataArray(data, coords, ("chain", "draw", dim), "weight", record)


def weight_blocks(joint: xr.Dataset, draws: int, seed: Seed) -> Iterator[tuple[int, np.ndarray]]:
    """Yield weights (draw, pattern) of a chain of :func:`case_weights` in blocks, with the index of the first draw."""
    parts, root = (
        make_parts(collect_cases(joint, None, None, None), by_class=False),
        root_sequence(seed),
    )
    size = joint.sizes["pattern"]
    step = step_of(size)
    for start in range(0, draws, step):
        yield start, draw_weights(parts, size, root, 0, start, min(start + step, draws))


def check_case_weights(weights: Any, size: int | None = None) -> xr.DataArray:
    """Return checked weights (chain, draw, case), or with other dims of draws; without ``count``, cases count once."""
    if not isinstance(weights, xr.DataArray):
        raise ArgumentTypeError(
            "weights", "must be a DataArray, as from br.case_weights", describe_value(weights)
        )
    dims = draw_dims(weights)
    case_dims = [dim for dim in weights.dims if dim in CASES]
    if not dims or len(case_dims) != 1 or set(weights.dims) - {*dims, *case_dims}:
        raise ArgumentError(
            "weights", "must have the dims chain, draw and case (or pattern)", weights.dims
        )
    if weights.dtype.kind not in "iuf":
        raise ArgumentTypeError("weights", "must contain numbers", f"dtype {weights.dtype}")
    if not weights.size:
        raise ArgumentError(
            "weights",
            "must contain at least one draw and one case",
            f"the sizes {dict(weights.sizes)}",
        )
    if size is not None and weights.sizes[case_dims[0]] != size:
        raise ArgumentError(
            "weights", f"must have the {size} cases of y_true", weights.sizes[case_dims[0]]
        )
    if "count" not in weights.coords:
        weights = weights.assign_coords(
            count=(case_dims[0], np.ones(weights.sizes[case_dims[0]], np.int64))
        )
    return weights.transpose(*dims, case_dims[0])


def blocks_of(weights: xr.DataArray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield checked weights (draw, case) in blocks, with the index of the first draw; lazy weights are drawn once."""
    for block in iterate_blocks(weights, across=True):
        if not (np.isfinite(block.values) & (block.values >= 0)).all():
            raise ArgumentError(
                "weights", "must contain non-negative finite numbers", "negative or infinite ones"
            )
        yield block.start, block.values


def _lazy(
    parts: list[Part], root: np.random.SeedSequence, shape: tuple[int, int, int], chunks: int
) -> Any:
    da = dask_array()

    def block(block_info: Any) -> np.ndarray:
        (chain, _), draws, _ = block_info[None]["array-location"]
        return draw_weights(parts, shape[-1], root, chain, *draws)[None]

    sizes = da.core.normalize_chunks((1, chunks, -1), shape, dtype=float)
    return da.map_blocks(block, chunks=sizes, dtype=float, meta=np.empty((0, 0, 0)))


def _few_units(cases: Cases, parts: list[Part], prevalence: str) -> list[Note]:
    """Return the note on few units; none for enough of them."""
    clustered = cases.cluster is not None
    units = fewest = min(int(part.shape.sum()) for part in parts)
    if prevalence == "observed" and not clustered:
        fewest = min(int(total) for part in parts for _, total in part.groups if total)
    unit = "cluster" if clustered else "case"
    return few_units_notes(fewest, unit, one_class=fewest < units, one_dataset=len(parts) > 1)
