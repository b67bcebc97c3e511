"""Why this word: a logit, and the difference of two logits, as an exact sum of parts.

The stream that the generator reads is a sum: embedding, positions, what each head and each feed-forward adds, and biases. Norms
lie between the sum and the logit. With their σ held at the recorded value they are linear, so each part can be carried through
them, and the parts still sum to the logit. Elhage et al. 2021, "A mathematical framework for transformer circuits".

It is done backward: the row of the generator for a word is taken back through each norm to the place where a part is added, and
a part's share is its product with that direction (`stream_parts`).

Attribution is not causation: other parts would change if one were ablated, and the σ with them.
"""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.errors import NoSuchStep, NoSuchSymbol, NotLookedInto, NoWrittenWords, bare
from explorer.mathematics import Numbers
from explorer.tokens.pieces import MARK
from explorer.trace.found.experiments import WHY
from explorer.trace.found.findings import NotMade
from explorer.trace.found.part import Part, WayStep
from explorer.trace.found.reading import EXACT, Attribution, ByKey, Reading
from explorer.trace.found.stream_parts import WayBack
from explorer.trace.found.weights import OutputWeights
from explorer.trace.measures.measures import most_uncertain_step
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import RecordedPass


@attrs.frozen(kw_only=True, eq=False)
class Parts(Attribution):
    """The logit of a word minus that of its rival at one position, in parts.

    `shares` [word rival, part] are the parts of the two logits, `values` [part] their differences: above zero for the word,
    below for the rival. `logits` are the two recorded ones, before the bound of a model that bounds them, and `p` the two
    probabilities. `remainder` is what the parts lack of the recorded difference. σ of each norm is held as it was in this pass.

    `directions` has by block the direction [word rival, feature] in which what is added there counts.
    """

    word: int
    rival: int
    names: tuple[str, str]
    shares: Numbers
    logits: tuple[float, float]
    p: tuple[float, float]

    @property
    def values(self) -> Numbers:
        """[part] the share of each part in the difference."""
        made: Numbers = self.shares[0] - self.shares[1]
        return made

    @property
    def difference(self) -> float:
        """The recorded logit of the word minus that of the rival."""
        return self.logits[0] - self.logits[1]

    @property
    def remainder(self) -> float:
        """The recorded difference minus the sum of the parts."""
        return self.difference - self.total

    @property
    def exact(self) -> bool:
        """Whether the parts sum to the recorded logits, of both words, but for rounding."""
        apart = np.abs(np.array(self.logits) - self.shares.sum(axis=1))
        rounding = EXACT * max(1.0, *map(abs, self.logits))
        return bool((apart < rounding).all() and abs(self.remainder) < rounding)

    def direction(self, block: str) -> Numbers:
        """[feature] the direction in which the difference of the two logits grows with what a block adds."""
        both = self.directions[block]  # [word rival, feature]
        made: Numbers = both[0] - both[1]
        return made

    def __repr__(self) -> str:
        """The sum and the six largest parts, in eight lines."""
        word, rival = self.names
        head = f"Parts: logit({word}) - logit({rival}) = {self.difference:+.4f} at position {self.position}"
        return printed(self.told(head, self.remainder))


def written_ids(trace: RecordedPass) -> tuple[int, ...]:
    """[position] the id of the word generated there: the next one of the target, else the likeliest."""
    return trace.expected or tuple(map(int, trace["generator.logits"].argmax(axis=-1)))


def likeliest_rivals(trace: RecordedPass, position: int, word: int, most: int = 1) -> tuple[int, ...]:
    """The ids of the most probable words beside `word`, the first one first."""
    order = np.argsort(-trace["generator.logits"][position], kind="stable")[: most + 1]
    return tuple(int(each) for each in order if each != word)[:most]


