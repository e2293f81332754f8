"""Decision curves: the net benefit of treating by a predicted probability, at every threshold, with its uncertainty.

All entities, thresholds and strategies use the same draws of the case weights, so they can be
compared draw by draw.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_by_entity,
    check_integer,
    check_labelled_prevalence,
    check_labels,
    check_numbers,
    check_prob,
    check_unique,
)
from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.labels import (
    arrange_classes,
    is_ordered,
    name_coord,
    ordered_categories,
    unique_rows,
)
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import Note, add_notes, notes_text
from bayesrank._core.random import Seed
from bayesrank._core.records import ResultRecord
from bayesrank.cases.weights import weight_blocks
from bayesrank.decisions._means import mean_and_error, name_pair, share_and_error
from bayesrank.evidence.alignment import align_cases
from bayesrank.models.parts.joint import few_units_notes

STRATEGIES = ("treat all", "treat none")
#: The bootstrap has no prior, so it compares two decisions only if they differ on this many cases.
UNITS = 50


@check_call
def decision_curve(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    thresholds: Any,
    *,
    positive: Any = None,
    prevalence: Any = None,
    draws: int = 4000,
    prob: float = 0.95,
    seed: Seed = None,
) -> xr.Dataset:
    """Compute the net benefit of treating at each threshold of a predicted probability, and of treating all or none.

    Net benefit = TPR π - FPR (1 - π) t / (1 - t) at prevalence π. A threshold of t implies that a
    false positive costs t / (1 - t) of the benefit of a true positive. Source: Vickers and Elkin
    (2006), Decision curve analysis, Medical Decision Making 26:565-574. Rubin (1981), The Bayesian
    bootstrap, Annals of Statistics 9:130-134.

    Parameters
    ----------
    y_true, positive
        The true label of each case, of two classes, as for :func:`bayesrank.from_predictions`.
    predictions : mapping or DataFrame
        For each entity (key or column), the predicted probability of the positive class of each
        case.
    thresholds : sequence of float
        Probabilities, strictly between 0 and 1, each once.
    prevalence : number or DataArray, optional
        Prevalence of the positive class in the target population, or draws of it along ``draw``.
        The default is the prevalence of the cases, which are assumed to be drawn at random.
    draws : int
        Number of draws of the case weights, from one chain of :func:`bayesrank.case_weights`.
    prob : float
        Probability of the credible intervals.
    seed : int, SeedSequence or Generator, optional
        The draws do not depend on the order of cases and entities, nor on the thresholds.

    Returns
    -------
    xarray.Dataset
        Net benefits over (``entity``, ``threshold``), in true positives per case. After the
        supplied entities come "treat all" and "treat none", which the coord ``strategy`` marks.
        Variables: ``mean`` with ``mean_error``; ``lower`` and ``upper``, equal tails at ``prob``;
        ``observed``; ``probability_best`` with ``_error`` (ties share it evenly);
        ``expected_regret`` with ``_error``. ``notes`` warns where there are too few cases.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> sick = rng.random(400) < 0.3
    >>> risk = {"marker": np.where(sick, rng.beta(4, 3, 400), rng.beta(2, 5, 400))}
    >>> curve = decision_curve(sick, risk, [0.1, 0.3, 0.5], seed=1)
    >>> curve["mean"].sel(threshold=0.3).round(2).to_series().to_dict()
    {'marker': 0.14, 'treat all': 0.03, 'treat none': 0.0}
    """
    prob = check_prob("prob", prob)
    draws = check_integer("draws", draws, 1)
    at = np.atleast_1d(check_numbers("thresholds", thresholds, 0.0, 1.0, ends=False))
    if at.ndim > 1 or not at.size:
        raise ArgumentError(
            "thresholds", "must be a sequence of probabilities", f"shape {at.shape}"
        )
    check_unique("thresholds", at.tolist())
    aligned, joined = align_cases({"y_true": y_true, "predictions": predictions})
    truth = _truth(aligned["y_true"], positive)
    risks = _risks(aligned["predictions"], truth.size)
    names = check_unique("predictions", [*risks, *STRATEGIES])
    share = None if prevalence is None else _share_draws(prevalence, draws)

    # Cases with the same labels and predictions form one pattern of the joint outcomes.
    levels = {name: np.unique(held, return_inverse=True) for name, held in risks.items()}
    codes, which = unique_rows(
        np.column_stack([truth, *(level.ravel() for _, level in levels.values())])
    )
    count = np.bincount(which)
    is_positive = codes[:, 0] == 1
    risk = np.stack([seen[codes[:, 1 + i]] for i, (seen, _) in enumerate(levels.values())])
    decided = [_distinct_decisions(risk >= t) for t in at]

    shape = (draws, len(names), at.size)
    check_memory(
        "draws must be fewer", " x ".join(map(str, shape)) + " net benefits", shape, str(draws)
    )
    values = np.empty(shape)
    joint = xr.Dataset(
        {
            "actual": ("pattern", codes[:, 0]),
            "predicted": (("pattern", "entity"), risk.T),
            "count": ("pattern", count),
        },
        {"entity": name_coord(list(risks))},
    )
    for start, weight in weight_blocks(joint, draws, seed):
        block = slice(start, start + len(weight))
        values[block] = _net_benefit(
            weight, is_positive, decided, at, None if share is None else share[block]
        )
    mean_share = None if share is None else share.mean(keepdims=True)
    observed_benefit = _net_benefit(count[None], is_positive, decided, at, mean_share)[0]
    coords = {"entity": name_coord(names), "threshold": at}
    draws_of_benefit = xr.DataArray(values, coords, ("draw", "entity", "threshold"), "net_benefit")
    observed = xr.DataArray(observed_benefit, coords, ("entity", "threshold"))
    result = xr.Dataset(
        _summarize(draws_of_benefit, observed, prob),
        attrs=add_notes({"prob": prob, "draws": draws, "cases": int(truth.size)}, joined),
    )
    result = result.transpose("entity", "threshold")
    notes = few_units_notes(int(min(truth.sum(), (1 - truth).sum())), "case", one_class=True)
    notes += _few_discordant(result, decided, count)
    always = [name in STRATEGIES for name in names]
    return result.assign(notes=notes_text(notes)).assign_coords(strategy=("entity", always))


def _share_draws(prevalence: Any, draws: int) -> np.ndarray:
    """Return the share of the positive class in each draw."""
    shares = check_labelled_prevalence(prevalence)
    if shares.dims not in ((), ("draw",)) or shares.sizes.get("draw", draws) != draws:
        raise ArgumentError(
            "prevalence", f"must be a number or {draws} draws along draw", dict(shares.sizes)
        )
    return np.broadcast_to(shares.values, (draws,))


def _summarize(
    benefit: xr.DataArray, observed: xr.DataArray, prob: float
) -> dict[str, xr.DataArray]:
    """Return the interval of net benefits, the observed ones, and means over draws with their errors."""
    highest = benefit.max("entity")
    best = benefit == highest
    cuts = benefit.quantile([(1 - prob) / 2, (1 + prob) / 2], "draw").drop_vars("quantile")
    variables = {
        "lower": cuts.isel(quantile=0),
        "upper": cuts.isel(quantile=1),
        "observed": observed,
    }
    variables |= name_pair("mean", mean_and_error(benefit))
    variables |= name_pair("probability_best", share_and_error(best / best.sum("entity"), benefit))
    return variables | name_pair("expected_regret", mean_and_error(highest - benefit))


def _truth(y_true: Any, positive: Any) -> np.ndarray:
    """Return 1 for positive cases and 0 for the others."""
    labels = check_labels("y_true", y_true).tolist()
    distinct = set(labels)
    if len(distinct) != 2:
        raise ArgumentError("y_true", "must have cases of two classes", f"{list(distinct)[:5]}")
    named = ordered_categories(y_true) or sorted(distinct, key=str)
    classes, chosen = arrange_classes(
        [name for name in named if name in distinct], positive, is_ordered(y_true)
    )
    if chosen is None:
        raise ArgumentError(
            "positive",
            Advice("must name the positive class, as in ", Typed("positive", classes[1])),
            f"none of {classes[0]!r} and {classes[1]!r}",
        )
    return np.array([label == classes[1] for label in labels], dtype=np.int64)


def _risks(predictions: Any, size: int) -> dict[Any, np.ndarray]:
    """Return the predicted probabilities of each entity."""
    result = {}
    for name in check_by_entity("predictions", predictions, "predicted probabilities"):
        risk = check_numbers(f"predictions[{name!r}]", predictions[name], 0.0, 1.0)
        if risk.shape != (size,):
            raise ArgumentError(
                f"predictions[{name!r}]",
                f"must contain one probability for each of the {size} cases",
                f"shape {risk.shape}",
            )
        result[name] = risk
    return result


def _distinct_decisions(treated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct decisions (decision, case), and the index of the decision of each entity and strategy.

    Entities with the same decisions have exactly the same net benefit, and share a rank.
    """
    cases = treated.shape[1]
    decisions, whose = np.unique(
        np.vstack([treated, [True] * cases, [False] * cases]), axis=0, return_inverse=True
    )
    return decisions, whose.ravel()


