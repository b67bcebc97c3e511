"""Record the pass that the window shows at the first start in a language: python -m tests.first_pass PRESET"""

import sys

from explorer.app.session.changing import opened
from explorer.app.session.recalled import OF_PRESET
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.presets import load_preset
from explorer.trace.trace import Trace


def first_pass(preset: str) -> Trace:
    """A preset's own sentence, with the search that the window makes."""
    return Computer()(Request(wish=opened(preset).wish)).trace


if __name__ == "__main__":
    for name in sys.argv[1:]:
        folder = load_preset(name).folder
        assert folder is not None, name
        first_pass(name).save(folder / OF_PRESET)
