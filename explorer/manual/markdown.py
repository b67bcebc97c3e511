"""Markdown to HTML, in the few forms that the manual is written in.

Paragraphs, headings, lists, tables, code, **bold**, *italic*, `code` and [links](https://example.org). A table, list or
paragraph in HTML is kept. Rejected: Qt's own reader of Markdown, which gives
headings no anchors and writes the present theme's colours into its HTML; this HTML serves the window and the file alike.
"""

import re
from collections.abc import Iterator
from html import escape

_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"(?<!\*)\*([^*\s][^*]*)\*(?!\*)")
_HEADING = re.compile(r"(#{1,4}) (.+)")
_ITEM = re.compile(r"(?:[-*]|\d+\.) +(.*)", re.DOTALL)
_HTML = re.compile(r"<(?:table|p|ul)\b")  # <bos> at the beginning of a line is a token.
_RULE = re.compile(r"\|[-| :]+\|")


def inline(text: str) -> str:
    """The HTML of a line; text in backticks is taken literally."""
    pieces = _CODE.split(text)  # Every second piece stood in backticks.
    return "".join(f"<code>{escape(piece)}</code>" if place % 2 else _marked(piece) for place, piece in enumerate(pieces))


def blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """(level, text, HTML) of each block: headings with their level from 1 and their text, others with level 0 and no text."""
    for lines in _split(text):
        heading = _HEADING.fullmatch(lines[0])
        if heading:
            yield len(heading[1]), heading[2], inline(heading[2])
        else:
            yield 0, "", _block(lines)


def _marked(text: str) -> str:
    text = escape(text, quote=False)
    text = _LINK.sub(lambda found: f'<a href="{escape(found[2])}">{found[1]}</a>', text)
    return _ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", text))


def _split(text: str) -> Iterator[list[str]]:
    """The lines of each block: empty lines separate blocks, a heading is a block, code reaches from fence to fence."""
    lines: list[str] = []
    in_code = False
    for line in [*text.splitlines(), ""]:
        fence = line.startswith("```")
        if lines and not in_code and (not line.strip() or fence or _HEADING.fullmatch(line)):
            yield lines
            lines = []
        if line.strip() or in_code:
            lines.append(line)
        in_code ^= fence
        if lines and not in_code and (fence or _HEADING.fullmatch(line)):
            yield lines
            lines = []
    if lines:  # A fence that was not closed reaches to the end.
        yield lines


def _block(lines: list[str]) -> str:
    first = lines[0]
    if first.startswith("```"):
        return f"<pre>{escape(chr(10).join(line for line in lines[1:] if not line.startswith('```')).strip(chr(10)))}</pre>"
    if _HTML.match(first):
        return "\n".join(lines)
    if first.startswith("|"):
        return _table(lines)
    if _ITEM.match(first):
        return _list(lines)
    return f"<p>{inline(_joined(lines))}</p>"


def _joined(lines: list[str]) -> str:
    """The lines of a paragraph as one; between two Chinese characters there is no space."""
    text = lines[0].strip()
    for line in lines[1:]:
        text += ("" if not text[-1].isascii() and not line.strip()[0].isascii() else " ") + line.strip()
    return text


def _list(lines: list[str]) -> str:
    kind = "ol" if lines[0][0].isdigit() else "ul"
    items: list[list[str]] = []
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found:
            items.append([found[1]])
        else:
            items[-1].append(line)
    return f"<{kind}>{''.join(f'<li>{inline(_joined(item))}</li>' for item in items)}</{kind}>"


def _table(lines: list[str]) -> str:
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line.strip())
    ]
    has_head = len(lines) > 1 and bool(_RULE.fullmatch(lines[1].strip()))
    html = [
        table_row("th" if has_head and not place else "td", [inline(cell) for cell in row]) for place, row in enumerate(rows)
    ]
    return table(html)


def table_row(tag: str, cells: list[str]) -> str:
    """A row of a table; `cells` are HTML."""
    inside = "".join(f'<{tag} align="left">{cell}</{tag}>' for cell in cells)
    return f"<tr>{inside}</tr>"


def table(rows: list[str]) -> str:
    """A table of such rows."""
    return f'<table width="100%" cellspacing="0" cellpadding="5">{"".join(rows)}</table>'
