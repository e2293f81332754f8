"""Probabilities of statements on the order, and the most probable orders."""

import re
from collections import Counter
from dataclasses import replace
from heapq import nsmallest
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, check_number
from bayesrank._core.draws import (
    ERROR,
    Batches,
    EffectiveDraws,
    check_size,
    draw_dims,
    error_of_squares,
    iterate_blocks,
    mean_error,
    share_error,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import RankingRecord, ResultRecord
from bayesrank._core.types import Container, ScoreLike
from bayesrank.ranking._loops import positions
from bayesrank.ranking.aggregates import over_of, scored
from bayesrank.ranking.credible import MOSTLY
from bayesrank.ranking.summary import is_exact
from bayesrank.ranking.values import about_error, finite, one_ranking
from bayesrank.statements._parser import (
    Beats,
    Bound,
    Not,
    Place,
    Statement,
    claims_of,
    parse,
    quote_name,
)
from bayesrank.statements._truth import share_true


@check_call
def probability(
    source: Container,
    statement: str,
    score: ScoreLike | None = None,
    *,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
) -> xr.Dataset:
    """Return the posterior probability of a statement on the order, such as "A > B and C in top 3".

    Parameters
    ----------
    source, score, higher_is_better, kind, over, aggregate, weights
        As for :func:`bayesrank.credible_ranking`, with its errors. Lazy chunks are computed once,
        and not kept. A ranking gives the probability of one comparison or place, with its own score
        and ROPE.
    statement : str
        Claims, joined by ``and``, ``or``, ``not`` and parentheses:

        - ``A > B`` or ``A beats B``: A is better by more than the ROPE, in the direction of the
          score. ``A < B``: A is worse. ``A = B``: neither is better. ``A >= B``: B is not better.
          Chains: ``A > B > C``.
        - ``A > B + 0.02``, alone: A is better by more than 0.02, where higher is better; the same
          as ``A > B`` with this ROPE.
        - ``A < 0.1``: the value of A is below 0.1, whatever the direction of the score and the
          ROPE. With ``aggregate="gap"``, this is the probability that groups differ by less than
          0.1.
        - ``A is best``, ``A is worst``, ``A in top 3``; each may be negated, as in ``A is not
          best``.
        - ``top 3 = A, B, C``: A, B and C have the first three places, in any order, and no other
          entity has one.

        Names may contain blanks; ambiguous ones need quotes ('...' or "...", doubled inside).
    rope : float
        Region of practical equivalence, in units of the score: A beats B only by more than this
        margin.

    Returns
    -------
    xarray.Dataset
        Over all dims except ``entity`` and those of the draws:

        - ``probability``, with Monte-Carlo standard error ``probability_error``: share of the draws
          in which the statement holds. As in the credible ranking, tied entities take every order
          equally often.
        - ``undefined``: share of the draws in which an entity of the statement has no value. Claims
          on it are false there, and their negations true.

    Raises
    ------
    ValueError, TypeError
        If the statement cannot be parsed (the message says at which place), ``rope`` is negative,
        or the source has no entity or no draw.
    KeyError
        If the statement names an unknown entity; the message suggests similar names.

    References
    ----------
    Papakonstantinou et al. (2022), BMC Medical Research Methodology 22:47.

    Examples
    --------
    >>> counts = br.from_counts(
    ...     tn=[70, 79, 75], fp=[10, 1, 5], fn=[9, 1, 9], tp=[21, 29, 21], entity=["A", "B", "net 3"]
    ... )
    >>> found = br.probability(br.fit(counts, seed=1), "B is best and net 3 > A", "f1")
    >>> found["probability"].round(2).item(), found.attrs["statement"]
    (0.75, 'B is best and net 3 > A')
    """
    rope = check_number("rope", rope, 0.0, finite=True)
    if isinstance(source, xr.Dataset) and {"superiority", "rank_probability"} <= set(
        source.data_vars
    ):
        of_scores = {"score": score, "higher_is_better": higher_is_better, "kind": kind}
        of_scores |= {"over": over, "aggregate": aggregate, "weights": weights}
        return _of_ranking(source, statement, rope, of_scores)
    one = scored(over_of(source, over, aggregate, weights), score, higher_is_better, kind)
    scores, values, names = one.found, one.likely, _names_of(one.likely)
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    frame = values.transpose(*draw_dims(values), *extra, "entity")
    claim, rope = _with_margin(statement, names, scores.sign, rope)
    share, error, undefined = _share_of(frame, claim, scores.sign, rope)
    shape = [values.sizes[dim] for dim in extra]
    variables = {"probability": share, "probability_error": error, "undefined": undefined}
    record = replace(
        scores.facts, rope=rope, draws=Batches.of(values).number, method="draws"
    ).to_attrs()
    return xr.Dataset(
        {
            name: (extra, np.reshape(v, shape), about_error(name, ERROR))
            for name, v in variables.items()
        },
        {dim: values[dim] for dim in extra if dim in values.coords},
        record | {"statement": statement},
    )


#: A comparison with a margin: "A > B + 0.02".
MARGIN = re.compile(r"(.+?\s(?:>|beats)\s.+?)\s*\+\s*(\d+\.?\d*|\.\d+)\s*")


def _with_margin(
    statement: str, names: list[str], sign: int, rope: float
) -> tuple[Statement, float]:
    """Return a statement and its ROPE, which "A > B + 0.02" states if nothing else does and higher is better."""
    try:
        return parse(statement, names), rope
    except ArgumentError:
        stated = (
            MARGIN.fullmatch(statement)
            if isinstance(statement, str) and sign > 0 and not rope
            else None
        )
        if stated is None:
            raise
    claim = parse(stated[1], names)
    return (
        (claim, float(stated[2])) if isinstance(claim, Beats) else (parse(statement, names), rope)
    )


def _of_ranking(
    ranking: xr.Dataset, statement: str, rope: float, of_scores: dict[str, Any]
) -> xr.Dataset:
    """Return the probability of one claim from a ranking, without other arguments; others need the posterior."""
    record = RankingRecord.of(ranking)
    settled = {**of_scores, "rope": None if rope in (0, record.rope) else rope}
    for argument, value in settled.items():
        if value is not None:
            raise ArgumentError(
                argument,
                "cannot be used for a ranking, which has its own",
                "",
                "pass the posterior",
            )
    exact = exact_probability(ranking, statement)
    if exact is None:
        hint = f"br.probability(posterior, {statement!r}, {record.score!r})"
        raise ArgumentError(
            "source", "must be a posterior for several claims or values", "a ranking", hint
        )
    return exact if is_exact(ranking) else exact.assign_attrs(method="draws", draws=record.draws)


def exact_probability(ranking: xr.Dataset, statement: str) -> xr.Dataset | None:
    """Return the probability of one claim from an exact ranking and its ROPE; None for several, which need draws."""
    exact = _of_claim(parse(statement, [str(name) for name in ranking["entity"].values]), ranking)
    if exact is None:
        return None
    probability, error, entities = exact
    undefined = float(ranking["undefined"].values[entities].max())
    variables: dict[str, Any] = {
        "probability": probability,
        "probability_error": error,
        "undefined": undefined,
    }
    record = replace(ResultRecord.of(ranking), prob=np.nan, draws=0, method="exact").to_attrs()
    return xr.Dataset(variables, attrs=record | {"statement": statement})


def _of_claim(claim: Statement, ranking: xr.Dataset) -> tuple[float, float, list[int]] | None:
    """Return probability, error and the entities of one claim or its negation."""
    match claim:
        case Not(inner):
            of_inner = _of_claim(inner, ranking)
            return None if of_inner is None else (1 - of_inner[0], *of_inner[1:])
        case Place(entity, number, bottom):
            ranked = int((ranking["undefined"] < 1).sum())
            rank = np.arange(1, ranking.sizes["rank"] + 1)
            within = (ranked + 1 - rank if bottom else rank) <= number
            p, error = (
                ranking[name].values[entity, within].sum()
                for name in ("rank_probability", "rank_probability_error")
            )
            return min(float(p), 1.0), float(error), [entity]
        case Beats(entity, sign, rival):
            both, pair, reverse = [entity, rival], (entity, rival), (rival, entity)
            if ranking["undefined"].values[both].any():
                return 0.0, 0.0, both
            superiority, errors = (
                ranking[name].values for name in ("superiority", "superiority_error")
            )
            if sign == ">":
                return float(superiority[pair]), float(errors[pair]), both
            if sign == ">=":
                return float(1 - superiority[reverse]), float(errors[reverse]), both
            equal = ranking["equivalence"].values[pair]
            return float(equal), float(errors[pair] + errors[reverse]), both
    return None


@check_call
def probable_orders(
    source: Container,
    score: ScoreLike | None = None,
    *,
    top: int = 5,
    places: int | None = None,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the most probable orders of all entities, or of the first few.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`, with its errors, of one ranking.
    top : int
        Number of orders to return.
    places : int, optional
        Compare only the entities of rank ``places`` or better, the first of tied ranks; by default
        all.

    Returns
    -------
    xarray.Dataset
        Over ``order``, the most probable first (ties by name), and ``place``; the attr ``distinct``
        is the number of different orders, with many entities often that of the draws.

        - ``probability`` and its Monte-Carlo standard error ``probability_error``.
        - ``entity`` (order, place): names from first to last, empty after the end, and ``rank``:
          tied entities share the first rank of their group. Entities without a value are not in the
          order of a draw.
        - ``label`` (order): the order as text, "A > B = C". For all entities, it is a valid
          statement for :func:`bayesrank.probability`, with the same probability.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79, 75], fp=[10, 1, 5], fn=[9, 1, 9], tp=[21, 29, 21], entity=["A", "B", "C"])
    >>> found = br.statements.probable_orders(br.fit(counts, seed=1), "f1", top=2)
    >>> found["label"].values.tolist(), found["probability"].round(2).values.tolist()
    (['B > C > A', 'B > A > C'], [0.76, 0.24])
    """
    top = check_integer("top", top, 1)
    places = None if places is None else check_integer("places", places, 1)
    one = scored(source, score, higher_is_better, kind)
    scores, values, names = one.found, one.likely, _names_of(one.likely)
    one_ranking(values.dims)
    orders, distinct = _count_orders(
        values.transpose(..., "entity"), scores.sign, names, top, places
    )
    length = max((len(members) for members, *_ in orders), default=0)
    entity = np.full((len(orders), length), "", dtype=np.array(["", *names]).dtype)
    ranks = np.full((len(orders), length), np.nan)
    for i, (members, placed, *_) in enumerate(orders):
        entity[i, : len(members)] = [names[member] for member in members]
        ranks[i, : len(placed)] = placed
    variables: dict[str, Any] = {
        "probability": ("order", [share for *_, share, _ in orders]),
        "probability_error": ("order", [error for *_, error in orders], {"method": ERROR}),
        "entity": (("order", "place"), entity),
        "rank": (("order", "place"), ranks),
        "label": ("order", [_label(members, placed, names) for members, placed, *_ in orders]),
    }
    coords = {"order": np.arange(1, len(orders) + 1), "place": np.arange(1, length + 1)}
    record = replace(scores.facts, draws=Batches.of(values).number, method="draws").to_attrs()
    return xr.Dataset(variables, coords, record | {"distinct": distinct})


def _share_of(
    values: xr.DataArray, statement: Statement, sign: int, rope: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the share of draws in which a statement holds, its error, and the share with an undefined entity of it.

    ``values`` has the draws first and the entities last; the results have one number for each item
    of all other dims.
    """
    claims, batches = claims_of(statement), Batches.of(values)
    pairs = sorted({(claim.entity, claim.rival) for claim in claims if isinstance(claim, Beats)})
    first, second = np.array(pairs, int).reshape(-1, 2).T
    named = sorted({claim.entity for claim in claims} | {rival for _, rival in pairs})
    ranks = any(isinstance(claim, Place | Bound) for claim in claims)
    own, differences = EffectiveDraws(), EffectiveDraws()
    own.start(batches)
    differences.start(batches)
    number, shape = batches.number, (-1, values.sizes["entity"])
    missing = np.zeros((values.size // number // shape[1], shape[1]))
    undefined, sums = np.zeros(len(missing)), np.zeros((len(batches.sizes), len(missing)))
    for block in iterate_blocks(values):
        x = finite(block.values.astype(float, copy=False)).reshape(len(block.values), *shape)
        part = share_true(statement, x.reshape(shape), sign, rope)
        sums[block.batch] += part.reshape(x.shape[:2]).sum(axis=0)
        missing += np.isnan(x).sum(axis=0)
        undefined += np.isnan(x[..., named]).any(axis=-1).sum(axis=0)
        if ranks:
            own.add(replace(block, values=x))
        if pairs:
            differences.add(replace(block, values=x[..., first] - x[..., second]))
    size = number if batches.sampled else np.nan
    # For a nearly constant share, the effective sample size is that of the values compared.
    effective = np.full(undefined.shape, float(number))
    if ranks:  # they depend on all ranked entities
        effective = np.fmin(
            effective, np.where(missing / number <= MOSTLY, own.finish(), number).min(axis=1)
        )
    if pairs:
        effective = np.fmin(effective, differences.finish().min(axis=1))
    share = sums.sum(axis=0) / number
    error = share_error(share, mean_error(sums, batches.sizes), size, effective * size / number)
    return share, error, undefined / number


def _count_orders(
    values: xr.DataArray, sign: int, names: list[str], most: int, top: int | None
) -> tuple[list[tuple[Any, ...]], int]:
    """Return the most frequent orders: members from first to last, ranks, share and error; and the number of orders."""
    # Ties of orders, or of entities, are listed by name, never in input order.
    batches, by_name = Batches.of(values), np.argsort(names, kind="stable")
    efficient = EffectiveDraws()
    efficient.start(batches)
    missing = np.zeros(len(names))
    total: Counter[bytes] = Counter()
    squares: Counter[bytes] = Counter()
    unfinished: dict[int, Counter[bytes]] = {}
    for block in iterate_blocks(values):
        x = finite(block.values.astype(float, copy=False))
        efficient.add(replace(block, values=x))
        missing += np.isnan(x).sum(axis=0)
        first, _ = positions(sign * x)
        ranks = np.where(np.isnan(x) | (first >= (top or len(names))), 0, first + 1)[:, by_name]
        # With the most significant byte first, bytes sort as ranks.
        counter = unfinished.setdefault(block.batch, Counter())
        counter.update(row.tobytes() for row in ranks.astype(">u4") if row.any())
        if block.complete:
            for row, count in unfinished.pop(block.batch).items():
                total[row] += count
                squares[row] += count * count / batches.sizes[block.batch]
    number = batches.number
    size = number if batches.sampled else np.nan
    effective = (
        np.where(missing / number <= MOSTLY, efficient.finish(), number).min() * size / number
    )
    result = []
    for row, count in nsmallest(most, total.items(), key=lambda item: (-item[1], item[0])):
        share = count / number
        error = error_of_squares(share, squares[row] / number, (batches.sizes > 0).sum())
        ranks = np.frombuffer(row, ">u4").astype(int)
        placed = np.flatnonzero(ranks)
        placed = placed[np.argsort(ranks[placed], kind="stable")]
        result.append(
            (
                by_name[placed],
                ranks[placed],
                share,
                float(share_error(share, error, size, effective)),
            )
        )
    return result, len(total)


def _label(members: np.ndarray, ranks: np.ndarray, names: list[str]) -> str:
    text = ""
    for i, member in enumerate(members):
        text += (" = " if ranks[i] == ranks[i - 1] else " > ") * (i > 0) + quote_name(
            names[member], names
        )
    return text


def _names_of(values: xr.DataArray) -> list[str]:
    """Return the names of the entities as text; raise if there is no entity or no draw."""
    check_size(values)
    return [str(name) for name in values["entity"].values]
