"""The first three beats of a followed cell: Q and K, their products with the running sum, and the division."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.follow_text import division, query_mark, query_name, score, signed
from explorer.picture.followed import MOST_TERMS
from explorer.picture.layout.follow_scene import Scene, around_zero, eased, ink, strip, tick_label, ticks
from explorer.picture.marks import Rect
from explorer.picture.scales import Scale

_LEAST_BAR_PX, _LEAST_TERM_PX = 1.0, 4.0
_NAMED = 0.15  # Products of at least this share of the range are named at their bars.
_TWO_LINES_PX = 38.0  # from one row to the next, with room for two lines beside each
_FIGURES_PX = 34.0  # a cell with room for its number
_LEADER_PX = 16.0  # px, the shortest line from the last bar to its sum
_OPERAND_PX = 40.0  # px, the room of a name beside the row of its numbers
_MOST_DOTS = 200  # keys that are drawn on the axes of scores


def vectors(scene: Scene) -> None:
    """The rows of Q and K on one scale; the pair with the largest product is framed."""
    followed, area, theme = scene.followed, scene.area, scene.sketch.theme
    size, room = scene.letters + 2, 0.28 * area.wide
    asks = _asks(scene, size, room, bold=True)
    named = min(room, max(scene.width(label, size, bold=True) for label in (asks, followed.answers)))
    named = max(named, scene.widest((scene.words("follow.query"), scene.words("follow.key"))))
    high = min(64.0 if scene.large else 40.0, area.high * 0.22)
    gap = max(4.0, min(high * 1.2, area.high - 2 * high - 44))
    left, top = area.x + named + 10, area.y + (area.high - 2 * high - gap) / 2
    rows = [Rect(left, y, area.right - left - 2, high) for y in (top, top + high + gap)]
    scale = around_zero((followed.query, followed.key), scene.sketch.signed)
    parts = ((asks, "query", followed.query, theme.accent), (followed.answers, "key", followed.key, theme.text))
    for place, (row, (label, part, numbers, tint)) in enumerate(zip(rows, parts, strict=True)):
        middle = row.y + row.high / 2
        name = scene.sketch.fitting(label, size, named, bold=True)
        two_lines = high + gap >= _TWO_LINES_PX
        scene.sketch.write(left - 10, middle - 1 if two_lines else middle + 5, name, size, tint, "end", bold=True)
        if two_lines:
            scene.sketch.write(left - 10, middle + 14, scene.words(f"follow.{part}"), scene.letters, theme.faint, "end")
        strip(scene, numbers, row, scale, 2 * scene.share - place)
        scene.sketch.box(row, line=theme.hairline)
        if row.wide / len(numbers) >= _FIGURES_PX and scene.over:
            _figures(scene, numbers, row, scale)
    if scene.over:
        _pair(scene, rows)


def _asks(scene: Scene, size: float, room: float, *, bold: bool = False) -> str:
    """The query's name, or its mark where the name has no room (px)."""
    name = query_name(scene.followed, scene.words)
    return name if scene.width(name, size, bold=bold) <= room else query_mark(scene.followed)


def _figures(scene: Scene, numbers: NDArray[np.floating], row: Rect, scale: Scale) -> None:
    """The numbers themselves on their cells."""
    wide = row.wide / len(numbers)
    for place, number in enumerate(numbers.tolist()):
        x = row.x + (place + 0.5) * wide
        scene.sketch.write(x, row.y + row.high / 2 + 4, score(number), 10.0, ink(number, scale, scene.sketch.theme), "middle")


def _pair(scene: Scene, rows: list[Rect]) -> None:
    """A frame around the two numbers with the largest product, joined by a line; and how the features are counted."""
    followed, theme = scene.followed, scene.sketch.theme
    upper, lower = rows
    n = len(followed.query)
    best = int(np.argmax(np.abs(followed.products)))
    wide = upper.wide / n
    x = upper.x + (best + 0.5) * wide
    if wide >= 3:
        for place in range(n):
            at = upper.x + (place + 0.5) * wide
            scene.sketch.line(at, upper.bottom + 2, at, lower.y - 2, theme.hairline)
    scene.sketch.line(x, upper.bottom, x, lower.y, theme.accent, 2)
    for row in rows:
        scene.sketch.box(Rect(x - max(wide, 4) / 2, row.y, max(wide, 4), row.high), line=theme.accent, width=2)
    size = scene.letters + 1
    told = [signed(float(numbers[best])) for numbers in (followed.query, followed.key)]
    half = scene.width(told[1], size, bold=True) / 2
    centre = min(max(x, upper.x + half), upper.right - half)
    scene.sketch.write(centre, upper.y - 7, told[0], size, theme.accent, "middle", bold=True)
    scene.sketch.write(centre, lower.bottom + size + 5, told[1], size, theme.accent, "middle", bold=True)
    for feature, edge, anchor in ((0, lower.x, "start"), (n - 1, lower.right, "end")):
        label = scene.words("follow.feature", feature=feature)
        if abs(edge - centre) > scene.width(label) + half + 8:
            scene.sketch.write(edge, lower.bottom + size + 5, label, scene.letters, theme.faint, anchor)


