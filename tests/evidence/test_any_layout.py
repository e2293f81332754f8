"""Twenty-five invented layouts of logs that no format knows: a mapping is proposed, and read only when it is typed.

The layouts were written down before the reader. Each function writes files and returns the mapping that fits them.
"""

import csv
import gzip
import json

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.io.formats._mapped import _as_rows
from bayesrank.io.tables.proposals import telling
from tests.commands import invoke, refused

RIGHT = {
    "gpt": [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0],
    "llama": [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0],
    "mistral": [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1],
}
CASES = [f"q{i}" for i in range(12)]
ROWS = [
    (system, case, right)
    for system, held in RIGHT.items()
    for case, right in zip(CASES, held, strict=True)
]


def lines(path, records):
    path.write_text("\n".join(json.dumps(one) for one in records) + "\n")


def table(path, heading, rows, delimiter=",", pack=open):
    with pack(path, "wt", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([heading, *rows])


def flat_lines(folder):
    lines(
        folder / "a.jsonl",
        [{"qid": c, "run": {"model": s, "t": 0.7}, "acc": r} for s, c, r in ROWS],
    )
    return "case=qid,entity=run.model,outcome=acc"


def chat_lines(folder):
    talk = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
    lines(
        folder / "chat.jsonl",
        [{"uuid": c, "messages": talk, "engine": s, "is_right": bool(r)} for s, c, r in ROWS],
    )
    return "case=uuid,entity=engine,outcome=is_right"


def array_of_objects(folder):
    records = [
        {"item": c, "candidate": s, "metrics": {"exact_match": float(r), "chars": 40}}
        for s, c, r in ROWS
    ]
    (folder / "array.json").write_text(json.dumps(records))
    return "case=item,entity=candidate,outcome=metrics.exact_match"


def object_with_results(folder):
    records = [{"prompt_id": c, "llm": s, "grade": "pass" if r else "fail"} for s, c, r in ROWS]
    (folder / "report.json").write_text(
        json.dumps({"version": 3, "date": "2026-11-01", "results": records})
    )
    return "case=results.prompt_id,entity=results.llm,outcome=results.grade"


def one_block_a_system(folder):
    blocks = [
        {
            "system": s,
            "answers": [
                {"question": c, "correct": r} for c, r in zip(CASES, RIGHT[s], strict=True)
            ],
        }
        for s in RIGHT
    ]
    (folder / "blocks.json").write_text(json.dumps({"suite": "tiny", "blocks": blocks}))
    return "case=blocks.answers.question,entity=blocks.system,outcome=blocks.answers.correct"


def keyed_by_system(folder):
    held = {
        s: [{"id": c, "ok": bool(r)} for c, r in zip(CASES, RIGHT[s], strict=True)] for s in RIGHT
    }
    (folder / "by_system.json").write_text(json.dumps(held))
    return "case=id,entity=@key,outcome=ok"


def keyed_twice(folder):
    held = {s: dict(zip(CASES, RIGHT[s], strict=True)) for s in RIGHT}
    (folder / "twice.json").write_text(json.dumps(held))
    return "case=@key2,entity=@key,outcome=value"


def keyed_by_case(folder):
    held = {
        c: {s: {"solved": RIGHT[s][i], "secs": 1.5} for s in RIGHT} for i, c in enumerate(CASES)
    }
    (folder / "by_case.json").write_text(json.dumps(held))
    return "case=@key,entity=@key2,outcome=solved"


def case_with_answers_by_system(folder):
    records = [
        {
            "task_no": c,
            "topic": "x",
            "answers": {s: {"text": "...", "success": bool(RIGHT[s][i])} for s in RIGHT},
        }
        for i, c in enumerate(CASES)
    ]
    lines(folder / "answers.jsonl", records)
    return "case=task_no,entity=@key,outcome=answers.success"


def case_with_list_of_answers(folder):
    records = [
        {"problem": c, "attempts": [{"by": s, "reward": float(RIGHT[s][i])} for s in RIGHT]}
        for i, c in enumerate(CASES)
    ]
    (folder / "list.json").write_text(json.dumps({"problems": records}))
    return "case=problems.problem,entity=problems.attempts.by,outcome=problems.attempts.reward"


def wide_lines(folder):
    lines(
        folder / "wide.jsonl",
        [{"example": c, **{s: RIGHT[s][i] for s in RIGHT}} for i, c in enumerate(CASES)],
    )
    return "case=example,outcome=gpt+llama+mistral"


def file_a_system(folder):
    for s, held in RIGHT.items():
        lines(
            folder / f"{s}.jsonl",
            [{"sample_key": c, "passed": bool(r)} for c, r in zip(CASES, held, strict=True)],
        )
    return "case=sample_key,entity=@file,outcome=passed"


def arrays_a_system(folder):
    (folder / "arrays.json").write_text(
        json.dumps({s: {"outcomes": held, "n": 12} for s, held in RIGHT.items()})
    )
    return "case=@row,entity=@key,outcome=outcomes"


def packed_table(folder):
    table(
        folder / "t.csv.gz",
        ["stimulus", "net", "hit"],
        [(c, s, r) for s, c, r in ROWS],
        pack=gzip.open,
    )
    return "case=stimulus,entity=net,outcome=hit"


def tabs(folder):
    rows = [(i, s, c, "x" * 20, "yes" if r else "no") for i, (s, c, r) in enumerate(ROWS)]
    table(folder / "t.tsv", ["", "assistant", "ticket", "reply", "accepted"], rows, "\t")
    return "case=ticket,entity=assistant,outcome=accepted"


def semicolons(folder):
    rows = [(c, s, "wrong" if not r else "right", 0.1) for s, c, r in ROWS]
    table(folder / "t.csv", ["Frage", "Modell", "Urteil", "Kosten"], rows, ";")
    return "case=Frage,entity=Modell,outcome=Urteil"


def packed_lines_with_errors(folder):
    with gzip.open(folder / "events.jsonl.gz", "wt") as file:
        for s, c, r in ROWS:
            event = {
                "meta": {"agent": {"name": s, "build": 7}, "case": {"ref": c}},
                "judge": {"verdict": r, "why": ""},
            }
            file.write(json.dumps(event) + "\n")
    return "case=meta.case.ref,entity=meta.agent.name,outcome=judge.verdict"


def attempts(folder):
    records = [
        {"challenge": c, "solver": s, "try": t, "win": r} for s, c, r in ROWS for t in (1, 2)
    ]
    lines(folder / "tries.ndjson", records)
    return "case=challenge,entity=solver,outcome=win,run=try"


def two_benchmarks(folder):
    half = len(CASES) // 2
    records = [
        {"benchmark": "one" if i < half else "two", "idx": i % half, "checkpoint": s, "credit": RIGHT[s][i]}
        for s in RIGHT for i in range(len(CASES))
    ]  # fmt: skip
    (folder / "bench.json").write_text(json.dumps({"rows": records}))
    return "case=rows.idx,entity=rows.checkpoint,outcome=rows.credit,dataset=rows.benchmark"


def columns_of_a_frame(folder):
    frame = pd.DataFrame(ROWS, columns=["model_id", "doc_ref", "points"])
    (folder / "frame.json").write_text(frame.to_json())
    return "case=doc_ref,entity=model_id,outcome=points"


def keyed_cases_with_scores_by_system(folder):
    held = {
        c: {"text": "?", "scores": {s: RIGHT[s][i] for s in RIGHT}} for i, c in enumerate(CASES)
    }
    (folder / "keyed.json").write_text(json.dumps(held))
    return "case=@key,outcome=scores.gpt+scores.llama+scores.mistral"


def nested_file_a_system(folder):
    for s in RIGHT:
        items = [
            {"uid": c, "eval": {"exact_match": float(r)}}
            for c, r in zip(CASES, RIGHT[s], strict=True)
        ]
        (folder / f"{s}.json").write_text(json.dumps({"meta": {"model": s}, "items": items}))
    return "case=items.uid,entity=@file,outcome=items.eval.exact_match"


def packed_lines_with_numbers(folder):
    records = [
        {"doc": {"id": c}, "agent_name": s, "metrics": {"pass": bool(r), "latency": i / 7}}
        for i, (s, c, r) in enumerate(ROWS)
    ]
    with gzip.open(folder / "p.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, records)))
    return "case=doc.id,entity=agent_name,outcome=metrics.pass"


def columns_of_lists(folder):
    system, case, score = map(list, zip(*ROWS, strict=True))
    (folder / "columns.json").write_text(
        json.dumps({"case": case, "model": system, "score": score})
    )
    return "case=case,entity=model,outcome=score"


def decimal_commas(folder):
    table(
        folder / "d.csv",
        ["sample_uid", "participant", "grade"],
        [(c, s, f"{r},0") for s, c, r in ROWS],
        ";",
    )
    return "case=sample_uid,entity=participant,outcome=grade"


LAYOUTS = [
    flat_lines, chat_lines, array_of_objects, object_with_results, one_block_a_system, keyed_by_system, keyed_twice,
    keyed_by_case, case_with_answers_by_system, case_with_list_of_answers, wide_lines, file_a_system, arrays_a_system,
    packed_table, tabs, semicolons, packed_lines_with_errors, attempts, two_benchmarks, columns_of_a_frame,
    keyed_cases_with_scores_by_system, nested_file_a_system, packed_lines_with_numbers, columns_of_lists,
    decimal_commas,
]  # fmt: skip


def as_mapping(text):
    return dict(pair.split("=") for pair in text.split(","))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mapping_is_proposed_and_read_only_when_typed(layout, tmp_path):
    wanted = as_mapping(layout(tmp_path))
    with pytest.raises(br.ArgumentError, match="map"):
        br.read(tmp_path)
    found = br.doctor(tmp_path)
    assert len(found.stops) == 1
    assert found.command.startswith(f"bayesrank rank {tmp_path} --map ")
    assert as_mapping(found.command.split("--map ")[1].strip("'")) == wanted
    frame = br.read(tmp_path, map=wanted)
    means = frame.groupby("entity")["outcome"].mean()
    assert means.to_dict() == pytest.approx(
        {system: sum(held) / 12 for system, held in RIGHT.items()}
    )
    outcomes = frame.groupby(["entity", "dataset", "case"], sort=False)["outcome"].first()
    assert outcomes.groupby("entity").agg(list).to_dict() == RIGHT


@pytest.mark.parametrize("layout", [flat_lines, packed_table, attempts])
def test_the_command_of_doctor_ranks(layout, tmp_path):
    layout(tmp_path)
    command = invoke("doctor", tmp_path).strip().splitlines()[-1].split()
    assert "gpt" in invoke(*command[1:], "--draws", 50)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"case": "qid", "outcome": "acc", "entity": "nobody"},
            "beside acc of a, .*run.model.*; got entity=nobody",
        ),
        ({"case": "qid", "entity": "run.model"}, "must map case, entity and outcome to fields"),
        (
            {"case": "qid", "outcome": "acc", "colour": "red"},
            "must map case, entity and outcome to fields",
        ),
        ({"case": "qid", "outcome": "accuracy"}, "must name fields of a, .*; got outcome=accuracy"),
        ({"case": "qid", "outcome": "qid"}, "must name a field of numbers"),
        ("case=qid,outcome=", "must map case"),
        (3, "must be a mapping"),
    ],
)
def test_a_wrong_mapping_is_refused_with_the_fields(given, words, tmp_path):
    flat_lines(tmp_path)
    with pytest.raises(br.ArgumentError, match=words):
        br.read(tmp_path, map=given)


