"""Exact rankings of boards of 100 to 10 million cases, equal and far apart, against closed forms and other routes."""

import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import bayesrank as br
from bayesrank.cli import cli

BIG = br.from_counts(
    tn=[70000, 75000, 60000],
    fp=[10000, 5000, 20000],
    fn=[6000, 9000, 2000],
    tp=[24000, 21000, 28000],
    entity=list("abc"),
)
#: Ends of intervals may be off by this share of their width.
CLOSE = 0.005
LEVELS = [0.025, 0.5, 0.975]


def exact(counts, score, **options):
    return br.credible_ranking(counts, score, method="exact", **options)


def ends(ranking):
    return np.stack([ranking[name].values for name in ("lower", "median", "upper")], axis=1)


def off(found, wanted):
    """The largest difference as a share of the interval's width."""
    return (np.abs(found - wanted) / (wanted[:, -1:] - wanted[:, :1])).max()


def board(rng, cases, entities, apart):
    """Entities on one test set whose rates are nearly equal, or far apart."""
    negative = int(cases * rng.uniform(0.3, 0.8))
    spread = 0.15 if apart else 0.3 / np.sqrt(cases)
    fpr, fnr = (np.clip(rng.uniform(0.1, 0.4) + spread * rng.standard_normal(entities), 0.005, 0.9) for _ in range(2))
    fp, fn = rng.binomial(negative, fpr), rng.binomial(cases - negative, fnr)
    names = [f"e{i}" for i in range(entities)]
    return br.from_counts(tn=negative - fp, fp=fp, fn=fn, tp=cases - negative - fn, entity=names)


def cells(counts):
    return counts.transpose("entity", "actual", "predicted").values.reshape(-1, 4).T + 1.0


def beta_accuracy(counts):
    """Quantiles of the accuracy of a uniform Dirichlet."""
    tn, fp, fn, tp = cells(counts)
    return np.stack([stats.beta(tn + tp, fp + fn).ppf(level) for level in LEVELS], axis=1)


def test_three_tests_of_110000_cases_have_the_intervals_of_their_own_posteriors():
    ranking = exact(BIG, "informedness", model="beta_binomial")
    assert far_off(BIG, "informedness", "beta_binomial", ranking) < 1e-6
    assert not ranking["contradicted"].any()
    np.testing.assert_allclose(ranking.sel(entity="b")[["lower", "upper"]].to_array(), [0.632, 0.643], atol=5e-4)
    assert off(ends(exact(BIG, "accuracy")), beta_accuracy(BIG)) < 1e-8


def test_the_command_ranks_three_tests_of_110000_cases_with_the_intervals_of_draws(tmp_path):
    path = tmp_path / "big.csv"
    path.write_text("entity,tn,fp,fn,tp\na,70000,10000,6000,24000\nb,75000,5000,9000,21000\nc,60000,20000,2000,28000\n")
    found = CliRunner().invoke(cli, ["rank", str(path), "--score", "informedness"], catch_exceptions=False)
    assert found.exit_code == 0
    row = next(line for line in found.output.splitlines() if line.startswith("b "))
    assert re.search(r"0\.637\b.*0\.632 to 0\.643", row), row
    assert "outside" not in found.output
    assert "contradict" not in found.output


def far_off(counts, score, model, ranking):
    """By how much the cdfs of single posteriors, from another route, miss the levels at the ends found."""
    posterior, found = br.score_posterior(counts, score, model), ends(ranking)
    values = [posterior.cdf(found[k]).isel(entity=k).values for k in range(len(found))]
    return np.abs(np.array(values) - LEVELS).max()


#: Boards of a size on one test set or apart; the quick run has the ends and the middle.
BOARDS = [(10, False), (10_000_000, True)]


def boards(*sizes):
    each = [(cases, apart) for cases in sizes for apart in (False, True)]
    return [pytest.param(*one, marks=[pytest.mark.slow] * (one not in BOARDS)) for one in each]


@pytest.mark.parametrize(("cases", "apart"), boards(10, 100, 1_000, 20_000, 160_000, 10_000_000))
def test_intervals_are_those_of_single_entities(cases, apart):
    counts = board(np.random.default_rng([cases, apart]), cases, 3, apart)
    assert off(ends(exact(counts, "accuracy")), beta_accuracy(counts)) < CLOSE / 1000
    # 0.005 of the width is about 0.02 standard deviations: 0.001 in probability at an end.
    for score in ("f1", *(["informedness"] if 10 < cases < 1e6 else [])):
        ranking = exact(counts, score, model="beta_binomial")
        assert far_off(counts, score, "beta_binomial", ranking) < 1e-5, score
        assert ranking["rank_probability_error"].max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("cases", [100, 40_000])
