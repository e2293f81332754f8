"""Hierarchical logit-normal: density, limits and pieces against known answers, another sampler, calibration."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import optimize, special, stats

import bayesrank as br
from bayesrank._core.random import Block, root_sequence
from bayesrank._core.source import groups_of
from bayesrank.models import make_model
from bayesrank.models.parts.logit_normal_likelihood import (
    INNER,
    OUTER,
    SINGLE,
    log_likelihoods,
    nodes_of,
)
from bayesrank.models.parts.logit_normal_tables import table_data
from bayesrank.models.parts.normal_logits import (
    between,
    empirical_logits,
    factor_of,
    identified_terms,
)
from tests.scripts import load_script
from tests.strategies import right_of

NAME = "hierarchical_logit_normal"


@pytest.fixture(scope="module")
def measure():
    """The sampler of many meta-analyses, which the documentation's numbers come from."""
    return load_script("scripts/measure_meta_analysis.py")


def tables(entities=1, datasets=15, seed=7, rho=-0.5):
    """Counts of entities that all met the same data sets."""
    rng = np.random.default_rng(seed)
    factor = np.linalg.cholesky([[1, rho], [rho, 1]])
    hard = rng.normal(size=(datasets, 2)) * 0.6
    logits = (
        rng.normal([1.8, 1.0], 0.4, (entities, 1, 2))
        - hard
        + 0.7 * rng.normal(size=(entities, datasets, 2)) @ factor.T
    )
    cases = np.stack([rng.integers(30, 200, datasets), rng.integers(15, 120, datasets)], -1)
    right = rng.binomial(cases, special.expit(logits))
    return counted(right, cases)


def counted(right, cases):
    """Counts from right answers (entity, data set, row) of as many cases (data set, row)."""
    entities, datasets, _ = right.shape
    (tn, tp), (fp, fn) = right.reshape(-1, 2).T, (cases - right).reshape(-1, 2).T
    names = np.repeat([f"e{i}" for i in range(entities)], datasets)
    return br.from_counts(
        tn=tn, fp=fp, fn=fn, tp=tp, entity=names, dataset=list(range(datasets)) * entities
    )


def fit(counts, draws=300, **options):
    """A short run."""
    options.setdefault("seed", 1)
    return br.fit(counts, NAME, draws=draws, chains=2, **options)


# --- Pieces -------------------------------------------------------------------------------------------------------


def terms_by_matrices(pairs):
    """The terms that a design identifies, by projections of the two variance components."""
    entity, dataset = pairs.T
    x, z = np.eye(entity.max() + 1)[entity], np.eye(dataset.max() + 1)[dataset]
    p = np.eye(len(pairs)) - x @ np.linalg.pinv(x)
    a = p @ z @ z.T @ p
    if abs(p).max() < 1e-9:
        return ()
    return (
        ("deviations",)
        if abs(a - np.vdot(a, p) / np.vdot(p, p) * p).max() < 1e-9
        else ("difficulty", "deviations")
    )


def test_a_design_identifies_the_terms_of_its_matrices():
    rng = np.random.default_rng(1)
    found = []
    while len(found) < 300:
        design = rng.random(rng.integers(1, 5, 2)) < rng.choice([0.3, 0.6, 0.9])
        if design.any():
            found.append(identified_terms(np.argwhere(design)))
            assert found[-1] == terms_by_matrices(np.argwhere(design)), design
    assert len(set(found)) == 3


def test_the_variance_between_data_sets_is_by_moments():
    """DerSimonian and Laird's formula, written out for one entity; of two it is a mean of theirs by their scales."""
    logit, information = np.array([0.2, 1.5, -0.3, 2.0, 1.0]), np.array([3.0, 8.0, 5.0, 9.0, 0.0])
    mean, variance = between(logit, information, np.zeros(5, int))
    centre = (logit * information).sum() / information.sum()
    q = (information * (logit - centre) ** 2).sum()
    wanted = (q - 3) / (information.sum() - (information**2).sum() / information.sum())
    assert (mean.item(), variance) == pytest.approx((centre, wanted))
    twice = between(np.tile(logit, 2), np.tile(information, 2), np.repeat([0, 1], 5))
    assert (twice[0].tolist(), twice[1]) == (pytest.approx([centre] * 2), pytest.approx(wanted))
    assert between(logit[:1], information[:1], np.zeros(1, int))[1] == pytest.approx(0.01)
    value, told = empirical_logits(np.array([3]), np.array([9]))
    assert (value.item(), told.item()) == pytest.approx(
        (np.log(3.5 / 6.5), 1 / (1 / 3.5 + 1 / 6.5))
    )


