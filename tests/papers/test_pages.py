"""Pages to explore: what they hold is what was computed, and a real browser looks it up, without a network."""

import html
import json
import re

import numpy as np
import pytest

import bayesrank as br
from bayesrank.papers.pages import METRICS, _simplify_curve, explore_contours, explore_pmf, turning_simplex
from bayesrank.plots.kit.page import Html, apply_theme, colors_of, page, part
from bayesrank.report import ranking_report
from bayesrank.scores.lattice import lattice_values, simplex_slice
from tests.browser import needs_browser, run_scripts

PHONE = "--window-size=360,740"
P, N = 6, 9
PMF = explore_pmf([(P, N), (4, 3)], ["mcc", "balanced_accuracy", "f1"], observed=(5, 7))
CONTOURS = explore_contours([(P, N), (4, 3)], ["mcc", "f1", "ppv", "tnr"], observed=(5, 7))


def held(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])


def test_margins_are_those_of_every_matrix_that_may_be_observed():
    one = held(PMF)["sizes"][0]
    rng = np.random.default_rng(1)
    for a, d in zip(rng.integers(0, P + 1, 6), rng.integers(0, N + 1, 6), strict=True):
        counts = br.from_counts(tn=N - (N - d), fp=N - d, fn=P - a, tp=a)
        for m, model in enumerate(("beta_binomial", "binomial")):
            pmf = br.predictive.confusion_pmf(counts, model=model).transpose("tp", "tn")
            np.testing.assert_allclose(np.outer(one["tp"][m][a], one["tn"][m][d]), pmf, atol=2e-6)
    assert [len(one["tp"][0]), len(one["tn"][1])] == [P + 1, N + 1]


def test_matrices_that_share_a_value_are_summed():
    for size in held(PMF)["sizes"]:
        p, n = size["p"], size["n"]
        counts = br.from_counts(tn=n - 1, fp=1, fn=1, tp=p - 1)
        pmf = br.predictive.confusion_pmf(counts)
        joint = np.outer(size["tp"][0][p - 1], size["tn"][0][n - 1]).ravel()
        for name, score in zip(("mcc", "balanced_accuracy", "f1"), size["scores"], strict=True):
            exact = br.predictive.score_pmf(pmf, name)
            exact = exact.isel(value=exact["value"].notnull().values)
            group = np.array(score["group"])
            np.testing.assert_allclose(score["values"], exact["value"], rtol=1e-8, atol=1e-12)
            np.testing.assert_array_equal(score["count"], exact["multiplicity"])
            sums = np.bincount(group[group >= 0], joint[group >= 0])
            np.testing.assert_allclose(sums, exact["probability"], atol=1e-5)


def lattice(score):
    tp, tn = (counts.ravel() for counts in np.meshgrid(np.arange(P + 1), np.arange(N + 1), indexing="ij"))
    return score.of_cells(tn, N - tn, P - tp, tp)


def test_contours_are_on_their_values_within_and_beyond():
    data = held(CONTOURS)
    one = data["sizes"][0]
    beyond = 0
    names = ("mcc", "f1", "ppv", "tnr")
    for name, lines, values in zip(names, data["lines"][one["share"]], one["values"], strict=True):
        rule = br.scores.get(name)
        for line in lines:
            points = np.concatenate([np.array(part) for part in line["parts"]])
            x, y = points.T
            inside = ((points > 0.02) & (points < 0.98)).all(axis=1)
            beyond += (~inside).sum()
            p = P / (P + N)
            found = rule.of_cells((1 - p) * (1 - x), (1 - p) * x, p * (1 - y), p * y)[inside]
            np.testing.assert_allclose(found, line["at"], atol=5e-3)
        k = 4 * (N + 1) + 7  # tp 4, tn 7
        assert values[k] == pytest.approx(rule.of_cells(7, 2, 2, 4), rel=1e-3)
        assert len(values) == (P + 1) * (N + 1)
        assert [value is None for value in values] == np.isnan(lattice(rule)).tolist()
    assert beyond > 20
    assert len(METRICS) == len({br.scores.get(name).name for name in METRICS}) > 20


def test_thinning_keeps_the_curve():
    x = np.linspace(0, 1, 200)
    curve = np.column_stack([x, x**2])
    few = _simplify_curve(curve)
    assert 5 < len(few) < 100
    np.testing.assert_allclose(np.interp(x, *few.T), x**2, atol=1.3e-3)
    circle = np.column_stack([np.cos(6.3 * x), np.sin(6.3 * x)])
    np.testing.assert_allclose(np.hypot(*_simplify_curve(circle).T), 1)


def test_nothing_is_loaded():
    for text in (PMF, CONTOURS, turning_simplex(20, [5, 10], "accuracy")):
        assert not re.search(r"<(script|link|img)[^>]*(src|href)=|http", text)
    assert not re.search(r"fetch|XMLHttp|import\(", part("explore.js", "bayesrank.papers"))


