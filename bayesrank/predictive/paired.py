"""Future scores of two entities on the same cases, and of one class against all others."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_result
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import name_coord, select_names
from bayesrank._core.types import ScoreLike
from bayesrank.evidence.counts import one_vs_rest
from bayesrank.models.parts.priors import concentration
from bayesrank.predictive.confusion import beta_binomial, confusion_pmf
from bayesrank.predictive.scores import merge_values, score_pmf
from bayesrank.scores import as_score

#: Maximum number of pairs of matrices.
PAIRS = 2**24


@check_call
def by_class(
    counts: xr.DataArray, score: ScoreLike, model: str = "beta_binomial", prior: Any = None
) -> dict[Any, xr.Dataset]:
    """Return the pmf of a future score of each class against all others (Lovell et al., Section 9).

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts of one entity and any number of classes.
    score, model, prior
        As for :func:`score_pmf` and :func:`confusion_pmf`, with their errors.

    Returns
    -------
    dict
        Results of :func:`score_pmf` by label; an input of :func:`summary`.

    Examples
    --------
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> br.predictive.summary(by_class(counts, "f1"))["mean"].sel(label="c").item() > 0.5
    True
    """
    tables = one_vs_rest(counts)
    return {
        label: score_pmf(confusion_pmf(tables.isel(label=i), model=model, prior=prior), score)
        for i, label in enumerate(tables["label"].values.tolist())
    }


@check_call
def paired_difference(
    joint: xr.Dataset,
    entity: Any,
    other: Any,
    score: ScoreLike,
    positives: int | None = None,
    negatives: int | None = None,
    prior: Any = None,
) -> xr.Dataset:
    """Return the distribution of the difference of two entities' scores on the same future test set.

    Parameters
    ----------
    joint : xarray.Dataset
        Joint outcomes from :func:`bayesrank.joint_outcomes`, of single cases of two classes. The
        positive class is the last one in ``label``, else in sorted order.
    entity, other : hashable
        Names of the two entities; the difference is the score of ``entity`` minus that of
        ``other``.
    score : Score, str or callable
    positives, negatives : int, optional
        Number of cases of each class in the next test set; by default the observed numbers.
    prior : optional
        Concentration of each cell of an entity's table, as for :func:`bayesrank.fit`, with equal
        row totals. The errors of the two entities are independent in the prior.

    Returns
    -------
    xarray.Dataset
        As from :func:`score_pmf`; ``multiplicity`` counts pairs of matrices.

    Raises
    ------
    ValueError
        If the test set has more than 1.6e7 likely pairs of matrices (about 100 cases of each
        class).

    Examples
    --------
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, count=[8, 2, 3, 7])
    >>> br.predictive.summary(paired_difference(joint, "a", "b", "accuracy"))["mean"].item() > 0
    True
    """
    score = as_score(score)
    classes = _check_joint(joint, entity, other)
    alphas = _right_and_wrong(classes, (entity, other), prior)
    n, tn, tn_mass = _class(
        joint, (entity, other), classes[0], alphas[:, 0], "negatives", negatives
    )
    p, tp, tp_mass = _class(
        joint, (entity, other), classes[1], alphas[:, 1], "positives", positives
    )
    if len(tp_mass) * len(tn_mass) > PAIRS:
        raise ArgumentError(
            "positives and negatives",
            f"must have at most {PAIRS} likely pairs of matrices",
            f"{len(tp_mass)} times {len(tn_mass)}",
            "sample larger test sets from a paired posterior",
        )
    sides = [
        score.of_cells(tn[:, i], n - tn[:, i], p - tp[:, i, None], tp[:, i, None]) for i in (0, 1)
    ]
    values, mass = (
        (sides[0] - sides[1]).reshape(-1),
        np.multiply.outer(tp_mass, tn_mass).reshape(-1),
    )
    out = merge_values(values, mass, None)
    coords = {"value": out.pop("value"), "lost_mass": max(0.0, 1 - tp_mass.sum() * tn_mass.sum())}
    return xr.Dataset({name: ("value", column) for name, column in out.items()}, coords)


def _check_joint(joint: Any, entity: Any, other: Any) -> np.ndarray:
    """Validate the joint outcomes and return the two classes, the negative one first."""
    check_result("br.joint_outcomes", "joint", joint, ("actual", "predicted", "count", "entity"))
    if "cluster" in joint.coords:
        raise ArgumentError("joint", "must contain single cases", "clusters of them")
    for argument, name in (("entity", entity), ("other", other)):
        check_choice(argument, name, joint["entity"].values.tolist(), ArgumentKeyError)
    if entity == other:
        raise ArgumentError("other", "must be another entity", f"{other!r} twice")
    classes = (
        joint["label"].values if "label" in joint.coords else np.unique(joint["actual"].values)
    )
    if len(classes) != 2:
        raise ArgumentError("joint", "must contain cases of two classes", classes.tolist())
    return classes


def _class(
    joint: xr.Dataset,
    entities: tuple,
    label: Any,
    alpha: np.ndarray,
    argument: str,
    size: int | None,
) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the future cases of a class, the likely pairs of right counts of two entities, and their masses."""
    first, second = alpha
    base = np.outer(first, second) / first.sum()  # [right, wrong] of the first, of the other
    of_label = joint["actual"].values == label
    wrong = [
        (select_names(joint["predicted"], entity=e).values[of_label] != label).astype(int)
        for e in entities
    ]
    count = joint["count"].values[of_label]
    table = np.zeros((2, 2))
    np.add.at(table, tuple(wrong), count)
    number = int(count.sum()) if size is None else check_integer(argument, size)
    return number, *_likely_pairs(number, base + table)


def _right_and_wrong(classes: np.ndarray, entities: tuple, prior: Any) -> np.ndarray:
    """Return the prior concentrations (entity, class, right or wrong)."""
    names = {"entity": name_coord(list(entities)), "actual": classes, "predicted": classes}
    alpha = concentration(xr.DataArray(np.zeros((2, 2, 2), int), names, list(names)), prior).values
    if not (alpha > 0).all() or not np.allclose(alpha[0].sum(-1), alpha[1].sum(-1), rtol=1e-12):
        raise ArgumentError(
            "prior", "must be positive, with the same row totals for both entities", alpha.tolist()
        )
    return np.stack(
        [np.stack([alpha[:, c, c], alpha[:, c, 1 - c]], axis=-1) for c in (0, 1)], axis=1
    )


def _likely_pairs(size: int, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of numbers of ``size`` cases that two entities get right, and their masses.

    Of a large lattice the least likely pairs, with a mass of at most 4e-13, are left out.
    """
    # The second number is a sum of two: cases that the first entity gets right, and cases that it
    # gets wrong.
    first = beta_binomial(size, alpha[0].sum(), alpha[1].sum())
    pair_masses = [
        np.convolve(beta_binomial(i, *alpha[0]), beta_binomial(size - i, *alpha[1]))
        for i in range(size + 1)
    ]
    masses = first[:, None] * np.array(pair_masses)
    flat = masses.reshape(-1)
    keep = np.arange(len(flat))
    if len(flat) ** 2 > PAIRS:
        order = np.argsort(flat)
        keep = np.sort(order[np.searchsorted(np.cumsum(flat[order]), 4e-13, side="right") :])
    return np.stack(np.unravel_index(keep, masses.shape), axis=-1), flat[keep]
