"""Curves of predicted probabilities with simultaneous bands, and labels of cases at thresholds."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_integer,
    check_numbers,
    check_prob,
    check_unique,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.labels import name_coord
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import add_notes, notes_of
from bayesrank._core.random import BLOCK, Seed, blocks_between, root_sequence, stream
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.evidence.probabilities import are_probabilities, probabilities_of
from bayesrank.models.bayesian_bootstrap import BayesianBootstrap, CasePart

#: Names of the variables on both axes of each curve.
AXES = {
    "roc": ("fpr", "tpr"),
    "precision_recall": ("recall", "precision"),
    "calibration": ("probability", "frequency"),
}
#: Intervals of ROC and precision-recall curves; largest number of bins of a calibration curve, and
#: cases in a bin.
STEPS, BINS, IN_BIN = 100, 10, 20
#: Where curves are evaluated: false-positive rates, densest near 0, where the curve is steep, and
#: recalls.
PLACES = {
    "roc": np.linspace(0, 1, STEPS + 1) ** 2,
    "precision_recall": np.linspace(0, 1, STEPS + 1)[1:],
}
#: Prior weight of each class in a bin: with weights of single cases, the Jeffreys prior of its
#: frequency.
JEFFREYS = 0.5


@check_call
def credible_curves(
    evidence: xr.Dataset,
    curve: str = "roc",
    *,
    label: Any = None,
    strategy: Literal["quantile", "uniform"] = "quantile",
    prob: float = 0.95,
    draws: int = 1000,
    chains: int = 4,
    seed: Seed = None,
) -> xr.Dataset:
    """Return the ROC, precision-recall or calibration curve of each entity, with a simultaneous band.

    The whole curve of an entity lies in its band with probability ``prob``. ROC and
    precision-recall curves are those of the draws of the model ``bayesian_bootstrap``, whose areas
    with the same seed are the areas under these curves. A calibration curve has up to ten bins; the
    frequency of each bin has the Jeffreys prior.

    Parameters
    ----------
    evidence : xarray.Dataset
        Probabilities or decision values of cases, as from :func:`bayesrank.from_probabilities`, of
        one data set.
    curve : {"roc", "precision_recall", "calibration"}
    label : hashable, optional
        With more than two classes, the class that is compared with the rest.
    strategy : {"quantile", "uniform"}
        Whether the bins of a calibration curve have about the same number of cases, or the same
        width of 0.1. Bins without cases are left out.
    prob : float
        Probability that a band holds all points of its curve.
    draws, chains, seed
        As for :func:`bayesrank.fit`.

    Returns
    -------
    xarray.Dataset
        Over (``entity``, ``point``): ``median``, ``lower`` and ``upper`` of the ordinate, its
        ``observed`` value, and the abscissa: ``fpr``, ``recall``, or the mean ``probability`` of a
        bin, with its ``cases``. An entity with fewer bins ends in NaN. The band is NaN where the
        model withholds intervals of areas.

    Raises
    ------
    ValueError, TypeError
        If there are several data sets, or a calibration curve is requested for decision values.

    References
    ----------
    Besag, Green, Higdon, Mengersen (1995), Bayesian computation and stochastic systems, Statistical
    Science 10:3-41 (the band, from the ranks of the draws at each point).

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 0, 1, 1, 1] * 5, {"a": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 5})
    >>> band = credible_curves(evidence, seed=1).isel(entity=0, point=50)
    >>> band["fpr"].item(), [round(band[name].item(), 2) for name in ("lower", "observed", "upper")]
    (0.25, [0.32, 0.67, 0.91])
    """
    check_choice("curve", curve, AXES, ArgumentKeyError)
    check_choice("strategy", strategy, ("quantile", "uniform"))
    prob, root = check_prob("prob", prob), root_sequence(seed)
    shape = check_integer("chains", chains, 1), check_integer("draws", draws, 1)
    evidence = _check_evidence(evidence)
    if curve == "calibration" and not are_probabilities(evidence):
        raise ArgumentError(
            "evidence", "must contain probabilities for a calibration curve", "decision values"
        )
    model = BayesianBootstrap(evidence, scores=["auc_roc"])
    part, column = model.parts[0], _class_column(label, model.classes)
    size = (shape[0] * shape[1], STEPS + 1, len(model.names))
    check_memory("draws must be fewer", " x ".join(map(str, size)) + " points", size, str(draws))
    predicted = model.values[part.where, :, column]
    binned = [_bins(one, strategy) for one in predicted.T] if curve == "calibration" else []

    def ordinates(
        k: int, prior: np.ndarray, weight: np.ndarray, mass: Any, chosen: Any
    ) -> np.ndarray:
        if binned:
            return _frequencies(part, column, binned[k], weight, prior)
        return _ordinates(part, column, k, curve, weight, mass, chosen)

    values: list[list[np.ndarray]] = [[] for _ in model.names]
    for block in blocks_between(0, shape[0], 0, shape[1], shape):
        prior = stream(root, "calibration", part.key, *block.key).standard_gamma(
            JEFFREYS, (BLOCK, BINS, 2)
        )
        for here, *drawn in part.weigh("posterior", block, root):
            for k, found in enumerate(values):
                found.append(ordinates(k, prior[here], *drawn))
    points = BINS if binned else len(PLACES[curve])
    table = np.full((6, len(model.names), points), np.nan)
    for k, (found, hidden) in enumerate(zip(values, part.withheld(), strict=True)):
        curves = np.concatenate(found)
        low, high = simultaneous_band(curves, prob)
        if curve == "roc":
            low[0], high[-1] = 0.0, 1.0  # a curve rises at once from (0, 0), and to (1, 1)
        if hidden and not binned:
            low[:] = high[:] = np.nan
        cases: Any = np.nan
        x: Any = PLACES.get(curve)
        if binned:
            cases = np.bincount(binned[k], part.size)
            x = np.bincount(binned[k], part.size * predicted[:, k]) / cases
        observed = ordinates(k, np.zeros((1, BINS, 2)), part.size[None], None, None)[0]
        for row, one in zip(
            table[:, k], (x, np.median(curves, axis=0), low, high, observed, cases), strict=True
        ):
            row[: len(x)] = one
    names = (AXES[curve][0], "median", "lower", "upper", "observed", "cases")
    result = xr.Dataset(
        {name: (("entity", "point"), one) for name, one in zip(names, table, strict=True)},
        {"entity": name_coord(model.names)},
        {"curve": curve, "label": str(model.classes[column if len(model.classes) > 2 else 1])},
    )
    notes = add_notes({"prob": prob, "draws": size[0]}, notes_of(EvidenceRecord.of(evidence).notes))
    return (result if binned else result.drop_vars("cases")).assign_attrs(notes)


def _class_column(label: Any, classes: list) -> int:
    """Return the column of probabilities that a label names: the only one of two classes."""
    if len(classes) == 2:
        if label is not None:
            other = "left out for two classes: it is the positive class"
            check_choice("label", label, classes[1:], other=other)
        return 0
    if label is None:
        raise ArgumentError("label", f"must name one of the classes {classes}", "none")
    return classes.index(check_choice("label", label, classes, ArgumentKeyError))


def _thresholds_by_entity(threshold: Any, names: list) -> Mapping[Any, Any]:
    """Return the threshold, or thresholds, of each entity."""
    if isinstance(threshold, xr.DataArray) and threshold.dims == ("entity",):
        threshold = dict(
            zip(threshold["entity"].values.tolist(), threshold.values.tolist(), strict=True)
        )
    thresholds = threshold if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    if lacking := [name for name in names if name not in thresholds]:
        raise ArgumentKeyError(
            "threshold", "must contain a number for each entity", f"none for {lacking[0]!r}"
        )
    return thresholds


def _check_thresholds(threshold: Any) -> list[float]:
    """Return one threshold or several as a list of different numbers."""
    thresholds = np.atleast_1d(check_numbers("threshold", threshold))
    if thresholds.ndim > 1 or not thresholds.size or np.isnan(thresholds).any():
        raise ArgumentError(
            "threshold", "must be a number, or a sequence of numbers", f"{threshold!r}"
        )
    return check_unique("threshold", thresholds.tolist())


@check_call
def apply_threshold(evidence: xr.Dataset, threshold: Any) -> xr.Dataset:
    """Return the labels of cases at one threshold or several: joint outcomes, for models and scores of labels.

    A case is called positive if its probability is at or above the threshold. Under the model
    ``paired``, the table of an entity at a given threshold has a Dirichlet posterior: the counts
    plus the prior.

    Parameters
    ----------
    evidence : xarray.Dataset
        Probabilities or decision values of two classes, as from
        :func:`bayesrank.from_probabilities`.
    threshold : number, sequence, mapping or DataArray
        One threshold for all entities; several for each entity; or either of them by entity, as
        ``threshold`` from :func:`best_threshold`. A threshold that was chosen on the same cases
        makes an entity look better than it is.

    Returns
    -------
    xarray.Dataset
        Joint outcomes, as from :func:`bayesrank.joint_outcomes`. With several thresholds the
        entities are named "a at 0.3". Coords over ``entity``: ``classifier``, the entity of
        ``evidence``, and its ``threshold``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If there are more than two classes, or an entity has no threshold.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 1, 1], {"a": [0.1, 0.6, 0.4, 0.8]})
    >>> labels = apply_threshold(evidence, [0.3, 0.7])
    >>> br.scores.tpr(br.fit(labels, seed=1)["observed_data"]["counts"]).to_series().to_dict()
    {'a at 0.3': 1.0, 'a at 0.7': 0.5}
    """
    evidence = _check_evidence(evidence, one=False)
    if evidence.sizes["label"] > 2:
        raise ArgumentError(
            "evidence", "must have two classes for a threshold", evidence["label"].values.tolist()
        )
    names = evidence["entity"].values.tolist()
    thresholds = _thresholds_by_entity(threshold, names)
    several = any(np.ndim(thresholds[name]) for name in names)
    negative, positive = evidence["label"].values.tolist()
    columns: dict[Any, np.ndarray] = {}
    classifier, at = [], []
    for k, name in enumerate(names):
        values = evidence["probability"].transpose("case", "entity").values[:, k]
        for t in _check_thresholds(thresholds[name]):
            key = f"{name} at {t:g}" if several else name
            columns[key] = np.where(values >= t, positive, negative)
            classifier.append(name)
            at.append(t)
    if len(columns) < len(at):
        raise ArgumentError(
            "threshold",
            "must still differ when rounded to six digits",
            f"{len(at)} thresholds with {len(columns)} names",
        )
    weight = evidence["weight"].values
    groups = {
        role: evidence[role].values.tolist()
        for role in ("dataset", "cluster")
        if role in evidence.coords
    }
    joint = joint_outcomes(
        evidence["actual"].values.tolist(),
        {name: column.tolist() for name, column in columns.items()},
        labels=[negative, positive],
        positive=positive,
        weight=None if (weight == 1).all() else weight,
        **groups,
    )
    return joint.assign_coords(
        classifier=("entity", name_coord(classifier)), threshold=("entity", at)
    )


def simultaneous_band(values: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (point) of a band that holds at least the share ``prob`` of all curves (draw, point)."""
    rising = np.sort(values, axis=0)
    last = len(values) - 1
    inmost = np.full(len(values), last)
    for column, held in zip(rising.T, values.T, strict=True):
        above = np.searchsorted(column, held, "right") - 1
        below = last - np.searchsorted(column, held, "left")
        inmost = np.minimum(inmost, np.minimum(above, below))
    k = np.sort(inmost)[int((1 - prob) * len(values))]
    return rising[k].copy(), rising[last - k].copy()


