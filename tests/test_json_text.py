"""JSON of others: half a letter becomes U+FFFD, and what Python's reader lets through is refused."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.json_text import read_json_text, shown
from explorer.toml_text import deep_line

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**298), 10**298) | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=12,
)


@given(PLAIN, st.booleans())
def test_what_python_writes_is_read_as_python_reads_it(value: Any, plain: bool) -> None:
    """Escaped or not, as text or as bytes of each encoding."""
    text = json.dumps(value, ensure_ascii=not plain)
    assert read_json_text(text) == json.loads(text)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert read_json_text(text.encode(encoding)) == json.loads(text)


LETTERS = st.characters(categories=None, min_codepoint=0xD7F0, max_codepoint=0x1F610) | st.sampled_from("\\u\ud800\udc00")


@given(st.text(LETTERS))
def test_every_text_that_is_read_can_be_written(text: str) -> None:
    """And is the same but for the halves."""
    read = read_json_text(json.dumps({text: [text]}))
    ((name, (inside,)),) = read.items()
    inside.encode("utf-8")
    assert name == inside
    read_json_text(json.dumps(text, ensure_ascii=False)).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'"a\uDFFFb"', "a\ufffdb"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd😀"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\\ud800"', "\\\ufffd"),
        ('"\ud800"', "\ufffd"),
        (r'{"\udc80": 1}', {"\ufffd": 1}),
    ],
)
def test_half_a_letter_is_replaced_and_a_whole_one_is_not(text: str, read: object) -> None:
    """The second of two backslashes begins no escape."""
    assert read_json_text(text) == read


DEEP, LONG = ("[" * 100_000, '{"a":' * 100_000), ("1" * 301, "-" + "9" * 5000)


@pytest.mark.parametrize("text", [*DEEP, *LONG, "{", "", b"\xff", b'"\xed\xa0\x80"'])
def test_what_is_none_or_too_much_is_a_value_error(text: str | bytes) -> None:
    """Whatever the reader raises by itself."""
    with pytest.raises(ValueError, match=r"."):
        read_json_text(text)


def test_a_number_that_no_float_holds_is_left_to_whoever_asks() -> None:
    """Settings of models have infinities and numbers of thirty digits."""
    large = 1000000000000000019884624838656
    assert read_json_text(f"[1e999, -Infinity, {large}]") == [math.inf, -math.inf, large]


def test_toml_refuses_halves_by_itself() -> None:
    """Python's reader of TOML follows the format, which knows no surrogates."""
    import tomllib

    assert not deep_line(r'a = "\ud800"')
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(r'a = "\ud800"')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (2, "2"),
        (2.0000001, "2"),
        (math.nan, "NaN"),
        ("2", '"2"'),
        ("词" * 50, f'"{"词" * 39}…"'),
        (10**250, f"1{'0' * 38}…"),
        ([1, "a"], '[1, "a"]'),
        ((0.1,) * 10**6, "[0.1, 0.1, 0.1, 0.1, …]"),
        ({"a": 1}, "{…}"),
    ],
)
def test_a_value_is_shown_so_that_its_type_is_seen(value: Any, text: str) -> None:
    """And short, however long it is."""
    assert shown(value) == text