def test_a_mapping_is_text_as_well_and_names_may_hold_commas(tmp_path):
    records = [{"the case, named": c, "system": s, "score": r} for s, c, r in ROWS]
    lines(tmp_path / "a.jsonl", records)
    frame = br.read(tmp_path, map='"case=the case, named",entity=system,outcome=score')
    assert sorted(set(frame["case"])) == sorted(CASES)
    assert "--map 'case=the" not in br.doctor(tmp_path).command
    assert "gpt" in invoke(
        "rank", tmp_path / "a.jsonl", "--map", '"case=the case, named",entity=system,outcome=score'
    )


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "[[[[1]]]]",
        '{"a": null}',
        "[1, 2",
        "a,b\n1\n",
        "[" * 900 + "]" * 900,
        '{"a": {"a": {"a": {}}}}',
        "<x/>",
    ],
)
def test_what_no_mapping_fits_is_refused_in_words(text, tmp_path):
    (tmp_path / "odd.json").write_text(text)
    with pytest.raises(br.ArgumentError):
        br.read(tmp_path)
    assert br.doctor(tmp_path / "odd.json").stops
    with pytest.raises(br.ArgumentError):
        br.read(tmp_path, map={"case": "a", "score": "b"})


def test_a_table_of_numbers_is_read_by_a_mapping_from_standard_names(tmp_path):
    """Grades, and a cost: the table is that of from_frame."""
    rows = [(c, s, r + 0.5, 2 * i) for i, (s, c, r) in enumerate(ROWS)]
    table(tmp_path / "t.csv", ["q", "who", "mark", "usd"], rows)
    frame = br.read(
        tmp_path / "t.csv", map={"case": "q", "entity": "who", "outcome": "mark", "cost": "usd"}
    )
    assert frame["cost"].astype(float).tolist() == [2.0 * i for i in range(36)]
    assert frame["outcome"].tolist() == [r + 0.5 for _, _, r in ROWS]


