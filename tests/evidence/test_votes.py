"""Votes on pairs, and Davidson's model of them: published worths, posteriors by integration, pools, and refusals."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.optimize import minimize

import bayesrank as br
from bayesrank._source import groups_of
from bayesrank.models.davidson import Davidson, Pairs
from tests.commands import invoke, json_of, refused

#: Pairs of pudding brands: wins of the first, of the second, ties (Davidson 1970, table 1).
PUDDINGS = {
    (1, 2): (19, 22, 16), (1, 3): (16, 19, 12), (2, 3): (19, 19, 10), (1, 4): (18, 23, 13), (2, 4): (23, 19, 9),
    (3, 4): (19, 20, 15),
}  # fmt: skip


def votes_of(pairs):
    """Votes from wins, losses and ties of pairs."""
    rows = [
        (i, j, winner, n)
        for (i, j), numbers in pairs.items()
        for winner, n in zip((str(i), str(j), "tie"), numbers, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["left", "right", "winner", "n"])
    return br.from_votes(frame.astype({"left": str, "right": str}), a="left", b="right", winner="winner", count="n")


ROBIN = votes_of(PUDDINGS)
#: Nobody of {a, b} met {c, d}; a is far above b, c far above d.
POOLS = votes_of({("a", "b"): (90, 10, 5), ("c", "d"): (80, 20, 5)})


def posterior_of(votes, seed=1, **options):
    return groups_of(br.fit(votes, seed=seed, **options))["posterior"]


def test_winners_are_names_columns_or_ties():
    words = ["x", "left", "LEFT ", "model_a", "a", "tie", "tie (bothbad)", "Draw", "y", "right", "model_b", "B"]
    frame = pd.DataFrame({"left": "x", "right": "y", "winner": words})
    votes = br.from_votes(frame, a="left", b="right", winner="winner")
    assert votes["wins"].values.tolist() == [[0, 5], [4, 0]]
    assert votes["ties"].values.tolist() == [[0, 3], [3, 0]]
    assert votes["cases"].values.tolist() == [12, 12]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"winner": ["z", "x"]}, ValueError, "row 0: winner must be 'x', 'y', 'left', 'right' or 'tie'; got 'z'"),
        ({"winner": ["x", None]}, ValueError, "row 1: winner must not be empty"),
        ({"right": ["y", "x"]}, ValueError, "row 1: right must differ from left; got 'x' twice"),
        ({"n": [1, -1]}, ValueError, "row 1: n must be a non-negative whole number"),
        ({"n": [1, 0.5]}, ValueError, "row 1: n must be a non-negative whole number"),
        ({"n": [0, 0]}, ValueError, "give each entity a vote"),
        ({"left": ["x", "tie"], "winner": ["x", "tie"]}, ValueError, "or a tie; got 'tie'"),
        ({"left": [np.nan, "x"]}, ValueError, "row 0: left must not be empty"),
    ],
)
def test_bad_votes_are_refused_with_their_place(change, error, message):
    frame = pd.DataFrame({"left": ["x", "x"], "right": ["y", "y"], "winner": ["x", "y"], "n": [1, 2]})
    with pytest.raises(error, match=message.replace("(", r"\(")):
        br.from_votes(frame.assign(**change), a="left", b="right", winner="winner", count="n")


def test_entities_may_have_the_names_of_sides():
    frame = pd.DataFrame([("a", "b", "a"), ("b", "c", "c"), ("c", "b", "b")], columns=["x", "y", "winner"])
    votes = br.from_votes(frame, a="x", b="y", winner="winner")["wins"].to_series()
    assert votes["a", "b"] == votes["c", "b"] == votes["b", "c"] == 1
    unclear = pd.DataFrame([("a", "b", "a"), ("b", "a", "a")], columns=["a", "b", "winner"])
    with pytest.raises(ValueError, match="row 1: winner must not be the name of an entity and also"):
        br.from_votes(unclear, a="a", b="b", winner="winner")


def test_columns_must_be_there_and_differ():
    frame = pd.DataFrame({"left": ["x"], "right": ["y"], "winner": ["x"]})
    with pytest.raises(KeyError, match="left, right, winner"):
        br.from_votes(frame, a="a", b="right", winner="winner")
    with pytest.raises(ValueError, match="of its own"):
        br.from_votes(frame, a="left", b="left", winner="winner")
    with pytest.raises(ValueError, match="at least one vote"):
        br.from_votes(frame.iloc[:0], a="left", b="right", winner="winner")
    with pytest.raises(TypeError, match="DataFrame"):
        br.from_votes([1], a="left", b="right", winner="winner")


def test_slope_and_curvature_are_those_of_the_density():
    pairs, rng, eps = Davidson(ROBIN).pairs, np.random.default_rng(0), 1e-5
    theta, steps = rng.normal(size=4), eps * np.eye(4)
    value = lambda at: pairs.value_and_slope(at[None])[0][0]  # noqa: E731
    slope = lambda at: pairs.value_and_slope(at[None])[1][0]  # noqa: E731
    numeric = [(value(theta + step) - value(theta - step)) / (2 * eps) for step in steps]
    np.testing.assert_allclose(slope(theta), numeric, atol=1e-6)
    numeric = [(slope(theta + step) - slope(theta - step)) / (2 * eps) for step in steps]
    np.testing.assert_allclose(-pairs.curvature(theta), numeric, atol=1e-6)


def test_estimates_maximise_the_likelihood_as_written_in_the_paper():
    """In the paper the worths π sum to 1, and P(i wins) = π_i / (π_i + π_j + ν √(π_i π_j))."""

    def loss(x):
        worth, nu, total = np.exp(np.append(x[:3], 0.0)), np.exp(x[3]), 0.0
        for (i, j), (wins, losses, ties) in PUDDINGS.items():
            one, other = worth[i - 1], worth[j - 1]
            tied = nu * np.sqrt(one * other)
            total += (wins * np.log(one) + losses * np.log(other) + ties * np.log(tied)) - (
                wins + losses + ties
            ) * np.log(one + other + tied)
        return -total

    best = minimize(loss, np.zeros(4), tol=1e-12)
    worth = np.exp(np.append(best.x[:3], 0.0))
    observed = Davidson(ROBIN).observed()["observed_data"]
    found = np.exp(observed["strength"]) / np.exp(observed["strength"]).sum()
    np.testing.assert_allclose(found, worth / worth.sum(), atol=1e-5)
    assert observed["nu"].item() == pytest.approx(np.exp(best.x[3]), abs=1e-4)


def test_the_posterior_of_two_entities_is_the_integral():
    votes = votes_of({("x", "y"): (7, 2, 3)})
    posterior = posterior_of(votes, draws=4000)
    s, eta = np.meshgrid(np.linspace(-4, 4, 801), np.linspace(-6, 4, 801), indexing="ij")
    # The difference is 2s; both strengths have the prior's standard deviation of 2.
    z = np.exp(s) + np.exp(-s) + np.exp(eta)
    log = (7 - 2) * s + 3 * eta - 12 * np.log(z) - (2 * s**2 + eta**2) / (2 * 4)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean, win = (weight * s).sum(), (weight * (np.exp(s) + np.exp(eta) / 2) / z).sum()
    found = posterior.sel(entity="x")
    assert found["strength"].mean().item() == pytest.approx(mean, abs=0.012)
    assert found["strength"].std().item() == pytest.approx(np.sqrt((weight * (s - mean) ** 2).sum()), rel=0.03)
    assert found["win_probability"].mean().item() == pytest.approx(win, abs=0.005)
    assert np.log(posterior["nu"]).mean().item() == pytest.approx((weight * eta).sum(), abs=0.03)
    np.testing.assert_allclose(posterior["strength"].sum("entity"), 0, atol=1e-12)
    np.testing.assert_allclose(posterior["win_probability"].sum("entity"), 1, atol=1e-12)


def test_win_probability_is_the_mean_over_all_rivals():
    pairs = Pairs.of(np.ones((3, 3)) - np.eye(3), np.zeros((3, 3)), 0.25)
    strength, nu = np.array([1.0, 0.5, -1.5]), 0.8
    shares = []
    for i in range(3):
        each = []
        for j in set(range(3)) - {i}:
            z = np.exp((strength[i] - strength[j]) / 2) + np.exp((strength[j] - strength[i]) / 2) + nu
            each.append((np.exp((strength[i] - strength[j]) / 2) + nu / 2) / z)
        shares.append(np.mean(each))
    np.testing.assert_allclose(pairs.win_probability(strength, np.log(nu)), shares)


@pytest.mark.slow
def test_nuts_agrees():
    own, other = posterior_of(ROBIN, draws=2000), posterior_of(ROBIN, sampler="nuts")
    for name in ("strength", "win_probability", "nu"):
        sizes = ("chain", "draw")
        np.testing.assert_allclose(own[name].mean(sizes), other[name].mean(sizes), atol=0.02)
        np.testing.assert_allclose(own[name].std(sizes), other[name].std(sizes), rtol=0.1)


def test_perfect_records_are_finite_and_need_a_prior():
    perfect = votes_of({("x", "y"): (9, 0, 0), ("y", "z"): (5, 4, 0)})
    ranking = br.credible_ranking(br.fit(perfect, seed=1))
    assert np.isfinite(ranking["median"]).all()
    assert ranking["observed"].isnull().all()
    assert "depends on the prior" in " ".join([*br.verdict(ranking), *br.notes(ranking)])
    with pytest.raises(ValueError, match="must not be 'flat'"):
        br.fit(perfect, prior="flat")


def test_pools_that_never_met_are_not_compared():
    ranking = br.credible_ranking(br.fit(POOLS, seed=1))
    above = ranking["surely_above"].to_series()
    assert {pair for pair, sure in above.items() if sure} == {("a", "b"), ("c", "d")}
    assert ranking["in_best_set"].to_series().to_dict() == {"a": True, "b": False, "c": True, "d": False}
    assert ranking.attrs["headline"] == "leads"
    said = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "2 pools of entities" in said
    assert "cannot be compared" in said


def test_identical_votes_give_identical_numbers_and_the_order_of_rows_none():
    even = {("x", "y"): (6, 6, 2), ("x", "z"): (9, 4, 1), ("y", "z"): (9, 4, 1)}
    ranking = br.credible_ranking(br.fit(votes_of(even), seed=1))
    one, other = (ranking.sel(entity=name, rank=1) for name in "xy")
    for name in ("median", "lower", "probability_best", "consensus_rank", "tier"):
        assert one[name].item() == other[name].item()
    assert ranking.attrs["headline"] in ("shared", "leads")
    backwards = {(j, i): (b, a, t) for (i, j), (a, b, t) in reversed(list(even.items()))}
    found, moved = (posterior_of(votes_of(pairs), draws=50) for pairs in (even, backwards))
    xr.testing.assert_allclose(moved.sel(entity=found["entity"]), found, rtol=1e-9)


def test_strengths_are_no_performance():
    posterior = br.fit(ROBIN, seed=1, draws=100)
    for refuse in (br.tile.credible, br.tile.value, br.as_performance, lambda x: br.ops.of_draws(x, "f1")):
        with pytest.raises(ValueError, match="no performance"):
            refuse(posterior)
    with pytest.raises(ValueError, match="of votes"):
        br.tile.correlation("strength")
    with pytest.raises(ValueError, match="votes"):
        br.ops.of_value("win_probability", 0.5, 0.3)
    with pytest.raises(ValueError, match="votes"):
        br.credible_ranking(br.fit(br.from_counts(tn=9, fp=1, fn=1, tp=9), seed=1), "strength")
    with pytest.raises(ValueError, match="strength"):
        br.credible_ranking(posterior, "f1")
    with pytest.raises(ValueError, match="must be davidson for votes"):
        br.fit(ROBIN, "dirichlet_multinomial")


def test_scores_are_of_votes():
    assert br.scores.get("strength").space == br.scores.get("win_probability").space == "votes"
    posterior = br.fit(ROBIN, seed=1, draws=500)
    by_strength, by_wins = (br.credible_ranking(posterior, name) for name in ("strength", "win_probability"))
    np.testing.assert_array_equal(by_strength["rank_lower"], by_wins["rank_lower"])
    assert br.probability(posterior, "2 > 1", "strength")["probability"].item() > 0.5
    plan = br.plan(posterior, "strength", seed=1, entity="4", rival="1")
    assert plan.attrs["unit"] == "votes"


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "votes.csv"
    rows = ["x,y,model_a"] * 60 + ["x,y,model_b"] * 20 + ["x,y,tie"] * 10 + ["y,z,y"] * 50 + ["z,y,model_a"] * 25
    path.write_text("\n".join(["model_a,model_b,winner", *rows]))
    return path


def test_the_command_ranks_a_table_of_votes(battles):
    said = invoke("rank", battles)
    assert "Read 165 votes on pairs of 3 models, 75 to 165 on each" in said
    assert "x is best" in said
    assert json_of("rank", battles)["score"] == "strength"
    frame = br.from_frame(pd.read_csv(battles))
    xr.testing.assert_equal(frame, br.from_votes(pd.read_csv(battles), a="model_a", b="model_b", winner="winner"))
    invoke("rank", battles, "--prior", "flat")
    for command in ("tile", "ops"):
        assert "no performance" in refused(command, battles)
    assert "votes have one model" in refused("sensitivity", battles)
    assert "--case must be left out of votes" in refused("rank", battles, "--case", "winner")


def test_a_column_of_counts_is_not_guessed(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,count\nx,y,x,30\nx,y,y,10\n")
    assert "--count count" in refused("rank", path)
    assert "Read 40 votes" in invoke("rank", path, "--count", "count")
    assert "Read 2 votes" in invoke("rank", path, "--ignore", "count")
