"""Tables that would be read wrongly in silence are refused, with a remedy that works."""

import io

import pandas as pd
import pytest

import bayesrank as br

CELLS = {"tn": [1, 2], "fp": [1, 2], "fn": [1, 2], "tp": [1, 2]}


def test_rows_longer_than_the_heading_are_refused():
    text = "entity,tn,fp,fn,tp\na,70,10,9,21,3\nb,71,12,8,20,3\n"
    with pytest.raises(ValueError, match=r"index without a name holds 'a'.*longer than the heading"):
        br.from_frame(pd.read_csv(io.StringIO(text)))
    repaired = pd.read_csv(io.StringIO(text.replace("tp\n", "tp,extra\n")))
    assert br.from_frame(repaired).sel(entity="a").sum() == 110
    frame = pd.DataFrame(CELLS, index=["a", "b"])
    assert br.from_frame(frame.rename_axis("entity"))["entity"].values.tolist() == ["a", "b"]
    # Names of cases in the index of a table with one column an entity change nothing.
    assert br.from_frame(pd.DataFrame({"a": [1, 0], "b": [0, 0]}, index=["x", "y"]))["count"].sum() == 2


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"entity": ["a\0", "b"], **CELLS}, r"entity must hold names without the character NUL.*'a\\x00'"),
        ({"a\0": [1, 0], "b": [0, 1]}, "without the character NUL"),
        ({"entity": ["a"], "correct": ["1,234"], "total": ["2,000"]}, "a number with separators: write '1234'"),
        ({"a": ["1,234", "1,300", "2"], "b": ["2,000", "2,000", "1"]}, "a number with separators: write '1234'"),
        ({"entity": ["a", "b", "Total"], **{k: [*v, 3] for k, v in CELLS.items()}}, "leave that row out, or rename"),
        (
            {"entity": ["a"] * 3, "actual": ["x", "y", "total"], "predicted": ["x", "y", "total"], "count": [1, 2, 3]},
            "'total' must be no actual where it sums up the others .leave its rows out",
        ),
        ({"case": [1, 2, 3], "a": [1, 0, 1], "b": [1, 1, 0], "total": [2, 1, 1]}, r"entities=\['a', 'b'\] ranks these"),
        (
            {"case": ["1", "2", "3", "total"], "a": [1, 0, 1, 2], "b": [1, 1, 0, 2]},
            "case must name a case; got 'total'",
        ),
    ],
)
def test_a_field_that_is_no_count_says_what_to_type(frame, words):
    with pytest.raises(ValueError, match=words):
        br.from_frame(pd.DataFrame(frame))
