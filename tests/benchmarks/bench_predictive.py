"""Exact predictive distributions: growth with the number of cases, beside plain NumPy and SciPy over the whole lattice.

Run: python tests/benchmarks/bench_predictive.py
"""

import resource
import time

import numpy as np
from scipy import stats

import bayesrank as br


def exact(counts, score):
    return br.predictive.score_pmf(br.predictive.confusion_pmf(counts), score)


def plain(tn, fp, fn, tp):
    """F1 over the whole lattice: SciPy's pmf, an outer product, numpy.unique of the values."""
    p, n = fn + tp, tn + fp
    a, d = np.arange(p + 1), np.arange(n + 1)
    mass = np.multiply.outer(
        stats.betabinom(p, tp + 1, fn + 1).pmf(a), stats.betabinom(n, tn + 1, fp + 1).pmf(d)
    ).ravel()
    true = np.repeat(a, n + 1)
    false = n - np.tile(d, p + 1)
    with np.errstate(invalid="ignore"):
        f1 = np.nan_to_num(2 * true / (true + false + p))
    value, where = np.unique(f1, return_inverse=True)
    return value, np.bincount(where, mass)


def seconds(function, *arguments):
    start = time.perf_counter()
    out = function(*arguments)
    return time.perf_counter() - start, out


def main():
    exact(br.from_counts(tn=1, fp=1, fn=1, tp=1), "f1")  # imports
    print("F1, 70 % of the positives and 60 % of the negatives right")
    for size in (100, 300, 1000, 3000, 10_000, 100_000):
        cells = {"tn": 6 * size // 10, "fp": 4 * size // 10, "fn": 3 * size // 10, "tp": 7 * size // 10}
        ours, pmf = seconds(exact, br.from_counts(**cells), "f1")
        line = f"{size:7} + {size:7} cases, {size**2:.0e} matrices: {ours:6.3f} s, {pmf.sizes['value']} values"
        if size <= 3000:
            theirs, (value, mass) = seconds(plain, *cells.values())
            assert abs(value @ mass - br.predictive.summary(pmf)["mean"].item()) < 1e-8
            line += f"; plain NumPy / ours = {theirs / ours:.1f}"
        print(line)
    big = br.from_counts(tn=50_000, fp=50_000, fn=50_000, tp=50_000)
    for score in ("f1", "mcc", "accuracy", "cohen_kappa", "markedness"):
        print(f"100,000 + 100,000 cases, rates of 1/2, {score:12}: {seconds(exact, big, score)[0]:5.2f} s")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


if __name__ == "__main__":
    main()
