"""The shipped data sets: totals, names, absences, and every word of their provenance."""

import numpy as np
import pytest

import bayesrank as br
from bayesrank.report.ranking_report import KNOWN

SHAPES = {
    "antibody_tests": (108, 2, 2),
    "anomaly_detectors": (15, 58, 2, 2),
    "utah_trees": (3, 13, 2, 2),
    "mnist_folds": (2, 5, 10, 10),
    "small_studies": (24, 2, 2),
    "tornado": (2, 1, 2, 2),
    "breast_cancer": (9, 2, 2),
    "langchain_tool_use": (9, 2, 2),
    "imagenet_models": (1555, 6, 2),
    "ascus_hc2_repc": (2, 10, 2, 2),
    "scheidler_lymph_imaging": (3, 37, 2, 2),
    "compas": (1, 3, 2, 2),
    "face_classifiers": (3, 4, 2),
}
#: Data sets whose evidence is no table of counts, with the numbers of entities and of cases or votes.
WITHOUT_COUNTS = {
    "trajectory_judges": (1, 400),
    "hepatic_scans": (1, 650),
    "puddings": (6, 745),
    "arena_battles": (20, 27045),
    "tuberculosis_tests": (2, 1877),
    "myocardial_indicators": (4, 94),
    "dentists": (5, 3869),
}


@pytest.mark.parametrize("name", SHAPES)
def test_counts_load_and_fit_with_their_provenance(name):
    others = {"agent_runs", "roc_asah", "roc_hanley_mcneil"}
    assert set(br.datasets.names()) == {*SHAPES, *WITHOUT_COUNTS, *others}
    about = br.datasets.describe(name)
    assert about["name"] == name
    for key in (
        "title",
        "description",
        "question",
        "licence",
        "citation",
        "caveats",
        "model",
        "file",
    ):
        assert about[key].strip(), key
    assert set(about) <= set(KNOWN)  # what a report says of data
    counts = br.datasets.load(name)
    assert counts.shape == SHAPES[name]
    assert counts.name == "counts"
    assert (counts >= 0).all()
    assert len(set(counts["entity"].values.tolist())) == counts.sizes["entity"]
    model = about["model"]
    evidence = (
        br.datasets.load_joint(name) if model == "paired" else counts.isel(entity=slice(0, 2))
    )
    if model != "hierarchical_logit_normal":  # whose tests fit these
        br.fit(evidence, model, draws=2, seed=1)


def test_antibody_tests():
    counts = br.datasets.load("antibody_tests")
    assert (counts.sum("predicted").values == [80, 30]).all()
    repeated = [
        n
        for n in counts["entity"].values.tolist()
        if any(f"({i})" in n for i in counts["test_id"].values)
    ]
    assert len(repeated) == 6
    # Nine tests made no error at all.
    errors = counts.sel(actual="negative", predicted="positive") + counts.sel(
        actual="positive", predicted="negative"
    )
    assert int((errors == 0).sum()) == 9


def test_the_detector_called_null_is_not_missing():
    counts = br.datasets.load("anomaly_detectors")
    assert "null" in counts["entity"].values
    assert counts.sel(entity="null", predicted="positive").sum() == 0
    assert int((counts.isel(entity=0).sum("predicted").sel(actual="positive") == 0).sum()) == 6


def test_known_counts():
    tornado = br.datasets.load("tornado").squeeze("dataset")
    assert tornado.values.tolist() == [[[2680, 72], [23, 28]], [[2752, 0], [51, 0]]]
    triage = br.datasets.load("ascus_hc2_repc").sel(entity="HC2", dataset="Solomon 2001")
    assert triage.values.tolist() == [[984, 1050], [11, 256]]
    imaging = br.datasets.load("scheidler_lymph_imaging")
    assert imaging.sel(entity="MRI", dataset="Kim_1990").values.tolist() == [[44, 1], [12, 3]]
    assert int(imaging["measured"].sum()) == 44
    assert int((imaging["measured"].sum("entity") == 2).sum()) == 7


def test_language_models():
    tools = br.datasets.load_cases("langchain_tool_use")
    assert tools.shape == (20, 9)
    assert br.datasets.load("langchain_tool_use").sel(entity="claude-2.1").values.tolist() == [
        [0, 0],
        [0, 20],
    ]


