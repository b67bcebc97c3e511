"""What a script that repeats a pass needs beside its Trace: the weights that ran, and the tokens of texts of patches."""

from pathlib import Path

from explorer.engine.changing import Changing
from explorer.engine.passes.pass_recorder import ready_model
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import ModelSource, Sentence, never, silent
from explorer.engine.sources.sources import Sources
from explorer.errors import NoScriptForModel, RecordedOnly
from explorer.files import make_folder
from explorer.foreign.places import places_of
from explorer.model.transformer import Transformer
from explorer.model.weights_file import write_tensors
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.recorded_pass import Tokens
from explorer.trace.script_parts import ForeignPlaces, ScriptParts


def script_parts(sources: Sources, wish: Wish, to: Path | None = None, stop: Stop = never) -> ScriptParts:
    """The parts for a script of the pass of a Wish. The weights are written to the file `to`, in float32, as they ran.

    Where `to` is None they are those of the preset's own file, or in no file if they are drawn from the seed. Raises
    NoScriptForModel, RecordedOnly, CannotWrite, DiskFull, ExplorerError, Superseded.
    """
    preset = load_preset(wish.preset)
    if preset.recorded is not None:
        raise RecordedOnly(path=str(preset.recorded))
    source = sources.of(wish, stop)
    texts = dict.fromkeys(change.text for change in wish.active if change.text is not None)
    lent = {text: _tokens(source, wish.of_text(text), stop) for text in texts}
    if isinstance(source, ForeignModel):
        return ScriptParts(None, lent, _foreign(source, wish))
    if to is None:
        return ScriptParts(preset.weights if wish.uses_trained else None, lent)
    _write(ready_model(source, wish, Sentence(Tokens(), wish.text), stop, silent), to)
    return ScriptParts(to, lent)


def _foreign(source: ForeignModel, wish: Wish) -> ForeignPlaces:
    """Where the taps of a foreign model are. Raises NoScriptForModel for one that a script cannot open and record alike."""
    folder = load_preset(wish.preset).foreign
    whole = source.card(wish.config).held == "float32" and not wish.worn
    # transformers reads the folder by itself, where its settings stand beside the tensors.
    readable = folder is not None and (folder / "config.json").is_file()
    found = places_of(source.foreign, folder) if folder is not None and whole and readable else None
    if found is None:
        raise NoScriptForModel(name=wish.title)
    return found


def _tokens(source: ModelSource, wish: Wish, stop: Stop) -> Tokens:
    """The tokens of both sides of a text that a patch takes its numbers from, as the `Lender` finds them."""
    return source.decode(wish, source.tokenize(wish), wish.beam, Changing(), stop).tokens


def _write(model: Transformer, to: Path) -> None:
    """Write every parameter under its name; tied ones are written once, under their first name."""
    make_folder(to.absolute().parent)
    write_tensors(to, {name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()}, {})
