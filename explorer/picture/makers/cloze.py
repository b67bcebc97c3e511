"""Pictures of a Cloze: the probability of each token when it alone is masked, the predictions there, and the surprise."""

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Bars, Caption
from explorer.picture.scales import Scale, unit_scale
from explorer.state.look import Look
from explorer.trace.found.cloze import Cloze

_OUTPUT = "generator.probabilities"


def least_probable(found: Cloze) -> int:
    """The place whose token the model expects least of all."""
    return int(np.argmin(found.log_p))


def hidden_timeline(found: Cloze, chosen: int, look: Look, words: Words) -> Timeline:
    """Each token with its probability when it alone is masked; the sum of log P is the pseudo-log-likelihood of the text."""
    first, n = found.positions[0], len(found.tokens)
    in_a_row = found.positions == tuple(range(first, first + n))  # No special token stands among them.
    # log P(text) is replaced by Σ_t log P(x_t | all other tokens)
    note = words("cloze.note", total=number(found.total), count=n, mean=number(found.total / n))
    return Timeline(
        labels=found.tokens,
        probabilities=np.exp(found.log_p).astype(np.float32),
        chosen=chosen,
        caption=Caption(
            title=words("cloze.title"),
            tap=_OUTPUT,
            name="cloze",
            shape=f"[token {n}]",
            formula="P(x<sub>t</sub> | x<sub>≠t</sub>)",
            note=note,
            hint=words("cloze.hint"),
            origin="beside",
        ),
        log_p=found.log_p,
        ranks=tuple(found.ranks.tolist()),
        n_symbols=found.n_symbols,
        side="source" if in_a_row else "",
        shift=first,
        scale=unit_scale(look.unit_colours),
        alike=True,
        told=tuple(
            words(
                "cloze.told", token=token, p=number(float(np.exp(log_p))), rank=rank, count=found.n_symbols, log_p=number(log_p)
            )
            for token, log_p, rank in zip(found.tokens, found.log_p.tolist(), found.ranks.tolist(), strict=True)
        ),
    )


def filled_in_bars(found: Cloze, chosen: int, look: Look, words: Words) -> Bars:
    """The model's predictions for the chosen place; the token that stands there comes last if it is not among the likeliest."""
    ids, shares = found.candidates[chosen].tolist(), found.probabilities[chosen].tolist()
    names, own = [found.names[each] for each in ids], found.ids[chosen]
    if own not in ids:
        ids, shares, names = [*ids, own], [*shares, float(np.exp(found.log_p[chosen]))], [*names, found.tokens[chosen]]
    before = "".join(f"{each} " for each in found.tokens[max(0, chosen - 2) : chosen])
    after = "".join(f" {each}" for each in found.tokens[chosen + 1 : chosen + 3])
    return Bars(
        values=np.array(shares, np.float32),
        labels=tuple(names),
        scale=Scale(0.0, 1.0, look.unit_colours),
        chosen=ids.index(own),
        caption=Caption(
            title=words("cloze.filled_in", place=f"{before}{found.mask}{after}"),
            tap=_OUTPUT,
            name="cloze-filled-in",
            shape=f"[vocab {found.n_symbols}]",
            note=words(
                "cloze.filled_in_note", token=found.tokens[chosen], rank=int(found.ranks[chosen]), count=found.n_symbols
            ),
            origin="beside",
        ),
    )


def surprise_bars(found: Cloze, chosen: int, look: Look, words: Words) -> Bars:
    """−log P of each token when it alone is masked (nats), largest first: what the rest of the text says least about."""
    order = np.argsort(found.log_p, kind="stable")  # [bar], places
    values = -found.log_p[order].astype(np.float32)
    return Bars(
        values=values,
        labels=tuple(found.tokens[place] for place in order.tolist()),
        scale=Scale(0.0, max(float(values[0]), 1e-6), look.unit_colours),
        chosen=order.tolist().index(chosen),
        caption=Caption(
            title=words("cloze.surprise"),
            tap=_OUTPUT,
            name="cloze-surprise",
            shape=f"[token {len(values)}]",
            formula="−log P(x<sub>t</sub> | x<sub>≠t</sub>)",
            note=words("cloze.surprise_note"),
            origin="beside",
        ),
    )
