"""The report in a real browser, without a network: sorting, folding, filtering, the Tile under pointer and keyboard,
dark mode with its contrast, a phone, and paper."""

import re
from functools import cache
from html import escape

import numpy as np
import pytest

import bayesrank as br
from bayesrank.report import ranking_report
from tests.browser import needs_browser, read_title, run_scripts, visit

pytestmark = needs_browser

LONG = "a very long name of a model with numbers 12345678901234567890 and_no_break_anywhere_in_this_part_of_it 語"
NAMES = ["middle", "best <b>", "worst", LONG]
UNBROKEN = ["nobreakanywhere" * 6, "عربى 4", "worst"]
COUNTS = br.from_counts(
    tn=[70, 79, 60, 66], fp=[10, 1, 20, 14], fn=[9, 1, 9, 9], tp=[21, 29, 21, 21], entity=NAMES
)


@cache
def posterior():
    return br.fit(COUNTS, "beta_binomial", draws=200, seed=1, groups=["prior"])


@cache
def few():
    return ranking_report(posterior(), "informedness", sections=["default", "tile", "prior"])


@cache
def many():
    """Forty entities, of whom the first tier is some."""
    right = np.linspace(60, 90, 40).round().astype(int)
    counts = br.from_counts(
        tn=right,
        fp=100 - right,
        fn=100 - right,
        tp=right,
        entity=[f"net {i:02d}" for i in range(40)],
    )
    return ranking_report(
        br.fit(counts, "beta_binomial", draws=100, seed=1), "informedness", sections=[]
    )


SHOWN = """
const rows = () => [...document.querySelectorAll('#table + section tbody tr')].filter((row) => !row.hidden);
const names = () => rows().map((row) => row.cells[0].textContent);
const button = (text) => [...document.querySelectorAll('button')].find((one) => one.textContent === text);
"""


SORT = (
    SHOWN
    + """
    const all = [names()], score = "informedness (Youden's J)";
    for (const _ of [1, 2]) { button(score).click(); all.push(names()); }
    button('entity').click();
    return [...all, names(), document.querySelectorAll('[aria-sort]').length];"""
)


def test_sorts_by_a_column_and_back(seen):
    best_first = ["best <b>", "middle", LONG, "worst"]
    assert seen["sort"] == [
        best_first,
        best_first[::-1],
        best_first,
        [LONG, "best <b>", "middle", "worst"],
        1,
    ]


FOLD = (
    SHOWN
    + """
    const said = () => document.querySelector('section output').textContent;
    const more = document.querySelector('[data-more]'), search = document.querySelector('input[type=search]');
    const cells = () => rows().map((row) => [0, 4, 5].map((k) => row.cells[k].textContent));
    const found = { first: rows().length, label: more.textContent };
    more.click();
    found.all = cells();
    search.value = 'ET 0';
    search.dispatchEvent(new Event('input'));
    Object.assign(found, { filtered: cells(), said: said(), gone: more.parentElement.hidden });
    search.value = '';
    search.dispatchEvent(new Event('input'));
    found.again = rows().length;
    more.click();
    button('entity').click();
    return { ...found, folded: names() };"""
)


def test_folds_and_filters_but_leaves_ranks_and_tiers(seen):
    found = seen["fold"]
    assert found["first"] == int(re.search(r'data-keep="(\d+)"', many())[1])
    assert 10 <= found["first"] <= 20
    assert found["label"] == "Show all 40"
    assert len(found["all"]) == found["again"] == 40
    assert found["filtered"] == [row for row in found["all"] if "net 0" in row[0]]
    assert (found["said"], found["gone"]) == ("10 of 40", True)
    assert found["folded"] == [f"net {i:02d}" for i in range(found["first"])]
    # Without a script all rows are seen.
    assert "<tr hidden" not in many()
    assert many().count("<tr><td>") == 40


TILE = """
        const board = document.querySelector('.board'), picture = board.querySelector('svg');
        const answer = () => document.querySelector('.answer');
        const say = () => [answer().querySelector('h3').textContent, answer().textContent];
        const press = (key) => new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        const key = (name) => board.dispatchEvent(press(name));
        const found = { start: say(), live: answer().getAttribute('aria-live'), focusable: board.tabIndex };
        found.leaders = [...answer().querySelectorAll('li')].map((line) => line.textContent);
        key('ArrowRight');
        found.right = say();
        for (let k = 0; k < 60; k++) key('ArrowRight');
        found.edge = say();
        key('ArrowUp');
        found.line = say();
        const area = picture.getBoundingClientRect();
        const at = { bubbles: true, clientX: area.left + 3, clientY: area.bottom - 3 };
        picture.dispatchEvent(new PointerEvent('pointerdown', at));
        found.corner = say();
        found.focused = document.activeElement === board;
        const button = [...document.querySelectorAll('[data-place]')].find((one) => one.textContent === 'F2');
        button.click();
        found.button = say();
        return found;
"""


