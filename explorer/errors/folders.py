"""Errors of folders with a foreign model or adapter.

ExplorerError
└── BadFile  BadFolder (NotAModel (BadSettings, ImpossibleNumber), CheckpointAsModel, NotANumber (TextForNumber),
             NeedsCode, NeedsSafetensors (NeedsConversion, SeveralGguf, PartOfGguf), Quantized,
             UnknownFamily (NoModelType, WantsMoreThanText, SharedLayers, UnknownClass, NoAttention),
             MissingWeights (LacksTensors), WeightsDoNotFit, UnknownPooling,
             NoTokenizer (NeedsSentencepiece, UnknownTokenizer), NoChatTemplate, BadTemplate,
             NoEndSymbol, TooLarge, NotInstalled (GgufNotInstalled), SelfCheckFailed, FolderIsGone, NotOwnModel,
             NotAnAdapter (AdapterNotThere), UnknownAdapter, AdapterDoesNotFit,
             AdapterNeedsModel (AdapterNeedsBase, BaseNotThere), AdaptersOfOthers, BaseWithoutAdapter,
             NotNumbers)
"""

from explorer.errors.base import BadFile


class BadFolder(BadFile):
    """A folder with a foreign model that cannot be opened."""


class NotAModel(BadFolder):
    """A folder whose config.json is missing or cannot be used. Values: path, reason."""

    key = "error.not_a_model"


class CheckpointAsModel(BadFolder):
    """A file that torch.save wrote, which has to be converted first. Values: path."""

    key = "error.checkpoint_as_model"


class BadSettings(NotAModel):
    """A config.json that describes no model. Values: path, reason."""

    key = "error.bad_settings"


class ImpossibleNumber(NotAModel):
    """A number in the settings of a model that no model can have. Values: path, name, got."""

    key = "error.impossible_number"


class NotANumber(BadFolder):
    """Settings that hold something else where a number should be. Values: path, name, got."""

    key = "error.not_a_number"


class TextForNumber(NotANumber):
    """Settings that hold a text where a number should be. Values: path, name, got."""

    key = "error.text_for_number"


class NeedsCode(BadFolder):
    """A model that asks for program code of its own, which is never run. Values: path, reason."""

    key = "error.needs_code"


class NeedsSafetensors(BadFolder):
    """A folder without safetensors files; all others may hold code. Values: path, found."""

    key = "error.needs_safetensors"


class NeedsConversion(NeedsSafetensors):
    """A folder with files of torch and without safetensors files. Values: path, found, example."""

    key = "error.needs_conversion"


class SeveralGguf(NeedsSafetensors):
    """A folder with more than one model in GGUF, of which a user has to choose. Values: path, count, found, example."""

    key = "error.several_gguf"


class PartOfGguf(NeedsSafetensors):
    """A file in GGUF that holds a part of a model. Values: path, count."""

    key = "error.part_of_gguf"


class Quantized(BadFolder):
    """Weights that are stored in fewer bits. Values: path, method."""

    key = "error.quantized"


class UnknownFamily(BadFolder):
    """A kind of model that the program does not know. Values: path, family."""

    key = "error.unknown_family"


class NoModelType(UnknownFamily):
    """A config.json that does not name the kind of its model. Values: path."""

    key = "error.no_model_type"


class WantsMoreThanText(UnknownFamily):
    """A model that wants a picture or sound beside a text, or in its place. Values: path, family, reads."""

    key = "error.wants_more_than_text"


class SharedLayers(UnknownFamily):
    """A model whose layers share one attention, so that its maps cannot be told apart. Values: path, family, count."""

    key = "error.shared_layers"


class UnknownClass(UnknownFamily):
    """An unknown class of a known family, whose files lack tensors of the known classes.

    Values: path, family, kind, like, missing.
    """

    key = "error.unknown_class"


class NoAttention(UnknownFamily):
    """A model without attention, such as a pure state space model. Values: path, family."""

    key = "error.no_attention"


