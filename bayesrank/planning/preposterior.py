"""The scores of a posterior before new evidence comes in (preposterior analysis), and what a plan asks of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_choice
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import (
    Advice,
    ArgumentError,
    ArgumentKeyError,
    ArgumentTypeError,
    InPython,
    Typed,
)
from bayesrank._core.labels import classes_in_averages, names_classes
from bayesrank._core.records import ModelRecord
from bayesrank._core.source import Over, Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.kinds import EvidenceKind, parse_evidence
from bayesrank.performance.arrays import as_performance, observed_counts
from bayesrank.planning.futures import NormalScores
from bayesrank.ranking.aggregates import Scored
from bayesrank.ranking.separation import population_behind
from bayesrank.ranking.shrinkage import MeanPopulation
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import Score
from bayesrank.scores._against_rest import mark_chosen

#: Posterior draws that are used.
DRAWS = 4000
#: An entity without a value in more than this share of the draws is left out.
MOSTLY = 0.5


@dataclass(frozen=True)
class Request:
    """What is asked of new units."""

    more: str | None = (
        None  #: The kind of unit; None for the one that the model takes as independent.
    )
    positives: float | None = (
        None  #: Share of positives among new cases; None for the observed one.
    )
    pair: bool = True  #: Whether new cases are known one by one; else by their tables alone.
    overlap: bool = False  #: Whether errors of entities overlap as far as their rates allow.


@dataclass(frozen=True)
class Preposterior:
    """The scores of a posterior, and how new units of one kind would update them (preposterior analysis)."""

    scored: Scored
    score: ScoreLike | None
    kind: str | None
    #: Positions of the entities that can meet the target, and their scores (draw, entity), higher
    #: is better.
    keep: np.ndarray
    draws: np.ndarray
    #: The learned population of all entities, their draws, and the kept ones among them; None
    #: without one.
    population: MeanPopulation | None
    everyone: np.ndarray
    kept: np.ndarray
    #: The first entity (position) with the same outcomes on all cases.
    twin: np.ndarray
    #: What is counted, such as cases; the observed units of each entity, and the mean number of
    #: cases in a new unit.
    unit: str = "cases"
    units: Any = None
    cases_each: float = 1.0
    #: What stays as observed, so that more units cannot settle everything; empty if nothing does.
    fixed: str = ""
    #: The largest number of new units: of labels, the cases that have none.
    most: float = np.inf
    #: Numbers in one future, if it is a table; 0 for others.
    cells: int = 0
    #: From the number of futures and a random generator to simulated futures.
    updates: Any = None

    @property
    def posterior(self) -> Source:
        assert self.scored.source is not None  # of a posterior, not of an aggregate
        return self.scored.source

    @property
    def groups(self) -> dict[str, xr.Dataset]:
        return self.posterior.groups

    @property
    def found(self) -> ScoreValues:
        return self.scored.found

    @property
    def about(self) -> ModelRecord:
        return self.posterior.model

    @property
    def evidence(self) -> EvidenceKind:
        return parse_evidence(self.posterior)

    @property
    def designed(self) -> bool:
        """Whether the sizes of two classes were set by design."""
        performance = self.groups["posterior"].get("performance")
        two = performance is not None and performance.sizes.get("actual") == 2
        return two and self.about.assumed_prevalence != "sampled"

    @property
    def names(self) -> list[Any]:
        return self.found.values["entity"].values[self.keep].tolist()

    @property
    def alike(self) -> list[str]:
        """Return the entities with the same outcomes as another one on all cases, which are assumed to be equal."""
        return [
            str(name) for i, name in enumerate(self.names) if (self.twin == self.twin[i]).sum() > 1
        ]

    @property
    def covariance(self) -> np.ndarray:
        return np.cov(self.draws.T).reshape(self.draws.shape[1], -1)

    def true_scores(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return true scores (future, entity) from the learned population, coupled with those of the posterior."""
        if self.population is None or self.fixed:
            return truth
        others = self.everyone[
            np.linspace(0, len(self.everyone) - 1, len(truth)).round().astype(int)
        ].copy()
        others[:, self.kept] = truth
        sign = self.found.sign
        return np.asarray(
            sign * self.population.redraw(sign * others, rng)[:, self.kept[self.twin]]
        )

    def counts(self) -> xr.DataArray:
        """Return the observed counts of the entities that are ranked, or raise if they are not known."""
        counts = observed_counts(self.posterior)
        if counts is None:
            raise ArgumentError(
                "posterior",
                "must contain the observed counts, which show how much one more case adds",
            )
        return counts.isel(entity=self.keep)

    def prior(self) -> xr.DataArray:
        return self.groups["constant_data"]["prior_concentration"].isel(entity=self.keep)

    def normal(
        self, units: np.ndarray, within: np.ndarray, noise: Any = None, **facts: Any
    ) -> "Preposterior":
        """Return the source whose new units reduce the part ``within`` of the covariance of normal scores."""
        return replace(
            self,
            units=units,
            updates=partial(NormalScores, self.draws, within, units, noise=noise),
            **facts,
        )

    def table_score(self, present: Any) -> Callable[[np.ndarray], np.ndarray]:
        """Return the score of tables (..., entity, class, answer), higher being better."""
        score, sign = self.found.score, self.found.sign
        if score is None:
            raise ArgumentError(
                "score", "must be one of br.scores.catalog()", f"the variable {self.found.name!r}"
            )
        performance = as_performance(self.posterior, self.kind)
        labels = performance["actual"].values.tolist()
        observed = self.posterior.observed
        averaged = classes_in_averages(observed, performance)
        present = mark_chosen(present, averaged, names_classes(observed))
        own = (
            score.labels
            if score.labels is not None and set(score.labels) == set(labels)
            else labels
        )
        order = [labels.index(label) for label in own]
        in_order, (rows, columns) = order == list(range(len(order))), np.ix_(order, order)

        def of(tables: np.ndarray) -> np.ndarray:
            return sign * score.of_tables(
                tables if in_order else tables[..., rows, columns], present[..., order]
            )

        return of


