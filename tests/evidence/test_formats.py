"""Evaluation logs: what formats read is what was written, and what would mislead is refused with a remedy that works.

Files are written as the tools write them, with as little in them as a reader needs.
"""

import gzip
import io
import json
import re
import shlex
import shutil
import sys
import warnings
import zipfile

import click
import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.cli import main
from bayesrank.cli._logs import choices_of
from bayesrank.cli._options import WORD, reading_logs
from bayesrank.diagnosis import _clusters, diagnose
from bayesrank.io import formats
from bayesrank.io.formats.opencompass import recognise as recognise_opencompass
from bayesrank.io.logs import Choices
from bayesrank.words.sentences import say
from tests.commands import csv_of, invoke, json_of, refused

STAMP = "2026-01-01T00-00-0{}.000000"
RIGHT = {"a": [1.0, 0.0, 1.0, 1.0], "b": [0.0, 0.0, 1.0, 0.0]}


def dump(path, value, lines=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, value)) + "\n" if lines else json.dumps(value))


def lm_eval(folder, model="a", values=(1.0, 0.0, 1.0, 1.0), task="gsm8k", second=0, metrics=("acc",), filters=("none",),
            better=True, content="qrstuvwx", results=True, place=None, lm_filter=True, **about):  # fmt: skip
    place, stamp = folder / (place or f"org__{model}"), STAMP.format(second)
    rows = []
    for name in filters:
        for i, value in enumerate(values):
            row = {"doc_id": i, "doc": {"q": i}, "resps": [[""]], "filtered_resps": [""]}
            row |= {"filter": name, "metrics": list(metrics)} if lm_filter else {}
            rows.append(row | {"doc_hash": content[i]} | dict.fromkeys(metrics, value))
    if lm_filter:
        dump(place / f"samples_{task}_{stamp}.jsonl", rows, lines=True)
    else:
        dump(place / f"pretrained__org__{model}_{task}.jsonl", rows)
    if results:
        said = (
            {} if better is None else {"higher_is_better": {task: dict.fromkeys(metrics, better)}}
        )
        known = (
            {"results": {task: {"acc,none": 0.5}}, "versions": {}, "model_name": f"org/{model}"}
            | said
            | about
        )
        dump(place / f"results_{stamp}.json", known)


def inspect(
    folder, model="a", values=(1, 0, 1, 1), scorer="match", errors=(), epochs=1, words="CI", **log
):
    samples = []
    for i, value in enumerate(values):
        for epoch in range(1, epochs + 1):
            score = {scorer: {"value": words[1 - int(value)]}} if i not in errors else {}
            error = {"error": {"message": "x"}} if i in errors else {}
            samples.append(
                {"id": i, "epoch": epoch, "input": f"q{i}", "target": "t", "scores": score, **error}
            )
    run = {
        "task": "t",
        "model": f"org/{model}",
        "dataset": {"samples": len(values)},
        "config": {"epochs": epochs},
    }
    dump(
        folder / f"{model}.json",
        {"version": 2, "status": "success", "eval": run, "samples": samples} | log,
    )


def swebench(folder, model="a", values=(1, 0, 1, 1), **lists):
    ids = [f"org__repo-{i}" for i in range(len(values))]
    report = {"total_instances": len(ids), "submitted_instances": len(ids)}
    report["resolved_ids"] = [i for i, v in zip(ids, values, strict=True) if v == 1]
    report["unresolved_ids"] = [i for i, v in zip(ids, values, strict=True) if v == 0]
    dump(folder / f"{model}.run.json", report | lists)


def swebench_instances(folder, model="a", values=(1, 0, 1, 1)):
    for i, value in enumerate(values):
        report = {"patch_exists": True, "resolved": bool(value), "tests_status": {}}
        dump(folder / model / f"org__repo-{i}" / "report.json", report)


def helm(folder, model="a", values=(1, 0, 1, 1), names=("exact_match",), perturbed=False):
    place = folder / f"mmlu:model=org_{model}"
    rows = [
        {"instance_id": f"id{i}", "train_trial_index": 0, "stats": [
            {"name": {"name": name, "split": "test"}, "count": 1, "sum": v, "mean": v} for name in (*names, "num_bytes")]}  # noqa: E501
        | ({"perturbation": {"name": "typos"}} if k else {})
        for k in range(1 + perturbed) for i, v in enumerate(values)
    ]  # fmt: skip
    dump(place / "per_instance_stats.json", rows)
    about = {
        "name": f"mmlu:model=org_{model}",
        "scenario_spec": {},
        "adapter_spec": {"model": model},
    }
    dump(place / "run_spec.json", about)


def eee(folder, model="a", values=(1, 0, 1, 1)):
    rows = [
        {"schema_version": "0.3.0", "evaluation_id": model, "model_id": model, "evaluation_name": "t", "sample_id": str(i),  # noqa: E501
         "evaluation": {"score": v, "is_correct": None}, "error": None, "metadata": {}} for i, v in enumerate(values)
    ]  # fmt: skip
    dump(folder / f"{model}_samples.jsonl", rows, lines=True)


def promptfoo(folder, model="a", values=(1, 0, 1, 1), errors=(), version=3, costs=None):
    rows = [
        {"provider": {"id": "p", "label": model}, "promptIdx": 0, "testIdx": i, "prompt": {"label": "plain"},
         "vars": {"q": str(i)}, "success": bool(v), "failureReason": 2 if i in errors else int(not v), "cost": c}
        for i, (v, c) in enumerate(zip(values, [None] * len(values) if costs is None else costs, strict=True))
    ]  # fmt: skip
    dump(
        folder / f"{model}.json",
        {"evalId": model, "results": {"version": version, "prompts": [], "results": rows}},
    )


def code(folder, model="a", values=(1, 0, 1, 1), samples=1):
    one = [
        [{"solution": "", "base_status": "pass", "plus_status": "pass" if v else "fail"}] * samples
        for v in values
    ]
    dump(folder / f"{model}_eval_results.json", {"eval": {f"H/{i}": s for i, s in enumerate(one)}})


def junit(folder, model="a", values=(1, 0, 1, 1), children="<failure/>", again=1):
    cases = [
        f'<testcase classname="t" name="n{i}">{"" if v else children}</testcase>'
        for i, v in enumerate(values)
    ]
    suite = f'<testsuite name="{model}">{"".join(cases * again)}</testsuite>'
    (folder / f"{model}.xml").write_text(f"<testsuites>{suite}</testsuites>")


def pytest_report(folder, model="a", values=(1, 0, 1, 1)):
    tests = [
        {"nodeid": f"t.py::n{i}", "outcome": "passed" if v else "failed"}
        for i, v in enumerate(values)
    ]
    dump(folder / f"{model}.json", {"exitcode": 1, "collectors": [], "tests": tests})


def tau(folder, model="a", values=(1, 0, 1, 1), errors=()):
    info = [{"error": "x"} if i in errors else {} for i in range(len(values))]
    dump(
        folder / f"{model}.json",
        [{"task_id": i, "reward": v, "trial": 0, "info": info[i]} for i, v in enumerate(values)],
    )


