"""A Run: a whole training from a data file to a preset with weights."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from explorer.config import Config
from explorer.engine.devices import chosen_device
from explorer.engine.freed_memory import keep_freed_memory
from explorer.errors import KnobNotAChoice, SentencesNeedOneSide
from explorer.files import make_folder
from explorer.model.weights import Weights, build
from explorer.model.weights_file import FILE, VOCABULARY, load_weights
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual
from explorer.training import checkpoint
from explorer.training.bundle import write_bundle
from explorer.training.prepare import PreparedData, prepare, prepare_texts
from explorer.training.recipe import Precision, Recipe
from explorer.training.training import Training, TrainingStep

_KEPT_BYTES = 2**30
_MASKED_ONLY = {"tokenizer": ("jieba",)}
_ONLY = {
    "architecture": ("encoder-decoder", "decoder-only", "encoder-only"),
    "tokenizer": ("jieba", "bpe"),
    "jieba_hmm": (True,),
}


@attrs.frozen(kw_only=True)
class TrainingSetup:
    """What to train: data, folder, the model's Config (its vocabulary sizes are upper limits), recipe and device.

    The model's tokenizer says which side of the data is the source: jieba reads Chinese, byte-pair encoding English. An
    encoder-decoder becomes a translator, a decoder alone a language model of the source side, and an encoder alone a masked
    language model, of Chinese only. Raises KnobNotAChoice for any other. `sentences` is a file of further sentences for a
    language model.

    `device` "auto" is CUDA if there is one, else MPS. `precision` "auto" is that of the checkpoint, and float32 for a new
    training, so that the same command gives the same weights. `text` is the sentence with which the preset opens, by default
    the first of the validation rows. `start` is the folder of a trained preset: training begins with its vocabularies and
    weights. Without `start` both are new.
    """

    data: Path
    out: Path
    sentences: Path | None = None
    config: Config
    recipe: Recipe
    device: str = "auto"
    precision: str = "auto"
    text: str = ""
    start: Path | None = None

    def __attrs_post_init__(self) -> None:
        for name, choices in (_ONLY | (_MASKED_ONLY if self.is_masked_lm else {})).items():
            got = getattr(self.config, name)
            if got not in choices:
                raise KnobNotAChoice(name=name, choices=", ".join(str(each).lower() for each in choices), got=got)
        if self.sentences is not None and self.translates:
            raise SentencesNeedOneSide

    @property
    def translates(self) -> bool:
        """Whether the model becomes a translator; else it becomes a language model."""
        return self.config.architecture == "encoder-decoder"

    @property
    def is_masked_lm(self) -> bool:
        """Whether the model becomes a masked language model."""
        return self.config.architecture == "encoder-only"


class Run:
    """A training. The constructor prepares it, `steps()` trains, `finish()` writes the preset."""

    def __init__(self, wish: TrainingSetup, progress: Callable[[float], None] = lambda share: None) -> None:
        self.wish = wish
        self.device = chosen_device(wish.device)
        keep_freed_memory(_KEPT_BYTES)
        make_folder(wish.out)
        self.precision: Precision = self._precision()
        if wish.start is not None and not (wish.out / SOURCE_FILE).exists():
            (Bilingual.read if wish.translates else Bilingual.read_shared)(wish.start).write(wish.out)
        self.prepared = _prepared(wish, progress)
        bilingual = self.prepared.bilingual
        n_target = len(bilingual.target) if wish.translates else 0
        self.config = wish.config.changed(vocab_size=len(bilingual.source), target_vocab_size=n_target)
        self.training = Training(
            build(self.config, self._weights()),
            self.prepared.train,
            self.prepared.valid,
            wish.recipe,
            wish.out,
            device=self.device,
            precision=self.precision,
            about=self._about(),
        )

    def _weights(self) -> Weights | None:
        """The initial weights, None for new ones; a checkpoint has its own. Raises BadWeights."""
        if self.wish.start is None or (self.wish.out / checkpoint.FILE).exists():
            return None
        return load_weights(self.wish.start / FILE, self.config)

    def _precision(self) -> Precision:
        """The precision of the TrainingSetup; for "auto" that of the checkpoint, or float32 without one."""
        path = self.wish.out / checkpoint.FILE
        if self.wish.precision == "auto" and path.exists():
            kept = checkpoint.load(path)[0].about.get("precision")
            return "bfloat16" if kept == "bfloat16" else "float32"
        return "bfloat16" if self.wish.precision == "bfloat16" else "float32"

    def _about(self) -> dict[str, object]:
        """What a checkpoint must agree with for this training to resume from it."""
        return {
            "config": self.config.values(),
            "recipe": attrs.asdict(self.wish.recipe),
            "data_sha256": self.prepared.sha256,
            "precision": self.precision,
            VOCABULARY: self.prepared.bilingual.sha256,
        }

    def perplexities(self, loss: float) -> tuple[float, float]:
        """The perplexity per token and per character of a language model's validation loss (nats per token)."""
        return math.exp(loss), math.exp(loss / self.prepared.characters_per_token)

    def steps(self) -> Iterator[TrainingStep]:
        """Train step by step; see Training.steps."""
        return self.training.steps()

    def finish(self) -> Path:
        """Average the last epochs and write the preset. Raises CannotWrite, DiskFull."""
        history = [attrs.asdict(each) for each in self.training.history]
        write_bundle(
            self.wish.out,
            self.training.averaged(),
            self.config,
            self.prepared.bilingual,
            self.wish.text or self.prepared.first,
            {**self._about(), "history": history},
        )
        return self.wish.out


def _prepared(wish: TrainingSetup, progress: Callable[[float], None]) -> PreparedData:
    if wish.translates:
        return prepare(wish.data, wish.out, wish.config, progress)
    return prepare_texts(wish.data, wish.sentences, wish.out, wish.config, progress)
