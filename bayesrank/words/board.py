"""A credible ranking as a small JSON text for static leaderboards; ``board.schema.json`` is its schema."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer
from bayesrank._core.escape import json_text
from bayesrank._core.percent import using_words_of
from bayesrank._core.records import RankingRecord, ResultRecord
from bayesrank.ranking.claims import caps_of
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.intervals import order_name, position_of
from bayesrank.ranking.summary import (
    best_texts,
    check_complete,
    first_of_order,
    is_exact,
    ranking_table,
)
from bayesrank.words.rankings import verdict_of_ranking
from bayesrank.words.standing import Standing

#: Significant digits of every number: few enough to be free of rounding errors, and enough for
#: readers.
DIGITS = 6


@check_call
def board(ranking: xr.Dataset, *, top: int | None = None) -> str:
    """Return a ranking as JSON for a leaderboard; evidence in another order gives the same bytes.

    Keys are sorted, numbers have six significant digits, and undefined values are null, by the
    schema bayesrank/words/board.schema.json; ``definitions`` in the text explains its fields.

    Parameters
    ----------
    ranking : xarray.Dataset
        A ranking from :func:`bayesrank.credible_ranking`.
    top : int, optional
        Number of entities to include, the leader and the first of the order. Ranks and tiers refer
        to all entities.

    Returns
    -------
    str
        JSON with the entities by tier, then in the order of the ranking. It ends with a line break.

    Raises
    ------
    ValueError, TypeError
        If ``ranking`` is not one complete ranking, or ``top`` is not an integer of at least 1.

    Examples
    --------
    >>> import json
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> found = json.loads(br.board(br.credible_ranking(br.fit(counts, seed=1), "f1")))
    >>> [(one["entity"], one["tier"], one["probability_best_text"]) for one in found["entities"]]
    [('b', 1, '>0.999'), ('a', 2, '<0.001')]
    """
    if top is not None:
        top = check_integer("top", top, 1)
    check_complete(ranking)
    table = ranking_table(ranking)
    # In the order of the ranking, so that sentences do not depend on the order of the input.
    labels = ranking["entity"].values.tolist()
    order = [labels.index(name) for name in table.index.tolist()]
    with using_words_of(ResultRecord.of(ranking)):
        parts = verdict_of_ranking(ranking.isel(entity=order, rival=order))
    table = table.rename(columns={f"{order_name(ranking)}_rank": "rank"})
    for name in (
        "contradicted",
        "probability_best_error",
        "in_best_set",
        "rank_alone_lower",
        "rank_alone_upper",
    ):
        table[name] = ranking[name].values[order]
    best = best_texts(ranking)
    table["probability_best_text"] = [best[name] for name in table.index]
    table["entity"] = table.index
    record = RankingRecord.of(ranking)
    schema = json.loads(Path(__file__).with_name("board.schema.json").read_text("utf-8"))
    fields = schema["properties"]["entities"]["items"]["properties"]
    columns = [name for name in fields if name in table]
    content = {
        "format": "bayesrank board",
        "version": 2,
        "score": {
            "name": record.score,
            "higher_is_better": bool(record.higher_is_better),
            "range": [_plain(float(end)) for end in record.range or ()],
        },
        "positive": str(ranking["positive"].item()) if "positive" in ranking.coords else None,
        "prob": _plain(record.prob),
        "rope": _plain(record.rope),
        "method": record.method,
        "draws": None if is_exact(ranking) else record.draws,
        "size": len(table),
        "evidence": record.evidence or None,
        "headline": get_fact(ranking, "headline"),
        "population": Standing(ranking, position_of(ranking).values).population or None,
        "sets": get_fact(ranking, "sets"),
        "caps": [note.code for note in caps_of(ranking)],
        "verdict": parts.sentences(),
        "notes": list(parts.notes),
        "definitions": {name: fields[name]["description"] for name in columns},
        "entities": [
            {name: _plain(row[name], name, "integer" in fields[name]["type"]) for name in columns}
            for row in table[table.index.isin(first_of_order(ranking, top).index)].to_dict(
                "records"
            )
        ],
    }
    return (
        json_text(
            json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=1)
        )
        + "\n"
    )


def _plain(value: Any, name: str = "", whole: bool = False) -> Any:
    """Return a value for JSON: null if not finite, numbers whole or with digits that all Python versions agree on."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, float):
        return value if value is None or isinstance(value, str | bool | int) else str(value)
    if not math.isfinite(value):
        return None
    value = (
        round(value, 10)
        if name.startswith("probability") and not name.endswith("_error")
        else value
    )
    return (
        int(value)
        if whole
        else float(f"{value:.{1 if name.endswith('_error') else DIGITS}g}") + 0.0
    )
