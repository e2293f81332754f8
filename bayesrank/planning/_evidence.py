"""Read from a posterior which units new cases come in, and how these would update the scores."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_choice, check_number, label_values
from bayesrank._draws import draw_dims
from bayesrank._errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._labels import unique_rows
from bayesrank._records import ModelRecord
from bayesrank._source import Over, Source, parse_source
from bayesrank._types import Container, ScoreLike
from bayesrank.models import in_closed_form
from bayesrank.performance.arrays import as_performance, observed_counts
from bayesrank.planning._updates import JointOutcomes, NormalScores, Patterns, Tables, gradient, overlapping_noise
from bayesrank.ranking.aggregates import Scored
from bayesrank.ranking.separation import population_behind
from bayesrank.ranking.shrinkage import Population
from bayesrank.ranking.values import ScoreValues, score_values
from bayesrank.scores import Score

#: The kind of new cases that is a bound: how far per-case data can help depends on errors that tables do not show.
OVERLAP = "per-case data, largest overlap of errors"
MORE = ("cases", "clusters", "data sets", "runs", "training seeds")
#: Posterior draws that are used.
DRAWS = 4000
#: An entity without a value in more than this share of the draws is left out.
MOSTLY = 0.5


@dataclass(frozen=True)
class Preposterior:
    """The scores of a posterior, and how new units of one kind would update them (preposterior analysis)."""

    scored: Scored
    score: ScoreLike | None
    kind: str | None
    #: Positions of the entities that can meet the target, and their scores (draw, entity), higher is better.
    keep: np.ndarray
    draws: np.ndarray
    #: The learned population of all entities, their draws, and the kept ones among them; None without one.
    population: Population | None
    everyone: np.ndarray
    kept: np.ndarray
    #: The first entity (position) with the same outcomes on all cases.
    twin: np.ndarray
    #: What is counted: one of MORE; the units observed of each entity, and the cases that a new unit holds on average.
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
    def observed(self) -> xr.Dataset:
        return self.posterior.observed

    @property
    def names(self) -> list[Any]:
        return self.found.values["entity"].values[self.keep].tolist()

    @property
    def alike(self) -> list[str]:
        """Return the entities with the same outcomes as another one on all cases, which are taken as equal."""
        return [str(name) for i, name in enumerate(self.names) if (self.twin == self.twin[i]).sum() > 1]

    @property
    def covariance(self) -> np.ndarray:
        return np.cov(self.draws.T).reshape(self.draws.shape[1], -1)

    def true_scores(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return true scores (future, entity) from the learned population, coupled with those of the posterior."""
        if self.population is None or self.fixed:
            return truth
        others = self.everyone[np.linspace(0, len(self.everyone) - 1, len(truth)).round().astype(int)].copy()
        others[:, self.kept] = truth
        sign = self.found.sign
        return np.asarray(sign * self.population.redraw(sign * others, rng)[:, self.kept[self.twin]])

    def counts(self) -> xr.DataArray:
        """Return the observed counts of the entities that are ranked, or raise if they are not known."""
        counts = observed_counts(self.posterior)
        if counts is None:
            raise ArgumentError(
                "posterior", "must hold the observed counts, or the information of a new case is not known"
            )
        return counts.isel(entity=self.keep)

    def prior(self) -> xr.DataArray:
        return self.groups["constant_data"]["prior_concentration"].isel(entity=self.keep)

    def normal(self, units: np.ndarray, within: np.ndarray, noise: Any = None, **facts: Any) -> "Preposterior":
        """Return the source whose new units reduce the part ``within`` of the covariance of normal scores."""
        return replace(
            self, units=units, updates=partial(NormalScores, self.draws, within, units, noise=noise), **facts
        )

    def table_score(self, present: Any) -> Callable[[np.ndarray], np.ndarray]:
        """Return the score of tables (..., entity, class, answer), higher being better."""
        score, sign = self.found.score, self.found.sign
        if score is None:
            raise ArgumentError("score", "must be one of br.scores.catalog()", f"the variable {self.found.name!r}")
        labels = as_performance(self.posterior, self.kind)["actual"].values.tolist()
        own = score.labels if score.labels is not None and set(score.labels) == set(labels) else labels
        order = [labels.index(label) for label in own]
        plain, (rows, columns) = order == list(range(len(order))), np.ix_(order, order)

        def of(tables: np.ndarray) -> np.ndarray:
            return sign * score.of_tables(tables if plain else tables[..., rows, columns], present[..., order])

        return of


