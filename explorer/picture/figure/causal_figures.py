"""The kinds about causes outside the window, as SVG, as tables and in words: accounts, changed words, lenses, effects."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Account, EffectMap, LensMap, Postcard, Removals, Rewording
from explorer.picture.cell_text import number, told_difference, told_origin
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import measured, write_marks
from explorer.picture.kinds import Axis
from explorer.picture.layout.account import account
from explorer.picture.layout.effect_map import draw_effects, places
from explorer.picture.layout.lens_map import lens_map
from explorer.picture.layout.postcard import HIGH_PX, WIDE_PX, draw_postcard
from explorer.picture.layout.removals import removals, told_row
from explorer.picture.layout.rewording import draw_rewording
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import as_array, largest_first, told
from explorer.picture.tables import Table, table_name
from explorer.trace.found.lens import Lens

# Lengths are px: the width that a picture has and the least one, the height of a row, and what stands around the rows.
_ACCOUNT_WIDE, _ACCOUNT_LEAST, _ACCOUNT_ROW_PX, _ACCOUNT_AROUND_PX, _MOST_PX = 760.0, 340.0, 22.0, 160.0, 900.0
_TOLD = 3  # terms that the description names
_REMOVALS_WIDE, _REMOVALS_LEAST, _REMOVALS_ROW_PX, _REMOVALS_AROUND_PX = 560.0, 280.0, 22.0, 48.0
_REWORDING_WIDE_PX, _REWORDING_LEAST_PX, _HIGH_PX = 900.0, 220.0, 120.0
_USUAL_PX, _LENS_LEAST_PX, _LEAST_CELL_PX = 420.0, 340.0, 40.0
_CELL_PX, _LENS_ROW_PX, _NAMES_PX, _BELOW_PX, _AGREES_PX = 76.0, 25.0, 110.0, 150.0, 50.0
_EFFECT_MAP_WIDE_PX, _EFFECT_MAP_LEAST_PX, _EFFECT_MAP_ROW_PX, _ROUND_PX = 660.0, 340.0, 26.0, 110.0


def draw_account(drawing: Drawing, picture: Account, top: float) -> None:
    """Draw the waterfall or the list."""
    sums = picture.sums
    n_rows = len(sums.terms) or sum(len(group.rows) for group in sums.groups)
    high = min(_MOST_PX, _ACCOUNT_AROUND_PX + _ACCOUNT_ROW_PX * n_rows)
    sketch = Sketch(drawing.theme, picture.signed_colours, measured)
    wide = drawing.filling(_ACCOUNT_WIDE, _ACCOUNT_LEAST)
    account(sketch, sums, drawing.words, Rect(0, top, wide, high))
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, top + high)


def _account_tables(picture: Account) -> Iterator[Table]:
    """A row for each term: its share, and its two factors where it has them. Without an exact sum there are no shares."""
    sums = picture.sums
    if not sums.exact:
        return
    terms = sums.terms or tuple(term for group in sums.groups for row in group.rows for term in row.terms)
    columns, names = [as_array(terms)], ["share"]
    if sums.factors is not None:
        factors = np.array([term.factors for term in terms], np.float64)
        columns, names = [*columns, factors[:, 0], factors[:, 1]], [*names, *sums.factors]
    way = ".".join(link.label for link in sums.trail[1:]).replace(" ", "_")
    named = "generator.logits.why" if sums.groups else picture.caption.name
    labels = tuple(term.label for term in terms)
    name = f"{named}.{way}" if way else named
    yield Table(name, np.stack(columns, axis=1), Axis("part", labels), Axis("of", tuple(names)), picture.head)


def _account_described(picture: Account, words: Words) -> str:
    sums = picture.sums
    if not sums.exact:
        return words("why.inexact", difference=f"{sums.difference:.4f}", count=sums.n_parts, total=f"{sums.total:.4f}")
    terms = sums.terms or largest_first(term for group in sums.groups for row in group.rows for term in row.terms)
    way = " › ".join(f"{link.label} {link.figure}" for link in sums.trail)
    chain = " ".join(f"{link.sign} {link.label} {link.figure}".strip() for link in sums.chain)
    first = ", ".join(f"{term.label} {told(term.value, sums.digits)}" for term in terms[:_TOLD])
    return "\n".join(line for line in (picture.caption.title, way, chain, first) if line)


ACCOUNT = Kind(draw_account, _account_tables, _account_described)


def draw_removals(drawing: Drawing, picture: Removals, top: float) -> None:
    """Draw the rows."""
    sketch = Sketch(drawing.theme, picture.signed_colours, measured)
    wide = drawing.filling(_REMOVALS_WIDE, _REMOVALS_LEAST)
    area = Rect(0, top, wide, _REMOVALS_AROUND_PX + _REMOVALS_ROW_PX * len(picture.names))
    removals(sketch, picture, drawing.words, area)
    write_marks(drawing, sketch.marks)
    drawing.reach(area.wide, area.bottom)


def _removals_tables(picture: Removals) -> Iterator[Table]:
    values = np.stack([picture.shares, picture.costs], axis=1)
    yield Table("generator.logits.removals", values, Axis("part", picture.names), Axis("of", ("share", "cost")))


def _removals_described(picture: Removals, words: Words) -> str:
    rows = (told_row(picture, index, words).replace("\n", " ") for index in range(min(3, len(picture.names))))
    return "\n".join((f"{picture.caption.title}. {picture.caption.note}", *rows))


REMOVALS = Kind(draw_removals, _removals_tables, _removals_described)


def _rewording_draw(drawing: Drawing, picture: Rewording, top: float) -> None:
    sketch = Sketch(drawing.theme, picture.scale.colours, measured)
    wide = drawing.filling(_REWORDING_WIDE_PX, _REWORDING_LEAST_PX)
    placed = draw_rewording(sketch, picture, drawing.words, Rect(0, top, wide, _HIGH_PX))
    write_marks(drawing, sketch.marks)
    drawing.reach(wide, max((each.area.bottom for each in placed), default=top))


def _word_tables(picture: Rewording | Postcard) -> Iterator[Table]:
    """log p of each word before the change, without and with it, and the difference (nats); NaN for words that came new."""
    rows = [(each.log_p, each.log_p_after, each.difference) for each in picture.words]
    cells = np.array([[np.nan if value is None else value for value in row] for row in rows], np.float64).reshape(-1, 3)
    names = tuple(each.before if each.before == each.after else f"{each.before} → {each.after}" for each in picture.words)
    yield Table("log_p.changed", cells, Axis("word", names), Axis("of", ("before", "after", "difference")))


def _rewording_described(picture: Rewording, words: Words) -> str:
    before = " ".join(each.before for each in picture.words if each.before)
    after = " ".join(each.after for each in picture.words if each.after)
    lines = [before] if picture.once else [f"{words('change.before')}: {before}", f"{words('change.after')}: {after}"]
    lines += [
        f"{each.before}: {words('change.delta')} {told_difference(each.difference)}"
        for each in picture.words
        if each.difference is not None
    ]
    return "\n".join((*lines, picture.caption.note))


REWORDING = Kind[Rewording](_rewording_draw, _word_tables, _rewording_described)


def _postcard_draw(drawing: Drawing, picture: Postcard, top: float) -> None:
    sketch = Sketch(drawing.theme, "", measured)
    draw_postcard(sketch, picture, drawing.words, top)
    write_marks(drawing, sketch.marks)
    drawing.reach(WIDE_PX, top + HIGH_PX)


def _postcard_tables(picture: Postcard) -> Iterator[Table]:
    """The table of the words, then the two maps of weights."""
    yield from _word_tables(picture)
    for name, made in (("weights.before", picture.map_before), ("weights.after", picture.map_after)):
        if made is not None:
            yield Table(name, made.values, made.rows, made.columns, made.head)


def _postcard_described(picture: Postcard, words: Words) -> str:
    before = " ".join(each.before for each in picture.words if each.before)
    after = " ".join(each.after for each in picture.words if each.after)
    lines = (
        f"{picture.changes}: {picture.sentence}",
        f"{words('change.before')}: {before}",
        f"{words('change.after')}: {after}",
        picture.about,
        picture.hit,
        picture.rate,
    )
    return "\n".join(filter(None, lines))


POSTCARD = Kind[Postcard](_postcard_draw, _postcard_tables, _postcard_described, sheet=(WIDE_PX, HIGH_PX))


def draw_lens(drawing: Drawing, picture: LensMap, top: float) -> None:
    """Draw the whole map, and the words that the last row says at the chosen position."""
    n_rows, n_positions = picture.lens.ids.shape[:2]
    beside = 0.0 if picture.agreement is None else _AGREES_PX
    natural = max(_USUAL_PX, _NAMES_PX + _CELL_PX * n_positions + beside)
    least = max(_LENS_LEAST_PX, _NAMES_PX + _LEAST_CELL_PX * n_positions + beside)
    area = Rect(0, top, max(least, drawing.within(natural)), _BELOW_PX + _LENS_ROW_PX * n_rows)
    sketch = Sketch(drawing.theme, drawing.theme.signed_colours, measured)
    lens_map(sketch, picture, drawing.words, area, 0, (n_rows - 1, picture.chosen))
    write_marks(drawing, sketch.marks)
    drawing.reach(area.wide, area.bottom)


def _lens_tables(picture: LensMap) -> Iterator[Table]:
    """The likeliest word's probability and that of the written one, the place of the written one, and all ten ids."""
    lens, name = picture.lens, "jacobian_lens" if picture.jacobian else "lens"
    rows, columns = Axis("layer", picture.rows), Axis("position", tuple(map(str, range(len(lens.written)))), numbered=False)
    yield Table(f"{name}.p_of_likeliest", lens.probabilities[:, :, 0], rows, columns)
    yield Table(f"{name}.p_of_written", lens.written_p, rows, columns)
    yield Table(f"{name}.rank_of_written", lens.ranks.astype(float), rows, columns)
    named = tuple(f"{row} @{position}" for row in picture.rows for position in range(len(lens.written)))
    n_best = lens.ids.shape[-1]
    places = Axis("rank", tuple(str(rank + 1) for rank in range(n_best)))
    yield Table(f"{name}.ids", lens.ids.reshape(-1, n_best).astype(float), Axis("cell", named), places)
    yield Table(f"{name}.p", lens.probabilities.reshape(-1, n_best), Axis("cell", named), places)
    if picture.agreement is not None:
        both = np.array([picture.agreement.shares(jacobian=jacobian) for jacobian in (False, True)]).T  # [layer, lens]
        yield Table("lens.agreement_held_out", both, rows, Axis("lens", ("lens", "jacobian_lens")))


