"""Votes on pairs, and Davidson's model of them: published worths, posteriors by integration, pools, and refusals."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special
from scipy.optimize import linprog, minimize

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.source import groups_of
from bayesrank.evidence.pairings import uneven_factor
from bayesrank.models.davidson import Davidson
from bayesrank.models.parts.pairs import Pairs, sample_each
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
    return br.from_votes(
        frame.astype({"left": str, "right": str}), a="left", b="right", winner="winner", count="n"
    )


ROBIN = votes_of(PUDDINGS)
#: Nobody of {a, b} met {c, d}; a is far above b, c far above d.
POOLS = votes_of({("a", "b"): (90, 10, 5), ("c", "d"): (80, 20, 5)})


#: Options of commands whose numbers are not compared.
FEW = ("--draws", "100")


def posterior_of(votes, seed=1, **options):
    return groups_of(br.fit(votes, seed=seed, **options))["posterior"]


def test_winners_are_names_columns_or_ties():
    words = [
        "x",
        "left",
        "LEFT ",
        "model_a",
        "a",
        "tie",
        "tie (bothbad)",
        "Draw",
        "y",
        "right",
        "model_b",
        "B",
    ]
    frame = pd.DataFrame({"left": "x", "right": "y", "winner": words})
    votes = br.from_votes(frame, a="left", b="right", winner="winner")
    assert votes["wins"].values.tolist() == [[0, 5], [4, 0]]
    assert votes["ties"].values.tolist() == [[0, 3], [3, 0]]
    assert votes["cases"].values.tolist() == [12, 12]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"winner": ["z", "x"]},
            ValueError,
            "row 0: winner must be 'x', 'y', 'left', 'right' or 'tie'; got 'z'",
        ),
        (
            {"winner": ["x", "z"]},
            ValueError,
            "row 1: winner must be 'x', 'y', 'left', 'right' or 'tie'; got 'z'",
        ),
        ({"winner": ["x", None]}, ValueError, "row 1: winner must not be empty"),
        ({"right": ["y", "x"]}, ValueError, "row 1: right must differ from left; got 'x' twice"),
        ({"n": [1, -1]}, ValueError, "row 1: n must be a non-negative whole number"),
        ({"n": [1, 0.5]}, ValueError, "row 1: n must be a non-negative whole number"),
        ({"n": [0, 0]}, ValueError, "contain a vote for each entity"),
        ({"left": ["x", "tie"], "winner": ["x", "tie"]}, ValueError, "or a tie; got 'tie'"),
        ({"left": [np.nan, "x"]}, ValueError, "row 0: left must not be empty"),
    ],
)
def test_bad_votes_are_refused_with_their_place(change, error, message):
    frame = pd.DataFrame(
        {"left": ["x", "x"], "right": ["y", "y"], "winner": ["x", "y"], "n": [1, 2]}
    )
    with pytest.raises(error, match=message.replace("(", r"\(")):
        br.from_votes(frame.assign(**change), a="left", b="right", winner="winner", count="n")


def test_entities_may_have_the_names_of_sides():
    frame = pd.DataFrame(
        [("a", "b", "a"), ("b", "c", "c"), ("c", "b", "b")], columns=["x", "y", "winner"]
    )
    votes = br.from_votes(frame, a="x", b="y", winner="winner")["wins"].to_series()
    assert votes["a", "b"] == votes["c", "b"] == votes["b", "c"] == 1
    unclear = pd.DataFrame([("a", "b", "a"), ("b", "a", "a")], columns=["a", "b", "winner"])
    with pytest.raises(
        ValueError, match="row 1: winner must not be the name of an entity and also"
    ):
        br.from_votes(unclear, a="a", b="b", winner="winner")


def test_columns_must_be_there_and_differ():
    frame = pd.DataFrame({"left": ["x"], "right": ["y"], "winner": ["x"]})
    with pytest.raises(KeyError, match="left, right, winner"):
        br.from_votes(frame, a="a", b="right", winner="winner")
    with pytest.raises(ValueError, match="must name a different column"):
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
    posterior = posterior_of(votes, draws=1000)
    s, eta = np.meshgrid(np.linspace(-4, 4, 201), np.linspace(-6, 4, 201), indexing="ij")
    # The difference is 2s; both strengths have the prior's standard deviation of 2.
    z = np.exp(s) + np.exp(-s) + np.exp(eta)
    log = (7 - 2) * s + 3 * eta - 12 * np.log(z) - (2 * s**2 + eta**2) / (2 * 4)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean, win = (weight * s).sum(), (weight * (np.exp(s) + np.exp(eta) / 2) / z).sum()
    found = posterior.sel(entity="x")
    assert found["strength"].mean().item() == pytest.approx(mean, abs=0.024)
    assert found["strength"].std().item() == pytest.approx(
        np.sqrt((weight * (s - mean) ** 2).sum()), rel=0.06
    )
    assert found["win_probability"].mean().item() == pytest.approx(win, abs=0.01)
    assert np.log(posterior["nu"]).mean().item() == pytest.approx((weight * eta).sum(), abs=0.06)
    np.testing.assert_allclose(posterior["strength"].sum("entity"), 0, atol=1e-12)
    np.testing.assert_allclose(posterior["win_probability"].sum("entity"), 1, atol=1e-12)


def test_win_probability_is_the_mean_over_all_rivals():
    pairs = Pairs.of(np.ones((3, 3)) - np.eye(3), np.zeros((3, 3)), 0.25)
    strength, nu = np.array([1.0, 0.5, -1.5]), 0.8
    shares = []
    for i in range(3):
        each = []
        for j in set(range(3)) - {i}:
            z = (
                np.exp((strength[i] - strength[j]) / 2)
                + np.exp((strength[j] - strength[i]) / 2)
                + nu
            )
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
    ranking = br.credible_ranking(br.fit(perfect, seed=1, draws=250))
    assert np.isfinite(ranking["median"]).all()
    assert ranking["observed"].isnull().all()
    assert "depends on the prior" in " ".join([*br.verdict(ranking), *br.notes(ranking)])
    with pytest.raises(ValueError, match="must not be 'flat'"):
        br.fit(perfect, prior="flat")


def test_pools_that_never_met_are_not_compared():
    ranking = br.credible_ranking(br.fit(POOLS, seed=1, draws=250))
    above = ranking["surely_above"].to_series()
    assert {pair for pair, sure in above.items() if sure} == {("a", "b"), ("c", "d")}
    assert ranking["in_best_set"].to_series().to_dict() == {
        "a": True,
        "b": False,
        "c": True,
        "d": False,
    }
    assert ranking.attrs["headline"] == "leads"
    said = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "2 pools of entities" in said
    assert "cannot be compared" in said


def test_identical_votes_give_identical_numbers_and_the_order_of_rows_none():
    even = {("x", "y"): (6, 6, 2), ("x", "z"): (9, 4, 1), ("y", "z"): (9, 4, 1)}
    ranking = br.credible_ranking(br.fit(votes_of(even), seed=1, draws=250))
    one, other = (ranking.sel(entity=name, rank=1) for name in "xy")
    for name in ("median", "lower", "probability_best", "consensus_rank", "tier"):
        assert one[name].item() == other[name].item()
    assert ranking.attrs["headline"] in ("shared", "leads")
    backwards = {(j, i): (b, a, t) for (i, j), (a, b, t) in reversed(list(even.items()))}
    found, moved = (posterior_of(votes_of(pairs), draws=50) for pairs in (even, backwards))
    xr.testing.assert_allclose(moved.sel(entity=found["entity"]), found, rtol=1e-9)


def test_strengths_are_no_performance():
    posterior = br.fit(ROBIN, seed=1, draws=100)
    for refuse in (
        br.tile.credible,
        br.tile.value,
        br.as_performance,
        lambda x: br.ops.of_draws(x, "f1"),
    ):
        with pytest.raises(ValueError, match="are not performances"):
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
    by_strength, by_wins = (
        br.credible_ranking(posterior, name) for name in ("strength", "win_probability")
    )
    np.testing.assert_array_equal(by_strength["rank_lower"], by_wins["rank_lower"])
    assert br.probability(posterior, "2 > 1", "strength")["probability"].item() > 0.5
    plan = br.plan(posterior, "strength", seed=1, entity="4", rival="1")
    assert plan.attrs["unit"] == "votes"


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "votes.csv"
    rows = (
        ["x,y,model_a"] * 60
        + ["x,y,model_b"] * 20
        + ["x,y,tie"] * 10
        + ["y,z,y"] * 50
        + ["z,y,model_a"] * 25
    )
    path.write_text("\n".join(["model_a,model_b,winner", *rows]))
    return path


def test_the_command_ranks_a_table_of_votes(battles):
    said = invoke("rank", battles)
    assert "Read 165 votes on pairs of 3 models, 75 to 165 on each model" in said
    assert "x is best" in said
    assert json_of("rank", battles, *FEW)["score"] == "strength"
    frame = br.from_frame(pd.read_csv(battles))
    xr.testing.assert_equal(
        frame, br.from_votes(pd.read_csv(battles), a="model_a", b="model_b", winner="winner")
    )
    invoke("rank", battles, *FEW, "--prior", "flat")
    for command in ("tile", "ops"):
        assert "are not performances" in refused(command, battles)
    assert "votes have one model" in refused("sensitivity", battles)
    assert "--run cannot be used for votes" in refused("rank", battles, "--run", "winner")


def test_a_column_of_counts_is_not_guessed(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,count\nx,y,x,30\nx,y,y,10\n")
    assert "--count count" in refused("rank", path)
    assert "Read 40 votes" in invoke("rank", path, *FEW, "--count", "count")
    assert "Read 2 votes" in invoke("rank", path, *FEW, "--ignore", "count")


#: Four kinds of rows: a person voted, or not; the judge agrees, or not.
JUDGED = pd.DataFrame(
    [("x", "y", "left", "x", 7), ("x", "y", "tie", "x", 3), ("y", "x", None, "tie", 20), ("y", "x", "x", "y", 2),
     ("y", "x", "y", "left", 4), ("x", "y", None, "left", 30), ("x", "y", None, "y", 25), ("y", "x", "tie", "tie", 5)],
    columns=["left", "right", "human", "gpt", "n"],
)  # fmt: skip
SIDES = {"a": "left", "b": "right", "winner": "human", "count": "n"}


def judged_votes(frame=JUDGED, judge="gpt"):
    return br.from_votes(frame, **SIDES, judge=judge)


@pytest.mark.parametrize(
    ("votes", "uneven"), [((0, 0, 5), False), ((0, 0, 6), True), ((2, 2, 2), False)]
)
def test_few_votes_are_uneven_by_chance_more_often_than_chi_square_says(votes, uneven):
    """A term of the chi-square of Poisson numbers with mean m has variance 2 + 1 / m instead of 2.

    5 votes on one pair of three: the chi-square is 10, on its usual scale 7.0 above its mean 2, P = 0.011. 6 votes: P =
    0.004.
    """
    numbers = np.zeros((3, 3))
    numbers[np.triu_indices(3, 1)] = votes
    assert (uneven_factor(numbers + numbers.T) > 1) == uneven


def test_votes_of_judges_are_counted_beside_those_of_people():
    votes = judged_votes()
    assert votes["wins"].values.tolist() == [[0, 9], [4, 0]]
    assert votes["ties"].values.tolist() == [[0, 8], [8, 0]]
    assert votes["cases"].values.tolist() == [96, 96]
    assert votes["labels"].values.tolist() == [21, 21]
    battles = {
        (*side, *vote): human
        for side, vote, human in zip(
            *(votes[name].values.tolist() for name in ("side", "judge_vote", "human_votes")),
            strict=True,
        )
    }
    assert battles == {
        ("x", "y", 0): [7, 0, 3, 30], ("x", "y", 1): [0, 0, 0, 25], ("y", "x", 0): [4, 2, 0, 0],
        ("y", "x", 2): [0, 0, 5, 20],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "judge", "message"),
    [
        ({"gpt": None}, "gpt", "row 0: gpt must contain a vote of a judge in each row"),
        ({"human": None}, "gpt", "human must contain the vote of a person for at least one row"),
        ({"gpt": "z"}, "gpt", "row 0: gpt must be 'x', 'y', 'left', 'right' or 'tie'; got 'z'"),
        ({}, "human", "judge must name a different column; got 'human', the winner as well"),
        ({}, [], "judge must name at least one column"),
        ({}, "claude", "judge must name a column of the frame"),
    ],
)
def test_bad_votes_of_judges_are_refused(change, judge, message):
    with pytest.raises((ValueError, KeyError), match=message):
        judged_votes(JUDGED.assign(**change), judge)


def test_judges_need_no_vote_where_another_has_one():
    frame = JUDGED.assign(claude=["x", None, None, "y", "y", "tie", "x", None])
    votes = judged_votes(frame, ["gpt", "claude"])
    assert votes["judge"].values.tolist() == ["gpt", "claude"]
    assert (votes["judge_vote"].values[:, 1] == 3).any()
    assert np.isfinite(posterior_of(votes, draws=50)["strength"]).all()
    with pytest.raises(ValueError, match="NUTS or a PyMC graph"):
        br.to_pymc(votes)
    with pytest.raises(ValueError, match="standard deviation for votes of a judge"):
        br.fit(votes, prior="flat")


def moments_of_two(wins, losses, ties):
    """Mean and variance of the strength of the first of two entities, by integration (see above)."""
    s, eta = np.meshgrid(np.linspace(-4, 4, 161), np.linspace(-7, 4, 111), indexing="ij")
    log_z = np.log(np.exp(s) + np.exp(-s) + np.exp(eta))
    log = (
        (wins - losses) * s + ties * eta - (wins + losses + ties) * log_z - (2 * s**2 + eta**2) / 8
    )
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean = (weight * s).sum()
    return mean, (weight * (s - mean) ** 2).sum()


def test_completed_votes_of_two_entities_are_those_of_importance_sampling():
    """The model given the votes of a judge, by weighted draws from its prior, and Davidson's model by integration."""
    rng, size = np.random.default_rng(5), 200_000
    spreads = 2.0 ** np.arange(-5, 1.5, 0.5)
    spread = rng.choice(spreads, size, p=spreads / spreads.sum())
    # The free strength z has z / √2 for x; the judge, alone, has the strengths 1 and -1 with unit deviation.
    shift = spread * rng.standard_normal(size) / np.sqrt(2) + 2 * rng.standard_normal(size)
    beta, *etas = 2 * rng.standard_normal((3, size))
    # Rows of (x, y) by the vote of the judge for x, for y, or a tie; the judge prefers x.
    rows = [(1, 0, (7, 0, 3, 30)), (-1, 0, (2, 4, 0, 25)), (0, 1, (0, 0, 5, 20))]
    log, shares = np.zeros(size), []
    for sign, level, human in rows:
        half = shift + sign * beta
        parts = np.stack([half, -half, etas[level]])
        parts = parts - np.logaddexp.reduce(parts, axis=0)
        log += np.array(human[:3]) @ parts
        shares.append(np.exp(parts))
    weight = np.exp(log - log.max())
    kept = rng.choice(size, 600, p=weight / weight.sum())
    assert weight.sum() ** 2 / (weight**2).sum() > 750
    totals = sum(
        np.array(human[:3]) + rng.multinomial(human[3], (share[:, kept] / share[:, kept].sum(0)).T)
        for (*_, human), share in zip(rows, shares, strict=True)
    )
    means, variances = np.array([moments_of_two(*total) for total in totals]).T
    found = posterior_of(judged_votes(), draws=1000)["strength"].sel(entity="x")
    spread_of_means = np.sqrt(variances.mean() + means.var())
    assert found.mean().item() == pytest.approx(
        means.mean(), abs=4 * spread_of_means / np.sqrt(600)
    )
    assert found.std().item() == pytest.approx(spread_of_means, rel=0.1)