@pytest.mark.parametrize("heading", ["test,study,tp,fn,fp,tn", "study,test,tp,fn,fp,tn"])
def test_a_study_beside_names_of_entities_is_a_data_set(tmp_path, heading):
    rows = [("A", "s1", 30), ("B", "s1", 20), ("A", "s2", 25), ("B", "s2", 28)]
    turned = heading.startswith("study")
    lines = [
        ",".join((study, test) if turned else (test, study)) + f",{tp},9,4,60"
        for test, study, tp in rows
    ]
    path = tmp_path / "counts.csv"
    path.write_text("\n".join([heading, *lines]) + "\n")
    assert "2 data sets" in invoke("rank", path, "--draws", 50)
    found = br.from_frame(pd.read_csv(path))
    assert found["entity"].values.tolist() == ["A", "B"]
    assert found["dataset"].values.tolist() == ["s1", "s2"]


@pytest.mark.parametrize(
    ("name", "last", "offered"),
    [
        ("n_cases", 3, "count"),
        ("n_cases", 2.5, ""),
        ("wt", 2.5, "weight"),
        ("hours", 3, ""),
        ("hours", 2.5, ""),
    ],
)
def test_only_columns_named_so_are_offered_as_weights_and_numbers_of_cases(
    tmp_path, name, last, offered
):
    path = tmp_path / "answers.csv"
    rows = [(i, i % 2, i % 3 % 2, i % 7 + 1) for i in range(39)] + [(39, 1, 1, last)]
    pd.DataFrame(rows, columns=["case", "a", "b", name]).to_csv(path, index=False)
    message = refused("rank", path)
    assert (f"--weight {name} says that it holds the importance weight of a case" in message) == (
        offered == "weight"
    )
    assert (f"--count {name} says that it holds the number of cases of a row" in message) == (
        offered == "count"
    )


