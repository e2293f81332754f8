"""The gate: known answers, error rates that do not depend on looks, formats, exit statuses, and refusals."""

import json
import os
import re
import subprocess
import sys
from math import comb, log
from pathlib import Path
from xml.etree import ElementTree as xml

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import betaln
from scipy.stats import binom, norm

import bayesrank as br
from bayesrank.decisions.gates import _Normal
from tests.commands import invoke, refused, run

ROOT = Path(br.__file__).parents[1]


def answers(both, old, new, neither):
    """Answers of an old and a new version: numbers of cases that both, one or neither got right."""
    sizes = [both, old, new, neither]
    return pd.DataFrame(
        {"old": np.repeat([1, 1, 0, 0], sizes), "new": np.repeat([1, 0, 1, 0], sizes)}
    )


def gate_of(frame, **options):
    return br.decisions.gate(br.fit(br.from_outcomes(frame), seed=1), "old", **options)


@pytest.mark.parametrize("looks", [1, 20, "any"])
def test_large_differences_are_seen_in_the_right_direction(looks):
    assert gate_of(answers(600, 120, 30, 250), looks=looks)["verdict"].item() == "worse"
    assert gate_of(answers(600, 30, 120, 250), looks=looks)["verdict"].item() == "not worse"
    assert gate_of(answers(600, 75, 75, 250), looks=looks)["verdict"].item() == "undecided"
    assert (
        gate_of(answers(600, 75, 75, 250), looks=looks, margin=0.1)["verdict"].item() == "not worse"
    )
    lower = gate_of(answers(600, 30, 120, 250), looks=looks, higher_is_better=False)
    assert lower["verdict"].item() == lower.attrs["verdict"] == "worse"


def test_one_look_is_the_paired_test():
    found = gate_of(answers(700, 120, 80, 100))
    # The variance of the mean of 200 differences of 1 or -1 among 1,000 cases; the prior counts as four cases.
    spread = np.sqrt((0.2 - 0.04**2) / 1000)
    assert found["difference"].item() == pytest.approx(-0.04, abs=0.001)
    assert found["upper"].item() == pytest.approx(-0.04 + 1.653 * spread, abs=0.001)
    assert found["p_worse"].item() == pytest.approx(1 - binom.cdf(119, 200, 0.5), abs=0.002)
    # A little above 1: each of the two is a p-value of a t-distribution, if it is small.
    assert 1 <= found["p_worse"].item() + found["p_not_worse"].item() < 1.001
    assert (found["cases"].item(), found["discordant"].item()) == (1000, 200)


def test_few_differences_bound_by_binomial_probabilities():
    same = gate_of(answers(400, 0, 0, 200), margin=0.01)
    assert same["p_not_worse"].item() == pytest.approx(0.99**600)
    assert same["lower"].item() == pytest.approx(-(1 - 0.05 ** (1 / 600)))
    assert same["verdict"].item() == "not worse"
    two = gate_of(answers(400, 2, 1, 197), margin=0.01)
    wanted = sum(comb(600, k) * 0.01**k * 0.99 ** (600 - k) for k in range(3))
    assert two["p_not_worse"].item() == pytest.approx(wanted)
    assert (
        gate_of(answers(15, 3, 0, 2))["verdict"].item() == "undecided"
    )  # the sign test has p = 1/8


def test_wealth_is_near_the_bayes_factor_and_never_grows_in_expectation():
    """A fair coin: the mean of the wealth over all outcomes of n tosses is 1."""
    n, total = 12, 0.0
    for worse in range(n + 1):
        posterior = br.fit(br.from_outcomes(answers(5, worse, n - worse, 5)), seed=1, draws=10)
        p = br.decisions.gate(posterior, "old", looks="any")["p_worse"].item()
        total += comb(n, worse) / 2**n * min(1 / p, np.inf) * (p < 1)
    assert 0.1 < total <= 1
    a, b = 130, 70
    found = gate_of(answers(700, a, b, 100), looks="any")["p_worse"].item()
    bayes = betaln(a + 0.5, b + 0.5) - betaln(0.5, 0.5) + (a + b) * log(2)
    assert -log(found) == pytest.approx(bayes, abs=2)


