"""Search in the manual: the sections that contain every word of a query."""

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
    """All hits: first those in chapters whose title contains the words, then the others, both in the order of the manual.

    A title counts as part of each section of its chapter, but the section itself must contain at least one of the words.
    """
    words = asked_words(asked)
    hits = [hit for chapter in chapters for hit in _in_chapter(chapter, words)]
    return tuple(sorted(hits, key=lambda hit: not _is_called(hit.chapter, words)))


def _in_chapter(chapter: Chapter, words: tuple[str, ...]) -> list[Hit]:
    counts = [(section, sum(section.text.count(word) for word in words)) for section in chapter.sections]
    found = [
        Hit(chapter, section, count)
        for section, count in counts
        if count and all(word in section.text or word in chapter.title.lower() for word in words)
    ]
    named = words and _is_called(chapter, words) and (not found or found[0].section is not chapter.sections[0])
    return [Hit(chapter, chapter.sections[0], counts[0][1]), *found] if named else found


def _is_called(chapter: Chapter, words: tuple[str, ...]) -> bool:
    return all(word in chapter.title.lower() for word in words)
