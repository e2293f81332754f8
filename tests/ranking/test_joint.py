"""A ranking without pairs: the same numbers, less of them; whoever needs the others says which."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.ranking import _confidence, credible
from bayesrank.ranking._tallies import mean_of_batches
from bayesrank.ranking.facts import FACTS
from bayesrank.ranking.without_draws import FACTS_OF_CLAIM

OF_PAIRS = {
    *(
        "superiority",
        "superiority_error",
        "equivalence",
        "sucra",
        "sucra_error",
        "poth",
        "poth_error",
    ),
    *(
        "rank_lower",
        "rank_upper",
        "in_best_set",
        "surely_above",
        "tier",
    ),
    *("rank_alone_lower", "rank_alone_upper", "difference", "difference_lower", "difference_upper"),
    *("consensus_rank", "consensus_position", "consensus_distance", "consensus_lower_bound"),
}


def values() -> xr.DataArray:
    """Some entities tied, one undefined in most draws, one in some; two data sets."""
    x = np.random.default_rng(1).normal(size=(2, 200, 2, 5)) + np.arange(5) / 5
    x[..., 1] = x[..., 2] = np.round(x[..., 2], 1)
    x[:, :150, 0, 4] = x[:, ::5, 1, 3] = np.nan
    return xr.DataArray(
        x, {"dataset": ["p", "q"], "entity": list("abcde")}, ("chain", "draw", "dataset", "entity")
    )


#: So many that a matrix product sums in another order than a loop.
MANY = xr.DataArray(
    np.random.default_rng(2).normal(0.3, 0.1, (4, 1000, 20)), dims=("chain", "draw", "entity")
)


@pytest.mark.parametrize(
    "source", [values(), values()[:, :, 0], values()[0, 0, 1, :3], values()[:, :, 1, :1], MANY]
)
@pytest.mark.parametrize("rope", [0.0, 0.2])
def test_all_but_the_pairs_is_the_same_to_the_last_bit(source, rope):
    whole, less = (br.credible_ranking(source, rope=rope, joint=joint) for joint in (True, False))
    assert set(whole) - set(less) - {*FACTS} == OF_PAIRS
    assert "rival" not in {*less.dims, *less.coords}
    for name in FACTS_OF_CLAIM:  # several rankings have them as variables
        whole.attrs.pop(name, None)
    xr.testing.assert_identical(less, whole[list(less)].drop_vars("rival", errors="ignore"))
    assert all(
        less[name].values.tobytes() == whole[name].values.tobytes()
        for name in less
        if name not in FACTS
    )


def test_pairs_are_never_compared(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("entities × entities")

    for module, name in (
        (credible, "compare_draws"),
        (credible, "_of_differences"),
        (_confidence, "separate"),
    ):
        monkeypatch.setattr(module, name, refuse)
    found = br.credible_ranking(values(), joint=False)
    assert found.sizes == {"dataset": 2, "entity": 5, "rank": 5}
    with pytest.raises(AssertionError, match="entities × entities"):
        br.credible_ranking(values())


def test_means_of_batches_have_the_standard_deviation_and_error_of_their_draws():
    draws = np.random.default_rng(1).normal(3.0, 2.0, (20, 500))
    mean, spread, error = mean_of_batches(
        draws.sum(1), (draws**2).sum(), np.full(20, 500), 10_000.0, 0.0
    )
    assert mean == pytest.approx(draws.mean())
    assert spread == pytest.approx(draws.std())
    # 20 batches know the error to 1 / sqrt(2 * 19); it is never below that of independent draws.
    assert spread / 100 <= error <= spread / 100 * (1 + 3 / np.sqrt(38))
    assert mean_of_batches(draws.sum(1), (draws**2).sum(), np.full(20, 500), 10.0, 1.0)[2] == 0.1


def test_equal_counts_on_other_test_sets_are_equal_evidence_unless_the_prevalence_matters():
    """Of five tests on two panels, the first and the last have equal counts, on other panels."""
    counts = br.from_counts(
        tn=[60, 50, 55, 57, 60],
        fp=[4, 14, 9, 7, 4],
        fn=[2, 8, 5, 4, 2],
        tp=[28, 22, 25, 26, 28],
        entity=list("abcde"),
    ).assign_coords(test_set=("entity", ["one", "one", "one", "two", "two"]))
    posterior = br.fit(counts, seed=1, draws=250)
    columns = ["probability_best", "expected_rank", "rank_lower", "rank_upper"]

    def of(score, entity):
        return br.credible_ranking(posterior, score)[columns].sel(entity=entity).drop_vars("entity")

    xr.testing.assert_equal(of("informedness", "a"), of("informedness", "e"))
    assert not of("accuracy", "a").equals(of("accuracy", "e"))
