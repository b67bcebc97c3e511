"""The attribution of a generated word against its rival as a picture, with the opened part, and the costs of ablating parts.

`trace.why` computes the numbers; here they get their names, their order and their links.
"""

from collections.abc import Callable, Iterator

import numpy as np

from explorer.errors import NotLookedInto
from explorer.lang import Words
from explorer.picture.causal_kinds import Account, Removals
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Caption
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.makers.timeline import timeline
from explorer.picture.makers.why_inside import opened
from explorer.picture.picture import captioned
from explorer.picture.sums import (
    Group,
    SumRow,
    Sums,
    SumTerm,
    digits_for,
    largest_first,
    part_name,
    probability,
    told,
    unmarked,
)
from explorer.state.look import Look
from explorer.trace.found.costs import Costs, removable, shown_values
from explorer.trace.found.part import BIASES, Part
from explorer.trace.found.reading import heads_open
from explorer.trace.found.weights import OutputWeights
from explorer.trace.found.why import Parts, likeliest_rivals, symbol_text
from explorer.trace.trace import Trace

_KINDS: tuple[tuple[str, Callable[[Part], bool]], ...] = (
    ("embedding", lambda part: part.kind in ("token", "position")),
    ("self_attn", lambda part: part.kind == "head" and part.attention == "self_attn"),
    ("cross_attn", lambda part: part.kind == "head" and part.attention == "cross_attn"),
    ("other", lambda part: part.kind == "other"),
    ("feed_forward", lambda part: part.kind == "feed_forward"),
    ("biases", lambda part: part.kind.endswith("_bias")),
)
_RIVALS = 5  # runners-up that are offered


def account(trace: Trace, look: Look, words: Words) -> Account | None:
    """The attribution of the chosen step; None until the weights are there, or where the model generates no words."""
    if finding(trace, "why", OutputWeights) is None:
        return None
    parts = asked(trace, look)
    sums = _sums(parts, trace, look, words)
    title = words("why.sum", difference=told(parts.difference, sums.digits))
    if sums.exact and (look.inside or look.way):
        try:
            sums = opened(sums, parts, trace, look, words)
        except NotLookedInto:  # The weights that the way needs are still being computed.
            return None
    cap = _weights(trace).cap
    head = look.head if look.inside in ("head", "key", "score") and sums.trail else None
    return Account(
        sums=sums,
        signed_colours=look.signed_colours,
        head=head,
        caption=Caption(
            title=title,
            tap="generator.logits",
            name="why",
            shape=f"[position {parts.position} of {len(trace.side('generator.logits'))}]",
            formula=words("why.formula", word=sums.word, rival=sums.rival),
            note=words("why.capped", cap=f"{cap:g}") if cap else "",
            origin="computed",
        ),
    )


def asked(trace: Trace, look: Look) -> Parts:
    """The Parts of the chosen step against the chosen rival; the likeliest one where the word itself was chosen."""
    step = look.step(trace)
    parts = trace.why(step, None if look.rival < 0 else look.rival)
    return parts if parts.word != parts.rival else trace.why(step)


def question(trace: Trace, look: Look, words: Words) -> Timeline:
    """The written words, of which one is asked about; the title is the question."""
    made = timeline(trace, look, words)
    if not trace.card.has("decoder"):
        note = words("error.no_written_words", architecture=trace.card.architecture)
        return captioned(made, title=words("page.why"), formula="", note=note)
    refused = why_not_made(trace, words, "why")
    if refused:
        return captioned(made, title=words("page.why"), formula="", note=refused)
    note = "" if trace.trained else words("why.untrained" if trace.expected else "why.not_asked")
    if finding(trace, "why", OutputWeights) is None:  # The card keeps its height until the answer is there.
        return captioned(made, title=words("page.why"), formula="", shape="", note=note)
    parts = asked(trace, look)
    word, rival = map(unmarked, parts.names)
    about = words(
        "why.against",
        p=probability(parts.p[0]),
        rival_p=probability(parts.p[1]),
        difference=told(parts.difference, digits_for(parts.difference)),
    )
    title = words("why.question", word=word, rival=rival)
    return captioned(made, title=title, formula=about, shape="", note=note)


def rivals(trace: Trace, look: Look) -> dict[str, str]:
    """By id the runners-up of the chosen step, and the chosen rival, each with the difference of the logits."""
    step = look.step(trace)
    parts = asked(trace, look)
    logits = _weights(trace).before_cap(trace["generator.logits"][step])
    ids = dict.fromkeys((*likeliest_rivals(trace, step, parts.word, _RIVALS), parts.rival))
    apart = {each: float(logits[parts.word] - logits[each]) for each in ids}
    digits = digits_for(max(map(abs, apart.values()))) - 1
    return {str(each): f"{unmarked(symbol_text(trace, each))} {told(value, digits)}" for each, value in apart.items()}


def _weights(trace: Trace) -> OutputWeights:
    found = finding(trace, "why", OutputWeights)
    assert found is not None  # There are Parts.
    return found


