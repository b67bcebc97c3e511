"""What differs between the pass on screen and the pinned one: each head, each token, and each matrix of the two models."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Reworded, Rewording
from explorer.picture.cell_text import told_difference
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.layout.rewording import SCALE_NAT
from explorer.picture.makers.effects import attention_places
from explorer.picture.scales import Scale, ladder_end, round_up
from explorer.state.look import Look
from explorer.trace.found.difference import WeightDifference, WordDifferences
from explorer.trace.measures.head_distance import HeadDistance, attention_taps
from explorer.trace.trace import Trace

_TOLD = 3  # heads or tensors that a note names
_MOST_WORDS = 60  # that a picture has room for
_HEADS = "mean<sub>q</sub> ½ Σ<sub>k</sub> |A<sub>qk</sub> − A′<sub>qk</sub>|"
_WEIGHTS = "‖W − W′‖<sub>F</sub> / ‖W′‖<sub>F</sub>"
_STEPS = 1, 2, 4, 10


def compared_taps(trace: Trace) -> tuple[str, ...]:
    """The taps of attention weights whose heads are compared, in the order of the map's rows; () where nothing is pinned."""
    other = trace.compared_with
    if other is None:
        return ()
    shared = [each for each in trace.card.attentions if each in other.card.attentions]
    return tuple(tap for each in shared for tap in attention_taps(other, trace, each).values())


def _row_taps(trace: Trace) -> list[tuple[str, int, str]]:
    """Attention, layer and tap of each row of the map."""
    made = []
    for number, layer in attention_places(trace.card):
        attention = trace.card.attentions[number]
        side, _, kind = attention.partition(".")
        made.append((attention, layer, f"{side}.layers.{layer}.{kind}.weights"))
    return made


def head_in_row(trace: Trace, row: int) -> tuple[str, int]:
    """The attention and layer of a row of the map of heads."""
    attention, layer, _tap = _row_taps(trace)[row]
    return attention, layer


def changed_heads(trace: Trace, look: Look, words: Words, found: Mapping[str, HeadDistance]) -> Heatmap:
    """[attention and layer, head] the mean total variation distance of each head's rows from those of the pinned pass.

    A head without a counterpart there is NaN.
    """
    rows = _row_taps(trace)
    n_heads = max(side.n_heads for side in trace.card.sides)
    values, entropy = (np.full((len(rows), n_heads), np.nan, np.float32) for _ in range(2))
    for place, (_attention, _layer, tap) in enumerate(rows):
        if tap in found:
            # D[h] = mean_q ½ Σ_k |A[h,q,k] − A′[h,q,k]|
            values[place, : len(found[tap].distance)] = found[tap].distance
            entropy[place, : len(found[tap].entropy)] = found[tap].entropy
    lacking = np.isnan(values)
    labels = tuple(f"{words(f'attention_short.{attention}')} L{layer}" for attention, layer, _tap in rows)
    chosen = next((n for n, row in enumerate(rows) if row[:2] == (look.attention, look.layer)), None)
    return Heatmap(
        values=values,
        rows=Axis(words("scan.map_rows"), labels, numbered=False),
        columns=Axis(words("scan.heads_name"), tuple(f"H{head}" for head in range(n_heads)), numbered=False),
        scale=Scale(0.0, min(1.0, ladder_end(_most(values))), look.unit_colours),
        closed=lacking if lacking.any() else None,
        reason=words("compare.no_counterpart"),
        closed_by=words("compare.not_compared"),
        beside=((words("compare.entropy"), entropy),),
        chosen_row=chosen,
        chosen_column=None if chosen is None else look.head,
        caption=Caption(
            title=words("compare.heads"),
            tap="",
            name="compare.heads",
            shape=f"[row {values.shape[0]}, head {n_heads}]",
            formula=_HEADS,
            note=_most_changed(values, labels, words),
            hint=words("compare.heads_hint"),
            origin="computed",
        ),
    )


def _most(values: np.ndarray) -> float:
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


def _most_changed(values: np.ndarray, labels: Sequence[str], words: Words) -> str:
    """The heads that changed most, the largest distance first."""
    flat = np.nan_to_num(values, nan=-1.0).ravel()
    places = [int(place) for place in np.argsort(-flat, kind="stable")[:_TOLD] if flat[place] > 0]
    if not places:
        return words("compare.no_head")
    told = (f"{labels[place // values.shape[1]]} H{place % values.shape[1]} {flat[place]:.3f}" for place in places)
    return words("compare.most", changed=" · ".join(told))


