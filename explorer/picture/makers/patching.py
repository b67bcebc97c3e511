"""Pictures of activation patching: how much of the other sentence's answer each patch restores, layer × token."""

from collections.abc import Callable, Iterator

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.makers.heatmaps import symbol
from explorer.picture.scales import Scale
from explorer.picture.sums import unmarked
from explorer.state.look import Look
from explorer.trace.found.patching import PatchedMap, PatchedStep, Patching
from explorer.trace.trace import Trace

_FORMULA = "(Δ<sub>patched</sub> − Δ<sub>A</sub>) ÷ (Δ<sub>B</sub> − Δ<sub>A</sub>)"
_LINES = 12


def found_patching(trace: Trace) -> Patching | None:
    """The result of patching; None while it is computed, and where nothing could be patched."""
    return finding(trace, "patching", Patching)


def why_not(trace: Trace, words: Words) -> str:
    """Why there is no map to show, in one sentence; "" where there is one, or while it is computed."""
    if not trace.whole:
        return words("picture.too_long")
    found = found_patching(trace)
    same = found is not None and found.first_step() is None
    return words("patching.same") if same else why_not_made(trace, words, "patching")


def chosen_step(found: Patching, look: Look) -> int | None:
    """The index of the chosen step if it can be measured, else of the first that can."""
    chosen = (n for n, step in enumerate(found.steps) if step.position == look.position and step.measurable)
    return next(chosen, found.first_step())


def step_label(step: PatchedStep) -> str:
    """Both words of a step: "She / I"."""
    return f"{unmarked(step.word[1])} / {unmarked(step.other_word[1])}"


def patched_map(side: str) -> Callable[[Trace, Look, Words], Heatmap | None]:
    """A maker of one side's map."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap | None:
        found = found_patching(trace)
        return None if found is None else _map(found, trace, side, look, words)

    return make


def _map(found: Patching, trace: Trace, side: str, look: Look, words: Words) -> Heatmap | None:
    made, n = found.map(side, look.patched if look.patched in found.kinds else found.kinds[0]), chosen_step(found, look)
    if made is None or n is None:
        return None
    step, heads = found.steps[n], made.recovered.ndim == 4
    head = min(look.head, made.recovered.shape[1] - 1) if heads else None
    values = (made.recovered if head is None else made.recovered[:, head])[..., n]  # [tap, position]
    closed = np.isnan(values)
    return Heatmap(
        values=values,
        rows=Axis(words("patching.layer"), tuple(tap_row(tap, words) for tap in made.taps), numbered=False),
        columns=_columns(found, trace, side, words),
        scale=Scale(-1.0, 1.0, look.signed_colours),
        closed=closed if closed.any() else None,
        reason=words("patching.alone"),
        closed_by=words("patching.not_patched"),
        taps=made.taps,
        head=head,
        caption=Caption(
            title=words(f"patching.map.{side}"),
            tap=made.taps[-1].replace(f".layers.{len(made.taps) - 1}.", ".layers.*."),
            name=f"patching.{side}",
            shape=f"[layer {values.shape[0]}, token {values.shape[1]}]",
            formula=_FORMULA,
            note=_note(step, trace, words),
            origin="beside",
            finding="patching",
        ),
    )


def _note(step: PatchedStep, trace: Trace, words: Words) -> str:
    word, other = unmarked(step.word[1]), unmarked(step.other_word[1])
    note = words("patching.note", word=word, other=other, gap=rough(step.gap), other_gap=rough(step.other_gap))
    return f"{note} {words('patching.other_unchanged')}" if trace.changes else note


def tap_row(tap: str, words: Words) -> str:
    """A layer's name in the map: "L2", with the attention where heads are patched; the input before the first layer."""
    parts = tap.split(".")
    if parts[1] == "embedding":
        return words("patching.input")
    kind = f"{words(f'attention_short.{parts[0]}.{parts[3]}')} " if parts[3].endswith("_attn") else ""
    return f"{kind}L{parts[2]}"


def _columns(found: Patching, trace: Trace, side: str, words: Words) -> Axis:
    """The tokens of A with B's where they differ: "her/me". A place of a translation is named after what it writes."""
    other = dict(found.pairs[side])
    if side == "decoder" and "encoder" in found.pairs and trace.card.classes is None:
        named = {step.position: step for step in found.steps}
        written = [symbol(trace, each) for each in trace.expected]  # what A writes where B has no such place
        following = written or [*(token.text for token in found.tokens[side][1:]), ""]
        labels = tuple(
            f"→{_both(named[n].word[1], named[n].other_word[1])}" if n in named else f"→{unmarked(each)}"
            for n, each in enumerate(following)
        )
        return Axis(words("axis.next_token"), labels, "target", shift=1)
    own, theirs = found.tokens[side], found.other_tokens[side]
    labels = tuple(_both(token.text, theirs[other[n]].text) if n in other else token.text for n, token in enumerate(own))
    return Axis(words("axis.position"), labels, "source" if side == "encoder" else "target")


def _both(own: str, other: str) -> str:
    own, other = unmarked(own), unmarked(other)
    return own if own == other else f"{own}/{other}"


def strongest_lines(found: Patching, words: Words) -> Iterator[str]:
    """For a terminal: each step at which the answers differ, and below it the patches that bring most of B's answer back."""
    if found.first_step() is None:
        yield words("patching.same")
    for n, step in enumerate(found.steps):
        if step.measurable:
            yield f"{step.position}  {step_label(step)}   Δ {rough(step.gap)} → {rough(step.other_gap)}"
            for value, tap, place in sorted(_patches(found, n), reverse=True)[:_LINES]:
                yield f"    {rough(value, 2):>6}  {tap:42} {place}"


def _patches(found: Patching, step: int) -> Iterator[tuple[float, str, str]]:
    for each in found.maps:
        for place, value in np.ndenumerate(each.recovered[..., step]):
            if np.isfinite(value):
                head = f" H{place[1]}" if len(place) == 3 else ""
                yield float(value), f"{each.taps[place[0]]}{head}", _place(found, each, place[-1])


def _place(found: Patching, patched: PatchedMap, place: int) -> str:
    other = dict(found.pairs[patched.side])[place]
    return _both(found.tokens[patched.side][place].text, found.other_tokens[patched.side][other].text)
