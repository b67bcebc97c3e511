"""The sentences that the stops of the tour may say, one function a stop, chosen and filled by the recorded numbers.

A claim that does not hold for the sentence on screen is not made: another key says what holds instead.
"""

import math
import re
from collections.abc import Mapping

import attrs
import numpy as np

from explorer.mathematics import softmax
from explorer.state.look import Look
from explorer.tokens.pieces import MARK
from explorer.tokens.vocabulary import BEGIN, PAD, UNKNOWN
from explorer.trace.arrays import Array
from explorer.trace.found.experiments import VECTORS, WITHOUT
from explorer.trace.found.without import Without
from explorer.trace.kept_map import closed_cells
from explorer.trace.measures.measures import is_word, strongest_pair, telling_cell
from explorer.trace.search_tree import Search
from explorer.trace.trace import Trace
from explorer.trace.vectors import Vectors

_FULL = 0.995  # a weight that two figures write as 100 %
_LISTED = 3  # neighbours, or pieces of a list
_MOST_TOKENS = 10  # tokens of a list
_LONGEST = 30  # characters of a translation
_REPEATED = re.compile(r"(.+?)\1{3,}$")  # a text that ends in the same piece four times or more


@attrs.frozen
class Fact:
    """The sentence `fact.<key>` of the language files with its values; shares are between 0 and 1 and end in "_share"."""

    key: str
    values: Mapping[str, float | str] = attrs.field(factory=dict)


# The stops, in their order


def tokens(trace: Trace, look: Look) -> list[Fact]:
    """The tokens of the source, the id of one of them, and a word that was split."""
    source, place = trace.tokens.source, _word(trace, look)
    shown = tuple(_plain(token.text) for token in source)
    told = [Fact("tokens.count", {"n": len(source), "tokens": _listed(shown)})]
    told.append(Fact("tokens.id", {"token": shown[place], "id": str(source[place].id)}))
    split = next((token.word for token in source if token.word is not None), None)
    if split is not None:
        pieces = tuple(_plain(token.text) for token in source if token.word == split)
        told.append(Fact("tokens.split", {"word": trace.source[slice(*split)], "pieces": _listed(pieces)}))
    return told


def vectors(trace: Trace, look: Look) -> list[Fact]:
    """The nearest neighbours of a word in the embedding matrix, if it has any."""
    found = trace.experiments[VECTORS.key]
    if not isinstance(found, Vectors) or "encoder" not in found.sides:
        return []
    side, place = found.sides["encoder"], _word(trace, look)
    # cosine = sqrt(2·ln(n) / d): the largest one of n random vectors of d numbers with another one, to be expected at most
    chance = math.sqrt(2 * math.log(side.n_symbols) / side.n_features)
    near = [pair for pair in side.neighbours(place)[:_LISTED] if pair[1] > chance]
    token = _plain(side.tokens[place])
    if not near:
        told = _values(token=token, cosine=side.neighbours(place)[0][1], n=side.n_symbols, chance=chance)
        return [Fact("vectors.far", told)]
    names = _listed(tuple(_plain(name) for name, _ in near))
    return [Fact("vectors.near", {"token": token, "names": names, "cosine": near[0][1]})]


def position(trace: Trace, look: Look) -> list[Fact]:
    """What the sentence becomes without positions, in whatever order: nothing that the model then computes depends on it.

    That holds as long as no mask of the source and no intervention goes by its order.
    """
    made = _told_without(trace, "position")
    ordered = trace.changes or {"encoder.self_attn", "decoder.cross_attn"} & set(trace.card.causal)
    return made if not made or ordered else [*made, Fact("position.order")]


def projections(trace: Trace, look: Look) -> list[Fact]:
    """q·k of the pair at which the picture opens, both ways. A query is not a key."""
    scores = trace[look.attention_tap("scores")][look.head].astype(np.float64)  # [query, key]
    card, names = trace.card, _texts(trace, look)
    a, b = strongest_pair(trace[look.attention_tap("weights")][look.head])
    told = [Fact("projections.sizes", {"d_model": card.d_model, "d_head": card.d_head, "n_heads": card.sides[0].n_heads})]
    is_pair = look.attention.endswith("self_attn") and names[a] != names[b]
    if not is_pair or f"{scores[a, b]:.2f}" == f"{scores[b, a]:.2f}":
        return told
    return [*told, Fact("projections.both_ways", _values(a=names[a], b=names[b], there=scores[a, b], back=scores[b, a]))]


