"""The gate: whether a change makes a score worse than that of a baseline, by more than a margin.

One planned look compares the difference with its posterior standard deviation. Several planned
looks share the error equally: test statistics of growing data are positively correlated, so that n
looks at 1 - (1 - error)^(1/n) each have the stated error in all (Slepian 1962), whatever the
spacing. Any number of looks needs a test martingale: the wealth of bets on the paired differences,
averaged over the sizes of the bet (Waudby-Smith and Ramdas 2024).
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr
from scipy.special import bdtr, betaincinv, logsumexp, ndtr, ndtri, stdtr, stdtrit

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_integer,
    check_number,
    check_prob,
    check_unique,
    is_text,
)
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import known_classes
from bayesrank._core.notes import notes_text
from bayesrank._core.records import GateRecord
from bayesrank._core.source import Over
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.homogeneity import holm
from bayesrank.ranking.aggregates import Scored, scored
from bayesrank.ranking.evidence import RankingEvidence
from bayesrank.ranking.extremes import Comparison
from bayesrank.ranking.values import ScoreValues, one_ranking

#: Sizes of a bet, as shares of the largest one, in equal steps of the logarithm.
BETS = 0.95 * 2.0 ** -np.arange(0, 9, 0.25)
#: Assurance of the number of further cases, and the largest multiple of today's cases that is
#: reported.
ASSURANCE, MOST = 0.8, 100
#: With fewer cases that differ, their number bounds the difference.
FEW = 10
#: Scores that depend on right or wrong alone; and of the negative cases alone (0) or the positive
#: ones (1).
RIGHT_OR_WRONG = ("accuracy", "error_rate")
OF_ONE_CLASS = {"tpr": 1, "fnr": 1, "tnr": 0, "fpr": 0}
VERDICTS = ("worse", "undecided", "not worse")


@check_call
def gate(
    source: Container,
    baseline: Any,
    score: ScoreLike | None = None,
    *,
    margin: float = 0.0,
    looks: int | Literal["any"] = 1,
    prob: float = 0.95,
    higher_is_better: bool | None = None,
) -> xr.Dataset:
    """Decide whether entities are worse than a baseline by more than a margin, not worse, or undecided.

    Parameters
    ----------
    source : InferenceData, DataTree, Dataset or DataArray
        A posterior from :func:`bayesrank.fit`, or joint draws of the score, with two entities or
        more.
    baseline : hashable
        The entity that the others are compared with.
    score : Score, str or callable, optional
        As for :func:`bayesrank.credible_ranking`.
    margin : float
        By how much the score may be worse, in its units, at least 0.
    looks : int or "any"
        How often the gate is run while the data grow: a planned number, or "any" for any number of
        times. "any" only works for the mean outcome of paired, independent cases with a known
        range.
    prob : float
        1 minus the one-sided probability of a false *worse*, over all looks and entities; the same
        for *not worse*.
    higher_is_better : bool, optional
        Overrides the direction of the score.

    Returns
    -------
    xarray.Dataset
        Over ``entity``, without the baseline:

        - ``verdict``: "worse" if the score is worse by more than the margin, "not worse" if it is
          not, or "undecided";
        - ``difference``: by how much the score is better (worse if negative) than that of the
          baseline: the posterior mean; with ``looks="any"``, or of worst scores and gaps, the
          observed difference; ``lower``, ``upper``: its one-sided bounds, jointly for all entities
          and looks;
        - ``p_worse``, ``p_not_worse``: p-values of the two claims, adjusted for the number of
          entities by the method of Holm, to be compared with ``attrs["level"]``;
        - ``cases``: the number of paired cases (or the smaller number of cases of the two),
          ``discordant``: the number on which the two differ, NaN if unknown;
        - ``identical``: what the entity and the baseline have in common on all cases: "answers",
          "outcomes", "errors" (for accuracy: the same cases right), "positive" or "negative" (for
          TPR or TNR: the answers to the cases of that class), "draws" (the score in every draw);
          empty if they differ in the score. Such an entity is "not worse", whatever its p-values;
        - ``needed``: how many more cases decide with probability 0.8 if today's difference is the
          true one; 0 if decided, infinite if more than 100 times as many are needed, NaN if
          unknown.

        ``attrs["verdict"]`` is the worst verdict of all entities. ``notes`` holds the notes on the
        evidence, as JSON.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the baseline is not an entity, or is the only entity, ``margin`` is negative, or
        ``looks`` is below 1. ``looks="any"`` needs mean outcomes in a known range of paired cases,
        without clusters or weights.

    References
    ----------
    Slepian (1962), The one-sided barrier problem for Gaussian noise, Bell System Technical Journal
    41:463-501. Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by
    betting, Journal of the Royal Statistical Society B 86:1-27. Holm (1979), A simple sequentially
    rejective multiple test procedure, Scandinavian Journal of Statistics 6:65-70.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> right = pd.DataFrame({"old": np.repeat([1, 1, 0, 0], [700, 60, 40, 200]),
    ...                       "new": np.repeat([1, 0, 1, 0], [700, 60, 40, 200])})
    >>> posterior = br.fit(br.from_outcomes(right), seed=1)
    >>> found = gate(posterior, "old", margin=0.05)
    >>> found["verdict"].item(), found["discordant"].item()
    ('not worse', 100.0)
    >>> gate(posterior, "old", looks="any")["verdict"].item()
    'undecided'
    """
    margin = check_number("margin", margin, 0.0, finite=True)
    error = 1 - check_prob("prob", prob)
    if not is_text(looks, "any"):
        looks = check_integer("looks", looks, 1)
    if isinstance(source, Over):
        _check_aggregate(source, looks)
    base_scores = scored(source, score, higher_is_better, None)
    score_values, evidence = base_scores.found, base_scores.evidence
    one_ranking(score_values.values.dims)
    names = score_values.values["entity"].values.tolist()
    check_unique("entity", names)
    check_choice("baseline", baseline, names, ArgumentKeyError)
    base, others = names.index(baseline), [i for i, name in enumerate(names) if name != baseline]
    if not others:
        raise ArgumentError(
            "source", f"must contain a second entity to compare with {baseline!r}", "one entity"
        )
    if looks == "any":
        _check_bets(evidence, score_values)
        level = error
        parts: Sequence[_Normal | _Bets | Comparison] = [
            _Bets(evidence, score_values, i, base) for i in others
        ]
    else:
        level = 1 - (1 - error) ** (1 / looks)
        parts = _normals(base_scores, others, base)
    largest = score_values.range[1] - score_values.range[0]  # no difference is larger
    columns = _compare(parts, margin, level, largest)
    columns["identical"] = identical = _identical(evidence, score_values, others, base)
    same = identical != ""
    columns["verdict"] = verdict = np.where(same, "not worse", columns["verdict"])
    columns["difference"] = np.where(same, 0.0, columns["difference"])
    cases, discordant = _count_cases(evidence, len(names), others, base)
    columns |= {"cases": cases.astype(float), "discordant": discordant}
    needed = [part.needed(margin, n, level) for part, n in zip(parts, cases, strict=True)]
    columns["needed"] = np.where(verdict == "undecided", needed, 0.0)
    result = xr.Dataset(
        {name: ("entity", values) for name, values in columns.items()},
        {"entity": score_values.values["entity"][others].values},
    )
    withheld = base_scores.information.withheld()
    notes = [*base_scores.notes, *base_scores.caps, *([withheld] if withheld else [])]
    result["notes"] = notes_text([*notes, *evidence.notes(base_scores.score)])
    origin = evidence.origin()
    record = GateRecord(
        score=score_values.name,
        display=score_values.display,
        higher_is_better=score_values.higher_is_better,
        prob=prob,
        baseline=str(baseline),
        margin=margin,
        looks=str(looks),
        level=level,
        verdict=next(word for word in VERDICTS if word in verdict),
        ledger=origin.ledger,
        noun=origin.noun,
        in_percent=origin.in_percent,
    )
    return result.assign_attrs(record.to_attrs())


def _check_aggregate(source: Over, looks: Any) -> None:
    """Raise an error for an aggregate over groups that a gate cannot test."""
    source.check(
        ("mean", "worst", "gap"), "a gate", "others depend on the entities that are compared"
    )
    if is_text(looks, "any"):
        raise ArgumentError("looks", "must be a number for an aggregate over groups", "'any'")


def _compare(
    parts: Sequence["_Normal | _Bets | Comparison"], margin: float, level: float, largest: float
) -> dict[str, np.ndarray]:
    """Return the differences, their bounds, the p-values of both claims, and the verdicts (entity)."""
    lower, upper = (
        np.clip([part.bound(level / len(parts), side) for part in parts], -largest, largest)
        for side in (-1, 1)
    )
    worse, not_worse = (
        holm(np.array([part.p_value(margin, side) for part in parts])) for side in (-1, 1)
    )
    is_worse, is_not_worse = worse <= level, not_worse <= level
    verdict = np.where(is_not_worse & ~is_worse, "not worse", "undecided")
    return {
        "difference": np.array([part.difference for part in parts]),
        "lower": lower,
        "upper": upper,
        "p_worse": worse,
        "p_not_worse": not_worse,
        "verdict": np.where(is_worse & ~is_not_worse, "worse", verdict),
    }


def _count_cases(
    evidence: RankingEvidence, size: int, others: list[int], base: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of cases of each comparison, and of those on which the two differ; NaN if unknown."""
    joint = evidence.joint_cases
    if joint is not None and joint.cluster is None:
        both = (joint.answers >= 0) & (joint.answers[:, [base]] >= 0)
        differ = both & (joint.answers != joint.answers[:, [base]])
        return (joint.count @ both)[others], (joint.count @ differ)[others]
    cases = evidence.size(size)
    return np.fmin(cases[others], cases[base]), np.full(len(others), np.nan)


