"""Pages to explore: a real browser computes for all class sizes what the package computes, without a network."""

import html
import json
import re

import numpy as np
import pytest

import bayesrank as br
from bayesrank.papers.pages import METRICS, explore_contours, explore_pmf, turning_simplex
from bayesrank.plots.kit.page import Html, apply_theme, colors_of, page, part
from bayesrank.report import ranking_report
from bayesrank.scores.lattice import lattice_values, simplex_slice
from tests.browser import needs_browser, run_scripts

PHONE = "--window-size=360,740"
P, N = 6, 9
PMF = explore_pmf((P, N), ["mcc", "balanced_accuracy", "f1"], observed=(5, 7))
CONTOURS = explore_contours((P, N), ["mcc", "f1", "ppv", "tnr"], observed=(5, 7))


def held(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])


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
    (wide, room, hidden), found, (wrong, loaded) = run_scripts(
        tmp_path, page, *scripts, flags=[PHONE]
    )
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
    set('positives', 4, 'change');
    set('negatives', 3, 'change');
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
                assert float(re.search(r"observed ([\d.-]+)", words)[1]) == pytest.approx(
                    value, abs=6e-4
                )
    np.testing.assert_allclose(
        scale, scale[0], rtol=0.06
    )  # one scale for all frames and both models
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
    set('positives', 4, 'change');
    set('negatives', 3, 'change');
    const said = () => document.querySelector('[data-control=negatives-said]').textContent;
    found.smaller = [cells(), said()];
    set('positives', 100000, 'change');
    set('negatives', 5, 'change');
    found.larger = said();
    return found;"""
    found = told(tmp_path, CONTOURS, script)
    # Two positives found and two false alarms: recall 1/3, precision 1/2.
    for step, (a, d) in {"first": (5, 7), "pressed": (6, 7), "tapped": (2, 7)}.items():
        cells, values = found[step]
        assert cells == [a, N - d, P - a, d]
        for text, name in zip(values, ("mcc", "f1", "ppv", "tnr"), strict=True):
            assert float(text) == pytest.approx(
                br.scores.get(name).of_cells(d, N - d, P - a, a), rel=6e-3
            )
    p = P / (P + N)

    def points(d, low=0.0, high=1.0):
        pairs = np.array(re.findall(r"[ML]([\d.-]+) ([\d.-]+)", d), float)
        return low + (high - low) * (pairs[:, 0] - 54) / 400, low + (high - low) * (
            420 - pairs[:, 1]
        ) / 400

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
        np.testing.assert_allclose(
            (2 / (1 / recall + 1 / precision))[keep], float(title.split(" = ")[1]), atol=6e-3
        )
    assert seen > 50
    x, y = points(dict(found["beyond"])["F1 = 0.5"], -0.5, 1.5)
    assert x.min() < -0.3
    np.testing.assert_allclose(y, br.contour("f1", 0.5, x, p), atol=4e-3)
    assert found["mcc"] != found["f1"]
    assert found["dots"] == [70 + 69, 0]  # one matrix has no precision
    assert found["smaller"] == [[1, 1, 3, 2], "prevalence 0.571"]
    assert found["larger"] == "prevalence 0.99995"


@needs_browser
def test_the_reader_types_any_class_sizes(tmp_path):
    script = """
    const note = (name) => document.querySelector(`[data-control=${name}-said]`).textContent;
    const said = () => ['positives', 'negatives'].map(note);
    const seen = [];
    [['positives', 7], ['negatives', 2], ['positives', 1], ['negatives', 5000], ['negatives', 0], ['positives', 'x'],
     ['positives', 3]].forEach(([name, cases]) => { set(name, cases, 'change'); seen.push([...cells(), ...said()]); });
    return seen;"""
    unchanged = [[1, 0, 0, 4999, "", "prevalence 0.0002"]] * 2  # no number of cases was typed
    wanted = [
        [6, 2, 1, 7, "", "prevalence 0.438"], [6, 0, 1, 2, "", "prevalence 0.778"],
        [1, 0, 0, 2, "", "prevalence 0.333"], [1, 0, 0, 4999, "", "at most 4999 with 1 of the other class"], *unchanged,
        [1, 0, 0, 4999, "at most 1 with 4999 of the other class", "prevalence 0.0002"],
    ]  # fmt: skip
    assert told(tmp_path, PMF, script) == wanted


@needs_browser
def test_pmfs_of_typed_sizes_are_those_of_the_package(tmp_path):
    names = ["mcc", "cohen_kappa", "f_beta2"]
    page = explore_pmf((3, 3), ["mcc", "cohen_kappa", br.scores.f_beta(2)])
    script = """
    const marks = (svg) => svg.querySelector('.rug path').getAttribute('d').split('M').length - 1;
    const out = () => all('svg[data-score]').map((svg) =>
      [marks(svg), svg.querySelector('.counts text').textContent, svg.nextElementSibling.textContent]);
    return [[20, 41, 16, 41], [1, 8, 0, 3], [60, 12, 60, 0]].map(([p, n, a, d]) => {
      set('positives', 1, 'change');
      set('negatives', n, 'change');
      set('positives', p, 'change');
      set('tp', a);
      set('tn', d);
      return [p, n, a, d, out()];
    });"""
    for p, n, a, d, panels in told(tmp_path, page, script):
        counts = br.from_counts(tn=d, fp=n - d, fn=p - a, tp=a)
        for name, (values, many, words) in zip(names, panels, strict=True):
            score = br.scores.f_beta(2) if name == "f_beta2" else name
            for model, found in zip(
                ("beta_binomial", "binomial"),
                re.findall(r"binomial (\S+)(?: ± ([^;]+))?", words),
                strict=True,
            ):
                exact = br.predictive.score_pmf(
                    br.predictive.confusion_pmf(counts, model=model), score
                )
                exact = exact.isel(value=exact["value"].notnull().values)
                if not exact["probability"].sum():
                    assert found == ("undefined", "")
                    continue
                mass = exact["probability"] / exact["probability"].sum()
                mean = (mass * exact["value"]).sum().item()
                sd = float(np.sqrt((mass * (exact["value"] - mean) ** 2).sum()))
                np.testing.assert_allclose([float(one) for one in found], [mean, sd], atol=6e-4)
            whole = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), score)
            whole = whole.isel(value=whole["value"].notnull().values)
            assert (values, many) == (
                whole.sizes["value"],
                f"matrices with a value: up to {whole['multiplicity'].max().item():g}",
            )


@needs_browser
def test_every_formula_of_the_page_is_that_of_the_catalogue(tmp_path):
    script = """
    const read = ({ textContent: text }) => (text === 'undefined' ? null : Number(text));
    const values = () => all('[data-value]').map(read);
    return [[6, 9], [5, 1]].flatMap(([p, n]) => {
      set('positives', p, 'change');
      set('negatives', n, 'change');
      const seen = [];
      for (let a = 0; a <= p; a += 1) for (let d = 0; d <= n; d += 1) {
        set('tp', a);
        set('tn', d);
        seen.push([d, n - d, p - a, a, values()]);
      }
      return seen;
    });"""
    found = told(tmp_path, explore_contours(), script)
    assert len(found) == 7 * 10 + 6 * 2
    cells = np.array([row[:4] for row in found], float).T
    for k, name in enumerate(METRICS):
        seen = np.array([row[4][k] for row in found], float)
        np.testing.assert_allclose(
            seen, br.scores.get(name).of_cells(*cells), rtol=6e-3, atol=1e-9, err_msg=name
        )


@needs_browser
def test_contours_at_typed_sizes_are_on_their_values_and_whole(tmp_path):
    sizes = [(3, 17), (800, 200)]
    script = f"""
    const roc = all('svg[data-square]')[0];
    return {json.dumps(sizes)}.map(([p, n]) => {{
      set('negatives', n, 'change');
      set('positives', p, 'change');
      return all('[data-control=score] option').map((_, k) => {{
        set('score', k);
        return [...roc.querySelectorAll('.lines path')].map((line) => [line.textContent, line.getAttribute('d')]);
      }});
    }});"""
    across = np.linspace(0.05, 0.95, 19)
    for (p, n), pictures in zip(sizes, told(tmp_path, explore_contours(), script), strict=True):
        share = p / (p + n)
        for name, lines in zip(METRICS, pictures, strict=True):
            score, seen = br.scores.get(name), 0
            for title, d in lines:
                value = float(title.split(" = ")[1])
                pairs = np.array(re.findall(r"[ML]([\d.-]+) ([\d.-]+)", d), float).reshape(-1, 2)
                x, y = (pairs[:, 0] - 54) / 400, (420 - pairs[:, 1]) / 400
                # Coordinates are rounded to 1/40,000 of the square, and near its corners scores are steep.
                inside = (np.minimum(x, y) > 0.02) & (np.maximum(x, y) < 0.98)
                cells = ((1 - share) * (1 - x), (1 - share) * x, share * (1 - y), share * y)
                np.testing.assert_allclose(
                    score.of_cells(*cells)[inside], value, atol=4e-3, err_msg=name
                )
                if name == "tnr":  # its lines are vertical
                    seen += len(pairs)
                    continue
                wanted = br.contour(name, value, across, share).values
                keep = (wanted > 0.02) & (wanted < 0.98)
                for u, v in zip(across[keep], wanted[keep], strict=True):
                    seen += 1
                    assert np.min(np.hypot(x - u, y - v), initial=1) < 0.015, (name, value, u, v)
            assert seen > 20


def test_the_simplex_holds_every_matrix_of_its_slices():
    data = held(turning_simplex(20, [5, 10], "mcc"))
    assert [len(one["values"]) for one in data["slices"]] == [6 * 16, 11 * 11]
    for one in data["slices"]:
        p = one["positives"]
        values = np.array(one["values"], float)
        np.testing.assert_allclose(
            values, lattice_values(p, 20 - p, "mcc").values.ravel(), atol=1e-4
        )
        # The script puts a matrix where its shares put it between the corners, in this order of tp and fp.
        points = simplex_slice(p, 20 - p)
        tp, fp = (x.ravel() for x in np.meshgrid(points["tp"], points["fp"], indexing="ij"))
        cells = np.stack([tp, fp, p - tp, 20 - p - fp], -1)
        assert data["names"] == ["TP", "FP", "FN", "TN"]
        np.testing.assert_allclose(
            cells @ np.array(data["corners"]) / 20, points.values.reshape(-1, 3), atol=1e-9
        )


def test_a_page_and_a_notebook_hold_the_same():
    made = page("a < b & c", "<p>words</p>")
    assert "<title>a &lt; b &amp; c</title>" in made
    framed = re.fullmatch(
        r'<iframe srcdoc="([^"]*)"( [a-z]+="[^"]*"){3}></iframe>', made._repr_html_()
    )
    assert html.unescape(framed[1]) == made
    assert isinstance(
        ranking_report(br.fit(br.from_counts(tn=32, fp=8, fn=4, tp=16), seed=1, draws=20), "f1"),
        Html,
    )


def test_colours_follow_the_page():
    svg = apply_theme(
        '<path style="fill: #000000; stroke: #4a4a4a"/><path style="fill: #0072b2"/><a href="#aabbcc"/>'
    )
    themed = '<path style="fill: var(--g00); stroke: var(--g4a)"/><path style="fill: var(--e0)"/><a href="#aabbcc"/>'
    assert svg == themed
    style = colors_of(svg)
    for part_ in (
        "--e0:#0072B2",
        "--e0:#4c9cc9",
        "--g00:#000000;--g4a:#4a4a4a",
        "--g00:#e6e9ec;--g4a:#a9acb0",
    ):
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
    words = [
        re.fullmatch(r"TP (\d+), FP (\d+), FN (\d+), TN (\d+): A ([\d.]+)", one)
        for one in found["read"]
        if one
    ]
    assert len(words) > 20
    for word in words:
        tp, fp, fn, tn = map(int, word.groups()[:4])
        assert tp + fp + fn + tn == 20
        assert float(word[5]) == pytest.approx((tp + tn) / 20, abs=1e-3)
