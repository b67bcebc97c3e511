"""Does the errands about the parameters of the model on screen: their list, the figures of some, and one to look at."""

from collections.abc import Callable
from functools import partial

from explorer.engine.errand import ListParameters, MeasureParameters, ReadParameter
from explorer.engine.errands.parameters import AnyModel, parameters_of, rows_of, token_table
from explorer.engine.passes.pass_recorder import ready_model
from explorer.engine.sources.source import ModelSource, Sentence, never, silent
from explorer.engine.sources.sources import Sources
from explorer.errors import ExplorerError, RecordedOnly, bare
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Stop, stop_at
from explorer.trace.found.matrix_reader import MatrixReader
from explorer.trace.found.parameters import Parameter, ParameterList, ParameterNumbers, slabs
from explorer.trace.measures.measures import Summary
from explorer.trace.measures.streamed import Streamed
from explorer.trace.measures.tap_figures import MeasuredTaps, TapFigures
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens

_MOST_MULTIPLIED = 2**24  # numbers of all circuits of an attention that are multiplied for their figures
Labels = Callable[[Parameter], tuple[str, ...]]
Of = ListParameters | MeasureParameters | ReadParameter


class ParameterPieces:
    """The model is the one that a pass of the Wish runs. A matrix that is being read is kept between two pieces."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._begun: tuple[ReadParameter, int, MatrixReader] | None = None

    def piece(
        self, errand: Of, number: int, stop: Stop
    ) -> MeasuredTaps | ParameterList | ParameterNumbers | ExplorerError | None:
        """What a piece finds out; None where a matrix is not read to its end yet. Raises Superseded."""
        try:
            if isinstance(errand, ReadParameter):
                return self._read(errand, number, stop)
            model, card, _labels = ready_parameters(self._sources, errand.wish, stop)
            if isinstance(errand, ListParameters):
                return parameters_of(model, card)
            measured = errand.parameters[number]
            return MeasuredTaps({measured.name: _figures(model, card, measured, stop)})
        except ExplorerError as error:
            self._begun = None
            return bare(error)

    def _read(self, errand: ReadParameter, number: int, stop: Stop) -> ParameterNumbers | None:
        """The next slab of a matrix; what was read, at the last one. A piece that comes out of turn begins again."""
        assert errand.parameter is not None  # An errand with pieces has it.
        begun, self._begun = self._begun, None
        if begun is None or begun[0] is not errand or begun[1] != number:
            model, card, _labels = ready_parameters(self._sources, errand.wish, stop)
            begun = (
                errand,
                number,
                MatrixReader(rows_of(model, card, errand.parameter, errand.number), errand.parameter, errand.number),
            )
            for _before in range(number):
                stop_at(stop)
                begun[2].step()
        reader = begun[2]
        if not reader.step():
            self._begun = errand, number + 1, reader
            return None
        _model, _card, labels = ready_parameters(self._sources, errand.wish, stop)
        return reader.found(labels(errand.parameter))


def ready_parameters(sources: Sources, wish: Wish | None, stop: Stop = never) -> tuple[AnyModel, ModelCard, Labels]:
    """The model of a Wish, its card, and what gives the tokens of a parameter's rows.

    Raises RecordedOnly, ExplorerError, Superseded.
    """
    assert wish is not None  # An errand with pieces has it.
    recorded = load_preset(wish.preset).recorded
    if recorded is not None:
        raise RecordedOnly(path=str(recorded))
    source = sources.of(wish, stop)
    model = ready_model(source, wish, Sentence(Tokens(), wish.text), stop, silent)
    return model, source.card(wish.config), partial(_labels, model, source, wish)


def _labels(model: AnyModel, source: ModelSource, wish: Wish, parameter: Parameter) -> tuple[str, ...]:
    """The tokens of a matrix' rows; () where they are none."""
    if "vocab" not in parameter.axes:
        return ()
    of_source = token_table(model, parameter.name) == "encoder"
    symbols, n = source.symbols(wish.config, Tokens(), of_source=of_source), parameter.matrix[0]
    return tuple(symbols[each] if each < len(symbols) and symbols[each] else f"#{each}" for each in range(n)) if symbols else ()


def _figures(model: AnyModel, card: ModelCard, parameter: Parameter, stop: Stop) -> TapFigures:
    """The figures of a whole parameter; none of circuits that are too many to be multiplied for them. Raises Superseded."""
    if parameter.kind == "circuits" and parameter.size > _MOST_MULTIPLIED:
        return TapFigures(None)
    return TapFigures(whole_summary(model, card, parameter, stop), parameter.dtype)


def whole_summary(model: AnyModel, card: ModelCard, parameter: Parameter, stop: Stop) -> Summary:
    """The figures of all matrices of a parameter together. Raises Superseded, BadWeights."""
    figures = Streamed()
    for number in range(parameter.n_matrices):
        rows = rows_of(model, card, parameter, number)
        for first, end in slabs(parameter):
            stop_at(stop)
            figures.take(rows.span(first, end))
    return figures.summary(parameter.shape)