def test_a_column_that_counts_the_rows_is_offered_as_no_weight(tmp_path):
    path = tmp_path / "answers.csv"
    rows = [(f"q{i}", i % 2, i % 3 % 2, i + 7) for i in range(40)]
    pd.DataFrame(rows, columns=["case", "a", "b", "line"]).to_csv(path, index=False)
    message = refused("rank", path)
    assert "line" in message.replace("--weight line", "")
    assert "--weight line" not in message


@pytest.mark.parametrize(
    ("role", "name"), [("run", "runtime"), ("entity", "network"), ("outcome", "hits_at_ten")]
)
def test_short_names_of_fields_are_recognised_whole_only(role, name):
    """Names of three letters begin too many words."""
    assert telling(role, name) == 1
    assert telling(role, name[:3]) == 0


def test_two_rows_written_column_by_column_are_rows():
    columns = {"id": {"0": "q1", "1": "q2"}, "correct": {"0": 1, "1": 0}}
    assert _as_rows(columns) == [{"id": "q1", "correct": 1}, {"id": "q2", "correct": 0}]
    assert _as_rows({"id": ["q1", "q2"], "correct": [1, 0]}) == _as_rows(columns)
    for other in (
        {"id": {"0": "q1"}, "correct": {"0": 1}},
        {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 4}},
    ):
        assert _as_rows(other) == other


def random_value(rng, depth=0):
    """A value as logs have them beside what is ranked: nulls, numbers, long texts, lists and objects."""
    kinds = [
        lambda: None,
        lambda: float(rng.normal()),
        lambda: int(rng.integers(5)),
        lambda: "word " * int(rng.integers(1, 800)),
        lambda: "",
        lambda: [random_value(rng, depth + 1) for _ in range(rng.integers(4))],
        lambda: {f"k{i}": random_value(rng, depth + 1) for i in range(rng.integers(4))},
    ]
    return kinds[int(rng.integers(len(kinds) - 2 * (depth > 2)))]()


