"""Fits the Jacobian lens of a trained preset, and measures how often both lenses agree with the output.

J is fitted on validation rows and measured on test rows of a data file: nothing was trained on either. A fit that was stopped
resumes from its checkpoint with the same result.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import torch
from torch import Tensor

from explorer import resources
from explorer.config import counting_knobs
from explorer.engine.experiments.jacobian import carried
from explorer.engine.experiments.jacobian_sums import jacobian_sums
from explorer.engine.experiments.lens_file import Fitted, weights_hash, write_fitted
from explorer.engine.experiments.output_weights import final_reading, stream_readings, stream_taps
from explorer.engine.experiments.taking_gradients import seen_at
from explorer.engine.sources.source import never
from explorer.engine.sources.translator import Translator
from explorer.errors import BadCheckpoint, BadWeights, EmptySplit
from explorer.json_text import read_json_text
from explorer.model.weights_file import read_about, read_copies, write_tensors
from explorer.presets import LENS, load_preset
from explorer.tokens.bilingual import Pair
from explorer.tokens.segment import Segmenter
from explorer.trace.found.lens import Agreement
from explorer.training.batches import Batch
from explorer.training.corpus import Corpus, read_corpus
from explorer.training.prepare import example
from explorer.training.teach import checked_translator, make

CHECKPOINT = "lens.checkpoint.safetensors"
_KEPT_EVERY = 20  # sentences between two checkpoints
FITTED_ON, MEASURED_ON = "valid", "test"
"""The splits of a data file on which J is fitted and measured."""


@attrs.frozen(kw_only=True)
class Fitting:
    """What to fit: a preset, the data file with its rows, how many validation sentences, and the seed that draws them.

    Agreement is measured on `measured` test sentences, 0 for all. The file goes into the folder `out`, usually the preset's.
    """

    preset: str
    data: Path
    out: Path
    sentences: int = 200
    measured: int = 0
    seed: int = 0


@attrs.frozen
class FittingStep:
    """The progress: the part ("fit" or "measure"), and how many of how many sentences are done."""

    part: str
    done: int
    of: int


class LensFitter:
    """Fits a lens. The constructor prepares, `steps()` fits and measures, `finish()` writes the file.

    J is fitted on `rows`, of which `done` are done, and measured on `held_out`.
    """

    def __init__(self, wish: Fitting) -> None:
        """Read data and weights. Raises NotTrained, NotATranslator, BadFile, EmptySplit."""
        self.wish = wish
        preset = checked_translator(load_preset(wish.preset))
        self.config = preset.config.changed(dropout_active=False, device="cpu")
        self.translator = Translator(preset)
        self.model = self.translator.model(self.config)
        assert self.model.decoder is not None  # A Translator generates words.
        self.taps = stream_taps(self.model.decoder)
        self.weights = weights_hash(self.model)
        self._segmenter = Segmenter(resources.cache_folder())
        corpus = read_corpus(wish.data).read_by(self.translator.bilingual)
        self.rows = _drawn(_fitting(corpus, FITTED_ON, wish.data), wish.sentences, wish.seed)
        self.held_out = _drawn(_fitting(corpus, MEASURED_ON, wish.data), wish.measured, wish.seed)
        self._sums, self._places, self.done = self._begun()
        self._agreement: Agreement | None = None

    def _about(self) -> dict[str, Any]:
        """What a checkpoint must agree with for this fit to resume from it."""
        wish = self.wish
        return {"sentences": len(self.rows), "seed": wish.seed, "data": wish.data.name, "weights_sha256": self.weights}

    def _begun(self) -> tuple[dict[str, Tensor], int, int]:
        """Sums, positions and sentences of this fit's checkpoint; zeros without one."""
        n = self.config.d_model
        nothing = {tap: torch.zeros(n, n, dtype=torch.float64) for tap in self.taps[:-1]}, 0, 0
        path = self.wish.out / CHECKPOINT
        if not path.is_file():
            return nothing
        try:
            about = read_json_text(read_about(path)["fit"])
            sums = read_copies(path)
            if {name: about[name] for name in self._about()} != self._about() or sums.keys() != nothing[0].keys():
                return nothing
            return sums, int(about["places"]), int(about["done"])
        except (BadWeights, KeyError, TypeError, ValueError) as error:
            raise BadCheckpoint(path=str(path), reason=str(error)[:80]) from error

    def steps(self) -> Iterator[FittingStep]:
        """Fit sentence by sentence, then measure. Raises CannotWrite, DiskFull."""
        while self.done < len(self.rows):
            batch = self.batch(self.rows[self.done])
            for tap, found in jacobian_sums(self.model, batch.source, batch.given, never).items():
                self._sums[tap] += found.double()
            self._places += batch.given.shape[1]
            self.done += 1
            if self.done % _KEPT_EVERY == 0:
                self._keep()
            yield FittingStep("fit", self.done, len(self.rows))
        self._keep()
        yield from self._measured()

    def _keep(self) -> None:
        about = {**self._about(), "places": self._places, "done": self.done}
        write_tensors(self.wish.out / CHECKPOINT, self._sums, {"fit": json.dumps(about)})

    @property
    def matrices(self) -> dict[str, Tensor]:
        """J by tap [out feature, in feature]: the mean over all positions so far, rounded as in the file."""
        return {tap: (total / max(1, self._places)).half().float() for tap, total in self._sums.items()}

    def _measured(self) -> Iterator[FittingStep]:
        matrices = self.matrices
        counts = torch.zeros(2, len(self.taps), dtype=torch.int64)  # [lens or Jacobian lens, tap]
        places = 0
        for done, row in enumerate(self.held_out, 1):
            batch = self.batch(row)
            agrees = agreeing(self, batch, matrices)  # [lens or Jacobian lens, tap, position]
            counts += agrees.sum(dim=-1)
            places += agrees.shape[-1]
            yield FittingStep("measure", done, len(self.held_out))
        lens, jacobian = (tuple(row) for row in counts.tolist())
        self._agreement = Agreement(self.taps, lens, jacobian, places, len(self.held_out), len(self.rows))

    def batch(self, row: Pair) -> Batch:
        """A sentence pair as a batch of one row."""
        return make([example(row, self.translator.bilingual, self._segmenter)])

    def finish(self) -> Path:
        """Write the lens and remove the checkpoint. `steps` must have ended. Raises CannotWrite, DiskFull."""
        assert self._agreement is not None  # It was measured.
        path = self.wish.out / LENS
        recipe = {
            **self._about(),
            "places": self._places,
            "fitted_on": FITTED_ON,
            "measured_on": MEASURED_ON,
            "estimator": "mean over places of the sum over this place and all later ones",
        }
        write_fitted(path, Fitted(self.matrices, self.weights, counting_knobs(self.config), self._agreement, recipe))
        (self.wish.out / CHECKPOINT).unlink(missing_ok=True)
        return path

    @property
    def agreement(self) -> Agreement:
        """The measured agreement. `steps` must have ended."""
        assert self._agreement is not None  # It was measured.
        return self._agreement


