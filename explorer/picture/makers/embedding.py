"""Pictures of the model's input: the tokens, their embedding vectors, positions, and the sum of both."""

import attrs
import numpy as np

from explorer.errors import NoPositionVectors
from explorer.lang import Words
from explorer.picture.kinds import Caption, Heatmap, Strips, TokenRow
from explorer.picture.makers.heatmaps import caption, nothing_added, places_note, robust_band, tap_heatmap
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale, robust_scale
from explorer.presets import title_in
from explorer.state.look import Look
from explorer.tokens.token import Token
from explorer.trace.found.difference import VocabularyPair
from explorer.trace.trace import Trace

_OF_OTHERS = ("tokens", "positions", "segments", "output")
_SAME = 1e-5  # of the largest number; sums in another order differ by less
_MOST_TOLD = 12  # tokens that a note names
_MOST_PLACES = 512  # positions that are compared in pairs; all pairs of thousands take a second


def embedding_strips(trace: Trace, look: Look, words: Words) -> Strips:
    """Embedding vectors before and after the factor √d_model [position, feature]. Each band has its own scale.

    Models of others have no such factor, or none that is seen.
    """
    made = _strips(trace, look, words, ("tokens",) if trace.of_others else ("tokens", "scaled"))
    return captioned(made, title=words("picture.embedding"))


def sum_strips(trace: Trace, look: Look, words: Words) -> Strips:
    """Scaled embedding + positions = input [position, feature]. One scale for all three lets the eye add them.

    Models of others may add no positions, or segments too, and may normalize the sum.
    """
    parts = _OF_OTHERS if trace.of_others else ("scaled", "positions", "output")
    narrow = trace.of_others and trace.shape(f"{look.side}.embedding.tokens")[-1] != trace.card.d_model
    made = _strips(trace, look, words, parts[:-1] if narrow else parts)  # Vectors of another width stand on no common axis.
    # output[p] = scaled[p] + positions[p]
    every = np.concatenate([band.values.ravel() for band in made.bands])
    if trace.of_others:
        made = captioned(made, formula="", note=_apart(trace, made, words))
    scale = robust_scale(every, look.signed_colours)
    return attrs.evolve(made, bands=tuple(attrs.evolve(band, scale=scale) for band in made.bands))


def _apart(trace: Trace, made: Strips, words: Words) -> str:
    """A sentence for a foreign model that normalizes or widens the sum before it uses it; "" for any other."""
    width = made.bands[0].values.shape[-1]
    if trace.card.d_model != width:
        return words("picture.sum_is_projected", width=width, stream=trace.card.d_model)
    *parts, output = (band.values.astype(np.float64) for band in made.bands)
    apart = float(np.abs(np.sum(parts, axis=0) - output).max(initial=0.0))
    return "" if apart <= _SAME * max(1.0, float(np.abs(output).max(initial=0.0))) else words("picture.sum_goes_on")


def _strips(trace: Trace, look: Look, words: Words, parts: tuple[str, ...]) -> Strips:
    if trace.of_others:  # The first and the last are there in all models whose embedding is known.
        parts = tuple(part for part in parts if part in (parts[0], parts[-1]) or f"{look.side}.embedding.{part}" in trace)
    taps = [f"{look.side}.embedding.{part}" for part in parts]
    bands = [tap_heatmap(trace, tap, look, words) for tap in taps]
    short = [words(f"stage.embedding.{part}.short") for part in parts]
    return Strips(
        bands=tuple(
            attrs.evolve(robust_band(band), caption=attrs.evolve(band.caption, title=title))
            for band, title in zip(bands, short, strict=True)
        ),
        caption=caption(trace, taps[-1], words),
    )


def position_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The recorded positions of this text [position, feature]."""
    made = tap_heatmap(trace, f"{look.side}.embedding.positions", look, words)
    return captioned(made, note=places_note(trace, look.side, words))


def similarity_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """Cosine similarity of the recorded positions [position, position]: how alike two positions look to the model.

    Raises NoPositionVectors where nothing is added to the input: zero vectors have no angle.
    """
    made = position_map(trace, look, words)
    tap = made.caption.tap
    rows = trace[tap][:_MOST_PLACES].astype(np.float64)  # [position, feature]
    if not rows.any():
        raise NoPositionVectors(why=nothing_added(trace, words))
    axis = attrs.evolve(made.rows, labels=made.rows.labels[:_MOST_PLACES])
    norms = np.linalg.norm(rows, axis=1, keepdims=True)  # [position, 1]
    # cos(p, q) = PE[p]·PE[q] / (|PE[p]|·|PE[q]|); NaN for a row of zeros
    unit = np.divide(rows, norms, where=norms > 0, out=np.full_like(rows, np.nan))
    return attrs.evolve(
        made,
        values=(unit @ unit.T).astype(np.float32),  # [position, position]
        rows=axis,
        columns=axis,
        levels=None,
        scale=Scale(-1.0, 1.0, look.signed_colours),
        caption=Caption(
            title=words("picture.similarity"),
            tap=tap,
            formula="cos(PE[p], PE[q])",
            note=made.caption.note,
            shape=f"[position {len(rows)}, position {len(rows)}]",
            origin="computed",
        ),
    )


def source_tokens(trace: Trace, look: Look, words: Words) -> TokenRow:
    """The source's tokens; empty for a decoder-only model."""
    return _token_row(trace, "source", trace.source, trace.tokens.source, words)


def target_tokens(trace: Trace, look: Look, words: Words) -> TokenRow:
    """The target's tokens; empty for an encoder-only model."""
    return _token_row(trace, "target", trace.target, trace.tokens.target, words)


def has_other_vocabulary(trace: Trace) -> bool:
    """Whether another model is pinned whose vocabulary is another one, as far as both are known."""
    other = trace.compared_with
    return other is not None and bool(trace.symbols) and bool(other.symbols) and trace.symbols != other.symbols


def other_tokens(trace: Trace, words: Words, pair: VocabularyPair) -> TokenRow:
    """The tokens of the pinned pass, with how many tokens both vocabularies share; `pair` has the pinned one first."""
    other = trace.compared_with
    assert other is not None  # There is a pair.
    there, here = (f"{each:,}" for each in pair.sizes)
    note = [words("vocabularies.sizes", here=here, there=there, shared=f"{pair.shared:,}")]
    for key, only in (("only_there", pair.only[0]), ("only_here", pair.only[1])):
        if only:
            more = " …" if len(only) > _MOST_TOLD else ""
            note.append(words(f"vocabularies.{key}", tokens=" ".join(only[:_MOST_TOLD]) + more))
    row = other.tokens.target or other.tokens.source
    return TokenRow(
        chips=row,
        side="",  # It is looked at alone: what is cut by hand is the present sentence.
        text=other.target if other.tokens.target else other.source,
        caption=Caption(
            title=words("vocabularies.title", name=title_in(words, other.preset) if other.preset else other.card.name),
            tap="",
            name="tokens.pinned",
            shape=f"[position {len(row)}]",
            note="  ".join(note),
            origin="computed",
        ),
    )


def _token_row(trace: Trace, side: str, text: str, tokens: tuple[Token, ...], words: Words) -> TokenRow:
    return TokenRow(
        chips=tokens,
        side=side,
        text=text,
        caption=Caption(title=words(f"picture.tokens_{side}"), tap="", shape=f"[position {len(tokens)}]"),
    )
