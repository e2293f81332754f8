"""Scores travel to other processes, and are equal to their copies."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.scores import SCORES
from bayesrank.scores.contours import closed_form
from bayesrank.scores.derived import logarithm
from bayesrank.scores.forms import Contour

CELLS = np.random.default_rng(3).integers(1, 40, (4, 200))
THREE = br.from_matrix([[5, 1, 0], [2, 7, 1], [1, 0, 4]], "actual_rows")
BY_CLASS = xr.DataArray([1.0, 1.0, 5.0], dims="actual")


def hits(tn, fp, fn, tp):
    return tp


def own(name="hits"):
    return br.scores.Score(name, hits, contour=Contour(hits), reference="here")


MADE = {
    "event": lambda: br.scores.conditional_probability("mine", "fp fn", "fp fn tp"),
    "importance": lambda: br.scores.as_score(br.importance(tn=1, fp=2, fn=3, tp=4)),
    "place": lambda: br.scores.as_score((0.3, 0.9)),
    "canonical": lambda: br.scores.canonical(1.0, 0.5),
    "f_beta": lambda: br.scores.f_beta(3.0),
    "implicit": lambda: br.scores.implicit((0.3, 0.6), (0.6, 0.3)),
    "tversky": lambda: br.scores.tversky(0.3, 0.7),
    "weighted_accuracy": lambda: br.scores.weighted_accuracy(0.3),
    "decision_benefit": lambda: br.scores.decision_benefit([[0, -1], [-10, 5]]),
    "net_benefit": lambda: br.scores.net_benefit(0.2),
    "balanced": lambda: br.scores.balanced("mcc", "mine"),
    "balanced family": lambda: br.scores.balanced(br.scores.f_beta(3.0), "mine"),
    "scaled_log": lambda: br.scores.scaled_log("diagnostic_odds_ratio", 20, 40),
    "logarithm": lambda: logarithm(br.scores.f_beta(3.0), "log_f3"),
    "average": lambda: br.scores.average(br.scores.f_beta(3.0), "macro"),
    "average by name": lambda: br.scores.average("f1", "harmonic"),
    "own": own,
    "average of one's own": lambda: br.scores.average(own(), "smallest"),
    "function": lambda: br.scores.as_score(hits),
    "importance of classes": lambda: br.scores.as_score(BY_CLASS),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_a_score_made_of_data_is_equal_to_its_copy(make):
    score = make()
    for other in (pickle.loads(pickle.dumps(score)), copy.deepcopy(score), copy.copy(score)):
        assert other == score == make()
        assert len({score, other, make()}) == 1
        if score.labels is None:
            np.testing.assert_array_equal(other.of_cells(*CELLS), score.of_cells(*CELLS))
            assert (closed_form(other) is None) == (closed_form(score) is None)
        if score.matrix_function is not None:
            xr.testing.assert_identical(other(THREE), score(THREE))
        # What is known of the copy is known of its function, too.
        assert replace(other, symbol="s").contour == score.contour


def test_scores_of_other_data_are_other_scores():
    s = br.scores
    for one, other in (
        (s.f_beta(2.0), s.f_beta(2.5)),
        (s.canonical(0.25, 0.5), s.canonical(0.5, 0.25)),
        (s.net_benefit(0.2), s.net_benefit(0.3)),
        (s.decision_benefit([[0, 1], [2, 3]]), s.decision_benefit([[0, 2], [1, 3]])),
        (
            s.conditional_probability("mine", "tp", "fp tp"),
            s.conditional_probability("mine", "tp", "fn tp"),
        ),
        (s.balanced("f1", "mine"), s.balanced("jaccard", "mine")),
        (s.average("f1", "macro"), s.average(s.f_beta(3.0), "macro")),
        (s.as_score(BY_CLASS), s.as_score(2 + BY_CLASS)),
        (s.as_score(hits), s.as_score(lambda tn, fp, fn, tp: tp)),
    ):
        assert one != other


def test_all_of_the_catalogue_travel_by_name():
    for score in SCORES.values():
        assert pickle.loads(pickle.dumps(score)) is score
        assert copy.deepcopy(score) is score


@pytest.mark.slow
def test_another_process_gives_the_same_number():
    scores = [br.scores.macro_f1, br.scores.f_beta(3.0), br.scores.canonical(0.3, 0.9)]
    there = (
        "import bayesrank as br, pickle, sys\n"
        "print(*(score.of_cells(4, 1, 2, 3) for score in pickle.load(sys.stdin.buffer)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", there], input=pickle.dumps(scores), capture_output=True, check=True
    )
    assert list(map(float, done.stdout.split())) == [score.of_cells(4, 1, 2, 3) for score in scores]


def test_a_function_that_has_no_hash_may_be_averaged():
    class Hits:
        __hash__ = None

        def __call__(self, tn, fp, fn, tp):
            return tp

    found = br.scores.average(Hits(), "macro")(THREE).item()
    assert found == pytest.approx(16 / 63)
