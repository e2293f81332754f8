"""Write docs/learn/leaderboards.md and its pictures: printed ranks of public leaderboards beside possible ranks.

Run: python scripts/make_leaderboards_page.py [NAME ...]; it takes some minutes, mostly for 1,555 image models. With
names only these boards are computed again.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import xarray as xr
from make_readme_picture import draw, leaderboard, with_printed_ranks

import bayesrank as br

DOCS = Path(__file__).parents[1] / "docs"
PAGE, NUMBERS = DOCS / "learn" / "leaderboards.md", DOCS / "learn" / "leaderboards.json"
FIGURES = DOCS / "figures"


class Board(NamedTuple):
    """One leaderboard: its heading, what was ranked, the words before and after its picture, and its command."""

    title: str
    source: str
    printed: str
    reading: str
    command: str
    rank: Callable[[], xr.Dataset]
    #: The printed values, if they are not the observed ones of the ranking.
    values: Callable[[], pd.Series] | None = None


def antibody_tests() -> xr.Dataset:
    return br.credible_ranking(
        br.fit(br.datasets.load("antibody_tests"), "beta_binomial", seed=1), "informedness"
    )


def tool_use() -> xr.Dataset:
    return br.credible_ranking(br.fit(br.datasets.load_joint("langchain_tool_use"), seed=1))


def image_models() -> xr.Dataset:
    return br.credible_ranking(
        br.fit(br.datasets.load("imagenet_models").sel(dataset="v2", drop=True), seed=1)
    )


def detectors() -> xr.Dataset:
    return br.credible_ranking(
        br.fit(br.datasets.load("anomaly_detectors"), "crossed_logit_normal", seed=1), "f1"
    )


def arena() -> xr.Dataset:
    battles = br.datasets.load_cases("arena_battles")
    votes = br.from_votes(battles, a="model_a", b="model_b", winner="human", count="count")
    return br.credible_ranking(br.fit(votes, seed=1))


BOARDS = {
    "livecodebench": Board(
        "LiveCodeBench: which model predicts the output of programs?",
        "Language models on 479 programs of LiveCodeBench (92 questions, 10 runs)",
        "The leaderboard orders 37 models by the share of right runs (Jain et al. 2024).",
        "Programs of one question are similar, so the 92 questions are the evidence, not 4,790 runs.",
        "bayesrank rank examples/data/livecodebench_execution.csv --cluster question --top 12",
        leaderboard,
    ),
    "imagenet": Board(
        "ImageNet: which of 1,555 image models is best?",
        "Image models on the 10,000 images of ImageNet-V2",
        "The table of PyTorch Image Models lists accuracies to three decimals (R. Wightman).",
        "Three decimals of a percentage are printed, but 10,000 images settle no single rank. Results by image "
        "would separate more, since all models saw the same images.",
        'br.credible_ranking(br.fit(br.datasets.load("imagenet_models").sel(dataset="v2", drop=True), seed=1))',
        image_models,
    ),
    "arena": Board(
        "Chatbot votes: which model do people prefer?",
        "Language models in 27,045 battles, judged by people",
        "Ratings from votes on pairs (battles of Chatzi et al. 2024).",
        "Many votes settle the first place, and leave few possible ranks for the next models: printed ranks can be "
        "right.",
        'battles = br.datasets.load_cases("arena_battles")\n'
        'votes = br.from_votes(battles, a="model_a", b="model_b", winner="human", count="count")\n'
        "br.credible_ranking(br.fit(votes, seed=1))",
        arena,
    ),
    "antibody": Board(
        "COVID-19 antibody tests: which one should a laboratory buy?",
        "Antibody tests on 30 positive and 80 negative samples each (FDA and NCI)",
        "The evaluations print sensitivity and specificity of 108 tests; nine made no error at all.",
        "With 30 positive samples, a test without any error is not separated from one with several.",
        "bayesrank rank antibody_tests --model beta_binomial --score informedness --top 12",
        antibody_tests,
    ),
    "anomaly": Board(
        "Numenta anomaly benchmark: which detector is best on series like these?",
        "Detectors on 58 time series of the Numenta benchmark",
        "The printed order is by the F1 of all records of all series, pooled in one table (Ahmad et al. 2017).",
        "A detector does better on some series than on others. For series like these, 58 series are 58 results, not "
        "332,842 records.",
        "bayesrank rank anomaly_detectors --model crossed_logit_normal --score f1 --top 12",
        detectors,
        lambda: br.scores.f1(br.pool(br.datasets.load("anomaly_detectors"))).to_series(),
    ),
    "tools": Board(
        "Tool use: are 20 tasks enough?",
        "Language models on 20 tasks of LangChain's benchmark",
        "Nine models are ordered by the number of 20 tasks that they solved (Bowyer et al. 2025).",
        "The first model solved all 20 tasks. That rules out seven others for the first place, but settles no rank.",
        "bayesrank rank langchain_tool_use",
        tool_use,
    ),
}
HEAD = """\
# Six famous leaderboards, read again

