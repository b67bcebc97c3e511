"""How SVG is spelled: the elements that marks become, and the document around them."""

import base64
from html import escape

from explorer.picture.figure.text import REGULAR, clean, faces
from explorer.picture.marks import Rect
from explorer.picture.theme import STACK


def rect(place: Rect, more: str) -> str:
    """A rectangle; `more` are further attributes."""
    wide, high = max(place.wide, 0), max(place.high, 0)
    return f'<rect x="{place.x:.2f}" y="{place.y:.2f}" width="{wide:.2f}" height="{high:.2f}" {more}/>'


def circle(x: float, y: float, radius: float, fill: str) -> str:
    """A filled circle around a point."""
    return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="{fill}"/>'


def path(way: str, more: str) -> str:
    """A path of these commands; `more` are further attributes."""
    return f'<path d="{way}" {more}/>'


def polyline(points: str, more: str) -> str:
    """A line through points; `more` are further attributes."""
    return f'<polyline points="{points}" {more}/>'


def image(png: bytes, place: Rect, more: str = "") -> str:
    """A PNG file, stretched over a rectangle; `more` are further attributes."""
    data = base64.b64encode(png).decode("ascii")
    return (
        f'<image x="{place.x:.2f}" y="{place.y:.2f}" width="{place.wide:.2f}" height="{place.high:.2f}" '
        f'preserveAspectRatio="none"{more} xlink:href="data:image/png;base64,{data}"/>'
    )


def text(
    x: float,
    y: float,
    content: str,
    *,
    size: float = 12,
    fill: str,
    anchor: str = "start",
    weight: int = REGULAR,
    turn: float = 0,
    opacity: str = "",
) -> str:
    """One line of text with its baseline at y, turned about its start by `turn` degrees; `opacity` is a whole attribute."""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    bold = f' font-weight="{weight}"' if weight != REGULAR else ""
    return (
        f'<text{opacity} x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{bold}{turned}>'
        f"{escape(clean(content), quote=False)}</text>"
    )


def document(
    width_px: float,
    height_px: float,
    body: list[str],
    background: str,
    title: str,
    *,
    with_fonts: bool = True,
    mm_per_px: float = 0.0,
) -> str:
    """A whole SVG document. It contains the glyphs it uses, so Chinese shows on a machine without a Chinese font.

    A document that is drawn at once, where the bundled font is at hand, can do `with_fonts` False: it is made much faster.
    With `mm_per_px` it has a size on paper.
    """
    drawn = "\n".join(body)
    fonts = faces(drawn) if with_fonts else ""
    wide, high = (f"{each:.3f}" if mm_per_px else f"{each:.0f}" for each in (width_px, height_px))
    size = f'width="{wide}" height="{high}"'
    if mm_per_px:
        size = f'width="{width_px * mm_per_px:.3f}mm" height="{height_px * mm_per_px:.3f}mm"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{size} viewBox="0 0 {wide} {high}" '
        f'font-family="{STACK}">\n<title>{escape(clean(title), quote=False)}</title>\n<style>{fonts}</style>\n'
        f'<rect width="{wide}" height="{high}" fill="{background}"/>\n{drawn}\n</svg>\n'
    )
