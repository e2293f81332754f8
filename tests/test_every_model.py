"""What holds of every model: order, other entities and longer runs change no draw, and unmeasured pairs are unknown."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models import names

RNG = np.random.default_rng(3)
#: Three entities on four data sets, two of which have the same class sizes; the last one was not on the second.
SIZES = {"w": (10, 12), "x": (20, 30), "y": (20, 30), "z": (7, 9)}
ROWS = []
for entity in "abc":
    for dataset, (positives, negatives) in SIZES.items():
        tp, tn = RNG.binomial(positives, 0.7), RNG.binomial(negatives, 0.8)
        cells = {"tp": tp, "fn": positives - tp, "tn": tn, "fp": negatives - tn}
        ROWS.append({"entity": entity, "dataset": dataset, **cells})
FRAME = pd.DataFrame(ROWS)
COUNTS = br.from_frame(FRAME, dataset="dataset")
PARTIAL = br.from_frame(
    FRAME[(FRAME["entity"] != "c") | (FRAME["dataset"] != "x")], dataset="dataset"
)
GRADES = xr.DataArray(
    RNG.integers(0, 9, (2, 3, 3)), {"entity": ["a", "b"], "dataset": list("xyz"), "outcome": [0, 1, 2]},
    ("entity", "dataset", "outcome"),
)  # fmt: skip
TRUTH = RNG.integers(0, 2, 60)
ANSWERS = {name: np.where(RNG.random(60) < 0.8, TRUTH, 1 - TRUTH) for name in "abc"}
GAPS = (
    pd.DataFrame(RNG.random((60, 3)) < 0.7, columns=list("abc"))
    .astype(float)
    .mask(RNG.random((60, 3)) < 0.2)
)
PREDICTED = ["posterior_predictive", "prior_predictive", "log_likelihood"]
CASES = {
    "dirichlet_multinomial": (COUNTS, "dirichlet_multinomial", PREDICTED),
    "outcomes": (GRADES, "dirichlet_multinomial", PREDICTED),
    "beta_binomial": (COUNTS, "beta_binomial", PREDICTED),
    "hierarchical_beta_binomial": (COUNTS, "hierarchical_beta_binomial", PREDICTED),
    "entities as a population": (COUNTS.sel(dataset="w"), "hierarchical_beta_binomial", PREDICTED),
    "hierarchical_classes": (COUNTS, "hierarchical_classes", PREDICTED),
    "hierarchical_logit_normal": (COUNTS, "hierarchical_logit_normal", []),
    "crossed_logit_normal": (COUNTS, "crossed_logit_normal", []),
    "crossed, incomplete": (PARTIAL, "crossed_logit_normal", []),
    "paired": (
        br.joint_outcomes(TRUTH, ANSWERS, dataset=np.repeat(["x", "y"], 30)),
        "paired",
        ["prior"],
    ),
    "paired clusters": (
        br.joint_outcomes(TRUTH, ANSWERS, cluster=np.arange(60) // 4),
        "paired",
        ["prior"],
    ),
    "paired outcomes": (br.from_outcomes(GAPS, missing="own"), "paired", ["prior"]),
}
EXACT = sorted(name for name in CASES if "logit_normal" not in CASES[name][1])


def fit(evidence, model, **options):
    return groups_of(br.fit(evidence, model, **{"draws": 40, "chains": 2, "seed": 1} | options))


def assert_same_draws(name, found, wanted):
    """Bit for bit, but for sums of products, whose last digits depend on their number."""
    for variable, values in wanted.data_vars.items():
        rtol = 1e-9 if name.startswith(("paired", "hierarchical", "entities", "crossed")) else 0
        np.testing.assert_allclose(
            found[variable].transpose(*values.dims), values, rtol=rtol, err_msg=variable
        )


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_the_evidence_changes_no_number(name):
    evidence, model, groups = CASES[name]
    dims = {"entity", "dataset", "pattern"} & set(evidence.dims)
    moved = evidence.isel({dim: RNG.permutation(evidence.sizes[dim]) for dim in sorted(dims)})
    if "cluster" in moved.coords:
        moved = moved.assign_coords(cluster=97 * moved["cluster"] % 41)
    found, other = (fit(each, model, groups=groups) for each in (evidence, moved))
    for group in ("posterior", *groups):
        # Test sets are numbered by first appearance.
        kept = [v for v in found[group] if not {"test_set", "table"} & set(found[group][v].dims)]
        labels = {
            dim: found[group][dim].values
            for dim in ("entity", "dataset")
            if dim in found[group].dims
        }
        assert kept
        assert_same_draws(name, other[group].sel(labels)[kept], found[group][kept])


@pytest.mark.parametrize("name", EXACT)
def test_a_short_run_begins_a_long_one(name):
    evidence, model, _ = CASES[name]
    short, long = (fit(evidence, model, draws=draws)["posterior"] for draws in (40, 1100))
    assert_same_draws(name, long.isel(draw=slice(40)), short)


@pytest.mark.parametrize(
    "name", [name for name in EXACT if not name.startswith(("paired", "entities"))]
)
def test_another_entity_changes_no_draw(name):
    evidence, model, _ = CASES[name]
    whole, alone = (
        fit(each, model)["posterior"] for each in (evidence, evidence.sel(entity=["b"]))
    )
    assert_same_draws(name, whole.sel(entity=["b"]), alone)


@pytest.mark.parametrize("model", [name for name in CASES if name in names() and name != "paired"])
def test_unmeasured_pairs_are_undefined(model):
    found = fit(PARTIAL, model, groups=["posterior_predictive", "log_likelihood"])
    here = {"entity": "c", "dataset": "x"}
    known = (
        found["posterior"]["performance"].notnull().all(["chain", "draw", "actual", "predicted"])
    )
    xr.testing.assert_equal(
        known.reset_coords(drop=True), PARTIAL["measured"].reset_coords(drop=True)
    )
    tables = found["log_likelihood"]["counts"]
    assert ("c", "x") not in zip(tables["entity"].values, tables["dataset"].values, strict=True)
    assert tables.sizes["table"] == 11
    assert tables.notnull().all()
    assert (found["posterior_predictive"]["counts"].sel(here) == 0).all()
    assert (
        found["posterior_predictive"]["counts"].drop_sel(dataset="x").sum(["actual", "predicted"])
        > 0
    ).all()
