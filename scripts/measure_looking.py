"""How often a winner is claimed among equal entities when the data are looked at while they come in.

Run ``python scripts/measure_looking.py`` (about a minute); ``docs/planning.md`` has the numbers. Entities answer the
same cases, up to 1,000; at each look a rule may stop and claim a winner. All rules have a nominal error of 10%: for two
equal entities P(best) >= 0.95 is reached by either with 5%.
"""

import numpy as np
from scipy.special import ndtr, ndtri

CASES, BOARDS, ALPHA, LOOKS = 1000, 2000, 0.1, (1, 5, 20)
#: Share of cases on which all entities are right or wrong for the same reason.
SHARED = 0.6


def answers(rates, boards, rng):
    """Return right and wrong answers (board, case, entity)."""
    level = rng.random((boards, CASES, len(rates)))
    same = rng.random((boards, CASES)) < SHARED
    level[same] = level[same][:, :1]
    return (level < rates).astype(np.float32)


def moments(right, n):
    """Return means and covariances of accuracies after n cases, with the four cases of the default prior."""
    part = right[:, :n]
    mean = (part.sum(1) + 2) / (n + 4)
    prior = np.full((right.shape[2],) * 2, 1.0) + np.eye(right.shape[2])
    second = (np.swapaxes(part, 1, 2) @ part + prior) / (n + 4)
    return mean, (second - mean[:, :, None] * mean[:, None, :]) / (n + 5)


def best(right, n, rng):
    """Return where the leader has P(best) of 0.95 or more, by a normal posterior."""
    mean, covariance = moments(right, n)
    if mean.shape[1] == 2:  # P(best) is a normal probability
        return separated(right, n, ndtri(1 - ALPHA / 2))
    half = rng.standard_normal((1000, mean.shape[1]))
    normal = np.concatenate([half, -half])
    drawn = mean[:, None] + normal @ np.swapaxes(np.linalg.cholesky(covariance), 1, 2)
    first = drawn.argmax(2)
    return (
        np.array([(row == lead).mean() for row, lead in zip(first, mean.argmax(1), strict=True)])
        >= 1 - ALPHA / 2
    )


def spending(looks, rng):
    """Return critical values of |z| at equally spaced looks, by the spending function of O'Brien and Fleming's type."""
    share = np.arange(1, looks + 1) / looks
    path = np.cumsum(rng.standard_normal((100_000, looks)), 1) / np.sqrt(np.arange(1, looks + 1))
    spent = 2 - 2 * ndtr(-ndtri(ALPHA / 2) / np.sqrt(share))
    running, values = np.ones(len(path), bool), []
    for k in range(looks):
        size = round((spent[k] - (spent[k - 1] if k else 0)) * len(path))
        z = np.where(running, np.abs(path[:, k]), 0)
        values.append(np.inf if not size else np.partition(z, -size)[-size])
        running &= np.abs(path[:, k]) < values[-1]
    return values


def separated(right, n, critical):
    """Return where the leader is ahead of every rival by ``critical`` standard errors."""
    mean, covariance = moments(right, n)
    lead, every = mean.argmax(1), np.arange(len(mean))
    variance = np.diagonal(covariance, 0, 1, 2)
    apart = variance[every, lead][:, None] + variance - 2 * covariance[every, lead]
    z = (mean[every, lead][:, None] - mean) / np.sqrt(np.maximum(apart, 1e-12))
    z[every, lead] = np.inf
    return z.min(1) >= critical


def sequence(right):
    """Return where (board, case) one entity is ahead of all others by a confidence sequence of every difference.

    The predictable plug-in empirical-Bernstein sequence: Waudby-Smith and Ramdas (2024), Estimating means of bounded
    random variables by betting, JRSS B 86:1-27, theorem 2.
    """
    size = right.shape[2]
    ahead = np.ones((*right.shape[:2], size), bool)
    log = np.log(2 / ALPHA)
    for i in range(size):
        for j in range(i):
            x = ((right[:, :, i] - right[:, :, j] + 1) / 2).astype(float)
            t = np.arange(1, CASES + 1)
            centre = (0.5 + np.cumsum(x, 1)) / (t + 1)
            before = np.insert(centre[:, :-1], 0, 0.5, axis=1)
            spread = (0.25 + np.cumsum((x - centre) ** 2, 1)) / (t + 1)
            spread = np.insert(spread[:, :-1], 0, 0.25, axis=1)
            bet = np.minimum(np.sqrt(2 * log / (spread * t * np.log(1 + t))), 0.5)
            total = np.cumsum(bet, 1)
            half = (log + np.cumsum((x - before) ** 2 * (-np.log1p(-bet) - bet), 1)) / total
            middle = np.cumsum(bet * x, 1) / total
            ahead[:, :, i] &= middle - half > 0.5
            ahead[:, :, j] &= middle + half < 0.5
    return ahead.any(2)


def stop(claims, at):
    """Return the share of boards that claim a winner, and the mean number of cases when they stop."""
    first = np.where(claims.any(1), claims.argmax(1), -1)
    return claims.any(1).mean(), np.where(first >= 0, np.asarray(at)[first], CASES).mean()


def rows(rates, boards=BOARDS, seed=1):
    """Return for each rule and number of looks the share of claims and the mean number of cases."""
    rng = np.random.default_rng(seed)
    right = answers(np.asarray(rates), boards, rng)
    found = {}
    for looks in LOOKS:
        at = [CASES * (k + 1) // looks for k in range(looks)]
        found["P(best) >= 0.95", looks] = stop(np.stack([best(right, n, rng) for n in at], 1), at)
        critical = spending(looks, rng)
        claims = [separated(right, n, value) for n, value in zip(at, critical, strict=True)]
        found["alpha spending", looks] = stop(np.stack(claims, 1), at)
        if looks == LOOKS[-1]:
            claims = sequence(right)
            found["confidence sequence", looks] = stop(claims[:, np.array(at) - 1], at)
            found["confidence sequence", CASES] = stop(claims, np.arange(1, CASES + 1))
    return found


if __name__ == "__main__":
    boards = {"2 equal": [0.7, 0.7], "5 equal": [0.7] * 5, "2, 0.05 apart": [0.70, 0.75]}
    results = {name: rows(rates) for name, rates in boards.items()}
    print(f"| rule | looks | {' | '.join(boards)} |\n| --- | ---: |{' ---: |' * len(boards)}")
    for rule, looks in results["2 equal"]:
        cells = [
            f"{result[rule, looks][0]:.3f} ({result[rule, looks][1]:.0f})"
            for result in results.values()
        ]
        print(f"| {rule} | {looks:,} | {' | '.join(cells)} |")
