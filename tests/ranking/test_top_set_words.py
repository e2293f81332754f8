"""The k best in words and on the shell: the set of the command is that of br.top_set, and lists of first places."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from tests.commands import invoke, refused

COUNTS = pd.DataFrame(
    {"entity": list("abcd"), "correct": [190, 187, 120, 60], "wrong": [10, 13, 80, 140]}
)
TITLE = "Challenge 2026"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("host") / "counts.csv"
    COUNTS.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def posterior():
    return br.fit(br.from_frame(COUNTS), draws=500, seed=1)


def test_the_command_prints_the_set_for_the_two_best(file, posterior):
    found = br.top_set(posterior, "mean_outcome", 2)
    printed = invoke("rank", file, "--top-set", 2, "--draws", 500)
    assert (
        br.verdict(found)[0] == "2 of 4 entities could be in the top 2 (95% confidence set): a, b."
    )
    assert br.verdict(found)[1] == "a and b are in the top 2 at this level."
    assert "2 of 4 entities could be in the top 2 (95% confidence set): a, b." in printed
    held = json.loads(invoke("rank", file, "--top-set", 1, "--draws", 500, "--format", "json"))[
        "top_set"
    ]
    one = br.top_set(posterior, "mean_outcome", 1)
    assert (
        set(held["in_confidence_set"])
        == set(one["entity"].values[one["in_confidence_set"].values])
        == {"a", "b"}
    )
    assert held["surely_top"] == []
    assert br.notes(one)[0].startswith("P(in the top 1): a 0.")


def test_a_list_of_first_places_is_the_share_of_draws_with_them(posterior):
    values = br.as_performance(posterior)
    score = (
        br.scores.mean_outcome(values)
        .stack(sample=("chain", "draw"))
        .transpose("sample", "entity")
        .values
    )
    first = {frozenset(np.array(list("abcd"))[row]) for row in np.argsort(-score, axis=1)[:, :2]}
    share = np.mean([set(row) == {0, 1} for row in np.argsort(-score, axis=1)[:, :2].tolist()])
    assert frozenset("ab") in first
    found = br.probability(posterior, "top 2 = b, a", "mean_outcome")
    assert float(found["probability"]) == pytest.approx(share)
    lists = [f"top 2 = {x}, {y}" for i, x in enumerate("abcd") for y in "abcd"[i + 1 :]]
    assert sum(
        float(br.probability(posterior, text, "mean_outcome")["probability"]) for text in lists
    ) == pytest.approx(1)
    alone = br.probability(posterior, "top 1 = a", "mean_outcome")["probability"]
    assert float(alone) == pytest.approx(
        float(br.probability(posterior, "a is best", "mean_outcome")["probability"])
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("top 2 = a", "must name 2 entities behind 'top 2 ='"),
        ("top 2 = a, a", "must name 2 entities"),
        ("top 2 = a, zz", "must name entities of a, b, c, d; got 'zz'"),
        ("top a", "a whole number from 1 on"),
        ("top 2 a, b", "'=' and entities"),
    ],
)
def test_wrong_lists_say_what_to_type(text, words, posterior):
    with pytest.raises(br.ArgumentError, match=words):
        br.probability(posterior, text, "mean_outcome")


def test_sets_for_the_best_stand_beside_no_rows_alone(file):
    assert "--top-set cannot be used for --format csv" in refused(
        "rank", file, "--top-set", 2, "--format", "csv"
    )
    assert "--top-set" in refused("rank", file, "--top-set", 9, "--draws", 50)


def test_a_page_has_the_title_of_its_host(file, tmp_path):
    invoke("report", file, "--title", TITLE, "-o", tmp_path / "page.html", "--draws", 50)
    assert f"<title>{TITLE}" in (tmp_path / "page.html").read_text()
