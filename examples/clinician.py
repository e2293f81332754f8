"""Choose among diagnostic tests that several studies evaluated, by the harm of their errors in your own patients.

Replace ``studies`` by your own, with one count of each cell for each test in each study. Set the share of your patients
who are sick, and the harm of a missed patient in units of a false alarm. The six tests are simulated.

    python examples/clinician.py
"""

import numpy as np
from scipy.special import expit, logit

import bayesrank as br

TESTS = ["assay A", "assay B", "assay C", "strip D", "strip E", "strip F"]
# Sensitivity, then specificity, of a typical study.
TYPICAL = np.array([[0.92, 0.88, 0.84, 0.90, 0.75, 0.70], [0.90, 0.95, 0.96, 0.80, 0.93, 0.85]])
SICK, HARM = 0.05, 20

rng = np.random.default_rng(34)
# Some of the 15 studies are hard for all tests; besides, each test does better in some than in others.
shift = rng.normal(0, 0.5, (15, 2, 1)) + rng.normal(0, 0.3, (15, 2, 6))
cases = rng.integers([[20], [80]], [[80], [250]], (15, 2, 1))
right = rng.binomial(cases, expit(logit(TYPICAL) + shift))
wrong = cases - right
cells = {"tp": right[:, 0], "fn": wrong[:, 0], "tn": right[:, 1], "fp": wrong[:, 1]}
names = {"entity": TESTS * 15, "dataset": np.repeat([f"study {i}" for i in range(1, 16)], 6)}
studies = br.from_counts(**{cell: values.ravel() for cell, values in cells.items()}, **names)

posterior = br.fit(studies, "hierarchical_beta_binomial", seed=1)
harm = {"tn": 0, "fp": -1, "fn": -HARM, "tp": 0}
decision = br.decisions.expected_utility(posterior, harm, prevalence=SICK, strategies=True)
table = br.score_table(br.at_prevalence(posterior, SICK), ["tpr", "tnr", "ppv"])

if __name__ == "__main__":
    print(*br.verdict(decision), sep="\n")
    print(decision["mean"].to_series().sort_values(ascending=False).round(3).to_string())
    print("On a typical study, with the share of your patients:")
    print(table["median"].to_pandas().round(2).to_string())
