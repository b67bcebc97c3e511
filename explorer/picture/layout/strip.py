"""Where the segments of the architecture strip stand: one for each Block, from left to right, and a name above each group.

A group is a layer, or a Block outside the layers. Where all segments have room for their names, they fill the width. Where
they have not, layers are folded to thin segments, those that are furthest from the layer in focus first. A name that does not
fit is left out and never shortened; consecutive layers without room for a name share one, "Encoder 3–61".
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import groupby, pairwise

import attrs

from explorer.picture.layout.strip_names import COUNT_PX, LABEL_PX, SMALL_LABEL_PX, Names, counted
from explorer.trace.architecture import Architecture, Block
from explorer.trace.tap_names import place_of

Spans = Mapping[str, tuple[float, float]]
"""The left edge and the width (px) of the segments of Blocks, by their keys."""
Group = tuple[Block, ...]

_GAP_PX, _GROUP_GAP_PX, _SIGN_GAP_PX = 2.0, 8.0, 16.0  # px between segments, between groups, and where a sign stands
_APART_PX = 6.0  # px between a name and a count
_FOLDED_PX, _LEAST_FOLDED_PX, _FOLDED_GAP_PX = 24.0, 4.0, 1.0  # px, widths of a folded layer, and the gap between two
_FOLDED_SHARE = 0.25  # the share of the strip that folded layers take if they are many
_THINNEST_PX = 1.0  # px of a folded layer where there is no room for more
_ROUNDING_PX = 1.0  # px by which a segment may have become narrower when its edges were rounded
_SIGNS = {"position": "+", "sum": "="}  # the sign before a segment


@attrs.frozen
class Segment:
    """A Block's segment, and the name that fits into it, else ""."""

    key: str
    left: float
    width: float
    label: str

    @property
    def right(self) -> float:
        """The right edge (px)."""
        return self.left + self.width


@attrs.frozen
class Heading:
    """The name of the group of `keys`, and the count of its parameters if there is room, each with its left edge (px)."""

    keys: tuple[str, ...]
    text: str
    left: float
    count: str
    count_left: float


@attrs.frozen
class Strip:
    """Everything in its place (px). `signs` are those between the parts of the input, each with its middle.

    `whole` is the number of all parameters, which ends at the right edge of the last segment; "" if there is no room.
    `label_px` is the letter size of the names in segments.
    """

    segments: tuple[Segment, ...] = ()
    headings: tuple[Heading, ...] = ()
    signs: tuple[tuple[str, float], ...] = ()
    whole: str = ""
    label_px: float = LABEL_PX

    def at(self, x: float) -> Segment | None:
        """The segment at x, or the one beside it if x is in a narrow gap; None in a wide gap and beyond the ends."""
        nearest = min(self.segments, key=lambda each: max(each.left - x, x - each.right), default=None)
        return nearest if nearest is not None and nearest.left - _GAP_PX <= x <= nearest.right + _GAP_PX else None


def lay_out(names: Names, here: str, left: float, width: float) -> Strip:
    """The strip over `width` px from `left` on. `here` is the key of the Block in focus, whose layer is never folded."""
    groups = groups_of(names.architecture)
    gaps = _gaps(groups, frozenset())
    # Where there is room each name has its count beside it.
    for counts in (True, False):
        needs = [max(_segments_need(names, group), _name_needs(names, group, counts)) for group in groups]
        if sum(needs) + sum(gaps) <= width:
            break
    n_layers = sum(group[0].layer is not None for group in groups)
    thin = min(_FOLDED_PX, max(_LEAST_FOLDED_PX, _FOLDED_SHARE * width / max(1, n_layers)))
    folded = _folded(groups, needs, thin, width, here)
    gaps = _gaps(groups, folded)
    shown = sum(need for place, need in enumerate(needs) if place not in folded)
    if width - shown - sum(gaps) < _LEAST_FOLDED_PX / 2 * len(folded):  # So many layers stand beside each other without gaps.
        gaps = [gap if gap > _FOLDED_GAP_PX else 0.0 for gap in gaps]
    spans: dict[str, tuple[float, float]] = {}
    for place, wide in enumerate(_widths(needs, folded, max(0.0, width - sum(gaps)))):
        spans |= _within(names, groups[place], left, wide)
        left += wide + gaps[place]
    return place_at(names, spans)


def place_at(names: Names, spans: Spans) -> Strip:
    """The strip with its segments at given places; a Block without a place has no segment."""
    segments, px = _segments(names, [block for block in names.architecture.blocks if block.key in spans], spans)
    groups = [tuple(block for block in group if block.key in segments) for group in groups_of(names.architecture)]
    groups = [group for group in groups if group]
    headings = tuple(_headings(names, groups, segments))
    whole, headings = _with_whole(names, headings, segments)
    return Strip(tuple(segments.values()), headings, tuple(_signs(groups, segments)), whole, px)


