"""Which model is fitted: the one that was named, or that of the evidence; cases become counts for models of counts.

Facts about a model stand in its file: other code asks for them and names no model, but for defaults and data.
"""

import ast
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import models
from bayesrank._core.source import groups_of
from bayesrank.evidence.predictions import counts_of
from bayesrank.performance.arrays import observed_counts
from tests.commands import invoke, refused
from tests.told import codes_in

COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
ANSWERS = pd.DataFrame({"a": [1, 0, 1, 1] * 6, "b": [1, 1, 0, 0] * 6})
SETS = np.repeat(["x", "y", "z"], 8)
OUTCOMES = br.from_outcomes(ANSWERS)
LABELS = br.joint_outcomes([0, 1, 1, 0] * 6, ANSWERS)
GRADES = xr.DataArray([[3, 5, 2]], {"entity": ["a"], "outcome": [0, 1, 2]}, ("entity", "outcome"))


def attrs(posterior):
    return groups_of(posterior)["posterior"].attrs


@pytest.mark.parametrize(
    ("evidence", "model"),
    [
        (COUNTS, "dirichlet_multinomial"),
        (GRADES, "dirichlet_multinomial"),
        (OUTCOMES, "paired"),
        (LABELS, "paired"),
    ],
    ids=["tables", "outcomes", "cases", "labels of cases"],
)
def test_the_evidence_chooses_the_model(evidence, model):
    chosen, named = br.fit(evidence, seed=1, draws=5), br.fit(evidence, model, seed=1, draws=5)
    assert attrs(chosen)["model"] == attrs(named)["model"] == model
    assert attrs(chosen)["model_chosen_by"] == "evidence"
    assert attrs(named)["model_chosen_by"] == "user"
    name = "performance" if evidence is not OUTCOMES else "mean_outcome"
    xr.testing.assert_equal(
        groups_of(chosen)["posterior"][name], groups_of(named)["posterior"][name]
    )


@pytest.mark.parametrize(
    "model", ["hierarchical_beta_binomial", "hierarchical_dirichlet_multinomial"]
)
def test_hierarchical_models_learn_from_the_data_sets_of_cases(model):
    joint = br.from_outcomes(ANSWERS, dataset=SETS)
    of_cases, of_counts = (br.fit(x, model, seed=1, draws=50) for x in (joint, counts_of(joint)))
    found = groups_of(of_cases)["posterior"]
    assert found.sizes["dataset"] == 3
    assert codes_in(found.attrs) == ["cases_summed", "difficulty_ignored"]
    xr.testing.assert_equal(
        found["performance_typical"], groups_of(of_counts)["posterior"]["performance_typical"]
    )
    assert "cases_summed" in codes_in(br.credible_ranking(of_cases, "mean_outcome"))


def test_missing_answers_are_not_measured():
    frame = ANSWERS.astype(float)
    frame.loc[SETS == "z", "b"] = np.nan
    joint = br.from_outcomes(frame, dataset=SETS, missing="own")
    counts = counts_of(joint)
    assert counts["measured"].sel(entity="b").values.tolist() == [True, True, False]
    posterior = br.fit(joint, "hierarchical_beta_binomial", seed=1, draws=5)
    assert not bool(observed_counts(posterior)["measured"].sel(entity="b", dataset="z"))


@pytest.mark.parametrize(
    "rows",
    ["a,x,70,10,9,21\nb,y,79,1,1,29\n", "a,x,70,10,9,21\nb,x,79,1,1,29\na,y,9,1,0,10\n"],
    ids=["nothing in common", "one in common"],
)
def test_the_remedy_for_incomplete_designs_works_as_typed(tmp_path, rows):
    path = tmp_path / "counts.csv"
    path.write_text("entity,dataset,tn,fp,fn,tp\n" + rows)
    command = ["rank", path, "--draws", "20"]
    remedy = re.search(r"--model (?:be )?(\w+)", refused(*command))[1]
    for join in ("exact", "inner"):
        assert "The model is fitted to 2 data sets" in invoke(
            *command, "--join", join, "--model", remedy
        )


FOLDER = Path(br.__file__).parent
#: Files that name a model in advice or in an example.
ADVICE = {
    "evidence/counts.py",
    "evidence/predictions.py",
    "evidence/weighting.py",
    "cli/plan.py",
    "comparisons/comparing.py",
    "inference.py",
    "planning/updates/__init__.py",
    "ranking/notes.py",
    "words/sentences/aggregates.py",
}


#: Names of models that are words, or codes of notes, too.
WORDS = ("paired", "retrained", "bayesian_bootstrap")


def names_a_model(text):
    """Whether a string of the code does: no docstring, and no default of an argument."""
    known = [name for name in models.names() if name not in WORDS and name in text]
    nodes = [*ast.walk(ast.parse(text))] if known else []
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for function in (node.args for node in nodes if isinstance(node, ast.FunctionDef)):
        skipped |= {id(default) for default in [*function.defaults, *function.kw_defaults]}
    strings = [x.value for x in nodes if isinstance(x, ast.Constant) and id(x) not in skipped]
    return any(name in x for x in strings if isinstance(x, str) for name in known)


def test_no_other_file_names_a_model():
    found = {
        path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*.py")
        if names_a_model(path.read_text("utf-8"))
    }
    assert {path for path in found if not path.startswith("models/")} == ADVICE
    assert names_a_model(
        'def f(model="beta_binomial"):\n    """Of beta_binomial."""\n    return "beta_binomial"\n'
    )
    assert not names_a_model('def f(model="beta_binomial"):\n    """Of beta_binomial."""\n')


