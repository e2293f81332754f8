"""Interactive pictures: frames of our own numbers, one file without a network, drawn by a real browser."""

import html
import json
import re

import numpy as np
import pytest

import bayesrank as br
from bayesrank.papers.interactive import LARGEST, LEFT, SIDE, pmf_slider, save, turning_simplex
from bayesrank.plots._page import Html, colors_of, page, themed
from bayesrank.report import ranking_report
from bayesrank.scores.lattice import lattice_values, simplex_slice
from tests.browser import needs_browser, run_scripts

COUNTS = br.from_counts(tn=32, fp=8, fn=4, tp=16)
SIZES = [(10, 20), (20, 40)]
DOT = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"><title>TP (\d+), FP (\d+): ([^<]+)</title>')


def held(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])


def test_every_frame_is_a_pmf_over_its_contours():
    frames = re.findall(r'<g data-frame="(.*?)".*?>(.*?</g>)</g>', pmf_slider(COUNTS, "f1", SIZES))
    assert [name for name, _ in frames] == ["10 + 20", "20 + 40"]
    largest = max(br.predictive.confusion_pmf(COUNTS, p, n).max().item() for p, n in SIZES)  # one scale in all frames
    for (_, frame), (p, n) in zip(frames, SIZES, strict=True):
        pmf = br.predictive.confusion_pmf(COUNTS, p, n)
        dots = DOT.findall(frame)
        assert len(dots) == (pmf > largest * 1e-4).sum()
        for x, y, radius, tp, fp, words in dots:
            mass = pmf.sel(tp=int(tp), tn=n - int(fp)).item()
            assert float(words) == pytest.approx(mass, rel=5e-3)
            assert (float(radius) / LARGEST) ** 2 == pytest.approx(mass / largest, abs=2e-4)
            assert float(x) == pytest.approx(LEFT + SIDE * int(fp) / n, abs=0.01)
            assert float(y) == pytest.approx(520 - SIDE * int(tp) / p, abs=0.01)
        line = re.search(r'<path d="([^"]*)"[^>]*><title>F1 = 0.5<', frame)[1]
        points = np.array(re.findall(r"[ML]([\d.]+) ([\d.]+)", line), float)
        fpr, tpr = (points[:, 0] - LEFT) / SIDE, (520 - points[:, 1]) / SIDE
        np.testing.assert_allclose(tpr, br.contour("f1", 0.5, fpr, p / (p + n)).values, atol=1e-4)


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
    svg = themed('<path style="fill: #000000; stroke: #4a4a4a"/><path style="fill: #0072b2"/><a href="#aabbcc"/>')
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
def test_a_browser_shows_one_frame_at_a_time(tmp_path):
    page = pmf_slider(COUNTS, "f1", SIZES)
    script = """
    const slider = document.querySelector('input[type=range]'), said = document.querySelector('output');
    const drawn = () => [...document.querySelectorAll('circle')].filter((one) => one.getBoundingClientRect().width);
    const seen = () => [said.textContent, drawn().length];
    const first = seen();
    slider.value = 1;
    slider.dispatchEvent(new Event('input'));
    return [slider.max, first, seen()];"""
    dots = [len(DOT.findall(frame)) for frame in page.split("<g data-frame")[1:]]
    assert told(tmp_path, page, script) == ["1", ["10 + 20", dots[0]], ["20 + 40", dots[1]]]


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
