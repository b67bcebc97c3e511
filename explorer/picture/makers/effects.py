"""Ablation: the effects of ablating heads, layers and source words on a word, and the row of words to choose from.

The words stand in the Trace, so they are there before the effects are computed. `Look.position` is the chosen word; -1 is the
whole sentence, whose effect is the sum over its words.
"""

import math

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap, EffectRow
from explorer.picture.cell_text import rough
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.layout.effect_map import plain, scale_of, signed
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.makers.heatmaps import symbol
from explorer.picture.scales import Scale, ladder_end, unit_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.effects import LEAST, Effects, largest, measured_in
from explorer.trace.model_card import PROBABILITIES, ModelCard
from explorer.trace.trace import Trace

_FORMULA = "Δ log p = log p<sub>off</sub> − log p"
_TAP = "generator.logits"


def found_effects(trace: Trace) -> Effects | None:
    """The effects of a Trace, exact ones if they are there; None while they are computed."""
    return finding(trace, "effects_exact", Effects) or finding(trace, "effects", Effects)


def word_row(trace: Trace, look: Look, words: Words) -> Timeline | None:
    """The whole sentence and each of its words with its probability, to choose from. Step i is word i − 1."""
    if not trace.whole or (PROBABILITIES if trace.card.classes else _TAP) not in trace:
        return None
    ids, measured = measured_in(trace)
    tap = PROBABILITIES if trace.card.classes else "generator.probabilities"
    probabilities = trace[tap][np.arange(len(ids)), list(ids)]  # [word]
    labels = (words("effects.sentence"), *_labels(trace, ids))
    with np.errstate(divide="ignore"):  # A probability may be too small for float32.
        log_p = np.log(probabilities.astype(np.float64))  # [word]
    told = zip(labels, (float(log_p.sum()), *log_p.tolist()), strict=True)
    return Timeline(
        labels=labels,
        told=tuple(words("effects.word", word=label, log_p=rough(value)) for label, value in told),
        probabilities=np.concatenate([[np.float32(np.nan)], probabilities]),
        chosen=chosen_word(trace, look) + 1,
        caption=Caption(
            title=words("effects.words"),
            tap=tap,
            name="effects.words",
            formula=_FORMULA,
            shape=f"[word {len(ids)}]",
            note=_note(trace, measured, words),
            origin="computed",
        ),
        side=_words_side(trace),
        shift=-1 if measured in ("own", "class") else 0,
        scale=unit_scale(look.unit_colours),
        alike=True,
    )


def _words_side(trace: Trace) -> str:
    """The side whose tokens the measured words stand at; "" for the class of a whole text."""
    if trace.card.classes is not None and trace.card.classes.of == "text":
        return ""
    return "target" if trace.tokens.target else "source"


def chosen_word(trace: Trace, look: Look) -> int:
    """The chosen word, -1 for the whole sentence."""
    ids, _measured = measured_in(trace)
    return look.position if look.position < len(ids) else -1


def _note(trace: Trace, measured: str, words: Words) -> str:
    told = words(f"effects.measured.{measured}")
    return told if trace.trained else f"{words('effects.untrained')} {told}"


def _labels(trace: Trace, ids: tuple[int, ...]) -> tuple[str, ...]:
    head = trace.card.classes
    return tuple(symbol(trace, each) if head is None else head.labels[each] for each in ids)


def effect_map(trace: Trace, look: Look, words: Words) -> EffectMap | None:
    """The effect of ablating each head, and each layer's attention and feed-forward, on the chosen word."""
    if not trace.whole:
        return None
    card, found, word = trace.card, found_effects(trace), chosen_word(trace, look)
    rows = effect_rows(card, words)
    n_heads = max(side.n_heads for side in card.sides)
    values, whole = np.full((len(rows), n_heads), np.nan, np.float32), np.full(len(rows), np.nan, np.float32)
    end = reach = ladder_end(0.0)
    if found is not None:
        places = attention_places(card)
        heads = np.array([found.heads[place] for place in places])  # [row, head, word]
        feeds = [found.feed_forwards[place] for place in _feed_forward_places(card)]
        wholes = np.array([*(found.layers[place] for place in places), *feeds])  # [row, word]
        values[: len(heads)], whole = sliced(heads, word), sliced(wholes, word)
        # The scales are those of all words, so that another word changes no colour's meaning.
        end, reach = ladder_end(_reach(heads)), ladder_end(_reach(wholes))
    named = words("effects.sentence") if word < 0 else _labels(trace, _ids(trace))[word]
    refused = why_not_made(trace, words, "effects", "effects_exact")
    made = EffectMap(
        values=values,
        whole=whole,
        rows=rows,
        scale=scale_of(end, look.signed_colours),
        bar_reach=reach,
        word=named,
        chosen=_chosen(card, look),
        estimated=found is not None and not found.exact,
        exact_rows=0 if found is None else found.exact_rows,
        pending=found is None and not refused,
        caption=Caption(
            title=f"{words('effects.heads')} · {named}",
            tap=_TAP,
            name="effects.heads",
            shape=f"[row {len(rows)}, head {n_heads}]",
            formula=_FORMULA,
            origin="beside",
            finding="effects",
        ),
    )
    return attrs.evolve(made, told=refused or f"{_told(made, found, word, words)} {_trust(found, words)}".strip())


