"""The evidence behind a ranking: observed values, notes, and the most useful further evidence."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank._core.checks import check_choice
from bayesrank._core.compat import get_variable
from bayesrank._core.draws import DRAW_DIMS, draw_dims
from bayesrank._core.labels import over_other_dims, sum_except
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nuts import chain_problems, diagnostics
from bayesrank._core.records import EvidenceRecord, ModelRecord, RankingRecord, SamplerRecord
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container
from bayesrank.claims.caps import CAPS
from bayesrank.claims.effective import Information
from bayesrank.claims.information import sampling_variance
from bayesrank.claims.information.skewness import HEAVY_TAIL, skewness_ratio
from bayesrank.claims.observed import Observed
from bayesrank.claims.pooling import differing_datasets
from bayesrank.evidence.counts import mark_classes_as, parts_of
from bayesrank.evidence.kinds import DrawsAlone, EvidenceKind, parse_evidence
from bayesrank.evidence.pooled import provenance, record_of
from bayesrank.models.parts.joint import FEW, few_units_notes
from bayesrank.performance.arrays import (
    OUTCOME_DIMS,
    as_performance,
    entities_without_posterior,
    observed_counts,
    outcome_dims,
)
from bayesrank.ranking.facts import join_rankings
from bayesrank.ranking.intervals import position_of
from bayesrank.ranking.notes import (
    count_notes,
    notes_on_score,
    positive_class_notes,
    prevalence_caveat,
    prevalence_notes,
    same_case_notes,
)
from bayesrank.scores import Score

#: How often some value of a ranking may contradict a right model, since it caps the headline.
FALSE_ALARMS = 0.01
#: With fewer data sets, their estimated spread is mostly the prior.
FEW_DATASETS = 10
#: Codes of populations of data sets, by the ranked one.
POPULATIONS = {"typical": "datasets_like_these", "new": "new_dataset"}


@dataclass(frozen=True)
class RankingEvidence(Observed):
    """The evidence behind a ranking: how it agrees with the posterior, notes, and what limits the headline."""

    def compare(
        self,
        score: Score | None,
        interval: tuple[np.ndarray, np.ndarray, np.ndarray],
        prob: float,
        outside: Callable[[np.ndarray], np.ndarray],
    ) -> dict[str, np.ndarray]:
        """Return observed values, missing ones, contradictions of the interval, and cases, by variables of a ranking.

        ``outside`` returns which values are outside of the interval (median, lower end, upper end),
        which holds a value with probability ``prob``. A typical rate lies between the mean over
        data sets and the pooled rate, nearer to the latter the more alike the data sets are: both
        must be outside.

        A prior or a population that shrinks an observed value as much as it should has not failed.
        If it is right, the shift has the variance of the observed value minus the one of the
        posterior. So a shift is a contradiction if it is improbable for the larger of this
        difference and the posterior variance, jointly for all entities.
        """
        entities = len(interval[0])
        observed_values, table, pooled = self.observed(score), self.table, self.pooled
        observed = (
            np.full(entities, np.nan)
            if observed_values is None
            else observed_values.values.astype(float)
        )
        contradicted = outside(observed) & (not self.extreme)
        if table is not None and "actual" in table.dims:
            # If all cases are wrong, or each class has one answer, any posterior lies on one side
            # of this end.
            cells = table.variable.transpose(..., *OUTCOME_DIMS).values
            one_answer = cells.sum(axis=-1) - cells.max(axis=-1) < 1e-12
            contradicted &= (np.trace(cells, axis1=-2, axis2=-1) != 0) & ~one_answer.all(axis=-1)
        if pooled is not None and outcome_dims(pooled):
            pooled = None if score is None else self.score_of(score, pooled)
        if pooled is not None:
            contradicted &= outside(pooled.values.astype(float))
        if contradicted.any():
            median, lower, upper = interval
            variance = np.square((upper - lower) / (2 * ndtri((1 + prob) / 2)))
            shift = np.fmax(sampling_variance(self, score, entities) - variance, variance)
            contradicted &= np.abs(observed - median) > ndtri(
                1 - FALSE_ALARMS / 2 / entities
            ) * np.sqrt(shift)
        nothing = np.isnan(observed)
        return {
            "observed": np.where(np.isfinite(observed), observed, np.nan),
            "unobserved": nothing & ~nothing.all(),  # an infinite one is observed
            "contradicted": contradicted,
            "cases": self.size(entities),
        }

    def notes(self, score: Score | None) -> list[Note]:
        """Return the notes on the evidence."""
        assembled = self.origin()
        cases = self.cases if self.cases is not None else self.counts
        names = (
            None
            if cases is None or "entity" not in cases.coords
            else cases["entity"].values.tolist()
        )
        notes = [
            *self.sampler,
            *differing_datasets(record_of(assembled), score, names, not self.model.sets_prevalence),
        ]
        notes += [*notes_of(assembled.notes), *self._kinds(score)]
        notes += [*self._without_cases(), *self.bootstrap]
        if self.improper:
            notes.append(Note("no_posterior", {"entities": list(self.improper)}))
        hidden = self.behind.withheld
        if hidden is not None and (named := hidden["entity"].values[hidden.values].tolist()):
            notes.append(Note("intervals_withheld", {"entities": list(map(str, named))}))
        shares: tuple[xr.DataArray | None, np.ndarray | None] = (None, None)
        of_classes = score is not None and score.space in ("binary", "classes")
        if (
            score is not None
            and of_classes
            and (score.depends_on_prevalence or score.importance is None)
        ):
            shares = self.class_shares()
        if score is not None and self.about is not None:
            notes += prevalence_notes(*shares, score)
            if score.depends_on_prevalence:
                notes += prevalence_caveat(score, self.about)
        if self.counts is not None:
            notes += count_notes(self.counts, score, self.model)
        notes += [*self._dependences(score), *notes_on_score(score, shares[0])]
        classes = self.counts if self.counts is not None else self.performance
        return notes if classes is None else notes + positive_class_notes(classes, score)

    def notes_at_common(self, notes: list[Note], score: Score | None, narrowed: bool) -> list[Note]:
        """Return notes in which the one on prevalences says whether the claims hold at common prevalences.

        ``narrowed`` is whether fewer claims hold there.
        """
        assert score is not None
        retained = [
            note
            for note in notes
            if note.code not in ("prevalences_differ", "ranks_at_one_prevalence")
        ]
        return retained + prevalence_notes(
            *self.class_shares(), score, "fail" if narrowed else "hold"
        )

    def _dependences(self, score: Score | None) -> list[Note]:
        """Return a note if another dependence of tests, which fits no worse, puts another test first.

        Fits are compared by Akaike's criterion, G² minus twice its degrees of freedom.
        """
        fits = self.dependences
        if (
            fits is None
            or score is None
            or score.higher_is_better is None
            or score.space == "outcomes"
        ):
            return []
        values = self.score_of(score, fits["performance_estimate"])
        if values is None:
            return []
        values = values if score.higher_is_better else -values
        criterion = (fits["g2"] - 2 * fits["freedom"]).to_series()
        chosen = fits.attrs["dependence"]
        near = values >= values.max("entity") - 1e-6
        first = {
            kind: near["entity"].values[near.sel(dependence=kind).values].tolist()
            for kind in criterion.index[criterion <= criterion[chosen]]
        }
        if all(set(first[chosen]) & set(names) for names in first.values()):
            return []
        rows = [[kind, list(map(str, names))] for kind, names in first.items()]
        return [Note("latent_first_depends", {"rows": rows, "chosen": chosen})]

    def limits(self, notes: list[Note]) -> list[Note]:
        """Return what limits the headline of any ranking of this evidence with these notes."""
        own = [] if self.unsupported is None else [self.unsupported]
        return [*own, *(note for note in notes if note.code in CAPS), *self._pooled()]

    def caps(
        self,
        notes: list[Note],
        ranking: Mapping[str, Any],
        names: list[str],
        information: Information | None = None,
    ) -> list[Note]:
        """Return what limits the headline of a ranking of these entities with these notes."""
        caps = self.limits(notes)
        position = np.asarray(position_of(ranking))
        if np.isnan(position).all():
            return caps
        leader = int(np.nanargmin(position))
        if ranking["unobserved"][leader]:
            caps.append(Note("observed_undefined"))
        if information is not None and self.joint_cases is not None:
            # Rivals that others rule out do not limit the headline.
            skewed = information.too_skewed()[leader] & np.asarray(ranking["in_best_set"])
            if rivals := [names[i] for i in np.flatnonzero(skewed)]:
                caps.append(Note("differences_skewed", {"entities": rivals}))
        if unranked := [
            names[i] for i in np.flatnonzero(np.isnan(position)) if names[i] in self.improper
        ]:
            caps.append(Note("rivals_undefined", {"entities": sorted(unranked)}))
        if np.asarray(ranking["contradicted"])[np.asarray(ranking["in_best_set"])].any():
            caps.append(Note("model_contradicted"))
        if apart := self._apart(leader, np.flatnonzero(~np.isnan(position))):
            caps.append(self.behind.unconnected([names[i] for i in apart]))
        return caps

    def _pooled(self) -> list[Note]:
        """Return a note on data sets that were pooled or averaged, if there are several."""
        if self.these is not None:
            return [self.these]
        record = record_of(self.origin())
        number = 0 if record is None else len(record["datasets"])
        if self.weights is not None:
            number = max(number, len(self.weights))
        number = max(number, self.behind.datasets)
        return (
            [Note("pooled_datasets", {"datasets": number, "unit": self.model.stratum})]
            if number > 1
            else []
        )

    def _apart(self, leader: int, others: np.ndarray) -> list[int]:
        """Return the rivals that share no data set, or case, with the leader, under a model that does not join them."""
        unmet = self.behind.apart(leader, [int(i) for i in others])
        if unmet is not None:
            return unmet
        parts = None if self.tables is None else parts_of(self.tables)
        table = self.tables if parts is None else parts
        if table is None or "dataset" not in table.dims:
            return []
        measured = (
            table.sum([d for d in table.dims if d not in ("entity", "dataset")]) > 0
        ).transpose("entity", "dataset")
        return [
            int(i)
            for i in others
            if i != leader and not (measured.values[leader] & measured.values[i]).any()
        ]

    def population(self) -> str:
        """Return the code of what the ranking is over: other data sets, these, retrained models; empty for cases."""
        if self.model.over:
            return self.model.over
        if self.kind in POPULATIONS:
            return POPULATIONS[self.kind]
        return "these_datasets" if self._pooled() else ""

    @property
    def own_counts(self) -> xr.DataArray | None:
        """Return the counts if they have the ranked prevalences; None if the prevalence was set."""
        return None if self.model.sets_prevalence else self.counts

    def origin(self) -> EvidenceRecord:
        """Return how the evidence was assembled, from the posterior or the counts."""
        if self.counts is None:
            return self.assembled
        return self.assembled.or_else(EvidenceRecord.from_attrs(self.counts.attrs))

    def called(self) -> dict[str, Any]:
        """Return attrs with what an entity is called, and whether scores are in percent; none without these."""
        origin = self.origin()
        return EvidenceRecord(noun=origin.noun, in_percent=origin.in_percent).to_attrs()

    def facts(self) -> dict[str, Any]:
        """Return attrs of a ranking: how its evidence was combined, and which data set of a population is ranked."""
        origin, typical = (
            self.origin(),
            (self.model.typical or "") if self.kind == "typical" else "",
        )
        record = RankingRecord(
            evidence=" ".join(provenance(origin)),
            kind=self.kind,
            typical=typical,
            ledger=origin.ledger,
            noun=origin.noun,
            in_percent=origin.in_percent,
            population=self.population(),
        )
        return record.to_attrs()

    def needed(self) -> str:
        """Return the further evidence that would help most to separate entities; empty if unknown."""
        if self.further is not None:
            return self.further
        if self.model.over == "these_cases":
            return "runs of these cases"
        if (own := self.behind.needed(self.model)) is not None:
            return own
        if self.kind in POPULATIONS:
            return "data sets"
        if self.model.over == "retrained":
            return "training seeds"
        if self.model.target is not None:
            return "clusters"
        if self.model.paired:
            return "paired cases"
        if self.counts is None:
            return "cases" if self.cases is not None else ""
        return "per-case data" if same_case_notes(self.counts) else "cases"

    def _without_cases(self) -> list[Note]:
        """Return a note on entities without cases, whose results come from the prior alone."""
        if self.cases is None or "entity" not in self.cases.coords:
            return []
        total = self.size(self.cases.sizes["entity"])
        entities = self.cases.coords.variables["entity"].values
        names = sorted(str(name) for name in entities[total == 0])
        if not names or len(names) == total.size:
            return []
        return [Note("without_cases", {"entities": names})]

    def _kinds(self, score: Score | None) -> list[Note]:
        """Return which data set the ranking is for, if the model has a population of data sets."""
        unit = self.model.stratum
        if self.kind == "new":
            notes = [Note("for_new_dataset", {"unit": unit})]
        elif self.kind == "typical" and self.model.typical is not None:
            learned = (
                self.model.prevalence == "sampled"
                and score is not None
                and score.depends_on_prevalence
            )
            notes = [
                Note(
                    "for_typical_dataset",
                    {"typical": self.model.typical, "mean_prevalence": learned, "unit": unit},
                )
            ]
        else:
            return []
        if self.fewest_datasets is not None and self.fewest_datasets < FEW_DATASETS:
            fields = {
                "datasets": self.fewest_datasets,
                "kind": self.kind,
                "enough": FEW_DATASETS,
                "unit": unit,
            }
            notes.append(Note("few_datasets", fields))
        return notes

    def class_shares(self) -> tuple[xr.DataArray | None, np.ndarray | None]:
        """Return mean (entity, actual) and variance of class shares, of the cases or of the sampled performance."""
        if self.counts is not None and not self.model.sets_prevalence:
            counts = self.counts.transpose("entity", "actual", ...)
            cases = sum_except(counts, "entity", "actual")
            total = cases.sum(axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):
                mean = cases / total
                variance = mean * (1 - mean) / total * (self.model.assumed_prevalence == "sampled")
            return over_other_dims(counts, counts.dims[2:], mean), variance
        if self.performance is None:
            return None, None
        share = self.performance.sum("predicted", skipna=False)
        share = share.mean(
            [d for d in share.dims if d not in ("entity", "actual", *draw_dims(share))]
        )
        share = share.transpose(..., "entity", "actual")
        return share.mean(draw_dims(share)), share.var(draw_dims(share)).values


def evidence_of(
    source: Container, variable: str | None, values: xr.DataArray, kind: str | None
) -> RankingEvidence:
    """Return the evidence behind ``values``, a posterior's ``variable`` or a score of its performance."""
    source = parse_source(source)
    posterior = source.group("posterior") if source.dataset is None else source.dataset
    record, observed = source.model, source.observed
    requested = kind or record.kind or "observed"
    over_datasets = record.over_datasets and variable is None
    averaged = record.dataset_weights is not None and "dataset" not in values.dims
    behind = parse_evidence(source).of(variable)
    if not behind.is_about(_entities(values)):
        behind = DrawsAlone()
    evidence = RankingEvidence(
        about=record if source.array is None else None,
        assembled=source.assembled,
        sampler=tuple(_sampling(source, values)),
        cases=cases_of(source, values),
        kind=requested if over_datasets else "",
        behind=behind,
        prior=get_variable(source.group("constant_data"), "prior_concentration"),
        datasets=tuple(np.atleast_1d(values["dataset"].values).tolist())
        if "dataset" in values.coords
        else (),
        weights=np.array(record.dataset_weights) if averaged else None,
        bootstrap=tuple(_bootstrap(behind, record)),
        improper=tuple(entities_without_posterior(source))
        if over_datasets or variable is None
        else (),
    )
    if behind.draws_scores:
        units = int(sum(record.units))
        is_small = behind.withheld is None and units < FEW
        unit = "cluster" if record.clustered else "case"
        noted = few_units_notes(units, unit) if is_small else []
        evidence = replace(evidence, bootstrap=tuple(noted))
    evidence = replace(evidence, dependences=_fitted_dependences(source, values))
    counts = observed_counts(source)
    if counts is not None and _matches(counts, values, ("dataset",)):
        evidence = replace(evidence, tables=counts)
    if over_datasets:
        fewest = None if posterior is None else posterior.sizes.get("dataset")
        if counts is not None and {"entity", "dataset"} <= set(counts.dims):
            fewest = int((counts.sum(outcome_dims(counts)) > 0).sum("dataset").min())
        evidence = replace(evidence, fewest_datasets=fewest)
        if requested == "typical":
            return _with_typical_shares(evidence, record, counts, values)
    # There are no counts of outcomes with many values.
    variable_observed = get_variable(observed, variable or str(values.name))
    if variable_observed is not None and _matches(variable_observed, values):
        evidence = replace(evidence, values=variable_observed.astype(float).reset_coords(drop=True))
    bare = source.array is not None and not outcome_dims(source.array)
    if variable is not None or bare or requested != "observed":
        return evidence
    return _with_performance(evidence, source, counts, values, kind)