def openai(folder, model="a", values=(1, 0, 1, 1), kind="match"):
    events = [
        {"sample_id": f"s{i}", "type": kind, "data": {"correct": bool(v)}}
        for i, v in enumerate(values)
    ]
    spec = {"spec": {"completion_fns": [model], "eval_name": "e"}}
    dump(folder / f"{model}.jsonl", [spec, {"final_report": {}}, *events], lines=True)


def deepeval(folder, model="a", values=(1, 0, 1, 1), named=True):
    tests = [
        {"name": f"c{i}", "input": str(i), "success": bool(v), "metricsData": []}
        for i, v in enumerate(values)
    ]
    dump(
        folder / f"{model}.json",
        {"testCases": tests, "hyperparameters": {"model": model} if named else None},
    )


def mlflow(folder, model="a", values=(1, 0, 1, 1)):
    table = {
        "columns": ["qid", "exact_match/score"],
        "data": [[i, v] for i, v in enumerate(values)],
    }
    dump(folder / model / "artifacts" / "eval_results_table.json", table)


def opencompass(folder, model="a", values=(1, 0, 1, 1), key="correct"):
    rows = {
        str(i): {"origin_prompt": "q", "prediction": "A", key: bool(v)}
        for i, v in enumerate(values)
    }
    dump(folder / model / "set.json", rows)


def opencompass_details(folder, model="a", values=(1, 0, 1, 1)):
    rows = {
        str(i): {"prompt": "q", "predictions": "A", "references": "B", "correct": bool(v)}
        for i, v in enumerate(values)
    }
    dump(folder / model / "set.json", {"accuracy": 75.0, "details": {"type": "GEN", **rows}})


def metr(folder, model="a", values=(1, 0, 1, 1)):
    about = {"run_id": "r", "task_family": "f", "alias": model}
    rows = [about | {"task_id": f"t{i}", "score_binarized": v} for i, v in enumerate(values)]
    dump(folder / f"{model}.jsonl", rows, lines=True)


def mteb(folder, model="a", values=(1, 0, 1, 1), splits=("test",)):
    for i, v in enumerate(values):
        scores = {split: [{"hf_subset": "default", "main_score": v}] for split in splits}
        dump(
            folder / f"org__{model}" / "abcdef12" / f"T{i}.json",
            {"task_name": f"T{i}", "scores": scores},
        )


def weka(folder, model="a", values=(1, 0, 1, 1), ids=True):
    guess = ["1:x  " if v else "2:y +" for v in values]
    lines = [f" {i + 1} 1:x {said} 0.9{f' ({i})' if ids else ''}" for i, said in enumerate(guess)]
    (folder / f"{model}.txt").write_text(
        "\n".join(["inst#     actual  predicted error prediction (id)", *lines])
    )


def caret(folder, model="a", values=(1, 0, 1, 1), row="rowIndex"):
    lines = [f"{'x' if v else 'y'},x,0.5,{i + 1},Fold1" for i, v in enumerate(values)]
    (folder / f"{model}.csv").write_text("\n".join([f"pred,obs,p,{row},Resample", *lines]))


def kaggle(folder, model="a", values=(1, 0, 1, 1), probabilities=False):
    truth = [1, 1, 0, 0]
    solution = "".join(f"{i},{t},Public\n" for i, t in enumerate(truth))
    (folder / "solution.csv").write_text(f"Id,Expected,Usage\n{solution}")
    guess = [t if v else 1 - t for t, v in zip(truth, values, strict=True)]
    guess = [0.25 + 0.5 * g for g in guess] if probabilities else guess
    submission = "".join(f"{i},{g}\n" for i, g in reversed([*enumerate(guess)]))
    (folder / f"{model}.csv").write_text(f"Id,Predicted\n{submission}")


def terminal_bench(folder, model="a", values=(1, 0, 1, 1)):
    trials = [
        {"task_id": f"t{i}", "is_resolved": bool(v), "failure_mode": "unset"}
        for i, v in enumerate(values)
    ]
    dump(folder / model / "results.json", {"results": trials, "accuracy": 0.5})


def harbor(folder, model="a", values=(1, 0, 1, 1)):
    for i, v in enumerate(values):
        about = {"task_name": f"t{i}", "trial_name": f"t{i}__x", "agent_info": {"name": model}}
        about |= {"verifier_result": {"rewards": {"reward": v}}, "exception_info": None}
        dump(folder / model / f"t{i}__x" / "result.json", about)


def aider(folder, model="a", values=(1, 0, 1, 1)):
    for i, v in enumerate(values):
        held = {
            "testcase": f"t{i}",
            "model": model,
            "edit_format": "diff",
            "tests_outcomes": [False, bool(v)],
        }
        dump(
            folder / model / "go" / "exercises" / "practice" / f"t{i}" / ".aider.results.json", held
        )


def lerobot(folder, model="a", values=(1, 0, 1, 1)):
    metrics = {"sum_rewards": [], "successes": [bool(v) for v in values]}
    dump(
        folder / model / "eval_info.json",
        {"per_task": [{"task_group": "g", "task_id": 0, "metrics": metrics}]},
    )


def alpaca_eval(folder, model="a", values=(1, 0, 1, 1)):
    rows = [{"instruction": f"q{i}", "generator_1": "base", "generator_2": model, "preference": 1.0 + v}
            for i, v in enumerate(values)]  # fmt: skip
    dump(folder / f"{model}.json", rows)


def arena_hard(folder, model="a", values=(1, 0, 1, 1)):
    rows = [{"question_id": f"q{i}", "model": model, "judge": "j", "games": [{"score": "B>>A" if v else "A>B"}]}
            for i, v in enumerate(values)]  # fmt: skip
    dump(folder / f"{model}.jsonl", rows, lines=True)


def mt_bench(folder, model="a", values=(1, 0, 1, 1)):
    about = {"model": model, "judge": ["gpt-4", "single-v1"], "judgment": "", "turn": 1}
    rows = [about | {"question_id": i, "score": v} for i, v in enumerate(values)]
    dump(folder / f"{model}.jsonl", rows, lines=True)


def livecodebench(folder, model="a", values=(1, 0, 1, 1)):
    rows = [{"question_id": f"q{i}", "graded_list": [bool(v)]} for i, v in enumerate(values)]
    dump(folder / model / "eval_all.json", rows)


def lighteval(folder, model="a", values=(1, 0, 1, 1), shots=0, old=False):
    polars, time = pytest.importorskip("polars"), STAMP.format(1)
    place = folder / "details" / "org" / model / time
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    for i, value in enumerate(map(float, values)):
        new = {
            "doc": {"id": f"q{i}", "query": "qrstuvwx"[i]},
            "metric": {"em": value},
            "model_response": {"text": ["x"]},
        }
        rows.append(
            {"example": "qrstuvwx"[i], "metrics": {"em": value}, "gold": ["x"]} if old else new
        )
    polars.DataFrame(rows).write_parquet(place / f"details_lighteval|gsm8k|{shots}_{time}.parquet")
    known = {
        "config_general": {"lighteval_sha": "?", "model_name": f"org/{model}"},
        "results": {"all": {"em": 0.5}},
    }
    dump(folder / "results" / "org" / model / f"results_{time}.json", known)