def check_posterior(posterior: Container) -> Source | Over:
    """Parse a posterior, or raise if it is none; an aggregate of one is returned unchanged."""
    if isinstance(posterior, Over):
        check_posterior(posterior.source)
        return posterior
    posterior = parse_source(posterior, "posterior")
    if posterior.container is None:
        raise ArgumentTypeError("posterior", "must be what br.fit returns", "an array or a Dataset")
    if "posterior" not in posterior.groups:
        raise ArgumentError("posterior", "must have a posterior group", f"the groups {sorted(posterior.groups)}")
    return posterior


def read_source(
    one: Scored, score: ScoreLike | None, kind: str | None, top: int, named: Mapping[str, Any]
) -> Preposterior:
    """Return the scores of a posterior, for a plan.

    Entities that are in no draw among the first ``top``, are not ``named`` by an argument, and are not among the
    ``top + 1`` best means, are left out.
    """
    found = one.found
    values = found.values
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    if extra:
        raise ArgumentError(
            "posterior",
            "must be of one data set, of all pooled (br.pool), or of a hierarchical model with kind='typical' or 'new'",
            f"the dims {extra} too",
        )
    dims = draw_dims(values)
    if not dims:
        raise ArgumentError("posterior", "must hold draws", "a point estimate")
    drawn = found.sign * values.stack(all_draws=dims).transpose("all_draws", "entity").values.astype(float)
    keep = np.flatnonzero(np.isnan(drawn).mean(0) <= MOSTLY)
    drawn = drawn[:, keep]
    drawn = drawn[np.isfinite(drawn).all(1)]
    if not keep.size or len(drawn) < 100:
        raise ArgumentError("posterior", "must have at least 100 draws in which the score is defined", "fewer")
    drawn = drawn[np.linspace(0, len(drawn) - 1, min(len(drawn), DRAWS)).round().astype(int)]
    size = values.sizes["entity"]
    whole = np.full((len(drawn), size), np.nan)
    whole[:, keep] = found.sign * drawn
    ranked = np.isin(np.arange(size), keep)
    population = population_behind(whole, ranked, found, one.evidence, one.information)
    everyone = np.arange(keep.size)
    source = Preposterior(one, score, kind, keep, drawn, population, drawn, everyone, everyone)
    names = source.names
    places = [names.index(check_choice(which, name, names, ArgumentKeyError)) for which, name in named.items()]
    if keep.size <= top + 1:
        return source
    limit = -np.partition(-drawn, top - 1, axis=1)[:, top - 1]
    first = np.any(drawn >= limit[:, None], axis=0)
    first[places] = True
    first[np.argsort(-drawn.mean(0), kind="stable")[: top + 1]] = True
    few = np.arange(first.sum())
    return replace(source, keep=keep[first], draws=drawn[:, first], kept=np.flatnonzero(first), twin=few)