def test_draws_around_the_mode_are_those_of_the_posterior():
    """Few votes, whose posterior is skewed: the normal approximation alone would be off by more."""
    pairs = Pairs.of(np.array([[0, 6], [0, 0]]), np.zeros((2, 2)), 0.25)
    s = np.linspace(-8, 8, 4001)
    log = 6 * s - 6 * np.logaddexp(s, -s) - s**2 / 4  # two strengths, s and -s
    weight = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    mean = (weight * s).sum()
    theta, rate = sample_each(pairs, 40_000, np.random.default_rng(1))
    found = pairs.split(theta)[0][:, 0]
    assert rate.mean() > 0.6
    assert found.mean() == pytest.approx(mean, abs=0.02)
    assert (found**3).mean() == pytest.approx((weight * s**3).sum(), rel=0.03)


def test_the_order_of_a_pair_does_not_change_the_draws():
    turned = JUDGED.copy()
    turned.loc[::2, ["left", "right"]] = turned.loc[::2, ["right", "left"]].values
    words = {"left": "right", "right": "left"}
    turned.loc[::2, ["human", "gpt"]] = turned.loc[::2, ["human", "gpt"]].replace(words).values
    one, other = (posterior_of(judged_votes(frame), draws=50) for frame in (JUDGED, turned[::-1]))
    xr.testing.assert_allclose(other.sel(entity=one["entity"]), one, rtol=1e-9)


