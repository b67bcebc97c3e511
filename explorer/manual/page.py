"""The whole manual as one HTML page, which needs no other file and no network."""

import re
from html import escape
from itertools import groupby

from explorer.lang import Words
from explorer.manual.chapter import Chapter
from explorer.manual.style import page_sheet

_LINK = re.compile(r'<a href="([^"]+)">(.*?)</a>')
_ALONE = re.compile(r'(?<=[。.>])\s*<a href="(?:page|action|lesson|explorer):[^"]+">[^<]*</a>[。.]?(?=</p>)')
"""A sentence that is only a link into the program, such as "Open the page." at the end of a paragraph."""
_ANCHOR = re.compile(r'<a name="([^"]+)"></a>')


def as_page(chapters: tuple[Chapter, ...], words: Words) -> str:
    """The contents and all chapters. A link into the program becomes its text, or is dropped if it is a whole sentence."""
    title = f"{escape(words('app'))} · {escape(words('manual.title'))}"
    bodies = "".join(f'<section id="{chapter.name}">{_body(chapter)}</section>' for chapter in chapters)
    return (
        f'<!DOCTYPE html><html lang="{words.language}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{page_sheet()}</style></head><body><h1>{title}</h1>{_contents(chapters)}{bodies}</body></html>\n"
    )


def _contents(chapters: tuple[Chapter, ...]) -> str:
    parts = "".join(
        f"<li>{escape(part)}<ul>{''.join(_item(chapter) for chapter in group)}</ul></li>"
        for part, group in groupby(chapters, key=lambda chapter: chapter.part)
    )
    return f"<nav><ul>{parts}</ul></nav>"


def _item(chapter: Chapter) -> str:
    return f'<li><a href="#{chapter.name}">{escape(chapter.title)}</a></li>'


def _body(chapter: Chapter) -> str:
    html = _LINK.sub(_linked, _ALONE.sub("", chapter.html).replace("<p></p>", ""))
    return _ANCHOR.sub(lambda found: f'<a id="{chapter.name}-{found[1]}"></a>', html)


def _linked(found: re.Match[str]) -> str:
    """The link for a page: into the page itself, or to the network."""
    kind, _, place = found[1].partition(":")
    if kind == "manual":
        return f'<a href="#{place.replace("#", "-")}">{found[2]}</a>'
    return found[0] if kind in ("http", "https") else found[2]
