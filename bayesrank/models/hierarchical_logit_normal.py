"""Hierarchical logit-normal: the bivariate model of diagnostic meta-analysis, for one or many entities.

The logit of the rate of right answers of entity e in class c on data set d is μ_ec - δ_dc + ε_edc.
Difficulty δ_d, shared by all entities, and deviation ε_ed are bivariate normal over the classes,
with half-normal standard deviations and an LKJ(2) correlation. Terms that the design cannot
separate are one term, a deviation; without data sets the entities are the population and deviate
from a common μ.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import expit

from bayesrank._core.checks import check_choice, check_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.evidence.weighting import check_whole_cases
from bayesrank.models.parts.covariates import SD_OF_DIFFERENCES, SD_OF_SLOPE, covariates_of
from bayesrank.models.parts.hierarchical import DRAWS, Hierarchical, Hyper
from bayesrank.models.parts.logit_normal_tables import (
    Tables,
    beta_logits,
    draw_effects,
    effects_in_graph,
    integrate_groups,
    table_data,
)
from bayesrank.models.parts.normal_logits import (
    between,
    covariance,
    factor_of,
    identified_terms,
)
from bayesrank.models.parts.priors import FOUR, OF_MEANS

#: LKJ(2): both Beta concentrations of (correlation + 1) / 2.
CORRELATION = 2.0
#: Initial and maximum sweeps between draws; minimum sweeps of warm-up.
THIN, LARGEST_THIN, WARM = 20, 320, 2000
#: The posterior variable of the means of the difficulties, if they have a basis.
CENTRE = "mean_difficulty"
TERMS = {
    (): "none: no entity has two data sets",
    ("deviations",): "deviations; the design does not separate difficulty from them",
    ("difficulty", "deviations"): "difficulty shared by all entities, and deviations of each",
}


class HierarchicalLogitNormal(Hierarchical):
    """Model logits of both rates that vary between data sets by shared difficulty and by deviations of each entity.

    The evidence is counts of two classes or two outcomes. Options of
    :class:`~bayesrank.models.parts.hierarchical.Hierarchical` apply, and:

    Parameters
    ----------
    spread : number
        Scale, in logits, of the half-normal priors of the standard deviations between data sets.
    terms : str, optional
        Terms that vary between data sets, as in the attr ``terms`` of a posterior; by default all
        that the design can estimate.
    covariates : str or sequence of str
        Coords of the counts along ``dataset``, or along ``entity`` and ``dataset``: numbers that
        shift the logits, with slopes that vary between entities. The model is then sampled by NUTS.
    at : mapping or sequence of numbers, optional
        Values of the covariates on a typical and on a new data set; by default their means over the
        tables.

    Examples
    --------
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> one = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> HierarchicalLogitNormal(one).terms
    ('deviations',)
    """

    most_outcomes: ClassVar[int | None] = 2
    references: ClassVar[tuple[str, ...]] = (
        "Reitsma, Glas, Rutjes, Scholten, Bossuyt and Zwinderman (2005). Bivariate analysis of sensitivity and "
        "specificity produces informative summary measures in diagnostic reviews. Journal of Clinical Epidemiology "
        "58:982-990.",
        "Chu and Cole (2006). Bivariate meta-analysis of sensitivity and specificity with sparse data: a generalized "
        "linear mixed model approach. Journal of Clinical Epidemiology 59:1331-1332.",
    )
    rows_apart: ClassVar[bool] = False
    words: ClassVar[str] = (
        "The logits of both rates vary jointly between data sets, with learned spreads."
    )

    #: Flat for both rates: normal logits have no bimodal explanation of near-perfect data sets.
    default_prior: ClassVar[str] = FOUR
    #: Options of NUTS: spreads near zero need short steps.
    nuts: ClassVar[dict[str, Any]] = {"target_accept": 0.95}
    #: Initial number of sweeps between draws.
    first_thin: ClassVar[int] = THIN
    #: Effective sample size to reach (at most a quarter of the draws), and the R-hat to stay below.
    target_draws: ClassVar[int] = 1200
    largest_rhat: ClassVar[float] = 1.005
    ignores_difficulty: ClassVar[bool] = False
    #: Prior standard deviation of an entity's median logit about a level that entities share, whose
    #: prior is ``prior``. If it is infinite, there is no level, and ``prior`` is that of each
    #: entity.
    sd_of_contrasts: ClassVar[float] = np.inf
    #: Scale of the prior of the standard deviation of the difficulty, in multiples of that of the
    #: deviations.
    scale_of_difficulty: ClassVar[float] = 1.0

    def __init__(
        self,
        counts: xr.DataArray,
        *,
        spread: float = 1.0,
        terms: str | None = None,
        covariates: str | Sequence[str] = (),
        at: Mapping[str, float] | Sequence[float] | None = None,
        **options: Any,
    ) -> None:
        check_whole_cases(counts, "counts", "for a hierarchical model")
        if options.get("prior") is None and "outcome" in counts.dims:
            options["prior"] = (
                OF_MEANS  # four cases pull the typical rate of few data sets away from 1
            )
        super().__init__(counts, **options)
        self.spread = check_number("spread", spread, 0.0, ends=False)
        #: Scales of the half-normal priors of the standard deviations.
        self.scales = {
            "deviations": self.spread,
            "difficulty": self.scale_of_difficulty * self.spread,
        }
        #: Index of the right answer in each row.
        self.right = [1] if self.outcomes else [0, 1]
        cases = self.members.sum(-1)
        measured = np.ones((len(cases), cases.shape[-1]), bool)
        if self.over_datasets:
            measured = (cases.sum(1) > 0) | (self.test_set.values != "")
        #: Population and member of each table: (entity, data set), or (0, entity) without data
        #: sets.
        self.pairs = np.argwhere(measured)
        kinds: dict[str, tuple[str, ...]] = {"deviations": ("deviations",)}
        if self.over_datasets:
            kinds = {words: which for which, words in TERMS.items()}
        #: Columns (data set, column) whose standard normal coefficients are the means of the
        #: difficulties.
        self.basis = np.zeros((cases.shape[2], 0))
        if terms is None:
            self.terms = self._terms_of_design(self.pairs[cases.sum(1)[measured] > 0])
        else:
            self.terms = kinds[check_choice("terms", terms, kinds)]
        self.covariates = covariates_of(self.counts, covariates, at, self.pairs)
        # (pair, row)
        self.cases = np.moveaxis(cases, 1, 2)[measured]
        right = np.stack(
            [self.members[:, row, :, answer] for row, answer in enumerate(self.right)], -1
        )
        self.hits = right[measured]
        self.alpha = np.stack(
            [self.prior[:, row, [a, 1 - a]] for row, a in enumerate(self.right)], 1
        )
        #: Whether entities share a level: one entity, or entities that nothing connects, have
        #: priors of their own.
        self.has_level = (
            self.sd_of_contrasts < np.inf and len(self.members) > 1 and self.terms != ()
        )
        if self.has_level and (self.alpha != self.alpha[:1]).any():
            raise ArgumentError(
                "prior",
                "must be the same for all entities, which share one level",
                "several along entity",
            )
        self._record_terms()

    def _record_terms(self) -> None:
        """Record the terms and covariates of the model in its settings and notes."""
        terms = TERMS[self.terms] if self.over_datasets else "deviations"
        self.settings |= {"spread": self.spread, "terms": terms}
        if self.over_datasets:
            self.settings["typical"] = "median"
        #: A part of the evidence keeps the terms of the whole, even if its design could not
        #: estimate them.
        self.as_designed: dict[str, Any] = {"terms": terms}
        if self.covariates is not None:
            names, at = self.covariates.names, self.covariates.at.tolist()
            self.settings |= {"covariates": names, "at": at}
            self.notes.append(Note("at_covariates", {"names": names, "at": at}))
            self.as_designed["at"] = at

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        scales = {name: self.scales[name] for name in self.terms}
        fields = self.prior_of_answers() | {"scales": scales, "both": len(self.right) == 2}
        fields |= {
            "contrasts": self.sd_of_contrasts if self.has_level else None,
            "correlation": CORRELATION,
        }
        result = [Note("prior_of_logits", fields), *self._priors_of_shares()]
        if self.covariates is not None:
            slopes = {
                "names": self.covariates.names,
                "common": SD_OF_SLOPE,
                "apart": SD_OF_DIFFERENCES,
            }
            result.append(Note("prior_of_slopes", slopes | {"at": self.covariates.at}))
        return result

    def _terms_of_design(self, pairs: np.ndarray) -> tuple[str, ...]:
        """Return the terms of the model for the tables with cases (pair, 2)."""
        return identified_terms(pairs)

    def build(self) -> Any:
        """Return the PyMC model of the logits: medians, difficulties and deviations."""
        import pymc as pm

        with pm.Model(coords=self.graph_coords()) as model:
            logits = self._add_logits()
            pm.Binomial(
                "hits",
                n=self.cases,
                logit_p=logits,
                observed=self.hits,
                dims=("table", self.row_dim),
            )
        return model

    def graph(self) -> Any:
        """Return the PyMC model with all tables, and the performance of each, of a typical and of a new data set.

        A new data set has a new difficulty and new deviations. In an incomplete design, a typical
        one has the average of the mean difficulties, as weighted by the Bayesian bootstrap.
        """
        import pymc as pm

        dims = list(map(str, self.counts.dims))
        with pm.Model(coords=self.graph_coords()) as model:
            logits = self._add_logits()
            # Tables that were not measured have the logits of the first one, and no cases.
            position = np.zeros((len(self.members), self.members.shape[2]), int)
            position[tuple(self.pairs.T)] = np.arange(len(self.pairs))
            rate = self._answers_in_graph(logits[position if self.over_datasets else position[0]])
            pm.Multinomial(
                "counts", self.counts.values.sum(-1), rate, observed=self.counts.values, dims=dims
            )
            rates = {"": rate}
            if self.over_datasets:
                typical, new = self._add_new_logits(model)
                rates |= {
                    "_typical": self._answers_in_graph(typical),
                    "_new": self._answers_in_graph(new),
                }
            self.add_performances(rates)
        return model

    @property
    def row_dim(self) -> str:
        """Return the dim of rows in a PyMC model: classes or, of outcomes, the right one."""
        return "right" if self.outcomes else "actual"

    def graph_coords(self) -> dict[str, Any]:
        """Return the coords of a PyMC model."""
        result = super().graph_coords() | {"table": np.arange(len(self.pairs))}
        result |= {"right": self.counts["outcome"].values[self.right]} if self.outcomes else {}
        result |= {} if self.covariates is None else {"covariate": self.covariates.names}
        return result | ({} if self.over_datasets else {"population": self.names})

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return super().coords() | (
            {} if self.covariates is None else {"covariate": self.covariates.names}
        )

    def _add_logits(self) -> Any:
        """Add the logits (table, row) of right answers to the PyMC model in context, and return them."""
        import pymc as pm

        (entity, dataset), rows, row = self.pairs.T, len(self.right), self.row_dim
        whose = "entity" if self.over_datasets else "population"
        # The median rate of right answers: of each entity, or the level of all of them.
        alpha, dims = (self.alpha[0], [row]) if self.has_level else (self.alpha, [whose, row])
        mu = pm.math.logit(
            pm.Beta("median_right", alpha[..., 0], alpha[..., 1], dims=dims, shape=alpha.shape[:-1])
        )
        if self.has_level:
            shape, sd = (rows, len(self.members)), self.sd_of_contrasts
            mu = mu + pm.ZeroSumNormal("contrasts", sd, dims=(row, whose), shape=shape).T
        logits = pm.Deterministic("mu", mu, dims=(whose, row))[entity]
        if self.covariates is not None:
            logits += (self.covariates.values[:, :, None] * self._add_slopes()[entity]).sum(1)
        for name in self.terms:
            member, number = (
                ("dataset", self.members.shape[2])
                if name == "difficulty"
                else ("table", len(entity))
            )
            sd = pm.HalfNormal(f"sd_of_{name}", self.scales[name], dims=row, shape=rows)
            z = pm.Normal(f"standard_{name}", dims=(member, row), shape=(number, rows))
            half = pm.Beta(f"half_of_{name}", CORRELATION, CORRELATION) if rows == 2 else None
            effect = effects_in_graph(sd, half, z)
            if name == "difficulty" and self.basis.size:
                coefficients = pm.Normal("coefficients", shape=(self.basis.shape[1], rows))
                effect += pm.Deterministic(
                    CENTRE, pm.math.dot(self.basis, coefficients), dims=("dataset", row)
                )
            if name == "difficulty":
                logits -= pm.Deterministic(name, effect, dims=(member, row))[dataset]
            else:
                logits += effect
        return pm.Deterministic("logits", logits, dims=("table", row))

    def _add_slopes(self) -> Any:
        """Add the slopes (entity, covariate, row) to the PyMC model in context, and return them.

        They are logits for one standard deviation of a covariate.
        """
        import pymc as pm

        assert self.covariates is not None
        shape = (len(self.covariates.names), len(self.right))
        dims = ("covariate", self.row_dim)
        common = pm.Normal("common_slope", 0, SD_OF_SLOPE, dims=dims, shape=shape)
        differences = 0.0
        if len(self.members) > 1:
            sd = pm.HalfNormal("sd_of_slopes", SD_OF_DIFFERENCES, dims=dims, shape=shape)
            differences = sd * pm.Normal(
                "standard_slopes", dims=("entity", *dims), shape=(len(self.members), *shape)
            )
        slopes = common + differences + np.zeros((len(self.members), *shape))
        return pm.Deterministic("slope", slopes, dims=("entity", *dims))

    def _add_new_logits(self, model: Any) -> tuple[Any, Any]:
        """Add what a typical and a new data set need to the PyMC model; return their logits (entity, row)."""
        import pymc as pm

        rows, (entities, datasets) = len(self.right), (len(self.members), self.members.shape[2])
        typical = model["mu"]
        if self.covariates is not None:
            typical += (self.covariates.standard_at[:, None] * model["slope"]).sum(1)
        new = typical
        for name in self.terms:
            z = pm.Normal(f"new_{name}", shape=(entities if name == "deviations" else 1, rows))
            half = model[f"half_of_{name}"] if rows == 2 else None
            effect = effects_in_graph(model[f"sd_of_{name}"], half, z)
            new = new + effect if name == "deviations" else new - effect
        if self.basis.size and "difficulty" in self.terms:
            # The observed data sets are kinds; a uniform variable chooses that of the new one.
            weight = pm.Dirichlet(
                "weight_of_kinds", np.ones(datasets), dims="dataset", shape=datasets
            )
            kind = (pm.Uniform("new_kind") > weight.cumsum()[:-1]).sum()
            scale = np.sqrt((datasets + 1) / max(datasets - 1, 1))
            typical, new = (
                typical - scale * pm.math.dot(weight, model[CENTRE]),
                new - model[CENTRE][kind],
            )
        return typical, new

    def _answers_in_graph(self, logits: Any) -> Any:
        """Return the rates of both answers (..., row, answer), without rows for outcomes, of logits (..., row)."""
        import pymc as pm

        right = [pm.math.sigmoid(logits[..., row]) for row in range(len(self.right))]
        wrong = [pm.math.sigmoid(-logits[..., row]) for row in range(len(self.right))]
        pairs = [
            pm.math.stack([yes, no] if answer == 0 else [no, yes], axis=-1)
            for yes, no, answer in zip(right, wrong, self.right, strict=True)
        ]
        return pairs[0] if self.outcomes else pm.math.stack(pairs, axis=-2)

    def sample_chains(
        self, shape: tuple[int, int], root: np.random.SeedSequence
    ) -> dict[str, xr.Dataset]:
        """Sample medians, spreads and logits by compiled Metropolis steps, thinned until the chains have mixed.

        Slopes of covariates need NUTS.
        """
        from bayesrank._core.nuts import diagnostics, sample

        if self.covariates is not None:
            seed = int(
                stream(
                    root, "nuts", fingerprint(self.hits, self.cases, self.covariates.values)
                ).integers(2**31)
            )
            return sample(self.build(), shape, seed, self.nuts)
        thin, total = (self.first_thin if self.terms else 1), shape[0] * shape[1]
        while True:
            posterior = self._run_chains(shape, root, thin)
            problems = diagnostics(posterior.drop_vars("acceptance_rate"), xr.Dataset())
            effective = np.nanmin([problems["ess_bulk"], problems["ess_tail"], np.inf])
            agree = total < self.target_draws or problems["rhat"] <= self.largest_rhat
            if (
                not self.terms
                or thin >= LARGEST_THIN
                or (effective >= min(self.target_draws, total / 4) and agree)
            ):
                break
            thin *= 2
        record = {"sampler": "metropolis", "thin": thin, **problems}
        logs = [str(name) for name in posterior if str(name).startswith("log_")]
        stats = posterior[["acceptance_rate"]].assign_attrs(record)
        return {"posterior": posterior.drop_vars([*logs, "acceptance_rate"]), "sample_stats": stats}

    def _run_chains(
        self, shape: tuple[int, int], root: np.random.SeedSequence, thin: int
    ) -> xr.Dataset:
        """Run chains of the given shape, with ``thin`` sweeps between draws."""
        rows, (entities, datasets) = len(self.right), (len(self.members), self.members.shape[2])
        # Sorted by name, so that the order of the evidence does not change the draws.
        rank = np.argsort(self.order)
        places = sorted(range(entities), key=lambda i: repr(self.names[i]))
        pairs = np.stack([np.argsort(places)[self.pairs[:, 0]], rank[self.pairs[:, 1]]], -1)
        turn = np.lexsort(pairs.T[::-1])
        parts = table_data(self.hits, self.cases)[turn]
        alpha = np.ones((entities, 2, 2))
        alpha[:, :rows] = self.alpha[places]
        both = "difficulty" in self.terms
        basis = np.ascontiguousarray(self.basis[self.order]) if both else np.zeros((datasets, 0))
        precision = self.sd_of_contrasts**-2 if self.has_level else 0.0
        tables = Tables(pairs[turn], datasets, parts.reshape(-1, 8), alpha, precision, both, basis)
        key = fingerprint(tables.pairs, tables.data, alpha, [self.spread, thin], [*self.terms])
        run = self._run_chain if self.terms else self._draw_medians
        chains = [
            run(stream(root, "chains", key, chain), tables, shape[1], thin)
            for chain in range(shape[0])
        ]
        mu, spread, hard, centre, logits, accepted = (
            np.stack(part) for part in zip(*chains, strict=True)
        )
        dims = ("chain", "draw")
        variables: dict[str, Any] = {
            "mu": ((*dims, "entity", "row"), mu[:, :, np.argsort(places), :rows]),
            "logits": ((*dims, "pair", "row"), logits[:, :, np.argsort(turn), :rows]),
            # Acceptance of the steps that move all standard deviations.
            "acceptance_rate": (dims, np.repeat(accepted[:, None], shape[1], 1)),
        }
        for i, name in enumerate(("deviations", "difficulty")):
            if name in self.terms:
                log_sd = spread[..., 3 * i : 3 * i + rows]
                variables[f"sd_of_{name}"] = ((*dims, "row"), np.exp(log_sd))
                variables[f"log_sd_of_{name}"] = ((*dims, "row"), log_sd)
                variables[f"half_of_{name}"] = (dims, expit(2 * spread[..., 3 * i + 2]))
        if tables.both:
            variables["difficulty"] = ((*dims, "dataset", "row"), hard[:, :, rank, :rows])
        if basis.size:
            variables[CENTRE] = ((*dims, "dataset", "row"), centre[:, :, rank, :rows])
        return xr.Dataset(variables, {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])})

    def _run_chain(self, rng: np.random.Generator, tables: Tables, draws: int, thin: int) -> tuple:
        """Run one chain, started at jittered moments of the empirical logits."""
        from bayesrank.models.parts.logit_normal_kernel import run

        (entity, _), data, alpha = tables.pairs.T, tables.data, tables.alpha
        rows, two = len(self.right), len(self.right) == 2
        spread = np.zeros(6)
        mu, steps = np.zeros((len(alpha), 2)), np.ones((len(alpha), 2))
        for row in range(rows):
            information = data[:, 2 + row]
            mean, variance = between(data[:, row], information, entity)
            variance = min(variance, max(self.scales.values()) ** 2)  # bounded by the prior
            total_precision = alpha[:, row].prod(-1) / alpha[:, row].sum(-1)
            precision = (
                np.bincount(entity, information / (1 + information * variance), len(alpha))
                + total_precision
            )
            mu[: len(mean), row], steps[:, row] = mean, 1 / np.sqrt(precision)
            spread[row] = spread[3 + row] = (
                np.log(variance / (1 + tables.both)) / 2 + 0.5 * rng.standard_normal()
            )
        spread[[2, 5]] = 0.5 * rng.standard_normal(2) * two
        mu[:, :rows] += steps[:, :rows] * rng.standard_normal((len(mu), rows))
        is_sampled = np.array(
            [True, two, two, *tables.both * np.array([True, two, two]), True, two], bool
        )
        warm = max(WARM, 20 * thin)
        scales = float(self.scales["deviations"]), float(self.scales["difficulty"])
        return run(rng, tables, scales, is_sampled, spread, mu, steps, warm, draws, thin)

    def _draw_medians(
        self, rng: np.random.Generator, tables: Tables, draws: int, thin: int
    ) -> tuple:
        """Draw Beta rates exactly, if nothing varies between data sets."""
        entity, data, alpha = tables.pairs[:, 0], tables.data, tables.alpha
        right, cases = (
            np.stack([np.bincount(entity, data[:, at + row], len(alpha)) for row in (0, 1)], -1)
            for at in (4, 6)
        )
        mu = beta_logits(rng, alpha + np.stack([right, cases - right], -1), draws)
        none = np.zeros((draws, tables.datasets, 2))
        return mu, np.zeros((draws, 6)), none, none, mu[:, entity], 1.0

    def draw_prior(self, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block from the prior."""
        rng = stream(root, "prior", "logits", *block.key)
        size, rows = block.size, len(self.right)
        if self.has_level:
            away = self.sd_of_contrasts * rng.standard_normal((size, len(self.members), rows))
            mu = beta_logits(rng, self.alpha[:1], size) + away - away.mean(1, keepdims=True)
        else:
            mu = beta_logits(rng, self.alpha, size)
        hyper: Hyper = {"mu": mu, "logits": mu[:, self.pairs[:, 0]]}
        if self.covariates is not None:
            shape = (len(self.members), len(self.covariates.names), rows)
            differences = abs(
                rng.normal(0, SD_OF_DIFFERENCES, (size, 1, *shape[1:]))
            ) * rng.standard_normal((size, *shape))
            hyper["slope"] = rng.normal(0, SD_OF_SLOPE, (size, 1, *shape[1:])) + differences * (
                shape[0] > 1
            )
            hyper["logits"] = hyper["logits"] + self._shifts(hyper["slope"])
        for name in self.terms:
            sd = hyper[f"sd_of_{name}"] = abs(rng.normal(0, self.scales[name], (size, rows)))
            half = hyper[f"half_of_{name}"] = rng.beta(CORRELATION, CORRELATION, size)
            number = self.members.shape[2] if name == "difficulty" else len(self.pairs)
            effect = np.einsum(
                "drk,dnk->dnr", factor_of(sd, half), rng.standard_normal((size, number, rows))
            )
            if name == "difficulty" and self.basis.size:
                coefficients = rng.standard_normal((size, self.basis.shape[1], rows))
                hyper[CENTRE] = np.einsum("jk,dkr->djr", self.basis, coefficients)
                effect = effect + hyper[CENTRE]
            if name == "difficulty":
                hyper["difficulty"], effect = effect, -effect[:, self.pairs[:, 1]]
            hyper["logits"] = hyper["logits"] + effect
        hyper |= self._draw_class_shares("prior", block, root)
        return self._tables(hyper, "prior", block, root)

    def _rates(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mu, rows = hyper["mu"], len(self.right)
        own = np.full((block.size, len(self.members), self.members.shape[2], rows), np.nan)
        own[:, self.pairs[:, 0], self.pairs[:, 1]] = hyper["logits"]
        if not self.over_datasets:
            return self._answers(own[:, 0]), np.empty(0), np.empty(0)
        if self.covariates is not None:
            mu = mu + np.einsum("k,dikr->dir", self.covariates.standard_at, hyper["slope"])
        typical, new = mu, mu.copy()
        for name in self.terms:
            factor = factor_of(hyper[f"sd_of_{name}"], hyper.get(f"half_of_{name}"))
            if name == "difficulty":
                new -= draw_effects(factor, stream(root, group, "new difficulty", *block.key))[
                    :, None
                ]
                if CENTRE in hyper:
                    average, single = self._draw_kinds(
                        hyper[CENTRE], stream(root, group, "kinds", *block.key)
                    )
                    typical, new = mu - average[:, None], new - single[:, None]
                continue
            for i, entity in enumerate(self.names):
                new[:, i] += draw_effects(
                    factor, stream(root, group, "new deviations", entity, *block.key)
                )
        return self._answers(own), self._answers(typical), self._answers(new)

    def _shifts(self, slope: np.ndarray) -> np.ndarray:
        """Return what slopes (draw, entity, covariate, row) add to the logits (draw, table, row)."""
        assert self.covariates is not None
        return np.einsum("tk,dtkr->dtr", self.covariates.values, slope[:, self.pairs[:, 0]])

    def _draw_kinds(
        self, centre: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw the mean difficulty (draw, row) of a typical and of a new data set, which all entities share.

        The observed data sets are a sample of kinds, whose shares are drawn by the Bayesian
        bootstrap. The average is scaled to the variance of a mean of independent values.
        """
        centre = centre[:, self.order]
        size, number = centre.shape[:2]
        weight = rng.dirichlet(np.ones(number), size)
        scale = np.sqrt((number + 1) / max(number - 1, 1))
        chosen = (rng.random((size, 1)) > np.cumsum(weight, 1)).sum(1).clip(max=number - 1)
        return scale * np.einsum("dj,djr->dr", weight, centre), centre[np.arange(size), chosen]

    def _answers(self, logits: np.ndarray) -> np.ndarray:
        """Return the rates of both answers (..., row, answer) from logits of the right one, without cancellation."""
        result = np.empty((*logits.shape, 2))
        for row, answer in enumerate(self.right):
            result[..., row, answer] = expit(logits[..., row])
            result[..., row, 1 - answer] = expit(-logits[..., row])
        return result

    def _parameters(self, hyper: Hyper) -> dict[str, xr.Variable]:
        rows, whose = self.row[:-1], ["entity"] * self.over_datasets
        result = {"median_rate": self._variable([*whose, *self.row], self._answers(hyper["mu"]))}
        for name in self.terms:
            result[f"sd_of_{name}"] = self._variable([*rows], hyper[f"sd_of_{name}"])
            if rows:
                result[f"correlation_of_{name}"] = self._variable(
                    [], 2 * hyper[f"half_of_{name}"] - 1
                )
        if self.covariates is not None:
            slope = hyper["slope"] / self.covariates.scale[:, None]
            result["slope"] = xr.Variable(
                ("draw", "entity", "covariate", *rows), slope if rows else slope[..., 0]
            )
        if "difficulty" in hyper:
            result["difficulty"] = self._variable(["dataset", *rows], hyper["difficulty"])
        if CENTRE in hyper:
            result[CENTRE] = self._variable(["dataset", *rows], hyper[CENTRE])
        if self.over_datasets and self.terms:
            # The covariance of an entity's logits between data sets.
            covariances = [
                covariance(hyper[f"sd_of_{name}"], hyper.get(f"half_of_{name}"))
                for name in self.terms
            ]
            total = np.sum(covariances, axis=0)
            sd = np.sqrt(np.einsum("drr->dr", total))
            result["sd_between_datasets"] = self._variable([*rows], sd)
            if rows:
                with np.errstate(invalid="ignore"):
                    result["correlation_between_datasets"] = self._variable(
                        [], total[:, 0, 1] / sd.prod(-1)
                    )
        return result

    def _sampled_parameters(self, posterior: xr.Dataset) -> Hyper:
        """Return the medians of logits, spreads and difficulty (draw, ...) in a posterior, with chains stacked."""
        size, rows = posterior.sizes["chain"] * posterior.sizes["draw"], len(self.right)

        def stack_chains(name: str, *after: int) -> np.ndarray:
            return posterior[name].transpose("chain", "draw", ...).values.reshape(size, *after)

        median = np.log(stack_chains("median_rate", len(self.members), rows, 2))
        result = {
            "mu": np.stack(
                [median[:, :, r, a] - median[:, :, r, 1 - a] for r, a in enumerate(self.right)], -1
            )
        }
        for name in self.terms:
            result[f"sd_of_{name}"] = stack_chains(f"sd_of_{name}", rows)
            if rows == 2:
                result[f"half_of_{name}"] = (stack_chains(f"correlation_of_{name}") + 1) / 2
        if self.covariates is not None:
            number = len(self.covariates.names)
            result["slope"] = (
                stack_chains("slope", len(self.members), number, rows)
                * self.covariates.scale[:, None]
            )
        if "difficulty" in self.terms:
            result["difficulty"] = stack_chains("difficulty", self.members.shape[2], rows)
            if self.basis.size:
                result[CENTRE] = stack_chains(CENTRE, self.members.shape[2], rows)
        return result

    def renew(
        self, posterior: xr.Dataset, root: np.random.SeedSequence, purpose: str
    ) -> xr.DataArray:
        """Draw counts for an equal number of new members, with the observed sizes, one for each draw."""
        parameters = self._sampled_parameters(posterior)
        called = self.counts["dataset" if self.over_datasets else "entity"].values.tolist()
        factor = {
            name: factor_of(parameters[f"sd_of_{name}"], parameters.get(f"half_of_{name}"))
            for name in self.terms
        }

        def moved(name: str, *who: Any) -> np.ndarray:
            return draw_effects(factor[name], stream(root, purpose, f"new {name}", *who))

        hard = {
            j: moved("difficulty", called[j])
            for j in set(self.pairs[:, 1])
            if "difficulty" in self.terms
        }
        if CENTRE in parameters:
            hard = {j: difficulty + parameters[CENTRE][:, j] for j, difficulty in hard.items()}
        new = np.zeros((len(parameters["mu"]), *self.members.shape), np.int64)
        shifts = None if self.covariates is None else self._shifts(parameters["slope"])
        for position, ((i, j), cases) in enumerate(zip(self.pairs, self.cases, strict=True)):
            logits = parameters["mu"][:, i] - hard.get(j, 0.0)
            logits = logits if shifts is None else logits + shifts[:, position]
            if "deviations" in self.terms:
                logits = logits + moved("deviations", self.names[i], called[j])
            hits = stream(root, purpose, "new cases", self.names[i], called[j]).binomial(
                cases, expit(logits)
            )
            for row, answer in enumerate(self.right):
                new[:, i, row, j, answer] = hits[:, row]
                new[:, i, row, j, 1 - answer] = cases[row] - hits[:, row]
        lead = (posterior.sizes[d] for d in DRAWS)
        return self._of_new_members(posterior, new.reshape(*lead, *new.shape[1:]))

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return log prior densities (chain, draw): of logits of median rates and of spreads, not of slopes."""
        shape = tuple(posterior.sizes[d] for d in DRAWS)
        parameters = self._sampled_parameters(posterior)
        level, alpha = parameters["mu"], self.alpha
        if self.has_level:
            level, alpha = level.mean(1, keepdims=True), alpha[:1]
        right, wrong = (-np.logaddexp(0, sign * level) for sign in (-1, 1))
        densities = {"median_rate": (alpha[..., 0] * right + alpha[..., 1] * wrong).sum((1, 2))}
        if self.has_level:
            densities["median_rate"] -= (
                ((parameters["mu"] - level) / self.sd_of_contrasts) ** 2
            ).sum((1, 2)) / 2
        for name in self.terms:
            log = -((parameters[f"sd_of_{name}"] / self.scales[name]) ** 2).sum(1) / 2
            if len(self.right) == 2:
                half = parameters[f"half_of_{name}"]
                log = log + (CORRELATION - 1) * np.log(half * (1 - half))
            densities[f"spread_of_{name}"] = log
        if CENTRE in parameters:
            coefficients = (
                np.einsum("jk,djr->dkr", self.basis, parameters[CENTRE])
                / (self.basis[:, 0] ** 2).sum()
            )
            densities[CENTRE] = -(coefficients**2).sum((1, 2)) / 2
        coords = {d: posterior[d] for d in DRAWS}
        return xr.Dataset(
            {name: (DRAWS, log.reshape(shape)) for name, log in densities.items()}, coords
        )

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset]) of each table, given class sizes and parameters.

        Deviations are integrated out, so that leave-one-out removes a table; difficulties are not.
        """
        shape = tuple(posterior.sizes[d] for d in DRAWS)
        parameters = self._sampled_parameters(posterior)
        means = self._means(parameters, parameters.get("difficulty"))
        densities = np.zeros((len(means), len(self.members), self.members.shape[2]))
        densities[:, self.pairs[:, 0], self.pairs[:, 1]] = self._integrate(
            parameters, means, False, np.arange(len(self.pairs))
        )
        densities = densities if self.over_datasets else densities[:, 0]
        result: dict[str, Any] = {
            "counts": (
                (*DRAWS, *map(str, self.test_set.dims)),
                densities.reshape(*shape, *densities.shape[1:]),
            )
        }
        if (shares := self._log_likelihood_of_shares(posterior)) is not None:
            result["row_totals"] = shares
        coords = {
            name: c
            for name, c in posterior.coords.items()
            if not {"actual", *self.row} & set(c.dims)
        }
        return xr.Dataset(result, coords)

    def log_likelihood_of_datasets(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (chain, draw, dataset) of each data set, given class sizes.

        ``row_totals`` (chain, draw, test_set) is that of the class sizes, if their shares are
        sampled. Difficulties and deviations are integrated out, which makes importance weights for
        leaving out a data set even.
        """
        parameters, shape = (
            self._sampled_parameters(posterior),
            tuple(posterior.sizes[d] for d in DRAWS),
        )
        means = self._means(parameters, parameters.get(CENTRE))
        densities = self._integrate(parameters, means, "difficulty" in self.terms, self.pairs[:, 1])
        number = self.members.shape[2]
        densities = np.concatenate(
            [densities, np.zeros((len(densities), number - densities.shape[1]))], 1
        )
        result: dict[str, Any] = {
            "counts": ((*DRAWS, "dataset"), densities.reshape(*shape, number))
        }
        if (shares := self._log_likelihood_of_shares(posterior)) is not None:
            result["row_totals"] = shares
        return xr.Dataset(
            result,
            {d: posterior[d] for d in (*DRAWS, "dataset", "test_set") if d in posterior.coords},
        )

    def _means(self, parameters: Hyper, hard: np.ndarray | None) -> np.ndarray:
        """Return the logits (draw, table, row) without deviations, less the given difficulty (draw, dataset, row)."""
        table, dataset = self.pairs.T
        means = parameters["mu"][:, table] - (0.0 if hard is None else hard[:, dataset])
        return means if self.covariates is None else means + self._shifts(parameters["slope"])

    def _integrate(
        self, parameters: Hyper, means: np.ndarray, both: bool, group: np.ndarray
    ) -> np.ndarray:
        """Return the log probability (draw, group) of groups of tables, with deviations, or both terms, integrated out.

        ``group`` is the number of each table's group, whose tables share a difficulty.
        """
        spreads = np.zeros((len(means), 2, 3))
        for position, name in enumerate(("deviations", "difficulty")):
            if name in self.terms:
                factor = factor_of(parameters[f"sd_of_{name}"], parameters.get(f"half_of_{name}"))
                spreads[:, position, 0] = factor[:, 0, 0]
                if len(self.right) == 2:
                    spreads[:, position, 1:] = factor[:, 1]
        return integrate_groups(self.hits, self.cases, means, spreads, both, group)
