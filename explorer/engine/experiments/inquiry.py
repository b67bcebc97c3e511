"""The Inquiry: one experiment that is asked for, with the pass that it is about and what it may need beside it."""

import attrs

from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.kept import KeptFindings
from explorer.engine.passes.lender import Lender
from explorer.engine.passes.second_model import SecondModel
from explorer.engine.request import Request
from explorer.engine.sources.source import ModelSource
from explorer.state.focus import Focus
from explorer.state.wish import Wish
from explorer.stops import Progress
from explorer.trace.trace import Trace


@attrs.frozen(eq=False, kw_only=True)
class Inquiry(Bench):
    """A Bench whose model runs as the experiment's row says: inside the changes of the pass and without dropout, or not.

    `trace` is the pass, which answers `request`, and `origin` the source that model and tokens came from. `lender` makes passes
    of the same model over other texts, and `second` answers Wishes with another model. `kept` has what was found before.

    `key` is the experiment's, and `before` what it found last at the place that it looks at, or what it begins with.
    """

    trace: Trace
    request: Request
    origin: ModelSource
    lender: Lender
    second: SecondModel
    progress: Progress
    kept: KeptFindings
    key: str = ""
    before: object = None

    @property
    def wish(self) -> Wish:
        """The Wish that the pass answers."""
        return self.request.wish

    @property
    def focus(self) -> Focus:
        """The place that is looked at, and how far a sweep shall go."""
        return self.request.detail.focus
