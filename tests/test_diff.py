"""Boards in time: entities, cases and ranks that changed, and draws that other entities do not change."""

import functools
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.words.changes import compare_boards, parse_board
from tests.commands import csv_of, invoke, json_of, refused


def board_of(cases=100, **right):
    rows = [{"entity": name, "correct": n, "total": cases} for name, n in right.items()]
    return json.loads(
        br.board(br.credible_ranking(br.fit(br.from_frame(pd.DataFrame(rows)), seed=1)))
    )


OLD = board_of(a=95, b=80, c=50)


def test_nothing_changed():
    found = compare_boards(OLD, OLD)
    assert found.table["change"].tolist() == ["same"] * 3
    assert found.sentences == ["Among the entities on both boards, none changed its rank."]


def test_a_change_of_rank_is_supported_where_rank_sets_are_apart():
    table = compare_boards(OLD, board_of(a=50, b=80, c=95)).table
    assert table["change"].to_dict() == {"c": "up", "b": "same", "a": "down"}
    assert table["supported"].to_dict() == {"c": True, "b": None, "a": True}
    table = compare_boards(board_of(a=81, b=80, c=50), board_of(a=80, b=81, c=50)).table
    assert table["change"].to_dict() == {"b": "up", "a": "down", "c": "same"}
    assert not table["supported"].loc[["a", "b"]].any()


def test_entities_that_come_or_go_move_no_other():
    found = compare_boards(OLD, board_of(z=99, a=95, b=80, c=50))
    assert found.table["change"].to_dict() == {"z": "added", "a": "same", "b": "same", "c": "same"}
    assert found.table["rank_new"]["c"] == 4
    back = compare_boards(board_of(z=99, a=95, b=80, c=50), OLD)
    assert back.table["change"]["z"] == "removed"
    assert back.sentences[0] == "1 entity was removed: z."
    # c could have been above only those who went.
    crowd = {f"z{i}": 20 for i in range(3)}
    found = compare_boards(board_of(a=95, c=50, **crowd), board_of(c=95, a=50))
    assert found.table["supported"].loc[["a", "c"]].tolist() == [True, False]


def test_cases_that_changed_are_counted():
    assert (
        compare_boards(OLD, board_of(200, a=190, b=160, c=100)).sentences[-1]
        == "Cases changed for 3 entities: +100."
    )


def test_the_command(tmp_path):
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, held in zip(paths, (OLD, board_of(a=50, b=80, c=95, d=20)), strict=True):
        path.write_text(json.dumps(held))
    said = " ".join(invoke("diff", *paths).split())
    assert "1 entity was added: d." in said
    among = ", among the 3 entities on both boards."
    assert f"Supported by the rank sets: c went up (3 to 1), a went down (1 to 3){among}" in said
    assert csv_of("diff", *paths)["change"].to_dict() == {
        "c": "up",
        "b": "same",
        "a": "down",
        "d": "added",
    }
    assert json_of("diff", *paths)["entities"][0]["supported"] is True
    assert "| c | up |" in invoke("diff", *paths, "--format", "markdown")


