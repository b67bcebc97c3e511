"""Effects as values: slices, names and what they say of themselves."""

import json

import attrs
import numpy as np
import pytest

from explorer.errors import UnknownWord
from explorer.tokens.token import Token
from explorer.trace.found.effects import Effects, measured_words


def made(n_words: int = 3) -> Effects:
    """Two attentions, two layers, two heads; every number is another one."""
    shapes = {"log_p": (), "heads": (2, 2, 2), "layers": (2, 2), "feed_forwards": (2, 2), "hidden": (2,)}
    chance = np.random.default_rng(7)
    arrays = {name: chance.normal(size=(*shape, n_words)).astype(np.float32) for name, shape in shapes.items()}
    arrays["hidden"][0] = np.nan
    return Effects(
        attentions=("encoder.self_attn", "decoder.cross_attn"),
        sides=("encoder", "decoder"),
        words=("␣He", "␣is", "<eos>")[:n_words],
        word_ids=(7, 8, 3)[:n_words],
        measured="written",
        tokens=("他", "在"),
        hidden_in="decoder.cross_attn",
        **arrays,
    )


def tokens(*ids: int) -> tuple[Token, ...]:
    return tuple(Token(str(each), each, 0, 1, True) for each in ids)


@pytest.mark.parametrize("word", ["␣is", "is", 1, np.int64(1)])
def test_one_word_is_a_slice(word: str | int) -> None:
    """By its place, or as it reads, with or without the mark of a blank."""
    every = made()
    one = every.of(word)

    assert (one.words, one.word_ids) == (("␣is",), (8,))
    assert np.array_equal(one.heads, every.heads[..., 1:2])
    assert np.array_equal(one.hidden, every.hidden[:, 1:2], equal_nan=True)
    assert not one.heads.flags.writeable
    assert one.values is one.heads


@pytest.mark.parametrize("word", ["she", "", 3, -1, True, 1.0, None])
def test_a_word_that_was_not_written_is_refused(word: object) -> None:
    """The sentence names those that were."""
    with pytest.raises(UnknownWord, match="␣He ␣is <eos>"):
        made().of(word)  # type: ignore[arg-type]


def test_what_json_gets_can_be_read_back() -> None:
    """Each number to the last bit of float32; NaN is null."""
    every = made()
    read = json.loads(json.dumps(every.to_dict(), allow_nan=False))

    assert np.array_equal(np.array(read["heads"], np.float32), every.heads)
    assert read["hidden"][0] == [None, None, None]
    assert read["words"] == list(every.words)
    assert set(read) == {field.name for field in attrs.fields(Effects)}


def test_the_repr_names_the_largest_of_each_kind() -> None:
    """Found here by sorting; with one number made larger it names that one."""
    every = made()
    heads = every.heads.copy()
    heads[1, 0, 1, 2] = -9.5
    told = repr(attrs.evolve(every, heads=heads))

    assert "strongest head: decoder.cross_attn layer 0 head 1, <eos> -9.5" in told
    assert "-9.5" not in repr(every)
    assert "strongest hidden word: 在" in told
    assert told.count("\n") < 10


def test_the_words_are_those_that_can_be_predicted() -> None:
    """With an expected translation those; of a text the next tokens; of an encoder's text, or of a single token, itself."""
    assert measured_words(tokens(4, 5), tokens(2, 8, 9), (8, 9, 3)) == ((8, 9, 3), "written")
    assert measured_words((), tokens(7, 8, 9), ()) == ((8, 9), "next")
    assert measured_words(tokens(4, 5), tokens(7, 8), ()) == ((8,), "next")
    assert measured_words((), tokens(7), ()) == ((7,), "own")
    assert measured_words(tokens(4, 5), (), ()) == ((4, 5), "own")
