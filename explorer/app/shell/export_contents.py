"""What a page offers to be exported: its pictures, all of them as one figure, and what the pass holds besides."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from explorer.export.choice import Choice
from explorer.export.formats import FILMS, SCRIPTS, Format, formats_of
from explorer.lang import Words
from explorer.picture.figure.kinds import has_tables, kind_of
from explorer.picture.figure.plate import caption_of
from explorer.picture.kinds import Picture
from explorer.picture.layout.arranged import Arranged, pictures_in
from explorer.state.look import Look
from explorer.state.wish import Wish

THIS, FILM, SEVERAL, EACH, SCRIPT = "this", "film", "cards", "each", "script"
_CARD = "card "  # with a number behind it: one of the further pictures
_ALWAYS = ("wall", EACH, "page", "all")


@attrs.frozen(eq=False)
class Offered:
    """A picture that can be exported; `in_english` makes the same with English names, for files of numbers."""

    picture: Picture
    in_english: Callable[[], Picture | None]


@attrs.frozen(kw_only=True, eq=False)
class Contents:
    """`first` is the picture that was touched last, `others` are the further ones of the page, whose name is `page` and whose
    files are called `page_key`, and `several` is all of them as they stand there. `wish` is that of the pass, if a script can
    be made of it.
    """

    look: Look
    first: Offered
    others: tuple[Offered, ...] = ()
    several: Arranged | None = None
    page: str = ""
    page_key: str = "page"
    wish: Wish | None = None

    def named(self, words: Words) -> Iterator[tuple[str, str]]:
        """Everything that is offered: its key and its name."""
        yield THIS, self.first.picture.caption.title
        if kind_of(self.first.picture).film is not None:
            yield FILM, words("export.film")
        if self.several is not None and self.others:
            yield SEVERAL, words("export.cards", title=self.page)
        for place, other in enumerate(self.others):
            yield f"{_CARD}{place}", other.picture.caption.title
        for key in _ALWAYS if self.wish is None else (*_ALWAYS, SCRIPT):
            yield key, words(f"export.{key}")

    def one(self, key: str) -> Offered | None:
        """The picture that a key means alone, None for all else."""
        if key.startswith(_CARD):
            return self.others[int(key.removeprefix(_CARD))]
        return self.first if key in (THIS, FILM) else None

    def formats(self, key: str) -> tuple[Format, ...]:
        """The formats that can hold it."""
        one = self.one(key)
        if key == FILM:
            return FILMS
        if key == SCRIPT:
            return SCRIPTS
        if key == "page":
            return formats_of(figure=False, numbers=False, page=True)
        return formats_of(figure=key != "all", numbers=key != SEVERAL if one is None else has_tables(one.picture))

    def stem(self, key: str) -> str:
        """A file name, without suffix, that says what is in it."""
        one = self.one(key)
        if one is None:
            stems = {SEVERAL: self.page_key, EACH: "heads", "page": "page", "all": "trace", SCRIPT: "model"}
            return stems.get(key) or self.look.attention_tap()
        caption = one.picture.caption
        head = None if caption.name else one.picture.head
        return caption.file_name + ("" if head is None else f".head{head}") + (".film" if key == FILM else "")

    def caption(self, key: str, words: Words) -> str:
        """The caption that a figure of it has by default; "" where the export makes the pictures."""
        one = self.one(key)
        if one is not None:
            return caption_of((one.picture,), words, letters=False)
        return caption_of(pictures_in(self.several), words, letters=True) if key == SEVERAL and self.several else ""

    def asked(self, key: str, format_: Format) -> dict[str, Any]:
        """The fields of an Export that say what it holds."""
        one = self.one(key)
        return {
            "choice": Choice(self.look.attention_tap(), None, None) if key in ("wall", EACH) else None,
            "picture": None if one is None else one.picture if format_.is_figure else one.in_english() or one.picture,
            "several": self.several if key == SEVERAL else None,
            "film": key == FILM,
            "one_each": key == EACH,
        }
