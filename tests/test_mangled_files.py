"""Seeded random damage to files: what is read is what was written, or the refusal is a sentence; Python agrees."""

import csv
import io
import re
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.io.tables.files import read_evidence
from tests.scripts import load_script
from tests.test_door import same_evidence

NAMES = ["gpt-4", "llama 3.1", "é", "x,y", 'q"q', "NA", "None", "模型"]
TITLES = {
    "entity": ["Entity", " ENTITY ", "model", "Team"], "tn": ["TN", "true_negatives"], "tp": ["TP", "True Positives"],
    "total": ["N", "n_total"], "outcome": ["score", "is_correct"], "case": ["Case", "case_id"], "actual": ["y_true"],
}  # fmt: skip
WORDS = [["fail", "pass"], ["No", "Yes"], ["False", "True"], ["I", "C"]]
FIELDS = [
    "",
    "NaN",
    "-3",
    "3.5",
    "1,234",
    "1.000",
    "45%",
    "0.8 ± 0.1",
    "inf",
    "1e999",
    "9" * 17,
    "x" * 200_000,
    "\0",
]
FIELDS += ["yes", "½", "😀", "\x1b[31m", "0x10", "1_0", "5.00", "05", "?", "<NA>"]
REFUSALS = (ValueError, TypeError)


def make_file(rng):
    """A heading, rows, and the evidence that they hold."""
    kind, names = rng.integers(4), rng.choice(NAMES, rng.integers(2, 5), replace=False).tolist()
    if kind == 0:
        cells = rng.integers(1, 60, (len(names), 4))
        expected = br.from_counts(
            **dict(zip(("tn", "fp", "fn", "tp"), cells.T, strict=True)), entity=names
        )
        rows = [[name, *row] for name, row in zip(names, cells.tolist(), strict=True)]
        return ["entity", "tn", "fp", "fn", "tp"], rows, expected
    answers = pd.DataFrame(rng.integers(0, 2, (rng.integers(3, 9), len(names))), columns=names)
    answers.iloc[:2] = [[0] * len(names), [1] * len(names)]
    if kind == 1:
        words = WORDS[rng.integers(len(WORDS))]
        return (
            names,
            [[words[v] for v in row] for row in answers.to_numpy()],
            br.from_outcomes(answers),
        )
    if kind == 2:
        rows = [[name, f"q{i}", answers[name][i]] for name in names for i in answers.index]
        return ["entity", "case", "outcome"], rows, br.from_outcomes(answers)
    truth = [0, 1, *rng.integers(0, 2, len(answers) - 2).tolist()]
    rows = [[actual, *row] for actual, row in zip(truth, answers.to_numpy().tolist(), strict=True)]
    return ["actual", *names], rows, br.joint_outcomes(truth, answers)


