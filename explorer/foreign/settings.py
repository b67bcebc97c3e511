"""The settings of a foreign model, `config.json`, read as data and checked before any other code uses them.

Keys that begin with an underscore belong to transformers itself. Their numbers, truths and lists of numbers are data and are
kept, because its families save some of theirs so. Anything else under such a key is left out: a text there once made it run
code from the network (CVE-2026-4372). A key that names a place in the network is refused, and so is a model whose kind is
program code of its own. Where transformers has the kind itself, the folder's request for code is left out and reported.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from explorer.errors import (
    BadWeights,
    CannotRead,
    ImpossibleNumber,
    NeedsCode,
    NoModelType,
    NotAFile,
    NotAModel,
    NotANumber,
    Quantized,
    TextForNumber,
    UnknownFamily,
)
from explorer.files import read_whole
from explorer.json_text import read_json_text, shown

FILE = "config.json"
_SMALL = re.compile(r"(?:^|_)eps(?:ilon)?(?:_|$)")  # what is added where something is divided by
_MOST_BYTES = 2**22  # bytes; the files of models have a few thousand
_DEEPEST = 12  # nested tables and lists
_LARGEST = 2**24  # of anything that counts positions, features or tokens of the vocabulary
_MOST_PARTS = 2**12  # of anything that counts parts of a model, each of which is built
_MOST_EXPERTS = 2**14  # Doge has as many, each a row of a table.
_LONGEST = 60  # characters of a value in a sentence, and of a label
_FAMILY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
_SIZES = re.compile(r"layer|hidden_size|d_model|d_ff|d_kv|head|position|ctx|dim|intermediate_size|n_embd|n_inner|vocab_size")
_PARTS = re.compile(r"(?:num|n)_\w*(?:layer|head|expert|group|block)s?|(?:en|de)coder_(?:layers|attention_heads)")
# What every model has at least one of. An encoder or a decoder may have no layers.
_ONE_OR_MORE = re.compile(
    r"vocab_size|hidden_size|d_model|n_embd|dim|hidden_dim|(?:moe_)?intermediate_size|d_ff|ffn_dim|d_kv|head_dim|d_head|"
    r"(?:n|num)_(?:hidden_)?layers?|(?:n|num)_(?:attention_|key_value_|kv_)?heads?|max_position_embeddings|n_positions|n_ctx"
)
_LEFT_OUT = frozenset({"_name_or_path", "_commit_hash", "_num_labels", "transformers_version", "torch_dtype", "dtype"}) | {
    "num_labels",
    "id2label",
    "label2id",  # `read_labels` reads them.
}
_LABELS = ("id2label", "label2id")  # The name of a class may be any text.
_IMPLEMENTATION = re.compile(r"_?(?:attn|attention|experts)_implementation(?:_.*)?")
_PLACE_FREE = re.compile(r"[a-z0-9_|]*")  # Names of ways to compute attention, and of no place in the network.
_QUANTIZED = ("quantization_config", "compression_config", "quantization", "quant_config")  # Each library has its own.
_FEWER_BITS = re.compile(r"_?load_in_\d+bit")
_CODE = ("auto_map", "custom_pipelines", "custom_generate")

_TABLES = ("configuration_auto.py", "auto_mappings.py")  # Which of them has the table depends on the version.
_ROW = re.compile(r'"(?!CONFIG_)([A-Za-z0-9_.-]+)"\s*[,:]\s*"\w+Config"')
_CLASSIFIER = re.compile(r"For(?:Sequence|Token)Classification")
_MOST_CLASSES = 2**12
_USUAL_CLASSES = 2  # classes of a folder that names none


def read_settings(folder: Path) -> tuple[dict[str, Any], str]:
    """The settings without what must not reach transformers, and the key by which they ask for code, "" for none.

    Code is never run. Raises NotAModel, NotAFile, NotANumber, NeedsCode, Quantized, UnknownFamily, NoModelType.
    """
    settings = read_json(folder, FILE)
    entries = list(_entries(settings, folder))
    for key, value in entries:
        if value and (key in _QUANTIZED or _FEWER_BITS.fullmatch(key)):
            raise Quantized(path=str(folder), method=_method(key, value))
    code = next((key for key, value in entries if key in _CODE and value), "")
    family = settings.get("model_type")
    known = known_families()  # Where the set is empty, opening the model reports the missing library.
    if code and (family is None or (known and family not in known)):
        raise NeedsCode(path=str(folder), reason=code)
    check_sizes(settings, folder / FILE)
    if family is None:
        raise NoModelType(path=str(folder))
    if not isinstance(family, str) or not _FAMILY.fullmatch(family) or (known and family not in known):
        raise UnknownFamily(path=str(folder), family=str(family)[:_LONGEST])
    clean: dict[str, Any] = _cleaned(settings)
    return clean, code


def _method(key: str, value: Any) -> Any:
    """The quantization method that the settings name."""
    if not isinstance(value, dict):
        return key.strip("_") if value is True else value
    told = value.get("quant_method")
    bits = value.get("bits")
    return told or (f"{bits} bits" if isinstance(bits, int) else key)


def check_sizes(settings: Mapping[str, Any], path: Path) -> None:
    """Refuse settings with numbers that no model can have. `path` is the file that they stand in.

    Raises NotAModel, NotANumber, NeedsCode.
    """
    for key, value in _entries(settings, path):
        _check(path, key, value)


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """The table in a JSON file of a folder. Raises NotAModel, NotAFile."""
    try:
        found = read_json_text(read_whole(folder / name, _MOST_BYTES))
    except NotAFile:
        raise
    except CannotRead as error:
        raise NotAModel(path=str(folder), reason=f"{name}: {error.values.get('reason', '?')}") from error
    except ValueError as error:  # ValueError stands for broken JSON and for broken UTF-8.
        raise NotAModel(path=str(folder), reason=f"{name}: {error}") from error
    if not isinstance(found, dict):
        raise NotAModel(path=str(folder), reason=f"{name}: {type(found).__name__}")
    return found


@contextmanager
def reading_weights(file: Path) -> Iterator[None]:
    """Turn every error of reading a file of weights, and of its contents, into BadWeights."""
    try:
        yield
    except CannotRead as error:
        raise BadWeights(path=str(file), reason=error.values.get("reason", error)) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise BadWeights(path=str(file), reason=str(error)) from error


def _entries(value: Any, folder: Path, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at all depths. Raises NotAModel for tables in tables without end."""
    if depth > _DEEPEST:
        raise NotAModel(path=str(folder), reason=f"{FILE}: {{{{{{…}}}}}} > {_DEEPEST}")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            if key not in _LABELS and not key.startswith("_"):  # No private table reaches transformers.
                yield from _entries(inner, folder, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _entries(inner, folder, depth + 1)


def _check(path: Path, key: str, value: Any) -> None:
    if _IMPLEMENTATION.fullmatch(key) and not _is_place_free(value):
        raise NeedsCode(path=str(path), reason=f"{key}: {str(value)[:_LONGEST]}")
    if _ONE_OR_MORE.fullmatch(key):
        _check_count(path, key, value)
    if isinstance(value, float) and (math.isnan(value) or (math.isinf(value) and _SMALL.search(key))):
        raise ImpossibleNumber(path=str(path), name=key, got=value)
    parts = _MOST_EXPERTS if "expert" in key else _MOST_PARTS
    most = parts if _PARTS.fullmatch(key) else _LARGEST if _SIZES.search(key) else None
    if most is not None and isinstance(value, int | float) and not abs(value) <= most:
        raise ImpossibleNumber(path=str(path), name=key, got=value)


def _check_count(path: Path, key: str, value: Any) -> None:
    """Refuse what is no number of one or more; some families have a list, and None is for each family to judge."""
    if value is None or isinstance(value, list):
        return
    check_number(path, key, value)
    if not (value >= 1 and float(value).is_integer()):  # Neither infinity nor NaN is an integer.
        raise ImpossibleNumber(path=str(path), name=key, got=value)


def check_number(path: Path, name: str, value: Any) -> None:
    """Refuse what is no number. Raises NotANumber, TextForNumber."""
    if type(value) not in (int, float):
        kind = TextForNumber if isinstance(value, str) else NotANumber
        raise kind(path=str(path), name=name, got=shown(value))


def _is_place_free(value: Any) -> bool:
    """Whether a way to compute attention, or a table of them by part, names no place in the network."""
    if isinstance(value, dict):
        return all(_is_place_free(inner) for inner in value.values())
    return value is None or isinstance(value, bool) or (isinstance(value, str) and bool(_PLACE_FREE.fullmatch(value)))


def _cleaned(value: Any) -> Any:
    """The settings without the keys that transformers must not get, at all depths."""
    if isinstance(value, Mapping) and _is_infinite(value):
        return float(value["__float__"])
    if isinstance(value, Mapping):
        return {key: _cleaned(inner) for key, inner in value.items() if _is_kept(key, inner)}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


def _is_kept(key: str, value: Any) -> bool:
    """Whether a key may reach transformers."""
    if key in _LEFT_OUT or key in _CODE or _IMPLEMENTATION.fullmatch(key):
        return False
    return not key.startswith("_") or (not key.startswith("__") and _is_data(value))


def _is_data(value: Any) -> bool:
    """Whether a value is nothing, a truth, a number, or a list of such."""
    if isinstance(value, list):
        return all(isinstance(each, bool | int | float) for each in value)
    return value is None or isinstance(value, bool | int | float)


def _is_infinite(value: Mapping[str, Any]) -> bool:
    """Whether a table is a number as transformers writes one that JSON lacks: {"__float__": "Infinity"}."""
    return value.keys() == {"__float__"} and value["__float__"] in ("Infinity", "-Infinity")


def known_families() -> frozenset[str]:
    """The families of the installed transformers by their `model_type`, read off its own tables as text.

    Importing transformers takes two seconds and brings torch along; a folder that cannot be opened is refused before that.
    They are empty where transformers is not installed or keeps its tables elsewhere.
    """
    found = find_spec("transformers")
    homes = [] if found is None else found.submodule_search_locations or []
    texts = (_text(Path(home) / "models" / "auto" / name) for home in homes for name in _TABLES)
    return frozenset(family for text in texts for family in _ROW.findall(text))


def _text(file: Path) -> str:
    try:
        return read_whole(file, _MOST_BYTES).decode()
    except (CannotRead, ValueError):
        return ""


def read_labels(folder: Path) -> tuple[str, ...]:
    """The labels of a classifier in the order of their numbers; () of a folder whose model is none. Raises NotAModel.

    transformers gets their number and nothing else. A label is shown on screen and in a terminal, so it keeps only legible text
    of one line.
    """
    settings = read_json(folder, FILE)
    told = settings.get("architectures")
    kind = told[0] if isinstance(told, list) and told else None
    if not isinstance(kind, str) or not _CLASSIFIER.search(kind):
        return ()
    table = settings.get("id2label")
    if table is not None:
        return _of_table(folder, table)
    count = settings.get("num_labels", settings.get("_num_labels", _USUAL_CLASSES))
    if type(count) is not int or not 1 <= count <= _MOST_CLASSES:
        raise NotAModel(path=str(folder), reason=f"{FILE}: num_labels {str(count)[:_LONGEST]}")
    return tuple(map(_unnamed, range(count)))


def _of_table(folder: Path, table: Any) -> tuple[str, ...]:
    """The labels of the table, whose keys are all numbers from 0 on."""
    if not isinstance(table, dict) or not 1 <= len(table) <= _MOST_CLASSES:
        got = f"{len(table):,} > {_MOST_CLASSES:,}" if isinstance(table, dict) and table else type(table).__name__
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
    """The label on one line, without invisible signs, and shortened where it is very long."""
    start = label[: 4 * _LONGEST]
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in start).split())
    return line if len(line) <= _LONGEST and len(label) <= len(start) else f"{line[: _LONGEST - 1]}…"


def _unnamed(number: int) -> str:
    """The name that transformers gives to a class without a label."""
    return f"LABEL_{number}"