WRITERS = [
    *(terminal_bench, harbor, aider, lerobot, alpaca_eval, arena_hard, mt_bench, livecodebench),
    *(
        lm_eval,
        inspect,
        swebench,
        swebench_instances,
        helm,
        eee,
        promptfoo,
        code,
        junit,
        pytest_report,
        tau,
        openai,
    ),
    *(
        deepeval,
        mlflow,
        opencompass,
        opencompass_details,
        metr,
        mteb,
        weka,
        caret,
        kaggle,
        lighteval,
    ),
]
#: What must be chosen in files with several metrics.
ONLY = {"aider": {"metric": "solved"}, "promptfoo": {"metric": "success"}, "code": {"metric": "plus"},
        "deepeval": {"metric": "success"}, "metr": {"metric": "score_binarized"}}  # fmt: skip


def both(writer, folder, **options):
    for model, values in RIGHT.items():
        writer(folder, model, values, **options)


def outcomes(frame):
    ordered = frame.sort_values(
        "case", key=lambda c: c.str.extract(r"(\d+)(?!.*\d)", expand=False).astype(int)
    )
    return {
        name.split("/")[-1][0]: part["outcome"].tolist() for name, part in ordered.groupby("entity")
    }


@pytest.mark.parametrize("writer", WRITERS)
def test_a_format_reads_what_its_tool_wrote(writer, tmp_path):
    both(writer, tmp_path)
    frame = br.read(tmp_path, only=ONLY.get(writer.__name__))
    assert list(frame)[:5] == ["entity", "dataset", "case", "run", "outcome"]
    assert outcomes(frame) == RIGHT
    assert set(frame.get("status", ["scored"])) == {"scored"}
    joint = br.from_frame(frame)
    mean = (joint["outcome"] * joint["count"]).sum("pattern") / joint["count"].sum()
    assert [str(e).split("/")[-1][0] for e in joint["entity"].values] == ["a", "b"]
    np.testing.assert_allclose(mean, [0.75, 0.25])


def test_a_new_format_is_one_new_file(tmp_path, monkeypatch):
    (tmp_path / "toy_format.py").write_text(
        "import pandas as pd\nTITLE = 'Toy'\ndef recognise(head): return head.startswith('TOY')\n"
        "def read(path): return pd.DataFrame({'entity': ['a', 'b'], 'case': [1, 1], 'outcome': [1, 0]})\n"
    )
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    formats.names.cache_clear()
    try:
        (tmp_path / "log.toy").write_text("TOY")
        assert outcomes(br.read(tmp_path / "log.toy")) == {"a": [1.0], "b": [0.0]}
    finally:
        sys.modules.pop("bayesrank.io.formats.toy_format", None)
        formats.names.cache_clear()


def test_packed_logs_and_patterns_read_as_the_files_they_hold(tmp_path, monkeypatch):
    source = tmp_path / "logs"
    source.mkdir()
    both(tau, source)
    plain = br.read(source)
    shutil.make_archive(str(tmp_path / "packed"), "zip", source)
    for path in source.iterdir():
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    for paths in (
        tmp_path / "packed.zip",
        str(tmp_path / "*.gz"),
        [source / "b.json", source / "a.json"],
    ):
        found = br.read(paths)
        key = ["entity", "case"]
        pd.testing.assert_frame_equal(
            found.sort_values(key, ignore_index=True), plain.sort_values(key, ignore_index=True)
        )
    data = (source / "a.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert outcomes(br.read("-", name={"-": "a"})) == {"a": RIGHT["a"]}


@pytest.mark.parametrize("layout", ["wide", "Kaggle", "caret"])
def test_a_case_without_a_true_label_has_no_outcome(layout, tmp_path):
    if layout == "wide":
        (tmp_path / "wide.csv").write_text("id,target,a,b\n1,x,x,y\n2,,x,y\n3,y,y,y\n4,x,x,x\n")
    elif layout == "Kaggle":
        (tmp_path / "solution.csv").write_text("Id,Expected\n1,x\n2,\n3,y\n")
        (tmp_path / "a.csv").write_text("Id,Predicted\n1,x\n2,x\n3,y\n")
    else:
        (tmp_path / "a.csv").write_text(
            "pred,obs,p,rowIndex,Resample\nx,x,1,1,F\nx,,1,2,F\ny,y,1,3,F\n"
        )
    np.testing.assert_equal(outcomes(br.read(tmp_path))["a"][:3], [1, np.nan, 1])


def test_an_archive_of_inspect_reads_as_its_json(tmp_path):
    inspect(tmp_path, errors=[3], words="CN")
    log = json.loads((tmp_path / "a.json").read_text())
    with zipfile.ZipFile(tmp_path / "b.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": log["eval"]}))
        stale = log["samples"][0] | {"scores": {"match": {"value": "I"}}}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sample in [
                stale,
                *log["samples"],
            ]:  # a member that occurs twice counts as last written
                archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    one, other = br.read(tmp_path / "a.json"), br.read(tmp_path / "b.eval")
    pd.testing.assert_frame_equal(one, other)
    assert one["status"].tolist() == ["scored", "abstained", "scored", "error"]
    assert one["outcome"].tolist()[:3] == [1.0, 0.0, 1.0]
    assert np.isnan(one["outcome"][3])


def swebench_layouts(folder):
    """The other layouts of SWE-bench, written as described for its tools; ``RIGHT`` in each."""
    ids = [f"org__repo-{i}" for i in range(4)]
    for model, values in RIGHT.items():
        solved = [i for i, v in zip(ids, values, strict=True) if v]
        experiments = {
            "no_generation": [],
            "generated": ids,
            "with_logs": ids,
            "install_fail": [],
            "reset_failed": [],
        }
        experiments |= {
            "no_apply": [],
            "applied": ids,
            "test_errored": [],
            "test_timeout": [],
            "resolved": solved,
        }
        dump(folder / "experiments" / model / "results" / "results.json", experiments)
        for i in ids:
            report = {
                "patch_is_None": False,
                "patch_exists": True,
                "resolved": i in solved,
                "tests_status": {},
            }
            dump(folder / "wrapped" / model / i / "report.json", {i: report})
        dump(folder / "pro" / f"{model}.json", {f"instance_{i}": i in solved for i in ids})
        rows = [
            {"instance_id": i, "test_result": {"report": {"resolved": i in solved}}} for i in ids
        ]
        dump(folder / "openhands" / model / "output.swebench_eval.jsonl", rows, lines=True)
        multi = {
            "total_instances": 4,
            "submitted_instances": 4,
            "resolved_instances": len(solved),
            "resolved": solved,
        }
        dump(
            folder / "multi" / f"{model}.json",
            multi | {"unresolved_ids": [i for i in ids if i not in solved]},
        )
    details = {
        m: {i: {"resolved": bool(v)} for i, v in zip(ids, held, strict=True)}
        for m, held in RIGHT.items()
    }
    results = [{"name": model, "per_instance_details": held} for model, held in details.items()]
    dump(
        folder / "site" / "leaderboards.json",
        {"leaderboards": [{"name": "Verified", "results": results}]},
    )


