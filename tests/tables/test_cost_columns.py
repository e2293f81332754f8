"""A column that is named like a cost is an entity only where all columns are, and there are several."""

import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core.errors import ArgumentError

CASES = [f"q{i}" for i in range(6)]
COSTS = {"gpt cost": [0.5, 0.2, 0.4, 0.3, 0.1, 0.6], "llama cost": [0.1, 0.2, 0.2, 0.1, 0.3, 0.1]}
RIGHT = {"a": [1, 0, 1, 1, 0, 1], "b": [0, 0, 1, 1, 1, 1]}


def test_costs_of_several_entities_are_their_outcomes():
    joint = br.from_frame(pd.DataFrame({"case": CASES, **COSTS}))
    assert joint["entity"].values.tolist() == list(COSTS)
    mean = (joint["outcome"] * joint["count"]).sum("pattern") / joint["count"].sum()
    assert mean.values.tolist() == pytest.approx([0.35, 1 / 6])


@pytest.mark.parametrize(
    "columns",
    [
        {"gpt cost": COSTS["gpt cost"]},
        {**RIGHT, "llama cost": COSTS["llama cost"]},
        {**RIGHT, **COSTS},
    ],
)
def test_a_cost_alone_or_beside_answers_is_refused(columns):
    with pytest.raises(ArgumentError, match="cost' is probably not an entity"):
        br.from_frame(pd.DataFrame({"case": CASES, **columns}))
