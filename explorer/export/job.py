"""One export, for the window and the command line alike: pictures or numbers of a Trace to a file or a folder.

A generator of steps, so that a caller can show progress and stop between two files. Beside each export stands a JSON
that says what it is made from.
"""

import json
import platform
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs

from explorer.errors import UnknownFormat
from explorer.export.choice import Choice, single, together
from explorer.export.numbers import selection, write_csv, write_npz, write_safetensors
from explorer.export.tables import Table, has_tables, tables
from explorer.files import make_folder, replacing
from explorer.lang import Words
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Picture
from explorer.picture.look import Look
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.remake_heads import can_be_remade, remade
from explorer.trace.trace import Trace
from explorer.version import __version__

_WRITERS = 3  # on two cores one of them waits for the disk
FIGURES = ("png", "svg", "pdf")
NUMBERS = ("csv", "npz", "safetensors")
FORMATS = FIGURES + NUMBERS


@attrs.frozen(kw_only=True)
class Export:
    """What to write where. `choice` None: all taps (numbers only). `picture` is used as it is where given.

    A picture's numbers are those that it shows. `out` is a folder if `one_each`, else a file. `dpi` and `width_px` are for PNG.
    """

    trace: Trace
    out: Path
    format: str
    words: Words
    choice: Choice | None = None
    picture: Picture | None = None
    one_each: bool = False
    look: Look = attrs.field(factory=Look)
    theme: Theme = LIGHT
    dpi: float = 192.0
    width_px: int | None = None

    def run(self) -> Iterator[tuple[int, int]]:
        """Write the files, one a step; yields (how many are written, of how many). Raises ExplorerError."""
        possible = NUMBERS if self.choice is None and self.picture is None else FORMATS  # no figure holds all taps
        if self.picture is not None and not has_tables(self.picture):
            possible = FIGURES
        if self.format not in possible:
            raise UnknownFormat(name=self.format, known=", ".join(possible))
        taps = self._taps()
        todo = self._pieces(taps) if self.one_each else [("", None)]
        make_folder(self.out if self.one_each else self.out.absolute().parent)
        files: list[Path] = []
        # Compressing a figure takes longer than drawing it, and can be done beside it.
        with ThreadPoolExecutor(_WRITERS) as pool:
            writing: deque[Future[None]] = deque()
            for tap, head in todo:
                while writing and (len(writing) > _WRITERS or writing[0].done()):
                    writing.popleft().result()
                yield len(files) - len(writing), len(todo)
                path, job = self._write(tap, head, taps)
                files.append(path)
                if job is not None:
                    writing.append(pool.submit(job))
            for each in writing:
                each.result()
        self._write_about(taps, files)
        yield len(todo), len(todo)

    def _taps(self) -> tuple[str, ...]:
        if self.choice is not None:
            return self.choice.taps(self.trace)
        return tuple(self.trace.arrays) if self.picture is None else (self.picture.caption.tap,)

    def _pieces(self, taps: tuple[str, ...]) -> list[tuple[str, int | None]]:
        heads = self.choice.heads(self.trace) if self.choice is not None else (None,)
        return [(tap, head) for tap in taps for head in heads]

    def _write(self, tap: str, head: int | None, taps: tuple[str, ...]) -> tuple[Path, Callable[[], None] | None]:
        """The file, and what is still to be done for it, on whatever thread."""
        if self.one_each:
            stem = tap if head is None else f"{tap}.head{head}"
            path = self.out / f"{stem}.{self.format}"
        else:
            path, head = self.out, self.choice.head if self.choice is not None else None
        if self.format in NUMBERS:
            self._write_numbers(path, self._tables(tap, taps, head))
            return path, None
        return path, self._write_figure(path, self._figure(tap, head))

    def _figure(self, tap: str, head: int | None) -> Picture:
        if tap:
            return single(_with_head(self.trace, tap, head), tap, head, self.look, self.words)
        if self.picture is not None:
            return self.picture
        assert self.choice is not None  # for the type checker: `run` has seen to it
        return together(self.trace, self.choice, self.look, self.words)

    def _write_figure(self, path: Path, picture: Picture) -> Callable[[], None] | None:
        svg = render(picture, self.words, self.theme)
        if self.format == "svg":
            with replacing(path) as unfinished:
                unfinished.write_text(svg, encoding="utf-8")
            return None
        from explorer.export import raster  # the command line needs Qt only for these

        raster.ensure_application()
        if self.format == "png":
            return raster.png_job(svg, path, self.dpi, self.width_px)
        raster.write_pdf(svg, path)
        return None

    def _tables(self, tap: str, taps: tuple[str, ...], head: int | None) -> tuple[Table, ...]:
        """What is to be written: the numbers that the picture shows, or the recorded tensors that were chosen."""
        if self.picture is not None and not tap:
            return tables(self.picture)
        return selection(self.trace, (tap,) if tap else taps, head, self.words)

    def _write_numbers(self, path: Path, found: tuple[Table, ...]) -> None:
        write = {"csv": write_csv, "npz": write_npz, "safetensors": write_safetensors}[self.format]
        write(path, found)

    def _head(self) -> int | str | None:
        if self.choice is None:
            return getattr(self.picture, "head", None)
        if self.choice.heads(self.trace) == (None,):
            return None
        return "all" if self.choice.head is None else self.choice.head

    def _write_about(self, taps: tuple[str, ...], files: list[Path]) -> None:
        trace = self.trace
        about = {
            **_state(trace),
            "beside": None if trace.compared_with is None else _state(trace.compared_with),  # what this state is compared with
            "tap": taps[0] if len(taps) == 1 else list(taps),
            "head": self._head(),
            "picture": None if self.picture is None else self.picture.caption.title,
            "origin": "recorded" if self.picture is None else self.picture.caption.origin,
            "shapes": {tap: list(trace.shape(tap)) for tap in taps if tap in trace},
            "format": self.format,
            "files": [path.name for path in files],
            "versions": versions(),
        }
        name = f"{taps[0]}.{self.format}" if self.one_each else self.out.name
        folder = self.out if self.one_each else self.out.absolute().parent
        with replacing(folder / f"{name}.json") as unfinished:
            # A path may hold what UTF-8 cannot; a backslash escape is JSON again.
            unfinished.write_bytes((json.dumps(about, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace"))


def _state(trace: Trace) -> dict[str, Any]:
    """Everything that decided the numbers of a pass."""
    return {
        "source": trace.source,
        "target": trace.target,
        "preset": trace.preset,
        "trained": trace.trained,
        "tokens": {
            side: [token.text for token in tokens]
            for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target))
        },
        "config": trace.config.values(),
    }


def _with_head(trace: Trace, tap: str, head: int | None) -> Trace:
    """The Trace with the map of one head made again, where a long text left no room for it."""
    kept = trace.map(tap)
    if head is None or not kept.has_heads or kept.head(head) is not None or not can_be_remade(trace, tap):
        return trace
    made = kept.with_close_ups({head: kept.levels_of(remade(trace, tap, head))})
    return attrs.evolve(trace, maps={**trace.maps, tap: made})


def versions() -> dict[str, str]:
    """What made the numbers."""
    found = {"transformer-explorer": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in ("torch", "numpy", "jieba")}