def _segments(names: Names, blocks: Sequence[Block], spans: Spans) -> tuple[dict[str, Segment], float]:
    """The segments by key, and the letter size (px) of their names: the smaller one if more names fit with it."""
    places = {block.key: _whole(*spans[block.key]) for block in blocks}

    def labelled(px: float, *, least: bool = True) -> dict[str, str]:
        return {block.key: names.fitting(block, places[block.key][1], px, least=least) for block in blocks}

    usual, small = (sum(map(bool, labelled(px, least=False).values())) for px in (LABEL_PX, SMALL_LABEL_PX))
    is_small = small > usual
    labels = _alike(names, blocks, labelled(SMALL_LABEL_PX if is_small else LABEL_PX))
    made = {key: Segment(key, *place, labels[key]) for key, place in places.items()}
    return made, SMALL_LABEL_PX if is_small else LABEL_PX


def _alike(names: Names, blocks: Sequence[Block], labels: dict[str, str]) -> dict[str, str]:
    """The labels, of which those of one kind say the same: the shorter name where only some segments have room for the long
    one. Folded layers have their least name, or none, by themselves.
    """
    short = {names.block(block, "short") for block in blocks if labels[block.key] == names.block(block, "short")}
    return {
        block.key: names.block(block, "short")
        if labels[block.key] == names.block(block) and names.block(block, "short") in short
        else labels[block.key]
        for block in blocks
    }


def in_line(names: Names, here: str, spans: Spans, left: float, width: float) -> Strip:
    """The strip at these places, or as near to them as they fit this model, whose picture may still be another model's.

    A side with other layers than those of the places has them spread over its places; without any place for a side the strip
    fills `width` px from `left` on.
    """
    sides: dict[str, set[int]] = {}
    for place in map(place_of, spans):
        if place.layer is not None:
            sides.setdefault(place.side, set()).add(place.layer)
    if set(sides) != set(names.architecture.sides):
        return lay_out(names, here, left, width)
    fitted = {key: span for key, span in spans.items() if names.architecture.block(key) is not None}
    for side, placed in sides.items():
        layers = [group for group in groups_of(names.architecture) if group[0].side == side]
        if placed != {group[0].layer for group in layers}:
            fitted |= _spread(names, layers, [span for key, span in spans.items() if place_of(key).side == side])
    return place_at(names, fitted)


