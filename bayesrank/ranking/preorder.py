"""Which performance is better: the preorder that a score induces, and the ranks it allows.

A score makes performance P worse than or equivalent to P' if both are in its domain and X(P) ≤ X(P'), or if they are
the same performance. Two performances are then in one of four relations: worse, equivalent, better, incomparable.
Undefined scores are incomparable with all others, so the order of the others never depends on who else is there.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import in_words
from bayesrank.performance import as_performance, outcome_dims
from bayesrank.ranking._source import bare

__all__ = ["dual", "is_preorder", "rank_bounds", "relations"]


def relations(values: xr.DataArray, performance: Any = None, higher_is_better: bool | None = None) -> xr.Dataset:
    """How each entity compares with each other by a score.

    Parameters
    ----------
    values : DataArray
        The score of each ``entity``, NaN where undefined; any other dims pass through.
    performance : DataArray, Dataset, InferenceData or DataTree, optional
        The performances. Where the score is undefined, entities with the same performance are equivalent; without
        this argument each is equivalent to itself alone.
    higher_is_better : bool, optional
        Default: True; must be told for values whose name or attrs say that they came from a score of which it is not.

    Returns
    -------
    xarray.Dataset
        Booleans over (..., ``entity``, ``rival``): ``worse_or_equivalent`` (the preorder itself), and ``worse``,
        ``equivalent``, ``better``, ``incomparable``, of which exactly one holds.

    Raises
    ------
    ValueError
        If there is no dim ``entity``, or the score has no direction and none is given.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Theorem 1 and Section 3.2.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[8, 9, 9], fp=[1, 0, 0], fn=[0, 1, 1], tp=[1, 0, 0], entity=["a", "b", "c"])
    >>> found = relations(br.scores.ppv(counts), counts)
    >>> found["incomparable"].sel(entity="a", rival="b").item(), found["equivalent"].sel(entity="b", rival="c").item()
    (True, True)
    """
    values, sign = bare(values, higher_is_better)
    values = sign * values.reset_coords(drop=True)
    below = values <= values.rename(entity="rival")
    labels = values["entity"].values if "entity" in values.coords else np.arange(values.sizes["entity"])
    if performance is None:
        size = values.sizes["entity"]
        same = xr.DataArray(np.eye(size, dtype=bool), dims=("entity", "rival"))
    else:
        array = as_performance(performance).reset_coords(drop=True)
        held = array["entity"].values if "entity" in array.coords else np.arange(array.sizes.get("entity", 0))
        if sorted(map(repr, held.tolist())) != sorted(map(repr, labels.tolist())):
            raise ValueError(f"performance must be that of the entities of values, {list(labels)}; got {list(held)}")
        same = (array == array.rename(entity="rival")).all(outcome_dims(array))
        # An entity whose performance is unknown is still the same as itself.
        same = same | xr.DataArray(np.eye(array.sizes["entity"], dtype=bool), dims=("entity", "rival"))
    order = (below | same).assign_coords(entity=labels, rival=labels).transpose(..., "entity", "rival")
    return _four_relations(order)


def dual(order: xr.Dataset) -> xr.Dataset:
    """The dual of an order: what was worse is better.

    Parameters
    ----------
    order : Dataset
        From :func:`relations`.

    Returns
    -------
    xarray.Dataset
        As from :func:`relations`.

    Examples
    --------
    >>> found = relations(xr.DataArray([0.2, 0.7], dims="entity"))
    >>> bool((dual(found)["worse"] == found["better"]).all())
    True
    """
    turned = order["worse_or_equivalent"].rename(entity="rival", rival="entity")
    return _four_relations(turned.transpose(*order["worse_or_equivalent"].dims))


def rank_bounds(order: xr.Dataset) -> xr.Dataset:
    """The ranks that an order allows each entity (1 is best).

    Parameters
    ----------
    order : Dataset
        From :func:`relations`.

    Returns
    -------
    xarray.Dataset
        ``lower``, one more than the number of better entities, and ``upper``, the number of better or equivalent
        ones, over (..., ``entity``). An entity comparable with no other is in no order, though its bounds are 1 and 1.

    Raises
    ------
    ValueError
        If ``order`` is none.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Axiom 1.

    Examples
    --------
    >>> found = rank_bounds(relations(xr.DataArray([0.9, 0.7, 0.7], dims="entity")))
    >>> found["lower"].values.tolist(), found["upper"].values.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    if not isinstance(order, xr.Dataset) or not {"worse", "worse_or_equivalent"} <= set(order.data_vars):
        raise ValueError(f"order must come from br.relations; got {in_words(order)}")
    lower = order["worse"].sum("rival") + 1
    upper = order["worse_or_equivalent"].sum("rival")
    return xr.Dataset({"lower": lower, "upper": upper})


def is_preorder(order: xr.DataArray) -> bool:
    """Whether a relation over (``entity``, ``rival``) is reflexive and transitive.

    Examples
    --------
    >>> is_preorder(relations(xr.DataArray([0.2, np.nan, 0.7], dims="entity"))["worse_or_equivalent"])
    True
    """
    matrix = order.transpose(..., "entity", "rival").values.astype(bool)
    reflexive = np.diagonal(matrix, axis1=-2, axis2=-1).all()
    through = (matrix.astype(np.int64) @ matrix.astype(np.int64)) > 0
    return bool(reflexive and (matrix | ~through).all())


def _four_relations(order: xr.DataArray) -> xr.Dataset:
    back = order.rename(entity="rival", rival="entity").transpose(*order.dims)
    return xr.Dataset(
        {
            "worse_or_equivalent": order,
            "worse": order & ~back,
            "equivalent": order & back,
            "better": ~order & back,
            "incomparable": ~order & ~back,
        }
    )