@attrs.frozen(eq=False)
class _Fall:
    """The waterfall of products: its bars from `before` to `after` [term], features [term], and where numbers stand (px)."""

    features: NDArray[np.intp]
    rest: float
    after: NDArray[np.float64]
    plot: Rect
    low: float
    high: float

    @property
    def n(self) -> int:
        """The number of terms, the rest included."""
        return len(self.after)

    @property
    def pitch(self) -> float:
        """The width of a term (px)."""
        return self.plot.wide / self.n

    def y(self, value: float) -> float:
        """Where a sum stands (px)."""
        return self.plot.bottom - (value - self.low) / (self.high - self.low) * self.plot.high

    def x(self, term: float) -> float:
        """Where a term begins (px)."""
        return self.plot.x + term * self.pitch

    def before(self, term: int) -> float:
        """The sum before a term."""
        return float(self.after[term - 1]) if term else 0.0


def products(scene: Scene) -> None:
    """The products as bars that add up; those to come are outlined, and the sum stands at its height."""
    fall = _fall(scene)
    _grid(scene, fall)
    gone = scene.share * fall.n
    done = int(gone + 1e-6)
    for term in range(fall.n):
        _bar(scene, fall, term, 1.0 if term < done else eased((gone - term) * 1.375) if term == done else 0.0)
    _name_largest(scene, fall, done)
    _sum(scene, fall, gone)
    if scene.large:
        _operands(scene, fall, None if scene.over else min(done, fall.n - 1))