def _fitted_dependences(source: Source, values: xr.DataArray) -> xr.Dataset | None:
    """Return the fits of each dependence of latent classes, if the posterior has those of the chosen one."""
    estimates, chosen = (
        source.observed.get("performance_estimate"),
        source.attrs.get("dependence"),
    )
    if (
        estimates is None
        or chosen not in estimates["dependence"]
        or not _matches(estimates, values, ("dependence",))
    ):
        return None
    fits = source.observed[["performance_estimate", "g2", "freedom"]]
    return fits.assign_attrs(dependence=chosen)


def _with_typical_shares(
    evidence: RankingEvidence,
    record: ModelRecord,
    counts: xr.DataArray | None,
    values: xr.DataArray,
) -> RankingEvidence:
    """Add the observed shares of a typical data set, unless covariates set one that was not observed."""
    if (
        counts is None
        or "dataset" not in counts.dims
        or not _matches(pool := counts.sum("dataset"), values)
        or record.covariates
    ):
        return evidence
    mean = check_choice("attrs['typical']", record.typical or "mean", ("mean", "median"))
    return replace(evidence, shares=_typical_shares(counts, mean), pooled=as_performance(pool))


def _with_performance(
    evidence: RankingEvidence,
    source: Source,
    counts: xr.DataArray | None,
    values: xr.DataArray,
    kind: str | None,
) -> RankingEvidence:
    """Add the observed shares or counts of a performance, and its draws if these set the class shares."""
    shares = get_variable(source.observed, "performance")
    if shares is not None and _matches(shares, values):
        evidence = replace(evidence, shares=shares)
    elif counts is not None and not _matches(counts, values):
        counts = None
    evidence = replace(evidence, counts=counts)
    if counts is not None and not source.model.sets_prevalence:
        return evidence  # no need to search the draws for its class shares
    posterior = source.group("posterior") if source.dataset is None else source.dataset
    if posterior is not None and "performance" not in posterior:
        return evidence
    array = as_performance(source, kind)
    table = {"entity", *OUTCOME_DIMS} <= set(array.dims) and array.chunks is None
    return replace(evidence, performance=array) if table else evidence


