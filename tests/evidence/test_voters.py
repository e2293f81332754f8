"""Voters, questions, swapped orders and style of votes: closed forms, independent estimates, and refusals."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats
from scipy.optimize import minimize

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.source import groups_of, parse_source
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.evidence.ledger import ledger_of
from bayesrank.evidence.units import cluster_information, unit_freedom
from bayesrank.models.davidson import Davidson, SharedTastes
from bayesrank.models.parts import voters
from bayesrank.models.parts.pairs import Pairs
from bayesrank.models.parts.voters import larger, modes_of, newton_steps, slopes_of_votes
from tests.commands import invoke, refused

ROLES = {"a": "model_a", "b": "model_b", "winner": "winner"}


def simulate(voters, each, entities, seed, taste=0.5, strength=None, nu=0.5, questions=0):
    """Votes of voters, and on questions, that share a taste with standard deviation ``taste``."""
    rng = np.random.default_rng(seed)
    strength = np.zeros(entities) if strength is None else np.asarray(strength)
    voter = np.repeat(np.arange(voters), each)
    size = len(voter)
    one = rng.integers(entities, size=size)
    other = (one + rng.integers(1, entities, size=size)) % entities
    own = strength + taste * rng.standard_normal((voters, entities))
    lead = own[voter, one] - own[voter, other]
    question = rng.integers(questions or 1, size=size)
    if questions:
        of_question = taste * rng.standard_normal((questions, entities))
        lead = lead + of_question[question, one] - of_question[question, other]
    up, down = np.exp(lead / 2), np.exp(-lead / 2)
    drawn = rng.random(size) * (up + down + nu)
    winner = np.where(drawn < up, "model_a", np.where(drawn < up + down, "model_b", "tie"))
    names = np.array([f"m{i}" for i in range(entities)])
    return pd.DataFrame(
        {
            "model_a": names[one],
            "model_b": names[other],
            "winner": winner,
            "voter": voter,
            "question": question,
        }
    )


def questions_won(won, lost, verdicts):
    """Questions on one pair, each with the same verdict several times."""
    rows = [
        ("x", "y", "x" if q < won else "y", q) for q in range(won + lost) for _ in range(verdicts)
    ]
    return pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "question"])


def posterior_of(votes, seed=1, **options):
    return groups_of(br.fit(votes, seed=seed, **options))["posterior"]


def codes_of(ranking):
    return {note.code: note.fields for note in notes_of(ranking.attrs["notes"])}


def test_seven_questions_are_seven_pieces_of_evidence_whatever_the_number_of_verdicts():
    frame = questions_won(5, 2, 6)
    ranking = br.credible_ranking(br.fit(br.from_votes(frame, **ROLES, case="question"), seed=1))
    assert ranking["probability_best"].sel(entity="x").item() == pytest.approx(0.86, abs=0.03)
    assert ranking.attrs["headline"] == "leads"
    alone = br.credible_ranking(br.fit(br.from_votes(frame, **ROLES), seed=1))
    assert alone["probability_best"].sel(entity="x").item() > 0.99
    more = br.from_votes(questions_won(5, 2, 60), **ROLES, case="question")
    same = posterior_of(more, draws=4000)["strength"].sel(entity="x")
    assert (same > 0).mean().item() == pytest.approx(0.86, abs=0.03)


def test_equal_questions_are_counted_one_by_one():
    """Of four, every rank is possible, and the note says four; five are enough."""
    four, five = (
        br.credible_ranking(
            br.fit(
                br.from_votes(questions_won(won, 1, 6), **ROLES, case="question"), seed=1, draws=100
            )
        )
        for won in (3, 4)
    )
    [note] = [each for each in notes_of(four.attrs["cap_notes"]) if each.code == "clusters_too_few"]
    assert note.fields["clusters"] == pytest.approx(4)
    assert "clusters_too_few" not in five.attrs["caps"]


def test_equal_units_have_one_degree_of_freedom_less_and_unequal_ones_those_of_clusters():
    assert unit_freedom(np.full(10, 7.0)) == pytest.approx((9.0, 10 / 9))
    assert unit_freedom(np.array([3.0, 0.0])) == (0.0, np.inf)
    sizes = np.array([1.0, 2, 3, 10, 30])
    freedom, factor = cluster_information([sizes], np.ones(1))
    # The bootstrap of clusters is narrower by G / (G + 1).
    assert unit_freedom(sizes) == pytest.approx((freedom, factor**2 * 5 / 6))


def test_weighted_modes_maximise_each_draws_density():
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(4, 1)
    wins, losses, ties = 5 * rng.standard_exponential((3, 6, 8))
    shift = rng.standard_normal((6, 1))
    pairs = Pairs(4, first, second, wins, losses, ties, 0.25, shift)
    near = Pairs(4, first, second, *(5 * np.ones((3, 6))), 0.25, shift)
    centre, start = 2 * rng.standard_normal((8, 5)), near.mode()
    root = near.whiten(start)
    found = modes_of(pairs, centre, np.tile(start, (8, 1)), root.T @ root)
    basis = pairs.basis
    for k in range(8):

        def loss(theta, k=k):
            half = (
                (basis @ theta[:3])[first] / 2
                - (basis @ theta[:3])[second] / 2
                + shift[:, 0] * theta[3]
            )
            total = np.logaddexp(np.logaddexp(half, -half), theta[4])
            of_votes = wins[:, k] * half - losses[:, k] * half + ties[:, k] * theta[4]
            of_votes -= (wins + losses + ties)[:, k] * total
            return -of_votes.sum() + 0.25 * ((theta - centre[k]) ** 2).sum() / 2

        np.testing.assert_allclose(found[k], minimize(loss, start, tol=1e-12).x, atol=2e-4)


def test_a_newton_step_solves_the_equations_of_the_free_parameters():
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(3, 1)
    pairs = Pairs(
        3,
        first,
        second,
        *(4 * rng.standard_exponential((3, 3, 2))),
        0.25,
        rng.standard_normal((3, 1)),
    )
    theta = rng.standard_normal((2, 4))
    slope = pairs.value_and_slope(theta)[1]
    steps = newton_steps(pairs, theta, slope)
    for k in range(2):
        one = Pairs(
            3,
            first,
            second,
            pairs.wins[:, k],
            pairs.losses[:, k],
            pairs.ties[:, k],
            0.25,
            pairs.shift,
        )
        np.testing.assert_allclose(
            steps[k], np.linalg.solve(one.curvature(theta[k]), slope[k]), rtol=1e-8
        )


def test_the_larger_of_two_covariances_is_a_bound_and_no_more_than_needed():
    rng = np.random.default_rng(2)
    one, other = (part @ part.T for part in rng.standard_normal((2, 4, 6)))
    bound = larger(one, other)
    for each in (one, other):
        assert np.linalg.eigvalsh(bound - each).min() > -1e-9
    np.testing.assert_allclose(larger(one, one + other), one + other, atol=1e-9)
    np.testing.assert_allclose(larger(np.eye(1) * 2, np.eye(1) * 3), 3 * np.eye(1))


@pytest.mark.parametrize("units", [{"cluster": "voter"}, {"cluster": "voter", "case": "question"}])
def test_draws_have_the_covariance_between_units(units):
    frame = simulate(200, 15, 4, 3, questions=150)
    votes = br.from_votes(frame, **ROLES, **units)
    model = SharedTastes(votes)
    drawn = posterior_of(votes, draws=4000)["strength"].stack(sample=("chain", "draw"))
    drawn = drawn.sel(entity=sorted(drawn["entity"].values)).transpose("entity", "sample").values
    basis = model.pairs.basis
    wanted = basis @ model.shared.covariance[:3, :3] @ basis.T
    np.testing.assert_allclose(np.sqrt(np.diag(np.cov(drawn))), np.sqrt(np.diag(wanted)), rtol=0.05)


def test_the_covariance_between_voters_is_the_sandwich_of_their_slopes():
    """White's estimator for clusters, written with sums over the rows of the table; the factor is G / (G - 1)."""
    frame = simulate(30, 20, 3, 4, nu=0.0)
    model = SharedTastes(br.from_votes(frame, **ROLES, cluster="voter"))
    shared, basis = model.shared, model.pairs.basis
    strength = basis @ shared.mode[:2]
    i, j = (frame[side].str[1:].astype(int).values for side in ("model_a", "model_b"))
    design = basis[i] - basis[j]
    share = special.expit(strength[i] - strength[j])
    slope = (frame["winner"].eq("model_a") - share).values[:, None] * design
    sums = np.stack([slope[frame["voter"] == v].sum(axis=0) for v in range(30)])
    precision = 0.25 * shared.prior_weight
    inverse = np.linalg.inv(
        (design * (share * (1 - share))[:, None]).T @ design + precision * np.eye(2)
    )
    prior = precision**2 / 0.25 * np.eye(2)
    np.testing.assert_allclose(
        shared.covariance, 30 / 29 * inverse @ (sums.T @ sums + prior) @ inverse, rtol=1e-8
    )


