"""Pictures of future test sets and of contours: what is drawn is what was computed."""

import numpy as np
import pytest

import bayesrank as br
from bayesrank.plots.kit.contours import round_values
from bayesrank.scores.lattice import lattice_values

COUNTS = br.from_counts(tn=32, fp=8, fn=4, tp=16)
PMF = br.predictive.confusion_pmf(COUNTS, prior="uniform")


def test_score_pmfs_are_drawn_with_their_numbers_of_matrices():
    pmfs = {m: br.predictive.score_pmf(br.predictive.confusion_pmf(COUNTS, model=m), "f1")
            for m in ("beta_binomial", "binomial")}  # fmt: skip
    ax = br.plots.score_pmf(pmfs, observed=0.7)
    assert [text.get_text() for text in ax.texts] == [*pmfs, "observed"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), pmfs["beta_binomial"]["probability"])
    count = next(other for other in ax.figure.axes if other is not ax)
    assert max(stem[1, 1] for stem in count.collections[0].get_segments()) == 41
    # Of a score whose values are mostly improbable only the others are seen.
    many = br.predictive.score_pmf(br.predictive.confusion_pmf(COUNTS * 20), "accuracy")
    low, high = br.plots.score_pmf(many).get_xlim()
    assert 0.5 < low < 0.8 < high < 0.95


def test_contours_are_drawn_within_and_beyond():
    ax = br.papers.contours("f1", 0.2, values=[0.5], extent=(-0.5, 1.5))
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(y, br.contour("f1", 0.5, x, 0.2).values, equal_nan=True)
    assert ax.lines[-1].get_data()[0] == pytest.approx([-0.25])  # where they meet


@pytest.mark.parametrize("benefit", [[[990, 995], [992, 998]], [[0, -1], [-10, 5]]])
def test_a_benefit_has_the_same_contours_in_any_unit(benefit):
    numbers = []
    for unit in (1e-6, 1.0, 1e6):
        score = br.scores.decision_benefit(unit * np.array(benefit))
        ax = br.papers.contours(score, 0.3)
        low, high = score.range
        values = round_values(low, high)
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
    assert round_values(low, high).tolist() == pytest.approx(values, rel=1e-15)


def test_lattice_pictures_hold_every_matrix():
    assert len(br.papers.roc_points(5, 7, "mcc").collections[0].get_offsets()) == 48
    assert len(br.papers.pr_points(5, 7, "mcc").collections[0].get_offsets()) == 48
    numbers = br.papers.multiplicities(20, 40, "f1").collections[0].get_array()
    assert (numbers.max(), (numbers == 41).sum(), (numbers == 11).sum()) == (41, 41, 22)
    ax = br.papers.confusion_simplex(20, [5, 10], "mcc")
    assert len(ax.collections) == 2


def test_points_and_contours_move_with_the_positives(tmp_path):
    animation = br.papers.animate_contours("f1", 10, [2, 6])
    animation.save(tmp_path / "contours.gif", writer="pillow", dpi=30)
    square, lattice = animation._fig.axes[:2]
    assert square.get_title() == "F1: 6 positives, 4 negatives"
    line = square.lines[4]  # of the values 0.1 to 0.9
    np.testing.assert_allclose(
        line.get_ydata(), br.contour("f1", 0.5, line.get_xdata(), 0.6).where(lambda y: y <= 1)
    )
    same = np.array([[4], [6]]) * line.get_data()
    np.testing.assert_allclose(lattice.lines[-5].get_data(), same)  # in counts
    for ax, scale in ((square, (1, 1)), (lattice, (4, 6))):
        (dots,) = ax.collections  # those of the first frame are gone
        np.testing.assert_allclose(dots.get_offsets().max(axis=0), scale)
        assert len(dots.get_offsets()) == 5 * 7
        np.testing.assert_allclose(
            dots.get_array(),
            lattice_values(6, 4, "f1").transpose("tp", "fp").values.ravel(),
            equal_nan=True,
        )


def biggest(ax):
    """The circles of masses in a picture."""
    return max(
        (c for c in ax.collections if len(c.get_offsets())), key=lambda c: c.get_sizes().max()
    )


