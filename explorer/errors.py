"""All errors that a user can cause, as one family of exceptions.

    ExplorerError
    ├── BadText      NotText, EmptyText, ControlCharacter, LoneSurrogate, TooLong, TooManySymbols, BadWord, BadCut
    ├── BadKnob      UnknownKnob (MisspelledKnob), KnobOutOfRange, KnobNotAChoice, KnobNotANumber, KnobNotWhole,
    │                HeadsDoNotFit, KnobDoesNothing
    ├── WrongCall    UnknownCommand, UnknownFlag, SimilarFlag, FlagWithoutValue, FlagWithValue, MissingArgument, ExtraArguments,
    │                FlagsExclude, SentencesNeedOneSide
    ├── NotFound     UnknownPreset, NotTrained, NotATranslator, NotALanguageModel, UnknownTap, UnknownHead, UnknownLayer,
    │                LayersDiffer, UnknownWord, UnknownMeasure, UnknownFormat (UnreadableFormat), MissingAsset, NoSuchStep,
    │                NoSuchSymbol, NoSuchPart, NoWrittenWords, NotLookedInto, NoSuchColumn, NoFittedLens, LensOfOtherWeights,
    │                LensOfOtherKnobs, NotForThisModel, LacksTap, RecordedOnly, NoMaskToken, NoSentenceVectors, NoSuchLesson,
    │                NoScriptForModel
    ├── CannotWrite  CannotCreate, DiskFull
    ├── TooNarrow (TooWideForPaper), NotAWidth, NothingOnPage
    ├── BadFile      CannotRead, NotATrace (BadRecording), NotACorpus, EmptySplit, BadPreset, BadVocabulary,
    │                RecordingFault (BadCard, BadTensor, NoAxes, DoNotAgree, RecordingTooLarge),
    │                BadWeights, BadCheckpoint, NotAFile, BadLesson, BadState (NewerState,
    │                BundleStray, BundleLinks, BundleTooMany, BundleTooLarge), NotTakenAlong, ChangedElsewhere, BadChangesFile,
    │                OverLimit, NotAScanTable,
    │                BadFormula (TakesTooLong, TakesTooMuch, TooDeep, NotInSentence),
    │                BadFolder (NotAModel, NeedsCode, NeedsSafetensors, Quantized, UnknownFamily, MissingWeights, NoTokenizer,
    │                NeedsSentencepiece, NoChatTemplate, BadTemplate, TooLarge, NotInstalled, SelfCheckFailed,
    │                NoAttention, SeveralGguf, GgufNotInstalled, NoEndSymbol, FolderIsGone, NotOwnModel,
    │                NotAnAdapter, UnknownAdapter, AdapterDoesNotFit, AdapterNeedsModel, UnknownPooling)
    ├── NoDisplay, NoSuchDevice, NotEnoughDeviceMemory, NotForThisSystem
    ├── NotEnoughMemory, NotKept, TooLongForEffects, TooLongToTry, SlowToTry, SlowToHide, NothingChanged,
    │   WritesNothing
    ├── NoSentences, ExtraMissing, UnfinishedScan, OtherScan (OtherScanFile, OtherScanWeights)
    ├── BadReplacement, BadField
    ├── CannotRecord NoTaps, BadAxes, SeveralSentences
    ├── CannotPatch  NoOtherText, CannotAlign, TooLongToPatch
    ├── CannotSteer  TooManySentences, SentenceOfSet, NoStreamToSteer
    └── BadChange    UnknownChangeKind, ChangeLacks, ChangeHasNo, BadChangeField, TooManyInChange,
                     NoHeads, OutOfTensor, LengthsDiffer, AllClosed, CannotClose, NeverReached, NoMean, NotForLongTexts

Each error carries a text key and its numbers. `lang.Words.error` makes the sentence, and `str()` is that sentence in the
system's language. A bug is never an ExplorerError.
"""

from collections.abc import Callable
from typing import ClassVar


class ExplorerError(Exception):
    """The base of all users' errors. `values` fill the sentence that stands under `key` in the language files."""

    key: ClassVar[str] = "error.unknown"
    told_by: ClassVar["Callable[[ExplorerError], str] | None"] = None  # `lang` sets it, as errors know no texts
    change: object = None  # the Change that could not be made, where the error is about one

    def __init__(self, **values: object) -> None:
        super().__init__(self.key, values)
        self.values = values

    def __str__(self) -> str:
        """The sentence; the key and the values' names as long as `lang` is not imported."""
        tell = ExplorerError.told_by
        return tell(self) if tell is not None else f"{self.key}({', '.join(self.values)})"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.values)


