"""The positive class is known from standing pairs and from what the user says, never from the alphabet."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from click.testing import CliRunner

import bayesrank as br
from bayesrank._labels import standing_pair
from bayesrank._notes import Caveat
from bayesrank.cli import cli
from bayesrank.evidence.counts import parts_of
from bayesrank.ranking._notes import positive_class_notes

TRUTH = ["cancer"] * 12 + ["healthy"] * 20
SAID = {
    "bold": ["cancer"] * 11 + ["healthy"] + ["cancer"] * 9 + ["healthy"] * 11,
    "shy": ["cancer"] * 6 + ["healthy"] * 6 + ["cancer"] + ["healthy"] * 19,
}
UNKNOWN = br.from_predictions(TRUTH, SAID)
KNOWN = br.from_predictions(TRUTH, SAID, positive="cancer")
SYMMETRIC = ("accuracy", "mcc", "balanced_accuracy", "cohen_kappa", "informedness", "macro_f1", "g_mean")
OTHERS = ("f1", "sensitivity", "ppv", "jaccard", "npv", "f2", "net_benefit")


@pytest.mark.parametrize(
    "pair",
    [(0, 1), (-1, 1), (False, True), ("negative", "positive"), ("no", "yes"), ("NO", "Yes"), ("0", "1"), (-1.0, 1)],
)
def test_standing_pairs_in_any_order_and_case(pair):
    assert standing_pair(pair) == standing_pair(pair[::-1]) == pair
    y = [pair[1], pair[0], pair[0], pair[1]]
    counts = br.from_predictions(y, {"a": [pair[1], pair[0], pair[1], pair[1]]})
    assert br.scores.tpr(counts).item() == 1
    assert br.scores.ppv(counts).item() == 2 / 3


@pytest.mark.parametrize("pair", [("cancer", "healthy"), ("neg", "pos"), (1, 2), (0, 2), ("a", "b"), ("yes", "maybe")])
def test_other_pairs_have_no_positive_class(pair):
    assert standing_pair(pair) is None
    counts = br.from_predictions([pair[0], pair[1]] * 4, {"a": [pair[0]] * 4 + [pair[1]] * 4})
    assert br.scores.accuracy(counts).item() == 0.5
    with pytest.raises(ValueError, match="positive must name the positive class for f1"):
        br.scores.f1(counts)


@pytest.mark.parametrize("score", SYMMETRIC)
def test_scores_that_do_not_change_need_none(score):
    score = br.scores.get(score)
    assert score.is_symmetric
    np.testing.assert_allclose(score(UNKNOWN), score(KNOWN), rtol=1e-12)
    ranking = br.credible_ranking(br.fit(UNKNOWN, seed=1, draws=50), score)
    assert "positive class" not in ranking["notes"].item()


def test_which_scores_are_symmetric_is_what_their_formulas_say():
    rng = np.random.default_rng(3)
    tables = rng.dirichlet([0.7] * 4, 200).reshape(-1, 2, 2)
    for name in br.scores.catalog().index:
        score = br.scores.get(name)
        same = np.allclose(
            score.of_tables(tables), score.of_tables(tables[:, ::-1, ::-1]), rtol=1e-9, atol=1e-12, equal_nan=True
        )
        assert score.is_symmetric == same, name


DEMANDING = {
    "score": lambda source: br.scores.f1(source),
    "rank": lambda source: br.rank(source, "tpr"),
    "credible_ranking": lambda source: br.credible_ranking(source, "ppv"),
    "credible_ranking, method=auto": lambda source: br.credible_ranking(source, "f1", method="auto"),
    "score_table": lambda source: br.score_table(source, ["accuracy", "npv"]),
    "tile": lambda source: br.tile.credible(source, 5),
    "canonical_score": lambda source: br.canonical_score(source, 1.0, 0.5),
    "ranking_score": lambda source: br.ranking_score(source, br.importance(tp=1, fn=1)),
    "importance": lambda source: br.rank(source, br.importance(tp=1, fn=1)),
    "function": lambda source: br.rank(source, lambda tn, fp, fn, tp: tp),
    "utility": lambda source: br.decisions.expected_utility(source, {"tn": 0, "fp": -1, "fn": -9, "tp": 0}),
    "noninferiority": lambda source: br.decisions.noninferiority(source, "shy"),
    "at_prevalence": lambda source: br.at_prevalence(source, 0.1),
    "ops": lambda source: br.ops.of_draws(source, "f1"),
}


@pytest.mark.parametrize("name", DEMANDING)
@pytest.mark.parametrize("cases", [False, True])
def test_what_needs_a_positive_class_says_how_to_name_it(name, cases):
    def evidence(**how):
        return br.joint_outcomes(TRUTH, SAID, **how) if cases else br.from_predictions(TRUTH, SAID, **how)

    model = "paired" if cases else "dirichlet_multinomial"
    with pytest.raises(ValueError, match=r"positive='(healthy|cancer)' or positive='(healthy|cancer)'"):
        DEMANDING[name](br.fit(evidence(), model, seed=1, draws=50))
    DEMANDING[name](br.fit(evidence(positive="cancer"), model, seed=1, draws=50))


def test_exact_routes_ask_as_well():
    for call in (lambda c: br.credible_ranking(c, "f1", method="exact"), lambda c: br.score_posterior(c, "f1")):
        with pytest.raises(ValueError, match="positive must name"):
            call(UNKNOWN)
        call(KNOWN)
    with pytest.raises(ValueError, match="positive must name"):
        br.fit(UNKNOWN, prevalence=0.02, seed=1)
    with pytest.raises(ValueError, match="positive must name"):
        br.decisions.decision_curve(TRUTH, {"a": np.linspace(0, 1, 32)}, [0.2])
    curve = br.decisions.decision_curve(TRUTH, {"a": np.linspace(1, 0, 32)}, [0.2], positive="cancer", seed=1, draws=50)
    assert curve["observed"].sel(entity="a").item() > 0


def test_sensitivity_is_not_reversed():
    ranking = br.credible_ranking(br.fit(KNOWN, seed=1), "sensitivity")
    assert br.ranking_table(ranking).index[0] == "bold"
    assert br.scores.tpr(KNOWN).values.tolist() == [11 / 12, 0.5]
    turned = br.from_predictions(TRUTH, SAID, positive="healthy")
    assert br.scores.tnr(turned).values.tolist() == [11 / 12, 0.5]


def test_the_mark_survives_arithmetic_selection_files_and_posteriors(tmp_path):
    assert (KNOWN * 2).sel(entity=["shy"])["positive"].item() == "cancer"
    assert br.pool(KNOWN.expand_dims(dataset=["x"], axis=1))["positive"].item() == "cancer"
    KNOWN.to_netcdf(tmp_path / "counts.nc")
    kept = xr.load_dataarray(tmp_path / "counts.nc")
    np.testing.assert_array_equal(br.scores.f1(kept), br.scores.f1(KNOWN))
    for model in ("dirichlet_multinomial", "beta_binomial"):
        posterior = br.fit(KNOWN, model, seed=1, draws=20)
        posterior.to_netcdf(str(tmp_path / f"{model}.nc"))
        values = br.scores.f1(posterior)
        assert values["positive"].item() == "cancer"
        again = br.scores.f1(xr.load_dataset(tmp_path / f"{model}.nc", group="posterior"))
        np.testing.assert_allclose(again, values)
    joint = br.joint_outcomes(TRUTH, SAID, positive="cancer")
    assert joint["label"].values.tolist() == ["healthy", "cancer"]
    assert br.scores.f1(br.fit(joint, "paired", seed=1, draws=20))["positive"].item() == "cancer"
    assert "positive" not in br.one_vs_rest(KNOWN).coords


def test_matrices_are_put_in_order():
    table = [[20, 5], [3, 9]]
    one = br.from_matrix(table, "actual_rows", labels=[1, 0])
    assert br.scores.tpr(one).item() == 20 / 25
    frame = pd.DataFrame(table, ["ill", "well"], ["ill", "well"])
    with pytest.raises(ValueError, match="positive must name"):
        br.scores.tpr(br.from_matrix(frame, "actual_rows"))
    assert br.scores.tpr(br.from_matrix(frame, "actual_rows", positive="ill")).item() == 20 / 25
    assert br.scores.tpr(br.from_matrix(table, "actual_rows", labels=["well", "ill"])).item() == 9 / 12
    with pytest.raises(ValueError, match="positive must be left out for 3 classes"):
        br.from_matrix(np.eye(3, dtype=int), "actual_rows", positive=1)
    with pytest.raises(ValueError, match=r"positive must be one of the classes \['cancer', 'healthy'\]; got 'ill'"):
        br.from_predictions(TRUTH, SAID, positive="ill")


def test_unordered_categories_state_none():
    truth = pd.Series(TRUTH, dtype="category")
    assert "positive" not in br.from_predictions(truth, SAID).coords
    ordered = pd.Categorical(TRUTH, ["healthy", "cancer"], ordered=True)
    assert br.from_predictions(ordered, SAID)["positive"].item() == "cancer"


def test_the_note_is_a_caveat_where_it_changes_the_reading():
    [note] = positive_class_notes(KNOWN, br.scores.f1)
    assert note == "The positive class is 'cancer', the negative one 'healthy'."
    assert note.caveat is Caveat.POSITIVE_LABEL
    assert positive_class_notes(KNOWN, br.scores.mcc)[0].caveat is Caveat.NONE
    pair = br.from_predictions([0, 1], {"a": [0, 1]})
    assert positive_class_notes(pair, br.scores.f1)[0].caveat is Caveat.NONE
    assert positive_class_notes(br.from_counts(tn=1, fp=2, fn=3, tp=4), br.scores.f1) == []


@pytest.fixture
def path(tmp_path):
    where = tmp_path / "labels.csv"
    pd.DataFrame({"actual": TRUTH, **SAID}).to_csv(where, index=False)
    return str(where)


COMMANDS = {
    "rank": ["-s", "f1"],
    "scores": ["-s", "f1"],
    "tile": [],
    "ops": [],
    "decide": ["--benefit", "tn=0,fp=-1,fn=-9,tp=0"],
    "sensitivity": ["-s", "f1"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_and_states_it(command, path):
    arguments = [command, path, "--draws", "40", *COMMANDS[command]]
    refused = CliRunner().invoke(cli, arguments)
    assert refused.exit_code != 0
    assert "positive must name the positive class" in str(refused.exception)
    arguments += ["--positive", "cancer"]
    for output in ("table", "csv", "json"):
        result = CliRunner().invoke(cli, [*arguments, "--format", output], catch_exceptions=False)
        assert result.exit_code == 0
        if output == "table":
            assert "The positive class is 'cancer', the negative one 'healthy'." in " ".join(result.output.split())
        elif output == "csv":
            assert result.output.splitlines()[0].split(",")[-1] == "positive"
        else:
            assert json.loads(result.output)["positive"] == "cancer"


def test_report_and_board_state_it(path, tmp_path):
    report = tmp_path / "r.html"
    arguments = ["rank", path, "--draws", "40", "-s", "f1", "--positive", "cancer", "--format", "board"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert json.loads(result.output)["positive"] == "cancer"
    CliRunner().invoke(cli, ["report", *arguments[1:-2], "-o", str(report)], catch_exceptions=False)
    html = report.read_text(encoding="utf-8")
    assert "<dt>Classes</dt>" in html
    unknown = CliRunner().invoke(cli, ["rank", path, "--draws", "40", "-s", "mcc"], catch_exceptions=False)
    assert unknown.exit_code == 0
    assert "--positive cancer or --positive healthy says which" in " ".join(unknown.output.split())


def test_predictions_of_another_type_than_the_labels_are_refused():
    for truth, said in (([0, 1, 1], ["no", "yes", "no"]), (["a", "b", "b"], [0, 1, 0]), ([0, 1, 0], ["0", "1", "0"])):
        for make in (br.from_predictions, br.joint_outcomes):
            with pytest.raises(ValueError, match=r"predictions\['m'\] must hold labels as y_true has them"):
                make(truth, {"m": said})
    assert int(br.from_predictions([0, 1], {"m": [False, True]}).sum()) == 2


def test_the_parts_of_a_pool_know_the_positive_class():
    trees = br.datasets.load("utah_trees")
    pooled = br.pool(trees)
    assert parts_of(pooled)["positive"].item() == trees["positive"].item() == "present"
    ranking = br.credible_ranking(br.fit(pooled, seed=1, draws=50), "f1")
    np.testing.assert_allclose(ranking["observed"], br.scores.f1(pooled))


def test_labels_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match=r"labels must have the negative class first, \[0, 1\].*positive=0"):
        br.from_predictions([0, 0, 1, 1], {"a": [0, 1, 1, 1]}, labels=[1, 0])
    turned = br.from_predictions([0, 0, 1, 1], {"a": [0, 1, 1, 1]}, positive=0)
    assert br.scores.tpr(turned).item() == 0.5


def test_shipped_data_take_a_positive_class():
    run = ["rank", "breast_cancer", "--draws", "40", "-s", "f1", "--positive", "0"]
    found = json.loads(CliRunner().invoke(cli, [*run, "--format", "json"], catch_exceptions=False).output)
    assert found["positive"] == "0"
    assert "The positive class is '0', the negative one '1'." in found["verdict"]
    cases = br.datasets.load_cases("breast_cancer")
    classifiers = [name for name in cases if f"prob_{name}" in cases]
    counts = br.from_predictions(cases["y_true"], cases[classifiers], positive=0)
    table = br.ranking_table(br.credible_ranking(br.fit(counts, draws=40, seed=1), "f1", method="auto"))
    assert found["ranking"][0]["median"] == pytest.approx(table["median"].iloc[0], rel=1e-8)
    refused = CliRunner().invoke(cli, ["rank", "langchain_tool_use", "--positive", "1"])
    assert "--positive must be left out for outcomes" in str(refused.exception)


@pytest.mark.parametrize(("score", "stated"), [("mcc", False), ("f1", True)])
def test_a_note_on_the_positive_class_stands_where_a_score_depends_on_it(score, stated):
    run = ["rank", "breast_cancer", "--draws", "40", "--notes", "-s", score]
    assert ("The positive class is" in CliRunner().invoke(cli, run, catch_exceptions=False).output) == stated
