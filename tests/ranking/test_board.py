"""The board: what its schema says, what the ranking says, and the same bytes whatever the order of input."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import bayesrank as br
from bayesrank import words

SCHEMA = json.loads((Path(words.__file__).parent / "board.schema.json").read_text(encoding="utf-8"))
TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}


def is_of(value, kind):
    if kind in TYPES:
        return isinstance(value, TYPES[kind])
    return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)


def faults(value, schema, path="board"):
    """What a value has that its schema does not allow: the few words of JSON Schema that this one uses."""
    known = {"$schema", "title", "description", "type", "const", "enum", "minimum", "maximum", "items", "minItems"}
    known |= {"maxItems", "properties", "required", "additionalProperties"}
    assert set(schema) <= known, set(schema) - known
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        yield f"{path} is no {kinds}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{path} is not {schema['const']}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path} is none of {schema['enum']}"
    if value is not None and not schema.get("minimum", -math.inf) <= (value if is_of(value, "number") else 0):
        yield f"{path} is too small"
    if value is not None and not (value if is_of(value, "number") else 0) <= schema.get("maximum", math.inf):
        yield f"{path} is too large"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            yield f"{path} has {len(value)} items"
        for i, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{path}[{i}]")
    if isinstance(value, dict):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in set(schema.get("required", [])) - set(value):
            yield f"{path} has no {name}"
        for name, item in value.items():
            if name not in properties and other is False:
                yield f"{path} has {name}"
            else:
                yield from faults(item, properties.get(name, other), f"{path}.{name}")


def table(size=6, seed=2):
    rng = np.random.default_rng(seed)
    tp, tn = rng.binomial(40, rng.uniform(0.6, 0.95, size)), rng.binomial(60, rng.uniform(0.6, 0.95, size))
    return br.from_counts(tn=tn, fp=60 - tn, fn=40 - tp, tp=tp, entity=[f"m{i}" for i in range(size)])


def undefined():
    return br.from_counts(tn=[9, 0], fp=[1, 0], fn=[2, 0], tp=[8, 0], entity=["a", "b"])


RANKINGS = {
    "draws": lambda: br.credible_ranking(br.fit(table(), draws=200, seed=1), "f1"),
    "lower is better": lambda: br.credible_ranking(br.fit(table(), draws=200, seed=1), "fnr", rope=0.01),
    "an infinite range": lambda: br.credible_ranking(br.fit(table(), draws=200, seed=1), "dor"),
    "exact": lambda: br.credible_ranking(table(), "informedness", method="exact"),
    "a point": lambda: br.credible_ranking(table(), "f1"),
    "one entity": lambda: br.credible_ranking(br.fit(table(1), draws=200, seed=1), "f1"),
    "numbers for names": lambda: br.credible_ranking(
        br.fit(table(3).assign_coords(entity=[3, 1, 2]), draws=50, seed=1), "f1"
    ),
    "no value": lambda: br.credible_ranking(br.fit(undefined(), prior="haldane", draws=20, seed=1, force=True), "f1"),
    "values": lambda: br.credible_ranking(br.scores.f1(br.fit(table(), draws=200, seed=1)).rename("mine")),
}


@pytest.mark.parametrize("name", RANKINGS)
def test_the_schema_allows_it(name):
    found = json.loads(br.board(RANKINGS[name]()))
    assert list(faults(found, SCHEMA)) == []
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator(SCHEMA).validate(found)


def test_the_schema_refuses_what_is_none():
    found = json.loads(br.board(RANKINGS["draws"]()))
    for change in (
        {"version": 2}, {"prob": 1.5}, {"draws": 0}, {"method": "magic"}, {"extra": 1}, {"entities": [{"entity": "a"}]},
        {"rope": True}, {"score": found["score"] | {"range": [0.0]}},
    ):  # fmt: skip
        assert list(faults(found | change, SCHEMA)), change


@pytest.mark.parametrize("name", ["draws", "lower is better", "exact"])
def test_it_says_what_the_ranking_says(name):
    ranking = RANKINGS[name]()
    found = json.loads(br.board(ranking))
    frame = br.ranking_table(ranking)
    assert [one["entity"] for one in found["entities"]] == frame.index.tolist()
    for field, column in (
        ("median", "median"), ("lower", "lower"), ("upper", "upper"), ("observed", "observed"), ("tier", "tier"),
        ("rank", "consensus_rank"), ("rank_lower", "rank_lower"), ("rank_upper", "rank_upper"),
        ("probability_best", "probability_best"), ("expected_rank", "expected_rank"),
    ):  # fmt: skip
        assert [one[field] for one in found["entities"]] == pytest.approx(frame[column].tolist(), rel=1e-5), field
    assert {one["cases"] for one in found["entities"]} == {100}
    assert found["size"] == 6
    assert found["score"]["higher_is_better"] == (name != "lower is better")
    assert sorted(found["verdict"]) == sorted(br.verdict(ranking))


def few(order):
    """Many with few cases, of whom sentences name some."""
    counts = br.from_counts(tn=[50] * 7, fp=[3] * 7, fn=[1] * 7, tp=[4, 4, 5, 3, 4, 2, 4], entity=list("gfedcba"))
    return br.credible_ranking(br.fit(counts.isel(entity=order), draws=200, seed=1), "mcc")


def test_bytes_do_not_depend_on_the_order_of_input():
    text = br.board(few([0, 1, 2, 3, 4, 5, 6]))
    assert "fewer than 10 cases" in text
    assert br.board(few([3, 0, 6, 1, 5, 2, 4])) == text
    assert text.endswith("}\n")
    assert br.board(br.credible_ranking(table().isel(entity=[4, 2, 0, 1, 5, 3]), "f1", method="exact")) == br.board(
        br.credible_ranking(table(), "f1", method="exact")
    )


def test_the_first_few_keep_their_ranks_and_tiers():
    ranking = RANKINGS["draws"]()
    whole, part = json.loads(br.board(ranking)), json.loads(br.board(ranking, top=2))
    assert part["entities"] == whole["entities"][:2]
    assert part | {"entities": None} == whole | {"entities": None}
    assert json.loads(br.board(ranking, top=100)) == whole


def test_no_number_is_longer_than_six_digits_and_none_is_infinite():
    text = br.board(RANKINGS["an infinite range"]())
    found = json.loads(text, parse_constant=pytest.fail)
    assert found["score"]["range"] == [0, None]
    for one in found["entities"]:
        for value in one.values():
            assert not isinstance(value, float) or value == float(f"{value:.6g}")
    last = found["entities"][-1]
    assert last["probability_best_text"] not in ("0", "1", "0.000", "1.000")
