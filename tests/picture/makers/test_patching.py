"""Maps of patching: every place is named."""

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.makers.patching import patched_map
from explorer.state.look import Look


def test_a_place_without_a_counterpart_is_named_after_what_is_written_there() -> None:
    """Where the other translation is shorter, the last place is that of the end of this one's, and says so."""
    request = Request.from_preset("translator", "我爱北京天安门").wishing(other="我爱上海天安门")
    trace = Computer()(request.asking(experiments=frozenset({"patching"}))).trace
    made = patched_map("decoder")(trace, Look(), Words.load("en"))
    assert made is not None and made.closed is not None and made.closed[:, -1].all()  # The other one ends before.
    assert made.columns.labels[-1] == "→<eos>" and "→" not in made.columns.labels