@pytest.mark.parametrize("layout", ["experiments", "wrapped", "pro", "openhands", "multi", "site"])
def test_layouts_of_swebench_without_samples_are_read(layout, tmp_path):
    swebench_layouts(tmp_path)
    frame = br.read(tmp_path / layout)
    assert outcomes(frame) == RIGHT
    assert set(frame["category"]) == {"org"}
    if layout == "experiments":  # a list that leaves instances out is doubted
        path = tmp_path / "experiments" / "b" / "results" / "results.json"
        log = json.loads(path.read_text())
        dump(path, {key: [i for i in held if not i.endswith("3")] for key, held in log.items()})
        message = refused("rank", tmp_path / "experiments")
        assert "b (1 absent)" in message
        assert "--missing 0 counts them as wrong" in message
        assert any("The files list 3 cases" in say(note) for note in br.read(path).attrs["doubts"])


def test_states_of_swebench_are_apart(tmp_path):
    swebench(
        tmp_path,
        values=[1, 0],
        error_ids=["org__repo-2"],
        empty_patch_ids=["org__repo-3"],
        incomplete_ids=["x__y-4"],
    )
    frame = br.read(tmp_path / "a.run.json").set_index("case")
    assert frame["status"].to_dict() == {
        "org__repo-0": "scored", "org__repo-1": "scored", "org__repo-2": "error", "org__repo-3": "abstained",
        "x__y-4": "not submitted",
    }  # fmt: skip
    assert frame["outcome"].isna().sum() == 2
    assert frame["category"].to_dict()["x__y-4"] == "x"


# Logs that must not be ranked as they are. Each writes files and says which words name the trap; where there is a
# choice to make, the command that doctor prints must rank.


def write_old(folder):
    for model, values in RIGHT.items():
        lm_eval(folder, model, values, filters=("strict", "loose"), lm_filter=False)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def cut(path, share=0.7):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def pair(writer, then=None, **options):
    def write(folder):
        both(writer, folder, **options)
        if then is not None:
            then(folder)

    return write


def unlike(writer, first, second):
    """Two systems whose files were written with different options."""

    def write(folder):
        writer(folder, "a", **first)
        writer(folder, "b", **second)

    return write


def slip(folder):
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("../a.json", "[]")


MANGLED = {
    "two metrics": (pair(lm_eval, metrics=("acc", "acc_norm")), "one metric of each case", True),
    "two filters": (pair(lm_eval, filters=("strict", "flexible")), "one filter of each case", True),
    "unlabelled filters": (write_old, "one filter of each case", True),
    "metrics by task": (lambda f: [lm_eval(f, m, task=t, metrics=(n,), second=k) for m in "ab" for k, (t, n) in
                                   enumerate([("x", "acc"), ("y", "em")])], "mix scales", True),
    "directions": (lambda f: [lm_eval(f, m, task=t, metrics=("score",), better=t == "x", second=k) for m in "ab"
                              for k, t in enumerate("xy")], "the same direction", True),
    "directions of one case": (lambda f: [lm_eval(f, m, [1], task=t, metrics=("score",), better=t == "x", second=k)
                                          for m in "ab" for k, t in enumerate("xy")], "for score (y)", True),
    "unknown direction": (pair(lm_eval, metrics=("mae",), better=None), "--lower-is-better says", True),
    "other content": (unlike(lm_eval, {}, {"content": "abcdefgh"}), "content differs", True),
    "shuffled content": (unlike(lm_eval, {}, {"content": "rsqtuvwx"}), "content differs", True),
    "rerun": (lambda f: [lm_eval(f, "a", second=0), lm_eval(f, "a", second=1), lm_eval(f, "b")], "a copy or a rerun", True),  # noqa: E501
    "other shots": (lambda f: [lm_eval(f, "a", second=0, **{"n-shot": {"gsm8k": 0}}), lm_eval(f, "b"),
                               lm_eval(f, "a", [0, 0, 1, 1], second=1, **{"n-shot": {"gsm8k": 5}})],
                    "3 of 4 runs have equal outcomes; they differ in shots (0 and 5)", True),
    "random name": (pair(lm_eval, model_source="CUSTOM"), "must name its system", True),
    "no name": (lambda f: [lm_eval(f, "a", results=False, place="x"), lm_eval(f, "b", results=False, place="y")],
                "must name its system", True),
    "lists": (pair(lm_eval, then=lambda f: [p.write_text(p.read_text().replace('"acc": 1.0', '"acc": [1]').replace(
        '"acc": 0.0', '"acc": [0]')) for p in f.rglob("*.jsonl")]), "acc is a list", False),
    "one word among numbers": (pair(lm_eval, then=lambda f: edit(next(f.rglob("samples*")), '"acc": 1.0', '"acc": "yes"')),  # noqa: E501
                               "must be numbers", True),
    "infinite": (pair(lm_eval, then=lambda f: edit(next(f.rglob("samples*")), '"acc": 1.0', '"acc": Infinity')),
                 "not finite", True),
    "cut lines": (pair(lm_eval, then=lambda f: cut(next(f.rglob("samples*")))), "complete JSON in every line", True),
    "lost field": (pair(lm_eval, then=lambda f: edit(next(f.rglob("samples*")), '"doc_id"', '"id"')), "'doc_id' is missing",  # noqa: E501
                   True),
    "scores alone": (lambda f: dump(f / "results.json", {"results": {"x": {"acc,none": 1}}, "versions": {}}),
                     "aggregates without cases", False),
    "limit": (unlike(lm_eval, {}, {"values": (1.0, 0.0)}), "org/b (2 absent)", True),
    "no samples": (pair(inspect, then=lambda f: inspect(f, "c", ())), "it has none", True),
    "all errors": (pair(inspect, then=lambda f: inspect(f, "c", errors=range(4))), "4 with status error", True),
    "some errors": (pair(inspect, errors=[0]), "(1 error)", True),
    "two scorers": (unlike(inspect, {"scorer": "x"}, {"scorer": "y"}), "one metric of each case", True),
    "unequal epochs": (unlike(inspect, {"epochs": 3}, {"epochs": 1}), "in number: org/a (12), org/b (4) (", True),
    "two judges": (pair(inspect, scorer="model_graded_qa"), "one judge", True),
    "classes": (pair(inspect, words=["left", "right"]), "match is a str", False),
    "cut JSON": (pair(inspect, then=lambda f: cut(f / "a.json")), "must be complete JSON", True),
    "pointer": (pair(inspect, then=lambda f: (f / "c.eval").write_text("version https://git-lfs.github.com/spec/v1\n")),
                "pointer of Git LFS", True),
    "damaged archive": (lambda f: (f / "x.zip").write_bytes(b"PK\x03\x04damaged"), "damaged data: File is not", None),
    "two scales": (unlike(lm_eval, {}, {"values": (0.0, 100.0, 0.0, 100.0)}), "the same scale", True),
    "archive that leaves its folder": (slip, "leaves it", None),
    "errors of the harness": (unlike(swebench, {}, {"values": (1, 0, 1), "error_ids": ["org__repo-3"]}), "1 error", True),  # noqa: E501
    "not submitted": (unlike(swebench, {}, {"values": (1, 0, 1), "incomplete_ids": ["org__repo-3"]}), "1 not submitted",
                      True),
    "perturbations": (pair(helm, perturbed=True), "one perturbation of each case", True),
    "request errors": (pair(promptfoo, errors=[1]), "1 error", True),
    "old version": (pair(promptfoo, version=2), "version 3", None),
    "skipped": (unlike(junit, {}, {"children": "<skipped/>"}), "1 skipped", True),
    "test twice": (pair(junit, again=2), "more than once", True),
    "broken XML": (pair(junit, then=lambda f: cut(f / "a.xml")), "whole XML", True),
    "errors scored 0": (unlike(tau, {}, {"errors": [1]}), "--errors scored", True),
    "predictions": (pair(opencompass, key="x"), "predictions without outcomes", None),
    "no row numbers": (pair(caret, row="q"), "must name logs of a known format", None),
    "no case names": (pair(weka, ids=False), "-p 1", None),
    "probabilities": (pair(kaggle, probabilities=True), "choose a threshold", None),
    "no outcomes": (pair(openai, then=lambda f: openai(f, "c", kind="sampling")), "status no outcome", True),
    "no model": (pair(deepeval, named=False), "must name its system", True),
    "splits": (pair(mteb, splits=("test", "train")), "one split of each case", True),
    "no log": (lambda f: (f / "x.md").write_text("# Results"), "must name logs of", False),
    "empty folder": (lambda f: (f / "x").mkdir(), "contains none", None),
    "UTF-16": (pair(lm_eval, then=lambda f: [p.write_text(p.read_text(), "utf-16") for p in f.glob("*a/samples*")]),
               "got UTF-16", True),
    "resolved and unresolved": (pair(swebench, then=lambda f: edit(f / "a.run.json", '"unresolved_ids": [',
                                                                   '"unresolved_ids": ["org__repo-0", ')),
                                "org__repo-0 is in both lists", True),
    "name with NUL": (pair(lm_eval, then=lambda f: edit(next(f.rglob("*a/results*")), "org/a", "org/a\\u0000")),
                      "must name its system", True),
    "several names": (pair(lm_eval, then=lambda f: edit(next(f.rglob("*a/results*")), '"org/a"', '["org/a"]')),
                      "fields are not as usual", True),
    "a row that is null": (pair(tau, then=lambda f: edit(f / "b.json", "[", "[null, ")), "not as usual", True),
    "group beside its tasks": (lambda f: [lm_eval(f, m, v * 2, task=t, second=k) for m, v in RIGHT.items()
                                          for k, t in enumerate(["law", "all"])], "would count twice", True),
}  # fmt: skip


