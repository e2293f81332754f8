"""Rank the teams of a challenge on shared cases: who won, which places the cases support, how many more would help.

Replace ``answers`` by your own table: one row for each case, one column for each team, 1 where the team was right.
The twelve teams here are simulated, with shared hard cases, so that you can compare the ranking with the true rates.

    python examples/organiser.py
"""

import numpy as np
import pandas as pd

import bayesrank as br

rng = np.random.default_rng(34)
rates = dict(
    zip([f"team {letter}" for letter in "ABCDEFGHIJKL"], np.linspace(0.86, 0.64, 12), strict=True)
)
difficulty = rng.normal(0, 1.5, 400)  # the same for all teams
answers = pd.DataFrame()
for name, rate in rates.items():
    # Each team is right on the easiest share of the cases as it sees them.
    seen = difficulty + rng.normal(0, 1, 400)
    answers[name] = (seen < np.quantile(seen, rate)).astype(int)
answers = answers.sample(frac=0.5, random_state=1)  # the challenge uses 200 of 400 cases

posterior = br.fit(br.from_outcomes(answers), "paired", seed=1)
ranking = br.credible_ranking(posterior)
table = br.ranking_table(ranking)[
    ["observed", "lower", "upper", "tier", "rank_lower", "rank_upper"]
]

if __name__ == "__main__":
    print(*br.verdict(ranking), sep="\n")
    print(table.assign(true_rate=pd.Series(rates)).round(2).to_string())
    named = br.probability(posterior, "'team A' in top 3 and 'team B' in top 3")
    print(f"P(teams A and B are both in the top 3) = {named['probability'].item():.2f}")
