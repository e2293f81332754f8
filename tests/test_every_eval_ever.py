"""Records of Every Eval Ever: scores with their uncertainty, and ranks by the proposed schema."""

import json
import sys
import uuid
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import bayesrank as br
from bayesrank import integrations
from bayesrank.integrations.every_eval_ever import make_records
from tests.commands import invoke, refused
from tests.evidence.test_formats import inspect

SCHEMA = json.loads(
    (Path(integrations.__file__).parent / "every_eval_ever.schema.json").read_text("utf-8")
)
WHO = {"source_organization_name": "us", "evaluator_relationship": "third_party"}
SAID = ("--source-organization-name", "us", "--evaluator-relationship", "third_party")


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for model, right in (("old", 20), ("new", 37)):
        inspect(folder, model, [int(i < right) for i in range(40)])
    return folder


def test_a_record_has_the_numbers_of_the_ranking(logs, tmp_path):
    printed = invoke("convert", logs, "--to", "every-eval-ever", *SAID, "-o", tmp_path / "out")
    assert printed.splitlines()[-1] == f"Records: {tmp_path / 'out'} (2 files)"
    analysis = br.analyze(br.read(logs))
    for path in sorted((tmp_path / "out").rglob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        name = record["model_info"]["id"]
        assert path.relative_to(tmp_path / "out").parts[:4] == ("data", "t", *name.split("/"))
        assert uuid.UUID(path.stem).version == 4
        [result] = record["evaluation_results"]
        details, row = result["score_details"], analysis.table.loc[name]
        assert details["score"] == pytest.approx(row["observed"])
        error, interval = (
            details["uncertainty"][key] for key in ("standard_error", "confidence_interval")
        )
        assert (interval["lower"], interval["upper"]) == pytest.approx(
            (row["lower"], row["upper"]), rel=1e-5
        )
        # The posterior of a proportion is close to normal: its interval is about 4 standard deviations long.
        assert error["value"] == pytest.approx((row["upper"] - row["lower"]) / 3.92, rel=0.1)
        assert details["uncertainty"]["num_samples"] == 40
        ranks = details["ranking"]
        assert (ranks["rank_lower"], ranks["rank_upper"]) == (
            (1, 1) if name == "org/new" else (2, 2)
        )
        assert ranks["compared_with"] == [other for other in analysis.table.index if other != name]
        assert (
            result["metric_config"] | {"min_score": 0, "max_score": 1, "lower_is_better": False}
            == result["metric_config"]
        )
        jsonschema.validate(ranks, SCHEMA, jsonschema.Draft202012Validator)


def test_the_schema_refuses_what_is_no_ranking(logs):
    record = json.loads(next(iter(make_records(br.read(logs), **WHO).values())))
    ranks = record["evaluation_results"][0]["score_details"]["ranking"]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for wrong in (
        {"rank_lower": 0},
        {"sets": "sure"},
        {"other": 1},
        {"probability_best": 1.5},
        {"compared_with": None},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(ranks | wrong, SCHEMA)
    assert set(ranks) == set(SCHEMA["properties"])


def test_equal_logs_give_equal_files_and_each_data_set_is_ranked_alone(logs):
    frame = br.read(logs)
    both = pd.concat(
        [frame, frame.assign(dataset="other/task", outcome=1 - frame["outcome"])], ignore_index=True
    )
    both.attrs = frame.attrs
    records = make_records(both, **WHO)
    assert list(records.items())[:2] == list(make_records(frame, **WHO).items())
    assert sorted({path.split("/")[1] for path in records}) == ["other_task", "t"]
    best = {
        json.loads(text)["model_info"]["id"]
        for path, text in records.items()
        if "/other_task/" in path
        and json.loads(text)["evaluation_results"][0]["score_details"]["ranking"]["tier"] == 1
    }
    assert best == {"org/old"}


def test_what_logs_do_not_say_is_asked_for(logs, tmp_path):
    to = ("--to", "every-eval-ever", "-o", tmp_path / "out")
    assert "--source-organization-name must be given" in refused("convert", logs, *to)
    assert "--evaluator-relationship must be given" in refused("convert", logs, *to, *SAID[:2])
    assert "-o records" in refused("convert", logs, *to[:2], *SAID)
    assert "cannot be used without --to every-eval-ever" in refused("convert", logs, *SAID)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "which is a file" in refused("convert", logs, *to[:2], *SAID, "-o", tmp_path / "file")
    named = refused("convert", logs, *to, *SAID, "--name", "new.json=new")
    assert (
        "must be named developer/model in Every Eval Ever; got 'new' (--name FILE=DEVELOPER/MODEL names it)"
        in named
    )
    assert not (tmp_path / "out").exists()


if sys.version_info >= (3, 12):  # the package of Every Eval Ever needs it

    def test_the_validator_of_every_eval_ever_accepts_the_records(logs, tmp_path):
        from every_eval_ever.validator.validation_core import validate_file

        for name, text in make_records(br.read(logs), **WHO).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            report = validate_file(path, repo_path=name, run_semantic_checks=True)
            assert (report.valid, report.errors, report.warnings) == (True, [], [])
            path.write_text(text.replace('"score"', '"points"'), encoding="utf-8")
            assert not validate_file(path).valid
