"""Pictures of a pass with changes beside the one without: the translation word by word, and the head that differs most.

Both passes read the words of the unchanged translation, so a row is the same word in both.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.causal_kinds import Reworded, Rewording
from explorer.picture.cell_text import has_no_effect, told_difference
from explorer.picture.kinds import Caption, Heatmap
from explorer.picture.layout.rewording import SCALE_NAT
from explorer.picture.makers import compare
from explorer.picture.makers.findings import finding
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale
from explorer.state.breaks import broken_in
from explorer.state.look import Look, attentions
from explorer.trace.arrays import Array
from explorer.trace.found.consequences import written_words
from explorer.trace.found.findings import Unchanged
from explorer.trace.measures.measures import log_p
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.trace import Trace

_ROUNDING = 1e-6  # Weights of the two passes that differ by no more are the same.
LOOP = 5  # A word that is repeated so often in a row is a loop.


def is_changed(trace: Trace) -> bool:
    """Whether a change is made in a pass, or a knob turned that the change page switches."""
    return bool(trace.changes or broken_in(trace))


def beside(trace: Trace) -> Unchanged | None:
    """The pass without changes; None until it is computed."""
    return finding(trace, "unchanged", Unchanged)


def rewording(trace: Trace, look: Look, words: Words) -> Rewording | None:
    """The translation before and after, and how probable each word of the one before is to both models.

    None while the pass without changes is computed.
    """
    scale = Scale(-SCALE_NAT, SCALE_NAT, look.signed_colours)
    made = Caption(title=words("change.translation"), tap="generator.logits", name="translation", shape="", origin="beside")
    if not trace.expected:
        row = tuple(Reworded(token.text, token.text) for token in trace.tokens.target or trace.tokens.source)
        return Rewording(words=row, scale=scale, caption=attrs.evolve(made, note=words("change.no_translation")))
    if not is_changed(trace):
        row = tuple(Reworded(word, word) for word, _log_p in _words_of(trace, np.zeros(len(trace.expected))) if word)
        told = attrs.evolve(made, note=words("change.nothing_yet"), hint=words("change.nothing_hint"), origin="recorded")
        return Rewording(words=row, scale=scale, caption=told)
    found = beside(trace)
    if found is None:
        return None
    row = unlooped(_reworded(found, trace, words))
    note = _note(row, words)
    shape = f"[word {len(row)}]"
    formula = "Δ log p = log p<sub>after</sub> − log p<sub>before</sub>"
    return Rewording(words=row, scale=scale, caption=attrs.evolve(made, note=note, shape=shape, formula=formula))


def _reworded(found: Unchanged, trace: Trace, words: Words) -> tuple[Reworded, ...]:
    """The words of both translations in shared columns; a word that was replaced stands above the one in its place."""
    before = _words_of(found.trace, _log_p(found.trace))
    fed = _words_of(found.trace, _log_p(found.fed))  # the same words
    after = [word for word, _log_p in _words_of(trace, np.zeros(len(trace.expected))) if word]
    told = [word for word, _log_p in before if word]
    made: list[Reworded] = []
    for _tag, a, b, c, d in SequenceMatcher(None, told, after, autojunk=False).get_opcodes():
        for place in range(max(b - a, d - c)):
            old = a + place if a + place < b else -1
            new = after[c + place] if c + place < d else ""
            made.append(Reworded("", new) if old < 0 else Reworded(told[old], new, before[old][1], fed[old][1]))
    if len(before) > len(told):  # The end of the sentence is no word, and is predicted like one.
        made.append(Reworded(words("change.end"), words("change.end"), before[-1][1], fed[-1][1]))
    return tuple(made)


def unlooped(row: Sequence[Reworded]) -> tuple[Reworded, ...]:
    """The row in which a word that is repeated five times or more stands once, with the count: "no ×34"."""
    made: list[Reworded] = []
    said = [place for place, each in enumerate(row) if each.after]
    gone: set[int] = set()
    told: dict[int, str] = {}
    for word, places in groupby(said, key=lambda place: row[place].after):
        run = list(places)
        if len(run) >= LOOP:
            told[run[0]] = f"{word} ×{len(run)}"
            gone.update(run[1:])
    for place, each in enumerate(row):
        after = "" if place in gone else told.get(place, each.after)
        if each.before or after:
            made.append(attrs.evolve(each, after=after))
    return tuple(made)


def _words_of(trace: RecordedPass, log_ps: NDArray[np.float64]) -> list[tuple[str, float]]:
    """The words of the expected target, each with the sum of its pieces' log p; the end symbol is the word ""."""
    return written_words(trace.expected, trace.symbols, log_ps.tolist())


