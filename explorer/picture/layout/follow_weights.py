"""The last three beats of a followed cell: the mask, softmax over the row, and the weighted sum of the values."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.follow_text import percent, power, score, signed, weight
from explorer.picture.layout.follow_scene import Scene, around_zero, colour, eased, ink, strip, tick_label
from explorer.picture.marks import Rect
from explorer.picture.scales import Scale

_LEAST_COLUMN_PX = 40.0
_NOTE_PX = 14.0  # px, the line that says that not all keys are drawn
_LEAST_BARS_PX = 14.0  # px; lower bars say nothing
_LABELLED_PX = 12.0  # A row of values of this height has a label.
_LARGEST_COLUMN_PX = 120.0


@attrs.frozen(eq=False)
class _Columns:
    """The keys that are drawn, [column], and where their columns stand (px)."""

    keys: list[int]
    left: float
    wide: float

    def area(self, place: int, y: float, high: float) -> Rect:
        """The column's rectangle from y downward, without the gap between columns."""
        return Rect(self.left + place * self.wide + 1, y, self.wide - 2, high)

    def middle(self, place: int) -> float:
        """The middle of a column (px)."""
        return self.left + (place + 0.5) * self.wide


def _columns(scene: Scene) -> _Columns:
    """As many keys as have room for their numbers; wide columns stand in the middle."""
    followed, area = scene.followed, scene.area
    finite = [score(float(value)) for value in (followed.biased.min(), followed.biased.max())]
    least = max(_LEAST_COLUMN_PX, scene.widest(finite) + 8)
    keys = followed.shown_keys(max(2, int(area.wide // least))).tolist()
    wide = min(area.wide / len(keys), _LARGEST_COLUMN_PX if scene.large else 72.0)
    return _Columns(keys, area.x + (area.wide - wide * len(keys)) / 2, wide)


def _labels(scene: Scene, columns: _Columns, y: float) -> None:
    """The keys' labels, the followed one in the accent."""
    followed, theme = scene.followed, scene.sketch.theme
    for place, key in enumerate(columns.keys):
        mine = key == followed.cell.key
        label = scene.sketch.fitting(followed.named(key), scene.letters, columns.wide - 2, bold=mine)
        scene.sketch.write(
            columns.middle(place), y, label, scene.letters, theme.accent if mine else theme.text, "middle", bold=mine
        )


def _not_all(scene: Scene, columns: _Columns) -> None:
    """Say that not all keys are drawn, where that is so."""
    if len(columns.keys) < scene.followed.n_keys:
        told = scene.words("follow.hidden_keys", shown=len(columns.keys), count=scene.followed.n_keys)
        scene.sketch.write(scene.area.x, scene.area.bottom - 2, told, scene.letters - 1, scene.sketch.theme.faint)


def masked(scene: Scene) -> None:
    """The row before and behind the mask; and, where cells are closed, the weights that it would have without it."""
    followed = scene.followed
    columns, closed = _columns(scene), followed.closed
    area = scene.area.inset(bottom=_NOTE_PX if len(columns.keys) < followed.n_keys else 0.0)
    high = min(46.0 if scene.large else 32.0, area.high * 0.26)
    bias = scene.letters + 6 if followed.bias is not None else 0.0
    below = min(220.0 if scene.large else 44.0, area.high - high - bias - 90) if closed.any() else 0.0
    told = high + bias + 18 + (scene.letters + 6 if closed.any() else 0) + (24 + below + 18 if below >= _LEAST_BARS_PX else 0)
    top = area.y + max(0.0, (area.high - told) / 2) + 12
    _labels(scene, columns, top)
    if followed.bias is not None:
        _bias(scene, columns, top + scene.letters + 4)
    _row(scene, columns, top + 8 + bias, high)
    if below >= _LEAST_BARS_PX:
        _without(scene, columns, top + 8 + bias + high + 34, below)
    _not_all(scene, columns)


def _bias(scene: Scene, columns: _Columns, y: float) -> None:
    followed = scene.followed
    assert followed.bias is not None  # The caller has checked.
    for place, key in enumerate(columns.keys):
        told = signed(float(followed.bias[key]))
        scene.sketch.write(columns.middle(place), y, told, scene.letters - 1, scene.sketch.theme.faint, "middle")


def _row(scene: Scene, columns: _Columns, y: float, high: float) -> None:
    """The cells of the row. Closed ones are hatched from the left, with their old score struck through below them."""
    followed, theme = scene.followed, scene.sketch.theme
    scale = around_zero((followed.biased,), scene.sketch.signed)
    closed = [place for place, key in enumerate(columns.keys) if followed.closed[key]]
    gone = scene.share * len(closed)
    for place, key in enumerate(columns.keys):
        mine, cell = key == followed.cell.key, columns.area(place, y, high)
        value = float(followed.biased[key])
        hatched = place in closed and closed.index(place) < gone - 1e-6
        if not hatched:
            known = value if np.isfinite(value) else 0.0
            scene.sketch.box(cell, colour(known, scale), line=theme.hairline)
            shown = value if place in closed else float(followed.masked[key])
            tint = ink(known, scale, scene.sketch.theme)
            scene.sketch.write(columns.middle(place), y + high / 2 + 4, score(shown), scene.letters, tint, "middle", bold=mine)
        else:
            scene.sketch.hatch(cell)
            told, size = score(float(followed.masked[key])), scene.letters + 1
            half = scene.width(told, size, bold=True) / 2 + 3
            middle = columns.middle(place)
            scene.sketch.box(Rect(middle - half, y + high / 2 - size / 2 - 2, 2 * half, size + 5), theme.closed, radius=2)
            scene.sketch.write(middle, y + high / 2 + 4, told, size, theme.text, "middle", bold=True)
            scene.sketch.struck(middle, y + high + scene.letters + 4, score(value), scene.letters - 1, theme.faint)
        if mine:
            scene.sketch.box(cell, line=theme.accent, width=2)


def _without(scene: Scene, columns: _Columns, y: float, high: float) -> None:
    """The weights that the row would have if nothing were closed, as bars; a closed key that would win is bold."""
    followed, theme = scene.followed, scene.sketch.theme
    scene.sketch.write(columns.left, y, scene.words("follow.unmasked"), scene.letters, theme.faint)
    best = followed.strongest_closed()
    if best is not None and followed.unmasked[best] <= followed.unmasked[followed.cell.key]:
        best = None  # Only a key that would beat the followed one is a surprise.
    top = y + 8
    for place, key in enumerate(columns.keys):
        share = float(followed.unmasked[key])
        if not np.isfinite(share):
            continue
        slot = columns.area(place, top, high)
        mine = key == followed.cell.key
        scene.sketch.box(slot, theme.pale)
        if scene.over:
            scene.sketch.box(
                Rect(slot.x, slot.bottom - high * share, slot.wide, high * share), theme.accent if mine else theme.grey
            )
            tint = theme.accent if mine else theme.text if key == best else theme.faint
            told = f"{share:.2f}"
            middle = columns.middle(place)
            scene.sketch.write(middle, slot.bottom + scene.letters + 4, told, scene.letters, tint, "middle", bold=key == best)


def softmax(scene: Scene) -> None:
    """Powers of e as bars, which then shrink together by the row's sum; what is left are the weights."""
    followed, area, theme = scene.followed, scene.area, scene.sketch.theme
    columns = _columns(scene)
    powers, total = followed.powers, float(followed.powers.sum())
    _formula(scene, total)
    foot = 2 * scene.letters + 12 + (_NOTE_PX if len(columns.keys) < followed.n_keys else 0.0)
    top, bottom = area.y + 2 * scene.letters + 18, area.bottom - foot - 8
    high = max(0.0, min(bottom - top, 320.0))
    top = top + (bottom - top - high) / 2
    largest = float(np.nanmax(powers)) if np.isfinite(powers).any() else 0.0
    grown, shrunk = eased(2 * scene.share), eased(2 * scene.share - 1)
    # A bar is e^x / max first; at the end it is e^x / Σ e^x. All shrink by the same factor max / Σ.
    factor = grown * (1 - shrunk) + (largest / total if total > 0 else 0.0) * shrunk
    for place, key in enumerate(columns.keys):
        slot, mine = columns.area(place, top, high), key == followed.cell.key
        middle = columns.middle(place)
        if followed.closed[key]:
            scene.sketch.hatch(slot)
        else:
            scene.sketch.box(slot, theme.pale)
        share = float(powers[key]) / largest * factor if largest > 0 else 0.0
        bar = Rect(slot.x, slot.bottom - high * share, slot.wide, high * share)
        scene.sketch.box(bar, theme.accent if mine else theme.grey)
        if scene.over and not followed.closed[key]:
            tint = theme.accent if mine else theme.text
            scene.sketch.write(
                middle, bar.y - 5, weight(float(followed.weights[key])), scene.letters, tint, "middle", bold=mine
            )
        told = power(float(powers[key])) if np.isfinite(powers[key]) else "NaN"
        scene.sketch.write(middle, slot.bottom + 2 * scene.letters + 9, told, scene.letters - 1, theme.faint, "middle")
    _labels(scene, columns, top + high + scene.letters + 5)
    _not_all(scene, columns)


def _formula(scene: Scene, total: float) -> None:
    """The followed cell's own power of e, divided by the sum of the row."""
    followed = scene.followed
    value = float(followed.masked[followed.cell.key])
    exponent = score(value) if followed.shift == 0 else f"({score(value)} − {score(followed.shift)})".replace("− −", "+ ")
    own = float(followed.powers[followed.cell.key])
    told = f"e^{exponent} = {power(own)}"
    if scene.share >= 0.5:
        told = f"e^{exponent} ÷ Σ = {power(own)} ÷ {power(total)} = {weight(float(followed.weights[followed.cell.key]))}"
    scene.sketch.write(scene.area.x, scene.area.y + scene.letters + 2, told, scene.letters + 1, scene.sketch.theme.text)


@attrs.frozen(eq=False)
class _Band:
    """The values of one key, or of all keys that are not drawn by themselves, with their weight and share of the output."""

    label: str
    weight: float
    share: float
    values: NDArray[np.floating]
    mine: bool = False


def mixed(scene: Scene) -> None:
    """Rows of V as high as their weights, and their sum, all on one scale; labels say each row's share of the sum too."""
    followed, area = scene.followed, scene.area
    bands = _bands(scene)
    labels = [" · ".join((f"{weight(band.weight)} {band.label}", *_share_told(band.share))) for band in bands]
    output, size = _output_name(scene), scene.letters + 1
    named = min(0.34 * area.wide, max(scene.width(label, size, bold=True) for label in (*labels, output)))
    left = area.x + named + 10
    scale = around_zero((followed.value, followed.mixed), scene.sketch.signed)
    result = min(44.0, max(16.0, area.high * 0.13))
    foot = scene.letters + 10
    room = min(area.high - result - foot - 12, 420.0)
    top = area.y + max(0.0, (area.high - result - foot - 12 - room) / 2)
    squeezed = eased(scene.share / 0.6)
    total = sum(band.weight for band in bands if np.isfinite(band.weight)) or 1.0
    y, rows = top, []
    for band, label in zip(bands, labels, strict=True):
        # Each row begins with an equal height and ends with one that is its share of the weights.
        share = band.weight / total if np.isfinite(band.weight) else 0.0
        rows.append(Rect(left, y, area.right - left - 2, room * ((1 - squeezed) / len(bands) + squeezed * share)))
        _band(scene, band, label, rows[-1], scale, named)
        y += rows[-1].high
    _thin(scene, bands, rows)
    scene.sketch.line(area.x, top + room + 5, area.right - 2, top + room + 5, scene.sketch.theme.text)
    _output(scene, Rect(left, top + room + 8, area.right - left - 2, result), scale)


def _output(scene: Scene, row: Rect, scale: Scale) -> None:
    """The weighted sum, which appears when the rows have their heights; and how to read the picture."""
    theme, size = scene.sketch.theme, scene.letters + 1
    output = _told(scene, (_output_name(scene), scene.words("follow.output")), size, row.x - 10 - scene.area.x, bold=True)
    strip(scene, scene.followed.mixed, row, scale, scene.share / 0.4 - 1.5)
    scene.sketch.box(row, line=theme.hairline)
    scene.sketch.write(row.x - 10, row.y + row.high / 2 + 4, output, size, theme.text, "end", bold=True)
    reach = tick_label(float(f"{scale.high:.2g}"))
    told = _told(scene, (scene.words("follow.reach", reach=reach), f"±{reach}"), scene.letters - 1, scene.area.wide)
    scene.sketch.write(row.right, row.bottom + scene.letters + 4, told, scene.letters - 1, theme.faint, "end")


def _output_name(scene: Scene) -> str:
    """The label of the weighted sum, of which the shares are shares."""
    whole = float(scene.followed.output_shares.sum())
    return " · ".join((scene.words("follow.output"), *_share_told(whole)))


def _told(scene: Scene, texts: tuple[str, ...], size: float, room: float, *, bold: bool = False) -> str:
    """The first of some texts, the longest first, that has room; the last one is cut where none has."""
    whole = (text for text in texts if scene.width(text, size, bold=bold) <= room)
    return next(whole, scene.sketch.fitting(texts[-1], size, room, bold=bold))


def _share_told(share: float) -> tuple[str, ...]:
    """A share of the output in per cent; nothing where the output is zero or no number."""
    return (percent(share),) if np.isfinite(share) else ()


def _thin(scene: Scene, bands: list[_Band], rows: list[Rect]) -> None:
    """One label for all rows that are too thin for labels of their own, where there is room beside them."""
    thin = [
        place for place, (band, row) in enumerate(zip(bands, rows, strict=True)) if not (band.mine or row.high >= _LABELLED_PX)
    ]
    if not thin:
        return
    size = scene.letters - 1
    y = min(max(rows[thin[0]].y + 4, scene.area.y + size), scene.area.bottom)
    taken = [row.y + row.high / 2 + 4 for place, row in enumerate(rows) if place not in thin]
    if all(abs(each - y) > scene.letters + 3 for each in taken):
        total = weight(sum(bands[place].weight for place in thin))
        share = sum(bands[place].share for place in thin)
        rest = f"{total} {scene.words('follow.rest_keys', count=len(thin))}"
        told = _told(scene, (" · ".join((rest, *_share_told(share))), rest), size, rows[0].x - 10 - scene.area.x)
        scene.sketch.write(rows[0].x - 10, y, told, size, scene.sketch.theme.faint, "end")


def _bands(scene: Scene) -> list[_Band]:
    """The keys' values in their order; those for which there is no room are one band with the mean of their values."""
    followed = scene.followed
    most = max(3, int(scene.area.high // 16))
    keys = followed.shown_keys(most).tolist()
    of_output = followed.output_shares
    bands = [
        _Band(
            followed.named(key),
            float(followed.passed[key]),
            float(of_output[key]),
            followed.value[key],
            key == followed.cell.key,
        )
        for key in keys
    ]
    others = np.setdiff1d(np.arange(followed.n_keys), keys)
    if len(others):
        shares = followed.passed[others].astype(np.float64)
        total = float(shares.sum())
        # v̄ = Σ A[q,k]·V[k] / Σ A[q,k] over the keys that are left out
        mean = shares @ followed.value[others] / total if total > 0 else followed.value[others].mean(axis=0)
        bands.append(_Band(scene.words("follow.rest_keys", count=len(others)), total, float(of_output[others].sum()), mean))
    return bands


def _band(scene: Scene, band: _Band, label: str, area: Rect, scale: Scale, named: float) -> None:
    """One band with its weight and label, where it is high enough for them; a thin gap keeps neighbours apart."""
    theme = scene.sketch.theme
    gap = 1.0 if area.high > 3 else 0.0
    strip(scene, band.values, Rect(area.x, area.y, area.wide, area.high - gap), scale)
    if area.high >= _LABELLED_PX or band.mine:
        size = scene.letters + (1 if band.mine else 0)
        told = _told(scene, (label, label.partition(" · ")[0]), size, named, bold=band.mine)
        tint = theme.accent if band.mine else theme.text
        scene.sketch.write(area.x - 10, area.y + area.high / 2 + 4, told, size, tint, "end", bold=band.mine)
