r"""Partial truth: verdicts on all cases, and the truth of some of them.

Cases with equal verdicts :math:`j` (of all judges, or of all tests under study) are a stratum. The
truth is missing at random within strata, so

.. math::

    P(j) \sim \mathrm{Dirichlet}, \qquad P(Y \mid j) \mid \mu, c \sim \mathrm{Beta}(c\mu, c(1 -
    \mu)), \qquad \mu \sim \mathrm{Beta}(1, 1),

with :math:`c` uniform on 1, 2, 4, ..., 128; for confusion matrices it is 1/2, as shrinkage would
bias them towards chance. So the rates of the strata are shrunk to a rate :math:`\mu` of the entity.
The labels determine :math:`c`: the less the verdicts say about the truth, the stronger the
shrinkage. No independence of judges is assumed. More than two classes are split one by one, each
from the classes after it. All draws are independent: :math:`(\mu, c)` from their exact posterior on
a grid, the rest from gamma variables.

Entities are paired by one random weight for each case: the weight is a part of :math:`P(j)` and,
where the truth is known, of :math:`P(Y \mid j)`. This leaves the distribution of each entity as it
is, since shares of labelled cases are independent of the sums of weights. With clusters the weights
are those of clusters. For many cases without labels the sums of their weights over strata are
drawn: gamma variables, which depend on each other by a normal copula with the correlations of the
sums.

References
----------
Begg and Greenes (1983), Assessment of diagnostic tests when disease verification is subject to
selection bias, Biometrics 39:207-215, for the estimate without a prior.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaln, gammainccinv, gammaincinv, ndtr

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.counts import mark_classes_as
from bayesrank.evidence.judged import meanings_of_verdicts
from bayesrank.evidence.weighting import UNIT_WEIGHT
from bayesrank.models.parts.dirichlet_process import gather

#: Prior strengths of the common rate, in cases, all equally probable; chosen by coverage at rates
#: 0.5 to 0.98.
STRENGTHS = 2.0 ** np.arange(8)
#: The same for confusion matrices, whose errors shrinkage would bias towards those of chance.
STRENGTHS_OF_TABLES = np.array([0.5])
#: Number of cells of the grid of the common rate: equal steps of the arcsine of its root.
CELLS = 400
#: Units whose weights are drawn at once. With more cases without labels, the sums of their weights
#: are drawn.
UNITS = 2000
#: Below this probability of a chance difference, labels are said to be chosen by verdict.
BY_VERDICT = 0.001
#: A stratum without labels is named if it has at least this share of the cases of an entity.
SHARE = 0.05


def _label_codes(joint: xr.Dataset, classes: list) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of predictions (pattern, entity), and of truths (pattern, 1): -1 where unknown."""
    position = {label: i for i, label in enumerate(classes)}
    guesses = np.vectorize(position.__getitem__, otypes=[int])(joint["predicted"].values)
    has_truth = ~pd.isna(joint["actual"].values)
    truth = np.full((len(has_truth), 1), -1)
    truth[has_truth, 0] = [position[label] for label in joint["actual"].values[has_truth].tolist()]
    return guesses, truth


