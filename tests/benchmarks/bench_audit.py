"""The audit's Kendall's tau-b beside scipy's, and the time of the 27 scores of Foundations, Table 1.

Run: python tests/benchmarks/bench_audit.py
"""

import time

import numpy as np
from scipy.stats import kendalltau

import bayesrank as br
from bayesrank._kendall import dense_ranks, tau_b


def main() -> None:
    rng = np.random.default_rng(0)
    values, others = rng.random(6_561), rng.random((50, 6_561)).round(3)
    tau_b(values, dense_ranks(others[:1]))  # compile

    begin = time.perf_counter()
    ranks = dense_ranks(others)  # once for all scores, which share the Tile's places
    ranked = time.perf_counter()
    ours = tau_b(values, ranks)
    counted = time.perf_counter()
    theirs = [kendalltau(values, other).statistic for other in others]
    end = time.perf_counter()
    assert np.allclose(ours, theirs)
    print(f"50 tau-b of 6,561 points: {counted - ranked:.3f} s and {ranked - begin:.3f} s for ranks that scores share")
    print(f"scipy: {end - counted:.3f} s, {(end - counted) / (counted - ranked):.1f} times as long")

    start = time.perf_counter()
    br.theory.audit_table()
    print(f"27 scores under three constraints: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
