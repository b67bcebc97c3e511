"""The place in the lessons that is open: which lesson, and which of its steps."""

import attrs

from explorer.state.fields import between

_MOST_STEPS = 1000  # more than a lesson may have


@attrs.frozen(kw_only=True)
class LessonPlace:
    """`key` is the name of the lesson, `step` counts from 0. `file` is the file of a lesson that stands in no list, else ""."""

    key: str
    step: int = attrs.field(default=0, validator=between(0, _MOST_STEPS))
    file: str = ""
