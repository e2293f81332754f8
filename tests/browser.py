"""Pages in a real browser without a network: what a page is after its scripts."""

import json
import re
import shutil
import subprocess
from html import unescape

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def visit(folder, page, *flags):
    """Return what Chromium prints of a page."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [
        CHROMIUM,
        *FLAGS.split(),
        f"--user-data-dir={folder / 'profile'}",
        *flags,
        path.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def read_title(folder, page, *flags):
    """Return what the scripts of a page wrote as JSON into its title."""
    dom = visit(folder, page, "--dump-dom", *flags)
    return json.loads(unescape(re.search("<title>(.*?)</title>", dom, re.S)[1]))


def run_scripts(folder, page, *scripts, flags=()):
    """Return what each script, the body of a function, returns in a page, one after another."""
    calls = ", ".join(f"(() => {{ {script} }})()" for script in scripts)
    script = f"<script>document.title = JSON.stringify([{calls}])</script>"
    return read_title(folder, page.replace("</body>", f"{script}</body>"), *flags)
