"""No output path loses a file: outputs are written whole or not at all, and never over a file of another kind."""

import errno
import os
import stat
import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

import bayesrank as br
from bayesrank._core import outputs as _outputs
from bayesrank._core.outputs import check_output, write_output
from bayesrank.papers.pages import save, turning_simplex
from bayesrank.report import ranking_report
from tests.commands import invoke, refused

DATA = "entity,tn,fp,fn,tp\na,70,10,9,21\nb,79,1,1,29\n"
POSTERIOR = br.fit(
    br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29]), seed=1, draws=50
)
OPTIONS = ["--score", "f1", "--draws", "20"]
PAGE = '<!doctype html><meta name="generator" content="bayesrank report">'


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(DATA)
    return path


def test_the_data_are_never_the_report(data):
    assert "--output must end in .html" in refused("report", data, "-o", data, *OPTIONS)
    assert data.read_text() == DATA
    named = data.rename(data.with_suffix(".html"))
    assert "is not an earlier report of bayesrank" in refused(
        "report", named, "-o", named, *OPTIONS
    )
    assert named.read_text() == DATA
    pictured = named.rename(data.with_suffix(".png"))
    for command in ("rank", "tile", "scores"):
        words = "is not an earlier picture of bayesrank"
        assert words in refused(command, pictured, "--picture", pictured, "--draws", "20")
        assert pictured.read_text() == DATA


@pytest.mark.parametrize("link", ["symlink", "hardlink"])
def test_links_to_the_data_are_followed(data, tmp_path, link):
    path = tmp_path / "report.html"
    path.symlink_to(data) if link == "symlink" else path.hardlink_to(data)
    assert "--output must" in refused("report", data, "-o", path, *OPTIONS)
    assert data.read_text() == DATA


@pytest.mark.parametrize(
    "ending", [".png", *(pytest.param(name, marks=pytest.mark.slow) for name in (".pdf", ".svg"))]
)
def test_earlier_outputs_are_replaced_and_other_files_are_not(data, tmp_path, ending):
    report, picture = tmp_path / "out.html", tmp_path / f"out{ending}"
    asked, written = ["rank", data, "--picture", picture], ["report", data, "-o", report]
    for file, command in ((picture, asked), (report, written)):
        invoke(*command, *OPTIONS)
        before = file.read_bytes()
        invoke(*command, "--draws", "20", "--score", "accuracy")
        assert file.read_bytes() != before
    assert not list(tmp_path.glob(".bayesrank*"))
    # A picture of another program is not ours.
    plt.figure().savefig(picture)
    plt.close()
    held = picture.read_bytes()
    assert "type another name, or move that file away" in refused(*asked, *OPTIONS)
    assert picture.read_bytes() == held
    picture.unlink()
    report.write_text("<!doctype html>\n<title>My thesis on bayesrank</title>")
    assert "is not an earlier report" in refused(*written, *OPTIONS)


def test_a_page_is_no_report(tmp_path):
    path = tmp_path / "page.html"
    save(turning_simplex(4, [2], "mcc"), path)
    save(turning_simplex(4, [2], "f1"), path)
    with pytest.raises(ValueError, match=r"path must not replace .* not an earlier report"):
        ranking_report(POSTERIOR, "f1", path=path)


def test_python_writes_by_the_same_function(tmp_path, data):
    path = tmp_path / "report.html"
    path.touch()  # an empty file is filled
    page = ranking_report(POSTERIOR, "f1", path=path)
    assert path.read_text(encoding="utf-8") == page
    (tmp_path / "folder.html").mkdir()
    for file, words in (
        (data, r"path must end in \.html"),
        (tmp_path / "no" / "report.html", "path must lie in a folder that exists"),
        (tmp_path / "folder.html", "path must be a file"),
    ):
        with pytest.raises(ValueError, match=words):
            ranking_report(POSTERIOR, "f1", path=file)
    assert data.read_text() == DATA


