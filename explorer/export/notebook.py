"""Figures and pages of a Trace in a notebook, and to files from Python."""

from html import escape
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import UnknownTap
from explorer.export import formats
from explorer.export.choice import Choice, together
from explorer.export.job import Export
from explorer.export.web.page import page
from explorer.export.web.whole import opening_look, pictures_of
from explorer.knobs import Knob
from explorer.lang import LANGUAGES, Words, system_language
from explorer.picture.figure.print import Print
from explorer.picture.figure.svg import render
from explorer.picture.makers.over_prompts import interval_of_prompts, mean_of_prompts, prompt_maps, told_kind
from explorer.picture.makers.river import river
from explorer.picture.picture import Picture, captioned, marked
from explorer.picture.theme import THEMES, Theme
from explorer.state.look import Look
from explorer.trace.found.effects import Effects
from explorer.trace.found.over_prompts import OverPrompts, effects_of_one, of_one_pair
from explorer.trace.found.patching import Patching
from explorer.trace.patterns import is_pattern, taps_of
from explorer.trace.trace import Trace

_THEME = Knob(name="theme", kind="choice", default="light", group="figure", applies="draw", choices=tuple(THEMES))
_LANGUAGE = Knob(name="language", kind="choice", default="en", group="figure", applies="draw", choices=LANGUAGES)
_HIGH_PX = 880  # px, the height of a page's frame at most; a longer page scrolls
_MARGIN_PX = 16  # px below a shorter page; a notebook that runs no scripts keeps the whole height


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Figure:
    """A `picture` of a `trace`, which a notebook shows with its values under the mouse.

    `choice` names the recorded tensors that it shows; None for the river.
    """

    trace: Trace
    picture: Picture
    choice: Choice | None
    look: Look
    words: Words
    theme: Theme

    def __repr__(self) -> str:
        caption = self.picture.caption
        return f"<Figure {caption.title} · {caption.tap} {caption.shape}>"

    def svg(self) -> str:
        """The figure as an SVG element."""
        return render(self.picture, self.words, self.theme)

    def _repr_html_(self) -> str:
        return _frame(page([self.picture], self.trace, self.words))

    def save(
        self,
        path: str | Path,
        *,
        dpi: float = 192.0,
        width_px: int | None = None,
        width_mm: float | None = None,
        font_pt: float | None = None,
        caption: str | None = None,
        outlines: bool = False,
    ) -> None:
        """Write the figure, or its numbers, to a file whose suffix says the format; a JSON file beside it says what it shows.

        `dpi` (dots per inch) or `width_px` is the size of a PNG. With `width_mm`, `font_pt` or `caption` the figure is set for
        print: exactly so wide (88 mm unless it is said), with labels of so many points (8), and with a caption below it, which
        is the picture's title unless it is said; "" for none. `outlines` writes all letters as paths.

        Raises UnknownFormat, CannotWrite, NotEnoughMemory, TooNarrow, KnobOutOfRange.
        """
        file = Path(path)
        sizes = {"width_mm": width_mm, "font_pt": font_pt}
        told: dict[str, Any] = {name: value for name, value in sizes.items() if value is not None}
        told |= {} if caption is None else {"caption": caption}
        job = Export(
            trace=self.trace,
            out=file,
            format=formats.named(file.name),
            words=self.words,
            choice=self.choice,
            picture=self.picture if self.choice is None else None,
            look=self.look,
            theme=self.theme,
            dpi=dpi,
            width_px=width_px,
            printed=Print(**told) if told else None,
            outlines=outlines,
        )
        for _step in job.run():
            pass


def figure(trace: Trace, tap: str, head: int | None, theme: str, language: str | None) -> Figure:
    """The figure of a tap; see `Trace.figure`. Raises UnknownTap, UnknownHead, NotKept, KnobNotAChoice."""
    colours = THEMES[str(_THEME.check(theme))]
    words = spoken(language)
    look = attrs.evolve(opening_look(trace), signed_colours=colours.signed_colours)
    choice = None if not tap else _chosen(trace, tap, head)
    return Figure(trace=trace, picture=_drawn(trace, choice, look, words), choice=choice, look=look, words=words, theme=colours)


def widget(trace: Trace, tap: str, head: int | None, language: str | None) -> Any:
    """The widget of a tap; see `Trace.widget`. Raises UnknownTap, UnknownHead, NotKept, KnobNotAChoice, ExtraMissing."""
    from explorer.export.web import widget as web_widget

    words, choice = spoken(language), None if not tap else _chosen(trace, tap, head)
    return web_widget.widget(opening_look(trace), words, lambda look: _drawn(trace, choice, look, words))


def _drawn(trace: Trace, choice: Choice | None, look: Look, words: Words) -> Picture:
    return marked(river(trace, look, words), trace) if choice is None else together(trace, choice, look, words)


def spoken(language: str | None) -> Words:
    """The texts of "zh" or "en", or of the system's language for None. Raises KnobNotAChoice."""
    return Words.load(system_language() if language is None else str(_LANGUAGE.check(language)))


def _chosen(trace: Trace, tap: str, head: int | None) -> Choice:
    """The Choice that a name means: with a star all layers. Raises UnknownTap."""
    taps = taps_of(tap, trace) if is_pattern(tap) else ()
    if taps:
        return Choice(taps[0], head, None)
    if tap not in trace:
        trace[tap]  # raises the error that names the nearest tap
        raise UnknownTap(name=tap, nearest="")
    return Choice(tap, head)


def framed(trace: Trace) -> str:
    """The page of a whole pass in a frame of its own, so that its style and script stay apart from the notebook's."""
    words = Words.load(system_language())
    return _frame(page(pictures_of(trace, opening_look(trace), words), trace, words))


def results(found: OverPrompts | Patching | Effects) -> str:
    """The first map of a result over prompts, its mean and interval, or all maps of patching one text, as SVG elements.

    Of the effects on one text the map has those on the sum of all its words' log p.
    """
    shown, words, theme = _over_prompts(found), spoken(None), THEMES["light"]
    if shown is None:
        return ""
    laid = {kind: prompt_maps(shown, kind, words, theme) for kind, own in shown.maps.items() if own.values.size}
    if isinstance(found, Patching | Effects):
        made = [captioned(mean_of_prompts(each, words), title=told_kind(kind, words)) for kind, each in laid.items()]
    else:
        first = list(laid.values())[:1]
        made = [mean_of_prompts(each, words) for each in first]
        made += [interval_of_prompts(each, words) for each in first if len(shown.prompts) > 1]
    return "".join(render(picture, words, theme) for picture in made)


def _over_prompts(found: OverPrompts | Patching | Effects) -> OverPrompts | None:
    if isinstance(found, Effects):
        return effects_of_one(found)
    return of_one_pair(found) if isinstance(found, Patching) else found


def _frame(document: str) -> str:
    fit = f"this.style.height=Math.min({_HIGH_PX},this.contentDocument.body.scrollHeight+{_MARGIN_PX})+'px'"
    style = f"width:100%;height:{_HIGH_PX}px;border:0"
    return f'<iframe srcdoc="{escape(document)}" style="{style}" onload="{fit}"></iframe>'
