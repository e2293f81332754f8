"""How the evidence was put together stands in every output, and a report takes whatever a ranking takes."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank._core.source import groups_of
from tests.commands import csv_of, invoke, json_of

ANSWERS = pd.DataFrame({"a": [1, 0, 1, 1, 0, 1] * 6, "b": [1, 1, 0, 0, 0, 1] * 6})
SETS = np.repeat(["Oslo", "Rome", "Lima"], 12)
COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
POSTERIOR = br.fit(COUNTS, seed=1, draws=100)
POOLED = "Pooled over 3 data sets: Lima, Oslo, Rome."


def evidence_of(joint):
    return br.credible_ranking(br.fit(joint, seed=1, draws=50), "mean_outcome").attrs.get(
        "evidence"
    )


def test_a_ranking_says_how_its_evidence_was_put_together():
    lacking = ANSWERS.astype(float)
    lacking.iloc[0, 0] = np.nan
    runs = {"case": np.arange(36) // 2, "run": np.arange(36) % 2}
    assert evidence_of(br.from_outcomes(ANSWERS)) is None
    assert evidence_of(br.pool(br.from_outcomes(ANSWERS, dataset=SETS))) == POOLED
    clusters = br.from_outcomes(ANSWERS, cluster=np.arange(36) // 3)
    assert evidence_of(clusters) == "Cases come in 12 clusters, each counted as one unit."
    assert (
        evidence_of(br.from_outcomes(ANSWERS, **runs))
        == "A case has 2 runs; its outcome is their mean."
    )
    common = "Answers are missing: the 35 of 36 cases that all entities met are kept."
    assert evidence_of(br.from_outcomes(lacking, missing="common")) == common
    assert "each entity has its own cases" in evidence_of(br.from_outcomes(lacking, missing="own"))
    assert (
        evidence_of(br.from_outcomes(lacking, missing=0))
        == "Answers are missing: each counts as 0."
    )


def test_counts_say_it_as_cases_do():
    joint = br.joint_outcomes([0, 1, 1] * 12, ANSWERS, dataset=SETS)
    table = br.from_predictions([0, 1, 1] * 12, ANSWERS, dataset=SETS)
    pooled = br.pool(table)
    for ranking in (
        br.credible_ranking(br.fit(br.pool(joint), seed=1, draws=50), "f1"),
        br.credible_ranking(br.fit(pooled, seed=1, draws=50), "f1"),
        br.credible_ranking(br.fit(pooled, seed=1, draws=50), "tpr", method="auto"),
        br.credible_ranking(pooled, "tpr", method="exact"),
    ):
        assert ranking.attrs["evidence"] == POOLED


def test_every_output_of_the_command_says_it(tmp_path):
    path, report = tmp_path / "data.csv", tmp_path / "report.html"
    ANSWERS.assign(dataset=SETS).to_csv(path, index=False)
    asked = path, "--draws", "50", "--model", "paired"
    assert json_of("rank", *asked)["evidence"] == POOLED
    assert json.loads(invoke("rank", *asked, "--format", "board"))["evidence"] == POOLED
    assert set(csv_of("rank", *asked)["evidence"]) == {POOLED}
    invoke("report", *asked, "-o", report)
    assert POOLED in report.read_text(encoding="utf-8")


def own():
    """A posterior of one's own, of which nothing is known but draws."""
    return to_container({"posterior": groups_of(POSTERIOR)["posterior"].drop_attrs()})


def values():
    return br.scores.f1(POSTERIOR)


def paragraph(html):
    return html.split("<div data-text><p>")[1].split("</p>")[0]


@pytest.mark.parametrize(
    ("source", "score", "options"),
    [
        (POSTERIOR, "f1", {}),
        (groups_of(POSTERIOR)["posterior"], "f1", {}),
        (br.as_performance(POSTERIOR), "f1", {}),
        (values(), None, {}),
        (values().rename("cost").drop_attrs(), None, {"higher_is_better": False}),
        (values().stack(sample=["chain", "draw"]).reset_index("sample"), "f1", {}),
        (own(), "f1", {}),
        (own(), "prevalence", {"higher_is_better": True}),
        (
            to_container(
                {"posterior": xr.Dataset({"solved": values().drop_attrs().rename("solved")})}
            ),
            "solved",
            {},
        ),
        (COUNTS, "f1", {}),
        (values().mean(["chain", "draw"]), None, {}),
        (
            br.fit(br.pool(br.from_outcomes(ANSWERS, dataset=SETS)), seed=1, draws=50),
            "mean_outcome",
            {},
        ),
    ],
)
def test_a_report_takes_whatever_a_ranking_takes(source, score, options):
    ranking = br.credible_ranking(source, score, **options)
    html = br.ranking_report(source, score, ranking=ranking, **options)
    for name in ranking["entity"].values:
        assert f"<td>{name}</td>" in html
    assert paragraph(html).startswith("2 entities")


def test_the_methods_paragraph_claims_nothing_of_draws_that_were_given():
    exact, drawn, given, counts = (
        paragraph(br.ranking_report(source, score, sections=[]))
        for source, score in (
            (POSTERIOR, "tpr"),
            (POSTERIOR, "optimized_precision"),
            (own(), "mcc"),
            (COUNTS, "mcc"),
        )
    )
    assert "dirichlet-multinomial, chosen by the evidence, prior one_case" in exact
    assert "400 posterior draws (independent draws) was ranked" in drawn
    assert "independent" not in given
    assert "Bayesian model" not in given
    assert "Every one of 400 posterior draws was ranked." in given
    assert "without draws" in counts
