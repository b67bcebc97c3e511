"""What a pass does not show of a family: the name of its kind of positions, where those are neither a table nor rotary.

Where a family keeps its parts is found by watching a pass (`stream_probe`).
"""

from collections.abc import Mapping

from explorer.foreign.stream_map import StreamMap

_POSITIONS: Mapping[str, str] = {
    **dict.fromkeys(("t5", "mt5", "umt5"), "relative-bias"),
    **dict.fromkeys(("marian", "m2m_100", "pegasus"), "sinusoidal-halves"),
    **dict.fromkeys(("bloom", "mpt"), "alibi"),
}
"""By the `model_type` of a model's settings."""


def kind_of_positions(config: object, streams: StreamMap | None) -> str:
    """The kind of a model's positions; "unknown" where it is not known."""
    told = _POSITIONS.get(str(getattr(config, "model_type", "")))
    if getattr(config, "alibi", False) is True:
        return "alibi"
    if streams is None or told is not None:
        return told or "unknown"
    if any(side.positions for side in streams.sides.values()):
        return "learned"
    return "rotary" if streams.rotary else "unknown"