def _again(kind: type[ExplorerError], values: dict[str, object]) -> ExplorerError:
    return kind(**values)


class BadText(ExplorerError):
    """A text that cannot be used."""


class NotText(BadText):
    """A value that is no str where a text is wanted. Values: got."""

    key = "error.not_text"


class EmptyText(BadText):
    """A text of nothing but white space."""

    key = "error.empty_text"


class ControlCharacter(BadText):
    """A control character, which is invisible. Values: place (from 1), code."""

    key = "error.control_character"


class LoneSurrogate(BadText):
    """Half of a UTF-16 pair, which is no character. Values: place (from 1), code."""

    key = "error.lone_surrogate"


class TooLong(BadText):
    """More tokens than the model has positions. Values: limit, got."""

    key = "error.too_long"


class TooManySymbols(BadText):
    """More different tokens than the vocabulary has room for. Values: limit, got."""

    key = "error.too_many_symbols"


class BadWord(BadText):
    """A word that cannot become a symbol: empty, or with white space or invisible characters. Values: word."""

    key = "error.bad_word"


class BadCut(BadText):
    """Hand-made cuts that do not fit the text. Values: start, end, length."""

    key = "error.bad_cut"


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


class WrongCall(ExplorerError):
    """A command line that cannot be understood."""


class FlagsExclude(WrongCall):
    """Two flags that ask for different things. Values: first, second."""

    key = "error.flags_exclude"


class SentencesNeedOneSide(WrongCall):
    """Further sentences of one language for the training of a translator, which needs pairs."""

    key = "error.sentences_need_one_side"


class UnknownCommand(WrongCall):
    """A command of this name does not exist. Values: name, known."""

    key = "error.unknown_command"


class UnknownFlag(WrongCall):
    """A flag that the command does not have. Values: name, command."""

    key = "error.unknown_flag"


class SimilarFlag(UnknownFlag):
    """An unknown flag with a name similar to known ones. Values: name, known."""

    key = "error.similar_flag"


class FlagWithoutValue(WrongCall):
    """A flag that lacks its value. Values: name."""

    key = "error.flag_without_value"


class FlagWithValue(WrongCall):
    """A value for a flag that takes none. Values: name."""

    key = "error.flag_with_value"


class MissingArgument(WrongCall):
    """A required argument or flag is missing. Values: name, command."""

    key = "error.missing_argument"


class ExtraArguments(WrongCall):
    """More arguments than the command takes. Values: got, command."""

    key = "error.extra_arguments"


class NotFound(ExplorerError):
    """Something of this name or number does not exist."""


class UnknownPreset(NotFound):
    """A preset of this name does not exist. Values: name, known."""

    key = "error.unknown_preset"


class NotTrained(NotFound):
    """A preset without trained weights, asked for a translation. Values: name."""

    key = "error.not_trained"


class NotATranslator(NotFound):
    """A preset with a trained language model, asked for a translation. Values: name."""

    key = "error.not_a_translator"


class NoMaskToken(NotFound):
    """A model that shall fill in hidden words, and was not trained to. Values: name."""

    key = "error.no_mask_token"


class NoSuchLesson(NotFound):
    """A lesson that was open where a session comes from, and is not in the list here. Values: lesson."""

    key = "error.no_such_lesson"


class NoSentenceVectors(NotFound):
    """A model that shall make one vector of a sentence, and does something else. Values: name."""

    key = "error.no_sentence_vectors"


class NotALanguageModel(NotFound):
    """A model that shall go on with a text, and writes none or translates. Values: name."""

    key = "error.not_a_language_model"


class UnknownTap(NotFound):
    """A tap that the trace does not have. Values: name, nearest."""

    key = "error.unknown_tap"


class UnknownHead(NotFound):
    """A head that the model does not have. Values: got, last."""

    key = "error.unknown_head"


class UnknownLayer(NotFound):
    """A layer that the model does not have. Values: got, last."""

    key = "error.unknown_layer"


class LayersDiffer(NotFound):
    """A tap of all layers at once whose shapes are not the same in each. Values: tap, shapes."""

    key = "error.layers_differ"


