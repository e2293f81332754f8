"""Exact predictive distributions: seconds by the number of cases, for docs/howto/predictive.md.

Run: python tests/benchmarks/bench_predictive.py
"""

import time

import bayesrank as br


def seconds(cells, score):
    start = time.perf_counter()
    br.predictive.score_pmf(br.predictive.confusion_pmf(br.from_counts(**cells)), score)
    return time.perf_counter() - start


def main():
    seconds({"tn": 1, "fp": 1, "fn": 1, "tp": 1}, "f1")  # imports
    for size in (100, 1000, 10_000, 100_000):
        cells = {"tn": 6 * size // 10, "fp": 4 * size // 10, "fn": 3 * size // 10, "tp": 7 * size // 10}
        print(f"F1, {size} + {size} cases, {size**2:.0e} matrices: {seconds(cells, 'f1'):6.3f} s")
    half = dict.fromkeys(("tn", "fp", "fn", "tp"), 50_000)
    for score in ("f1", "mcc", "accuracy", "cohen_kappa", "markedness"):
        print(f"100,000 + 100,000 cases, rates of 1/2, {score:12}: {seconds(half, score):5.2f} s")


if __name__ == "__main__":
    main()
