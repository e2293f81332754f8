"""Costs of cases: the joint posterior of mean outcomes and mean costs, and probabilities of the Pareto front."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.decisions.fronts import on_front
from tests.commands import invoke, json_of, refused
from tests.evidence.test_formats import promptfoo


def answers(cases=60, seed=0):
    """Outcomes and costs of three entities, of which hard cases are wrong more often and cost more."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=cases)
    frames = []
    for name, level, price in (("a", 0.4, 1.0), ("b", 0.0, 0.8), ("c", -0.3, 0.9)):
        right = (rng.normal(size=cases) + level - hard > 0).astype(int)
        cost = price * np.exp(0.5 * hard + 0.3 * rng.normal(size=cases))
        frames.append(
            pd.DataFrame(
                {"entity": name, "case": range(cases), "outcome": right, "usd": cost.round(3)}
            )
        )
    return pd.concat(frames, ignore_index=True)


def test_the_front_is_that_of_a_double_loop():
    rng = np.random.default_rng(1)
    score, cost = (
        rng.integers(0, 4, (200, 6)).astype(float),
        rng.integers(0, 4, (200, 6)).astype(float),
    )
    score[rng.random(score.shape) < 0.1] = np.nan
    found = on_front(score, cost)
    for s, c, front in zip(score, cost, found, strict=True):
        for i in range(6):
            beaten = any(
                (s[j] >= s[i] and c[j] <= c[i]) and (s[j] > s[i] or c[j] < c[i]) for j in range(6)
            )
            assert front[i] == (not beaten)


@pytest.fixture(scope="module")
def bootstrap():
    """A posterior without prior, whose cost draws are those of the Bayesian bootstrap."""
    return br.fit(br.from_frame(answers(), cost="usd"), prior="haldane", seed=3, draws=3000)


def test_probabilities_are_those_of_bootstraps(bootstrap):
    wide = answers().pivot(index="case", columns="entity")
    weight = np.random.default_rng(2).dirichlet(np.ones(len(wide)), 10_000)
    expected = on_front(
        weight @ wide["outcome"].to_numpy(float), weight @ wide["usd"].to_numpy(float)
    ).mean(0)
    front = br.decisions.pareto_front(bootstrap)
    error = np.sqrt(
        expected * (1 - expected) / len(weight) + front["probability_front_error"].values ** 2
    )
    assert (np.abs(front["probability_front"].values - expected) < 4 * error).all()
    assert ((expected > 0.02) & (expected < 0.98)).any()


def test_few_costs_have_a_note():
    for cases in (49, 50):
        fit = br.fit(br.from_frame(answers(cases), cost="usd"), seed=1, draws=50)
        notes = "\n".join(br.notes(br.decisions.pareto_front(fit)))
        assert (f"Only {cases} cases or clusters: with fewer" in notes) == (cases < 50)


def test_outcomes_and_costs_share_the_weights_of_the_cases(bootstrap):
    draws = groups_of(bootstrap)["posterior"]
    for name, own in answers().groupby("entity"):
        y, c = own["outcome"].to_numpy(float), own["usd"].to_numpy(float)
        outcome, cost = (
            draws[v].sel(entity=name).values.ravel() for v in ("mean_outcome", "mean_cost")
        )
        scale = len(y) * (len(y) + 1)
        variance = ((c - c.mean()) ** 2).sum() / scale
        assert cost.mean() == pytest.approx(c.mean(), abs=5 * np.sqrt(variance / cost.size))
        assert cost.var() == pytest.approx(variance, rel=0.08)
        covariance = ((y - y.mean()) * (c - c.mean())).sum() / scale
        spread = np.sqrt(variance * outcome.var() / cost.size)
        assert np.cov(outcome, cost)[0, 1] == pytest.approx(covariance, abs=5 * spread)


def test_a_prior_of_outcomes_leaves_costs_as_they_are():
    frame = answers(20)
    evidence = br.from_frame(frame, cost="usd")
    fits = [br.fit(evidence, prior=prior, seed=1, groups=["prior"]) for prior in (None, 1.0)]
    for fit in fits:
        front = br.decisions.pareto_front(fit)
        assert np.allclose(
            front["cost"].values, frame.groupby("entity")["usd"].mean().values, atol=0.02
        )
    plain = br.fit(br.from_frame(frame.drop(columns="usd")), seed=1)
    ranked, other = (br.credible_ranking(fit)["median"].values for fit in (fits[0], plain))
    assert np.allclose(ranked, other, atol=0.02)