def simulated_votes(repeats, labels, bias=0.0, seed=3, size=3000):
    """Votes on four entities; the judge repeats the vote of a person, or votes by strengths with a bias for m0."""
    rng = np.random.default_rng(seed)
    strength = np.array([0.0, 1.0, 0.4, -0.6])
    i = rng.integers(4, size=size)
    j = (i + rng.integers(1, 4, size=size)) % 4
    says = [
        np.where(rng.random(size) < 1 / (1 + np.exp(own[j] - own[i])), "a", "b")
        for own in (strength, strength + bias * np.eye(4)[0])
    ]
    verdict = np.where(
        rng.random(size) < repeats, says[0], says[1] if repeats else rng.choice(["a", "b"], size)
    )
    frame = pd.DataFrame({"left": i, "right": j, "human": says[0], "gpt": verdict, "n": 1})
    frame = frame.astype({"left": str, "right": str, "human": object})
    frame.loc[labels:, "human"] = None
    return frame


def test_votes_of_people_correct_a_judge_that_favours_its_kin():
    frame = simulated_votes(0.5, 400, bias=3.0)
    judge = br.from_votes(frame, a="left", b="right", winner="gpt")
    assert br.credible_ranking(br.fit(judge, seed=1, draws=200))["median"].idxmax("entity") == "0"
    both = br.credible_ranking(br.fit(judged_votes(frame), seed=1, draws=500))
    assert both["median"].idxmax("entity") == "1"
    alone = judged_votes(frame)[["wins", "ties", "cases"]]
    widths = [
        (ranking["upper"] - ranking["lower"]).mean().item()
        for ranking in (both, br.credible_ranking(br.fit(alone, seed=1, draws=500)))
    ]
    assert widths[0] < 0.95 * widths[1]


