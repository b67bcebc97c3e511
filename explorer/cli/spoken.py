"""Commands that show help and errors in the program's language; click's own texts are English.

The help stands in the language files: `cli.command.<command>` describes a command, `cli.flag.<command>.<flag>` its flag, and
`cli.flag.<flag>` a flag of every command. A knob's flag shows the knob's name.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

import click

from explorer.errors import (
    ExtraArguments,
    FlagWithoutValue,
    FlagWithValue,
    MissingArgument,
    NullInArgument,
    SimilarFlag,
    UnknownCommand,
    UnknownFlag,
)
from explorer.lang import Words, system_language

RENAMED: Mapping[str, str] = MappingProxyType({"effects": "ablation", "why": "attribution"})
"""Former names of commands, which work until the next release and say the new one."""


def words_of(context: click.Context) -> Words:
    """The Words that `main` was started with, or those of the system's language where click runs without `main`."""
    return context.find_object(Words) or Words.load(system_language())


class SpokenCommand(click.Command):
    """A command of the program. It raises WrongCall where click raises UsageError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"options_metavar": "[FLAGS]", **kwargs})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the flags and arguments of this command. Raises WrongCall."""
        for each in args:
            if "\0" in each:  # No shell can pass it, but a caller of `main` can; the system refuses a path with it.
                raise NullInArgument(got=each.replace("\0", "␀"))
        # Allow extra arguments for now, so that our own error refuses them instead of click's.
        may_have_more, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            self._refuse(ctx, error)
        finally:
            ctx.allow_extra_args = may_have_more
        if rest and not may_have_more and not ctx.resilient_parsing:
            raise ExtraArguments(got=" ".join(rest), command=ctx.command_path)
        return rest

    def _refuse(self, ctx: click.Context, error: click.UsageError) -> NoReturn:
        """Raise click's error as the WrongCall that means the same, or as it is where there is none."""
        if isinstance(error, click.NoSuchOption):
            if error.possibilities:
                raise SimilarFlag(name=error.option_name, known=", ".join(sorted(error.possibilities))) from None
            raise UnknownFlag(name=error.option_name, command=ctx.command_path) from None
        if isinstance(error, click.BadOptionUsage):
            bare = any(getattr(each, "is_flag", False) and error.option_name in each.opts for each in self.get_params(ctx))
            raise (FlagWithValue if bare else FlagWithoutValue)(name=error.option_name) from None
        if isinstance(error, click.MissingParameter) and error.param is not None:
            lacking = error.param
            name = lacking.opts[0] if isinstance(lacking, click.Option) else lacking.human_readable_name
            raise MissingArgument(name=name, command=ctx.command_path) from None
        raise error

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write how the command is called."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=f"{words_of(ctx)('cli.usage')} ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(words_of(ctx)(f"cli.command.{self.name}"))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of flags."""
        words, rows = words_of(ctx), []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                rows.append((record[0], self._about(param, words)))
        _write_table(formatter, words("cli.flags"), rows)

    def _about(self, flag: click.Option, words: Words) -> str:
        """A flag's help: what it does, its range or choices, and its default."""
        name = flag.opts[0].lstrip("-").replace("-", "_")
        keys = (f"cli.flag.{self.name}.{name}", f"cli.flag.{name}", f"knob.{name}.name")
        told = [words(key) for key in keys if key in words][:1]
        if flag.help and not flag.is_eager:  # click's own flags are eager, and their help is in English.
            told.append(flag.help)
        if flag.required:
            told.append(words("cli.required"))
        elif flag.show_default and flag.default is not None:
            told.append(words("cli.default", value=f"{flag.default:g}" if isinstance(flag.default, float) else flag.default))
        return " · ".join(told)


class SpokenGroup(SpokenCommand, click.Group):
    """A command with commands below it."""

    command_class = SpokenCommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands that people use."""
        return [name for name in super().list_commands(ctx) if not self.commands[name].hidden]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of this name; one by its former name says its new one on stderr. Raises UnknownCommand."""
        if args[0] in RENAMED:
            new = RENAMED[args[0]]
            click.echo(words_of(ctx)("cli.renamed", old=args[0], new=new), err=True)
            args = [new, *args[1:]]
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise UnknownCommand(name=args[0], known=", ".join(self.list_commands(ctx)))
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the tables of flags and of commands."""
        super().format_options(ctx, formatter)
        words = words_of(ctx)
        rows = [(name, words(f"cli.command.{name}")) for name in self.list_commands(ctx)]
        _write_table(formatter, words("cli.commands"), rows)


def _write_table(formatter: click.HelpFormatter, heading: str, rows: list[tuple[str, str]]) -> None:
    formatter.write_paragraph()
    formatter.write(f"{heading}\n")
    with formatter.indentation():
        formatter.write_dl(rows)