def _sums(parts: Parts, trace: Trace, look: Look, words: Words) -> Sums:
    terms = tuple(_term(parts, place, trace, words) for place in range(len(parts.parts)))
    word, rival = map(unmarked, parts.names)
    return Sums(
        word=word,
        rival=rival,
        difference=parts.difference,
        total=parts.total,
        n_parts=len(terms),
        exact=parts.exact,
        groups=tuple(_groups(parts, terms, words)),
        kinds=tuple(_by_kind(parts, words)),
        terms=largest_first(terms) if look.part_order == "size" else (),
        whole=parts.total,
        names=words("why.parts", count=len(terms)),
    )


def _term(parts: Parts, place: int, trace: Trace, words: Words) -> SumTerm:
    part, value = parts.parts[place], float(parts.values[place])
    name = part_name(part, words)
    goes: dict[str, object] | None = None
    opens = ""
    if part.kind == "head" and heads_open(trace, part.block):
        goes = {"attention": f"decoder.{part.attention}", "layer": part.layer, "head": part.head, "inside": "head"}
        opens = words("why.opens_head")
    elif part.kind == "feed_forward":
        goes = {"layer": part.layer, "side": "decoder", "inside": "network"}
        opens = words("why.opens_network")
    shares = [float(share) for share in parts.shares[:, place]]
    lines = [
        f"{name}  {told(value, 4)}",
        words(
            "why.of_both",
            word=unmarked(parts.names[0]),
            rival=unmarked(parts.names[1]),
            first=told(shares[0], 3),
            second=told(shares[1], 3),
        ),
        part.tap,
    ]
    if part.kind == "token":
        lines.insert(1, words("why.reads", token=unmarked(trace.tokens.target[parts.position].text)))
    return SumTerm(
        name,
        value,
        "\n".join([*lines, *([opens] if opens else [])]),
        goes=goes,
        short=f"H{part.head}" if part.head >= 0 else "",
    )


def _groups(parts: Parts, terms: tuple[SumTerm, ...], words: Words) -> Iterator[Group]:
    """The embedding, the layers and the end, each with the rows that it has, in the order of computation."""
    found: dict[tuple[str, int], dict[str, list[SumTerm]]] = {}
    # A layer's biases stand in one row at its end, so all other parts of the layer come first.
    for part, term in sorted(zip(parts.parts, terms, strict=True), key=lambda pair: _place(pair[0])):
        rows = found.setdefault(_group_of(part), {})
        rows.setdefault(_row_of(part), []).append(term)
    for (name, layer), rows in found.items():
        title = words("why.layer", layer=layer) if name == "layer" else words(f"why.{name}")
        yield Group(title, tuple(SumRow(_row_name(row, there, words), tuple(there)) for row, there in rows.items()))


def _group_of(part: Part) -> tuple[str, int]:
    """The text of the group that a part belongs to, and its layer."""
    return ("layer" if part.layer >= 0 else "end" if part.kind.endswith("_bias") else "kind.embedding"), part.layer


def _row_of(part: Part) -> str:
    if part.kind == "head":
        return part.attention
    return "biases" if part.layer >= 0 and part.kind in BIASES else part.kind


def _row_name(row: str, terms: list[SumTerm], words: Words) -> str:
    return words("why.biases", count=len(terms)) if row == "biases" else words(f"why.part.{row}")


def _place(part: Part) -> tuple[int, int, bool]:
    """What parts are sorted by; parts of one place stay in the order of computation."""
    group, layer = _group_of(part)
    return ("kind.embedding", "layer", "end").index(group), layer, _row_of(part) == "biases"


def _by_kind(parts: Parts, words: Words) -> Iterator[tuple[str, float]]:
    """The totals of the kinds of parts that the model has."""
    for name, belongs in _KINDS:
        found = [float(value) for part, value in zip(parts.parts, parts.values, strict=True) if belongs(part)]
        if found:
            yield words(f"why.kind.{name}"), float(sum(found))


def part_removals(trace: Trace, look: Look, words: Words) -> Removals | None:
    """The nine largest parts of the chosen step; their costs are NaN until they are computed."""
    if finding(trace, "why", OutputWeights) is None:
        return None
    parts = asked(trace, look)
    shown, costs = (removable(parts.parts, parts.values) if parts.exact else ()), finding(trace, "costs", Costs)
    known = costs is not None and costs.is_of(parts.position, parts.word, parts.rival)
    word, rival = map(unmarked, parts.names)
    return Removals(
        names=tuple(part_name(each.part, words) for each in shown),
        taps=tuple(each.part.tap for each in shown),
        shares=np.array([each.share for each in shown], np.float32),
        costs=shown_values(costs, shown) if costs is not None and known else np.full(len(shown), np.nan, np.float32),
        signed_colours=look.signed_colours,
        caption=Caption(
            title=words("removals.title"),
            tap="generator.logits",
            name="why.costs",
            shape="",
            formula=words("why.formula", word=word, rival=rival),
            note=words("removals.note" if parts.exact else "removals.none"),
            origin="beside",
            finding="costs",
        ),
    )
