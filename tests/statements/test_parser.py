"""The language of statements: what is written is read, and what is wrong is refused where it goes wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesrank.statements._parser import (
    DEPTH,
    Beats,
    Bound,
    Either,
    Every,
    Not,
    Place,
    claims_of,
    parse,
    quote_name,
)
from tests.strategies import NAMES, statements, written


@given(st.data(), NAMES)
def test_a_written_statement_is_read_back(data, names):
    statement = data.draw(statements(len(names)))
    text = written(statement, names)
    assert parse(text, names) == statement
    if all(name.isalnum() for name in names):
        loose = (
            text.replace(" and ", "\n AND  ")
            .replace("(", " ( ")
            .replace(" > ", ">")
            .replace(" or ", " Or\t")
        )
        assert parse(f" {loose}\n", names) == statement


@given(st.data(), NAMES)
def test_any_other_text_is_refused_with_words(data, names):
    pieces = [
        *names,
        *map(repr, names),
        "and",
        "or",
        "not",
        "(",
        ")",
        ">",
        "<=",
        "is",
        "best",
        "in",
        "top",
        "3",
        "0.5",
    ]
    pieces += ["beats", "by", "-", "+ 1", "'", "==", "worst", "\n"]
    text = data.draw(st.lists(st.sampled_from(pieces)).map(" ".join) | st.text(max_size=20))
    try:
        found = parse(text, names)
    except (ValueError, KeyError) as error:
        message = str(error).strip("'\"")
    else:
        message = "statement must be read back"
        assert parse(written(found, names), names) == found
    assert message.startswith("statement must")


ABC = ["A", "B", "C"]
A_B, B_A = Beats(0, ">", 1), Beats(1, ">", 0)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("A > B", A_B),
        ("A<B", B_A),
        ("A beats B", A_B),
        ("A <= B", Beats(1, ">=", 0)),
        ("A == B", Beats(0, "=", 1)),
        ("A is best", Place(0, 1)),
        ("A is not best", Not(Place(0, 1))),
        ("A is in top 3", Place(0, 3)),
        ("A not in top 3", Not(Place(0, 3))),
        ("A > B > C", Every((A_B, Beats(1, ">", 2)))),
        ("A > B < C", Every((A_B, Beats(2, ">", 1)))),
        ("A > B or B > A and not C is best", Either((A_B, Every((B_A, Not(Place(2, 1))))))),
        ("(A > B or B > A) and A > B", Every((Either((A_B, B_A)), A_B))),
        ("not(A > B)and(B > A)", Every((Not(A_B), B_A))),
    ],
)
def test_what_is_written_means(text, statement):
    assert parse(text, ABC) == statement


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "have an entity at its end (place 1)"),
        ("A", "have a comparison such as '> B', 'beats B', 'is best' or 'in top 3' at its end"),
        ("A > ", "have an entity at its end (place 5)"),
        ("A > and B > C", "have an entity at 'and B > C' (place 5)"),
        ("A and B in top 3", "have a comparison such as"),
        ("A > B B", "have 'and', 'or' or its end at 'B' (place 7)"),
        ("(A > B", "have 'and', 'or' or ')' at its end"),
        ("A > B)", "have 'and', 'or' or its end at ')'"),
        ("A in the top 3", "have 'top' at 'the top 3'"),
        ("A in top", "have a whole number from 1 on at its end"),
        ("A in top 0", "have a whole number from 1 on"),
        ("A in top 2.5", "have a whole number from 1 on"),
        ("A is good", "have 'best', 'worst'"),
        (
            "A beats B by 0.02",
            "state no margin: pass it as rope= (--rope), in units of the score; got ' by 0.02'",
        ),
        ("A beats B by 1%", "state no margin: pass it as rope= (--rope)"),
        ("A > B + 0.02", "state no margin: pass it as rope= (--rope)"),
        ("'A > B", "close the quotes with '"),
    ],
)
def test_an_error_says_what_should_stand_where(text, message):
    with pytest.raises(ValueError) as caught:
        parse(text, ABC)
    assert str(caught.value).startswith("statement must " + message)
    assert "\n" not in str(caught.value)


def test_unknown_names_are_reported_with_similar_ones():
    names = ["ResNet-50", "ResNet-101", "ViT"]
    with pytest.raises(
        KeyError, match=r"got 'ResNet-51'.*did you mean 'ResNet-50' or 'ResNet-101'"
    ):
        parse("ResNet-51 > ViT", names)
    for text in ("A-2 > B", "A > 0.9x", "A > B+0.02", "'D' > A", "D is best", "a > B"):
        with pytest.raises(KeyError, match="statement must name entities of A, B, C"):
            parse(text, ABC)


def test_a_number_is_a_bound_unless_it_is_a_name():
    assert parse("A > 0.9", ABC) == Bound(0, ">", 0.9)
    assert parse("A <= -1e-3 and B = .5", ABC) == Every(
        (Bound(0, "<=", -0.001), Bound(1, "=", 0.5))
    )
    assert parse("A > 7", ["A", "7"]) == Beats(0, ">", 1)


def test_names_with_anything_in_them():
    names = [
        "GPT-4",
        "GPT-4 (May)",
        "it's",
        'a "b"',
        "SVM + PCA",
        "7",
        "4-gram",
        "> x",
        "not",
        "",
        " ",
        "A and B",
        "x=1",
    ]
    for i, name in enumerate(names):
        assert parse(f"{quote_name(name, names)} is best", names) == Place(i, 1)
        double = '"' + name.replace('"', '""') + '"'
        assert parse(f"{double} is best", names) == Place(i, 1)
    bare = "GPT-4 (May) > GPT-4 and SVM + PCA beats 4-gram and x=1 > A and B and 7 is best"
    assert [claim.entity for claim in claims_of(parse(bare, names))] == [1, 4, 12, 5]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["A", "A and B", "B"], "A and B > B"),
        (["A", "A > B", "B"], "A > B"),
        (["A", "A > B", "B"], "A > B > A"),
        (["A", "A is best"], "A is best"),
        (["good", "not good"], "not good is best"),
        (["(A)", "A"], "(A) is best"),
    ],
)
def test_quotes_are_required_where_a_text_reads_two_ways(names, text):
    with pytest.raises(ValueError, match=r"statement must put .* in quotes"):
        parse(text, names)


def test_a_longer_name_is_meant_where_the_shorter_cannot_be():
    assert parse("A B > A", ["A", "A B"]) == B_A
    assert parse("A-2 > A", ["A", "A-2"]) == B_A


def test_the_depth_counts_nesting_and_not_length():
    for deep in ("(", "not "):
        text = deep * (DEPTH - 1) + "A > B" + ")" * (DEPTH - 1) * (deep == "(")
        parse(text, ABC)
        with pytest.raises(
            ValueError, match=f"^statement must contain at most {DEPTH} nested statements"
        ):
            parse(deep + text + ")" * (deep == "("), ABC)
    assert len(claims_of(parse(" and ".join(["(A > B)"] * (2 * DEPTH)), ABC))) == 2 * DEPTH


def test_duplicate_names_are_refused():
    with pytest.raises(
        ValueError, match="must name only one entity; got '1', the name of 2 entities"
    ):
        parse("'1' is best", ["1", "1"])