def rank_each(
    frame: xr.DataArray,
    evidence: RankingEvidence,
    rank_one: Callable[[xr.DataArray, RankingEvidence, tuple[int, ...]], xr.Dataset],
    at: tuple[int, ...] = (),
) -> xr.Dataset:
    """Return one ranking for each item of every dim of ``frame`` but those of draws and entities.

    ``rank_one`` makes the ranking of a part of the frame, of its evidence, and of its position
    ``at`` in these dims.
    """
    extra = [str(dim) for dim in frame.dims if dim not in (*DRAW_DIMS, "entity")]
    if not extra:
        return rank_one(frame, evidence, at)
    dim = extra[0]
    parts = [
        rank_each(frame.isel({dim: i}, drop=True), evidence.at(dim, i), rank_one, (*at, i))
        for i in range(frame.sizes[dim])
    ]
    # Coords that differ along this dim, such as test sets, come from the frame; xr.concat would
    # keep the first.
    own = {
        n: c
        for n, c in frame.coords.variables.items()
        if dim in c.dims and not {*c.dims} & {*DRAW_DIMS}
    }
    own.setdefault(dim, xr.Variable(dim, range(frame.sizes[dim])))
    parts = [part.drop_vars(own, errors="ignore") for part in parts]
    return join_rankings(parts, dim).assign_coords(own)