def test_the_spread_of_what_judges_miss_is_that_of_importance_sampling():
    """The posterior of the spread for four entities, written without the package's densities."""
    from bayesrank.models.parts.battles import SPREADS, Battles

    frame = simulated_votes(0.5, 150, bias=2.0, size=500).iloc[:150]
    battles = Battles.of(judged_votes(frame), list("0123"), 0.25)
    i, j = (frame[side].astype(int).values for side in ("left", "right"))
    first, second = np.minimum(i, j), np.maximum(i, j)
    of_human, of_judge = (
        np.where((frame[who] == "a") == (i < j), 1, -1) for who in ("human", "gpt")
    )
    # Bradley-Terry strengths by the judge alone, with the prior of the model, in units of their standard deviation.
    by_judge = minimize(
        lambda s: (
            np.logaddexp(
                0, -of_judge * (s - s.mean())[first] + of_judge * (s - s.mean())[second]
            ).sum()
            + ((s - s.mean()) ** 2).sum() / 8
        ),
        np.zeros(4),
    ).x
    by_judge = (by_judge - by_judge.mean()) / by_judge.std()
    log = []
    for spread in SPREADS.tolist():

        def cost(theta, spread=spread):
            """Minus the log of the density, whose integral is the marginal likelihood."""
            own = theta[..., :4] - theta[..., :4].mean(-1, keepdims=True)
            half = (own[..., first] - own[..., second]) / 2 + theta[..., [4]] * of_judge
            half = half + theta[..., [5]] * (by_judge[first] - by_judge[second]) / 2
            # The common part of the four is not in the likelihood; its density integrates to 1.
            priors = (theta[..., :4] ** 2).sum(-1) / (2 * spread**2) + 4 * np.log(spread)
            return (
                priors
                + (theta[..., 4:] ** 2).sum(-1) / 8
                + np.logaddexp(0, -2 * of_human * half).sum(-1)
            )

        centre = minimize(cost, np.zeros(6))
        root = np.linalg.cholesky(centre.hess_inv * 1.3)
        rng = np.random.default_rng(1)
        noise = rng.standard_normal((6_000, 6))
        weight = -cost(centre.x + noise @ root.T) + (noise**2).sum(-1) / 2
        log.append(special.logsumexp(weight) + np.linalg.slogdet(root)[1])
    mass = special.softmax(np.array(log) + np.log(SPREADS))
    assert battles.posterior_of_spread == pytest.approx(mass, abs=0.02)
    assert 0.1 < mass.max() < 0.5


