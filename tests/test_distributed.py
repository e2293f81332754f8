"""Two workers of a local cluster draw what one process draws."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from tests.scripts import load_script


@pytest.mark.slow
def test_the_example(capsys):
    pytest.importorskip("distributed")
    load_script("examples/two_workers.py").main()
    said = capsys.readouterr().out
    assert said.startswith("2 workers; chunks of (1, 2000, 108, 2, 2)")
    assert said.endswith("The ranking in memory has the same numbers.\n")


@pytest.mark.slow
def test_a_table_on_disk_is_counted_by_workers(capsys):
    pytest.importorskip("distributed")
    load_script("examples/table_on_disk.py").main(2_500_000)
    assert capsys.readouterr().out.startswith("large is best: P(best) > 0.999.")


@pytest.mark.slow
def test_workers_give_the_numbers_of_one_process():
    distributed = pytest.importorskip("distributed")
    matrices = br.from_matrix(np.random.default_rng(1).integers(1, 30, (3, 3, 3)), "actual_rows")
    pair = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    cases = br.joint_outcomes([0, 0, 1, 1] * 9, {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9})
    made = {
        "ranking": (
            matrices,
            "dirichlet_multinomial",
            lambda p: br.credible_ranking(p, "macro_f1"),
        ),
        "table": (pair, "dirichlet_multinomial", lambda p: br.score_table(p, ["f1", "mcc"])),
        "tile": (pair, "dirichlet_multinomial", lambda p: br.tile.credible(p, 5)),
        "paired": (cases, "paired", lambda p: br.credible_ranking(p, "accuracy")),
        "classes": (matrices, "hierarchical_classes", lambda p: br.credible_ranking(p, "mcc")),
    }
    run = {"draws": 2300, "chains": 2, "seed": 1}
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        found = {
            name: make(br.fit(evidence, model, chunks=1000, **run)).compute()
            for name, (evidence, model, make) in made.items()
        }
    for name, (evidence, model, make) in made.items():
        xr.testing.assert_identical(found[name], make(br.fit(evidence, model, **run)))
