"""Small pictures of a training, by hand."""

import numpy as np

from explorer.picture.kinds import Axis, Caption
from explorer.picture.scales import Scale
from explorer.picture.training_kinds import Answers, HeadDiary, StepCurve, StepCurves, Strip

CAPTION = Caption(title="题 title", tap="", shape="", note="note", origin="computed", name="training.part")
STEPS = (0, 1, 10, 100)
ROWS, COLUMNS = Axis("query", ("我", "<&>"), "source"), Axis("key", ("我", "<&>"), "source")


def numbers(*values: float) -> np.ndarray:
    """Values of a log."""
    return np.array(values, np.float64)


CURVES = StepCurves(
    curves=(
        StepCurve("training <&>", numbers(1, 2, 10, 50, 100), numbers(4, 3, 2, np.nan, 1)),
        StepCurve("validation", numbers(0, 1, 10, 100), numbers(4, 3, 1, 1.5), "validation", ((10, "lowest 1"),)),
        StepCurve("another", numbers(0, 1, 10), numbers(4, 3.5, 2.5), "other"),
        StepCurve("gone", numbers(0, 1), numbers(np.nan, np.inf), "measure"),
    ),
    steps=STEPS,
    shown=10,
    unit="nat",
    threshold=0.5,
    marks=((1, "rate = 1"),),
    caption=CAPTION,
)
_OWN = np.array([[1.0, np.nan], [0.5, 0.5]], np.float32)
_BEFORE = np.array([[1.0, np.nan], [0.875, 0.125]], np.float32)
DIARY = HeadDiary(
    strips=(
        Strip("encoder.self_attn", 0, 0, np.stack([_OWN] * 4), ROWS, COLUMNS),
        Strip("encoder.self_attn", 0, 1, np.stack([_OWN, _OWN, _BEFORE, _BEFORE]), ROWS, COLUMNS, ((10, "previous <&>"),)),
        Strip("decoder.cross_attn", 0, 0, np.stack([_OWN[:1]] * 4), Axis("query", ("a",), "target"), COLUMNS),
    ),
    scale=Scale(0, 1, "cividis"),
    steps=STEPS,
    read=STEPS,
    shown=10,
    chosen=1,
    headings=("self", "cross <&>"),
    caption=CAPTION,
)
ANSWERS = Answers(answers=("", "我<&>", "我<&>", "你"), right=(False, True, True, None), steps=STEPS, shown=10, caption=CAPTION)