def test_a_judge_without_information_adds_none_and_all_votes_of_people_need_no_judge():
    for frame, tolerance in ((simulated_votes(0.0, 500), 0.15), (simulated_votes(0.6, 3000), 0.1)):
        votes = judged_votes(frame)
        both, alone = (
            posterior_of(held, draws=250)["strength"]
            for held in (votes, votes[["wins", "ties", "cases"]])
        )
        over = ("chain", "draw")
        np.testing.assert_allclose(both.std(over), alone.std(over), rtol=tolerance)
        assert (abs(both.mean(over) - alone.mean(over)) < 0.25 * alone.std(over)).all()


def test_few_votes_of_people_allow_no_bold_claim():
    frame = simulated_votes(0.95, 8)
    ranking = br.credible_ranking(br.fit(judged_votes(frame), seed=1, draws=250))
    assert ranking.attrs["headline"] != "best"
    assert (ranking["rank_upper"] - ranking["rank_lower"] == 3).all()
    assert "known for 8 of 3,000" in " ".join(br.notes(ranking))


def test_the_command_ranks_votes_of_a_judge(tmp_path):
    path = tmp_path / "votes.csv"
    frame = (
        simulated_votes(0.6, 300)
        .rename(columns={"left": "model_a", "right": "model_b"})
        .drop(columns="n")
    )
    frame.to_csv(path, index=False)
    said = invoke("rank", path, "--truth", "human", *FEW)
    assert "Read 3,000 votes on pairs of 4 models" in said
    assert "the truth known for 300" in said
    assert "The column gpt holds the verdicts of the judge" in said
    read = br.from_frame(pd.read_csv(path, dtype=str), truth="human")
    votes = br.from_votes(frame, a="model_a", b="model_b", winner="human", judge="gpt")
    xr.testing.assert_equal(read.drop_attrs(), votes.drop_attrs())
    diagnosis = invoke("doctor", path, "--truth", "human")
    assert "300 votes of both" in diagnosis
    assert "more labels" in invoke("plan", path, "--truth", "human")
    assert "must not name the column with the truth" in refused(
        "rank", path, "--truth", "gpt", "--judge", "gpt"
    )


