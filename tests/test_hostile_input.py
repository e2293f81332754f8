"""Input that is odd, huge or broken ends in words, at once; a known answer where there is one."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._checks import available_memory, check_memory, container_limits
from bayesrank.tables.files import read_evidence
from bayesrank.tables.values import as_count, as_label_columns, as_outcomes
from bayesrank.tile.grid import with_entity

COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 11], tp=[21, 19], entity=["a", "b"])
POSTERIOR = br.fit(COUNTS, draws=50, chains=2, seed=1)
POINT = br.as_performance(COUNTS)


@pytest.mark.parametrize("prob", [1e-12, 1 - 1e-12])
def test_probabilities_next_to_the_ends(prob):
    found = br.credible_ranking(POSTERIOR, "tpr", prob=prob, method="auto")
    assert (found["lower"] <= found["median"]).all()
    assert (found["median"] <= found["upper"]).all()


def test_lazy_counts_are_compared():
    xr.testing.assert_allclose(
        br.decisions.noninferiority(COUNTS.chunk(entity=1), "a"), br.decisions.noninferiority(COUNTS, "a")
    )


def test_a_point_estimate_has_a_score_table():
    table = br.score_table(POINT, ["f1", "mcc"])
    np.testing.assert_allclose(table["median"].sel(score="f1"), br.scores.f1(POINT))


def test_a_table_without_the_coord_entity_is_predicted():
    one = COUNTS.isel(entity=[0])
    found = br.predictive.confusion_pmf(one.drop_vars("entity"))
    np.testing.assert_array_equal(found.values, br.predictive.confusion_pmf(one).values)


def test_the_largest_outcomes_are_ranked_as_small_ones():
    """A power of two changes no digit: values and losses are scaled by it, and nothing else is changed."""
    small, scale = pd.DataFrame({"a": [1.0, -1.0, 0.5], "b": [1.0, 1.0, 0.1]}), 2.0**332
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, large = (
            br.credible_ranking(br.fit(br.from_outcomes(frame), "paired", draws=50, seed=1), "mean_outcome")
            for frame in (small, scale * small)
        )
    for name in ("lower", "median", "upper", "observed", "expected_regret"):
        np.testing.assert_array_equal(large[name], scale * found[name], err_msg=name)
    for name in ("rank_probability", "superiority", "contradicted", "tier"):
        np.testing.assert_array_equal(large[name], found[name], err_msg=name)


def test_limits_of_containers_are_read(tmp_path):
    root, own = tmp_path / "cgroup", tmp_path / "self"
    inner = root / "pod" / "task"
    inner.mkdir(parents=True)
    own.write_text("0::/pod/task\n")
    assert container_limits(root, own) == []
    (inner / "memory.max").write_text("max\n")
    (root / "pod" / "memory.max").write_text("1000000\n")
    assert container_limits(root, own) == [1e6]
    old = root / "memory" / "docker"
    old.mkdir(parents=True)
    (old / "memory.limit_in_bytes").write_text("2000000\n")
    own.write_text("4:cpu:/elsewhere\n3:memory:/docker\n")
    assert container_limits(root, own) == [2e6]
    assert container_limits(tmp_path / "no", tmp_path / "none") == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
def test_the_limit_of_the_process_counts():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30));"
        "from bayesrank._checks import check_memory; check_memory('x must be fewer', 'x', (2**28,), '1')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "more than half of the memory that this process may use (3.0 GiB)" in done.stderr
    check_memory("x must be fewer", "x", (8,), "1")
    assert available_memory()[0] > 2**20


def test_what_is_a_count_in_a_file():
    assert [as_count(text) for text in ("5", "5.0", "007", "0")] == [5, 5, 7, 0]
    for text in ("1.000", "1_000", "+5", "1,000", "-1", "1e3", "", "nan", "9" * 400, "²"):
        assert as_count(text) is None


def test_codes_stay_apart(tmp_path):
    assert as_label_columns(["01", "1"], ["1", "01"]) == [["01", "1"], ["1", "01"]]
    assert as_label_columns(["1", "10", "2"]) == [[1, 10, 2]]
    assert as_label_columns(["1.5", "-2", "0", "0.5", None]) == [[1.5, -2.0, 0.0, 0.5, None]]
    path = tmp_path / "cases.csv"
    path.write_text("actual,a,b\n01,01,1\n1,1,01\n01,01,01\n")
    assert sorted(map(str, read_evidence(str(path))["label"].values)) == ["01", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "<&- 2>&-"])
def test_closed_streams_end_without_a_traceback(closed):
    command = f'"{sys.executable}" -c "from bayesrank.cli import main; main()" --version {closed}'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


# --- Few entities, holes, other orders ------------------------------------------------------------------------------


def test_one_selected_entity_is_analysed_under_its_name():
    one, both = (br.score_posterior(counts, "tpr").cdf([0.5, 0.8]) for counts in (COUNTS.sel(entity="b"), COUNTS))
    np.testing.assert_array_equal(one, both.sel(entity="b"))
    draws = br.as_performance(POSTERIOR)
    # Every function of the Tile begins with this one, so that none of them is compiled for it.
    np.testing.assert_array_equal(with_entity(draws.sel(entity="b"), None).sel(entity="b"), draws.sel(entity="b"))
    best = br.tile.probability_best(draws.sel(entity="b"), 3)
    assert best["entity"].values.tolist() == ["b"]
    for call in (br.tile.baseline, br.tile.state_of_the_art):
        xr.testing.assert_allclose(
            call(POINT.sel(entity="a"), 3), br.tile.value(POINT.sel(entity="a", drop=True), 3), check_dim_order=True
        )


def test_what_is_not_known_stays_unknown():
    only_negatives = br.performance.shift_prior(br.from_counts(tn=8, fp=2, fn=0, tp=0), 0.3)
    assert br.scores.tnr(only_negatives).item() == pytest.approx(0.8)
    assert np.isnan(br.scores.tpr(only_negatives)).all()
    shifted = br.performance.shift_prior(POINT, xr.DataArray([0.3, np.nan], {"entity": ["a", "b"]}, ("entity",)))
    assert shifted.isnull().all(["actual", "predicted"]).values.tolist() == [False, True]
    assert shifted.isnull().any(["actual", "predicted"]).values.tolist() == [False, True]


def test_relations_match_entities_by_name():
    values = br.scores.ppv(
        br.from_counts(tn=[8, 9, 9], fp=[1, 0, 0], fn=[0, 1, 1], tp=[1, 0, 0], entity=["a", "b", "c"])
    )
    performance = br.as_performance(
        br.from_counts(tn=[9, 8, 9], fp=[0, 1, 0], fn=[1, 0, 1], tp=[0, 1, 0], entity=["c", "a", "b"])
    )
    found = br.theory.relations(values, performance)
    assert found["equivalent"].sel(entity="b", rival="c")
    assert found["incomparable"].sel(entity="a", rival="b")
    with pytest.raises(ValueError, match="performance must have the entities of values"):
        br.theory.relations(values, performance.isel(entity=[0, 1]))


def test_numbers_beside_words_for_right_and_wrong_are_0_and_1_only():
    """Another number would be on another scale: it stays text, and is refused by name."""
    assert as_outcomes(["yes", "no", "1", "0", 1, "", "2"]) == [1, 0, 1, 0, 1, None, "2"]
    assert as_outcomes(["1", "0", "2"]) == [1, 0, 2]
