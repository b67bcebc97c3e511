"""The picture of a Similarity: the cosine of every two sentences."""

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.scales import Scale
from explorer.state.look import Look
from explorer.trace.found.similarity import Similarity


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
