"""Survey weights with strata and clusters: groups that are strata, weighted by the sums of their weights."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank as br
from tests.commands import csv_of

CLUSTERS, CASES, SHARES = 6, 5, {"north": 0.2, "south": 0.3, "west": 0.5}


def survey(seed=1):
    """Return grades of two entities in clusters within strata, with weights in proportion to the shares of strata.

    Means of clusters are symmetric about that of their stratum.
    """
    rng, parts = np.random.default_rng(seed), []
    means = {"a": np.linspace(-1, 1, CLUSTERS), "b": np.linspace(-2, 2, CLUSTERS)}
    for i, (stratum, share) in enumerate(SHARES.items()):
        cluster = np.repeat(np.arange(CLUSTERS), CASES)
        own = {
            name: 5 + 3 * i + rng.permutation(means[name])[cluster] + np.tile(np.arange(-2, 3), 6)
            for name in "ab"
        }
        names = [f"{stratum} {one}" for one in cluster]
        each = 7 * share / len(cluster)
        parts.append(pd.DataFrame(own | {"stratum": stratum, "psu": names, "weight": each}))
    return pd.concat(parts, ignore_index=True)


def ultimate_clusters(frame, entity):
    """Return the weighted mean and its standard error of a stratified sample of clusters, with replacement.

    The variance is the sum over strata of G / (G - 1) times the sum of squares, about their mean, of the sums of
    weighted residuals of clusters.
    """
    weight = frame["weight"] / frame["weight"].sum()
    mean = (weight * frame[entity]).sum()
    of_cluster = (weight * (frame[entity] - mean)).groupby([frame["stratum"], frame["psu"]]).sum()
    variance = 0.0
    for _, own in of_cluster.groupby(level=0):
        variance += len(own) / (len(own) - 1) * ((own - own.mean()) ** 2).sum()
    return mean, np.sqrt(variance)


@pytest.mark.parametrize("entity", ["a", "b"])
def test_the_spread_is_that_of_ultimate_clusters_within_strata(entity):
    frame = survey()
    evidence = br.from_outcomes(
        frame[["a", "b"]], cluster=frame["psu"], weight=frame["weight"], dataset=frame["stratum"]
    )
    posterior = br.fit(evidence, "paired", prior="haldane", draws=4000, seed=1)
    found = br.credible_ranking(
        posterior, over="dataset", aggregate="mean", weights="cases", prob=0.9
    ).sel(entity=entity)
    mean, error = ultimate_clusters(frame, entity)
    freedom = (CLUSTERS - 1) * sum(x**2 for x in SHARES.values()) ** 2
    freedom /= sum(x**4 for x in SHARES.values())
    expected = mean + np.array([-1, 1]) * stats.t.ppf(0.95, freedom) * error
    # Without strata, the interval is more than twice as wide. A weighted mean of 18 clusters is
    # not quite normal.
    ends = [found["lower"].item(), found["upper"].item()]
    np.testing.assert_allclose(ends, expected, rtol=0, atol=0.08 * error)
    assert found["observed"].item() == pytest.approx(mean)


def test_strata_weigh_as_the_sums_of_their_weights():
    frame = survey()
    right = (frame[["a", "b"]] > 8) * 1
    truth = np.arange(len(frame)) % 2
    guesses = {name: np.where(right[name], truth, 1 - truth) for name in "ab"}
    expected = {name: np.average(right[name], weights=frame["weight"]) for name in "ab"}
    names = {"weight": frame["weight"].to_numpy(), "dataset": frame["stratum"].to_numpy()}
    for evidence, model, score in (
        (br.from_outcomes(right, **names), "paired", "mean_outcome"),
        (br.joint_outcomes(truth, guesses, positive=1, **names), "paired", "accuracy"),
        (br.from_predictions(truth, guesses, positive=1, **names), "beta_binomial", "accuracy"),
    ):
        posterior = br.fit(evidence, model, draws=100, seed=1)
        found = br.credible_ranking(
            posterior, score, over="dataset", aggregate="mean", weights="cases"
        )
        seen = dict(zip(found["entity"].values.tolist(), found["observed"].values, strict=True))
        assert seen == pytest.approx(expected)


def test_without_weights_of_cases_strata_weigh_as_their_numbers_of_cases():
    frame = survey().iloc[: 2 * CLUSTERS * CASES + 5]
    right = (frame[["a", "b"]] > 8) * 1
    posterior = br.fit(
        br.from_outcomes(right, dataset=frame["stratum"]), "paired", draws=100, seed=1
    )
    found = br.credible_ranking(posterior, over="dataset", aggregate="mean", weights="cases")
    np.testing.assert_allclose(
        found["observed"].sel(entity=["a", "b"]), right.mean()[["a", "b"]].to_numpy()
    )


def test_the_command_takes_strata_as_groups(tmp_path):
    frame, path = survey(), tmp_path / "survey.csv"
    (frame[["a", "b"]] > 8).astype(int).join(frame[["stratum", "psu", "weight"]]).to_csv(
        path, index=False
    )
    options = "--entities a,b --group stratum --cluster psu --weight weight --weights cases"
    seen = csv_of("rank", path, *options.split())["observed"].to_dict()
    right = (frame[["a", "b"]] > 8).astype(int)
    assert seen == pytest.approx(
        {name: np.average(right[name], weights=frame["weight"]) for name in "ab"}, abs=1e-3
    )