def with_units(
    source: Preposterior,
    more: str | None = None,
    positives: float | None = None,
    pair: bool = True,
    overlap: bool = False,
) -> Preposterior:
    """Return how ``more`` units of one kind would update the scores.

    With ``pair`` False the new cases are known by their tables alone; with ``overlap`` they are known case by case, and
    errors of entities overlap as far as their rates allow.
    """
    about, observed = source.about, source.observed
    over_datasets = about.over_datasets
    clustered = "pattern_cluster" in observed
    default = "data sets" if over_datasets else "clusters" if clustered else "cases"
    if about.over == "retrained" or more == "training seeds":
        return _of_seeds(source, more)
    more = default if more is None else check_choice("more", more, MORE)
    if more in ("data sets", "clusters") and more != default:
        have = {"data sets": "a hierarchical model of several data sets", "clusters": "cases in clusters"}[more]
        raise ArgumentError("more", f"must be 'cases' or 'runs' unless the posterior is of {have}", f"{more!r}")
    designed = about.assumed_prevalence != "sampled" and "performance" in source.groups["posterior"]
    if positives is not None:
        check_number("positives", positives, 0.0, 1.0, ends=False)
        classes = source.groups["posterior"]["performance"].sizes.get("actual") if designed else None
        if classes != 2 or over_datasets or clustered:
            raise ArgumentError(
                "positives",
                "must be None unless the sizes of two classes were set by design (model 'beta_binomial', or "
                "prevalence= of br.fit): the classes of new cases are random here",
                f"{positives!r}",
            )
    if about.unpaired:
        raise ArgumentError(
            "posterior",
            "must be of counts or cases to plan more of them; it is of means and standard errors, whose "
            "error shrinks with the root of the number of cases",
        )
    if about.probabilities:
        if more != "cases":
            raise ArgumentError("more", "must be 'cases' for predicted probabilities", f"{more!r}")
        cases = observed["cases"].isel(entity=source.keep).values.astype(float)
        return source.normal(cases, source.covariance)
    if "judged_truth" in observed:
        if more != default:
            raise ArgumentError(
                "more", "must be left out with truth known in part: the plan is in labels of these cases", f"{more!r}"
            )
        return _of_labels(source)
    if "wins" in observed:
        if more != "cases":
            raise ArgumentError("more", "must be 'cases' for votes, which are the cases", f"{more!r}")
        if "labels" in observed:
            return _of_judged_votes(source)
        votes = observed["cases"].isel(entity=source.keep).values.astype(float)
        return source.normal(votes, source.covariance, unit="votes")
    if more == "runs":
        return _of_runs(source)
    if over_datasets:
        return _of_datasets(source, more)
    if about.paired:
        source = _unite_twins(source)
        return _same_clusters(source) if clustered and more == "cases" else _of_patterns(source, positives, pair)
    counts = source.counts()
    if "dataset" in counts.dims:
        raise ArgumentError(
            "posterior",
            "must be of one data set, or of all pooled (br.pool), to plan more cases of it",
            f"a mean over {counts.sizes['dataset']} data sets",
        )
    if about.model in in_closed_form():
        outcomes = "outcome" in counts.dims
        return _of_outcome_counts(source, counts) if outcomes else _of_tables(source, counts, positives, overlap)
    cases = counts.sum([d for d in counts.dims if d != "entity"]).values.astype(float)
    return source.normal(cases, source.covariance)


def kinds_of(source: Preposterior) -> dict[str, dict[str, Any]]:
    """Return the kinds of new units that suit a posterior, and the arguments of :func:`with_units` for each."""
    about, observed = source.about, source.observed
    if about.over_datasets:
        return {"more data sets": {"more": "data sets"}, "more cases of the same data sets": {"more": "cases"}}
    if about.over == "retrained":
        return {"more training seeds": {}}
    kinds: dict[str, dict[str, Any]] = {}
    if "pattern_cluster" in observed:
        kinds = {"more clusters": {"more": "clusters"}, "more cases of the same clusters": {"more": "cases"}}
    elif _runs(source):
        kinds = {"more cases": {}, "more runs of the same cases": {"more": "runs"}}
    performance = source.groups["posterior"].get("performance")
    two = performance is not None and performance.sizes.get("actual") == 2
    if not kinds and two and about.assumed_prevalence != "sampled" and not about.population:
        kinds = {"classes as observed": {}} | {
            f"{100 * share:g}% positives": {"positives": share} for share in (0.25, 0.5, 0.75)
        }
    counts = observed.get("counts")
    closed = about.model in in_closed_form() and not about.paired
    sets = counts.coords.get("test_set") if two and closed and counts is not None else None
    if sets is not None and len(np.unique(sets)) < sets.size:
        kinds = (kinds or {"more cases": {}}) | {OVERLAP: {"overlap": True}}
    if about.paired and len(source.groups["posterior"]["entity"]) > 1:
        kinds = (kinds or {"more cases": {}}) | {"without pairing (tables alone)": {"pair": False}}
    return kinds


