"""A Postcard of a pass with changes: its translation before and after, for somebody without the program."""

import math

from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard, Reworded, Rewording
from explorer.picture.change_text import told_changed
from explorer.picture.kinds import Caption
from explorer.picture.makers.changed import is_changed, map_after, map_before, rewording
from explorer.presets import titles
from explorer.state.breaks import broken_in
from explorer.state.look import Look
from explorer.trace.change_groups import change_groups
from explorer.trace.found.consequences import Breaks
from explorer.trace.trace import Trace
from explorer.version import __version__


def postcard(trace: Trace, look: Look, words: Words, breaks: Breaks | None = None) -> Postcard | None:
    """The Postcard of a changed pass; `breaks` is the search in which its changes were tried on other sentences.

    None where nothing is changed or nothing is written, and while the pass without changes is computed.
    """
    reworded = rewording(trace, look, words) if is_changed(trace) and trace.expected else None
    if reworded is None:
        return None
    row = reworded.words[:-1] if _ends(reworded, words) else reworded.words
    return Postcard(
        sentence=trace.source,
        changes=_capital(told_changed(trace, words)),
        words=row,
        map_before=map_before(trace, look, words),
        map_after=map_after(trace, look, words),
        about=_about(trace, words),
        hit=_hit(reworded.words, words),
        rate=_rate(trace, breaks, words),
        made_by=words("postcard.made_by", version=__version__, parameters=f"{trace.parameters:,}"),
        model=model_name(trace, words),
        caption=Caption(title=words("postcard.title"), tap="postcard", shape="", origin="beside"),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ends(reworded: Rewording, words: Words) -> bool:
    """Whether the last word is the end of the sentence, which no reader looks for."""
    return bool(reworded.words) and reworded.words[-1].before == words("change.end")


def _about(trace: Trace, words: Words) -> str:
    """What a single switch of the whole model means; of other changes, how many there are."""
    turned = broken_in(trace)
    if len(turned) == 1 and not trace.changes and f"postcard.about.{turned[0]}" in words:
        return words(f"postcard.about.{turned[0]}")
    return words("postcard.about_changes", count=len(turned) + len(change_groups(trace.changes, trace.card.sides[0].n_heads)))


def _hit(row: tuple[Reworded, ...], words: Words) -> str:
    """The probability of the word that is hit most, without and with the change."""
    known = [each for each in row if each.log_p is not None and each.log_p_after is not None]
    if not known:
        return ""
    hit = max(known, key=lambda each: abs(each.difference or 0.0))
    assert hit.log_p is not None and hit.log_p_after is not None  # `known` has only such words.
    before, after = (_told_p(math.exp(value)) if value <= 0 else "NaN" for value in (hit.log_p, hit.log_p_after))
    return words("postcard.hit", word=hit.before, before=before, after=after)


def _told_p(p: float) -> str:
    """A probability with three decimals; a smaller one as a power of ten."""
    return f"{p:.3f}" if p >= 0.001 or p == 0 else f"{p:.0e}"


def _rate(trace: Trace, breaks: Breaks | None, words: Words) -> str:
    """The share of sentences that change, and that this one was picked where the search has found it."""
    if breaks is None or not len(breaks):
        return ""
    share = f"{breaks.share:.0%}".replace("%", " %")
    picked = any(each.source == trace.source for each in breaks.kept)
    key = "postcard.rate_picked" if picked else "postcard.rate"
    return words(key, tried=len(breaks), changed=breaks.changed, share=share)


def model_name(trace: Trace, words: Words) -> str:
    """The knobs that are turned, as the command line calls them, and how many changes are made inside the pass."""
    turned = [f"{name} = {str(trace.knob(name)).lower()}" for name in broken_in(trace)]
    inside = [words("change.badge_about", count=len(trace.changes))] if trace.changes else []
    return " · ".join((*turned, *inside, *titles((trace.preset,))))  # A path would tell others whose computer it was.