def test_a_case_whose_content_differs_is_named_with_both_systems(tmp_path):
    unlike(lm_eval, {}, {"content": "qrxtuvwx"})(tmp_path)
    with pytest.raises(
        ValueError,
        match=r"case 2 of gsm8k .* 1 case whose .* between org/a \(.*\) and org/b \(.*\)",
    ):
        br.read(tmp_path)


@pytest.mark.parametrize("trap", MANGLED)
def test_a_mangled_log_is_refused_with_a_remedy_that_works(trap, tmp_path):
    write, words, remedied = MANGLED[trap]
    write(tmp_path)
    if remedied is None:
        # Nothing can be chosen: the files, or all files, must be written anew.
        assert words in refused("rank", tmp_path)
        return
    found = diagnose(str(tmp_path), Choices(shell=True))
    assert any(words in str(stop) for stop in found.stops), found.stops
    assert bool(found.command) == remedied
    if remedied:
        choices = _choices(shlex.split(found.command)[3:])
        again = diagnose(str(tmp_path), choices)
        assert again.stops == []
        assert br.from_frame(again.frame, missing=choices.missing).sizes["entity"] >= 1


def _choices(words):
    """Choices as the command reads them from what doctor prints."""
    seen = {}

    @reading_logs
    @click.option("--missing", type=WORD)
    @click.option("--lower-is-better", "lower", is_flag=True)
    @click.command()
    def command(missing, lower, **how):
        seen["choices"] = choices_of(how, missing).also(lower=lower)

    command.main(words, standalone_mode=False)
    return seen["choices"]


def test_lower_is_better_where_the_files_say_so(tmp_path):
    both(lm_eval, tmp_path, metrics=("mae",), better=False)
    for more in ([], ["--lower-is-better"]):
        rows = json_of("rank", tmp_path, "--draws", "50", *more)["ranking"]
        assert min(rows, key=lambda row: row["expected_rank"])["entity"] == "org/b"
    assert "--lower-is-better cannot be used for scores" in refused(
        "rank", "tornado", "--lower-is-better"
    )


def test_convert_writes_what_rank_reads_and_the_report_says_what_doctor_found(tmp_path):
    both(tau, tmp_path)
    out, page = tmp_path / "out.csv", tmp_path / "page.html"
    invoke("convert", tmp_path, "-o", out)
    assert (
        pd.read_csv(out)["outcome"].tolist()[:4] == br.read(tmp_path / "a.json")["outcome"].tolist()
    )
    one, other = (csv_of("rank", path, "--draws", "50") for path in (out, f"{tmp_path}/*.json"))
    pd.testing.assert_frame_equal(one, other)
    invoke("report", f"{tmp_path}/*.json", "-o", page, "--draws", "50")
    assert "2: a, b." in page.read_text()


