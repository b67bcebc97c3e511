"""Each token of a text hidden in turn: one batch with a row for each, instead of a pass for each."""

import numpy as np
import torch

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import fetched, stopping
from explorer.engine.experiments.runs import device_of
from explorer.engine.sources.source import Model, ModelSource, Row
from explorer.engine.speed.threads import WORK_OF_A_SECOND, batch_threads, pass_work
from explorer.errors import EmptyText, NoMaskToken, SlowToHide
from explorer.model.hooks import hooked
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.cloze import Cloze
from explorer.trace.measures.measures import log_p
from explorer.trace.recorded_pass import Tokens

_CELLS_AT_ONCE = 2**23  # cells at most of the maps of one attention in a batch, and of its logits
_CANDIDATES = 20
_MOST_SECONDS = 60.0  # in the window


def to_fill_in(source: ModelSource, wish: Wish) -> tuple[Row, int]:
    """The tokens of a text for a masked model, and the id of its mask. Raises NoMaskToken, BadText, TooLong."""
    row = source.tokenize(wish)
    card = source.card(wish.config)
    if card.mask < 0 or card.architecture != "encoder-only" or not card.vocab_size:
        raise NoMaskToken(name=wish.preset)
    return row, card.mask


def check_quick(source: ModelSource, wish: Wish, row: Row) -> None:
    """Refuse a text that takes minutes, as many passes as it has tokens. Raises SlowToHide."""
    seconds = len(row) * pass_work(source.card(wish.config), len(row)) / WORK_OF_A_SECOND
    if seconds > _MOST_SECONDS:
        raise SlowToHide(count=len(row), seconds=seconds)


def cloze(
    source: ModelSource, model: Model, wish: Wish, row: Row, mask: int, changing: Changing, stop: Stop, progress: Progress
) -> Cloze:
    """What the model says where each token of the row is hidden. Raises EmptyText, Superseded."""
    places = [place for place, token in enumerate(row) if not token.special]
    if not places:
        raise EmptyText
    card, ids = source.card(wish.config), torch.tensor([token.id for token in row], device=device_of(model))
    n = len(row)
    at_once = max(1, min(len(places), _CELLS_AT_ONCE // max(card.sides[0].n_heads * n * n, n * card.vocab_size)))
    torch.set_num_threads(batch_threads(card, at_once * n))

    found = []
    with torch.inference_mode(), changing.inside(model), hooked(model, stopping(stop)):
        for first in range(0, len(places), at_once):
            hidden = torch.tensor(places[first : first + at_once])
            batch = ids.repeat(len(hidden), 1)  # [row, position]
            rows = torch.arange(len(hidden))
            batch[rows, hidden] = mask
            found.append(fetched(model(batch, None)[rows, hidden]))  # [row, vocab]
            progress((first + len(hidden)) / len(places))
    return _told(source, wish, row, places, torch.cat(found).float().numpy(), mask)


def _told(source: ModelSource, wish: Wish, row: Row, places: list[int], logits: Array, mask: int) -> Cloze:
    own = np.array([row[place].id for place in places])
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True, dtype=np.float64)
    likeliest = np.argsort(-logits, axis=1, kind="stable")[:, :_CANDIDATES]  # [place, rank]
    symbols = source.symbols(wish.config, Tokens(row))
    named = {int(each) for each in (*likeliest.ravel(), mask)}
    names = {each: symbols[each] if each < len(symbols) and symbols[each] else f"#{each}" for each in named}
    return Cloze(
        mask=names[mask],
        positions=tuple(places),
        tokens=tuple(row[place].text for place in places),
        ids=tuple(own.tolist()),
        log_p=log_p(logits, own),
        ranks=1 + (logits > logits[np.arange(len(own)), own][:, None]).sum(axis=1),
        candidates=likeliest,
        probabilities=frozen_array(np.take_along_axis(shares, likeliest, axis=1)),
        names=names,
        n_symbols=logits.shape[1],
    )
