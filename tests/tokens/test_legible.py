"""Pieces of vocabularies as text: nothing broken is ever shown."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from explorer.tokens.legible import alone, as_text, legible, piece_bytes, together


def cut(raw: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(raw) + 1) for place in places} | {0, len(raw)})
    return [raw[start:end] for start, end in itertools.pairwise(ends)]


def test_a_character_in_three_pieces() -> None:
    """Each says of what it is a part, which, and its bytes."""
    assert together(["一".encode()[n : n + 1] for n in range(3)]) == ["一⟨1/3⟩ E4", "一⟨2/3⟩ B8", "一⟨3/3⟩ 80"]


def test_a_piece_with_the_space_before_a_character() -> None:
    """The space is seen."""
    raw = " 北".encode()
    assert together([raw[:2], raw[2:3], raw[3:], b" the"]) == ["␣北⟨1/3⟩ 20 E5", "␣北⟨2/3⟩ 8C", "␣北⟨3/3⟩ 97", "␣the"]


def test_bytes_that_are_no_text_are_numbers() -> None:
    """So is the sign for a broken character, which would look like one."""
    assert alone(b"\xe4") == "E4"
    assert together([b"\xe4", b"a"]) == ["E4", "a"]
    assert alone("\ufffd".encode()) == "EF BF BD"


def test_what_cannot_be_seen_has_a_sign_or_a_code() -> None:
    """White space has signs."""
    assert legible(" a\n\t\u200bb\u3000") == "␣a⏎⇥U+200Bb␣"


def test_the_alphabets_of_bytes() -> None:
    """GPT-2's letters, Llama's numbers, and ▁ for a space."""
    assert piece_bytes("ĠäŃĹ", by_bytes=True) == b" \xe4\xad\x97"
    assert piece_bytes("<0xE4>", by_bytes=False) == b"\xe4"
    assert piece_bytes("▁the", by_bytes=False) == b" the"
    assert piece_bytes("我", by_bytes=True) == "我".encode()  # An added piece is no row of bytes.


@given(st.text(max_size=12), st.lists(st.integers(0, 60), max_size=20))
def test_every_cut_of_every_text_is_legible(text: str, places: list[int]) -> None:
    """As many texts as pieces, none of them empty or broken, and pieces that are whole are shown as they are."""
    raws = cut(text.encode("utf-8", "surrogatepass"), places)
    shown = together(raws)

    assert len(shown) == len(raws)
    assert not any("\ufffd" in each or "\n" in each for each in shown)
    assert all(shown)
    for raw, name in zip(raws, shown, strict=True):
        assert as_text(raw) is None or name == legible(raw.decode())
