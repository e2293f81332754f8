"""Outcomes that the data have in percent are shown in percent; arrays have proportions."""

import json

import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core.percent import score_text, using_words_of
from bayesrank._core.records import EvidenceRecord
from tests.commands import csv_of
from tests.commands import invoke as run

SCORES = {
    "bayes": [0.9474, 0.8772, 0.8947, 0.9298],
    "tree": [0.9123, 0.8421, 0.9123, 0.8421],
    "stump": [0.8772, 0.8596, 0.8947, 0.8421],
}
SHARES = pd.DataFrame(SCORES)
TEXTS = SHARES.map(lambda share: f"{100 * share:.2f}%")
SIZES = {"train": 0.9, "test": 0.1}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.852 (0.800 to 1)", "85.2 (80.0 to 100)"),
        ("−0.0384", "−3.84"),
        ("1.2e-05", "0.0012"),
        ("0", "0"),
        ("–", "–"),
    ],
)
def test_a_shown_score_has_the_same_digits_in_percent(text, shown):
    assert score_text(text) == text
    with using_words_of(EvidenceRecord(in_percent=True)):
        assert score_text(text) == shown
        with using_words_of(EvidenceRecord()):
            assert score_text(text) == shown
    assert score_text(text) == text


@pytest.mark.parametrize("read", [br.from_folds, br.from_frame])
def test_folds_in_percent_have_the_numbers_of_their_shares(read):
    evidence, shares = read(TEXTS, **SIZES), read(SHARES, **SIZES)
    assert evidence["fold_score"].values == pytest.approx(shares["fold_score"].values, abs=1e-12)
    assert evidence.attrs["in_percent"]
    assert "in_percent" not in shares.attrs
    ranking = br.credible_ranking(br.fit(evidence, seed=1))
    same = br.credible_ranking(br.fit(shares, seed=1))
    assert ranking["median"].values == pytest.approx(same["median"].values, abs=1e-12)
    said, plain = br.verdict(ranking)[1], br.verdict(same)[1]
    loss = float(plain.split("lose ")[1].split()[0])
    assert f"expect to lose {100 * loss:.2g} percentage points of mean outcome" in said


def test_a_table_of_percent_says_so_in_its_head():
    lines = repr(br.analyze(br.from_folds(TEXTS, **SIZES))).splitlines()
    plain = repr(br.analyze(br.from_folds(SHARES, **SIZES))).splitlines()
    assert any("mean outcome (%)" in line for line in lines)
    assert not any("%)" in line and "mean outcome" in line for line in plain[4:])
    row, same = (
        next(one for one in each if one.startswith("tree")).split() for each in (lines, plain)
    )
    assert [float(row[i]) for i in (1, 2, 4, 5)] == pytest.approx(
        [100 * float(same[i]) for i in (1, 2, 4, 5)], abs=1e-9
    )
    assert row[6:] == same[6:]  # P(best), ranks and tier are no scores


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (
            "bayes,tree\n94.7%,91.2%\n87.7%,84.2%\n89.5%,91.2%\n",
            ["--train", "0.9", "--test", "0.1"],
        ),
        (
            "fold,model,accuracy\n1,bayes,94.7%\n2,bayes,87.7%\n3,bayes,89.5%\n"
            "1,tree,91.2%\n2,tree,84.2%\n3,tree,91.2%\n",
            ["--train", "0.9", "--test", "0.1"],
        ),
        ("model,score,se\nbayes,90.6%,1.5%\ntree,88.9%,1.5%\n", []),
    ],
    ids=["wide", "long", "means"],
)
def test_the_command_shows_percent_where_a_file_has_percent(tmp_path, rows, options):
    percent, shares = tmp_path / "percent.csv", tmp_path / "shares.csv"
    percent.write_text(rows)
    # The same file with fractions.
    head, *lines = rows.splitlines()
    fields = [
        ",".join(f"{float(x[:-1]) / 100:.4f}" if x.endswith("%") else x for x in line.split(","))
        for line in lines
    ]
    shares.write_text("\n".join([head, *fields]) + "\n")
    said, plain = run("rank", percent, *options), run("rank", shares, *options)
    assert "mean outcome (%)" in said
    assert "mean outcome (%)" not in plain
    row, same = (
        next(
            line for line in text.splitlines() if line.startswith("bayes ") and "ahead" not in line
        )
        for text in (said, plain)
    )
    assert float(row.split()[1]) == pytest.approx(100 * float(same.split()[1]), abs=0.051)
    assert "mean_outcome (%)" in run("scores", percent, *options)
    # Programs get proportions.
    assert 0.85 < csv_of("rank", percent, *options)["median"]["bayes"] < 0.95


def test_a_report_shows_percent(tmp_path):
    br.analyze(br.from_folds(TEXTS, **SIZES)).report(tmp_path / "percent.html")
    text = (tmp_path / "percent.html").read_text("utf-8")
    assert "mean outcome (%)" in text
    assert "percentage points of mean outcome" in text


def test_a_board_of_livecodebench_is_in_percent(tmp_path):
    rows = [
        {"question_id": f"q{i}", "model": name, "pass@1": 100.0 * (i % most > 0)}
        for name, most in (("a", 10), ("b", 3))
        for i in range(60)
    ]
    path = tmp_path / "board.json"
    path.write_text(json.dumps({"performances": rows}))
    evidence = br.analyze(br.read(path))
    assert "mean outcome (%)" in repr(evidence)
    assert float(evidence.ranking.sel(entity="a")["observed"]) == pytest.approx(0.9)


def test_the_axis_of_a_picture_is_in_percent():
    ranking = br.credible_ranking(br.fit(br.from_folds(TEXTS, **SIZES), seed=1))
    ax = br.plots.forest(ranking)
    assert ax.get_xlabel().startswith("mean outcome (%)")
    assert ax.xaxis.get_major_formatter()(0.85, 0) == "85"
