r"""The posterior of scores of several attempts, from the runs of each case.

Each case has an unbiased estimate: the share of k of its runs, drawn without replacement, that have
a success, or are all right. The score of an entity is the mean of the estimates over cases like
these. Their distribution is a Dirichlet process with the prior of the model ``paired``, by default
half a case that never succeeds and half a case that always does. The draws of a mean over N cases
are spread about their mean by the factor

.. math:: \sqrt{\frac{N + 1}{N - 1}} \, \frac{t_{N - 1}}{z},

with quantiles of Student's t and the normal distribution at 0.975, since the weights of N cases
vary less than the mean of N new cases. If d effective cases are off an end of the range, t has at
most the larger of d - 1 and 30 degrees of freedom. Draws beyond 0 and 1 are moved there. All numbers of
attempts have the same weights of the cases in each draw, so that they can be compared.

That is the target *cases like these*. If it is *these cases*, only the runs vary. The weights of
the cases are then independent for each entity, and the draws are narrower by the square root of the
share of the variance that is within cases. It is an estimate from moments of the rates of the
cases, and 1 if each case has a single run, which does not show it. The prior's cases count in full.

References
----------
Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374, has the
estimate of one success. Ferguson (1973), Annals of Statistics 1:209-230.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri, stdtrit

from bayesrank._core.compat import to_container
from bayesrank._core.errors import Advice, ArgumentError, InPython
from bayesrank._core.labels import name_coord
from bayesrank._core.notes import Note, add_notes, notes_of
from bayesrank._core.random import blocks_between, fingerprint, root_sequence, stream
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank._core.source import Source
from bayesrank.evidence.attempts import Attempts, CaseRuns, RateMoments
from bayesrank.evidence.kinds import CaseEvidence, parse_evidence
from bayesrank.evidence.kinds.base import Parts
from bayesrank.evidence.units import cluster_information
from bayesrank.evidence.weighting import UNIT_WEIGHT, prior_weights
from bayesrank.models.parts.dirichlet_process import Process, gather
from bayesrank.models.parts.joint import mean_outcome

#: The quantile at which the t and the normal distribution are compared.
LEVEL = 0.975
#: Degrees of freedom that few cases off an end leave at least, since the prior's case allows for
#: their skewness, too; see docs/measured/attempts.md.
FREEDOM_OF_CASES = 30
#: The spread of the draws where one case alone was met, which leaves the whole range.
WHOLE_RANGE = 1e6


def _refuse_without_runs(score: str, over_seeds: bool) -> NoReturn:
    """Raise an error that says which evidence a score of several attempts needs."""
    raise ArgumentError(
        "score",
        "needs evidence with several runs of each case, each right or wrong",
        f"{score!r} for {'training seeds' if over_seeds else 'no runs that are known'}",
        Advice(
            "give a row for each run, with the columns case and run",
            InPython(" (br.from_outcomes(frame, case=..., run=...)), and fit the model 'paired'"),
        ),
    )


@dataclass(frozen=True)
class AttemptsPosterior:
    """What the runs of each case say of scores of attempts, on the cases with at least ``least`` runs."""

    source: Source
    evidence: CaseEvidence  #: With all cases.
    runs: CaseRuns
    least: int
    these: bool = False  #: Whether the scores are of these cases, else of cases like these.

    @classmethod
    def of(cls, source: Source, least: int, score: str, these: bool = False) -> "AttemptsPosterior":
        """Return the posterior behind a source; raise if it does not know the runs of its cases, or none is enough."""
        joint = None if source.container is None else parse_evidence(source).joint_cases
        runs = None if joint is None else joint.case_runs
        if joint is None or runs is None or not source.model.paired:
            _refuse_without_runs(score, joint is not None and joint.training is not None)
        if these and not joint.by_case:
            raise ArgumentError(
                "cases", "must be 'like these' if clusters have equal weights", "'these'"
            )
        if these and joint.dataset is not None:
            raise ArgumentError(
                "cases", "must be 'like these' for several data sets", "'these'", "fit each alone"
            )
        result = cls(source, joint, runs, least, these)
        if not result.kept.any():
            raise ArgumentError(
                "score",
                f"must have at most {max(result.enough, default=0)} attempts: no case has more runs of all entities",
                f"{score!r}",
            )
        none = ~(result.used.runs > 0).any(axis=0)
        if none.any():
            raise ArgumentError(
                "score",
                "needs a number of attempts that at least one case of every entity has",
                f"{score!r}, for which {joint.entities[int(none.argmax())]!r} has no case",
            )
        return result

    @property
    def enough(self) -> list[int]:
        """Return the numbers of attempts for which some case has enough runs."""
        return [k for k in range(1, self.runs.most + 1) if self.runs.enough_for(k).any()]

    def fewest_runs(self, k: int) -> list[Any]:
        """Return the entities with no more than k runs of some case, if others have more runs of all their cases."""
        runs = np.where(self.runs.runs > 0, self.runs.runs, self.runs.most)
        few = runs.min(axis=0) <= k
        return [] if few.all() else [self.evidence.entities[i] for i in np.flatnonzero(few)]

    @cached_property
    def kept(self) -> np.ndarray:
        """Return the cases with enough runs of all entities that met them (pattern)."""
        return self.runs.enough_for(self.least)

    @cached_property
    def used(self) -> CaseRuns:
        """Return the runs of the cases that count."""
        return self.runs.of(self.kept)

    @cached_property
    def names(self) -> list[Any]:
        """Return the data sets of the cases; none if they name none."""
        dataset = self.evidence.dataset
        return [] if dataset is None else list(dict.fromkeys(dataset.tolist()))

    @property
    def dims(self) -> tuple[str, ...]:
        """Return the dims of a score."""
        return ("entity", "dataset") if self.names else ("entity",)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of chains and draws of the source."""
        posterior = self.source.group("posterior")
        assert posterior is not None
        return posterior.sizes.get("chain", 1), posterior.sizes.get("draw", 1)

    def estimates(self, one: Attempts) -> np.ndarray:
        """Return the estimate of each case that counts (pattern, entity), NaN where it was not met."""
        values = one.of_cells(self.used)
        return np.where(self.used.runs > 0, values, np.nan)

    def observed(self, one: Attempts) -> xr.Dataset:
        """Return the estimates of the cases as outcomes, with counts and groups of the cases."""
        evidence, retained = self.evidence, self.kept
        variables: dict[str, Any] = {
            "outcome": (("pattern", "entity"), self.estimates(one)),
            "count": ("pattern", evidence.count[retained]),
        }
        groups = {
            # Runs of these cases are independent, whichever cluster a case belongs to.
            "cluster": None if self.these else evidence.cluster,
            "dataset": evidence.dataset,
            UNIT_WEIGHT: evidence.each,
        }
        variables |= {
            name: ("pattern", values[retained])
            for name, values in groups.items()
            if values is not None
        }
        return xr.Dataset(variables, {"entity": name_coord(evidence.entities)})

    def means(self, one: Attempts) -> np.ndarray:
        """Return the observed score (entity, [dataset])."""
        by_dataset = mean_outcome(self.observed(one), self.names, self.evidence.by_case)
        return by_dataset if self.names else by_dataset[:, 0]

    def mean_costs(self, most: int) -> np.ndarray | None:
        """Return the mean cost of up to k attempts at a case that stop at a success (k from 1, entity).

        None if the costs are unknown. The last attempt is right with the probability of a success,
        and all others are wrong. Right and wrong runs of a case may cost differently. Cases whose
        costs are unknown do not count.
        """
        data = self.source.observed
        if "pattern_cost_right" not in data or self.names:
            return None
        right, wrong = (
            data[f"pattern_cost_{end}"].transpose("pattern", "entity").values[self.kept]
            for end in ("right", "wrong")
        )
        result, failed = np.empty((most, right.shape[1])), np.zeros(right.shape)
        weight = self.evidence.count[self.kept][:, None]
        for k in range(1, most + 1):
            success = self.estimates(Attempts(k))
            failed += 1 - success
            paid = np.where(success > 0, success * right, 0.0) + np.where(
                failed > 0, failed * wrong, 0.0
            )
            has_cost = ~np.isnan(paid) & (self.used.runs > 0)
            with np.errstate(invalid="ignore"):
                result[k - 1] = np.where(has_cost, paid * weight, 0.0).sum(axis=0) / (
                    has_cost * weight
                ).sum(axis=0)
        return result

    def draws(self, wanted: Sequence[Attempts]) -> np.ndarray:
        """Return draws of several scores (score, chain, draw, entity, [dataset]), with common weights of the cases.

        Of these cases, the weights of each entity are its own.
        """
        draw = self._draw_alone if self.these else self._draw
        parts = [draw(i, wanted) for i in range(max(len(self.names), 1))]
        drawn = np.stack(parts, axis=-1) if self.names else parts[0]
        spread = np.stack([self.spread(one) for one in wanted])[:, None, None]
        centre = drawn.mean(axis=(1, 2), keepdims=True)
        drawn -= centre
        drawn *= spread
        if self.these:
            drawn *= np.stack([self.narrowing(one) for one in wanted])[:, None, None]
        drawn += centre
        return np.clip(drawn, 0.0, 1.0, out=drawn)

    def spread(self, one: Attempts) -> np.ndarray:
        """Return the factor by which draws are spread about their mean (entity, [dataset]).

        Few cases that are not at an end of the range show little of their variance, too.
        """
        freedom, factor = np.moveaxis(self.units, -1, 0)
        few = np.maximum(self.effective_cases(one) - 1, FREEDOM_OF_CASES)
        wide = stdtrit(np.maximum(np.minimum(freedom, few), 1e-9), LEVEL) / ndtri(LEVEL)
        factors = np.where(freedom > 0, factor * wide, WHOLE_RANGE)
        return factors if self.names else factors[:, 0]

    @cached_property
    def units(self) -> np.ndarray:
        """Return the degrees of freedom of a mean over the cases or clusters, and its factor (entity, dataset, 2)."""
        evidence, by_sizes = self.kind_of(Attempts(1)), dict[bytes, tuple[float, float]]()
        result = np.empty((len(self.evidence.entities), max(len(self.names), 1), 2))
        for i in range(len(result)):
            for j, sizes in enumerate(evidence.sizes(i)):
                key = np.sort(sizes).tobytes()
                by_sizes[key] = by_sizes.get(key) or cluster_information([sizes], np.ones(1))
                result[i, j] = by_sizes[key]
        return result

    @cached_property
    def _outcomes_of_cases(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how many cases have each outcome, and the sums of their squared weights (dataset, cell, entity)."""
        count, square = self.evidence.count[self.kept], self.evidence.squares[self.kept]
        held = None if self.evidence.dataset is None else self.evidence.dataset[self.kept]
        parts = [np.ones(len(count))] if held is None else [held == name for name in self.names]
        return (
            np.stack([self.used.numbers(count * own) for own in parts]),
            np.stack([self.used.numbers(square * own) for own in parts]),
        )

    def effective_cases(self, one: Attempts) -> np.ndarray:
        """Return Kish's effective number of cases that are off an end, whichever end has fewer (entity, dataset).

        Cases count in proportion to their distance from the end.
        """
        estimates, met = one.of_each_cell(self.used), self.used.cells[1] > 0
        number, square = self._outcomes_of_cases
        sizes = []
        for end in (0, 1):
            far = np.where(met, np.abs(estimates - end), 0.0)
            total, squares = np.tensordot(far, number, (0, 1)), np.tensordot(far**2, square, (0, 1))
            sizes.append(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0))
        return np.minimum(*sizes).T

    def narrowing(self, one: Attempts) -> np.ndarray:
        """Return by what factor the spread is smaller if only the runs of these cases vary (entity), at most 1.

        It is the square root of the share of the variance that is within cases. The estimate rests
        on the cases that are not at an end, in proportion to their distance from it: t has so many
        degrees of freedom as their effective number (Kish), less one.
        """
        count, square = self.evidence.count[self.kept], self.evidence.squares[self.kept]
        runs = self.used.cells[1]
        estimates, met = one.of_each_cell(self.used), runs > 0
        moments = RateMoments.of(self.used, count, one.every)
        within = np.stack(
            [moments.within(one.k, n) if n else moments.values[0] for n in runs.tolist()]
        )
        prior = self.prior[1][:, 0] * (square.sum() / count.sum()) ** 2
        squares, few = self.used.numbers(square), self.effective_cases(one)[:, 0]
        factor = np.empty(len(few))
        for i, (mean, fewest) in enumerate(zip(self.means(one), few, strict=True)):
            number = squares[met, i]
            of_prior = prior[i] @ (self._at_prior(one) - mean) ** 2
            every = number @ (estimates[met] - mean) ** 2 + of_prior
            share = (number @ within[met, i] + of_prior) / every if every > 0 else 1.0
            wide = stdtrit(fewest - 1, LEVEL) / ndtri(LEVEL) if fewest > 1 else np.inf
            factor[i] = min(np.sqrt(share) * wide, 1.0)
        return factor

    def kind_of(self, one: Attempts) -> CaseEvidence:
        """Return the evidence whose outcomes are the estimates."""
        held = self.observed(one)
        observed = held.rename({str(old): f"pattern_{old}" for old in held.data_vars})
        result = CaseEvidence.parse(Parts(observed, self.source.model, EvidenceRecord()))
        assert result is not None
        return result

    def _draw(self, i: int, wanted: Sequence[Attempts]) -> np.ndarray:
        """Return draws on data set ``i`` (score, chain, draw, entity), not spread."""
        # Sorted by name, so that the order of the entities has no effect.
        order = np.argsort([repr(name) for name in self.evidence.entities], kind="stable")
        return self._draw_some(i, wanted, order)[..., np.argsort(order)]

    def _draw_alone(self, i: int, wanted: Sequence[Attempts]) -> np.ndarray:
        """Return the same, with weights of the cases for each entity alone."""
        parts = [
            self._draw_some(i, wanted, np.array([j]), "these")
            for j in range(len(self.evidence.entities))
        ]
        return np.concatenate(parts, axis=-1)

    def _draw_some(
        self, i: int, wanted: Sequence[Attempts], order: np.ndarray, *purpose: str
    ) -> np.ndarray:
        """Return draws of some entities; of these cases (a ``purpose``), clusters do not count."""
        evidence = self.evidence
        here = self.kept & (evidence.dataset == self.names[i]) if self.names else self.kept
        names = [evidence.entities[j] for j in order]
        used = self.runs.of(here)
        right, made = used.cells
        codes = np.insert(used.codes[:, order], 0, 0, axis=1)
        features = np.empty((len(made), 1 + len(wanted)))
        features[:, 0] = made > 0
        for s, one in enumerate(wanted):
            features[:, 1 + s] = np.where(made > 0, one.of_each_cell(used), 0.0)
        points, mass = self.prior
        base = np.column_stack([np.ones(len(points)), *(self._at_prior(one) for one in wanted)])
        cluster = (
            None if evidence.cluster is None or purpose else pd.factorize(evidence.cluster[here])[0]
        )
        number, each = evidence.count[here], None if evidence.each is None else evidence.each[here]
        units = gather(codes, number, cluster, evidence.by_case, each)
        priors = prior_weights(number, each, codes[:, 0], 1)
        process = Process(mass[order, i][:, None], *units, features, base, priors)
        key = fingerprint(right, made, process.codes, process.unit, process.size, process.count)
        key_of_names = [*purpose, *names] if purpose else []
        dataset, root = self.names[i] if self.names else "", self._root
        result = np.empty((1 + len(wanted), *self.shape, len(names)))
        for block in blocks_between(0, self.shape[0], 0, self.shape[1], self.shape):

            def of(*what: Any, at: tuple[int, int] = block.key) -> np.random.Generator:
                return stream(root, "attempts", *key_of_names, *what, dataset, key, *at)

            drawn = process.draw(of, names, block.size)[:, :, 0]
            result[:, block.chain, block.start : block.stop] = np.moveaxis(drawn, -1, 0)
        with np.errstate(invalid="ignore"):
            result[1:] /= result[0]
        # Entities without cases on the data set have no score.
        result[..., ~(used.runs[:, order] > 0).any(axis=0)] = np.nan
        return result[1:]

    @cached_property
    def prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of right runs of the prior's cases, and their numbers (entity, data set, share)."""
        size = len(self.evidence.entities), max(len(self.names), 1)
        held = (self.source.group("constant_data") or xr.Dataset()).get("prior_concentration")
        if held is None or "outcome" not in held.dims:
            return np.zeros(1), np.zeros((*size, 1))
        return held["outcome"].values.astype(float), held.transpose(
            *self.dims, "outcome"
        ).values.reshape(*size, -1)

    def _at_prior(self, one: Attempts) -> np.ndarray:
        """Return the estimates of the prior's cases, which have as many runs as any case has."""
        if one.majority:
            return np.asarray(self.prior[0])
        runs = max(self.runs.most, one.k)
        every = one.estimate(np.arange(runs + 1), np.full(runs + 1, runs))
        return np.interp(self.prior[0] * runs, np.arange(runs + 1), every)

    @cached_property
    def _root(self) -> np.random.SeedSequence:
        """Return the root of the random streams, which follows from the draws of the source alone."""
        held = self.source.group("posterior")
        assert held is not None
        some = held["mean_outcome"].isel(draw=slice(8), chain=slice(1), missing_dims="ignore")
        # Sorted, so that the order of the entities has no effect.
        return root_sequence(int(fingerprint(np.sort(some.values, axis=None)), 16))

    def posterior(self, one: Attempts, name: str, drawn: np.ndarray | None = None) -> Source:
        """Return the posterior of one score as a source with the variable ``name``, and its evidence."""
        held = self.source.group("posterior")
        assert held is not None
        drawn = self.draws([one])[0] if drawn is None else drawn
        coords = {"entity": held["entity"]} | (
            {"dataset": name_coord(self.names)} if self.names else {}
        )
        record = {key: held.attrs[key] for key in KEPT if key in held.attrs}
        if self.these:
            record = _without_clusters(record)
        over = "these_cases" if self.these else "cases_like_these"
        record |= ModelRecord(
            draws_spread=tuple(self.spread(one).ravel().tolist()), over=over
        ).to_attrs()
        record |= {f"{name}_range": [0.0, 1.0]}
        draws = xr.DataArray(drawn, coords, ("chain", "draw", *self.dims), name)
        observed = self.observed(one)
        own = observed.rename({str(old): f"pattern_{old}" for old in observed.data_vars}).assign(
            {name: (self.dims, self.means(one))}
        )
        own = own.assign_coords({dim: coord for dim, coord in coords.items() if dim == "dataset"})
        values, position = np.unique(self._at_prior(one), return_inverse=True)
        mass = self.prior[1] @ (
            position.reshape(-1, 1) == np.arange(len(values))
        )  # several may have the same estimate
        prior = xr.DataArray(
            mass if self.names else mass[:, 0], own[name].coords, (*self.dims, "outcome")
        )
        prior = prior.assign_coords(outcome=values)
        groups = {
            "posterior": draws.to_dataset().assign_attrs(add_notes(record, self.notes(one))),
            "observed_data": own,
            "constant_data": prior.rename("prior_concentration").to_dataset(),
        }
        return Source(container=to_container(groups))

    def notes(self, one: Attempts) -> list[Note]:
        """Return what the scores are for, and how many cases have too few runs."""
        count = (
            self.evidence.count
            if self.evidence.each is None
            else self.evidence.count / self.evidence.each
        )
        total, used = round(float(count.sum())), round(float(count[self.kept].sum()))
        result = [
            Note(
                "attempts_of_cases_like_these",
                {"k": one.k, "every": one.every, "majority": one.majority},
            )
        ]
        if self.these:
            result = [Note("attempts_of_these_cases", {"k": one.k, "every": one.every})]
        if used < total:
            result.append(
                Note("cases_with_few_runs", {"least": self.least, "used": used, "total": total})
            )
        return result


#: What the posterior of a score of attempts says as that of the mean outcome does.
KEPT = ("model", "model_chosen_by", "words", "kind", "paired", "target", "clusters", "missing", "ledger", "noun",
        "in_percent", "stratum", "seed", "notes", "units", "prior")  # fmt: skip


def _without_clusters(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a model without its clusters, for runs that are independent in every cluster."""
    notes = [note for note in notes_of(record.get("notes", "")) if note.code != "few_clusters"]
    left_out = ("target", "clusters", "notes")
    return add_notes({key: held for key, held in record.items() if key not in left_out}, notes)