def _known_shares(source: Preposterior) -> np.ndarray | None:
    """Return the known class shares (entity, class); None where they are sampled with the cases."""
    if source.about.assumed_prevalence == "sampled":
        return None
    shares = as_performance(source.posterior, source.kind).sum("predicted", skipna=False).isel(entity=source.keep)
    one = shares.isel(dict.fromkeys(draw_dims(shares), 0))
    if bool((np.abs(shares - one) > 1e-9).any()):
        raise ArgumentError(
            "posterior",
            "must have one prevalence for a plan",
            "draws of it",
            "prevalence=0.02 of br.fit, or --prevalence 0.02, sets one",
        )
    return one.transpose("entity", "actual").values


def _unite_twins(source: Preposterior) -> Preposterior:
    """Give entities with the same outcomes on all cases the same draws: only the prior could separate them."""
    observed = source.observed
    name = "pattern_outcome" if "pattern_outcome" in observed else "pattern_predicted"
    met = observed[name].transpose("pattern", "entity").values[:, source.keep][observed["pattern_count"].values > 0]
    codes = pd.factorize(met.ravel())[0].reshape(met.shape)
    columns = [column.tobytes() for column in codes.T]
    twin = np.array([columns.index(column) for column in columns])
    return replace(source, draws=source.draws[:, twin], twin=twin)


def _of_tables(source: Preposterior, counts: xr.DataArray, positives: float | None, overlap: bool) -> Preposterior:
    labels = as_performance(source.posterior, source.kind)["actual"].values
    order = {"actual": labels, "predicted": labels}
    table = counts.sel(order).transpose("entity", "actual", "predicted").values
    alpha = source.prior().sel(order).transpose("entity", "actual", "predicted").values + table
    rows = table.sum(-1)
    known = _known_shares(source)
    shares = None
    if known is not None:
        shares = rows / rows.sum(-1, keepdims=True) if positives is None else np.full(rows.shape, positives)
        if positives is not None:
            shares[:, 0] = 1 - positives
    # Entities of one test set meet the same new cases.
    test_set = pd.factorize(counts["test_set"].values)[0] if "test_set" in counts.coords else np.arange(len(alpha))
    score, units = source.table_score(rows > 0), rows.sum(-1)
    if overlap:
        # The noise of a case is that at today's mean table.
        sizes = alpha.sum(-1, keepdims=True)
        prevalence = sizes / sizes.sum(-2, keepdims=True) if known is None else known[..., None]
        noise = overlapping_noise(score, alpha / sizes * prevalence, known is not None, shares, test_set)
        return source.normal(units, source.covariance, noise)
    updates = partial(Tables, score, alpha, known, shares, test_set)
    return replace(source, units=units, cells=alpha.size, updates=updates)


def _of_outcome_counts(source: Preposterior, counts: xr.DataArray) -> Preposterior:
    values = np.asarray(label_values(counts["outcome"].values))
    table = counts.transpose("entity", "outcome").values[:, None]
    alpha = table + source.prior().transpose("entity", "outcome").values[:, None]
    ones, sign, function = np.ones((len(table), 1)), source.found.sign, _outcome_score(source).outcome_function
    assert function is not None

    def of(tables: np.ndarray) -> np.ndarray:
        return sign * function(tables[..., 0, :], values)

    make = partial(Tables, of, alpha, ones, ones, np.arange(len(table)))
    return replace(source, units=table.sum((-2, -1)), cells=alpha.size, updates=make)


def _outcome_score(source: Preposterior) -> Score:
    """Return the score, or raise if it is a variable of the posterior, which new cases cannot update."""
    score = source.found.score
    if score is None or score.space != "outcomes":
        raise ArgumentError("score", "must be 'mean_outcome' for outcomes without classes", f"{source.found.name!r}")
    return score


