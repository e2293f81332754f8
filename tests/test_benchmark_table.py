"""The page of benchmarks is read as it is written, and a job that got slower is noticed."""

from tests.scripts import load_script

table = load_script("tests/benchmarks/table.py")

LINES = [
    "| (a) one 2 × 2 matrix | prob_conf_mat | 0.02 s | 0.01 s | 2 (1.9 to 2.2) | 2.1 |",
    "| (b) 20 entities | NumPy (1% of it, scaled) | 1e+03 s | 1 s | 1.02e+03 (990 to 1.1e+03) | 900 |",
    "| (f) a map | NumPy | 9 s | 1 s | 9 (8 to 10) | 9 |",
]


def test_a_page_is_read_as_it_was_written():
    assert table.told(table.page(LINES, 3)) == {
        ("a", "prob_conf_mat"): 2,
        ("b", "NumPy"): 1020,
        ("f", "NumPy"): 9,
    }


def test_only_half_of_a_watched_ratio_is_too_little():
    before = table.told("\n".join(LINES))
    assert table.fallen(before, before | {("a", "prob_conf_mat"): 1.0, ("f", "NumPy"): 1.0}) == []
    assert len(table.fallen(before, before | {("a", "prob_conf_mat"): 0.99})) == 1
    assert table.fallen(before, {}) == []  # a peer that is not installed today