class UnknownMeasure(NotFound):
    """A measure of heads that there is not. Values: name, choices."""

    key = "error.unknown_measure"


class NoSuchStep(NotFound):
    """A position of the output that there is not. Values: got, last."""

    key = "error.no_such_step"


class NoSuchSymbol(NotFound):
    """An id that the vocabulary does not have, or a word without a symbol. Values: got, last."""

    key = "error.no_such_symbol"


class NoWrittenWords(NotFound):
    """A model without a decoder, which writes no words. Values: architecture."""

    key = "error.no_written_words"


class NotLookedInto(NotFound):
    """A Trace without an experiment that is needed. Values: name."""

    key = "error.not_looked_into"


class NotForThisModel(NotFound):
    """An experiment that is made with our own models alone. Values: name."""

    key = "error.not_for_this_model"


class RecordedOnly(NotFound):
    """Something that a model would have to compute, where there is only a recorded pass. Values: path."""

    key = "error.recorded_only"


class NoScriptForModel(NotFound):
    """A script that was asked for of a model of others which hooks on its modules do not show whole. Values: name."""

    key = "error.no_script_for_model"


class LacksTap(NotFound):
    """An experiment that needs a tap which this model has not. Values: name, tap, why (a key of the card's reasons)."""

    key = "error.lacks_tap"


class NoSuchPart(NotFound):
    """A part of a sum, or of one of its parts, that there is not. Values: got, part."""

    key = "error.no_such_part"


class NoFittedLens(NotFound):
    """A model for which no Jacobian lens was fitted. Values: preset."""

    key = "error.no_fitted_lens"


class LensOfOtherWeights(NotFound):
    """A Jacobian lens that was fitted for other weights than those of the model. Values: preset."""

    key = "error.lens_of_other_weights"


class LensOfOtherKnobs(NotFound):
    """A Jacobian lens that was fitted with another value of a knob. Values: name."""

    key = "error.lens_of_other_knobs"


class UnknownWord(NotFound):
    """A word that the pass did not write. Values: got, known."""

    key = "error.unknown_word"


class NoSuchColumn(NotFound):
    """A column that a file with sentences has not. Values: path, name, known."""

    key = "error.no_such_column"


class UnknownFormat(NotFound):
    """A file format that does not exist or does not suit the content. Values: name, known."""

    key = "error.unknown_format"


class UnreadableFormat(UnknownFormat):
    """A file of sentences whose ending is none of those that can be read. Values: name, known."""

    key = "error.unreadable_format"


class MissingAsset(NotFound):
    """A file of the program itself is missing. Values: name."""

    key = "error.missing_asset"


class CannotWrite(ExplorerError):
    """A file that cannot be written. Values: path, reason."""

    key = "error.cannot_write"


class CannotCreate(CannotWrite):
    """A folder that cannot be made. Values: path, reason."""

    key = "error.cannot_create"


class DiskFull(CannotWrite):
    """The disk has no room for the file. Values: path."""

    key = "error.disk_full"


class TooNarrow(ExplorerError):
    """A figure for print that is wider than its place on paper. Values: title, need_mm, room_mm, font_pt."""

    key = "error.too_narrow"


class TooWideForPaper(TooNarrow):
    """A figure for print that needs more than the greatest width. Values: title, need_mm, most_mm, font_pt."""

    key = "error.too_wide_for_paper"


class NotAWidth(ExplorerError):
    """A width that is no number with a unit. Values: got."""

    key = "error.not_a_width"


class NothingOnPage(ExplorerError):
    """A page that shows no picture of a pass. Values: page."""

    key = "error.nothing_on_page"


class BadFile(ExplorerError):
    """A file that cannot be used for its purpose."""


class CannotRead(BadFile):
    """A file that cannot be read. Values: path, reason."""

    key = "error.cannot_read"


class NotAScanTable(BadFile):
    """A file that is no table of a scan, or a damaged one. Values: path, reason."""

    key = "error.not_a_scan_table"


class NotATrace(BadFile):
    """A file that holds no Trace. Values: path."""

    key = "error.not_a_trace"


class BadRecording(NotATrace):
    """A Trace that another program recorded, and that cannot be shown. Values: path, reason (an error)."""

    key = "error.bad_recording"


class RecordingFault(BadFile):
    """What is wrong with such a Trace: the reason of a BadRecording."""


