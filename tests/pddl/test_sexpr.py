import pytest
from hypothesis import given
from hypothesis import strategies as st

from skolem.pddl.sexpr import Form, Symbol, at, parse_form, write
from skolem.support.errors import InputError
from skolem.task.model import Source


def parse(text: str) -> Form:
    return parse_form(Source("f.pddl", text))


def test_words_are_lower_case_and_comments_are_skipped() -> None:
    assert write(parse("(AND (On ?X b) ; (ignored\n (clear ?x))")) == "(and (on ?x b) (clear ?x))"


def test_question_mark_begins_a_word() -> None:
    assert write(parse("(exists(?x?y)(on?x ?y))")) == "(exists (?x ?y) (on ?x ?y))"


def test_positions_are_those_of_the_text() -> None:
    text = "; é\n(a\r\n  (b c))"
    form = parse(text)
    inner = form.items[1]
    assert isinstance(inner, Form)
    assert text[inner.start : inner.end] == "(b c)"
    place = at(Source("f.pddl", text), inner.start)
    assert (place.line, place.column, place.text) == (3, 3, "  (b c))")


def test_a_comment_ends_with_any_line_end() -> None:
    assert write(parse("(a ; one\rb ; two\r\nc)")) == "(a b c)"


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("", "no definition", 1, 1),
        ("  ; nothing\n", "no definition", 1, 1),
        (")", "without its '('", 1, 1),
        ("word", "outside of any form", 1, 1),
        ("(a) b", "after the end", 1, 5),
        ("(a))", "unmatched ')'", 1, 4),
        ("(a\n (b)\n", "ends before the '(' of line 1 is closed", 2, 5),
        ("(define (:init (p a)\n (:goal (p b)))", "a section inside of another", 2, 2),
        ("(a \0)", "the character with code 0", 1, 4),
        ("(a é)", "the character 'é' outside of a comment", 1, 4),
        ("(a ?)", "'?' without a variable's name", 1, 4),
    ],
)
def test_mistakes_are_reported_where_they_are(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?")) as caught:
        parse(text)
    place = caught.value.place
    assert place is not None
    assert (place.line, place.column) == (line, column)


def test_any_depth() -> None:
    depth = 100_000
    text = "(" * depth + ")" * depth
    assert write(parse(text)) == text


trees = st.recursive(
    st.from_regex(r"\??[a-z0-9_:=<>.+-]{1,6}", fullmatch=True),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=30,
).map(lambda text: text if text.startswith("(") else f"({text})")


@given(trees)
def test_what_is_written_is_what_was_read(text: str) -> None:
    assert write(parse(text)) == text
    assert isinstance(parse(f"(a {text})").items[0], Symbol)