def _typical_shares(counts: xr.DataArray, middle: str) -> xr.DataArray:
    """Return observed rates over equally weighted data sets, at the mean class shares of test sets.

    ``middle`` ("mean" or "median") averages the rates of a class over the data sets with cases of
    the class.
    """
    answers = str(counts.dims[-1])
    bare_counts = counts.reset_coords(drop=True)
    total = bare_counts.sum(answers)
    rates = getattr(bare_counts / total.where(total > 0), middle)("dataset")
    rates = rates.assign_coords(
        {name: coord for name, coord in counts.coords.items() if not coord.dims}
    )
    if "actual" not in counts.dims:
        return rates
    cases = total.where(total.sum("actual") > 0)
    share = (cases / cases.sum("actual")).stack(table=("entity", "dataset"))
    # A test set counts once, whatever entities it has.
    named = (
        counts["test_set"].values.ravel()
        if "test_set" in counts.coords
        else np.arange(share.sizes["table"])
    )
    first = np.sort(np.unique(named, return_index=True)[1])
    return mark_classes_as(rates * share.isel(table=first).mean("table"), counts)


def cases_of(source: Container, values: xr.DataArray) -> xr.DataArray | None:
    """Return the number of cases of each entity of ``values`` (entity, [dataset]); None if unknown."""
    source = parse_source(source)
    counts = observed_counts(source)
    joint, sizes = parse_evidence(source).joint_cases, get_variable(source.observed, "cases")
    if counts is not None:
        dims = outcome_dims(counts)
        others = [dim for dim in counts.dims if dim not in dims]
        cases = over_other_dims(counts, dims, sum_except(counts, *others))
    elif sizes is not None:
        cases = sizes
    elif joint is not None and "entity" in values.coords and joint.is_about(_entities(values)):
        names = values["dataset"] if "dataset" in values.coords else None
        cases = joint.numbers_of_cases(values["entity"], names)
    else:
        return None
    if other := [d for d in cases.dims if d not in values.dims]:
        cases = cases.sum(other)
    return cases if _matches(cases, values) else None


