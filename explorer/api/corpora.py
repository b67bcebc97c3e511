"""Many sentences: the effect of changes on their translations, and metrics of every head."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.asking import as_text, request_of
from explorer.api.lending import alone
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from typing import Unpack

    from explorer.config import KnobValues
    from explorer.trace.changes import Change
    from explorer.trace.found.consequences import Breaks
    from explorer.trace.measures.scan_table import ScanTable


def breaks(
    changes: "Iterable[Change]" = (),
    sentences: "Iterable[str] | None" = None,
    preset: str | Path = DEFAULT,
    *,
    beam: int = 1,
    most: int = 300,
    **knobs: "Unpack[KnobValues]",
) -> "Breaks":
    """What changes, or knobs such as position="none", do to the translations of many sentences, and which they break most.

    `sentences` None takes at most `most` of the bundled validation rows, on which nothing was trained. The result holds the
    share of translations that changed and, in `.kept`, the sentences whose new translation the changed model finds probable and
    the unchanged model most improbable; see Breaks. A `beam` of 1 is greedy. Raises explorer.errors.ExplorerError for anything
    a caller can correct, such as NothingChanged and WritesNothing.
    """
    from explorer.config import BEAM
    from explorer.state.held_out import held_out

    request = request_of("", None, preset, True, changes, knobs).wishing(beam=int(BEAM.check(beam)))
    given = held_out(most, english=request.wish.reads_english) if sentences is None else map(as_text, sentences)
    tried = tuple(given)[:most]
    with alone() as computer:
        return computer.pieces.breaks(request.wish, tried)


def scan(
    source: "str | Path | Iterable[str]",
    measures: Iterable[str] = ("entropy", "previous", "first", "induction", "alignment", "probability"),
    out: str | Path | None = None,
    *,
    column: str = "",
    preset: str | Path = DEFAULT,
    best: int = 10,
    workers: int = 1,
    ray: str | None = None,
    resume: bool = False,
    trained: bool = True,
    **knobs: Any,
) -> "ScanTable":
    """Measure every head on many sentences: for each metric the mean, deviation, histogram, and the `best` sentences.

    `source` is a file of lines (.txt), TSV, JSONL or Parquet, or the sentences themselves; `column` is the number of a TSV's
    column (empty: its last one) or a column's name. `measures` are those of `Trace.measures`, "alignment" and "probability".
    `workers` processes measure at once, and the numbers are the same to the bit. They are spawned, so a script that asks for
    several must keep its own work under `if __name__ == "__main__"`. `ray` is the address of a Ray cluster that measures
    instead.

    With `out` the table is also written, as .parquet or .json; a file beside it holds the progress, and `resume` continues from
    there, however the process ended. Raises explorer.errors.ExplorerError for anything a caller can correct.
    """
    from explorer.scanning.run import scanned

    request = request_of("", None, preset, trained, (), knobs)
    return scanned(request.wish, source, measures, out, column, best, workers, ray, resume)