def test_bounds_are_where_the_verdict_changes():
    frame = answers(700, 120, 60, 120)
    found = gate_of(frame, looks="any")
    for end, verdicts in (("upper", ("worse", "undecided")), ("lower", ("undecided", "not worse"))):
        for shift, verdict in zip((-1e-4, 1e-4), verdicts, strict=True):
            margin = -found[end].item() + shift
            assert gate_of(frame, looks="any", margin=margin)["verdict"].item() == verdict


@pytest.mark.slow
def test_equal_versions_are_seldom_called_worse():
    rng, worse = np.random.default_rng(4), dict.fromkeys([1, 20, "any"], 0)
    for _ in range(40):
        differ = rng.multinomial(300, [0.5, 0.1, 0.1, 0.3])
        posterior = br.fit(br.from_outcomes(answers(*differ)), seed=1, draws=250)
        for looks in worse:
            worse[looks] += (
                br.decisions.gate(posterior, "old", looks=looks)["verdict"].item() == "worse"
            )
    assert max(worse.values()) <= binom.ppf(0.9999, 40, 0.05)
    assert worse[20] <= worse[1]


@pytest.mark.parametrize("looks", [1, "any"])
def test_versions_without_a_common_case_may_differ_by_all(looks):
    frame = pd.DataFrame({"old": [1, 0, 1, np.nan, np.nan], "new": [np.nan, np.nan, np.nan, 1, 0]})
    found = br.decisions.gate(
        br.fit(br.from_outcomes(frame, missing="own"), seed=1), "old", looks=looks
    )
    assert (found["lower"].item(), found["upper"].item()) == pytest.approx((-1, 1))
    assert found["verdict"].item() == "undecided"


def test_several_versions_are_judged_jointly():
    frame = answers(600, 110, 80, 210).assign(
        same=lambda held: held["old"], other=lambda held: held["new"]
    )
    alone, jointly = gate_of(frame[["old", "new"]]), gate_of(frame)
    assert jointly["entity"].values.tolist() == ["new", "same", "other"]
    assert jointly["p_worse"].sel(entity="new").item() > alone["p_worse"].item()
    assert jointly["upper"].sel(entity="new").item() > alone["upper"].item()


def test_other_scores_and_unpaired_counts():
    counts = br.from_counts(
        tn=[800, 700], fp=[20, 120], fn=[30, 60], tp=[150, 120], entity=["old", "new"]
    )
    posterior = br.fit(counts, seed=1)
    found = br.decisions.gate(posterior, "old", "f1")
    assert found["verdict"].item() == "worse"
    assert np.isnan(found["discordant"].item())
    assert "Worse: new is worse than old" in br.verdict(found)[0]
    for score in ("f1", None):
        with pytest.raises(ValueError, match=r"score|paired"):
            br.decisions.gate(posterior, "old", score, looks="any")