def sampling(source: Source, values: xr.DataArray) -> dict[str, Any]:
    """Return the diagnostics of the sampler for values; R-hat and effective sample sizes are NaN without two chains."""
    draws, stats = xr.Dataset(), source.group("sample_stats")
    assert stats is not None
    if values.sizes.get("chain", 1) > 1 and "draw" in values.dims:
        # An undefined draw does not show whether the chains agree: use the middle rank.
        bare_values = values.drop_attrs().reset_coords(drop=True).astype(float)
        draws = (
            bare_values.fillna(bare_values.median(("chain", "draw"), skipna=True))
            .fillna(0.0)
            .to_dataset(name="x")
        )
    return diagnostics(draws, stats)


def _sampling(source: Source, values: xr.DataArray) -> list[Note]:
    """Return notes from the MCMC diagnostics of the ranked values."""
    stats = source.group("sample_stats")
    if stats is None:
        return []
    diagnosed, settings = sampling(source, values), SamplerRecord.from_attrs(stats.attrs)
    problems = (
        diagnosed["divergences"],
        diagnosed["rhat"],
        diagnosed["ess_bulk"],
        values.sizes.get("chain", 1),
    )
    return chain_problems(*problems, settings.tune, settings.target_accept, settings.sampler)


def _bootstrap(behind: EvidenceKind, model_record: ModelRecord) -> Iterator[Note]:
    """Yield notes on the Bayesian bootstrap of cases, and on outcomes too skewed for its intervals."""
    joint = behind.joint_cases
    if joint is None or not model_record.paired or model_record.prior != "haldane":
        return
    if joint.outcome is not None:
        ratio = skewness_ratio(joint.outcome, joint.count, joint.each)
        if names := sorted(
            str(name)
            for name, skewed in zip(joint.entities, ratio > HEAVY_TAIL, strict=True)
            if skewed
        ):
            yield Note("heavy_tails", {"entities": names})
    yield Note("bayesian_bootstrap")


def _entities(values: xr.DataArray) -> list[Any]:
    return list(values["entity"].values.tolist()) if "entity" in values.dims else []


def _matches(observed: xr.DataArray, values: xr.DataArray, but: tuple[str, ...] = ()) -> bool:
    """Return whether observations have the entities and data sets of ``values``, in the same order, except ``but``."""
    dims = [d for d in observed.dims if d not in (*OUTCOME_DIMS, "outcome", *but)]
    if "entity" not in dims or set(dims) - set(values.dims):
        return False
    own, others = observed.coords.variables, values.coords.variables
    return all(observed.sizes[d] == values.sizes[d] for d in dims) and all(
        own[d].values.tolist() == others[d].values.tolist()
        for d in dims
        if d in own and d in others
    )
