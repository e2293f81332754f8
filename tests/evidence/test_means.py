"""Means with standard errors: normal or t posteriors, whose probabilities are known in closed form or by quadrature."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

import bayesrank as br
from tests.commands import invoke, json_of

BOARD = pd.DataFrame(
    {
        "model": ["a", "b", "c"],
        "mean": [0.71, 0.7, 0.66],
        "se": [0.012, 0.02, 0.015],
        "n": [1400, 500, 900],
    }
)


def probability_above(law, others):
    """P(a value of one law exceeds those of all others), by quadrature."""
    return quad(
        lambda x: law.pdf(x) * np.prod([other.cdf(x) for other in others]),
        -1,
        2,
        points=[0.7],
        limit=200,
    )[0]


@pytest.mark.parametrize("cases", [None, [5, 9, 16]])
def test_intervals_and_probabilities_are_those_of_normal_or_t_distributions(cases):
    """Where the numbers of cases are known, of t distributions; probabilities by quadrature."""
    frame = BOARD.drop(columns="n") if cases is None else BOARD.assign(n=cases)
    ranking = br.credible_ranking(br.fit(br.from_frame(frame), seed=1, draws=2500))
    freedom = [np.inf] * 3 if cases is None else frame["n"] - 1
    laws = [student(*row) for row in zip(freedom, frame["mean"], frame["se"], strict=True)]
    for k, law in enumerate(laws):
        for name, level in (("lower", 0.025), ("upper", 0.975)):
            # The standard error of a quantile of draws.
            error = np.sqrt(0.025 * 0.975 / 10_000) / law.pdf(law.ppf(level))
            assert abs(ranking[name][k] - law.ppf(level)) < 5 * error
        rivals = [i for i in range(3) if i != k]
        pairs = [(ranking["superiority"][k, i], [laws[i]]) for i in rivals]
        for found, others in [(ranking["probability_best"][k], [laws[i] for i in rivals]), *pairs]:
            exact = probability_above(law, others)
            assert found.item() == pytest.approx(
                exact, abs=5 * np.sqrt(exact * (1 - exact) / 10_000)
            )
    assert ranking["observed"].values.tolist() == BOARD["mean"].tolist()


def test_the_verdict_says_that_the_comparison_is_unpaired():
    unknown = br.credible_ranking(br.fit(br.from_frame(BOARD.drop(columns="n")), seed=1, draws=50))
    assert any("unpaired" in line for line in br.verdict(unknown))
    for words in ("No range of the outcome", "with about 30 cases or fewer"):
        assert words in " ".join(br.notes(unknown))
    few = br.from_frame(BOARD.assign(n=12))
    words = " ".join(br.verdict(br.credible_ranking(br.fit(few, seed=1, draws=50))))
    assert "Only 12 cases: intervals of skewed outcomes are too narrow." in words


def test_the_command_reads_the_same_table_by_the_same_rules(tmp_path):
    path = tmp_path / "board.csv"
    BOARD.to_csv(path, index=False)
    shown = json_of("rank", path, "--lower-is-better", "--seed", 7)
    ranking = br.credible_ranking(br.fit(br.from_frame(BOARD), seed=7), higher_is_better=False)
    best = dict(
        zip(
            ranking["entity"].values.tolist(),
            ranking["probability_best"].values.tolist(),
            strict=True,
        )
    )
    assert {row["entity"]: row["probability_best"] for row in shown["ranking"]} == pytest.approx(
        best
    )
    invoke("report", path, "-o", tmp_path / "page.html", "--draws", 50)
    assert "unpaired" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "names",
    [("entity", "mean", "standard_error"), ("system", "score", "stderr"), ("name", "avg", "SE")],
)
def test_columns_of_boards_have_several_names(names):
    frame = BOARD[["model", "mean", "se"]].set_axis(list(names), axis=1)
    assert br.from_frame(frame)["standard_error"].values.tolist() == BOARD["se"].tolist()


def test_counts_and_cases_come_before_means():
    counts = pd.DataFrame(
        {"model": ["a", "b"], "correct": [7, 6], "total": [10, 10], "mean": [0.7, 0.6], "se": 0.1}
    )
    assert br.from_frame(counts).sel(outcome=1).values.tolist() == [7, 6]
    cases = pd.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "question_id": [1, 2, 1, 2],
            "score": [1, 0, 0, 0],
            "se": 0.1,
        }
    )
    assert br.from_frame(cases)["outcome"].sizes["pattern"] == 2