def test_any_number_of_looks_needs_a_mean_over_paired_cases():
    frame = answers(60, 12, 8, 20)
    clusters = br.fit(br.from_outcomes(frame, cluster=np.arange(100) // 4), seed=1)
    grades = br.fit(br.from_outcomes(frame * 3.5 + 0.25), seed=1)
    labels = br.fit(br.joint_outcomes(np.arange(100) % 2, frame), seed=1)
    for posterior, score, why in ((clusters, None, "clusters"), (labels, "f1", "no mean")):
        with pytest.raises(ValueError, match=why):
            br.decisions.gate(posterior, "old", score, looks="any")
    assert br.decisions.gate(grades, "old")["verdict"].item() == "undecided"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -0.1}, "margin must be"),
        ({"looks": 0}, "looks must be"),
        ({"looks": "many"}, "looks must be"),
        ({"prob": 1}, "prob must lie"),
        ({"score": "f1"}, "score"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        gate_of(answers(60, 12, 8, 20), **options)


def test_the_baseline_must_be_there():
    posterior = br.fit(br.from_outcomes(answers(60, 12, 8, 20)), seed=1)
    with pytest.raises(KeyError, match="baseline must be one of"):
        br.decisions.gate(posterior, "older")
    with pytest.raises(ValueError, match="must contain draws"):
        br.decisions.gate(
            br.from_counts(tn=[9, 8], fp=[1, 2], fn=[2, 2], tp=[8, 8], entity=["old", "b"]),
            "old",
            "f1",
        )


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """Files of cases: base; equal; worse; close, without the last cases; another order of rows changes nothing."""
    rng = np.random.default_rng(2)
    right = rng.random(500) < 0.7
    case = [f"q{i}" for i in range(500)]
    category = np.where(np.arange(500) % 4, "math", "code")
    flip = lambda share: np.where(rng.random(500) < share, ~right, right)  # noqa: E731
    versions = {
        "base": right,
        "equal": right,
        "bad": right & (rng.random(500) < 0.85),
        "close": flip(0.04),
    }
    # As many cases get better as get worse.
    versions["near"] = right ^ np.isin(
        np.arange(500), [*np.flatnonzero(right)[:8], *np.flatnonzero(~right)[:8]]
    )
    for name, values in versions.items():
        frame = pd.DataFrame({"case": case, "category": category, "outcome": values.astype(int)})
        frame.iloc[: 480 if name == "close" else None].sample(frac=1, random_state=1).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    return tmp_path


def test_exit_statuses(files):
    base, status = files / "base.csv", lambda *words: run("gate", *words).exit_code
    assert status(base, files / "bad.csv") == 1
    assert status(base, files / "equal.csv", "--margin", 0.01) == 0
    assert status(base, files / "equal.csv", "--fail-on", "undecided") == 0
    assert status(base, files / "near.csv") == 0
    assert status(base, files / "near.csv", "--fail-on", "undecided") == 3
    assert status(base, files / "bad.csv", files / "near.csv", "--fail-on", "undecided") == 1
    assert "mean outcome" in run("gate", base, files / "bad.csv").output
    assert (
        len(run("gate", base, files / "bad.csv", "--by", "category").output.strip().splitlines())
        == 1
    )


def test_lost_cases_and_the_worst_group_are_named(files):
    words = (
        "gate",
        files / "base.csv",
        files / "close.csv",
        "--by",
        "category",
        "--missing",
        "common",
    )
    said = " ".join(run(*words).output.split())
    assert "left out: 20 of 500 cases" in said
    assert "Worst category of close: " in said
    assert "of 480 cases)" in said


def test_formats(files):
    words = ("gate", files / "base.csv", files / "bad.csv", files / "near.csv", "--format")
    held = json.loads(run(*words, "json").output)
    assert held["verdict"] == "worse"
    assert [one["verdict"] for one in held["entities"]] == ["worse", "undecided"]
    suite = xml.fromstring(run(*words, "junit").output.encode())
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "2", "failures": "1", "skipped": "1",
    }  # fmt: skip
    text = run(*words, "markdown", "--by", "category").output
    assert text.startswith("**Worse: bad is worse than base")
    assert "| bad | worse |" in text


def test_one_version_may_have_the_name_of_the_other(tmp_path, files):
    rows = pd.read_csv(files / "base.csv").assign(model="m")
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        rows.to_csv(tmp_path / folder / "run.csv", index=False)
    said = run(
        "gate", tmp_path / "one" / "run.csv", tmp_path / "two" / "run.csv", "--margin", 0.05
    ).output
    assert "m (new) is not worse than m" in " ".join(said.split())


def test_refusals_of_the_command(files, tmp_path):
    base = files / "base.csv"
    (tmp_path / "other.csv").write_text("case,outcome\nz1,1\nz2,0\n")
    (tmp_path / "counts.csv").write_text("entity,correct,total\nm,7,9\n")
    wide = pd.read_csv(base).rename(columns={"outcome": "m"}).assign(k=1)
    wide[["case", "m", "k"]].to_csv(tmp_path / "two.csv", index=False)
    assert "must contain cases of BASE" in refused("gate", base, tmp_path / "other.csv")
    assert "must have the columns of BASE" in refused("gate", base, tmp_path / "counts.csv")
    assert "BASE must contain one entity" in refused("gate", tmp_path / "two.csv", base)
    assert "--by must name a column" in refused("gate", base, files / "bad.csv", "--by", "topic")
    assert "--looks must be" in refused("gate", base, files / "bad.csv", "--looks", "no")
    assert "any" in refused(
        "gate", tmp_path / "counts.csv", tmp_path / "counts.csv", "--looks", "any"
    )


