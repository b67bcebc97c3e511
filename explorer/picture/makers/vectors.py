"""Pictures of vectors: a token's nearest neighbours in the vocabulary, all vectors on a plane, and the cosines of sentences."""

import numpy as np

from explorer.errors import LacksTap
from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Bars, Caption, Heatmap, VectorMap
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import shape_badge
from explorer.picture.scales import Scale
from explorer.state.look import Look
from explorer.trace.found.similarity import Similarity
from explorer.trace.measures.measures import is_word
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace
from explorer.trace.vectors import SideVectors, Vectors

_LISTED = 12  # neighbours


def chosen_token(trace: Trace, look: Look) -> int:
    """The position of the token whose neighbours are shown: the chosen one, or the first word."""
    found = side_vectors(trace, look)
    texts = () if found is None else found.tokens
    if 0 <= look.vector < len(texts):
        return look.vector
    return next((place for place, text in enumerate(texts) if is_word(text) and not text.startswith("<")), 0)


def side_vectors(trace: Trace, look: Look) -> SideVectors | None:
    """The vectors of the chosen side; None until they are computed."""
    found = finding(trace, "vectors", Vectors)
    return None if found is None else found.sides.get(look.side)


def neighbours(trace: Trace, look: Look, words: Words) -> Bars | None:
    """The symbols whose vectors point most nearly the same way as the chosen token's, with the cosines."""
    found = side_vectors(trace, look)
    if found is None:
        return None
    token = chosen_token(trace, look)
    cosines = found.cosines[token][:_LISTED]
    kept = int((cosines > 0).sum())  # An angle of more than 90° is no likeness.
    tap = f"{look.side}.embedding.tokens"
    return Bars(
        values=cosines[:kept],
        labels=tuple(found.names[int(each)] for each in found.nearest[token][:kept]),
        scale=Scale(0.0, 1.0, look.unit_colours),
        caption=Caption(
            title=words("vectors.nearest_to", token=found.tokens[token]),
            tap=tap,
            shape=f"[vocab {found.n_symbols}, feature {found.n_features}]",
            formula="cos(E[a], E[b])",
            note="" if trace.trained else words("vectors.untrained"),
            origin="beside",
            changes=0,  # They are rows of the embedding, whatever a pass changes.
        ),
    )


def vector_map(trace: Trace, look: Look, words: Words) -> VectorMap | None:
    """The vocabulary and the ways of the tokens on the plane along which they differ most. Raises UnknownTap, LacksTap."""
    found = side_vectors(trace, look)
    if found is None:
        return None
    token = chosen_token(trace, look)
    row_of = {int(symbol): row for row, symbol in enumerate(found.sampled)}
    tap = f"{look.side}.embedding.output"
    if not found.taps and tap in trace:
        raise LacksTap(name="vectors", tap=tap, why="absent.other_width")
    return VectorMap(
        cloud=found.cloud,
        names=tuple(found.names[int(each)] for each in found.sampled),
        path=found.path,
        taps=found.taps,
        places=tuple(_place(each, words) for each in found.taps),
        tokens=found.tokens,
        side=trace.side_name(tap, "position"),
        chosen=token,
        near=tuple(row_of[int(each)] for each in found.nearest[token] if int(each) in row_of),
        caption=Caption(
            title=words("vectors.map"),
            tap=tap,
            shape=shape_badge(trace, tap),
            formula="PCA of x / |x|",
            note=_note(trace, found, words),
            origin="beside",
        ),
    )


def _place(tap: str, words: Words) -> str:
    layer = place_of(tap).layer
    return words("vectors.input") if layer is None else words("vectors.behind", layer=layer)


def _note(trace: Trace, found: SideVectors, words: Words) -> str:
    """The share of the variance that the plane shows, whether the vocabulary was sampled, and what untrained weights mean."""
    x, y = (rough(100 * share, 2) for share in found.shares)
    told = [words("vectors.shares", x=x, y=y, both=rough(100 * float(np.sum(found.shares)), 2))]
    if len(found.sampled) < found.n_symbols:
        told.append(words("vectors.sampled", shown=len(found.sampled), count=found.n_symbols))
    if not trace.trained:
        told.append(words("vectors.untrained"))
    return " ".join(told)


def cosine_map(found: Similarity, look: Look, words: Words) -> Heatmap:
    """[sentence, sentence] the cosine of the angle between their vectors, always on the scale from −1 to 1."""
    n, width = found.vectors.shape
    ways = " + ".join(words(f"similarity.way.{way}") for way in found.pooling)
    note = words("similarity.note" if found.told else "similarity.note_assumed", ways=ways, width=width)
    axis = Axis(words("similarity.sentence"), found.texts, numbered=False)
    return Heatmap(
        values=found.cosines,
        rows=axis,
        columns=axis,
        scale=Scale(-1.0, 1.0, look.signed_colours),
        caption=Caption(
            title=words("similarity.title"),
            tap="similarity",
            shape=f"[sentence {n}, sentence {n}]",
            formula="cos = a·b / (‖a‖ ‖b‖)",
            note=note,
            origin="beside",
        ),
    )