def _fall(scene: Scene) -> _Fall:
    left, right, foot = (46.0, 116.0, 66.0) if scene.large else (30.0, 54.0, 6.0)
    plot = scene.area.inset(left, 14, right, foot)
    most = MOST_TERMS if scene.large else max(4, min(MOST_TERMS, int(plot.wide // _LEAST_TERM_PX)))
    features, rest = scene.followed.terms(most)
    terms = scene.followed.products[features]
    if len(features) < len(scene.followed.products):
        terms = np.append(terms, rest)
    after = np.cumsum(terms)
    finite = np.append(after[np.isfinite(after)], 0.0)
    low, high = float(finite.min()), float(finite.max())
    if high == low:
        low, high = -1.0, 1.0
    return _Fall(features, rest, after, plot, low, high)


def _grid(scene: Scene, fall: _Fall) -> None:
    theme = scene.sketch.theme
    for value in ticks(fall.low, fall.high, 4 if scene.large else 3):
        y = fall.y(value)
        scene.sketch.line(fall.plot.x, y, fall.plot.right, y, theme.faint if value == 0 else theme.hairline)
        scene.sketch.write(fall.plot.x - 6, y + 4, tick_label(value), scene.letters, theme.faint, "end")


def _bar(scene: Scene, fall: _Fall, term: int, share: float) -> None:
    """One term: outlined before its time, then growing from the sum before it to the one after it."""
    theme, start, end = scene.sketch.theme, fall.before(term), float(fall.after[term])
    if not np.isfinite(end - start):
        return
    gap = 1.0 if fall.pitch >= 5 else 0.0
    reached = start + (end - start) * share
    for to, hollow in ((end, True), (reached, False)):
        if (hollow and share >= 1) or (not hollow and share <= 0):
            continue
        top, bottom = sorted((fall.y(start), fall.y(to)))
        area = Rect(fall.x(term), top, fall.pitch - gap, max(_LEAST_BAR_PX, bottom - top))
        if hollow:
            scene.sketch.box(area, line=theme.closed_line)
        else:
            rest = term >= len(fall.features)
            scene.sketch.box(area, theme.grey if rest else scene.sketch.sign(end - start))


def _name_largest(scene: Scene, fall: _Fall, done: int) -> None:
    """The largest product written out beside its bar, once it has been added; in the large picture other large ones too."""
    followed, theme, size = scene.followed, scene.sketch.theme, scene.letters + 1
    terms = followed.products[fall.features]
    best = int(np.argmax(np.abs(terms)))
    for term in np.flatnonzero(np.abs(terms) >= _NAMED * (fall.high - fall.low)).tolist():
        if term >= done:
            continue
        top, bottom = sorted((fall.y(fall.before(term)), fall.y(float(fall.after[term]))))
        if term == best:
            feature = int(fall.features[term])
            q, k = float(followed.query[feature]), float(followed.key[feature])
            told = f"{score(q)} × {score(k)} = {signed(float(terms[term]))}"
            wide = scene.width(told, size, bold=True)
            fits = fall.x(term + 1) + 6 + wide < scene.area.right
            x = fall.x(term + 1) + 6 if fits else max(scene.area.x, fall.x(term) - 6 - wide)
            scene.sketch.write(
                x, _free_height(fall, x, x + wide, (top + bottom) / 2 + 4, size), told, size, theme.accent, bold=True
            )
        elif scene.large:
            told = signed(float(terms[term]))
            scene.sketch.write(fall.x(term + 0.5), top - 5, told, scene.letters - 1, theme.text, "middle")


def _free_height(fall: _Fall, left: float, right: float, wanted: float, size: float) -> float:
    """The baseline (px) nearest to the one that is wanted at which letters between two places hide no bar."""
    first, last = (min(max(int((x - fall.plot.x) // fall.pitch), 0), fall.n - 1) for x in (left, right))
    bars = [sorted((fall.y(fall.before(term)), fall.y(float(fall.after[term])))) for term in range(first, last + 1)]
    low, high = fall.plot.y + size, fall.plot.bottom - 3
    places = sorted(np.arange(low, max(low, high) + 1, 3.0).tolist(), key=lambda y: abs(y - wanted))
    for y in places:
        if all(bottom < y - size - 1 or top > y + 4 for top, bottom in bars):
            return float(y)
    return min(max(wanted, low), high)


def _sum(scene: Scene, fall: _Fall, gone: float) -> None:
    """The sum so far at its height, with the feature up to which it goes."""
    theme, last = scene.sketch.theme, min(int(gone + 1e-6), fall.n - 1)
    if scene.share <= 0:
        return
    share = 1.0 if scene.over else eased((gone - last) * 1.375)
    value = fall.before(last) + (float(fall.after[last]) - fall.before(last)) * share
    # While a term is being added, the sum that it comes to is told: a number that changes sixty times a second cannot be read.
    told = float(fall.after[last])
    y = fall.y(value) if np.isfinite(value) else fall.plot.bottom
    size = 24.0 if scene.large else 13.0
    if fall.plot.right - fall.x(last + 1) > _LEADER_PX:  # A short line would look like a minus.
        scene.sketch.line(fall.x(last + 1), y, fall.plot.right + 2, y, theme.text)
    lower = min(max(y + size / 3, scene.area.y + size), scene.area.bottom - 20)
    scene.sketch.write(fall.plot.right + 8, lower, score(told), size, theme.text, bold=True)
    if scene.large and not scene.over and last < len(fall.features):
        up_to = scene.words("follow.up_to", feature=int(fall.features[last]))
        scene.sketch.write(fall.plot.right + 8, lower + 18, up_to, scene.letters - 1, theme.faint)


def _operands(scene: Scene, fall: _Fall, now: int | None) -> None:
    """Q and K under the bars, in the same columns; those that are being multiplied are framed."""
    followed, theme, high = scene.followed, scene.sketch.theme, 18.0
    scale = around_zero((followed.query, followed.key), scene.sketch.signed)
    top, wide = fall.plot.bottom + 14, fall.pitch * len(fall.features)
    for place, (label, row) in enumerate(
        ((_asks(scene, scene.letters - 1, _OPERAND_PX), followed.query), (followed.answers, followed.key))
    ):
        y = top + place * (high + 1)
        strip(scene, row[fall.features], Rect(fall.plot.x, y, wide, high), scale)
        name = scene.sketch.fitting(label, scene.letters - 1, _OPERAND_PX)
        scene.sketch.write(fall.plot.x - 6, y + 13, name, scene.letters - 1, theme.faint, "end")
    step = max(1, int(22 // fall.pitch))
    for term, feature in enumerate(fall.features.tolist()):
        if term % step == 0 or term == now:
            tint = theme.accent if term == now else theme.faint
            y = top + 2 * high + 15
            scene.sketch.write(fall.x(term + 0.5), y, str(feature), scene.letters - 2, tint, "middle", bold=term == now)
    if fall.n > len(fall.features):
        told = scene.words("follow.rest_features", count=len(followed.products) - len(fall.features))
        scene.sketch.write(fall.plot.right + 8, top + high, told, scene.letters - 1, theme.faint)
    if now is not None and now < len(fall.features):
        scene.sketch.box(Rect(fall.x(now), top, fall.pitch, 2 * high + 1), line=theme.accent, width=2)
        lowest = max(fall.y(fall.before(now)), fall.y(float(fall.after[now])))
        scene.sketch.line(fall.x(now + 0.5), lowest, fall.x(now + 0.5), top, theme.accent, dashed=True)


@attrs.frozen
class _Rails:
    """Two axes of one range above each other: their ends `left` and `right`, and their heights (px)."""

    low: float
    high: float
    left: float
    right: float
    upper: float
    lower: float

    def x(self, value: float) -> float:
        """Where a score stands on both (px)."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


def scaled(scene: Scene) -> None:
    """All scores of the row on one axis, and what the division makes of them on the same axis below."""
    followed, theme = scene.followed, scene.sketch.theme
    keys = [key for key in followed.shown_keys(_MOST_DOTS).tolist() if np.isfinite(followed.scores[key] + followed.scaled[key])]
    rails = _rails(scene, np.concatenate([followed.scores[keys], followed.scaled[keys], [0.0]]))
    moved = eased(scene.share)
    for key in sorted(keys, key=lambda each: each == followed.cell.key):  # The followed key is drawn last, above the others.
        before, after = rails.x(float(followed.scores[key])), rails.x(float(followed.scaled[key]))
        there = (before + (after - before) * moved, rails.upper + (rails.lower - rails.upper) * moved)
        mine = key == followed.cell.key
        tint, radius = (theme.accent, 5.0) if mine else (theme.grey, 3.5)
        scene.sketch.line(before, rails.upper, *there, theme.accent if mine else theme.hairline, 2 if mine else 1)
        scene.sketch.dot(before, rails.upper, radius, tint)
        scene.sketch.dot(*there, radius, tint)
    if followed.cell.key in keys:
        _name_scores(scene, [(key, rails.x(float(followed.scores[key]))) for key in keys], rails.upper)
        if scene.over:
            at = rails.x(float(followed.scaled[followed.cell.key]))
            _name_scaled(scene, at, rails.lower, from_right=float(followed.scores[followed.cell.key]) > 0)


def _rails(scene: Scene, scores: NDArray[np.floating]) -> _Rails:
    """Draw the two axes with their names, and with ticks on the lower one; their range holds all these scores."""
    area, theme = scene.area, scene.sketch.theme
    names = ("Q·K", division(scene.followed))
    low, high = float(scores.min()), float(scores.max())
    low, high = (-1.0, 1.0) if low == high else (low - 0.04 * (high - low), high + 0.04 * (high - low))
    left = area.x + scene.widest(names) + 14
    rails = _Rails(low, high, left, max(left + 1, area.right - 14), area.y + area.high * 0.3, area.y + area.high * 0.72)
    for name, y in zip(names, (rails.upper, rails.lower), strict=True):
        scene.sketch.line(rails.left, y, rails.right, y, theme.closed_line)
        scene.sketch.write(rails.left - 10, y + 4, name, scene.letters, theme.faint, "end")
    for value in ticks(low, high, 5):
        x, below = rails.x(value), rails.lower + scene.letters + 10
        scene.sketch.line(x, rails.lower - 3, x, rails.lower + 3, theme.faint)
        scene.sketch.write(x, below, tick_label(value), scene.letters, theme.faint, "middle")
    return rails


def _name_scaled(scene: Scene, x: float, y: float, *, from_right: bool) -> None:
    """The followed key's scaled score above its dot, on the side from which its line does not come."""
    theme, size = scene.sketch.theme, scene.letters + 2
    told = score(float(scene.followed.scaled[scene.followed.cell.key]))
    wide = scene.width(told, size, bold=True)
    left = x - 12 - wide if from_right else x + 12
    left = min(max(left, scene.area.x), scene.area.right - wide)
    scene.sketch.box(Rect(left - 2, y - 10 - size, wide + 4, size + 4), theme.card)
    scene.sketch.write(left, y - 11, told, size, theme.accent, bold=True)


def _name_scores(scene: Scene, places: list[tuple[int, float]], y: float) -> None:
    """The followed key with its score above its dot; and the keys at both ends, where they do not touch it."""
    followed, theme, size = scene.followed, scene.sketch.theme, scene.letters + 2
    at = dict(places)[followed.cell.key]
    value = score(float(followed.scores[followed.cell.key]))
    room = scene.area.wide / 3
    name = scene.sketch.fitting(followed.answers, scene.letters, room)
    half = max(scene.width(value, size, bold=True), scene.width(name)) / 2
    centre = min(max(at, scene.area.x + half), scene.area.right - half)
    scene.sketch.write(centre, y - 12, value, size, theme.text, "middle", bold=True)
    scene.sketch.write(centre, y - 14 - size, name, scene.letters, theme.accent, "middle")
    for key, x in (min(places, key=lambda each: each[1]), max(places, key=lambda each: each[1])):
        label = scene.sketch.fitting(followed.named(key), scene.letters, room)
        wide = scene.width(label) / 2
        other = min(max(x, scene.area.x + wide), scene.area.right - wide)
        if key != followed.cell.key and abs(other - centre) > half + wide + 8:
            scene.sketch.write(other, y - 12, label, scene.letters, theme.faint, "middle")