class MissingWeights(BadFolder):
    """A folder that lacks files of its model. Values: path, missing."""

    key = "error.missing_weights"


class LacksTensors(MissingWeights):
    """Whole files that lack tensors of the model that config.json describes. Values: path, kind, missing."""

    key = "error.lacks_tensors"


class WeightsDoNotFit(BadFolder):
    """Whole files whose tensors are not those of the model that config.json describes. Values: path, reason."""

    key = "error.weights_do_not_fit"


class UnknownPooling(BadFolder):
    """A folder whose pooling of sentence vectors is unknown. Values: path, got."""

    key = "error.unknown_pooling"


class NoTokenizer(BadFolder):
    """A folder without a vocabulary that can be read. Values: path."""

    key = "error.no_tokenizer"


class NeedsSentencepiece(NoTokenizer):
    """A folder whose vocabulary is in files of sentencepiece, whose library is not there. Values: path."""

    key = "error.needs_sentencepiece"


class UnknownTokenizer(NoTokenizer):
    """A folder whose vocabulary is in older files that its kind of tokenizer alone can read. Values: path, file, kind."""

    key = "error.unknown_tokenizer"


class NoChatTemplate(BadFolder):
    """A model that has no chat template, though one is asked for. Values: path."""

    key = "error.no_chat_template"


class BadTemplate(BadFolder):
    """A chat template that cannot be used. Values: path, reason."""

    key = "error.bad_template"


class NoEndSymbol(BadFolder):
    """A classifier with both sides whose vocabulary ends no text, so that it has no place to read classes off.

    Values: path, end.
    """

    key = "error.no_end_symbol"


class TooLarge(BadFolder):
    """A model that is larger than the free memory. Values: path, need_mb, free_mb."""

    key = "error.too_large"


class NotInstalled(BadFolder):
    """A library that opening a model needs. Values: name."""

    key = "error.not_installed"


class GgufNotInstalled(NotInstalled):
    """The library that packed weights in GGUF need. Values: name."""

    key = "error.gguf_not_installed"


class SelfCheckFailed(BadFolder):
    """A model whose output differs with and without taps. Values: path, difference."""

    key = "error.self_check_failed"


class FolderIsGone(BadFolder):
    """A folder that no longer exists. Values: path."""

    key = "error.folder_is_gone"


class NotOwnModel(BadFolder):
    """A foreign model where only our own models work, as in training. Values: path."""

    key = "error.not_own_model"


class NotAnAdapter(BadFolder):
    """A folder without the files of an adapter, or with broken ones. Values: path, reason."""

    key = "error.not_an_adapter"


class AdapterNotThere(NotAnAdapter):
    """A path of an adapter where nothing exists. Values: path."""

    key = "error.adapter_not_there"


class UnknownAdapter(BadFolder):
    """An adapter that is more, or other, than the plain sum of LoRA. Values: path, what."""

    key = "error.unknown_adapter"


class AdapterDoesNotFit(BadFolder):
    """An adapter of another model. Values: path, reason."""

    key = "error.adapter_does_not_fit"


class NotNumbers(BadFolder):
    """Weights or an adapter with which a model computes NaN, because they are too large for float32. Values: path."""

    key = "error.not_numbers"


class AdapterNeedsModel(BadFolder):
    """An adapter for one of our own models. Values: path."""

    key = "error.adapter_needs_model"


class AdapterNeedsBase(AdapterNeedsModel):
    """An adapter whose base model is neither on screen nor in the Hugging Face cache. Values: path, base."""

    key = "error.adapter_needs_base"


class BaseNotThere(AdapterNeedsModel):
    """An adapter that is compared without its base model, which is not in the Hugging Face cache. Values: path, base."""

    key = "error.base_not_there"


class AdaptersOfOthers(BadFolder):
    """Two adapters that are to be compared and name different base models. Values: path, base, other, other_base."""

    key = "error.adapters_of_others"


class BaseWithoutAdapter(BadFolder):
    """A base model for a comparison of which neither side is an adapter. Values: path."""

    key = "error.base_without_adapter"
