"""A task's examples in ids, with the vocabulary that its alphabet gives. Nothing is learned for it and nothing is read."""

import hashlib
import random
from pathlib import Path

import attrs

from explorer.config import Config
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.pieces import MARK
from explorer.tokens.vocabulary import END, MASK, PAD, SPECIALS, Vocabulary
from explorer.training.batches import BatchRow, Example, Ids, PairExample
from explorer.training.prepare import PreparedData
from explorer.training.tasks import SEPARATOR, Task


@attrs.frozen
class AnsweredExample:
    """A text and its answer in one row of ids; only the answer is predicted, and after a decoder's the end token.

    `given` ends with the separator. `mask` is the id of the mask token, which stands for the whole answer where an encoder
    reads the row; None for a decoder.
    """

    given: Ids
    answer: Ids
    mask: int | None = None

    @property
    def longest(self) -> int:
        """The number of ids of the row."""
        return len(self.given) + len(self.answer)

    @property
    def lengths(self) -> tuple[int, int]:
        """The room that the row takes in a batch."""
        return 0, self.longest

    def row(self, _split_words: float, _drop_stop: float, _rng: random.Random) -> BatchRow:
        """The row of a batch; nothing of it is drawn."""
        if self.mask is not None:
            shown = (*self.given, *(self.mask for _ in self.answer))
            return BatchRow(shown, (), (*(PAD for _ in self.given), *self.answer))
        return BatchRow((), (*self.given, *self.answer), (*(PAD for _ in self.given[1:]), *self.answer, END))

    def again(self, row: BatchRow, _split_words: float, _drop_stop: float, _rng: random.Random) -> BatchRow:
        """The second row for R-Drop: the same one."""
        return row


def prepare_task(task: Task, n_train: int, seed: int, config: Config, folder: Path) -> PreparedData:
    """Draw the examples, and write the vocabularies into the folder. Raises TooFewExamples, CannotWrite, DiskFull."""
    vocabulary = _vocabulary(task, config)
    vocabulary.write(folder)
    ids_of = vocabulary.source.id_of
    mask = ids_of(MASK)

    def ids(text: str) -> Ids:
        found = map(ids_of, text.replace(" ", MARK))
        return tuple(each for each in found if each is not None)  # The alphabet has every character of a task.

    def example(text: str, answer: str) -> Example:
        if config.architecture == "encoder-decoder":
            return PairExample(tuple(((each,),) for each in ids(text)), vocabulary.target_ids(answer))
        return AnsweredExample(ids(text + SEPARATOR), ids(answer), mask)

    train, valid = (tuple(example(*pair) for pair in pairs) for pairs in task.examples(n_train, seed))
    told = f"{task.name} {n_train} {seed}"
    return PreparedData(vocabulary, train, valid, (), hashlib.sha256(told.encode()).hexdigest(), task.text)


def _vocabulary(task: Task, config: Config) -> Bilingual:
    """The task's characters on both sides; in one row also the separator, and for an encoder the mask token.

    A space is MARK.
    """
    alphabet = task.alphabet.replace(" ", MARK)
    if config.architecture == "encoder-decoder":
        both = Vocabulary((*SPECIALS, *alphabet))
        return Bilingual(both, Vocabulary(both.symbols))
    first = (*SPECIALS, MASK) if config.architecture == "encoder-only" else SPECIALS
    return Bilingual.shared(Vocabulary((*first, *sorted({*alphabet, SEPARATOR}))))
