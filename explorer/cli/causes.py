"""The commands ablation, patching and saliency: what makes the model generate a word. Each runs extra passes."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.flags import json_flag, shared_flags, tell_json, theme_flag
from explorer.cli.passes import asked, computer
from explorer.cli.spoken import SpokenCommand
from explorer.errors import EmptyText
from explorer.export import formats
from explorer.lang import Words
from explorer.state.focus import NOWHERE, Focus
from explorer.trace.found.experiments import PATCHING, SALIENCY
from explorer.trace.tap_names import Cell

if TYPE_CHECKING:
    from explorer.trace.found.effects import Edges, Effects
    from explorer.trace.trace import Trace


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--word", metavar="WORD")
@click.option("--edges", metavar="HEAD")
@json_flag
@click.option("--out", metavar="PATH")
@theme_flag
@shared_flags
@click.pass_obj
def ablation(
    words: Words, /, text: str, word: str | None, edges: str | None, as_json: bool, out: str | None, theme: str, **given: Any
) -> None:
    """Ablate each part of the model and report the change in log p of every word of TEXT."""
    path = None if out is None else Path(out)
    if path is not None:  # Refuse a wrong format before the pass.
        formats.find(path.suffix[1:].lower(), formats.formats_of(figure=True, numbers=True))
    focus = Focus.on_head(edges) if edges else NOWHERE
    request = asked(text, given).asking(focus=focus)
    from explorer.engine.experiments.effects_exact import asking_effects, effects_in

    trace = computer()(asking_effects(request)).trace
    found = effects_in(trace, focus)
    shown = found if word is None else found.of(word)
    if path is not None:
        _write(trace, word, focus, path, words, theme)
    if as_json:
        tell_json(shown.to_dict() | _without(dropout=trace.card.dropout_active))
    elif path is None:
        for line in _edge_lines(trace, shown.edges) if shown.edges is not None else _lines(trace, shown, words):
            click.echo(line)
        if trace.card.dropout_active:
            click.echo(words("picture.without_about.dropout"))


def _without(*, dropout: bool) -> dict[str, list[str]]:
    """What the extra passes omit, as an entry for JSON: dropout, if it is active."""
    return {"without": ["dropout"]} if dropout else {}


def _write(trace: "Trace", word: str | None, focus: Focus, path: Path, words: Words, theme: str) -> None:
    """Write the page's picture or its numbers to `path`; with a head in focus, those of its cells."""
    from explorer.export.job import Export
    from explorer.picture.makers.edges import edge_map
    from explorer.picture.makers.effects import effect_map, found_effects
    from explorer.picture.theme import THEMES
    from explorer.state.look import Look

    found = found_effects(trace)
    assert found is not None  # The caller has checked.
    place = -1 if word is None else found.place(word)
    head = {"attention": focus.attention, "layer": focus.layer, "head": focus.head} if focus.attention else {}
    look = Look(position=place, signed_colours=THEMES[theme].signed_colours, **head).fitted(trace)  # type: ignore[arg-type]
    format_ = path.suffix[1:].lower()
    # Files of numbers are the same in every language.
    told = Words.load("en") if formats.find(format_, formats.formats_of(figure=True, numbers=True)).write is not None else words
    cells, heads = edge_map(trace, look, told) if head else None, effect_map(trace, look, told)
    assert heads is not None
    made = attrs.evolve(heads, chosen=None) if cells is None else cells
    job = Export(trace=trace, out=path, format=format_, words=words, picture=made, look=look, theme=THEMES[theme])
    count = max(done for done, _of in job.run())
    click.echo(words("cli.exported", count=count, path=path))


def _edge_lines(trace: "Trace", edges: "Edges") -> Iterator[str]:
    """A row for each query: the effects of its cells, summed over the words of `edges`."""
    side = Cell(edges.attention, edges.layer, edges.head, 0, 0).tap("masked")
    yield f"{side} [{edges.head}] · Δ log p (nat) · {' '.join(edges.words)}"
    yield " " * 12 + " ".join(f"{token.text[:8]:>8}" for token in trace.keys(side))
    for token, row in zip(trace.side(side, "query"), edges.values.sum(axis=-1).tolist(), strict=True):
        cells = " ".join(f"{value:+8.4f}" if math.isfinite(value) else f"{'·':>8}" for value in row)
        yield f"{token.text[:12]:12}{cells}"


def _lines(trace: "Trace", found: "Effects", words: Words) -> Iterator[str]:
    """The effects of all parts, summed over the words of `found`."""
    yield f"{words('effects.heads')} · Δ log p (nat) · {' '.join(found.words)}"
    for attention, heads, wholes in zip(found.attentions, found.heads.sum(-1), found.layers.sum(-1), strict=True):
        for layer, (row, whole) in enumerate(zip(heads, wholes, strict=True)):
            if math.isnan(whole):  # In a foreign model, this side has fewer layers.
                continue
            numbers = " ".join(f"{value:+8.3f}" for value in row.tolist() if math.isfinite(value))
            yield f"{attention:20} L{layer:<3} {numbers}   {words('effects.all')} {whole:+8.3f}"
    for side, rows in zip(found.sides, found.feed_forwards.sum(-1), strict=True):
        for layer, value in enumerate(rows.tolist()):
            if math.isfinite(value):  # NaN: the model's family does not name its networks.
                yield f"{side + '.feed_forward':20} L{layer:<3} {value:+8.3f}"
    yield words("effects.hidden" if found.hidden_in.endswith("cross_attn") else "effects.hidden_self")
    for token, value in zip(found.tokens, found.hidden.sum(-1).tolist(), strict=True):
        yield f"{value:+8.3f}  {token}"


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.argument("other")
@json_flag
@shared_flags
@click.pass_obj
def patching(words: Words, /, text: str, other: str, as_json: bool, **given: Any) -> None:
    """Report which activations of OTHER, patched into the pass over TEXT, restore the answer of OTHER."""
    from explorer.picture.makers.patching import strongest_lines

    if not other.strip():
        raise EmptyText
    request = asked(text, given)
    from explorer.engine.experiments.asking import ask
    from explorer.trace.found.patching import Patching

    found = ask(computer(), request.wishing(other=other), PATCHING.key, Patching)
    if as_json:
        tell_json(found.to_dict())
        return
    for line in strongest_lines(found, words):
        click.echo(line)


@click.command(cls=SpokenCommand)
@click.argument("text")
@json_flag
@shared_flags
@click.pass_obj
def saliency(words: Words, /, text: str, as_json: bool, **given: Any) -> None:
    """Report by integrated gradients how much each token of TEXT contributes to each word, in nats."""
    request = asked(text, given)
    from explorer.engine.experiments.asking import ask
    from explorer.trace.found.saliency import Saliency

    found = ask(computer(), request, SALIENCY.key, Saliency)
    if as_json:
        tell_json(found.to_dict() | _without(dropout=request.wish.config.dropout_active))
        return
    for place, word in enumerate(found.words):
        click.echo(f"{word}   Σ − Δ log p = {found.errors[place]:+.2f}")
        for side, tokens in found.tokens.items():
            told = "  ".join(
                f"{token.text} {value:+.2f}" for token, value in zip(tokens, found.integrated[side][place], strict=True)
            )
            click.echo(f"    {side}: {told}")
    if request.wish.config.dropout_active:
        click.echo(words("picture.without_about.dropout"))
