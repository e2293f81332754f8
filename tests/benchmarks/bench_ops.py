"""OPS of draws beside a loop over the draws, and closed forms and quadrature beside Monte Carlo at equal error.

Run: python tests/benchmarks/bench_ops.py
"""

from functools import partial
from timeit import repeat

import numpy as np

import bayesrank as br
from bayesrank.scores.score import cells_at


def seconds(function, *arguments, times: int = 3) -> float:
    return min(repeat(partial(function, *arguments), number=1, repeat=times))


def per_draw(performance, score, limit):
    """One of_value a draw, as a user without draws would write it."""
    values, shares = (np.ravel(s(performance).values)[:limit] for s in (score, br.scores.prevalence))
    return [br.ops.of_value(score, v, p).item() for v, p in zip(values, shares, strict=True)]


def monte_carlo(score, value, prevalence, samples, rng):
    found = score.of_cells(*cells_at(*rng.random((2, samples)), prevalence))
    return np.mean(found < value if score.higher_is_better else found > value)


def main() -> None:
    counts = br.from_counts(tn=[900, 850], fp=[10, 60], fn=[40, 10], tp=[50, 80], entity=["a", "b"])
    performance = br.as_performance(br.fit(counts, draws=1000, seed=1))
    size = 8000
    print("8,000 draws: vectorised against a loop over draws (loop timed on 200 draws)")
    for name in ("f1", "mcc", "markedness", "p4"):
        score = br.scores.get(name)
        whole = seconds(br.ops.of_draws, performance, score)
        loop = seconds(per_draw, performance, score, 200, times=1) * size / 200
        print(f"  {name:12s} {whole:8.4f} s   loop {loop:8.2f} s   ratio {loop / whole:8.0f}")

    print("1,000 values: of_value (error below 1e-9) against Monte Carlo at an error of 1e-3, which favours it")
    rng = np.random.default_rng(2)
    for name in ("f1", "mcc", "p4"):
        score = br.scores.get(name)
        prevalence = rng.uniform(0.01, 0.5, 1000)
        value = score.of_cells(*cells_at(*rng.random((2, 1000)), prevalence))
        ours = seconds(br.ops.of_value, score, value, prevalence)
        share = br.ops.of_value(score, value, prevalence).values
        samples = int(np.mean(share * (1 - share)) / 1e-6)
        sampled = seconds(lambda s=score, v=value, p=prevalence, n=samples: [
            monte_carlo(s, v[i], p[i], n, rng) for i in range(20)
        ], times=1) * 50  # fmt: skip
        print(f"  {name:12s} {ours:8.4f} s   {samples:,} samples {sampled:8.2f} s   ratio {sampled / ours:8.0f}")


if __name__ == "__main__":
    main()
