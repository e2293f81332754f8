r"""Davidson: votes on pairs of entities, with ties.

Entity :math:`i` has the strength :math:`s_i`, in logits, and the strengths sum to 0. A vote on :math:`i` and :math:`j`
has the probabilities

.. math::

    P(i\text{ wins}) = \frac{e^{(s_i - s_j)/2}}{Z}, \quad P(j\text{ wins}) = \frac{e^{(s_j - s_i)/2}}{Z}, \quad
    P(\text{tie}) = \frac{\nu}{Z}, \qquad Z = e^{(s_i - s_j)/2} + e^{(s_j - s_i)/2} + \nu.

Without ties this is the model of Bradley and Terry. The prior of the strengths is normal, under the condition that they
sum to 0; that of :math:`\log\nu` is normal with the same standard deviation. Perfect records therefore have finite
strengths. The posterior is log-concave; it is sampled by Hamiltonian Monte Carlo in coordinates in which it is close to
a standard normal distribution, so that draws are nearly independent.

A vote of :math:`i` against :math:`j` depends on their difference alone. So strengths of entities that no chain of votes
connects cannot be compared, and the ranking leaves their order open.

References
----------
Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison experiments, Journal of
the American Statistical Association 65:317-328. Ford (1957), Solution of a ranking problem from binary comparisons,
American Mathematical Monthly 64:28-33, for the existence of the maximum-likelihood estimate.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._checks import check_unique, describe_value, is_number
from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._notes import Note
from bayesrank._random import fingerprint, stream
from bayesrank.evidence.votes import connected_pools

#: Standard deviation of the prior, in logits: odds of 7 to 1 against an average entity are one standard deviation.
SPREAD = 2.0
#: Steps that adapt the step size, and the wanted share of accepted proposals.
WARM_UP, ACCEPT = 100, 0.9
#: Length of a trajectory: a quarter of the period of a standard normal distribution, after which a draw is independent.
LENGTH = np.pi / 2


class Davidson:
    """Model votes on pairs of entities by their strengths and the frequency of ties.

    Parameters
    ----------
    evidence : xarray.Dataset
        ``wins`` and ``ties`` (entity, rival), as from :func:`bayesrank.from_votes`.
    prior : float or "flat"
        Standard deviation of the strengths and of the logarithm of the frequency of ties, in logits (default 2), or
        "flat", which needs that each group of entities has lost a vote, or tied, against the rest.

    Examples
    --------
    >>> import pandas as pd
    >>> battles = pd.DataFrame({"a": ["x", "x", "y"], "b": ["y", "y", "x"], "winner": ["a", "a", "a"]})
    >>> votes = br.from_votes(battles, a="a", b="b", winner="winner")
    >>> observed = Davidson(votes).observed()["observed_data"]  # the maximum-likelihood estimates
    >>> observed["strength"].values.round(3).tolist(), observed["win_probability"].values.round(3).tolist()
    ([0.347, -0.347], [0.667, 0.333])
    """

    takes: ClassVar[str] = "votes"
    kind: ClassVar[str] = "observed"
    references: ClassVar[tuple[str, ...]] = (
        "Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison experiments. "
        "Journal of the American Statistical Association 65:317-328.",
    )
    words: ClassVar[str] = (
        "Each vote depends on the difference of the strengths of its two entities, and votes are independent; the "
        "strengths sum to 0."
    )

    def __init__(self, evidence: xr.Dataset, prior: float | str = SPREAD) -> None:
        if not isinstance(evidence, xr.Dataset) or not {"wins", "ties"} <= set(evidence.data_vars):
            raise ArgumentTypeError(
                "evidence", "must be votes, as from br.from_votes, for the model Davidson", describe_value(evidence)
            )
        if not (prior == "flat" if isinstance(prior, str) else is_number(prior) and 0 < prior < np.inf):
            raise ArgumentError(
                "prior", "must be a standard deviation above 0, in logits, or 'flat' for votes", describe_value(prior)
            )
        self.votes = evidence[["wins", "ties"]].transpose("entity", "rival").drop_attrs()
        names = self.votes["entity"].values.tolist()
        check_unique("entity", names)
        if len(names) < 2:
            raise ArgumentError("evidence", "must have votes on two entities or more", len(names))
        # Sorted by name, so that the order of the evidence does not change the draws.
        self.order = np.array(sorted(range(len(names)), key=lambda i: repr(names[i])))
        wins, ties = (self.votes[name].values[np.ix_(self.order, self.order)] for name in ("wins", "ties"))
        total = wins + wins.T + ties
        if (wins < 0).any() or (ties != ties.T).any() or not total.any(axis=1).all() or np.diag(total).any():
            raise ArgumentError(
                "evidence", "must have non-negative wins, symmetric ties, and votes of each entity against others"
            )
        self.total = total[np.ix_(*[np.argsort(self.order)] * 2)]
        self.flat = prior == "flat"
        self.pairs = Pairs.of(wins, ties, 0.0 if isinstance(prior, str) else 1 / prior**2)
        if self.flat and not self.pairs.strongly_connected():
            raise ArgumentError(
                "prior",
                "must not be 'flat' where some entities won, or lost, all votes against the rest: their strengths "
                "would be infinite",
                "'flat'",
            )
        self.settings: dict[str, Any] = {
            "prior": "flat" if self.flat else float(prior),
            "strength_range": [-np.inf, np.inf],
            "win_probability_range": [0.0, 1.0],
            "votes": 1,
        }
        self.notes = self._notes()

    def _notes(self) -> list[Note]:
        pool = connected_pools(self.total)
        names = [str(name) for name in self.votes["entity"].values.tolist()]
        notes = []
        if pool.max():
            pools = [[names[i] for i in np.flatnonzero(pool == k)] for k in range(pool.max() + 1)]
            notes.append(Note("votes_unconnected", {"pools": sorted(pools, key=len, reverse=True)}))
        elif not self.pairs.strongly_connected():
            notes.append(Note("votes_one_sided"))
        if not self.pairs.ties.any():
            notes.append(Note("votes_without_ties"))
        return [*notes, Note("votes_relative")]

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the votes, and the maximum-likelihood estimates, NaN where there are none."""
        size = len(self.order)
        found, nu = np.full((1, size), np.nan), np.nan
        free = replace(self.pairs, precision=0.0)
        if free.strongly_connected():
            found, log_nu = free.split(free.mode()[None])
            nu = float(np.exp(log_nu[0]))
        strength = found[:, np.argsort(self.order)]
        wins = self.pairs.win_probability(found, np.array([np.log(nu)]) if nu > 0 else np.array([-np.inf]))
        held: dict[str, Any] = {
            "cases": ("entity", self.total.sum(axis=1)),
            "pool": ("entity", connected_pools(self.total)),
            "strength": ("entity", strength[0]),
            "win_probability": ("entity", wins[0, np.argsort(self.order)]),
            "nu": nu,
        }
        return {"observed_data": self.votes.assign(held)}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return {"entity": self.votes["entity"].values}

    def build(self) -> Any:
        """Return the PyMC model: ``strength`` and ``win_probability`` (entity) and, if there are ties, ``log_nu``."""
        import pymc as pm

        pairs = self.pairs
        names = self.votes["entity"].values[self.order]
        with pm.Model(coords={"entity": names}) as model:
            scale = np.inf if self.flat else pairs.precision**-0.5
            if self.flat:
                free = pm.Flat("free", shape=len(names) - 1)
                strength = pm.Deterministic("strength", pm.math.dot(pairs.basis, free), dims="entity")
            else:
                strength = pm.ZeroSumNormal("strength", sigma=scale, dims="entity")
            half = (strength[pairs.first] - strength[pairs.second]) / 2
            parts = [half, -half]
            likelihood = (pairs.wins - pairs.losses) * half
            if pairs.with_ties:
                log_nu = pm.Flat("log_nu") if self.flat else pm.Normal("log_nu", 0.0, scale)
                likelihood += pairs.ties * log_nu
                parts.append(log_nu + 0.0 * half)
            # The mean of P(win) + P(tie) / 2 over all rivals; the entity itself would add 1/2.
            up = pm.math.exp((strength[:, None] - strength[None]) / 2)
            nu = pm.math.exp(log_nu) if pairs.with_ties else 0.0
            share = (up + nu / 2) / (up + 1 / up + nu)
            pm.Deterministic("win_probability", (share.sum(1) - 0.5) / (len(names) - 1), dims="entity")
            total = pm.math.logsumexp(pm.math.stack(parts), axis=0, keepdims=False)
            pm.Potential("votes", (likelihood - pairs.number * total).sum())
        return model

    def sample_chains(self, shape: tuple[int, int], root: np.random.SeedSequence) -> dict[str, xr.Dataset]:
        """Sample strengths and the frequency of ties by Hamiltonian Monte Carlo around the mode."""
        from bayesrank._nuts import diagnostics

        key = fingerprint(self.pairs.first, self.pairs.second, self.pairs.wins, self.pairs.losses, self.pairs.ties)
        rngs = [stream(root, "chains", "davidson", key, self.pairs.precision, chain) for chain in range(shape[0])]
        theta, accepted = _hamiltonian(self.pairs, shape[1], rngs)
        strength, log_nu = self.pairs.split(theta)
        found: dict[str, Any] = {"strength": (("chain", "draw", "entity"), strength)}
        if self.pairs.with_ties:
            found["log_nu"] = (("chain", "draw"), log_nu)
        coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
        drawn = xr.Dataset(found, coords | {"entity": self.votes["entity"].values[self.order]})
        stats = xr.Dataset({"acceptance_rate": (("chain", "draw"), accepted)}, coords)
        about = {"sampler": "metropolis", **diagnostics(drawn, xr.Dataset())}
        return {"posterior": drawn, "sample_stats": stats.assign_attrs(about)}

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return ``strength`` and ``win_probability`` (chain, draw, entity), and ``nu`` (chain, draw)."""
        dims, place = ("chain", "draw", "entity"), np.argsort(self.order)
        strength = sampled["strength"].transpose(*dims).values
        log_nu = sampled["log_nu"].transpose(*dims[:2]).values if self.pairs.with_ties else None
        wins = self.pairs.win_probability(strength, np.full(strength.shape[:2], -np.inf) if log_nu is None else log_nu)
        found: dict[str, Any] = {"strength": (dims, strength[..., place]), "win_probability": (dims, wins[..., place])}
        if log_nu is not None:
            found["nu"] = (dims[:2], np.exp(log_nu))
        return xr.Dataset(found, {name: sampled[name].values for name in dims[:2]})


@dataclass(frozen=True)
class Pairs:
    """Votes on the pairs that met, and the prior's precision; the parameters are free strengths and log ν."""

    entities: int
    first: np.ndarray
    second: np.ndarray
    wins: np.ndarray  #: Of the first entity of each pair.
    losses: np.ndarray
    ties: np.ndarray
    precision: float  #: 1 / variance of the prior; 0 if it is flat.

    @classmethod
    def of(cls, wins: np.ndarray, ties: np.ndarray, precision: float) -> "Pairs":
        first, second = np.nonzero(np.triu(wins + wins.T + ties, 1))
        up, down, even = (
            votes.astype(float) for votes in (wins[first, second], wins[second, first], ties[first, second])
        )
        return cls(len(wins), first, second, up, down, even, precision)

    @cached_property
    def number(self) -> np.ndarray:
        return self.wins + self.losses + self.ties

    @cached_property
    def with_ties(self) -> bool:
        return bool(self.ties.any())

    @cached_property
    def basis(self) -> np.ndarray:
        """Return orthonormal columns of strengths that sum to 0 (entity, free strength)."""
        from scipy.linalg import helmert

        return np.ascontiguousarray(helmert(self.entities).T)

    @cached_property
    def incidence(self) -> Any:
        """Return the differences that pairs take (pair, entity), as a sparse matrix."""
        from scipy.sparse import csr_array

        row = np.arange(len(self.first))
        where = (np.concatenate([row, row]), np.concatenate([self.first, self.second]))
        signs = np.concatenate([np.ones(len(row)), -np.ones(len(row))])
        return csr_array((signs, where), shape=(len(row), self.entities))

    def strongly_connected(self) -> bool:
        """Return whether no group of entities won all its votes against the rest: Ford's condition."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        up, down = self.wins + self.ties > 0, self.losses + self.ties > 0
        ends = (np.append(self.first[up], self.second[down]), np.append(self.second[up], self.first[down]))
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(self.entities,) * 2)
        return int(connected_components(graph, connection="strong")[0]) == 1

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return strengths (..., entity) and log ν (...), minus infinity without ties, of parameters."""
        strength = theta[..., : self.entities - 1] @ self.basis.T
        none = np.full(theta.shape[:-1], -np.inf)
        return strength, theta[..., -1] if self.with_ties else none

    def probabilities(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return half the differences, log ν, log Z, and the probabilities of a win, a loss and a tie (pair, ...)."""
        strength, log_nu = self.split(theta)
        half = self.incidence @ strength.T / 2
        far = np.abs(half)
        log_z = far + np.log1p(np.exp(-2 * far) + np.exp(log_nu - far))
        win, lose = np.exp(half - log_z), np.exp(-half - log_z)
        return half, log_nu, log_z, win, lose, np.exp(log_nu - log_z)

    def value_and_slope(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log posterior density (...) and its gradient (..., parameter) of parameters (..., parameter)."""
        half, log_nu, log_z, win, lose, tie = self.probabilities(theta)
        more, number = (self.wins - self.losses)[:, None], self.number[:, None]
        value = (more * half - number * log_z).sum(axis=0) - self.precision / 2 * (theta**2).sum(axis=-1)
        of_pairs = (more - number * (win - lose)) / 2
        slope = (self.incidence.T @ of_pairs).T @ self.basis
        if self.with_ties:
            value += self.ties.sum() * log_nu
            of_ties = self.ties.sum() - (number * tie).sum(axis=0)
            slope = np.concatenate([slope, of_ties[:, None]], axis=-1)
        return value, slope - self.precision * theta

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """Return minus the Hessian of the log posterior density at one point (parameter, parameter)."""
        win, lose, tie = (part[:, 0] for part in self.probabilities(theta[None])[3:])
        of_pairs = self.number * ((win + lose) - (win - lose) ** 2) / 4
        plain = self.incidence.T @ (self.incidence * of_pairs[:, None])
        found = self.basis.T @ (plain @ self.basis)
        if self.with_ties:
            cross = self.basis.T @ (self.incidence.T @ (-self.number * (win - lose) / 2 * tie))
            own = (self.number * tie * (1 - tie)).sum()
            found = np.block([[found, cross[:, None]], [cross[None], own]])
        return found + self.precision * np.eye(len(found))

    def mode(self) -> np.ndarray:
        """Return the parameters with the largest posterior density, by Newton's method with halved steps."""
        theta = np.zeros(self.entities - 1 + self.with_ties)
        value, slope = (part[0] for part in self.value_and_slope(theta[None]))
        for _ in range(200):
            step = np.linalg.solve(self.curvature(theta), slope)
            gain = float(step @ slope)
            if gain < 1e-14:
                break
            for share in 0.5 ** np.arange(40):
                following, downhill = (part[0] for part in self.value_and_slope((theta + share * step)[None]))
                if following >= value + 1e-4 * share * gain - 1e-12 * abs(value):
                    break
            theta, value, slope = theta + share * step, following, downhill
        return theta

    def win_probability(self, strength: np.ndarray, log_nu: np.ndarray) -> np.ndarray:
        """Return the mean of P(win) + P(tie) / 2 over all rivals (..., entity)."""
        total = np.zeros(strength.shape)
        nu = np.exp(log_nu)[..., None]
        for j in range(self.entities):
            up = np.exp((strength - strength[..., [j]]) / 2)
            share = (up + nu / 2) / (up + 1 / up + nu)
            total += share
        return (total - 0.5) / (self.entities - 1)


def _hamiltonian(pairs: Pairs, draws: int, rngs: list[np.random.Generator]) -> tuple[np.ndarray, np.ndarray]:
    """Return draws of the parameters (chain, draw, parameter) and acceptance rates (chain, draw).

    The coordinates z of parameters mode + A z, with A Aᵀ the inverse curvature at the mode, are almost independent and
    standard normal.
    """
    from scipy.linalg import solve_triangular

    mode = pairs.mode()
    root = np.linalg.cholesky(pairs.curvature(mode))
    mapping = solve_triangular(root, np.eye(len(mode)), lower=True)  # rows: z @ mapping

    def look(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = pairs.value_and_slope(mode + z @ mapping)
        return value, slope @ mapping.T

    size, width = len(mode), 1.2 * len(mode) ** -0.25
    z = np.stack([rng.standard_normal(size) for rng in rngs])
    value, slope = look(z)
    kept, rates = np.empty((len(rngs), draws, size)), np.empty((len(rngs), draws))
    for turn in range(WARM_UP + draws):
        momentum = np.stack([rng.standard_normal(size) for rng in rngs])
        jitter, level = np.array([rng.random(2) for rng in rngs]).T
        step = width * (0.8 + 0.4 * jitter)[:, None]
        place, push, there, slant = z, momentum, value, slope
        for _ in range(int(np.ceil(LENGTH / width))):
            push = push + step / 2 * slant
            place = place + step * push
            there, slant = look(place)
            push = push + step / 2 * slant
        change = there - value - (push**2).sum(-1) / 2 + (momentum**2).sum(-1) / 2
        rate = np.exp(np.minimum(np.nan_to_num(change, nan=-np.inf), 0.0))
        taken = level < rate
        z, slope = np.where(taken[:, None], place, z), np.where(taken[:, None], slant, slope)
        value = np.where(taken, there, value)
        if turn < WARM_UP:
            width = float(np.clip(width * np.exp((rate.mean() - ACCEPT) / np.sqrt(1 + turn)), 0.01, LENGTH))
        else:
            kept[:, turn - WARM_UP], rates[:, turn - WARM_UP] = z, rate
    return mode + kept @ mapping, rates
