"""Statements on orders, probable orders and what leaving out changes, against brute force over draws and orders."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
import xarray as xr
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayesrank as br
from bayesrank.sensitivities.leaving_out import leave_out_entities
from bayesrank.statements import _truth
from bayesrank.statements._parser import Beats, Either, Every, Not, claims_of, parse
from tests.strategies import draws_of, score_draws, statements, written


def holds(statement, values, rank, size, rope):
    """Whether a statement holds of plain numbers, of which the best is the highest; ``rank`` has the defined ones."""
    if isinstance(statement, Not):
        return not holds(statement.inner, values, rank, size, rope)
    if isinstance(statement, Every | Either):
        parts = [holds(part, values, rank, size, rope) for part in statement.parts]
        return all(parts) if isinstance(statement, Every) else any(parts)
    x = values[statement.entity]
    if np.isnan(x):
        return False
    if isinstance(statement, Beats):
        y = values[statement.rival]
        if np.isnan(y):
            return False
        if abs(x - y) <= rope:
            return statement.sign != ">"
        return x > y and statement.sign != "="
    at = rank[statement.entity]
    return (size + 1 - at if statement.bottom else at) <= statement.number


def brute(statement, values, higher=True, rope=0.0):
    """The share of all orders of the defined entities that agree with a draw's values, on average over the draws."""
    total = 0.0
    for x in values if higher else -values:
        defined = np.flatnonzero(~np.isnan(x))
        orders = [o for o in permutations(defined) if (np.diff(x[list(o)]) <= 0).all()]
        ranks = [{e: i + 1 for i, e in enumerate(o)} for o in orders]
        total += np.mean([holds(statement, x, rank, len(defined), rope) for rank in ranks])
    return total / len(values)


@given(
    st.data(),
    score_draws(max_draws=6, max_entities=4, levels=3),
    st.booleans(),
    st.sampled_from([0.0, 1.0]),
)
def test_probability_against_all_orders_of_every_draw(data, values, higher, rope):
    statement = data.draw(statements(values.sizes["entity"]))
    names = values["entity"].values.tolist()
    text = written(statement, names)
    found = br.probability(values, text, higher_is_better=higher, rope=rope)
    assert found["probability"].item() == pytest.approx(
        brute(statement, values.values, higher, rope), abs=1e-12
    )
    assert found.attrs["statement"] == text
    named = {
        e
        for claim in claims_of(statement)
        for e in (claim.entity, getattr(claim, "rival", claim.entity))
    }
    assert found["undefined"].item() == pytest.approx(
        np.isnan(values.values[:, list(named)]).any(1).mean()
    )


@pytest.fixture(scope="module")
def sticky():
    """Autocorrelated draws of four chains with ties, a lower end that is better and an entity on its own."""
    rng = np.random.default_rng(7)
    noise = rng.normal(size=(4, 500, 4))
    for t in range(1, 500):
        noise[:, t] += 0.9 * noise[:, t - 1]
    values = np.round(noise + np.array([0, 0.5, 1, 6]), 0)
    return xr.DataArray(values, {"entity": list("ABCD")}, ("chain", "draw", "entity"))


@pytest.mark.parametrize("argument", ["score", "higher_is_better", "kind", "over", "weights"])
def test_a_ranking_has_its_own_score(sticky, argument):
    """Its probabilities are of that score; another one would have no effect."""
    ranking = br.credible_ranking(sticky, higher_is_better=True)
    with pytest.raises(ValueError, match=f"^{argument} cannot be used for a ranking"):
        br.probability(ranking, "A > B", **{argument: False})


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("rope", [0.0, 1.0])
def test_it_says_what_a_credible_ranking_says(sticky, higher, rope):
    """The same shares with the same errors: pairs, the best, places, ties and autocorrelation."""
    ranking = br.credible_ranking(sticky, higher_is_better=higher, rope=rope)

    def ask(text):
        found = br.probability(sticky, text, higher_is_better=higher, rope=rope)
        return found["probability"].item(), found["probability_error"].item()

    for a in "AC":
        row = ranking.sel(entity=a)
        error = row["probability_best_error"].item()
        assert ask(f"{a} is best") == pytest.approx((row["probability_best"].item(), error))
        places = row["rank_probability"]
        assert ask(f"{a} is worst")[0] == pytest.approx(places.sel(rank=4).item())
        assert ask(f"{a} in top 2")[0] == pytest.approx(places.sel(rank=slice(1, 2)).sum().item())
        for b in "BD":
            pair = row.sel(rival=b)
            assert ask(f"{a} > {b}") == pytest.approx(
                (pair["superiority"].item(), pair["superiority_error"].item())
            )
            assert ask(f"{a} = {b}")[0] == pytest.approx(pair["equivalence"].item())