def _log_p(trace: RecordedPass) -> NDArray[np.float64]:
    """log p of each expected symbol [step] (nats)."""
    return log_p(trace["generator.logits"], np.array(trace.expected))


def _note(row: Sequence[Reworded], words: Words) -> str:
    """A sentence with the word of the largest change, or that no word changes."""
    hit = max(row, key=lambda each: abs(each.difference or 0.0), default=None)
    if hit is None or hit.difference is None or all(each.difference is None or has_no_effect(each.difference) for each in row):
        return words("change.no_effect")
    return words("change.most", word=hit.before, difference=told_difference(hit.difference))


def shown_head(trace: Trace, look: Look) -> Look:
    """The Look at the head whose map differs most, or at the page's own head, as `look.changed_head` says.

    Where no attention weight differs it is the page's own head too.
    """
    found = beside(trace)
    look = attrs.evolve(look, stage="weights", beside_layer=-1, beside_head=-1)  # The same head of both passes.
    if found is None or look.changed_head == "looked":
        return look
    _largest, (attention, layer, head) = _most_changed(found, trace, look)
    return attrs.evolve(look, attention=attention, layer=layer, head=head)


def _most_changed(found: Unchanged, trace: Trace, look: Look) -> tuple[float, tuple[str, int, int]]:
    """The largest difference of a weight, with its attention, layer and head; 0 and the Look's where none differs."""
    largest, place = 0.0, (look.attention, look.layer, look.head)
    for attention in attentions(trace):
        for layer in trace.card.attention_layers(attention):
            tap = attrs.evolve(look, attention=attention, layer=layer).attention_tap("weights")
            # difference[h] = max over q and k of |fed[h, q, k] − before[h, q, k]|
            difference = np.nan_to_num(np.abs(found.fed[tap] - found.trace[tap])).max(axis=(1, 2))  # [head]
            head = int(difference.argmax())
            if difference[head] > max(largest, _ROUNDING):
                largest, place = float(difference[head]), (attention, layer, head)
    return largest, place


def map_before(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The head's weights without the changes."""
    both = _pair(trace)
    made = None if both is None else compare.aside(both, shown_head(trace, look), words)
    return None if made is None else _named(made, "before", shown_head(trace, look), words, changes=0)


def map_after(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The head's weights with the changes, over the same words."""
    both = _pair(trace)
    if both is None:
        return None
    shown = shown_head(trace, look)
    return _named(compare.now(both, shown, words), "after", shown, words)


def map_difference(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The weights after minus those before, on one scale from −1 to 1."""
    both = _pair(trace)
    made = None if both is None else compare.difference(both, shown_head(trace, look), words)
    if made is None:
        return None
    told = attrs.evolve(made.caption, formula=words("change.difference_formula"))
    made = attrs.evolve(made, scale=Scale(-1.0, 1.0, look.signed_colours), caption=told)
    named = _named(made, "difference", shown_head(trace, look), words)
    return captioned(named, note=_unmoved(trace, look, made.values, words))


def _unmoved(trace: Trace, look: Look, difference: Array, words: Words) -> str:
    """A sentence for a pass in which no attention weight changed, or none of this head; "" for any other."""
    found = beside(trace)
    if found is None or (np.abs(np.nan_to_num(difference)) > _ROUNDING).any():
        return ""
    return words("change.no_weight_here" if _most_changed(found, trace, look)[0] > 0 else "change.no_weight")


def _pair(trace: Trace) -> Trace | None:
    """The changed pass over the unchanged words, with the unchanged one to compare with; None while both are computed."""
    found = beside(trace)
    if found is None:
        return None
    both = attrs.evolve(found.fed, compared_with=found.trace)
    assert isinstance(both, Trace)  # The compute thread makes no other RecordedPass.
    return both


def _named(made: Heatmap, which: str, shown: Look, words: Words, changes: int | None = None) -> Heatmap:
    """The map with a title that names which of the three it is, and the head."""
    title = f"{words(f'change.{which}')} · {told_head(shown, words)}"
    tap = f"{made.caption.tap}.{which}"  # It is not what this pass recorded under the tap's name.
    return captioned(made, title=title, tap=tap, note="", origin="beside", changes=changes)


def told_head(look: Look, words: Words) -> str:
    """Attention, layer and head in few words."""
    return f"{words(f'attention_short.{look.attention}')} {words('picture.head', layer=look.layer, head=look.head)}"
