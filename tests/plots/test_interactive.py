"""Interactive pictures: frames of our own numbers, one file without a network, drawn by a real browser."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import bayesrank as br

pytest.importorskip("plotly")

from bayesrank.plots.interactive import pmf_slider, save, turning_simplex

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
COUNTS = br.from_counts(tn=32, fp=8, fn=4, tp=16)


def test_every_frame_is_a_pmf_over_its_contours():
    figure = pmf_slider(COUNTS, "f1", [(10, 20), (20, 40)])
    assert [frame.name for frame in figure.frames] == ["10 + 20", "20 + 40"]
    for frame, (p, n) in zip(figure.frames, [(10, 20), (20, 40)], strict=True):
        pmf = br.predictive.confusion_pmf(COUNTS, p, n)
        dots = frame.data[-1]
        masses = [pmf.sel(tp=round(y * p), tn=round((1 - x) * n)).item() for x, y in zip(dots.x, dots.y, strict=True)]
        np.testing.assert_allclose(dots.marker.size, masses, rtol=1e-12)
        line = frame.data[4]  # F1 = 0.5
        tpr = br.contour("f1", 0.5, line.x, p / (p + n)).values
        np.testing.assert_allclose(line.y, tpr)


def test_the_simplex_holds_every_matrix_of_its_slices():
    figure = turning_simplex(20, [5, 10], "mcc")
    assert [len(trace.x) for trace in figure.data[2:]] == [6 * 16, 11 * 11]


def dom_of(page, script, tmp_path):
    """The page's DOM after ``script`` ran in it."""
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --user-data-dir={tmp_path / 'profile'} --virtual-time-budget=5000"
    )
    command = [CHROMIUM, *flags.split(), "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("number", [0, 1])
def test_a_browser_draws_every_frame_offline(tmp_path, number):
    figure = pmf_slider(COUNTS, "f1", [(10, 20), (20, 40)])
    page = save(figure, tmp_path / "figure.html")
    assert not re.search(r"<(script|link)[^>]*(src|href)=", page.read_text(encoding="utf-8"))
    frame = figure.frames[number]
    still = "{mode: 'immediate', frame: {duration: 0, redraw: true}, transition: {duration: 0}}"
    plot = "document.querySelector('.plotly-graph-div')"
    move = f"setTimeout(() => Plotly.animate({plot}, ['{frame.name}'], {still}), 500)" if number else ""
    dom = dom_of(page, move, tmp_path)
    assert "slider-group" in dom
    assert dom.count('class="point"') == len(frame.data[-1].x)
