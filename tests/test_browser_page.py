"""The page that ranks in the browser, without its Python: what it holds and asks for, and what the build adds."""

import hashlib
import json
import queue
import re
import secrets
import subprocess
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import bayesrank as br
from bayesrank.scores.names import SCORES
from tests.browser import CHROMIUM, FLAGS, needs_browser
from tests.commands import invoke, refused
from tests.scripts import load_script
from tests.test_without_numba import run_bare

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "start" / "browser.md").read_text(encoding="utf-8")
SCRIPT = (ROOT / "docs" / "_static" / "browser.js").read_text(encoding="utf-8")
TABLE = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", PAGE, re.DOTALL)[1]


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Return the functions that the script runs in Python, here in this process."""
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(re.search(r"const PYTHON = `\n(.*?)`;", SCRIPT, re.DOTALL)[1], names)
    return names


def test_the_page_holds_the_shipped_example():
    cells = [line.split(",") for line in TABLE.splitlines()]
    assert cells[0] == ["model", "tn", "fp", "fn", "tp"]
    counts = br.datasets.load("breast_cancer")
    assert [line[0] for line in cells[1:]] == counts["entity"].values.tolist()
    assert [list(map(int, line[1:])) for line in cells[1:]] == counts.values.reshape(9, 4).tolist()


def test_the_script_asks_for_the_text_of_the_command(asked):
    scores = re.findall(r'<option value="(\w*)">', PAGE)
    assert set(scores) - {""} <= set(SCORES)
    table = "\n".join(TABLE.splitlines()[:4])
    code, printed = asked["rank"](table, scores[0])
    assert f"bayesrank rank counts.csv --score {scores[0]} --notes\n" in PAGE
    assert (code, printed) == (0, invoke("rank", "counts.csv", "--score", scores[0], "--notes"))
    assert "logreg is best" in printed
    code, report = asked["report"](table, scores[0])
    assert code == 0
    assert "Probability of each rank" in report
    assert asked["rank"](table, "")[1] == invoke("rank", "counts.csv", "--notes")


def test_a_bad_table_is_refused_in_the_words_of_the_command(asked):
    code, printed = asked["rank"](TABLE.replace("353", "many", 1), "mcc")
    assert code == 2
    assert printed.removeprefix("bayesrank: ").rstrip() in refused(
        "rank", "counts.csv", "--score", "mcc"
    )
    assert "counts.csv, line 2: tn must be a count" in printed
    assert asked["report"]("", "mcc") == asked["rank"]("", "mcc")


def test_the_archive_ranks_without_what_it_leaves_out(tmp_path):
    archive = tmp_path / "browser.zip"
    load_script("docs/_ext/browser.py").write_archive(archive)
    with zipfile.ZipFile(archive) as held:
        names = held.namelist()
        held.extractall(tmp_path / "held")
    assert not [
        name
        for name in names
        if name.endswith((".so", ".pyc", ".nbi", ".nbc")) or "/tests/" in name
    ]
    assert [name for name in names if name.startswith("bayesrank-") and name.endswith("/METADATA")]
    assert all(
        any(f"{part}-" in name and "licen" in name.lower() for name in names)
        for part in ("xarray", "rich")
    )
    megabytes = archive.stat().st_size / 1e6
    assert 2 < megabytes < 4
    # 43 MB are of Pyodide.
    assert f"const MEGABYTES = {43 + round(megabytes)};" in SCRIPT
    assert f"about {43 + round(megabytes)} MB" in PAGE
    (tmp_path / "counts.csv").write_text(TABLE, encoding="utf-8")
    code = (
        "sys.modules.update(dict.fromkeys(('pygments', 'markdown_it', 'h5netcdf', 'dask')))\n"
        "import bayesrank, click, rich\n"
        "assert all('held' in each.__file__ for each in (bayesrank, click, rich, xarray))\n"
        "from bayesrank.cli import cli\n"
        "cli.main(['rank', 'counts.csv', '--score', 'mcc'], standalone_mode=False)\n"
    )
    assert "logreg is ahead" in run_bare(tmp_path, code, tmp_path / "held")


def test_the_build_gives_the_script_to_the_page_alone():
    added = []

    class App:
        config = type("Config", (), {"pyodide": "https://example.org/pyodide/"})
        add_js_file = staticmethod(lambda name, **about: added.append((name, about)))

    extension = load_script("docs/_ext/browser.py")
    for page in ("index", "start/browser"):
        extension.add_script(App, page, "", {}, None)
    assert added == [
        ("browser.js", {"loading_method": "defer", "data-pyodide": "https://example.org/pyodide/"})
    ]
    found = re.search(
        r'"(https://\S*/v([\d.]+)/full/)"', (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    )
    assert f"Pyodide {found[2]}" in (ROOT / "docs" / "start" / "install.md").read_text(
        encoding="utf-8"
    )


#: What the script asks of Pyodide, without Python: a package that is there or not, and canned answers.
STAND_IN = """
self.loadPyodide = async ({ indexURL }) => ({
  loadPackage: async (names) => { await fetch(indexURL + names[0]).catch(() => {}); },
  unpackArchive() {},
  runPython() {},
  globals: { get: (name) => (table, score) => ({ toJs: () => {
    if (!table) return [2, `bayesrank: ${name} of nothing`];
    const printed = `By ${score}.\\n\\na  b\\n───\\n${table.length}\\n\\nExpected <b>loss</b>.`;
    return [0, name === "report" ? "<p>report" : printed];
  } }) },
});
"""


@needs_browser
def test_the_page_shows_what_is_printed_and_what_cannot_be_loaded(tmp_path):
    """In Chromium, with a stand-in for Pyodide."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "browser.js").write_text(SCRIPT, encoding="utf-8")
    for file, content in (("browser.zip", "archive"), ("pyodide.js", STAND_IN), ("numpy", "wheel")):
        (tmp_path / file).write_text(content, encoding="utf-8")
    (tmp_path / "less").mkdir()
    (tmp_path / "less" / "pyodide.js").write_text(STAND_IN, encoding="utf-8")
    with serve(tmp_path) as (address, sent):
        status, result = press(tmp_path, address, sent)
        assert re.fullmatch(r"Ranked in \d+\.\d s\.", status)
        assert re.search(
            r'<a class="report" href="blob:[^"]*" target="_blank">Open the report', result
        )
        assert "<p>By mcc.</p>" in result
        assert (
            f'<pre tabindex="0">a  b\n───\n{len(TABLE)}</pre><p>Expected &lt;b&gt;loss&lt;/b&gt;.</p>'
            in result
        )
        empty = "document.getElementById('browser-table').value = '';"
        assert press(tmp_path, address, sent, before=empty) == (
            "No ranking.",
            '<p></p><p class="refusal">bayesrank: rank of nothing</p>',
        )
        for folder, lost in (("none/", "none/"), ("less/", "less/numpy")):
            status, result = press(tmp_path, address, sent, folder)
            why = "" if folder == lost else " (the server answers 404)"
            assert (status, result.split(". Without it")[0]) == (
                "",
                f'<p class="refusal">{address}{lost} cannot be loaded{why}',
            )


