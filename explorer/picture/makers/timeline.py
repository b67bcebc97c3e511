"""The steps of decoding in a row: the token that each generated, and its probability. For a language model, the text's."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.makers.folded import wants_words
from explorer.picture.makers.heatmaps import caption
from explorer.picture.makers.output import written
from explorer.picture.picture import captioned
from explorer.picture.scales import unit_scale
from explorer.state.look import Look
from explorer.trace.measures.measures import log_p
from explorer.trace.trace import Trace
from explorer.trace.word_groups import before, folds, word_text


def timeline(trace: Trace, look: Look, words: Words) -> Timeline:
    """Each step with its symbol, probability, log-probability (nats) and rank, all [step].

    Where nothing is expected of the model, the steps are the text's own tokens and the probabilities are NaN; a trained
    language model has a probability for each token but the first.

    Where the Look shows words, a word that was written in several steps is one of them (see `_in_words`).
    """
    made = _steps(trace, look, words)
    return _in_words(made, trace, words) if wants_words(look) else made


def _steps(trace: Trace, look: Look, words: Words) -> Timeline:
    tap = "generator.probabilities"
    n_steps, n_symbols = trace[tap].shape
    made = Timeline(
        labels=tuple(written(trace, step) for step in range(n_steps)),
        probabilities=np.full(n_steps, np.nan, np.float32),
        chosen=look.step(trace),
        caption=attrs.evolve(caption(trace, tap, words), title=words("timeline.title"), note=words("timeline.nothing_asked")),
        n_symbols=n_symbols,
        side=trace.side_name(tap, "position"),
        scale=unit_scale(look.unit_colours),
    )
    if not trace.expected:
        is_language_model = trace.trained and trace.card.architecture == "decoder-only" and n_steps > 1
        return _read(made, trace, words) if is_language_model else made
    steps, ids = np.arange(n_steps), np.array(trace.expected)
    log_ps = log_p(trace["generator.logits"], ids)  # [step]
    # log P(y) = Σ_t log P(y_t | y_<t, x)
    total = float(log_ps.sum())
    note = words("timeline.sum", total=number(total), count=n_steps, perplexity=number(perplexity(log_ps)))
    return attrs.evolve(
        made,
        probabilities=trace[tap][steps, ids],  # [step], P of the symbol that was written
        log_p=log_ps,
        ranks=_ranks(trace, ids),
        shift=1,
        caption=attrs.evolve(made.caption, note=note, origin="computed", formula="log P = Σ<sub>t</sub> log P(y<sub>t</sub>)"),
    )


def _read(made: Timeline, trace: Trace, words: Words) -> Timeline:
    """The tokens of a text with the probability that a language model gave to each, after the tokens before it."""
    ids = np.array([token.id for token in trace.tokens.target[1:]])
    # log P(token t) stands at position t - 1.
    log_ps = log_p(trace["generator.logits"][:-1], ids)  # [position - 1]
    probabilities = made.probabilities.copy()
    probabilities[1:] = trace["generator.probabilities"][np.arange(len(ids)), ids]
    told = (
        words("timeline.read_first", symbol=made.labels[0]),
        *(
            words("timeline.read", step=step, symbol=label, value=number(float(probabilities[step])), before=before)
            for step, (before, label) in enumerate(zip(made.labels, made.labels[1:], strict=False), 1)
        ),
    )
    note = words("timeline.read_note", count=len(ids), perplexity=number(perplexity(log_ps)))
    return attrs.evolve(
        made,
        probabilities=probabilities,
        alike=True,
        told=told,
        caption=attrs.evolve(made.caption, title=words("timeline.read_title"), note=note, origin="computed"),
    )


def _in_words(made: Timeline, trace: Trace, words: Words) -> Timeline:
    """The steps with those of one word together: its probability is the product of theirs, its log-probability the sum."""
    along = trace.side("generator.probabilities")
    groups = trace.word_groups[trace.side_name("generator.probabilities", "position")]
    if made.shift:
        groups = before(groups, len(made.labels))

    def label(group: tuple[int, ...]) -> str:
        places = [step + made.shift for step in group]
        return made.labels[group[0]] if places[0] >= len(along) else word_text([along[place] for place in places])

    probabilities = made.probabilities.astype(np.float64)
    made = attrs.evolve(
        made,
        labels=tuple(map(label, groups)),
        # P(word) = Π_t P(y_t | y_<t, x), over the tokens t of the word
        probabilities=np.array([probabilities[list(group)].prod() for group in groups], np.float32),
        log_p=None if made.log_p is None else np.array([made.log_p[list(group)].sum() for group in groups]),
        ranks=tuple(made.ranks[group[0]] if len(group) == 1 else 0 for group in groups) if made.ranks else (),
        told=tuple(made.told[group[0]] for group in groups) if made.told else (),
        chosen=next(place for place, group in enumerate(groups) if made.chosen in group),
        groups=groups,
        pieces=tuple(tuple((made.labels[step], float(probabilities[step])) for step in group) for group in groups),
    )
    if not folds(groups) or np.isnan(probabilities).all():
        return made
    return captioned(made, note=made.caption.noted(words("timeline.words_note")))


def perplexity(log_p: NDArray[np.float64]) -> float:
    """The perplexity: among how many equally likely symbols the model chose at each step, on average."""
    # perplexity = exp(−1/n · Σ_t log P(y_t)); beyond the largest float it becomes infinite and is shown as ∞.
    with np.errstate(over="ignore"):
        return float(np.exp(-log_p.mean()))


def _ranks(trace: Trace, ids: NDArray[np.int_]) -> tuple[int, ...]:
    """The rank of each step's symbol among all symbols, 1 for the likeliest; equal logits share the better rank."""
    logits = trace["generator.logits"]
    own = logits[np.arange(len(ids)), ids][:, None]  # [step, 1]
    # rank[t] = 1 + |{j: z[t, j] > z[t, y_t]}|
    return tuple(int(rank) for rank in 1 + (logits > own).sum(axis=1))