def _identical(
    evidence: RankingEvidence, found: ScoreValues, others: list[int], base: int
) -> np.ndarray:
    """Return what each of the others has in common with the baseline on all cases that the score looks at."""
    joint, values = evidence.joint_cases, found.values.transpose("entity", ...).values.astype(float)
    if joint is None or joint.answers.shape[1] != len(values):
        same = [values[0].size > 1 and bool((values[i] == values[base]).all()) for i in others]
        return np.where(same, "draws", "")
    if joint.training is not None:  # equal outcomes of averages do not show equal models
        return np.full(len(others), "")
    tries = {"outcomes" if joint.actual is None else "answers": joint.answers}
    if joint.actual is not None and joint.predicted is not None:
        right = joint.predicted == joint.actual[:, None]
        if found.name in RIGHT_OR_WRONG:
            tries["errors"] = np.where(joint.answers < 0, -1, right)
        elif found.name in OF_ONE_CLASS and evidence.counts is not None:
            classes = known_classes(evidence.counts)
            side = OF_ONE_CLASS[found.name]
            if classes is not None:
                tries["positive" if side else "negative"] = joint.answers[
                    joint.actual == classes[side]
                ]
    equal = {
        what: (answers[:, others] == answers[:, [base]]).all(axis=0)
        for what, answers in tries.items()
    }
    return np.select(list(equal.values()), list(equal), "")


