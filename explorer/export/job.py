"""One export, for the window and the command line: pictures or numbers of a Trace to a file or a folder.

An export runs as a generator of steps, so a caller can show progress and stop between two files. Each export writes a JSON
file beside it that says what it was made from.
"""

import json
import platform
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs

from explorer.export.choice import Choice, single, together
from explorer.export.formats import FILMS, SCRIPTS, Format, Pixels, find, formats_of
from explorer.export.numbers import selection
from explorer.export.web.whole import pictures_of
from explorer.files import make_folder, replacing
from explorer.lang import Words
from explorer.picture.figure.kinds import has_tables, kind_of, tables
from explorer.picture.figure.outlines import outlined
from explorer.picture.figure.plate import letter, render_print
from explorer.picture.figure.print import ON_SCREEN, Print
from explorer.picture.figure.svg import SVG_DPI, render
from explorer.picture.kinds import Picture
from explorer.picture.layout.arranged import Arranged, pictures_in
from explorer.picture.tables import Table
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look
from explorer.trace.found.findings import Unchanged
from explorer.trace.found.patching import Patching
from explorer.trace.found.steering import Steering
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.remake_heads import can_be_remade, remade
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace
from explorer.version import __version__

_WRITERS = 3  # threads, of which one usually waits for the disk


