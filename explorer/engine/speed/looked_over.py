"""A greedy translation that the recorded pass itself looks over.

A pass over a whole translation gives the likeliest next word after each of its words, and all that a recording shows. So the
translation is guessed first, with rounded weights or by taking the last one of the same sentence, and then recorded. If the
pass says just these words, they are the greedy translation and the recording is the answer. If it says another word, the
guess goes on from there, and is recorded again. Leviathan et al. 2023, section 2, with a rounded model as the smaller one.

The Trace is that of a pass over a known target, bit for bit, since it is the same pass. The probabilities in the search tree
are those of the recording.

Decision: a typed key's guess is the translation of a moment ago, and behind a wrong word known pairs of words; it takes as many
rows as it has. Rejected: other guesses (4.5 to 5.3 steps in place of 4.8) and fewer rows a step (9 to 12 ms in any case),
because none saves time.
"""

from collections.abc import Callable

import attrs
import torch
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.decoding.beam import Beam, Candidates, Decoding, Ids, check_prefix, longest
from explorer.engine.decoding.greedy import written
from explorer.engine.decoding.incremental import Steps
from explorer.engine.recording.recorder import Begun, Recording, joined, record
from explorer.engine.speed.quick import QuickSteps, quick_state, steps_of
from explorer.engine.speed.threads import decoding_threads, threads
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.own_card import card_of
from explorer.trace.search_tree import Search

_MOST_PASSES = 4  # Nearly always one is enough. Passes of different lengths could disagree about two equally likely words.


@attrs.frozen
class Guess:
    """The last translation that this one may be like. It is of the `same` sentence, or of the one before a key."""

    ids: Ids
    same: bool


@torch.inference_mode()
def looked_over(
    model: Transformer,
    source: Ids,
    begun: Begun,
    decoding: Decoding,
    guess: Guess,
    changing: Changing,
    stop: Stop,
    check: Callable[[], None],
) -> tuple[Search, Begun] | None:
    """The greedy translation with the whole recorded pass, or None if no guess was confirmed.

    `can_guess` must be True. Raises TooLong for a prefix that leaves no room for another token, Superseded.
    """
    check_prefix(model.config.max_len, decoding)
    limit = max(longest(len(source), model.config.max_len), len(decoding.prefix) + 1)
    with changing.inside(model):
        # With changes no rounded weights can be taken, and most changes leave the translation as it is.
        if guess.same and changing.changes:
            ids = guess.ids[:limit]
        else:
            ids = written(_steps(model, begun.memory), decoding.prefix, guess.ids, limit, decoding.no_repeat_ngram, check)
        for _ in range(_MOST_PASSES):
            check()
            recording, logits = _recorded(model, ids, len(source), begun.memory, stop)
            search, said = _said(logits, ids, Beam(limit, decoding))
            if search is not None and said == ids:
                return search, Begun(begun.memory, joined(begun.recording, recording), ids)
            finished = search is not None or len(said) >= limit
            ids = said if finished else written(_steps(model, begun.memory), said, ids, limit, decoding.no_repeat_ngram, check)
    return None


@torch.inference_mode()
def recorded_to_end(model: Transformer, n_source: int, target: Ids, begun: Begun, stop: Stop) -> Begun:
    """The whole recorded pass over a known target, without changes. Raises Superseded."""
    recording, _logits = _recorded(model, target, n_source, begun.memory, stop)
    return Begun(begun.memory, joined(begun.recording, recording), target)


def _steps(model: Transformer, memory: Tensor) -> Steps:
    torch.set_num_threads(decoding_threads(card_of(model.config), 1))
    state = quick_state(model)
    return steps_of(model, memory) if state is None else QuickSteps(model, memory, rounded=True, state=state)


def _recorded(model: Transformer, ids: Ids, n_source: int, memory: Tensor, stop: Stop) -> tuple[Recording, Tensor]:
    """The decoder's part of the recorded pass over a target, and its logits [row, vocab]."""
    torch.set_num_threads(threads(card_of(model.config), max(n_source, len(ids) + 1)))
    with record(model, stop) as recording:
        logits: Tensor = model.generator(model.decode(ids_tensor((BEGIN, *ids)).to(memory.device), memory))
    return recording, logits[0]


def _said(logits: Tensor, ids: Ids, beam: Beam) -> tuple[Search | None, Ids]:
    """The tree, if the translation has an end, and the words that greedy decoding says: up to the first other one."""
    candidates, said = Candidates(logits.log_softmax(dim=-1), 1), []
    for row, expected in enumerate((*ids, None)):
        _, chosen = beam.advance(candidates, row)
        if beam.done:
            search = beam.result()
            return search, search.best
        said += chosen
        if chosen != [expected]:
            break
    return None, tuple(said)
