"""More cases for tables: rows of counts are Dirichlet."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import label_values
from bayesrank._core.errors import Advice, ArgumentError, InPython
from bayesrank._core.labels import select_names
from bayesrank._core.sampling import dirichlet
from bayesrank.evidence.kinds import TableEvidence
from bayesrank.models import in_closed_form
from bayesrank.performance.arrays import as_performance
from bayesrank.planning.futures import TableScore, Updates, gradient, split_cases
from bayesrank.planning.preposterior import Preposterior, Request, known_shares, outcome_score
from bayesrank.scores._against_rest import mark_classes

#: The kind of new cases that is a bound: how far per-case data can help depends on errors that
#: tables do not show.
OVERLAP = "per-case data, largest overlap of errors"


class FutureTables(Updates):
    """Tables of counts: rows are Dirichlet; row totals are known, or Dirichlet and shared by a test set.

    ``alpha`` (entity, class, answer) holds the prior and the counts; ``known`` the known class
    shares (entity, class) of the performance, and ``shares`` those of the new cases: both are None
    where classes are sampled.
    """

    def __init__(
        self,
        score: TableScore,
        alpha: np.ndarray,
        known: np.ndarray | None,
        shares: np.ndarray | None,
        test_set: np.ndarray,
        futures: int,
        rng: np.random.Generator,
    ) -> None:
        self.score, self.known, self.shares, self.test_set, self.rng = (
            score,
            known,
            shares,
            test_set,
            rng,
        )
        self.before = alpha.sum((-2, -1))
        self.alpha = np.repeat(alpha[None], futures, axis=0)
        self.rates = dirichlet(rng, alpha, futures)
        self.sets = [np.flatnonzero(test_set == name) for name in np.unique(test_set)]
        if known is not None:
            self.prevalence = np.broadcast_to(known, (futures, *known.shape))
        else:
            self.prevalence = np.empty((futures, *alpha.shape[:-1]))
            for members in self.sets:
                self.prevalence[:, members] = dirichlet(rng, alpha[members[0]].sum(-1), futures)[
                    :, None
                ]
        self.truth = score(self.rates * self.prevalence[..., None])

    def extend(self, more: int) -> None:
        """Draw the classes of ``more`` cases, the same ones for the entities of a test set, and the answers."""
        for members in self.sets:
            first = members[0]
            if self.shares is None:
                cases = self.rng.multinomial(more, self.prevalence[:, first])
            else:
                cases = split_cases(self.added, more, self.shares[first])[None]
            self.alpha[:, members] += self.rng.multinomial(cases[:, None], self.rates[:, members])
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.alpha.sum(-1)
        rates = self.alpha / size[..., None]
        share = size / size.sum(-1, keepdims=True) if self.known is None else self.prevalence
        tables = rates * share[..., None]
        slope = gradient(self.score, tables)
        by_rate = slope * share[..., None]
        variance = (rates * by_rate**2).sum(-1) - (rates * by_rate).sum(-1) ** 2
        variance = (variance / (size + 1)).sum(-1)
        covariance = variance[:, :, None] * np.eye(variance.shape[1])
        if self.known is None:
            by_share = (rates * slope).sum(-1)
            centred = (by_share - (by_share * share).sum(-1, keepdims=True)) * np.sqrt(share)
            common = centred @ np.swapaxes(centred, 1, 2) / (size.sum(-1)[..., None] + 1)
            covariance += common * (self.test_set[:, None] == self.test_set)
        return self.score(tables), covariance


def overlapping_noise(
    score: TableScore,
    tables: np.ndarray,
    known: bool,
    shares: np.ndarray | None,
    test_set: np.ndarray,
) -> np.ndarray:
    """Return the covariance of what one new case says on the scores, if errors overlap as far as rates allow.

    ``tables`` (entity, class, answer) are the truth; the new cases of a test set have the class
    ``shares``.
    """
    prevalence = tables.sum(-1)
    rates = tables / np.maximum(prevalence, 1e-300)[..., None]
    shares = prevalence if shares is None else shares
    slope = gradient(score, tables)
    # How much one case of each class and answer moves the score, times the number of cases.
    level = (slope * rates).sum(-1)
    within = (slope - level[..., None]) * (prevalence / np.maximum(shares, 1e-300))[..., None]
    root = np.sqrt(shares)
    classes = range(tables.shape[-2])
    noise = sum(
        comonotone(within[:, c], rates[:, c]) * np.outer(root[:, c], root[:, c]) for c in classes
    )
    if not known:
        centred = (level - (level * prevalence).sum(-1, keepdims=True)) * np.sqrt(prevalence)
        noise = noise + centred @ centred.T
    return noise * (np.eye(len(test_set), dtype=bool) | (test_set[:, None] == test_set))


def comonotone(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the largest possible mean products (entity, entity) of values (entity, answer) that occur with shares.

    A product is largest if the order of the values is the same for both entities.
    """
    order = np.argsort(values, axis=-1)
    values = np.take_along_axis(values, order, -1)
    ends = np.cumsum(np.take_along_axis(shares, order, -1), -1)
    ends[:, -1] = 1.0
    steps = np.union1d(0.0, ends)
    middle = (steps[1:] + steps[:-1]) / 2
    quantiles = np.stack(
        [own[np.searchsorted(end, middle)] for own, end in zip(values, ends, strict=True)]
    )
    return quantiles * np.diff(steps) @ quantiles.T