def test_the_tile_answers_to_pointer_keyboard_and_buttons(seen):
    found = seen["tile"]
    # Informedness orders as the balanced accuracy does, at 30 of 110: it lies between points.
    assert found["start"][0] == "near balanced accuracy, which orders as informedness (Youden's J)"
    assert (
        "A true positive counts 2.6 times as much as a true negative; a false negative"
        in found["start"][1]
    )
    assert (found["live"], found["focusable"]) == ("polite", 0)
    assert 1 <= len(found["leaders"]) <= 5
    assert found["right"][0] == "a = 0.74, b = 0.72"
    assert "A true positive counts 2.8 times as much as a true negative" in found["right"][1]
    assert found["edge"][0] == "F-score with β = 1.6"
    assert "true negatives do not count" in found["edge"][1].lower()
    assert found["line"][0] == "F-score with β = 1.69"
    assert found["corner"][0] == "TNR (specificity)"
    assert found["focused"]
    assert found["button"][0] == "F2"
    assert "a false negative counts 4 times as much as a false positive" in found["button"][1]
    # What it says is what the posterior says.
    best = br.tile.credible(posterior(), resolution=51)["probability_best"]
    here = best.isel(a=36, b=36)
    top = here.sortby(-here)
    name, p = found["leaders"][0].split(": ")
    assert name == top["entity"].values[0]
    assert abs(float(p.strip("<>")) - float(top[0])) < 0.0051


PLACES = """
const button = (text) => [...document.querySelectorAll('[data-place]')].find((one) => one.textContent === text);
return ['PPV (precision)', 'NPV', 'TNR (specificity)', 'F2'].map((name) => {
  button(name).click();
  return document.querySelector('.answer li').textContent.split(':')[0];
});
"""


def test_a_place_is_that_of_the_map(seen):
    assert seen["places"] == [UNBROKEN[0], f"\u2068{UNBROKEN[1]}\u2069"] * 2


MEASURE = """
const wide = document.documentElement.scrollWidth, room = document.documentElement.clientWidth;
const apart = '.wide, .picture, [hidden], svg';
const boxes = [...document.querySelectorAll('body *')].filter((one) => !one.closest(apart));
const out = boxes.filter((one) => { const b = one.getBoundingClientRect(); return b.width && b.right > room + 1; });
return [wide <= room, out.map((one) => one.tagName + one.className + ' ' + one.textContent.slice(0, 30)), room];
"""


def run_in_frames(tmp_path, width, *parts):
    """What scripts return in pages of so many pixels (page, script): a window is no narrower than 500, a frame is."""
    frames = []
    for page in dict.fromkeys(page for page, _ in parts):
        calls = [
            f"parent.postMessage([{k}, (() => {{ {script} }})()], '*')"
            for k, (other, script) in enumerate(parts)
            if other == page
        ]
        inner = escape(page.replace("</body>", f"<script>{'; '.join(calls)}</script></body>"))
        frames.append(
            f'<iframe style="border:0" width={width} height=900 srcdoc="{inner}"></iframe>'
        )
    outer = (
        "<title>none</title><body style='margin:0'><script>const found = [];"
        "addEventListener('message', ({ data: [k, value] }) => "
        "{ found[k] = value; document.title = JSON.stringify(found); });</script>"
        + "".join(frames)
        + "</body>"
    )
    return read_title(tmp_path, outer, "--virtual-time-budget=4000", "--window-size=1400,900")


@cache
def unbroken():
    """The best where negatives count has a name that breaks nowhere, where positives count one from right to left."""
    counts = br.from_counts(
        tn=[95, 60, 40], fp=[5, 40, 60], fn=[35, 5, 60], tp=[65, 95, 40], entity=UNBROKEN
    )
    return ranking_report(
        br.fit(counts, "beta_binomial", draws=100, seed=1), "informedness", sections=["tile"]
    )


LEFT_TO_RIGHT = """
const [, second] = document.querySelectorAll('.answer li'), range = document.createRange();
const text = second.lastChild, colon = text.data.indexOf(':');
const box = (...ends) => {
  range.setStart(text, ends[0]);
  range.setEnd(text, ends[1]);
  return range.getBoundingClientRect();
};
return [text.data, box(0, colon).right <= box(colon, text.data.length).left + 1];
"""


def test_on_a_desktop_nothing_is_outside_and_numbers_stay_after_names_from_right_to_left(seen):
    assert seen["fits"][:2] == seen["unbroken fits"][:2] == [True, []]
    said, after = seen["left to right"]
    assert said.startswith("\u2068عربى 4\u2069: ")
    assert after
    assert re.search(r"<bdi>(\w|<wbr>| )+</bdi>: expected share (&gt;)?\d+%", unbroken())


