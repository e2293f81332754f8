"""Files of users are read by their content and within limits; each failure names the file and the way on."""

import bz2
import gzip
import io
import json
import lzma
import os
import struct
import sys
import time
import warnings
import zipfile
from pathlib import Path

import pytest

import bayesrank as br
from bayesrank._core import inputs as _inputs
from bayesrank.diagnosis import diagnose
from bayesrank.io.logs.choices import Choices
from bayesrank.io.logs.files import Patterns, matches, short_names
from bayesrank.io.tables.files import read_evidence
from bayesrank.words.sentences import say
from tests.commands import invoke, run
from tests.test_door import same_evidence

TABLE = "entity,tn,fp,fn,tp\na,70,10,9,21\nb,79,1,1,29\n"
LOG = [{"task_id": i, "reward": i % 2, "info": {}} for i in range(6)]
EVAL = {
    "header.json": {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}},
    "samples/1.json": {"id": 1, "scores": {"match": {"value": "C"}}},
    "samples/2.json": {"id": 2, "scores": {"match": {"value": "I"}}},
}
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def refused(*words, **options):
    """The message of a refusal, which is no bug of the package."""
    result = run(*words, **options)
    assert isinstance(result.exception, br.ArgumentError), result.exception
    return str(result.exception)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zipped(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(
                name, content if isinstance(content, bytes | str) else json.dumps(content)
            )
    return file.getvalue()


def field_of_members(data, offset, value, size="<H"):
    """An archive with another value in the headers of each member: 6 are the flags, 8 the method of compression."""
    data = bytearray(data)
    for mark, start in ((b"PK\x03\x04", offset), (b"PK\x01\x02", offset + 2)):
        at = data.find(mark)
        while at >= 0:
            struct.pack_into(size, data, at + start, value)
            at = data.find(mark, at + 4)
    return bytes(data)


# --- Tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\r", "\r\n", "\n"])
def test_tables_with_any_end_of_line_are_ranked(ending, tmp_path):
    path = write(tmp_path / "t.csv", TABLE.replace("\n", ending))
    same_evidence(read_evidence(str(path)), read_evidence(str(write(tmp_path / "u.csv", TABLE))))
    assert "b" in invoke("rank", path, "--draws", "20")


def test_long_fields_are_read(tmp_path):
    path = write(tmp_path / "t.csv", TABLE.replace("a,", f"{'x' * 200_000},"))
    assert read_evidence(str(path)).sizes["entity"] == 2
    assert _inputs.csv.field_size_limit() == 131_072
    assert "b" in invoke("rank", path, "--draws", "20")


FEW = ("--draws", "20")


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """What the command prints of the table as it is."""
    return invoke("rank", write(tmp_path_factory.mktemp("plain") / "t.csv", TABLE), *FEW)


@pytest.mark.parametrize("packer", PACKERS.values(), ids=PACKERS)
@pytest.mark.parametrize("layers", [1, 2])
def test_compressed_tables_are_recognised_by_content(packer, layers, tmp_path, ranked):
    data = TABLE.encode()
    for _ in range(layers):
        data = packer(data)
    told = invoke("rank", write(tmp_path / "u.csv", data), *FEW)
    assert told.replace("from u.csv", "from t.csv") == ranked
    if layers == 1:
        told = invoke("rank", "-", *FEW, input=data)
        assert told.replace("from standard input", "from t.csv") == ranked


def test_compressed_logs_are_read_from_standard_input(tmp_path):
    packed = gzip.compress(json.dumps(LOG).encode())
    assert "tau-bench" in invoke("doctor", "-", "--name", "-=a", input=packed)
    assert br.read(write(tmp_path / "x", packed), name={"x": "a"})["outcome"].sum() == 3


def test_what_is_no_table_is_refused(tmp_path):
    for name, content, words in (
        ("a.csv", b"%PDF-1.7\r%\xe2\xe3\xcf\xd3\r1 0 obj", "it is a PDF"),
        ("b.csv", gzip.compress(TABLE.encode())[:40], "damaged data"),
        ("c.csv", b"PK\x03\x04" + b"x" * 60, "that can be read; got damaged data"),
        ("d.csv", gzip.compress(b"0" * 2**24 + b"0"), "must unpack to at most 16 MiB"),
        ("e.csv", TABLE.replace("70", "9" * 400), "tn"),
        ("f.csv", b"\xff\xfe" + TABLE.encode("utf-16-le") + b"\x00", "must be text in UTF-8"),
        ("g.csv", "", "is empty"),
    ):
        assert words in refused("rank", write(tmp_path / name, content), "--draws", "20"), name
    assert "must be a file that exists" in refused("rank", tmp_path / "missing.csv")
    (tmp_path / "empty").mkdir()
    assert "must name files; the folder" in refused("rank", tmp_path / "empty")
    assert "must be a file that exists" in refused("rank", "x" * 5000)
    assert "must name files that exist" in refused("doctor", "x" * 5000)


def test_a_table_of_long_numbers_is_read_by_python_and_the_command_alike(tmp_path):
    path = write(tmp_path / "t.csv", f"case,a,b\n1,0.5,1\n2,1,{'9' * 400}\n")
    assert "must" in refused("rank", path, "--draws", "20")


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(br.ArgumentError, match="must be a file; got a device or a pipe"):
        _inputs.read_bytes(tmp_path / "pipe")
    with pytest.raises(br.ArgumentError, match="must be a file; got a folder"):
        _inputs.read_bytes(tmp_path)


# --- Workbooks -------------------------------------------------------------------------------------------------------


def workbook(path, rows, more=()):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title, cells in more:
        sheet = book.create_sheet(title)
        for row in cells:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [["entity", "tn", "fp", "fn", "tp"], ["a", 70, 10, 9, 21.0], [None] * 5, ["b", 79, 1, 1, 29]]


def test_a_workbook_is_a_table_whatever_its_name(tmp_path):
    expected = read_evidence(str(write(tmp_path / "t.csv", TABLE)))
    for name in ("t.xlsx", "u.csv", "v"):
        path = workbook(tmp_path / name, ROWS, [("empty", [])])
        same_evidence(read_evidence(str(path)), expected)
        assert "b" in invoke("rank", path, "--draws", "20")
    workbook(tmp_path / "t.xlsx", [*ROWS, ["c", 1, 1, None, 1]])
    assert "line 5" in refused("rank", tmp_path / "t.xlsx")


def test_a_workbook_that_is_no_single_table_is_refused(tmp_path):
    path = workbook(tmp_path / "t.xlsx", ROWS, [("more", ROWS)])
    assert "must have one sheet with cells; got 2: Sheet, more" in refused("rank", path)
    path = workbook(tmp_path / "u.xlsx", [*ROWS, ["c", "=1+1", 1, 1, 1]])
    assert "line 5: must contain values; got a formula without one" in refused("rank", path)
    path = workbook(tmp_path / "v.xlsx", [])
    assert "must have one sheet with cells; got none" in refused("rank", path)


def test_without_openpyxl_the_error_names_it(tmp_path, monkeypatch):
    path = write(
        tmp_path / "t.xlsx", zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"})
    )
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "'pip install openpyxl' adds it" in refused("rank", path)


# --- Logs: one bad file ----------------------------------------------------------------------------------------------

NESTED = "[" * 100_000
JUNIT = '<testsuite name="m"><testcase classname="c" name="t"/></testsuite>'
#: A file that a format recognises and that cannot be read, and the reason.
BROKEN = {
    "brackets.json": ('[{"task_id": 1, "reward": 1, "info": ' + NESTED, "brackets within brackets"),
    "digits.json": (
        f'[{{"task_id": 1, "reward": {"9" * 400}, "info": {{}}}}]',
        "numbers of at most 300 digits",
    ),
    "cut.json": (json.dumps(LOG)[:-9], "complete JSON"),
    "latin.json": (json.dumps(LOG).encode().replace(b"{}", b'"\xe9"'), "not text in UTF-8"),
    "encoding.xml": (f'<?xml version="1.0" encoding="bogus"?>{JUNIT}', "unknown encoding"),
    "list.json": (
        json.dumps([{"task_id": [1], "reward": 1, "info": {}}]),
        "one text or number in the field case",
    ),
    "size.json": (
        json.dumps({"resolved_ids": ["a__b-1"], "submitted_instances": 1}).replace(
            "{", '{"total_instances": 1e999, ', 1
        ),
        "number of its cases as a whole number",
    ),
    "damaged.eval": (
        zipped(EVAL, zipfile.ZIP_STORED).replace(b'"value"', b'"xalue"'),
        "Bad CRC-32",
    ),
    "encrypted.eval": (field_of_members(zipped(EVAL), 6, 1), "encrypted"),
    "method.eval": (field_of_members(zipped(EVAL), 8, 77), "compression method is not supported"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_is_refused_by_name_and_can_be_left_out(name, tmp_path):
    content, words = BROKEN[name]
    write(tmp_path / name, content)
    write(tmp_path / "good.json", json.dumps(LOG))
    message = refused("rank", tmp_path, "--draws", "20")
    assert words in message
    assert f"--name {name}= leaves the file out" in message
    shown = invoke("rank", tmp_path, "--draws", "20", "--name", f"{name}=")
    assert "good" in shown
    with pytest.raises(br.ArgumentError, match="leaves the file out"):
        br.read(tmp_path)
    assert set(br.read(tmp_path, name={name: ""})["entity"]) == {"good"}


#: A file that no format can recognise, and what is said about it.
FOREIGN = {
    "paper.csv": (b"%PDF-1.7\r%\xe2\xe3\xcf\xd3\r1 0 obj,\r,", "No format recognises 1 file"),
    "packed.csv": (gzip.compress(b"a,b\n1,2\n"), "No format recognises 1 file"),
    "cut.gz": (gzip.compress(os.urandom(4000))[:900], "damaged data"),
    "broken.zip": (b"PK\x03\x04 is no archive", "damaged data"),
    "photo.jpg": (b"\xff\xd8\xff\xe0" + bytes(range(256)), "No format recognises 1 file"),
    "bomb.zip": (zipped({"zeros.json": b"0" * (2**24 + 1)}), "must unpack to at most 16 MiB"),
    "field.csv": (f'id,expected,"{"x" * 200_000}"\n', ""),
    "crypt.zip": (field_of_members(zipped({"a.json": json.dumps(LOG)}), 6, 1), "encrypted"),
    "method.zip": (
        field_of_members(zipped({"a.json": json.dumps(LOG)}), 8, 77),
        "method is not supported",
    ),
}


DAMAGED = ("cut.gz", "broken.zip", "bomb.zip", "crypt.zip", "method.zip")


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_listed_and_stops_no_other(name, tmp_path):
    content, words = FOREIGN[name]
    write(tmp_path / "good.json", json.dumps(LOG))
    alone = br.read(tmp_path)
    write(tmp_path / name, content)
    if name in DAMAGED:
        message = refused("rank", tmp_path, "--draws", "20")
        assert words in message
        assert "leaves the file out; --errors skip" in message
    found = br.read(tmp_path, errors="skip")
    assert found.equals(alone)
    doubts = " ".join(map(say, found.attrs["doubts"]))
    assert words in doubts
    assert name in doubts or not words
    assert "good" in invoke("rank", tmp_path, "--draws", "20", "--errors", "skip")


#: Logs as crashes and copies leave them, beside a whole one.
LOST = {
    "empty.json": lambda path: path.write_text(""),
    "cut.json": lambda path: path.write_text(json.dumps(LOG)[:20]),
    "cut.jsonl": lambda path: path.write_text('{"model": "a", "id": 1}\n{"model": "a", "i'),
    "dangling.json": lambda path: path.symlink_to(path.with_name("nowhere.json")),
    "empty.json.gz": lambda path: path.write_bytes(gzip.compress(b"")),
}


@pytest.mark.parametrize("name", LOST)
def test_a_log_that_cannot_be_read_is_an_error_in_every_command_and_format(name, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for model in ("good", "better"):
        write(folder / f"{model}.json", json.dumps(LOG))
    write(tmp_path / "base.json", json.dumps(LOG))
    LOST[name](folder / name)
    formats = ("table", "csv", "json", "board") if name == "cut.json" else ("table",)
    commands = [["rank", folder, "--draws", "20", "--format", form] for form in formats]
    commands += [["convert", folder]]
    if name == "cut.json":  # all commands read by the same function
        commands += [["gate", tmp_path / "base.json", folder]]
        commands += [["report", folder, "--draws", "20", "-o", tmp_path / "page.html"]]
    for words in commands:
        message = refused(*words)
        assert name in message
        assert "--errors skip" in message
        assert f"--name {name}= leaves the file out" in message or words[0] == "gate"
        shown = run(*words, "--errors", "skip")
        assert shown.exit_code == 0, shown.output
        assert name in shown.stderr
        assert "Files that cannot be read are left out" in shown.stderr
    assert name in invoke("doctor", folder)
    with pytest.raises(br.ArgumentError, match="leaves the file out"):
        br.read(folder)


def test_two_lost_logs_are_named_together_and_foreign_files_stay_out(tmp_path):
    write(tmp_path / "good.json", json.dumps(LOG))
    for name in ("a.json", "b.json"):
        write(tmp_path / name, "")
    write(tmp_path / "notes.txt", "")
    write(tmp_path / "run.log", "[INFO] begin\n")
    message = refused("rank", tmp_path)
    assert "a.json must contain cases; got an empty file" in message
    assert "1 more file cannot be read: b.json" in message
    assert "notes" not in message
    assert "run.log" not in message


def test_archives_within_archives_share_the_room_of_the_outer_one(tmp_path):
    inner = zipped({f"{i}.json": b"0" * 2**23 for i in range(2)})
    path = write(tmp_path / "outer.zip", zipped({f"{i}.zip": inner for i in range(40)}))
    start = time.perf_counter()
    with pytest.raises(br.ArgumentError, match="must unpack to at most"):
        br.read(path)
    assert time.perf_counter() - start < 5


def test_too_many_layers_are_refused(tmp_path):
    data = json.dumps(LOG).encode()
    for i in range(6):
        data = zipped({f"{i}.zip": data})
    assert "at most 4 nested archives" in refused("rank", write(tmp_path / "deep.zip", data))


def test_a_link_to_itself_and_a_folder_without_rights_are_listed(tmp_path, monkeypatch):
    write(tmp_path / "good.json", json.dumps(LOG))
    alone = br.read(tmp_path)
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    (tmp_path / "again").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    write(tmp_path / "closed" / "x.json", json.dumps(LOG))
    scan = os.scandir

    def scandir(path):  # the owner of a test may read every folder
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(
        br.ArgumentError,
        match=r"(?s)(Permission|Too many|a device).*errors='skip'.* 2 more files cannot be read",
    ):
        br.read(tmp_path)
    found = br.read(tmp_path, errors="skip")
    assert found.equals(alone)
    doubts = " ".join(map(say, found.attrs["doubts"]))
    assert "Permission denied" in doubts
    assert "Too many levels of symbolic links" in doubts
    assert "a device or a pipe" in doubts
    assert "Files that cannot be read are left out" in invoke(
        "doctor", tmp_path, "--errors", "skip"
    )
    assert all(name in invoke("doctor", tmp_path) for name in ("closed", "loop.json", "pipe.json"))
    assert "must be a file that can be read; got Too many levels" in refused(
        "rank", tmp_path / "loop.json", tmp_path
    )


@pytest.mark.parametrize(
    "text",
    [
        "<!-- c -->" * 2000 + "<html>",
        "<?xml ?>" * 20_000,
        "x,[" * 80_000,
        "x,[a] " * 40_000,
        '{"' + "_" * 250_000,
        "inst# actual " * 20_000,
        "[" * 200_000,
        '{"0"' + " " * 200_000,
        "id,target" + ",x" * 100_000,
    ],
    ids=lambda text: text[:9],
)
def test_no_beginning_of_a_file_takes_long_to_recognise(text, tmp_path):
    write(tmp_path / "good.json", json.dumps(LOG))
    write(tmp_path / "slow.txt", text)
    start = time.perf_counter()
    assert set(br.read(tmp_path)["entity"]) == {"good"}
    assert time.perf_counter() - start < 3


def test_lines_of_spaces_and_tables_of_json_take_no_long_time(tmp_path):
    weka = "inst# actual predicted error prediction\n1 1:a 1:a " + " " * 200_000 + "x\n"
    path = write(tmp_path / "weka_m.txt", weka + "1 1:a 1:a 1 (1)\n")
    start = time.perf_counter()
    assert len(br.read(path)) == 1
    assert "--map case=FIELD,entity=FIELD,outcome=FIELD" in refused(
        "rank", write(tmp_path / "t.csv", '{"a": {}}' + "\n " * 100_000 + "x")
    )
    assert time.perf_counter() - start < 3


# --- Names of files --------------------------------------------------------------------------------------------------


def test_short_names_and_patterns_are_those_of_the_plain_rules():
    labels = [
        "/a/b/x.json",
        "/a/c/x.json",
        "y.json",
        "/d/c/x.json",
        "/a/b/y[1].json",
        "standard input",
        "z/z/z.json",
    ]
    assert short_names(labels) == ["b/x.json", "a/c/x.json", "y.json", "d/c/x.json", "y[1].json", "standard input",
                                   "z.json"]  # fmt: skip
    asked = [
        "x.json",
        "/a",
        "c/",
        "*.json",
        "y[1].json",
        "-",
        "b/x.json",
        "z/z",
        "nothing",
        "/a/b/x.json",
    ]
    for label in labels:
        for pattern in asked:
            assert (Patterns([pattern]).find(label) is not None) == matches(label, pattern), (
                label,
                pattern,
            )
    assert Patterns(["x.json", "/a/b"]).find("/a/b/x.json") == "/a/b"
    assert Patterns(["/a/b", "x.json"]).find("/a/b/x.json") == "x.json"


@pytest.mark.parametrize("many", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_cost_of_reading_is_linear_in_files(many, tmp_path):
    """Ten times the logs take at most three times the time per log."""

    def seconds(number):
        folder = tmp_path / str(number)
        for i in range(number):
            write(folder / f"run {i}" / "log.json", json.dumps(LOG))
        start = time.process_time()
        found = diagnose(str(folder), Choices(name={f"run {i}": f"m{i}" for i in range(number)}))
        assert found.frame["entity"].nunique() == number
        return (time.process_time() - start) / number

    few = min(seconds(many // 10), seconds(many // 10 + 1))
    assert seconds(many) < 3 * few


def test_the_module_of_inputs_is_the_only_one_that_opens_files_of_users():
    """No other module of the readers opens a path, so that the limits hold for every byte."""
    folder = Path(br.__file__).parent
    opening = (
        "open(",
        ".read_text(",
        ".read_bytes(",
        "ZipFile(",
        "sys.stdin",
        "pd.read_csv(",
        "json.load(",
        ".glob(",
    )
    found = {
        (path.name, word)
        for part in ("io", "cli")
        for path in (folder / part).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        for word in opening
        if word in line.replace("_open(", "") and not line.lstrip().startswith("#")
    }
    # The first line of a module of the command, a closed standard error, the pattern that the user typed, and the names
    # of the files in a folder of submissions.
    assert found == {
        ("__init__.py", "open("),
        ("sources.py", ".glob("),
        ("submissions.py", ".glob("),
    }, found


def test_a_workbook_without_styles_is_read_without_a_warning(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book, saved = openpyxl.Workbook(), io.BytesIO()
    for line in TABLE.splitlines():
        book.active.append([int(cell) if cell.isdecimal() else cell for cell in line.split(",")])
    book.save(saved)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(tmp_path / "t.xlsx", "w") as target:
        for name in source.namelist():
            styles = (
                b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
            )
            target.writestr(name, styles if name == "xl/styles.xml" else source.read(name))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_evidence(str(tmp_path / "t.xlsx")).sum() == 220


def test_doctor_names_arguments_as_the_shell_does(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert "Stops:      PATHS must name logs of a known format" in invoke("doctor", path)
