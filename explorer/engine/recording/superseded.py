"""How a pass ends early. Apart from the recorder, so that the thread's owner needs no torch to know it."""


class Superseded(Exception):  # noqa: N818  no error: somebody asked the pass to end
    """A pass was asked to stop and did so at a tap."""
