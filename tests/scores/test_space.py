"""What a score is of: two classes, classes, or outcomes without classes."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.scores.names import SCORES

TWO = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
THREE = br.from_matrix(np.array([[5, 1, 2], [2, 7, 1], [1, 0, 4]]), "actual_rows")
GRADES = xr.DataArray(
    [[3, 4, 5], [9, 4, 1]],
    {"entity": ["a", "b"], "outcome": [0.0, 0.5, 2.0]},
    ("entity", "outcome"),
)
SOURCES = {"binary": TWO, "classes": THREE, "outcomes": GRADES}
FITTING = {"binary": {"binary"}, "classes": {"binary", "classes"}, "outcomes": {"outcomes"}}


@pytest.mark.parametrize("space", SOURCES)
def test_a_score_is_of_its_space_and_messages_name_scores_that_fit(space):
    known = set()
    for name, score in SCORES.items():
        for given, source in SOURCES.items():
            if score.space != space or score.labels is not None:
                continue
            if given in FITTING[space]:
                assert score(source).name == name
                continue
            with pytest.raises(ValueError, match="score must be ") as error:
                score(source)
            named = str(error.value).split("; got ")[0].split("'")[1::2]
            assert named
            assert all(
                br.scores.get(one)(source).size for one in named if (given, one) not in known
            )
            known |= {(given, one) for one in named}


def test_the_mean_outcome_of_counts_probabilities_and_lazy_arrays_is_the_mean():
    expected = (GRADES.values * [0.0, 0.5, 2.0]).sum(1) / GRADES.values.sum(1)
    for source in (
        GRADES,
        br.as_performance(GRADES),
        br.as_performance(GRADES).chunk({"entity": 1, "outcome": 2}),
    ):
        found = br.scores.get("Mean outcome")(source)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert found.attrs["range"] == [0.0, 2.0]
    assert np.isnan(br.scores.mean_outcome(0 * GRADES)).all()
    assert br.scores.catalog()["space"].value_counts()["outcomes"] == 1


@pytest.mark.parametrize("method", ["draws", "auto", "exact"])
def test_outcomes_need_no_score(method):
    counts = GRADES.isel(outcome=[0, 2]).assign_coords(outcome=[0, 1])
    source = counts if method == "exact" else br.fit(counts, draws=200, seed=1)
    named, natural = (
        br.credible_ranking(source, score, method=method) for score in ("mean_outcome", None)
    )
    same = named.assign_attrs(notes=natural.attrs["notes"])
    xr.testing.assert_identical(same, natural)
    said = "No score was given: the ranking is by mean outcome, of outcomes from 0 to 1; higher is better."
    assert said in br.notes(natural)
    assert said not in br.notes(named)
    with pytest.raises(ValueError, match="score must be given"):
        br.credible_ranking(TWO, method=method)