class PartialTruth:
    """Model outcomes that a judge, or a test under study, saw for all cases and the truth for some.

    Parameters
    ----------
    evidence : xarray.Dataset
        Judged outcomes, as from :func:`bayesrank.from_judged`: the mean outcome of each entity
        follows. Or joint outcomes with missing truths, as from :func:`bayesrank.joint_outcomes`:
        confusion matrices follow.

    Examples
    --------
    >>> test = [1] * 429 + [0] * 221
    >>> disease = [1] * 231 + [0] * 32 + [None] * 166 + [1] * 27 + [0] * 54 + [None] * 140
    >>> joint = br.joint_outcomes(disease, {"scan": test})
    >>> posterior = br.fit(joint, seed=1)  # the naive sensitivity is 231 / 258 = 0.895
    >>> br.scores.tpr(posterior).mean().round(2).item()
    0.84
    """

    takes: ClassVar[str] = "cases"
    partial: ClassVar[bool] = True
    kind: ClassVar[str] = "observed"
    #: Errors or gaps of the reference standard are part of the model.
    truth_in_doubt: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = (
        "Begg and Greenes (1983). Assessment of diagnostic tests when disease verification is subject to selection "
        "bias. Biometrics 39:207-215.",
    )
    words: ClassVar[str] = (
        "The truth is known for some cases; among cases with equal verdicts, those with a known truth are taken as a "
        "random sample."
    )

    def __init__(self, evidence: xr.Dataset) -> None:
        if not isinstance(evidence, xr.Dataset) or not {"verdict", "predicted"} & set(
            evidence.data_vars
        ):
            raise ArgumentTypeError(
                "evidence",
                "must have verdicts on all cases, as from br.from_judged or br.joint_outcomes, for the model "
                "PartialTruth",
                describe_value(evidence),
            )
        self.joint = joint = evidence.transpose("pattern", "entity", ...)
        self.judged = "verdict" in joint
        self.names = joint["entity"].values.tolist()
        self.order = np.argsort([repr(name) for name in self.names], kind="stable")
        self.datasets = (
            list(dict.fromkeys(joint["dataset"].values.tolist()))
            if "dataset" in joint.coords
            else []
        )
        if self.judged:
            columns, self.codes = _levels(joint["verdict"].values)
            self.meanings = self._meanings()
            truth = np.nan_to_num(joint["truth"].values, nan=-1).astype(int)
            self.classes: list = [0, 1]
        else:
            # The prediction of every entity may decide whether a case is verified: strata are their
            # joint patterns.
            self.classes = joint["label"].values.tolist()
            guesses, truth = _label_codes(joint, self.classes)
            self.answers, columns = np.unique(guesses[:, self.order], axis=0, return_inverse=True)
            columns = columns.reshape(-1, 1)
        if not (truth >= 0).any():
            raise ArgumentError("evidence", "must have a known truth for at least one case", "none")
        self.strata, self.truth = columns, truth
        self.strengths = STRENGTHS if self.judged else STRENGTHS_OF_TABLES
        self.parts = [self._part(i) for i, _ in enumerate(self.datasets or [None])]
        self.settings: dict[str, Any] = {
            "prior": "common-rate",
            **({"mean_outcome_range": [0, 1]} if self.judged else {"prevalence": "sampled"}),
        }
        retained = notes_of(EvidenceRecord.of(joint).notes)
        self.settings |= {"notes": notes_text([*retained, *self._notes()])}

    def _part(self, i: int) -> "TruthStrata":
        """Return the strata of one data set."""
        in_dataset = (
            self.joint["dataset"].values == self.datasets[i]
            if self.datasets
            else np.ones(len(self.strata), bool)
        )
        systems = self.order if self.judged else np.zeros(1, int)
        codes = np.hstack([self.strata[in_dataset][:, systems], self.truth[in_dataset][:, systems]])
        cluster = (
            pd.factorize(self.joint["cluster"].values[in_dataset])[0]
            if "cluster" in self.joint.coords
            else None
        )
        count = self.joint["count"].values[in_dataset]
        weight = (
            self.joint[UNIT_WEIGHT].values[in_dataset] if UNIT_WEIGHT in self.joint.coords else None
        )
        rows, unit, size, times = gather(codes, count, cluster, weight=weight)
        names = [repr(self.names[i]) for i in self.order] if self.judged else ["all"]
        return TruthStrata(
            names,
            rows[:, : len(systems)],
            rows[:, len(systems) :],
            unit,
            size,
            times,
            len(self.classes),
            self.strengths,
            weight is not None,
        )

    def _notes(self) -> list[Note]:
        """Return how many labels there are, how they were chosen, and where there are none."""
        result, systems = [], [str(self.names[i]) for i in self.order] if self.judged else [""]
        labels = sum((part.known for part in self.parts), start=np.zeros(len(systems), int))
        cases = sum(
            (part.cases.sum(axis=1) for part in self.parts), start=np.zeros(len(systems), int)
        )
        fields = {
            "fewest": round(labels.min()),
            "most": round(labels.max()),
            "cases": round(cases.max()),
        }
        chosen = sorted({systems[k] for part in self.parts for k in part.chosen_by_verdict()})
        result.append(
            Note(
                "truth_known_in_part",
                fields | {"by_verdict": bool(chosen), "of": chosen, "entities": len(systems)},
            )
        )
        if none := [name for name, n in zip(systems, labels, strict=True) if not n]:
            result.append(Note("entities_without_labels", {"entities": none}))
        empty = [(part, k, j) for part in self.parts for k, j in part.without_labels() if labels[k]]
        if empty:
            part, k, j = max(
                empty, key=lambda of: of[0].cases[of[1], of[2]] / of[0].cases[of[1]].sum()
            )
            share = float(part.cases[k, j] / part.cases[k].sum())
            result.append(
                Note(
                    "strata_without_labels",
                    {
                        "strata": len(empty),
                        "share": share,
                        "entity": systems[k],
                        "verdict": self._word(j),
                    },
                )
            )
        return result

    def _word(self, stratum: int) -> str:
        """Return the verdicts of a stratum as text."""
        if self.judged:
            return ", ".join(
                str(self.joint["verdict_label"].values[code]) for code in self.codes[stratum]
            )
        names = [self.names[i] for i in self.order]
        words = [
            f"{name}: {self.classes[a]}"
            for name, a in zip(names, self.answers[stratum], strict=True)
        ]
        return ", ".join(words)

    def _meanings(self) -> dict[str, np.ndarray]:
        """Return 1 for right, 0 for wrong and NaN for other verdicts of each stratum, by judge with such verdicts."""
        meaning = meanings_of_verdicts(self.joint)
        return {
            judge: held
            for judge, held in zip(
                self.joint["judge"].values.tolist(), meaning[self.codes].T, strict=True
            )
            if {0.0, 1.0} & set(held[~np.isnan(held)].tolist())
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the estimate of Begg and Greenes; strata without labels have the entity's labelled rate."""
        back = np.argsort(self.order)
        means = [part.estimate() for part in self.parts]  # (system, stratum, class), summing to 1
        variables: dict[str, Any] = {}
        dims = ("entity", "dataset") if self.datasets else ("entity",)
        shape = (len(self.names), *([len(self.datasets)] if self.datasets else []))
        if self.judged:
            mean = np.stack([mean[..., 1].sum(axis=1)[back] for mean in means], axis=1)
            variables["mean_outcome"] = (dims, mean.reshape(shape))
            cases = np.stack([part.cases.sum(axis=1)[back] for part in self.parts], axis=1)
            labels = np.stack([part.known[back] for part in self.parts], axis=1)
            if self.meanings:
                judge_mean = self._judge_means(cases, back).reshape(*shape, -1)
                variables["judge_mean"] = ((*dims, "judge"), judge_mean)
        else:
            tables = np.stack([self._tables(mean[0][None])[0] for mean in means], axis=1)[back]
            variables["performance"] = (
                (*dims, "actual", "predicted"),
                tables.reshape(*shape, *tables.shape[-2:]),
            )
            cases, labels = (
                np.broadcast_to(
                    [getattr(part, name).sum() for part in self.parts], (len(back), len(means))
                )
                for name in ("cases", "known")
            )
        variables["cases"], variables["labels"] = (
            (dims, cases.reshape(shape)),
            (dims, labels.reshape(shape)),
        )
        variables["judged_truth"] = (("pattern", "system"), self.truth)
        variables["judged_verdict"] = (("pattern", "entity"), self._own_verdicts())
        variables["judged_count"] = ("pattern", self.joint["count"].values)
        for name in ("cluster", "dataset"):
            if name in self.joint.coords:
                variables[f"judged_{name}"] = ("pattern", self.joint[name].values)
        estimate = xr.Dataset(
            variables, {name: c for name, c in self.coords().items() if name != "outcome"}
        )
        estimate = mark_classes_as(estimate, self.joint)
        constant: dict[str, Any] = {"strengths": ("strength", self.strengths)}
        if self.judged:
            constant["prior_concentration"] = ((*dims, "outcome"), np.ones((*shape, 2)))
        return {"observed_data": estimate, "constant_data": xr.Dataset(constant, self.coords())}

    def _judge_means(self, cases: np.ndarray, back: np.ndarray) -> np.ndarray:
        """Return the mean verdict of each judge (entity, data set, judge); NaN without cases."""
        verdicts = np.nan_to_num(np.stack(list(self.meanings.values())), nan=0.0)
        sums = [part.cases[back] @ verdicts[:, : part.width].T for part in self.parts]
        return np.stack(sums, axis=1) / np.where(cases > 0, cases, np.nan)[..., None]

    def _own_verdicts(self) -> np.ndarray:
        """Return the stratum (pattern, entity) of each case, or the code of each prediction."""
        return (
            self.strata
            if self.judged
            else self.answers[self.strata[:, 0]][:, np.argsort(self.order)]
        )

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        own: dict[str, Any] = {"entity": self.joint["entity"].values}
        own |= {"dataset": self.datasets} if self.datasets else {}
        if self.judged:
            return (
                own
                | {"outcome": np.array([0, 1])}
                | ({"judge": list(self.meanings)} if self.meanings else {})
            )
        return own | {"actual": self.joint["label"].values, "predicted": self.joint["label"].values}

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of ``mean_outcome`` and ``performance`` over outcomes, or of ``performance`` over tables."""
        drawn = [part.draw(group, block, root, str(i)) for i, part in enumerate(self.parts)]
        back = np.argsort(self.order)
        dims = ("draw", "entity", *(["dataset"] if self.datasets else []))
        if not self.judged:
            tables = np.stack([self._tables(part[:, 0]) for part in drawn], axis=2)[:, back]
            tables = tables if self.datasets else tables[:, :, 0]
            return {"performance": xr.Variable((*dims, "actual", "predicted"), tables)}
        both = np.stack([part.sum(axis=2) for part in drawn], axis=2)[:, back]
        both = both if self.datasets else both[:, :, 0]
        mean = xr.Variable(dims, both[..., 1])
        result = {"performance": xr.Variable((*dims, "outcome"), both), "mean_outcome": mean}
        if self.meanings:
            errors = np.stack([self._errors(part) for part in drawn], axis=2)[:, back]
            errors = errors if self.datasets else errors[:, :, 0]
            result["judge_error"] = xr.Variable((*dims, "judge", "outcome"), errors)
        return result

    def _errors(self, joint: np.ndarray) -> np.ndarray:
        """Return P(the verdict is the opposite | outcome) (draw, entity, judge, outcome) from joint probabilities."""
        result = np.empty((*joint.shape[:2], len(self.meanings), 2))
        for i, meaning in enumerate(self.meanings.values()):
            for outcome in (0, 1):
                of_outcome = joint[..., outcome]
                wrong = meaning[: joint.shape[2]] == 1 - outcome
                total = of_outcome.sum(axis=2)
                shape, has_cases = total.shape, total > 0
                result[:, :, i, outcome] = np.divide(
                    of_outcome[..., wrong].sum(axis=2),
                    total,
                    out=np.full(shape, np.nan),
                    where=has_cases,
                )
        return result

    def _tables(self, joint: np.ndarray) -> np.ndarray:
        """Return tables (draw, entity, actual, predicted) from probabilities (draw, stratum, class)."""
        size = len(self.classes)
        result = np.empty((len(joint), len(self.order), size, size))
        for e in range(len(self.order)):
            for p in range(size):
                result[:, e, :, p] = joint[:, self.answers[:, e] == p].sum(axis=1)
        return result


@dataclass(frozen=True)
class TruthStrata:
    """Cases in strata by verdict, and their truth where it is known, for each of several systems."""

    names: list[str]
    stratum: (
        np.ndarray
    )  #: Stratum of each row (row, system); -1 where the system did not meet the case.
    truth: np.ndarray  #: Class (row, system); -1 where unknown.
    unit: np.ndarray  #: The unit of each row; units carry the weights.
    size: np.ndarray  #: Cases of the row in its unit, or the sum of their weights.
    times: np.ndarray  #: Number of equal units.
    classes: int
    strengths: np.ndarray  #: Prior strengths of the common rate.
    weighted: bool = False  #: Whether cases have importance weights.

    @cached_property
    def width(self) -> int:
        return int(self.stratum.max()) + 1

    @cached_property
    def tally(self) -> np.ndarray:
        """Return the number of cases, or the sum of their weights, by system, stratum and class.

        The last class is for an unknown truth.
        """
        number = self.size * self.times[self.unit]
        number = number if self.weighted else number.astype(int)
        result = np.zeros((len(self.names), self.width, self.classes + 1), number.dtype)
        for k in range(len(self.names)):
            has_verdict = self.stratum[:, k] >= 0
            # Code -1, the last place, is an unknown truth.
            np.add.at(
                result[k],
                (self.stratum[has_verdict, k], self.truth[has_verdict, k]),
                number[has_verdict],
            )
        return result

    @property
    def cases(self) -> np.ndarray:
        return np.asarray(self.tally.sum(axis=2))

    @property
    def labels(self) -> np.ndarray:
        return np.asarray(self.tally[..., :-1].sum(axis=2))

    @property
    def known(self) -> np.ndarray:
        """Return the number of labelled cases (system), under weights the effective one."""
        labels = self.labels.sum(axis=1)
        return labels / self.prior_weights[1] if self.weighted else labels

    @cached_property
    def prior_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the weight Σw² / Σw of a case of the prior (system): among all cases, and among labelled ones.

        It is 1 without importance weights. Cases of a cluster have one weight, their sum.
        """
        weights = np.ones((2, len(self.names)))
        for k in range(len(self.names)) if self.weighted else ():
            for i, here in enumerate((self.stratum[:, k] >= 0, self.truth[:, k] >= 0)):
                sums = np.bincount(self.unit[here], self.size[here], len(self.times))
                if here.any():
                    weights[i, k] = self.times @ np.square(sums) / (self.times @ sums)
        return weights[0], weights[1]

    def without_labels(self) -> list[tuple[int, int]]:
        """Return the systems and strata with many cases and no label."""
        share = self.cases / np.maximum(self.cases.sum(axis=1, keepdims=True), 1)
        return [(int(k), int(j)) for k, j in np.argwhere((self.labels == 0) & (share >= SHARE))]

    def chosen_by_verdict(self) -> list[int]:
        """Return the systems whose share of labelled cases differs between strata by more than chance."""
        from scipy.stats import chi2_contingency

        result = []
        for k in range(len(self.names)):
            has_cases = self.cases[k] > 0
            table = np.stack([self.labels[k][has_cases], (self.cases - self.labels)[k][has_cases]])
            varied = has_cases.sum() > 1 and table.sum(axis=1).all()
            if varied and chi2_contingency(table).pvalue < BY_VERDICT / len(self.names):
                result.append(k)
        return result

    def estimate(self) -> np.ndarray:
        """Return the observed joint shares (system, stratum, class)."""
        cases, labelled = self.cases.astype(float), self.tally[..., :-1].astype(float)
        pooled = labelled.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = cases / cases.sum(axis=1, keepdims=True)
            common = pooled / pooled.sum(axis=2, keepdims=True)
            own = labelled / labelled.sum(axis=2, keepdims=True)
        return np.asarray(share[..., None] * np.where(np.isnan(own), common, own))

    @cached_property
    def key(self) -> str:
        return fingerprint(self.stratum, self.truth, self.unit, self.size, self.times)

    @cached_property
    def dilution(self) -> np.ndarray:
        """Return the number of labelled units over that of labelled cases (system), which scales the grid's counts.

        Weighted cases have the effective number.
        """
        if self.weighted:
            return 1 / self.prior_weights[1]
        factors = np.ones(len(self.names))
        for k in range(len(self.names)):
            has_truth = self.truth[:, k] >= 0
            if has_truth.any():
                factors[k] = (
                    self.times[np.unique(self.unit[has_truth])].sum() / self.labels[k].sum()
                )
        return np.minimum(factors, 1.0)

    def draw(self, group: str, block: Block, root: np.random.SeedSequence, part: str) -> np.ndarray:
        """Draw joint probabilities (draw, system, stratum, class)."""

        def rng(*purpose: Any) -> np.random.Generator:
            return stream(root, group, "partial_truth", *purpose, part, self.key, *block.key)

        draws, shape = block.size, (len(self.names), self.width)
        total, labelled, level = (
            self._sums(rng, draws) if group != "prior" else self._nothing(draws)
        )
        joint = np.full((draws, *shape, self.classes), np.nan)
        for k, name in enumerate(self.names):
            own = np.flatnonzero(self.cases[k])
            if not len(own):
                continue  # not measured on this data set
            of_strata, of_rates = (weight[k] for weight in self.prior_weights)
            mass = total[:, k, own] + of_strata * rng("strata", name).standard_gamma(
                1 / len(own), (draws, len(own))
            )
            share = mass / mass.sum(axis=1, keepdims=True)
            remaining = np.ones_like(share)
            for y in range(self.classes - 1):
                mean, strength = self._common(
                    k, y, level[:, k, y], rng("strength", name, y), group != "prior"
                )
                shape_of = (strength * mean)[:, None], (strength * (1 - mean))[:, None]
                of_class, later = (
                    of_rates
                    * rng("rate", name, y, i).standard_gamma(np.broadcast_to(a, share.shape))
                    for i, a in enumerate(shape_of)
                )
                of_class += labelled[:, k, own, y]
                later += labelled[:, k, own, y + 1 :].sum(axis=2)
                rate = of_class / (of_class + later)
                joint[:, k, own, y] = share * remaining * rate
                remaining = remaining * (1 - rate)
            joint[:, k, own, -1] = share * remaining
            joint[:, k, np.setdiff1d(np.arange(self.width), own)] = 0.0
        return joint

    def _nothing(self, draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shape = (draws, len(self.names), self.width)
        level = np.full((draws, len(self.names), self.classes), np.nan)
        return np.zeros(shape), np.zeros((*shape, self.classes)), level

    def _sums(self, rng: Any, draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sums of weights over strata, and over labelled cases by class, and levels of the common rates.

        Levels (draw, system, class) are uniform numbers, NaN without labels. They depend on each
        other as the labels of the systems on common cases do.
        """
        systems = len(self.names)
        columns = systems * self.width
        total, labelled_sums = np.zeros((columns, draws)), np.zeros((columns * self.classes, draws))
        normal = np.zeros((systems * self.classes, draws))
        column = self.stratum + self.width * np.arange(systems)
        labelled = self.truth >= 0
        residual = self._residuals()
        bulk = self._bulk
        if bulk.any():
            total += self._sums_of_bulk(bulk, column, rng("bulk"), draws)
        for start in range(0, len(self.times), UNITS):
            times = self.times[start : start + UNITS]
            first, last = np.searchsorted(self.unit, (start, start + UNITS))
            rows = np.arange(first, last)[~bulk[first:last]]
            if not rows.size:
                continue
            unit, size = self.unit[rows] - start, self.size[rows]
            weight = (
                rng("units", start).standard_gamma(np.broadcast_to(times, (draws, len(times)))).T
            )
            has_truth = labelled[rows]
            total += (
                _gather_columns(
                    column[rows], self.stratum[rows] >= 0, unit, size, columns, len(times)
                )
                @ weight
            )
            if has_truth.any():
                cell = column[rows] * self.classes + self.truth[rows]
                labelled_sums += (
                    _gather_columns(cell, has_truth, unit, size, len(labelled_sums), len(times))
                    @ weight
                )
                some = np.unique(unit[has_truth.any(axis=1)])
                noise = rng("levels", start).standard_normal((draws, len(some)))
                effect = np.zeros((len(times), systems * self.classes))
                np.add.at(effect, unit, residual[rows] * size[:, None])
                normal += (noise @ (effect[some] * np.sqrt(times[some])[:, None])).T
        effect = np.zeros((len(self.times), systems * self.classes))
        np.add.at(effect, self.unit, residual * self.size[:, None])
        scale = np.sqrt(self.times @ np.square(effect))
        with np.errstate(invalid="ignore", divide="ignore"):
            level = ndtr((normal / scale[:, None]).T).reshape(draws, systems, self.classes)
        shape = (draws, systems, self.width)
        return total.T.reshape(shape), labelled_sums.T.reshape(*shape, self.classes), level

    @cached_property
    def _bulk(self) -> np.ndarray:
        """Return the rows without any label, if they are many single cases; else none."""
        without = (self.truth < 0).all(axis=1)
        single = len(self.times) == len(self.unit) and bool((self.size == 1).all())
        return np.asarray(without & bool(single and without.sum() > UNITS))

    def _sums_of_bulk(
        self, bulk: np.ndarray, column: np.ndarray, rng: np.random.Generator, draws: int
    ) -> np.ndarray:
        """Draw sums of the weights of the rows ``bulk`` over strata (column, draw)."""
        has_verdict = self.stratum[bulk] >= 0
        columns = len(self.names) * self.width
        cases = _gather_columns(
            column[bulk],
            has_verdict,
            np.arange(bulk.sum()),
            np.ones(bulk.sum()),
            columns,
            int(bulk.sum()),
        )
        times = self.times[self.unit[bulk]]
        shared = (cases.multiply(times) @ cases.T).toarray()
        number = np.diag(shared).copy()
        some = number > 0
        scale = np.sqrt(number[some])
        values, vectors = np.linalg.eigh(shared[np.ix_(some, some)] / scale[:, None] / scale)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        normal = root @ rng.standard_normal((len(values), draws))
        result = np.zeros((columns, draws))
        low, high = ndtr(normal), ndtr(-normal)
        shape = number[some, None]
        # The smaller tail keeps its digits.
        result[some] = np.where(normal < 0, gammaincinv(shape, low), gammainccinv(shape, high))
        return result

    def _residuals(self) -> np.ndarray:
        """Return the truth less its mean (row, system x class), of cases in this class or a later one; else 0."""
        result = np.zeros((len(self.unit), len(self.names), self.classes))
        for k in range(len(self.names)):
            for y in range(self.classes - 1):
                remaining = self.truth[:, k] >= y
                number = self.tally[k, :, y:-1].sum()
                if number:
                    result[remaining, k, y] = (self.truth[remaining, k] == y) - self.tally[
                        k, :, y
                    ].sum() / number
        return result.reshape(len(self.unit), -1)

    def _common(
        self, k: int, y: int, level: np.ndarray, rng: np.random.Generator, labels: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw the common rate of class ``y`` among the classes from ``y`` on, and its strength, in each draw.

        The posterior on a grid: the rate by its level, the strength given the rate.
        """
        edges = np.square(np.sin(np.linspace(0, np.pi / 2, CELLS + 1)))
        middle = np.square(np.sin((np.arange(CELLS) + 0.5) * np.pi / 2 / CELLS))
        hits = self.tally[k, :, y] * self.dilution[k] * labels
        rest = self.tally[k, :, y + 1 : -1].sum(axis=1) * self.dilution[k] * labels
        strengths = self.strengths[:, None]
        first, second = strengths * middle, strengths * (1 - middle)
        log = np.broadcast_to(np.log(np.diff(edges)), first.shape).copy()
        for a, b in zip(hits, rest, strict=True):
            if a + b:
                log += betaln(first + a, second + b) - betaln(first, second)
        mass = np.exp(log - log.max())
        of_cell = np.append(0.0, np.cumsum(mass.sum(axis=0)))
        own = rng.random((2, len(level)))
        level = np.where(np.isnan(level), own[0], level)
        at = np.interp(level * of_cell[-1], of_cell, np.arange(CELLS + 1.0))
        cell = np.minimum(at.astype(int), CELLS - 1)
        mean = np.interp(at, np.arange(CELLS + 1), edges)
        steps = np.cumsum(mass[:, cell], axis=0)
        which = (own[1] * steps[-1] > steps).sum(axis=0)
        return np.clip(mean, 1e-12, 1 - 1e-12), self.strengths[
            np.minimum(which, len(strengths) - 1)
        ]


def _levels(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the stratum (pattern, entity) of verdicts (pattern, entity, judge), and the verdicts (stratum, judge)."""
    flat = codes.reshape(-1, codes.shape[-1])
    has_verdict = (flat >= 0).any(axis=1)
    strata = np.full(len(flat), -1)
    levels, which = np.unique(flat[has_verdict], axis=0, return_inverse=True)
    strata[has_verdict] = which.ravel()
    return strata.reshape(codes.shape[:2]), levels


def _gather_columns(
    column: np.ndarray,
    rows: np.ndarray,
    unit: np.ndarray,
    size: np.ndarray,
    columns: int,
    units: int,
) -> Any:
    """Return the cases of each unit in each column (column, unit), as a sparse matrix."""
    from scipy.sparse import csr_array

    row = np.nonzero(rows)[0]
    return csr_array((size[row], (column[rows], unit[row])), shape=(columns, units))