def write_cases(path, outcomes, heading="case,outcome"):
    """Write a file of cases q0, q1, ...; None leaves the case out, "" leaves the field empty."""
    rows = [f"q{i},{value}" for i, value in enumerate(outcomes) if value is not None]
    path.write_text("\n".join([heading, *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def lacking(tmp_path):
    """The files of four versions that lack answers, beside their base, by the number of answers that they lack.

    Of 400 cases only 40 are there, all passes; of 2,000 cases 135 that would be wrong are not there, empty, or have
    timed out.
    """
    rng = np.random.default_rng(3)
    few = (rng.random(400) < 0.6).astype(int).tolist()
    passes = np.flatnonzero(few)[:40].tolist()
    many = (rng.random(2000) < 0.9).astype(int)
    new = np.where(rng.random(2000) < 0.05, 1 - many, many)
    lost = set(np.flatnonzero(new == 0)[:135].tolist())
    base = [write_cases(tmp_path / f"base{n}.csv", held) for n, held in ((400, few), (2000, many))]
    absent = [None if i in lost else v for i, v in enumerate(new)]
    empty = ["" if i in lost else v for i, v in enumerate(new)]
    timed = [",timeout" if i in lost else f"{v},ok" for i, v in enumerate(new)]
    return {
        "passes": (
            base[0],
            write_cases(tmp_path / "passes.csv", [1 if i in passes else None for i in range(400)]),
            360,
        ),
        "absent": (base[1], write_cases(tmp_path / "absent.csv", absent), 135),
        "empty": (base[1], write_cases(tmp_path / "empty.csv", empty), 135),
        "timed": (base[1], write_cases(tmp_path / "timed.csv", timed, "case,outcome,status"), 135),
    }


@pytest.mark.parametrize("form", ["line", "json", "markdown", "junit"])
@pytest.mark.parametrize("which", ["passes", "absent", "empty", "timed"])
def test_missing_answers_stop_the_gate_in_every_format(lacking, which, form):
    base, new, number = lacking[which]
    result = run("gate", base, new, "--format", form)
    assert result.exit_code == 1  # of the exception: the command ends with 2
    message = str(result.exception)
    assert f"no answer of {which} to {number} of " in message
    assert "--missing wrong" in message
    assert "--missing common" in message
    if form == "json":
        held = json.loads(result.output)
        assert held["verdict"] == "stopped"
        assert held["missing"][which]["number"] == number
    elif form == "markdown":
        assert result.output.startswith(f"**Stopped: Missing answers: {which} {number} of ")
    elif form == "junit":
        suite = xml.fromstring(result.output.encode())
        assert (suite.get("errors"), suite.get("failures")) == ("1", "0")
        assert f"{which} {number} of " in suite.find("testcase/error").get("message")


@pytest.mark.parametrize("which", ["passes", "absent", "empty", "timed"])
def test_missing_answers_count_as_wrong_or_leave_the_case_out(lacking, which):
    base, new, number = lacking[which]
    wrong = run("gate", base, new, "--missing", "wrong")
    assert wrong.exit_code == 1
    assert "They count as wrong" in " ".join(wrong.output.split())
    common = run("gate", base, new, "--missing", "common")
    said, total = " ".join(common.output.split()), 400 if which == "passes" else 2000
    assert f"Missing answers: {which} {number} of {total:,} (" in said
    assert f"Only the {total - number:,} cases that all versions answered count." in said
    assert common.exit_code == (0 if which == "passes" else 1)
    reason = {"empty": "no outcome", "timed": "timeout"}.get(which, "not in the file")
    assert f"({reason})" in said


@pytest.mark.parametrize("form", ["json", "markdown", "junit"])
def test_every_format_counts_the_missing_answers(lacking, form):
    base, new, _ = lacking["absent"]
    for missing, words in (("wrong", "They count as wrong."), ("common", "Only the 1,865 cases")):
        said = run("gate", base, new, "--missing", missing, "--format", form).output
        assert "absent 135 of 2,000 (not in the file)" in said.replace("\\", "")
        assert words in said


def test_the_baseline_must_have_answers_too(lacking):
    base, new, _ = lacking["absent"]
    result = run("gate", new, base)
    assert "no answer of absent to 135 of 2,000" in str(result.exception)


def test_a_missing_answer_is_wrong_as_the_outcome_zero_is(lacking, tmp_path):
    base, new, _ = lacking["absent"]
    held = pd.read_csv(base)[["case"]].merge(pd.read_csv(new), "left").fillna(0)
    held.to_csv(tmp_path / "absent_filled.csv", index=False)
    (tmp_path / "other").mkdir()
    filled = tmp_path / "other" / "absent.csv"
    held.assign(outcome=held["outcome"].astype(int)).to_csv(filled, index=False)
    first, second = (
        json.loads(run("gate", base, *words, "--format", "json").output)["entities"][0]
        for words in ((new, "--missing", "wrong"), (filled,))
    )
    assert first == second


def test_missing_outcomes_that_no_number_makes_wrong_ask_for_one(tmp_path):
    base = write_cases(tmp_path / "base.csv", [1, 5, 3, 4, 2, 5])
    new = write_cases(tmp_path / "new.csv", [1, 5, 3, 4, 2, None])
    assert "--missing 1 counts a missing answer as the worst" in refused(
        "gate", base, new, "--missing", "wrong"
    )
    assert "They count as 1." in " ".join(run("gate", base, new, "--missing", 1).output.split())
    lower = ("gate", base, new, "--lower-is-better", "--missing", "wrong")
    assert "--missing 5 counts a missing answer as the worst" in refused(*lower)
    assert "must be wrong, common or a number" in refused("gate", base, new, "--missing", "own")


@pytest.mark.parametrize(
    ("truth", "kind", "score"),
    [("01", "predicted", "f1"), ("abc", "predicted", "accuracy"), ("01", "prob", "brier")],
)
def test_missing_labels_and_probabilities(tmp_path, truth, kind, score):
    rng = np.random.default_rng(5)
    actual = rng.choice(list(truth), 200)
    right = rng.random(200) < 0.8
    other = dict(zip(truth, [*truth[1:], truth[0]], strict=True))
    labels = [a if ok else other[a] for a, ok in zip(actual, right, strict=True)]
    values = labels if kind == "predicted" else [f"{0.2 + 0.6 * int(label)}" for label in labels]
    heading = f"case,actual,{kind}"
    base = write_cases(
        tmp_path / "base.csv", [f"{a},{v}" for a, v in zip(actual, values, strict=True)], heading
    )
    kept = [f"{a},{v}" if ok else None for a, v, ok in zip(actual, values, right, strict=True)]
    new = write_cases(tmp_path / "new.csv", kept, heading)
    words = ("gate", base, new, "--score", score)
    assert "no answer of new to " in refused(*words)
    assert run(*words, "--missing", "common").exit_code == 0
    wrong = json.loads(run(*words, "--missing", "wrong", "--format", "json").output)["entities"][0]
    if kind == "prob":  # a probability of 0 or 1 on the wrong side is worse than 0.2 or 0.8
        assert wrong["verdict"] == "worse"
    else:  # as wrong as before
        assert wrong["difference"] == pytest.approx(0, abs=1e-9)


def write_log(folder, cases, lost=(), broken=False):
    """A folder with one log; the cases in ``lost`` are not in it, and beside it may be a link that leads nowhere."""
    folder.mkdir()
    rows = [
        {"task_id": i, "reward": float(i % 3 > 0), "info": {}}
        for i in range(cases)
        if i not in lost
    ]
    (folder / "m.json").write_text(json.dumps(rows))
    if broken:
        (folder / "second.json").symlink_to(folder / "nowhere.json")
    return folder


def test_logs_that_lack_cases_or_cannot_be_read_stop_the_gate(tmp_path):
    base = write_log(tmp_path / "base", 60)
    short = write_log(tmp_path / "short", 60, range(10))
    assert "no answer of m (new) to 10 of 60" in refused("gate", base, short)
    broken = write_log(tmp_path / "broken", 60, broken=True)
    for form in ("line", "json", "markdown", "junit"):
        result = run("gate", base, broken, "--format", form)
        assert "files that cannot be read: " in str(result.exception)
        assert "--errors skip goes on without these files" in str(result.exception)
        assert form == "line" or "Files that cannot be read: 1 (" in result.output.replace("\\", "")
        passed = run("gate", base, broken, "--format", form, "--missing", "common")
        assert passed.exit_code == 0
        assert "Files that cannot be read: 1 (" in passed.output.replace("\\", "")


def test_runs_that_broke_off_are_missing_answers(tmp_path):
    """Of five runs of a case some have no outcome, or no row; a run that no case has was never made."""
    rng = np.random.default_rng(8)
    rows = [
        (f"q{i}", run, int(run == i % 5 or rng.random() < 0.3))
        for i in range(60)
        for run in range(5)
    ]
    base = pd.DataFrame(rows, columns=["case", "run", "outcome"])
    passes, lost = base["outcome"] == 1, int((base["outcome"] == 0).sum())
    versions = {"base": base, "fewer": base[base["run"] < 4], "short": base[passes]}
    versions["broken"] = base.assign(outcome=base["outcome"].where(passes))
    paths = {name: tmp_path / f"{name}.csv" for name in versions}
    for name, frame in versions.items():
        frame.to_csv(paths[name], index=False)
    assert run("gate", paths["base"], paths["fewer"], "--margin", 0.2).exit_code == 0
    for name, why in (("broken", "no outcome"), ("short", "runs not in the file")):
        words = ("gate", paths["base"], paths[name])
        assert re.search(rf"no answer of {name} to {lost} of 300 \(.*{why}\)", refused(*words))
        found = json.loads(run(*words, "--missing", "wrong", "--format", "json").output)[
            "entities"
        ][0]
        assert (found["verdict"], found["identical"]) == ("not worse", "outcomes")


def test_counts_of_different_numbers_of_cases_are_named(tmp_path):
    (tmp_path / "base.csv").write_text("correct,total\n380,400\n")
    (tmp_path / "new.csv").write_text("correct,total\n40,40\n")
    for form in ("line", "json", "markdown", "junit"):
        said = run("gate", tmp_path / "base.csv", tmp_path / "new.csv", "--format", form).output
        assert "The numbers of cases differ (base 400, new 40)" in said.replace("\\", "")


def test_outcomes_whose_heading_names_losses_need_a_direction(tmp_path):
    base = write_cases(tmp_path / "base.csv", [1.5, 2, 1, 2.5] * 20, "case,loss")
    new = write_cases(tmp_path / "new.csv", [2.5, 3, 2, 3.5] * 20, "case,loss")
    assert "--lower-is-better prefers low ones" in refused("gate", base, new)
    assert run("gate", base, new, "--lower-is-better").exit_code == 1
    assert run("gate", base, new, "--higher-is-better").exit_code == 0
    assert "cannot be used with" in refused(
        "gate", base, new, "--lower-is-better", "--higher-is-better"
    )


@pytest.mark.parametrize(
    "heading",
    [
        "case,score",
        "id,score",
        "question,correct",
        "case_id,is_correct",
        "task,passed",
        "item,grade",
        "case,correct",
    ],
)
def test_the_gate_reads_the_headings_that_rank_reads(tmp_path, heading):
    base, new = [1] * 60 + [0] * 40, [1] * 30 + [0] * 70
    paths = [
        write_cases(tmp_path / f"{name}.csv", held, heading)
        for name, held in (("a", base), ("b", new))
    ]
    assert run("gate", *paths).exit_code == 1
    assert run("gate", *paths[::-1]).exit_code == 0
    other = write_cases(
        tmp_path / "c.csv", new, "case,outcome"
    )  # each file may have headings of its own
    assert run("gate", paths[0], other).exit_code == 1


def test_the_gate_reads_labels(tmp_path):
    rows = [["1,1"] * 40 + ["0,0"] * 60, ["1,1"] * 20 + ["1,0"] * 20 + ["0,0"] * 60]
    paths = [
        write_cases(tmp_path / f"{name}.csv", held, "case,y_true,y_pred")
        for name, held in zip("ab", rows, strict=True)
    ]
    assert "Worse: b is worse than a (F1" in " ".join(
        run("gate", *paths, "--score", "f1").output.split()
    )


def test_errors_of_a_file_are_those_of_rank(tmp_path):
    text = "case,difficulty,m\n" + "".join(f"q{i},{5 + i % 7},{i % 2}\n" for i in range(30))
    path = tmp_path / "m.csv"
    path.write_text(text)
    message = refused("gate", path, path)
    assert "'difficulty' is probably not an entity" in message
    assert message == refused("rank", path)
    assert run("gate", path, path, "--ignore", "difficulty").exit_code == 0
    plain = write_cases(tmp_path / "plain.csv", [1, 0])
    assert "--ignore must name a column of" in refused("gate", plain, plain, "--ignore", "topic")


@pytest.mark.parametrize("name", ["run", "n", "case", "count", "id", "b\udcff"])
def test_a_file_of_any_name_is_a_version(tmp_path, name):
    try:
        path = write_cases(tmp_path / f"{name}.csv", [1, 0] * 30)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such name")
    base = write_cases(tmp_path / "base.csv", [1, 1] * 30)
    assert run("gate", path, base).exit_code == 0
    # A name that is no text of UTF-8 is written in every format.
    for form in ("line", "json", "markdown", "junit") if not name.isalpha() else ("line",):
        result = run("gate", base, path, "--format", form)
        assert result.exit_code == 1, result.output


def test_a_version_in_a_comment_notifies_nobody(tmp_path):
    base = write_cases(tmp_path / "main.csv", [1] * 60)
    new = write_cases(tmp_path / "@octocat.csv", [0] * 60)
    said = run("gate", base, new, "--format", "markdown").output
    assert "@octocat" not in said
    assert "octocat" in said


@pytest.mark.parametrize("score", ["f1", "mcc", "informedness", "accuracy", "tpr", "ppv"])
@pytest.mark.parametrize("options", [{}, {"looks": 4}, {"margin": 0.01}])
def test_identical_predictions_pass(score, options):
    rng = np.random.default_rng(1)
    actual, predicted = rng.integers(0, 2, 120), rng.integers(0, 2, 120)
    joint = br.joint_outcomes(actual, {"old": predicted, "new": predicted, "other": 1 - predicted})
    found = br.decisions.gate(br.fit(joint, seed=1), "old", score, **options)
    same = found.sel(entity="new")
    assert (same["verdict"].item(), same["identical"].item(), same["needed"].item()) == (
        "not worse",
        "answers",
        0,
    )
    assert same["difference"].item() == 0
    assert found["identical"].sel(entity="other").item() == ""


def test_identical_versions_pass_in_words(tmp_path):
    base, new = (
        write_cases(tmp_path / f"{n}.csv", ["1,1", "1,0", "0,0"] * 30, "case,actual,predicted")
        for n in "ab"
    )
    result = run("gate", base, new, "--score", "f1", "--fail-on", "undecided")
    said = " ".join(result.output.split())
    assert result.exit_code == 0
    assert (
        "Not worse: b is not worse than a (the two versions gave identical answers on all 90 cases)."
        in said
    )
    assert "more cases" not in said
    junit = run("gate", base, new, "--score", "f1", "--format", "junit").output
    assert "the two versions gave identical answers on all 90 cases" in junit


def test_versions_are_identical_where_the_score_looks():
    rng = np.random.default_rng(2)
    actual = np.repeat([0, 1, 2], 40)
    old = np.where(rng.random(120) < 0.6, actual, (actual + 1) % 3)
    new = np.where(
        old == actual, old, (actual + 2) % 3
    )  # the same cases are wrong, with another label
    posterior = br.fit(br.joint_outcomes(actual, {"old": old, "new": new}), seed=1)
    assert br.decisions.gate(posterior, "old", "accuracy")["identical"].item() == "errors"
    assert br.decisions.gate(posterior, "old", "cohen_kappa")["identical"].item() == ""
    truth, base = np.repeat([0, 1], 60), rng.integers(0, 2, 120)
    other = np.where(truth == 1, base, 1 - base)  # the answers to positive cases are the same
    posterior = br.fit(br.joint_outcomes(truth, {"old": base, "new": other}), seed=1)
    for score, what in (
        ("tpr", "positive"),
        ("fnr", "positive"),
        ("tnr", ""),
        ("f1", ""),
        ("accuracy", ""),
    ):
        assert br.decisions.gate(posterior, "old", score)["identical"].item() == what
    swapped = br.fit(br.joint_outcomes(1 - truth, {"old": base, "new": other}), seed=1)
    assert br.decisions.gate(swapped, "old", "tnr")["identical"].item() == "negative"
    assert (
        "identical answers on all positive cases"
        in br.verdict(br.decisions.gate(posterior, "old", "tpr"))[0]
    )


def test_one_differing_case_is_not_identical():
    frame = answers(60, 0, 1, 39)
    assert gate_of(frame)["identical"].item() == ""
    assert gate_of(frame)["verdict"].item() == "undecided"
    assert gate_of(answers(60, 0, 0, 40))["identical"].item() == "outcomes"


def test_a_shell_script_stops_at_a_worse_version(files):
    """The script of the page on CI: it stops at exit status 1, and writes the comment; it does not stop at status 0."""
    equal = invoke("gate", files / "base.csv", files / "equal.csv", "--margin", "0.01", status=0)
    assert "Not worse: equal" in equal
    script = f"""set -e
{sys.executable} -m bayesrank gate base.csv bad.csv --format markdown > comment.md
echo merged
"""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=files,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "merged" not in done.stdout
    assert (files / "comment.md").read_text().startswith("**Worse: bad")


@pytest.mark.parametrize(("worse", "exact"), [(5, True), (6, False)])
def test_fewer_than_ten_cases_that_differ_are_judged_without_draws(worse, exact):
    frame = answers(400, worse, 4, 196 - worse)
    found = [
        br.decisions.gate(br.fit(br.from_outcomes(frame), seed=seed), "old", margin=0.02)[
            "p_not_worse"
        ].item()
        for seed in (1, 2)
    ]
    assert (found[0] == found[1]) is exact


@pytest.mark.parametrize(("difference", "spread"), [(0.0, 0.1), (0.1, 0.0)])
def test_no_number_of_cases_decides_without_a_difference_or_without_variation(difference, spread):
    assert _Normal(difference, spread, np.inf, 1.0).needed(0.0, 100, 0.05) == np.inf
    assert _Normal(0.1, 0.1, np.inf, 1.0).needed(0.0, 100, 0.05) == np.ceil(
        100 * (norm.ppf(0.8) - norm.ppf(0.05)) ** 2 - 100
    )


# --- The worst group and the gap --------------------------------------------------------------------------------------


def gate_over_groups(right, total, aggregate, margin=0.0, model="dirichlet_multinomial"):
    """The gate of the second entity against the first one, from right answers (entity, group)."""
    names = {
        "entity": ["e0", "e1"],
        "group": [f"g{j}" for j in range(right.shape[1])],
        "outcome": [0, 1],
    }
    counts = xr.DataArray(np.stack([total - right, right], -1), names, [*names], name="counts")
    counts = counts.assign_coords(measured=(("entity", "group"), np.ones(right.shape, bool)))
    over = br.performance.aggregate_over(
        br.fit(counts, model, seed=1, draws=500), "group", aggregate
    )
    return br.decisions.gate(over, "e0", margin=margin)


@pytest.mark.parametrize("model", [None, "dirichlet_multinomial"])
def test_equal_worst_groups_and_gaps_of_unequal_profiles_are_not_worse_by_their_draws(model):
    """The draws of an even profile of the same worst group, or the same gap, are far worse."""
    uneven, even = np.array([600] + [900] * 11), np.full(12, 605)
    even[0] = 595
    found = gate_over_groups(np.array([uneven, even]), 1000, "worst", model=model)
    assert found["verdict"].item() == "undecided"
    assert found["difference"].item() == pytest.approx(-0.005)
    assert found["lower"].item() < -0.005 < found["upper"].item()
    assert np.isnan(found["needed"].item())
    wide, even = np.array([800, 600] + [700] * 10), np.array([800] * 6 + [600] * 6)
    assert (
        gate_over_groups(np.array([wide, even]), 1000, "gap", model=model)["verdict"].item()
        == "undecided"
    )


@pytest.mark.parametrize(
    ("aggregate", "second"), [("worst", [500, 900, 900]), ("gap", [950, 500, 700])]
)
def test_a_worse_group_and_a_larger_gap_are_worse_and_a_margin_forgives(aggregate, second):
    right = np.array([[650, 800, 850], second])
    found = gate_over_groups(right, 1000, aggregate)
    assert found["verdict"].item() == "worse"
    worse = -found["lower"].item()
    assert gate_over_groups(right, 1000, aggregate, worse + 0.01)["verdict"].item() == "not worse"
    assert (
        gate_over_groups(right, 1000, aggregate, -found["difference"].item())["verdict"].item()
        == "undecided"
    )
    # The bounds invert the test.
    inside = gate_over_groups(right, 1000, aggregate, worse - 0.002)
    assert (
        inside["p_not_worse"].item()
        > 0.05
        > gate_over_groups(right, 1000, aggregate, worse + 0.002)["p_not_worse"]
    )