@pytest.mark.parametrize("name", models.names())
def test_every_model_says_what_it_takes_and_learns(name):
    model = models.find_model(name)
    assert models.takes_cases(name) == (
        name in ("paired", "partial_truth", "latent_class", "retrained")
    )
    assert models.population_of(name) in ("", "data sets", "classes")
    assert (models.population_of(name) == "data sets") == hasattr(model, "over_datasets_together")
    assert all(isinstance(line, str) for line in models.references_of(name))


# --- One entity on several data sets ------------------------------------------------------------------------------

#: AUDIT-C for unhealthy alcohol use in fourteen studies (Kriston et al. 2008, Annals of Internal Medicine 149:879-888,
#: as `AuditC` of the R package mada has them); the first six are an example of its manual.
AUDIT_C = {
    "tp": [47, 126, 19, 36, 130, 84, 68, 752, 59, 142, 137, 57, 34, 152],
    "fn": [9, 51, 10, 3, 19, 2, 0, 0, 5, 50, 24, 3, 1, 51],
    "fp": [101, 272, 12, 78, 211, 68, 112, 3226, 55, 571, 107, 103, 21, 88],
    "tn": [738, 1543, 192, 276, 959, 89, 423, 2977, 136, 2788, 358, 437, 56, 264],
}


def audit_c(studies):
    frame = pd.DataFrame(AUDIT_C).head(studies)
    return frame.assign(study=[f"study {i + 1}" for i in range(studies)])


@pytest.mark.parametrize(
    ("studies", "sensitivity", "specificity"),
    [
        # A bivariate model of the same six studies, in the README of the collection of tables.
        (6, (0.856, 0.704, 0.937), (0.826, 0.718, 0.899)),
        # mada: logits 2.0763 and 1.2624 by a normal likelihood with half a case added to cells. Study 8 has no false
        # negative of 752: the binomial likelihood moves the sensitivity by 0.026, so only its interval is compared.
        (14, None, (0.7795, None, None)),
    ],
)
def test_one_entity_in_several_studies_has_the_summary_of_a_bivariate_model(
    studies, sensitivity, specificity
):
    posterior = br.fit(br.from_frame(audit_c(studies)), seed=1)
    assert attrs(posterior)["model"] == "hierarchical_logit_normal"
    table = br.score_table(posterior, ["tpr", "tnr"])
    for score, known in (("tpr", sensitivity), ("tnr", specificity)):
        row = table.sel(score=score).isel(entity=0)
        for name, value in zip(("median", "lower", "upper"), known or (), strict=False):
            if value is not None:
                assert row[name].item() == pytest.approx(value, abs=0.02)
    low, high = (table.sel(score="tpr").isel(entity=0)[end].item() for end in ("lower", "upper"))
    assert low < 1 / (1 + np.exp(-2.0763)) < high


@pytest.mark.parametrize(
    ("studies", "model"), [(2, "dirichlet_multinomial"), (3, "hierarchical_logit_normal")]
)
def test_three_data_sets_are_enough(studies, model):
    counts = br.from_frame(audit_c(studies))
    assert br.models.chosen_by_evidence(counts) == model
    assert br.models.chosen_by_evidence(counts, together=False) == "dirichlet_multinomial"


def test_a_column_study_names_data_sets():
    found = br.from_frame(audit_c(3))
    assert found["dataset"].values.tolist() == ["study 1", "study 2", "study 3"]
    assert found.sizes["entity"] == 1
    assert "one_entity" in codes_in(found.attrs)
    two = br.from_frame(pd.concat([audit_c(3).assign(test=name) for name in ("a", "b")]))
    assert two.sizes["entity"] == 2
    assert two.sizes["dataset"] == 3
    # A column dataset comes first.
    named = br.from_frame(audit_c(3).assign(dataset=list("xyz"), entity="a"))
    assert named["dataset"].values.tolist() == list("xyz")


def test_names_beside_studies_are_asked_about(tmp_path):
    path = tmp_path / "studies.csv"
    audit_c(3).assign(country=["de", "us", "us"]).to_csv(path, index=False)
    said = refused("rank", path)
    assert "--entity country says which, and --ignore country that all rows are of one" in said
    invoke("scores", path, "--ignore", "country", "--draws", 50)


@pytest.mark.slow
def test_a_score_at_a_clinic_like_these(tmp_path):
    path = tmp_path / "studies.csv"
    audit_c(6).to_csv(path, index=False)
    widths = []
    for kind in ("typical", "new"):
        found = pd.read_csv(
            io.StringIO(invoke("scores", path, "--kind", kind, "-s", "tnr", "--format", "csv"))
        )
        widths.append(float(found["upper"].iloc[0] - found["lower"].iloc[0]))
    assert widths[1] > 1.5 * widths[0]
    assert "one new data set" in invoke("scores", path, "--kind", "new", "--per", 1000)
    single = tmp_path / "single.csv"
    audit_c(1).assign(entity="a").to_csv(single, index=False)
    assert "--kind cannot be used for models that do not learn from data sets" in refused(
        "scores", single, "--kind", "new"
    )


def test_disjoint_designs_name_the_model_that_answers_them():
    """Each study tests another entity: difficulty and level cannot be separated."""
    frame = audit_c(6).assign(entity=list("aaabbb"))
    posterior = br.fit(br.from_frame(frame), seed=1, draws=100)
    ranking = br.credible_ranking(posterior, "tpr")
    assert any(
        "'hierarchical_logit_normal' compares them" in sentence for sentence in br.notes(ranking)
    )
