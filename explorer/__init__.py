"""Transformer Explorer: type a sentence and see a whole Transformer at work.

import explorer
explorer.translate("他在图书馆看书。", beam=4)
trace = explorer.explore("我爱北京天安门", preset="translator", temperature=0.5)
trace["encoder.layers.0.self_attn.weights"]     # numpy [head, query, key]
off = explorer.Change("decoder.layers.2.cross_attn.mixed", "scale", head=3, value=0.0)
explorer.explore("我爱北京天安门", changes=[off]).target      # what it says without that head
trace.measures("decoder.cross_attn")["entropy"]         # [layer, head] what each head does, in one number
explorer.why("我爱北京天安门", step=1)                   # the logit of a word against its rival, as a sum of parts
explorer.why("我爱北京天安门").inside("decoder.cross_attn", 1, 4).inside(0, "key", 17)   # down to the embedding
explorer.lens("我爱北京天安门")                          # what each layer would say
explorer.lens("我爱北京天安门", jacobian=True)           # the same, carried through the fitted matrices
explorer.breaks(position="none")                        # the sentences that it breaks most, and the share that it changes
explorer.generate("冬天来了，", tokens=12, sampling_seed=1).text  # what a language model writes after it
explorer.explore("我爱北京天安门", experiments=["vectors"]).neighbours(1)   # the nearest symbols of 爱, with cosines
explorer.scan("sentences.txt", workers=2).rows("entropy")    # what each head does on many sentences
explorer.record(torch.nn.TransformerEncoderLayer(32, 4), torch.zeros(5, 1, 32))      # a Trace of any torch module
trace.figure("encoder.layers.*.self_attn.weights").save("heads.html")       # in a notebook the figure itself is shown
explorer.to_pytorch("我爱北京天安门", "model.py")       # the pass as a script of plain PyTorch, its weights beside it
explorer.show(trace)                                    # the window, in a process of its own
explorer.State.load("lesson.explorer.toml").wish.text   # what a person has set up and saved
explorer.effects("我爱北京天安门").heads                       # numpy [attention, layer, head, word]: Δ log p
"""

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import explorer.lang  # noqa: F401  This import makes str() of an error its sentence.
from explorer.presets import DEFAULT
from explorer.trace.shown import Shown
from explorer.version import __version__

if TYPE_CHECKING:
    from typing import Unpack

    from torch import nn

    from explorer.config import KnobValues
    from explorer.engine.compute import Computer
    from explorer.engine.request import Request
    from explorer.export.showing import OpenWindow
    from explorer.state.state import State
    from explorer.trace.arrays import Array
    from explorer.trace.changes import Change
    from explorer.trace.cloze import Cloze
    from explorer.trace.continuation import Continuation
    from explorer.trace.effects import Effects
    from explorer.trace.findings import Lens
    from explorer.trace.patching import Patching
    from explorer.trace.saliency import Saliency
    from explorer.trace.scan_table import ScanTable
    from explorer.trace.sentence_breaks import Breaks
    from explorer.trace.shown import Presenter
    from explorer.trace.similarity import Similarity
    from explorer.trace.trace import Trace
    from explorer.trace.why import Parts

__all__ = [
    "Change",
    "Effects",
    "State",
    "Trace",
    "__version__",
    "breaks",
    "cloze",
    "effects",
    "explore",
    "generate",
    "lens",
    "patching",
    "postcard",
    "record",
    "saliency",
    "scan",
    "show",
    "similar",
    "steering",
    "to_pytorch",
    "translate",
    "why",
]

_one_at_a_time = threading.Lock()


def explore(
    text: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    experiments: Iterable[str] = (),
    adapter: str | Path | None = None,
    chat: bool = False,
    **knobs: "Unpack[KnobValues]",
) -> "Trace":
    """Run one pass over `text` and return every tensor it recorded.

    `preset` is the name of one, or a folder: one of our own training, or one with a model of others in the layout of Hugging
    Face (config.json, *.safetensors, tokenizer.json), whose own tokenizer and taps are then used. `adapter` is the folder of a
    LoRA adapter in the layout of PEFT, whose matrices are added to the weights of such a model.
    `target` None stands for a trained model's own greedy translation; an untrained model is given the source text itself.
    `trained` False gives random weights in the shape of the trained ones. `changes` are made inside the pass, and also while
    a trained model finds its translation. `experiments` are names of explorer.trace.findings.EXPERIMENTS, which are found out
    beside the pass. `chat` writes the text as a message in the chat template of a model of others: the tokens are those of
    the whole prompt. `knobs` are fields of explorer.config.Config.
    Raises explorer.errors.ExplorerError for anything a caller can correct; its `str()` is the sentence.
    """
    request = _request(text, target, preset, trained, changes, {**knobs, "adapter": adapter}).wishing(chat=chat)
    request = request.asking(experiments=frozenset(experiments))
    with _alone() as computer:
        return computer(request).trace