class _Normal:
    """A difference with a normal or t-distributed error, as :meth:`Information.threshold` has them.

    ``excess`` is the factor by which independent cases vary more than their clusters do, at least
    1.
    """

    def __init__(self, difference: float, spread: float, freedom: float, excess: float) -> None:
        self.difference, self.spread, self.freedom, self.excess = (
            difference,
            spread,
            freedom,
            excess,
        )

    def p_value(self, margin: float, side: int) -> float:
        """Return the p-value of the claim that the difference is above (1) or below (-1) minus the margin."""
        lead = side * (self.difference + margin)
        if not self.freedom > 0 or not np.isfinite(self.spread) or np.isnan(lead):
            return 1.0
        if self.spread == 0:
            return 0.0 if lead > 0 else 1.0
        z = -lead / self.spread
        of_cases = ndtr(z / self.excess if z < 0 else z)
        return float(of_cases if np.isinf(self.freedom) else max(stdtr(self.freedom, z), of_cases))

    def bound(self, level: float, side: int) -> float:
        """Return the upper (1) or lower (-1) bound."""
        if not self.freedom > 0 or not np.isfinite(self.spread):
            return side * np.inf
        wide = -ndtri(level) * self.excess
        if np.isfinite(self.freedom):
            wide = max(wide, -stdtrit(self.freedom, level))
        return float(self.difference + side * wide * self.spread)

    def needed(self, margin: float, cases: float, level: float) -> float:
        """Return how many more cases decide with probability ``ASSURANCE`` if the true difference is today's."""
        gap = abs(self.difference + margin)
        if np.isnan(cases) or np.isnan(gap) or not np.isfinite(self.spread):
            return np.nan
        if gap == 0 or self.spread == 0:
            return np.inf
        total = cases * ((ndtri(ASSURANCE) - ndtri(level) * self.excess) * self.spread / gap) ** 2
        return float(np.ceil(max(total - cases, 1))) if total <= MOST * cases else np.inf


