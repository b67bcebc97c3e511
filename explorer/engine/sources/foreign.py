"""A foreign model from a folder: its own tokenizer reads the text, and a model with both sides generates the target itself.

A folder is opened when a Wish first asks for it, and its model is kept until another one is asked for.
"""

import copy
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.devices import present
from explorer.engine.model_version import model_version
from explorer.engine.recording.memory import check_memory
from explorer.engine.sources.folder_files import folder_version
from explorer.engine.sources.source import KnownTaps, Places, Row, Sentence, of_one_side, silent
from explorer.engine.sources.writes import ForeignSteps
from explorer.engine.speed.threads import threads
from explorer.errors import (
    BeyondPositions,
    IdOutsideModel,
    KnobDoesNothing,
    NoEndSymbol,
    NotNumbers,
    NoTokenFor,
    NoTokens,
    TooLong,
    TooManyCharacters,
)
from explorer.foreign.adapter import Adapter, Added, Dressed, read_adapter
from explorer.foreign.classes import ended, shifted
from explorer.foreign.going_on import PARTS, go_on
from explorer.foreign.model import Foreign
from explorer.foreign.opening import Opened
from explorer.foreign.probing import probed
from explorer.foreign.thin import lending
from explorer.foreign.where import move
from explorer.model.ids import ids_tensor
from explorer.model.tap import taps
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, Superseded, stoppable
from explorer.tokens.chat import Template, read_template
from explorer.tokens.chat_prompt import Prompt
from explorer.tokens.fenced_tokenizer import FencedTokenizer
from explorer.tokens.token import Token
from explorer.tokens.written_ids import IdTokenizer, tokens_of_ids, written_ids
from explorer.trace.arrays import frozen_array
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens

_EXAMPLES = slice(4, 8)  # tokens that a sentence names; the first ones of a vocabulary are often special
_FLOAT = 4  # bytes
_MOST_WRITTEN = 128  # tokens of a target that the model writes itself
_MOST_KNOWN = 32  # targets that the model wrote, which are not written again


