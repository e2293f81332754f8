"""What a future posterior has to show: pairs of entities that it must separate, or an interval it must narrow."""

from dataclasses import dataclass

import numpy as np

#: Normal draws from which joint probabilities of several pairs are computed.
NORMALS = 512
#: Most numbers in memory at once.
MOST = 2**24
#: Normal quantiles would reach further than a double can tell.
FAR = 38.0


@dataclass(frozen=True)
class Goal:
    """A target of a plan."""

    #: "best" (the entity beats all others jointly), "each" (each other one), "rival", "top" or
    #: "interval".
    kind: str
    #: The posterior probability to reach; of "interval" the probability of the interval.
    target: float
    #: Positions; without ``entity`` it is the one that leads, with the highest mean.
    entity: int | None = None
    rival: int | None = None
    k: int = 1
    #: By how much the entity must beat others; negative for non-inferiority.
    margin: float = 0.0
    width: float = np.nan

    def met(self, mean: np.ndarray, covariance: np.ndarray, skewness: np.ndarray) -> np.ndarray:
        """Return which posteriors meet the target.

        Scores have means (future, entity) and covariances (future, entity, entity), differences a
        skewness.
        """
        from scipy.special import ndtri

        if self.kind == "interval":
            which = self._entity(mean)
            variance = np.take_along_axis(np.diagonal(covariance, 0, 1, 2), which[:, None], 1)[:, 0]
            return 2 * ndtri((1 + self.target) / 2) * np.sqrt(variance) <= self.width
        inside, outside = self.sides(mean)
        leaders = np.nonzero(inside)[1].reshape(len(mean), -1)
        p, normal = (
            np.where(
                outside[:, None],
                pair_probability(mean, covariance, each, leaders, self.margin),
                1.0,
            )
            for each in (skewness, 0 * skewness)
        )
        weakest = p.min((1, 2))
        if self.kind in ("rival", "each"):
            return (weakest >= self.target) & outside.any(1)
        doubt = (1 - p).sum((1, 2))
        reached = 1 - doubt >= self.target
        # Between these bounds the pairs' joint probability decides.
        open_ = np.flatnonzero(~reached & (weakest >= self.target))
        factor = doubt / np.maximum((1 - normal).sum((1, 2)), 1e-300)
        step = max(MOST // (NORMALS * mean.shape[1]), 1)
        for start in range(0, len(open_), step):
            here = open_[start : start + step]
            drawn = _normal_scores(mean[here], covariance[here])
            joint = self._ahead(drawn, inside[here, None], outside[here, None]).mean(1)
            reached[here] = 1 - (1 - joint) * factor[here] >= self.target
        return reached

    def sides(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which entities must lead, and which must be behind them, both (future, entity)."""
        inside = np.zeros(mean.shape, bool)
        if self.kind == "top":
            np.put_along_axis(
                inside, np.argsort(-mean, axis=1, kind="stable")[:, : self.k], True, 1
            )
            return inside, ~inside
        np.put_along_axis(inside, self._entity(mean)[:, None], True, 1)
        if self.kind != "rival":
            return inside, ~inside
        outside = np.zeros(mean.shape, bool)
        outside[:, self.rival] = True
        return inside, outside & ~inside

    def holds(self, truth: np.ndarray) -> np.ndarray:
        """Return where the statement is true of the scores themselves (draw, entity): the result of unlimited cases."""
        return (
            np.ones(len(truth), bool)
            if self.kind == "interval"
            else self._ahead(truth, *self.sides(truth))
        )

    def now(self, truth: np.ndarray) -> float:
        """Return the probability, from draws, of the statement on today's leader; or the width of its interval."""
        if self.kind == "interval":
            own = truth[:, self._entity(truth.mean(0)[None])[0]]
            return float(
                np.diff(np.quantile(own, [(1 - self.target) / 2, (1 + self.target) / 2]))[0]
            )
        inside, outside = self.sides(truth.mean(0)[None])
        if self.kind == "each":
            return float((truth[:, inside[0]] - truth[:, outside[0]] > self.margin).mean(0).min())
        return float(self._ahead(truth, inside, outside).mean())

    def _ahead(self, scores: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
        """Return where all entities inside are ahead of all outside, if there are any."""
        worst = np.where(inside, scores, np.inf).min(-1)
        return (worst - np.where(outside, scores, -np.inf).max(-1) > self.margin) & outside.any(-1)

    def _entity(self, mean: np.ndarray) -> np.ndarray:
        return mean.argmax(1) if self.entity is None else np.full(len(mean), self.entity)


def pair_probability(
    mean: np.ndarray,
    covariance: np.ndarray,
    skewness: np.ndarray,
    leaders: np.ndarray,
    margin: float,
) -> np.ndarray:
    """Return how probably ``leaders`` (future, place) beat each entity (future, place, entity), by Edgeworth expansion.

    ``skewness`` (entity, entity) is that of the differences. Source: Hall (1992), The bootstrap and
    Edgeworth expansion, section 2.3: the normal distribution and the term of the third moment.
    """
    from scipy.special import ndtr

    future, variance = np.arange(len(mean))[:, None], np.diagonal(covariance, 0, 1, 2)
    common = covariance[future, leaders]
    spread = np.sqrt(
        np.maximum(variance[future, leaders, None] + variance[:, None] - 2 * common, 0)
    )
    ahead = mean[future, leaders, None] - mean[:, None] - margin
    z = np.divide(ahead, spread, out=np.where(ahead > 0, FAR, -FAR), where=spread > 1e-12).clip(
        -FAR, FAR
    )
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return (ndtr(z) + density * skewness[leaders] / 6 * (z**2 - 1)).clip(0, 1)


def _normal_scores(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    size = mean.shape[1]
    half = np.random.default_rng(0).standard_normal((NORMALS // 2, size))
    scale = np.maximum(np.diagonal(covariance, 0, 1, 2).mean(1), 1e-300)
    root = np.linalg.cholesky(covariance + 1e-9 * scale[:, None, None] * np.eye(size))
    return mean[:, None] + np.concatenate([half, -half]) @ np.swapaxes(root, 1, 2)