def write_pyodide(folder):
    """Write the stand-in as a distribution of Pyodide, with a lock file."""
    folder.mkdir()
    for name in ("pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "pyodide.js").write_text(STAND_IN, encoding="utf-8")
    packages = {}
    for name, depends in (
        ("numpy", []),
        ("scipy", ["numpy", "blas"]),
        ("pandas", ["numpy"]),
        ("blas", []),
        ("rest", []),
    ):
        (folder / name).write_text(f"wheel of {name}", encoding="utf-8")
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        packages[name] = {"file_name": name, "sha256": digest, "depends": depends}
    lock = {"info": {"version": "0.27.7"}, "packages": packages}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return folder


@needs_browser
def test_the_folder_ranks_a_dropped_file_and_loads_nothing_from_elsewhere(tmp_path):
    """In Chromium without a network, with a stand-in for Pyodide; a report stands below the ranking."""
    folder = tmp_path / "folder"
    load_script("scripts/browser_folder.py").make_folder(
        folder, write_pyodide(tmp_path / "pyodide")
    )
    held = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    runtime = {
        "pyodide.js",
        "pyodide.asm.js",
        "pyodide.asm.wasm",
        "python_stdlib.zip",
        "pyodide-lock.json",
    }
    packages = {"numpy", "scipy", "pandas", "blas"}
    assert held == {
        "index.html",
        "static/browser.js",
        "browser.zip",
        *(f"pyodide/{name}" for name in runtime | packages),
    }
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "https://" not in page
    assert ".browser iframe {" in page
    drop = (
        "const held = new DataTransfer(); held.items.add(new File(['a,b\\n1,2\\n'], 'counts.csv'));"
        "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: held, bubbles: true, cancelable: true }));"
        "setInterval(() => { const shown = document.querySelector('iframe')?.contentDocument?.body?.textContent;"
        " if (shown) fetch('/', { method: 'POST', body: JSON.stringify([location.search, shown,"
        " document.getElementById('browser-table').value, document.getElementById('browser-result').textContent]) });"
        " }, 100);"
    )
    (folder / "index.html").write_text(
        page.replace("</body>", f"<script>{drop}</script></body>"), encoding="utf-8"
    )
    with serve(folder) as (address, sent):
        report, table, result = visit_and_hear(tmp_path, f"{address}index.html", sent)
    assert (report, table) == ("report", "a,b\n1,2\n")
    assert result.startswith("Open the report of this rankingBy mcc.")


def test_a_copy_of_pyodide_is_checked(tmp_path):
    script = load_script("scripts/browser_folder.py")
    copy = write_pyodide(tmp_path / "pyodide")
    (copy / "blas").write_text("another wheel", encoding="utf-8")
    with pytest.raises(SystemExit, match="blas has another checksum than the one"):
        script.make_folder(tmp_path / "a", copy)
    (copy / "blas").unlink()
    with pytest.raises(SystemExit, match="lacks the package blas"):
        script.make_folder(tmp_path / "b", copy)
    (copy / "pyodide-lock.json").write_text('{"info": {"version": "0.1"}}', encoding="utf-8")
    with pytest.raises(SystemExit, match=r"must be of version 0\.27\.7"):
        script.make_folder(tmp_path / "c", copy)
    (copy / "pyodide.js").unlink()
    with pytest.raises(SystemExit, match=r"it has no pyodide\.js"):
        script.make_folder(tmp_path / "d", copy)
    with pytest.raises(SystemExit, match="is not empty"):
        script.make_folder(copy)


def press(folder, address, sent, pyodide="", before=""):
    """Press the button of the page in Chromium; return the status and the result when both are there."""
    form = re.search(r"<form.*?</form>", PAGE, re.DOTALL)[0]
    send = (
        "const [button, status, result] ="
        " ['rank', 'status', 'result'].map((name) => document.getElementById(`browser-${name}`));"
        "button.click(); setInterval(() => { if (button.getAttribute('aria-disabled') === 'false')"
        " fetch('/', { method: 'POST', body: JSON.stringify([location.search, status.innerHTML, result.innerHTML]) });"
        " }, 100);"
    )
    page = (
        f'<!doctype html><meta charset="utf-8">{form}'
        f'<script src="/_static/browser.js" data-pyodide="{address}{pyodide}"></script><script>{before}{send}</script>'
    )
    (folder / "page.html").write_text(page, encoding="utf-8")
    return visit_and_hear(folder, f"{address}page.html", sent)


def visit_and_hear(folder, page, sent):
    """Open a page in Chromium, which reaches no other host; return what it sends after its own query."""
    # What an earlier page sends may still arrive.
    run = f"?{secrets.token_hex(4)}"
    alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    command = [
        CHROMIUM,
        *FLAGS.split(),
        alone,
        f"--user-data-dir={folder / 'profile'}",
        f"{page}{run}",
    ]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while (found := json.loads(sent.get(timeout=60)))[0] != run:
            pass
        return tuple(found[1:])
    finally:
        running.terminate()
        running.wait()


@contextmanager
def serve(folder):
    """Serve a folder; return its address, and what pages send."""
    sent: queue.Queue = queue.Queue()

    class Handler(SimpleHTTPRequestHandler):
        def do_POST(self):
            sent.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *words):
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", sent
        server.shutdown()