@pytest.mark.parametrize(
    ("trials", "read"), [([2, 1, 2, 1], [2, 1, 2, 1]), ([7, 9, 8, 6], [0, 1, 0, 1])]
)
def test_runs_of_tau_bench_are_numbered_anew_only_if_no_two_have_one_number(trials, read, tmp_path):
    runs = [
        {"task_id": i // 2, "reward": 1, "trial": trial, "info": {}}
        for i, trial in enumerate(trials)
    ]
    dump(tmp_path / "a.json", runs)
    assert br.read(tmp_path)["run"].tolist() == read


def by_category(folder, seed=0, sizes=(40, 20, 60)):
    """Write logs of METR with three task families; return the outcomes by system and family."""
    rng = np.random.default_rng(seed)
    held = {
        (model, family): rng.integers(0, 10, n) < 4 + 2 * k
        for k, model in enumerate("ab")
        for family, n in zip(("x", "y", "z"), sizes, strict=True)
    }
    for model in "ab":
        rows = [
            {"run_id": "r", "task_id": f"{family}/{i}", "task_family": family, "alias": name, "score_binarized": int(v)}
            for (name, family), values in held.items() if name == model for i, v in enumerate(values)
        ]  # fmt: skip
        dump(folder / f"{model}.jsonl", rows, lines=True)
    return held


def ranked_by(*words):
    parts = {}
    for row in json_of("rank", *words)["ranking"]:
        parts.setdefault(row["part"].split(" over ")[0], {})[row["entity"]] = row
    return parts


@pytest.mark.parametrize("lower", [False, True])
def test_categories_are_ranked_by_their_mean_and_their_worst(lower, tmp_path):
    held = by_category(tmp_path)
    table = tmp_path / "table.csv"
    only = ["--only", "metric=score_binarized"]
    invoke("convert", tmp_path, *only, "-o", table)
    # The logs say that higher is better; a table says nothing.
    parts = ranked_by(table, "--by", "category", *["--lower-is-better"] * lower)
    mean, worst, *each = parts.values()
    assert [len(part) for part in parts.values()] == [2] * 5
    rng = np.random.default_rng(1)
    for model in "ab":
        right = {
            family: (int(v.sum()), len(v)) for (name, family), v in held.items() if name == model
        }
        observed = np.array([s / n for s, n in right.values()])
        # Each category has the prior Beta(1/2, 1/2); the mean has it once, a third of it in each category.
        single = np.array([rng.beta(1 / 2 + s, 1 / 2 + n - s, 200_000) for s, n in right.values()])
        split = np.array([rng.beta(1 / 6 + s, 1 / 6 + n - s, 200_000) for s, n in right.values()])
        end = np.max if lower else np.min
        for row, draws, seen in [
            (mean[model], split.mean(0), observed.mean()),
            (worst[model], of_worst := end(single, 0), end(observed)),
            *((part[model], single[k], observed[k]) for k, part in enumerate(each)),
        ]:
            assert row["observed"] == pytest.approx(seen)
            # Five standard errors of a quantile of 4,000 draws.
            if draws is of_worst:  # its interval comes from those of the categories
                assert row["lower"] < row["observed"] < row["upper"]
                continue
            for name, level, wide in (
                ("median", 0.5, 1.25),
                ("lower", 0.025, 2.7),
                ("upper", 0.975, 2.7),
            ):
                assert row[name] == pytest.approx(
                    np.quantile(draws, level), abs=5 * wide * draws.std() / 4000**0.5
                )
    best = [min(part, key=lambda name: part[name]["expected_rank"]) for part in (mean, worst)]
    assert best == ["a" if lower else "b"] * 2
    assert worst["a"]["rank_upper"] == len(worst)  # its promise was not measured for a minimum
    again = parts if lower else ranked_by(f"{tmp_path}/*.jsonl", *only, "--by", "category")
    for one, other in zip(again.values(), parts.values(), strict=True):
        assert one["a"]["median"] == pytest.approx(other["a"]["median"], abs=0.02)
        assert one["a"]["observed"] == other["a"]["observed"]


def test_categories_that_not_all_met_are_refused_with_a_remedy(tmp_path):
    by_category(tmp_path)
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(line for line in path.read_text().splitlines(True) if '"x/' not in line)
    )
    words = [
        tmp_path,
        "--only",
        "metric=score_binarized",
        "--missing",
        "own",
        "--by",
        "category",
        "--draws",
        "50",
    ]
    message = refused("rank", *words)
    assert "a has no outcome in x" in message
    remedy = shlex.split(message[message.index("(") + 1 : message.index(" keeps")])
    assert list(ranked_by(*words, *remedy)["Mean"]) == ["b", "a"]
    assert "--by must name a column of the logs (dataset, category" in refused(
        "rank", *words, "--by", "colour"
    )


def test_the_mean_over_few_cases_says_that_its_intervals_are_narrow(tmp_path):
    by_category(tmp_path, sizes=(3, 3, 3))
    shown = invoke(
        "rank", tmp_path, "--only", "metric=score_binarized", "--by", "category", "--draws", "50"
    )
    # Of n cases a proper posterior without a prior keeps (n - 1) / (n + 1) of the variance.
    assert f"too narrow by about {100 * (1 - (2 / 4) ** 0.5):.0f}%" in shown
    assert "worst on" in shown


def test_clusters_widen_intervals_as_the_standard_error_of_their_means_does(tmp_path):
    rng = np.random.default_rng(1)
    means = np.repeat(rng.integers(0, 2, 40), 5)
    rows = [{"task_id": i, "reward": float(v), "info": {}, "trial": 0} for i, v in enumerate(means)]
    dump(tmp_path / "a.json", rows)
    frame = br.read(tmp_path / "a.json").assign(category=np.repeat(np.arange(40), 5))
    # All five cases of a group are alike: standard errors are larger by the root of 5, but for 40 / 39.
    [said] = _clusters(frame)
    assert f"{np.sqrt(5 * 40 / 39):.2g} times as wide" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"only": {"metric": "f1"}}, "must be one of acc"),
        ({"only": {"colour": "red"}}, "only must be one of"),
        ({"name": {"nowhere.json": "x"}}, "must start with the name of a file that was read"),
        ({"match": "name"}, "match must be one of"),
        ({"reruns": "first"}, "reruns must be one of"),
    ],
)
def test_a_choice_that_fits_nothing_is_refused(options, words, tmp_path):
    both(lm_eval, tmp_path)
    with pytest.raises(ValueError, match=words):
        br.read(tmp_path, **options)


def test_grades_between_0_and_1_are_on_one_scale_with_100(tmp_path):
    """Only files of right and wrong tell their scale; a partial credit can be 1 of 100."""
    lm_eval(tmp_path, "a", (0.0, 0.5, 1.0, 1.0))
    lm_eval(tmp_path, "b", (0.0, 100.0, 0.0, 100.0))
    assert sorted(br.read(tmp_path)["outcome"]) == [0, 0, 0, 0.5, 1, 1, 100, 100]


def test_names_with_commas_can_be_kept(tmp_path):
    for task in ("t:x=1,y=2", "t:x=1,y=3"):
        for model in "ab":
            place = tmp_path / f"{task},model={model}".replace(":", "_")
            helm(place, model)
            path = next(place.glob("*/run_spec.json"))
            dump(path, json.loads(path.read_text()) | {"name": f"{task},model={model}"})
    both = br.read(tmp_path)
    assert set(both["dataset"]) == {"t:x=1,y=2", "t:x=1,y=3"}
    chosen = Choices(only={"dataset": ["t:x=1,y=2", "t:x=1,y=3"]}, shell=True).typed()
    assert chosen == "--only dataset=t:x=1,y=2 --only dataset=t:x=1,y=3"
    for typed, kept in (
        (["--only", "dataset=t:x=1,y=3"], {"t:x=1,y=3"}),
        (shlex.split(chosen), set(both["dataset"])),
    ):
        assert set(pd.read_csv(io.StringIO(invoke("convert", tmp_path, *typed)))["dataset"]) == kept
    with pytest.raises(
        ValueError, match=r"only=\{'dataset': 't:x=9'\} must be one of t:x=1,y=2, t:x=1,y=3"
    ):
        br.read(tmp_path, only={"dataset": "t:x=9"})