class _Few(_Normal):
    """A difference of so few cases that its standard deviation is not known.

    A mean difference of -m needs that a share m, divided by the range of outcomes, of the cases is
    worse. So numbers of worse and of better cases bound it exactly, by binomial probabilities.
    """

    def __init__(
        self,
        difference: float,
        spread: float,
        freedom: float,
        excess: float,
        worse: int,
        better: int,
        cases: int,
        most: float,
    ) -> None:
        super().__init__(difference, spread, freedom, excess)
        self.worse, self.better, self.cases, self.most = worse, better, cases, most

    def p_value(self, margin: float, side: int) -> float:
        if side < 0 or margin == 0:
            return super().p_value(margin, side)
        return float(bdtr(self.worse, self.cases, min(margin / self.most, 1.0)))

    def bound(self, level: float, side: int) -> float:
        observed = self.worse if side < 0 else self.better
        share = (
            1.0
            if observed == self.cases
            else float(betaincinv(observed + 1, self.cases - observed, 1 - level))
        )
        return side * self.most * share


def _normals(one: Scored, others: list[int], base: int) -> Sequence["_Normal | Comparison"]:
    """Return the differences from draws, with the effective degrees of freedom and corrections of rank sets."""
    score_values, information = one.found, one.information
    values, dims = score_values.values, draw_dims(score_values.values)
    if not dims or values.size == values.sizes["entity"]:
        raise ArgumentError(
            "source", "must contain draws", "a point estimate", "br.fit gives draws"
        )
    x = score_values.sign * values.stack(every=dims).transpose("every", "entity").values.astype(
        float
    )
    withheld = information.withheld() is not None or bool(one.caps)
    if one.extremes is not None:
        return [
            Comparison(one.extremes, np.array([i, base]), information, withheld) for i in others
        ]
    parts = []
    for i in others:
        differences = x[:, i] - x[:, base]
        differences = differences[~np.isnan(differences)]
        freedom, factor, excess = information.of_pair(i, base)
        spread = float(differences.std()) * factor if len(differences) > 1 else np.inf
        difference = float(differences.mean()) if len(differences) else np.nan
        few_differences = (
            None if withheld else _few_differences(one.evidence, score_values, i, base)
        )
        if few_differences is None:
            parts.append(_Normal(difference, spread, 0.0 if withheld else freedom, excess))
        else:
            parts.append(_Few(difference, spread, freedom, excess, *few_differences))
    return parts


def _few_differences(
    evidence: RankingEvidence, found: ScoreValues, one: int, base: int
) -> tuple[int, int, int, float] | None:
    """Return how many cases are worse and better, their number, and the range, if few of them differ; else None."""
    joint, ends = evidence.joint_cases, found.ends
    if joint is None or joint.outcome is None or joint.cluster is not None or not _is_mean(found):
        return None
    differences = found.sign * (joint.outcome[:, one] - joint.outcome[:, base])
    worse, better = (int(joint.count[rows].sum()) for rows in (differences < 0, differences > 0))
    if worse + better >= FEW or ends is None or not np.isfinite(ends).all():
        return None
    return worse, better, int(joint.count[~np.isnan(differences)].sum()), float(ends[1] - ends[0])