class BadCard(RecordingFault):
    """A field of the card of such a Trace that cannot be read. Values: field, got."""

    key = "error.bad_card"


class BadTensor(RecordingFault):
    """A tensor that is no tap's: of another type, or empty. Values: name, got."""

    key = "error.bad_tensor"


class NoAxes(RecordingFault):
    """A tensor whose axes nobody says. Values: tap."""

    key = "error.no_axes"


class DoNotAgree(RecordingFault):
    """An axis of another length than its tokens, heads or layers have. Values: tap, axis, got, wanted."""

    key = "error.do_not_agree"


class RecordingTooLarge(RecordingFault):
    """More numbers than there is memory for. Values: need_mb, free_mb."""

    key = "error.recording_too_large"


class NotACorpus(BadFile):
    """A data file without the required columns. Values: path, columns."""

    key = "error.not_a_corpus"


class EmptySplit(BadFile):
    """A data file with no usable row of a split. Values: path, split."""

    key = "error.empty_split"


class BadPreset(BadFile):
    """A preset file that cannot be used. Values: path, reason."""

    key = "error.bad_preset"


class BadVocabulary(BadFile):
    """A vocabulary file that cannot be used, or does not fit the weights. Values: path, reason."""

    key = "error.bad_vocabulary"


class BadWeights(BadFile):
    """A weight file that is damaged, or of another model. Values: path, reason."""

    key = "error.bad_weights"


class BadCheckpoint(BadFile):
    """A checkpoint that is damaged, or of another training. Values: path, reason."""

    key = "error.bad_checkpoint"


class BadFolder(BadFile):
    """A folder with somebody's model that cannot be opened."""


class NotAModel(BadFolder):
    """A folder whose config.json is missing or cannot be used. Values: path, reason."""

    key = "error.not_a_model"


class NeedsCode(BadFolder):
    """A model that asks for program code of its own, which is never run. Values: path, reason."""

    key = "error.needs_code"


class NeedsSafetensors(BadFolder):
    """A folder without safetensors files; all others may hold code. Values: path, found."""

    key = "error.needs_safetensors"


class Quantized(BadFolder):
    """Weights that are stored in fewer bits. Values: path, method."""

    key = "error.quantized"


class UnknownFamily(BadFolder):
    """A kind of model that is not known here. Values: path, family."""

    key = "error.unknown_family"


class MissingWeights(BadFolder):
    """A folder that lacks tensors or files of its model. Values: path, missing."""

    key = "error.missing_weights"


class UnknownPooling(BadFolder):
    """A folder whose sentence vectors are made in a way that is not known. Values: path, got."""

    key = "error.unknown_pooling"


class NoTokenizer(BadFolder):
    """A folder without a vocabulary that can be read. Values: path."""

    key = "error.no_tokenizer"


class NeedsSentencepiece(NoTokenizer):
    """A folder whose vocabulary is in files of sentencepiece, whose library is not there. Values: path."""

    key = "error.needs_sentencepiece"


class NoChatTemplate(BadFolder):
    """A model that has no chat template, though one is asked for. Values: path."""

    key = "error.no_chat_template"


class BadTemplate(BadFolder):
    """A chat template that cannot be used. Values: path, reason."""

    key = "error.bad_template"


class NoAttention(UnknownFamily):
    """A model without a single attention, as those of state spaces alone. Values: path, family."""

    key = "error.no_attention"


class SeveralGguf(NeedsSafetensors):
    """A folder with more than one file in GGUF: nobody says which of them is meant. Values: path, found."""

    key = "error.several_gguf"


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
    """A model that gives other numbers under observation than alone. Values: path, difference."""

    key = "error.self_check_failed"


class FolderIsGone(BadFolder):
    """A folder that is not there any more. Values: path."""

    key = "error.folder_is_gone"


class NotAnAdapter(BadFolder):
    """A folder without the files of an adapter, or with broken ones. Values: path, reason."""

    key = "error.not_an_adapter"


class UnknownAdapter(BadFolder):
    """An adapter that is more, or other, than the plain sum of LoRA. Values: path, what."""

    key = "error.unknown_adapter"


class AdapterDoesNotFit(BadFolder):
    """An adapter of another model. Values: path, reason."""

    key = "error.adapter_does_not_fit"


class AdapterNeedsModel(BadFolder):
    """An adapter for one of our own models. Values: path."""

    key = "error.adapter_needs_model"


