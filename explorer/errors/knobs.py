"""Errors of knobs and presets.

ExplorerError
├── BadKnob   UnknownKnob (MisspelledKnob), KnobOutOfRange, KnobNotAChoice, KnobNotANumber, KnobNotWhole,
│             HeadsDoNotFit, KnobDoesNothing
├── NotFound  UnknownPreset
└── BadFile   BadPreset
"""

from explorer.errors.base import BadFile, ExplorerError, NotFound


class BadKnob(ExplorerError):
    """A knob that is unknown or cannot have this value."""


class UnknownKnob(BadKnob):
    """A knob of this name does not exist. Values: name."""

    key = "error.unknown_knob"


class MisspelledKnob(UnknownKnob):
    """A knob of this name does not exist, and one of a similar name does. Values: name, nearest."""

    key = "error.misspelled_knob"


class KnobOutOfRange(BadKnob):
    """A number outside a knob's valid range. Values: name, low, high, got."""

    key = "error.knob_out_of_range"


class KnobNotAChoice(BadKnob):
    """A value that is none of a knob's choices. Values: name, choices, got."""

    key = "error.knob_not_a_choice"


class KnobNotANumber(BadKnob):
    """A value that is no number for a knob that needs one. Values: name, got."""

    key = "error.knob_not_a_number"


class KnobNotWhole(BadKnob):
    """A fraction for a knob that needs a whole number. Values: name, got."""

    key = "error.knob_not_whole"


class HeadsDoNotFit(BadKnob):
    """d_model is no multiple of n_heads. Values: n_heads, d_model."""

    key = "error.heads_do_not_fit"


class KnobDoesNothing(BadKnob):
    """A knob that acts on our own models alone, given for somebody's. Values: name."""

    key = "error.knob_does_nothing"


class UnknownPreset(NotFound):
    """A preset of this name does not exist. Values: name, known."""

    key = "error.unknown_preset"


class BadPreset(BadFile):
    """A preset file that cannot be used. Values: path, reason."""

    key = "error.bad_preset"