def _is_mean(found: ScoreValues) -> bool:
    """Return whether values are means over cases of their outcomes."""
    return found.name == "mean_outcome" or (found.score is not None and found.score.is_mean)


def _check_bets(evidence: RankingEvidence, found: ScoreValues) -> None:
    """Raise an error unless the score is a mean of bounded outcomes over paired, independent cases."""
    joint, ends = evidence.joint_cases, found.ends
    why = ""
    if joint is None:
        why = "no single cases"
    elif joint.outcome is None or not _is_mean(found):
        why = f"{found.name}, which is no mean over cases"
    elif joint.cluster is not None:
        why = "clusters of cases"
    elif ends is None or not np.isfinite(ends).all():
        why = "outcomes without a known range (range= of br.from_outcomes)"
    elif (joint.count != np.round(joint.count)).any():
        why = "weighted cases"
    if why:
        raise ArgumentError(
            "looks",
            "must be a number unless the score is the mean outcome of paired, independent cases",
            f"'any' for {why}",
        )


class _Bets:
    """The wealth of bets on paired differences, each averaged over the size of the bet."""

    def __init__(self, evidence: RankingEvidence, found: ScoreValues, one: int, base: int) -> None:
        joint = evidence.joint_cases
        assert joint is not None
        assert joint.outcome is not None
        assert found.ends is not None
        self.most = float(found.ends[1] - found.ends[0])
        differences = found.sign * (joint.outcome[:, one] - joint.outcome[:, base])
        values, position = np.unique(differences[~np.isnan(differences)], return_inverse=True)
        self.values = values
        self.count = np.bincount(
            position, joint.count[~np.isnan(differences)], minlength=len(values)
        )
        total = self.count.sum()
        self.difference = float(self.count @ values / total) if total else np.nan

    def log_wealth(self, mean: float, side: int, times: float = 1.0) -> float:
        """Return the logarithm of the wealth of bets that the mean is above (1) or below (-1) a number.

        ``times`` is the multiple of today's cases, if the others are like them.
        """
        # A bet may lose at most 95% of the wealth on the largest possible loss.
        loss = self.most + side * mean
        if loss <= 0:
            return 0.0
        return float(
            logsumexp(
                np.log1p(side * np.outer(BETS / loss, self.values - mean)) @ self.count * times
            )
            - np.log(len(BETS))
        )

    def p_value(self, margin: float, side: int) -> float:
        """Return the p-value of the claim that the mean is above (1) or below (-1) minus the margin, at any time."""
        return float(np.exp(-max(self.log_wealth(-margin, side), 0.0)))

    def needed(self, margin: float, cases: float, level: float) -> float:
        """Return how many more cases decide with probability ``ASSURANCE`` if the true difference is today's."""
        requested = -np.log(level)
        side = 1 if self.difference + margin > 0 else -1
        if np.isnan(self.difference) or self.log_wealth(-margin, side, MOST) < requested:
            return np.nan if np.isnan(self.difference) else np.inf
        from scipy.optimize import brentq  # takes longer to import than a small ranking

        times = brentq(lambda f: self.log_wealth(-margin, side, f) - requested, 0.0, MOST)
        if len(self.values) > 1:  # the wealth of half of the futures is smaller than expected
            z = np.sqrt(2 * requested)
            times *= (1 + ndtri(ASSURANCE) / z) ** 2
        return float(np.ceil(max((times - 1) * cases, 1))) if times <= MOST else np.inf

    def bound(self, level: float, side: int) -> float:
        """Return the upper (1) or lower (-1) bound, by bisection: means beyond it are rejected."""
        inside, outside = self.difference, side * self.most * (1 - 1e-9)
        for _ in range(60):
            middle = (inside + outside) / 2
            if self.log_wealth(middle, -side) < -np.log(level):
                inside = middle
            else:
                outside = middle
        return float(outside)
