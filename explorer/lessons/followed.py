"""A step that is about any translator of the program, set up for the one that is open or for the language that is spoken."""

import attrs

from explorer.lessons.lesson import Step
from explorer.presets import Preset, first_preset, load_preset, preset_names
from explorer.state.state import Settings
from explorer.state.wish import Wish
from explorer.tokens.language import language_of


def settings_of(step: Step, wish: Wish, language: str) -> Settings:
    """What a step sets up where a Wish is set up already.

    A step that follows the model keeps the bundled translator that is open. Any other model gives way to the translator that
    reads the interface's language, with its own sentence in the place of one that it cannot read.
    """
    if not step.follows:
        return step.settings
    is_open = wish.preset in preset_names() and load_preset(wish.preset).translates
    preset = load_preset(wish.preset if is_open else first_preset(language))
    own = {} if is_open or language_of(wish.text) in ("", preset.reads) else {"text": preset.text}
    wished = {**step.settings.wish, "preset": preset.name, **own}
    return attrs.evolve(step.settings, wish=wished, look=_look(step, preset))


def _look(step: Step, preset: Preset) -> dict[str, object]:
    """The step's look, with the preset's head in the place of the one that it names."""
    look = dict(step.settings.look)
    told = dict(preset.heads).get(str(look.get("attention")))
    if told is not None and "head" in look:
        look["layer"], look["head"] = told
    return look