HELP = """
    const all = (what) => [...document.querySelectorAll(what)];
    const cells = () => all('[data-cell]').map((cell) => Number(cell.textContent));
    const set = (name, value, event = 'input') => {
      const control = document.querySelector(`[data-control=${name}]`);
      if (control.type === 'checkbox') control.checked = value; else control.value = value;
      control.dispatchEvent(new Event(event));
    };
    const press = (svg, key) => svg.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
    const tap = (svg, x, y) => {
      const area = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
      svg.dispatchEvent(new PointerEvent('pointerdown', { buttons: 1, clientX: area.left + x * area.width / view.width,
        clientY: area.top + y * area.height / view.height }));
    };
"""


def told(tmp_path, page, script):
    """What ``script``, the body of a function, returns in a page that fits a phone, where nothing goes wrong."""
    caught = "<script>window.wrong = []; addEventListener('error', (event) => wrong.push(event.message));</script>"
    loaded = "performance.getEntriesByType('resource').length"
    room = "[document.documentElement.scrollWidth, innerWidth, document.querySelectorAll('[hidden]').length]"
    page = page.replace("<body>", f"<body>{caught}")
    scripts = [f"return {room}", HELP + script, f"return [wrong, {loaded}]"]
    (wide, room, hidden), found, (wrong, loaded) = run_scripts(tmp_path, page, *scripts, flags=[PHONE])
    assert (wrong, loaded, hidden) == ([], 0, 0)
    assert wide <= room
    return found


@needs_browser
def test_a_browser_shows_what_follows_from_what_was_observed(tmp_path):
    script = """
    const joints = all('svg[data-joint]'), inside = (svg) => [...svg.querySelectorAll('circle')];
    const radii = () => joints.map((svg) => inside(svg).map((dot) => Number(dot.getAttribute('r'))));
    const said = () => all('svg[data-score] + output').map((out) => out.textContent);
    const found = { first: [cells(), said(), radii()] };
    press(joints[0], 'ArrowDown');
    press(joints[1], 'ArrowLeft');
    found.pressed = [cells(), said(), radii()];
    tap(joints[0], 54 + 262 * 2 / 3, 384 - 262 / 3);
    found.tapped = [cells(), said(), radii()];
    set('zoom', 2);
    found.wide = radii();
    const drawn = () => all('svg[data-score] .bars').filter((one) => one.getBoundingClientRect().height > 0).length;
    found.bars = [drawn()];
    set('bars', false);
    found.bars.push(drawn());
    set('total', 0);
    found.smaller = [cells(), all('circle').length];
    return found;"""
    found = told(tmp_path, PMF, script)
    expected = {"first": (5, 7), "pressed": (4, 8), "tapped": (2, 3)}
    scale = []
    for step, (a, d) in expected.items():
        cells, said, radii = found[step]
        assert cells == [a, N - d, P - a, d]
        counts = br.from_counts(tn=d, fp=N - d, fn=P - a, tp=a)
        for m, model in enumerate(("beta_binomial", "binomial")):
            pmf = br.predictive.confusion_pmf(counts, model=model).transpose("tp", "tn")
            area = np.array(radii[m]) ** 2
            seen = pmf.values.ravel() > 1e-3
            scale.extend((area / pmf.values.ravel())[seen])
            for words, name in zip(said, ("mcc", "balanced_accuracy", "f1"), strict=True):
                summary = br.predictive.summary(br.predictive.score_pmf(pmf, name))
                mean, sd = re.findall(r"binomial ([\d.-]+) ± ([\d.]+)", words)[m]
                assert float(mean) == pytest.approx(summary["mean"].item(), abs=6e-4)
                assert float(sd) == pytest.approx(summary["sd"].item(), abs=6e-4)
                value = br.scores.get(name)(counts).item()
                assert float(re.search(r"observed ([\d.-]+)", words)[1]) == pytest.approx(value, abs=6e-4)
    np.testing.assert_allclose(scale, scale[0], rtol=0.06)  # one scale for all frames and both models
    np.testing.assert_allclose(np.array(found["wide"]) * 2, found["tapped"][2], atol=0.02)
    assert found["bars"] == [3, 0]
    assert found["smaller"] == [[1, 2, 3, 1], 2 * 5 * 4]  # rates stay, as nearly as counts can


