"""The command ``drift``: the numbers and the verdict of Python, exit status, formats, and refusals."""

import json

import pandas as pd
import pytest

import bayesrank as br
from tests.commands import csv_of, invoke, json_of, refused

HEADER = "month,tn,fp,fn,tp"
STEADY = ["January,1766,34,14,186", "February,1766,34,17,183", "March,1767,33,16,184"]
FALLEN = ["April,1763,37,40,160", "May,1772,28,44,156"]
MONTH = ["--dataset-column", "month", "--score", "f1"]


@pytest.fixture
def months(tmp_path):
    path = tmp_path / "months.csv"
    path.write_text("\n".join([HEADER, *STEADY, *FALLEN]))
    return path


def test_numbers_and_verdict_are_those_of_python(months):
    asked = ["drift", months, *MONTH, "--baseline", "February", "--looks", 12, "--draws", 200]
    held = json_of(*asked, status=1)
    frame = csv_of(*asked, status=1, index="period")
    counts = br.from_frame(pd.read_csv(months), dataset="month")
    posterior = br.fit(counts, "dirichlet_multinomial", draws=200, seed=1)
    found = br.ops.drift(posterior, "f1", baseline="February", looks=12).isel(entity=0)
    assert held["sentences"] == br.verdict(found)
    assert held["notes"] == br.notes(found)
    assert (held["verdict"], held["baseline"], held["looks"]) == ("alarm", "February", 12)
    assert frame.index.tolist() == ["January", "February", "March", "April", "May"]
    for period, row in frame.iterrows():
        here = found.sel(dataset=period)
        for name in ("score", "ops", "tpr", "fpr"):
            assert row[f"{name}_mean"] == pytest.approx(here[f"{name}_mean"].item(), rel=1e-8)
        p = here["p_worse"].sel(rate="tpr", against="baseline").item()
        assert row["p_worse_tpr_baseline"] == pytest.approx(p, rel=1e-6, nan_ok=True)
    assert frame["alarm"].fillna("").tolist()[-1] == "TPR"


def test_the_exit_status_is_1_with_an_alarm_alone(months, tmp_path):
    steady = tmp_path / "steady.csv"
    steady.write_text("\n".join([HEADER, *STEADY]))
    assert "No alarm in 2 looks since January" in invoke("drift", steady, *MONTH, "--draws", 200)
    printed = invoke("drift", months, *MONTH, "--draws", 200, status=1)
    assert "Alarm in May: sensitivity (TPR) fell from 0.9" in printed
    assert "OPS" in printed


def test_markdown_has_verdict_and_table(months, tmp_path):
    picture = tmp_path / "drift.svg"
    printed = invoke(
        "drift",
        months,
        *MONTH,
        "--draws",
        200,
        "--format",
        "markdown",
        "--picture",
        picture,
        status=1,
    )
    assert "Alarm in May" in printed
    assert "| period | F1 | OPS | TPR | FPR |" in printed
    assert "<svg" in picture.read_text("utf-8")


def test_cases_give_what_their_counts_give(tmp_path):
    cases, counted = tmp_path / "cases.csv", tmp_path / "counts.csv"
    rows = [
        f"{month},{actual},{predicted}\n" * n
        for month, table in {"May": (80, 20, 10, 90), "June": (70, 30, 40, 60)}.items()
        for (actual, predicted), n in zip(((0, 0), (0, 1), (1, 0), (1, 1)), table, strict=True)
    ]
    cases.write_text("month,actual,m\n" + "".join(rows))
    counted.write_text("month,entity,tn,fp,fn,tp\nMay,m,80,20,10,90\nJune,m,70,30,40,60\n")
    one, other = (
        json.loads(
            invoke("drift", path, *MONTH, *more, "--draws", 100, "--format", "json", status=1)
        )["periods"]
        for path, more in ((cases, ["--entities", "m"]), (counted, []))
    )
    assert one == other


def test_several_entities_have_a_column(tmp_path):
    path = tmp_path / "two.csv"
    rows = [f"{m},{e},80,20,10,90" for m in ("May", "June") for e in "ab"]
    path.write_text("\n".join(["month,entity,tn,fp,fn,tp", *rows]))
    printed = invoke("drift", path, *MONTH, "--draws", 100)
    assert [line.split()[:2] for line in printed.splitlines() if line.startswith(("May,", "June,"))] == [
        ["May,", "a"], ["May,", "b"], ["June,", "a"], ["June,", "b"],
    ]  # fmt: skip
    assert "--picture cannot be used" in refused(
        "drift", path, *MONTH, "--picture", tmp_path / "a.png"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--baseline", "Juli"], "--baseline must be one of January, February"),
        (["--dataset", "May"], "--dataset cannot be used for drift"),
        (["--model", "hierarchical_beta_binomial"], "--model must be"),
    ],
)
def test_refusals_say_what_to_type(months, more, said):
    assert said in refused("drift", months, *MONTH, *more)


def test_one_period_is_refused(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("entity,tn,fp,fn,tp\nm,80,20,10,90\n")
    assert "DATA must have at least two periods" in refused("drift", path)
