"""The commands heads, attribution and lens: metrics of heads, the sum behind a word, and what each layer would predict."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from explorer.cli.flags import choice_flag, json_flag, number_flag, shared_flags, tell_json
from explorer.cli.lens_fit import tell_agreement
from explorer.cli.passes import explored
from explorer.cli.spoken import SpokenCommand
from explorer.lang import Words
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.found.experiments import JACOBIAN, LENS, READERS, WHY

if TYPE_CHECKING:
    from explorer.trace.found.lens import Lens
    from explorer.trace.found.part import Part
    from explorer.trace.found.reading import Reading
    from explorer.trace.found.why import Parts
    from explorer.trace.trace import Trace

_MOST_STEPS = 8192


@click.command(cls=SpokenCommand)
@click.argument("text")
@choice_flag("--measure", "measure", HEAD_MEASURES, default=HEAD_MEASURES[0])
@json_flag
@shared_flags
@click.pass_obj
def heads(words: Words, /, text: str, measure: str, as_json: bool, **given: Any) -> None:
    """Print one metric of every attention head on TEXT."""
    trace = explored(text, given)
    if as_json:
        tell_json(_metrics(trace))
        return
    for line in _metric_lines(trace, measure, words):
        click.echo(line)


def _metrics(trace: "Trace") -> dict[str, Any]:
    """By attention and metric: [layer, head]; None where a metric is undefined."""
    return {
        attention: {
            key: [[value if math.isfinite(value) else None for value in row] for row in values.tolist()]
            for key, values in trace.measures(attention).items()
        }
        for attention in trace.card.attentions
    }


def _metric_lines(trace: "Trace", measure: str, words: Words) -> Iterator[str]:
    """A row for each layer with a number for each head."""
    from explorer.trace.measures.head_measures import MEASURES, head_values

    unit = MEASURES[measure].unit
    name = words(f"heads.measure.{measure}")
    yield f"{name} ({words(f'heads.unit.{unit}')})" if unit else name
    for attention in trace.card.attentions:
        for layer, row in enumerate(head_values(trace, attention, measure).tolist()):
            numbers = " ".join(f"{value:8.3f}" if math.isfinite(value) else f"{'–':>8}" for value in row)
            yield f"{attention:20} L{layer:<3} {numbers}"


@click.command(cls=SpokenCommand)
@click.argument("text")
@number_flag("--step", "step", 0, _MOST_STEPS)  # --position is a knob
@click.option("--rival", metavar="WORD")
@click.option("--word", metavar="WORD")
@click.option("--into", metavar="WAY")
@json_flag
@shared_flags
@click.pass_obj
def attribution(
    words: Words,
    /,
    text: str,
    step: int | None,
    rival: str | None,
    word: str | None,
    into: str | None,
    *,
    as_json: bool,
    **given: Any,
) -> None:
    """Attribute a generated word: write the difference between its logit and its rival's as an exact sum of parts."""
    from explorer.picture.sums import part_name, probability, told

    trace = explored(text, given, WHY.key, *((READERS.key,) if into else ()))
    parts = trace.why(step, rival, word=word)
    if into:
        _open(parts, into, words, as_json=as_json)
        return
    if as_json:
        tell_json({"source": trace.source, "target": trace.target, **parts_values(parts)})
        return
    first, second = parts.names
    click.echo(words("why.question", word=first, rival=second))
    click.echo(
        words("why.against", p=probability(parts.p[0]), rival_p=probability(parts.p[1]), difference=told(parts.difference, 4))
    )
    if not parts.exact:
        click.echo(_sums("why.inexact", parts, words))
        return
    for place in sorted(range(len(parts.values)), key=lambda each: -abs(parts.values[each])):
        part = parts.parts[place]
        click.echo(f"{told(float(parts.values[place]), 4):>10}  {part_name(part, words)}  {part.tap}")
    click.echo(_sums("why.both_sums", parts, words))


