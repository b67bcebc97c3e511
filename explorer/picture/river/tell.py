"""One sentence about whatever stands out in a river, made from recorded numbers."""

import numpy as np

from explorer.lang import Words
from explorer.picture.marks import TextRun
from explorer.picture.river.focus import row_names
from explorer.picture.river.output import percent
from explorer.picture.river.place import Place
from explorer.picture.river.river import River, RiverBlock
from explorer.picture.river.strips import shown_text
from explorer.picture.river.tell_contributions import listed, told_contributions
from explorer.trace.measures.measures import strongest_pair

_BEGIN, _END = "\x01", "\x02"  # around data in a sentence; no text of a person contains them after tokenizing
_MOST = 3


def tell(
    river: River,
    words: Words,
    place: Place | None,
    pair: tuple[int, int] | None,
    source: tuple[int, ...],
    target: tuple[int, ...],
    *,
    short: bool = False,
) -> tuple[TextRun, ...]:
    """The sentence, in pieces; those with data are marked. A short one has no explanation behind its numbers."""
    if river.opened_attention.endswith("feed_forward"):
        return _pieces(_block(river, words, Place("block", attention=river.opened_attention, layer=river.layer)))
    if place is not None and place.kind == "block":
        return _pieces(_block(river, words, place))
    if place is not None and place.kind == "bands":
        return _pieces(river.no_contributions or words(f"river.bands.about_{place.side}"))
    if place is not None and place.kind == "pool":
        return _pieces(words(f"river.pools.about_{place.side}"))
    if place is not None and place.kind == "words":
        about = "folded_note" if short else "unit_words_hint"
        return _pieces(words(f"heads.{about}" if river.halves[0].block == 1 else "heads.not_folded"))
    if place is not None and place.kind == "candidate":
        return _pieces(_candidate(river, words, place, short=short))
    if place is not None and place.kind == "vector":
        return _pieces(_vector(river, words, place))
    if place is not None and place.kind == "waves":
        return _pieces(words("river.tell.waves", features=", ".join(map(str, river.features))))
    if added := told_contributions(river, words, place, source, target, f"{_BEGIN}{{}}{_END}"):
        return _pieces(added)
    focus = river.focus
    if focus is None or focus.drawn is None:
        return _pieces(words("river.tell.nothing"))
    if place is not None and place.kind == "head":  # What it looks at most; the token itself counts only where it is alone.
        return _pieces(_pair(river, focus, strongest_pair(focus.drawn), words, ".short" if short else ""))
    if pair is not None:
        return _pieces(_pair(river, focus, pair, words, ".short" if short else ""))
    told = _token(river, focus, words, source, target)
    mark = "" if short else _mark(river, words, target)
    return _pieces(words("river.tell.marked", told=told, mark=mark) if mark else told)


def _data(text: object) -> str:
    """A text marked as data."""
    return f"{_BEGIN}{text}{_END}"


def _token_data(told: str, words: Words) -> str:
    """A token marked as data; punctuation stands in quotation marks, or it would be read as that of the sentence."""
    return _data(told if any(mark.isalnum() for mark in told) else words("river.tell.quoted", told=told))


def _pieces(sentence: str) -> tuple[TextRun, ...]:
    made = []
    for part in sentence.split(_BEGIN):
        data, end, plain = part.partition(_END)
        if end:
            made.append(TextRun(data, accent=True))
            made.append(TextRun(plain))
        else:
            made.append(TextRun(data))
    return tuple(piece for piece in made if piece.text)


def share(weight: float) -> str:
    """A weight in per cent; a closed cell has none."""
    if np.isnan(weight):
        return "–"
    return f"{100 * weight:.0f}%" if weight >= 0.01 or weight == 0 else "<1%"