def _patterns(source: Preposterior) -> Patterns:
    """Return the joint outcomes behind a posterior, and its prior."""
    observed, sign = source.observed, source.found.sign
    count, cluster = observed["pattern_count"].values, _cluster(source)
    if "pattern_outcome" in observed:
        if _outcome_score(source).name != "mean_outcome":
            raise ArgumentError("score", "must be 'mean_outcome' for joint outcomes", f"{source.found.name!r}")
        outcome = observed["pattern_outcome"].transpose("pattern", "entity").values[:, source.keep]
        prior = source.prior()
        points = prior["outcome"].values.astype(float) if "outcome" in prior.dims else np.empty(0)
        values = np.union1d(outcome[~np.isnan(outcome)], points)
        alpha = np.zeros((outcome.shape[1], 1, len(values) + 1))
        if points.size:
            alpha[:, 0, np.searchsorted(values, points)] = prior.transpose("entity", "outcome").values
        codes = np.where(np.isnan(outcome), len(values), np.searchsorted(values, outcome))
        codes = np.insert(codes, 0, 0, axis=1)
        values = np.append(values, np.nan)
        return Patterns(lambda t: sign * t[..., 0, 0], codes, count, cluster, alpha, values, twin=source.twin)
    labels = as_performance(source.posterior)["actual"].values.tolist()
    actual, predicted = (observed[f"pattern_{name}"].values for name in ("actual", "predicted"))
    met = np.column_stack([actual, predicted[:, source.keep]])
    codes = pd.Index(labels).get_indexer(met.ravel()).reshape(met.shape)
    order = {"actual": labels, "predicted": labels}
    alpha = source.prior().sel(order).transpose("entity", "actual", "predicted").values
    seen = np.isin(np.arange(len(labels)), codes[:, 0])
    shares, score = _known_shares(source), source.table_score(np.broadcast_to(seen, (codes.shape[1] - 1, len(labels))))
    known = None if shares is None else shares[0]
    return Patterns(score, codes, count, cluster, alpha, known=known, twin=source.twin)


def _cluster(source: Preposterior) -> np.ndarray | None:
    observed = source.observed
    return pd.factorize(observed["pattern_cluster"].values)[0] if "pattern_cluster" in observed else None


def _of_patterns(source: Preposterior, positives: float | None, pair: bool) -> Preposterior:
    joint, shares = _patterns(source), None
    if joint.known is not None:
        cases = np.bincount(joint.codes[:, 0], joint.count, len(joint.known))
        shares = cases / cases.sum() if positives is None else np.array([1 - positives, positives])
    by_case = source.about.target in (None, "case")
    make = partial(JointOutcomes, joint, shares, by_case=by_case, pair=pair)
    size = float(joint.count.sum())
    number = size if joint.cluster is None else float(joint.cluster.max() + 1)
    unit, units = "cases" if joint.cluster is None else "clusters", np.full(len(joint.prior), number)
    return replace(source, unit=unit, units=units, cases_each=size / number, updates=make)


def _same_clusters(source: Preposterior) -> Preposterior:
    """Return the source for more cases of the same clusters, which reduce the variance within clusters only."""
    joint = _patterns(source)
    count, cluster = joint.count.astype(float), joint.cluster
    assert cluster is not None
    cases = replace(joint, count=count, cluster=None, prior=0 * joint.prior)
    _, which = unique_rows(joint.codes)
    moves = JointOutcomes(cases, None, 1, np.random.default_rng(0)).moves()[which]
    size = np.bincount(cluster, count)
    if source.about.target == "cluster":
        moves = moves * (size.mean() / size)[cluster][:, None]
    sums = np.zeros((len(size), moves.shape[1]))
    np.add.at(sums, cluster, moves * count[:, None])
    apart = moves - (sums / size[:, None])[cluster]
    factor = np.where(size > 1, size / np.maximum(size - 1, 1), 0.0)[cluster] * count
    within = (apart * factor[:, None]).T @ apart
    return source.normal(np.full(len(joint.prior), count.sum()), within, fixed="clusters")


