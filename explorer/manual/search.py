"""What is found in the manual: sections in which every word stands that was asked for."""

import attrs

from explorer.manual.chapter import Chapter, Section


@attrs.frozen
class Hit:
    """A section with every word, and how often they stand in it together."""

    chapter: Chapter
    section: Section
    count: int


def asked_words(asked: str) -> tuple[str, ...]:
    """The words of a query, in small letters, each once."""
    return tuple(dict.fromkeys(asked.lower().split()))


def search(chapters: tuple[Chapter, ...], asked: str) -> tuple[Hit, ...]:
    """All hits, in the order of the manual. A chapter's title counts as said in each of its sections."""
    words = asked_words(asked)
    if not words:
        return ()
    return tuple(
        Hit(chapter, section, sum(section.text.count(word) for word in words))
        for chapter in chapters
        for section in chapter.sections
        if all(word in section.text or word in chapter.title.lower() for word in words)
    )