def test_several_pmfs_have_one_scale_and_the_observed_matrix_a_mark():
    pmfs = {m: br.predictive.confusion_pmf(COUNTS, model=m) for m in ("beta_binomial", "binomial")}
    axes = br.plots.matrix_pmf(pmfs, observed=COUNTS).axes
    joints = [ax for ax in axes if ax.get_xlabel() == "FPR"]
    for ax, pmf in zip(joints, pmfs.values(), strict=True):
        dots = biggest(ax)
        masses = [
            pmf.sel(tp=round(y * 20), tn=round((1 - x) * 40)).item() for x, y in dots.get_offsets()
        ]
        np.testing.assert_allclose(
            dots.get_sizes() / 90, masses / pmfs["binomial"].max().values, rtol=1e-9
        )
        assert len(masses) > 100
        assert [float(x[0]) for x in ax.lines[-1].get_data()] == pytest.approx([0.2, 0.8])
    tops = {ax.get_ylim() for ax in axes if ax.get_ylabel() == "probability"}
    sides = {ax.get_xlim() for ax in axes if ax.get_xlabel() == "probability"}
    assert (len(tops), len(sides)) == (1, 1)
    assert [ax.get_title() for ax in axes if ax.get_title()] == list(pmfs)


def test_masses_in_precision_recall_space_are_where_the_matrices_are():
    few = br.from_counts(tn=3, fp=1, fn=2, tp=1)
    pmf = br.predictive.confusion_pmf(few)
    ax = br.plots.pr_pmf(pmf, observed=few)
    dots = biggest(ax)
    found = dict(
        zip(map(tuple, dots.get_offsets().round(6).tolist()), dots.get_sizes() / 90, strict=True)
    )
    called = 0
    for tp in range(4):
        for tn in range(5):
            mass = pmf.sel(tp=tp, tn=tn).item()
            if tp + 4 - tn:
                called += mass
                at = round(tp / 3, 6), round(tp / (tp + 4 - tn), 6)
                assert (
                    found[at] == pytest.approx(mass / pmf.max().item()) or tp == 0
                )  # those of recall 0 are in one place
    assert f"probability {1 - called:.2g}" in ax.get_title()
    assert [float(x[0]) for x in ax.lines[-1].get_data()] == pytest.approx([1 / 3, 1 / 2])


def test_pmfs_side_by_side_have_one_colour():
    pmfs = {
        name: br.predictive.score_pmf(PMF, name)
        for name in ("mcc", "f1", "tpr", "ppv", "npv", "accuracy", "tnr")
    }
    for kind in ("forest", "histogram", "violin"):
        ax = br.plots.score_pmfs(pmfs, kind, observed={"f1": 0.7})
        assert [label.get_text() for label in ax.get_yticklabels()] == list(pmfs)
        medians = [line for line in ax.lines if line.get_marker() == "o"]
        assert {line.get_markeredgecolor() for line in medians} == {"#0072B2"}
        for line, pmf in zip(medians, pmfs.values(), strict=True):
            assert line.get_xdata()[0] == br.predictive.summary(pmf)["median"].item()
    shapes = [c for c in ax.collections if c.get_paths() and len(c.get_paths()[0].vertices) > 100]
    areas = []
    for shape in shapes:  # of a violin, the area is the mass: one, at one scale for all
        x, y = shape.get_paths()[0].vertices.T
        areas.append(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])))
    np.testing.assert_allclose(areas, areas[0], rtol=0.02)
    assert len(areas) == len(pmfs)


def test_a_pmf_has_a_strip_and_histograms_and_a_colour_for_each():
    counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    pmfs = {
        str(k): br.predictive.score_pmf(br.predictive.confusion_pmf(counts * k), "mcc")
        for k in (1, 2, 3, 4)
    }
    ax = br.plots.score_pmf(pmfs, observed=0.5, bins=10)
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert len({line.get_color() for line in dots}) == 4
    above, below = (other for other in ax.figure.axes if other is not ax)
    above, below = (above, below) if above.patches else (below, above)
    stems = np.array([stem[1] for stem in below.collections[0].get_segments()])
    known = pmfs["1"].isel(value=pmfs["1"]["value"].notnull().values)
    np.testing.assert_array_equal(stems[:, 0], known["value"])
    np.testing.assert_array_equal(stems[:, 1], known["multiplicity"])
    steps = [patch for patch in above.patches if not patch.get_fill()]
    for step, pmf in zip(steps, pmfs.values(), strict=True):
        known = pmf["value"].notnull().values
        assert step.get_data().values.sum() == pytest.approx(pmf["probability"].values[known].sum())
    assert len(above.lines) == 1


def test_axes_may_count_cases():
    ax = br.papers.count_ticks(br.papers.contours("f1", 0.2), 3, 7)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1", "2", "3"]
    np.testing.assert_allclose(ax.get_xticks(), np.array([0, 2, 4, 5, 7]) / 7)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positives", "true positives")
