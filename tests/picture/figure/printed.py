"""What stands where in a figure for print: read from its SVG alone, by another way than it was drawn."""

import re
import xml.etree.ElementTree as ET

import attrs

from explorer.picture.figure.text import width

_SVG = "{http://www.w3.org/2000/svg}"
_MOVED = re.compile(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)")
_SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}


@attrs.frozen
class Line:
    """A line of text: its left and right end and its baseline (px), its letters' size (pt), and whether it is turned."""

    text: str
    left: float
    right: float
    y: float
    pt: float
    turned: bool


@attrs.frozen
class Printed:
    """A document: its size on paper (mm), its size in px of the drawing, and its lines."""

    wide_mm: float
    high_mm: float
    wide_px: float
    high_px: float
    lines: tuple[Line, ...]


def read(svg: str) -> Printed:
    """The document as a program would read it that knows nothing of how it was drawn."""
    root = ET.fromstring(svg)
    mm = [float(root.attrib[side].removesuffix("mm")) for side in ("width", "height")]
    _x, _y, wide, high = map(float, root.attrib["viewBox"].split())
    pt_per_px = mm[0] / 25.4 * 72 / wide
    lines: list[Line] = []
    _walk(root, 0.0, 0.0, pt_per_px, lines)
    return Printed(mm[0], mm[1], wide, high, tuple(lines))


def _walk(element: ET.Element, x: float, y: float, pt_per_px: float, lines: list[Line]) -> None:
    for each in element:
        moved = _MOVED.fullmatch(each.get("transform", ""))
        at = (x, y) if moved is None else (x + float(moved[1]), y + float(moved[2]))
        if each.tag == f"{_SVG}text" and each.text:
            size, content = float(each.attrib["font-size"]), re.sub(r"\s+", " ", each.text).strip()
            wide = width(content, size, int(each.get("font-weight", 400)))
            left = at[0] + float(each.attrib["x"]) - _SHARE[each.get("text-anchor", "start")] * wide
            turned = "rotate" in each.get("transform", "")
            lines.append(Line(content, left, left + wide, at[1] + float(each.attrib["y"]), size * pt_per_px, turned))
        _walk(each, *at, pt_per_px, lines)


def outside(printed: Printed) -> list[str]:
    """The lines of text that the page cuts off."""
    return [
        line.text
        for line in printed.lines
        if not line.turned and (line.left < -0.5 or line.right > printed.wide_px + 0.5 or not 0 < line.y <= printed.high_px)
    ]