def test_image_models():
    counts = br.datasets.load("imagenet_models")
    images = {
        "imagenet": 50_000,
        "real": 46_837,
        "v2": 10_000,
        "sketch": 50_889,
        "a": 7_500,
        "r": 30_000,
    }
    assert counts["dataset"].values.tolist() == list(images)
    assert (counts.sum("outcome") == list(images.values())).all()
    assert counts["measured"].all()
    one = counts.sel(entity="bat_resnext26ts.ch_in1k")
    assert one.sel(outcome=1).values.tolist() == [39140, 39669, 6625, 12977, 669, 11132]
    assert (one["image_size"].item(), one["parameters"].item()) == (256, 10.73)
    caveats = br.datasets.describe("imagenet_models")["caveats"]
    assert all(word in caveats for word in ("select models", "family", "Counts only"))


@pytest.mark.parametrize("name", WITHOUT_COUNTS)
def test_verdicts_and_votes_load_and_fit_with_their_provenance(name):
    about, evidence = br.datasets.describe(name), br.datasets.load(name)
    assert set(about) <= set(KNOWN)
    entities, number = WITHOUT_COUNTS[name]
    assert evidence.sizes["entity"] == entities
    assert evidence.identical(br.datasets.load_joint(name))
    held = evidence["count"].sum() if "count" in evidence else evidence["cases"].sum() / 2
    assert held == number == br.datasets.load_cases(name)["count"].sum()
    assert (
        br.fit(evidence, draws=20, chains=1, seed=1)["posterior"].attrs["model"] == about["model"]
    )


def test_faults_of_trajectories_are_three_quarters():
    cases = br.datasets.load_cases("trajectory_judges")
    assert np.average(cases["truth"], weights=cases["count"]) == 0.75
    assert br.datasets.load("trajectory_judges")["labels"].item() == 400


def test_runs_of_agents():
    """Known answers: numbers of runs, and the mean over the 19 common tasks of a model's shares of solved runs."""
    runs = br.datasets.load_cases("agent_runs")
    assert runs.columns.tolist() == ["agent", "task", "task_family", "run", "solved", "status"]
    assert runs.shape[0] == 1834
    assert set(runs["solved"]) == {0, 1}
    limit = runs[runs["status"] == "usage limit"]
    assert (len(limit), int(limit["solved"].sum())) == (606, 5)
    assert limit["task_family"].str.startswith("ai_rd_").sum() == 557
    assert not runs.duplicated(["agent", "task", "run"]).any()
    # By hand, in eighths: the runs that Claude 3.5 Sonnet (New) solved, of eight each, apart from
    # the task on shutting down, of which it solved one run of ten.
    eighths = [8, 0, 8, 8, 8, 6, 8, 7, 7, 1, 8, 1, 5, 8, 8, 8, 0, 7]
    joint = br.datasets.load("agent_runs")
    assert (joint.sizes["entity"], int(joint["count"].sum())) == (9, 19)
    assert joint["runs"].sum("pattern").sel(entity="o1").item() == 149
    assert len(set(joint["cluster"].values)) == 17
    found = br.fit(joint, draws=2, seed=1)
    assert found["posterior"].attrs["model"] == br.datasets.describe("agent_runs")["model"]
    observed = found["observed_data"]["mean_outcome"].sel(entity="Claude 3.5 Sonnet (New)")
    assert observed.item() == pytest.approx((sum(eighths) / 8 + 1 / 10) / 19)


@pytest.mark.parametrize(
    "name", sorted(set(br.datasets.CASES) - set(WITHOUT_COUNTS) - {"agent_runs"})
)
def test_joint_outcomes_agree_with_the_counts(name):
    joint, counts = br.datasets.load_joint(name), br.datasets.load(name)
    assert joint["entity"].values.tolist() == counts["entity"].values.tolist()
    assert int(joint["count"].sum()) == int(counts.isel(entity=0).sum())
    observed = br.fit(joint, "paired", draws=2, seed=1)["observed_data"]
    if "counts" in observed:
        np.testing.assert_array_equal(observed["counts"], counts)
    else:
        np.testing.assert_allclose(observed["mean_outcome"], br.scores.accuracy(counts))


def test_the_classes_of_the_biopsies():
    """A missed cancer is a false negative, for labels and for probabilities."""
    counts, cases = br.datasets.load("breast_cancer"), br.datasets.load_cases("breast_cancer")
    assert (counts["actual"].values.tolist(), counts["positive"].item()) == (
        ["benign", "malignant"],
        "malignant",
    )
    assert counts.sum("predicted").sel(entity="logreg").values.tolist() == [357, 212]
    assert counts.sel(entity="majority", predicted="malignant").sum() == 0
    assert counts.sel(entity="logreg", actual="malignant", predicted="benign") == 9
    risk = cases.loc[:, "prob_logreg":"prob_hgb"].groupby(cases["y_true"]).mean()
    assert (risk.loc["malignant"] > 0.75).all()
    assert (risk.loc["benign"] < 0.25).all()