def _check_evidence(evidence: Any, one: bool = True) -> xr.Dataset:
    """Return checked probabilities, of one data set if ``one``."""
    evidence = probabilities_of(evidence)
    if not isinstance(evidence, xr.Dataset) or not {"probability", "weight"} <= set(
        evidence.data_vars
    ):
        kind = type(evidence).__name__
        raise ArgumentTypeError(
            "evidence", "must be predicted probabilities, as from br.from_probabilities", kind
        )
    if one and "dataset" in evidence.coords and len(set(evidence["dataset"].values.tolist())) > 1:
        number = len(set(evidence["dataset"].values.tolist()))
        hint = "evidence.isel(case=evidence['dataset'].values == name) selects one"
        raise ArgumentError(
            "evidence", "must come from one data set for a curve", f"{number} data sets", hint
        )
    return evidence


def _ordinates(
    part: CasePart, label: int, entity: int, curve: str, weight: Any, mass: Any, chosen: Any
) -> np.ndarray:
    """Return the ordinates (draw, point) of curves with these weights (draw, case)."""
    fpr, tpr = part.rates(label, entity, weight, mass, chosen)
    at = PLACES[curve]
    if curve == "roc":
        return np.stack([np.interp(at, x, y) for x, y in zip(fpr, tpr, strict=True)])
    # A recall is first reached at the lowest FPR; rounding must not step over it.
    first = np.stack([np.interp(at - 1e-9, y, x) for x, y in zip(fpr, tpr, strict=True)])
    share = (weight @ part.truth[label] / weight.sum(axis=1))[:, None]
    return share * at / (share * at + (1 - share) * first)


def _bins(values: np.ndarray, strategy: str) -> np.ndarray:
    """Return the bin of each case; bins have about the same number of cases or width, and equal values share one."""
    number = int(np.clip(len(values) // IN_BIN, 1, BINS))
    equal = strategy == "uniform"
    edges = (
        np.linspace(0, 1, BINS + 1)[1:-1]
        if equal
        else np.quantile(values, np.linspace(0, 1, number + 1)[1:-1])
    )
    return np.unique(np.searchsorted(edges, values, "right"), return_inverse=True)[1].ravel()


def _frequencies(
    part: CasePart, label: int, bins: np.ndarray, weight: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Return the frequency of the class (draw, bin)."""
    inside = np.eye(bins.max() + 1)[bins]
    true, false = (
        weight @ (inside * (part.truth[label] == c)[:, None]) + prior[:, : inside.shape[1], c]
        for c in (1, 0)
    )
    return true / (true + false)
