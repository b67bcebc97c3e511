"""A Trace in at most ten lines, for a terminal or a notebook: each line begins with the name under which Python has it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from explorer.trace.patterns import is_pattern, taps_of, with_patterns
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import RecordedPass

if TYPE_CHECKING:
    from explorer.tokens.token import Token

_LONGEST = 60  # characters of a text, and of a row of tokens


def told(trace: RecordedPass) -> str:
    """The Trace in words: texts, tokens, model, taps, and what was changed or found in extra passes."""
    texts = f"<Trace {_cut(trace.source)!r} → {_cut(trace.target)!r}"
    return printed("\n".join((texts, *_lines(trace))) + ">")


def _lines(trace: RecordedPass) -> Iterator[str]:
    for side, tokens in (("source", trace.tokens.source), ("target", trace.tokens.target)):
        if tokens:
            yield f"  .tokens.{side}  {len(tokens)}: {_row(tokens)}"
    card = trace.card
    sides = ", ".join(f"{side.name} {side.n_layers} × {side.n_heads}" for side in card.sides)
    weights = "trained" if trace.trained else "random weights"
    yield f"  .card           {_cut(card.name)}: {sides}, d_model {card.d_model}, {trace.parameters:,} parameters, {weights}"
    yield f"  .names()        {len(trace)} taps{_sample(trace)}"
    if trace.changes:
        yield f"  .changes        {len(trace.changes)}"
    if trace.experiments:
        yield f"  .experiments    {_cut(', '.join(trace.experiments))}"
    if trace.recorded_by:
        yield f"  .recorded_by    {_cut(trace.recorded_by)}"


def _row(tokens: "tuple[Token, ...]") -> str:
    return _cut(" / ".join(token.text for token in tokens))


def _sample(trace: RecordedPass) -> str:
    """One name that can be copied, with the shape of what it gives."""
    stars = [name for name in with_patterns(trace.axis_names) if is_pattern(name)]
    name = next((each for each in stars if each.endswith(".weights")), stars[0] if stars else next(iter(trace), ""))
    if not name:
        return ""
    taps = taps_of(name, trace) if is_pattern(name) else ()
    axes = (*(("layer",) if taps else ()), *trace.axes(taps[0] if taps else name))
    return f', as trace["{name}"] [{", ".join(axes)}]'


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
