"""The glossary: what each term means, and where terms stand in a text. The terms are data: `assets/glossary.toml`."""

import re
import tomllib
from typing import Any

import attrs

from explorer.lessons.lesson import Text
from explorer.resources import asset_text


@attrs.frozen
class Term:
    """A term: its names in each language, the usual one first, and its meaning."""

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


def terms() -> tuple[Term, ...]:
    """All terms, in the order of the file. Raises MissingAsset."""
    return _terms(tomllib.loads(asset_text("glossary.toml")))


def _terms(table: dict[str, Any]) -> tuple[Term, ...]:
    rows = table["term"]
    return tuple(Term(tuple(row["zh"]), tuple(row["en"]), Text(row["told_zh"], row["told_en"])) for row in rows)


def mentions(text: str, language: str) -> tuple[Mention, ...]:
    """The first mention of each term. Of overlapping names the longest counts: 因果掩码 mentions no 掩码."""
    found: dict[Term, Mention] = {}
    by_name, pattern = _names(language)
    for match in pattern.finditer(text):
        term = by_name.get(match[0].lower())
        if term is not None:  # None: a plain word.
            found.setdefault(term, Mention(match.start(), match.end(), term))
    return tuple(found.values())


def _names(language: str) -> tuple[dict[str, Term], re.Pattern[str]]:
    """The terms by their names in small letters, and a pattern that finds these names and plain words."""
    table = tomllib.loads(asset_text("glossary.toml"))
    by_name = {name.lower(): term for term in _terms(table) for name in term.names(language)}
    # Plain words such as 方向键 (arrow key) are matched as well, so that no term is found inside them.
    names = sorted([*by_name, *table["plain"]], key=len, reverse=True)
    # A Latin name is a word of its own; Chinese has no spaces between words.
    whole = [rf"(?<![\w-]){re.escape(name)}(?![\w-])" if name.isascii() else re.escape(name) for name in names]
    return by_name, re.compile("|".join(whole), re.IGNORECASE | re.ASCII)
