"""Transformer Explorer: type a sentence and see a whole Transformer at work.

    import explorer
    explorer.translate("他在图书馆看书。", beam=4)
    trace = explorer.explore("我爱北京天安门", preset="translator", temperature=0.5)
    trace["encoder.layers.0.self_attn.weights"]     # numpy [head, query, key]
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from explorer.model.presets import DEFAULT
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.trace.trace import Trace

__all__ = ["Trace", "__version__", "explore", "translate"]

_one_at_a_time = threading.Lock()


def explore(
    text: str, target: str | None = None, preset: str = DEFAULT, *, trained: bool = True, **knobs: Any
) -> "Trace":
    """Run one pass over `text` and return every tensor it recorded.

    `target` None: a trained model's own translation, greedy; an untrained model is given the source text itself.
    `trained` False: random weights in the shape of trained ones. `knobs` are fields of explorer.config.Config.
    Raises explorer.errors.ExplorerError for anything a caller can mend.
    """
    import attrs

    from explorer.engine.request import Request

    with _noted():
        request = attrs.evolve(Request.from_preset(preset, text, **knobs), target=target, trained=trained)
        with _one_at_a_time:
            return _computer()(request).trace


def translate(text: str, beam: int = 4, preset: str = DEFAULT) -> str:
    """The translation of `text` by a trained preset, by beam search over `beam` sentences (1: greedy).

    Raises explorer.errors.ExplorerError for anything a caller can mend.
    """
    from explorer.config import Knob

    with _noted():
        beam = int(Knob("beam", "int", 4, "decoding", "forward", low=1, high=8).check(beam))
        from explorer.engine.decoding.beam import Decoding
        from explorer.errors import NotTrained

        with _one_at_a_time:
            computer = _computer()
            translator = computer.translator(preset)
            if translator is None:
                raise NotTrained(name=preset)
            return translator.translate(computer.source_ids(text, translator), Decoding(beam=beam))


@contextmanager
def _noted() -> Iterator[None]:
    """Adds the sentence for people to an error that a caller can mend."""
    from explorer.errors import ExplorerError
    from explorer.lang import Words, system_language

    try:
        yield
    except ExplorerError as error:
        error.add_note(Words.load(system_language()).error(error))
        raise


@lru_cache(maxsize=1)
def _computer() -> "Computer":
    """One for the process: loading jieba's dictionary takes half a second, and a notebook calls explore often."""
    from explorer.engine.compute import Computer

    return Computer()


def __getattr__(name: str) -> Any:
    """`explorer.Trace`, imported when it is asked for: a bare `import explorer` stays light."""
    if name == "Trace":
        from explorer.trace.trace import Trace

        return Trace
    raise AttributeError(name)