def weight(trace: Trace, look: Look) -> list[Fact]:
    """One cell of the chosen head, from its score to its weight; and its row's largest weight without the division."""
    own = look.attention.endswith("self_attn")
    weights, scores, scaled, masked = (
        trace[look.attention_tap(stage)][look.head].astype(np.float64) for stage in ("weights", "scores", "scaled", "masked")
    )
    q, k = (look.cell_query, look.cell_key) if min(look.cell_query, look.cell_key) >= 0 else telling_cell(weights, own=own)
    names = _texts(trace, look)
    n_seen = int((np.isfinite(masked[q]) & ~closed_cells(masked)[q]).sum())
    told = _values(
        query=names[q], at=_keys(trace, look)[k], n=n_seen, score=scores[q, k], scaled=scaled[q, k], weight_share=weights[q, k]
    )
    made = [Fact("weight.cell", told | {"d_head": trace.card.d_head})]
    largest = float(weights[q].max())
    # softmax of the scores as they are, closed keys left out
    undivided = float(softmax(np.where(closed_cells(masked)[q] | ~np.isfinite(masked[q]), -np.inf, scores[q])).max())
    if largest < _FULL and undivided > largest and trace.card.score_scaling:
        made.append(Fact("weight.undivided", _values(largest_share=largest, undivided_share=undivided)))
    return made


def heads(trace: Trace, look: Look) -> list[Fact]:
    """Where the heads of the token at which the picture opens look most: each at the one with its largest weight."""
    weights = np.nan_to_num(trace[look.attention_tap("weights")])  # [head, query, key]
    names, best = _texts(trace, look), weights.argmax(axis=-1)  # [head, query]
    row = strongest_pair(weights[look.head])[0]
    at = best[:, row].tolist()
    keys = _keys(trace, look)
    sizes = {"n_heads": len(at), "d_head": trace.card.d_head, "d_model": trace.card.d_model}
    told = _values(token=names[row], layer=look.layer, **sizes)
    different = len(set(at))
    if different == 1:
        return [Fact("heads.same", told | {"at": keys[at[0]]}), Fact("heads.joined", sizes)]
    listed = _listed(
        tuple(f"{keys[key]} (H{'·'.join(str(head) for head, k in enumerate(at) if k == key)})" for key in dict.fromkeys(at))
    )
    return [Fact("heads.differ", told | {"count": different, "keys": listed}), Fact("heads.joined", sizes)]


def residual(trace: Trace, look: Look) -> list[Fact]:
    """The lanes' lengths as they leave the last layer of the first stack and after the final norm; and what remains without."""
    made = _told_without(trace, "residual")
    side = trace.card.sides[0]
    before, after = trace[f"{side.name}.layers.{side.n_layers - 1}.residual2"], trace[f"{side.name}.norm"]
    low, high = (float(each(_lengths(before))) for each in (np.min, np.max))
    low_after, high_after = (float(each(_lengths(after))) for each in (np.min, np.max))
    told = _values(low=low, high=high, low_after=low_after, high_after=high_after)
    evened = high_after / low_after < high / low
    return [*made, Fact("residual.evened" if evened else "residual.norm", told)]


def feed_forward(trace: Trace, look: Look) -> list[Fact]:
    """How many units of the network are 0 for one token; and what the sentence becomes without networks."""
    activated = trace[f"{look.side}.layers.{look.layer}.feed_forward.activated"]  # [position, feature]
    tokens = trace.tokens.source if look.side == "encoder" else trace.tokens.target
    place = _word(trace, look) if look.side == "encoder" else min(1, len(tokens) - 1)
    row = activated[place]
    told = _values(token=_plain(tokens[place].text), layer=look.layer, zeros=int((row == 0).sum()), d_ff=len(row))
    return [Fact("feed_forward.units", told), *_told_without(trace, "feed_forward")]


def layers(trace: Trace, look: Look) -> list[Fact]:
    """How far a lane of the encoder has turned after each layer: the cosine with the vector that entered."""
    side, place = trace.card.sides[0], _word(trace, look)
    entered = trace[f"{side.name}.embedding.output"][place].astype(np.float64)
    left = [trace[f"{side.name}.layers.{layer}.residual2"][place].astype(np.float64) for layer in range(side.n_layers)]
    cosines = [float(entered @ x / (np.linalg.norm(entered) * np.linalg.norm(x))) for x in left]
    told = {"token": _plain(trace.tokens.source[place].text), "cosines": " · ".join(_two(each) for each in cosines)}
    further = all(later < earlier for earlier, later in zip((1.0, *cosines), cosines, strict=False))
    return [Fact("layers.further" if further else "layers.turned", told)]


def mask(trace: Trace, look: Look) -> list[Fact]:
    """How many cells the causal mask closes, if they are exactly 0; and what the sentence becomes without it."""
    weights = trace["decoder.layers.0.self_attn.weights"]  # [head, query, key]
    later = np.triu(np.ones(weights.shape[1:], bool), 1)  # [query, key] the key is later than the query
    n, closed = int(later.sum()), int((np.nan_to_num(weights)[:, later] == 0).all(axis=0).sum())
    told = [Fact("mask.closed", {"closed": closed})] if n and closed == n else []
    found, told = _without(trace, "mask"), [*told, *_told_without(trace, "mask")]
    if found is not None and found.same and found.p < found.p_whole:
        told.append(Fact("mask.disturbed"))
    return told


