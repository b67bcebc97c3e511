"""A ModelCard in words: its sizes in rows, and the taps that the model lacks, by reason."""

from collections.abc import Iterable

from explorer.lang import Words
from explorer.trace.files.seen_card import NOT_RECORDED
from explorer.trace.model_card import ModelCard
from explorer.trace.tap_names import place_of, without_place

_THOUSAND = 1000
_LABELS = 8  # that are named


def kind_and_size(card: ModelCard, words: Words, *, short: bool = False) -> str:
    """The family, the kind and the number of parameters: "gpt2 · decoder only · 124 M"; short without the kind."""
    kind = "" if short else words(f"choice.architecture.{card.architecture}")
    size = rounded(card.parameters) if card.parameters else ""  # A recorded pass may lack it.
    return " · ".join(filter(None, (card.family, kind, size)))


def rounded(count: int) -> str:
    """A count with three figures: 27,776 is "27.8 k", 22,713,216 is "22.7 M"."""
    value, unit = float(count), ""
    for unit in ("", "k", "M", "G"):
        if value < _THOUSAND - 0.5 or unit == "G":
            break
        value /= _THOUSAND
    return f"{value:.3g} {unit}".rstrip()


def card_rows(card: ModelCard, words: Words) -> tuple[tuple[str, str], ...]:
    """What the model is, as pairs of a name and a value; where two sides differ, both values."""
    both = tuple(card.sides)
    rows = {
        "family": card.family,
        "kind": words(f"choice.architecture.{card.architecture}"),
        "parameters": f"{card.parameters:,}",
        "layers": _sides(side.n_layers for side in both),
        "weight_sets": _weight_sets(card, words),
        "bare_layers": words("card.bare", count=card.bare_layers) if card.bare_layers else "",
        "experts": _experts(card, words),
        "heads": _sides(side.n_heads for side in both),
        "key_heads": _sides(side.n_kv_heads for side in both),
        "d_model": f"{card.d_model} · {card.d_head}",
        "d_ff": _sides(side.d_ff for side in both),
        "vocabulary": f"{card.vocab_size or both[0].vocab_size:,}",
        "classes": _classes(card),
        "max_len": f"{card.max_len:,}",
        "positions": words(f"card.position.{card.position}"),
        "norm": f"{words(f'choice.norm_placement.{card.norm_placement}')} · {words(f'card.norm_kind.{card.norm_kind}')}",
        "activation": card.activation,
        "dtype": card.dtype,
        "held": "" if card.held == "float32" else words(f"held_short.{card.held}"),
        "made_from": words("made_from.short", kinds=" · ".join(card.made_from)) if card.made_from else "",
        "code": words("card.code_ignored", asked=card.code) if card.code else "",
        "difference": _difference(card, words),
    }
    known = {name: value for name, value in rows.items() if value not in ("", "0")}
    if known["key_heads"] == known["heads"]:
        del known["key_heads"]
    return tuple((words(f"card.{name}"), value) for name, value in known.items())


def _weight_sets(card: ModelCard, words: Words) -> str:
    """That layers share their weights, so that an edit acts in all of them; nothing where each has its own."""
    if not card.weight_sets:
        return ""
    n_layers = sum(len(card.attention_layers(attention)) for attention in card.attentions)
    return words("card.shared_sets", count=n_layers, sets=card.weight_sets)


def _experts(card: ModelCard, words: Words) -> str:
    """The number of experts, and how many of them process a token, if that was seen."""
    if not card.n_experts:
        return ""
    if not card.n_chosen:
        return words("card.experts_unseen", count=card.n_experts)
    return words("card.experts_seen", count=card.n_experts, chosen=card.n_chosen)


def _classes(card: ModelCard) -> str:
    """How many classes a classifier has, with the labels of the first ones; nothing for other models."""
    if card.classes is None:
        return ""
    labels = card.classes.labels
    rest = ["…"] if len(labels) > _LABELS else []
    return f"{len(labels):,}: {', '.join([*labels[:_LABELS], *rest])}"


def _difference(card: ModelCard, words: Words) -> str:
    """What the self-check found; nothing where there was none."""
    if card.difference < 0:
        return ""
    return words("card.exact") if card.difference == 0 else f"{card.difference:.2g}"


def absent_rows(card: ModelCard, words: Words) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Why the model lacks taps that others have, as pairs of a reason and the taps."""
    by_reason: dict[str, list[str]] = {}
    for tap, reason in card.absent.items():
        by_reason.setdefault(reason, []).append(tap)
    return tuple((words(reason), tuple(taps)) for reason, taps in by_reason.items())


def lacking(card: ModelCard, tap: str, words: Words) -> str:
    """The sentence that the model lacks a tap, with the reason if one is known."""
    if card.bare_layers and card.lacks_attention(tap):
        layers = ", ".join(map(str, card.with_attention))
        return words("card.no_attention_there", layer=place_of(tap).layer, layers=layers)
    why = card.why_absent(tap)
    if why == NOT_RECORDED or card.lacks_attention(tap):  # The model itself may have it.
        return words("card.not_recorded", tap=without_place(tap))
    return f"{words('card.lacks', tap=without_place(tap))} {words(why) if why else ''}".rstrip()


def _sides(values: Iterable[int]) -> str:
    """One value, or those of both sides where they differ."""
    found = [str(value) for value in values]
    return found[0] if len(set(found)) == 1 else " + ".join(found)


def knob_value(name: str, value: object, words: Words) -> str:
    """The value of a knob as a reader sees it."""
    if isinstance(value, bool):
        return "✓" if value else "—"
    key = f"choice.{name}.{value}"
    return words(key) if key in words else f"{value:g}" if isinstance(value, float) else str(value)
