"""The gate: known answers, error rates that do not depend on looks, formats, exit statuses, and refusals."""

import json
import os
import re
import subprocess
import sys
import textwrap
from math import comb, log
from pathlib import Path
from xml.etree import ElementTree as xml

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaln
from scipy.stats import binom, norm

import bayesrank as br
from bayesrank.decisions.gates import _Normal
from tests.commands import refused, run

ROOT = Path(br.__file__).parents[1]


def answers(both, old, new, neither):
    """Answers of an old and a new version: numbers of cases that both, one or neither got right."""
    sizes = [both, old, new, neither]
    return pd.DataFrame({"old": np.repeat([1, 1, 0, 0], sizes), "new": np.repeat([1, 0, 1, 0], sizes)})


def gate_of(frame, **options):
    return br.decisions.gate(br.fit(br.from_outcomes(frame), seed=1), "old", **options)


@pytest.mark.parametrize("looks", [1, 20, "any"])
def test_large_differences_are_seen_in_the_right_direction(looks):
    assert gate_of(answers(600, 120, 30, 250), looks=looks)["verdict"].item() == "worse"
    assert gate_of(answers(600, 30, 120, 250), looks=looks)["verdict"].item() == "not worse"
    assert gate_of(answers(600, 75, 75, 250), looks=looks)["verdict"].item() == "undecided"
    assert gate_of(answers(600, 75, 75, 250), looks=looks, margin=0.1)["verdict"].item() == "not worse"
    lower = gate_of(answers(600, 30, 120, 250), looks=looks, higher_is_better=False)
    assert lower["verdict"].item() == lower.attrs["verdict"] == "worse"


def test_one_look_is_the_paired_test():
    found = gate_of(answers(700, 120, 80, 100))
    # The variance of the mean of 200 differences of 1 or -1 among 1,000 cases; the prior counts as four cases.
    spread = np.sqrt((0.2 - 0.04**2) / 1000)
    assert found["difference"].item() == pytest.approx(-0.04, abs=0.001)
    assert found["upper"].item() == pytest.approx(-0.04 + 1.653 * spread, abs=0.001)
    assert found["p_worse"].item() == pytest.approx(1 - binom.cdf(119, 200, 0.5), abs=0.002)
    assert found["p_worse"].item() + found["p_not_worse"].item() == pytest.approx(1)
    assert (found["cases"].item(), found["discordant"].item()) == (1000, 200)


def test_few_differences_bound_by_binomial_probabilities():
    same = gate_of(answers(400, 0, 0, 200), margin=0.01)
    assert same["p_not_worse"].item() == pytest.approx(0.99**600)
    assert same["lower"].item() == pytest.approx(-(1 - 0.05 ** (1 / 600)))
    assert same["verdict"].item() == "not worse"
    two = gate_of(answers(400, 2, 1, 197), margin=0.01)
    wanted = sum(comb(600, k) * 0.01**k * 0.99 ** (600 - k) for k in range(3))
    assert two["p_not_worse"].item() == pytest.approx(wanted)
    assert gate_of(answers(15, 3, 0, 2))["verdict"].item() == "undecided"  # the sign test has p = 1/8


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


def test_equal_versions_are_seldom_called_worse():
    rng, worse = np.random.default_rng(4), dict.fromkeys([1, 20, "any"], 0)
    for _ in range(40):
        differ = rng.multinomial(300, [0.5, 0.1, 0.1, 0.3])
        posterior = br.fit(br.from_outcomes(answers(*differ)), seed=1, draws=250)
        for looks in worse:
            worse[looks] += br.decisions.gate(posterior, "old", looks=looks)["verdict"].item() == "worse"
    assert max(worse.values()) <= binom.ppf(0.9999, 40, 0.05)
    assert worse[20] <= worse[1]


@pytest.mark.parametrize("looks", [1, "any"])
def test_versions_without_a_common_case_may_differ_by_all(looks):
    frame = pd.DataFrame({"old": [1, 0, 1, np.nan, np.nan], "new": [np.nan, np.nan, np.nan, 1, 0]})
    found = br.decisions.gate(br.fit(br.from_outcomes(frame, missing="own"), seed=1), "old", looks=looks)
    assert (found["lower"].item(), found["upper"].item()) == pytest.approx((-1, 1))
    assert found["verdict"].item() == "undecided"


def test_several_versions_are_judged_jointly():
    frame = answers(600, 110, 80, 210).assign(same=lambda held: held["old"], other=lambda held: held["new"])
    alone, jointly = gate_of(frame[["old", "new"]]), gate_of(frame)
    assert jointly["entity"].values.tolist() == ["new", "same", "other"]
    assert jointly["p_worse"].sel(entity="new").item() > alone["p_worse"].item()
    assert jointly["upper"].sel(entity="new").item() > alone["upper"].item()


