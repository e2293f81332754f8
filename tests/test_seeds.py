"""Training seeds: net variance of fitted models, the posterior over retrained models, refused runs, and bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.evidence.training import means_of_seeds
from bayesrank.models.retrained import variances, within
from tests.commands import invoke, refused
from tests.told import codes_in

RNG = np.random.default_rng(8)


def outcomes(cases=200, seeds=5, spread=0.05, rates=(0.86, 0.80, 0.60), rng=RNG):
    """Right and wrong answers of each entity, case and seed; a fitted model has a rate of its own."""
    hard = rng.normal(0, 0.1, cases)
    frame = {"case": np.tile(np.arange(cases), seeds), "seed": np.repeat(np.arange(seeds), cases)}
    for i, rate in enumerate(rates):
        shift = np.repeat(rng.normal(0, spread, seeds), cases)
        frame["abc"[i]] = (rng.random(cases * seeds) < rate + np.tile(hard, seeds) + shift).astype(
            int
        )
    return pd.DataFrame(frame)


FRAME = outcomes()
APART = outcomes(400, 5, 0.06)
LACKING = FRAME.assign(b=FRAME["b"].where(FRAME.index != 3))
SEEDS = {"case": "case", "training_seed": "seed"}


def drawn(posterior):
    return (
        groups_of(posterior)["posterior"]["mean_outcome"]
        .stack(all_draws=("chain", "draw"))
        .transpose("entity", ...)
    )


def test_the_noise_of_cases_is_cochrans():
    """Cochran (1950): R(R - 1) Σ(T_r - T̄)² / Σ L_i (R - L_i), but for n / (n - 1) and centred columns."""
    values = FRAME[["a"]].to_numpy(float)
    found = means_of_seeds(values, FRAME["case"].tolist(), FRAME["seed"].tolist())
    table = values.reshape(5, 200)
    np.testing.assert_allclose(found.mean[0], table.mean(axis=1), rtol=1e-12)
    right = table.sum(axis=0)
    q = 5 * 4 * ((table.sum(axis=1) - table.sum() / 5) ** 2).sum() / (right * (5 - right)).sum()
    ours = 4 * table.mean(axis=1).var(ddof=1) / found.noise[0]
    centred = 1 - table.mean(axis=1).var() * 5 * 200 / ((right * (5 - right)).sum() / 5)
    assert ours == pytest.approx(q / centred * 199 / 200, rel=1e-9)


@pytest.mark.parametrize("cluster", [False, True])
def test_the_noise_of_cases_is_unbiased(cluster):
    """Without an effect of seeds, the means of seeds vary as much as their cases say."""
    rng, shares = np.random.default_rng(4), []
    case = np.tile(np.arange(60), 4).tolist()
    for _ in range(300):
        sets = np.repeat(rng.normal(0, 0.15 * cluster, (4, 20)), 3, axis=1).ravel()
        y = (rng.random(240) < 0.7 + sets).astype(float)[:, None]
        homes = [i // 3 for i in case] if cluster else None
        found = means_of_seeds(y, case, np.repeat(np.arange(4), 60).tolist(), None, homes)
        shares.append([np.var(found.mean, ddof=1), found.noise[0]])
    spread, noise = np.mean(shares, axis=0)
    assert spread == pytest.approx(noise, rel=4.5 * np.sqrt(2 / 3 / 300))


def test_without_noise_the_mean_over_models_is_t_distributed():
    chance = RNG.random((2, 40_000))
    error = np.sqrt(variances(0.02**2, 0.0, 5, chance[0]) / 5)
    found = within(np.full(40_000, 0.7), error, -np.inf, np.inf, chance[1])
    assert stats.kstest((found - 0.7) / (0.02 / np.sqrt(5)), stats.t(4).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("spread", "noise", "seeds"), [(4e-4, 1e-4, 4), (1e-4, 3e-4, 3), (0.0, 2e-4, 5)]
)
def test_the_variance_is_a_truncated_inverse_chi_square(spread, noise, seeds):
    half = (seeds - 1) / 2

    def density(log_variance):
        total = np.exp(log_variance)
        return total**-half * np.exp(-(seeds - 1) * spread / (2 * total))

    def probability(to):
        return integrate.quad(
            density, np.log(noise), np.log(to), epsabs=0, epsrel=1e-10, limit=200
        )[0]

    chance = np.array([0.1, 0.5, 0.9])
    found = variances(spread, noise, seeds, chance) + noise
    whole = probability(1e4)
    # A small quantile of χ² is a large variance.
    np.testing.assert_allclose([probability(to) / whole for to in found], 1 - chance, rtol=1e-5)


def test_a_mean_stays_within_its_range():
    chance = np.array([1e-9, 0.5, 1 - 1e-9])
    found = within(np.full(3, 0.98), np.full(3, 0.1), 0.0, 1.0, chance)
    assert found[0] == pytest.approx(0.98 - 0.1 * 5.8, abs=0.03)
    assert found[2] == pytest.approx(1.0, abs=1e-6)
    assert (found <= 1).all()


def test_cases_and_seeds_add_up():
    """The variance over retrained models is that of the fitted ones plus that of the seeds, net of the cases."""
    evidence = br.from_outcomes(FRAME, **SEEDS)
    fitted, over = (
        drawn(br.fit(evidence, model, seed=1, draws=5000)) for model in ("paired", None)
    )
    means, noise = (evidence[name].sel(entity="a").values for name in ("seed_mean", "seed_noise"))
    net = variances(means.var(ddof=1), float(noise), 5, np.random.default_rng(1).random(400_000))
    expected = fitted.sel(entity="a").var().item() + net.mean() / 5
    assert over.sel(entity="a").var().item() == pytest.approx(expected, rel=0.06)
    assert over.sel(entity="a").mean().item() == pytest.approx(
        fitted.sel(entity="a").mean().item(), abs=0.002
    )


def test_the_verdict_says_over_which_models():
    evidence = br.from_outcomes(FRAME, **SEEDS)
    over = br.credible_ranking(br.fit(evidence, seed=1))
    fitted = br.credible_ranking(br.fit(evidence, "paired", seed=1))
    assert "over retrained models" in br.verdict(over)[0]
    assert "for these fitted models" in br.verdict(fitted)[0]
    assert "over_retrained" in codes_in(over)
    assert "for_fitted_models" in codes_in(fitted)
    assert [json.loads(br.board(one))["population"] for one in (over, fitted)] == [
        "over retrained models",
        "for these fitted models",
    ]
    assert over["tier"].sel(entity="c") > 1
    np.testing.assert_allclose(over["observed"], FRAME[list("abc")].mean(), rtol=1e-12)


@pytest.mark.parametrize(
    ("seeds", "caps"), [(2, ["seeds_too_few"]), (3, ["seeds_too_few"]), (4, [])]
)
def test_few_seeds_support_no_claim(seeds, caps):
    frame = outcomes(2000, seeds, 0.001, (0.9, 0.5), np.random.default_rng(2))
    ranking = br.credible_ranking(br.fit(br.from_outcomes(frame, **SEEDS), seed=1))
    assert ranking.attrs["caps"] == caps
    assert ranking.attrs["headline"] == ("leads" if caps else "best")
    if caps:
        assert f"{seeds} training seeds are too few to rule out b" in br.verdict(ranking)[0]


def test_runs_that_are_retrained_models_are_refused():
    with pytest.raises(
        br.ArgumentError, match=r"run must name repetitions.*training_seed='seed' instead"
    ):
        br.from_outcomes(APART, case="case", run="seed")
    one_model = outcomes(spread=0.0, rng=np.random.default_rng(3))
    assert "runs_differ" not in codes_in(br.from_outcomes(one_model, case="case", run="seed").attrs)


def test_runs_in_doubt_cap_the_headline():
    frame = outcomes(2000, 5, 0.0, (0.9, 0.5), np.random.default_rng(2))
    wrong = frame.index[(frame["seed"] == 4) & (frame["a"] == 1)][:60]
    frame.loc[wrong, "a"] = 0
    evidence = br.from_outcomes(frame, case="case", run="seed")
    ranking = br.credible_ranking(br.fit(evidence, seed=1))
    assert ranking.attrs["caps"] == ["runs_differ"]
    assert "runs of a differ more than their cases allow" in br.verdict(ranking)[0]
    assert "--training-seed" in "\n".join(br.notes(ranking) + br.verdict(ranking))


def test_seeds_may_differ_between_entities():
    frame = FRAME.copy()
    frame.loc[frame["seed"] == 4, "b"] = np.nan
    evidence = br.from_outcomes(frame, **SEEDS)
    assert evidence["seed_mean"].isnull().sum().item() == 1
    long = FRAME.melt(["case", "seed"], var_name="model", value_name="correct")
    long = long[(long["model"] != "b") | (long["seed"] != 4)]
    same = br.from_frame(long, training_seed="seed")
    np.testing.assert_array_equal(same["seed_mean"].sel(entity=list("abc")), evidence["seed_mean"])
    np.testing.assert_allclose(same["outcome"].sel(entity="b").min(), 0.0)
    assert br.fit(same, seed=1, draws=50) is not None


def test_runs_of_a_fitted_model_count_as_one_outcome():
    other = outcomes(rng=np.random.default_rng(9))
    both = pd.concat([FRAME.assign(run=1), other.assign(run=2)])
    found = br.from_outcomes(both, **SEEDS, run="run")
    half = FRAME.assign(**{name: (FRAME[name] + other[name]) / 2 for name in "abc"})
    np.testing.assert_allclose(
        found["seed_mean"], br.from_outcomes(half, **SEEDS)["seed_mean"], rtol=1e-12
    )


def test_order_has_no_effect():
    posterior = br.fit(br.from_outcomes(FRAME, **SEEDS), seed=1, draws=100)
    mixed = FRAME.sample(frac=1, random_state=1)[["c", "seed", "a", "case", "b"]]
    again = br.fit(br.from_outcomes(mixed, **SEEDS), seed=1, draws=100)
    np.testing.assert_allclose(drawn(again).sel(entity=list("abc")), drawn(posterior), rtol=1e-9)


def test_equal_averages_are_no_identical_evidence():
    """b has the outcomes of a in every case, but its fitted models differ more."""
    frame = outcomes(100, 4, 0.0, (0.8,), np.random.default_rng(1))
    table = frame["a"].to_numpy().reshape(4, 100)
    frame["b"] = np.sort(table, axis=0).ravel()
    ranking = br.credible_ranking(br.fit(br.from_outcomes(frame, **SEEDS), seed=1))
    assert ranking["upper"].sel(entity="b") > ranking["upper"].sel(entity="a") + 0.05


@pytest.mark.parametrize(
    ("frame", "given", "said"),
    [
        (
            FRAME.drop(columns="case"),
            {"training_seed": "seed"},
            "case must be given with training_seed=",
        ),
        (FRAME[FRAME["seed"] == 0], SEEDS, "at least two seeds of each entity.*got 1 of 'a'"),
        (pd.concat([FRAME, FRAME]), SEEDS, "run must name each run of a case once"),
        (
            FRAME.assign(d=FRAME["case"] % 2),
            SEEDS | {"dataset": "d"},
            "dataset must have only one value if there are training seeds",
        ),
        (LACKING, SEEDS, "must contain an outcome of every"),
        (
            LACKING,
            SEEDS | {"missing": "own"},
            "each case for every training seed",
        ),
    ],
)
def test_bad_input(frame, given, said):
    with pytest.raises(br.ArgumentError, match=said):
        br.from_outcomes(frame, **given)


def test_missing_answers_of_a_seed():
    common = br.from_outcomes(LACKING, **SEEDS, missing="common")
    assert (common.attrs["cases"], common.attrs["cases_left_out"]) == (199, 1)
    zero = br.from_outcomes(LACKING, **SEEDS, missing=0)
    assert (
        zero["seed_mean"].sel(entity="b", training_seed=0) <= FRAME[FRAME["seed"] == 0]["b"].mean()
    )


def test_other_models_and_plans():
    evidence = br.from_outcomes(FRAME, **SEEDS)
    with pytest.raises(br.ArgumentError, match="must have training seeds"):
        br.fit(
            br.from_outcomes(FRAME[FRAME["seed"] == 0].drop(columns=["seed", "case"])), "retrained"
        )
    posterior = br.fit(evidence, seed=1)
    plan = br.plan(posterior)
    assert plan.attrs["unit"] == "training seeds"
    assert plan.attrs["fixed"] == "cases"
    with pytest.raises(br.ArgumentError, match="more must be 'training seeds' for this posterior"):
        br.plan(posterior, more="cases")
    with pytest.raises(br.ArgumentError, match="training seeds need retrained models"):
        br.plan(br.fit(evidence, "paired", seed=1), more="training seeds")
    assert br.sensitivity(evidence, draws=100, seed=1).sizes["alternative"] > 2


def test_the_command_reads_seeds(tmp_path):
    path = tmp_path / "seeds.csv"
    FRAME.melt(["case", "seed"], var_name="model", value_name="correct").to_csv(path, index=False)
    said = invoke("rank", path, "--training-seed", "seed")
    assert "over retrained models" in said
    ranking = br.credible_ranking(
        br.fit(br.from_frame(pd.read_csv(path), training_seed="seed"), seed=1)
    )
    assert br.verdict(ranking)[0] in said
    assert "--training-seed seed" in refused("rank", path)
    APART.melt(["case", "seed"], var_name="model", value_name="correct").to_csv(path, index=False)
    assert "--training-seed seed instead ranks retrained models" in refused(
        "rank", path, "--run", "seed"
    )
    FRAME.to_csv(path, index=False)
    assert "--training-seed seed says that it names training seeds" in refused("rank", path)
    assert "over retrained models" in invoke("rank", path, "--training-seed", "seed")
    named = FRAME.rename(columns={"seed": "training_seed"})
    named.to_csv(path, index=False)
    assert "over retrained models" in invoke("rank", path)
    labels = pd.DataFrame(
        {
            "case": [1, 1, 2, 2],
            "training_seed": [1, 2, 1, 2],
            "actual": list("aabb"),
            "m": list("abab"),
        }
    )
    labels.to_csv(path, index=False)
    assert "must not have a column training_seed beside actual" in refused("rank", path)
