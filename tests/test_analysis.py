"""br.analyze: the digits of the command, known answers, and refusals."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.setup import set_up
from tests.commands import json_of

RNG = np.random.default_rng(3)
RIGHT = pd.DataFrame(RNG.random((60, 3)) < [0.9, 0.7, 0.6], columns=["p", "q", "r"]).astype(int)
LABELS = pd.DataFrame({"actual": RNG.integers(0, 2, 80)})
for _name, _right in (("old", 0.7), ("new", 0.9)):
    LABELS[_name] = np.where(RNG.random(80) < _right, LABELS["actual"], 1 - LABELS["actual"])
COUNTS = pd.DataFrame(
    {
        "entity": ["a", "b", "c"],
        "tn": [70, 79, 75],
        "fp": [10, 1, 5],
        "fn": [9, 1, 9],
        "tp": [21, 29, 21],
    }
)
LONG = RIGHT.rename_axis("case").reset_index().melt("case", var_name="model", value_name="correct")
#: Files of a dozen kinds, and the options that they need, as typed and as arguments.
FILES = {
    "counts": (COUNTS, {}),
    "counts of several data sets": (
        pd.concat([COUNTS.assign(dataset="d"), COUNTS.assign(dataset="e", tp=COUNTS["tp"] + 9)]),
        {},
    ),
    "right and wrong": (
        pd.DataFrame({"model": ["a", "b"], "correct": [80, 91], "wrong": [20, 9]}),
        {},
    ),
    "totals": (pd.DataFrame({"model": ["a", "b"], "correct": [80, 91], "total": [100, 100]}), {}),
    "answers, wide": (RIGHT, {}),
    "answers, long": (LONG, {}),
    "answers in clusters": (LONG.assign(patient=LONG["case"] // 3), {"cluster": "patient"}),
    "answers in groups": (
        LONG.assign(language=np.where(LONG["case"] % 2, "en", "de")),
        {"group": "language"},
    ),
    "labels": (LABELS, {}),
    "labels, the other class positive": (LABELS.replace({0: "no", 1: "yes"}), {"positive": "no"}),
    "means": (pd.DataFrame({"entity": ["a", "b"], "mean": [0.7, 0.75], "se": [0.02, 0.03]}), {}),
    "votes": (
        pd.DataFrame(
            {
                "model_a": ["a", "b", "c"] * 9,
                "model_b": ["b", "c", "a"] * 9,
                "winner": ["model_a"] * 18 + ["model_b"] * 9,
            }
        ),
        {},
    ),
    "errors, low ones first": (
        pd.DataFrame(
            {"case": list(range(9)) * 2, "model": ["a"] * 9 + ["b"] * 9, "error": RNG.random(18)}
        ),
        {"outcome": "error", "higher_is_better": False},
    ),
    "scores of folds": (
        pd.DataFrame(
            {"tree": [0.8, 0.82, 0.79, 0.81, 0.8], "forest": [0.84, 0.85, 0.83, 0.86, 0.82]}
        ),
        {"train": 400, "test": 100},
    ),
}


def command_json(path, options):
    typed = [
        word
        for name, value in options.items()
        if name != "higher_is_better"
        for word in (f"--{name}", str(value))
    ]
    typed += ["--lower-is-better"] * (options.get("higher_is_better") is False)
    return json_of("rank", path, "--draws", "100", *typed)


@pytest.mark.parametrize("kind", FILES)
def test_the_command_has_the_digits_of_analyze(kind, tmp_path):
    frame, options = FILES[kind]
    frame.to_csv(tmp_path / "data.csv", index=False)
    typed = command_json(tmp_path / "data.csv", options)
    found = br.analyze(frame, draws=100, **options)
    rows = {row["entity"]: row for row in typed["ranking"]}
    assert list(rows) == [str(name) for name in found.table.index]
    for name, row in found.table.iterrows():
        for column in (
            "median",
            "lower",
            "upper",
            "probability_best",
            "expected_rank",
            "rank_lower",
            "tier",
        ):
            assert rows[str(name)][column] == pytest.approx(row[column], abs=1e-10, nan_ok=True)
    assert typed["score"] == found.ranking.attrs["score"]
    assert typed["verdict"] == found.verdict
    assert set(typed["notes"]) <= set(found.notes)


def test_a_file_and_its_frame_have_one_analysis(tmp_path):
    COUNTS.to_csv(tmp_path / "counts.csv", index=False)
    by_name, by_frame = br.analyze(tmp_path / "counts.csv", "f1"), br.analyze(COUNTS, "f1")
    xr.testing.assert_identical(by_name.ranking.drop_attrs(), by_frame.ranking.drop_attrs())


def test_differences_are_those_of_the_draws():
    """The interval of a difference is the quantiles of the differences of the draws."""
    found = br.analyze(LABELS, "f1", seed=4)
    draws = br.scores.f1(found.posterior).stack(sample=("chain", "draw"))
    gap = (draws.sel(entity="old") - draws.sel(entity="new")).values
    assert found.differences.index.tolist() == ["old"]
    row = found.differences.loc["old"]
    np.testing.assert_allclose(
        row[["lower", "difference", "upper"]].astype(float), np.quantile(gap, [0.025, 0.5, 0.975])
    )
    assert row["probability"] == pytest.approx((gap < 0).mean())


def test_predictions_and_their_table_have_one_analysis():
    by_mapping = br.analyze(
        LABELS["actual"], {"old": LABELS["old"], "new": LABELS["new"]}, "f1", seed=2
    )
    by_table = br.analyze(LABELS, "f1", seed=2)
    assert by_mapping.table["median"].to_dict() == by_table.table["median"].to_dict()
    assert by_mapping.model == by_table.model == "paired"


def test_who_names_no_score_is_told_which_was_chosen():
    found = br.analyze(COUNTS)
    assert found.score.name == "informedness"
    assert any("the ranking is by informedness" in note for note in found.notes)
    assert not any("No score was given" in note for note in br.analyze(COUNTS, "f1").notes)
    assert br.analyze(RIGHT).score.name == "mean_outcome"


def test_accuracy_of_right_and_wrong_answers_is_their_mean():
    assert br.analyze(RIGHT, "accuracy").table.equals(br.analyze(RIGHT, "mean_outcome").table)
    with pytest.raises(br.ArgumentError, match="mean_outcome"):
        br.analyze(RIGHT * 3, "accuracy")


def test_the_text_is_verdict_and_table():
    found = br.analyze(COUNTS, "f1")
    text, html = repr(found), found._repr_html_()
    assert text.splitlines()[:2] == ["Ranking of 3 entities by F1.", found.verdict[0]]
    assert all(name in text and f"<th>{name}</th>" in html for name in "abc")
    hostile = br.from_counts(tn=[9, 8], fp=[1, 2], fn=[1, 1], tp=[9, 9], entity=["<b>", "a\nb"])
    html = br.analyze(hostile, "f1")._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
    assert "\n" not in html


def test_many_entities_are_counted_not_listed():
    many = br.from_counts(
        tn=[50] * 30,
        fp=[9] * 30,
        fn=[5] * 30,
        tp=range(20, 50),
        entity=[f"m{i}" for i in range(30)],
    )
    assert repr(br.analyze(many, "f1", model="beta_binomial")).endswith("... and 10 more entities")


def test_report_and_plot(tmp_path):
    found = br.analyze(COUNTS, "f1")
    page = found.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page
    assert "F1" in page
    assert [
        label.get_text() for label in found.plot().get_yticklabels()
    ] == found.table.index.tolist()


def test_set_up_chooses_what_the_evidence_allows():
    counts = br.from_frame(COUNTS)
    setup = set_up(counts)
    assert (setup.model, setup.aim, setup.options) == ("dirichlet_multinomial", None, {})
    assert choose_score(setup.evidence, None).name == "informedness"
    studies = br.from_frame(FILES["counts of several data sets"][0])
    assert "dataset" not in set_up(studies).evidence.dims  # two data sets are pooled
    assert set_up(studies, over="dataset").evidence.sizes["dataset"] == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: br.analyze(br.fit(br.from_frame(COUNTS), draws=10), "f1"),
            r"a fitted posterior \(br\.verdict",
        ),
        (lambda: br.analyze("brest_cancer"), "did you mean 'breast_cancer'"),
        (
            lambda: br.analyze(COUNTS, "f1", entitty="entity"),
            r"entitty is not .*did you mean entity=",
        ),
        (
            lambda: br.analyze(br.from_frame(COUNTS), "f1", entity="entity"),
            "entity is not an argument",
        ),
        (lambda: br.analyze(COUNTS, "f1", kind="new"), "kind cannot be used"),
        (lambda: br.analyze(COUNTS, "f1", weights="cases"), "weights cannot be used without over="),
        (lambda: br.analyze(5), "data must be evidence"),
        (
            lambda: br.analyze(FILES["errors, low ones first"][0], outcome="error"),
            "higher_is_better=False ranks low",
        ),
        (
            lambda: br.analyze(COUNTS, "f1", higher_is_better=False),
            "higher_is_better cannot be used",
        ),
        (lambda: br.analyze(COUNTS, "f1", model="paired"), "model must not be paired for counts"),
    ],
)
def test_what_cannot_be_analysed_is_refused_with_the_fix(call, words):
    with pytest.raises(br.ArgumentError, match=words):
        call()