def cross(trace: Trace, look: Look) -> list[Fact]:
    """Where the chosen head looks at the chosen step; and what the sentence becomes without cross-attention."""
    if not look.attention.endswith("cross_attn"):
        return _told_without(trace, "cross")
    weights = np.nan_to_num(trace[look.attention_tap("weights")][look.head])  # [query, key]
    step = look.step(trace)
    key = int(weights[step].argmax())
    told = _values(
        word=_written(trace)[step],
        head=look.head,
        layer=look.layer,
        at=_plain(trace.tokens.source[key].text),
        weight_share=weights[step, key],
    )
    return [Fact("cross.looks", told), *_told_without(trace, "cross")]


def choice(trace: Trace, look: Look) -> list[Fact]:
    """The chosen step: the word, its probability, and the likeliest other one that may be generated."""
    step, written, search = look.step(trace), trace.expected, trace.search
    row = trace["generator.probabilities"][step].astype(np.float64)  # [vocab]
    if not written:
        return []
    chosen = written[step]
    row[[PAD, UNKNOWN, BEGIN]] = 0.0
    other = int(np.where(np.arange(len(row)) == chosen, -1.0, row).argmax())
    told = _values(
        step=step + 1,
        n=len(written),
        vocab=len(row),
        word=_written(trace)[step],
        p_share=row[chosen],
        other=_plain(trace.symbols[other]),
        other_share=row[other],
    )
    if row[chosen] >= row[other]:
        return [Fact("choice.first", told)]
    if search is not None and other in search.closed_at(step):
        return [Fact("choice.closed", told)]
    return [Fact("choice.beam" if search is not None and _is_searched(search, step) else "choice.given", told)]


def _is_searched(search: Search, step: int) -> bool:
    """Whether a beam of several sentences chose the token at a step of the best one."""
    path = search.path(search.ends[0])
    return search.beam > 1 and step < len(path) and not search.nodes[path[step]].forced


# What several of them share


def _without(trace: Trace, part: str) -> Without | None:
    """What was found without a part; None where nothing was."""
    found = trace.experiments.get(WITHOUT.key)
    return found if isinstance(found, Without) and found.part == part and found.made else None


def _told_without(trace: Trace, part: str) -> list[Fact]:
    """What the sentence becomes without a part, and how often that repeats itself in the end."""
    found = _without(trace, part)
    if found is None:
        return []
    again = _REPEATED.search(found.target)
    shown = found.target if again is None else f"{found.target[: again.end(1)]}…"
    values = _values(without=_cut(shown), p_share=found.p, p_whole_share=found.p_whole)
    made = [Fact(f"{part}.same" if found.same else f"{part}.changed" if found.target else f"{part}.nothing", values)]
    if again is not None and not found.same:
        made.append(Fact("repeats", {"again": again[1].strip(), "times": len(again[0]) // len(again[1])}))
    return made


def _values(**values: object) -> dict[str, float | str]:
    """NumPy's numbers as Python's."""
    return {name: value if isinstance(value, str) else float(value) for name, value in values.items()}  # type: ignore[arg-type]


def _plain(text: str) -> str:
    return text.lstrip(f"{MARK}▁") or text


def _texts(trace: Trace, look: Look) -> tuple[str, ...]:
    """[query] the names of the rows of the chosen attention."""
    if look.attention.endswith("cross_attn"):
        return _written(trace)
    return tuple(_plain(token.text) for token in trace.side(look.attention_tap("weights"), "query"))


def _keys(trace: Trace, look: Look) -> tuple[str, ...]:
    return tuple(_plain(token.text) for token in trace.side(look.attention_tap("weights"), "key"))


def _written(trace: Trace) -> tuple[str, ...]:
    """[step] the tokens that were generated; without generated ones those that were read."""
    return tuple(_plain(trace.symbols[number]) for number in trace.expected) or tuple(
        _plain(token.text) for token in trace.tokens.target
    )


def _word(trace: Trace, look: Look) -> int:
    """The place of the word in the source that all stops speak of: the one with shown neighbours, or the first one."""
    tokens = trace.tokens.source
    if 0 <= look.vector < len(tokens):
        return look.vector
    return next((place for place, token in enumerate(tokens) if is_word(token.text)), 0)


def _lengths(rows: Array) -> Array:
    lengths: Array = np.linalg.norm(rows.astype(np.float64), axis=-1)  # [position]
    return lengths


def _listed(texts: tuple[str, ...]) -> str:
    return " · ".join(texts[:_MOST_TOKENS]) + (" …" if len(texts) > _MOST_TOKENS else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _two(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")
