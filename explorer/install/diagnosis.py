"""A Diagnosis: one row of doctor's report."""

from collections.abc import Mapping
from typing import Literal

import attrs

from explorer.lang import Words

Standing = Literal["well", "note", "fault"]


@attrs.frozen
class Diagnosis:
    """`text` and `advice` are keys below `doctor`, such as "qt.missing"; both texts are filled with `values`.

    "note" is worth knowing and stops nothing; "fault" is what makes the status of doctor 1.
    """

    subject: str
    standing: Standing
    text: str
    values: Mapping[str, object] = attrs.field(factory=dict)
    advice: str = ""

    def said(self, words: Words) -> str:
        """The sentence in the language of `words`."""
        return words(f"doctor.{self.text}", **self.values)

    def advised(self, words: Words) -> str:
        """What to do, or "" where nothing needs to be done."""
        return words(f"doctor.{self.advice}", **self.values) if self.advice else ""

    def as_json(self, words: Words) -> dict[str, object]:
        """What `doctor --json` writes of it."""
        return {
            "subject": self.subject,
            "standing": self.standing,
            "text": self.said(words),
            "advice": self.advised(words),
            "values": dict(self.values),
        }