def _pair(river: River, focus: RiverBlock, pair: tuple[int, int], words: Words, length: str) -> str:
    assert focus.drawn is not None  # The caller has checked.
    names, _side, shift = row_names(river)
    key = shown_text(river.half_of(river.attention, "key").labels[pair[1]])
    weight = float(focus.drawn[pair])
    which = "closed" if np.isnan(weight) else focus.attention
    if which == "decoder.cross_attn" and not shift:
        which = "decoder.cross_attn_read"
    return words(
        f"river.tell.pair.{which}{length}",
        query=_token_data(names[pair[0]], words),
        seen=_token_data(key, words),
        share=_data(share(weight)),
        layer=river.layer,
        which=_which(river, words, "_first" if length and which != "decoder.cross_attn" else ""),
    )


def _which(river: River, words: Words, form: str = "") -> str:
    """The head that is looked at, or what stands for several."""
    if river.pooled:
        return _data(words(f"river.which{form}.{river.pooled}"))
    return words(f"river.which{form}.head", head=_data(river.head))


def _token(river: River, focus: RiverBlock, words: Words, source: tuple[int, ...], target: tuple[int, ...]) -> str:
    """Where a token's lane goes in the block that is looked at, or where it looks."""
    assert focus.drawn is not None  # The caller has checked.
    asks, answers = river.half_of(river.attention, "query"), river.half_of(river.attention, "key")
    names, _side, shift = row_names(river)
    of_source = bool(source)
    chosen = (source or target)[0]
    half = next((each for each in river.halves if each.tokens == ("source" if of_source else "target")), None)
    token = shown_text(half.labels[chosen]) if half is not None and chosen < half.n else ""
    if half is answers and asks is not answers:
        column = np.nan_to_num(focus.drawn[:, chosen])
        best = np.argsort(-column, kind="stable")[:_MOST]
        named = listed(
            [words("river.tell.by", word=_token_data(names[int(q)], words), share=share(float(column[q]))) for q in best], words
        )
        return words("river.tell.flows", token=_token_data(token, words), listed=named)
    if half is not asks:
        return words("river.tell.lane", token=_token_data(token, words))
    row = np.nan_to_num(focus.drawn[chosen])
    best = np.argsort(-row, kind="stable")[:_MOST]
    named = listed(
        [
            words("river.tell.at", word=_token_data(shown_text(answers.labels[int(k)]), words), share=share(float(row[k])))
            for k in best
        ],
        words,
    )
    key = "river.tell.looks_writing" if shift else "river.tell.looks"
    return words(key, token=_token_data(names[chosen], words), listed=named, which=_which(river, words), layer=river.layer)


def _mark(river: River, words: Words, target: tuple[int, ...]) -> str:
    """What a begin or end mark is, where one is pointed at."""
    half = river.halves[-1]
    label = half.labels[target[0]] if target and half.side == "decoder" and target[0] < half.n else ""
    return words(f"river.tell.mark.{label.strip('<>')}") if label in ("<bos>", "<eos>") else ""


def _vector(river: River, words: Words, place: Place) -> str:
    """What the colours of a token's vector mean, with its largest number."""
    half = next(each for each in river.halves if each.tokens == place.side)
    lane, part = half.lane(place.index), ("scaled", "positions", "output")[place.head]
    values = getattr(half, part)[lane]
    at = int(np.abs(values).argmax())
    return words(
        f"river.tell.vector.{part}",
        token=_token_data(shown_text(half.labels[lane]), words),
        place=half.token(lane),
        count=len(values),
        value=_data(f"{float(values[at]):.3g}".replace("-", "−")),
        feature=at,
    )


def _block(river: River, words: Words, place: Place) -> str:
    key = place.attention
    if key == "decoder.self_attn":
        block = next((b for b in river.blocks() if b.attention == key), None)
        key += "" if block is not None and block.closed is not None else "_open"
    return words(f"river.tell.block.{key}", layer=_data(place.layer))


def _candidate(river: River, words: Words, place: Place, *, short: bool) -> str:
    name, p, _id = river.written.candidates[min(place.index, len(river.written.candidates) - 1)]
    step = river.written.step + 1
    cut = any(river.written.cut[place.index : place.index + 1])
    key = "river.tell.candidate_cut" if cut else "river.tell.candidate_short" if short else "river.tell.candidate"
    return words(key, step=step, word=_token_data(shown_text(name), words), share=_data(percent(p)))