def _of_datasets(source: Preposterior, more: str) -> Preposterior:
    """Return the source of a hierarchical model: more data sets, or more cases of the same ones."""
    kind = source.kind or source.about.kind or "typical"
    check_choice("kind", kind, ("typical", "new"))
    between = _between_datasets(source, kind)
    counts = source.counts()
    cases = counts.sum([d for d in counts.dims if d not in ("entity", "dataset")]).transpose("entity", "dataset").values
    # The prior of the mean counts as one data set.
    datasets = (cases > 0).sum(1) + 1.0
    rest = between if kind == "new" else np.zeros_like(between)
    if more == "cases":
        rest = rest + between / np.sqrt(datasets[:, None] * datasets)
        units, each, fixed = cases.sum(1), 1.0, "data sets"
    else:
        units, each, fixed = datasets, float(cases.sum() / (cases > 0).sum()), "" if kind == "typical" else "new"
    return source.normal(units, source.covariance - rest, unit=more, cases_each=each, fixed=fixed)


def _between_datasets(source: Preposterior, kind: str) -> np.ndarray:
    """Return the covariance of the scores between data sets: that of a new data set less that of a typical one."""
    other = "typical" if kind == "new" else "new"
    values = score_values(source.posterior, source.score, bool(source.found.higher_is_better), other).values
    drawn = values.stack(all_draws=draw_dims(values)).transpose("all_draws", "entity").values[:, source.keep]
    drawn = drawn[np.isfinite(drawn).all(1)]
    beside = np.cov(drawn.T).reshape(drawn.shape[1], -1)
    apart = beside - source.covariance if kind == "typical" else source.covariance - beside
    values_, vectors = np.linalg.eigh(apart)
    return (vectors * np.maximum(values_, 0)) @ vectors.T


def _of_labels(source: Preposterior) -> Preposterior:
    """Return the source of truth known in part: more labels reduce what the verdicts leave open; the cases stay.

    The rest is the variance between cases of what their verdicts say on the scores.
    """
    observed = source.observed
    count = observed["judged_count"].values.astype(float)
    judged = "outcome" in source.groups["posterior"].dims
    moves = (_moves_of_rates if judged else _moves_of_tables)(source, count)
    fixed = (moves * count[:, None]).T @ moves
    values, vectors = np.linalg.eigh(source.covariance - fixed)
    within = (vectors * np.maximum(values, 0.0)) @ vectors.T
    labels = observed["labels"].isel(entity=source.keep).values.astype(float)
    most = max(float((observed["cases"].isel(entity=source.keep).values - labels).min()), 1.0)
    unit, kept = ("labels", "verdicts") if judged else ("verified cases", "cases")
    return replace(source.normal(labels, within, unit=unit, fixed=kept), most=most)


def _moves_of_rates(source: Preposterior, count: np.ndarray) -> np.ndarray:
    """Return how far each case moves the mean outcome (pattern, entity) by its verdict, whose rate has one more case.

    The additional case has the rate of the entity.
    """
    observed = source.observed
    verdict, truth = (observed[f"judged_{name}"].values[:, source.keep] for name in ("verdict", "truth"))
    moves = np.zeros(verdict.shape)
    for k in range(verdict.shape[1]):
        met, known = verdict[:, k] >= 0, truth[:, k] >= 0
        size = int(verdict[:, k].max()) + 1
        labels, hits = (np.bincount(verdict[known, k], count[known] * one, size) for one in (1, truth[known, k]))
        common = (hits.sum() + 1) / (labels.sum() + 2)
        own = ((hits + common) / (labels + 1))[verdict[met, k]]
        moves[met, k] = (own - np.average(own, weights=count[met])) / count[met].sum()
    return moves


