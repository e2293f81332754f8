r"""Hierarchical logit-normal: the bivariate model of diagnostic meta-analysis, for one or many entities.

Given the class sizes, entity :math:`e` is right on cases of class :math:`c` in data set :math:`d` with its own rate:

.. math::

    x_{edc} \sim \mathrm{Binomial}(n_{edc}, \theta_{edc}), \qquad \operatorname{logit} \theta_{edc} = \mu_{ec} -
    \delta_{dc} + \epsilon_{edc}.

The prior of the rate at the median data set, :math:`\operatorname{logit}^{-1} \mu`, is Beta with the prior's
concentrations of right and wrong. The difficulty :math:`\delta_d`, shared by all entities, and the deviation
:math:`\epsilon_{ed}` are bivariate normal over the two classes, with half-normal standard deviations and an LKJ(2)
correlation. So a data set may be hard on both classes, or easy on one and hard on the other (another threshold).

The design decides which terms exist. Difficulty and deviation are one term with one entity, or if no two entities share
a data set. If no entity has two data sets there is neither. If that one term is a deviation of several entities, they
deviate independently on a new data set.

There are three performances. ``performance`` (observed) is that on each of the data sets. ``performance_typical`` is
that at the median data set, the summary point of meta-analyses; ``typical="mean"`` averages rates over data sets
instead. Its prevalence is the mean over data sets, learned as in the model ``hierarchical_beta_binomial``.
``performance_new`` is that on one more data set, with the same difficulty and prevalence for all entities in a draw.

Without data sets the entities are the population: each deviates from a common :math:`\mu`. Outcomes of two values
(right and wrong) are one class.

References
----------
Reitsma et al. (2005), Journal of Clinical Epidemiology 58:982-990; Chu and Cole (2006), ibid. 59:1331-1332, on the
binomial likelihood.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit

from bayesrank._checks import check_choice
from bayesrank._random import Block, fingerprint, stream
from bayesrank.models._hierarchical import DRAWS, TYPICAL, Hierarchical, Hyper, by_chain
from bayesrank.models._normal_logits import (
    between,
    binomial_evidence,
    covariance,
    empirical_logits,
    factor_of,
    identified_terms,
    logit_of_mean,
)
from bayesrank.models._population import check_spread
from bayesrank.models._priors import DEFAULT

#: LKJ(2): both Beta concentrations of (correlation + 1) / 2.
CORRELATION = 2.0
#: Initial and maximum sweeps between draws; minimum sweeps of warm-up.
THIN, LARGEST_THIN, WARM = 20, 320, 2000
#: Target effective sample size (at most a quarter of the draws), and the R-hat to stay below.
TARGET_DRAWS, LARGEST_RHAT = 1200, 1.005
DEVIATIONS_ONLY = "deviations"
TERMS = {
    (): "none: no entity has two data sets",
    ("deviations",): "deviations; the design does not separate difficulty from them",
    ("difficulty", "deviations"): "difficulty shared by all entities, and deviations of each",
}


class Tables(NamedTuple):
    """The arrays that the compiled sampler reads."""

    pairs: np.ndarray
    datasets: int
    data: np.ndarray
    alpha: np.ndarray


class HierarchicalLogitNormal(Hierarchical):
    """Model logits of both rates that vary between data sets by shared difficulty and by deviations of each entity.

    The evidence is counts of two classes or two outcomes. Options of
    :class:`~bayesrank.models._hierarchical.Hierarchical` apply, and:

    Parameters
    ----------
    spread : number
        Scale, in logits, of the half-normal priors of the standard deviations between data sets; 1 by default. The
        spread of class shares keeps its own prior.
    typical : {"median", "mean"}
        Whether typical rates are those of the median data set, or means over data sets.
    terms : str, optional
        Terms that vary between data sets, as in the attr ``terms`` of a posterior; by default all that the design can
        estimate.

    Examples
    --------
    >>> import bayesrank as br
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> one = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> HierarchicalLogitNormal(one).terms
    ('deviations',)
    """

    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = "The logits of both rates vary jointly between data sets, with learned spreads."

    #: A flat prior: normal logits have no bimodal explanation of near-perfect data sets.
    prior_of_means: ClassVar[str] = DEFAULT
    #: Options of NUTS: spreads near zero need short steps.
    nuts: ClassVar[dict[str, Any]] = {"target_accept": 0.95}

    def __init__(
        self,
        counts: xr.DataArray,
        *,
        spread: float = 1.0,
        typical: str = "median",
        terms: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(counts, **options)
        check_choice("typical", typical, TYPICAL)
        self.spread, self.typical = check_spread(spread), typical
        #: Index of the right answer in each row.
        self.right = [1] if self.outcomes else [0, 1]
        cases = self.members.sum(-1)
        there = cases.sum(1) > 0
        if self.over_datasets:
            there |= np.asarray(self.test_set.values != "")
        else:
            there[:] = True
        #: Population and member of each table: (entity, data set), or (0, entity) without data sets.
        self.pairs = np.argwhere(there)
        known = (
            {words: which for which, words in TERMS.items()}
            if self.over_datasets
            else {DEVIATIONS_ONLY: (DEVIATIONS_ONLY,)}
        )
        if terms is not None:
            check_choice("terms", terms, known)
        self.terms = identified_terms(self.pairs[cases.sum(1)[there] > 0]) if terms is None else known[terms]
        # (pair, row)
        self.cases = np.moveaxis(cases, 1, 2)[there]
        right = np.stack([self.members[:, row, :, answer] for row, answer in enumerate(self.right)], -1)
        self.hits = right[there]
        self.alpha = np.stack([self.prior[:, row, [a, 1 - a]] for row, a in enumerate(self.right)], 1)
        self.settings |= {"spread": self.spread, "terms": TERMS[self.terms] if self.over_datasets else DEVIATIONS_ONLY}
        if self.over_datasets:
            self.settings["typical"] = TYPICAL[typical]
        #: A part of the evidence keeps the terms of the whole, even if its design could not estimate them.
        self.as_designed = {"terms": self.settings["terms"]}

    def build(self) -> Any:
        """Return the PyMC model of counts given the class sizes; class shares are learned separately by quadrature.

        Effects are products of standard normal variables and the factor of their covariance.
        """
        import pymc as pm

        entity, dataset = self.pairs.T
        rows, number = len(self.right), {"difficulty": self.members.shape[2], "deviations": len(self.pairs)}
        with pm.Model() as model:
            mu = pm.Flat("mu", shape=(len(self.members), rows))
            pm.Potential("prior_of_mu", _log_beta(pm.math, mu, self.alpha))
            logits = mu[entity]
            for name in self.terms:
                sd = pm.HalfNormal(f"sd_of_{name}", self.spread, shape=rows)
                z = pm.Normal(f"standard_{name}", shape=(number[name], rows))
                effect = sd * z
                if rows == 2:
                    rho = 2 * pm.Beta(f"half_of_{name}", CORRELATION, CORRELATION) - 1
                    second = rho * z[:, 0] + pm.math.sqrt(1 - rho**2) * z[:, 1]
                    effect = pm.math.stack([sd[0] * z[:, 0], sd[1] * second], axis=1)
                if name == "difficulty":
                    logits = logits - pm.Deterministic(name, effect)[dataset]
                else:
                    logits = logits + effect
            logits = pm.Deterministic("logits", logits)
            pm.Binomial("counts", n=self.cases, logit_p=logits, observed=self.hits)
        return model

    def sample_chains(self, shape: tuple[int, int], root: np.random.SeedSequence) -> dict[str, xr.Dataset]:
        """Sample medians, spreads and logits by compiled Metropolis steps, until the chains have mixed.

        The thinning doubles while the effective sample size is too small: see
        :mod:`bayesrank.models._logit_normal_kernel`.
        """
        from bayesrank._nuts import diagnostics

        thin, total = (THIN if self.terms else 1), shape[0] * shape[1]
        while True:
            posterior = self._run_chains(shape, root, thin)
            found = diagnostics(posterior.drop_vars("acceptance_rate"), xr.Dataset())
            effective = np.nanmin([found["ess_bulk"], found["ess_tail"], np.inf])
            disagree = total >= TARGET_DRAWS and found["rhat"] > LARGEST_RHAT
            if not self.terms or thin >= LARGEST_THIN or (effective >= min(TARGET_DRAWS, total / 4) and not disagree):
                break
            thin *= 2
        about = {"sampler": "metropolis", "thin": thin, **found}
        logs = [str(name) for name in posterior if str(name).startswith("log_")]
        stats = posterior[["acceptance_rate"]].assign_attrs(about)
        return {"posterior": posterior.drop_vars([*logs, "acceptance_rate"]), "sample_stats": stats}

    def _run_chains(self, shape: tuple[int, int], root: np.random.SeedSequence, thin: int) -> xr.Dataset:
        """Run chains of the given shape, with ``thin`` sweeps between draws."""
        rows, (entities, datasets) = len(self.right), (len(self.members), self.members.shape[2])
        # Sorted by name, so that the order of the evidence does not change the draws.
        rank = np.argsort(self.order)
        places = sorted(range(entities), key=lambda i: repr(self.names[i]))
        entity, dataset = np.argsort(places)[self.pairs[:, 0]], rank[self.pairs[:, 1]]
        turn = np.lexsort((dataset, entity))
        pairs = np.stack([entity, dataset], -1)[turn]
        logit, information = empirical_logits(self.hits, self.cases)
        parts = np.zeros((len(pairs), 4, 2))
        for i, part in enumerate((logit, information, self.hits, self.cases)):
            parts[:, i, :rows] = part[turn]
        data = parts.reshape(-1, 8)
        alpha = np.ones((entities, 2, 2))
        alpha[:, :rows] = self.alpha[places]
        key = fingerprint(pairs, data, alpha, [self.spread, thin], [*self.terms])
        generators = [stream(root, "chains", key, chain) for chain in range(shape[0])]
        run = self._run_chain if self.terms else self._draw_medians
        tables = Tables(pairs, datasets, data, alpha)
        chains = [run(rng, tables, shape[1], thin) for rng in generators]
        mu, spread, hard, logits, accepted = (np.stack(part) for part in zip(*chains, strict=True))
        mu, hard, logits = mu[..., :rows], hard[..., :rows], logits[..., :rows]
        dims = ("chain", "draw")
        found: dict[str, Any] = {
            "mu": ((*dims, "entity", "row"), mu[:, :, np.argsort(places)]),
            "logits": ((*dims, "pair", "row"), logits[:, :, np.argsort(turn)]),
            # Acceptance of the steps that move all standard deviations.
            "acceptance_rate": (dims, np.repeat(accepted[:, :1], shape[1], 1)),
        }
        for i, name in enumerate(("deviations", "difficulty")):
            if name in self.terms:
                log_sd = spread[..., 3 * i : 3 * i + rows]
                found[f"sd_of_{name}"] = ((*dims, "row"), np.exp(log_sd))
                found[f"log_sd_of_{name}"] = ((*dims, "row"), log_sd)
                found[f"half_of_{name}"] = (dims, expit(2 * spread[..., 3 * i + 2]))
        if "difficulty" in self.terms:
            found["difficulty"] = ((*dims, "dataset", "row"), hard[:, :, rank])
        return xr.Dataset(found, {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])})

    def _run_chain(self, rng: np.random.Generator, tables: "Tables", draws: int, thin: int) -> list[np.ndarray]:
        """Run one chain, started at jittered moments of the empirical logits."""
        from bayesrank.models._logit_normal_kernel import run

        pairs, _, data, alpha = tables
        rows, both = len(self.right), "difficulty" in self.terms
        spread = np.zeros(6)
        mu, steps = np.zeros((len(alpha), 2)), np.ones((len(alpha), 2))
        for row in range(rows):
            information = data[:, 2 + row]
            mean, variance = between(data[:, row], information, pairs[:, 0])
            variance = min(variance, self.spread**2)  # bounded by the prior
            known = alpha[:, row].prod(-1) / alpha[:, row].sum(-1)
            precision = np.bincount(pairs[:, 0], information / (1 + information * variance), len(alpha)) + known
            mu[: len(mean), row], steps[:, row] = mean, 1 / np.sqrt(precision)
            spread[row] = spread[3 + row] = np.log(variance / (1 + both)) / 2 + 0.5 * rng.standard_normal()
        spread[[2, 5]] = 0.5 * rng.standard_normal(2) * (rows == 2)
        mu[:, :rows] += steps[:, :rows] * rng.standard_normal((len(mu), rows))
        two = rows == 2
        moving = np.array([True, two, two, both, both and two, both and two, True, two])
        warm = max(WARM, 20 * thin)
        return run(rng, *tables, float(self.spread), both, moving, spread, mu, steps, warm, draws, thin)

    def _draw_medians(self, rng: np.random.Generator, tables: "Tables", draws: int, thin: int) -> list[np.ndarray]:
        """Draw Beta rates exactly, if nothing varies between data sets."""
        pairs, datasets, data, alpha = tables
        right, cases = (
            np.stack([np.bincount(pairs[:, 0], data[:, at + row], len(alpha)) for row in (0, 1)], -1) for at in (4, 6)
        )
        yes, no = (rng.standard_gamma(a, (draws, *right.shape)) for a in (alpha[..., 0] + right,
                                                                          alpha[..., 1] + cases - right))  # fmt: skip
        mu = np.log(np.maximum(yes, 1e-300)) - np.log(np.maximum(no, 1e-300))
        return [mu, np.zeros((draws, 6)), np.zeros((draws, datasets, 2)), mu[:, pairs[:, 0]], np.ones(1)]

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the posterior group from sampled logits and spreads, with class shares drawn separately."""

        def tables(hyper: Hyper, block: Block) -> dict[str, xr.Variable]:
            return self._tables(hyper | self._draw_class_shares("posterior", block, root), "posterior", block, root)

        return by_chain(sampled, self.coords(), tables)

    def draw_prior(self, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block from the prior."""
        rng = stream(root, "prior", "logits", *block.key)
        size, rows = block.size, len(self.right)
        right, wrong = (rng.standard_gamma(self.alpha[..., i], (size, *self.alpha.shape[:2])) for i in (0, 1))
        mu = np.log(np.maximum(right, 1e-300)) - np.log(np.maximum(wrong, 1e-300))
        hyper: Hyper = {"mu": mu, "logits": mu[:, self.pairs[:, 0]]}
        for name, number in (("difficulty", self.members.shape[2]), ("deviations", len(self.pairs))):
            if name not in self.terms:
                continue
            sd = hyper[f"sd_of_{name}"] = abs(rng.normal(0, self.spread, (size, rows)))
            half = hyper[f"half_of_{name}"] = rng.beta(CORRELATION, CORRELATION, size)
            effect = np.einsum("drk,dnk->dnr", factor_of(sd, half), rng.standard_normal((size, number, rows)))
            if name == "difficulty":
                hyper["difficulty"] = effect
            hyper["logits"] = hyper["logits"] + (effect if name == "deviations" else -effect[:, self.pairs[:, 1]])
        hyper |= self._draw_class_shares("prior", block, root)
        return self._tables(hyper, "prior", block, root)

    def _covariance(self, hyper: Hyper) -> np.ndarray:
        """Return the covariance (draw, row, row) of an entity's logits between data sets."""
        total = np.zeros((len(hyper["mu"]), len(self.right), len(self.right)))
        for name in self.terms:
            total += covariance(hyper[f"sd_of_{name}"], hyper.get(f"half_of_{name}"))
        return total

    def _rates(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mu, rows = hyper["mu"], len(self.right)
        own = np.full((block.size, len(self.members), self.members.shape[2], rows), np.nan)
        own[:, self.pairs[:, 0], self.pairs[:, 1]] = hyper["logits"]
        if not self.over_datasets:
            return self._answers(own[:, 0]), np.empty(0), np.empty(0)
        centre = mu
        new = mu.copy()
        for name in self.terms:
            factor = factor_of(hyper[f"sd_of_{name}"], hyper.get(f"half_of_{name}"))
            if name == "difficulty":
                rng = stream(root, group, "new difficulty", *block.key)
                new -= np.einsum("drk,dk->dr", factor, rng.standard_normal((block.size, rows)))[:, None]
                continue
            for i, entity in enumerate(self.names):
                rng = stream(root, group, "new deviations", entity, *block.key)
                new[:, i] += np.einsum("drk,dk->dr", factor, rng.standard_normal((block.size, rows)))
        if self.typical == "mean":
            sd = np.sqrt(np.einsum("drr->dr", self._covariance(hyper)))
            centre = logit_of_mean(mu, sd[:, None])
        return self._answers(own), self._answers(centre), self._answers(new)

    def _answers(self, logits: np.ndarray) -> np.ndarray:
        """Return the rates of both answers (..., row, answer) from logits of the right one, without cancellation."""
        found = np.empty((*logits.shape, 2))
        for row, answer in enumerate(self.right):
            found[..., row, answer] = expit(logits[..., row])
            found[..., row, 1 - answer] = expit(-logits[..., row])
        return found

    def _parameters(self, hyper: Hyper) -> dict[str, xr.Variable]:
        rows = self.row[:-1]
        whose = ["entity"] * self.over_datasets
        rates = self._answers(hyper["mu"] if self.over_datasets else hyper["mu"][:, 0])
        found = {"median_rate": (("draw", *whose, *self.row), rates[..., 0, :] if self.outcomes else rates)}
        for name in self.terms:
            sd = hyper[f"sd_of_{name}"]
            found[f"sd_of_{name}"] = (("draw", *rows), sd[:, 0] if self.outcomes else sd)
            if not self.outcomes:
                found[f"correlation_of_{name}"] = (("draw",), 2 * hyper[f"half_of_{name}"] - 1)
        if "difficulty" in hyper:
            hard = hyper["difficulty"]
            found["difficulty"] = (("draw", "dataset", *rows), hard[..., 0] if self.outcomes else hard)
        if self.over_datasets and self.terms:
            total = self._covariance(hyper)
            sd = np.sqrt(np.einsum("drr->dr", total))
            found["sd_between_datasets"] = (("draw", *rows), sd[:, 0] if self.outcomes else sd)
            if not self.outcomes:
                with np.errstate(invalid="ignore"):
                    together = total[:, 0, 1] / sd.prod(-1)
                found["correlation_between_datasets"] = (("draw",), together)
        return {name: xr.Variable(*held) for name, held in found.items()}

    def _sampled_parameters(self, posterior: xr.Dataset) -> Hyper:
        """Return the medians of logits, spreads and difficulty (draw, ...) in a posterior, with chains stacked."""
        size, rows = posterior.sizes["chain"] * posterior.sizes["draw"], len(self.right)

        def held(name: str, *after: int) -> np.ndarray:
            return posterior[name].transpose("chain", "draw", ...).values.reshape(size, *after)

        median = np.log(held("median_rate", len(self.members), rows, 2))
        found = {"mu": np.stack([median[:, :, r, a] - median[:, :, r, 1 - a] for r, a in enumerate(self.right)], -1)}
        for name in self.terms:
            found[f"sd_of_{name}"] = held(f"sd_of_{name}", rows)
            if rows == 2:
                found[f"half_of_{name}"] = (held(f"correlation_of_{name}") + 1) / 2
        if "difficulty" in self.terms:
            found["difficulty"] = held("difficulty", self.members.shape[2], rows)
        return found

    def renew(self, posterior: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.DataArray:
        """Draw counts for an equal number of new members of the population, with the observed sizes, one for each draw.

        A new data set has the same difficulty for all entities.
        """
        held, rows = self._sampled_parameters(posterior), len(self.right)
        size = len(held["mu"])
        called = self.counts["dataset" if self.over_datasets else "entity"].values.tolist()
        factor = {name: factor_of(held[f"sd_of_{name}"], held.get(f"half_of_{name}")) for name in self.terms}

        def moved(name: str, *who: Any) -> np.ndarray:
            rng = stream(root, purpose, f"new {name}", *who)
            return np.einsum("drk,dk->dr", factor[name], rng.standard_normal((size, rows)))

        hard = {j: moved("difficulty", called[j]) for j in set(self.pairs[:, 1]) if "difficulty" in self.terms}
        new = np.zeros((size, *self.members.shape), np.int64)
        for (i, j), cases in zip(self.pairs, self.cases, strict=True):
            logits = held["mu"][:, i] - hard.get(j, 0.0)
            if "deviations" in self.terms:
                logits = logits + moved("deviations", self.names[i], called[j])
            hits = stream(root, purpose, "new cases", self.names[i], called[j]).binomial(cases, expit(logits))
            for row, answer in enumerate(self.right):
                new[:, i, row, j, answer] = hits[:, row]
                new[:, i, row, j, 1 - answer] = cases[row] - hits[:, row]
        lead = (posterior.sizes[d] for d in DRAWS)
        return self._of_new_members(posterior, new.reshape(*lead, *new.shape[1:]))

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return log prior densities (chain, draw) of the logits of median rates and of each term's spread.

        The densities are those of standard deviations, not of their logarithms, without constants.
        """
        shape = tuple(posterior.sizes[d] for d in DRAWS)
        held = self._sampled_parameters(posterior)
        right, wrong = (-np.logaddexp(0, sign * held["mu"]) for sign in (-1, 1))
        found = {"median_rate": (self.alpha[..., 0] * right + self.alpha[..., 1] * wrong).sum((1, 2))}
        for name in self.terms:
            log = -((held[f"sd_of_{name}"] / self.spread) ** 2).sum(1) / 2
            if len(self.right) == 2:
                half = held[f"half_of_{name}"]
                log = log + (CORRELATION - 1) * np.log(half * (1 - half))
            found[f"spread_of_{name}"] = log
        coords = {d: posterior[d] for d in DRAWS}
        return xr.Dataset({name: (DRAWS, log.reshape(shape)) for name, log in found.items()}, coords)

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset]) of each table, given class sizes and parameters.

        Deviations are integrated out, so that leave-one-out removes a table; difficulties are not.
        """
        shape = tuple(posterior.sizes[d] for d in DRAWS)
        size, rows = int(np.prod(shape)), len(self.right)
        held = self._sampled_parameters(posterior)
        mean, hard = held["mu"], held.get("difficulty")
        sd = held.get("sd_of_deviations", np.zeros((size, rows)))
        rho = 2 * held["half_of_deviations"] - 1 if "half_of_deviations" in held else np.zeros(size)
        found = np.zeros((size, len(self.members), self.members.shape[2]))
        for (i, j), right, cases in zip(self.pairs, self.hits, self.cases, strict=True):
            centre = mean[:, i] - (0 if hard is None else hard[:, j])
            found[:, i, j] = binomial_evidence(right, cases, centre, sd, rho)
        found = found if self.over_datasets else found[:, 0]
        result: dict[str, Any] = {
            "counts": ((*DRAWS, *map(str, self.test_set.dims)), found.reshape(*shape, *found.shape[1:]))
        }
        if (shares := self._log_likelihood_of_shares(posterior)) is not None:
            result["row_totals"] = shares
        coords = {name: c for name, c in posterior.coords.items() if not {"actual", *self.row} & set(c.dims)}
        return xr.Dataset(result, coords)


def _log_beta(math: Any, mu: Any, alpha: np.ndarray) -> Any:
    """Return the log density of logits of Beta rates, without constants; ``alpha`` is that of right and wrong."""
    return -(alpha[..., 0] * math.log1pexp(-mu) + alpha[..., 1] * math.log1pexp(mu)).sum()