def test_intervals_and_rank_sets_are_those_of_a_t_distribution():
    votes = br.from_votes(simulate(10, 40, 3, 5), **ROLES, cluster="voter")
    posterior = br.fit(votes, seed=1)
    ranking = br.credible_ranking(posterior)
    drawn = posterior["posterior"]["strength"]
    freedom = posterior["observed_data"]["unit_freedom"].values
    assert (freedom > 7).all()
    factor = stats.t.ppf(0.975, freedom) / stats.norm.ppf(0.975)
    middle, low = (drawn.quantile(q, ("chain", "draw")).values for q in (0.5, 0.025))
    np.testing.assert_allclose(middle - ranking["lower"].values, factor * (middle - low), rtol=1e-3)
    table = br.score_table(posterior, ["strength"]).isel(score=0)
    np.testing.assert_allclose(table["lower"], ranking["lower"])


def test_every_rank_is_possible_below_five_effective_voters():
    frame = simulate(4, 200, 3, 6, strength=[3.0, 0.0, -3.0], taste=0.0)
    ranking = br.credible_ranking(br.fit(br.from_votes(frame, **ROLES, cluster="voter"), seed=1))
    assert ranking.attrs["headline"] == "leads"
    assert "clusters_too_few" in ranking.attrs["caps"]
    assert (ranking["rank_lower"] == 1).all()
    assert (ranking["rank_upper"] == 3).all()
    assert "effective voters" in " ".join([*br.verdict(ranking), *br.notes(ranking)])
    # One voter with most votes counts for more than its number.
    few = frame.assign(voter=np.where(np.arange(len(frame)) % 10 > 0, 0, np.arange(len(frame))))
    assert (
        "clusters_too_few"
        in br.credible_ranking(br.fit(br.from_votes(few, **ROLES, cluster="voter"), seed=1)).attrs[
            "caps"
        ]
    )
    enough = simulate(40, 20, 3, 6, strength=[3.0, 0.0, -3.0], taste=0.0)
    clear = br.credible_ranking(br.fit(br.from_votes(enough, **ROLES, cluster="voter"), seed=1))
    assert clear.attrs["headline"] == "best"


