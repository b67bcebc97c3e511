"""The settings of somebody's model, `config.json`, read as data and checked before any program code sees them.

Keys that begin with an underscore belong to transformers itself. Their numbers, truths and lists of numbers are data and are
kept, because its families save some of theirs so. Anything else under such a key is left out: a text there once made it run
code from the network (CVE-2026-4372). A key that names a place in the network is refused, and so is a model whose kind is
program code of its own. Where transformers has the kind itself, what the folder says of code is left out and told.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from explorer.errors import (
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
from explorer.foreign.known import known_families
from explorer.json_text import read_json_text, shown

FILE = "config.json"
_SMALL = re.compile(r"(?:^|_)eps(?:ilon)?(?:_|$)")  # what is added where something is divided by
_MOST_BYTES = 2**22  # bytes; the files of models have a few thousand
_DEEPEST = 12  # nested tables and lists
_LARGEST = 2**24  # of anything that counts positions, features or symbols
_MOST_PARTS = 2**12  # of anything that counts parts of a model, each of which is built
_LONGEST = 60  # characters of a value in a sentence
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
    "label2id",  # `foreign.labels` reads the labels.
}
_LABELS = ("id2label", "label2id")  # What a class is called is no setting, whatever it is.
_IMPLEMENTATION = re.compile(r"_?(?:attn|attention|experts)_implementation(?:_.*)?")
_PLACE_FREE = re.compile(r"[a-z0-9_|]*")  # Names of ways to compute attention, and of no place in the network.
_QUANTIZED = ("quantization_config", "compression_config", "quantization", "quant_config")  # Each library has its own.
_FEWER_BITS = re.compile(r"_?load_in_\d+bit")
_CODE = ("auto_map", "custom_pipelines", "custom_generate")


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
    known = known_families()  # Where they are not known, opening the model says what is missing.
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
    """What the settings say of the way in which the weights were quantized."""
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


def _entries(value: Any, folder: Path, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at all depths. Raises NotAModel for tables in tables without end."""
    if depth > _DEEPEST:
        raise NotAModel(path=str(folder), reason=f"{FILE}: {{{{{{…}}}}}} > {_DEEPEST}")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            if key not in _LABELS:
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
    most = _MOST_PARTS if _PARTS.fullmatch(key) else _LARGEST if _SIZES.search(key) else None
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
    """The same without the keys that are left out, at all depths."""
    if isinstance(value, Mapping) and not _is_infinite(value):
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
    return value.keys() == {"__float__"} and value["__float__"] in ("Infinity", "-Infinity", "NaN")
