"""Generation and more, by kind of model: translations, continuations, clozes, sentence vectors."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.api.asking import as_text, request_of
from explorer.api.lending import alone
from explorer.api.waiting import watched
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from typing import Unpack

    from explorer.config import KnobValues
    from explorer.trace.changes import Change
    from explorer.trace.found.cloze import Cloze
    from explorer.trace.found.continuation import Continuation
    from explorer.trace.found.similarity import Similarity


def translate(text: str, beam: int = 4, preset: str | Path = DEFAULT) -> str:
    """The translation of `text` by a trained preset, by beam search over `beam` sentences (1: greedy).

    Raises explorer.errors.ExplorerError for anything a caller can correct; its `str()` is the sentence.
    """
    from explorer.config import BEAM
    from explorer.errors import NotTrained

    beam = int(BEAM.check(beam))
    with alone() as computer:
        translator = computer.sources.translator(str(preset))
        if translator is None:
            raise NotTrained(name=str(preset))
        return translator.translate(computer.sources.source_ids(as_text(text), translator), beam)


def generate(
    text: str,
    preset: str | Path = "language-model",
    *,
    tokens: int = 20,
    sampling_temperature: float | None = None,
    top_k: int | None = None,
    top_p: float | None = None,
    sampling_seed: int | None = None,
    begin: "Iterable[int | str]" = (),
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Continuation":
    """The continuation of `text` by a language model: at most `tokens` tokens, fewer if the model ends the text. See
    Continuation.

    Without a `sampling_seed` each token is the likeliest; with one it is sampled at this temperature (None: 0.8) from the
    `top_k` likeliest tokens (None or 0: all) and the likeliest ones that reach `top_p` together (None: 0.9; 1: all). `begin`
    are the first tokens, ids or texts, which are given and not chosen, so that a continuation can branch. Every step is
    recorded, with the model's own KV cache; `.trace` is the Trace of all steps together. `preset` has a language model, or is
    a folder with a causal Hugging Face model.
    Raises explorer.errors.ExplorerError for anything a caller can correct, such as NotALanguageModel and BadKnob.
    """
    from explorer.trace.choices import N_WRITTEN
    from explorer.trace.found.continuation import Sampling

    request = request_of(text, None, preset, trained, changes, knobs)
    sampling = Sampling.asked(sampling_seed, sampling_temperature, top_k, top_p)
    most = int(N_WRITTEN.check(tokens))
    with watched() as (stop, progress), alone() as computer:
        return computer.writing.continuation(request.wish, tuple(begin), most, sampling, stop, progress)


def cloze(text: str, preset: str | Path, *, changes: "Iterable[Change]" = (), **knobs: "Unpack[KnobValues]") -> "Cloze":
    """A masked language model's predictions with each token of `text` masked in turn; `.total` is the pseudo-log-likelihood.

    `preset` is a folder with a masked language model, such as BERT, or one that was trained here. All positions are computed in
    batches; see Cloze. Raises explorer.errors.ExplorerError for anything a caller can correct, such as NoMaskToken.
    """
    request = request_of(text, None, preset, True, changes, knobs)
    with watched() as (stop, progress), alone() as computer:
        return computer.writing.cloze(request.wish, stop, progress)


def similar(
    texts: "Iterable[str]", preset: str | Path, *, changes: "Iterable[Change]" = (), **knobs: "Unpack[KnobValues]"
) -> "Similarity":
    """The similarity of several texts by a sentence model: `.cosines` [text, text], `.vectors`.

    `preset` is a folder with an encoder without an output; `modules.json` and the settings of its pooling say how token vectors
    become one vector. Raises explorer.errors.ExplorerError for anything a caller can correct, such as NoSentenceVectors and
    UnknownPooling.
    """
    from explorer.errors import EmptyText

    several = tuple(map(as_text, texts))
    if not several:
        raise EmptyText
    request = request_of(several[0], None, preset, True, changes, knobs)
    with watched() as (stop, progress), alone() as computer:
        return computer.writing.similarity(request.wish, several, stop, progress)
