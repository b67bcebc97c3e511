"""What is found in the manual."""

from explorer.manual.chapter import made_chapter
from explorer.manual.search import asked_words, search

_HEADS = made_chapter("heads", "", "# Heads\n\nHead.\n\n## Entropy\n\nEntropy in bits, entropy.\n\n## Rollout\n\nA guess.", {})
_OTHER = made_chapter("other", "", "# Other\n\nBits <b> of `entropy`.", {})


def test_a_section_with_every_word_is_found_with_the_number_of_places() -> None:
    """In any case, in the order of the manual; the heading counts as a place."""
    found = search((_HEADS, _OTHER), " ENTROPY bits")
    assert [(hit.chapter.name, hit.section.anchor, hit.count) for hit in found] == [("heads", "s1", 4), ("other", "", 2)]


def test_a_title_counts_as_said_in_each_section() -> None:
    """Who asks for heads and a guess finds the section about rollout; what only the title says finds no section."""
    assert [hit.section.title for hit in search((_HEADS, _OTHER), "heads guess")] == ["Rollout"]


def test_a_chapter_that_is_called_so_comes_first() -> None:
    """At its beginning, even where the text does not say the word; then come its sections, then other chapters."""
    bits = made_chapter("bits", "", "# Bits\n\nNothing.\n\n## More\n\nA bits section.", {})
    found = search((_HEADS, _OTHER, bits), "bits")
    assert [(hit.chapter.name, hit.section.anchor, hit.count) for hit in found] == [
        ("bits", "", 0),
        ("bits", "s1", 1),
        ("heads", "s1", 1),
        ("other", "", 1),
    ]


def test_nothing_is_found_of_nothing_and_of_what_is_not_there() -> None:
    """White space asks for nothing; a word twice is a word."""
    assert search((_HEADS,), "  ") == search((_HEADS,), "entropy zebra") == ()
    assert asked_words("b A a") == ("b", "a")
