"""Two models, or two recorded passes, compared."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.asking import as_text
from explorer.api.lending import alone
from explorer.api.waiting import watched

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.comparison import ComparedSide
    from explorer.trace.found.difference import Difference
    from explorer.trace.trace import Trace

_TOLERANCE = 1e-5


def diff(
    a: "Trace | str | Path | nn.Module",
    b: "Trace | str | Path | nn.Module",
    text: str | None = None,
    *,
    target: str | None = None,
    tolerance: float = _TOLERANCE,
    base: str | Path | None = None,
) -> "Difference":
    """Where two models, or two recorded passes, differ; every difference is b − a.

    `a` and `b` are Traces, paths of recorded passes (.npz, .safetensors), presets, folders, GGUF files, or modules from
    `load_model`. The folder of a LoRA adapter means the other one's model with this adapter. Two adapters, or one beside a
    recorded pass or a module, are put on the model `base`, or on the one in the Hugging Face cache that their settings name.
    Models make a pass over `text`; beside a recorded pass a model reads the text of that. Without any text the weights and
    vocabularies alone are compared. `target` is as in `explore`.

        found = explorer.diff("path/to/gpt2", "path/to/adapter", "The capital of France is")
        found.agree, found.first.tap                    # the first tap at which they differ, in the order of computation
        found.to_pandas("heads")                        # the heads whose attention changed most first
        found.to_pandas("words")                        # Δ log p of each token (nats)
        found.to_pandas("weights")                      # ‖ΔW‖ (Frobenius) of each tensor, and relative to ‖W‖
        explorer.diff("one/adapter", "other/adapter", base="path/to/gpt2")      # in the same table ‖ΔW_A‖ and ‖ΔW_B‖

    They differ where a number is off by more than `tolerance` · max(1, |a|); see Difference. Raises
    explorer.errors.ExplorerError for anything a caller can correct.
    """
    asked, aim = (None if each is None else as_text(each) for each in (text, target))
    if _is_pass(a) and _is_pass(b) and asked is None and base is None:
        from explorer.trace.found.differing import difference_of

        return difference_of(a, b, tolerance=tolerance)  # type: ignore[arg-type]  # `_is_pass` has looked.
    from explorer.engine.comparison import compared  # torch takes a second to load, so the checks come first.

    sides = _sides(a, b, asked, aim, "" if base is None else str(base))
    with watched() as (stop, progress), alone() as computer:
        return compared(computer, sides, asked, target=aim, tolerance=tolerance, stop=stop, progress=progress)


def _is_pass(given: object) -> bool:
    from explorer.trace.trace import Trace

    return isinstance(given, Trace)


def _sides(a: Any, b: Any, text: str | None, target: str | None, base: str) -> "tuple[ComparedSide, ComparedSide]":
    """What is compared. Raises UnknownPreset, BadFile, NotLoaded, ExplorerError."""
    from explorer.engine.comparison import check_base, sides_named

    if all(isinstance(each, (str, Path)) for each in (a, b)):
        return sides_named(str(a), str(b), base)
    one, other = (_named(each, name, base) for each, name in ((a, "A"), (b, "B")))
    check_base(base, used=any(each is not None and each.base for each in (one, other)))
    recorded = next((each.trace for each in (one, other) if each is not None and each.trace is not None), None)
    read = (text, target) if recorded is None else (recorded.source or recorded.target, None)
    return one or _live(a, "A", *read), other or _live(b, "B", *read)


def _named(given: Any, name: str, base: str) -> "ComparedSide | None":
    """A recorded pass, or what a path or name means; None for a module."""
    from explorer.engine.comparison import ComparedSide, side_named

    if _is_pass(given):
        return ComparedSide(name, trace=given)
    return side_named(str(given), base) if isinstance(given, (str, Path)) else None


def _live(model: "nn.Module", name: str, text: str | None, target: str | None) -> "ComparedSide":
    """A live model, with its pass over a text. Raises NotLoaded, ExplorerError."""
    from explorer.api.live import live_card
    from explorer.api.passes import explore
    from explorer.engine.comparison import ComparedSide
    from explorer.engine.errands.weight_changes import Weighed

    held = Weighed(model, live_card(model))  # type: ignore[arg-type]  # `live_card` has looked.
    return ComparedSide(name, trace=None if text is None else explore(text, target, model=model), held=held)
