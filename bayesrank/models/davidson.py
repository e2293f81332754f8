r"""Davidson: votes on pairs of entities, with ties.

Entity :math:`i` has the strength :math:`s_i`, in logits, and the strengths sum to 0. A vote on
:math:`i` and :math:`j` has the probabilities

.. math::

    P(i\text{ wins}) = \frac{e^{(s_i - s_j)/2}}{Z}, \quad P(j\text{ wins}) = \frac{e^{(s_j -
    s_i)/2}}{Z}, \quad P(\text{tie}) = \frac{\nu}{Z}, \qquad Z = e^{(s_i - s_j)/2} + e^{(s_j -
    s_i)/2} + \nu.

Without ties this is the model of Bradley and Terry. The prior of the strengths is normal, under the
condition that they sum to 0; that of :math:`\log\nu` is normal with the same standard deviation.
Perfect records therefore have finite strengths. The posterior is log-concave; it is sampled by
Hamiltonian Monte Carlo in coordinates in which it is close to a standard normal distribution, so
that draws are nearly independent.

Where judges voted on all pairs and people on some, the outcomes of the other votes are unknown.
Given the votes :math:`v` of the judges on :math:`i` and :math:`j`, a person's vote follows the same
model with :math:`s_i - s_j` replaced by

.. math::

    \delta_i - \delta_j + 2\beta_v, \qquad \delta_i = \sum_k \kappa_k t_{ki} + \tau z_i,

and with a :math:`\nu_v` for each :math:`v`. Here :math:`t_k` are the strengths by the votes of
judge :math:`k` alone, with unit standard deviation. The :math:`z_i` are standard normal: the error
of the judges on entity :math:`i`. Exchanging the two entities changes the sign of :math:`\beta_v`.
:math:`\tau` is uniform up to 2, on a grid, by its posterior in Laplace's approximation. So the
votes of the judges add information only as far as they agree with the few votes of people. In each
draw, the unknown votes are imputed from this model. The strengths are then drawn from Davidson's
posterior, given all votes.

Covariates :math:`x` of a vote, such as a difference in length, add :math:`x^\top\gamma` to
:math:`s_i - s_j`. Strengths are then those at :math:`x = 0`: at equal length. The prior of a
coefficient is that of a strength, for a covariate in units of its root mean square.

Votes of one voter, or on one question, share a taste. Where these are known, a draw is the mode of
the posterior with random weights of the voters, the questions, or both
(:mod:`bayesrank.models.parts.voters`). The prior then has the weight of one voter or question.
Beside judges, the weights apply to the votes of people, from which the errors of the judges are
learned, and to the votes that are completed, each by its expected result
(:mod:`bayesrank.models.parts.completed`).

A vote of :math:`i` against :math:`j` depends on their difference alone. So strengths of entities
that no chain of votes connects cannot be compared, and the ranking leaves their order open.

References
----------
Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments, Journal of the American Statistical Association 65:317-328. Ford (1957), Solution of a
ranking problem from binary comparisons, American Mathematical Monthly 64:28-33, for the existence
of the maximum-likelihood estimate.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_unique, describe_value, is_number
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, Typed
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.evidence.ballots import NOUNS, UNITS
from bayesrank.evidence.ledger import ledger_of
from bayesrank.evidence.votes import connected_pools
from bayesrank.models.parts.battles import Battles
from bayesrank.models.parts.completed import CompletedVotes
from bayesrank.models.parts.conjugate import check_proper_prior
from bayesrank.models.parts.pairs import Pairs, sample_around_mode
from bayesrank.models.parts.styles import Cells
from bayesrank.models.parts.voters import SharedVotes

#: Standard deviation of the prior, in logits: odds of 7 to 1 against an average entity are one
#: standard deviation.
SPREAD = 2.0
#: Elo ratings: points of one logit, and the mean rating.
ELO, ELO_MEAN = 400 / np.log(10), 1000.0


def _check_prior(prior: Any) -> None:
    """Raise an error unless the prior is flat, or the standard deviation of a normal one."""
    if not (prior == "flat" if isinstance(prior, str) else is_number(prior) and 0 < prior < np.inf):
        raise ArgumentError(
            "prior",
            "must be 'flat' or a standard deviation above 0, in logits, for votes",
            describe_value(prior),
        )


def _check_votes(wins: np.ndarray, ties: np.ndarray, may_lack: bool) -> None:
    """Raise an error unless these can be numbers of votes (entity, rival); some entities may lack votes."""
    total = wins + wins.T + ties
    lacking = not may_lack and not total.any(axis=1).all()
    if (wins < 0).any() or (ties != ties.T).any() or lacking or np.diag(total).any():
        raise ArgumentError(
            "evidence",
            "must have non-negative wins, symmetric ties, and votes of each entity against others",
        )


class Davidson:
    """Model votes on pairs of entities by their strengths and the frequency of ties.

    Parameters
    ----------
    evidence : xarray.Dataset
        ``wins`` and ``ties`` (entity, rival), as from :func:`bayesrank.from_votes`.
    prior : float or "flat"
        Standard deviation of the strengths and of the logarithm of the frequency of ties, in logits
        (default 2), or "flat". A flat prior is only possible without judges, and if the
        maximum-likelihood estimates are finite.
    anchor : mapping, optional
        The Elo rating of one entity, such as ``{"gpt-4": 1200}``; by default the mean rating is
        1,000.

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

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """Return the class for this evidence: for votes of people, or of judges and some people."""
        votes = isinstance(evidence, xr.Dataset)
        shared = votes and any(unit in evidence.variables for unit in UNITS)
        if "judge_vote" in evidence:
            return JudgedTastes if shared else JudgedVotes
        return SharedTastes if shared else cls

    def __init__(
        self,
        evidence: xr.Dataset,
        prior: float | str = SPREAD,
        anchor: Mapping[Any, float] | None = None,
    ) -> None:
        if not isinstance(evidence, xr.Dataset) or not {"wins", "ties"} <= set(evidence.data_vars):
            raise ArgumentTypeError(
                "evidence",
                "must be votes, as from br.from_votes, for the model Davidson",
                describe_value(evidence),
            )
        _check_prior(prior)
        self.votes = evidence[["wins", "ties"]].transpose("entity", "rival").drop_attrs()
        self.evidence = evidence
        names = self.votes["entity"].values.tolist()
        check_unique("entity", names)
        self.anchor = _check_anchor(anchor, names)
        if len(names) < 2:
            raise ArgumentError("evidence", "must have votes on at least two entities", len(names))
        # Sorted by name, so that the order of the evidence does not change the draws.
        self.order = np.array(sorted(range(len(names)), key=lambda i: repr(names[i])))
        wins, ties = (
            self.votes[name].values[np.ix_(self.order, self.order)] for name in ("wins", "ties")
        )
        total = wins + wins.T + ties
        _check_votes(wins, ties, may_lack="judge_vote" in evidence)
        self.total = total[np.ix_(*[np.argsort(self.order)] * 2)]
        self.flat = prior == "flat"
        precision = 0.0 if isinstance(prior, str) else 1 / prior**2
        #: Root mean squares of the covariates, by name.
        self.scales: dict[str, float] = {}
        self.pairs = self._read_votes([names[i] for i in self.order], wins, ties, precision)
        if self.flat and not self.pairs.has_maximum():
            raise ArgumentError(
                "prior",
                "must not be 'flat' where some entities never lost, or never won, a vote against the rest, or a "
                "covariate explains all votes: estimates would be infinite",
                "'flat'",
                Advice(Typed("prior", SPREAD), " is the default"),
            )
        self.settings: dict[str, Any] = {
            "prior": "flat" if self.flat else float(prior),
            "strength_range": [-np.inf, np.inf],
            "win_probability_range": [0.0, 1.0],
            "elo_range": [-np.inf, np.inf],
        }
        if self.anchor is not None:
            self.settings["anchor"] = json.dumps([str(self.anchor[0]), self.anchor[1]])
        self.notes = self._notes()

    def _read_votes(
        self, names: list, wins: np.ndarray, ties: np.ndarray, precision: float
    ) -> Pairs:
        """Return the votes on pairs of the entities ``names``, in this order."""
        if "results" not in self.evidence:
            return Pairs.of(wins, ties, precision)
        self.cells = Cells.of(self.evidence, names, precision)
        self.scales = self.cells.scales
        return self.cells.pairs

    def _notes(self) -> list[Note]:
        results = dict(ledger_of(self.evidence).results)
        counted = (
            [Note("votes_by_result", results)]
            if sum(results.values()) > results.get("decided", 0.0)
            else []
        )
        return [*counted, *self._perfect_records(), *self._notes_of_model()]

    def _perfect_records(self) -> list[Note]:
        """Return the entities that won, or lost, all their votes."""
        wins, ties = (self.votes[name].values for name in ("wins", "ties"))
        names = list(map(str, self.votes["entity"].values.tolist()))
        sure = ~ties.any(axis=1)
        won, lost = (
            sure & wins.any(axis=1) & ~wins.any(axis=0),
            sure & wins.any(axis=0) & ~wins.any(axis=1),
        )
        records = {
            key: [names[i] for i in np.flatnonzero(mask)]
            for key, mask in (("won", won), ("lost", lost))
        }
        return [Note("votes_perfect", records)] if won.any() or lost.any() else []

    def _notes_of_model(self) -> list[Note]:
        pool = connected_pools(self.total)
        names = [str(name) for name in self.votes["entity"].values.tolist()]
        notes = []
        if pool.max():
            pools = [[names[i] for i in np.flatnonzero(pool == k)] for k in range(pool.max() + 1)]
            notes.append(Note("votes_unconnected", {"pools": sorted(pools, key=len, reverse=True)}))
        elif not (self.estimated.wins.any() or self.estimated.losses.any()):
            notes.append(Note("votes_all_ties"))
        elif not self.estimated.has_maximum():
            notes.append(Note("votes_one_sided"))
        if not self.pairs.ties.any():
            notes.append(Note("votes_without_ties"))
        if self.scales:
            notes.append(Note("votes_at_equal_style", {"covariates": list(self.scales)}))
        return [*notes, Note("votes_relative", {"independent": self.units})]

    #: The units of the votes that are independent.
    units: ClassVar[str] = "votes"

    @property
    def estimated(self) -> Pairs:
        """Return the votes that the estimates summarise."""
        return self.pairs

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the votes, and the maximum-likelihood estimates, NaN where there are none.

        If all votes are ties, a tie is certain and the strengths can be any.
        """
        size = len(self.order)
        strengths, nu, wins = np.full((1, size), np.nan), np.nan, np.full((1, size), np.nan)
        free = replace(self.estimated, precision=0.0)
        coefficients = np.full(len(self.scales), np.nan)
        if free.has_maximum():
            mode = free.mode()
            coefficients = self._coefficients(mode)
            strengths, log_nu = free.split(mode[None])
            nu, wins = float(np.exp(log_nu[0])), free.win_probability(strengths, log_nu)
        elif not (free.wins.any() or free.losses.any() or connected_pools(self.total).max()):
            nu, wins = np.inf, np.full((1, size), 0.5)
        strength = strengths[:, np.argsort(self.order)]
        held: dict[str, Any] = {
            "cases": ("entity", self.total.sum(axis=1)),
            "pool": ("entity", connected_pools(self.total)),
            "strength": ("entity", strength[0]),
            "win_probability": ("entity", wins[0, np.argsort(self.order)]),
            "nu": nu,
            "elo": ("entity", self._elo(strength)[0]),
            "win_rate": (
                "entity",
                (self.votes["wins"] + self.votes["ties"] / 2).sum("rival").values / self._met(),
            ),
        }
        if self.scales:
            held["coefficient"] = ("covariate", coefficients)
        observed = self.votes.assign(held)
        return {
            "observed_data": observed.assign_coords(covariate=list(self.scales))
            if self.scales
            else observed
        }

    def _met(self) -> np.ndarray:
        """Return the votes of each entity, NaN without any."""
        total = self.total.sum(axis=1).astype(float)
        return np.where(total > 0, total, np.nan)

    def _elo(self, strength: np.ndarray) -> np.ndarray:
        """Return Elo ratings of strengths (..., entity) in the order of the evidence."""
        if self.anchor is None:
            return ELO_MEAN + ELO * strength
        name, rating = self.anchor
        position = self.votes["entity"].values.tolist().index(name)
        return rating + ELO * (strength - strength[..., [position]])

    def _coefficients(self, theta: np.ndarray) -> np.ndarray:
        """Return coefficients per unit of each covariate (..., covariate) from parameters (..., parameter)."""
        start = len(self.order) - 1
        return theta[..., start : start + len(self.scales)] / np.array(list(self.scales.values()))

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        coords: dict[str, Any] = {"entity": self.votes["entity"].values}
        return coords | ({"covariate": list(self.scales)} if self.scales else {})

    def build(self) -> Any:
        """Return the PyMC model: ``strength`` and ``win_probability`` (entity) and, if there are ties, ``log_nu``."""
        import pymc as pm

        pairs = self.pairs
        names = self.votes["entity"].values[self.order]
        covariates = {"covariate": list(self.scales)} if self.scales else {}
        with pm.Model(coords={"entity": names, **covariates}) as model:
            scale = np.inf if self.flat else pairs.precision**-0.5
            if self.flat:
                strengths = pm.math.dot(pairs.basis, pm.Flat("free", shape=len(names) - 1))
                strength = pm.Deterministic("strength", strengths, dims="entity")
            else:
                strength = pm.ZeroSumNormal("strength", sigma=scale, dims="entity")
            half = (strength[pairs.first] - strength[pairs.second]) / 2
            if pairs.shift is not None:
                half += pm.math.dot(pairs.shift, self._add_coefficients(scale))
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
            pm.Deterministic(
                "win_probability", (share.sum(1) - 0.5) / (len(names) - 1), dims="entity"
            )
            total = pm.math.logsumexp(pm.math.stack(parts), axis=0, keepdims=False)
            pm.Potential("votes", (likelihood - pairs.number * total).sum())
        return model

    def _add_coefficients(self, scale: Any) -> Any:
        """Add the coefficients of the covariates to the PyMC model in context; return those of scaled ones."""
        import pymc as pm

        size, roots = len(self.scales), np.array(list(self.scales.values()))
        scaled = (
            pm.Flat("scaled", shape=size)
            if self.flat
            else pm.Normal("scaled", 0.0, scale, shape=size)
        )
        pm.Deterministic("coefficient", scaled / roots, dims="covariate")
        return scaled

    def sample_chains(
        self, shape: tuple[int, int], root: np.random.SeedSequence
    ) -> dict[str, xr.Dataset]:
        """Sample strengths and the frequency of ties by Hamiltonian Monte Carlo around the mode."""
        pairs = self.pairs
        shift = [] if pairs.shift is None else [pairs.shift]
        key = fingerprint(pairs.first, pairs.second, pairs.wins, pairs.losses, pairs.ties, *shift)
        rngs = [
            stream(root, "chains", "davidson", key, self.pairs.precision, chain)
            for chain in range(shape[0])
        ]
        return self._as_groups(*sample_around_mode(self.pairs, shape[1], rngs))

    def _as_groups(self, theta: np.ndarray, accepted: np.ndarray) -> dict[str, xr.Dataset]:
        """Return draws of the parameters (chain, draw, parameter) and acceptance rates as the groups of a sampler."""
        from bayesrank._core.nuts import diagnostics

        strength, log_nu = self.pairs.split(theta)
        found: dict[str, Any] = {"strength": (("chain", "draw", "entity"), strength)}
        if self.pairs.with_ties:
            found["log_nu"] = (("chain", "draw"), log_nu)
        if self.scales:
            found["coefficient"] = (("chain", "draw", "covariate"), self._coefficients(theta))
        coords = {"chain": np.arange(len(theta)), "draw": np.arange(theta.shape[1])}
        drawn = xr.Dataset(found, coords | {"entity": self.votes["entity"].values[self.order]})
        stats = xr.Dataset({"acceptance_rate": (("chain", "draw"), accepted)}, coords)
        record = {"sampler": "metropolis", **diagnostics(drawn, xr.Dataset())}
        return {"posterior": drawn, "sample_stats": stats.assign_attrs(record)}

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return ``strength`` and ``win_probability`` (chain, draw, entity), and ``nu`` (chain, draw)."""
        dims, position = ("chain", "draw", "entity"), np.argsort(self.order)
        strength = sampled["strength"].transpose(*dims).values
        log_nu = sampled["log_nu"].transpose(*dims[:2]).values if self.pairs.with_ties else None
        variables = {
            name: (dims[: held.ndim], held)
            for name, held in self._variables(strength[..., position], log_nu).items()
        }
        if self.scales:
            variables["coefficient"] = (
                (*dims[:2], "covariate"),
                sampled["coefficient"].transpose(*dims[:2], ...).values,
            )
        return xr.Dataset(variables, {name: sampled[name].values for name in dims[:2]})

    def _variables(self, strength: np.ndarray, log_nu: np.ndarray | None) -> dict[str, np.ndarray]:
        """Return the variables to rank from strengths (..., entity) in the order of the evidence, and ν (...)."""
        none = np.full(strength.shape[:-1], -np.inf)
        wins = self.pairs.win_probability(strength, none if log_nu is None else log_nu)
        variables = {"strength": strength, "win_probability": wins, "elo": self._elo(strength)}
        return variables if log_nu is None else variables | {"nu": np.exp(log_nu)}


