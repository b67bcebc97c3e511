"""A followed cell as a whole: the sheet of all six beats, and one beat at a moment."""

from explorer.lang import Words
from explorer.picture.follow_text import figure, note, sentence, term_sentence, title
from explorer.picture.followed import BEATS, Followed
from explorer.picture.layout import follow_scores, follow_weights
from explorer.picture.layout.follow_scene import Scene
from explorer.picture.layout.follow_time import Timetable, timetable
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect

_DRAWN = {
    "vectors": follow_scores.vectors,
    "products": follow_scores.products,
    "scaled": follow_scores.scaled,
    "masked": follow_weights.masked,
    "softmax": follow_weights.softmax,
    "mixed": follow_weights.mixed,
}
_PAD = 12.0
_TITLE, _SENTENCE, _LINE = 15.0, 12.0, 17.0
_BEAT_TITLE, _BEAT_SENTENCE, _BEAT_NOTE = 20.0, 16.0, 12.0
_SPOKEN_PX = 225.0  # Lower panels have no sentence: the picture needs the room, and the beat itself has the sentence.
_NARROW_PX, _NARROWEST_PX = 620.0, 360.0  # below these widths the sheet has two columns, and one
_WITH_ROWS = ("vectors", "mixed")  # beats that come to a row of numbers and not to a single one


def panels(area: Rect) -> list[Rect]:
    """Where the six beats stand on a sheet: three columns, or two or one where it is narrow."""
    columns = 3 if area.wide >= _NARROW_PX else 2 if area.wide >= _NARROWEST_PX else 1
    rows = len(BEATS) // columns
    wide, high = area.wide / columns, area.high / rows
    return [Rect(area.x + place % columns * wide, area.y + place // columns * high, wide, high) for place in range(len(BEATS))]


def sheet(sketch: Sketch, followed: Followed, words: Words, area: Rect) -> None:
    """All six beats at their end, with hairlines between them."""
    places = panels(area)
    texts = [_wrapped(sketch, sentence(followed, beat, words), place) for beat, place in zip(BEATS, places, strict=True)]
    if places[0].high < _SPOKEN_PX:
        texts = [[] for _ in texts]
    lines = max(map(len, texts))
    for place in places:
        if place.x > area.x + 1:
            sketch.line(place.x, place.y + _PAD, place.x, place.bottom - _PAD, sketch.theme.hairline)
        if place.y > area.y + 1:
            sketch.line(place.x + _PAD, place.y, place.right - _PAD, place.y, sketch.theme.hairline)
    for beat, place, told in zip(BEATS, places, texts, strict=True):
        _panel(sketch, followed, words, beat, place, told, lines)


def _wrapped(sketch: Sketch, text: str, place: Rect) -> list[str]:
    return sketch.lines(text, _SENTENCE, place.wide - 2 * _PAD)


def _panel(sketch: Sketch, followed: Followed, words: Words, beat: str, place: Rect, told: list[str], lines: int) -> None:
    """One beat of the sheet: title and number, sentence, picture. `lines` lines are left free for the sentence."""
    within, theme = place.inset(_PAD, 8, _PAD, 6), sketch.theme
    warns = beat_differs(followed, beat, words)
    number, faint = f"{'≠ ' if warns else ''}{figure(followed, beat, words)}", beat in _WITH_ROWS
    size = _SENTENCE if faint else _TITLE
    room = within.wide - sketch.measure(number, size, not faint) - 10
    name = sketch.fitting(title(followed, beat, words), _TITLE, room, bold=True)
    sketch.write(within.x, within.y + 16, name, _TITLE, bold=True)
    sketch.write(within.right, within.y + 16, number, size, theme.faint if faint else theme.accent, "end", bold=not faint)
    for number_, line in enumerate(told):
        sketch.write(within.x, within.y + 36 + _LINE * number_, line, _SENTENCE, theme.warning if warns else theme.faint)
    _DRAWN[beat](Scene(sketch, followed, words, within.inset(top=28 + _LINE * lines)))


def beat_differs(followed: Followed, beat: str, words: Words) -> bool:
    """Whether the beat's record is not what its formula gives."""
    return note(followed, beat, words) == words("follow.differs")


def beat_at(sketch: Sketch, followed: Followed, words: Words, area: Rect, time: float) -> None:
    """One beat at a time (seconds), as large as there is room."""
    table = timetable(followed)
    moment = table.at(time)
    within, theme = area.inset(_PAD + 4, 8, _PAD + 4, 6), sketch.theme
    sketch.write(within.x, within.y + 22, title(followed, moment.name, words), _BEAT_TITLE, bold=True)
    tap = taps_of(followed, moment.name)
    if sketch.measure(tap, _BEAT_NOTE, False) < within.wide * 0.6:
        sketch.write(within.right, within.y + 20, tap, _BEAT_NOTE, theme.faint, "end")
    told = spoken(followed, words, table, time)
    y = within.y + 50
    # Three lines are kept free at most, so that the picture stays where it is while sentences change.
    least = len(sketch.lines(sentence(followed, moment.name, words), _BEAT_SENTENCE, within.wide))
    for line in sketch.lines(told, _BEAT_SENTENCE, within.wide):
        sketch.write(within.x, y, line, _BEAT_SENTENCE)
        y += 22
    beside = note(followed, moment.name, words)
    y = within.y + 50 + 22 * least
    if beside:
        tint = theme.warning if beat_differs(followed, moment.name, words) else theme.faint
        sketch.write(within.x, y - 2, sketch.fitting(beside, _BEAT_NOTE, within.wide), _BEAT_NOTE, tint)
    body = within.inset(top=y + 12 - within.y, bottom=4)
    _DRAWN[moment.name](Scene(sketch, followed, words, body, moment.share, large=True))


def spoken(followed: Followed, words: Words, table: Timetable, time: float) -> str:
    """The sentence at a time: about the term that is being added, otherwise about the beat."""
    term = table.term(time)
    return sentence(followed, table.at(time).name, words) if term is None else term_sentence(followed, term, words)


def taps_of(followed: Followed, beat: str) -> str:
    """The taps that the beat shows, with their indices: "scores[6, 3, 2]"."""
    cell = followed.cell
    if beat == "vectors":
        return f"query[{cell.head}, {cell.query}, :] · key[{followed.kv_head}, {cell.key}, :]"
    if beat == "mixed":
        return f"value[{followed.kv_head}, :, :] · mixed[{cell.head}, {cell.query}, :]"
    stage = {"products": "scores", "softmax": "weights"}.get(beat, beat)
    return f"{stage}[{cell.head}, {cell.query}, {cell.key}]"
