"""A progress line that is overwritten in a terminal. Into a file a plain line is written now and then, if at all."""

import sys
import time

import click


class ProgressLine:
    """Shows one text after another in the same line of a terminal; elsewhere it writes a line every `plain_s` seconds."""

    def __init__(self, plain_s: float | None = None) -> None:
        self._on = sys.stderr.isatty()
        self._shown = False
        self._plain_s, self._written = plain_s, time.monotonic()

    def show(self, text: str) -> None:
        """Replace the text of the line."""
        if self._on:
            click.echo(f"\r\033[K{text}", nl=False, err=True)
            self._shown = True
        elif self._plain_s is not None and time.monotonic() - self._written >= self._plain_s:
            click.echo(text, err=True)
            self._written = time.monotonic()

    def end(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\033[K", nl=False, err=True)
            self._shown = False
