"""Errors of experiments, which make extra passes.

ExplorerError
├── CannotPatch  NoOtherText, CannotAlign, TooLongToPatch, SameAnswers
├── CannotSteer  TooManySentences, SentenceOfSet, NoStreamToSteer
├── NotFound     UnknownExperiment, NotForThisModel, LacksTap (NoPositionVectors, NoMatrix), NotComputed, NoFittedLens,
│                LensOfOtherWeights, LensOfOtherKnobs
└── TooLongForEffects, TooLongToTry, SlowToTry, SlowToHide, NothingChanged, WritesNothing, NotAMetric, NeedsMetric
"""

from explorer.errors.base import ExplorerError, NotFound


class CannotPatch(ExplorerError):
    """Two sentences between which nothing can be patched."""


class NoOtherText(CannotPatch):
    """Patching without a second sentence."""

    key = "error.no_other_text"


class CannotAlign(CannotPatch):
    """Two texts of different lengths without a token in common. Values: first, second (tokens)."""

    key = "error.cannot_align"


class TooLongToPatch(CannotPatch):
    """A text that is too long for many passes with whole maps. Values: n_tokens."""

    key = "error.too_long_to_patch"


class SameAnswers(CannotPatch):
    """Two texts that lead to the same words, so that a patch has nothing to restore."""

    key = "error.same_answers"


class CannotSteer(ExplorerError):
    """Two sets of sentences that yield no steering vector."""


class TooManySentences(CannotSteer):
    """A set of more sentences than it may have. Values: limit, got."""

    key = "error.too_many_sentences"


class SentenceOfSet(CannotSteer):
    """A sentence without a pass. Values: text, reason (an error)."""

    key = "error.sentence_of_set"


class NoStreamToSteer(CannotSteer):
    """A model whose residual stream after its layers is not tapped. Values: why (a key of the card's reasons)."""

    key = "error.no_stream_to_steer"


class UnknownExperiment(NotFound):
    """An experiment that does not exist. Values: name, known."""

    key = "error.unknown_experiment"


class NotForThisModel(NotFound):
    """An experiment that only our own models support. Values: name."""

    key = "error.not_for_this_model"


class LacksTap(NotFound):
    """An experiment that needs a tap which this model lacks. Values: name, tap, why (a key of the card's reasons)."""

    key = "error.lacks_tap"


class NotComputed(NotFound):
    """An experiment that a bug of the program has ended; the bug is reported separately. Values: name, reason."""

    key = "error.not_computed"


class NoPositionVectors(LacksTap):
    """A similarity of positions where all position vectors are zero. Values: why (a key)."""

    key = "error.no_position_vectors"


class NoMatrix(LacksTap):
    """A matrix of an attention that the program does not find in this model. Values: tap, why (a key of the card's reasons)."""

    key = "error.no_matrix"


class NoFittedLens(NotFound):
    """A model for which no Jacobian lens was fitted. Values: preset."""

    key = "error.no_fitted_lens"


class LensOfOtherWeights(NotFound):
    """A Jacobian lens that was fitted for other weights than those of the model. Values: preset."""

    key = "error.lens_of_other_weights"


class LensOfOtherKnobs(NotFound):
    """A Jacobian lens that was fitted with another value of a knob. Values: name."""

    key = "error.lens_of_other_knobs"


class TooLongForEffects(ExplorerError):
    """Something that needs whole maps, asked of a text that is too long for them. Values: n_tokens."""

    key = "error.too_long_for_effects"


class TooLongToTry(ExplorerError):
    """A text too long for measuring the effect of each change in advance. Values: n_tokens."""

    key = "error.too_long_to_try"


class SlowToTry(ExplorerError):
    """A model so large that the effect of each change is measured only on request. Values: seconds (of one change)."""

    key = "error.slow_to_try"


class SlowToHide(ExplorerError):
    """A text with too many tokens to mask each of them while one types. Values: count (tokens), seconds."""

    key = "error.slow_to_hide"


class NothingChanged(ExplorerError):
    """A search for what a change breaks, without any change."""

    key = "error.nothing_changed"


class WritesNothing(ExplorerError):
    """A search for what a change breaks in translations, with a model that generates none."""

    key = "error.writes_nothing"


class NotAMetric(ExplorerError):
    """A metric that gave something else than a number. Values: got."""

    key = "error.not_a_metric"


class NeedsMetric(ExplorerError):
    """An argument that only acts together with a metric. Values: name."""

    key = "error.needs_metric"