def alternatives_of_tables(evidence: TableEvidence, source: Preposterior) -> dict[str, Request]:
    """Return requests for other kinds of new cases, by their names."""
    kinds = alternative_classes(source)
    performance = source.groups["posterior"].get("performance")
    two = performance is not None and performance.sizes.get("actual") == 2
    sets = (
        evidence.counts.coords.get("test_set")
        if two and source.about.model in in_closed_form()
        else None
    )
    if sets is not None and len(np.unique(sets)) < sets.size:
        kinds = (kinds or {"more cases": Request()}) | {OVERLAP: Request(overlap=True)}
    return kinds


def alternative_classes(source: Preposterior) -> dict[str, Request]:
    """Return requests for other shares of positives, by their names; none if these are not set by design."""
    if not source.designed or source.about.population:
        return {}
    shares = {
        f"{100 * share:g}% positives": Request(positives=share) for share in (0.25, 0.5, 0.75)
    }
    return {"classes as observed": Request()} | shares


def update_tables(evidence: TableEvidence, source: Preposterior, request: Request) -> Preposterior:
    """Return how more cases would update the scores of tables."""
    counts = source.counts()
    if "dataset" in counts.dims:
        raise ArgumentError(
            "posterior",
            Advice(
                "must come from one data set, or from all data sets pooled",
                InPython(" (br.pool)"),
                ", to plan more of its cases",
            ),
            f"a mean over {counts.sizes['dataset']} data sets",
        )
    if source.about.model in in_closed_form():
        if "outcome" in counts.dims:
            return _of_outcome_counts(source, counts)
        return _of_tables(source, counts, request.positives, request.overlap)
    cases = counts.sum([d for d in counts.dims if d != "entity"]).values.astype(float)
    return source.normal(cases, source.covariance)


def _of_tables(
    source: Preposterior, counts: xr.DataArray, positives: float | None, overlap: bool
) -> Preposterior:
    labels = as_performance(source.posterior, source.kind)["actual"].values
    order = {"actual": labels, "predicted": labels}
    table = select_names(counts, order).transpose("entity", "actual", "predicted").values
    alpha = (
        select_names(source.prior(), order).transpose("entity", "actual", "predicted").values
        + table
    )
    rows = table.sum(-1)
    class_shares = known_shares(source)
    shares = None
    if class_shares is not None:
        shares = (
            rows / rows.sum(-1, keepdims=True)
            if positives is None
            else np.full(rows.shape, positives)
        )
        if positives is not None:
            shares[:, 0] = 1 - positives
    # Entities of one test set meet the same new cases.
    test_set = (
        pd.factorize(counts["test_set"].values)[0]
        if "test_set" in counts.coords
        else np.arange(len(alpha))
    )
    score, units = source.table_score(mark_classes(rows, table.sum(-2))), rows.sum(-1)
    if overlap:
        # The noise of a case is that at today's mean table.
        sizes = alpha.sum(-1, keepdims=True)
        prevalence = (
            sizes / sizes.sum(-2, keepdims=True)
            if class_shares is None
            else class_shares[..., None]
        )
        noise = overlapping_noise(
            score, alpha / sizes * prevalence, class_shares is not None, shares, test_set
        )
        return source.normal(units, source.covariance, noise)
    updates = partial(FutureTables, score, alpha, class_shares, shares, test_set)
    return replace(source, units=units, cells=alpha.size, updates=updates)


def _of_outcome_counts(source: Preposterior, counts: xr.DataArray) -> Preposterior:
    values = np.asarray(label_values(counts["outcome"].values))
    table = counts.transpose("entity", "outcome").values[:, None]
    alpha = table + source.prior().transpose("entity", "outcome").values[:, None]
    ones, sign, function = (
        np.ones((len(table), 1)),
        source.found.sign,
        outcome_score(source).outcome_function,
    )
    assert function is not None

    def of(tables: np.ndarray) -> np.ndarray:
        return sign * function(tables[..., 0, :], values)

    make = partial(FutureTables, of, alpha, ones, ones, np.arange(len(table)))
    return replace(source, units=table.sum((-2, -1)), cells=alpha.size, updates=make)
