"""The command `heads`: what each attention head does, as numbers."""

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from explorer.cli.flags import choice_flag, shared_flags
from explorer.cli.passes import explored
from explorer.cli.spoken import SpokenCommand
from explorer.lang import Words
from explorer.trace.found.finding_kinds import HEAD_MEASURES

if TYPE_CHECKING:
    from explorer.trace.trace import Trace


@click.command(cls=SpokenCommand)
@click.argument("text")
@choice_flag("--measure", "measure", HEAD_MEASURES, default=HEAD_MEASURES[0])
@click.option("--json", "as_json", is_flag=True)
@shared_flags
@click.pass_obj
def heads(words: Words, /, text: str, measure: str, as_json: bool, **given: Any) -> None:
    """Say what each attention head does on TEXT, by one measure of its weights."""
    trace = explored(text, given)
    if as_json:
        click.echo(json.dumps(_all(trace), ensure_ascii=False, allow_nan=False))
        return
    for line in _lines(trace, measure, words):
        click.echo(line)


def _all(trace: "Trace") -> dict[str, Any]:
    """By attention and measure [layer, head]; None where a measure means nothing."""
    return {
        attention: {
            key: [[value if math.isfinite(value) else None for value in row] for row in values.tolist()]
            for key, values in trace.measures(attention).items()
        }
        for attention in trace.card.attentions
    }


def _lines(trace: "Trace", measure: str, words: Words) -> Iterator[str]:
    """A row for each layer, with a number for each head."""
    from explorer.trace.measures.head_measures import MEASURES, head_values

    unit = MEASURES[measure].unit
    name = words(f"heads.measure.{measure}")
    yield f"{name} ({words(f'heads.unit.{unit}')})" if unit else name
    for attention in trace.card.attentions:
        for layer, row in enumerate(head_values(trace, attention, measure).tolist()):
            numbers = " ".join(f"{value:8.3f}" if math.isfinite(value) else f"{'–':>8}" for value in row)
            yield f"{attention:20} L{layer:<3} {numbers}"
