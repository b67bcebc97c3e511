"""The prompts of one model, tokenized, with the model and the changes that their passes are made with.

Decision: a batch has prompts of one length, so there is no padding that a model could see. Rejected: padding behind the end,
which only a causal mask hides, and which alters rotations that depend on the length, means over rows, and what Changes do.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import torch

from explorer.engine.changing import Changing
from explorer.engine.experiments.trials import batch_size
from explorer.engine.passes.lender import Lender, check_in_sentence
from explorer.engine.sources.source import Model, ModelSource, Sentence, silent
from explorer.engine.sources.sources import Sources
from explorer.engine.speed.threads import batch_threads
from explorer.errors import BadPrompt, ChangeIsFunction, ExplorerError, NoPrompts
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.stops import Stop, stop_at
from explorer.trace.found.over_prompts import texts_by_side
from explorer.trace.model_card import ModelCard


@attrs.frozen(eq=False, kw_only=True)
class Prompts:
    """The sentences of some texts, and what their passes are made with; `symbols` are the words of the output by id."""

    wish: Wish
    texts: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    model: Model
    card: ModelCard
    changing: Changing
    symbols: tuple[str, ...]

    @property
    def made_with(self) -> dict[str, Any]:
        """The table of a State with the model, knobs and changes of all passes; empty where a change is a function."""
        try:
            return State(wish=attrs.evolve(self.wish, text="", compared_with=None)).to_table()
        except ChangeIsFunction:  # No file can hold it, and a prompt opened without it would show another pass.
            return {}

    @property
    def about(self) -> dict[str, Any]:
        """What results over these prompts say of them: the fields of OverPrompts that no number is in."""
        tokens = texts_by_side([each.tokens for each in self.sentences])
        return {"prompts": self.texts, "preset": self.wish.preset, "made_with": self.made_with, "tokens": tokens}

    def batches(self) -> Iterator[list[int]]:
        """The numbers of the prompts of each batch: all of the same lengths, and no more than fit into one."""
        by_size: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            by_size[sentence.sizes].append(number)
        for sizes, numbers in by_size.items():
            most = batch_size(self.card, max(sizes))
            for first in range(0, len(numbers), most):
                some = numbers[first : first + most]
                torch.set_num_threads(batch_threads(self.card, len(some) * max(sizes)))
                yield some


def prepared(sources: Sources, lender: Lender, wish: Wish, texts: Sequence[str], stop: Stop) -> Prompts:
    """The prompts of a Wish, whose own text does not count.

    Raises NoPrompts, BadPrompt for a text that cannot be used, Superseded, and what opening the model raises.
    """
    if not texts:
        raise NoPrompts
    source, changing = sources.of(wish, stop), Changing()
    sentences: list[Sentence] = []
    for number, text in enumerate(texts):
        stop_at(stop)
        own = attrs.evolve(wish, text=text)
        try:
            row = source.tokenize(own)
            changing = lender.changing(own, source, len(row), stop, silent)
            sentence = source.decode(own, row, own.beam, changing, stop)
            check_in_sentence(own, source, sentence, changing)
        except ExplorerError as error:
            if len(texts) == 1:
                raise
            raise BadPrompt(number=number, reason=str(error)) from error
        sentences.append(attrs.evolve(sentence, begun=None))
    return Prompts(
        wish=wish,
        texts=tuple(texts),
        sentences=tuple(sentences),
        model=_ready(source, wish, stop),
        card=source.card(wish.config, wish.preset, wish.uses_trained),
        changing=changing,
        symbols=_symbols(source, wish, sentences[0]),
    )


def _ready(source: ModelSource, wish: Wish, stop: Stop) -> Model:
    return source.ready(wish.config, 0, stop, silent)


def _symbols(source: ModelSource, wish: Wish, first: Sentence) -> tuple[str, ...]:
    """The symbols of the output, or the names of the classes; of vocabularies made from each text there are none for all."""
    classes = source.card(wish.config).classes
    if classes is not None:
        return tuple(classes.labels)
    return () if wish.config.vocabulary == "sentence" else source.symbols(wish.config, first.tokens)
