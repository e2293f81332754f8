"""Shares of the Tile against a brute force in exact fractions, on counts that are made to break floating point."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

import bayesrank as br
from bayesrank.tile.geometry import holders as holders_of

TN, FP, FN, TP = range(4)


def counts_of(table):
    names = [f"e{i}" for i in range(len(table))]
    return br.from_matrix(np.reshape(table, (-1, 2, 2)), "actual_rows", entity=names)


def line(p, a):
    """u / s, the inverse odds, at b = 0 and b = 1 in column a; nothing for an entity that is never correct."""
    s = (1 - a) * p[TN] + a * p[TP]
    return (Fraction(p[FP]) / s, Fraction(p[FN]) / s) if s else None


def order(table, a, b):
    """Inverse odds with positions, best first; infinite odds are told by the leading 1."""
    lines = [line(p, a) for p in table]
    return sorted(
        ((0, (1 - b) * ends[0] + b * ends[1]) if ends else (1, 0), i)
        for i, ends in enumerate(lines)
    )


def holders(table, a, b, rank):
    """Who holds the rank, all of them if several tie."""
    ranked = order(table, a, b)
    return {i for odds, i in ranked if odds == ranked[rank - 1][0]}


def walls(table):
    """All columns where the order along the column may change: at each, some function that is linear in a is 0."""
    found = {Fraction(0), Fraction(1)}

    def add(at_0, at_1):
        if at_0 != at_1 and 0 < (root := Fraction(at_0, at_0 - at_1)) < 1:
            found.add(root)

    for p, q in combinations(table, 2):
        for wrong in (FP, FN):
            add(*(q[row] * p[wrong] - p[row] * q[wrong] for row in (TN, TP)))
        add(*(q[row] * (p[FP] - p[FN]) - p[row] * (q[FP] - q[FN]) for row in (TN, TP)))
    for p, q, r in combinations(table, 3):
        add(
            *(
                p[row] * (q[FP] * r[FN] - q[FN] * r[FP])
                + q[row] * (r[FP] * p[FN] - r[FN] * p[FP])
                + r[row] * (p[FP] * q[FN] - p[FN] * q[FP])
                for row in (TN, TP)
            )
        )
    return sorted(found)


def along(table, a, rank):
    """Who holds the rank from b = 0 to b = 1 in column a, one of those who tie."""
    lines = [line(p, a) for p in table]
    cuts = {Fraction(0), Fraction(1)}
    for one, two in combinations([ends for ends in lines if ends], 2):
        low, high = one[0] - two[0], one[1] - two[1]
        if low * high < 0:
            cuts.add(low / (low - high))
    cuts = sorted(cuts)
    held = [order(table, a, (low + high) / 2)[rank - 1][1] for low, high in pairwise(cuts)]
    return [k for i, k in enumerate(held) if i == 0 or k != held[i - 1]]


def area_below(p, q, a0, a1):
    """∫ of the b on which two entities tie, (x0 + x1 a) / (y0 + y1 a), to 60 digits."""
    low, high = ([q[row] * p[wrong] - p[row] * q[wrong] for row in (TN, TP)] for wrong in (FP, FN))
    x0, x1 = Fraction(low[0]), Fraction(low[1] - low[0])
    y0, y1 = x0 - high[0], x1 - (high[1] - high[0])
    if y1 == 0:
        return number((x0 * (a1 - a0) + x1 * (a1**2 - a0**2) / 2) / y0)
    rest = x0 - x1 * y0 / y1
    if rest == 0:
        return number(x1 / y1 * (a1 - a0))
    return (
        number(x1 / y1 * (a1 - a0))
        + number(rest / y1) * number((y0 + y1 * a1) / (y0 + y1 * a0)).ln()
    )


def number(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def exact_shares(table, rank):
    table = [tuple(int(cell) for cell in p) for p in table]
    groups = []
    for i, p in enumerate(table):
        for group in groups:
            q = table[group[0]]
            if all(
                q[right] * p[wrong] == p[right] * q[wrong]
                for right in (TN, TP)
                for wrong in (FP, FN)
            ):
                group.append(i)
                break
        else:
            groups.append([i])
    group_of = {i: group for group in groups for i in group}
    share = [Decimal(0)] * len(table)
    with localcontext(prec=60):
        columns = walls([table[group[0]] for group in groups])
        for a0, a1 in pairwise(columns):
            held = [group_of[k] for k in along(table, (a0 + a1) / 2, rank)]
            held = [group for i, group in enumerate(held) if i == 0 or group != held[i - 1]]
            tops = [area_below(table[k[0]], table[j[0]], a0, a1) for k, j in pairwise(held)]
            bounds = [Decimal(0), *tops, number(a1 - a0)]
            for group, (below, above) in zip(held, pairwise(bounds), strict=True):
                for i in group:
                    share[i] += (above - below) / len(group)
    return [float(part) for part in share]


def one_test_set(rng, n):
    negative, positive = rng.integers(2, 12, 2)
    tn, tp = rng.integers(0, negative + 1, n), rng.integers(0, positive + 1, n)
    return np.stack([tn, negative - tn, positive - tp, tp], -1)


def multiples(rng, n):
    some = rng.integers(0, 5, (n, 4))
    return np.concatenate([some, some * rng.integers(2, 9)])[:n]


def frontiers_in_one_line(rng, n):
    fp = rng.integers(0, 7, n)
    return np.stack([np.full(n, 3), fp, 6 - fp, np.full(n, 3)], -1)


#: Random tables of a number of entities; the last two have cells that hardly differ.
KINDS = {
    "zeros and ties": lambda rng, n: rng.integers(0, 4, (n, 4)),
    "ones": lambda rng, n: rng.integers(0, 2, (n, 4)),
    "one column empty": lambda rng, n: (
        rng.integers(0, 4, (n, 4)) * (np.arange(4) != rng.integers(4))
    ),
    "one test set": one_test_set,
    "multiples": multiples,
    "frontiers in one line": frontiers_in_one_line,
    "of all sizes": lambda rng, n: 10 ** rng.integers(0, 13, (n, 4)) * rng.integers(0, 3, (n, 4)),
    "nearly the same": lambda rng, n: rng.integers(10**5, 10**6, 4) + rng.integers(-2, 3, (n, 4)),
    "nearly the same of a billion": lambda rng, n: (
        rng.integers(10**8, 10**9, 4) + rng.integers(-2, 3, (n, 4))
    ),
}
NAMES = list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_exact(kind):
    # Cells are rounded to 1e-16 of themselves, so what hangs on their billionths is known to about 1e-7 and somewhat
    # worse where two frontiers hang on the same ones; slabs below 1e-9 are not resolved.
    atol = 1e-5 if kind == NAMES[-1] else 3e-8
    rng = np.random.default_rng(NAMES.index(kind))
    for _ in range(10):
        table = KINDS[kind](rng, int(rng.integers(1, 6)))
        table = table[table.sum(1) > 0]
        if len(table):
            rank = int(rng.integers(1, len(table) + 1))
            share = br.tile.shares(counts_of(table), rank)
            np.testing.assert_allclose(
                share, exact_shares(table, rank), atol=atol, err_msg=f"{table.tolist()} {rank}"
            )


@pytest.mark.parametrize(
    ("rank", "table"),
    [
        # one case of a million decides
        (
            1,
            [
                (590316, 325609, 951914, 548678),
                (590318, 325609, 951913, 548674),
                (590318, 325609, 951915, 548676),
            ],
        ),
        # a frontier that starts in a corner
        (2, [(0, 0, 1, 1), (1, 1, 0, 0), (1, 0, 1, 1)]),
        (3, [(1, 2, 0, 1), (2, 1, 1, 1), (1, 1, 0, 0), (3, 1, 1, 1), (1, 3, 2, 0)]),
        # 10,000,000,000 to 1
        (
            2,
            [
                (0, 2 * 10**7, 0, 1),
                (10**5, 0, 10**4, 0),
                (0, 10**6, 2, 0),
                (2000, 0, 0, 2 * 10**10),
            ],
        ),
        (
            2,
            [
                (10, 0, 10**12, 2),
                (2 * 10**10, 10**4, 0, 0),
                (2 * 10**5, 0, 2 * 10**12, 200),
                (0, 2 * 10**6, 0, 0),
            ],
        ),
        # never correct, and always, more than once
        (3, [(0, 3, 0, 0), (0, 2, 1, 0), (1, 0, 0, 0), (2, 0, 0, 3), (1, 1, 1, 1)]),
        # always negative, (TNR, TPR) = (0.7, 0.7) and (0.5, 0.8), always positive: Figure 5 of the paper, lower left
        *(
            (rank, [(800, 0, 200, 0), (560, 240, 60, 140), (400, 400, 40, 160), (0, 800, 0, 200)])
            for rank in (1, 2)
        ),
    ],
)
def test_shares_are_exact_where_they_were_not(rank, table):
    np.testing.assert_allclose(
        br.tile.shares(counts_of(table), rank), exact_shares(table, rank), atol=3e-8
    )


def inside(curve, a, b):
    """Whether a point is within a closed curve: a ray upwards crosses it an odd number of times."""
    (a0, b0), (a1, b1) = curve[:-1].T, curve[1:].T
    over = (a0 > a) != (a1 > a)
    at = b0[over] + (b1 - b0)[over] * (a - a0[over]) / (a1 - a0)[over]
    return bool(((at > b).sum()) % 2)


@pytest.mark.parametrize("kind", NAMES[:-2])
def test_regions_are_where_the_rank_is_held(kind):
    rng = np.random.default_rng(100 + NAMES.index(kind))
    tried = 0
    for _ in range(4):
        table = KINDS[kind](rng, 6)
        table = table[table.sum(1) > 0].astype(object)
        rank = int(rng.integers(1, len(table) + 1))
        regions = br.tile.regions(counts_of(table.astype(int)), rank)
        curves = [
            np.column_stack([regions[x].isel(region=i).dropna("vertex") for x in "ab"])
            for i in range(regions.sizes["region"])
        ]
        assert regions["area"].sum() == pytest.approx(1, abs=1e-8)
        share = exact_shares(table, rank)
        seen = {name for joined in regions["entity"].values for name in joined.split(" = ")}
        assert seen >= {f"e{i}" for i, part in enumerate(share) if part > 1e-7}
        assert seen <= {f"e{i}" for i, part in enumerate(share) if part > 1e-12}
        for curve, area in zip(curves, regions["area"].values, strict=True):
            assert (curve[0] == curve[-1]).all()
            assert curve.min() >= 0
            assert curve.max() <= 1
            (a0, b0), (a1, b1) = curve[:-1].T, curve[1:].T
            # 64 chords along a hyperbola: each is off by less than 1/8 (1/64)² where it is round
            assert abs((a0 * b1 - a1 * b0).sum()) / 2 == pytest.approx(area, abs=1e-4)
        for a, b in rng.integers(1, 999, (40, 2)).tolist():
            a, b = Fraction(a, 1000), Fraction(b, 1000)
            near = [(a, b), *((a + x, b + y) for x in (-1e-3, 1e-3) for y in (-1e-3, 1e-3))]
            expected = [holders(table, Fraction(x), Fraction(y), rank) for x, y in near]
            if any(one != expected[0] for one in expected):
                continue
            names = [
                regions["entity"].values[i]
                for i, curve in enumerate(curves)
                if inside(curve, float(a), float(b))
            ]
            assert names == [" = ".join(f"e{i}" for i in sorted(expected[0]))], (
                table.tolist(),
                rank,
                a,
                b,
            )
            tried += 1
    assert tried > 50


@pytest.mark.parametrize("kind", NAMES[:-1])
def test_frontiers_are_where_two_swap(kind):
    rng = np.random.default_rng(200 + NAMES.index(kind))
    seen = 0
    for _ in range(25):
        table = KINDS[kind](rng, 2).astype(object)
        if (table.sum(1) == 0).any():
            continue
        curve = br.tile.frontier(counts_of(table.astype(int)), "e0", "e1")
        a, b = curve["a"].values, curve["b"].values
        steps = np.diff(a), np.diff(b)
        # (rounding moves a vertical or horizontal frontier by some 1e-16 of cells that differ by 1e-6)
        assert (steps[0] > -1e-9).all() or (steps[0] < 1e-9).all()
        assert (steps[1] > -1e-9).all() or (steps[1] < 1e-9).all()
        swaps = []
        for at in (Fraction(k, 10) for k in range(1, 10)):
            one, two = line(table[0], at), line(table[1], at)
            if one and two and (one[0] - two[0]) * (one[1] - two[1]) < 0:
                b_there = float((one[0] - two[0]) / (one[0] - two[0] - one[1] + two[1]))
                if 1e-9 < b_there < 1 - 1e-9:
                    swaps.append((float(at), b_there))
        if swaps:
            seen += 1
            for at, b_there in swaps:
                assert np.hypot(a - at, b - b_there).min() < 1e-9
        # and nothing else: where both lie inside the Tile, a step across changes who is better
        for k in range(0, len(a), 40):
            x, y = Fraction(a[k]), Fraction(b[k])
            if 1e-6 < x < 1 - 1e-6 and 1e-6 < y < 1 - 1e-6:
                sides = {
                    tuple(holders(table, x + dx, y + dy, 1))
                    for dx in (-1e-6, 1e-6)
                    for dy in (-1e-6, 1e-6)
                }
                assert sides >= {(0,), (1,)}, table.tolist()
    assert seen >= 3


@pytest.mark.parametrize(
    "table",
    [
        [(0, 0, 0, 3), (3, 3, 1, 2)],  # one is perfect
        [(2, 2, 3, 3), (3, 2, 3, 3)],  # they tie where a = 1, and do not swap
        [(1, 2, 3, 4), (3, 6, 9, 12)],  # the same
    ],
)
def test_no_frontier_where_no_entities_swap(table):
    assert br.tile.frontier(counts_of(table), "e0", "e1").sizes["point"] == 0


def test_a_side_where_both_score_0_is_no_frontier():
    # s is 3 (1 - a) and 2 (1 - a), u is 1 and 3 (1 - b)
    curve = br.tile.frontier(counts_of([(3, 1, 1, 0), (2, 3, 0, 0)]), "e0", "e1")
    np.testing.assert_allclose(curve["b"], 7 / 9, atol=1e-12)
    assert curve["a"].values[[0, -1]].tolist() == [0, 1]


def test_identical_entities_have_one_region():
    counts = counts_of([(40, 10, 10, 40), (40, 10, 10, 40), (30, 0, 0, 70), (0, 50, 50, 0)])
    assert br.tile.regions(counts, rank=2)["entity"].values.tolist() == ["e0 = e1"]
    assert br.tile.regions(counts.isel(entity=[0]))["area"].values.tolist() == [1.0]


def test_holders_have_the_shares_of_their_regions():
    counts = br.from_counts(
        tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 2], tp=[24, 21, 28], entity=["a", "b", "c"]
    )
    for rank in (1, 2):
        found, shares = holders_of(br.tile.regions(counts, rank)), br.tile.shares(counts, rank)
        assert (np.diff(found["area"]) <= 0).all()
        np.testing.assert_allclose(found["area"], shares.sel(entity=found["entity"]), atol=1e-9)
        assert found["tied"].values.tolist() == [1] * found.sizes["entity"]
        assert found["first"].values.tolist() == found["entity"].values.tolist()