def effect_rows(card: ModelCard, words: Words) -> tuple[EffectRow, ...]:
    """The rows of the map: every attention in every layer, and every feed-forward, in the order of Effects' arrays."""
    made = []
    for attention in card.attentions:
        side, _, kind = attention.partition(".")
        group = words(f"attention_short.{attention}")
        made += [EffectRow(group, f"L{n}", f"{side}.layers.{n}.{kind}.mixed") for n in card.attention_layers(attention)]
    for each in () if card.why_absent("feed_forward.output") else card.sides:
        group, tap = words(f"effects.feed_forward.{each.name}"), f"{each.name}.layers.{{}}.feed_forward.output"
        made += [EffectRow(group, f"L{n}", tap.format(n)) for n in range(each.n_layers)]
    return tuple(made)


def attention_places(card: ModelCard) -> tuple[tuple[int, int], ...]:
    """The attention and layer of each row that is an attention's, as Effects' arrays count them."""
    return tuple((number, layer) for number, name in enumerate(card.attentions) for layer in card.attention_layers(name))


def _feed_forward_places(card: ModelCard) -> tuple[tuple[int, int], ...]:
    sides = () if card.why_absent("feed_forward.output") else card.sides
    return tuple((number, layer) for number, side in enumerate(sides) for layer in range(side.n_layers))


def head_at(card: ModelCard, row: int) -> tuple[str, int] | None:
    """The attention and layer of a row of the map; None for a feed-forward's."""
    places = attention_places(card)
    return (card.attentions[places[row][0]], places[row][1]) if row < len(places) else None


def _chosen(card: ModelCard, look: Look) -> tuple[int, int] | None:
    if look.attention not in card.attentions:
        return None
    place = card.attentions.index(look.attention), look.layer
    return (attention_places(card).index(place), look.head) if place in attention_places(card) else None


def _ids(trace: Trace) -> tuple[int, ...]:
    return measured_in(trace)[0]


def sliced(effects: Array, word: int) -> Array:
    """[…, word] to […]: the effects on one word, or their sum for the whole sentence (-1)."""
    # log p(sentence) = Σ log p(word), and so are their differences.
    made: Array = effects.sum(axis=-1) if word < 0 else effects[..., word]
    return made


def _reach(effects: Array) -> float:
    """The largest magnitude of effects […, word] on any word or on the whole sentence; NaN where there is none."""
    both = np.abs(np.concatenate([effects, effects.sum(axis=-1, keepdims=True)], axis=-1))
    return float(np.nanmax(both)) if np.isfinite(both).any() else math.nan


def _told(made: EffectMap, found: Effects | None, word: int, words: Words) -> str:
    """The head that matters most, or that none does and what does instead."""
    if found is None:
        return words("status.computing")
    if not np.isfinite(made.values).any():
        return words("effects.no_numbers")
    row, head = largest(made.values)
    value = float(made.values[row, head])
    if abs(value) >= LEAST:
        about = made.rows[row]
        return words("effects.strongest", head=f"{about.group} {about.name} H{head}", value=signed(value))
    told = words("effects.none", least=plain(LEAST))
    instead = _instead(made, found, word, words)
    return f"{told} {instead}".strip()


def _trust(found: Effects | None, words: Words) -> str:
    """A sentence that cells are estimates; once the exact effects are there, the correlation of the estimates with them."""
    if found is None:
        return ""
    if not found.exact:
        return words("effects.estimated")
    return "" if math.isnan(found.correlation) else words("effects.correlated", value=f"{found.correlation:.2f}")


def _instead(made: EffectMap, found: Effects, word: int, words: Words) -> str:
    """The largest effect where no head has one: that of a hidden token or of a whole row; "" for none."""
    hidden, best = sliced(found.hidden, word), ""
    of_hidden = float(np.nanmax(np.abs(hidden))) if np.isfinite(hidden).any() else 0.0
    (row,) = largest(made.whole)
    if max(of_hidden, abs(float(made.whole[row]))) < LEAST:
        return ""
    if of_hidden >= abs(float(made.whole[row])):
        (token,) = largest(hidden)
        best = words("effects.hide", token=found.tokens[token], value=signed(float(hidden[token])))
    else:
        about = made.rows[row]
        best = words("effects.off", row=f"{about.group} {about.name}", value=signed(float(made.whole[row])))
    return words("effects.instead", best=best)


def hidden_map(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """[word, token] the change in log-probability of each word when one token is hidden from the others."""
    if not trace.whole:
        return None
    found = found_effects(trace)
    ids, measured = measured_in(trace)
    side = "source" if trace.tokens.source else "target"
    tokens = tuple(token.text for token in (trace.tokens.source or trace.tokens.target))
    values = np.full((len(ids), len(tokens)), np.nan, np.float32) if found is None else found.hidden.T  # [word, token]
    end = ladder_end(float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else math.nan)
    word = chosen_word(trace, look)
    own = measured in ("own", "class")
    across = found is None or found.hidden_in.endswith("cross_attn")
    return Heatmap(
        values=np.ascontiguousarray(values),
        rows=Axis(
            words("axis.class" if measured == "class" else "axis.position" if own else "axis.next_token"),
            tuple(each if own else f"→{each}" for each in _labels(trace, ids)),
            _words_side(trace),
            shift=0 if own else 1,
        ),
        columns=Axis(words("effects.hidden_axis"), tokens, side),
        scale=Scale(-end, end, look.signed_colours),
        chosen_row=word if word >= 0 else None,
        least=LEAST,
        pending=found is None and not why_not_made(trace, words, "effects", "effects_exact"),
        caption=Caption(
            title=words("effects.hidden" if across else "effects.hidden_self"),
            tap=_TAP,
            name="effects.hidden",
            shape=f"[word {len(ids)}, token {len(tokens)}]",
            note=words("effects.hidden_note", end="…" if found is None else plain(end)),
            origin="beside",
            finding="effects",
        ),
    )
