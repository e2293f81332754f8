"""Writes bayesrank/scores/verdicts.json: which scores of the catalogue may rank. Run: python scripts/make_verdicts.py

Each score with a direction is audited among all performances and at three prevalences, by its better values. It takes
about six minutes. `--check` compares the file with new audits instead, and ends with exit status 1 if they differ.
"""

import argparse
import json
import sys
from fractions import Fraction
from math import lcm

import numpy as np

import bayesrank as br
from bayesrank._core.kendall import dense_ranks, tau_b
from bayesrank.scores import Score
from bayesrank.scores.names import SCORES
from bayesrank.scores.verdicts import FAULTS, FILE, turned
from bayesrank.theory.audits import FIXED, TESTS, _correlation_points

#: Scores that are suggested instead of one that should not rank; the first of equals. Some need a fixed prevalence.
AT_ONE_PREVALENCE = ("informedness", "cohen_kappa")
CANDIDATES = ("accuracy", "f1", "f2", "f0_5", "ppv", "npv", "tpr", "tnr", "jaccard_negative")
PREVALENCES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


def directed(score: Score) -> Score:
    """Return the score, or its negative if lower values are better: an audit takes higher values as better."""
    return score if score.higher_is_better else turned(score)


def verdict(score: Score) -> dict[str, object]:
    """Return the entry of one score."""
    if score.space == "outcomes":
        return {"may_rank": "yes"}
    if score.only_of or score.higher_is_better is None:
        return {}
    row = br.audit(directed(score))
    if (
        bool((row["tau_min"] == row["tau_max"]).item()) and row["tau_max"] == 0
    ):  # a constant of two classes
        return {}
    if passes(row):
        return {"may_rank": "yes"}
    fixed = {share: br.audit(directed(score), share) for share in (0.5, *FIXED)}
    failed = [found for found in fixed.values() if not passes(found)]
    if not failed:
        return {"may_rank": "at one prevalence", **example(row), "nearest": nearest(score, None)}
    near = [[share, *nearest(score, share)] for share in PREVALENCES]
    return {"may_rank": "no", **example(failed[0]), "nearest": near}


def passes(row) -> bool:
    return all(bool(row[test]) for test in TESTS)


def example(row) -> dict[str, object]:
    """Return the fault of an audit and its counterexample in whole numbers: a mixture that beats both, if there is."""
    test = next(test for test in (*TESTS[1:], TESTS[0]) if not row[test])
    cells = row["counterexample"].sel(test=test, role=["first", "second"]).values.reshape(2, 4)
    exact = [[Fraction(cell).limit_denominator(10**4) for cell in one] for one in cells]
    size = lcm(*(cell.denominator for one in exact for cell in one))
    mixed = row["counterexample_value"].sel(test=test, role="mixture").item()
    fault = "undefined" if test != TESTS[0] and np.isnan(mixed) else FAULTS[TESTS.index(test)]
    return {
        "fault": fault,
        "first": [int(x * size) for x in exact[0]],
        "second": [int(x * size) for x in exact[1]],
    }


def nearest(score: Score, prevalence: float | None) -> list[object]:
    """Return the named score that may rank whose order is most like that of the score, and their tau-b."""
    points, own = _correlation_points(prevalence), directed(score)
    names = CANDIDATES if prevalence is None else AT_ONE_PREVALENCE + CANDIDATES
    ranks = np.array([dense_ranks(SCORES[name].of_cells(*points)) for name in names])
    taus = tau_b(own.of_cells(*points), ranks)
    best = int(np.argmax(taus))
    return [names[best], round(float(taus[best]), 3)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    found = {}
    for name, score in SCORES.items():
        if entry := verdict(score):
            found[name] = entry
            print(name, entry["may_rank"], flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in found.items())
    text = "{\n" + lines + "\n}\n"
    if check:
        return int(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