def test_rows_in_another_order_and_turned_battles_give_the_same_draws():
    frame = simulate(12, 10, 3, 7, questions=9)
    roles = {"cluster": "voter", "case": "question"}
    found = posterior_of(br.from_votes(frame, **ROLES, **roles), draws=20)
    moved = frame.sample(frac=1, random_state=1)
    turned = {"model_a": "model_b", "model_b": "model_a"}
    moved = moved.rename(columns=turned).assign(winner=moved["winner"].replace(turned))
    other = posterior_of(br.from_votes(moved, **ROLES, **roles), draws=20)
    xr.testing.assert_allclose(other.sel(entity=found["entity"]), found, rtol=1e-6)


def test_both_orders_of_a_battle_are_one_vote():
    rows = [
        ("x", "y", "x", 1),
        ("y", "x", "x", 1),
        ("x", "y", "x", 2),
        ("y", "x", "y", 2),
        ("x", "y", "tie", 3),
    ]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "question"])
    votes = br.from_votes(frame, **ROLES, case="question")
    assert votes["wins"].values.tolist() == [[0, 1.5], [0.5, 0]]
    assert votes["ties"].values.tolist() == [[0, 1], [1, 0]]
    assert votes["cases"].values.tolist() == [3, 3]
    assert ledger_of(votes).cases == 3
    [note] = notes_of(votes.attrs["notes"])
    # In three of four votes with a winner, the one that is named first won.
    assert (note.code, note.fields["battles"], note.fields["first"], note.fields["decided"]) == (
        "orders_merged",
        2,
        3,
        4,
    )
    low, high = stats.beta(3.5, 1.5).ppf([0.025, 0.975])
    assert (note.fields["lower"], note.fields["upper"]) == pytest.approx((low, high))
    assert br.from_votes(frame, **ROLES)["wins"].values.tolist() == [[0, 3], [1, 0]]
    # Voters tell them apart: the two orders are of two people.
    voters = frame.assign(voter=range(5))
    assert br.from_votes(voters, **ROLES, case="question", cluster="voter")[
        "wins"
    ].values.tolist() == [[0, 3], [1, 0]]


def lengths(seed, bias, size=4000):
    """Votes on five models, without ties, that prefer the longer answer."""
    rng = np.random.default_rng(seed)
    strength = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
    length = np.array([-1.0, 0.5, 0.0, 1.0, -0.5])  # Models write at different lengths.
    i = rng.integers(5, size=size)
    j = (i + rng.integers(1, 5, size=size)) % 5
    longer = length[i] - length[j] + rng.standard_normal(size)
    won = rng.random(size) < special.expit(strength[i] - strength[j] + bias * longer)
    names = np.array([f"m{k}" for k in range(5)])
    columns = {
        "model_a": names[i],
        "model_b": names[j],
        "winner": np.where(won, "model_a", "model_b"),
    }
    return pd.DataFrame(
        columns | {"longer": longer, "voter": rng.integers(500, size=size)}
    ), strength