def record(module: "nn.Module", *inputs: Any, axes: "Mapping[str, str] | None" = None, **named: Any) -> "Trace":
    """Run `module(*inputs, **named)` once, without gradients, and return what was recorded in it.

    These are our Taps in any torch module, and the `weights` [head, query, key] and `output` of every nn.MultiheadAttention.
    The weights are computed once more beside the pass, before dropout, and the module's result stays what it is. The names are
    made from module paths: `layers.3.self_attn` is "encoder.layers.3.self_attn".

    `axes` has further modules whose output is wanted, by path: {"layers.0": "batch position feature"}. A batch has one
    sentence; tokens are positions. While the pass runs, torch's fast path for encoder layers is off, so that attention is
    called at all: numbers may then differ in their last bits from those of a pass on it.
    Raises NoTaps where nothing is found, UnknownTap, BadAxes, SeveralSentences, and whatever the module raises.
    """
    from explorer.engine.recording.any_module import record_module

    return record_module(module, inputs, named, axes)


def why(
    text: str,
    step: int | None = None,
    rival: int | str | None = None,
    *,
    word: int | str | None = None,
    preset: str | Path = DEFAULT,
    **given: Any,
) -> "Parts":
    """Why the model writes a word at a `step` and not a rival: the difference of their logits, as an exact sum of parts.

    `step` None stands for the one where the model was least sure, `word` None for the word that it wrote, `rival` None for
    the likeliest other one; ids or texts. `given` is what `explore` takes. Raises explorer.errors.ExplorerError.

    Each part opens, down to the embedding: `.inside("decoder.cross_attn", 1, 4)` is a head by its keys, and `.inside(0,
    "query", 17)` of that one feature of Q at key 0, by what the stream held that it was made from; its heads open again.
    """
    return explore(text, preset=preset, experiments=("why", "readers"), **given).why(step, rival, word=word)


def lens(text: str, preset: str | Path = DEFAULT, *, jacobian: bool = False, **given: Any) -> "Lens":
    """What each layer of the decoder would say at each position, through the final norm and the generator (logit lens).

    It is exact for the last layer and a heuristic before. `jacobian` carries each layer's stream to the last one's place first,
    through matrices that were fitted for exactly these weights; `.agreement` has what was measured. `given` is what `explore`
    takes. Raises explorer.errors.ExplorerError.
    """
    name = "jacobian" if jacobian else "lens"
    return explore(text, preset=preset, experiments=(name,), **given).lens(jacobian=jacobian)