def test_mcc_of_a_sampled_prevalence_has_its_own_intervals(cases):
    """Against quadrature that averages over more prevalences, and finds its contours by search."""
    counts = board(np.random.default_rng(cases), cases, 2, True)
    assert far_off(counts, "mcc", "dirichlet_multinomial", exact(counts, "mcc")) < 1e-4


QUICK = [("f1", "sampled"), ("mcc", "observed"), ("negative_likelihood_ratio", 0.2)]
SCORES = [
    pytest.param(score, share, marks=[pytest.mark.slow] * ((score, share) not in QUICK))
    for score in ("accuracy", "informedness", "f1", "mcc", "markedness", "negative_likelihood_ratio")
    for share in ("sampled", "observed", 0.2)
]


@pytest.mark.parametrize(("cases", "apart"), boards(10, 20_000, 10_000_000))
@pytest.mark.parametrize(("score", "prevalence"), SCORES)
def test_probabilities_agree_with_draws(score, prevalence, cases, apart):
    """Of boards whose order is open: 200,000 draws of NumPy's Betas, one prevalence for all."""
    rng = np.random.default_rng([cases, apart, len(score)])
    counts, draws = board(rng, cases, 4, apart), 200_000
    tn, fp, fn, tp = cells(counts)
    tnr, tpr = rng.beta(tn, fp, (draws, 4)), rng.beta(tp, fn, (draws, 4))
    positives = counts[0, 1].sum().item() / counts[0].sum().item()
    share = {"sampled": rng.beta((fn + tp)[0], (tn + fp)[0], (draws, 1)), "observed": positives}.get(prevalence, 0.2)
    score = br.scores.get(score)
    values = score.of_cells((1 - share) * tnr, (1 - share) * (1 - tnr), share * (1 - tpr), share * tpr)
    values = values if score.higher_is_better else -values
    places = np.argsort(np.argsort(-values, axis=1), axis=1)
    ranking = exact(counts, score, prevalence=prevalence, prior="uniform")
    for r in range(4):
        p = ranking["rank_probability"].values[:, r]
        seen = (places == r).mean(axis=0)
        # 4.9 standard errors; one more draw where hardly any is expected.
        np.testing.assert_array_less(np.abs(seen - p), 4.9 * np.sqrt(p * (1 - p) / draws) + 12 / draws)
    for j in range(3):
        seen, p = (values[:, j] > values[:, j + 1]).mean(), ranking["superiority"].values[j, j + 1]
        assert abs(seen - p) < 4.9 * np.sqrt(p * (1 - p) / draws) + 12 / draws
    if not score.finite_mean:
        return
    mean = values.max(axis=1, keepdims=True) - values
    error = 4.9 * mean.std(axis=0) / np.sqrt(draws) + 1e-7
    np.testing.assert_array_less(np.abs(mean.mean(axis=0) - ranking["expected_regret"].values), error)


def test_the_order_of_entities_changes_nothing():
    """Not a digit, in 3 boards, whatever is ranked: verdicts included."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        counts = board(rng, int(rng.choice([60, 300, 20_000])), 3, bool(seed % 2))
        score, model = (("informedness", "beta_binomial"), ("f1", None), ("mcc", "beta_binomial"))[seed % 3]
        order = rng.permutation(counts.sizes["entity"])
        one, other = (exact(table, score, model=model) for table in (counts, counts.isel(entity=order)))
        back = np.argsort(order)
        assert one.identical(other.isel(entity=back, rival=back))
        assert br.verdict(one) == br.verdict(other)


def test_a_faint_prior_is_refused_fast():
    counts = br.from_counts(tn=[10] * 3, fp=[0] * 3, fn=[0] * 3, tp=[9] * 3, entity=list("abc"))
    for prior in (1e-3, 0.01, 0.05):
        with pytest.raises(ValueError, match="a concentration near 0 puts scores so near to an end of their range"):
            exact(counts, "informedness", model="beta_binomial", prior=prior)


def test_a_score_whose_contour_is_wrong_is_refused():
    """The self-check: another route sees what a wrong contour would make of the distributions."""
    wrong = replace(br.scores.informedness, name="wrong", contour=br.scores.get("lr+").contour)
    assert wrong.contour is not None
    with pytest.raises(ValueError, match="two routes"):
        exact(BIG, wrong, model="beta_binomial")


def test_what_a_method_takes():
    posterior = br.fit(BIG, seed=1, draws=20)
    cases = [
        (lambda: br.credible_ranking(posterior, "f1", method="exakt"), "method must be one of"),
        (lambda: br.credible_ranking(posterior, "f1", model="beta_binomial"), "model and its options must be left out"),
        (
            lambda: br.credible_ranking(posterior, "f1", method="auto", prior=1),
            "model and its options must be left out",
        ),
        (lambda: exact(BIG, "f1", kind="typical"), "kind must be left out"),
        (lambda: exact(BIG, None), "score must be given"),
        (lambda: exact(BIG, "f1", higher_is_better=False), "higher_is_better must be left out"),
    ]
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()
