// The page "Try it without installing": rank a pasted table by Python in the browser (Pyodide).
//
// This file runs on the page, and again as a worker that the page starts, so that the page answers while Python runs.
"use strict";

//: What is loaded from the address of Pyodide, besides Python itself; browser.zip has the rest.
const NEEDED = ["numpy", "scipy", "pandas"];
//: How much is loaded: the sizes of all files, before a server compresses them.
const MEGABYTES = 46;
//: What each file holds; those of no other name belong to pandas.
const HELD = { pyodide: "Python", python_stdlib: "Python", numpy: "NumPy", scipy: "SciPy", openblas: "SciPy", browser: "bayesrank" };

const PYTHON = `
import contextlib, io, pathlib, sys
import pandas, scipy.special, xarray  # the command would load them with the first ranking
from bayesrank.cli import main

def run(table, *words):
    """Return the exit code and the output of a command that reads a table."""
    pathlib.Path("counts.csv").write_text(table, encoding="utf-8")
    sys.argv = ["bayesrank", *words]
    printed, code = io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    return code, printed.getvalue()

def rank(table, score):
    """Return the exit code and the output of the ranking by a score, or by the default score of the table."""
    return run(table, "rank", "counts.csv", "--notes", *(["--score", score] if score else []))

def report(table, score):
    """Return the exit code, and the report of the same ranking or why there is none."""
    page = pathlib.Path("ranking.html")
    code, printed = run(table, "report", "counts.csv", "-o", str(page), *(["--score", score] if score else []))
    return code, printed if code else page.read_text(encoding="utf-8")
`;

if (typeof document === "undefined") runWorker();
else runPage(document.currentScript);

function runWorker() {
  let python = null;

  onmessage = async ({ data: { pyodide, archive, table, score } }) => {
    try {
      python ??= await load(pyodide, archive);
      const began = performance.now();
      postMessage({ step: "Ranking" });
      const [code, printed] = call("rank", table, score);
      postMessage({ code, printed, seconds: (performance.now() - began) / 1000 });
      const [refused, report] = code ? [code, ""] : call("report", table, score);
      postMessage({ refused, report });
    } catch (error) {
      postMessage({ failed: error.message });
    }
  };

  function call(name, ...values) {
    return python.globals.get(name)(...values).toJs();
  }

  async function load(address, archive) {
    const get = reportProgress();
    self.fetch = get;
    try {
      importScripts(`${address}pyodide.js`);
    } catch {
      throw new Error(unreachable(address));
    }
    const found = await loadPyodide({ indexURL: address });
    await found.loadPackage(NEEDED, { messageCallback: () => {}, errorCallback: () => {} });
    if (get.failed) throw get.failed;
    const packed = await (await get(archive)).arrayBuffer();
    postMessage({ step: "Starting Python" });
    found.unpackArchive(packed, "zip");
    found.runPython(PYTHON);
    return found;
  }

  // Return a function like fetch that tells the page what it loads, and keeps the first failure.
  function reportProgress() {
    const plain = self.fetch;
    let bytes = 0;
    const get = async (resource, options) => {
      const address = resource.url ?? String(resource);
      const file = address.split("/").pop().split(/[-.]/)[0];
      const step = `Loading ${HELD[file] ?? "pandas"}`;
      const answer = await plain(resource, options).catch(() => null);
      if (!answer?.ok) throw (get.failed ??= new Error(unreachable(address, answer?.status)));
      const count = new TransformStream({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          postMessage({ step, megabytes: bytes / 1e6 });
          controller.enqueue(chunk);
        },
      });
      return new Response(answer.body.pipeThrough(count), answer);
    };
    return get;
  }

  function unreachable(address, status) {
    const why = status ? ` (the server answers ${status})` : "";
    return `${address} cannot be loaded${why}. Without it, this page cannot rank. Check the network and press Rank again, or install the package.`;
  }
}

function runPage(script) {
  const form = document.getElementById("browser-form");
  const [button, status, bar, result] = ["rank", "status", "bar", "result"].map((name) => document.getElementById(`browser-${name}`));
  const settings = { pyodide: new URL(script.dataset.pyodide, document.baseURI).href, archive: new URL("../browser.zip", script.src).href };
  let worker = null;
  let place = null; // of the link to the report
  let link = null;

  const take = async (file) => {
    if (!file) return;
    form.elements.table.value = await file.text();
    form.requestSubmit();
  };
  form.elements.file.addEventListener("change", (event) => take(event.target.files[0]));
  // A file may be dropped anywhere on the page, which would else leave for it.
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  document.addEventListener("drop", (event) => take(event.dataTransfer.files[0]));

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    result.replaceChildren();
    if (location.protocol === "file:") {
      return fail("This page works only from a web server. In the folder of the site, type python -m http.server and open the address that it prints.");
    }
    setBusy(true);
    say(worker ? "Ranking" : "Loading Python");
    status.scrollIntoView({ block: "nearest" });
    worker ??= start();
    worker.postMessage({ ...settings, table: form.elements.table.value, score: form.elements.score.value });
  });

  function start() {
    const started = new Worker(script.src);
    started.onmessage = ({ data }) => receive(data);
    started.onerror = (event) => receive({ failed: event.message || "The page cannot start a worker." });
    return started;
  }

  function receive(data) {
    if (data.failed !== undefined) {
      worker.terminate();
      worker = null;
      fail(data.failed);
    } else if (data.step !== undefined) {
      say(data.megabytes === undefined ? data.step : `${data.step}: ${data.megabytes.toFixed(0)} of about ${MEGABYTES} MB`);
      if (data.megabytes !== undefined) bar.value = Math.min(data.megabytes / MEGABYTES, 1);
      else bar.removeAttribute("value");
    } else if (data.printed !== undefined) {
      show(data.printed, data.code);
      say(data.code ? "No ranking." : `Ranked in ${data.seconds.toFixed(1)} s.`);
    } else {
      setBusy(false);
      if (data.refused) place.textContent = data.report && `No report. ${data.report}`;
      else linkReport(data.report);
    }
  }

  function setBusy(busy) {
    button.setAttribute("aria-disabled", String(busy));
    bar.hidden = !busy;
    if (busy) bar.removeAttribute("value");
  }

  function say(words) {
    if (status.textContent !== words) status.textContent = words;
  }

  function fail(words) {
    setBusy(false);
    say("");
    result.replaceChildren(make("p", words, "refusal"));
  }

  function make(tag, words, name = "") {
    const found = document.createElement(tag);
    found.textContent = words;
    if (name) found.className = name;
    return found;
  }

  // Show what the command prints: tables as they are, and sentences as paragraphs, which a narrow page can break.
  function show(printed, code) {
    place = make("p", code ? "" : "Writing the report");
    result.append(place);
    for (const block of printed.trimEnd().split("\n\n")) {
      if (block.includes("───")) {
        const table = make("pre", block);
        table.tabIndex = 0; // to scroll it by keys
        result.append(table);
      } else {
        result.append(...block.split("\n").map((line) => make("p", line, code ? "refusal" : "")));
      }
    }
  }

  function linkReport(page) {
    if (link) URL.revokeObjectURL(link);
    link = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    const found = make("a", "Open the report of this ranking", "report");
    found.href = link;
    found.target = "_blank";
    place.replaceChildren(found);
    const shown = document.createElement("iframe");
    shown.src = link;
    shown.title = "The report of this ranking: its picture, its table, and the Tile";
    result.append(shown);
  }
}
