"""The board: what its schema says, what the ranking says, and the same bytes whatever the order of input."""

import json
from pathlib import Path

import numpy as np
import pytest

import bayesrank as br
from bayesrank import words

SCHEMA = json.loads((Path(words.__file__).parent / "board.schema.json").read_text(encoding="utf-8"))
TYPES = {
    "string": str,
    "object": dict,
    "array": list,
    "boolean": bool,
    "null": type(None),
    "integer": int,
}
#: The words of JSON Schema that this one uses, apart from those on parts: whether a value agrees.
WORDS = {
    "type": lambda value, kinds: any(
        is_of(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    ),
    "const": lambda value, other: value == other,
    "enum": lambda value, others: value in others,
    "minimum": lambda value, least: not is_of(value, "number") or value >= least,
    "maximum": lambda value, most: not is_of(value, "number") or value <= most,
    "minItems": lambda value, least: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most: not isinstance(value, list) or len(value) <= most,
    "required": lambda value, names: not isinstance(value, dict) or set(names) <= set(value),
    **dict.fromkeys(
        ("$schema", "title", "description", "items", "properties", "additionalProperties"),
        lambda *_: True,
    ),
}


def is_of(value, kind):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, int | float if kind == "number" else TYPES[kind])


def faults(value, schema, path="board"):
    """What a value has that its schema does not allow."""
    for word, given in schema.items():
        if not WORDS[word](value, given):
            yield f"{path} is against {word} {given}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{path}[{i}]")
    for name, item in value.items() if isinstance(value, dict) else ():
        inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        yield from (
            [f"{path} has {name}"] if inner is False else faults(item, inner, f"{path}.{name}")
        )


def table(size=6, seed=2):
    rng = np.random.default_rng(seed)
    tp, tn = (
        rng.binomial(40, rng.uniform(0.6, 0.95, size)),
        rng.binomial(60, rng.uniform(0.6, 0.95, size)),
    )
    return br.from_counts(
        tn=tn, fp=60 - tn, fn=40 - tp, tp=tp, entity=[f"m{i}" for i in range(size)]
    )


EMPTY = br.from_counts(tn=[9, 0], fp=[1, 0], fn=[2, 0], tp=[8, 0], entity=["a", "b"])
RANKINGS = {
    "draws": lambda: br.credible_ranking(br.fit(table(), draws=200, seed=1), "f1"),
    "lower is better": lambda: br.credible_ranking(
        br.fit(table(), draws=200, seed=1), "fnr", rope=0.01
    ),
    "an infinite range": lambda: br.credible_ranking(br.fit(table(), draws=200, seed=1), "dor"),
    "exact": lambda: br.credible_ranking(table(), "informedness", method="exact"),
    "a point": lambda: br.credible_ranking(table(), "f1"),
    "one entity": lambda: br.credible_ranking(br.fit(table(1), draws=200, seed=1), "f1"),
    "numbers for names": lambda: br.credible_ranking(
        br.fit(table(3).assign_coords(entity=[3, 1, 2]), draws=50, seed=1), "f1"
    ),
    "no value": lambda: br.credible_ranking(
        br.fit(EMPTY, prior="haldane", draws=20, seed=1, force=True), "f1"
    ),
    "values": lambda: br.credible_ranking(
        br.scores.f1(br.fit(table(), draws=200, seed=1)).rename("mine")
    ),
}


@pytest.mark.parametrize("name", RANKINGS)
def test_the_schema_allows_it(name):
    found = json.loads(br.board(RANKINGS[name]()))
    assert list(faults(found, SCHEMA)) == []


def test_the_schema_refuses_what_is_none():
    found = json.loads(br.board(RANKINGS["draws"]()))
    for change in (
        {"version": 1}, {"prob": 1.5}, {"draws": 0}, {"method": "magic"}, {"extra": 1}, {"entities": [{"entity": "a"}]},
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
        assert [one[field] for one in found["entities"]] == pytest.approx(
            frame[column].tolist(), rel=1e-5
        ), field
    for field in (
        "difference",
        "difference_lower",
        "difference_upper",
        "rank_alone_lower",
        "rank_alone_upper",
    ):
        wanted = ranking[field].sel(entity=frame.index.tolist()).values
        shown = [np.nan if one[field] is None else one[field] for one in found["entities"]]
        np.testing.assert_allclose(shown, wanted, rtol=1e-5, err_msg=field)
    # The leader differs from itself by nothing; an exact ranking has no draws of a difference.
    assert found["entities"][0]["difference"] == (None if name == "exact" else 0)
    assert len({one["difference"] for one in found["entities"]}) == (1 if name == "exact" else 6)
    assert {one["cases"] for one in found["entities"]} == {100}
    assert found["size"] == 6
    assert found["score"]["higher_is_better"] == (name != "lower is better")
    assert sorted(found["verdict"]) == sorted(br.verdict(ranking))


def few(order):
    """Many with few cases, of whom sentences name some."""
    counts = br.from_counts(
        tn=[50] * 7, fp=[3] * 7, fn=[1] * 7, tp=[4, 4, 5, 3, 4, 2, 4], entity=list("gfedcba")
    )
    return br.credible_ranking(br.fit(counts.isel(entity=order), draws=200, seed=1), "mcc")


def test_bytes_do_not_depend_on_the_order_of_input():
    text = br.board(few([0, 1, 2, 3, 4, 5, 6]))
    assert "fewer than 10 cases" in text
    assert br.board(few([3, 0, 6, 1, 5, 2, 4])) == text
    assert text.endswith("}\n")
    assert br.board(
        br.credible_ranking(table().isel(entity=[4, 2, 0, 1, 5, 3]), "f1", method="exact")
    ) == br.board(br.credible_ranking(table(), "f1", method="exact"))


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
