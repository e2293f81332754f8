"""OPS of draws beside a loop over the draws, and closed forms and quadrature beside Monte Carlo at equal error.

Run: python tests/benchmarks/bench_ops.py
"""

import time

import numpy as np

import bayesrank as br
from bayesrank.scores.score import cells_at


def seconds(function, *arguments, repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


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
        loop = seconds(per_draw, performance, score, 200, repeat=1) * size / 200
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
        ], repeat=1) * 50  # fmt: skip
        print(f"  {name:12s} {ours:8.4f} s   {samples:,} samples {sampled:8.2f} s   ratio {sampled / ours:8.0f}")

    print("the OPS Tile, 101 x 101")
    print(f"  point {seconds(br.ops.on_tile, performance.mean(('chain', 'draw'))):8.4f} s")
    draws = performance.isel(chain=0, draw=slice(0, 200), entity=[0])
    print(f"  200 draws {seconds(br.ops.on_tile, draws):8.4f} s")

    print("the directed binary tree, 32,768 curves of 255 points")
    print(f"  sample {seconds(br.ops.directed_binary_tree, repeat=1):8.2f} s")
    br.ops.of_value("auc_roc", 0.8, 0.1)
    for metric, at in (("auc_roc", None), ("auc_pr", None), ("auc_lift", None), ("precision_at_recall", 0.9)):
        value = 1.0 if metric == "auc_lift" else 0.5
        took = seconds(lambda m=metric, v=value, a=at: br.ops.of_value(m, v, 0.1, at=a))
        print(f"  of_value {metric:20s} {took:8.3f} s")
    y_true = rng.random(1000) < 0.1
    y_score = y_true + rng.normal(0, 1, 1000)
    took = seconds(lambda: br.ops.of_curve(y_true, y_score, "auc_pr", draws=1000, seed=1), repeat=1)
    print(f"  of_curve auc_pr, 1,000 cases, 1,000 bootstrap draws {took:8.2f} s")


if __name__ == "__main__":
    main()