class NotOwnModel(BadFolder):
    """A model of others where only our own will do, as in training. Values: path."""

    key = "error.not_own_model"


class BadField(ExplorerError):
    """A field of a Look, a Wish or a file of them that cannot have this value. Values: name, got."""

    key = "error.bad_field"


class BadState(BadFile):
    """A file that holds no State. Values: path, reason."""

    key = "error.bad_state"


class BadChangesFile(BadFile):
    """A file that holds no changes. Values: path, reason."""

    key = "error.bad_changes_file"


class NewerState(BadState):
    """A State's file from a later version of the program. Values: path, version, known."""

    key = "error.newer_state"


class BundleStray(BadState):
    """A file that has no place in a session with weights, or cannot be read there. Values: path, name."""

    key = "error.bundle_stray"


class BundleLinks(BadState):
    """A link in a session with weights. Values: path, name."""

    key = "error.bundle_links"


class BundleTooMany(BadState):
    """More files in a session with weights than it can have. Values: path, most."""

    key = "error.bundle_too_many"


class BundleTooLarge(BadState):
    """A file in a session with weights that is larger than it can be. Values: path, name, mb."""

    key = "error.bundle_too_large"


class NotTakenAlong(BadFile):
    """A model of others or a recorded pass, which a session does not take along. Values: path."""

    key = "error.not_taken_along"


class ChangedElsewhere(BadFile):
    """A file that somebody else has written since it was opened. Values: path."""

    key = "error.changed_elsewhere"


class NoSuchDevice(ExplorerError):
    """A device that this machine or this build of torch lacks. Values: device."""

    key = "error.no_such_device"


class NotEnoughDeviceMemory(ExplorerError):
    """The memory of a device is too small for a training step. Values: device, batch_tokens."""

    key = "error.not_enough_device_memory"


class NotAFile(CannotRead):
    """A folder, a pipe or a device where a file should be. Values: path."""

    key = "error.not_a_file"


class BadLesson(BadFile):
    """A lesson with a mistake. Values: path, line, reason (words of the file, or another ExplorerError)."""

    key = "error.bad_lesson"


class BadFormula(BadFile):
    """A formula that cannot be understood or does not fit the pass. Values: formula, reason."""

    key = "error.bad_formula"


class BadReplacement(ExplorerError):
    """A hook of a tap returned a tensor that cannot replace the recorded one. Values: tap, wanted, got."""

    key = "error.bad_replacement"


class CannotRecord(ExplorerError):
    """A pass of somebody's own torch module that cannot be recorded."""


class NoTaps(CannotRecord):
    """Nothing in a torch module that could be recorded, or nothing of it ran. Values: module."""

    key = "error.no_taps"


class BadAxes(CannotRecord):
    """Names of axes that are not those of the tensor. Values: tap, axes, shape."""

    key = "error.bad_axes"


class SeveralSentences(CannotRecord):
    """A batch of more than one. Values: got."""

    key = "error.several_sentences"


class TakesTooLong(BadFormula):
    """A formula with more operations than its time limit allows. Values: formula, limit_ms."""

    key = "error.takes_too_long"


class TakesTooMuch(BadFormula):
    """A formula that would use more memory than its limit allows. Values: formula, limit_mb."""

    key = "error.takes_too_much"


class TooDeep(BadFormula):
    """A formula that is too long or has too many nested brackets. Values: formula, length, depth."""

    key = "error.too_deep"


class NotInSentence(BadFormula):
    """A formula about something that the sentence does not have. Values: formula."""

    key = "error.not_in_sentence"


class OverLimit(BadFile):
    """More of something in a file than its limit allows. Values: name, limit, got."""

    key = "error.over_limit"


class NoDisplay(ExplorerError):
    """There is no screen to open a window on. Values: display, wayland."""

    key = "error.no_display"


class NotForThisSystem(ExplorerError):
    """A command that only Linux has a use for. Values: system."""

    key = "error.not_for_this_system"


class NotEnoughMemory(ExplorerError):
    """The memory is too small for what was asked for. Values: need_mb."""

    key = "error.not_enough_memory"


class NotKept(ExplorerError):
    """A tensor of a long text that was not kept. Values: tap, n_tokens. `head` is the wanted head, -1 for all."""

    key = "error.not_kept"

    def __init__(self, *, head: int = -1, **values: object) -> None:
        super().__init__(**values)
        self.head = head