def check_posterior(posterior: Container) -> Source | Over:
    """Parse a posterior; raise an error for another source. An aggregate of a posterior is returned unchanged."""
    if isinstance(posterior, Over):
        check_posterior(posterior.source)
        return posterior
    posterior = parse_source(posterior, "posterior")
    if posterior.container is None:
        raise ArgumentTypeError("posterior", "must come from br.fit", "an array or a Dataset")
    if "posterior" not in posterior.groups:
        raise ArgumentError(
            "posterior", "must have a posterior group", f"the groups {sorted(posterior.groups)}"
        )
    return posterior


def read_source(
    one: Scored, score: ScoreLike | None, kind: str | None, top: int, named: Mapping[str, Any]
) -> Preposterior:
    """Return the scores of a posterior, for a plan.

    Entities that are in no draw among the first ``top``, are not ``named`` by an argument, and are
    not among the ``top + 1`` best means, are left out.
    """
    scored = one.found
    values = scored.values
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    if extra:
        raise ArgumentError(
            "posterior",
            Advice(
                *("must come from one data set, from all data sets pooled", InPython(" (br.pool)")),
                *(", or from a hierarchical model with ", Typed("kind", "typical"), " or 'new'"),
            ),
            f"the dims {extra} too",
        )
    dims = draw_dims(values)
    if not dims:
        raise ArgumentError("posterior", "must contain draws", "a point estimate")
    drawn = scored.sign * values.stack(all_draws=dims).transpose(
        "all_draws", "entity"
    ).values.astype(float)
    keep = np.flatnonzero(np.isnan(drawn).mean(0) <= MOSTLY)
    drawn = drawn[:, keep]
    drawn = drawn[np.isfinite(drawn).all(1)]
    if not keep.size or len(drawn) < 100:
        raise ArgumentError(
            "posterior", "must have at least 100 draws in which the score is defined", "fewer"
        )
    drawn = drawn[np.linspace(0, len(drawn) - 1, min(len(drawn), DRAWS)).round().astype(int)]
    size = values.sizes["entity"]
    full = np.full((len(drawn), size), np.nan)
    full[:, keep] = scored.sign * drawn
    ranked = np.isin(np.arange(size), keep)
    population = population_behind(full, ranked, scored, one.evidence, one.information)
    everyone = np.arange(keep.size)
    source = Preposterior(one, score, kind, keep, drawn, population, drawn, everyone, everyone)
    names = source.names
    places = [
        names.index(check_choice(which, name, names, ArgumentKeyError))
        for which, name in named.items()
    ]
    if keep.size <= top + 1:
        return source
    limit = -np.partition(-drawn, top - 1, axis=1)[:, top - 1]
    first = np.any(drawn >= limit[:, None], axis=0)
    first[places] = True
    first[np.argsort(-drawn.mean(0), kind="stable")[: top + 1]] = True
    chosen = np.arange(first.sum())
    return replace(
        source, keep=keep[first], draws=drawn[:, first], kept=np.flatnonzero(first), twin=chosen
    )


def known_shares(source: Preposterior) -> np.ndarray | None:
    """Return the known class shares (entity, class); None where they are sampled with the cases."""
    if source.about.assumed_prevalence == "sampled":
        return None
    shares = (
        as_performance(source.posterior, source.kind)
        .sum("predicted", skipna=False)
        .isel(entity=source.keep)
    )
    first_draw = shares.isel(dict.fromkeys(draw_dims(shares), 0))
    if bool((np.abs(shares - first_draw) > 1e-9).any()):
        raise ArgumentError(
            "posterior",
            "must have one prevalence for a plan",
            "draws of it",
            Advice(Typed("prevalence", 0.02), InPython(" of br.fit"), " sets one"),
        )
    return first_draw.transpose("entity", "actual").values


def outcome_score(source: Preposterior) -> Score:
    """Return the score, or raise if it is a variable of the posterior, which new cases cannot update."""
    score = source.found.score
    if score is None or score.space != "outcomes":
        raise ArgumentError(
            "score", "must be 'mean_outcome' for outcomes without classes", f"{source.found.name!r}"
        )
    return score