@pytest.mark.parametrize("seed", [*range(8), 13, 18, 25, 39])
def test_records_of_any_shape_are_read(seed, tmp_path):
    """1 to 40 fields beside the three that count, which may be nested."""
    rng = np.random.default_rng(seed)
    nested = bool(seed % 2)
    records = []
    for system, case, right in ROWS:
        other = {f"field{i}": random_value(rng) for i in range(seed + 1)}
        score = {"verifier": {"reward": right, "note": None}} if nested else {"reward": right}
        records.append(other | {"question": case, "model": system} | score)
    path = tmp_path / "log.jsonl"
    lines(path, records) if seed % 3 else path.write_text(json.dumps(records))
    given = {
        "case": "question",
        "entity": "model",
        "outcome": "verifier.reward" if nested else "reward",
    }
    found = br.doctor(path)
    assert as_mapping(found.command.split("--map ")[1].strip("'")) == given
    for frame in (found.frame, br.read(path, map=given)):
        assert frame.groupby("entity")["outcome"].agg(list).to_dict() == RIGHT


@pytest.mark.parametrize("fields", [8, 20])
def test_a_typed_path_is_a_field_where_values_are_alike(fields, tmp_path):
    """Objects that are alike look like a table by key, unless the user names a field of them."""
    alike = {f"check{i}": {"value": 1} for i in range(fields)}
    records = [{"q": c, "m": s, "verifier": alike | {"reward": {"value": r}}} for s, c, r in ROWS]
    lines(tmp_path / "a.jsonl", records)
    frame = br.read(
        tmp_path / "a.jsonl", map={"case": "q", "entity": "m", "outcome": "verifier.reward.value"}
    )
    assert frame.groupby("entity")["outcome"].agg(list).to_dict() == RIGHT


def episodes(path, right):
    """A log of one policy, as robot benchmarks write them: metrics by name, with a list of episodes each."""
    metrics = {
        "sum_rewards": [5.0 * r for r in right],
        "max_rewards": right,
        "successes": [bool(r) for r in right],
    }
    tasks = [{"task_group": "reach", "task_id": k, "metrics": metrics} for k in range(2)]
    path.write_text(
        json.dumps({"per_task": tasks, "overall": {"avg_sum_reward": 0.5, "n_episodes": 24}})
    )


def test_metrics_are_no_systems(tmp_path):
    for system, right in RIGHT.items():
        episodes(tmp_path / f"{system}.json", right)
    alone = br.doctor(tmp_path / "gpt.json")
    assert "entity=" not in alone.command
    assert set(alone.frame["entity"]) == {"gpt"}
    found = br.doctor(tmp_path)
    assert "--only metric=success" in found.command
    means = found.frame.groupby("entity")["outcome"].mean()
    assert means.to_dict() == pytest.approx(
        {system: sum(held) / 12 for system, held in RIGHT.items()}
    )


@pytest.mark.parametrize(
    "record",
    [
        lambda c, s, r: {"id": c, "metric": s, "value": r},
        lambda c, s, r: {"id": c, "results": {"accuracy": r, "f1_score": 1 - r, "latency": 0.5}},
        lambda c, s, r: {"id": c, "successRate": r, "exact_match": 1 - r},
    ],
)
def test_names_of_metrics_are_never_proposed_as_systems(record, tmp_path):
    names = {"gpt": "successes", "llama": "sum_rewards", "mistral": "pass@1"}
    lines(tmp_path / "a.jsonl", [record(f"{c}{s}", names[s], r) for s, c, r in ROWS])
    command = br.doctor(tmp_path / "a.jsonl").command
    assert "entity=" not in command
    assert "+" not in command


def test_files_of_one_record_each_are_one_table(tmp_path):
    """As agents write one folder for each trial."""
    for system, case, right in ROWS:
        place = tmp_path / f"{system}__{case}" / "result.json"
        place.parent.mkdir()
        about = {
            "task_name": case,
            "agent_info": {"name": system, "version": "1"},
            "exception_info": None,
        }
        place.write_text(
            json.dumps(
                about | {"verifier_result": {"rewards": {"reward": float(right)}}, "steps": [1, 2]}
            )
        )
    found = br.doctor(tmp_path)
    wanted = "case=task_name,entity=agent_info.name,outcome=verifier_result.rewards.reward"
    assert found.command.endswith(f"--map {wanted}")
    assert found.frame.groupby("entity")["outcome"].sum().to_dict() == {
        s: sum(held) for s, held in RIGHT.items()
    }


@pytest.mark.parametrize("text", ['{"id": 1, "score": 1}\n{"id": 2, "sco', '[{"id": 1}, {"id"'])
def test_doctor_prints_why_a_file_cannot_be_read(text, tmp_path):
    (tmp_path / "log.json").write_text(text)
    assert "log.json must be a whole file" in invoke("doctor", tmp_path / "log.json")
    (tmp_path / "log.data").write_text(text)
    assert "must contain complete JSON in every line" in invoke("doctor", tmp_path / "log.data")
