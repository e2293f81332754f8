"""Turn the answers of language models into a leaderboard with tiers and rank intervals.

Replace ``answers`` by your own table: one row for each task, one column for each model, with 1 (right), 0 (wrong) or a
share of right runs. If tasks come in groups, such as parts of one question, pass ``cluster=``.

    python examples/leaderboard.py
"""

from pathlib import Path

import pandas as pd

import bayesrank as br

DATA = Path(__file__).parent / "data"
answers = pd.read_csv(
    DATA / "livecodebench_execution.csv"
)  # 479 tasks of 92 questions, ten runs each
models = answers.drop(columns=["case", "question"])

posterior = br.fit(
    br.from_outcomes(models, cluster=answers["question"]), "paired", range=(0, 1), seed=1
)
ranking = br.credible_ranking(posterior)
board = br.ranking_table(ranking)[
    ["tier", "observed", "lower", "upper", "rank_lower", "rank_upper"]
]

if __name__ == "__main__":
    print(*br.verdict(ranking), sep="\n")
    print(board.head(10).round(2).to_string())
    printed = board["observed"].rank(ascending=False)
    width = board["rank_upper"] - board["rank_lower"] + 1
    print(f"{len(printed)} printed ranks; the data support {board['tier'].max():.0f} tiers.")
    print(f"The rank interval of a model holds {width.median():.0f} ranks (median).")