def test_probability_against_quadrature():
    """Three independent Betas: P(A > B > C), and P(A beats B) by more than 0.05."""
    positives, tp = 30, np.array([27, 25, 24])
    counts = br.from_counts(tn=[80] * 3, fp=[0] * 3, fn=positives - tp, tp=tp, entity=list("ABC"))
    posterior = br.fit(counts, "beta_binomial", draws=5000, seed=21)
    a, b, c = (stats.beta(0.5 + t, 0.5 + positives - t) for t in tp)
    chain = integrate.quad(lambda x: b.pdf(x) * a.sf(x) * c.cdf(x), 0, 1)[0]
    far = integrate.quad(lambda x: a.pdf(x) * b.cdf(x - 0.05), 0.05, 1)[0]
    for text, rope, exact in [("A > B > C", 0.0, chain), ("A beats B", 0.05, far)]:
        found = br.probability(posterior, text, "tpr", rope=rope)
        # Two numbers within 4.5 standard errors, which are those of 20,000 independent draws.
        free, share = np.sqrt(exact * (1 - exact) / 20_000), found["probability"].item()
        assert abs(share - exact) < 4.5 * free
        # Never below that of as many independent draws with this share.
        assert found["probability_error"].item() > 0.999 * np.sqrt(share * (1 - share) / 20_000)
        assert found["probability_error"].item() < (1 + 4.5 / np.sqrt(2 * 39)) * free
        assert found["undefined"].item() == 0


def test_errors_of_statements_that_never_failed_know_how_slowly_the_draws_move(sticky):
    for text in ("D > A", "D is best or A > B > C"):
        found = br.probability(sticky, text)["probability_error"].item()
        free = br.probability(xr.zeros_like(sticky) + np.arange(4), "D > A")[
            "probability_error"
        ].item()
        assert found > 5 * free
    assert np.isnan(br.probability(sticky[0, 0], "A > B")["probability_error"].item())


def test_ties_that_are_too_many_are_refused_and_others_cost_little():
    names = [f"e{i}" for i in range(40)]
    values = draws_of(np.zeros((3, 40)), names)
    with pytest.raises(
        ValueError, match="statement asks for the ranks of too many tied entities; got 40"
    ):
        br.probability(values, " and ".join(f"{name} in top 3" for name in names))
    # Of 40 that tie, 3 take the first 3 places; and places of the ten are asked for once each.
    p = br.probability(values, "e1 in top 3 and e2 in top 3 and e3 in top 3")["probability"].item()
    assert p == pytest.approx(1 / (40 * 39 * 38 / 6))
    p = br.probability(values, " or ".join(f"e{i} in top 3" for i in range(10)))[
        "probability"
    ].item()
    assert p == pytest.approx(1 - 30 * 29 * 28 / (40 * 39 * 38))
    apart = draws_of(np.arange(120.0).reshape(3, 40), names)
    assert (
        br.probability(apart, " and ".join(f"{name} in top 40" for name in names))[
            "probability"
        ].item()
        == 1
    )


def test_lazy_values_are_asked_block_by_block(sticky):
    pytest.importorskip("dask")
    both = xr.concat([sticky, sticky[..., ::-1].assign_coords(entity=list("ABCD"))], "dataset")
    lazy = both.transpose("draw", "dataset", "entity", "chain").chunk(draw=130, chain=1, entity=3)
    text = "D is best and not A > B or C in top 2"
    found, plain = br.probability(lazy, text), br.probability(both, text)
    assert plain["probability"].dims == ("dataset",)
    xr.testing.assert_allclose(found, plain, rtol=1e-9)
    for i in range(2):
        alone = br.probability(both[i], text)
        xr.testing.assert_allclose(plain.isel(dataset=i), alone, rtol=1e-9)
    xr.testing.assert_identical(
        br.statements.probable_orders(lazy[:, 0]), br.statements.probable_orders(sticky)
    )