def agreeing(fitter: LensFitter, batch: Batch, matrices: dict[str, Tensor]) -> Tensor:
    """[lens or Jacobian lens, tap, position] True where a layer's likeliest word is the output's; of one sentence."""
    model = fitter.model
    assert model.decoder is not None  # A Translator generates words.
    final = final_reading(model.decoder)
    with torch.inference_mode():
        with seen_at(model, fitter.taps) as seen:
            best = model(batch.source, batch.given)[0].argmax(dim=-1)  # [position]
        read = [normalized(seen[tap]) for tap, normalized in stream_readings(model.decoder)]
        read += [final(carried(seen[tap], matrices, tap)) for tap in fitter.taps]
        said = model.generator.project(torch.cat(read)).argmax(dim=-1)  # [lens and tap, position]
        agrees: Tensor = said.reshape(2, len(fitter.taps), -1) == best
        return agrees


def _fitting(corpus: Corpus, split: str, path: Path) -> Sequence[Pair]:
    pairs = corpus.split(split)
    if not pairs:
        raise EmptySplit(path=str(path), split=split)
    return pairs


def _drawn(pairs: Sequence[Pair], count: int, seed: int) -> tuple[Pair, ...]:
    """`count` of the pairs, drawn with a seed; all of them for 0."""
    if not 0 < count < len(pairs):
        return tuple(pairs)
    return tuple(random.Random(seed).sample(list(pairs), count))
