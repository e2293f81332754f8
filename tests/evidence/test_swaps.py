"""Which columns of answers may be swapped: whole patterns are compared for likely pairs only."""

import numpy as np
import pytest

from bayesrank.evidence.kinds import swaps
from bayesrank.evidence.kinds.swaps import swaps_of_columns


@pytest.mark.parametrize("seed", range(30))
def test_sums_of_patterns_rule_out_no_swap(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    half = rng.integers(-1, 2, (8, 5))
    swapped = half.copy()
    swapped[:, [1, 3]] = swapped[:, [3, 1]]
    answers = np.unique(np.concatenate([half, swapped]), axis=0)
    count, place = np.ones(len(answers)), rng.integers(0, 2, len(answers))
    found = [swaps_of_columns(answers, count, part).copy() for part in (None, place)]
    assert any({1, 3} <= set(group.tolist()) for group in found[0])
    monkeypatch.setattr(swaps, "_keeps_sums", lambda *columns: True)
    for part, groups in zip((None, place), found, strict=True):
        expected = swaps_of_columns(answers, count, part)
        assert [group.tolist() for group in groups] == [group.tolist() for group in expected]


def test_whole_patterns_are_not_compared_for_each_pair(monkeypatch):
    """All of 80 entities have 10 of 20 answers right: 3,160 pairs, of which one may be swapped."""
    rng = np.random.default_rng(1)
    answers = np.stack([rng.permutation(np.arange(20) % 2) for _ in range(80)], axis=1)
    answers[:, 7] = answers[:, 3]
    compared, tally = [], swaps._tally
    monkeypatch.setattr(swaps, "_tally", lambda *rows: compared.append(1) or tally(*rows))
    groups = swaps_of_columns(answers, np.ones(20))
    assert [group.tolist() for group in groups] == [[3, 7]]
    assert len(compared) <= 2
