"""The settings of somebody's model, `config.json`, read as data and checked before any program code sees them.

Keys that begin with an underscore belong to transformers itself, and a file has no business to set them: one of them once
made it run code from the network (CVE-2026-4372). Known harmless ones are left out, and all others are refused.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from explorer.errors import CannotRead, NeedsCode, NotAModel, Quantized, UnknownFamily
from explorer.files import read_whole
from explorer.json_text import read_json_text

FILE = "config.json"
_MOST_BYTES = 2**22  # bytes; the files of models have a few thousand
_DEEPEST = 12  # nested tables and lists
_LARGEST = 2**24  # of anything that counts positions, features or symbols
_MOST_PARTS = 2**12  # of anything that counts parts of a model, each of which is built
_FAMILY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
_SIZES = re.compile(r"layer|hidden_size|d_model|d_ff|d_kv|head|position|ctx|dim|intermediate_size|n_embd|n_inner|vocab_size")
_PARTS = re.compile(r"(?:num|n)_\w*(?:layer|head|expert|group|block)s?|(?:en|de)coder_(?:layers|attention_heads)")
_LEFT_OUT = frozenset({"_name_or_path", "_commit_hash", "_num_labels", "transformers_version", "torch_dtype", "dtype"}) | {
    "num_labels",
    "id2label",
    "label2id",  # `foreign.labels` reads the labels.
}
_LABELS = ("id2label", "label2id")  # What a class is called is no setting, whatever it is.
_IMPLEMENTATION = re.compile(r"_?(?:attn|attention|experts)_implementation(?:_.*)?")
_QUANTIZED = ("quantization_config", "compression_config", "quantization", "quant_config")  # Each library has its own.
_CODE = ("auto_map", "custom_pipelines", "custom_generate")


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings without what must not reach transformers. Raises NotAModel, NeedsCode, Quantized, UnknownFamily."""
    settings = read_json(folder, FILE)
    for key, value in _entries(settings, folder):
        _check(folder, key, value)
    method = next((found for key in _QUANTIZED if (found := settings.get(key))), None)
    if method is not None:
        raise Quantized(path=str(folder), method=method.get("quant_method", "?") if isinstance(method, dict) else method)
    family = settings.get("model_type")
    if not isinstance(family, str) or not _FAMILY.fullmatch(family):
        raise UnknownFamily(path=str(folder), family="?" if family is None else family)
    clean: dict[str, Any] = _cleaned(settings)
    return clean


def check_sizes(settings: Mapping[str, Any], folder: Path) -> None:
    """Refuse settings from elsewhere that count more than a model can have. Raises NotAModel, NeedsCode."""
    for key, value in _entries(settings, folder):
        _check(folder, key, value)


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """The table in a JSON file of a folder. Raises NotAModel."""
    try:
        found = read_json_text(read_whole(folder / name, _MOST_BYTES))
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


def _check(folder: Path, key: str, value: Any) -> None:
    if key in _CODE and value:
        raise NeedsCode(path=str(folder), reason=key)
    if _IMPLEMENTATION.fullmatch(key):
        if not isinstance(value, str | None) or not re.fullmatch(r"[a-z0-9_]*", value or ""):
            raise NeedsCode(path=str(folder), reason=f"{key}: {value}")  # The name of a place in the network.
    elif key.startswith("_") and key not in _LEFT_OUT:
        raise NeedsCode(path=str(folder), reason=key)
    most = _MOST_PARTS if _PARTS.fullmatch(key) else _LARGEST if _SIZES.search(key) else None
    if most is not None and isinstance(value, int | float) and not abs(value) <= most:
        raise NotAModel(path=str(folder), reason=f"{FILE}: {key} {value}")


def _cleaned(value: Any) -> Any:
    """The same without the keys that are left out, at all depths."""
    if isinstance(value, Mapping):
        return {
            key: _cleaned(inner) for key, inner in value.items() if key not in _LEFT_OUT and not _IMPLEMENTATION.fullmatch(key)
        }
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value
