"""Results of tests need the truth: a table of them is no table of right and wrong answers."""

import pandas as pd
import pytest

import bayesrank as br
from tests.commands import invoke, refused
from tests.told import codes_in

RESULTS = pd.DataFrame({"rapid test": [1, 0, 1, 1, 0, 1] * 3, "testB": [0, 0, 1, 1, 0, 0] * 3})
SCANS = RESULTS.rename(columns={"rapid test": "mri", "testB": "ct"})


def test_the_truth_is_asked_for(tmp_path):
    path = tmp_path / "results.csv"
    RESULTS.to_csv(path, index=False)
    with pytest.raises(br.ArgumentError, match="must contain the truth beside results of tests"):
        br.from_frame(RESULTS)
    assert "--entities 'rapid test,testB' says so" in refused("rank", str(path))
    # Both ways out work.
    invoke("rank", str(path), "--entities", "rapid test,testB", "--draws", "50")
    with_truth = RESULTS.assign(actual=[1, 0, 1, 1, 0, 0] * 3)
    assert br.from_frame(with_truth)["predicted"].dims == ("pattern", "entity")


def test_of_people_the_assumption_is_a_note():
    assert "ones_taken_as_right" in codes_in(
        br.from_frame(SCANS.assign(patient=range(18)), case="patient").attrs
    )
    assert "ones_taken_as_right" in codes_in(br.from_frame(SCANS.assign(case=range(18))).attrs)
    assert "ones_taken_as_right" not in codes_in(br.from_frame(SCANS.astype(bool)).attrs)
    words = SCANS.replace({0: "wrong", 1: "right"})
    assert "ones_taken_as_right" not in codes_in(br.from_frame(words).attrs)


@pytest.mark.parametrize("names", [("fastest", "latest"), ("contest", "model")])
def test_names_that_only_hold_the_letters_are_no_tests(names):
    assert br.from_frame(RESULTS.set_axis(names, axis=1))["outcome"].shape[1] == 2


def test_numbers_other_than_0_and_1_are_no_results():
    assert br.from_frame(RESULTS * 4 + 1)["outcome"].shape[1] == 2