def parts_of(
    trace: RecordedPass,
    position: int,
    rival: int | None = None,
    word: int | None = None,
    *,
    weights: OutputWeights | None = None,
) -> Parts:
    """The Parts of a logit difference at a position of the output.

    `word` is the generated one and `rival` the most probable other one where they are None. Without `weights` the Trace needs
    its experiment "why". Raises NoWrittenWords, NotLookedInto, NoSuchStep, NoSuchSymbol.
    """
    weights = weights or _weights(trace)
    logits = trace["generator.logits"]
    n_positions, n_symbols = logits.shape
    if not _is_index(position, n_positions):
        raise NoSuchStep(got=position, last=n_positions - 1)
    word = written_ids(trace)[position] if word is None else word
    rival = likeliest_rivals(trace, position, word)[0] if rival is None else rival
    for each in (word, rival):
        if not _is_index(each, n_symbols):
            raise NoSuchSymbol(got=each, last=n_symbols - 1)
    words = np.array([word, rival])
    summed = weights.before_cap(logits[position, words])
    walk = WayBack(trace, weights, "decoder", position)
    # logit[w] = W[w]·s·z + b[w], where z is what the decoder gives out, and s is 1 but in T5
    found = list(walk.from_end(weights.scale * weights.generator.weight[words].astype(np.float64)))
    found.reverse()
    if weights.generator.bias is not None:
        found.append((Part("output_bias", "generator.logits"), weights.generator.bias[words].astype(np.float64)))
    return Parts(
        position=position,
        word=word,
        rival=rival,
        names=tuple(symbol_text(trace, each) for each in (word, rival)),  # type: ignore[arg-type]  # There are two.
        parts=tuple(part for part, _share in found),
        shares=np.stack([share for _part, share in found], axis=1),
        logits=(float(summed[0]), float(summed[1])),
        p=(float(trace["generator.probabilities"][position, word]), float(trace["generator.probabilities"][position, rival])),
        directions=walk.directions,
        trace=trace,
    )


def _is_index(value: object, size: int) -> bool:
    return isinstance(value, (int, np.integer)) and 0 <= int(value) < size


def parts_asked(trace: RecordedPass, position: int | None, rival: int | str | None, word: int | str | None) -> Parts:
    """The Parts that `Trace.why` is asked for: words as ids or texts, the step of which the model was least sure for None."""
    if position is None:
        position = max(0, most_uncertain_step(trace))
    ids = [symbol_id(trace, each) if isinstance(each, str) else each for each in (rival, word)]
    return parts_of(trace, position, *ids)


def walked(parts: Parts, steps: Sequence[WayStep]) -> tuple[Parts | Reading, ...]:
    """The sums that a way leads through, first the Parts themselves, last where it ends. Raises NoSuchPart, NotLookedInto."""
    passed: list[Parts | Reading] = [parts]
    for step in steps:
        found = passed[-1].inside(step.attention, step.layer, step.head)
        assert isinstance(found, ByKey)  # A step leads through a head.
        passed.append(found.inside(step.key, step.which, step.feature))  # type: ignore[arg-type]  # `steps_of` has checked it.
    return tuple(passed)


def _weights(trace: RecordedPass) -> OutputWeights:
    found = trace.experiments.get(WHY.key)
    if isinstance(found, NotMade):
        raise bare(found.error)
    if "decoder.embedding.output" not in trace:
        raise NoWrittenWords(architecture=trace.card.architecture)
    if not isinstance(found, OutputWeights):
        raise NotLookedInto(name=WHY.key)
    return found


def symbol_text(trace: RecordedPass, index: int) -> str:
    """The symbol of a vocabulary id; "#17" for a row of the output matrix that no symbol uses."""
    return trace.symbols[index] if index < len(trace.symbols) and trace.symbols[index] else f"#{index}"


def symbol_id(trace: RecordedPass, text: str) -> int:
    """The id of the symbol that a typed word begins with: the word itself, else its longest beginning that is a symbol.

    A symbol with the mark of a word's beginning comes before the same letters inside a word. "#17" is the symbol with this id.
    Raises NoSuchSymbol.
    """
    ids = {symbol: number for number, symbol in reversed(tuple(enumerate(trace.symbols)))}
    if text not in ids and text[:1] == "#" and text[1:].isdecimal():
        return int(text[1:])
    typed = text if text in ids else text.strip()
    if typed in ids and f"{MARK}{typed}" not in ids:
        return ids[typed]
    for length in range(len(typed), 0, -1):
        for found in (f"{MARK}{typed[:length]}", typed[:length]):
            if found in ids:
                return ids[found]
    raise NoSuchSymbol(got=text, last=len(trace.symbols) - 1)
