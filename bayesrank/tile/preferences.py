"""Ranks when the preference itself is uncertain: a distribution over the Tile beside the posterior."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.tile._grid import batches, only_draws_and_entities, with_entity

__all__ = ["preference_ranking"]


def preference_ranking(source: Any, a: Any, b: Any, weights: Any = None) -> xr.Dataset:
    """Ranks that integrate over the posterior and over a distribution of preferences.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    a, b : array_like
        Paired points of the Tile, of one length; a number stands for all.
    weights : array_like, optional
        Weight of each point, non-negative; equal by default. A uniform distribution over the Tile is a convention,
        not ignorance: another coordinate system of the same scores makes another "uniform".

    Returns
    -------
    xarray.Dataset
        ``rank_probability`` (entity, rank), ``probability_best`` (entity), ``expected_rank`` (entity), and
        ``undefined`` (entity): the weight of draws and points without a score. In each draw all entities are compared
        under the same preference. ``probability_best_mcse`` comes from means of batches of draws.

    Raises
    ------
    ValueError
        If points lie off the Tile, lengths differ, or weights are negative or all 0.

    References
    ----------
    Rank acceptabilities: Lahdelma and Salminen, SMAA-2 (2001). The Tile: Piérard et al., Definition 2.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> ranking = preference_ranking(counts, a=[0.5, 1.0], b=[0.0, 1.0], weights=[3, 1])
    >>> ranking["probability_best"].values.tolist()
    [0.25, 0.75]
    """
    from bayesrank.tile import _kernel

    where_a, where_b, weight = _points(a, b, weights)
    array = with_entity(source)
    only_draws_and_entities(array)
    n = array.sizes["entity"]
    sums, sizes = [], []
    for block in batches(array):
        out = np.zeros((1, n, n))
        _kernel.tally_ranks(block, where_a, where_b, weight, out)
        sums.append(out[0])
        sizes.append(block.shape[0])
    totals, draws = np.array(sums), np.array(sizes)
    probability = totals.sum(0) / draws.sum()
    defined = probability.sum(1)
    order = np.arange(1, n + 1)
    best = totals[:, :, 0] / draws[:, None]
    spread = (draws[:, None] * (best - probability[:, 0]) ** 2).sum(0) / draws.sum()
    error = np.sqrt(spread / (len(draws) - 1)) if len(draws) > 1 else np.zeros(n)
    with np.errstate(invalid="ignore"):
        expected = np.where(defined > 1e-12, probability @ order / defined, np.nan)
    return xr.Dataset(
        {
            "rank_probability": (("entity", "rank"), probability),
            "probability_best": ("entity", probability[:, 0]),
            "probability_best_mcse": ("entity", error),
            "expected_rank": ("entity", expected),
            "undefined": ("entity", 1 - defined),
        },
        {"entity": array["entity"].values, "rank": order},
    )


def _points(a: Any, b: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Checked arrays of one length; the weights sum to 1."""
    where = {"a": np.atleast_1d(np.asarray(a, float)), "b": np.atleast_1d(np.asarray(b, float))}
    for argument, values in where.items():
        if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"{argument} must hold numbers between 0 and 1 along one dim; got {values}")
    size = max(values.size for values in where.values())
    given = np.ones(size) if weights is None else np.atleast_1d(np.asarray(weights, float))
    lengths = {"a": where["a"].size, "b": where["b"].size, "weights": given.size}
    if given.size != size or not {where["a"].size, where["b"].size} <= {1, size}:
        raise ValueError(f"a, b and weights must have one length; got {lengths}")
    if not (np.isfinite(given) & (given >= 0)).all() or given.sum() == 0:
        raise ValueError(f"weights must be non-negative and not all 0; got {given}")
    wide_a, wide_b = (np.ascontiguousarray(np.broadcast_to(where[axis], size)) for axis in ("a", "b"))
    return wide_a, wide_b, given / given.sum()