@attrs.frozen(kw_only=True)
class Export:
    """What to write, in which format, and where.

    A `picture` is exported with the numbers that it shows; with `film`, a moving one is exported as it plays. Without a
    picture, `choice` names the taps; None means all taps, as numbers, or the whole pass as a page. With `script`, it is a
    program that repeats the pass; its weights are written already. `format` is a format's name. `out` is a folder if
    `one_each`, or if the format is a folder of files, otherwise a file. `dpi` and `width_px` are for formats that have pixels.

    `several` pictures become one figure. A figure has its own size, or that of `printed`; several always have one. With
    `outlines`, letters are written as paths.
    """

    trace: Trace
    out: Path
    format: str
    words: Words
    choice: Choice | None = None
    picture: Picture | None = None
    several: Arranged | None = None
    film: bool = False
    script: ScriptParts | None = None
    one_each: bool = False
    look: Look = attrs.field(factory=Look)
    theme: Theme = LIGHT
    dpi: float = 192.0
    width_px: int | None = None
    printed: Print | None = None
    outlines: bool = False

    def possible(self) -> tuple[Format, ...]:
        """The formats that can hold this export: of all taps numbers or a page, and not every picture has tables."""
        if self.film:
            return FILMS
        if self.script is not None:
            return SCRIPTS
        if self.several is not None:
            return formats_of(figure=True, numbers=False)
        is_everything = self.choice is None and self.picture is None
        numbers = self.picture is None or has_tables(self.picture)
        return formats_of(figure=not is_everything, numbers=numbers, page=is_everything)

    def run(self) -> Iterator[tuple[int, int]]:
        """Write the files, one at each step; yields (files written, files in all). Raises ExplorerError."""
        format_ = find(self.format, self.possible())
        if format_.run is not None:
            yield from self._play(format_)
            return
        taps = self._taps()
        todo = self._pieces(taps) if self.one_each else [("", None)]
        make_folder(self.out if self.one_each else self.out.absolute().parent)
        files: list[Path] = []
        # Other threads draw and compress a figure, nine tenths of the work, while this one prepares the next.
        with ThreadPoolExecutor(_WRITERS) as pool:
            writing: deque[Future[None]] = deque()
            for tap, head in todo:
                while writing and (len(writing) > _WRITERS or writing[0].done()):
                    writing.popleft().result()
                yield len(files) - len(writing), len(todo)
                path, job = self._write(format_, tap, head, taps)
                files.append(path)
                if job is not None:
                    writing.append(pool.submit(job))
            for each in writing:
                each.result()
        self._write_about(taps, files)
        yield len(todo), len(todo)

    def _play(self, format_: Format) -> Iterator[tuple[int, int]]:
        """Write the film of the picture, one frame at each step."""
        assert self.picture is not None and format_.run is not None  # `possible` offers films of pictures that move.
        shoot = kind_of(self.picture).film
        assert shoot is not None
        film = shoot(self.picture, self.words, self.theme)
        make_folder(self.out if format_.in_folder else self.out.absolute().parent)
        files: list[Path] = []
        yield 0, len(film)
        for done, finished in enumerate(format_.run(film, self.out, Pixels(self.dpi, self.width_px)), start=1):
            files += finished
            if done < len(film):
                yield done, len(film)
        self._write_about(self._taps(), files)
        yield len(film), len(film)

    def _taps(self) -> tuple[str, ...]:
        if self.several is not None:
            return tuple(dict.fromkeys(each.caption.tap for each in pictures_in(self.several)))
        if self.choice is not None:
            return self.choice.taps(self.trace)
        return tuple(self.trace.arrays) if self.picture is None else (self.picture.caption.tap,)

    def _pieces(self, taps: tuple[str, ...]) -> list[tuple[str, int | None]]:
        heads = self.choice.heads(self.trace) if self.choice is not None else (None,)
        return [(tap, head) for tap in taps for head in heads]

    def _write(
        self, format_: Format, tap: str, head: int | None, taps: tuple[str, ...]
    ) -> tuple[Path, Callable[[], None] | None]:
        """Begin one file; returns its path and the rest of the work, for any thread."""
        if self.one_each:
            stem = tap if head is None else f"{tap}.head{head}"
            path = self.out / f"{stem}.{self.format}"
        else:
            path, head = self.out, self.choice.head if self.choice is not None else None
        if format_.repeat is not None:
            assert self.script is not None  # `possible` offers programs where there is one.
            format_.repeat(self.trace, self.script, path, self.words)
            return path, None
        if format_.page is not None:
            format_.page(self._on_page(tap, head), self.trace, path, self.words)
            return path, None
        if format_.draw is not None:
            svg = self._svg(tap, head, with_fonts=format_.has_fonts)
            return path, format_.draw(svg, path, Pixels(self.dpi, self.width_px))
        assert format_.write is not None  # A format has one of these.
        format_.write(path, self._tables(tap, taps, head))
        return path, None

    @property
    def set_for(self) -> Print | None:
        """The Print of the figure, None for a figure with a size of its own."""
        return self.printed or (None if self.several is None else ON_SCREEN)

    def dots_per_inch(self, wide: float) -> float:
        """The resolution of a figure that is so `wide` (px of 1/96 inch): as asked for where the format has pixels, else 96."""
        if not find(self.format, self.possible()).has_pixels:
            return SVG_DPI
        return self.width_px / wide * SVG_DPI if self.width_px else self.dpi

    def preview(self) -> str:
        """The SVG of the figure, with letters as text; of several files that of the first one. Raises ExplorerError."""
        tap, head = self._pieces(self._taps())[0] if self.one_each else ("", None)
        with_fonts = find(self.format, self.possible()).has_fonts
        return attrs.evolve(self, outlines=False)._svg(tap, head, with_fonts=with_fonts)

    def _svg(self, tap: str, head: int | None, *, with_fonts: bool) -> str:
        shown = self._figure(tap, head) if self.several is None else self.several
        if self.set_for is not None:
            svg = render_print(shown, self.set_for, self.words, self.theme, with_fonts=with_fonts)
        else:
            svg = render(self._figure(tap, head), self.words, self.theme, with_fonts=with_fonts)
        return outlined(svg) if self.outlines else svg

    def _on_page(self, tap: str, head: int | None) -> tuple[Picture, ...]:
        if self.several is not None:
            return pictures_in(self.several)
        if tap or self.picture is not None or self.choice is not None:
            return (self._figure(tap, head),)
        return pictures_of(self.trace, self.look, self.words)

    def _figure(self, tap: str, head: int | None) -> Picture:
        if tap:
            return single(_with_head(self.trace, tap, head), tap, head, self.look, self.words)
        if self.picture is not None:
            return self.picture
        assert self.choice is not None  # `run` offers no figure of all taps.
        return together(self.trace, self.choice, self.look, self.words)

    def _tables(self, tap: str, taps: tuple[str, ...], head: int | None) -> tuple[Table, ...]:
        """The tables to write: the numbers that the picture shows, or the chosen recorded tensors."""
        if self.picture is not None and not tap:
            return tables(self.picture)
        return selection(self.trace, (tap,) if tap else taps, head, self.words)

    def _beside(self) -> tuple[Path, ...]:
        """The weights that stand beside a program."""
        return () if self.script is None or self.script.weights is None else (self.script.weights,)

    def _head(self) -> int | str | None:
        if self.choice is None:
            return None if self.picture is None else self.picture.head
        if self.choice.heads(self.trace) == (None,):
            return None
        return "all" if self.choice.head is None else self.choice.head

    def _write_about(self, taps: tuple[str, ...], files: list[Path]) -> None:
        trace = self.trace
        about = {
            **state_of(trace),
            "beside": None if trace.compared_with is None else state_of(trace.compared_with),  # the state it is compared with
            "unchanged": _unchanged(trace),
            "other_sentences": _other_sentences(trace),
            "tap": taps[0] if len(taps) == 1 else list(taps),
            "head": self._head(),
            "picture": None if self.picture is None else self.picture.caption.title,  # None, too, where there are `pictures`
            "note": "" if self.picture is None else self.picture.caption.note,
            "part": None if self.picture is None else self.picture.caption.shape,
            "without": [] if self.picture is None else list(self.picture.caption.without),
            "origin": None if self.several is not None else "recorded" if self.picture is None else self.picture.caption.origin,
            "shapes": {tap: list(trace.shape(tap)) for tap in taps if tap in trace},
            "format": self.format,
            **self._about_print(),
            "files": [path.name for path in (*files, *self._beside())],
            "versions": versions(trace),
        }
        name = f"{taps[0]}.{self.format}" if self.one_each else self.out.name
        folder = self.out if self.one_each else self.out.absolute().parent
        with replacing(folder / f"{name}.json") as unfinished:
            # A path may hold bytes that are no UTF-8. A backslash escape for them is valid JSON.
            unfinished.write_bytes((json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace"))

    def _about_print(self) -> dict[str, Any]:
        """How a figure is set, and each of several pictures by its letter, as JSON values."""
        format_ = find(self.format, self.possible())
        if format_.draw is None:
            return {}
        printed = self.set_for
        about: dict[str, Any] = {"print": None if printed is None else attrs.asdict(printed), "text_as_paths": self.outlines}
        if self.several is not None:
            about["pictures"] = [
                {
                    "letter": letter(place) if printed is not None and printed.letters else "",
                    "title": each.caption.title,
                    "tap": each.caption.tap,
                    "head": each.head,
                    "note": each.caption.note,
                    "part": each.caption.shape,
                    "origin": each.caption.origin,
                    "without": list(each.caption.without),
                }
                for place, each in enumerate(pictures_in(self.several))
            ]
        return about


def state_of(trace: RecordedPass) -> dict[str, Any]:
    """Everything that determines the numbers of a pass, as JSON values."""
    return {
        "source": trace.source,
        "target": trace.target,
        "preset": trace.preset,
        "trained": trace.trained,
        "tokens": {
            side: [token.text for token in tokens]
            for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target))
        },
        "model": trace.card.values(),
        "config": None if trace.config is None else trace.config.values(),
        "changes": [change.to_dict() for change in trace.changes],
        "recorded_by": trace.recorded_by,
    }


