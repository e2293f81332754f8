r"""Latent class: two or more imperfect tests, and no gold standard.

Case :math:`i` of population :math:`p` belongs to the positive class with probability :math:`\pi_p`.
The verdicts of the tests depend on the class alone: populations differ in prevalence, and share
sensitivities and specificities,

.. math::

    P(y_i) = \pi_p \, f_1(y_i) + (1 - \pi_p) \, f_0(y_i).

The classes' distributions :math:`f_1, f_0` have one of four kinds of dependence. ``"none"``:
verdicts are independent within a class. ``"pairs"``: the two tests of a named pair have a log odds
ratio within each class, so a covariance. ``"common"`` and ``"by_class"``: a case has a normal
effect :math:`z`, and test :math:`t` is positive with probability :math:`\Phi(a_t + b z)`; the
strength :math:`b` is one for both classes, or one for each. The sensitivity is then :math:`\Phi(a_t
/ \sqrt{1 + b^2})`.

Known truths enter the likelihood. Truths are assumed to be missing at random, given the verdicts.
Priors are Beta, and normal for the parameters of dependence. Verdicts cannot show which of the two
classes is the positive one. By definition, it is the class in which a chosen test, the anchor, is
more often positive. With verified cases of both classes no anchor is needed, and each test may be
worse than chance.

Without a gold standard, parameters may be unidentified: different values have the same likelihood,
and only the prior decides between them. Two checks are made at draws. The first is the rank and the
smallest singular value of the Jacobian of the log probabilities of patterns, which gives the Fisher
information. The second is the share by which the variance of each parameter is smaller than in the
prior. If a check fails, no ranking is claimed.

With up to ten tests, the sampler starts from draws of the prior. With more tests it starts near the
maxima of the posterior, since few draws of the prior come near them. If there are several maxima,
the draws are divided among them by their posterior probability.

References
----------
Hui and Walter (1980), Estimating the error rates of diagnostic tests, Biometrics 36:167-171. Qu,
Tan, Kutner (1996), Random effects models in latent class analysis for evaluating accuracy of
diagnostic tests, Biometrics 52:797-810. Jones, Johnson, Hanson, Christensen (2010), Identifiability
of models for multiple diagnostic testing in the absence of a gold standard, Biometrics 66:855-863.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import chdtrc, expit

from bayesrank._core.checks import check_choice, describe_value, is_number
from bayesrank._core.errors import ArgumentError, ArgumentTypeError, InPython
from bayesrank._core.labels import positive_label
from bayesrank._core.notes import Note
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.evidence.counts import mark_positive
from bayesrank.evidence.weighting import check_whole_cases
from bayesrank.models.parts.latent_classes import (
    ALL_PATTERNS,
    DEPENDENCES,
    LatentClasses,
    Prior,
    Reference,
    pair_table,
)
from bayesrank.models.parts.tempering import FEWEST, MOST, temper

#: Standard deviations of the prior of the dependence: of log odds ratios, and of strengths of a
#: random effect.
SCALES = {"none": 1.0, "pairs": 1.5, "common": 1.0, "by_class": 1.0}
#: The name of the only population of evidence without populations.
ALL = "all cases"
#: Below this contraction of the variance, or with a standard error above the standard deviation of
#: its prior, a probability is hardly learned; unless its prior was narrow already.
LEAST_CONTRACTION, NARROW = 0.25, 0.1
#: The fit is judged with this many cases a cell on average, and is poor below this p value.
CASES_PER_CELL, POOR = 5, 0.001
#: The kinds of dependence that contain each kind.
CONTAINED_IN = {
    "none": ("pairs", "common", "by_class"),
    "pairs": (),
    "common": ("by_class",),
    "by_class": (),
}
#: Draws at which the Jacobian is computed.
AT_DRAWS = 50
RATES = ("prevalence", "sensitivity", "specificity")


def _check_beta_shapes(argument: str, pair: Any) -> None:
    """Raise an error unless a value is the two shapes of a Beta prior."""
    good = (
        isinstance(pair, Sequence | np.ndarray)
        and len(pair) == 2
        and all(is_number(v) for v in pair)
    )
    if not good or not all(0 < v < np.inf for v in pair):
        raise ArgumentError(
            argument,
            "must contain the two positive shapes of a Beta prior",
            describe_value(pair),
            HINT,
        )


def _add_dependence(dependence: str, scale: float) -> list[Any]:
    """Add the parameters of the dependence to the PyMC model in context: their values in each class."""
    import pymc as pm

    if dependence == "pairs":
        odds = pm.Normal("log_odds_ratio", 0.0, scale, dims=("pair", "actual"))
        return [odds[:, 0], odds[:, 1]]
    if dependence == "common":
        return [pm.HalfNormal("effect", scale)] * 2
    if dependence == "by_class":
        strength = pm.HalfNormal("effect", scale, dims="actual")
        return [strength[0], strength[1]]
    return [None, None]


class LatentClass:
    """Model verdicts of tests on cases whose truth is unknown, or known for some of them.

    Parameters
    ----------
    evidence : xarray.Dataset
        Joint outcomes of two classes, as from ``br.joint_outcomes(None, predictions,
        population=...)``.
    dependence : {"none", "pairs", "common", "by_class"}
        Dependence of the tests within a class: none; covariances of ``pairs`` of tests; a random
        effect of the case with one strength, or with one strength for each class.
    pairs : sequence of pairs of str, optional
        The dependent pairs; no test may be in two of them. Only two tests are one pair.
    anchor : str, optional
        The test that is taken to detect the positive class better than chance, which names the
        classes. The default is the test with the largest correlations with the others; none if the
        truth is known for cases of both classes.
    priors : mapping, optional
        Beta priors (a, b) of "prevalence", "sensitivity" and "specificity", for all or by name of
        the population or test, and the standard deviation of "dependence". The default is (1, 1),
        and 1 (1.5 for log odds ratios).

    Examples
    --------
    >>> tests = {"mantoux": [1, 1, 0, 0] * 2, "tine": [1, 0, 1, 0] * 2}
    >>> count = [14, 4, 9, 528, 887, 31, 37, 367]
    >>> joint = br.joint_outcomes(None, tests, population=["a"] * 4 + ["b"] * 4, count=count)
    >>> observed = LatentClass(joint).observed()["observed_data"]  # the maximum-likelihood estimates
    >>> observed["prevalence_estimate"].sel(dependence="none").values.round(4).tolist()
    [0.0268, 0.7168]
    """

    takes: ClassVar[str] = "cases"
    partial: ClassVar[bool] = True
    kind: ClassVar[str] = "observed"
    #: Errors or gaps of the reference standard are part of the model.
    truth_in_doubt: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = (
        "Hui and Walter (1980). Estimating the error rates of diagnostic tests. Biometrics 36:167-171.",
        "Qu, Tan and Kutner (1996). Random effects models in latent class analysis for evaluating accuracy of "
        "diagnostic tests. Biometrics 52:797-810.",
        "Jones, Johnson, Hanson and Christensen (2010). Identifiability of models for multiple diagnostic testing in "
        "the absence of a gold standard. Biometrics 66:855-863.",
    )
    words: ClassVar[str] = (
        "The true class of a case is latent; the verdicts of the tests depend on it, and sensitivities and "
        "specificities are the same in each population."
    )

    def __init__(
        self,
        evidence: xr.Dataset,
        dependence: str = "none",
        pairs: Sequence[Sequence[Any]] | None = None,
        anchor: Any = None,
        priors: Mapping[str, Any] | None = None,
    ) -> None:
        self.joint = evidence = _check_evidence(evidence)
        check_choice("dependence", dependence, DEPENDENCES)
        self.names = evidence["entity"].values.tolist()
        # Tests and populations are sorted by name, so that the order of the evidence does not
        # change the draws.
        self.order = np.array(sorted(range(len(self.names)), key=lambda i: repr(self.names[i])))
        self.tests = [self.names[i] for i in self.order]
        self.classes = evidence["label"].values.tolist()
        self.populations, cells = self._cells()
        self.cells = replace(cells, dependence=dependence, pairs=self._pairs(dependence, pairs))
        self.anchored = anchor is not None
        verified = {0, 1} <= set(self.cells.truth.tolist())
        self.anchor: int | None = None
        if self.anchored:
            self.anchor = self.tests.index(check_choice("anchor", anchor, self.tests))
        elif not verified:
            self.anchor = self.cells.most_central(self.tests)
        scale = SCALES[dependence]
        shapes = np.ones((self.cells.rates, 2))
        if priors is not None:
            shapes, scale = self._read_priors(priors, shapes, scale)
        self.prior = Prior(self.cells, shapes, scale, self.anchor)
        self.settings: dict[str, Any] = {
            "dependence": dependence,
            "anchor": self._anchor,
            "prior": "uniform" if priors is None else "of its own",
            "prevalence": "sampled",
        }
        if dependence == "pairs":
            self.settings["pairs"] = [
                f"{self.tests[i]}, {self.tests[j]}" for i, j in self.cells.pairs
            ]
        self.notes = self._notes()

    @property
    def _anchor(self) -> str:
        """Return the name of the anchor; empty if verified cases name the classes."""
        return "" if self.anchor is None else str(self.tests[self.anchor])

    def _cells(self) -> tuple[list, LatentClasses]:
        """Return the names of the populations, and the sorted cells."""
        joint = self.joint
        named = (
            joint["population"].values.tolist()
            if "population" in joint.coords
            else [ALL] * joint.sizes["pattern"]
        )
        populations = sorted(set(named), key=repr)
        position = {label: i for i, label in enumerate(self.classes)}
        verdict = np.vectorize(position.__getitem__, otypes=[int])(
            joint["predicted"].values[:, self.order]
        )
        truth = np.array(
            [-1 if pd.isna(label) else position[label] for label in joint["actual"].values.tolist()]
        )
        where = np.array([populations.index(name) for name in named])
        rows, which = np.unique(
            np.column_stack([where, truth, verdict]), axis=0, return_inverse=True
        )
        count = np.bincount(which.ravel(), joint["count"].values).astype(float)
        return populations, LatentClasses(
            rows[:, 2:], rows[:, 0], rows[:, 1], count, len(populations), "none"
        )

    def _pairs(self, dependence: str, pairs_named: Any) -> tuple[tuple[int, int], ...]:
        """Return the dependent pairs as positions among the sorted tests."""
        if dependence != "pairs":
            if pairs_named is not None:
                raise ArgumentError(
                    "pairs", "must be None unless dependence='pairs'", describe_value(pairs_named)
                )
            return ()
        if pairs_named is None and len(self.tests) == 2:
            pairs_named = [self.tests]
        if isinstance(pairs_named, str) or not isinstance(pairs_named, Sequence) or not pairs_named:
            raise ArgumentError(
                "pairs",
                "must name the pairs of dependent tests",
                describe_value(pairs_named),
                "pairs=[('a', 'b')]",
            )
        pairs = [self._positions_of(pair) for pair in pairs_named]
        flat = [test for pair in pairs for test in pair]
        if len(set(flat)) < len(flat):
            twice = next(self.tests[i] for i in flat if flat.count(i) > 1)
            raise ArgumentError(
                "pairs",
                "must contain each test only once",
                f"{twice!r} in two pairs",
                "dependence='common' joins all tests",
            )
        return tuple(sorted(pairs))

    def _positions_of(self, pair: Any) -> tuple[int, int]:
        """Return the positions of two different tests, in ascending order."""
        if (
            isinstance(pair, str)
            or not isinstance(pair, Sequence)
            or len(pair) != 2
            or pair[0] == pair[1]
        ):
            raise ArgumentError("pairs", "must contain pairs of two tests", describe_value(pair))
        first, second = sorted(
            self.tests.index(check_choice("pairs", name, self.tests)) for name in pair
        )
        return first, second

    def _read_priors(
        self, priors: Any, shapes: np.ndarray, scale: float
    ) -> tuple[np.ndarray, float]:
        """Return the shapes of the Beta priors (rate, 2), and the scale of the dependence."""
        if not isinstance(priors, Mapping):
            raise ArgumentTypeError("priors", "must be a mapping", describe_value(priors), HINT)
        first = self.cells.populations
        places = {
            "prevalence": (0, self.populations),
            "sensitivity": (first, self.tests),
            "specificity": (first + len(self.tests), self.tests),
        }
        for name, given in priors.items():
            check_choice("priors", name, (*RATES, "dependence"))
            if name == "dependence":
                if not is_number(given) or not 0 < given < np.inf:
                    raise ArgumentError(
                        "priors['dependence']",
                        "must be a standard deviation above 0",
                        describe_value(given),
                    )
                scale = float(given)
                continue
            start, labels = places[name]
            by_label = given if isinstance(given, Mapping) else dict.fromkeys(labels, given)
            for label, pair in by_label.items():
                check_choice(f"priors[{name!r}]", label, labels)
                _check_beta_shapes(f"priors[{name!r}]", pair)
                shapes[start + labels.index(label)] = pair
        return shapes, scale

    @cached_property
    def structural_rank(self) -> int:
        """Return the rank of the information at draws from the prior: how many parameters cases can identify."""
        return self.cells.identify(self.prior.draw(20, np.random.default_rng(0)))[0]

    @cached_property
    def fits(self) -> dict[str, tuple[np.ndarray, float, int]]:
        """Return the maximum of the likelihood of each identified kind of dependence: parameters, G² and freedom."""
        found: dict[str, tuple[np.ndarray, float, int]] = {}
        for kind in DEPENDENCES:
            if kind == "pairs" and self.cells.dependence != "pairs":
                continue
            cells = replace(
                self.cells, dependence=kind, pairs=self.cells.pairs if kind == "pairs" else ()
            )
            prior = replace(self.prior, cells=cells, scale=SCALES[kind])
            if (
                cells.saturated[1] < cells.size
                or cells.identify(prior.draw(20, np.random.default_rng(0)))[0] < cells.size
            ):
                continue
            # A kind that contains another one starts there, too, so that it fits no worse.
            less = [(inner, found[inner][0]) for inner in found if kind in CONTAINED_IN[inner]]
            more = [
                np.append(at, np.full(cells.size - len(at), at[-1] if inner == "common" else 0.1))
                for inner, at in less
            ]
            theta, log = cells.maximum(self.anchor, more)
            found[kind] = (theta, *cells.fit_statistics(log))
        return {kind: found[kind] for kind in DEPENDENCES if kind in found}

    def _notes(self) -> list[Note]:
        """Return what names the classes, how many truths are known, and how kinds of dependence fit."""
        cells = self.cells
        labelled = int(cells.count[cells.truth >= 0].sum())
        fields = {"anchor": self._anchor, "chosen": self.anchored, "known": labelled}
        notes = [Note("latent_class_named", fields | {"cases": int(cells.count.sum())})]
        if self.fits:
            rows = [
                [kind, float(g2), freedom, *_ends(expit(theta[: cells.populations]))]
                for kind, (theta, g2, freedom) in self.fits.items()
            ]
            notes.append(Note("latent_dependences", {"rows": rows, "chosen": cells.dependence}))
        if len(self.populations) > 1:
            notes.append(Note("latent_populations", {"populations": len(self.populations)}))
        return notes + self._judge_fit()

    def _judge_fit(self) -> list[Note]:
        """Return a note if the chosen dependence contradicts the data, or cannot be checked by them.

        It is compared with the saturated model, if cells have enough cases, and with kinds that
        contain it.
        """
        kind, cells = self.cells.dependence, self.cells
        if kind not in self.fits:
            return []
        _, g2, freedom = self.fits[kind]
        enough = cells.count.sum() >= CASES_PER_CELL * cells.populations * 2.0**cells.tests
        checks = [(g2, freedom)] if enough and freedom > 0 else []
        for wider in CONTAINED_IN[kind]:
            if wider in self.fits:
                checks.append((g2 - self.fits[wider][1], freedom - self.fits[wider][2]))
        if not checks:
            return [Note("latent_fit_unchecked", {"dependence": kind})]
        if min(chdtrc(least, max(more, 0.0)) for more, least in checks) * len(checks) >= POOR:
            return []
        return [
            Note("latent_fit_poor", {"dependence": kind, "g2": float(g2), "freedom": int(freedom)})
        ]

    def alternatives(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return kind, name and changed options of other analyses: identified dependences, and weights of the prior."""
        result: list[tuple[str, str, dict[str, Any]]] = []
        for kind in self.fits:
            if kind != self.cells.dependence:
                result.append(("model", f"dependence {kind}", {"dependence": kind, "pairs": None}))
        shapes, first, tests = self.prior.shapes, self.cells.populations, self.cells.tests
        for name, factor in (("half", 0.5), ("twice", 2.0)):
            parts = np.split(factor * shapes, [first, first + tests])
            labels = (self.populations, self.tests, self.tests)
            priors: dict[str, Any] = {
                what: dict(zip(held, map(tuple, part.tolist()), strict=True))
                for what, held, part in zip(RATES, labels, parts, strict=True)
            }
            if self.cells.effects:
                priors["dependence"] = self.prior.scale / np.sqrt(factor)
            result.append(("prior", f"prior at {name} its weight", {"priors": priors}))
        return result

    def observed(self) -> dict[str, xr.Dataset]:
        """Return patterns and, for each identified dependence, the maximum-likelihood estimates and G²."""
        joint, cells = self.joint, self.cells
        held: dict[str, Any] = {
            "pattern_predicted": (("pattern", "entity"), joint["predicted"].values),
            "pattern_count": ("pattern", joint["count"].values),
            "cases": ("entity", np.full(len(self.names), int(cells.count.sum()))),
        }
        coords = self.coords()
        if self.fits:
            held |= self._estimates()
            coords |= {"dependence": list(self.fits)}
        first, shapes = cells.populations, self.prior.shapes
        back = np.argsort(self.order)
        se, sp = (shapes[first + i * cells.tests :][: cells.tests][back] for i in range(2))
        table = np.stack([sp, se[:, ::-1]], axis=1)
        constant = {
            "prior_concentration": (("entity", "actual", "predicted"), table),
            "prior_prevalence": (("population", "actual"), shapes[:first, ::-1]),
        }
        return {
            "observed_data": xr.Dataset(held, coords),
            "constant_data": xr.Dataset(constant, self.coords()),
        }

    def _estimates(self) -> dict[str, Any]:
        """Return the maximum-likelihood estimates and G² of each fitted dependence, as variables."""
        fits, dependence = self.fits, self.cells.dependence
        shares, se, sp = self._rates(
            np.stack([fit[0][: self.cells.rates] for fit in fits.values()])
        )
        tables, dims = self._tables(shares, se, sp), ("entity", "actual", "predicted")
        estimates: dict[str, Any] = {
            "prevalence_estimate": (("dependence", "population"), shares),
            "sensitivity_estimate": (("dependence", "entity"), se),
            "specificity_estimate": (("dependence", "entity"), sp),
            "performance_estimate": (("dependence", *dims), tables),
            "g2": ("dependence", [fit[1] for fit in fits.values()]),
            "freedom": ("dependence", [fit[2] for fit in fits.values()]),
        }
        if dependence in fits:
            estimates["performance"] = (dims, tables[list(fits).index(dependence)])
        return estimates

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        frame = mark_positive(
            xr.DataArray(np.zeros(2), {"actual": self.classes}, ("actual",)),
            positive_label(self.joint),
        )
        retained = {str(name): coord for name, coord in frame.coords.items() if not coord.dims}
        own = {
            "entity": self.joint["entity"].values,
            "actual": self.classes,
            "predicted": self.classes,
        }
        return own | {"population": self.populations} | retained

    def _rates(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return prevalences, and sensitivities and specificities in the order of the evidence, of parameters."""
        rate, first, back = (
            expit(theta[..., : self.cells.rates]),
            self.cells.populations,
            np.argsort(self.order),
        )
        se, sp = rate[..., first : first + self.cells.tests], rate[..., first + self.cells.tests :]
        return rate[..., :first], se[..., back], sp[..., back]

    def _tables(self, shares: np.ndarray, se: np.ndarray, sp: np.ndarray) -> np.ndarray:
        """Return performances (..., entity, actual, predicted) at the prevalence of all cases."""
        sizes = self.cells.count @ self.cells.members
        share = (shares @ (sizes / sizes.sum()))[..., None]
        rows = [(1 - share) * sp, (1 - share) * (1 - sp), share * (1 - se), share * se]
        return np.stack(rows, axis=-1).reshape(*se.shape, 2, 2)

    def build(self) -> Any:
        """Return the PyMC model: rates, the parameters of the dependence, and ``performance``."""
        import pymc as pm
        import pytensor.tensor as pt

        cells, first, shapes = self.cells, self.cells.populations, self.prior.shapes
        coords: dict[str, Any] = {"entity": self.tests, "population": self.populations}
        coords |= {"actual": self.classes, "predicted": self.classes}
        if cells.pairs:
            coords["pair"] = self.settings["pairs"]
        with pm.Model(coords=coords) as model:
            # Chains start where each test informs: near a useless one they would stay at the edge
            # of the anchor.
            start, last = np.full(cells.tests, 0.8), first + cells.tests
            share = pm.Beta("prevalence_of", *shapes[:first].T, dims="population")
            se = pm.Beta("sensitivity", *shapes[first:last].T, dims="entity", initval=start)
            sp = pm.Beta("specificity", *shapes[last:].T, dims="entity", initval=start)
            if self.anchor is not None:
                pm.Potential(
                    "anchor", pt.switch(se[self.anchor] + sp[self.anchor] > 1, 0.0, -np.inf)
                )
            effects = _add_dependence(cells.dependence, self.prior.scale)
            logs = [
                _log_of_class(cells, rate, b) for rate, b in zip((1 - sp, se), effects, strict=True)
            ]
            negative, positive = (
                pt.log1p(-share)[cells.population] + logs[0],
                pt.log(share)[cells.population] + logs[1],
            )
            log = pt.switch(
                cells.truth < 0,
                pt.logaddexp(negative, positive),
                pt.switch(cells.truth, positive, negative),
            )
            pm.Potential("verdicts", (cells.count * log).sum())
            sizes = cells.count @ cells.members
            mean = (share * (sizes / sizes.sum())).sum()
            rows = [(1 - mean) * sp, (1 - mean) * (1 - sp), mean * (1 - se), mean * se]
            tables = pt.stack(rows, axis=1).reshape((cells.tests, 2, 2))
            pm.Deterministic("performance", tables, dims=("entity", "actual", "predicted"))
        return model

    def sample_chains(
        self, shape: tuple[int, int], root: np.random.SeedSequence
    ) -> dict[str, xr.Dataset]:
        """Sample by tempering: each chain has particles of its own, which start from the prior.

        With many tests they start from a reference near the maxima of the posterior.
        """
        from bayesrank._core.nuts import diagnostics

        cells = self.cells
        key = fingerprint(
            cells.verdict, cells.population, cells.truth, cells.count, self.prior.shapes
        )
        drawn, rates = [], []
        near = Reference.of(self.prior) if cells.tests > ALL_PATTERNS else None
        begin, change = (self.prior, cells.value_and_slope) if near is None else (near, near.ratio)
        for chain in range(shape[0]):
            rng = stream(
                root, "chains", "latent_class", key, cells.dependence, self.prior.scale, chain
            )
            start = begin.draw(int(np.clip(shape[1], FEWEST, MOST)), rng)
            theta, rate = temper(start, begin.value_and_slope, change, shape[1], rng)
            drawn.append(theta)
            rates.append(rate)
        coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
        posterior = self._dataset(np.stack(drawn), ("chain", "draw")).assign_coords(coords)
        stats = xr.Dataset({"acceptance_rate": (("chain", "draw"), np.stack(rates))}, coords)
        record = {"sampler": "metropolis", **diagnostics(posterior, xr.Dataset())}
        return {"posterior": posterior, "sample_stats": stats.assign_attrs(record)}

    def _dataset(self, theta: np.ndarray, dims: tuple[str, ...]) -> xr.Dataset:
        """Return the variables of parameters (..., parameter)."""
        shares, se, sp = self._rates(theta)
        variables: dict[str, Any] = {
            "prevalence_of": ((*dims, "population"), shares),
            "sensitivity": ((*dims, "entity"), se),
            "specificity": ((*dims, "entity"), sp),
        }
        effects = theta[..., self.cells.rates :]
        coords = {"entity": self.joint["entity"].values, "population": self.populations}
        if self.cells.dependence == "pairs":
            odds = effects.reshape(*effects.shape[:-1], -1, 2)
            variables["log_odds_ratio"] = ((*dims, "pair", "actual"), odds)
            coords |= {"pair": self.settings["pairs"], "actual": self.classes}
        elif self.cells.dependence == "common":
            variables["effect"] = (dims, np.abs(effects[..., 0]))
        elif self.cells.dependence == "by_class":
            variables["effect"] = ((*dims, "actual"), np.abs(effects))
            coords |= {"actual": self.classes}
        return xr.Dataset(variables, coords)

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return ``performance`` at the prevalence of all cases, rates and dependence, and note what is identified."""
        dims = ("chain", "draw")
        sampled = sampled.transpose(*dims, ...)
        shares, se, sp = (
            sampled[name].values for name in ("prevalence_of", "sensitivity", "specificity")
        )
        result = sampled.assign(
            performance=((*dims, "entity", "actual", "predicted"), self._tables(shares, se, sp))
        )
        if self.cells.dependence == "pairs":
            result = result.assign(
                covariance=((*dims, "pair", "actual"), self._covariances(sampled))
            )
        self._identify(self._parameters(sampled), root)
        return result.assign_coords(self.coords())

    def _parameters(self, sampled: xr.Dataset) -> np.ndarray:
        """Return parameters (draw, parameter) from the variables of draws."""
        rates = [
            sampled["prevalence_of"].values,
            *(sampled[n].values[..., self.order] for n in RATES[1:]),
        ]
        theta = [np.log(np.maximum(p, 1e-13)) - np.log(np.maximum(1 - p, 1e-13)) for p in rates]
        effects = next(
            (sampled[name].values for name in ("log_odds_ratio", "effect") if name in sampled), None
        )
        shape = theta[0].shape[:2]
        if effects is not None:
            theta.append(effects.reshape(*shape, -1))
        return np.concatenate(theta, axis=-1).reshape(shape[0] * shape[1], -1)

    def _covariances(self, sampled: xr.Dataset) -> np.ndarray:
        """Return covariances of the verdicts of pairs within a class (chain, draw, pair, actual)."""
        odds = sampled["log_odds_ratio"].transpose("chain", "draw", "pair", "actual").values
        result = np.empty(odds.shape)
        for position, pair in enumerate(self.cells.pairs):
            for k, name in enumerate(("specificity", "sensitivity")):
                rates = (sampled[name].values[..., self.order[test]].ravel() for test in pair)
                first, second = (rate if k else 1 - rate for rate in rates)
                both = pair_table(first, second, odds[..., position, k].ravel())[:, 3]
                result[..., position, k] = (both - first * second).reshape(odds.shape[:2])
        return result

    @property
    def parameters(self) -> list[str]:
        """Return the names of the parameters."""
        alone = self.populations == [ALL]
        result = ["prevalence" if alone else f"prevalence of {name}" for name in self.populations]
        result += [f"{what} of {name}" for what in RATES[1:] for name in self.tests]
        if self.cells.dependence == "pairs":
            return result + [
                f"dependence of {pair} in {label}"
                for pair in self.settings["pairs"]
                for label in self.classes
            ]
        several = [f"dependence in {label}" for label in self.classes]
        return (
            result
            + (several if self.cells.dependence == "by_class" else ["dependence"])[
                : self.cells.effects
            ]
        )

    def _identify(self, theta: np.ndarray, root: np.random.SeedSequence) -> None:
        """Record rank, smallest singular value and contraction in the settings, and note what is not identified."""
        cells = self.cells
        at = theta[np.linspace(0, len(theta) - 1, min(AT_DRAWS, len(theta))).astype(int)]
        rank, smallest, errors = cells.identify(at)
        rank = min(rank, self.structural_rank)
        before = self.prior.draw(4000, stream(root, "prior", "latent_class"))
        spreads = []
        for draws in (before, theta):
            natural = np.hstack([expit(draws[:, : cells.rates]), draws[:, cells.rates :]])
            if cells.dependence in ("common", "by_class"):
                natural[:, cells.rates :] = np.abs(natural[:, cells.rates :])
            spreads.append(natural.std(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            contraction = 1 - np.square(spreads[1] / spreads[0])
        names = self.parameters
        self.settings |= {
            "parameters": names,
            "contraction": contraction.round(4).tolist(),
            "jacobian_rank": rank,
            "smallest_singular_value": smallest if rank == cells.size else 0.0,
        }
        least = int(np.argmin(np.where(np.arange(cells.size) < cells.rates, contraction, np.inf)))
        fields: dict[str, Any] = {"rank": rank, "parameters": cells.size, "smallest": smallest}
        fields |= {"contraction": float(contraction[least]), "least": names[least]}
        self.notes = [note for note in self.notes if not note.code.startswith("latent_identif")]
        hardly = ((contraction < LEAST_CONTRACTION) | (errors > spreads[0])) & (spreads[0] > NARROW)
        hardly[cells.rates :] = False
        if fields["rank"] == cells.size and not hardly.any():
            self.notes.append(Note("latent_identified", fields))
            return
        weak = [names[i] for i in np.flatnonzero(hardly)]
        fields |= {
            "structural": self.structural_rank,
            "weak": weak,
            "tests": cells.tests,
            "populations": cells.populations,
            "dependence": cells.dependence,
        }
        self.notes.append(Note("not_identified", fields))

    def draw_prior(self, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw performances, rates and dependence from the prior."""
        rng = stream(root, "prior", "latent_class", self.cells.dependence, *block.key)
        performances = self._dataset(self.prior.draw(block.size, rng), ("draw",))
        tables = self._tables(
            *(performances[name].values for name in ("prevalence_of", "sensitivity", "specificity"))
        )
        drawn = {str(name): performances[name].variable for name in performances.data_vars}
        return drawn | {
            "performance": xr.Variable(("draw", "entity", "actual", "predicted"), tables)
        }


def _log_of_class(cells: LatentClasses, rate: Any, effect: Any) -> Any:
    """Return the log probability of each cell's verdicts in a class, for PyMC, from rates of positive verdicts."""
    import pytensor.tensor as pt

    verdict = cells.verdict
    if cells.dependence in ("common", "by_class"):
        z, weight = cells.grid
        middle = pt.sqrt(2) * pt.erfinv(2 * rate - 1) * pt.sqrt(1 + effect**2) + effect * z[:, None]
        up, down = (
            pt.log(pt.erfc(sign * middle / np.sqrt(2)) / 2) for sign in (-1, 1)
        )  # (node, test)
        return pt.logsumexp(up @ verdict.T + down @ (1 - verdict).T + weight[:, None], axis=0)
    free = cells.free
    log = pt.log(rate[free]) @ verdict[:, free].T + pt.log1p(-rate[free]) @ (1 - verdict[:, free]).T
    for position, (i, j) in enumerate(cells.pairs):
        table = pair_table(rate[i], rate[j], effect[position], pt)
        log = log + pt.log(table)[2 * verdict[:, i] + verdict[:, j]]
    return log


HINT = "priors={'prevalence': (1, 1), 'sensitivity': {'test': (20, 2)}, 'dependence': 1}"


def _check_evidence(evidence: Any) -> xr.Dataset:
    """Return joint outcomes of two classes; anything else is refused."""
    if not isinstance(evidence, xr.Dataset) or not {"actual", "predicted", "count", "label"} <= set(
        evidence.variables
    ):
        raise ArgumentTypeError(
            "evidence",
            "must be joint outcomes, as from br.joint_outcomes(None, predictions), for the model LatentClass",
            describe_value(evidence),
        )
    check_whole_cases(evidence, "evidence", "for latent classes")
    if evidence.sizes["label"] != 2:
        raise ArgumentError(
            "evidence",
            "must have two classes for latent classes",
            evidence["label"].values.tolist(),
        )
    if evidence.sizes["entity"] < 2:
        raise ArgumentError(
            "evidence",
            "must have at least two tests: one test alone does not show its errors",
            1,
            InPython(
                "br.joint_outcomes(None, results) with a column for each test, or br.from_predictions with the truth"
            ),
        )
    for name, instead in (
        ("dataset", "population= names populations of different prevalence"),
        ("cluster", ""),
    ):
        if name in evidence.coords:
            raise ArgumentError(
                name, "cannot be used for latent classes", "it", *([instead] if instead else [])
            )
    evidence = evidence.transpose("pattern", "entity", ...)
    return evidence.isel(pattern=evidence["count"].values > 0)


def _ends(values: np.ndarray) -> tuple[float, float]:
    return float(values.min()), float(values.max())
