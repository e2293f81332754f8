"""What a posterior or a result says of itself: typed records, the same in memory and in files."""

from dataclasses import fields

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.records import (
    EvidenceRecord,
    GateRecord,
    ModelRecord,
    PlanRecord,
    RankingRecord,
    Record,
    ResultRecord,
    SamplerRecord,
    TileRecord,
)
from bayesrank._core.source import parse_source
from tests.test_every_model import CASES, fit

#: A value of each type of field, and how a file gives it back.
EXAMPLES = {
    "str": ("text", "text"),
    "int": (3, np.int64(3)),
    "float": (0.25, np.float64(0.25)),
    "bool": (True, np.int64(1)),
    "tuple[str, ...]": (("one", "two"), np.array(["one", "two"])),
    "tuple[float, ...]": ((0.5,), np.float64(0.5)),
    "tuple[float, float]": ((0.0, np.inf), np.array([0.0, np.inf])),
    "Any": ("text", "text"),
}


def records(base=Record):
    return [one for each in base.__subclasses__() for one in (each, *records(each))]


def type_of(field):
    name = (
        field.type
        if isinstance(field.type, str)
        else getattr(field.type, "__name__", str(field.type))
    )
    return (
        str(field.type).removesuffix(" | None")
        if "|" in str(field.type) or "[" in str(field.type)
        else name
    )


@pytest.mark.parametrize("record", records(), ids=lambda record: record.__name__)
def test_a_record_survives_attrs_and_files(record):
    kinds = {one.name: type_of(one).removeprefix("typing.") for one in fields(record)}
    known = record(**{name: EXAMPLES[kind][0] for name, kind in kinds.items()})
    attrs = known.to_attrs()
    assert set(attrs) == {one.name for one in fields(record)}
    assert not any(isinstance(value, bool | tuple) for value in attrs.values())
    assert record.from_attrs(attrs) == known
    assert (
        record.from_attrs({name: EXAMPLES[kind][1] for name, kind in kinds.items()} | {"other": 1})
        == known
    )


@pytest.mark.parametrize(
    "record", [EvidenceRecord, ModelRecord, RankingRecord, ResultRecord, SamplerRecord, TileRecord]
)
def test_a_record_of_nothing_says_nothing(record):
    assert record.from_attrs({}).to_attrs() == {}
    # As text: a NaN differs from itself.
    assert repr(record.of(xr.Dataset())) == repr(record())


def test_false_and_zero_are_said():
    known = ModelRecord(split_prior=False)
    assert known.to_attrs() == {"split_prior": 0}
    assert ModelRecord.from_attrs({"split_prior": 0}).split_prior is False
    assert ResultRecord(rope=0.0, higher_is_better=False).to_attrs() == {
        "rope": 0.0,
        "higher_is_better": 0,
    }


@pytest.mark.parametrize("name", CASES)
def test_the_record_of_a_posterior_says_what_its_attrs_do(name):
    evidence, model, _ = CASES[name]
    posterior = fit(evidence, model)["posterior"]
    said = ModelRecord.of(posterior).to_attrs() | EvidenceRecord.of(posterior).to_attrs()
    assert said["model"] == model
    assert said["kind"] == ModelRecord.of(posterior).kind
    for key, value in said.items():
        same = str(value) == str(posterior.attrs[key]) or np.array_equal(
            value, posterior.attrs[key]
        )
        assert same, (key, value, posterior.attrs[key])


def test_the_door_reads_the_record_of_any_container():
    evidence, model, _ = CASES["paired"]
    posterior = br.fit(evidence, model, draws=20, chains=1, seed=1)
    known = parse_source(posterior)
    assert known.model.paired
    assert known.model is known.model  # read once
    assert parse_source(fit(evidence, model)["posterior"]).model.paired
    assert repr(parse_source(br.scores.f1(posterior)).model) == repr(ModelRecord())


def test_or_else_fills_only_what_is_not_said():
    found = EvidenceRecord(clusters=3).or_else(EvidenceRecord(clusters=5, missing="own"))
    assert (found.clusters, found.missing) == (3, "own")


def test_results_state_their_records():
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    posterior = br.fit(counts, seed=1)
    ranking = RankingRecord.of(br.credible_ranking(posterior, "f1", prob=0.9, rope=0.01))
    assert (ranking.score, ranking.display, ranking.prob, ranking.rope, ranking.range) == (
        "f1",
        "F1",
        0.9,
        0.01,
        (0, 1),
    )
    assert (ranking.method, ranking.draws, ranking.sign, ranking.percent) == (
        "draws",
        4000,
        1,
        "90%",
    )
    plan = PlanRecord.of(br.plan(posterior, "fpr", k=1, futures=20, seed=1))
    assert (plan.goal, plan.k, plan.target, plan.assurance, plan.sign) == ("top", 1, 0.95, 0.8, -1)
    gate = GateRecord.of(br.decisions.gate(posterior, "b", "f1", margin=0.02))
    assert (gate.baseline, gate.margin, gate.looks, gate.verdict) == ("b", 0.02, "1", "worse")
