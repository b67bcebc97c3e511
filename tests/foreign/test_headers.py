"""The settings of public models pass the check, or are refused for the reason that they give.

The files are not ours to ship: where they stand beside the checkout, each is tried.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import errors
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model
from explorer.foreign.settings import known_families
from explorer.lang import Words
from tests.foreign.models import write_safetensors
from tests.sweeps import every_nth, sweep

HEADERS = Path(__file__).parents[3] / "shared" / "data" / "headers"
FOLDERS = sorted(each.parent for each in HEADERS.glob("*/config.json"))
QUANTIZED = ("quantization_config", "quantization")
TENSORS = {f"w{number}": np.zeros((2, 2), np.float32) for number in range(300)}  # One for each layer of the deepest.


WITHOUT_ITS_WEIGHTS = (errors.LacksTensors, errors.WeightsDoNotFit, errors.BadSettings, errors.UnknownFamily, errors.NeedsCode)


def settings_of(header: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((header / "config.json").read_text("utf-8"))
    return found


def entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at all depths."""
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield str(key), inner
        yield from entries(inner)


def expected(settings: dict[str, Any]) -> type[errors.ExplorerError] | None:
    """What a reader of these settings would say; None for a model that is to be opened."""
    if any(key in QUANTIZED and inner for key, inner in entries(settings)):
        return errors.Quantized
    family = settings.get("model_type")
    if family in known_families():
        return None
    if any(key == "auto_map" for key, _inner in entries(settings)):
        return errors.NeedsCode
    return errors.NoModelType if family is None else errors.UnknownFamily


def told_apart(headers: list[Path]) -> list[Path]:
    """The first of each kind of answer and, of those that are opened, of each family."""
    kinds: dict[object, Path] = {}
    for header in headers:
        settings = settings_of(header)
        kinds.setdefault(expected(settings) or settings["model_type"], header)
    return list(kinds.values())


OPENED = [each for each in FOLDERS if expected(settings_of(each)) is None]


@pytest.mark.skipif(not FOLDERS, reason="the settings of public models are not beside this checkout")
@pytest.mark.parametrize("header", sweep(FOLDERS, telling=told_apart(FOLDERS)) if FOLDERS else [], ids=lambda each: each.name)
def test_a_public_model_passes_the_check_or_is_refused_for_its_own_reason(header: Path, tmp_path: Path) -> None:
    """Quantized, of a kind that transformers lacks, or with code of its own; nothing else is wrong with any of them."""
    for name in ("config.json", "quantize_config.json", "modules.json"):
        if (header / name).is_file():
            (tmp_path / name).write_bytes((header / name).read_bytes())
    write_safetensors(tmp_path / "model.safetensors", TENSORS)
    kind = expected(settings_of(header))

    if kind is None:
        assert check_folder(tmp_path).family in known_families()
        return
    with pytest.raises(errors.BadFolder) as caught:
        check_folder(tmp_path)
    assert type(caught.value) is kind
    assert str(tmp_path) in Words.load("en").error(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(not FOLDERS, reason="the settings of public models are not beside this checkout")
@pytest.mark.parametrize(
    "header", sweep(OPENED, telling=every_nth(told_apart(OPENED), 4)) if FOLDERS else [], ids=lambda each: each.name
)
def test_the_settings_of_a_public_model_never_end_in_a_bug(header: Path, tmp_path: Path) -> None:
    """With weights that are not its own, each is refused for just that, or for what its settings cannot be."""
    (tmp_path / "config.json").write_bytes((header / "config.json").read_bytes())
    write_safetensors(tmp_path / "model.safetensors", TENSORS)

    with pytest.raises(errors.BadFolder) as caught:
        open_model(check_folder(tmp_path))
    assert isinstance(caught.value, WITHOUT_ITS_WEIGHTS)
