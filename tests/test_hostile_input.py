"""Input that is odd, huge or broken ends in words, at once; a known answer where there is one."""

import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._checks import available_memory, check_memory, container_limits
from bayesrank.cli._files import read_evidence
from bayesrank.evidence._values import as_count, as_label_columns

COUNTS = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 11], tp=[21, 19], entity=["a", "b"])
POSTERIOR = br.fit(COUNTS, draws=50, chains=2, seed=1)
PERFORMANCE = br.as_performance(POSTERIOR)
POINT = br.as_performance(COUNTS)
MANY = xr.DataArray(np.zeros((1, 2, 60_000)), dims=("chain", "draw", "entity"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: br.tile.value(PERFORMANCE, 10**5), "resolution must be lower"),
        (lambda: br.tile.credible(PERFORMANCE, 10**5), "resolution must be lower"),
        (lambda: br.tile.entity(POINT, resolution=10**5), "resolution must be lower"),
        (lambda: br.tile.entity_rank(POINT, "a", 10**5), "resolution must be lower"),
        (lambda: br.tile.probability_best(PERFORMANCE, 10**5), "resolution must be lower"),
        (lambda: br.predictive.confusion_pmf(COUNTS.sel(entity="a"), positives=10**10), "must be smaller"),
        (lambda: br.credible_ranking(MANY, joint=False, higher_is_better=True), "source must hold fewer entities"),
        (lambda: br.credible_ranking(MANY, higher_is_better=True), "source must hold fewer entities"),
        (lambda: br.credible_ranking(POSTERIOR, "f1", prob=1e-18), "prob must lie between 1e-12"),
        (lambda: br.from_counts(tn=10**400, fp=1, fn=1, tp=1), "tn must"),
        (lambda: br.scores.f_beta(10**400), "beta must lie within 1.8e308"),
        (lambda: br.fit(COUNTS, draws=10**5000), "draws must be at least 1, and within 4.6e18"),
        (lambda: br.ops.on_tile(PERFORMANCE.rename(entity="a"), 3), "must not have the dims a and b"),
        (lambda: br.decisions.noninferiority(PERFORMANCE.assign_coords(entity=["a", "a"]), "a"), "once"),
        (lambda: br.tile.regions(-COUNTS), "no negative counts"),
        (lambda: br.sensitivity(COUNTS.expand_dims(fold=2), "f1", draws=20), "must have the dims"),
        (lambda: br.sensitivity(COUNTS.assign_coords(actual=["x", "x"], predicted=["x", "x"]), "f1"), "once"),
    ],
)
def test_refused_in_words_before_the_work(call, words):
    tracemalloc.start()
    with pytest.raises(ValueError, match=words) as caught:
        call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50e6
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("prob", [1e-12, 1e-6, 1 - 1e-12])
def test_probabilities_next_to_the_ends(prob):
    found = br.credible_ranking(POSTERIOR, "f1", prob=prob, method="auto")
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


def test_the_largest_outcomes_raise_no_warning():
    frame = pd.DataFrame({"a": [1e308, -1e308, 5e307], "b": [1e308, 1e308, 1e307]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        br.credible_ranking(br.fit(br.from_outcomes(frame), "paired", draws=50, seed=1), "mean_outcome")


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
        "from bayesrank._checks import fits_memory; fits_memory('x must be fewer', 'x', (2**28,), '1')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "more than half of the memory that this process may use (3.0 GiB)" in done.stderr
    check_memory("x must be fewer", "x", (8,), "1")
    assert available_memory()[0] > 2**20


@pytest.mark.parametrize(
    "text", ["1.000", "1_000", "+5", "1,000", "-1", "1e3", "", "5.", "5.00", "nan", "9" * 400, "²"]
)
def test_what_is_no_count_in_a_file(text):
    assert as_count(text) is None


@pytest.mark.parametrize(("text", "count"), [("5", 5), ("5.0", 5), ("007", 7), ("0", 0)])
def test_what_is_a_count_in_a_file(text, count):
    assert as_count(text) == count


def test_counts_of_a_file_are_refused_with_line_and_column(tmp_path):
    for text in ("1.000", "1_000", "+5"):
        path = tmp_path / "counts.csv"
        path.write_text(f"entity,tn,fp,fn,tp\na,70,10,9,21\nb,79,{text},11,19\n")
        with pytest.raises(ValueError, match="line 3: fp must be a count"):
            read_evidence(str(path))


def test_codes_stay_apart(tmp_path):
    assert as_label_columns(["01", "1"], ["1", "01"]) == [["01", "1"], ["1", "01"]]
    assert as_label_columns(["1", "10", "2"]) == [[1, 10, 2]]
    assert as_label_columns(["1.5", "-2", "0", "0.5", None]) == [[1.5, -2.0, 0.0, 0.5, None]]
    path = tmp_path / "cases.csv"
    path.write_text("actual,a,b\n01,01,1\n1,1,01\n01,01,01\n")
    found = read_evidence(str(path))
    assert sorted(map(str, found["label"].values)) == ["01", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_closed_streams_end_without_a_traceback(closed):
    code = "from bayesrank.cli import main; main()"
    done = subprocess.run(
        f'"{sys.executable}" -c "{code}" datasets {closed}', shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1