def test_strengths_and_coefficients_are_those_of_a_logistic_regression():
    frame, _ = lengths(1, 0.7, 800)
    frame["tone"] = np.random.default_rng(2).standard_normal(len(frame)) / 100
    columns = ["longer", "tone"]
    i, j = (frame[side].str[1:].astype(int).values for side in ("model_a", "model_b"))
    design = np.column_stack([np.eye(5)[i] - np.eye(5)[j], frame[columns]])[:, 1:]
    won = frame["winner"].eq("model_a").values

    def loss(theta):
        lead = design @ (theta * np.array([1, 1, 1, 1, 1, 100]))
        return np.logaddexp(0, np.where(won, -lead, lead)).sum()

    best = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    strength = np.append(0.0, best[:4]) - best[:4].sum() / 5
    votes = br.from_votes(frame, **ROLES, covariates=columns)
    observed = Davidson(votes, "flat").observed()["observed_data"]
    np.testing.assert_allclose(
        observed["strength"].sel(entity=[f"m{k}" for k in range(5)]), strength, atol=1e-4
    )
    np.testing.assert_allclose(observed["coefficient"], best[4:] * [1, 100], rtol=1e-4)
    posterior = posterior_of(votes, prior="flat", draws=500)
    assert posterior["coefficient"].sel(covariate="longer").mean().item() == pytest.approx(
        best[4], abs=0.04
    )
    clustered = br.from_votes(frame, **ROLES, covariates=columns, cluster="voter")
    again = Davidson(clustered, "flat").observed()["observed_data"]
    np.testing.assert_allclose(again["coefficient"], observed["coefficient"], rtol=1e-8)


@pytest.mark.parametrize("units", [{}, {"cluster": "voter"}])
def test_a_bias_for_length_is_removed(units):
    frame, strength = lengths(3, 1.0, 2000)
    names = [f"m{k}" for k in range(5)]
    fitted = br.fit(br.from_votes(frame, **ROLES, covariates="longer", **units), seed=1, draws=250)
    posterior = groups_of(fitted)["posterior"]
    over = ("chain", "draw")
    found = posterior["strength"].sel(entity=names)
    assert (abs(found.mean(over) - strength) < 2.5 * found.std(over)).all()
    slope = posterior["coefficient"].sel(covariate="longer")
    assert abs(slope.mean() - 1.0) < 2 * slope.std()
    plain = posterior_of(br.from_votes(frame, **ROLES, **units), draws=250)["strength"].sel(
        entity=names
    )
    assert (abs(plain.mean(over) - strength) > 5 * plain.std(over)).any()
    ranking = br.credible_ranking(fitted)
    [[name, middle, low, high]] = codes_of(ranking)["style_coefficients"]["coefficients"]
    assert name == "longer"
    assert low < 1.0 < high
    freedom = groups_of(fitted)["observed_data"]["unit_freedom"].min() if units else np.inf
    wide = stats.t.isf(0.025, freedom) / stats.norm.isf(0.025)
    of_draws = np.quantile(slope, [0.5, 0.025, 0.975])
    expected = of_draws[0] + [0, wide, wide] * (of_draws - of_draws[0])
    np.testing.assert_allclose([middle, low, high], expected, atol=0.005)  # they are rounded
    assert "Effect on the log-odds of a win" in " ".join(br.notes(ranking))


def test_a_covariate_that_explains_all_votes_has_no_flat_prior():
    frame, _ = lengths(4, 0.5, 200)
    sure = frame.assign(longer=np.where(frame["winner"] == "model_a", 1.0, -1.0))
    votes = br.from_votes(sure, **ROLES, covariates="longer")
    assert Davidson(votes).observed()["observed_data"]["strength"].isnull().all()
    with pytest.raises(ValueError, match="covariate explains all votes"):
        br.fit(votes, prior="flat")
    fixed = frame.assign(
        longer=frame["model_a"].str[1:].astype(float) - frame["model_b"].str[1:].astype(float)
    )
    with pytest.raises(ValueError, match="must not be 'flat'"):
        br.fit(br.from_votes(fixed, **ROLES, covariates="longer"), prior="flat")
    assert np.isfinite(
        posterior_of(br.from_votes(fixed, **ROLES, covariates="longer"), draws=50)["strength"]
    ).all()


def test_elo_ratings_are_strengths_on_another_scale():
    frame = simulate(20, 20, 3, 8, strength=[0.5, 0.0, -0.5])
    votes = br.from_votes(frame, **ROLES, cluster="voter")
    posterior = posterior_of(votes, draws=50)
    np.testing.assert_allclose(posterior["elo"], 1000 + 400 / np.log(10) * posterior["strength"])
    fixed = posterior_of(votes, draws=50, anchor={"m1": 1500})
    np.testing.assert_allclose(fixed["elo"].sel(entity="m1"), 1500)
    np.testing.assert_allclose(
        fixed["elo"] - 1500, posterior["elo"] - posterior["elo"].sel(entity="m1"), atol=1e-9
    )
    by_rating, by_strength = (
        br.credible_ranking(br.fit(votes, seed=1), name) for name in ("elo", "strength")
    )
    for name in ("rank_lower", "rank_upper", "probability_best", "tier"):
        np.testing.assert_array_equal(by_rating[name], by_strength[name])
    np.testing.assert_allclose(
        by_rating["observed"], 1000 + 400 / np.log(10) * by_strength["observed"]
    )
    # A difference of 400 points is odds of 10 to 1.
    assert special.expit(400 / (400 / np.log(10))) == pytest.approx(10 / 11)
    assert (
        br.credible_ranking(br.fit(votes, seed=1, anchor={"m1": 1500}), "elo")["lower"].sel(
            entity="m1"
        )
        == 1500
    )


