"""The preorder that a score induces, and the ranks it allows."""

from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result, describe_value, rename_argument
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import select_names
from bayesrank.performance.arrays import as_performance, outcome_dims
from bayesrank.ranking.values import bare_values


@check_call
def relations(
    values: xr.DataArray, performance: Any = None, higher_is_better: bool | None = None
) -> xr.Dataset:
    """Compare each entity with every other one by a score (Piérard et al., Foundations, Theorem 1 and Section 3.2).

    An entity with an undefined score is incomparable with all others, except those with the same
    performance.

    Parameters
    ----------
    values : DataArray
        The score of each ``entity``, NaN where undefined; other dims are kept.
    performance : DataArray, Dataset, InferenceData or DataTree, optional
        The performances, which decide whether entities with undefined scores are equivalent.
    higher_is_better : bool, optional
        Default: True; required for values whose name or attrs say that they came from another kind
        of score.

    Returns
    -------
    xarray.Dataset
        Booleans (..., ``entity``, ``rival``): ``worse_or_equivalent`` (the preorder) and its
        converse ``better_or_equivalent``; and ``worse``, ``equivalent``, ``better``,
        ``incomparable``: exactly one holds.

    Examples
    --------
    >>> counts = br.from_counts(tn=[8, 9, 9], fp=[1, 0, 0], fn=[0, 1, 1], tp=[1, 0, 0], entity=["a", "b", "c"])
    >>> found = relations(br.scores.ppv(counts), counts)
    >>> found["incomparable"].sel(entity="a", rival="b").item(), found["equivalent"].sel(entity="b", rival="c").item()
    (True, True)
    """
    with rename_argument("values", "source"):
        values, sign = bare_values(values, higher_is_better)
    values = sign * values.reset_coords(drop=True)
    below = values <= values.rename(entity="rival")
    labels = (
        values["entity"].values if "entity" in values.coords else np.arange(values.sizes["entity"])
    )
    if performance is None:
        size = values.sizes["entity"]
        same = xr.DataArray(np.eye(size, dtype=bool), dims=("entity", "rival"))
    else:
        with rename_argument("performance", "source"):
            array = as_performance(performance).reset_coords(drop=True)
        names = (
            array["entity"].values
            if "entity" in array.coords
            else np.arange(array.sizes.get("entity", 0))
        )
        if sorted(map(repr, names.tolist())) != sorted(map(repr, labels.tolist())):
            raise ArgumentError(
                "performance",
                f"must have the entities of values, {labels.tolist()}",
                names.tolist(),
            )
        same = (array == array.rename(entity="rival")).all(outcome_dims(array))
        # An entity with an unknown performance equals itself.
        same = same | xr.DataArray(
            np.eye(array.sizes["entity"], dtype=bool), dims=("entity", "rival")
        )
    order = (
        (below | same).assign_coords(entity=labels, rival=labels).transpose(..., "entity", "rival")
    )
    return _four_relations(order)


@check_call
def dominance(*orders: xr.Dataset) -> xr.Dataset:
    """Return the order by several scores: better by one of them, and not worse by any (Foundations, 3.2, Example 1).

    Where scores disagree, two entities are incomparable. With TNR and TPR, this is dominance in ROC
    space.

    Parameters
    ----------
    *orders : Dataset
        One or more results of :func:`relations`, for the same entities. The result has the same
        variables.

    Examples
    --------
    >>> counts = br.from_counts(tn=[90, 80, 70], fp=[10, 20, 30], fn=[40, 20, 25], tp=[60, 80, 75], entity=list("abc"))
    >>> roc = dominance(*(br.theory.relations(score(counts), counts) for score in (br.scores.tnr, br.scores.tpr)))
    >>> roc["better"].sel(entity="b", rival="c").item(), roc["incomparable"].sel(entity="a", rival="b").item()
    (True, True)
    """
    if not orders:
        raise ArgumentError("orders", "must contain at least one order", "none")
    parts = [_preorder("orders", order) for order in orders]
    names = [part["entity"].values.tolist() for part in parts]
    if any(set(map(repr, one)) != set(map(repr, names[0])) for one in names):
        raise ArgumentError("orders", "must have the same entities", names)
    # Use the entity order of the first argument.
    both = reduce(and_, (select_names(part, entity=names[0], rival=names[0]) for part in parts))
    return _four_relations(both.transpose(..., "entity", "rival"))


