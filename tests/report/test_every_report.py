"""Every section of the report for every kind of evidence: no undefined variable, and no gap in a sentence."""

import re
from contextlib import suppress
from html import unescape

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from jinja2 import UndefinedError

import bayesrank as br
from bayesrank.report import page, ranking_report, sections
from bayesrank.report.page import PageRequest

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 80)
RISK = pd.DataFrame({name: np.clip(0.2 + 0.5 * TRUTH + RNG.normal(0, sd, 80), 0.01, 0.99)
                     for name, sd in (("a", 0.2), ("b", 0.3), ("c", 0.6))})  # fmt: skip
LABELS = RISK > 0.5
RIGHT = LABELS.eq(TRUTH == 1, axis=0).astype(int)
PAIRS = pd.DataFrame(
    {"a": ["x", "y", "z"] * 20, "b": ["y", "z", "x"] * 20, "winner": ["a", "b", "tie", "a"] * 15}
)
TABLES = br.from_counts(
    tn=[70, 79, 40], fp=[10, 1, 40], fn=[9, 1, 3], tp=[21, 29, 27], entity=["a", "b", "c"]
)
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60, 40] * 2, fp=[5, 12, 10, 3, 40, 4] * 2, fn=[4, 9, 2, 3, 1, 2] * 2,
    tp=[16, 11, 28, 7, 19, 9] * 2, entity=np.repeat(["A", "B"], 6), dataset=["u", "v", "w", "x", "y", "z"] * 2,
)  # fmt: skip
FOLDS = pd.DataFrame(RNG.normal([0.8, 0.7, 0.6], 0.03, (20, 3)), columns=["a", "b", "c"])
MEANS = pd.DataFrame(
    {"model": ["a", "b"], "mean": [0.71, 0.6], "se": [0.01, 0.02], "n": [900, 900]}
)
TESTS = pd.DataFrame({name: np.where(RNG.random(80) < p, TRUTH, 1 - TRUTH)
                      for name, p in (("q", 0.9), ("r", 0.85), ("s", 0.8), ("t", 0.8))})  # fmt: skip
PERFECT = br.from_counts(
    tn=[10, 0], fp=[0, 10], fn=[0, 10], tp=[10, 0], entity=["perfect", "wrong"]
)
NO_POSITIVES = br.from_counts(tn=[10, 8], fp=[0, 2], fn=[0, 0], tp=[0, 0], entity=["x", "y"])
THREE = br.from_matrix(
    [[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]],
    "actual_rows",
    entity=["u", "v"],
)
VALUES = xr.DataArray(
    RNG.normal([0, 1, 3], 1, (4, 50, 3)), {"entity": list("abc")}, ("chain", "draw", "entity")
)

SPLITS = FOLDS.assign(repeat=np.repeat([0, 1], 10))
TOTALS = pd.DataFrame({"entity": ["a", "b"], "correct": [70, 50], "wrong": [30, 50]})

#: Evidence, model and score of each kind; a model of None is the default one.
KINDS = {
    "tables": (TABLES, None, "f1"),
    "one entity": (TABLES.sel(entity=["a"]), None, "mcc"),
    "perfect tables": (PERFECT, None, "diagnostic_odds_ratio"),
    "an undefined score": (NO_POSITIVES, "beta_binomial", "tpr"),
    "three classes": (THREE, None, "macro_f1"),
    "cases": (br.joint_outcomes(TRUTH, LABELS.astype(int)), "paired", "informedness"),
    "clusters": (
        br.joint_outcomes(TRUTH, LABELS.astype(int), cluster=np.arange(80) // 4),
        "paired",
        "accuracy",
    ),
    "right or wrong": (br.from_outcomes(RIGHT), "paired", None),
    "grades": (br.from_outcomes((5 * RISK).round()), "paired", None),
    "values of cases": (br.from_outcomes(RISK), None, None),
    "totals of answers": (br.from_frame(TOTALS), None, None),
    "folds": (br.from_folds(SPLITS, repeat="repeat", train=90, test=10), None, None),
    "means": (br.from_frame(MEANS), None, None),
    "probabilities": (br.from_probabilities(TRUTH, RISK), "bayesian_bootstrap", "auc_roc"),
    "a judge": (br.from_judged(RIGHT, judge=["a", "b"], truth="c"), None, None),
    "votes": (br.from_votes(PAIRS, a="a", b="b", winner="winner"), None, None),
    "no gold standard": (br.joint_outcomes(None, TESTS), None, "tpr"),
    "many data sets": (STUDIES, "hierarchical_beta_binomial", "f1"),
    "pooled data sets": (br.pool(STUDIES), None, "precision"),
    "draws alone": (VALUES, None, None),
}
WITHOUT_PRIOR = (
    "folds",
    "means",
    "votes",
    "no gold standard",
    "grades",
    "values of cases",
    "probabilities",
)
GAPS = re.compile(
    r"\bNone\b|\bnan\b|\S {2,}\S|\( | \)|\(\)| [.,;:](?= |$)|,\s*,|:\s*\.|\b(?:and|or|of)\s*[.,;]|\.\.|\[\]"
)


def sentences_of(html):
    """The sentences of a page, with the spaces that their tags leave."""
    body = re.sub(r"<(style|script|svg|code)\b.*?</\1>", "", html, flags=re.S).replace("<wbr>", "")
    found = re.findall(
        r"<(p|li|dd|figcaption|h1|h2|h3|summary|caption)\b[^>]*>(.*?)</\1>", body, flags=re.S
    )
    return [unescape(re.sub(r"<[^>]*>", "", text)).strip() for _, text in found]


def gaps_of(texts):
    return [
        text for text in texts if GAPS.search(text.replace("(...)", "").replace("...", "and so on"))
    ]


def report_of(kind, slow):
    evidence, model, score = KINDS[kind]
    source, results = evidence, {}
    if kind != "draws alone":
        groups = [] if kind in WITHOUT_PRIOR else ["prior"]
        source = br.fit(evidence, model, seed=1, draws=50, chains=2, groups=groups)
        wide = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
        request = PageRequest(
            source, evidence, kind, model or "", {}, score, None, "exact", 0.95, 0.0, 50, 1, wide
        )
        for name in sections.names():
            if hasattr(sections.find(name), "compute") and (
                slow or name not in ("sensitivity", "planning")
            ):
                with suppress(
                    br.ArgumentError
                ):  # the kinds of evidence that lack what the section needs
                    results[name] = sections.find(name).compute(request)
    given = {"higher_is_better": True} if kind == "draws alone" else {}
    return ranking_report(source, score, sections=sections.names(), results=results, **given)


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_has_a_gap(kind, slow):
    html = report_of(kind, slow)
    texts = sentences_of(html)
    assert any(re.search(r"Tier 1 contains the \w+ that could be best", text) for text in texts)
    assert len(texts) > 10
    assert gaps_of(texts) == []


@pytest.mark.parametrize(
    "broken", ["The tier has the  that", "a median None", "cases: nan", "of , by", "entities ()."]
)
def test_gaps_are_noticed(broken):
    assert gaps_of([broken]) == [broken]
    assert (
        gaps_of(["F1, 0.81 (95% interval 0.69 to 0.89); 1,000 cases of a, b ... (br.plan(...))."])
        == []
    )


def test_an_undefined_variable_of_a_template_is_an_error():
    with pytest.raises(UndefinedError, match="'entities' is undefined"):
        page.render("The first tier has the {{ entities }} that could be best.")
    with pytest.raises(UndefinedError, match="rows"):
        str(page.block("table", ["entity"]))