def effects(
    text: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    word: str | int | None = None,
    edges: str | None = None,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Effects":
    """Switch off each head, attention, feed-forward and source word in turn: what does that do to each word?

    The answer has Δ log p (nats) of every word of the translation, or of every next token of a decoder-only model; see Effects.
    `word` keeps one word alone: its text, or its place from 0. `edges` names a head, such as "decoder.cross_attn.1.4" for
    layer 1, head 4: then `.edges` has what closing each of its cells does, [query, key, word]. All else is as in
    `explore`; the effects are those of the pass with the `changes`. Raises explorer.errors.ExplorerError for anything a caller
    can correct, so UnknownWord and NoSuchPart.
    """
    request = _request(text, target, preset, trained, changes, knobs)
    if edges is not None:
        from explorer.state.focus import Focus

        request = request.asking(focus=Focus.on_head(_text(edges)))
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.

    with _alone() as computer:
        found = questions.effects(computer, request)
    return found if word is None else found.of(word)


def patching(
    text: str,
    other: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Patching":
    """How far each place of each layer, taken from the pass over `other`, brings the answer of `other` back.

    `.map(side, kind).recovered` is [tap, position, step], of heads [tap, head, position, step]: 0 where the answer stays that
    of `text`, 1 where it is that of `other`. The other arguments are those of `explore`.
    Raises explorer.errors.ExplorerError for anything a caller can correct; its `str()` is the sentence.
    """
    request = _request(text, target, preset, trained, changes, knobs).wishing(other=_text(other))
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.

    with _alone() as computer:
        return questions.patching(computer, request)


def saliency(
    text: str,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Saliency":
    """How much each token's input vector does for each word, estimated by gradients. The arguments are those of `explore`.

    `.gradient[side]` and `.integrated[side]` are [word, token] in nats; `.errors` [word] says how far the parts of the
    integral miss their sum. Raises explorer.errors.ExplorerError for anything a caller can correct.
    """
    request = _request(text, target, preset, trained, changes, knobs)
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.

    with _alone() as computer:
        return questions.saliency(computer, request)


def breaks(
    changes: "Iterable[Change]" = (),
    sentences: "Iterable[str] | None" = None,
    preset: str | Path = DEFAULT,
    *,
    beam: int = 1,
    most: int = 300,
    **knobs: "Unpack[KnobValues]",
) -> "Breaks":
    """What changes, or knobs such as position="none", do to the translations of many sentences, and which they break most.

    `sentences` None stands for at most so many of the bundled validation rows, on which nothing was trained. The answer has
    the share of translations that changed and, in `.kept`, the sentences of whose new translation the changed model is sure
    and to which the unchanged one objects most; see Breaks. A `beam` of 1 is greedy.
    Raises explorer.errors.ExplorerError for anything a caller can correct, so NothingChanged and WritesNothing.
    """
    from explorer.config import BEAM
    from explorer.state.held_out import held_out

    request = _request("", None, preset, True, changes, knobs).wishing(beam=int(BEAM.check(beam)))
    tried = held_out(most) if sentences is None else tuple(map(_text, sentences))[:most]
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.

    with _alone() as computer:
        return questions.breaks(computer, request.wish, tried)


def scan(
    source: "str | Path | Iterable[str]",
    measures: Iterable[str] = ("entropy", "previous", "first", "induction", "alignment", "probability"),
    out: str | Path | None = None,
    *,
    column: str = "",
    preset: str | Path = DEFAULT,
    best: int = 10,
    workers: int = 1,
    ray: str | None = None,
    resume: bool = False,
    trained: bool = True,
    **knobs: Any,
) -> "ScanTable":
    """Measure every head on many sentences: of each measure the mean, deviation, histogram, and the `best` sentences.

    `source` is a file of lines (.txt), TSV, JSONL or Parquet, or the sentences themselves; `column` is the number of a TSV's
    column (its last one if empty) or the name of one. `measures` are those of `Trace.measures`, "alignment" and "probability".
    `workers` is how many processes measure at once: the numbers are the same, to the bit. They are started anew, so a script
    that asks for several must keep its own work under `if __name__ == "__main__"`. `ray` is the address of a Ray cluster that
    measures in their place.
    With `out` the table is also written, as .parquet or .json; how far it has come stands beside it, and `resume` goes on from
    there, whatever ended the process. Raises explorer.errors.ExplorerError for anything a caller can correct.
    """
    from explorer.scanning.asking import scanned

    request = _request("", None, preset, trained, (), knobs)
    return scanned(request.wish, source, measures, out, column, best, workers, ray, resume)


def postcard(
    text: str,
    out: str | Path,
    changes: "Iterable[Change]" = (),
    preset: str | Path = DEFAULT,
    *,
    theme: str = "light",
    language: str = "en",
    beam: int = 1,
    **knobs: "Unpack[KnobValues]",
) -> None:
    """Write a picture of a changed translation to send: sentence, change, before and after, 1200 × 630 px.

    The suffix of `out` says the format, such as .png and .svg; a JSON file beside it lists the changes. `theme` is "light" or
    "dark", `language` "zh" or "en". Raises explorer.errors.ExplorerError for anything a caller can correct, so NothingChanged.
    """
    from explorer.config import BEAM
    from explorer.errors import NothingChanged
    from explorer.export.postcard import write_postcard
    from explorer.lang import Words
    from explorer.picture.theme import THEMES
    from explorer.state.tries import is_altered

    request = _request(text, None, preset, True, changes, knobs).wishing(beam=int(BEAM.check(beam)))
    if not is_altered(request.wish):
        raise NothingChanged
    with _alone() as computer:
        trace = computer(request.asking(experiments=frozenset({"unchanged"}))).trace
    write_postcard(trace, Path(out), Words.load(language), THEMES[theme])


def to_pytorch(
    text: str,
    out: str | Path | None = None,
    target: str | None = None,
    preset: str | Path = DEFAULT,
    *,
    language: str | None = None,
    chat: bool = False,
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> str:
    """The pass over `text` as a script of plain PyTorch without this package, whose `run()` gives every tensor by tap name.

    With `out` it is also written to that file, and the weights that ran beside it, as safetensors. Without it the script reads
    the preset's own weights, or draws untrained ones from the seed. A model of others is computed by transformers, from its own
    folder. `language` is that of the comments: "zh", "en" or None for the system's. The other arguments are those of `explore`.
    Raises explorer.errors.ExplorerError for anything a caller can correct, so NoScriptForModel.
    """
    from explorer.export.notebook import spoken
    from explorer.export.pytorch.writing import weights_beside, written

    words = spoken(language)
    request = _request(text, target, preset, trained, changes, knobs).wishing(chat=chat)
    file = None if out is None else Path(out)
    with _alone() as computer:
        trace = computer(request).trace
        parts = computer.script_parts(request.wish, None if file is None else weights_beside(file))
    return written(trace, parts, words, file)


def show(trace: "Trace") -> "OpenWindow":
    """Open the window on a Trace, in a process of its own: a notebook goes on. `.close()` closes it, `.wait()` waits for that.

    What is shown is what the Trace holds, and nothing can be typed. Raises CannotWrite.
    """
    from explorer.export.showing import open_window

    return open_window(trace)


def steering(
    texts: "Iterable[str]", others: "Iterable[str]", tap: str, preset: str | Path = DEFAULT, **knobs: "Unpack[KnobValues]"
) -> "Array":
    """[feature] what tells one set of sentences from another at a tap: the mean over all tokens of `texts` minus `others`.

    Added to the stream it steers: `Change(tap, "add", value=2 * explorer.steering(glad, sad, tap))`. The tap is one of
    [position, feature], such as "encoder.layers.1.residual2". Raises explorer.errors.ExplorerError for anything a caller can
    correct.
    """
    from explorer.errors import EmptyText
    from explorer.trace.steering import mean_difference

    first, second = ([explore(text, preset=preset, **knobs) for text in some] for some in (texts, others))
    if not first or not second:
        raise EmptyText
    return mean_difference(first, second, tap)


def generate(
    text: str,
    preset: str | Path = "language-model",
    *,
    tokens: int = 20,
    sampling_temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    sampling_seed: int | None = None,
    begin: "Iterable[int | str]" = (),
    trained: bool = True,
    changes: "Iterable[Change]" = (),
    **knobs: "Unpack[KnobValues]",
) -> "Continuation":
    """What a language model writes after `text`: at most so many `tokens`, fewer if it ends the text. See Continuation.

    Without a `sampling_seed` each token is the likeliest; with one it is drawn at this temperature from the `top_k` likeliest
    symbols (0: all) and the likeliest ones that reach `top_p` together (1: all). `begin` are the first tokens, ids or texts,
    which are given and not chosen: so a continuation branches. Every step is recorded, with the model's own cache; `.trace` is
    the Trace of all steps together. `preset` is one with a language model, or a folder with a causal model of others.
    Raises explorer.errors.ExplorerError for anything a caller can correct, so NotALanguageModel and BadKnob.
    """
    from explorer.engine.sources.source import never, silent
    from explorer.trace.continuation import Sampling
    from explorer.trace.sampling_knobs import N_WRITTEN

    request = _request(text, None, preset, trained, changes, knobs)
    sampling = Sampling(temperature=sampling_temperature, top_k=top_k, top_p=top_p, seed=sampling_seed)
    most = int(N_WRITTEN.check(tokens))
    with _alone() as computer:
        return computer.writing.continuation(request.wish, tuple(begin), most, sampling, never, silent)


def cloze(text: str, preset: str | Path, *, changes: "Iterable[Change]" = (), **knobs: "Unpack[KnobValues]") -> "Cloze":
    """What a masked model fills in where each token of `text` is hidden in turn; `.total` is the pseudo-log-likelihood.

    `preset` is a folder with a masked model of others, such as BERT, or of your own training. All places are computed in
    batches; see Cloze.
    Raises explorer.errors.ExplorerError for anything a caller can correct, so NoMaskToken.
    """
    from explorer.engine.sources.source import never

    request = _request(text, None, preset, True, changes, knobs)
    with _alone() as computer:
        return computer.writing.cloze(request.wish, never)


def similar(
    texts: "Iterable[str]", preset: str | Path, *, changes: "Iterable[Change]" = (), **knobs: "Unpack[KnobValues]"
) -> "Similarity":
    """How alike several texts are to a model of others that makes one vector of each: `.cosines` [text, text], `.vectors`.

    `preset` is a folder with an encoder without an output; `modules.json` and the settings of its pooling say how the vector
    is made of those of the tokens. Raises explorer.errors.ExplorerError for anything a caller can correct, so
    NoSentenceVectors and UnknownPooling.
    """
    from explorer.engine.sources.source import never
    from explorer.errors import EmptyText

    several = tuple(map(_text, texts))
    if not several:
        raise EmptyText
    request = _request(several[0], None, preset, True, changes, knobs)
    with _alone() as computer:
        return computer.writing.similarity(request.wish, several, never)


def translate(text: str, beam: int = 4, preset: str | Path = DEFAULT) -> str:
    """The translation of `text` by a trained preset, by beam search over `beam` sentences (1: greedy).

    Raises explorer.errors.ExplorerError for anything a caller can correct; its `str()` is the sentence.
    """
    from explorer.config import BEAM
    from explorer.engine.decoding.beam import Decoding
    from explorer.errors import NotTrained

    beam = int(BEAM.check(beam))
    with _alone() as computer:
        translator = computer.sources.translator(str(preset))
        if translator is None:
            raise NotTrained(name=str(preset))
        return translator.translate(computer.sources.source_ids(_text(text), translator), Decoding(beam=beam))


def _presenter() -> "Presenter":
    """Who draws a Trace for a notebook; it is imported at the first picture."""
    from explorer.export import notebook

    return notebook


Shown.presented_by = _presenter


def _request(
    text: str, target: str | None, preset: str | Path, trained: bool, changes: "Iterable[Change]", knobs: "Mapping[str, Any]"
) -> "Request":
    """The Request of the arguments that all passes have. Raises ExplorerError."""
    from explorer.engine.request import Request

    turned = dict(knobs)
    adapter = str(turned.pop("adapter", None) or "")  # It is no knob: a folder beside that of the preset.
    request = Request.from_preset(str(preset), _text(text), **turned).wishing(adapter=adapter)
    return request.wishing(target=None if target is None else _text(target), trained=trained, changes=changes)


def _text(value: object) -> str:
    """The value, if it is a str. Raises NotText."""
    from explorer.errors import NotText

    if not isinstance(value, str):
        raise NotText(got=type(value).__name__)
    return value


@contextmanager
def _alone() -> Iterator["Computer"]:
    """Lend the process's Computer to one caller at a time, and restore torch's number of threads afterwards."""
    import torch

    with _one_at_a_time:
        before = torch.get_num_threads()
        try:
            yield _computer()
        finally:
            torch.set_num_threads(before)


@lru_cache(maxsize=1)
def _computer() -> "Computer":
    """The process's only Computer. It is kept because loading jieba's dictionary takes half a second."""
    from explorer.engine.compute import Computer

    return Computer()


def __dir__() -> list[str]:
    """What is offered after `explorer.`: the public names, and the room of errors."""
    return [*__all__, "errors"]


def __getattr__(name: str) -> Any:
    """Import `explorer.Trace` and the other classes on first use, so that `import explorer` alone stays fast."""
    if name == "Trace":
        from explorer.trace.trace import Trace

        return Trace
    if name == "State":
        from explorer.state.state import State

        return State
    if name == "Change":
        from explorer.trace.changes import Change

        return Change
    if name == "Effects":
        from explorer.trace.effects import Effects

        return Effects
    raise AttributeError(name)
