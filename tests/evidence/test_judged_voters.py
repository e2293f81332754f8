"""Votes of judges beside those of people who share voters or questions: known answers and an independent estimate."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.optimize import minimize

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.source import groups_of, parse_source
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.evidence.units import unit_freedom
from bayesrank.models.davidson import JudgedTastes, JudgedVotes, SharedTastes
from bayesrank.models.parts.battles import SPREADS
from bayesrank.models.parts.completed import _votes_of_a_unit
from bayesrank.models.parts.pairs import Pairs
from bayesrank.models.parts.voters import newton_steps
from tests.commands import invoke, refused

PEOPLE = {"a": "model_a", "b": "model_b", "winner": "winner"}
ROLES = PEOPLE | {"judge": "gpt"}


def simulate(voters, each, seed, labelled=0.4, entities=4, taste=1.0, strength=None):
    """Votes of voters with tastes; ``labelled`` voters show theirs, and a judge errs in 30% of all."""
    rng = np.random.default_rng(seed)
    strength = np.zeros(entities) if strength is None else np.asarray(strength)
    voter = np.repeat(np.arange(voters), each)
    size = len(voter)
    one = rng.integers(entities, size=size)
    other = (one + rng.integers(1, entities, size=size)) % entities
    own = strength + taste * rng.standard_normal((voters, entities))
    half = (own[voter, one] - own[voter, other]) / 2
    chance = np.stack([np.exp(half), np.exp(-half), np.full(size, 0.5)], axis=1).cumsum(axis=1)
    said = (rng.random((size, 1)) * chance[:, -1:] > chance).sum(axis=1)
    judged = np.where(rng.random(size) < 0.3, rng.integers(3, size=size), said)
    words, names = (
        np.array(["model_a", "model_b", "tie"]),
        np.array([f"m{i}" for i in range(entities)]),
    )
    known = rng.permutation(voters)[voter] < labelled * voters
    return pd.DataFrame(
        {
            "model_a": names[one],
            "model_b": names[other],
            "winner": np.where(known, words[said], None),
            "gpt": words[judged],
            "voter": voter,
            "question": rng.integers(30, size=size),
            "longer": rng.normal(size=size).round(1),
        }
    )


def shared_of(frame, **roles):
    return JudgedTastes(br.from_votes(frame, **ROLES, **roles)).shared


def test_votes_of_a_unit_are_a_mean_over_votes_on_one_pair():
    """Two voters vote on two of the six pairs of four entities: 3 and 1 times, 5 and 2 times."""
    battles = SimpleNamespace(first=np.zeros(4, int), second=np.array([1, 1, 3, 3]), entities=4)
    row, number, voter = np.arange(4), np.array([3.0, 1.0, 5.0, 2.0]), np.array([0, 1, 0, 1])
    assert _votes_of_a_unit(battles, row, number, {}) == 1
    found = _votes_of_a_unit(battles, row, number, {"voter": voter, "question": row})
    assert found == pytest.approx((9 + 1 + 25 + 4) / 11)


@pytest.mark.parametrize(
    "roles",
    [
        {"cluster": "voter"},
        {"case": "question"},
        {"cluster": "voter", "case": "question", "covariates": "longer"},
    ],
)
def test_where_people_voted_on_all_the_judge_adds_nothing(roles):
    frame = simulate(30, 12, 1, labelled=1.0)
    own, alone = (
        shared_of(frame, **roles),
        SharedTastes(br.from_votes(frame, **PEOPLE, **roles)).shared,
    )
    np.testing.assert_allclose(own.mode, alone.mode, atol=1e-7)
    np.testing.assert_allclose(own.covariance, alone.covariance, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(own.freedom, alone.freedom)
    assert own.prior_weight == pytest.approx(alone.prior_weight)
    assert own.corrections == pytest.approx(alone.corrections)


@pytest.mark.slow
def test_votes_that_are_three_times_in_a_cluster_are_worth_one():
    frame = simulate(40, 12, 2).assign(voter=range(480))
    thrice = frame.loc[np.repeat(frame.index, 3)].reset_index(drop=True)
    once, more = (shared_of(held, cluster="voter") for held in (frame, thrice))
    np.testing.assert_allclose(more.mode, once.mode, atol=1e-5)
    np.testing.assert_allclose(more.covariance, once.covariance, rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(more.freedom, once.freedom)
    assert (once.prior_weight, more.prior_weight) == (1.0, 3.0)
    widths = [
        float((ranking["upper"] - ranking["lower"]).mean())
        for ranking in (
            br.credible_ranking(br.fit(br.from_votes(held, **ROLES, **roles), seed=1, draws=250))
            for held, roles in (
                (frame, {"cluster": "voter"}),
                (thrice, {"cluster": "voter"}),
                (thrice, {}),
            )
        )
    ]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)
    assert widths[2] < 0.75 * widths[0]


def test_a_vote_of_a_judge_alone_has_a_voter_of_its_own():
    frame = simulate(40, 12, 2).assign(voter=range(480))
    empty = frame.assign(voter=frame["voter"].astype(object).where(frame["winner"].notna(), None))
    named, own = (shared_of(held, cluster="voter") for held in (frame, empty))
    assert own.own.any()
    assert not named.own.any()
    np.testing.assert_allclose(own.covariance, named.covariance, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(own.freedom, named.freedom)
    drawn = [held.sample(2000, np.random.default_rng(1)).std(axis=0) for held in (own, named)]
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=0.08)
    read = br.from_votes(empty, **ROLES, cluster="voter")
    assert dict(read.sizes)["battle"] < 480


def independent_strengths(frame, battles, weight):
    """Strengths by two steps with weights of the rows: predict the votes of people, then complete and maximise."""
    names = sorted({*frame["model_a"], *frame["model_b"]})
    size = len(names)
    i, j = (np.array([names.index(x) for x in frame[side]]) for side in ("model_a", "model_b"))
    words = ["model_a", "model_b", "tie"]
    said = np.array([words.index(w) if isinstance(w, str) else 3 for w in frame["winner"]])
    vote = np.array([words.index(w) for w in frame["gpt"]])
    spread = SPREADS[int(np.argmax(battles.posterior_of_spread))]
    sign, tied = np.array([1, -1, 0])[vote], (vote == 2).astype(int)
    ahead = battles.strengths[:, 0][i] - battles.strengths[:, 0][j]

    def log_shares(half, log_nu):
        parts = np.stack([half, -half, log_nu])
        return parts - np.logaddexp.reduce(parts, axis=0)

    def halves(theta):
        strength, beta, kappa, log_nu = (
            theta[:size],
            theta[size],
            theta[size + 1],
            theta[size + 2 :],
        )
        return log_shares(
            (strength[i] - strength[j] + kappa * ahead) / 2 + sign * beta, log_nu[tied]
        )

    def of_people(theta):
        known = said < 3
        likelihood = weight[known] @ halves(theta)[:, known][said[known], np.arange(known.sum())]
        return (
            -likelihood / battles.repeats
            + (theta[:size] ** 2).sum() / spread**2 / 2
            + battles.precision * (theta[size:] ** 2).sum() / 2
        )

    predicted = minimize(of_people, np.zeros(size + 4), method="BFGS", options={"gtol": 1e-9}).x
    results = np.where(said < 3, np.eye(4)[said].T[:3], np.exp(halves(predicted))) * weight

    def of_all(theta):
        log = log_shares((theta[i] - theta[j]) / 2, np.full(len(i), theta[size]))
        return -(results * log).sum() + precision * (theta**2).sum() / 2

    completed = shared_of(frame, cluster="voter")
    precision = float(completed.weighted.precision)
    return minimize(of_all, np.zeros(size + 1), method="BFGS", options={"gtol": 1e-9}).x[:size]


def test_the_weight_of_a_voter_moves_strengths_as_an_independent_estimate_says():
    """Both steps count: the votes that a voter shows teach how the judge errs about the others."""
    frame = simulate(20, 12, 5, labelled=0.5, entities=3, strength=[1.0, 0.0, -0.5])
    shared = shared_of(frame, cluster="voter")
    ones = np.ones(len(frame))
    found = independent_strengths(frame, shared.battles, ones)
    np.testing.assert_allclose(shared.pairs.split(shared.mode[None])[0][0], found, atol=1e-4)
    moved = shared._sums(shared.codes[0]) @ shared.inverse @ np.eye(len(shared.mode))
    own = moved[:, :2] @ shared.pairs.basis.T  # (voter, entity)
    step, seen, some = 0.02, [], (4, 8)
    for voter in some:
        off = step * (frame["voter"].to_numpy() == voter)
        up, down = (
            independent_strengths(frame, shared.battles, ones + side * off) for side in (1, -1)
        )
        seen.append((up - down) / (2 * step))
    order = sorted(map(repr, range(20)))
    own = own[[order.index(repr(voter)) for voter in some]]
    np.testing.assert_allclose(own, seen, atol=2e-3)
    assert np.abs(seen).max() > 0.05


def test_draws_have_the_covariance_between_units():
    frame = simulate(60, 15, 4)
    for roles in ({"cluster": "voter"}, {"cluster": "voter", "case": "question"}):
        shared = shared_of(frame, **roles)
        drawn = shared.sample(1500, np.random.default_rng(2))
        np.testing.assert_allclose(
            drawn.std(axis=0)[:3], np.sqrt(np.diag(shared.covariance))[:3], rtol=0.12
        )
        # Voters share tastes, so independent votes vary less.
        assert np.diag(shared.covariance)[:3].sum() > 1.5 * np.diag(shared.alone)[:3].sum()


def test_the_effective_number_is_that_of_voters_who_show_their_votes():
    frame = simulate(40, 12, 6, labelled=0.25)
    posterior = br.fit(br.from_votes(frame, **ROLES, cluster="voter"), seed=1, draws=100)
    kind = parse_evidence(parse_source(posterior))
    known = frame[frame["winner"].notna()]
    for name, own in zip(kind.entities, kind.units.freedom, strict=True):
        here = known[(known["model_a"] == name) | (known["model_b"] == name)]
        assert own == pytest.approx(unit_freedom(here.groupby("voter").size().to_numpy(float))[0])
    assert kind.units.number.max() <= 10


@pytest.mark.parametrize("roles", [{"cluster": "voter"}, {"cluster": "voter", "case": "question"}])
def test_every_rank_is_possible_with_one_voter(roles):
    frame = simulate(1, 200, 1, strength=[2.0, 0.0, -1.0, -2.0], labelled=2.0)
    known = frame.assign(winner=frame["winner"].where(frame.index % 2 == 0, None))
    for names, held in ((PEOPLE, frame), (ROLES, known)):
        ranking = br.credible_ranking(
            br.fit(br.from_votes(held, **names, **roles), seed=1, draws=100)
        )
        assert ranking["median"].notnull().all()
        assert (ranking["rank_upper"] - ranking["rank_lower"] == 3).all()
        assert ranking[["lower", "upper"]].to_array().isnull().all()
        assert ranking.attrs["headline"] == "leads"


def test_entities_without_a_vote_of_a_person_do_not_withhold_the_others():
    frame = simulate(80, 20, 3, labelled=0.5, strength=[2.0, 0.0, -2.0, 0.0])
    of_last = (frame["model_a"] == "m3") | (frame["model_b"] == "m3")
    frame = frame.assign(winner=frame["winner"].where(~of_last, None))
    votes = br.from_votes(frame, **ROLES, cluster="voter")
    ranking = br.credible_ranking(br.fit(votes, seed=1, draws=250))
    above = ranking["surely_above"].sel(rival=["m0", "m1", "m2"])
    assert above.sel(entity="m0", rival="m2").item()
    assert not ranking["surely_above"].sel(entity="m3").any()
    codes = [note.code for note in notes_of(ranking.attrs["notes"])]
    assert "entities_without_labels" in codes


def test_rows_in_another_order_give_the_same_draws():
    frame = simulate(12, 10, 7)
    roles = {"cluster": "voter", "case": "question", "covariates": "longer"}

    def draw(held):
        return groups_of(br.fit(br.from_votes(held, **ROLES, **roles), seed=1, draws=20))[
            "posterior"
        ]

    found = draw(frame)
    turned = {"model_a": "model_b", "model_b": "model_a"}
    moved = frame.sample(frac=1, random_state=1).rename(columns=turned)
    moved = moved.assign(
        winner=moved["winner"].replace(turned),
        gpt=moved["gpt"].replace(turned),
        longer=-moved["longer"],
    )
    xr.testing.assert_allclose(draw(moved).sel(entity=found["entity"]), found, rtol=1e-5, atol=1e-7)


def test_a_newton_step_solves_the_equations_where_ties_differ_between_levels():
    rng = np.random.default_rng(1)
    first, second = (np.repeat(ends, 2) for ends in np.triu_indices(3, 1))
    votes = 4 * rng.standard_exponential((3, 6, 2))
    pairs = Pairs(
        3,
        first,
        second,
        *votes,
        0.25,
        rng.standard_normal((6, 1)),
        np.array([0, 1, 0, 1, 1, 0]),
    )
    theta = rng.standard_normal((2, pairs.size))
    slope = pairs.value_and_slope(theta)[1]
    steps = newton_steps(pairs, theta, slope)
    for k in range(2):
        one = replace(pairs, wins=votes[0, :, k], losses=votes[1, :, k], ties=votes[2, :, k])
        np.testing.assert_allclose(
            steps[k], np.linalg.solve(one.curvature(theta[k]), slope[k]), rtol=1e-8
        )


@pytest.mark.slow
def test_a_bias_for_length_of_people_is_estimated_beside_a_judge():
    """Strengths are equal, and answers of m0 are longer; the judge votes as people do, without a taste for length."""
    rng = np.random.default_rng(8)
    frame = simulate(60, 20, 9, labelled=0.4, taste=0.0, entities=3)
    longer = rng.integers(-1, 2, size=len(frame)) + 1.0 * (frame["model_a"] == "m0")
    longer = longer - (frame["model_b"] == "m0")
    won = rng.random(len(frame)) < 1 / (1 + np.exp(-longer))
    said = np.where(won, "model_a", "model_b")
    frame = frame.assign(
        longer=longer, winner=np.where(frame["winner"].notna(), said, None), gpt=frame["gpt"]
    )
    for roles in ({}, {"cluster": "voter"}):
        votes = br.from_votes(frame, **ROLES, covariates="longer", **roles)
        held = groups_of(br.fit(votes, seed=1, draws=150))["posterior"]
        drawn = held["coefficient"].sel(covariate="longer")
        assert abs(drawn.mean() - 1.0) < 2.5 * drawn.std()
        strength = held["strength"]
        assert (abs(strength.mean(["chain", "draw"])) < 3 * strength.std(["chain", "draw"])).all()
        without = groups_of(br.fit(votes.drop_vars("covariate_longer"), seed=1, draws=150))
        assert without["posterior"]["strength"].sel(entity="m0").mean() > 0.4


def test_models_are_chosen_by_the_evidence():
    frame = simulate(10, 10, 1)
    assert type(shared_of(frame, case="question")).__name__ == "CompletedVotes"
    assert JudgedVotes.taking(br.from_votes(frame, **ROLES)) is JudgedVotes
    votes = br.from_votes(frame, **ROLES, cluster="voter")
    assert JudgedVotes.taking(votes) is JudgedTastes
    with pytest.raises(ValueError, match="NUTS or a PyMC graph"):
        br.to_pymc(votes)


def test_a_voter_is_needed_where_a_person_voted():
    frame = simulate(10, 10, 1, labelled=1.0)
    frame["voter"] = frame["voter"].astype(object)
    frame.loc[3, "voter"] = None
    with pytest.raises(ValueError, match="row 3: voter must not be empty"):
        br.from_votes(frame, **ROLES, cluster="voter")
    frame.loc[3, "winner"] = None
    assert "" in br.from_votes(frame, **ROLES, cluster="voter")["cluster"].values


def test_the_command_takes_voters_and_questions_beside_a_judge(tmp_path):
    path = tmp_path / "judged.csv"
    frame = simulate(40, 12, 11, strength=[2.0, 0.0, 0.0, -2.0]).round({"longer": 0})
    frame = frame.assign(language=np.where(frame["question"] % 2 == 0, "en", "de"))
    frame["voter"] = frame["voter"].astype(object).where(frame["winner"].notna(), None)
    frame.to_csv(path, index=False)
    truth = ("--truth", "winner", "--judge", "gpt", "--draws", "100")
    assert "whether its columns voter and question name" in refused("rank", path, *truth)
    units = ("--cluster", "voter", "--case", "question")
    said = invoke("rank", path, *truth, *units, "--covariate", "longer")
    assert "16 voters, 30 questions, covariate longer" in said
    assert "strength" in said
    by = invoke("rank", path, *truth, *units, "--by", "language")
    assert "language en (" in by
    assert "language de (" in by
    assert "more voters and questions" in invoke("plan", path, *truth, *units)
