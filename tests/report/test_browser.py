"""The report in a real browser: it renders without a network, sorts on a click, and fits a phone."""

import re
import shutil
import subprocess

import pytest

import bayesrank as br
from bayesrank.report import ranking_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")

COUNTS = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 9], tp=[21, 29, 21], entity=["middle", "best <b>", "worst"]
)


def dom_after(tmp_path, script, width=1000):
    """The page's DOM after ``script`` ran in it."""
    page = tmp_path / "report.html"
    html = ranking_report(br.fit(COUNTS, "beta_binomial", draws=200, seed=1, groups=["prior"]), "informedness")
    page.write_text(html.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --window-size={width},900 --user-data-dir={tmp_path / 'profile'}"
    )
    command = [CHROMIUM, *flags.split(), "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def first_column(dom):
    return re.findall(r"<tr><td>(.*?)</td>", dom)


def test_sorts_by_a_column_and_back(tmp_path):
    button = "[...document.querySelectorAll('th button')].find((b) => b.textContent === 'informedness')"
    assert first_column(dom_after(tmp_path, "")) == ["best &lt;b&gt;", "middle", "worst"]
    assert first_column(dom_after(tmp_path, f"{button}.click()")) == ["worst", "middle", "best &lt;b&gt;"]
    assert first_column(dom_after(tmp_path, f"{button}.click(); {button}.click()"))[0] == "best &lt;b&gt;"


def test_loads_nothing_from_elsewhere(tmp_path):
    script = (
        "document.title = performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('data:')).length"
    )
    assert "<title>0</title>" in dom_after(tmp_path, script)


def test_fits_a_phone(tmp_path):
    # Only the table scrolls sideways, inside its own box.
    script = "document.title = document.documentElement.scrollWidth <= window.innerWidth"
    assert "<title>true</title>" in dom_after(tmp_path, script, width=500)
