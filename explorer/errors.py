"""Everything a user can cause, as one family of exceptions.

    ExplorerError
    ├── BadText      NotText, EmptyText, ControlCharacter, LoneSurrogate, TooLong, TooManySymbols, BadWord, BadCut
    ├── BadKnob      UnknownKnob, KnobOutOfRange, KnobNotAChoice, KnobNotANumber, KnobNotWhole, HeadsDoNotFit
    ├── WrongCall    UnknownCommand, UnknownFlag, SimilarFlag, FlagWithoutValue, FlagWithValue, MissingArgument, ExtraArguments
    ├── NotFound     UnknownPreset, NotTrained, UnknownTap, UnknownHead, UnknownLayer, UnknownFormat, MissingAsset
    ├── CannotWrite  CannotCreate, DiskFull
    ├── BadFile      CannotRead, NotATrace, NotACorpus, EmptySplit, BadPreset, BadVocabulary,
    │                BadWeights, BadCheckpoint, NotAFile, BadLesson, OverLimit,
    │                BadFormula (TakesTooLong, TakesTooMuch, TooDeep, NotInSentence)
    ├── NoDisplay, NoSuchDevice, NotEnoughDeviceMemory
    ├── NotEnoughMemory, NotKept
    ├── BadReplacement
    └── BadChange    UnknownChangeKind, ChangeLacks, ChangeHasNo, BadChangeField, TooManyInChange,
                     NoHeads, OutOfTensor, LengthsDiffer, AllClosed, CannotClose, NeverReached

Each carries a text key and its numbers; `lang.Words.error` makes the sentence, and `str()` is that sentence in the system's
language. A bug is never an ExplorerError.
"""

from collections.abc import Callable
from typing import ClassVar


class ExplorerError(Exception):
    """A mistake with a name. `values` fill the sentence that stands under `key` in the language files."""

    key: ClassVar[str] = "error.unknown"
    told_by: ClassVar["Callable[[ExplorerError], str] | None"] = None  # `lang` puts it in: errors know no texts

    def __init__(self, **values: object) -> None:
        super().__init__(self.key, values)
        self.values = values

    def __str__(self) -> str:
        """The sentence, or what there is of it before the texts are there."""
        tell = ExplorerError.told_by
        return tell(self) if tell is not None else f"{self.key}({', '.join(self.values)})"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.values)


def _again(kind: type[ExplorerError], values: dict[str, object]) -> ExplorerError:
    return kind(**values)


class BadText(ExplorerError):
    """A text that cannot be worked on."""


class NotText(BadText):
    """Something that is no text where one is wanted. Values: got."""

    key = "error.not_text"


class EmptyText(BadText):
    """Nothing but white space."""

    key = "error.empty_text"


class ControlCharacter(BadText):
    """A character that steers machines and shows nothing. Values: place (from 1), code."""

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
    """What cannot become a symbol: nothing, or something with white space or signs that nobody sees. Values: word."""

    key = "error.bad_word"


class BadCut(BadText):
    """Hand-made cuts that do not fit the text. Values: start, end, length."""

    key = "error.bad_cut"


class BadKnob(ExplorerError):
    """A knob that cannot have this value."""


class UnknownKnob(BadKnob):
    """Values: name."""

    key = "error.unknown_knob"


class KnobOutOfRange(BadKnob):
    """Values: name, low, high, got."""

    key = "error.knob_out_of_range"


class KnobNotAChoice(BadKnob):
    """Values: name, choices, got."""

    key = "error.knob_not_a_choice"


class KnobNotANumber(BadKnob):
    """Values: name, got."""

    key = "error.knob_not_a_number"


class KnobNotWhole(BadKnob):
    """A number where only whole ones make sense. Values: name, got."""

    key = "error.knob_not_whole"


class HeadsDoNotFit(BadKnob):
    """d_model is no multiple of n_heads. Values: n_heads, d_model."""

    key = "error.heads_do_not_fit"


class WrongCall(ExplorerError):
    """A command line that cannot be understood."""


class UnknownCommand(WrongCall):
    """Values: name, known."""

    key = "error.unknown_command"


class UnknownFlag(WrongCall):
    """Values: name, command."""

    key = "error.unknown_flag"


class SimilarFlag(UnknownFlag):
    """A flag that is not there, but some are called almost so. Values: name, known."""

    key = "error.similar_flag"


class FlagWithoutValue(WrongCall):
    """Values: name."""

    key = "error.flag_without_value"


class FlagWithValue(WrongCall):
    """A value for a flag that takes none. Values: name."""

    key = "error.flag_with_value"