def test_refusals(tmp_path):
    path, other = tmp_path / "old.json", tmp_path / "other.json"
    path.write_text(json.dumps(OLD))
    for text in (
        "[1]",
        "{}",
        "no",
        '{"format": "bayesrank board", "entities": [1]}',
        "9" * 5000,
        "[" * 9999,
    ):
        other.write_text(text)
        assert "must" in refused("diff", path, other)
    other.write_text(json.dumps(OLD | {"score": OLD["score"] | {"name": "f1"}}))
    assert "must have the score of OLD" in refused("diff", path, other)
    other.write_text(json.dumps(OLD | {"entities": OLD["entities"][:1]}))
    assert "NEW must contain all entities" in refused("diff", path, other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (board_of(a=99, b=80, c=60, d=40), board_of(z=99, d=95, a=50, b=40, c=30)),
        (board_of(y=99, x=95, a=80, b=50), board_of(b=90, a=60)),
        (board_of(a=95, b=50), board_of(b=95, a=50, z=20)),
    ],
)
def test_sentences_and_tables_have_the_same_ranks(old, new, tmp_path):
    """The ranks that a sentence names stand in the row of the entity, also where others came or went above it."""
    found = compare_boards(old, new)
    said = re.findall(r"(\w+) went (\w+) \((\d+) to (\d+)\)", " ".join(found.sentences))
    assert said
    for name, change, first, second in said:
        row = found.table.loc[name]
        assert (row["change"], row["common_rank_old"], row["common_rank_new"]) == (
            change,
            int(first),
            int(second),
        )
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, board in zip(paths, (old, new), strict=True):
        path.write_text(json.dumps(board))
    heading, _, *rows = invoke("diff", *paths, "--format", "markdown").split("\n\n")[0].splitlines()
    columns = [name.strip() for name in heading.split("|")]
    cells = {(held := [cell.strip() for cell in row.split("|")])[1]: held for row in rows}
    for name, change, first, second in said:
        shown = [cells[name][columns.index(f"{end} rank among both")] for end in ("old", "new")]
        assert [cells[name][2], *shown] == [change, first, second]


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (
            ("entities", 0, "rank"),
            "1",
            "must have a value of type integer or null in the field entities[0].rank; got '1'",
        ),
        (("entities", 1, "rank"), float("inf"), "entities[1].rank; got inf"),
        (("entities", 2, "rank_lower"), [1], "entities[2].rank_lower; got [1]"),
        (("entities", 0, "rank"), True, "entities[0].rank; got True"),
        (
            ("entities", 0, "rank"),
            0,
            "must have a number of at least 1 in the field entities[0].rank; got 0",
        ),
        (
            ("entities", 0, "probability_best"),
            1.5,
            "from 0 to 1 in the field entities[0].probability_best",
        ),
        (
            ("entities", 0, "in_best_set"),
            None,
            "must have a value of type boolean in the field entities[0].in_best_set",
        ),
        (("entities", 0, "rank"), ..., "must have the field entities[0].rank"),
        (("score", "range"), [0], "wrong number of values in the field score.range; got 1"),
        (
            ("headline",),
            "winner",
            "must have one of best, shared, leads, none in the field headline",
        ),
        (("version",), True, "must have 2 in the field version; got True"),
        (("more",), 1, "must have only the fields of a board; got more"),
        (("entities", 1, "entity"), "a", "must have each entity once; got 'a' more than once"),
        (("entities", 0, "cases"), 10**400, "entities[0].cases"),
    ],
)
def test_a_field_that_the_schema_does_not_allow_is_named(place, value, words, tmp_path):
    board = json.loads(json.dumps(OLD))
    *way, last = place
    node = functools.reduce(lambda held, key: held[key], way, board)
    if value is ...:
        del node[last]
    else:
        node[last] = value
    for path, held in (("old.json", OLD), ("new.json", board)):
        (tmp_path / path).write_text(json.dumps(held))
    message = refused("diff", tmp_path / "old.json", tmp_path / "new.json")
    assert "new.json" in message
    assert words in message


def places_of(node, way=()):
    """All places of values in a board."""
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    return [way] * bool(way) + [
        place for key, held in items for place in places_of(held, (*way, key))
    ]


def test_boards_that_are_changed_at_random_are_compared_or_refused(tmp_path):
    """Three hundred mutations: another type, a number without limit, an absent, doubled or renamed field."""
    rng = np.random.default_rng(1)
    values = [
        None,
        True,
        "1",
        "",
        -1,
        0,
        2,
        1.5,
        float("inf"),
        float("nan"),
        10**30,
        [],
        {},
        [1],
        {"a": 1},
        "x" * 500,
    ]
    places = [place for place in places_of(OLD) if place[0] != "definitions"]
    ends = Counter()
    for _ in range(300):
        board = json.loads(json.dumps(OLD))
        *way, last = places[rng.integers(len(places))]
        node = functools.reduce(lambda held, key: held[key], way, board)
        how = rng.integers(5)
        if how == 0:
            del node[last]
        elif how == 1 and isinstance(node, dict):
            node[f"{last} "] = node.pop(last)
        elif how == 1:
            node.append(node[last])
        else:
            node[last] = values[rng.integers(len(values))]
        try:
            found = compare_boards(
                *rng.permutation([OLD, parse_board(json.dumps(board), "new.json")])
            )
        except br.ArgumentError as error:
            ends["refused" if "\n" not in str(error) else "in several lines"] += 1
        else:
            assert len(found.table) >= 3
            ends["compared"] += 1
    assert ends["in several lines"] == 0
    assert ends["refused"] > 150
    assert ends["compared"] > 10


@pytest.mark.parametrize(
    ("model", "apart"),
    [
        ("dirichlet_multinomial", True),
        ("beta_binomial", True),
        ("hierarchical_beta_binomial", False),
    ],
)
def test_other_entities_leave_draws_alone_unless_there_is_a_population(model, apart):
    counts = br.from_counts(
        tn=[80, 70, 60], fp=[20, 30, 40], fn=[9, 8, 7], tp=[31, 32, 33], entity=["a", "b", "c"]
    )
    every, some = (
        groups_of(br.fit(each, model, seed=1, draws=50, chains=2))["posterior"]["performance"]
        for each in (counts, counts.sel(entity=["a", "c"]))
    )
    every = every.sel(entity=["a", "c"])
    assert (
        every.drop_vars("test_set", errors="ignore").equals(
            some.drop_vars("test_set", errors="ignore")
        )
        == apart
    )
    assert isinstance(every, xr.DataArray)
