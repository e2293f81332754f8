"""Two entities on the same future cases, and one class against all others."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_result
from bayesrank._labels import name_coord
from bayesrank._types import ScoreLike
from bayesrank.evidence.counts import one_vs_rest
from bayesrank.models._priors import concentration
from bayesrank.predictive.confusion import beta_binomial, confusion_pmf
from bayesrank.predictive.scores import equal_runs, score_pmf
from bayesrank.scores import as_score

__all__ = ["by_class", "paired_difference"]

#: Pairs of matrices whose score is computed.
PAIRS = 2**24
#: Mass that may be lost in each class.
LOSS = 4e-13


def by_class(
    counts: xr.DataArray, score: ScoreLike, model: str = "beta_binomial", prior: Any = None
) -> dict[Any, xr.Dataset]:
    """The pmf of a future score of each class against all others, on a test set like the observed one.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts of one entity and any number of classes.
    score : Score, str or callable
        A Score, a name or alias, or a function of (tn, fp, fn, tp).
    model, prior
        As for :func:`confusion_pmf`.

    Returns
    -------
    dict
        From labels to what :func:`score_pmf` gives; :func:`summary` takes it whole.

    Raises
    ------
    ValueError, TypeError
        If the counts are none of one entity, or there is no such score or prior.

    References
    ----------
    Lovell et al., Never mind the metrics, Section 9.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> br.predictive.summary(by_class(counts, "f1"))["mean"].sel(label="c").item() > 0.5
    True
    """
    tables = one_vs_rest(counts)
    labels = tables["label"].values.tolist()
    return {
        label: score_pmf(confusion_pmf(tables.isel(label=i), model=model, prior=prior), score)
        for i, label in enumerate(labels)
    }


def paired_difference(
    joint: xr.Dataset,
    entity: Any,
    other: Any,
    score: ScoreLike,
    positives: int | None = None,
    negatives: int | None = None,
    prior: Any = None,
) -> xr.Dataset:
    """The distribution of the difference of two entities' scores on one future test set, which both will meet.

    Parameters
    ----------
    joint : xarray.Dataset
        Which answers were given together, and how often, as from :func:`bayesrank.joint_outcomes`: ``actual``
        (pattern), ``predicted`` (pattern, entity) and ``count`` (pattern). The positive class is the last of the two
        of ``label``, or without that coord in sorted order.
    entity, other : hashable
        Names of the two; the difference is the first's score minus the other's.
    score : Score, str or callable
        A Score, a name or alias, or a function of (tn, fp, fn, tp).
    positives, negatives : int, optional
        Cases of each class in the next test set; by default as many as were observed.
    prior : optional
        Concentration of each cell of each entity's table, as for :func:`bayesrank.fit`; both entities have the same row
        totals. Jointly they are right or wrong independently, a priori, so that each alone has the beta-binomial
        distribution of :func:`confusion_pmf`.

    Returns
    -------
    xarray.Dataset
        As from :func:`score_pmf`; ``multiplicity`` counts pairs of matrices.

    Raises
    ------
    KeyError
        If there is no such entity.
    ValueError
        If there are not two classes, the cases come in clusters (they are not drawn one by one then), or the test set
        is too large: more than 1.6e7 likely pairs of matrices, which is some 100 cases a class.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, weight=[8, 2, 3, 7])
    >>> pmf = paired_difference(joint, "a", "b", "accuracy")
    >>> bool(pmf["probability"].where(pmf["value"] >= 0).sum() > 0.9)
    True
    """
    score = as_score(score)
    classes = _checked(joint, entity, other)
    alphas = _right_and_wrong(classes, (entity, other), prior)
    n, tn, tn_mass = _class(joint, (entity, other), classes[0], alphas[:, 0], "negatives", negatives)
    p, tp, tp_mass = _class(joint, (entity, other), classes[1], alphas[:, 1], "positives", positives)
    if len(tp_mass) * len(tn_mass) > PAIRS:
        raise ValueError(
            f"positives and negatives must leave at most {PAIRS} likely pairs of matrices; got {len(tp_mass)} times "
            f"{len(tn_mass)} (sample larger test sets from a paired posterior)"
        )
    sides = [score.of_cells(tn[:, i], n - tn[:, i], p - tp[:, i, None], tp[:, i, None]) for i in (0, 1)]
    values, mass = (sides[0] - sides[1]).reshape(-1), np.multiply.outer(tp_mass, tn_mass).reshape(-1)
    return _merged(values, mass, max(0.0, 1 - tp_mass.sum() * tn_mass.sum()))


def _checked(joint: Any, entity: Any, other: Any) -> np.ndarray:
    """The two classes, negative first, after a check of what the joint outcomes hold."""
    check_result("br.joint_outcomes", "joint", joint, ("actual", "predicted", "count", "entity"))
    if "cluster" in joint.coords:
        raise ValueError("joint must hold single cases; got clusters of them")
    for argument, name in (("entity", entity), ("other", other)):
        check_choice(argument, name, joint["entity"].values.tolist(), KeyError)
    if entity == other:
        raise ValueError(f"other must be another entity; got {other!r} twice")
    classes = joint["label"].values if "label" in joint.coords else np.unique(joint["actual"].values)
    if len(classes) != 2:
        raise ValueError(f"joint must hold cases of two classes; got {classes.tolist()}")
    return classes


def _class(
    joint: xr.Dataset, entities: tuple, label: Any, alpha: np.ndarray, argument: str, size: int | None
) -> tuple[int, np.ndarray, np.ndarray]:
    """Cases of a class in the next test set, the likely numbers that each of two entities gets right, their masses."""
    first, second = alpha
    base = np.outer(first, second) / first.sum()  # [right, wrong] of the first, of the other
    here = joint["actual"].values == label
    wrong = [(joint["predicted"].sel(entity=e).values[here] != label).astype(int) for e in entities]
    count = joint["count"].values[here]
    seen = np.zeros((2, 2))
    np.add.at(seen, tuple(wrong), count)
    number = int(count.sum()) if size is None else check_integer(argument, size)
    return number, *_likely(_both_right(number, base + seen))


def _merged(values: np.ndarray, mass: np.ndarray, lost: float) -> xr.Dataset:
    """A pmf of values, equal ones merged, the undefined ones last."""
    order, starts = equal_runs(values, lambda at: (at, at, at, at), None)
    out = {
        "value": values[order[starts]],
        "probability": np.add.reduceat(mass[order], starts) if len(starts) else np.empty(0),
        "multiplicity": np.diff(np.append(starts, len(order))),
    }
    undefined = np.isnan(values)
    if undefined.any():
        extra = {"value": np.nan, "probability": mass[undefined].sum(), "multiplicity": int(undefined.sum())}
        out = {name: np.append(column, extra[name]) for name, column in out.items()}
    coords = {"value": out.pop("value"), "lost_mass": lost}
    return xr.Dataset({name: ("value", column) for name, column in out.items()}, coords)


def _right_and_wrong(classes: np.ndarray, entities: tuple, prior: Any) -> np.ndarray:
    """Prior concentrations of right and wrong answers: (entity, class, 2)."""
    names = {"entity": name_coord(list(entities)), "actual": classes, "predicted": classes}
    alpha = concentration(xr.DataArray(np.zeros((2, 2, 2), int), names, list(names)), prior).values
    if not (alpha > 0).all() or not np.allclose(alpha[0].sum(-1), alpha[1].sum(-1), rtol=1e-12):
        raise ValueError(f"prior must be positive, with the same row totals for both entities; got {alpha.tolist()}")
    return np.stack([np.stack([alpha[:, c, c], alpha[:, c, 1 - c]], axis=-1) for c in (0, 1)], axis=1)


def _both_right(size: int, alpha: np.ndarray) -> np.ndarray:
    """Joint masses of how many of ``size`` cases each of two entities gets right.

    The first's number is beta-binomial; given it, the other's is the sum of two: among the cases that the first gets
    right, and among those it gets wrong.
    """
    first = beta_binomial(size, alpha[0].sum(), alpha[1].sum())
    rows = [
        first[i] * np.convolve(beta_binomial(i, *alpha[0]), beta_binomial(size - i, *alpha[1])) for i in range(size + 1)
    ]
    return np.array(rows)


def _likely(masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of counts but the least likely ones, and their masses; all of a small lattice."""
    flat = masses.reshape(-1)
    keep = np.arange(len(flat))
    if len(flat) ** 2 > PAIRS:
        order = np.argsort(flat)
        keep = np.sort(order[np.searchsorted(np.cumsum(flat[order]), LOSS, side="right") :])
    return np.stack(np.unravel_index(keep, masses.shape), axis=-1), flat[keep]