def _open(parts: "Parts", into: str, words: Words, *, as_json: bool) -> None:
    """Print the terms of one number of Q, K or V, at the end of a path into the sum."""
    from explorer.picture.sums import part_name, told
    from explorer.trace.found.part import steps_of
    from explorer.trace.found.reading import Reading
    from explorer.trace.found.why import walked

    found = walked(parts, steps_of(into))[-1]
    assert isinstance(found, Reading)  # The path has a step, since it is not empty.
    if as_json:
        tell_json(reading_values(found))
        return
    feature = f", {found.feature}" if found.feature >= 0 else ""
    click.echo(f"{found.tap}[{found.head}, {found.position}{feature}] {told(found.recorded, 6)}")
    for place in sorted(range(len(found.values)), key=lambda each: -abs(found.values[each])):
        part = found.parts[place]
        click.echo(f"{told(float(found.values[place]), 6):>12}  {part_name(part, words)}  {part.tap}")
    total = f"{words('why.sum_of_parts', count=len(found.parts))} {told(found.total, 6)}"
    click.echo(f"{total}, {words('why.remainder')} {found.remainder:.1e}")


def reading_values(found: "Reading") -> dict[str, Any]:
    """All numbers of a Reading as JSON values."""
    return {
        "tap": found.tap,
        "head": found.head,
        "side": found.side,
        "position": found.position,
        "feature": found.feature if found.feature >= 0 else None,
        "recorded": found.recorded,
        "sum": found.total,
        "remainder": found.remainder,
        "exact": found.exact,
        "parts": [_part_values(part) | {"value": float(value)} for part, value in zip(found.parts, found.values, strict=True)],
    }


def _part_values(part: "Part") -> dict[str, Any]:
    return {
        "kind": part.kind,
        "layer": part.layer if part.layer >= 0 else None,
        "attention": part.attention or None,
        "head": part.head if part.head >= 0 else None,
        "tap": part.tap,
    }


def _sums(key: str, parts: "Parts", words: Words) -> str:
    return words(key, difference=f"{parts.difference:.4f}", total=f"{parts.total:.4f}", count=len(parts.parts))


def parts_values(parts: "Parts") -> dict[str, Any]:
    """All numbers of an attribution as JSON values."""

    def word(place: int, symbol: int) -> dict[str, Any]:
        return {"id": symbol, "text": parts.names[place], "logit": parts.logits[place], "p": parts.p[place]}

    return {
        "position": parts.position,
        "word": word(0, parts.word),
        "rival": word(1, parts.rival),
        "difference": parts.difference,
        "sum": parts.total,
        "remainder": parts.remainder,
        "exact": parts.exact,
        "parts": [
            _part_values(part) | {"value": float(value), "of_word": float(of_word), "of_rival": float(of_rival)}
            for part, value, of_word, of_rival in zip(parts.parts, parts.values, *parts.shares, strict=True)
        ],
    }


@click.command(cls=SpokenCommand)
@click.argument("text")
@json_flag
@click.option("--jacobian", is_flag=True)
@shared_flags
@click.pass_obj
def lens(words: Words, /, text: str, *, as_json: bool, jacobian: bool, **given: Any) -> None:
    """Print the logit lens of each decoder layer: exact in the last row, a heuristic before."""
    trace = explored(text, given, JACOBIAN.key if jacobian else LENS.key)
    found = trace.lens(jacobian=jacobian)
    if as_json:
        tell_json({"source": trace.source, "target": trace.target, **lens_values(found)})
        return
    click.echo(f"{words('lens.reads'):34} {' / '.join(found.tokens)}")
    for row, tap in enumerate(found.taps):
        best = zip(found.ids[row, :, 0].tolist(), found.probabilities[row, :, 0].tolist(), strict=True)
        click.echo(f"{tap:34} {' / '.join(f'{found.names[symbol]} {p:.2f}' for symbol, p in best)}")
    click.echo(words("cli.lens"))
    if found.agreement is not None:
        tell_agreement(found.agreement, words)


def lens_values(lens: "Lens") -> dict[str, Any]:
    """The words of every row and position as JSON values."""
    measured = None if lens.agreement is None else lens.agreement.values()
    return {
        **({} if measured is None else {"agreement_on_held_out": measured}),
        "tokens": lens.tokens,
        "written": [{"id": symbol, "text": lens.names[symbol]} for symbol in lens.written],
        "rows": [
            {
                "tap": tap,
                "exact": row == len(lens.taps) - 1,
                "positions": [
                    {
                        "p_of_written": float(lens.written_p[row, position]),
                        "rank_of_written": int(lens.ranks[row, position]),
                        "top": [
                            {"id": symbol, "text": lens.names[symbol], "p": p}
                            for symbol, p in zip(
                                lens.ids[row, position].tolist(), lens.probabilities[row, position].tolist(), strict=True
                            )
                        ],
                    }
                    for position in range(len(lens.written))
                ],
            }
            for row, tap in enumerate(lens.taps)
        ],
    }