A leaderboard prints one rank for each entry. This page shows, for six public ones, which ranks the data support. In
each picture, a circle is the printed rank, and a bar has the ranks that are possible. Bars are blue where the first
place is possible. In about 95% of such evaluations, every truly best entry has a blue bar. In about 95%, all pairs of
entries with separate bars are in their true order. A rank is settled if its bar has only one rank.

| leaderboard | entries | could be first | ranks that are settled | widest set of the first twelve |
|---|---:|---:|---:|---|
{rows}

Wide bars are due to the number of cases, not to the models or to those who built the boards. A few hundred cases cannot
order dozens of similar entries. The remedy is to print sets instead of ranks, and to publish results by case, which
separate more entries than totals do.

All data ship with the package; [their licences](../reference/datasets.md) allow it. The numbers are from
`scripts/make_leaderboards_page.py`, with `seed=1`.
"""
PART = """
## {title}

{printed}

> {verdict}

![{alt}](../figures/leaderboard_{name}.png)

{reading}

```{language}
{command}
```
"""


def table_of(board: Board, ranking: xr.Dataset) -> pd.DataFrame:
    """Return the table of a ranking with the printed ranks of the board."""
    return with_printed_ranks(ranking, None if board.values is None else board.values())


def numbers_of(board: Board, ranking: xr.Dataset) -> dict:
    """Return what the page says of a ranking."""
    lower, upper = (ranking[name].values for name in ("rank_lower", "rank_upper"))
    first = table_of(board, ranking).head(12)
    widest = (
        first.assign(width=first["rank_upper"] - first["rank_lower"]).sort_values("width").iloc[-1]
    )
    return {
        "entries": len(lower),
        "could_be_first": int(ranking["in_best_set"].sum()),
        "settled": int((lower == upper).sum()),
        "widest": f"{int(widest['rank_lower'])} to {int(widest['rank_upper'])}",
        "verdict": str(br.verdict(ranking)[0]),
    }


def page(found: dict) -> str:
    """Return the page from the numbers of all boards."""
    rows = [
        f"| [{board.title.split(':')[0]}](#{anchor(board.title)}) | {found[name]['entries']:,} | "
        f"{found[name]['could_be_first']} | {found[name]['settled']} | {found[name]['widest']} |"
        for name, board in BOARDS.items()
    ]
    parts = [
        PART.format(
            **{
                field: getattr(board, field) for field in ("title", "printed", "reading", "command")
            },
            name=name,
            language="" if board.command.startswith("bayesrank") else "python",
            verdict=found[name]["verdict"],
            alt=f"{board.source}: printed ranks 1 to 12 beside the possible ranks; {found[name]['could_be_first']} of "
            f"{found[name]['entries']:,} entries could be first",
        )
        for name, board in BOARDS.items()
    ]
    return HEAD.format(rows="\n".join(rows)) + "".join(parts)


def anchor(title: str) -> str:
    """Return the anchor of a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


if __name__ == "__main__":
    found = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.exists() else {}
    for name in sys.argv[1:] or BOARDS:
        ranking = BOARDS[name].rank()
        found[name] = numbers_of(BOARDS[name], ranking)
        figure = draw(table_of(BOARDS[name], ranking), BOARDS[name].source)
        figure.savefig(FIGURES / f"leaderboard_{name}.png", dpi=200)
        plt.close(figure)
        print(name, found[name])
        NUMBERS.write_text(
            json.dumps({key: found[key] for key in BOARDS if key in found}, indent=2) + "\n",
            "utf-8",
        )
    PAGE.write_text(page(found), encoding="utf-8")
