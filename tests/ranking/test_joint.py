"""A ranking without pairs: the same numbers, less of them; whoever needs the others says which."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.ranking import _confidence, credible
from bayesrank.report import ranking_report

OF_PAIRS = {
    *("superiority", "superiority_error", "equivalence", "sucra", "sucra_error", "poth", "poth_error"),
    *("rank_confidence_lower", "rank_confidence_upper", "in_best_confidence_set", "tier"),
    *("consensus_rank", "consensus_position", "consensus_distance", "consensus_lower_bound"),
}


def values() -> xr.DataArray:
    """Some entities tied, one undefined in most draws, one in some; two data sets."""
    x = np.random.default_rng(1).normal(size=(2, 200, 2, 5)) + np.arange(5) / 5
    x[..., 1] = x[..., 2] = np.round(x[..., 2], 1)
    x[:, :150, 0, 4] = x[:, ::5, 1, 3] = np.nan
    return xr.DataArray(x, {"dataset": ["p", "q"], "entity": list("abcde")}, ("chain", "draw", "dataset", "entity"))


#: So many that a matrix product sums in another order than a loop.
MANY = xr.DataArray(np.random.default_rng(2).normal(0.3, 0.1, (4, 1000, 20)), dims=("chain", "draw", "entity"))


@pytest.mark.parametrize("source", [values(), values()[:, :, 0], values()[0, 0, 1, :3], values()[:, :, 1, :1], MANY])
@pytest.mark.parametrize("rope", [0.0, 0.2])
def test_all_but_the_pairs_is_the_same_to_the_last_bit(source, rope):
    whole, less = (br.credible_ranking(source, rope=rope, joint=joint) for joint in (True, False))
    assert set(whole) - set(less) == OF_PAIRS
    assert "rival" not in {*less.dims, *less.coords}
    assert whole.attrs.pop("confidence_sets") == "joint"
    xr.testing.assert_identical(less, whole[list(less)].drop_vars("rival", errors="ignore"))
    assert all(less[name].values.tobytes() == whole[name].values.tobytes() for name in less if name != "notes")


def test_pairs_are_never_compared(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("entities × entities")

    for module, name in ((credible, "compare"), (credible, "_of_differences"), (_confidence, "separate")):
        monkeypatch.setattr(module, name, refuse)
    found = br.credible_ranking(values(), joint=False)
    assert found.sizes == {"dataset": 2, "entity": 5, "rank": 5}
    with pytest.raises(AssertionError, match="entities × entities"):
        br.credible_ranking(values())


def test_the_table_goes_by_expected_ranks_and_who_is_not_ranked_comes_last():
    found = br.credible_ranking(values()[:, :, 0], joint=False)
    table = br.ranking_table(found)
    assert table.index[table["rank_lower"].isna()].tolist() == ["e"] == table.index[-1:].tolist()
    assert table["expected_rank"].iloc[:-1].is_monotonic_increasing
    assert not {"tier", "consensus_rank", "rank_confidence_lower"} & set(table)


@pytest.mark.parametrize("picture", ["forest", "rank_heatmap"])
def test_pictures_of_scores_and_ranks_do_without(picture):
    found = br.credible_ranking(values()[:, :, 1], joint=False)
    names = [label.get_text() for label in getattr(br.plots, picture)(found).get_yticklabels()]
    assert names == br.ranking_table(found).index.tolist()


@pytest.mark.parametrize("consumer", [br.verdict, br.board, br.plots.superiority])
@pytest.mark.parametrize("dropped", sorted({"superiority", "tier", "consensus_position"}))
def test_what_needs_pairs_names_what_is_lacking_and_who_gives_it(consumer, dropped):
    with pytest.raises(ValueError, match=r"ranking must hold superiority, .*joint=True"):
        consumer(br.credible_ranking(values()[:, :, 1], joint=False))
    with pytest.raises(ValueError, match=rf"ranking must hold {dropped}, .*joint=True"):
        consumer(br.credible_ranking(values()[:, :, 1]).drop_vars(dropped))


def test_a_report_says_that_a_ranking_lacks_pairs_not_that_it_is_none():
    posterior = br.fit(br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29]), draws=50, seed=1)
    with pytest.raises(ValueError, match=r"ranking must hold superiority, .*joint=True"):
        ranking_report(posterior, "f1", ranking=br.credible_ranking(posterior, "f1", joint=False))


def test_a_ranking_without_pairs_becomes_a_frame_and_a_file(tmp_path):
    found = br.credible_ranking(values()[:, :, 1], joint=False)
    assert len(found.drop_dims("rank").to_dataframe()) == 5
    found.to_netcdf(tmp_path / "ranking.nc")
    with xr.open_dataset(tmp_path / "ranking.nc") as again:
        assert br.ranking_table(again.load()).equals(br.ranking_table(found))


@pytest.mark.parametrize("joint", [None, 1, "yes"])
def test_joint_is_true_or_false(joint):
    with pytest.raises(TypeError, match="joint must be True or False"):
        br.credible_ranking(values(), joint=joint)
