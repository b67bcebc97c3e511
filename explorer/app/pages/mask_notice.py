"""A line above pages that show masks: where a tutorial itself writes an odd mask, it is not the program's fault."""

from PySide6.QtWidgets import QLabel

from explorer.config import find_knob
from explorer.lang import Words
from explorer.presets import load_preset
from explorer.state.wish import Wish


class MaskNotice(QLabel):
    """Visible while the page in front shows masks and the preset's own reading of masks is an unusual one."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setWordWrap(True)
        self._attends = False
        self._odd: tuple[str, str] | None = None  # preset and reading
        self._words: Words | None = None
        self.hide()

    def attend(self, shows_masks: bool) -> None:
        """Hear whether the page in front shows masks."""
        self._attends = shows_masks
        self._tell()

    def put(self, wish: Wish) -> None:
        odd = odd_masking(wish)
        if odd != self._odd:
            self._odd = odd
            self._tell()

    def speak(self, words: Words) -> None:
        self._words = words
        self._tell()

    def _tell(self) -> None:
        if self._odd is not None and self._words is not None:
            preset, reading = self._odd
            words = self._words
            self.setText(
                words(
                    "mask.tutorials_own",
                    preset=words(f"preset.{preset}.title"),
                    knob=words("knob.masking.name"),
                    reading=words(f"choice.masking.{reading}"),
                    usual=words(f"choice.masking.{find_knob('masking').default}"),
                )
            )
        self.setVisible(self._attends and self._odd is not None)


def odd_masking(wish: Wish) -> tuple[str, str] | None:
    """The preset and its reading of masks, if this is unusual and nobody has turned the knob; otherwise None."""
    own = load_preset(wish.preset).config.masking
    odd = own != find_knob("masking").default and wish.config.masking == own
    return (wish.preset, own) if odd and not wish.has_trained else None
