"""The table of words, walked."""

from explorer.tokens.jieba_full_mode import full_spans


def test_letters_around_a_dictionary_word_are_two_words() -> None:
    """jieba glues x and y to xy, which is not in the text."""
    table = {0: [0], 1: [1, 2], 2: [2], 3: [3]}

    assert list(full_spans(table, "xABy")) == [(1, 3), (0, 1), (3, 4)]


def test_letters_of_no_dictionary_word_are_one_word() -> None:
    """It ends where other characters begin, or the text."""
    table = {0: [0], 1: [1], 2: [2], 3: [3]}

    assert list(full_spans(table, "ab我c")) == [(0, 2), (2, 3), (3, 4)]
