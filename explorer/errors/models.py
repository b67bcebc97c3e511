"""Errors of models: what they were not trained for, and their own files.

ExplorerError
├── LiveNotFinite
├── NotFound  NotTrained, NotATranslator, NotALanguageModel, NoMaskToken, NoSentenceVectors, NotLoaded, NeedsTokenizer,
│             CannotShare, ModelHasPreset, NoNumbers
└── BadFile   BadVocabulary (VocabularyTooLarge, VocabularyTooSlow, UnknownCut), BadWeights (NotFinite)
"""

from explorer.errors.base import BadFile, ExplorerError, NotFound


class NotTrained(NotFound):
    """A preset without trained weights, asked for a translation. Values: name."""

    key = "error.not_trained"


class NotATranslator(NotFound):
    """A preset with a trained language model, asked for a translation. Values: name."""

    key = "error.not_a_translator"


class NotALanguageModel(NotFound):
    """A model that cannot continue a text, because it generates none or translates. Values: name."""

    key = "error.not_a_language_model"


class NoMaskToken(NotFound):
    """A model that was not trained to fill in masked tokens. Values: name."""

    key = "error.no_mask_token"


class NoSentenceVectors(NotFound):
    """A model that makes no sentence vectors. Values: name."""

    key = "error.no_sentence_vectors"


class BadVocabulary(BadFile):
    """A vocabulary file that cannot be used, or does not fit the weights. Values: path, reason."""

    key = "error.bad_vocabulary"


class VocabularyTooLarge(BadVocabulary):
    """A tokenizer that needs too much memory to be opened. Values: path, mb."""

    key = "error.vocabulary_too_large"


class VocabularyTooSlow(BadVocabulary):
    """A tokenizer that computes for too long before it can be used. Values: path, seconds."""

    key = "error.vocabulary_too_slow"


class UnknownCut(BadVocabulary):
    """A vocabulary in GGUF with an unknown pre-tokenizer. Values: path, name."""

    key = "error.unknown_cut"


class BadWeights(BadFile):
    """A weight file that is damaged, or of another model. Values: path, reason."""

    key = "error.bad_weights"


class NotFinite(BadWeights):
    """A weight with NaN or infinity. Values: path, tensor."""

    key = "error.not_finite"


class LiveNotFinite(ExplorerError):
    """A live model whose weights have been changed to NaN or infinity. Values: tensor."""

    key = "error.live_not_finite"


class NotLoaded(NotFound):
    """A module that `explorer.load_model` did not make, given to `explorer.explore`. Values: module."""

    key = "error.not_loaded"


class NeedsTokenizer(NotFound):
    """A model of transformers in memory without the tokenizer that reads texts for it. Values: module, got."""

    key = "error.needs_tokenizer"


class CannotShare(NotFound):
    """A model in memory of which no second one can be made. Values: module, reason."""

    key = "error.cannot_share"


class ModelHasPreset(NotFound):
    """A preset, knob or adapter beside a live model, which was loaded with its own. Values: names."""

    key = "error.model_has_preset"


class NoNumbers(NotFound):
    """A tensor in a file whose bytes are no floats: codes of packed weights, or counts. Values: name, kind."""

    key = "error.no_numbers"