def binomial_evidence(right, cases, mean, factor):
    """Return the log probability (draw) of one table with normal logits, by the kernel of the likelihood."""
    rows, spreads = cases.size, np.zeros((len(mean), 2, 3))
    spreads[:, 0, 0] = factor[:, 0, 0]
    if rows == 2:
        spreads[:, 0, 1:] = factor[:, 1]
    data, centre = np.zeros((4, 2)), np.zeros((len(mean), 1, 2))
    data[:, :rows] = [*empirical_logits(right, cases), right, cases]
    centre[:, 0, :rows] = mean
    nodes = [nodes_of(n) for n in (SINGLE, OUTER, INNER)]
    found = log_likelihoods(
        centre, spreads, False, 1, np.array([[0, 0]]), data.reshape(1, 8), *nodes
    )[:, 0]
    orders = (
        special.gammaln(cases + 1) - special.gammaln(right + 1) - special.gammaln(cases - right + 1)
    )
    return found + orders.sum()


def test_a_table_that_the_draw_excludes_has_its_probability():
    """The narrow prior is far from 50,000 of 100,000, while the wide one of the other row is not."""
    mean, sd = np.array([-2.5, 2.3]), np.array([5.5, 0.028])
    found = binomial_evidence(
        np.array([2, 50_000]), np.array([5, 100_000]), mean[None], np.diag(sd)[None]
    )
    x, total = np.linspace(-40, 40, 400_001), 0.0
    for right, cases, m, s in ((2, 5, mean[0], sd[0]), (50_000, 100_000, mean[1], sd[1])):
        log = stats.binom.logpmf(right, cases, special.expit(x)) + stats.norm.logpdf(x, m, s)
        total += special.logsumexp(log) + np.log(x[1] - x[0])
    assert found.item() == pytest.approx(total, abs=0.02)


def test_the_probability_of_a_table_is_an_integral():
    mean, sd, rho = np.array([1.0, -0.5]), np.array([0.8, 1.5]), -0.4
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    x, y = np.meshgrid(nodes, nodes)
    rates = special.expit(mean + sd * np.stack([x, rho * x + np.sqrt(1 - rho**2) * y], -1))
    mass = np.outer(weights, weights) / (2 * np.pi)
    for right, cases in (
        ((7, 3), (10, 12)),
        ((0, 4), (6, 4)),
        ((200, 0), (230, 0)),
        ((0, 0), (900, 3)),
    ):
        wanted = (mass * stats.binom(cases, rates).pmf(right).prod(-1)).sum()
        factor = factor_of(sd[None], np.array([(rho + 1) / 2]))
        found = binomial_evidence(np.array(right), np.array(cases), mean[None], factor)
        assert np.exp(found).item() == pytest.approx(wanted, rel=2e-3)


def test_probabilities_of_all_tables_are_one():
    cases, mean = np.array([4, 3]), np.array([[2.0, -1.0], [6.0, 9.0]])
    factor = factor_of(np.full((2, 2), 1.5), np.array([0.75, 0.05]))
    total = sum(
        np.exp(binomial_evidence(np.array([a, b]), cases, mean, factor))
        for a in range(5)
        for b in range(4)
    )
    assert total == pytest.approx([1, 1], abs=2e-4)
    one = np.array([[0.3]])
    alone = [binomial_evidence(np.array([x]), np.array([6]), one, 2 * one[None]) for x in range(7)]
    assert np.exp(alone).sum() == pytest.approx(1, abs=1e-4)


# --- The density --------------------------------------------------------------------------------------------------


def plain_log_density(story, mu, hard, logits, sd, half):
    """Of all that is unknown, with the density of rates for medians, and of the counts."""
    alpha = story.alpha
    found = stats.beta(alpha[..., 0], alpha[..., 1]).logpdf(special.expit(mu)).sum()
    entity, dataset = story.pairs.T
    for name in story.terms:
        found += stats.halfnorm(scale=story.spread).logpdf(sd[name]).sum() + stats.beta(
            2, 2
        ).logpdf(half[name])
        rho = 2 * half[name] - 1
        covariance = np.outer(sd[name], sd[name]) * [[1, rho], [rho, 1]]
        off = hard if name == "difficulty" else logits - (mu[entity] - hard[dataset])
        found += stats.multivariate_normal(np.zeros(2), covariance).logpdf(off).sum()
    return found + stats.binom(story.cases, special.expit(logits)).logpmf(story.hits).sum()