def changed_words(look: Look, words: Words, found: WordDifferences) -> Rewording:
    """Each word that the pinned model predicts, with Δ log p: that of the model on screen − that of the pinned one (nats).

    Of a long text those that changed most, in the order of the text.
    """
    most, n_words = found.by_difference[:_MOST_WORDS], len(found.words)
    shown = sorted(most) if n_words > _MOST_WORDS and most else range(min(n_words, _MOST_WORDS))
    before, after = found.first.tolist(), found.second.tolist()
    row = tuple(
        Reworded(found.words[n], found.words[n], before[n], after[n] if math.isfinite(after[n]) else None) for n in shown
    )
    if not most:
        note = words("compare.no_words")
    else:
        note = words(
            "compare.most_word", word=found.words[most[0]], difference=told_difference(float(found.differences[most[0]]))
        )
    if len(row) < n_words:
        note = f"{note}  {words('compare.some_words', count=len(row), all=n_words)}"
    return Rewording(
        words=row,
        scale=Scale(-SCALE_NAT, SCALE_NAT, look.signed_colours),
        once=True,
        caption=Caption(
            title=words("compare.words"),
            tap="generator.logits",
            name="compare.words",
            shape=f"[word {n_words}]",
            formula="Δ log p = log p − log p′",
            note=note,
            origin="computed",
        ),
    )


def changed_weights(look: Look, words: Words, found: Sequence[WeightDifference]) -> Heatmap:
    """[matrix, layer] how far each matrix of the layers is from that of the pinned model, relative to its own norm.

    ‖ΔW‖ and ‖W′‖ stand beside it. What no adapter changes, and what only one model has, is closed.
    """
    inside = [(each, *_place(each)) for each in found if each.layer is not None and len(each.shapes[0]) > 1]
    layers = tuple(dict.fromkeys((stack, layer) for _each, stack, layer, _matrix in inside))
    matrices = tuple(dict.fromkeys(matrix for _each, _stack, _layer, matrix in inside))
    shape = max(1, len(matrices)), max(1, len(layers))
    values, norm, of = (np.full(shape, np.nan, np.float32) for _ in range(3))
    for each, stack, layer, matrix in inside:
        if each.apart is not None:
            place = matrices.index(matrix), layers.index((stack, layer))
            # R = ‖W − W′‖ / ‖W′‖
            values[place], norm[place], of[place] = each.apart.relative, each.apart.norm, each.apart.of
    several = len({stack for stack, _layer in layers}) > 1
    closed, most = np.isnan(values), _most(values)
    return Heatmap(
        values=values,
        rows=Axis(words("compare.matrices"), matrices or ("",), numbered=False),
        columns=Axis(
            words("compare.layers"),
            tuple(f"{stack.partition('.')[0]} L{layer}" if several else f"L{layer}" for stack, layer in layers) or ("",),
            numbered=False,
        ),
        scale=Scale(0.0, round_up(most, _STEPS) if most > 0 and math.isfinite(most) else 1.0, look.unit_colours),
        closed=closed if closed.any() else None,
        reason=words("compare.no_matrix"),
        closed_by=words("compare.not_compared"),
        beside=(("‖ΔW‖", norm), ("‖W′‖", of)),
        caption=Caption(
            title=words("compare.weights"),
            tap="",
            name="compare.weights",
            shape=f"[matrix {len(matrices)}, layer {len(layers)}]",
            formula=_WEIGHTS,
            note=_told_weights(found, words),
            origin="computed",
        ),
    )


def _place(weight: WeightDifference) -> tuple[str, int, str]:
    """The stack of layers, the layer, and the matrix without what all names share: ("model.layers", 0, "self_attn.q_proj")."""
    stack, _, matrix = weight.matrix.partition(".*.")
    assert weight.layer is not None  # The caller has looked.
    return stack, weight.layer, matrix.removesuffix(".weight")


def _told_weights(found: Sequence[WeightDifference], words: Words) -> str:
    """How many tensors differ, the matrices that changed most, and how many tensors cannot be compared."""
    apart = [(each, each.apart) for each in found if each.apart is not None]
    matrices = {each.name.removesuffix(".weight"): far.relative for each, far in apart if len(each.shapes[0]) > 1}
    most = sorted(matrices, key=lambda name: -matrices[name])[:_TOLD]
    named = " · ".join(f"{name} {matrices[name]:.3g}" for name in most if matrices[name] > 0)
    told = [words("compare.differing", count=sum(far.norm > 0 for _each, far in apart), all=len(found))]
    if named:
        told.append(words("compare.most", changed=named))
    if len(apart) < len(found):
        told.append(words("compare.alone", count=len(found) - len(apart)))
    return "  ".join(told)