@check_call
def rank_bounds(order: xr.Dataset) -> xr.Dataset:
    """Return the ranks that an order allows (Foundations, Axiom 1).

    Parameters
    ----------
    order : xarray.Dataset
        From :func:`relations` or :func:`dominance`.

    Returns
    -------
    xarray.Dataset
        ``lower``, 1 plus the number of better entities, and ``upper``, the number of better or
        equivalent ones. An entity that is comparable with no other has the bounds 1 and 1 but no
        rank.

    Examples
    --------
    >>> found = rank_bounds(relations(xr.DataArray([0.9, 0.7, 0.7], dims="entity")))
    >>> found["lower"].values.tolist(), found["upper"].values.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    _preorder("order", order)
    lower = order["worse"].sum("rival") + 1
    upper = order["worse_or_equivalent"].sum("rival")
    return xr.Dataset({"lower": lower, "upper": upper})


@check_call
def relation_properties(relation: xr.DataArray) -> xr.Dataset:
    """Return the properties of a relation: reflexive, transitive, a preorder, an equivalence (Foundations, A.3.1).

    Parameters
    ----------
    relation : DataArray
        Booleans (..., ``entity``, ``rival``), for example a variable of :func:`relations`.

    Returns
    -------
    xarray.Dataset
        Booleans over the other dims: ``reflexive``, ``irreflexive``, ``transitive``, ``symmetric``,
        ``asymmetric``, ``antisymmetric``; ``total`` (any two are related in one direction at
        least); and ``equivalence``, ``preorder``, ``order`` (an antisymmetric preorder).

    Examples
    --------
    >>> properties = relation_properties(relations(xr.DataArray([0.2, 0.7, 0.7], dims="entity"))["worse_or_equivalent"])
    >>> [str(name) for name, holds in properties.items() if holds]
    ['reflexive', 'transitive', 'total', 'preorder']
    """
    _check_relation(relation)
    relation = relation.transpose(..., "entity", "rival")
    matrix = relation.values
    back, itself = np.swapaxes(matrix, -1, -2), np.eye(matrix.shape[-1], dtype=bool)
    through = (matrix.astype(np.float32) @ matrix.astype(np.float32)) > 0.5  # counts, exact to 2^24
    pairs = {
        "reflexive": matrix | ~itself,
        "irreflexive": ~matrix | ~itself,
        "transitive": matrix | ~through,
        "symmetric": matrix == back,
        "asymmetric": ~(matrix & back),
        "antisymmetric": ~(matrix & back) | itself,
        "total": matrix | back,
    }
    holds = {
        name: (relation.dims[:-2], np.asarray(result.all(axis=(-2, -1))))
        for name, result in pairs.items()
    }
    coords = {
        name: coord
        for name, coord in relation.coords.items()
        if not {"entity", "rival"} & set(coord.dims)
    }
    result = xr.Dataset(holds, coords)
    preorder = result["reflexive"] & result["transitive"]
    return result.assign(
        equivalence=preorder & result["symmetric"],
        preorder=preorder,
        order=preorder & result["antisymmetric"],
    )


def _check_relation(relation: Any) -> None:
    """Raise an error unless a relation has a Boolean for each pair of entities."""
    if not isinstance(relation, xr.DataArray) or relation.dtype.kind != "b":
        raise ArgumentTypeError(
            "relation", "must be a DataArray of Booleans", describe_value(relation)
        )
    if (
        not {"entity", "rival"} <= set(relation.dims)
        or relation.sizes["entity"] != relation.sizes["rival"]
    ):
        raise ArgumentError(
            "relation", "must be over entity and rival, of one length", dict(relation.sizes)
        )


def _preorder(argument: str, order: Any) -> xr.DataArray:
    return check_result("br.theory.relations", argument, order, ("worse", "worse_or_equivalent"))[
        "worse_or_equivalent"
    ]


def _four_relations(order: xr.DataArray) -> xr.Dataset:
    back = order.rename(entity="rival", rival="entity").transpose(*order.dims)
    return xr.Dataset(
        {
            "worse_or_equivalent": order,
            "better_or_equivalent": back,
            "worse": order & ~back,
            "equivalent": order & back,
            "better": ~order & back,
            "incomparable": ~order & ~back,
        }
    )