class SharedTastes(Davidson):
    """Model votes that share voters or questions, by random weights of these."""

    words: ClassVar[str] = (
        "Each vote depends on the difference of the strengths of its two entities; votes of one voter, or on one "
        "question, share a taste. Draws weight the voters or questions at random; the strengths sum to 0."
    )

    @cached_property
    def shared(self) -> SharedVotes:
        """Return the votes by voters and questions."""
        return self.cells.shared

    @property
    def units(self) -> str:  # type: ignore[override]
        return " and ".join(f"{NOUNS[role]}s" for role in self.shared.units)

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the votes, the maximum-likelihood estimates, and the variables of the voters or questions."""
        observed = super().observed()["observed_data"]
        shared, position = self.shared, np.argsort(self.order)
        among = np.ix_(position, position)
        coords = self.evidence.drop_attrs().reset_coords()
        retained = [name for name, each in coords.data_vars.items() if "battle" in each.dims]
        more = {
            "unit_number": ("entity", shared.number[position]),
            "unit_freedom": ("entity", shared.freedom[position]),
            "unit_excess": (("entity", "rival"), shared.excess[among]),
            "units_on_pair": (("entity", "rival"), shared.on_pairs[among]),
        }
        return {"observed_data": observed.assign(more).merge(coords[retained])}

    def build(self) -> Any:
        """Refuse: random weights of voters are no likelihood."""
        raise ArgumentError(
            "evidence",
            "must contain no voters or questions for NUTS or a PyMC graph, since each draw weights them differently",
            f"votes of {self.units}",
            "votes[['wins', 'ties', 'cases']] are the votes without them",
        )

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block: modes under random weights of the voters or questions, spread for their number."""
        rng = stream(root, group, "davidson", self.shared.key, self.pairs.precision, *block.key)
        if group == "prior":
            check_proper_prior(not self.flat)
            theta = rng.standard_normal((block.size, self.pairs.size)) / np.sqrt(
                self.pairs.precision
            )
        else:
            theta = self.shared.sample(block.size, rng)
        strength, log_nu = self.pairs.split(theta)
        position = np.argsort(self.order)
        arrays = self._variables(strength[..., position], log_nu if self.pairs.with_ties else None)
        dims = ("draw", "entity")
        variables = {name: xr.Variable(dims[: each.ndim], each) for name, each in arrays.items()}
        return variables | (
            {"coefficient": xr.Variable(("draw", "covariate"), self._coefficients(theta))}
            if self.scales
            else {}
        )


