"""Errors of knobs and presets.

ExplorerError
├── BadKnob   UnknownKnob (MisspelledKnob), KnobOutOfRange, KnobNotAChoice, KnobNotANumber, KnobNotWhole,
│             HeadsDoNotFit, KnobDoesNothing
├── NotFound  UnknownPreset (UnknownMoment, AdapterAsPreset, SeveralModels, NothingDownloaded, NameOnHub, NoModelInside,
│             NothingThere)
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
    """A knob of our own models alone, given for a foreign model. Values: name."""

    key = "error.knob_does_nothing"


class UnknownPreset(NotFound):
    """A preset of this name does not exist. Values: name, known."""

    key = "error.unknown_preset"


class UnknownMoment(UnknownPreset):
    """A step of a training whose weights are not kept. Values: name, known."""

    key = "error.unknown_moment"


class AdapterAsPreset(UnknownPreset):
    """The folder of an adapter in place of a model's. Values: path, base."""

    key = "error.adapter_as_preset"


class SeveralModels(UnknownPreset):
    """A folder of downloads with more than one model. Values: path, found, count."""

    key = "error.several_models"


class NothingDownloaded(UnknownPreset):
    """A folder of the download cache in which no download was finished. Values: path."""

    key = "error.nothing_downloaded"


class NameOnHub(UnknownPreset):
    """A name that may be a model's on the Hub, from which nothing is loaded. Values: name."""

    key = "error.name_on_hub"


class NoModelInside(UnknownPreset):
    """A folder or file that exists and holds no model. Values: path."""

    key = "error.no_model_inside"


class NothingThere(UnknownPreset):
    """A path under which there is neither a file nor a folder. Values: path."""

    key = "error.nothing_there"


class BadPreset(BadFile):
    """A preset file that cannot be used. Values: path, reason."""

    key = "error.bad_preset"