@pytest.mark.slow
def test_ranks_of_people_are_in_sets_from_judges_and_few_votes():
    """Ranks by 27,045 votes of people lie in the sets from 1,000 of them and all votes of GPT-4, which are narrower."""
    battles = br.datasets.load_cases("arena_battles")
    roles = {"a": "model_a", "b": "model_b", "winner": "human", "count": "count"}
    human = (
        Davidson(br.from_votes(battles, **roles))
        .observed()["observed_data"]["strength"]
        .to_series()
    )
    truth = human.rank(ascending=False)
    inside, sizes = [], []
    for seed in range(6):
        known = np.random.default_rng(seed).multivariate_hypergeometric(
            battles["count"].values, 1000
        )
        labelled, rest = (
            battles.assign(count=known),
            battles.assign(count=battles["count"] - known, human=None),
        )
        for votes in (
            br.from_votes(pd.concat([labelled, rest]).query("count > 0"), **roles, judge="gpt4"),
            br.from_votes(labelled.query("count > 0"), **roles),
        ):
            sets = br.credible_ranking(br.fit(votes, seed=seed, draws=250))[
                ["rank_lower", "rank_upper"]
            ].to_dataframe()
            inside.append(((sets["rank_lower"] <= truth) & (truth <= sets["rank_upper"])).sum())
            sizes.append((sets["rank_upper"] - sets["rank_lower"] + 1).mean())
    assert np.mean(inside[::2]) >= 18
    assert np.mean(sizes[::2]) < np.mean(sizes[1::2]) - 1


def test_the_factor_of_growing_samples_is_that_of_sup_wald_tests():
    from bayesrank.evidence.pairings import looking_factor

    # Andrews (2003), Econometrica 71:395-397: points of the largest chi-square of a change point in the middle 70% of a
    # sample. The growth is the squared ratio of both parts at the ends. The formula is asymptotic.
    growth = (0.85 / 0.15) ** 2
    for level, point in ((0.1, 7.12), (0.05, 8.68), (0.01, 12.16)):
        alone = -special.ndtri(level / 2)
        assert (looking_factor(1, growth, level) * alone) ** 2 == pytest.approx(point, rel=0.015)
    assert looking_factor(28, 1.0) == 1.0
    assert looking_factor(28, 2.0) < looking_factor(28, 20.0)