def test_other_scores_and_unpaired_counts():
    counts = br.from_counts(tn=[800, 700], fp=[20, 120], fn=[30, 60], tp=[150, 120], entity=["old", "new"])
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
    with pytest.raises(ValueError, match="must hold draws"):
        br.decisions.gate(br.from_counts(tn=[9, 8], fp=[1, 2], fn=[2, 2], tp=[8, 8], entity=["old", "b"]), "old", "f1")


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """Files of cases: base; equal; worse; close, without the last cases; another order of rows changes nothing."""
    rng = np.random.default_rng(2)
    right = rng.random(500) < 0.7
    case = [f"q{i}" for i in range(500)]
    category = np.where(np.arange(500) % 4, "math", "code")
    flip = lambda share: np.where(rng.random(500) < share, ~right, right)  # noqa: E731
    versions = {"base": right, "equal": right, "bad": right & (rng.random(500) < 0.85), "close": flip(0.04)}
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
    assert status(base, files / "equal.csv") == 0
    assert status(base, files / "equal.csv", "--fail-on", "undecided") == 3
    assert status(base, files / "bad.csv", files / "equal.csv", "--fail-on", "undecided") == 1
    assert "mean outcome" in run("gate", base, files / "bad.csv").output
    assert len(run("gate", base, files / "bad.csv", "--by", "category").output.strip().splitlines()) == 1


def test_lost_cases_and_the_worst_group_are_named(files):
    said = " ".join(run("gate", files / "base.csv", files / "close.csv", "--by", "category").output.split())
    assert "left out: 20 of 500 cases" in said
    assert "Worst category of close: " in said
    assert "of 480 cases)" in said


def test_formats(files):
    words = ("gate", files / "base.csv", files / "bad.csv", files / "equal.csv", "--format")
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
    said = run("gate", tmp_path / "one" / "run.csv", tmp_path / "two" / "run.csv", "--margin", 0.05).output
    assert "m (new) is not worse than m" in " ".join(said.split())


def test_refusals_of_the_command(files, tmp_path):
    base = files / "base.csv"
    (tmp_path / "other.csv").write_text("case,outcome\nz1,1\nz2,0\n")
    (tmp_path / "counts.csv").write_text("entity,correct,total\nm,7,9\n")
    wide = pd.read_csv(base).rename(columns={"outcome": "m"}).assign(k=1)
    wide[["case", "m", "k"]].to_csv(tmp_path / "two.csv", index=False)
    assert "must hold cases of BASE" in refused("gate", base, tmp_path / "other.csv")
    assert "must have the columns of BASE" in refused("gate", base, tmp_path / "counts.csv")
    assert "BASE must hold one entity" in refused("gate", tmp_path / "two.csv", base)
    assert "--by must name a column" in refused("gate", base, files / "bad.csv", "--by", "topic")
    assert "--looks must be" in refused("gate", base, files / "bad.csv", "--looks", "no")
    assert "any" in refused("gate", tmp_path / "counts.csv", tmp_path / "counts.csv", "--looks", "any")


def test_a_shell_script_stops_at_a_worse_version(files):
    """The script of the page on CI: it stops at exit status 1, and writes the comment."""
    command = f"{sys.executable} -m bayesrank gate"
    script = f"""set -e
{command} base.csv equal.csv --margin 0.01
{command} base.csv bad.csv --format markdown > comment.md
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
    assert "Not worse: equal" in done.stdout
    assert "merged" not in done.stdout
    assert (files / "comment.md").read_text().startswith("**Worse: bad")


@pytest.mark.parametrize(("wrong", "status"), [(20, 0), (80, 1)])
def test_the_workflow_of_the_page_fails_if_the_change_is_worse(wrong, status, tmp_path):
    """The step of the workflow runs as a shell script; the evaluation of the change has so many of 200 cases wrong."""
    text = (Path(__file__).parents[1] / "docs" / "howto" / "gate.md").read_text(encoding="utf-8")
    step = re.search(r"- name: gate\n +run: \|\n(.*?)\n +- if", text, re.DOTALL)[1]
    for folder, errors in ((tmp_path / "main", 20), (tmp_path, wrong)):
        folder.mkdir(exist_ok=True)
        rows = "\\n".join(f"{i},{int(i >= errors)}" for i in range(200))
        (folder / "evaluate.sh").write_text(f'#!/bin/sh\nprintf "case,outcome\\n{rows}\\n" > "$1"\n')
        (folder / "evaluate.sh").chmod(0o755)
    command = f'bayesrank() {{ "{sys.executable}" -m bayesrank "$@"; }}\n{textwrap.dedent(step)}'
    done = subprocess.run(["bash", "-e", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert (tmp_path / "comment.md").read_text() == done.stdout
    assert "change" in done.stdout


@pytest.mark.parametrize(("worse", "exact"), [(5, True), (6, False)])
def test_fewer_than_ten_cases_that_differ_are_judged_without_draws(worse, exact):
    frame = answers(400, worse, 4, 196 - worse)
    found = [
        br.decisions.gate(br.fit(br.from_outcomes(frame), seed=seed), "old", margin=0.02)["p_not_worse"].item()
        for seed in (1, 2)
    ]
    assert (found[0] == found[1]) is exact


@pytest.mark.parametrize(("difference", "spread"), [(0.0, 0.1), (0.1, 0.0)])
def test_no_number_of_cases_decides_without_a_difference_or_without_variation(difference, spread):
    assert _Normal(difference, spread, np.inf).needed(0.0, 100, 0.05) == np.inf
    assert _Normal(0.1, 0.1, np.inf).needed(0.0, 100, 0.05) == np.ceil(
        100 * (norm.ppf(0.8) - norm.ppf(0.05)) ** 2 - 100
    )