def _net_benefit(
    weight: np.ndarray,
    positive: np.ndarray,
    decided: list[tuple[np.ndarray, np.ndarray]],
    thresholds: np.ndarray,
    share: np.ndarray | None,
) -> np.ndarray:
    """Return the net benefit (draw, entity, threshold) for case weights (draw, case)."""
    sick, well = weight[:, positive], weight[:, ~positive]
    sums = [part.sum(axis=1, keepdims=True) for part in (sick, well)]
    p = sums[0] / (sums[0] + sums[1]) if share is None else share[:, None]
    benefits = []
    for (treated, whose), t in zip(decided, thresholds, strict=True):
        tpr = sick @ treated[:, positive].T / sums[0]
        fpr = well @ treated[:, ~positive].T / sums[1]
        benefits.append((p * tpr - (1 - p) * fpr * t / (1 - t))[:, whose])
    return np.stack(benefits, axis=-1)


def _few_discordant(
    result: xr.Dataset, decided: list[tuple[np.ndarray, np.ndarray]], count: np.ndarray
) -> list[Note]:
    """Note the claims that rest on few cases, because the best entity and another one treat few cases differently."""
    names = [str(name) for name in result["entity"].values]
    best = result["probability_best"].transpose("threshold", "entity").values
    counted = []
    for i, (treated, whose) in enumerate(decided):
        # Entities with the same decisions share P(best).
        together = np.bincount(whose, best[i], len(treated))
        first = int(together.argmax())
        differ = (treated != treated[first]) @ count
        others = [j for j in range(len(names)) if whose[j] != first]
        if together[first] < ResultRecord.of(result).prob or not others:
            continue
        near = min(others, key=lambda j: (differ[whose[j]], names[j]))
        best_name = min(names[j] for j in range(len(names)) if whose[j] == first)
        counted.append(
            (int(differ[whose[near]]), float(result["threshold"].values[i]), best_name, names[near])
        )
    rare = sorted(one for one in counted if one[0] < UNITS)
    if not rare:
        return []
    least, at, leader, rival = rare[0]
    fields = {
        "threshold": at,
        "first": leader,
        "rival": rival,
        "different": least,
        "cases": int(count.sum()),
    }
    return [
        Note("few_discordant_at_threshold", {**fields, "others": len(rare) - 1, "enough": UNITS})
    ]