def mangle(rng, heading, rows, harm):
    """The bytes of a file with its separator; ``harm`` also damages what it says."""
    rows, sep = [list(map(str, row)) for row in rows], ",;\t|"[rng.integers(4)]
    end, quoting = (
        ["\n", "\r\n", "\r"][rng.integers(3)],
        [csv.QUOTE_MINIMAL, csv.QUOTE_ALL][rng.integers(2)],
    )
    heading = [
        rng.choice(TITLES[name]) if name in TITLES and rng.random() < 0.5 else name
        for name in heading
    ]
    order = rng.permutation(len(heading))
    heading, rows = (
        [heading[i] for i in order],
        [[row[i] for i in order] for row in rng.permutation(rows)],
    )
    i, j = rng.integers(len(rows)), rng.integers(len(heading))
    how = (
        rng.choice(["field", "field", "short", "long", "twice", "heading", "quote", "json", "cut"])
        if harm
        else ""
    )
    if how == "field":
        rows[i] = [*rows[i][:j], FIELDS[rng.integers(len(FIELDS))], *rows[i][j + 1 :]]
    elif how == "short":
        rows[i] = rows[i][:-1]
    elif how == "long":
        rows[i] = [*rows[i], "7"]
    elif how == "twice":
        heading, rows = [*heading, heading[j]], [[*row, row[j]] for row in rows]
    elif how == "heading":
        heading[j] = rng.choice(
            ["", "foo", "tp", "count", "label", "id", "score", "actual", "mean", "weight"]
        )
    text = io.StringIO()
    csv.writer(text, delimiter=sep, quoting=quoting, lineterminator=end).writerows([heading, *rows])
    text = text.getvalue() + end * rng.integers(3)
    at = rng.integers(len(text))
    text = {"quote": text[:at] + '"' + text[at:], "cut": text[:at]}.get(how, text)
    text = pd.DataFrame(rows).to_json(orient="records") if how == "json" else text
    return (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode(), sep


def outcome_of(read):
    try:
        return read()
    except REFUSALS as refused:
        return str(refused)


@pytest.mark.parametrize("harm", [False, True], ids=["the same evidence", "damaged"])
def test_a_mangled_file_is_read_as_it_was_written_or_refused_in_words(harm, tmp_path):
    rng, path = np.random.default_rng(27), tmp_path / "file.csv"
    read = 0
    for _ in range(60):
        heading, rows, expected = make_file(rng)
        data, sep = mangle(rng, heading, rows, harm)
        path.write_bytes(data)
        found = outcome_of(lambda: read_evidence(str(path)))
        if not harm:
            same_evidence(found, expected)
        if isinstance(found, str):
            assert re.search(r"must|looks like", found)
            assert "\n" not in found
            continue
        read += 1
        frame = pd.read_csv(io.BytesIO(data), sep=sep, dtype=str, keep_default_na=False)
        same_evidence(outcome_of(lambda frame=frame: br.from_frame(frame)), found)
    assert read == 60 or (harm and 5 < read < 50)


@pytest.mark.parametrize(
    ("mutations", "seed"),
    [(40, 1), pytest.param(2000, 2, marks=pytest.mark.slow)],
    ids=["quick", "slow"],
)
def test_damaged_logs_and_tables_are_read_or_refused_and_change_no_other_file(mutations, seed):
    result = load_script("scripts/fuzz_reader.py").fuzz(mutations, seed)
    assert result.findings == []
    assert sum(result.counts.values()) == mutations
    assert result.counts["read"] > mutations / 5
    assert result.counts["refused, and read without it"] > mutations / 10


@pytest.mark.parametrize(
    ("mutations", "seed"),
    [(40, 3), pytest.param(400, 4, marks=pytest.mark.slow)],
    ids=["quick", "slow"],
)
def test_submissions_written_by_other_programs_are_read_as_the_same_answers(mutations, seed):
    result = load_script("scripts/fuzz_reader.py").fuzz_submissions(mutations, seed)
    assert result.findings == []
    assert result.counts["read as the same answers"] >= 0.95 * mutations / 2
    assert result.counts["submissions refused"] > 0


@pytest.mark.parametrize(
    ("frames", "seed"),
    [(150, 5), pytest.param(3000, 6, marks=pytest.mark.slow)],
    ids=["quick", "slow"],
)
def test_any_data_frame_is_read_or_refused_in_words(frames, seed):
    result = load_script("scripts/fuzz_reader.py").fuzz_frames(frames, seed)
    assert result.findings == []
    assert set(result.counts) == {"frame refused", "frame read"}


@pytest.mark.parametrize(
    "nested", [[[1], [2]], [{"name": "a"}, {"name": "b"}], [np.array([1, 2]), (1, 2)]]
)
def test_fields_of_several_values_have_no_role(nested):
    """A column tags beside others does no harm; as names of entities or outcomes it is refused."""
    frame = pd.DataFrame({"entity": ["a", "b"], "correct": [8, 9], "total": 20}).assign(
        tags=pd.Series(nested)
    )
    assert br.from_frame(frame).sizes["entity"] == 2
    turned = frame.rename(columns={"entity": "x", "tags": "model"})
    with pytest.raises(br.ArgumentError, match="frame: model must have one value in each field"):
        br.from_frame(turned)
    with pytest.raises(br.ArgumentError, match="frame: tags must have one value in each field"):
        br.from_frame(frame, entity="tags")
    with pytest.raises(br.ArgumentError, match="must have one value in each field"):
        br.from_frame(frame.drop(columns="total").rename(columns={"tags": "total"}))


@pytest.mark.parametrize("role", ["run", "training_seed"])
def test_runs_of_no_case_are_refused(role):
    """Rows that stand for 0 cases left none: "zero-size array to reduction operation"."""
    frame = pd.DataFrame(
        {"case": list("xxyy"), role: [1, 2, 1, 2], "a": [0, 1, 1, 1], "b": [1, 0, 1, 0], "times": 0}
    )
    with pytest.raises(br.ArgumentError, match="at least one"):
        br.from_frame(frame, count="times")


def test_nested_logs_are_read_right_or_named():
    """Half of them are written in another way, and half are damaged."""
    result = load_script("scripts/fuzz_reader.py").fuzz_nested(60, 3)
    assert result.findings == []
    assert result.counts["harmless, read right"] == 30


def test_the_fuzzing_finds_what_it_looks_for(tmp_path, monkeypatch):
    """A reader that loses a row, raises an exception or hangs is found."""
    script = load_script("scripts/fuzz_reader.py")
    monkeypatch.setattr(script, "SECONDS", 0.2)
    real = script.collect

    def findings(broken):
        monkeypatch.setattr(script, "collect", lambda *arguments: broken(real(*arguments)))
        group = script.group_of(script.write_logs(folders)[0])
        monkeypatch.setattr(script, "collect", real)
        result = script.Result()
        script._run(result, "name", script.check_logs, group, group.files[0])
        return result.findings

    def lose(logs):
        return replace(logs, rows=logs.rows.iloc[:-1])

    folders = tmp_path / "a"
    folders.mkdir()
    assert "has changed" in findings(lose)[0]
    monkeypatch.setattr(script, "collect", real)
    read = script.read_answers
    numbers = iter(range(10**6))
    # Another answer whenever the files are read again.
    monkeypatch.setattr(
        script, "read_answers", lambda *given: read(*given).assign(team0=f"{next(numbers)}")
    )
    assert all(
        "has changed" in text or "have changed" in text
        for text in script.fuzz_submissions(9, 1).findings
    )
    assert len(script.fuzz_submissions(9, 1).findings) >= 5
    result = script.Result()
    script._run(result, "name", lambda: 1 / 0)
    script._run(result, "name", lambda: time.sleep(3))
    assert [text.splitlines()[0] for text in result.findings] == [
        "name: ZeroDivisionError",
        "name: more than 0.2 s",
    ]
