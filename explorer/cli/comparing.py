"""The command diff: where two models, or two recorded passes, differ."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from explorer.cli.completing import presets_completed
from explorer.cli.flags import json_flag, number_flag, tell_json
from explorer.cli.passes import computer
from explorer.cli.spoken import SpokenCommand
from explorer.errors import EmptyText
from explorer.lang import Words
from explorer.progress_line import ProgressLine

if TYPE_CHECKING:
    from explorer.trace.found.difference import Difference, WeightDifference

_TOLERANCE = 1e-5
_MOST = 8  # heads, and tensors of weights
_MOST_WORDS = 40
_MOST_ADDED = 40  # weights that adapters change


@click.command(cls=SpokenCommand)
@click.argument("a")
@click.argument("b")
@click.argument("text", required=False)
@click.option("--target", metavar="TEXT")
@number_flag("--tolerance", "tolerance", 0.0, 1e6, default=_TOLERANCE)
@click.option("--base", default="", metavar="MODEL", shell_complete=presets_completed)
@json_flag
@click.pass_obj
def diff(
    words: Words, /, a: str, b: str, text: str | None, target: str | None, tolerance: float, base: str, *, as_json: bool
) -> int:
    """Compare two models, or two recorded passes: where they differ. Exit status 0 if they agree, 1 if they differ."""
    if text is not None and not text.strip():
        raise EmptyText
    from explorer.engine.comparison import compared, sides_named

    sides, line = sides_named(a, b, base), ProgressLine()
    found = compared(
        computer(), sides, text, target=target, tolerance=tolerance, progress=lambda share: line.show(f"{share:.0%}")
    )
    line.end()
    if as_json:
        tell_json(found.to_dict())
    else:
        from explorer.trace.printed import printed

        for told in _lines(found, words):
            click.echo(printed(told))
    return 0 if found.agree else 1


def _lines(found: "Difference", words: Words) -> Iterator[str]:
    """Whether and where they differ; then tokens, heads, words and weights, those that changed most first."""
    yield f"A  {found.names[0]}"
    yield f"B  {found.names[1]}"
    if found.base:
        yield words("diff.base", name=found.base)
    counts = {"n_taps": sum(all(each.shapes) for each in found.taps), "n_weights": len(found.weights or ())}
    compared = " · ".join(words(f"diff.{name}", count=count) for name, count in counts.items() if count)
    yield words("diff.agree" if found.agree else "diff.differ", compared=compared or "–", tolerance=f"{found.tolerance:g}")
    yield from _first(found, words)
    yield from _tokens(found, words)
    if not found.agree:
        yield from _heads(found, words)
        yield from _of_words(found, words)
        yield from _weights(found, words)


def _first(found: "Difference", words: Words) -> Iterator[str]:
    first, n_differing = found.first, sum(each.differs for each in found.taps if all(each.shapes))
    if first is not None and first.apart is not None:
        far = {"largest": f"{first.apart.largest:.3g}", "relative": f"{first.apart.relative:.3g}"}
        yield words("diff.first", tap=first.tap, **far, count=n_differing)
    elif first is not None:
        shapes = (str(list(each)) if each else "–" for each in first.shapes)
        yield words("diff.first_shape", tap=first.tap, shapes=" ≠ ".join(shapes))
    if found.not_compared:
        yield words("diff.not_kept", count=len(found.not_compared))
    for which, name in enumerate("AB"):
        lacking = [each.tap for each in found.taps if each.shapes[1 - which] == ()]
        if lacking:
            yield words("diff.only", which=name, count=len(lacking), tap=lacking[0])


def _tokens(found: "Difference", words: Words) -> Iterator[str]:
    """The vocabularies where they differ, and the text as each of them cuts it where that differs."""
    pair = found.vocabularies
    if pair is not None and not pair.same:
        a, b = (f"{each:,}" for each in pair.sizes)
        yield words("diff.vocabularies", a=a, b=b, shared=f"{pair.shared:,}")
    if found.tokens is None or not found.other_tokens:
        return
    for name, tokens in zip("AB", found.tokens, strict=True):
        for row in filter(None, (tokens.source, tokens.target)):
            yield f"  {name} ({len(row)}): {' / '.join(token.text for token in row)}"


def _heads(found: "Difference", words: Words) -> Iterator[str]:
    rows = [row for row in found.heads_by_distance[:_MOST] if found.heads[row[0]].distance[row[1:]] > 0]
    if not rows:
        return
    yield words("diff.heads")
    for attention, layer, head in rows:
        of = found.heads[attention]
        yield f"  {attention:20} L{layer:<3} H{head:<3} {of.distance[layer, head]:8.4f} {of.entropy[layer, head]:+9.3f}"


def _of_words(found: "Difference", words: Words) -> Iterator[str]:
    if found.words is None or not any(found.words.differences[n] for n in found.words.by_difference[:1]):
        return
    yield words("diff.words")
    pairs = zip(found.words.words, found.words.first.tolist(), found.words.differences.tolist(), strict=True)
    for word, log_p, difference in list(pairs)[:_MOST_WORDS]:
        yield f"  {log_p:9.3f} {difference:+9.3f}  {word}" if math.isfinite(difference) else f"  {log_p:9.3f} {'–':>9}  {word}"
    if len(found.words.words) > _MOST_WORDS:
        yield "  " + words("diff.more_words", count=len(found.words.words) - _MOST_WORDS)


def _weights(found: "Difference", words: Words) -> Iterator[str]:
    weights = found.weights or ()
    differing = [each for each in weights if each.differs]
    adapted = bool(weights) and all(each.added for each in weights)
    if adapted and found.base:  # There are two adapters of one base.
        yield from _of_adapters(weights, len(differing), words)
        return
    if not differing:
        return
    yield words("diff.weights", count=len(differing), all=len(weights))
    most = _MOST_ADDED if adapted else _MOST
    for each in sorted(differing, key=_far, reverse=True)[:most]:
        if each.apart is None:
            yield f"  {' ≠ '.join(str(list(shape)) if shape else '–' for shape in each.shapes):>19}  {each.name}"
        else:
            yield f"  {each.apart.norm:9.4g} {each.apart.relative:9.4g}  {each.name}"
    if len(differing) > most:
        yield "  " + words("diff.more_words", count=len(differing) - most)


def _of_adapters(weights: "Sequence[WeightDifference]", n_differing: int, words: Words) -> Iterator[str]:
    """‖ΔW_A‖, ‖ΔW_B‖ and ‖ΔW_B − ΔW_A‖ of each weight that an adapter changes, those furthest apart first."""
    rows = [(each.apart.norm, each.added, each.name) for each in weights if each.apart and each.added and any(each.added)]
    if rows:
        yield words("diff.adapters", count=n_differing, all=len(rows))
    for norm, (first, second), name in sorted(rows, key=lambda row: -row[0])[:_MOST_ADDED]:
        yield f"  {first:9.4g} {second:9.4g} {norm:9.4g}  {name}"
    if len(rows) > _MOST_ADDED:
        yield "  " + words("diff.more_words", count=len(rows) - _MOST_ADDED)


def _far(weight: "WeightDifference") -> float:
    return math.inf if weight.apart is None else weight.apart.relative
