"""The glossary: what each term means, and where terms stand in a text. The terms are data: `assets/glossary.toml`."""

import re
import tomllib
from functools import lru_cache
from typing import Any

import attrs

from explorer.lessons.lesson import Text
from explorer.resources import asset_text


@attrs.frozen
class Term:
    """A term: the words by which it is called in each language, the usual one first, and what it means."""

    zh: tuple[str, ...]
    en: tuple[str, ...]
    told: Text

    def names(self, language: str) -> tuple[str, ...]:
        """The words of one language."""
        return self.zh if language == "zh" else self.en


@attrs.frozen
class Mention:
    """A term at a place in a text: characters `start` to `end`."""

    start: int
    end: int
    term: Term


@lru_cache(maxsize=1)
def terms() -> tuple[Term, ...]:
    """All terms, in the order of the file. Raises MissingAsset."""
    rows = _file()["term"]
    return tuple(Term(tuple(row["zh"]), tuple(row["en"]), Text(row["told_zh"], row["told_en"])) for row in rows)


@lru_cache(maxsize=1)
def _file() -> dict[str, Any]:
    return tomllib.loads(asset_text("glossary.toml"))


def mentions(text: str, language: str) -> tuple[Mention, ...]:
    """Where each term stands for the first time. Of names that overlap the longest counts: 因果掩码 mentions no 掩码."""
    found: dict[Term, Mention] = {}
    by_name = _by_name(language)
    for match in _pattern(language).finditer(text):
        term = by_name.get(match[0].lower())
        if term is not None:  # It is none of the plain words.
            found.setdefault(term, Mention(match.start(), match.end(), term))
    return tuple(found.values())


@lru_cache(maxsize=2)
def _by_name(language: str) -> dict[str, Term]:
    return {name.lower(): term for term in terms() for name in term.names(language)}


@lru_cache(maxsize=2)
def _pattern(language: str) -> re.Pattern[str]:
    # A plain word such as 方向键 (arrow key) is found as a whole, so that no term is found in it.
    names = sorted([*_by_name(language), *_file()["plain"]], key=len, reverse=True)
    # A Latin name is a word of its own; Chinese has no spaces between words.
    whole = [rf"(?<![\w-]){re.escape(name)}(?![\w-])" if name.isascii() else re.escape(name) for name in names]
    return re.compile("|".join(whole), re.IGNORECASE | re.ASCII)
