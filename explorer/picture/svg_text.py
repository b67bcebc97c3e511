"""Text in an SVG: escaping, widths, and the font itself, cut down to the glyphs that are used."""

import base64
import io
import logging
import re
from xml.sax.saxutils import escape

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from explorer.resources import asset

FAMILY = "TX Sans SC"
_STACK = f"{FAMILY}, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif"  # QtSvg knows no quoted names
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def plain(rich: str) -> str:
    """Rich text without its marks: "d<sub>head</sub>" is "d_head", "K<sup>T</sup>" is "K^T"."""
    rich = re.sub(r"<sub>(.*?)</sub>", r"_\1", rich)
    return re.sub(r"<sup>(.*?)</sup>", r"^(\1)", rich).replace("^(T)", "ᵀ")


def width(text: str, size: float) -> float:
    """About how wide a text is, in pixels: letters take 0.56 of the size, wide characters all of it."""
    return size * sum(1.0 if ord(letter) > 0x2E7F else 0.56 for letter in text)


def text(x: float, y: float, content: str, *, size: float = 12, fill: str, anchor: str = "start",
         weight: int = 400, turn: float = 0) -> str:
    """One line of text with its baseline at y, turned about its own start if need be."""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    clean = escape(_UNPRINTABLE.sub("�", content))
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{bold}{turned}>'
            f"{clean}</text>")


def document(width_px: float, height_px: float, body: list[str], background: str, title: str) -> str:
    """A whole SVG document; its letters travel with it, so that Chinese shows on a machine without a Chinese font."""
    drawn = "\n".join(body)
    letters = set(re.sub(r"<[^>]*>", "", drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width_px:.0f}" height="{height_px:.0f}" viewBox="0 0 {width_px:.0f} {height_px:.0f}" '
        f'font-family="{_STACK}">\n<title>{escape(_UNPRINTABLE.sub("�", title))}</title>\n'
        f"<style>@font-face{{font-family:'{FAMILY}';src:url(data:font/otf;base64,{_subset(letters)})}}</style>\n"
        f'<rect width="{width_px:.0f}" height="{height_px:.0f}" fill="{background}"/>\n{drawn}\n</svg>\n'
    )


def _subset(letters: set[str]) -> str:
    """The bundled font with these glyphs alone, in base64."""
    logging.getLogger("fontTools.subset").setLevel(logging.ERROR)
    options = Options(hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 13, 14])
    with TTFont(asset("fonts/TXSansSC-Regular.otf"), lazy=True) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=[ord(letter) for letter in letters])
        subsetter.subset(font)
        file = io.BytesIO()
        font.save(file)
    return base64.b64encode(file.getvalue()).decode("ascii")