def test_sets_are_wider_if_numbers_of_votes_differ_by_more_than_chance():
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]

    def uneven(counts):
        votes = votes_of({pair: (n // 2, n // 2, 0) for pair, n in zip(pairs, counts, strict=True)})
        notes = notes_of(br.credible_ranking(br.fit(votes, seed=1, draws=50)).attrs["notes"])
        return [note.fields for note in notes if note.code == "votes_uneven"]

    assert not uneven((40, 40, 44))
    [fields] = uneven((200, 10, 10))
    assert (fields["fewest"], fields["most"]) == (10, 200)
    assert fields["percent"] > 10


def test_sets_are_wider_still_if_entities_of_similar_strength_met_more_often():
    """Six entities, a to f, of which each is stronger than the next."""
    pairs = list(itertools.combinations(range(6), 2))

    def notes_of_votes(number):
        votes = {
            (i, j): (n * (j - i + 6) // 12, n - n * (j - i + 6) // 12, 0)
            for i, j in pairs
            if (n := number(j - i))
        }
        noted = notes_of(
            br.credible_ranking(br.fit(votes_of(votes), seed=1, draws=50)).attrs["notes"]
        )
        return {note.code: note.fields["percent"] for note in noted if "percent" in note.fields}

    near = notes_of_votes(lambda apart: 120 if apart == 1 else 12)
    far = notes_of_votes(lambda apart: 12 if apart < 4 else 120)
    assert list(near) == ["close_strengths_met"]
    assert list(far) == ["votes_uneven"]
    assert near["close_strengths_met"] > far["votes_uneven"] > 20
    assert not notes_of_votes(lambda apart: 36)


def test_matched_entities_are_found_beside_a_perfect_record():
    """An entity that won all votes has no strength of maximum likelihood, but meets its neighbour most often."""
    wins = {(i, i + 1): (25, 15, 0) for i in range(7)} | {(i, i + 2): (2, 1, 1) for i in range(6)}
    wins |= {(0, 1): (40, 0, 0), (0, 2): (4, 0, 0)}
    ranking = br.credible_ranking(br.fit(votes_of(wins), seed=1, draws=100))
    assert np.isnan(ranking["observed"].sel(entity="0"))
    assert "close_strengths_met" in [note.code for note in notes_of(ranking.attrs["notes"])]


def test_strengths_that_show_who_was_matched_have_the_slope_0():
    from bayesrank.evidence.pairings import estimate_strengths

    votes = votes_of(PUDDINGS)
    wins, ties = votes["wins"].values, votes["ties"].values
    found = estimate_strengths(wins, ties)
    share = special.expit(found[:, None] - found)
    np.testing.assert_allclose(
        (wins + ties / 2).sum(1) - ((wins + wins.T + ties) * share).sum(1), found / 4, atol=1e-9
    )
    alone = estimate_strengths(np.array([[0, 60, 9], [0, 0, 9], [0, 0, 0.0]]), np.zeros((3, 3)))
    assert np.isfinite(alone).all()
    assert alone[0] > alone[1] > alone[2]


def test_the_factor_of_matched_entities_starts_at_the_joint_region_and_grows_with_the_votes():
    from bayesrank.evidence.pairings import matching_factor

    once = -special.ndtri(0.025 / 190)
    even = 7.0 * (1 - np.eye(20))
    # Scheffé (1953), with the 95% point of chi-square with 19 degrees of freedom; no votes were added.
    assert matching_factor(even) * once == pytest.approx(np.sqrt(30.144), abs=1e-4)
    # Votes on a ring beside one vote on each pair: the information of K + n C has the eigenvalues of the circulant.
    ring = np.roll(np.eye(20), 1, axis=0)
    ring += ring.T
    circulant = 2 - 2 * np.cos(2 * np.pi * np.arange(1, 20) / 20)
    growth = [np.log1p(n * circulant / 20).sum() for n in (10, 100)]
    found = [matching_factor(1 - np.eye(20) + n * ring) * once for n in (10, 100)]
    assert found == pytest.approx([np.sqrt(30.144 + each / 2) for each in growth], rel=1e-4)
    # Where some pairs have no vote, the first votes are one of each entity.
    alone = np.log(np.maximum(circulant * 19 / 20, 1)).sum()
    assert matching_factor(ring) * once == pytest.approx(np.sqrt(30.144 + alone / 2), rel=1e-4)


def test_numbers_of_votes_that_strengths_do_not_explain_are_not_called_matched():
    """Among boards with random numbers of votes, one in a hundred may seem to match similar strengths."""
    from bayesrank.evidence.pairings import close_strengths_met

    rng, found = np.random.default_rng(1), []
    for _ in range(1000):
        votes = np.triu(rng.poisson(20, (12, 12)), 1)
        found.append(close_strengths_met(votes + votes.T, rng.standard_normal(12)))
    assert np.mean(found) <= 0.01 + 3 * np.sqrt(0.01 * 0.99 / 1000)
    assert not close_strengths_met(20 * (1 - np.eye(12)), rng.standard_normal(12))
    assert not close_strengths_met(votes + votes.T, np.zeros(12))


def test_one_more_vote_on_each_of_the_closest_pairs_is_seen():
    from bayesrank.evidence.pairings import close_strengths_met

    place = np.arange(10.0)
    apart = np.abs(place[:, None] - place)
    assert close_strengths_met(np.where(apart == 1, 2.0, 1.0) * (apart > 0), place)
    assert not close_strengths_met(np.where(apart == 7, 2.0, 1.0) * (apart > 0), place)


def recedes(pairs):
    """Whether the likelihood never falls along a line of strengths and log nu, by a linear programme for each sign."""
    size = pairs.entities
    rows = []
    for i, j, up, down, even in zip(
        pairs.first, pairs.second, pairs.wins, pairs.losses, pairs.ties, strict=True
    ):
        half = np.zeros(size + 1)
        half[i], half[j] = 0.5, -0.5
        tie = np.eye(size + 1)[size] * pairs.with_ties
        exponents = [half, -half, *([tie] if pairs.with_ties else [])]
        for seen, mine in zip((up, down, even), exponents, strict=False):
            rows += [other - mine for other in exponents if seen]
    sums = [np.append(np.ones(size), 0)] + ([] if pairs.with_ties else [np.eye(size + 1)[size]])
    for k in range(size + 1):
        for sign in (1, -1):
            found = linprog(
                -sign * np.eye(size + 1)[k], np.array(rows), np.zeros(len(rows)), np.array(sums),
                np.zeros(len(sums)), bounds=[(-1, 1)] * (size + 1),
            )  # fmt: skip
            if -found.fun > 1e-7:
                return True
    return False


def test_a_maximum_is_there_unless_the_likelihood_recedes():
    rng, seen = np.random.default_rng(3), []
    for _ in range(80):
        size = int(rng.integers(2, 5))
        wins = rng.poisson(rng.choice([0.3, 1.0]), (size, size)) * (rng.random((size, size)) < 0.6)
        ties = rng.poisson(0.8, (size, size)) * (rng.random() < 0.7)
        np.fill_diagonal(wins, 0)
        ties = np.triu(ties, 1) + np.triu(ties, 1).T
        if not (wins + wins.T + ties).any():
            continue
        pairs = Pairs.of(wins, ties, 0.0)
        assert pairs.has_maximum() == (not recedes(pairs))
        seen.append(pairs.has_maximum())
    assert 10 < sum(seen) < len(seen) - 10


def degenerate(kind, size):
    """Votes of ``size`` entities, each pair by the same rule."""
    names = [f"m{i}" for i in range(size)]
    pairs = list(itertools.combinations(names, 2))
    if kind == "chain of ties":
        pairs = list(itertools.pairwise(names))
    winners = {
        "a beats all, with ties": ["a", "tie"],
        "both bad": ["tie (bothbad)"],
        "perfect": ["a"],
    }.get(kind, ["tie"])
    rows = [(x, y, winner) for x, y in pairs for winner in winners]
    rows += [(names[0], names[1], "a")] * (kind == "one decisive")
    return br.from_votes(
        pd.DataFrame(rows, columns=["a", "b", "winner"]), a="a", b="b", winner="winner"
    )


@pytest.mark.parametrize("size", [2, 6])
@pytest.mark.parametrize(
    "kind",
    ["all ties", "both bad", "chain of ties", "one decisive", "perfect", "a beats all, with ties"],
)
def test_degenerate_votes_have_an_answer_and_no_flat_prior(kind, size):
    votes = degenerate(kind, size)
    posterior = br.fit(votes, seed=1, draws=50)
    ranking = br.credible_ranking(posterior)
    assert np.isfinite(ranking["median"].values).all()
    headline = br.verdict(ranking)[0]
    assert isinstance(headline, str)
    only_ties = kind in ("all ties", "both bad", "chain of ties")
    codes = [note.code for note in notes_of(ranking.attrs["notes"])]
    assert ("votes_all_ties" in codes) is only_ties
    observed = Davidson(votes).observed()["observed_data"]
    if only_ties:
        assert observed["win_probability"].values.tolist() == [0.5] * size
        assert observed["strength"].isnull().all()
        assert observed["nu"].item() == np.inf
        assert ranking.attrs["headline"] != "best"
    if kind == "a beats all, with ties" and size > 2:
        br.fit(votes, prior="flat", seed=1, draws=50)  # m0 beats m2 no more often than it beats m1
    else:
        with pytest.raises(ValueError, match=r"must not be 'flat' .*prior=2.0 is the default"):
            br.fit(votes, prior="flat", seed=1)


def test_ties_and_wins_of_one_side_have_no_finite_estimate():
    votes = votes_of({("x", "y"): (3, 0, 2)})
    assert Davidson(votes).observed()["observed_data"]["strength"].isnull().all()
    assert "votes_one_sided" in [note.code for note in Davidson(votes).notes]


def test_counts_are_no_votes():
    with pytest.raises(TypeError, match="evidence must be votes"):
        br.fit(br.datasets.load("antibody_tests"), "davidson")
