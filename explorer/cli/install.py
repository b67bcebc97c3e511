"""The commands about the program itself: doctor, install-desktop, and the hidden probe that doctor starts."""

import json
import sys
import unicodedata
from typing import TYPE_CHECKING

import click

from explorer.cli.flags import json_flag
from explorer.cli.spoken import SpokenCommand
from explorer.errors import NotForThisSystem
from explorer.lang import Words
from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.install.diagnosis import Diagnosis

_GAP = 2  # columns between mark, subject and sentence


@click.command(cls=SpokenCommand)
@json_flag
@click.pass_obj
def doctor(words: Words, /, as_json: bool) -> int:
    """Check the installation and say how to repair each fault. The exit status is 1 if there is one."""
    from explorer.install.doctor import diagnoses

    found = []
    for each in diagnoses():
        found.append(each)
        if not as_json:
            _say(each, words)
    faults = sum(each.standing == "fault" for each in found)
    if as_json:
        told = {"version": __version__, "faults": faults, "diagnoses": [each.as_json(words) for each in found]}
        click.echo(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        click.echo(f"\n{words('doctor.faults', count=faults) if faults else words('doctor.sound')}")
    return int(bool(faults))


def _say(each: "Diagnosis", words: Words) -> None:
    """Print one row: mark, subject, sentence, and below it what to do."""
    marks = {standing: words(f"doctor.standing.{standing}") for standing in ("well", "note", "fault")}
    subjects = [words(key) for key in sorted(words.keys()) if key.startswith("doctor.subject.")]
    mark = _padded(marks[each.standing], max(map(_columns, marks.values())))
    subject = _padded(words(f"doctor.subject.{each.subject}"), max(map(_columns, subjects)))
    click.echo(f"{mark}{subject}{each.said(words)}")
    for line in each.advised(words).splitlines():
        click.echo(f"{' ' * (_columns(mark) + _columns(subject))}→ {line}")


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - _columns(text) + _GAP)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for each Chinese character."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


@click.command("install-desktop", cls=SpokenCommand)
@click.option("--remove", is_flag=True)
@click.pass_obj
def install_desktop(words: Words, /, remove: bool) -> None:
    """Make files open by a double click for this user: in the menu of a Linux desktop, or in the registry of Windows."""
    if sys.platform == "win32":
        from explorer.install.associations import associate, dissociate

        paths, key = dissociate() if remove else associate(), "associated"
    elif sys.platform.startswith("linux"):
        from explorer.install.desktop import place, take_away

        paths, key = list(map(str, take_away() if remove else place())), "placed"
    else:
        raise NotForThisSystem(system=sys.platform)
    for path in paths:
        click.echo(path)
    click.echo(words(f"desktop.{'nothing' if not paths else 'removed' if remove else key}"))


@click.command(hidden=True, cls=SpokenCommand)
@click.option("--picture", is_flag=True)
def probe(picture: bool) -> None:
    """Answer doctor's questions about Qt, one line of JSON each."""
    from explorer.cli.probe import answers

    for answer in answers(picture=picture):
        click.echo(json.dumps(answer))
        sys.stdout.flush()