@pytest.mark.parametrize("anchor", [{"z": 1200}, "m1", {"m1": np.inf}, {"m0": 1, "m1": 2}])
def test_bad_anchors_are_refused(anchor):
    with pytest.raises((ValueError, TypeError), match="anchor"):
        br.fit(br.from_votes(simulate(5, 5, 3, 1), **ROLES), anchor=anchor)


def test_win_rates_stand_beside_the_ranking():
    frame = simulate(20, 20, 3, 9, strength=[0.5, 0.0, -0.5])
    posterior = br.fit(br.from_votes(frame, **ROLES, cluster="voter"), seed=1)
    ranking = br.credible_ranking(posterior)
    for name in ("m0", "m1", "m2"):
        own = frame[(frame[["model_a", "model_b"]] == name).any(axis=1)]
        sided = own["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5})
        share = np.where(own["model_a"] == name, sided, 1 - sided).mean()
        assert ranking["win_rate"].sel(entity=name).item() == pytest.approx(share)
    group = posterior["posterior"]
    half = (group["strength"].sel(entity="m1") - group["strength"].sel(entity="m0")) / 2
    nu = group["nu"]
    wanted = ((np.exp(half) + nu / 2) / (np.exp(half) + np.exp(-half) + nu)).mean()
    assert ranking["win_against_leader"].sel(entity="m1").item() == pytest.approx(wanted.item())
    assert np.isnan(ranking["win_against_leader"].sel(entity="m0"))
    assert {"win_rate", "win_against_leader"} <= set(br.ranking_table(ranking))


def test_plans_are_in_voters_or_questions():
    frame = simulate(30, 20, 3, 9, strength=[0.3, 0.0, -0.3])
    for role, column, unit in (("cluster", "voter", "voters"), ("case", "voter", "questions")):
        plan = br.plan(
            br.fit(br.from_votes(frame, **ROLES, **{role: column}), seed=1), "strength", seed=1
        )
        assert plan.attrs["unit"] == unit
        assert unit in " ".join(br.verdict(plan))


def test_ties_both_bad_and_perfect_records_are_kept_apart():
    rows = [
        ("x", "y", "x"),
        ("x", "y", "tie"),
        ("x", "z", "tie (bothbad)"),
        ("y", "z", "y"),
        ("x", "z", "both_bad"),
    ]
    votes = br.from_votes(pd.DataFrame(rows, columns=list(ROLES.values())), **ROLES)
    assert ledger_of(votes).results == (("decided", 2.0), ("tie", 1.0), ("both bad", 2.0))
    said = " ".join(br.notes(br.credible_ranking(br.fit(votes, seed=1, draws=200))))
    assert (
        "Of 5 votes, 2 have a winner, 1 are ties and 2 call both bad. Both bad counts as a tie."
        in said
    )
    perfect = pd.DataFrame(
        [("x", "y", "x"), ("y", "z", "y"), ("z", "y", "y")], columns=list(ROLES.values())
    )
    found = codes_of(
        br.credible_ranking(br.fit(br.from_votes(perfect, **ROLES), seed=1, draws=200))
    )
    assert found["votes_perfect"] == {"won": ["x"], "lost": ["z"]}


@pytest.mark.parametrize(
    ("change", "roles", "message"),
    [
        ({"voter": None}, {"cluster": "voter"}, "row 0: voter must not be empty"),
        (
            {"longer": "long"},
            {"covariates": "longer"},
            "row 0: longer must be a number, the value of the first",
        ),
        ({"longer": 0}, {"covariates": ["longer"]}, "longer must differ from 0"),
        ({}, {"cluster": "question", "case": "question"}, "must name a different column"),
    ],
)
def test_bad_voters_and_covariates_are_refused(change, roles, message):
    frame = simulate(5, 4, 3, 1).assign(**change)
    with pytest.raises(ValueError, match=message):
        br.from_votes(frame, **ROLES, **roles)


def test_random_weights_have_no_pymc_graph_and_covariates_have_one():
    frame = simulate(10, 10, 3, 2).assign(longer=np.random.default_rng(0).standard_normal(100))
    with pytest.raises(ValueError, match="must contain no voters or questions"):
        br.to_pymc(br.from_votes(frame, **ROLES, cluster="voter"))
    graph = br.to_pymc(br.from_votes(frame, **ROLES, covariates="longer"))
    assert list(graph.named_vars_to_dims["coefficient"]) == ["covariate"]
    prior = groups_of(
        br.fit(br.from_votes(frame, **ROLES, cluster="voter"), seed=1, groups=["prior"])
    )["prior"]
    assert prior["strength"].std(("chain", "draw")).mean().item() == pytest.approx(
        2 * np.sqrt(2 / 3), rel=0.05
    )
    with pytest.raises(ValueError, match="prior"):
        br.fit(br.from_votes(frame, **ROLES, cluster="voter"), prior="flat", groups=["prior"])


@pytest.fixture
def battles(tmp_path):
    path = tmp_path / "votes.csv"
    simulate(40, 10, 3, 11, strength=[2.0, 0.0, -2.0], questions=30).to_csv(path, index=False)
    return path


def test_the_command_asks_for_voters_and_questions(battles):
    said = refused("rank", battles)
    assert "whether its columns voter and question name voters and questions" in said
    assert "(--cluster voter --case question if so, else --ignore voter --ignore question)" in said
    assert "column question names questions" in refused("rank", battles, "--cluster", "voter")
    said = invoke("rank", battles, "--cluster", "voter", "--case", "question")
    assert "40 voters, 30 questions" in said
    assert "win rate" in said
    assert "Read 400 votes" in invoke("rank", battles, "--ignore", "voter", "--ignore", "question")
    frame = pd.read_csv(battles)
    with pytest.raises(ValueError, match="cluster='voter', case='question' if so"):
        br.from_frame(frame)
    read = br.from_frame(frame.rename(columns={"voter": "cluster"}), case="question")
    other = br.from_votes(frame, **ROLES, cluster="voter", case="question")
    xr.testing.assert_equal(read, other)
    unique = frame.assign(question=range(400)).drop(columns="voter")
    assert "case" not in br.from_frame(unique).variables


def test_the_command_ranks_each_category(battles):
    frame = pd.read_csv(battles)
    language = np.where(np.arange(400) % 4 > 0, "en", "de")
    frame.assign(language=language).to_csv(battles, index=False)
    typed = ("--cluster", "voter", "--case", "question")
    said = invoke("rank", battles, *typed, "--by", "language")
    assert "language en (" in said
    assert said.index("All votes") < said.index("language en (") < said.index("language de (")
    alone = br.from_votes(frame[language == "de"], **ROLES, cluster="voter", case="question")
    ranking = br.credible_ranking(br.fit(alone, seed=1))
    row = next(
        line for line in said[said.index("language de (") :].splitlines() if line.startswith("m0 ")
    )
    assert row.split()[1] == f"{ranking['median'].sel(entity='m0').item():.3f}"
    assert "--by language ranks each category" in refused(
        "rank", battles, *typed, "--group", "language"
    )
    assert "--by language ranks each of its" in refused(
        "rank", battles, *typed, "--dataset-column", "language"
    )
    assert "at least two categories" in refused(
        "rank", battles, *typed, "--where", "language=de", "--by", "language"
    )


def test_the_command_prints_elo_ratings_and_coefficients(battles):
    frame = pd.read_csv(battles).drop(columns="question")
    frame.assign(longer=np.random.default_rng(1).standard_normal(400)).to_csv(battles, index=False)
    typed = ("--cluster", "voter", "--covariate", "longer", "--scale", "elo", "--anchor", "m1=1200")
    said = invoke("rank", battles, *typed)
    assert "by Elo rating" in said
    assert "1200 to 1200" in said
    assert "Effect on the log-odds of a win" in said
    board = json.loads(invoke("rank", battles, *typed, "--format", "board"))
    assert board["score"]["name"] == "elo"
    assert 0 < board["entities"][0]["win_rate"] < 1
    assert "win_against_leader" in board["definitions"]
    assert "needs --scale elo" in refused(
        "rank", battles, "--cluster", "voter", "--anchor", "m1=1200"
    )
    assert "cannot be used for evidence other than votes" in refused(
        "rank", "breast_cancer", "--scale", "elo"
    )
    assert "--at cannot be used for votes" in refused(
        "rank", battles, "--cluster", "voter", "--covariate", "longer", "--at", "longer=0"
    )


def test_draws_of_many_cells_are_those_of_few_within_a_hundredth_of_their_spread(monkeypatch):
    rng = np.random.default_rng(4)
    size = 600
    i = rng.integers(4, size=size)
    j = (i + rng.integers(1, 4, size=size)) % 4
    longer = rng.standard_normal(size)
    won = np.array(["a", "b", "tie"])[rng.choice(3, size, p=(0.5, 0.3, 0.2))]
    frame = pd.DataFrame(
        {"a": [f"m{k}" for k in i], "b": [f"m{k}" for k in j], "winner": won, "longer": longer}
    )
    frame = frame.assign(voter=rng.integers(60, size=size), question=rng.integers(40, size=size))
    for roles in ({"cluster": "voter"}, {"cluster": "voter", "case": "question"}):
        votes = br.from_votes(frame, a="a", b="b", winner="winner", covariates="longer", **roles)
        drawn = []
        for large in (10**6, 0):
            monkeypatch.setattr(voters, "LARGE", large)
            drawn.append(br.fit(votes, seed=1, draws=60)["posterior"])
        for name in ("strength", "coefficient", "nu"):
            one, other = (held[name] for held in drawn)
            assert (abs(one - other) < 0.05 * one.std(["chain", "draw"])).all(), name


@pytest.mark.parametrize(
    "roles", [{"cluster": "voter"}, {"cluster": "voter", "case": "question"}, {"case": "question"}]
)
def test_a_step_by_sums_of_voters_is_that_of_newtons_method_on_all_cells(roles):
    rng = np.random.default_rng(3)
    frame = simulate(15, 20, 4, 2, strength=[1.0, 0.0, 0.0, -1.0], questions=12)
    frame = frame.assign(
        longer=rng.standard_normal(300).round(1), fast=rng.integers(-2, 3, size=300)
    )
    votes = br.from_votes(frame, **ROLES, covariates=["longer", "fast"], **roles)
    shared = SharedTastes(votes).shared
    each, centre = shared._draw_weights(5, rng)
    drawn, start = shared._weigh(each), np.tile(shared.mode, (5, 1))
    slope = drawn.value_and_slope(start)[1] + centre * drawn.precision
    np.testing.assert_allclose(
        shared._step(each, centre), start + newton_steps(drawn, start, slope), rtol=1e-5, atol=1e-7
    )
    np.testing.assert_allclose(
        shared._add_slopes(shared._gather),
        shared._gather.T @ np.concatenate(slopes_of_votes(shared.pairs, shared.mode)),
        atol=1e-10,
    )


def test_several_judges_of_cases_in_clusters_are_worth_the_clusters():
    """Each case thrice, in a cluster of its own, says as much as once."""
    rng = np.random.default_rng(5)
    truth = rng.random(200) < 0.7
    frame = pd.DataFrame(
        {"case": range(200), "human": np.where(np.arange(200) < 80, truth, np.nan)}
    )
    for judge, right in (("one", 0.9), ("two", 0.8)):
        frame[judge] = np.where(rng.random(200) < right, truth, ~truth).astype(int)
    thrice = frame.loc[np.repeat(frame.index, 3)].assign(
        question=np.repeat(range(200), 3), case=range(600)
    )
    roles = {"judge": ["one", "two"], "truth": "human", "case": "case"}
    width = {}
    for name, held, more in (
        ("once", frame, {}),
        ("thrice", thrice.reset_index(drop=True), {"cluster": "question"}),
        ("ignored", thrice.reset_index(drop=True), {}),
    ):
        ranking = br.credible_ranking(br.fit(br.from_judged(held, **roles, **more), seed=1))
        width[name] = float((ranking["upper"] - ranking["lower"]).item())
    assert width["thrice"] == pytest.approx(width["once"], rel=0.1)
    assert width["ignored"] < 0.75 * width["once"]


def test_intervals_are_wider_where_votes_chose_the_pairs():
    """By the factor of the rank sets, beside Student's t; not of independent votes, whose posterior needs none."""
    rng = np.random.default_rng(4)
    near = np.repeat(
        [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (2, 4), (0, 4)], [90] * 4 + [9] * 4, axis=0
    )
    won = rng.random(len(near)) < 0.5
    frame = pd.DataFrame(
        {
            "a": [f"m{i}" for i in near[:, 0]],
            "b": [f"m{j}" for j in near[:, 1]],
            "w": np.where(won, "a", "b"),
            "voter": rng.integers(40, size=len(near)),
        }
    )
    names = {"a": "a", "b": "b", "winner": "w"}
    for roles in ({}, {"cluster": "voter"}):
        posterior = br.fit(br.from_votes(frame, **names, **roles), seed=1)
        ranking = br.credible_ranking(posterior)
        kind = parse_evidence(parse_source(posterior))
        factor = kind.pairing.factor
        assert factor > 1.1
        drawn = posterior["posterior"]["strength"]
        low, middle, high = (
            drawn.quantile(q, ["chain", "draw"]).sel(entity=ranking["entity"]).values
            for q in (0.025, 0.5, 0.975)
        )
        wanted = 1.0
        if roles:
            freedom = (
                posterior["observed_data"]["unit_freedom"].sel(entity=ranking["entity"]).values
            )
            wanted = kind.pairing.of_intervals * stats.t.ppf(0.975, freedom) / stats.norm.ppf(0.975)
        np.testing.assert_allclose((ranking["upper"] - ranking["median"]) / (high - middle), wanted)
        np.testing.assert_allclose((ranking["median"] - ranking["lower"]) / (middle - low), wanted)
        [note] = [n for n in notes_of(ranking.attrs["notes"]) if "percent" in n.fields]
        wider = 100 * (kind.pairing.of_intervals - 1) if roles else None
        assert note.fields["intervals"] == pytest.approx(wider)
        assert kind.pairing.of_intervals >= factor
        assert note.fields["percent"] == pytest.approx(100 * (factor - 1))


def weighted_frame(size=20):
    frame = simulate(size, 30, 4, 11, strength=[1.0, 0.4, 0.0, -0.5])
    return frame.assign(weight=np.where(frame["voter"] % 4 == 0, 5.0, 1.0))


def test_a_weight_of_a_voter_multiplies_its_votes():
    """Estimates are those of five times the votes; the scale of weights does not matter; cases are votes."""
    frame = weighted_frame()
    votes = br.from_votes(frame, **ROLES, cluster="voter", weight="weight")
    copies = br.from_votes(
        frame.assign(n=frame["weight"].astype(int)), **ROLES, cluster="voter", count="n"
    )
    w = frame["weight"].to_numpy()
    scale = w.sum() / (w**2).sum()
    np.testing.assert_allclose(votes["wins"], scale * copies["wins"], rtol=1e-6)
    assert votes["cases"].sum().item() == 2 * len(frame)
    flat = {"prior": "flat", "draws": 20, "seed": 1}
    found, wanted = (
        groups_of(br.fit(one, **flat))["observed_data"]["strength"] for one in (votes, copies)
    )
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    # Proper priors have the weight of one voter in both: only units differ.
    draws = [
        posterior_of(br.from_votes(held, **ROLES, cluster="voter", weight="weight"), draws=20)
        for held in (frame, frame.assign(weight=w * 8))
    ]
    np.testing.assert_array_equal(draws[0]["strength"], draws[1]["strength"])
    alike = br.from_votes(frame.assign(weight=3.0), **ROLES, cluster="voter", weight="weight")
    xr.testing.assert_equal(alike, br.from_votes(frame, **ROLES, cluster="voter"))


def test_the_spread_is_that_of_weighted_voters():
    """The sandwich of the weighted scores, by voter; weights leave fewer effective voters."""
    frame = weighted_frame(60)
    votes = br.from_votes(frame, **ROLES, cluster="voter", weight="weight")
    plain, found = (
        groups_of(br.fit(one, seed=1))
        for one in (br.from_votes(frame, **ROLES, cluster="voter"), votes)
    )
    freedom = [one["observed_data"]["unit_freedom"].values.min() for one in (plain, found)]
    ends = pd.concat([frame.assign(entity=frame[side]) for side in ("model_a", "model_b")])
    sizes = ends.groupby(["entity", "voter"])["weight"].sum().unstack(fill_value=0.0)
    assert freedom[1] == pytest.approx(min(unit_freedom(row)[0] for row in sizes.to_numpy()))
    assert freedom[1] < 0.75 * freedom[0]
    wide = [
        one["posterior"]["strength"].std(["chain", "draw"]).mean().item() for one in (plain, found)
    ]
    assert wide[1] > 1.15 * wide[0]
    ranking = br.credible_ranking(br.fit(votes, seed=1))
    fields = codes_of(ranking)["weighted_votes"]
    w = frame["weight"]
    assert fields["votes"] == len(frame)
    assert fields["effective"] == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-5)


def test_weights_of_votes_need_voters_or_questions(tmp_path):
    frame = weighted_frame()
    with pytest.raises(br.ArgumentError, match="weight must come with the voter or the question"):
        br.from_votes(frame, **ROLES, weight="weight")
    with pytest.raises(br.ArgumentError, match="finite numbers, 0 or more"):
        br.from_votes(frame.assign(weight=-1.0), **ROLES, cluster="voter", weight="weight")
    with pytest.raises(br.ArgumentError, match="weight must come with the voter or the question"):
        br.from_votes(frame.assign(j=frame["winner"]), **ROLES, judge="j", weight="weight")
    frame[["model_a", "model_b", "winner", "voter", "weight"]].to_csv(
        tmp_path / "v.csv", index=False
    )
    printed = invoke(
        "rank", tmp_path / "v.csv", "--cluster", "voter", "--weight", "weight", "--notes"
    )
    assert "weights of 600 votes are unequal" in " ".join(printed.split())
    read = br.from_frame(frame.drop(columns="question"), cluster="voter", weight="weight")
    xr.testing.assert_allclose(
        read["wins"], br.from_votes(frame, **ROLES, cluster="voter", weight="weight")["wins"]
    )
