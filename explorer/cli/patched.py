"""The commands patching and saliency: where what a sentence says is found, by exchange and by gradients."""

import json
from typing import Any

import click

from explorer.cli.flags import shared_flags
from explorer.cli.passes import asked
from explorer.cli.spoken import SpokenCommand
from explorer.errors import EmptyText
from explorer.lang import Words


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.argument("other")
@click.option("--json", "as_json", is_flag=True)
@shared_flags
@click.pass_obj
def patching(words: Words, /, text: str, other: str, as_json: bool, **given: Any) -> None:
    """Say which places of OTHER, put into the pass over TEXT, bring the answer of OTHER back."""
    from explorer.picture.makers.patching import strongest_lines

    if not other.strip():
        raise EmptyText
    request = asked(text, given)
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.
    from explorer.engine.compute import Computer

    found = questions.patching(Computer(), request.wishing(other=other))
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
        return
    for line in strongest_lines(found, words):
        click.echo(line)


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--json", "as_json", is_flag=True)
@shared_flags
@click.pass_obj
def saliency(words: Words, /, text: str, as_json: bool, **given: Any) -> None:
    """Say by integrated gradients how much each token of TEXT does for each word, in nats."""
    request = asked(text, given)
    from explorer.engine import questions  # torch takes a second to load, so the checks come first.
    from explorer.engine.compute import Computer

    found = questions.saliency(Computer(), request)
    if as_json:
        without = {"without": ["dropout"]} if request.wish.config.dropout_active else {}
        click.echo(json.dumps(found.to_dict() | without, ensure_ascii=False))
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
