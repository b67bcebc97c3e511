"""A pass as a postcard, as a script, or in a window; tensors that somebody has already."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.asking import request_of
from explorer.api.lending import alone
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from explorer.config import KnobValues
    from explorer.export.showing import OpenWindow
    from explorer.trace.changes import Change
    from explorer.trace.found.over_prompts import OverPrompts
    from explorer.trace.found.patching import Patching
    from explorer.trace.many import Many
    from explorer.trace.trace import Trace


def postcard(
    text: str,
    out: str | Path,
    changes: "Iterable[Change]" = (),
    preset: str | Path = DEFAULT,
    *,
    theme: str = "light",
    language: str = "en",
    beam: int = 1,
    **knobs: "Unpack[KnobValues]",
) -> None:
    """Write a picture of a changed translation to send: sentence, change, before and after, 1200 × 630 px.

    The suffix of `out` names the format, such as .png or .svg; a JSON file beside it lists the changes. `theme` is "light" or
    "dark", `language` "zh" or "en". Raises explorer.errors.ExplorerError for anything a caller can correct, such as
    NothingChanged.
    """
    from explorer.config import BEAM
    from explorer.errors import NothingChanged
    from explorer.export.postcard import write_postcard
    from explorer.lang import Words
    from explorer.picture.theme import THEMES
    from explorer.state.tries import is_altered
    from explorer.trace.found.experiments import UNCHANGED

    request = request_of(text, None, preset, True, changes, knobs).wishing(beam=int(BEAM.check(beam)))
    if not is_altered(request.wish):
        raise NothingChanged
    with alone() as computer:
        trace = computer(request.asking(experiments=frozenset({UNCHANGED.key}))).trace
    write_postcard(trace, Path(out), Words.load(language), THEMES[theme])


def to_pytorch(
    text: str,
    out: str | Path | None = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    language: str | None = None,
    chat: bool = False,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> str:
    """The pass over `text` as a script of plain PyTorch without this package, whose `run()` returns every tensor by tap name.

    With `out` the script is also written to that file, with its weights beside it as safetensors. Without it the script reads
    the preset's own weights, or draws untrained ones from the seed. transformers computes a foreign model, from its own folder.
    `language` is that of the comments: "zh", "en" or None for the system's. The other arguments are those of `explore`. Raises
    explorer.errors.ExplorerError for anything a caller can correct, such as NoScriptForModel.
    """
    from explorer.engine.errands.script_parts import script_parts
    from explorer.export.notebook import spoken
    from explorer.export.script_file import weights_beside, written

    words = spoken(language)
    request = request_of(text, target, preset, trained, changes, knobs).wishing(chat=chat)
    file = None if out is None else Path(out)
    with alone() as computer:
        trace = computer(request).trace
        parts = script_parts(computer.sources, request.wish, None if file is None else weights_beside(file))
    return written(trace, parts, words, file)


def view(
    attentions: Any = None,
    tokens: "Iterable[str] | None" = None,
    *,
    source: "Iterable[str] | None" = None,
    encoder: Any = None,
    cross: Any = None,
    axes: "Mapping[str, str] | None" = None,
    name: str = "",
    window: bool | None = None,
) -> "Trace":
    """Look at tensors that you have already: in a notebook the Trace that comes back shows its page, else the window opens.

    `attentions` are the weights of self-attention, [batch 1, head, query, key] or without the batch, one tensor for each layer
    (None for a layer without): what transformers gives out as `attentions`. Of a model with both sides give those of the
    decoder, and `encoder` and `cross` likewise; `tokens` are then the target's, and `source` the source's. It may also be a
    mapping: a cache of TransformerLens, whose activations that are taps of ours are taken, or names of taps to tensors, such
    as those saved with nnsight; what is no tap needs its `axes`: {"attributions": "position feature"}.

    `name` is what the model is called. `window` True or False opens the window, or does not. Nothing is computed: what is shown
    are your numbers in float32. Raises explorer.errors.ExplorerError for what does not fit together.
    """
    from explorer.trace.files.held_tensors import held_trace
    from explorer.trace.trace import Trace

    trace = held_trace(attentions, Trace, encoder=encoder, cross=cross, tokens=tokens, source=source, axes=axes, name=name)
    if window if window is not None else not _in_notebook():
        show(trace)
    return trace


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this, which shows what comes back."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def show(trace: "Trace | OverPrompts | Patching | Many") -> "OpenWindow":
    """Open the window on a Trace in a process of its own, so that a notebook can continue.

    In place of a Trace it takes a result over prompts, of `ablate` and `patching` with a metric, the metrics of heads of
    `many`, or the result of `patching` two texts.

    `.close()` closes the window, `.wait()` waits until somebody closes it. It shows what the Trace holds, and nothing can be
    typed. Raises CannotWrite, NotKept for a Many without weights, SameAnswers for two texts with the same answers.
    """
    from explorer.errors import SameAnswers
    from explorer.export.showing import open_window
    from explorer.trace.found.over_prompts import of_one_pair
    from explorer.trace.found.patching import Patching
    from explorer.trace.many import Many

    shown = trace.over_prompts() if isinstance(trace, Many) else of_one_pair(trace) if isinstance(trace, Patching) else trace
    if shown is None:
        raise SameAnswers
    return open_window(shown)
