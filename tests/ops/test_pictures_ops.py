"""Pictures of OPS draw what was computed, without a warning."""

import numpy as np
import pytest

import bayesrank as br

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def periods():
    table = br.from_counts(
        tn=[800, 900, 870], fp=[50, 40, 120], fn=[30, 8, 15], tp=[120, 52, 45], entity=["m"] * 3,
        dataset=["Q1", "Q2", "Q3"],
    )  # fmt: skip
    return br.fit(table, "dirichlet_multinomial", draws=200, chains=2, seed=2)


def test_values():
    ops = br.ops.value_curves("cohen_kappa", [0.01, 0.5])
    ax = br.plots.ops_values(ops)
    ax.figure.canvas.draw()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), ops.sel(prevalence=0.5))
    for line, share in zip(
        ax.lines, (0.01, 0.5), strict=True
    ):  # kappa does not reach -1 at a prevalence of 0.01
        np.testing.assert_array_equal(line.get_xdata(), ops["value"].sel(prevalence=share))
        np.testing.assert_allclose(line.get_ydata()[[0, -1]], [0, 1], atol=1e-9)


@pytest.mark.parametrize(
    ("score", "value"), [("f1", 0.6), ("false_discovery_rate", 0.3), ("mcc", -0.2), ("f1", 0.0)]
)
def test_square_fills_the_area(score, value):
    square = br.ops.square(score, value, 0.2)
    assert square.worse.mean().item() == pytest.approx(square.ops.item(), abs=2 / 201)
    ax = br.plots.ops_square(square)
    ax.figure.canvas.draw()
    assert f"OPS {square.ops.item():.3f}" in ax.get_title()
    image = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]
    box = ax.get_window_extent()
    height = image.shape[0]
    inside = image[
        int(height - box.y1) + 3 : int(height - box.y0) - 3, int(box.x0) + 3 : int(box.x1) - 3
    ]
    shaded = np.all(np.abs(inside.astype(int) - [0x56, 0xB4, 0xE9]) < 12, axis=-1).mean()
    assert shaded == pytest.approx(square.ops.item(), abs=0.03)  # the lines cover a little


def test_curve_beside_its_ops():
    rng = np.random.default_rng(1)
    y_true = rng.random(200) < 0.3
    scores = {
        name: y_true + rng.normal(0, spread, 200) for name, spread in (("a", 0.5), ("b", 1.0))
    }
    for metric in ("precision_at_recall", "tpr_at_fpr"):
        result = br.ops.of_curve(y_true, scores, metric, at=[0.2, 0.5, 0.8], draws=20, seed=1)
        axes = br.plots.ops_curve(result)
        axes[0].figure.canvas.draw()
        np.testing.assert_array_equal(axes[1].lines[1].get_ydata(), result.ops.sel(entity="b"))
        np.testing.assert_array_equal(axes[0].lines[-1].get_ydata(), result.no_skill)
        np.testing.assert_array_equal(axes[1].lines[-1].get_ydata(), result.ops_no_skill)
        assert {ax.lines[-1].get_linestyle() for ax in axes} == {":"}


def test_drift(periods):
    result = br.ops.drift(periods, "f1")
    axes = br.plots.ops_drift(result)
    axes[0].figure.canvas.draw()
    assert [t.get_text() for t in axes[1].get_xticklabels()] == ["Q1", "Q2", "Q3"]
    assert len(axes[1].texts) == 2
    assert not {"0.00", "1.00"} & {t.get_text() for t in axes[1].texts}


def test_a_mean_may_lie_outside_of_its_interval(periods):
    """As of OPS that hardly ever are below 1."""
    result = br.ops.drift(periods, "f1").isel(entity=0).copy(deep=True)
    result["ops_mean"] = result["ops_lower"] - 0.01
    result["change_mean"] = result["change_upper"] + 0.01
    above, below = br.plots.ops_drift(result)
    low, high = np.array([line[:, 1] for line in above.collections[0].get_segments()]).T
    np.testing.assert_allclose([low, high], [result["ops_lower"], result["ops_upper"]])
    rates = next(bars for bars in below.containers if bars.get_label() == "due to the rates")
    np.testing.assert_allclose(
        [bar.get_height() for bar in rates][1:], result["change_mean"].sel(part="rates")[1:]
    )
