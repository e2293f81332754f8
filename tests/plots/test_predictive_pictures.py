"""Pictures of future test sets and of contours: what is drawn is what was computed."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import bayesrank as br

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
