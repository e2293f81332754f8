r"""Bayesian bootstrap: scores of predicted probabilities, from weights of the cases that all entities met.

The n cases of a data set have weights :math:`n\,\mathrm{Dirichlet}(1, \dots, 1)`; cases of a
cluster share a weight. Importance weights multiply them. A draw of the Brier score or the log loss
is a weighted mean.

Areas under curves depend on the order of the cases alone. If all positive cases come before all
negative ones, every draw of the weights gives an area of 1, and the interval has no width.
Therefore each class has one pseudo-case. In each draw, its scores are those of one random case of
either class, and its weight has the distribution of the weight of a case of its class. The class
shares stay as drawn. The pseudo-cases of more than two classes are drawn for each class against the
rest, and areas are means over the classes.

References
----------
Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9:130-134. Gu, Ghosal, Roy (2008),
Bayesian bootstrap estimation of ROC curve, Statistics in Medicine 27:5407-5420.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_bool, check_choice, check_unique, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.labels import factorize
from bayesrank._core.notes import Note, add_notes, notes_of
from bayesrank._core.random import BLOCK, Block, fingerprint, stream
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.threads import in_threads
from bayesrank.evidence.patterns import count_discordant
from bayesrank.evidence.probabilities import are_probabilities
from bayesrank.evidence.units import cluster_information
from bayesrank.evidence.weighting import BALANCED, WEIGHTED
from bayesrank.models.parts.conjugate import check_proper_prior

#: The scores that the model computes: of ranks, and of probabilities.
AREAS, LOSSES = ("auc_roc", "average_precision", "auc_gain"), ("brier", "log_loss")
#: Intervals of areas are withheld below this number of cases (or clusters) of a class.
FEWEST = 5
#: They are also withheld where the larger class has more than UNEQUAL times the cases of the
#: smaller class, and the latter times (1 - area) is below NEAR: nothing is then known of how low a
#: rare case may come.
UNEQUAL, NEAR = 8.0, 0.25
#: Numbers of weights that are drawn together.
TOGETHER = 2**19


def _check_probabilities(evidence: Any) -> np.ndarray:
    """Return the predicted probabilities (case, entity, class), all finite: one class of two, each of more."""
    if not isinstance(evidence, xr.Dataset) or not {"probability", "weight"} <= set(
        evidence.data_vars
    ):
        raise ArgumentTypeError(
            "evidence",
            "must be predicted probabilities, as from br.from_probabilities, for the model BayesianBootstrap",
            describe_value(evidence),
        )
    check_unique("entity", evidence["entity"].values.tolist())
    multiclass = evidence.sizes["label"] > 2
    dims = ("case", "entity", *["label"] * multiclass)
    values = evidence["probability"].transpose(*dims).values.astype(float)
    if not np.isfinite(values).all():
        raise ArgumentError(
            "evidence",
            "must contain finite numbers for every case and entity",
            "missing or infinite ones",
        )
    return values if multiclass else values[..., None]


class BayesianBootstrap:
    """Draw scores of predicted probabilities by weights of cases, with one pseudo-case a class for areas.

    Parameters
    ----------
    evidence : xarray.Dataset
        Probabilities of cases, as from :func:`bayesrank.from_probabilities`.
    scores : sequence of str, optional
        Which of ``"auc_roc"``, ``"average_precision"``, ``"auc_gain"``, ``"brier"`` and
        ``"log_loss"`` to draw; by default all that the values allow. Areas also accept decision
        values; the others need probabilities.
    average : bool
        Whether to draw the means of the scores over the data sets, with equal weights, instead of
        each data set's own.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8]})
    >>> observed = BayesianBootstrap(evidence).observed()["observed_data"]
    >>> [round(observed[name].item(), 3) for name in ("auc_roc", "average_precision", "brier")]
    [0.75, 0.833, 0.158]
    """

    takes: ClassVar[str] = "probabilities"
    references: ClassVar[tuple[str, ...]] = (
        "Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9:130-134.",
        "Gu, Ghosal, Roy (2008). Bayesian bootstrap estimation of ROC curve. Statistics in Medicine 27:5407-5420.",
    )
    words: ClassVar[str] = (
        "All entities saw the same cases, whose weights are drawn by the Bayesian bootstrap; for areas under curves, "
        "each class has one pseudo-case with the scores of a random case."
    )
    kind: ClassVar[str] = "observed"

    def __init__(
        self, evidence: xr.Dataset, scores: Sequence[str] | None = None, average: bool = False
    ) -> None:
        check_bool("average", average)
        #: Values (case, entity, class) of the classes that are compared with the rest: the positive
        #: one of two.
        self.values = _check_probabilities(evidence)
        self.names = evidence["entity"].values.tolist()
        self.classes = evidence["label"].values.tolist()
        code = {label: i for i, label in enumerate(self.classes)}
        self.actual = np.array([code[label] for label in evidence["actual"].values.tolist()])
        self.weight = evidence["weight"].values.astype(float)
        self.weighted, self.balanced = WEIGHTED in evidence.attrs, BALANCED in evidence.attrs
        clustered = "cluster" in evidence.coords
        self.cluster = factorize(evidence["cluster"].values)[0] if clustered else None
        where = (
            evidence["dataset"].values.tolist()
            if "dataset" in evidence.coords
            else [""] * len(self.values)
        )
        #: Names of the data sets; empty without any.
        self.datasets = list(dict.fromkeys(where)) if "dataset" in evidence.coords else []
        self.scores = self._check_scores(evidence, scores)
        rows, names = factorize(where)
        self.parts = [
            CasePart(self, np.flatnonzero(rows == i), name) for i, name in enumerate(names)
        ]
        #: Weights of the data sets in a mean over them; None where each has scores of its own.
        self.over = (
            np.full(len(self.parts), 1 / len(self.parts)) if average or not self.datasets else None
        )
        self.settings = self._settings(notes_of(EvidenceRecord.of(evidence).notes) + self.left_out)

    def _range(self, name: str) -> list[float]:
        if name == "brier" and len(self.classes) > 2:
            return [0.0, 2.0]
        return [0.0, np.inf if name == "log_loss" else 1.0]

    def _settings(self, notes: list[Note]) -> dict[str, Any]:
        """Return the attrs of a posterior of this model."""
        settings: dict[str, Any] = {
            "prior": "pseudo_cases",
            "probabilities": 1,
            "fewest_of_class": min(part.fewest for part in self.parts),
            "units": min(part.units for part in self.parts),
            "clustered": int(self.cluster is not None),
        }
        if self.over is not None and self.datasets:
            settings["dataset_weights"] = self.over.tolist()
        settings |= {f"{name}_range": self._range(name) for name in self.scores}
        return settings | add_notes({}, notes) | ({WEIGHTED: 1} if self.weighted else {})

    def _check_scores(self, evidence: xr.Dataset, scores: Sequence[str] | None) -> tuple[str, ...]:
        """Return the scores to draw, and keep notes on scores that the values do not allow."""
        requested = (
            (*AREAS, *LOSSES)
            if scores is None
            else tuple([scores] if isinstance(scores, str) else scores)
        )
        for name in requested:
            check_choice("scores", name, (*AREAS, *LOSSES), ArgumentKeyError)
        self.left_out: list[Note] = []
        losses = [name for name in requested if name in LOSSES]
        if losses and not are_probabilities(evidence):
            if scores is not None:
                raise ArgumentError(
                    "probabilities",
                    f"must be between 0 and 1, with sum 1 over classes, for {losses[0]}",
                    "decision values",
                    "areas such as auc_roc take them",
                )
            self.left_out.append(Note("losses_need_probabilities"))
            return AREAS
        if "log_loss" in requested:
            sure = (self._of_truth() == 0).any(axis=0)
            named = [str(name) for name, one in zip(self.names, sure, strict=True) if one]
            if named and scores is not None:
                raise ArgumentError(
                    f"probabilities[{named[0]!r}]",
                    "must not be 0 or 1 for a wrong prediction: the log loss would be infinite",
                    f"0 for the true class of {int((self._of_truth() == 0)[:, sure].any(axis=1).sum())} cases",
                    "np.clip says how sure a prediction may count as",
                )
            if named:
                self.left_out.append(Note("log_loss_infinite", {"entities": named}))
                requested = tuple(name for name in requested if name != "log_loss")
        return requested

    def _of_truth(self) -> np.ndarray:
        """Return the probability of the true class (case, entity)."""
        if len(self.classes) > 2:
            return np.take_along_axis(self.values, self.actual[:, None, None], axis=2)[..., 0]
        return np.where(self.actual[:, None] == 1, self.values[..., 0], 1 - self.values[..., 0])

    def losses(self) -> dict[str, np.ndarray]:
        """Return the losses of each case (case, entity)."""
        result = {}
        if "brier" in self.scores:
            positions = np.arange(len(self.classes)) if len(self.classes) > 2 else np.array([1])
            true = self.actual[:, None, None] == positions
            result["brier"] = np.square(self.values - true).sum(axis=2)
        if "log_loss" in self.scores:
            result["log_loss"] = -np.log(self._of_truth())
        return result

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed scores, the numbers of cases, and the areas without an interval."""
        # Values (score, entity, data set).
        values = np.stack(
            [part.evaluate(part.size[None], None, None)[:, 0] for part in self.parts], axis=-1
        )
        hidden = np.stack([part.withheld() for part in self.parts], axis=-1)
        cases = np.broadcast_to([len(part.where) for part in self.parts], hidden.shape)
        dims = tuple(self.coords())
        if self.over is not None:
            values, hidden, cases = values @ self.over, np.any(hidden, axis=-1), cases.sum(axis=-1)
        variables: dict[str, Any] = {
            name: (dims, one) for name, one in zip(self.scores, values, strict=True)
        }
        variables |= {"cases": (dims, cases)}
        variables |= {f"{name}_withheld": (dims, hidden) for name in AREAS if name in self.scores}
        for name, differ in self._discordant().items():
            variables[f"{name}_discordant"] = (("entity", "rival", *dims[1:]), differ)
        for name in self.scores if self.cluster is not None else ():
            for what, found in zip(("freedom", "factor"), self._information(name), strict=True):
                variables[f"{name}_{what}"] = (dims[1:], found if self.over is None else found[0])
        return {"observed_data": xr.Dataset(variables, self.coords() | {"rival": self.names})}

    def _discordant(self) -> dict[str, np.ndarray]:
        """Return the cases, or clusters, on which two entities differ by score (entity, rival, [data set])."""
        parts = [part.discordant() for part in self.parts]
        by_score = {name: np.stack([part[name] for part in parts], axis=-1) for name in self.scores}
        return (
            by_score
            if self.over is None
            else {name: each.sum(axis=-1) for name, each in by_score.items()}
        )

    def _information(self, score: str) -> np.ndarray:
        """Return the degrees of freedom of a score over clusters, and the factor of its bootstrap (2, data set).

        Of an area, they are those of its least favourable class. A mean over data sets has one.
        """
        sizes = [part.sizes_of_clusters(score in AREAS) for part in self.parts]
        parts = (
            [([own], np.ones(1)) for own in sizes] if self.over is None else [(sizes, self.over)]
        )
        rows = []
        for own, weights in parts:
            of_classes = [
                cluster_information(list(each), weights) for each in zip(*own, strict=True)
            ]
            freedom, factor = np.transpose(of_classes)
            rows.append((freedom.min(), factor.max()))
        return np.transpose(rows)

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return {"entity": self.names} | ({"dataset": self.datasets} if self.over is None else {})

    def draws(
        self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw blocks of all scores, one after the other."""
        check_proper_prior(group != "prior")
        edges = np.cumsum([0, *(block.size for block in blocks)])
        out = np.empty((len(self.scores), edges[-1], len(self.names), len(self.parts)))

        def draw_one(job: tuple[int, int]) -> None:
            (i, p) = job
            out[:, edges[i] : edges[i + 1], :, p] = self.parts[p].draw(group, blocks[i], root)

        jobs = [(i, p) for i in range(len(blocks)) for p in range(len(self.parts))]
        in_threads(draw_one, jobs, out.size * len(self.actual))
        averaged = out if self.over is None else out @ self.over
        dims = ("draw", *self.coords())
        return {
            name: xr.Variable(dims, values)
            for name, values in zip(self.scores, averaged, strict=True)
        }

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of all scores."""
        return self.draws(group, [block], root)


class CasePart:
    """The cases of one data set, in an order that does not depend on that of the input."""

    def __init__(self, model: BayesianBootstrap, where: np.ndarray, name: Any) -> None:
        self.name, self.scores = name, model.scores
        by_name = np.argsort([repr(one) for one in model.names], kind="stable")
        values = model.values[where]
        rows = np.column_stack(
            [model.actual[where], values[:, by_name].reshape(len(where), -1), model.weight[where]]
        )
        content = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        if model.cluster is None:
            unit, order = np.arange(len(where)), np.argsort(content, kind="stable")
        else:
            unit = _by_content(model.cluster[where], content)
            order = np.lexsort([unit, content])
        self.where, unit, values = where[order], unit[order], values[order]
        self.actual, self.size = model.actual[self.where], model.weight[self.where]
        self.unit, self.balanced = None if model.cluster is None else unit, model.balanced
        #: The weight of one case, to count effective numbers; None without importance weights.
        self.each = self.size if model.weighted else None
        units_of = [self._count_units(self.actual == c, unit) for c in range(len(model.classes))]
        self.units, self.fewest, self.most = len(set(unit.tolist())), min(units_of), max(units_of)
        #: The labels of each class against the rest (class, case), and the order of the cases
        #: (class, entity, case).
        multiclass = len(model.classes) > 2
        self.truth = np.stack(
            [self.actual == c for c in (range(len(model.classes)) if multiclass else [1])]
        ).astype(np.int8)
        moved = np.ascontiguousarray(values.transpose(2, 1, 0))
        self.order = np.argsort(-moved, axis=2, kind="stable").astype(np.int32)
        falling = np.take_along_axis(moved, self.order, axis=2)
        self.ends = np.concatenate(
            [np.diff(falling, axis=2) != 0, np.ones((*moved.shape[:2], 1), bool)], axis=2
        )
        #: The weight of the pseudo-case of the other classes and of each class (class, 2).
        self.pseudo_weight = np.stack([self._weigh_class(self.truth == c) for c in (0, 1)], axis=-1)
        self.loss = {
            name: np.ascontiguousarray(held[self.where].T) for name, held in model.losses().items()
        }
        self.key = fingerprint(rows[order], unit if self.unit is not None else 0)

    def _count_units(self, here: np.ndarray, unit: np.ndarray) -> int:
        """Return the number of units (cases or clusters) in a mask of cases, under weights the effective one."""
        if self.each is None:
            return len(set(unit[here].tolist()))
        sums = np.bincount(unit[here], self.size[here])
        return int(sums.sum() ** 2 / np.square(sums).sum() + 1e-6)

    def sizes_of_clusters(self, of_classes: bool) -> list[np.ndarray]:
        """Return the weights of the clusters, or of the cases of each class in them."""
        assert self.unit is not None
        masks = self.actual == np.unique(self.actual)[:, None]
        sizes = [
            np.bincount(self.unit[own], self.size[own])
            for own in (masks if of_classes else [np.ones(len(self.size), bool)])
        ]
        return [own[own > 0] for own in sizes]

    def _weigh_class(self, members: np.ndarray) -> np.ndarray:
        """Return the weight of one case of each class (class), by a mask (class, case)."""
        if self.each is None:
            return np.ones(len(members))
        return (members @ np.square(self.size)) / (members @ self.size)

    def withheld(self) -> np.ndarray:
        """Return the entities whose areas have no interval (entity), by the observed scores."""
        if not set(AREAS) & set(self.scores):
            return np.zeros(self.order.shape[1], bool)
        area = self._areas(self.size[None], None, None)[0][0]
        near = (self.most > UNEQUAL * self.fewest) & (self.fewest * (1 - area) < NEAR)
        return near | (self.fewest < FEWEST)

    def discordant(self) -> dict[str, np.ndarray]:
        """Return the cases, or clusters, on which two entities differ (entity, rival) by each score."""
        result = {
            name: count_discordant(_codes(loss.T), self.size, self.unit, self.each)
            for name, loss in self.loss.items()
        }
        if areas := set(AREAS) & set(self.scores):
            result |= dict.fromkeys(
                areas, np.max([self._moved(c) for c in range(len(self.truth))], axis=0)
            )
        return result

    def _moved(self, label: int) -> np.ndarray:
        """Return the cases whose order relative to the other class differs (entity, rival), of the class with fewer.

        A case has a code of the cases of the other class that are below it, and of those that tie:
        the sum of a random whole number for each.
        """
        number = np.random.default_rng(0).integers(2**62, size=len(self.where), dtype=np.uint64)
        codes = np.empty((len(self.where), self.order.shape[1]), np.uint64)
        members = self.truth[label] == 1
        for entity, (order, ends) in enumerate(
            zip(self.order[label], self.ends[label], strict=True)
        ):
            tie = np.concatenate([[0], np.cumsum(ends)[:-1]])
            first, last = np.searchsorted(tie, tie, "left"), np.searchsorted(tie, tie, "right")
            for own in (members, ~members):
                in_class = own[order]
                total = np.insert(
                    np.cumsum(np.where(in_class, np.uint64(0), number[order])), 0, np.uint64(0)
                )
                codes[order[in_class], entity] = (total[first] + np.uint64(2) * total[last])[
                    in_class
                ]
        changed = []
        for own in (members, ~members):
            unit = None if self.unit is None else self.unit[own]
            weight = None if self.each is None else self.each[own]
            changed.append(count_discordant(_codes(codes[own]), self.size[own], unit, weight))
        return np.minimum(*changed)

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        """Return scores (score, draw, entity) of one block."""
        out = np.empty((len(self.scores), block.size, self.order.shape[1]))
        for here, *drawn in self.weigh(group, block, root):
            out[:, here] = self.evaluate(*drawn)
        return out

    def weigh(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield parts of a block: weights (draw, case), and mass and case of pseudo-cases (draw, class, 2)."""

        def of(purpose: str) -> np.random.Generator:
            return stream(
                root, group, "bayesian_bootstrap", purpose, self.name, self.key, *block.key
            )

        weights, extra = (
            of("weights"),
            of("pseudo_cases").random((BLOCK, len(self.truth), 4))[: block.size],
        )
        total = np.cumsum(self.size)
        chosen = np.searchsorted(total, extra[..., :2] * total[-1], "right").astype(np.int32)
        mass = -np.log1p(-extra[..., 2:]) * self.pseudo_weight
        step = max(1, TOGETHER // len(self.where))
        for start in range(0, block.size, step):
            chunk = slice(start, min(start + step, block.size))
            number = chunk.stop - start
            if self.unit is not None:
                weight = (
                    weights.standard_exponential((number, self.unit.max() + 1))[:, self.unit]
                    * self.size
                )
            elif self.each is not None:
                weight = weights.standard_exponential((number, len(self.size))) * self.size
            elif (self.size == 1).all():
                weight = weights.standard_exponential((number, len(self.size)))
            else:
                weight = weights.standard_gamma(
                    np.broadcast_to(self.size, (number, len(self.size)))
                )
            yield chunk, self._fix_shares(weight), mass[chunk], chosen[chunk]

    def _fix_shares(self, weight: np.ndarray) -> np.ndarray:
        """Give classes their weighted sizes in every draw if importance weights were computed from the classes."""
        for c in np.unique(self.actual) if self.balanced else ():
            of_class = self.actual == c
            weight[:, of_class] *= self.size[of_class].sum() / weight[:, of_class].sum(
                axis=1, keepdims=True
            )
        return weight

    def rates(
        self,
        label: int,
        entity: int,
        weight: np.ndarray,
        mass: np.ndarray | None,
        chosen: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return FPR and TPR (draw, threshold) of one class against the rest, with the pseudo-cases of areas."""
        order, ends = self.order[label, entity], self.ends[label, entity]
        rates = []
        for c in (0, 1):
            own = np.where(self.truth[label] == c, weight, 0.0)
            if mass is not None and chosen is not None:
                own[np.arange(len(own)), chosen[:, label, c]] += mass[:, label, c]
            called = np.cumsum(own[:, order], axis=1)
            rates.append(np.insert(called[:, ends] / called[:, -1:], 0, 0.0, axis=1))
        return rates[0], rates[1]

    def evaluate(
        self, weight: np.ndarray, mass: np.ndarray | None, chosen: np.ndarray | None
    ) -> np.ndarray:
        """Return scores (score, draw, entity) of weights (draw, case); without pseudo-cases if ``mass`` is None."""
        by_score = {name: _means(weight, loss) for name, loss in self.loss.items()}
        if set(AREAS) & set(self.scores):
            roc, precision, gain = self._areas(weight, mass, chosen)
            by_score |= {"auc_roc": roc, "average_precision": precision, "auc_gain": gain}
        return np.stack([by_score[name] for name in self.scores])

    def _areas(
        self, weight: np.ndarray, mass: Any, chosen: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        from bayesrank.models.parts._areas import areas

        sums = np.zeros((3, len(weight), self.order.shape[1]))
        roc, precision = np.empty((2, *sums.shape[1:]))
        shares = _means(weight, self.truth.astype(float))
        for c, truth in enumerate(self.truth):
            none = np.zeros((len(weight), 2))
            of_class = (none, none.astype(np.int32)) if mass is None else (mass[:, c], chosen[:, c])
            areas(
                weight,
                truth,
                self.order[c],
                self.ends[c],
                *of_class,
                "average_precision" in self.scores,
                roc,
                precision,
            )
            share = shares[:, [c]]
            sums += roc, precision, share / 2 + (1 - share) * roc
        return tuple(sums / len(self.truth))


def _codes(values: np.ndarray) -> np.ndarray:
    """Return whole numbers that are equal where values (case, entity) are."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def _by_content(cluster: np.ndarray, content: np.ndarray) -> np.ndarray:
    """Number clusters by the content of their cases; clusters with equal content are interchangeable."""
    code = np.unique(cluster, return_inverse=True)[1]
    held: list[list[int]] = [[] for _ in range(code.max() + 1)]
    for one, what in zip(code.tolist(), content.tolist(), strict=True):
        held[one].append(what)
    order = sorted(range(len(held)), key=lambda one: sorted(held[one]))
    return np.argsort(order)[code]


def _means(weight: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return weighted means (draw, column) of values (column, case); BLAS would start threads within threads."""
    from bayesrank.models.parts._areas import weighted_means

    out = np.empty((len(weight), len(values)))
    weighted_means(np.ascontiguousarray(weight), values, out)
    return out