def test_names_that_are_no_text():
    values = xr.DataArray([[0.1, 0.2]], dims=("draw", "entity"))
    assert br.probability(values, "'1' > '0'")["probability"].item() == 1
    assert br.statements.probable_orders(values)["label"].values.tolist() == ["'1' > '0'"]


@given(score_draws(max_draws=10, max_entities=4, levels=3), st.sampled_from([None, 1, 2]))
def test_probable_orders_against_counting(values, top):
    names = values["entity"].values
    seen = Counter()
    for x in values.values:
        ranks = {
            str(n): int(1 + (x > v).sum()) for n, v in zip(names, x, strict=True) if not np.isnan(v)
        }
        order = tuple(sorted((r, n) for n, r in ranks.items() if top is None or r <= top))
        seen[order] += bool(order)
    found = br.statements.probable_orders(values, top=3, places=top)
    assert found.attrs["distinct"] == len(+seen)
    listed = []
    for i in range(found.sizes["order"]):
        one = found.isel(order=i)
        order = tuple(
            (int(r), str(n))
            for r, n in zip(one["rank"].values, one["entity"].values, strict=True)
            if n
        )
        assert one["probability"].item() == pytest.approx(seen[order] / len(values))
        listed.append(seen[order])
        whole = top is None and len(order) > 1 and not np.isnan(values).any()
        if whole:
            asked = br.probability(values, one["label"].item())
            assert asked["probability"].item() == pytest.approx(one["probability"].item())
    assert listed == sorted((+seen).values(), reverse=True)[:3]
    turned = br.statements.probable_orders(values[::-1, ::-1], top=3, places=top)
    assert turned["label"].values.tolist() == found["label"].values.tolist()


def test_probable_orders_have_errors_of_batches_and_labels_of_ties(sticky):
    found = br.statements.probable_orders(sticky, top=12)
    assert found["label"].values[0] == "D > C > B > A"
    assert any(" = " in one for one in found["label"].values)
    # Means of forty batches of fifty draws; rare orders have the error of what the stickiest entity is worth.
    draws = _truth.share_true(
        parse(found["label"].values[0], list("ABCD")), sticky.values.reshape(2000, 4), 1, 0.0
    )
    error = draws.reshape(40, 50).mean(1).std(ddof=1) / np.sqrt(40)
    assert found["probability_error"].values[0] == pytest.approx(error, rel=1e-9)
    assert error > 2 * np.sqrt(found["probability"].values[0] / 2000)
    rare = br.statements.probable_orders(sticky, top=10**6).isel(order=-1)
    assert rare["probability"] == 1 / 2000
    assert rare["probability_error"] > 2 * np.sqrt(1 / 2000 / 2000)  # of independent draws
    assert br.statements.probable_orders(draws_of([[np.nan, np.nan]])).sizes == {
        "order": 0,
        "place": 0,
    }


@settings(deadline=None, max_examples=6)
@given(
    score_draws(max_draws=10, max_entities=5, levels=4),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([0.6, 0.95]),
)
def test_stability_is_what_a_ranking_of_the_others_says(values, rope, prob):
    assume(values.sizes["entity"] > 1)
    ranking = br.credible_ranking(values, rope=rope, prob=prob)
    found = leave_out_entities(values, rope=rope, prob=prob)
    first = ranking["entity"].values[np.argsort(ranking["consensus_position"].values)]
    for name in values["entity"].values:
        one, rest = (
            found.sel(left_out=name),
            br.credible_ranking(values.drop_sel(entity=name), rope=rope, prob=prob),
        )
        others = one.sel(entity=rest["entity"])
        assert np.isnan(one["tier"].sel(entity=name))
        assert np.isnan(one["position"].sel(entity=name))
        ranked = rest["tier"].notnull().values
        assert (others["position"].notnull().values == ranked).all()
        order = np.argsort(others["position"].values)[: ranked.sum()]
        # As good an order, of which there may be several; a ROPE moves tiers alone.
        sup = br.credible_ranking(values.drop_sel(entity=name))["superiority"].values
        preference = np.nan_to_num((1 + sup - sup.T) / 2, nan=0.5)
        distance = np.tril(preference[np.ix_(order, order)], -1).sum()
        assert distance == pytest.approx(rest["consensus_distance"].item(), abs=1e-9)
        if (others["position"].values[ranked] == rest["consensus_position"].values[ranked]).all():
            np.testing.assert_array_equal(others["tier"].values, rest["tier"].values)
        np.testing.assert_allclose(one["poth"].item(), rest["poth"].item(), atol=1e-12)
        before, after = ranking["tier"].sel(entity=rest["entity"]).values, others["tier"].values
        pairs = [(i, j) for i in range(len(after)) for j in range(i) if ranked[i] and ranked[j]]
        other = [np.sign(before[i] - before[j]) != np.sign(after[i] - after[j]) for i, j in pairs]
        assert one["changed"].item() == (
            pytest.approx(np.mean(other)) if pairs else pytest.approx(np.nan, nan_ok=True)
        )
        leader = next(n for n in first if n != name)
        moved = bool(ranked.any()) and others["position"].sel(entity=leader).item() != 1
        assert one["leader_changed"].item() == moved