def _unchanged(trace: Trace) -> dict[str, Any] | None:
    """The state without the changes, for pictures of before and after; None if no such pass was made."""
    found = trace.experiments.get("unchanged")
    return state_of(found.trace) if isinstance(found, Unchanged) else None


def _other_sentences(trace: Trace) -> dict[str, Any]:
    """The sentences that activations were patched from and that a steering vector was made of, if there are any."""
    patching, steering = (trace.experiments.get(name) for name in ("patching", "steering"))
    found: dict[str, Any] = {}
    if isinstance(patching, Patching):
        found["patching"] = patching.other_text
    if isinstance(steering, Steering):
        found |= {"toward": list(steering.toward), "away": list(steering.away)}
    return found


def _with_head(trace: Trace, tap: str, head: int | None) -> Trace:
    """The Trace with one head's map computed again, if that map of a long text was not kept."""
    kept = trace.map(tap)
    if head is None or not kept.has_heads or kept.head(head) is not None or not can_be_remade(trace, tap):
        return trace
    made = kept.with_close_ups({head: kept.levels_of(remade(trace, tap, head))})
    return attrs.evolve(trace, maps={**trace.maps, tap: made})


def versions(trace: Trace) -> dict[str, str]:
    """The versions of the program and of the libraries that computed a Trace, as far as this program computed it."""
    found = {"transformer-explorer": __version__, "python": platform.python_version()}
    if trace.recorded_by:
        return found | {"numpy": _version("numpy")}
    opened = ("transformers", "tokenizers") if trace.config is None else ()  # They compute only foreign models.
    there = (name for name in opened if any(metadata.distributions(name=name)))  # A module of one's own needs neither.
    return found | {name: _version(name) for name in ("torch", "numpy", "jieba", *there)}


@cache
def _version(library: str) -> str:
    """The version of an installed library. Row "48 labelled maps to PNG": 2 of 18 ms a file."""
    return metadata.version(library)