@pytest.mark.parametrize(
    "step", ["fdopen", "fsync", "replace"]
)  # before, while and after it is written
def test_a_full_disk_leaves_the_older_report(tmp_path, monkeypatch, step):
    path = tmp_path / "report.html"
    write_output("path", path, "report", PAGE)

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_outputs.os, step, full)
    with pytest.raises(
        OSError, match="No space left on device; the file that was there is unchanged"
    ):
        write_output("path", path, "report", PAGE * 2)
    assert path.read_text(encoding="utf-8") == PAGE
    assert [found.name for found in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_folder_that_takes_no_files_stops_before_the_work(data, tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir()
    monkeypatch.setattr(
        _outputs.os, "access", lambda path, mode: str(path) != str(closed.resolve())
    )
    monkeypatch.setattr(
        "bayesrank.cli.rank.analyse", lambda *_, **__: pytest.fail("the work was done first")
    )
    message = refused("report", data, "-o", closed / "out.html", *OPTIONS)
    assert "--output must lie in a folder that takes new files" in message
    message = refused("rank", data, "--picture", closed / "out.png", *OPTIONS)
    assert "--picture must lie in a folder that takes new files" in message
    with pytest.raises(OSError, match="path must lie in a folder that takes new files"):
        ranking_report(POSTERIOR, "f1", path=closed / "out.html")


def test_a_report_that_cannot_be_written_names_the_option(data, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_outputs.os, "fsync", full)
    message = refused("report", data, "-o", tmp_path / "out.html", *OPTIONS)
    assert message.startswith("--output cannot be written to ")


@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
def test_equal_results_are_equal_pictures(data, tmp_path, monkeypatch, ending):
    made = []
    for i, seconds in enumerate((1_000_000_000, 1_700_000_000)):  # another day
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(seconds))
        path = tmp_path / f"{i}{ending}"
        invoke("rank", data, "--picture", path, *OPTIONS)
        made.append(path.read_bytes())
    assert made[0] == made[1]


def test_permissions_are_those_of_the_file_or_of_the_umask(tmp_path):
    path = tmp_path / "report.html"
    before = os.umask(0o027)
    try:
        write_output("path", path, "report", PAGE)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_output("path", path, "report", PAGE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_endings_that_do_not_fit_are_refused():
    for path in ("report", "report.htm", "report.html.txt", "", ".html/x", "x" * 100_000):
        with pytest.raises(ValueError, match=r"--report must") as caught:
            check_output("--report", path, "report")
        assert len(str(caught.value)) < 250


def test_a_letter_that_utf8_lacks_does_not_lose_the_page(tmp_path):
    path = tmp_path / "report.html"
    write_output("path", path, "report", "\ud800 is half a letter")
    assert path.read_text() == r"\ud800 is half a letter"
    assert all(len(name) < 255 for name in os.listdir(tmp_path))


def test_write_protected_files_stay(tmp_path, data):
    path = tmp_path / "it's a report.html"
    write_output("path", path, "report", PAGE)
    path.chmod(0o444)
    message = refused("report", data, "-o", path, *OPTIONS)
    assert "must not replace" in message
    assert "which is write-protected; type another name, or chmod u+w " in message
    with pytest.raises(br.ArgumentError, match="write-protected") as caught:
        ranking_report(POSTERIOR, "f1", path=path)
    assert path.read_text() == PAGE
    # The fix that the message names works in a shell.
    subprocess.run(str(caught.value)[str(caught.value).index("chmod") :], shell=True, check=True)
    invoke("report", data, "-o", path, *OPTIONS)
    assert path.read_text() != PAGE


def test_paths_that_no_disk_takes_are_refused(tmp_path):
    with pytest.raises(br.ArgumentError, match="File name too long"):
        check_output("--output", tmp_path / f"{'x' * 300}.html", "report")
    loop = tmp_path / "loop.html"
    loop.symlink_to(loop)
    with pytest.raises(br.ArgumentError, match="--output"):
        write_output("--output", loop, "report", PAGE)


@pytest.mark.parametrize(
    "held",
    [
        "entity,dataset,case,run,outcome\na,d,1,1,1\n",
        "entity,dataset,case,run,outcome,note\n",
        "x\n",
    ],
)
def test_convert_replaces_no_table(held, tmp_path):
    """An earlier output and a file of the user may look alike."""
    logs, table = tmp_path / "logs.json", tmp_path / "table.csv"
    logs.write_text(
        '[{"task_id": 1, "reward": 1, "info": {}}, {"task_id": 2, "reward": 0, "info": {}}]'
    )
    table.write_text(held)
    assert "must not replace" in refused("convert", logs, "-o", table)
    assert table.read_text() == held
    table.write_text("")
    invoke("convert", logs, "-o", table)
    assert "must not replace" in refused("convert", logs, "-o", table)
