"""Boards in time: entities, cases and ranks that changed, and draws that other entities do not change."""

import json

import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._source import groups_of
from bayesrank.words.changes import compare_boards
from tests.commands import csv_of, invoke, json_of, refused


def board_of(cases=100, **right):
    rows = [{"entity": name, "correct": n, "total": cases} for name, n in right.items()]
    return json.loads(br.board(br.credible_ranking(br.fit(br.from_frame(pd.DataFrame(rows)), seed=1))))


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
        compare_boards(OLD, board_of(200, a=190, b=160, c=100)).sentences[-1] == "Cases changed for 3 entities: +100."
    )


def test_the_command(tmp_path):
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, held in zip(paths, (OLD, board_of(a=50, b=80, c=95, d=20)), strict=True):
        path.write_text(json.dumps(held))
    said = " ".join(invoke("diff", *paths).split())
    assert "1 entity was added: d." in said
    assert "Supported by the rank sets: c went up (3 to 1), a went down (1 to 3)." in said
    assert csv_of("diff", *paths)["change"].to_dict() == {"c": "up", "b": "same", "a": "down", "d": "added"}
    assert json_of("diff", *paths)["entities"][0]["supported"] is True
    assert "| c | up |" in invoke("diff", *paths, "--format", "markdown")


def test_refusals(tmp_path):
    path, other = tmp_path / "old.json", tmp_path / "other.json"
    path.write_text(json.dumps(OLD))
    for text in ("[1]", "{}", "no", '{"format": "bayesrank board", "entities": [1]}'):
        other.write_text(text)
        assert "must" in refused("diff", path, other)
    other.write_text(json.dumps(OLD | {"score": {"name": "f1"}}))
    assert "must have the score of OLD" in refused("diff", path, other)
    other.write_text(json.dumps(OLD | {"entities": OLD["entities"][:1]}))
    assert "NEW must hold all entities" in refused("diff", path, other)


@pytest.mark.parametrize(
    ("model", "apart"),
    [("dirichlet_multinomial", True), ("beta_binomial", True), ("hierarchical_beta_binomial", False)],
)
def test_other_entities_leave_draws_alone_unless_there_is_a_population(model, apart):
    counts = br.from_counts(tn=[80, 70, 60], fp=[20, 30, 40], fn=[9, 8, 7], tp=[31, 32, 33], entity=["a", "b", "c"])
    every, some = (
        groups_of(br.fit(each, model, seed=1, draws=50, chains=2))["posterior"]["performance"]
        for each in (counts, counts.sel(entity=["a", "c"]))
    )
    every = every.sel(entity=["a", "c"])
    assert every.drop_vars("test_set", errors="ignore").equals(some.drop_vars("test_set", errors="ignore")) == apart
    assert isinstance(every, xr.DataArray)