def _moves_of_tables(source: Preposterior, count: np.ndarray) -> np.ndarray:
    """Return how far each case moves the score of a table (pattern, entity) by the predictions of all tests.

    The class of a case has the shares of the verified cases with equal predictions, and of one case more.
    """
    verdict, truth = source.observed["judged_verdict"].values, source.observed["judged_truth"].values[:, 0]
    performance = as_performance(source.posterior, source.kind).isel(entity=source.keep)
    tables = performance.mean(draw_dims(performance)).transpose("entity", "actual", "predicted").values
    stratum = np.unique(verdict, axis=0, return_inverse=True)[1].ravel()
    seen = np.zeros((stratum.max() + 1, tables.shape[1]))
    known = truth >= 0
    np.add.at(seen, (stratum[known], truth[known]), count[known])
    pooled = seen.sum(axis=0) + 1
    share = (seen + pooled / pooled.sum()) / (seen.sum(axis=1, keepdims=True) + 1)
    slope = gradient(source.table_score(np.ones(tables.shape[:2], bool)), tables)
    guesses = verdict[:, source.keep]
    gains = [(share[stratum] * own[:, guess].T).sum(axis=1) for own, guess in zip(slope, guesses.T, strict=True)]
    moves = np.stack(gains, axis=1)
    return (moves - np.average(moves, axis=0, weights=count)) / count.sum()


def _of_judged_votes(source: Preposterior) -> Preposterior:
    """Return the source of votes of judges: more votes of people reduce what the votes of judges leave open.

    The rest is the covariance of the same number of votes of people alone.
    """
    observed = source.observed.isel(entity=source.keep)
    labels, cases = (observed[name].values.astype(float) for name in ("labels", "cases"))
    share = np.sqrt(labels / cases)
    values, vectors = np.linalg.eigh(source.covariance - source.covariance * share[:, None] * share)
    within = (vectors * np.maximum(values, 0.0)) @ vectors.T
    found = source.normal(labels, within, unit="labels", fixed="verdicts")
    return replace(found, most=max(float((cases - labels).min()), 1.0))


def _runs(source: Preposterior) -> int:
    """Return how many right or wrong runs each outcome is the mean of; 0 if that is not known."""
    assembled, observed = source.posterior.assembled, source.observed
    runs = assembled.most_runs or 0
    if runs < 2 or assembled.fewest_runs != runs or "pattern_outcome" not in observed:
        return 0
    outcome = observed["pattern_outcome"].values
    outcome = outcome[~np.isnan(outcome)]
    right = outcome * runs
    return runs if outcome.min() >= 0 and outcome.max() <= 1 and np.abs(right - np.round(right)).max() < 1e-6 else 0


def _of_seeds(source: Preposterior, more: str | None) -> Preposterior:
    """Return the source for more training seeds on the same cases, which reduce the variance between fitted models."""
    if more not in (None, "training seeds") or source.about.over != "retrained":
        raise ArgumentError("more", "must be 'training seeds' for retrained models, and for no others", f"{more!r}")
    means = source.observed["seed_mean"].transpose("entity", ...).values[source.keep]
    seeds = (~np.isnan(means)).sum(axis=1).astype(float)
    noise = source.observed["seed_noise"].values[source.keep]
    # The mean of the variance under its t-like posterior, where it has one.
    net = np.maximum(np.nanvar(means, axis=1, ddof=1) - noise, 0.0) * (seeds - 1) / np.maximum(seeds - 3, 1)
    return source.normal(seeds, np.diag((net + noise) / seeds), unit="training seeds", fixed="cases")


def _of_runs(source: Preposterior) -> Preposterior:
    """Return the source for more runs of the same cases, which reduce the variance within cases only."""
    runs = _runs(source)
    if not runs:
        raise ArgumentError(
            "more",
            "must be 'cases' unless outcomes are means of several runs that are right or wrong, the same number "
            "for each case",
            "'runs'",
        )
    outcome = source.observed["pattern_outcome"].transpose("pattern", "entity").values[:, source.keep]
    weight = source.observed["pattern_count"].values[:, None] * ~np.isnan(outcome)
    value = np.nan_to_num(outcome)
    noise = (weight * value * (1 - value)).sum(0) / (runs - 1) / weight.sum(0) ** 2
    units = np.full(outcome.shape[1], float(runs))
    return source.normal(units, np.diag(noise), unit="runs", cases_each=float(weight.sum(0).max()), fixed="cases")
