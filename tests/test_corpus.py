"""Small files in the forms that people have, each with its right answer, known without the reader.

scripts/make_corpus.py writes them; scripts/mutate_corpus.py changes them at random, and counts what is ranked wrongly.
"""

import re
import shlex
import sys

import pytest

import bayesrank as br
from tests.corpus_answers import (
    ENTRIES,
    FOLDER,
    by_command,
    evidence_of,
    frame_of,
    observed_of,
    read_frame,
    same,
)
from tests.scripts import ROOT, load_script
from tests.tables.test_suggestions import remedies

RANKED = [one for one in ENTRIES if "asks" not in one]
#: At most forty files are ranked by the command in the quick run.
COMMANDS = [
    pytest.param(one, marks=[pytest.mark.slow] if at % (1 + len(RANKED) // 40) else [])
    for at, one in enumerate(RANKED)
]
ASKED = [one for one in ENTRIES if "asks" in one]
#: Scores of the whole table, which no sum over cases is.
AREAS = ("auc_roc",)


def name_of(one):
    return one["file"]


def test_the_corpus_is_large_and_says_where_each_file_is_from():
    assert len(ENTRIES) >= 120
    assert all(one["by"] and one["source"] for one in ENTRIES)
    assert {path.name for path in FOLDER.iterdir()} == {one["file"] for one in ENTRIES} | {
        "manifest.json"
    }


@pytest.mark.parametrize("one", [one for one in RANKED if one["score"] not in AREAS], ids=name_of)
def test_command_and_python_read_the_right_answer(one):
    path, options = FOLDER / one["file"], one.get("options", "")
    found = observed_of(evidence_of(path, options), one["score"])
    assert same(found, one["observed"]), (found, one["observed"])
    frame = frame_of(path)
    if path.suffix == ".txt" and "Unnamed: 0" in options:
        frame, options = frame.rename_axis("entity"), ""
    here = observed_of(read_frame(frame, options), one["score"])
    # Without a file, a classifier without a name is called predicted.
    here = {
        path.name.partition(".")[0] if name == "predicted" else name: value
        for name, value in here.items()
    }
    assert same(here, one["observed"]), (here, one["observed"])


@pytest.mark.parametrize("one", ASKED, ids=name_of)
def test_a_file_that_leaves_a_question_open_stops_with_what_was_promised(one):
    """Every printed remedy is typed, and its result compared with the answer in the manifest."""
    path, options = FOLDER / one["file"], one.get("options", "")
    found, said = by_command(path, options, one["score"])
    assert found is None
    assert one["asks"] in said
    with pytest.raises(br.ArgumentError, match=re.escape(one["asks"])):
        read_frame(frame_of(path), options) if path.suffix == ".csv" else evidence_of(path, options)
    printed = {shlex.join(words) for words in remedies(said) if words != ["--entities", "lists"]}
    promised = {
        shlex.join(shlex.split(words)): held for words, held in one.get("remedies", {}).items()
    }
    if promised:
        assert printed == set(promised)
    for words, held in promised.items():
        if held is None:
            with pytest.raises(br.ArgumentError):
                evidence_of(path, f"{options} {words}")
            continue
        score = (
            one["score"]
            if not words.startswith("--entities") or one["score"] == "mean_outcome"
            else "mean_outcome"
        )
        score = "accuracy" if "--truth" in words and one["score"] == "mean_outcome" else score
        found = observed_of(evidence_of(path, f"{options} {words}"), score)
        assert same(found, held), (words, found, held)


@pytest.mark.parametrize("one", COMMANDS, ids=name_of)
def test_the_command_prints_the_right_answer(one):
    found, said = by_command(FOLDER / one["file"], one.get("options", ""), one["score"])
    assert found is not None, said
    if one["score"] != "strength":
        assert same(
            {n: round(v, 9) for n, v in found.items()},
            {n: round(v, 9) for n, v in one["observed"].items()},
        )


@pytest.fixture(scope="module")
def changes():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT), *sys.path])
        yield load_script("scripts/mutate_corpus.py")


@pytest.mark.parametrize("number", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_harmless_changes_leave_the_right_answer(changes, number):
    """Order, separator, encoding, ends of lines, quotes and blanks: none may change what is read."""
    assert set(changes.run(number, 11, changes.HARMLESS, show=False)) == {"right"}


@pytest.mark.parametrize("number", [80, pytest.param(500, marks=pytest.mark.slow)])
def test_no_harmful_change_is_ranked_wrongly_in_silence(changes, number):
    """Headings renamed, columns dropped, doubled or retyped, and rows of totals."""
    tally = changes.run(number, 12, changes.HARMFUL, show=False)
    assert tally["wrong"] == 0, tally
    assert tally["refused"] > number / 3
