"""Record the pass that the window shows at its first start: python -m tests.first_pass"""

from explorer.app.session.changing import opened
from explorer.app.session.recalled import BUNDLED
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.presets import DEFAULT
from explorer.resources import asset
from explorer.trace.trace import Trace


def first_pass() -> Trace:
    """The default preset's own sentence, with the search that the window makes."""
    return Computer()(Request(wish=opened(DEFAULT).wish)).trace


if __name__ == "__main__":
    first_pass().save(asset("presets").parent / BUNDLED)
