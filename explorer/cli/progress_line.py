"""A progress line that is overwritten in a terminal; nothing is written to a file."""

import sys

import click


class ProgressLine:
    """Shows one text after another in the same line of a terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the text of the line."""
        if self._on:
            click.echo(f"\r\033[K{text}", nl=False, err=True)
            self._shown = True

    def end(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\033[K", nl=False, err=True)
            self._shown = False