@pytest.mark.parametrize("entities", [1, 3])
def test_the_density_of_the_graph_is_that_of_the_model(entities):
    """Differences of log densities between points; those of the graph are of standard normal variables."""
    counts = tables(entities, 4)
    if entities == 3:
        counts.loc[{"dataset": 2, "actual": "positive"}] = 0
    story = make_model(NAME, counts, {"prior": 2.0, "spread": 0.7})
    model = story.build()
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(4):
        mu, change = rng.normal(size=(entities, 2)), 0.0
        point = {"median_right_logodds__": mu}
        sd, half, effects = {}, {}, {"difficulty": np.zeros((4, 2))}
        for name in story.terms:
            sd[name], half[name] = rng.uniform(0.2, 1.5, 2), rng.uniform(0.1, 0.9)
            point[f"sd_of_{name}_log__"] = np.log(sd[name])
            point[f"half_of_{name}_logodds__"] = special.logit(half[name])
            rho = 2 * half[name] - 1
            factor = np.linalg.cholesky(np.outer(sd[name], sd[name]) * [[1, rho], [rho, 1]])
            point[f"standard_{name}"] = z = rng.normal(
                size=(4 if name == "difficulty" else len(story.pairs), 2)
            )
            effects[name] = z @ factor.T
            change += len(z) * np.log(np.diag(factor)).sum()
        entity, dataset = story.pairs.T
        logits = mu[entity] - effects["difficulty"][dataset] + effects["deviations"]
        wanted = plain_log_density(story, mu, effects["difficulty"], logits, sd, half)
        gaps.append(float(logp(point)) - wanted - change)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-7)


# --- Fits ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def one():
    return fit(tables(), draws=600, groups=["log_likelihood"])


@pytest.fixture(scope="module")
def three():
    """No positives on data set 0, e2 was not on data set 1, and e1 never fires."""
    counts = tables(3, 8)
    counts.loc[{"dataset": 0, "actual": "positive"}] = 0
    counts.loc[{"entity": "e2", "dataset": 1}] = 0
    counts["measured"].loc[{"entity": "e2", "dataset": 1}] = False
    counts.loc[{"entity": "e1", "predicted": "negative"}] += counts.loc[
        {"entity": "e1", "predicted": "positive"}
    ]
    counts.loc[{"entity": "e1", "predicted": "positive"}] = 0
    return fit(counts, groups=["posterior_predictive", "prior", "prior_predictive"])


def assert_same_moments(ours, other, effective):
    """Means and standard deviations alike, within five Monte-Carlo errors of draws worth ``effective``."""
    error = np.hypot(ours.std(0) / np.sqrt(effective), other.std(0) / np.sqrt(effective))
    assert (abs(ours.mean(0) - other.mean(0)) < 5 * error).all()
    assert (abs(np.log(ours.std(0) / other.std(0))) < 5 / np.sqrt(effective)).all()


def means_under_prior(story, values, log_weight):
    """Posterior means of values (draw, ...) drawn from the prior, and their standard errors, by importance weights."""
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    mean = np.tensordot(weight, values, 1)
    return mean, np.sqrt(np.tensordot(weight**2, (values - mean) ** 2, 1))


def learned(post, story):
    """Medians and spreads of a posterior group: logits and logarithms (draw, ...), all in one row."""
    size = post.sizes["chain"] * post.sizes["draw"]
    rows = range(len(story.right))
    found = [special.logit(post["median_rate"].values[..., c, c]).reshape(size, -1) for c in rows]
    for name in story.terms:
        found += [
            post[f"sd_of_{name}"].values.reshape(size, -1),
            post[f"correlation_of_{name}"].values.reshape(-1, 1),
        ]
    if "difficulty" in story.terms:
        found.append(post["difficulty"].values.reshape(size, -1))
    rate = post["performance"] / post["performance"].sum("predicted")
    entity, dataset = story.pairs.T
    found += [rate.values[..., entity, dataset, c, c].reshape(size, -1) for c in rows]
    return np.concatenate(found, -1)


