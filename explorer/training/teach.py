"""Teaches a trained translator further sentences and new source words, without letting it forget the rest.

Li and Hoiem 2016, "Learning without Forgetting": the loss is that on the new sentences plus the divergence of the model's
present probabilities on old sentences from its former ones.
"""

import copy
import random
from collections.abc import Iterator
from pathlib import Path

import attrs
import torch
from torch import Tensor, nn

from explorer import resources
from explorer.engine.sources.translator import Translator
from explorer.errors import BadWord, EmptySplit, NotATranslator, NotTrained, WordOfBytePairs
from explorer.files import make_folder
from explorer.model.weights import Weights, build
from explorer.model.weights_file import VOCABULARY
from explorer.presets import Preset, load_own_preset
from explorer.tokens.bilingual import Bilingual, Pair
from explorer.tokens.graphemes import characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.vocabulary import PAD, UNKNOWN, Vocabulary
from explorer.training.batches import Batch, PairExample, make_batch
from explorer.training.bundle import write_bundle
from explorer.training.corpus import read_corpus
from explorer.training.loss import log_probabilities
from explorer.training.prepare import FULL_STOPS, example

_SOURCE = "encoder.embedding.look_up.weight"


@attrs.frozen(kw_only=True)
class Teaching:
    """What to teach. `own` is a data file with new sentences, `keep` one with old ones; Chinese `words` become source tokens.

    Only the files' training rows are used. Adam's `learning_rate` falls to 0. In each step, `keep_weight` times the divergence
    on `rows` old sentences is added to the loss.
    """

    preset: str
    own: Path
    keep: Path
    out: Path
    words: tuple[str, ...] = ()
    steps: int = 200
    learning_rate: float = 1.5e-4
    keep_weight: float = 60.0
    rows: int = 40
    seed: int = 1


@attrs.frozen
class Taught:
    """One step: the share that is done, the loss on new sentences and the divergence on old ones, in nats per token."""

    step: int
    share: float
    loss: float
    divergence: float


class Teacher:
    """Teaches a translator. The constructor prepares, `steps()` teaches, `finish()` writes the preset."""

    def __init__(self, wish: Teaching) -> None:
        """Read data and weights. Raises NotTrained, NotATranslator, BadText, BadFile, EmptySplit, CannotCreate."""
        self.wish = wish
        for word in wish.words:
            _check_word(word)
        preset = checked_translator(load_own_preset(wish.preset))
        if preset.reads_english and wish.words:
            raise WordOfBytePairs(word=wish.words[0])
        make_folder(wish.out)
        start = Translator(preset)
        self.text = preset.text
        self.bilingual, weights = with_words(start.bilingual, dict(start.model(preset.config).state_dict()), wish.words)
        self.config = preset.config.changed(vocab_size=len(self.bilingual.source))
        self.model = build(self.config, weights)
        self.before = copy.deepcopy(self.model)
        segmenter = Segmenter(resources.cache_folder())
        own = _with_and_without_stop(_pairs(wish.own, self.bilingual))
        self._own = make([example(pair, self.bilingual, segmenter) for pair in own])
        rng = random.Random(wish.seed)
        old = list(_pairs(wish.keep, self.bilingual))
        rng.shuffle(old)
        needed = (old * (wish.steps * wish.rows // len(old) + 1))[: wish.steps * wish.rows]
        self._old = [example(pair, self.bilingual, segmenter) for pair in needed]

    def steps(self) -> Iterator[Taught]:
        """Teach, step by step."""
        wish, model = self.wish, self.model.requires_grad_(True)
        optimizer = torch.optim.Adam(model.parameters(), lr=wish.learning_rate)
        for step in range(wish.steps):
            for group in optimizer.param_groups:
                group["lr"] = wish.learning_rate * (1 - step / wish.steps)
            loss, divergence = self._losses(make(self._old[step * wish.rows : (step + 1) * wish.rows]))
            optimizer.zero_grad()
            (loss + wish.keep_weight * divergence).backward()  # type: ignore[no-untyped-call]  # torch does not annotate it.
            optimizer.step()
            yield Taught(step + 1, (step + 1) / wish.steps, loss.item(), divergence.item())
        model.requires_grad_(False)

    def _losses(self, old: Batch) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            p = log_probabilities(self.before, old)  # [token, vocab]
        q = log_probabilities(self.model, old)
        # KL(before‖now) = Σ_v P·(log P - log Q), the mean over all tokens
        divergence = nn.functional.kl_div(q, p, log_target=True, reduction="batchmean")
        expected = self._own.expected[self._own.expected != PAD]
        return nn.functional.nll_loss(log_probabilities(self.model, self._own), expected), divergence

    def finish(self) -> Path:
        """Write the preset. Raises CannotWrite, DiskFull."""
        about = {
            "taught": {
                **attrs.asdict(self.wish),
                "preset": Path(self.wish.preset).name,  # No file says which folders this machine has.
                "own": self.wish.own.name,
                "keep": self.wish.keep.name,
                "out": self.wish.out.name,
            },
            VOCABULARY: self.bilingual.sha256,
        }
        write_bundle(self.wish.out, dict(self.model.named_parameters()), self.config, self.bilingual, self.text, about)
        return self.wish.out


def checked_translator(preset: Preset) -> Preset:
    """The preset of a trained translator. Raises NotTrained, NotATranslator for any other."""
    if preset.folder is None:
        raise NotTrained(name=preset.name)
    if not preset.translates:
        raise NotATranslator(name=preset.name)
    return preset


def _check_word(word: str) -> None:
    """Refuse a word that would not fit on one line of the vocabulary's file, or that is invisible. Raises BadWord."""
    if not word or not all(letter.isprintable() and not letter.isspace() for letter in word):
        raise BadWord(word=ascii(word))


def with_words(bilingual: Bilingual, weights: Weights, words: tuple[str, ...]) -> tuple[Bilingual, Weights]:
    """Vocabularies and weights with new source words at the end, each with the mean of its characters' vectors."""
    new = tuple(word for word in dict.fromkeys(words) if bilingual.source.id_of(word) is None)
    table = weights[_SOURCE]
    rows = [
        torch.stack([table[bilingual.source.id_of(word[a:b]) or UNKNOWN] for a, b in characters(word)]).mean(0) for word in new
    ]
    more = Bilingual(Vocabulary((*bilingual.source.symbols, *new)), bilingual.target)
    return more, {**weights, _SOURCE: torch.cat([table, *(row[None] for row in rows)])}


def make(examples: list[PairExample]) -> Batch:
    """A batch of examples in which known words stay whole."""
    rng = random.Random(0)
    return make_batch([each.source_ids(0.0, 0.0, rng) for each in examples], [each.target for each in examples])


def _pairs(path: Path, bilingual: Bilingual) -> tuple[Pair, ...]:
    pairs = read_corpus(path).read_by(bilingual).train
    if not pairs:
        raise EmptySplit(path=str(path), split="train")
    return pairs


def _with_and_without_stop(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs, and those with a full stop once more without it, because people may omit it when they type."""
    return pairs + tuple((source[:-1], target) for source, target in pairs if source.endswith(FULL_STOPS))