def _lens_described(picture: LensMap, words: Words) -> str:
    said = (f"{row} {count}" for row, count in zip(picture.rows, agreeing(picture.lens), strict=True))
    return words("lens.agrees", rows=", ".join(said), count=len(picture.lens.written))


def agreeing(lens: Lens) -> list[int]:
    """For each row at how many positions it says the written word."""
    return [int(count) for count in lens.agrees().sum(axis=1)]


LENS = Kind(draw_lens, _lens_tables, _lens_described)


def draw_effect_map(drawing: Drawing, picture: EffectMap, top: float) -> None:
    """Draw the map with its bars, its sentence and its scales."""
    sketch = Sketch(drawing.theme, picture.scale.colours, measured)
    wide = drawing.filling(_EFFECT_MAP_WIDE_PX, _EFFECT_MAP_LEAST_PX)
    area = Rect(0, top, wide, _ROUND_PX + _EFFECT_MAP_ROW_PX * len(picture.rows))
    at = places(picture, area, measured)
    draw_effects(sketch, picture, drawing.words, area, at)
    write_marks(drawing, sketch.marks)
    drawing.reach(at.bars.right, at.bars.bottom + 50)


def tell_effect(picture: EffectMap, row: int, head: int | None, words: Words) -> str:
    """One effect in words: what is switched off, what that does to the word, and the tap."""
    about = picture.rows[row]
    heads = np.isfinite(picture.values[row]).any()
    value = float(picture.whole[row] if head is None or not heads else picture.values[row, head])
    if picture.pending or not np.isfinite(value):
        return words("status.computing") if picture.pending else ""
    off = f"{about.group} {about.name}" + ("" if head is None or not heads else f" H{head}")
    key = "effects.estimate_of" if picture.is_estimate(row) and head is not None and heads else "effects.effect_of"
    with np.errstate(over="ignore"):
        factor = number(float(f"{np.exp(value):.3g}"))
    change = f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")
    told = words(key, off=off, word=picture.word, value=change, factor=factor, tap=about.tap)
    return told + told_origin(picture.caption, words)


def _effect_map_tables(picture: EffectMap) -> Iterator[Table]:
    """The effects of heads, and those of all that a row stands for. Rows have the names of their taps."""
    if picture.pending:
        return
    rows = Axis("tap", tuple(row.tap for row in picture.rows))
    name = table_name(picture.caption, computed=True)
    n_heads = picture.values.shape[1]
    yield Table(f"{name}.heads", picture.values, rows, Axis("head", tuple(map(str, range(n_heads)))))
    yield Table(f"{name}.whole", picture.whole[:, None], rows, Axis("effect", (picture.word,)))


def _effect_map_described(picture: EffectMap, words: Words) -> str:
    return f"{picture.caption.title}: {picture.word}. {picture.told}".strip()


EFFECT_MAP = Kind(draw_effect_map, _effect_map_tables, _effect_map_described)
