"""The command generate: what a language model writes after a text, with what each token was chosen from."""

import json
from typing import Any

import click

from explorer.cli.flags import knob_flags
from explorer.cli.passes import asked
from explorer.cli.spoken import SpokenCommand
from explorer.config import KNOBS
from explorer.lang import Words
from explorer.trace.continuation import N_WRITTEN, SEED, TEMPERATURE, TOP_K, TOP_P, Sampling

_SHOWN = 5  # candidates of a line


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--begin", multiple=True, metavar="WORD")
@click.option("--json", "as_json", is_flag=True)
@click.option("--preset", default="language-model", show_default=True, metavar="NAME")
@knob_flags((N_WRITTEN, TEMPERATURE, TOP_K, TOP_P, SEED))
@knob_flags(KNOBS)
@click.pass_obj
def generate(words: Words, /, text: str, begin: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Go on with TEXT, token by token."""
    drawn = {"temperature": TEMPERATURE, "top_k": TOP_K, "top_p": TOP_P, "seed": SEED}
    told = {name: given[knob.name] for name, knob in drawn.items() if given[knob.name] is not None}
    sampling = Sampling(**told)
    most = int(N_WRITTEN.check(N_WRITTEN.default if given["tokens"] is None else given["tokens"]))
    request = asked(text, given | {"target": None})
    from explorer.engine.compute import Computer  # torch takes a second to load, so the checks come first.
    from explorer.engine.sources.source import never, silent

    found = Computer().writing.continuation(request.wish, begin, most, sampling, never, silent)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
        return
    click.echo(f"{text}{found.text}")
    for token in found.tokens:
        rows = zip(token.names[:_SHOWN], token.probabilities[:_SHOWN].tolist(), strict=True)
        likeliest = ", ".join(f"{name} {share:.3f}" for name, share in rows)
        key = "cli.generate_forced" if token.forced else "cli.generate"
        click.echo(words(key, token=token.text, p=f"{token.probability:.3f}", rank=token.rank, likeliest=likeliest))
    click.echo(words("cli.generate_sum", log_p=f"{found.log_p:.3f}", count=len(found.tokens)))