class JudgedVotes(Davidson):
    """Model votes of judges on all pairs, and of people on some, by completed outcomes and their strengths."""

    words: ClassVar[str] = (
        "The votes of the judges, and the entities, predict the votes of people where these are unknown. Each draw "
        "fills in the unknown votes and computes the strengths from all votes; strengths sum to 0."
    )

    def __init__(
        self,
        evidence: xr.Dataset,
        prior: float | str = SPREAD,
        anchor: Mapping[Any, float] | None = None,
    ) -> None:
        if prior == "flat":
            raise ArgumentError(
                "prior", "must be a standard deviation for votes of a judge", "'flat'"
            )
        self.judged = evidence
        super().__init__(evidence, prior, anchor)

    def _read_votes(
        self, names: list, wins: np.ndarray, ties: np.ndarray, precision: float
    ) -> Pairs:
        """Return the votes of people on pairs, and read those of judges."""
        self.battles = self._read_battles(names, precision)
        self.scales = self.battles.scales
        return self.battles.people if self.scales else Pairs.of(wins, ties, precision)

    def _read_battles(self, names: list, precision: float) -> Battles:
        """Return the votes of judges and people, of entities sorted by name."""
        return Battles.of(self.judged, names, precision)

    @cached_property
    def estimated(self) -> Pairs:
        """Return the expected counts of the completed votes."""
        return self.battles.expected()

    def _notes_of_model(self) -> list[Note]:
        labelled, number = int(self.battles.known.sum()), int(self.battles.human.sum())
        notes = [
            Note(
                "votes_judged", {"judges": self.battles.judges, "labels": labelled, "votes": number}
            )
        ]
        none = self.votes["entity"].values[~self.total.any(axis=1)].tolist()
        notes += (
            [Note("entities_without_labels", {"entities": list(map(str, none))})] if none else []
        )
        return [*notes, *super()._notes_of_model()]

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the votes, and the maximum-likelihood estimates of the completed votes that are expected."""
        observed = super().observed()["observed_data"]
        observed = observed.assign(cases=self.judged["cases"], labels=observed["cases"])
        lacking = [
            name for name in ("side", "judge_vote", "human_votes") if name not in observed.variables
        ]
        variables = self.judged[lacking].drop_attrs() if lacking else xr.Dataset()
        return {"observed_data": observed.merge(variables)}

    def build(self) -> Any:
        """Refuse: completed votes differ from draw to draw."""
        raise ArgumentError(
            "evidence",
            "must contain no votes of a judge for NUTS or a PyMC graph, since each draw completes them differently",
            "votes of a judge",
            "votes[['wins', 'ties', 'cases']] are the votes of people alone",
        )

    def sample_chains(
        self, shape: tuple[int, int], root: np.random.SeedSequence
    ) -> dict[str, xr.Dataset]:
        """Draw completed votes, and strengths and the frequency of ties given these, all draws independently."""
        rngs = [
            stream(root, "chains", "judged votes", self.battles.key, self.pairs.precision, c)
            for c in range(shape[0])
        ]
        drawn = [self.battles.sample(shape[1], rng) for rng in rngs]
        theta, accepted = (np.stack(parts) for parts in zip(*drawn, strict=True))
        return self._as_groups(theta, accepted)


class JudgedTastes(JudgedVotes, SharedTastes):
    """Model votes of judges on all pairs, and of people on some, that share voters or questions."""

    words: ClassVar[str] = (
        "The votes of the judges, and the entities, predict the votes of people where these are unknown. Votes of one "
        "voter, or on one question, share a taste. Draws weight the voters or questions at random, complete the "
        "unknown votes, and compute the strengths from all votes; strengths sum to 0."
    )

    def _read_battles(self, names: list, precision: float) -> Battles:
        self.completed = CompletedVotes.of_judged(self.judged, names, precision)
        return self.completed.battles

    @property
    def shared(self) -> CompletedVotes:
        """Return the votes by voters and questions."""
        return self.completed


def _check_anchor(anchor: Any, names: list[Any]) -> tuple[Any, float] | None:
    """Return the entity whose Elo rating is fixed, and this rating; None without one."""
    if anchor is None:
        return None
    if not isinstance(anchor, Mapping) or len(anchor) != 1:
        raise ArgumentTypeError(
            "anchor", "must map one entity to its rating", describe_value(anchor)
        )
    [(name, rating)] = anchor.items()
    if name not in names:
        raise ArgumentError(
            "anchor",
            f"must name an entity of the votes ({list_names(list(map(str, names)), 5)})",
            f"{name!r}",
        )
    if not is_number(rating) or not np.isfinite(rating):
        raise ArgumentError(
            "anchor", "must give the rating as a finite number", describe_value(rating)
        )
    return name, float(rating)
