"""Transformer Explorer: type a sentence and see a whole Transformer at work.

    import explorer
    trace = explorer.explore("我爱北京天安门", preset="tiny", n_heads=8)
    trace["encoder.layers.0.self_attn.weights"]     # numpy [head, query, key]
"""

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.trace.trace import Trace

__all__ = ["Trace", "__version__", "explore"]

_one_at_a_time = threading.Lock()


def explore(text: str, target: str | None = None, preset: str = "tiny", **knobs: Any) -> "Trace":
    """Run one pass over `text` and return every tensor it recorded.

    `target` None: an untrained model is given the source text itself. `knobs` are fields of explorer.config.Config.
    Raises explorer.errors.ExplorerError for anything a caller can mend.
    """
    import attrs

    from explorer.engine.request import Request
    from explorer.errors import ExplorerError
    from explorer.lang import Words, system_language

    try:
        request = attrs.evolve(Request.from_preset(preset, text, **knobs), target=target)
        with _one_at_a_time:
            return _computer()(request).trace
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
