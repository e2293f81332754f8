"""The simplex to turn: its numbers, one file without a network, drawn by a real browser."""

import html
import json
import re

import numpy as np
import pytest

import bayesrank as br
from bayesrank.papers.interactive import save, turning_simplex
from bayesrank.plots._page import Html, apply_theme, colors_of, page
from bayesrank.report import ranking_report
from bayesrank.scores.lattice import lattice_values, simplex_slice
from tests.browser import needs_browser, run_scripts

COUNTS = br.from_counts(tn=32, fp=8, fn=4, tp=16)


def held(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])


def test_the_simplex_holds_every_matrix_of_its_slices():
    data = held(turning_simplex(20, [5, 10], "mcc"))
    assert [len(one["values"]) for one in data["slices"]] == [6 * 16, 11 * 11]
    for one in data["slices"]:
        p = one["positives"]
        values = np.array(one["values"], float)
        np.testing.assert_allclose(values, lattice_values(p, 20 - p, "mcc").values.ravel(), atol=1e-4)
        # The script puts a matrix where its shares put it between the corners, in this order of tp and fp.
        points = simplex_slice(p, 20 - p)
        tp, fp = (x.ravel() for x in np.meshgrid(points["tp"], points["fp"], indexing="ij"))
        cells = np.stack([tp, fp, p - tp, 20 - p - fp], -1)
        assert data["names"] == ["TP", "FP", "FN", "TN"]
        np.testing.assert_allclose(cells @ np.array(data["corners"]) / 20, points.values.reshape(-1, 3), atol=1e-9)


def test_a_page_and_a_notebook_hold_the_same():
    made = page("a < b & c", "<p>words</p>")
    assert "<title>a &lt; b &amp; c</title>" in made
    framed = re.fullmatch(r'<iframe srcdoc="([^"]*)"( [a-z]+="[^"]*"){3}></iframe>', made._repr_html_())
    assert html.unescape(framed[1]) == made
    assert isinstance(ranking_report(br.fit(COUNTS, seed=1, draws=20), "f1"), Html)


def test_colours_follow_the_page():
    svg = apply_theme('<path style="fill: #000000; stroke: #4a4a4a"/><path style="fill: #0072b2"/><a href="#aabbcc"/>')
    assert (
        svg == '<path style="fill: var(--g00); stroke: var(--g4a)"/><path style="fill: var(--e0)"/><a href="#aabbcc"/>'
    )
    style = colors_of(svg)
    assert "--e0:#0072B2" in style
    assert "--e0:#4c9cc9" in style
    assert "--g00:#000000;--g4a:#4a4a4a" in style
    assert "--g00:#e6e9ec;--g4a:#a9acb0" in style
    assert "--gff" not in style


def told(tmp_path, page, script):
    path = save(page, tmp_path / "figure.html")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", text)
    [found] = run_scripts(tmp_path, text, script)
    return found


@needs_browser
def test_a_browser_turns_and_reads_the_simplex(tmp_path):
    script = """
    const canvas = document.querySelector('canvas'), box = document.querySelector('.solid');
    const picture = () => canvas.toDataURL(), before = picture(), found = { drawn: [box.dataset.drawn] };
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
    found.turned = picture() !== before;
    const area = canvas.getBoundingClientRect();
    found.read = new Set();
    for (let x = 0; x < area.width; x += 4) for (let y = 0; y < area.height; y += 4) {
      const at = { clientX: area.left + x, clientY: area.top + y };
      canvas.dispatchEvent(new PointerEvent('pointermove', at));
      found.read.add(document.querySelector('output').textContent);
    }
    found.read = [...found.read];
    document.querySelectorAll('input')[0].click();
    found.drawn.push(box.dataset.drawn);
    return found;"""
    found = told(tmp_path, turning_simplex(20, [5, 10], "accuracy"), script)
    assert found["drawn"] == [str(6 * 16 + 11 * 11), str(11 * 11)]
    assert found["turned"]
    words = [re.fullmatch(r"TP (\d+), FP (\d+), FN (\d+), TN (\d+): A ([\d.]+)", one) for one in found["read"] if one]
    assert len(words) > 20
    for word in words:
        tp, fp, fn, tn = map(int, word.groups()[:4])
        assert tp + fp + fn + tn == 20
        assert float(word[5]) == pytest.approx((tp + tn) / 20, abs=1e-3)