class MissingArgument(WrongCall):
    """An argument or a flag without which there is nothing to do. Values: name, command."""

    key = "error.missing_argument"


class ExtraArguments(WrongCall):
    """More arguments than the command takes. Values: got, command."""

    key = "error.extra_arguments"


class NotFound(ExplorerError):
    """Something that was asked for by name and is not there."""


class UnknownPreset(NotFound):
    """Values: name, known."""

    key = "error.unknown_preset"


class NotTrained(NotFound):
    """A preset without trained weights, asked for a translation. Values: name."""

    key = "error.not_trained"


class UnknownTap(NotFound):
    """Values: name, nearest."""

    key = "error.unknown_tap"


class UnknownHead(NotFound):
    """Values: got, last."""

    key = "error.unknown_head"


class UnknownLayer(NotFound):
    """Values: got, last."""

    key = "error.unknown_layer"


class UnknownFormat(NotFound):
    """Values: name, known."""

    key = "error.unknown_format"


class MissingAsset(NotFound):
    """A file of the program itself is gone. Values: name."""

    key = "error.missing_asset"


class CannotWrite(ExplorerError):
    """Values: path, reason."""

    key = "error.cannot_write"


class CannotCreate(CannotWrite):
    """A folder that cannot be made. Values: path, reason."""

    key = "error.cannot_create"


class DiskFull(CannotWrite):
    """Values: path."""

    key = "error.disk_full"


class BadFile(ExplorerError):
    """A file that cannot be read as what it should be."""


class CannotRead(BadFile):
    """Values: path, reason."""

    key = "error.cannot_read"


class NotATrace(BadFile):
    """Values: path."""

    key = "error.not_a_trace"


class NotACorpus(BadFile):
    """A data file without the columns that are used. Values: path, columns."""

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
    """What a hook of a tap returned cannot stand in for what it was shown. Values: tap, wanted, got."""

    key = "error.bad_replacement"


class TakesTooLong(BadFormula):
    """A formula with more operations than can be done in its time. Values: formula, limit_ms."""

    key = "error.takes_too_long"


class TakesTooMuch(BadFormula):
    """A formula that would fill more memory than it may. Values: formula, limit_mb."""

    key = "error.takes_too_much"


class TooDeep(BadFormula):
    """A formula that is too long, or has too many brackets in each other. Values: formula, length, depth."""

    key = "error.too_deep"


class NotInSentence(BadFormula):
    """A formula about something that the sentence does not have. Values: formula."""

    key = "error.not_in_sentence"


class OverLimit(BadFile):
    """More of something in a lesson than there may be. Values: name, limit, got."""

    key = "error.over_limit"


class NoDisplay(ExplorerError):
    """There is no screen to open a window on. Values: display, wayland."""

    key = "error.no_display"


class NotEnoughMemory(ExplorerError):
    """Values: need_mb."""

    key = "error.not_enough_memory"


class NotKept(ExplorerError):
    """Of a long text not every tensor is kept. Values: tap, n_tokens. `head` is the one that was asked for, -1 for all."""

    key = "error.not_kept"

    def __init__(self, *, head: int = -1, **values: object) -> None:
        super().__init__(**values)
        self.head = head


class BadChange(ExplorerError):
    """A change inside a pass that cannot be made."""


class UnknownChangeKind(BadChange):
    """Values: got, known."""

    key = "error.unknown_change_kind"


class ChangeLacks(BadChange):
    """A field without which a change of this kind says nothing. Values: kind, field."""

    key = "error.change_lacks"


class ChangeHasNo(BadChange):
    """A field that a change of this kind has no use for. Values: kind, field."""

    key = "error.change_has_no"


class BadChangeField(BadChange):
    """A field that cannot have this value. Values: field, got."""

    key = "error.bad_change_field"


class TooManyInChange(BadChange):
    """More than a change can hold. Values: field, limit, got."""

    key = "error.too_many_in_change"


class NoHeads(BadChange):
    """A head at a tap that has none. Values: tap."""

    key = "error.no_heads"


class OutOfTensor(BadChange):
    """A place that a tap does not have in this sentence. Values: tap, axis, got, last."""

    key = "error.out_of_tensor"


class LengthsDiffer(BadChange):
    """What is put at a tap has not the places that are there. Values: tap, axis, wanted, got."""

    key = "error.lengths_differ"


class AllClosed(BadChange):
    """A row of an attention that would have no open key left. Values: tap, row."""

    key = "error.all_closed"


class CannotClose(BadChange):
    """A tap whose cells no mask closes. Values: tap."""

    key = "error.cannot_close"


class NeverReached(BadChange):
    """A tap of the model that the pass did not come through. Values: tap."""

    key = "error.never_reached"