def _spread(names: Names, layers: list[Group], spans: list[tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """These layers side by side, from the left end of the spans to their right end."""
    left = min(start for start, _wide in spans)
    step = (max(start + wide for start, wide in spans) - left) / len(layers)
    gap = min(_GROUP_GAP_PX, step / 4)
    made: dict[str, tuple[float, float]] = {}
    for place, group in enumerate(layers):
        made |= _within(names, group, left + place * step, step - (gap if place < len(layers) - 1 else 0.0))
    return made


def groups_of(architecture: Architecture) -> list[Group]:
    """The Blocks outside the layers one by one, and the layers."""
    keyed = groupby(architecture.blocks, key=lambda block: (block.side, block.kind if block.layer is None else block.layer))
    return [tuple(group) for _key, group in keyed]


def _segments_need(names: Names, group: Group) -> float:
    return sum(names.need(block) for block in group) + _GAP_PX * (len(group) - 1)


def _name_needs(names: Names, group: Group, counts: bool) -> float:
    """The width of a group's name, with its count if asked; the last one has the number of all parameters in any case."""
    count = names.whole() if group[0].kind == "generator" else counted(group) if counts else ""
    return names.width(group) + _ROUNDING_PX + (_APART_PX + names.measured(count, COUNT_PX) if count else 0.0)


def _folded(groups: list[Group], needs: list[float], thin: float, width: float, here: str) -> frozenset[int]:
    """The places of the groups that are folded to `thin` px: as few as possible, the furthest from the one in focus first."""
    layers = [place for place, group in enumerate(groups) if group[0].layer is not None]
    focus = next((place for place in layers if any(block.key == here for block in groups[place])), min(layers, default=0))
    folded: set[int] = set()
    taken = sum(needs) + sum(_gaps(groups, frozenset()))
    for place in sorted(layers, key=lambda place: -abs(place - focus)):
        if place == focus or taken <= width:
            break
        folded.add(place)
        beside = sum(_closes(groups, folded, first) for first in (place - 1, place))
        taken -= needs[place] - thin + beside * (_GROUP_GAP_PX - _FOLDED_GAP_PX)
    return frozenset(folded)


def _closes(groups: list[Group], folded: Set[int], place: int) -> bool:
    """Whether the gap behind a group closes: both layers beside it are folded. Two sides stay apart."""
    return place in folded and place + 1 in folded and groups[place][0].side == groups[place + 1][0].side


def _gaps(groups: list[Group], folded: Set[int]) -> list[float]:
    """The gap behind each group; none behind the last."""
    gaps = [_SIGN_GAP_PX if group[0].kind in _SIGNS else _GROUP_GAP_PX for group in groups[1:]]
    return [*(_FOLDED_GAP_PX if _closes(groups, folded, place) else gap for place, gap in enumerate(gaps)), 0.0]


def _widths(needs: list[float], folded: frozenset[int], room: float) -> list[float]:
    """The widths of the groups. All grow alike; folded ones share what the others leave; all shrink if nothing is left."""
    rest = room - sum(need for place, need in enumerate(needs) if place not in folded)
    thin = max(_THINNEST_PX, rest / max(1, len(folded)))
    widths = [thin if place in folded else need for place, need in enumerate(needs)]
    return [width * room / sum(widths) for width in widths]


def _within(names: Names, group: Group, left: float, width: float) -> dict[str, tuple[float, float]]:
    """The spans of a group's segments, in proportion to the widths of their short names."""
    needs = [names.need(block) for block in group]
    gap = min(_GAP_PX, max(0.0, width - sum(needs) / 4) / len(group))  # Folded segments stand beside each other.
    room = width - gap * (len(group) - 1)
    spans = {}
    for block, need in zip(group, needs, strict=True):
        spans[block.key] = left, need * room / sum(needs)
        left += need * room / sum(needs) + gap
    return spans


def _whole(left: float, width: float) -> tuple[float, float]:
    """The span between whole pixels, so that its edges are sharp; empty where there are more segments than pixels."""
    edge = round(left)
    return float(edge), float(round(left + width) - edge)


def _signs(groups: list[Group], segments: Mapping[str, Segment]) -> Iterator[tuple[str, float]]:
    for before, group in pairwise(groups):
        if group[0].kind in _SIGNS:
            yield _SIGNS[group[0].kind], (segments[before[-1].key].right + segments[group[0].key].left) / 2


def _headings(names: Names, groups: list[Group], segments: Mapping[str, Segment]) -> Iterator[Heading]:
    """A name above each group that has room for it. Consecutive layers of a side that have none share one, if it fits."""
    starts = [segments[group[0].key].left for group in groups[1:]]
    # A name may reach beyond its group, into the gap before the next one.
    reaches = {
        group[-1].key: max(segments[group[-1].key].right, start - _APART_PX)
        for group, start in zip(groups, [*starts, 0.0], strict=True)
    }
    own = {group[0].key: _heading(names, group, segments, reaches) for group in groups}

    def kind(group: Group) -> tuple[str, str]:
        # Groups with a name of their own, and those outside the layers, share with none.
        alone = own[group[0].key] is not None or group[0].layer is None
        return group[0].side, group[0].key if alone else ""

    for (_side, key), run in groupby(groups, key=kind):
        blocks = [block for group in run for block in group]
        heading = own[key] if key else _heading(names, blocks, segments, reaches)
        if heading is not None:
            yield heading


def _with_whole(
    names: Names, headings: tuple[Heading, ...], segments: Mapping[str, Segment]
) -> tuple[str, tuple[Heading, ...]]:
    """The number of all parameters behind the last name, in the place of that group's own count; "" if there is no room."""
    if not headings or headings[-1].keys != ("generator",):
        return "", headings
    others, last = headings[:-1], headings[-1]
    room = segments["generator"].right - last.count_left + _ROUNDING_PX
    whole = names.whole(room)
    return (whole, (*others, attrs.evolve(last, count=""))) if names.measured(whole, COUNT_PX) <= room else ("", headings)


def _heading(
    names: Names, blocks: Sequence[Block], segments: Mapping[str, Segment], reaches: Mapping[str, float]
) -> Heading | None:
    """The name of these Blocks above their segments, with their count if there is room for both; None if the name is wider."""
    left, reach = segments[blocks[0].key].left, reaches[blocks[-1].key]
    end = left + names.width(blocks)
    if end > reach:
        return None
    count = counted(blocks)
    # A count stays above its own group, so that layers of one width all have theirs or none has.
    fits = bool(count) and end + _APART_PX + names.measured(count, COUNT_PX) <= segments[blocks[-1].key].right
    keys = tuple(block.key for block in blocks)
    return Heading(keys, names.group(blocks), left, count if fits else "", end + _APART_PX)