TABLES = """
const tables = [...document.querySelectorAll('.wide')].map((box) => box.scrollWidth - box.clientWidth);
const [head, ...rows] = [...document.querySelectorAll('#table + p + section tr')].map((row) =>
  [...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => cell.getBoundingClientRect()));
const room = document.querySelector('.wide').clientWidth;
return {
  tables,
  above: rows.every(([name, ...others]) => others.every((cell) => cell.top >= name.bottom - 1)),
  level: rows.every(([name, ...others]) => others.every((cell) => Math.abs(cell.top - others[0].top) < 1)),
  wide: rows.every(([name]) => name.width > 0.9 * room),
  below: rows.every((row) => row.every((cell, k) => Math.abs(cell.right - head[k].right) < 1)),
};
"""


CORNER = """
[...document.querySelectorAll('[data-place]')].find((one) => one.textContent === 'NPV').click();
const mark = document.querySelector('.chosen').getBoundingClientRect(), box = document.querySelector('.board svg');
const seen = getComputedStyle(box).overflow === 'visible' && mark.left >= 0;
return [seen, mark.left < box.getBoundingClientRect().left];
"""


def test_on_a_telephone_nothing_is_outside_and_a_name_has_a_line_of_its_own(tmp_path):
    """No table is cut, and the chosen place is seen in a corner."""
    worth = br.decisions.expected_utility(posterior(), [[0, -1], [-5, 0]])
    other = br.sensitivity(
        COUNTS,
        "informedness",
        model="beta_binomial",
        draws=50,
        seed=1,
        alternatives=["priors"],
        priors=["uniform"],
    )
    given = {"sensitivity": other, "decisions": worth}
    page = ranking_report(posterior(), "informedness", sections=[], results=given)
    *measured, tables, corner = run_in_frames(
        tmp_path, 360, (few(), MEASURE), (unbroken(), MEASURE), (page, TABLES), (few(), CORNER)
    )
    for fits, out, room in measured:
        assert (fits, out, room <= 360) == (True, [], True)
    assert tables == {
        "tables": [0, 0, 0],
        "above": True,
        "level": True,
        "wide": True,
        "below": True,
    }
    assert corner == [True, True]


CONTRAST = """
const numbers = (color) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = (rgb) => {
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = rgb.slice(0, 3).map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (one) => {
  for (; one; one = one.parentElement) {
    const found = numbers(getComputedStyle(one).backgroundColor);
    if (found[3] === 255) return found;
  }
  return [255, 255, 255, 255];
};
const worst = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const one = walker.currentNode.parentElement;
  const unseen = one.closest('script, style, defs, metadata') || !one.checkVisibility();
  if (unseen || !walker.currentNode.textContent.trim()) continue;
  const style = getComputedStyle(one), color = numbers(one.closest('svg') ? style.fill : style.color);
  const [x, y] = [light(color), light(ground(one))];
  const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  if (ratio < 4.5) worst.push([one.tagName, one.textContent.slice(0, 20), ratio, style.color]);
}
const paper = numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3);
return [worst, light(paper), [...document.querySelectorAll('svg')].filter((one) =>
  !one.closest('[aria-hidden=true], [role=img][aria-label]:not([aria-label=""])')).length];
"""


LOADED = "return performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('data:')).length"


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """One visit of all pages: what is read and measured first, then what clicks do."""
    scripts = {
        "contrast": (few(), CONTRAST), "fits": (few(), MEASURE), "loaded": (few(), LOADED), "sort": (few(), SORT),
        "tile": (few(), TILE), "fold": (many(), FOLD), "unbroken fits": (unbroken(), MEASURE),
        "left to right": (unbroken(), LEFT_TO_RIGHT), "places": (unbroken(), PLACES),
    }  # fmt: skip
    return dict(
        zip(
            scripts,
            run_in_frames(tmp_path_factory.mktemp("wide"), 1280, *scripts.values()),
            strict=True,
        )
    )


def test_all_text_is_read_in_the_light_and_in_the_dark(tmp_path, seen):
    [dark] = run_scripts(
        tmp_path, few(), CONTRAST, flags=["--blink-settings=preferredColorScheme=0"]
    )
    for (worst, paper, silent), is_dark in ((seen["contrast"], False), (dark, True)):
        assert worst == []
        assert (paper < 0.05) == is_dark
        assert silent == 0  # pictures without words


def test_loads_nothing_from_elsewhere(seen):
    assert seen["loaded"] == 0


@pytest.mark.slow
def test_prints_all_rows_on_paper(tmp_path):
    out = tmp_path / "report.pdf"
    visit(tmp_path, many(), f"--print-to-pdf={out}", "--no-pdf-header-footer")
    pages = len(re.findall(rb"/Type\s*/Page\b", out.read_bytes()))
    assert 3 <= pages <= 8
    style = (
        "return [...document.styleSheets].flatMap((s) => [...s.cssRules]).filter((r) => "
        "r.conditionText === 'print')"
    )
    [rules] = run_scripts(tmp_path, many(), style + ".map((r) => r.cssText).join(' ')")
    assert re.search(r"tbody tr\[hidden\]\s*{\s*display: table-row !important", rules)
    assert re.search(
        r"th button\s*{\s*display: contents", rules
    )  # else headings are not repeated on each page