@needs_browser
def test_a_browser_moves_the_point_and_its_contours(tmp_path):
    script = """
    const [roc, pr] = all('svg[data-square]'), values = () => all('[data-value]').map((cell) => cell.textContent);
    const inside = (svg) => [...svg.querySelectorAll('.lines path')];
    const lines = (svg) => inside(svg).map((line) => [line.textContent, line.getAttribute('d')]);
    const found = { first: [cells(), values()], mcc: [lines(roc), lines(pr)] };
    press(roc, 'ArrowUp');
    found.pressed = [cells(), values()];
    tap(pr, 54 + 400 * 2 / 6, 420 - 400 * 2 / 4);
    found.tapped = [cells(), values()];
    set('score', 1);
    found.f1 = [lines(roc), lines(pr)];
    set('beyond', true);
    found.beyond = lines(roc);
    found.dots = [all('circle').length];
    set('points', false);
    found.dots.push(all('circle').length);
    set('total', 0);
    found.smaller = [cells(), document.querySelector('[data-control=positives-said]').textContent];
    return found;"""
    found = told(tmp_path, CONTOURS, script)
    # Two positives found and two false alarms: recall 1/3, precision 1/2.
    for step, (a, d) in {"first": (5, 7), "pressed": (6, 7), "tapped": (2, 7)}.items():
        cells, values = found[step]
        assert cells == [a, N - d, P - a, d]
        for text, name in zip(values, ("mcc", "f1", "ppv", "tnr"), strict=True):
            assert float(text) == pytest.approx(br.scores.get(name).of_cells(d, N - d, P - a, a), rel=6e-3)
    p = P / (P + N)

    def points(d, low=0.0, high=1.0):
        pairs = np.array(re.findall(r"[ML]([\d.-]+) ([\d.-]+)", d), float)
        return low + (high - low) * (pairs[:, 0] - 54) / 400, low + (high - low) * (420 - pairs[:, 1]) / 400

    for title, d in found["f1"][0]:
        x, y = points(d)
        value = float(title.split(" = ")[1])
        inside = (y > 0) & (y < 1) & (x > 0) & (x < 1)
        np.testing.assert_allclose(y[inside], br.contour("f1", value, x[inside], p), atol=2e-3)
    seen = 0
    for title, d in found["f1"][1]:  # F1 is the harmonic mean of what is along the axes
        recall, precision = points(d)
        keep = (recall > 0.1) & (precision > 0.1)
        seen += keep.sum()
        np.testing.assert_allclose((2 / (1 / recall + 1 / precision))[keep], float(title.split(" = ")[1]), atol=6e-3)
    assert seen > 50
    x, y = points(dict(found["beyond"])["F1 = 0.5"], -0.5, 1.5)
    assert x.min() < -0.3
    np.testing.assert_allclose(y, br.contour("f1", 0.5, x, p), atol=4e-3)
    assert found["mcc"] != found["f1"]
    assert found["dots"] == [70 + 69, 0]  # one matrix has no precision
    assert found["smaller"] == [[1, 1, 3, 2], "4 of 7"]


@needs_browser
@pytest.mark.parametrize("explore", [explore_pmf, explore_contours])
def test_sliders_reach_every_number_of_cases_and_of_positives(tmp_path, explore):
    sizes = [(2, 3), *((p, total - p) for total in (7, 5, 6) for p in range(1, total) if (p, total) != (2, 5))]
    script = """
    const slider = (name) => document.querySelector(`[data-control=${name}]`);
    const number = (text) => Number(text.match(/^[0-9]+/));
    const said = (name) => number(document.querySelector(`[data-control=${name}-said]`).textContent);
    const seen = [[said('total'), said('positives')]];
    for (let i = 0; i <= slider('total').max; i += 1) {
      set('total', i);
      for (let k = 0; k <= slider('positives').max; k += 1) {
        set('positives', k);
        const matrix = cells();
        seen.push([said('total'), said('positives'), matrix[0] + matrix[2], matrix[1] + matrix[3]]);
      }
    }
    return seen;"""
    first, *seen = told(tmp_path, explore(sizes, ["f1"]), script)
    assert first == [5, 2]
    assert seen == [[total, p, p, total - p] for total in (5, 6, 7) for p in range(1, total)]


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
    assert isinstance(ranking_report(br.fit(br.from_counts(tn=32, fp=8, fn=4, tp=16), seed=1, draws=20), "f1"), Html)


def test_colours_follow_the_page():
    svg = apply_theme('<path style="fill: #000000; stroke: #4a4a4a"/><path style="fill: #0072b2"/><a href="#aabbcc"/>')
    themed = '<path style="fill: var(--g00); stroke: var(--g4a)"/><path style="fill: var(--e0)"/><a href="#aabbcc"/>'
    assert svg == themed
    style = colors_of(svg)
    for part_ in ("--e0:#0072B2", "--e0:#4c9cc9", "--g00:#000000;--g4a:#4a4a4a", "--g00:#e6e9ec;--g4a:#a9acb0"):
        assert part_ in style
    assert "--gff" not in style


@needs_browser
def test_a_browser_turns_and_reads_the_simplex(tmp_path):
    script = """
    const canvas = document.querySelector('canvas'), box = document.querySelector('.solid');
    const picture = () => canvas.toDataURL(), before = picture(), found = { drawn: [box.dataset.drawn] };
    press(canvas, 'ArrowLeft');
    found.turned = picture() !== before;
    const area = canvas.getBoundingClientRect();
    const read = new Set();
    for (let x = 0; x < area.width; x += 4) for (let y = 0; y < area.height; y += 4) {
      const at = { clientX: area.left + x, clientY: area.top + y };
      canvas.dispatchEvent(new PointerEvent('pointermove', at));
      read.add(document.querySelector('output').textContent);
    }
    found.read = [...read];
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
