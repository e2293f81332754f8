"""Pictures of future test sets and of contours: what is drawn is what was computed."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import bayesrank as br
from bayesrank.plots.roc import _steps

COUNTS = br.from_counts(tn=32, fp=8, fn=4, tp=16)
PMF = br.predictive.confusion_pmf(COUNTS)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_areas_are_proportional_to_masses():
    figure = br.plots.matrix_pmf(PMF)
    dots = max((c for ax in figure.axes for c in ax.collections if hasattr(c, "get_sizes") and len(c.get_offsets())),
               key=lambda c: len(c.get_sizes()))  # fmt: skip
    areas = dots.get_sizes()
    masses = [PMF.sel(tp=round(y * 20), tn=round((1 - x) * 40)).item() for x, y in dots.get_offsets()]
    np.testing.assert_allclose(areas / areas.max(), np.array(masses) / PMF.values.max(), rtol=1e-9)
    assert len(areas) > 100


def test_score_pmfs_are_drawn_with_their_numbers_of_matrices():
    pmfs = {m: br.predictive.score_pmf(br.predictive.confusion_pmf(COUNTS, model=m), "f1")
            for m in ("beta_binomial", "binomial")}  # fmt: skip
    ax = br.plots.score_pmf(pmfs, observed=0.7)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(pmfs)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), pmfs["beta_binomial"]["probability"])
    count = next(other for other in ax.figure.axes if other is not ax)
    assert max(count.lines[0].get_ydata()) == 41


def test_one_line_for_each_number_of_true_positives():
    assert len(br.plots.score_pmf_by_tpr(PMF, "mcc").lines) == 21
    assert len(br.plots.pmf_over_contours(PMF, "f1", [0.4], ridges=True).collections) == 21
    assert br.plots.pmf_over_contours(PMF, "f1", [0.4]).get_xlabel() == "FPR"


def test_contours_are_drawn_within_and_beyond():
    ax = br.plots.contours("f1", 0.2, values=[0.5], extent=(-0.5, 1.5))
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(y, br.contour("f1", 0.5, x, 0.2).values, equal_nan=True)
    assert ax.lines[-1].get_data()[0] == pytest.approx([-0.25])  # where they meet


@pytest.mark.parametrize(
    "benefit", [[[0, -1], [-10, 5]], [[0, -1], [-7, 0]], [[3, 1], [0, 8]], [[990, 995], [992, 998]]]
)
def test_a_benefit_has_the_same_contours_in_any_unit(benefit):
    numbers = []
    for unit in (1e-6, 1.0, 1e6):
        score = br.scores.decision_benefit(unit * np.array(benefit))
        ax = br.plots.contours(score, 0.3)
        low, high = score.range
        values = _steps(low, high)
        assert len(ax.lines) == len(values)
        assert 4 <= len(values) <= 20
        assert (low < values).all()
        assert (values < high).all()
        numbers.append(values / unit)
        assert any(np.isfinite(line.get_ydata()).any() for line in ax.lines)
    for other in numbers[1:]:
        np.testing.assert_allclose(other, numbers[0], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        (0.0, 1.0, [k / 10 for k in range(1, 10)]),
        (-1.0, 1.0, [k / 10 for k in range(-9, 10)]),
        (0.0, 10.0, list(range(1, 10))),
        (-10.0, 5.0, list(range(-9, 5))),
        (-0.25, 1.0, [-0.2, *(k / 10 for k in range(-1, 10))]),
        (0.0, 3.0, [0.5, 1, 1.5, 2, 2.5]),
        (990.0, 998.0, list(range(991, 998))),
        (0.0, 2e-7, [2e-8 * k for k in range(1, 10)]),
        (7.0, 7.0, []),
    ],
)
def test_steps_are_round_numbers_within_the_range(low, high, values):
    assert _steps(low, high).tolist() == pytest.approx(values, rel=1e-15)


def test_the_effect_of_size_has_one_panel_a_size():
    figure = br.plots.effect_of_size(COUNTS, (1, 4))
    assert all(text.get_text().isdigit() for ax in figure.axes for text in ax.get_xticklabels() + ax.get_yticklabels())
    assert [ax.get_title() for ax in figure.axes] == ["N = 60", "N = 240"]


def test_lattice_pictures_hold_every_matrix():
    assert len(br.plots.roc_points(5, 7, "mcc").collections[0].get_offsets()) == 48
    assert len(br.plots.pr_points(5, 7, "mcc").collections[0].get_offsets()) == 48
    numbers = br.plots.multiplicities(20, 40, "f1").collections[0].get_array()
    assert (numbers.max(), (numbers == 41).sum(), (numbers == 11).sum()) == (41, 41, 22)
    ax = br.plots.confusion_simplex(20, [5, 10], "mcc")
    assert len(ax.collections) == 2


def test_contours_move_with_the_prevalence(tmp_path):
    animation = br.plots.animate_contours("f1", [0.2, 0.6], values=[0.5])
    animation.save(tmp_path / "contours.gif", writer="pillow")
    assert animation._fig.axes[0].get_title() == "F1, prevalence 0.60"
    line = animation._fig.axes[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), br.contour("f1", 0.5, line.get_xdata(), 0.6).where(lambda y: y <= 1))


def test_a_total_has_no_roc_square():
    with pytest.raises(ValueError, match="pmf must have the dims"):
        br.plots.matrix_pmf(br.predictive.confusion_pmf(COUNTS, model="dirichlet_multinomial", total=5))