def test_shares_beside_percentages_and_costs_as_text_are_doubted(tmp_path):
    lm_eval(tmp_path, "a", (87.5, 12.0, 100.0, 66.0))
    lm_eval(tmp_path, "b", (0.5, 0.2, 1.0, 0.3))
    assert any("their scales may differ" in say(note) for note in br.read(tmp_path).attrs["doubts"])
    (tmp_path / "costs").mkdir()
    both(promptfoo, tmp_path / "costs")
    for name, cost in (("a", '"$1"'), ("b", "2")):
        path = tmp_path / "costs" / f"{name}.json"
        path.write_text(path.read_text().replace('"cost": null', f'"cost": {cost}'))
    frame = br.read(tmp_path / "costs", only={"metric": "success"})
    assert frame.groupby("entity")["cost"].count().to_dict() == {"a": 0, "b": 4}
    assert any("is no number, such as '$1'" in say(note) for note in frame.attrs["remarks"])


def test_a_promptfoo_csv_has_the_scores_of_each_provider(tmp_path):
    """The columns after an answer are its status and score; others may follow."""
    heading = ["Description", "q", *(["[{}] plain", "Status", "Score", "Named Scores"])]
    rows = [("t1", ("PASS", "1.00"), ("FAIL", "0.25")), ("t2", ("FAIL", "0.50"), ("ERROR", "0.00"))]
    lines = [",".join([*heading[:2], *(name.format(one) for one in "ab" for name in heading[2:])])]
    lines += [
        ",".join([case, "x", *(cell for found in own for cell in ("text", *found, "7"))])
        for case, *own in rows
    ]
    (tmp_path / "out.csv").write_text("\n".join(lines))
    frame = br.read(tmp_path / "out.csv", only={"metric": "score"})
    found = {(row.entity, row.case): row.outcome for row in frame.itertuples()}
    assert found == pytest.approx(
        {("a", "t1"): 1, ("a", "t2"): 0.5, ("b", "t1"): 0.25, ("b", "t2"): np.nan}, nan_ok=True
    )
    right = br.read(tmp_path / "out.csv", only={"metric": "success"})
    assert right["outcome"].tolist()[:3] == [1, 0, 0]


def test_a_scorer_of_inspect_with_a_model_of_its_own_is_one_judge(tmp_path):
    """Without it, each system is its own judge, which is refused."""
    for model in "ab":
        inspect(tmp_path, model, scorer="model_graded_qa")
        log = json.loads((tmp_path / f"{model}.json").read_text())
        log["eval"]["scorers"] = [{"name": "model_graded_qa", "options": {"model": "org/c"}}]
        dump(tmp_path / f"{model}.json", log)
    assert outcomes(br.read(tmp_path)) == {"a": [1, 0, 1, 1], "b": [1, 0, 1, 1]}


def test_reruns_are_compared_by_the_two_files_that_are_named(tmp_path):
    for second, (shots, model) in enumerate([(0, "a"), (0, "a"), (5, "a"), (0, "b")]):
        lm_eval(tmp_path, model, second=second, **{"n-shot": {"gsm8k": shots}})
    with pytest.raises(br.ArgumentError, match="a copy or a rerun") as caught:
        br.read(tmp_path)
    assert "they differ in" not in str(caught.value)


def test_details_of_lighteval_before_its_version_of_2025_have_no_ids(tmp_path):
    both(lighteval, tmp_path, old=True)
    frame = br.read(tmp_path)
    assert outcomes(frame) == RIGHT
    assert set(frame["dataset"]) == {"lighteval|gsm8k"}
    assert not frame.attrs["doubts"]  # the results beside the details are known
    shutil.rmtree(tmp_path / "details")
    with pytest.raises(br.ArgumentError, match="scores of lighteval, which are aggregates"):
        br.read(tmp_path)


