"""The checks themselves: what is no word, no number and no result is refused by name, on one line."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._checks import (
    check_by_entity,
    check_choice,
    check_entities,
    check_labelled_prevalence,
    check_numbers,
    check_result,
    check_sequence,
    class_shares,
    describe_value,
    rename_argument,
)

#: Arrays compare item by item, a Dataset is like every word, and a list has no hash.
STRANGE = [
    np.zeros((2, 3)),
    xr.DataArray(np.ones((2, 2)), dims=("x", "y")),
    xr.Dataset({"q": ("z", [1.0])}),
    ["f1"],
    {},
]
COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
POINT = br.as_performance(COUNTS)
THREE = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")


def test_one_of_many_names_the_first():
    assert check_choice("entity", 3, range(5)) == 3
    with pytest.raises(KeyError) as caught:
        check_choice("entity", "z", range(100), KeyError)
    assert caught.value.args[0] == (
        "entity must be one of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ... (100 in all)]; got 'z'"
    )
    with pytest.raises(ValueError, match=r"^how must be one of \['a'\], or a function; got int 3$"):
        check_choice("how", 3, ["a"], other="a function")


def test_results_are_known_by_their_variables():
    ranking = br.credible_ranking(POINT, "f1")
    assert check_result("br.credible_ranking", "ranking", ranking, ("tier", "rank")) is ranking
    for other in (None, ranking["tier"], ranking.drop_vars("tier")):
        with pytest.raises(ValueError, match=r"^ranking must come from br.credible_ranking; got "):
            check_result("br.credible_ranking", "ranking", other, ("tier", "rank"))


def test_errors_speak_of_the_callers_argument():
    with pytest.raises(KeyError) as caught, rename_argument("other", "score"):
        check_choice("score", "x", ["f1"], KeyError)
    assert caught.value.args[0] == "other must be one of ['f1']; got 'x'"
    with pytest.raises(ValueError, match=r"^scores differ$"), rename_argument("other", "score"):
        raise ValueError("scores differ")


def test_items_and_entities():
    assert check_sequence("scores", ("f1", "mcc")) == ["f1", "mcc"]
    for none in ("f1", 3, None):
        with pytest.raises(TypeError, match=r"^scores must be a sequence; got "):
            check_sequence("scores", none)
    assert check_by_entity("predictions", {"a": 1, "b": 2}, "labels") == ["a", "b"]
    with pytest.raises(
        TypeError, match=r"^predictions must be a mapping or a DataFrame from entity to labels; got list"
    ):
        check_by_entity("predictions", ["a"], "labels")
    with pytest.raises(ValueError, match=r"^predictions must hold at least one entity; got none$"):
        check_entities("predictions", [])
    with pytest.raises(ValueError, match=r"^predictions must hold each name once; got 'a' more than once$"):
        check_entities("predictions", ["a", "a"])


def test_shares_of_classes():
    share = check_labelled_prevalence(0.25)
    assert class_shares(share, POINT).values.tolist() == [0.75, 0.25]
    assert class_shares(share, POINT)["actual"].values.tolist() == ["negative", "positive"]
    three = xr.DataArray([0.2, 0.3, 0.5], dims="actual")
    assert class_shares(three, THREE) is three
    with pytest.raises(ValueError, match=r"^prevalence must sum to 1 over actual; got 1.1$"):
        class_shares(three + xr.DataArray([0.1, 0.0, 0.0], dims="actual"), THREE)
    with pytest.raises(ValueError, match=r"^prevalence must have the dim actual for 3 classes; got \(\)$"):
        class_shares(share, THREE)
    lacking = xr.DataArray([0.3, np.nan], dims="entity")
    xr.testing.assert_identical(check_labelled_prevalence(lacking, may_lack=True), lacking)
    with pytest.raises(ValueError, match=r"^prevalence must lie between 0 and 1; got nan$"):
        check_labelled_prevalence(lacking)
    with pytest.raises(TypeError, match=r"^prevalence must be a number or a DataArray; got list \[0.1\]$"):
        check_labelled_prevalence([0.1])


def test_a_dataset_holds_no_numbers():
    with pytest.raises(TypeError, match=r"^fpr must hold numbers; got a Dataset of \['fpr', 'tpr'\]$"):
        check_numbers("fpr", xr.Dataset({"fpr": 0.1, "tpr": 0.2}))


def test_words_stay_on_one_line():
    for strange in STRANGE:
        assert "\n" not in describe_value(strange)
    assert describe_value("a\nb") == r"str 'a\nb'"
