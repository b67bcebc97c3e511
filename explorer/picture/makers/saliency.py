"""Pictures of saliency [word, token], and the mean of the attention weights beside them."""

from collections.abc import Callable

import attrs
import numpy as np

from explorer.errors import bare
from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Closed, Heatmap
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import masked_values, token_axis
from explorer.picture.scales import Scale, unit_scale
from explorer.picture.sums import unmarked
from explorer.state.look import Look
from explorer.tokens.pieces import MARK
from explorer.trace.found.findings import NotMade
from explorer.trace.found.saliency import Saliency
from explorer.trace.trace import Trace

_FORMULAS = {
    "gradient": "x<sub>i</sub> · ∂ log p(w) / ∂x<sub>i</sub>",
    "integrated": "(x<sub>i</sub> − b<sub>i</sub>) · ∫ ∂ log p(w) / ∂x<sub>i</sub> dα",
}


def saliency_map(side: str) -> Callable[[Trace, Look, Words], Heatmap | None]:
    """A maker of one side's map, which raises LacksTap for a model that can have none."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap | None:
        refused, found = finding(trace, "saliency", NotMade), finding(trace, "saliency", Saliency)
        if refused is not None:
            raise bare(refused.error)
        if found is None or side not in found.tokens:
            return None
        head = trace.card.classes
        by_place = (head is None or head.of == "tokens") and side == "decoder" and f"{side}.self_attn" in trace.card.causal
        closed = _unwritten(found, side, look) if by_place else None
        made = _map(found, trace, side, look, words)
        return attrs.evolve(made, values=masked_values(made.values, closed), closed=closed)

    return make


def _map(found: Saliency, trace: Trace, side: str, look: Look, words: Words) -> Heatmap:
    values = found.values(look.saliency, side)
    labels = tuple(unmarked(token.text) for token in found.tokens[side])
    return Heatmap(
        values=values,
        rows=_word_axis(found, trace, words),
        columns=Axis(words("axis.position"), labels, "source" if side == "encoder" else "target"),
        scale=_scale(found, look),
        caption=Caption(
            title=words(f"saliency.map.{side}"),
            tap=f"{side}.embedding.output",
            name=f"saliency.{side}",
            shape=f"[word {values.shape[0]}, token {values.shape[1]}]",
            formula=_FORMULAS[look.saliency],
            note=_note(found, look, words),
            origin="beside",
            finding="saliency",
        ),
    )


def _unwritten(found: Saliency, side: str, look: Look) -> Closed | None:
    """[word, token] True where a token comes after the position that predicts the word: no path leads from there, so no number.

    A number that is not zero is always shown, because it would prove a path.
    """
    values = found.values(look.saliency, side)
    closed: Closed = np.triu(np.ones(values.shape, dtype=np.bool_), 1) & (values == 0)
    return closed if closed.any() else None


def _word_axis(found: Saliency, trace: Trace, words: Words) -> Axis:
    head = trace.card.classes
    if head is not None:
        side = "target" if "decoder" in found.tokens else "source"
        return Axis(words("axis.class"), found.words, side if head.of == "tokens" else "")
    labels = tuple(f"→{unmarked(word)}" for word in found.words)
    shift = 1 if "encoder" in found.tokens and "decoder" in found.tokens else 0
    return Axis(words("axis.next_token"), labels, "target" if "decoder" in found.tokens else "source", shift=shift)


def _scale(found: Saliency, look: Look) -> Scale:
    """One scale for both sides and both methods: a gradient that has vanished looks as small as it is."""
    values = np.concatenate([each.ravel() for each in (*found.integrated.values(), *found.gradient.values())])
    finite = np.abs(values[np.isfinite(values)])
    reach = float(finite.max(initial=0.0)) or 1.0
    return Scale(-reach, reach, look.signed_colours)


def _note(found: Saliency, look: Look, words: Words) -> str:
    """A sentence that this is an estimate, and for integrated gradients how far the parts miss their sum."""
    if look.saliency == "gradient":
        return words("saliency.note.gradient")
    errors = np.abs(found.errors)
    worst = int(errors.argmax())
    word = unmarked(found.words[worst])
    return words(
        "saliency.note.integrated",
        count=found.n_steps,
        mean=rough(float(errors.mean()), 2),
        most=rough(float(errors.max()), 2),
        word=word,
    )


def _plain(axis: Axis) -> Axis:
    """The axis without the mark of the space before a word, as the other maps of the page have it."""
    return attrs.evolve(axis, labels=tuple(label.replace(MARK, "") for label in axis.labels))


def attention_mean(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The mean of the weights of all layers and heads: of cross-attention, else of the model's self-attention."""
    if not trace.whole:
        return None
    attention = next((each for each in trace.card.attentions if each.endswith(".cross_attn")), trace.card.attentions[-1])
    side, _, kind = attention.partition(".")
    taps = [f"{side}.layers.{layer}.{kind}.weights" for layer in trace.card.attention_layers(attention)]
    values = np.mean([trace[tap].mean(axis=0) for tap in taps], axis=0)  # [query, key]
    return Heatmap(
        values=values,
        rows=_plain(token_axis(trace, taps[0], "query", words)),
        columns=token_axis(trace, taps[0], "key", words),
        scale=unit_scale(look.unit_colours),
        caption=Caption(
            title=words("saliency.attention", attention=words(f"attention_short.{attention}")),
            tap=f"{side}.layers.*.{kind}.weights",
            name=f"{side}.{kind}.mean",
            shape=f"[query {values.shape[0]}, key {values.shape[1]}]",
            note=words("saliency.note.attention"),
            origin="computed",
        ),
    )