def test_other_parquet_files_name_the_function_that_reads_them(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame({"case": [1, 2], "a": [0, 1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(br.ArgumentError, match=r"got case, a \(br.from_frame"):
        br.read(tmp_path)


def test_metrics_of_deepeval_are_read_beside_its_success(tmp_path):
    for model, scores in (("a", (0.9, 0.2, 0.7)), ("b", (0.4, 0.6, 0.1))):
        deepeval(tmp_path, model, values=(1, 0, 1))
        log = json.loads((tmp_path / f"{model}.json").read_text())
        for test, score in zip(log["testCases"], scores, strict=True):
            test["metricsData"] = [{"name": "relevancy", "score": score}]
        dump(tmp_path / f"{model}.json", log)
    found = br.read(tmp_path, only={"metric": "relevancy"})
    assert found.set_index("entity").loc["a", "outcome"].tolist() == [0.9, 0.2, 0.7]
    assert found.set_index("entity").loc["b", "outcome"].tolist() == [0.4, 0.6, 0.1]


def test_second_logs_of_a_system_are_its_runs_one_and_two(tmp_path):
    for folder, values in (("first", (1, 0, 1, 1)), ("second", (0, 0, 1, 0))):
        for model in "ab":
            deepeval(tmp_path / folder, model, values)
    found = br.read(tmp_path, only={"metric": "success"}, reruns="runs")
    assert found["run"].dtype.kind == "i"
    assert found.groupby(["entity", "case"])["run"].apply(sorted).tolist() == [[1, 2]] * 8


def test_a_pattern_with_a_comma_is_one_pattern_if_it_matches_a_file(tmp_path):
    for model in ("a,1", "a,2", "b"):
        promptfoo(tmp_path, model)
    kept = br.read(tmp_path, only={"metric": "success", "file": "*a,*.json"})
    every = br.read(tmp_path, only={"metric": "success", "file": "*a*.json,b.json"})
    assert kept["entity"].nunique() == 2
    assert every["entity"].nunique() == 3


def test_predictions_in_another_order_are_not_those_of_opencompass():
    row = {"origin_prompt": "q", "prediction": "A"}
    assert recognise_opencompass(json.dumps({"0": row}))
    assert not recognise_opencompass(json.dumps([row]))
    for details in ({"0": row}, {"type": "GEN", "0": row}):
        assert recognise_opencompass(json.dumps({"accuracy": 50.0, "details": details}, indent=4))
    assert not recognise_opencompass(json.dumps({"details": {"type": "GEN"}}))


def test_a_data_set_is_offered_only_if_several_systems_met_it(tmp_path):
    for model, task in (("a", "x"), ("b", "y")):
        lm_eval(tmp_path, model, task=task)
    [stop] = diagnose(tmp_path, Choices(shell=True)).stops
    assert "ranks the systems with that data set" not in stop.hint
    lm_eval(tmp_path, "c", task="y")
    [stop] = diagnose(tmp_path, Choices(shell=True)).stops
    assert "--only dataset=y ranks the systems with that data set" in stop.hint


@pytest.mark.parametrize(("wide", "narrow"), [(3, 1), (5, 2)])
def test_the_proposed_metric_has_the_most_systems_and_files_without_it_are_named(
    wide, narrow, tmp_path
):
    """The metric of few systems stands first in the files."""
    for i in range(narrow):
        lm_eval(tmp_path, f"a{i}", metrics=("acc_norm",))
    for i in range(wide):
        lm_eval(tmp_path, f"b{i}", metrics=("acc",))
    found = br.doctor(tmp_path)
    assert "--only metric=acc" in shlex.join(shlex.split(found.command))
    assert len(set(found.frame["entity"])) == wide
    doubts = " ".join(map(say, br.read(tmp_path, only={"metric": "acc"}).attrs["remarks"]))
    assert f"Left out, since they lack the metric acc: {narrow} of {wide + narrow} files" in doubts
    assert all(f"org__a{i}" in doubts for i in range(narrow))
    assert f"{narrow} of {wide + narrow} files" in invoke(
        "rank", tmp_path, "--only", "metric=acc", "--draws", "20"
    )


def test_a_refusal_of_many_tasks_lists_tasks_systems_and_metrics(tmp_path):
    for task in ("one", "two", "three"):
        for model in "ab":
            lm_eval(
                tmp_path, model, task=task, metrics=("acc", "f1") if task != "three" else ("acc",)
            )
    contents = "3 data sets: one, three, two; 2 systems: org/a, org/b; 2 metrics: acc (3 data sets), f1 (2 data sets)"
    assert contents in refused("rank", tmp_path)
    assert contents in invoke("doctor", tmp_path)
    with pytest.raises(
        br.ArgumentError,
        match=r"the logs hold 3 data sets: one, three, two; 2 systems: org/a, org/b",
    ):
        br.read(tmp_path)


def test_all_files_that_cannot_be_read_are_named_at_once(tmp_path):
    for model in "abcd":
        inspect(tmp_path, model)
    paths = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    for path in paths[1:]:
        path.write_text(path.read_text()[:-40])
    assert f"{len(paths) - 2} more files cannot be read" in refused("rank", tmp_path)
    assert len(br.doctor(tmp_path).stops) == 1
    assert len(set(br.read(tmp_path, errors="skip")["entity"])) == 1


def resolved_only(folder, right, listed):
    """Results as SWE-bench's experiments keep them today: of the instances without patch, and the resolved ones."""
    for model, solved in right.items():
        ids = [f"org__repo-{i}" for i in range(listed)]
        dump(
            folder / model / "results" / "results.json",
            {"no_generation": ids[solved:], "resolved": ids[:solved]},
        )


@pytest.mark.parametrize(
    ("listed", "total", "right"),
    [(72, 100, {"a": 51, "b": 40}), (9, 300, {"a": 9, "b": 3, "c": 0})],
)
def test_unlisted_cases_are_wrong_if_their_total_is_given(listed, total, right, tmp_path):
    resolved_only(tmp_path, right, listed)
    alone = br.read(tmp_path)
    assert alone.groupby("entity")["outcome"].mean().to_dict() == pytest.approx(
        {model: solved / listed for model, solved in right.items()}
    )
    doubts = " ".join(map(say, alone.attrs["doubts"]))
    assert (
        f"The files list {listed} cases, and the tool's board divides by all cases: 300 (Lite)"
        in doubts
    )
    assert f"The files list {listed} cases" in invoke("doctor", tmp_path)
    frame = br.read(tmp_path, cases=total)
    assert frame.groupby("entity")["outcome"].mean().to_dict() == pytest.approx(
        {model: solved / total for model, solved in right.items()}
    )
    assert frame.groupby("entity")["case"].nunique().tolist() == [total] * len(right)
    table = csv_of("rank", tmp_path, "--cases", total, "--draws", 50)
    assert table.loc["a", "observed"] == pytest.approx(right["a"] / total)
    assert table.loc["a", "cases"] == total
    assert f"--cases {total}" in invoke("doctor", tmp_path, "--cases", total)


def test_a_case_that_one_system_lists_is_wrong_for_the_others_and_in_their_other_runs(tmp_path):
    dump(
        tmp_path / "a" / "results" / "results.json",
        {"no_generation": [], "resolved": ["o__r-1", "o__r-2"]},
    )
    dump(tmp_path / "b" / "results" / "results.json", {"no_generation": [], "resolved": ["o__r-3"]})
    frame = br.read(tmp_path, cases=4).pivot(index="case", columns="entity", values="outcome")
    assert frame["a"].to_dict() == {"o__r-1": 1, "o__r-2": 1, "o__r-3": 0, "unlisted 1": 0}
    assert frame["b"].sum() == 1
    dump(
        tmp_path / "second" / "a" / "results" / "results.json",
        {"no_generation": [], "resolved": ["o__r-2", "o__r-4"]},
    )
    again = br.read(tmp_path, cases=4, reruns="runs")
    assert again.groupby(["entity", "case"])["outcome"].mean()["a"].to_dict() == {
        "o__r-1": 0.5, "o__r-2": 1.0, "o__r-3": 0.0, "o__r-4": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("write", "cases", "words"),
    [
        (
            lambda folder: resolved_only(folder, {"a": 5}, 9),
            8,
            "cases must be at least 9, the number of listed cases",
        ),
        (
            lambda folder: [lm_eval(folder, task=t) for t in ("one", "two")],
            9,
            "of one data set; got 2",
        ),
        (
            lambda folder: lm_eval(folder, values=(1.0, 0.5)),
            9,
            "logs without right or wrong answers",
        ),
        (lambda folder: lm_eval(folder, better=False), 9, "logs without right or wrong answers"),
        (lambda folder: lm_eval(folder), 0, "at least 1"),
    ],
)
def test_a_total_that_fits_no_logs_is_refused(write, cases, words, tmp_path):
    write(tmp_path)
    with pytest.raises(br.ArgumentError, match=words):
        br.read(tmp_path, cases=cases)


def test_a_cut_file_names_the_number_of_cases_of_its_run(tmp_path):
    """The tool says how many documents there were."""
    lm_eval(tmp_path, **{"n-samples": {"gsm8k": {"effective": 10}}})
    assert any("cases=10, or --cases 10" in say(note) for note in br.read(tmp_path).attrs["doubts"])
    assert br.read(tmp_path, cases=10)["outcome"].mean() == 0.3


@pytest.mark.parametrize(
    "folder",
    [
        "mmlu:subject=law,model=a_b,seed=2",
        pytest.param("run seed=3 case=x", marks=pytest.mark.slow),
        pytest.param("two  blanks", marks=pytest.mark.slow),
        "score=f1 (br.fit)",
        "missing=0",
    ],
)
def test_the_printed_remedies_work_where_paths_look_like_arguments(
    folder, tmp_path, monkeypatch, capsys
):
    """Names of users are data: no message rewrites them."""
    place = tmp_path / folder
    inspect(place, "a")
    inspect(place, "b")
    broken = place / "cut.json"
    broken.write_text('{"version": 2, "stat')
    monkeypatch.setattr("sys.argv", ["bayesrank", "rank", str(place)])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"bayesrank: {broken} must be a whole file" in said
    typed = re.search(r"(--name .*?) leaves the file out", said)[1]
    assert "a" in invoke("rank", place, *shlex.split(typed), "--draws", 20)
    command = invoke("doctor", place).strip().splitlines()[-1]
    assert shlex.split(command)[2] == str(place)
    assert "a" in invoke(*shlex.split(command)[1:], "--draws", 20)