@pytest.mark.parametrize("entities", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_the_posterior_is_the_prior_times_the_probability_of_the_counts(entities):
    """A known answer for the sampler: draws of the prior, weighted by the likelihood of small tables."""
    cells = {"tn": [4, 2, 5, 3], "fp": [1, 2, 0, 3], "fn": [0, 1, 2, 0], "tp": [3, 1, 2, 0]}
    names, datasets = (["a"] * 4, list("wxyz")) if entities == 1 else (list("aabb"), list("xyxy"))
    if entities == 2:
        cells = {name: [*values[:3], values[3] + 1] for name, values in cells.items()}
    counts = br.from_counts(**cells, entity=names, dataset=datasets)
    story = make_model(NAME, counts, {})
    assert len(story.terms) == entities
    drawn = story.draw_prior(Block(0, 0, 60_000, (1, 60_000)), root_sequence(1))
    prior = xr.Dataset(drawn, story.coords()).expand_dims("chain")
    values = learned(prior, story)
    rates = values[:, -2 * len(story.pairs) :].reshape(-1, 2, len(story.pairs))
    weight = stats.binom(story.cases.T, rates).logpmf(story.hits.T).sum((1, 2))
    mean, error = means_under_prior(story, values, weight)
    square, square_error = means_under_prior(story, values**2, weight)
    post = groups_of(br.fit(counts, NAME, draws=2000, chains=4, seed=2))["posterior"]
    ours = learned(post, story)
    size = 1200  # effective draws that the sampler reaches
    assert (abs(ours.mean(0) - mean) < 4.5 * np.hypot(error, ours.std(0) / np.sqrt(size))).all()
    assert (
        abs((ours**2).mean(0) - square)
        < 4.5 * np.hypot(square_error, (ours**2).std(0) / np.sqrt(size))
    ).all()


def test_steps_of_the_logits_of_tables_have_their_posterior(monkeypatch):
    """Moments of the standardised logits by sums over a grid; the kernel runs as plain Python."""
    monkeypatch.setattr(
        "bayesrank._core.compiled.njit", lambda **options: lambda function: function
    )
    kernel = load_script("bayesrank/models/parts/logit_normal_kernel.py")
    data = table_data(np.array([[3, 8], [1, 2]]), np.array([[10, 9], [3, 8]])).reshape(-1, 8)
    mu, none, pairs = np.array([[0.5, 1.0]]), np.zeros((2, 2)), np.array([[0, 0], [0, 1]])
    factors = kernel.covariance_factors(np.array([0.2, 0.0, 0.5, 0.0, 0.0, 0.0]))
    given = (factors, pairs, data)
    rng, v, of_table = np.random.default_rng(1), np.zeros((2, 2)), np.zeros(2)
    out, found = kernel.compute_tables(mu, none, none, v, *given), np.empty((4000, 2, 2))
    for draw in found:
        kernel.move_tables(rng, mu, none, none, v, out, *given, of_table, 0.0)
        draw[:] = v
    grid = np.linspace(-6, 6, 49)
    for i in range(2):
        around = kernel.approximate_table(i, mu, none, none, *given)
        log = np.array(
            [[kernel.compute_table(i, around, x, y, factors, data)[4] for y in grid] for x in grid]
        )
        share = np.exp(log - special.logsumexp(log))
        for column in range(2):
            mass = share.sum(axis=1 - column)
            # Half of the draws are effective; four and a half standard errors are allowed.
            assert found[:, i, column].mean() == pytest.approx(mass @ grid, abs=0.1)
            assert (found[:, i, column] ** 2).mean() == pytest.approx(mass @ grid**2, abs=0.15)


def test_typical_and_new_kinds_of_data_sets_have_the_variances_of_a_sample():
    """Of centred difficulties x of n data sets: Σx² / n (n - 1) of their mean, and Σx² / n of one of them."""
    story = make_model(NAME, tables(2, 4), {})
    hard = np.array([-1.0, -0.2, 0.3, 0.9])
    centre = np.broadcast_to(hard[:, None], (20_000, 4, 2))
    average, single = story._draw_kinds(centre, np.random.default_rng(1))
    np.testing.assert_allclose(average.var(axis=0), (hard**2).sum() / (4 * 3), rtol=0.05)
    np.testing.assert_allclose(single.var(axis=0), (hard**2).sum() / 4, rtol=0.05)


def test_without_cases_the_posterior_is_the_prior():
    counts = 0 * tables(2, 3)
    counts["measured"][:] = True
    terms = "difficulty shared by all entities, and deviations of each"
    story = make_model(NAME, counts, {"force": True, "terms": terms})
    posterior = story._run_chains((2, 1000), root_sequence(1), 20)
    laws = {f"sd_of_{name}": stats.halfnorm for name in story.terms} | {"mu": stats.logistic}
    laws |= {f"half_of_{name}": stats.beta(2, 2) for name in story.terms}
    for name, law in laws.items():
        for values in posterior[name].transpose(..., "chain", "draw").values.reshape(-1, 2, 1000):
            assert stats.kstest(values[:, ::5].ravel(), law.cdf).pvalue > 1e-3


HARD = {
    "perfect tests": (1, 10, 6.0, (20, 60), (5, 30)),
    "three studies": (1, 3, 0.5, (20, 200), (10, 100)),
    "hardly any cases": (2, 6, 0.5, (1, 6), (0, 4)),
    "large studies": (1, 4, 0.5, (20_000, 200_000), (10_000, 100_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", ["ascus_hc2_repc", "scheidler_lymph_imaging", *HARD])
def test_published_and_hard_meta_analyses_converge_by_default(case):
    """One seed each; more seeds were tried by hand and have no script yet."""
    if case in HARD:
        entities, datasets, shift, negatives, positives = HARD[case]
        rng = np.random.default_rng(4)
        cases = np.stack(
            [rng.integers(*negatives, datasets), rng.integers(*positives, datasets)], -1
        )
        logits = shift + rng.normal(0, 0.3, (entities, datasets, 2))
        counts = counted(rng.binomial(cases, special.expit(logits)), cases)
    else:
        counts = br.datasets.load(case)
    about = br.fit(counts, NAME, seed=1 if case in HARD else 3)[
        "sample_stats"
    ].attrs  # a warning would be an error
    assert about["sampler"] == "metropolis"
    assert about["rhat"] <= 1.01
    assert min(about["ess_bulk"], about["ess_tail"]) >= 400


@pytest.mark.slow
def test_the_sampler_and_nuts_agree():
    """Two tests on ten studies, where the plain PyMC model diverges unless its steps are short."""
    counts = br.datasets.load("ascus_hc2_repc")
    story = make_model(NAME, counts, {})
    plain = br.fit(counts, NAME, seed=1, draws=2000, nuts={"target_accept": 0.99, "tune": 2000})
    assert_same_moments(
        *(
            learned(groups_of(fitted)["posterior"], story)
            for fitted in (br.fit(counts, NAME, seed=1), plain)
        ),
        400,
    )


@pytest.mark.slow
def test_one_entity_has_the_posterior_of_another_sampler(one, measure):
    story = make_model(NAME, tables(), {})
    post = groups_of(one)["posterior"]
    many = 50
    right, cases = (
        np.broadcast_to(part, (many, *part.shape)) for part in (story.hits, story.cases)
    )
    found = measure.sample(right, cases, np.random.default_rng(3), draws=40)
    rates = post["performance"] / post["performance"].sum("predicted")
    ours = {
        "mu": right_logits(post["median_rate"]).reshape(-1, 2),
        "sd": post["sd_of_deviations"].values.reshape(-1, 2),
        "rho": post["correlation_of_deviations"].values.ravel(),
        "logits": right_logits(rates).reshape(-1, 15, 2),
    }
    for name, values in ours.items():
        assert_same_moments(values, getattr(found, name).reshape(-1, *values.shape[1:]), 300)
    assert post.attrs["terms"].startswith("deviations; the design does not separate difficulty")
    assert "difficulty" not in post
    np.testing.assert_allclose(post["sd_between_datasets"], post["sd_of_deviations"])


def test_what_is_kept_has_its_dims_and_the_attrs_say_what_was_learned(three):
    groups = groups_of(three)
    post = groups["posterior"]
    assert post.attrs["terms"].startswith("difficulty shared by all entities")
    assert post.attrs["typical"] == "median"
    assert post["difficulty"].dims == ("chain", "draw", "dataset", "actual")
    typical = post["performance_typical"] / post["performance_typical"].sum("predicted")
    np.testing.assert_allclose(typical, post["median_rate"].transpose(*typical.dims), rtol=1e-12)
    assert (
        groups["prior_predictive"]["counts"].dims == groups["posterior_predictive"]["counts"].dims
    )
    assert groups["prior"].attrs["kind"] == "typical"


def test_what_is_not_there_is_predicted_or_left_out(three):
    assert br.scores.tpr(three, kind="observed").sel(dataset=0).notnull().all()
    table = br.ranking_table(br.credible_ranking(three, "informedness"))
    # An entity that never fires is right on all negatives and on no positive.
    assert abs(table.loc["e1", ["lower", "upper"]]).max() < 0.02
    assert table.index[-1] == "e1"


@pytest.fixture(scope="module")
def prior():
    """Independent draws of the prior of three entities on four data sets."""
    drawn = make_model(NAME, tables(3, 4), {}).draw_prior(
        Block(0, 0, 4000, (1, 4000)), root_sequence(1)
    )
    return xr.Dataset(
        drawn, {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}
    )


def right_logits(rate):
    """Of the right answer of each class: (draw, ..., actual)."""
    return np.stack([special.logit(rate.isel(actual=c, predicted=c)) for c in (0, 1)], -1)


def nothing(moment):
    """Means that are 0, within four Monte-Carlo errors."""
    return (abs(moment.mean(0)) < 4 * moment.std(0) / np.sqrt(len(moment))).all()


def test_entities_meet_the_same_new_data_set(prior):
    """Away from the median data set: one difficulty, deviations of each, and one prevalence for all."""
    share = prior["performance_new"].sum("predicted").transpose(..., "entity")
    np.testing.assert_allclose(share.values.std(-1), 0, atol=1e-12)
    assert share.values.std() > 0.1
    rate = prior["performance_new"] / prior["performance_new"].sum("predicted")
    away = right_logits(rate) - right_logits(prior["median_rate"])
    hard, own = (prior[f"sd_of_{name}"].values for name in ("difficulty", "deviations"))
    apart = (away[:, 0] - away[:, 2]) / np.sqrt(2) / own
    together = away.mean(1) / np.sqrt(hard**2 + own**2 / 3)
    for z in (apart, together):
        assert nothing(z)
        assert nothing(z**2 - 1)
    assert nothing(apart[:, 0] * apart[:, 1] - prior["correlation_of_deviations"].values)
    covariance = prior["correlation_of_difficulty"].values * hard.prod(-1)
    covariance += prior["correlation_of_deviations"].values * own.prod(-1) / 3
    scale = np.sqrt(hard**2 + own**2 / 3).prod(-1)
    assert nothing(together[:, 0] * together[:, 1] - covariance / scale)


def test_the_prior_is_what_the_documentation_says(prior):
    for name, law in (
        ("median_rate", stats.uniform),
        ("sd_of_difficulty", stats.halfnorm),
        ("sd_of_deviations", stats.halfnorm),
        ("correlation_of_deviations", stats.beta(2, 2, -1, 2)),
        ("correlation_of_difficulty", stats.beta(2, 2, -1, 2)),
    ):
        values = prior[name].isel({d: 0 for d in prior[name].dims if d != "draw"})
        assert stats.kstest(values, law.cdf).pvalue > 1e-3, name
    # Tables are where their difficulty and deviations put them: one data set less another, and one entity.
    rate = prior["performance"] / prior["performance"].sum("predicted")
    away = right_logits(rate) - right_logits(prior["median_rate"])[:, :, None]
    away += prior["difficulty"].values[:, None]
    z = away / prior["sd_of_deviations"].values[:, None, None]
    flat = z[:, 1, 2]
    assert stats.kstest(flat[:, 0], "norm").pvalue > 1e-3
    assert stats.kstest(flat[:, 1], "norm").pvalue > 1e-3
    assert nothing(flat[:, 0] * flat[:, 1] - prior["correlation_of_deviations"].values)
    z = prior["difficulty"].isel(dataset=3, actual=1) / prior["sd_of_difficulty"].isel(actual=1)
    assert stats.kstest(z, "norm").pvalue > 1e-3
    total = prior["sd_between_datasets"] ** 2
    np.testing.assert_allclose(
        total, prior["sd_of_difficulty"] ** 2 + prior["sd_of_deviations"] ** 2
    )
    one, other, both = (
        prior[f"correlation_{name}"] * prior[f"sd_{name}"].prod("actual")
        for name in ("of_difficulty", "of_deviations", "between_datasets")
    )
    np.testing.assert_allclose(both, one + other)


def test_without_terms_rates_are_beta():
    """Two entities on one data set: nothing to learn between data sets, and conjugate posteriors."""
    counts = tables(2, 15).isel(dataset=[3])
    fitted = fit(counts, draws=500)
    assert fitted["posterior"].attrs["terms"].startswith("none")
    for c in (0, 1):
        right, cases = (
            counts.isel(dataset=0, actual=c, predicted=c),
            counts.isel(dataset=0, actual=c).sum("predicted"),
        )
        for kind in ("observed", "typical", "new"):
            table = br.as_performance(fitted, kind)
            rate = (
                (table / table.sum("predicted"))
                .isel(actual=c, predicted=c)
                .transpose("entity", ...)
            )
            for i, values in enumerate(rate.values.reshape(2, -1)):
                law = stats.beta(1 + right.values[i], 1 + cases.values[i] - right.values[i])
                assert abs(values.mean() - law.mean()) < 5 * law.std() / np.sqrt(300)
                assert values.std() == pytest.approx(law.std(), rel=5 / np.sqrt(2 * 300))


@pytest.mark.slow
def test_next_to_no_spread_is_one_pool():
    counts = tables(1, 6)
    post = fit(counts, spread=1e-3, draws=500)["posterior"]
    pooled = br.pool(counts).isel(entity=0).values
    for c in (0, 1):
        law = stats.beta(1 + pooled[c, c], 1 + pooled[c, 1 - c])
        values = post["median_rate"].values[:, :, 0, c, c]
        assert abs(values.mean() - law.mean()) < 5 * law.std() / np.sqrt(300)
        assert values.std() == pytest.approx(law.std(), rel=0.2)


@pytest.mark.slow
def test_entities_are_a_population_without_data_sets():
    right, wrong = [9, 900, *[60] * 5], [1, 100, *[40] * 5]
    fitted = fit(
        br.from_counts(tn=right, fp=wrong, fn=wrong, tp=right, entity=["small", "large", *"vwxyz"])
    )
    tpr = br.scores.tpr(fitted).median(["chain", "draw"])
    assert 0.9 + 0.01 > float(tpr.sel(entity="large")) > float(tpr.sel(entity="small")) > 0.6
    assert "performance_new" not in fitted["posterior"]
    assert fitted["posterior"]["median_rate"].dims == ("chain", "draw", "actual", "predicted")


@pytest.mark.slow
def test_outcomes_are_one_class():
    answers = {"correct": [8, 30, 50, 5, 22, 40], "wrong": [2, 10, 10, 5, 18, 20]}
    frame = pd.DataFrame({"entity": list("aaabbb"), "dataset": list("xyz") * 2} | answers)
    fitted = fit(br.from_frame(frame, dataset="dataset"), groups=["log_likelihood"])
    ranking = br.ranking_table(br.credible_ranking(fitted, "mean_outcome", kind="new"))
    assert ranking.index[0] == "a"
    assert fitted["posterior"]["sd_of_difficulty"].dims == ("chain", "draw")
    assert fitted["log_likelihood"]["counts"].dims == ("chain", "draw", "entity", "dataset")


@pytest.mark.slow
def test_the_loglikelihood_is_of_tables(one):
    found, post = one["log_likelihood"], one["posterior"]
    assert found["counts"].dims == ("chain", "draw", "entity", "dataset")
    assert found["row_totals"].dims == ("chain", "draw", "test_set")
    counts = tables().isel(entity=0, dataset=4).values
    mu = special.logit(np.diag(post["median_rate"].values[1, 7, 0]))
    half = (post["correlation_of_deviations"].values[1, [7]] + 1) / 2
    factor = factor_of(post["sd_of_deviations"].values[1, [7]], half)
    wanted = binomial_evidence(np.diag(counts), counts.sum(1), mu[None], factor)
    assert float(found["counts"][1, 7, 0, 4]) == pytest.approx(wanted.item(), rel=1e-9)


# --- Calibration --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["plain", "sparse"])
def test_calibration(measure, sizes):
    for name, ranks in measure.ranks(12, 1000, 15, sizes).items():
        assert stats.kstest(ranks, "uniform").pvalue > 1e-3, name


# --- New data sets, parts of a design -----------------------------------------------------------------------------


def known(story, draws=4000):
    """A posterior that knows everything but what new data sets are like."""
    shape = (1, draws)
    right = np.array([[0.9, 0.7], [0.6, 0.8]])
    rates = np.stack([[[p[0], 1 - p[0]], [1 - p[1], p[1]]] for p in right])
    sd = {"difficulty": [0.8, 0.5], "deviations": [0.3, 0.6]}
    rho = {"difficulty": 0.6, "deviations": -0.4}
    found = {
        "median_rate": (
            ("chain", "draw", "entity", "actual", "predicted"),
            np.broadcast_to(rates, (*shape, 2, 2, 2)),
        )
    }
    for name in sd:
        found[f"sd_of_{name}"] = (
            ("chain", "draw", "actual"),
            np.broadcast_to(sd[name], (*shape, 2)),
        )
        found[f"correlation_of_{name}"] = (("chain", "draw"), np.full(shape, rho[name]))
    found["difficulty"] = (
        ("chain", "draw", "dataset", "actual"),
        np.zeros((*shape, story.counts.sizes["dataset"], 2)),
    )
    cov = {name: np.outer(sd[name], sd[name]) * [[1, rho[name]], [rho[name], 1]] for name in sd}
    return xr.Dataset(found, {"chain": [0], "draw": np.arange(draws)}), special.logit(right), cov


def test_new_data_sets_are_as_hard_for_all_and_deviate_for_each():
    counts = 100_000 * tables(2, 3)
    story = make_model(NAME, counts, {})
    posterior, mean, cov = known(story)
    new = story.renew(posterior, root_sequence(3), "check")
    assert new.dims == ("chain", "draw", *counts.dims)
    assert (new.sum("predicted") == counts.sum("predicted")).all()
    right = np.stack([new.isel(actual=i, predicted=i, chain=0).values for i in (0, 1)], -1)
    logits = special.logit(
        right / counts.sum("predicted").transpose("entity", "dataset", "actual").values
    )
    # (draw, entity, data set, row): two entities, in order of their names here.
    size = len(logits)
    total = cov["difficulty"] + cov["deviations"]
    for d in range(3):
        both = logits[:, :, d].reshape(size, 4)
        wanted = np.block([[total, cov["difficulty"]], [cov["difficulty"], total]])
        assert (abs(both.mean(0) - mean.ravel()) < 5 * np.sqrt(np.diag(wanted) / size)).all()
        error = np.sqrt((wanted**2 + np.outer(np.diag(wanted), np.diag(wanted))) / size)
        assert (abs(np.cov(both.T) - wanted) < 5 * error + 1e-3).all()
    # Other data sets are others.
    apart = np.corrcoef(logits[:, 0, 0, 0], logits[:, 0, 1, 0])[0, 1]
    assert abs(apart) < 5 / np.sqrt(size)
    turn = {"entity": [1, 0], "dataset": [2, 0, 1]}
    turned = make_model(NAME, counts.isel(turn), {}).renew(
        posterior.isel(turn), root_sequence(3), "check"
    )
    xr.testing.assert_equal(turned.sel(entity=new["entity"], dataset=new["dataset"]), new)


def test_new_members_of_a_population_of_entities():
    counts = tables(3, 1).isel(dataset=0, drop=True)
    for evidence in (counts, counts.isel(entity=[0])):
        rate = (("chain", "draw", "actual", "predicted"), np.full((1, 50, 2, 2), 0.5))
        sd = (("chain", "draw", "actual"), np.full((1, 50, 2), 0.5))
        rho = (("chain", "draw"), np.zeros((1, 50)))
        found = {"median_rate": rate, "sd_of_deviations": sd, "correlation_of_deviations": rho}
        draws = xr.Dataset(found, {"chain": [0], "draw": np.arange(50)})
        new = make_model(NAME, evidence, {}).renew(draws, root_sequence(1), "check")
        assert new.dims == ("chain", "draw", "entity", "actual", "predicted")
        assert (new.sum("predicted") == evidence.sum("predicted")).all()


def test_a_part_of_a_design_is_learned_by_the_same_model():
    whole, part = make_model(NAME, tables(2, 2), {}), tables(2, 2)
    part[:, 0] = 0
    assert whole.terms == ("difficulty", "deviations")
    assert make_model(NAME, part, {}).terms == ()
    assert make_model(NAME, part, whole.as_designed).terms == whole.terms
    alone = make_model(NAME, tables(2, 1).isel(dataset=0, drop=True), {})
    assert make_model(NAME, alone.counts.isel(entity=[0]), alone.as_designed).terms == (
        "deviations",
    )
    for bad in ("difficulty", 3, ("deviations",)):
        with pytest.raises(ValueError, match="terms must be one of"):
            make_model(NAME, part, {"terms": bad})


@pytest.mark.slow
def test_data_sets_are_left_out_of_a_design_that_then_tells_less():
    fitted = fit(tables(2, 2), draws=150)
    found = br.compare({"one": fitted})
    assert found["refitted"].values.tolist() == [2]
    assert np.isfinite(found["unit_elpd"]).all()
    assert br.predictive.predictive_check(fitted, seed=1).attrs["kind"] == "new"


def test_what_the_priors_imply_before_any_data():
    """The table of docs/howto/hierarchical.md, with exact densities of the deviations.

    A normal deviation with a half-normal standard deviation is a product of two normal variables, with the density
    K0(|z|) / π. The sum of two such deviations has a Rayleigh standard deviation, so it is a Laplace variable.
    """
    z = (np.arange(200_000) + 0.5) / 200_000 * 60 - 30
    densities = {"one": special.k0(np.abs(z)) / np.pi, "both": np.exp(-np.abs(z)) / 2}
    ends = {}
    for terms, density in densities.items():
        mass = density / density.sum()

        def at_most(x, mass=mass):  # the logit of a uniform rate is logistic
            return float((mass * special.expit(x - z)).sum())

        def rate(share, at_most=at_most):
            return float(special.expit(optimize.brentq(lambda x: at_most(x) - share, -15, 15)))

        ends[terms] = [rate(share) for share in (0.05, 0.25, 0.75, 0.95)]
        shift = np.interp([0.05, 0.95], np.cumsum(mass), z)
        ends[f"{terms}, 0.8"] = special.expit(special.logit(0.8) + shift).tolist()
    printed = {
        "one": [0.03, 0.22, 0.78, 0.97],
        "both": [0.02, 0.20, 0.81, 0.98],
        "one, 0.8": [0.45, 0.95],
        "both, 0.8": [0.29, 0.98],
    }
    for name, values in printed.items():
        np.testing.assert_allclose(ends[name], values, rtol=0, atol=0.0055, err_msg=name)
    assert ends["both, 0.8"] == pytest.approx([2 / 7, 40 / 41], abs=1e-3)
    rng = np.random.default_rng(1)
    level, sd = special.logit(rng.random(200_000)), np.abs(rng.normal(size=200_000))
    first, second = (special.expit(level + sd * rng.normal(size=sd.size)) for _ in range(2))
    np.testing.assert_allclose(
        np.quantile(abs(first - second), [0.5, 0.95]), [0.07, 0.50], atol=0.005
    )
    np.testing.assert_allclose(stats.halfnorm.ppf([0.5, 0.95]), [0.67, 1.96], atol=0.005)
    np.testing.assert_allclose(
        2 * stats.beta(2, 2).ppf([0.025, 0.975]) - 1, [-0.81, 0.81], atol=0.005
    )


def test_right_and_wrong_have_the_prior_of_one_case_and_two_classes_a_flat_one():
    """With four cases, the median near 1 of three data sets is pulled towards 1/2."""
    right = right_of([[396, 392, 398]], 400)
    model = make_model("hierarchical_logit_normal", right, {})
    assert model.settings["prior"] == "unit"
    assert model.alpha.tolist() == [[[0.5, 0.5]]]
    tables = br.from_counts(
        tn=[90, 80], fp=[10, 20], fn=[5, 6], tp=[35, 34], entity=["a", "a"], dataset=["x", "y"]
    )
    assert make_model("hierarchical_logit_normal", tables, {}).alpha.tolist() == [
        [[1.0, 1.0], [1.0, 1.0]]
    ]
    lower = [
        br.as_performance(
            br.fit(right, "hierarchical_logit_normal", prior=prior, seed=1, draws=250), "typical"
        )
        .sel(outcome=1)
        .quantile(0.025)
        for prior in (None, "four_cases")
    ]
    assert lower[0] > lower[1] + 0.05