def test_leaving_out_breaks_a_circle():
    """A beats B beats C beats A."""
    circle = draws_of([[3, 2, 1]] * 4 + [[1, 3, 2]] * 3 + [[2, 1, 3]] * 3, list("ABC"))
    found = leave_out_entities(circle, prob=0.6)
    assert br.credible_ranking(circle)["consensus_position"].values.tolist() == [1, 2, 3]
    assert found["leader_changed"].values.tolist() == [False, True, False]
    assert found["position"].sel(left_out="B").values.tolist()[::2] == [2, 1]
    with pytest.raises(ValueError, match="source must be one ranking"):
        leave_out_entities(circle.expand_dims(dataset=2))


def test_entities_without_an_observed_score_stay_last_without_another():
    """W beats X, which beats Z: a cycle of preferences through X, which has no positive calls."""
    classes = ["negative", "positive"]
    prior = xr.DataArray([[1.0, 20.0], [1.0, 1.0]], {"actual": classes, "predicted": classes})
    counts = br.from_counts(
        tp=[0, 2, 9, 0], fp=[0, 56, 254, 1000], fn=[5] * 4, tn=[5] * 4, entity=["X", "Y", "Z", "W"]
    )
    how = {"method": "exact", "model": "dirichlet_multinomial", "prior": prior}
    found = leave_out_entities(counts, "precision", **how)
    for name in counts["entity"].values:
        rest = br.credible_ranking(counts.drop_sel(entity=name), "precision", **how)
        one = found.sel(left_out=name)
        np.testing.assert_array_equal(
            one["position"].sel(entity=rest["entity"]), rest["consensus_position"]
        )
        np.testing.assert_allclose(one["poth"], rest["poth"], atol=1e-9)
        assert one["poth"] <= 1
    assert found["leader_changed"].sel(left_out=["X", "W"]).values.tolist() == [False, False]
    # X is last where it is left in.
    last = found["position"].max("entity")
    assert (found["position"].sel(entity="X") == last).sel(left_out=["Y", "Z", "W"]).all()


def test_one_entity_and_none_that_is_defined():
    one = draws_of([[0.1], [0.2]], ["A"])
    for values, undefined in [(one, 0), (one * np.nan, 1)]:
        found = leave_out_entities(values)
        assert np.isnan(found[["tier", "position", "changed", "poth"]].to_array()).all()
        assert not found["leader_changed"].any()
        asked = br.probability(values, "A is best and A in top 1 and A is worst")
        assert asked["probability"] == 1 - undefined == 1 - asked["undefined"]


def test_circles_too_large_to_be_solved_keep_their_order():
    """Seventeen entities, of which everybody beats the next eight."""
    rounds = np.array([np.roll(np.arange(17), turn) for turn in range(17)])
    values = draws_of(-rounds)
    ranking, found = br.credible_ranking(values), leave_out_entities(values)
    whole = ranking["entity"].values[np.argsort(ranking["consensus_position"].values)].tolist()
    for name in whole:
        position = found["position"].sel(left_out=name)
        rest = position["entity"].values[np.argsort(position.values)][:16].tolist()
        assert rest == [other for other in whole if other != name]
