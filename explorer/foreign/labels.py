"""The labels of a classifier, `id2label` in its settings, read as data. transformers is told their number and nothing else.

A label is shown on screen and in a terminal, so that what is no legible text of a line is left out of it.
"""

import re
from pathlib import Path
from typing import Any

from explorer.errors import NotAModel
from explorer.foreign.settings import FILE, read_json

_CLASSIFIER = re.compile(r"For(?:Sequence|Token)Classification")
_MOST = 2**12  # classes
_LONGEST = 60  # characters of a label
_USUAL = 2  # classes of a folder that says nothing


def read_labels(folder: Path) -> tuple[str, ...]:
    """The labels in the order of their numbers; () of a folder whose model is no classifier. Raises NotAModel."""
    settings = read_json(folder, FILE)
    told = settings.get("architectures")
    kind = told[0] if isinstance(told, list) and told else None
    if not isinstance(kind, str) or not _CLASSIFIER.search(kind):
        return ()
    table = settings.get("id2label")
    if table is not None:
        return _of_table(folder, table)
    count = settings.get("num_labels", settings.get("_num_labels", _USUAL))
    if type(count) is not int or not 1 <= count <= _MOST:
        raise NotAModel(path=str(folder), reason=f"{FILE}: num_labels {str(count)[:_LONGEST]}")
    return tuple(map(_unnamed, range(count)))


def _of_table(folder: Path, table: Any) -> tuple[str, ...]:
    """The labels of the table, whose keys are all numbers from 0 on."""
    if not isinstance(table, dict) or not 1 <= len(table) <= _MOST:
        got = f"{len(table):,} > {_MOST:,}" if isinstance(table, dict) and table else type(table).__name__
        raise NotAModel(path=str(folder), reason=f"{FILE}: id2label {got}")
    labels: dict[int, str] = {}
    for key, label in table.items():
        if not re.fullmatch(r"[0-9]{1,6}", key) or type(label) not in (str, int):
            raise NotAModel(path=str(folder), reason=f"{FILE}: id2label {key[:_LONGEST]}: {type(label).__name__}")
        labels[int(key)] = _legible(str(label)) or _unnamed(int(key))
    if sorted(labels) != list(range(len(table))):
        raise NotAModel(path=str(folder), reason=f"{FILE}: id2label ≠ 0 … {len(table) - 1}")
    return tuple(labels[number] for number in range(len(table)))


def _legible(label: str) -> str:
    """The label on one line, without signs that cannot be seen, and cut where it is very long."""
    start = label[: 4 * _LONGEST]
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in start).split())
    return line if len(line) <= _LONGEST and len(label) <= len(start) else f"{line[: _LONGEST - 1]}…"


def _unnamed(number: int) -> str:
    """What transformers calls a class without a label."""
    return f"LABEL_{number}"