class TooLongForEffects(ExplorerError):
    """Something that needs whole maps, asked of a text that is too long for them. Values: n_tokens."""

    key = "error.too_long_for_effects"


class TooLongToTry(ExplorerError):
    """A text so long that what each change would do is not found out in advance. Values: n_tokens."""

    key = "error.too_long_to_try"


class SlowToTry(ExplorerError):
    """A model so large that what each change would do is found out only on request. Values: seconds (of one change)."""

    key = "error.slow_to_try"


class SlowToHide(ExplorerError):
    """A text of which every token cannot be hidden beside typing. Values: count (tokens), seconds."""

    key = "error.slow_to_hide"


class NothingChanged(ExplorerError):
    """A search for what a change breaks, without any change."""

    key = "error.nothing_changed"


class WritesNothing(ExplorerError):
    """A search for what a change breaks in the translations of a model that writes none of its own."""

    key = "error.writes_nothing"


class ExtraMissing(ExplorerError):
    """A library that an extra of the package brings. Values: name, extra."""

    key = "error.extra_missing"


class UnfinishedScan(ExplorerError):
    """A scan that was begun before and shall not be gone on with. Values: path."""

    key = "error.unfinished_scan"


class OtherScan(ExplorerError):
    """An unfinished scan of other sentences, or with another model or other measures. Values: path."""

    key = "error.other_scan"


class OtherScanFile(OtherScan):
    """A file of sentences that has changed since its unfinished scan began. Values: path, file."""

    key = "error.other_scan_file"


class OtherScanWeights(OtherScan):
    """A model whose weights have changed since an unfinished scan with it began. Values: path."""

    key = "error.other_scan_weights"


class NoSentences(ExplorerError):
    """A file without a sentence. Values: path."""

    key = "error.no_sentences"


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


class CannotSteer(ExplorerError):
    """Two sets of sentences of which no vector can be made."""


class TooManySentences(CannotSteer):
    """A set of more sentences than it may have. Values: limit, got."""

    key = "error.too_many_sentences"


class SentenceOfSet(CannotSteer):
    """A sentence that no pass can be made of. Values: text, reason (an error)."""

    key = "error.sentence_of_set"


class NoStreamToSteer(CannotSteer):
    """A model whose stream behind its layers is not seen. Values: why (a key of the card's reasons)."""

    key = "error.no_stream_to_steer"


class BadChange(ExplorerError):
    """A change inside a pass that cannot be made."""


class UnknownChangeKind(BadChange):
    """A kind of change that does not exist. Values: got, known."""

    key = "error.unknown_change_kind"


class ChangeLacks(BadChange):
    """A change without a field that its kind requires. Values: kind, field."""

    key = "error.change_lacks"


class ChangeHasNo(BadChange):
    """A change with a field that its kind does not use. Values: kind, field."""

    key = "error.change_has_no"


class BadChangeField(BadChange):
    """A field of a change that cannot have this value. Values: field, got."""

    key = "error.bad_change_field"


class TooManyInChange(BadChange):
    """A field of a change with more entries than it may have. Values: field, limit, got."""

    key = "error.too_many_in_change"


class NoHeads(BadChange):
    """A change that names a head at a tap without heads. Values: tap."""

    key = "error.no_heads"


class OutOfTensor(BadChange):
    """A change at a position that the tap does not have in this sentence. Values: tap, axis, got, last."""

    key = "error.out_of_tensor"


class LengthsDiffer(BadChange):
    """A patch whose length differs from the tensor that it replaces. Values: tap, axis, wanted, got."""

    key = "error.lengths_differ"


class AllClosed(BadChange):
    """A change that would leave a row of an attention without any open key. Values: tap, row."""

    key = "error.all_closed"


class CannotClose(BadChange):
    """A change that closes cells at a tap where no mask can close any. Values: tap."""

    key = "error.cannot_close"


class NoMean(BadChange):
    """A mean of rows at a tap where a mask closes cells. Values: tap."""

    key = "error.no_mean"


class NotForLongTexts(BadChange):
    """A change that needs whole maps, at a tap that a long text goes through in blocks. Values: tap."""

    key = "error.not_for_long_texts"


class NeverReached(BadChange):
    """A change at a tap that the pass did not reach. Values: tap."""

    key = "error.never_reached"
