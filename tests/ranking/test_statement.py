"""The language of statements: what is printed is read back, and what is wrong is refused where it goes wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesrank.ranking._parser import DEPTH, parse
from bayesrank.ranking._statement import Beats, Either, Every, Level, Not, Place, claims, quoted, text_of
from tests.strategies import NAMES

NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
SIGNS = st.sampled_from(["<", "<=", "=", ">=", ">"])


def statements(size, higher_is_better):
    """Any statement on so many entities; where lower is better those that its language has."""
    entity = st.integers(0, size - 1)
    beats = st.builds(Beats, entity, st.sampled_from([">", ">=", "="]), entity)
    margin = st.builds(Beats, entity, st.sampled_from([">", ">=", "="] if higher_is_better else [">"]), entity, NUMBERS)
    level = st.builds(Level, entity, SIGNS if higher_is_better else st.sampled_from(["<", ">"]), NUMBERS)
    place = st.builds(Place, entity, SIGNS, st.integers(-3, 10**6))
    bottom = st.builds(Place, entity, st.just("<="), st.integers(1, 30), st.just(True))

    def inside(part):
        several = st.lists(part, min_size=2, max_size=3).map(tuple)
        return st.builds(Not, part) | st.builds(Every, several) | st.builds(Either, several)

    return st.recursive(beats | margin | level | place | bottom, inside, max_leaves=5)


@settings(deadline=None, max_examples=60)
@given(st.data(), NAMES, st.booleans())
def test_what_is_printed_is_read_back(data, names, higher):
    statement = data.draw(statements(len(names), higher))
    text = text_of(statement, names)
    assert parse(text, names, higher) == statement
    if all(name.isalnum() for name in names):
        loose = text.replace(" and ", "\n AND  ").replace("(", " ( ").replace(" > ", ">").replace(" or ", " Or\t")
        assert parse(f" {loose}\n", names, higher) == statement


@given(st.data(), NAMES, st.booleans())
def test_nothing_but_a_refusal_comes_of_any_text(data, names, higher):
    pieces = [*names, *map(repr, names), "and", "or", "not", "(", ")", ">", "<=", "is", "best", "in", "top", "3", "0.5"]
    pieces += ["beats", "by", "than", "better", "rank", "of", "-", "+ 1", "'", "==", "ties", "worst", "bottom", "\n"]
    text = data.draw(st.lists(st.sampled_from(pieces)).map(" ".join) | st.text(max_size=20))
    try:
        found = parse(text, names, higher)
    except (ValueError, KeyError) as error:
        said = str(error).strip("'\"")
    else:
        said = "statement must be read back"
        assert parse(text_of(found, names), names, higher) == found
    assert said.startswith("statement must")


ABC = ["A", "B", "C"]
A_B, B_A = Beats(0, ">", 1), Beats(1, ">", 0)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("A > B", A_B),
        ("A<B", B_A),
        ("A beats B", A_B),
        ("A better than B", A_B),
        ("A is worse than B", B_A),
        ("A is not better than B", Not(A_B)),
        ("A >= B", Beats(0, ">=", 1)),
        ("A <= B", Beats(1, ">=", 0)),
        ("A = B", Beats(0, "=", 1)),
        ("A == B", Beats(0, "=", 1)),
        ("A ties B", Beats(0, "=", 1)),
        ("A beats B by 0.02", Beats(0, ">", 1, 0.02)),
        ("A beats B by -.02", Beats(0, ">", 1, -0.02)),
        ("A worse than B by 2e-2", Beats(1, ">", 0, 0.02)),
        ("A > B + 0.02", Beats(0, ">", 1, 0.02)),
        ("A > B - 0.02", Beats(0, ">", 1, -0.02)),
        ("A + 0.02 > B", Beats(0, ">", 1, -0.02)),
        ("A < B - 0.02", Beats(1, ">", 0, 0.02)),
        ("A + 1 <= B + 3", Beats(1, ">=", 0, -2.0)),
        ("A > 0.9", Level(0, ">", 0.9)),
        ("0.9 > A", Level(0, "<", 0.9)),
        ("-1 <= A", Level(0, ">=", -1.0)),
        ("A better than 0.9", Level(0, ">", 0.9)),
        ("A is worse than 0.9", Level(0, "<", 0.9)),
        ("A is best", Place(0, "<=", 1)),
        ("A is not best", Not(Place(0, "<=", 1))),
        ("A is worst", Place(0, "<=", 1, True)),
        ("A in top 3", Place(0, "<=", 3)),
        ("A is in bottom 2", Place(0, "<=", 2, True)),
        ("A not in top 3", Not(Place(0, "<=", 3))),
        ("rank(A) <= 2", Place(0, "<=", 2)),
        ("Rank of A == 2", Place(0, "=", 2)),
        ("rank( 'A' )>2", Place(0, ">", 2)),
        ("2 < rank(A) <= 4", Every((Place(0, ">", 2), Place(0, "<=", 4)))),
        ("A > B > C", Every((A_B, Beats(1, ">", 2)))),
        ("A > B + 1 > C", Every((Beats(0, ">", 1, 1.0), Beats(1, ">", 2, -1.0)))),
        ("A > B or B > A and not C is best", Either((A_B, Every((B_A, Not(Place(2, "<=", 1))))))),
        ("(A > B or B > A) and A > B", Every((Either((A_B, B_A)), A_B))),
        ("not not A > B", Not(Not(A_B))),
        ("not(A > B)and(B > A)", Every((Not(A_B), B_A))),
    ],
)
def test_what_is_written_means(text, statement):
    assert parse(text, ABC) == statement


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "have an entity, a number or rank(entity) at its end (place 1)"),
        ("A", "have a comparison such as '> B', 'beats B', 'is best' or 'in top 3' at its end"),
        ("A > ", "have an entity, a number or rank(entity) at its end (place 5)"),
        ("A > and B > C", "have an entity, a number or rank(entity) before 'and B > C' (place 5)"),
        ("A and B in top 3", "have a comparison such as"),
        ("A > B B", "have 'and', 'or' or its end before 'B' (place 7)"),
        ("(A > B", "have 'and', 'or' or ')' at its end"),
        ("A > B)", "have 'and', 'or' or its end before ')'"),
        ("A in the top 3", "have 'top' or 'bottom' before 'the top 3'"),
        ("A in top", "have a whole number from 1 on at its end"),
        ("A in top 0", "have a whole number from 1 on"),
        ("A in top 2.5", "have a whole number from 1 on"),
        ("A is good", "have 'best', 'worst'"),
        ("A better B", "have 'than' before 'B'"),
        ("A beats B by far", "have a number before 'far'"),
        ("rank(A > 2", "have ')' before '> 2'"),
        ("rank(A)", "have one of > >= = <= < at its end"),
        ("rank(A) < rank(B)", "compare a rank with a whole number"),
        ("rank(A) < B", "compare a rank with a whole number"),
        ("rank(A) < 1.5", "compare a rank with a whole number"),
        ("1 < 2", "have an entity on one side (a name that is a number stands in quotes)"),
        ("A + 1 > 2", "have no margin where a value is compared with a number"),
        ("A > 1e999", "hold numbers that are not too large"),
        ("'A > B", "close the quotes with '"),
        ("(" * (DEPTH + 1), f"hold at most {DEPTH} statements in one another"),
        ("not " * (DEPTH + 1), f"hold at most {DEPTH} statements in one another"),
    ],
)
def test_an_error_says_what_should_stand_where(text, says):
    with pytest.raises(ValueError) as caught:
        parse(text, ABC)
    assert str(caught.value).startswith("statement must " + says)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["A > 0.1", "0.1 < A", "A > B + 0.1", "A + 0.1 > B"])
def test_numbers_beside_signs_are_refused_where_lower_is_better(text):
    parse(text, ABC)
    with pytest.raises(ValueError, match="say in words what is better, where lower is"):
        parse(text, ABC, higher_is_better=False)
    assert parse("rank(A) < 2 and A > B", ABC, False) == parse("rank(A) < 2 and A > B", ABC)


def test_unknown_names_are_told_with_those_that_resemble_them():
    names = ["ResNet-50", "ResNet-101", "ViT"]
    with pytest.raises(KeyError, match=r"got 'ResNet-51'.*did you mean 'ResNet-50' or 'ResNet-101'"):
        parse("ResNet-51 > ViT", names)
    # Not the entity A and a margin: without blanks the sign belongs to the name.
    for text in ("A-2 > B", "A+0.02 > B", "A > B+0.02", "'D' > A", "D is best", "a > B"):
        with pytest.raises(KeyError, match="statement must name entities of A, B, C"):
            parse(text, ABC)


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
        assert parse(f"{quoted(name, names)} is best", names) == Place(i, "<=", 1)
        double = '"' + name.replace('"', '""') + '"'
        assert parse(f"{double} is best", names) == Place(i, "<=", 1)
    bare = "GPT-4 (May) > GPT-4 and rank(GPT-4 (May)) < 2 and SVM + PCA beats 4-gram by 1 and x=1 > A and B"
    assert [claim.entity for claim in claims(parse(bare, names))] == [1, 1, 4, 12]
    assert parse("4-gram > 7", names) == Level(6, ">", 7.0)
    assert parse("'7' > 7", names) == Level(5, ">", 7.0)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["A", "A and B", "B"], "A and B > B"),
        (["A", "A > B", "B"], "A > B"),
        (["A", "A > B", "B"], "A > B > A"),
        (["A", "A is best"], "A is best"),
        (["A", "A - 2", "B"], "A - 2 > B"),
        (["good", "not good"], "not good is best"),
        (["(A)", "A"], "(A) is best"),
        (["rank of A", "A"], "rank of A < 2"),
    ],
)
def test_quotes_are_asked_for_where_a_text_reads_two_ways(names, text):
    with pytest.raises(ValueError, match=r"statement must put .* in quotes"):
        parse(text, names)


def test_a_longer_name_is_meant_where_the_shorter_cannot_be():
    assert parse("A B > A", ["A", "A B"]) == B_A
    assert parse("A-2 > A", ["A", "A-2"]) == B_A


def test_depth_is_of_one_in_another_and_not_of_how_many():
    for deep in ("(", "not "):
        text = deep * (DEPTH - 1) + "A > B" + ")" * (DEPTH - 1) * (deep == "(")
        parse(text, ABC)
        with pytest.raises(ValueError, match="in one another"):
            parse(deep + text + ")" * (deep == "("), ABC)
    assert len(claims(parse(" and ".join(["(A > B)"] * (2 * DEPTH)), ABC))) == 2 * DEPTH


def test_brackets_are_printed_where_they_say_something():
    text = "A > B and not (B > C or rank(A) <= 1) or (A = B or C beats A by 0.5) and B in bottom 2"
    assert text_of(parse(f"({text})", ABC), ABC) == text


def test_names_that_look_the_same_are_refused():
    with pytest.raises(ValueError, match="must name one entity; got '1', which 2 are called"):
        parse("'1' is best", ["1", "1"])
    with pytest.raises(TypeError, match="statement must be a str"):
        parse(1, ABC)


BEGINS = [
    "not ",
    "not rank",
    "not  rank",
    "rank(A",
    "rank (A",
    "RANK of",
    "0.5 and",
    "0.5 ",
    "0.5)",
    "(A",
    "-",
    "beatſ",
    "ıs",
]


@pytest.mark.parametrize("name", BEGINS)
def test_names_that_begin_like_the_language(name):
    """What is printed beside such a name is read again, and means the same."""
    names = ["A", name]
    claims = [
        Not(Place(0, ">", 6)),
        Every((Level(0, ">=", 0.5), Beats(0, ">", 1))),
        Every((Either((Beats(0, ">", 1), Level(1, "<=", 0.5))), Not(Not(Place(1, "<=", 3, True))))),
        Beats(1, ">=", 0, 0.5),
    ]
    for statement in claims:
        text = text_of(statement, names)
        assert parse(text, names) == statement, text