class ForeignModel:
    """The ModelSource of one opened folder."""

    def __init__(
        self,
        opened: Opened,
        card: ModelCard,
        tokenizer: FencedTokenizer | IdTokenizer,
        path: Path,
        template: Template | None = None,
    ) -> None:
        self.foreign, self._card, self.tokenizer, self._path = opened.foreign, card, tokenizer, path
        self._prompted: tuple[str, Prompt] | None = None  # A text and its prompt, which `tokenize` and then `decode` ask for.
        self._template = template  # A template in a file of its own is read when a text is first prompted with it.
        self._most_letters = tokenizer.most_letters(card.max_len)
        self._symbols = tokenizer.symbols(card.vocab_size)
        n_read = card.sides[0].vocab_size  # Some models have no output over them.
        self._read = self._symbols if n_read == card.vocab_size else tokenizer.symbols(n_read)
        self._dressed = Dressed(opened.foreign.model, opened.foreign.model.base_model_prefix)
        self._adapter: Adapter | None = None
        self._known: OrderedDict[object, tuple[int, ...]] = OrderedDict()
        self._adapted: tuple[object, ForeignModel] | None = None

    def with_adapter(self, path: Path) -> "ForeignModel":
        """The source of the same model with an adapter, which is put on by the next pass; the model is one for both.

        The last one is kept until its folder's files change. Raises BadFolder, BadWeights.
        """
        version = path.absolute(), folder_version(path)
        if self._adapted is None or self._adapted[0] != version:
            made = copy.copy(self)
            made._adapter, made._adapted, made._known = read_adapter(path), None, OrderedDict()
            made._card = attrs.evolve(self._card, name=f"{self._card.name} + {path.absolute().name}")
            self._adapted = version, made
        return self._adapted[1]

    def added_weights(self) -> dict[str, Added]:
        """What the adapter adds, by the name of the weight; {} without an adapter. Raises AdapterDoesNotFit."""
        return {} if self._adapter is None else self._dressed.added(self._adapter)

    def alone(self) -> "ForeignModel":
        """The same source with nothing kept of what its model wrote before."""
        made = copy.copy(self)
        made._known, made._adapted = OrderedDict(), None
        return made

    def card(self, config: Config, name: str = "", trained: bool = False) -> ModelCard:
        """The card of the model with the knobs of a Config. Its name is the folder's, and its weights are trained."""
        if config.temperature == self._card.temperature:
            return self._card
        return attrs.evolve(self._card, temperature=config.temperature)

    def taps(self, config: Config) -> KnownTaps:
        """The taps of the model by name."""
        return taps(self.foreign)

    def tokenize(self, wish: Wish) -> Row:
        """The tokens of the typed text, with the special ones of the model.

        Raises BadText, TooLong, KnobDoesNothing, NoChatTemplate, BadTemplate.
        """
        if not wish.trained:
            raise KnobDoesNothing(name="trained")
        return self._short_enough(self._row(wish, self._few_letters(wish.text)))

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""
        return self._row(wish, text[: self._most_letters])[: self._card.max_len]

    def tokens_of(self, text: str) -> Row:
        """The tokens of a text outside any Wish, with the special ones of the model. Raises BadText, TooLong."""
        return self._short_enough(self._known_ids(self.tokenizer.tokenize(self._few_letters(text)), text))

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """The tokens of the sides that the model has. A model with both writes its target, greedily, unless one was typed.

        Raises BadText, TooLong, Superseded.
        """
        prompt = self._prompt(wish.text).text if wish.chat else ""
        alone = of_one_side(self._card.architecture, source, wish.text, prompt)
        if alone is not None:
            return alone
        if self.foreign.classes is not None:
            return Sentence(Tokens(source, self._read_again(source, wish)), wish.text, prompt=prompt)
        if wish.target is not None:
            row = (self._begin(), *self.tokenizer.tokenize(self._few_letters(wish.target), special=False))
            return Sentence(
                Tokens(source, self._short_enough(self._known_ids(row, wish.target, side=-1))), wish.target, prompt=prompt
            )
        ids = self._written(source, wish.config, changing, stop)
        target = tuple(self.tokenizer.token(number) for number in ids)
        return Sentence(Tokens(source, target), self.tokenizer.decode(ids), prompt=prompt)

    def _read_again(self, source: Row, wish: Wish) -> Row:
        """What the decoder of a classifier reads: the text, moved on by one place. Raises KnobDoesNothing, NoEndSymbol."""
        if wish.target is not None:
            raise KnobDoesNothing(name="target")
        config, ids = self.foreign.model.config, [token.id for token in source]
        if ended(config) not in ids:
            raise NoEndSymbol(path=str(self._path), end=ended(config))
        return self._known_ids(tuple(self.tokenizer.token(number) for number in shifted(ids, config)), side=-1)

    def symbols(self, config: Config, tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        """The symbol of each id of the output, or of what the encoder reads: they are the same, where there is an output."""
        return self._read if of_source else self._symbols

    def ready(self, config: Config, recorded_bytes: int, stop: Stop, progress: Progress) -> Foreign:
        """The model with these knobs, for a pass that records `recorded_bytes`.

        Raises NotEnoughMemory, NoSuchDevice, AdapterDoesNotFit, NotNumbers.
        """
        check_memory(self._card, recorded_bytes, held=_FLOAT * self._card.parameters)
        self.foreign.turned.temperature = config.temperature
        self._wear()
        move(self.foreign.model, present(config.device))
        lender = lending(self.foreign.model)
        if lender is not None:  # The weights of a large model are read while it computes.
            lender.going = stoppable(progress, stop)
        return self.foreign

    def _wear(self) -> None:
        """Put the adapter on, and take it off again if a short pass comes to NaN. Raises AdapterDoesNotFit, NotNumbers."""
        adapter, is_new = self._adapter, self._adapter is not self._dressed.adapter
        self._dressed.wear(adapter)
        if adapter is None or not is_new:
            return
        try:
            if probed(self.foreign.model).isnan().any():
                raise NotNumbers(path=str(adapter.path))
        except BaseException:  # Also where the weights of a large model are no longer wanted while they are read.
            self._dressed.wear(None)
            raise

    def run(self, model: Foreign, sentence: Sentence) -> None:
        """Make one pass over both sides. Raises BeyondPositions."""
        source, target = sentence.tokens.source, sentence.tokens.target
        with _beyond_positions(max(len(source), len(target))):
            model(_ids(source), _ids(target))

    def parts_before(self, model: Foreign) -> tuple[str, ...]:
        """The queries, keys and values of a causal model; () of any other, and of one whose weights are lent."""
        return tuple(f"{name}.{part}" for name in model.attentions for part in PARTS) if model.goes_on else ()

    def run_after(self, model: Foreign, sentence: Sentence, n: int, before: Mapping[str, Tensor]) -> None:
        """Make one pass over the tokens behind the first `n`. Raises BeyondPositions."""
        with _beyond_positions(len(sentence.tokens.target)):
            go_on(model, ids_tensor(tuple(token.id for token in sentence.tokens.target[n:])), before)

    def places(self, model: Foreign, n: int) -> Places:
        """[position, feature] the first side's table of positions, zeros where nothing is added; the second's if it differs."""
        found = [model.table(side.name, n, self._card.max_len) for side in self._card.sides]
        zeros = torch.zeros(n, self._card.d_model)
        tables = [frozen_array((zeros if each is None else each).float().cpu().numpy().copy()) for each in found]
        return tables[0], None if len(tables) == 1 or np.array_equal(tables[0], tables[-1]) else tables[1]

    def _row(self, wish: Wish, text: str) -> Row:
        """The tokens of a text, or of the whole prompt that the model's chat template makes of it.

        Those of the prompt have places in the text where they stand in it. Raises BadText, NoChatTemplate, BadTemplate.
        """
        if wish.by_ids or isinstance(self.tokenizer, IdTokenizer):
            ids = written_ids(text) if wish.by_ids else self.tokenizer.tokenize(text)
            row = tokens_of_ids(ids, self._read)
            return tuple(attrs.evolve(each, special=self.tokenizer.token(each.id).special) for each in row)
        if not wish.chat:
            return self._known_ids(self.tokenizer.tokenize(text), text)
        prompt = self._prompt(text)
        return prompt.within(self._known_ids(self.tokenizer.tokenize(prompt.text, special=False)))

    def _prompt(self, text: str) -> Prompt:
        """The whole prompt that the model's chat template makes of a text. Raises NoChatTemplate, BadTemplate."""
        if self._template is None:
            self._template = read_template(self._path)
        if self._prompted is None or self._prompted[0] != text:
            self._prompted = text, self._template.prompt(text)
        return self._prompted[1]

    def to_go_on_with(self, wish: Wish, row: Row) -> Row:
        """The tokens of a text without the special ones behind it, or of a whole prompt; () if it is no language model."""
        if self._card.architecture != "decoder-only" or not self.foreign.has_output:
            return ()
        n = len(row)
        while not wish.chat and n > 1 and row[n - 1].special:
            n -= 1
        return row[:n]

    def steps(self, model: Foreign) -> ForeignSteps:
        """Steps with the model's own cache."""
        return ForeignSteps(model)

    def ends(self, wish: Wish) -> frozenset[int]:
        """The ids that the model's settings name as the end."""
        told = (
            getattr(each, "eos_token_id", None) for each in (self.foreign.model.config, self.foreign.model.generation_config)
        )
        return frozenset(
            number for each in told for number in (each if isinstance(each, list) else [each]) if number is not None
        )

    def said(self, wish: Wish, ids: Sequence[int], after: Sequence[int]) -> str:
        """What the ids add to the text of those before them, with the space between the two."""
        before, whole = self.tokenizer.decode(tuple(after)), self.tokenizer.decode((*after, *ids))
        return whole[len(before) :] if whole.startswith(before) else self.tokenizer.decode(tuple(ids))

    def _begin(self) -> Token:
        return self._known_ids((self.tokenizer.token(max(self._card.begin, 0)),), side=-1)[0]

    def _few_letters(self, text: str) -> str:
        """The text itself. Raises TooManyCharacters before it is tokenized, which takes long for one that cannot fit."""
        if len(text) > self._most_letters:
            raise TooManyCharacters(limit=self._most_letters, got=len(text))
        return text

    def _known_ids(self, row: Row, text: str = "", side: int = 0) -> Row:
        """The tokens themselves, of a text. Raises NoTokens for none, IdOutsideModel if a side has no vector for one."""
        if not row:
            raise NoTokens(path=str(self._path))
        size = self._card.sides[side].vocab_size
        for token in row:
            if token.id >= size and not token.known and text:
                pieces = [each for each in self._read[:size] if each.strip()]
                example = ", ".join(pieces[_EXAMPLES])
                raise NoTokenFor(path=str(self._path), piece=text[token.start : token.end], example=example)
            if not 0 <= token.id < size:
                raise IdOutsideModel(path=str(self._path), token=token.text, id=token.id, size=size)
        return row

    def _short_enough(self, row: Row) -> Row:
        """The tokens themselves. Raises TooLong if there are more than the model has positions."""
        if len(row) > self._card.max_len:
            raise TooLong(limit=self._card.max_len, got=len(row))
        return row

    def _written(self, source: Row, config: Config, changing: Changing, stop: Stop) -> tuple[int, ...]:
        """The ids of the begin symbol and of what the model says; the last ones are kept. Raises Superseded.

        A further page asks for the same target again, and to write it takes up to 128 steps.
        """
        ids = tuple(token.id for token in source)
        key = ids, config.temperature, changing.changes, changing.key, model_version(self.foreign)
        if key not in self._known:
            self._known[key] = self._written_anew(ids, config, changing, stop)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def _written_anew(self, source: tuple[int, ...], config: Config, changing: Changing, stop: Stop) -> tuple[int, ...]:
        """At each step the likeliest token, until the model ends, or its table of positions does. Raises Superseded."""
        foreign, written = self.ready(config, 0, stop, silent), [self._begin().id]
        most = min(_MOST_WRITTEN, self._card.max_len)
        torch.set_num_threads(threads(self._card, len(source)))
        with torch.inference_mode(), changing.inside(foreign):
            ids = ids_tensor(source)
            with _beyond_positions(len(source)):
                memory = foreign.encode(ids)
            # Changes may need to see all tokens at once: then each step is a pass over all of them.
            cached = None if changing.changes else ForeignSteps(foreign, memory)
            while len(written) < most:
                if stop():
                    raise Superseded
                try:
                    if cached is None:
                        logits = foreign(ids, torch.tensor([written]), memory)
                    else:
                        logits = cached.extend(torch.tensor([written[-1:]]))
                except IndexError:  # The last token stands behind the end of the table, and is taken back.
                    return tuple(written[:-1]) or tuple(written)
                likeliest = int(logits[0, -1].argmax())
                if likeliest == self._card.end:
                    break
                written.append(likeliest)
        return tuple(written)


@contextmanager
def _beyond_positions(n_tokens: int) -> Iterator[None]:
    """Say what a model means that looks for a position behind the end of its table. Raises BeyondPositions."""
    try:
        yield
    except IndexError as error:
        raise BeyondPositions(got=n_tokens) from error


def _ids(row: Row) -> Tensor | None:
    """[batch 1, position] the ids of a side; None for a side that the model lacks."""
    return ids_tensor(tuple(token.id for token in row)) if row else None