@pytest.mark.parametrize("how", ["plain", "runs", "clusters", "missing", "graded", "datasets"])
def test_observed_costs_are_means_over_the_known_cases(how):
    frame, options = answers(), {}
    if how == "runs":
        frame = frame.assign(run=frame["case"] % 3, case=frame["case"] // 3)
    if how == "clusters":
        frame = frame.assign(cluster=frame["case"] // 5)
    if how == "missing":
        frame.loc[3, "outcome"], frame.loc[70, "usd"] = np.nan, np.nan
        options = {"missing": "own"}
    if how == "graded":
        frame["outcome"] = frame["outcome"] + frame["usd"] / 7
    if how == "datasets":
        frame = frame.assign(dataset=np.where(frame["case"] < 30, "x", "y"))
    evidence = br.from_frame(frame, cost="usd", **options)
    evidence = br.pool(evidence) if how == "datasets" else evidence
    front = br.decisions.pareto_front(br.fit(evidence, seed=1, draws=200))
    expected = frame.groupby("entity")["usd"].mean()
    spread = frame.groupby("entity")["usd"].std() / np.sqrt(20 if how == "runs" else 60)
    assert (np.abs(front["cost"].values - expected.values) < 0.3 * spread.values).all()
    assert (front["undefined"] == 0).all()


@pytest.mark.parametrize("logs", [False, True])
def test_the_command_has_the_numbers_of_python(logs, tmp_path):
    path, picture = tmp_path / "answers.csv", tmp_path / "front.svg"
    if logs:
        for name, own in answers().groupby("entity"):
            promptfoo(tmp_path / "logs", name, own["outcome"], costs=own["usd"])
        path, frame = tmp_path / "logs", br.read(tmp_path / "logs", only={"metric": "success"})
        options = "--only", "metric=success", "--cost", "cost"
    else:
        answers().to_csv(path, index=False)
        frame, options = pd.read_csv(path), ("--cost", "usd")
    evidence = br.from_frame(frame, cost=options[-1])
    found = json_of("rank", path, *options, "--seed", 5, "--picture", picture)
    front = br.decisions.pareto_front(br.fit(br.pool(evidence) if logs else evidence, seed=5))
    shown = {row["entity"]: row for row in found["ranking"]}
    for name in "abc":
        one = front.sel(entity=name)
        assert shown[name]["probability_front"] == pytest.approx(float(one["probability_front"]))
        assert shown[name]["mean_cost"] == pytest.approx(float(one["cost"]))
    assert "<svg" in picture.read_text()
    table = invoke("rank", path, *options)
    assert "P(front)" in table
    assert "On the Pareto front of mean outcome and cost" in table


def test_known_prices_need_no_draws():
    scores = xr.DataArray(
        np.random.default_rng(0).normal([0.6, 0.5, 0.4], 0.1, (4000, 3)), dims=("draw", "entity")
    )
    prices = xr.DataArray([3.0, 2.0, 2.5], dims="entity")
    front = br.decisions.pareto_front(scores, cost=prices)
    beats_both = (scores.values[:, 2] > scores.values[:, 1]).mean()
    assert front["probability_front"].values == pytest.approx(
        [(scores.values[:, 0] > scores.values[:, 1:].max(1)).mean(), 1, beats_both]
    )
    low = br.decisions.pareto_front(scores, cost=prices, higher_is_better=False)
    lowest = (scores.values[:, 0] < scores.values[:, 1:].min(1)).mean()
    assert low["probability_front"].values[0] == pytest.approx(lowest)


def test_the_report_shows_costs_and_categories(tmp_path):
    frame, path, page = answers(12), tmp_path / "answers.csv", tmp_path / "page.html"
    frame.assign(category=(frame["case"] % 2).map({0: "law", 1: "art"})).to_csv(path, index=False)
    options = ("report", path, "-o", page, "--draws", 50)
    invoke(*options, "--cost", "usd", "--by", "category")
    text = page.read_text()
    for words in (
        'id="costs"',
        "P(on the front)",
        'id="categories"',
        "Mean over 2 categories",
        "category law",
    ):
        assert words in text
    assert "--with categories needs --by COLUMN" in refused(*options, "--with", "categories")
    assert "--dataset cannot be used with --by" in refused(
        *options, "--by", "category", "--dataset", "law"
    )
