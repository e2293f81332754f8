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


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("make", [lambda: pmf_slider(COUNTS, "f1", [(10, 20), (20, 40)])], ids=["slider"])
def test_a_browser_draws_it_offline(tmp_path, make):
    page = save(make(), tmp_path / "figure.html")
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link)[^>]*(src|href)=", text)
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --user-data-dir={tmp_path / 'profile'} --virtual-time-budget=5000"
    )
    command = [CHROMIUM, *flags.split(), "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "slider-group" in dom
    assert dom.count('class="point"') > 100
