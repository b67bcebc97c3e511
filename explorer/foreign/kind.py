"""The class of transformers for the model of a folder: its settings name one, and the tensors in its files decide between them.

A class that lacks tensors is rejected, and names that transformers does not know are ignored. So a model that was saved by a
class of its own keeps its output, one that answers questions is shown without that head, and half of a T5 opens as its encoder.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs
import torch

from explorer.errors import BadSettings, NeedsCode, UnknownFamily, WeightsDoNotFit
from explorer.foreign.folder import Folder

_MOST_UNSAVED = 2**26  # numbers of a model that its files need not have, as tables of waves
_MOST_LEFT_OUT = 0.1  # of a folder's tensors; older files have a few that nobody reads any more
_POOLER = "pooler"  # No tap shows its output, and many files lack it.


@attrs.frozen
class ModelClass:
    """A class with the settings of a model, its further arguments, and whether the folder's own head is left out.

    It may replace another class, which the settings name and transformers does not know.
    """

    of: Any
    config: Any
    given: dict[str, Any]
    other_head: bool = False
    instead_of: str = ""

    def skeleton(self) -> Any:
        """The model without memory: its tensors have shapes alone."""
        with torch.device("meta"):
            return self.of(self.config, **self.given)


def described(transformers: Any, folder: Folder) -> ModelClass:
    """The class and the settings of the model. Raises UnknownFamily, BadSettings, NeedsCode, WeightsDoNotFit."""
    path = str(folder.path)
    if folder.family not in transformers.CONFIG_MAPPING:
        raise UnknownFamily(path=path, family=folder.family)
    names = [name for header in folder.headers.values() for name in header.shapes]
    try:
        classes = _classes(transformers, folder)
        told = classes[0] == _wanted(folder)
        kind, skeleton = _fitting([partial(_kind_of, transformers, folder, name) for name in classes], names, told)
    except UnknownFamily:
        raise
    except Exception as error:  # The settings of a foreign model can raise anything in a hundred kinds of models.
        raise BadSettings(path=path, reason=str(error) or type(error).__name__) from error
    # A tensor whose shape is that of no tensor in the files would be made first, however large, and refused later.
    wanted = sum(each.numel() for each in (*skeleton.parameters(), *skeleton.buffers()))
    if wanted > _MOST_UNSAVED + 2 * folder.numbers:  # Tied weights are saved once.
        refuse_for_code(folder)
        raise WeightsDoNotFit(path=path, reason=f"{folder.numbers:,} / {wanted:,}")
    heads = _heads(skeleton, names) - _parts(skeleton)
    wanted = _wanted(folder)
    return attrs.evolve(kind, other_head=bool(heads), instead_of=wanted if isinstance(wanted, str) and not told else "")


def refuse_for_code(folder: Folder) -> None:
    """Raise NeedsCode for a model whose weights do not fit, if it asks for code: with its code they may."""
    if folder.code:
        raise NeedsCode(path=str(folder.path), reason=folder.code)


def _fitting(kinds: Sequence[Callable[[], ModelClass]], names: Sequence[str], told: bool) -> tuple[ModelClass, Any]:
    """The first kind that lacks no tensor, else the one that lacks fewest, with its skeleton.

    Where the settings named the first one, no other is taken that would leave out the files' head.

    Raises what the first kind raises if none of them can be made.
    """
    tried: list[tuple[int, int, ModelClass, Any]] = []
    first: Exception | None = None
    for make in kinds:
        try:
            kind = make()
            skeleton = kind.skeleton()
        except Exception as error:  # Another class may take these settings.
            first = first or error
            continue
        n_lacking = _n_lacking(skeleton, names)
        # The class that the settings name has a head of this kind.
        if tried and told and _heads(skeleton, names) - _parts(skeleton):
            n_lacking += 1
        if not told and _left_out(skeleton, names) > _MOST_LEFT_OUT:  # A part of a model is another model.
            n_lacking += 1
        if not n_lacking:
            return kind, skeleton
        tried.append((n_lacking, len(tried), kind, skeleton))
    if not tried and first is not None:
        raise first
    _n, _place, kind, skeleton = min(tried, key=lambda each: each[:2])
    return kind, skeleton


def _n_lacking(skeleton: Any, names: Sequence[str]) -> int:
    """How many parameters of a model stand in no file under any of their names; those of a head, if its place is another's."""
    there = set(targets(skeleton, names))
    skeleton.tie_weights()
    every: dict[int, list[str]] = {}
    for name, own in skeleton.named_parameters(remove_duplicate=False):
        every.setdefault(id(own), []).append(name)
    by_formula = made_by_formula(skeleton)
    n_lacking = sum(there.isdisjoint(each) and not by_formula.search(each[0]) for each in every.values())
    output = skeleton.get_output_embeddings()
    heads = _heads(skeleton, names)
    if output is not None and heads and heads.isdisjoint(_parts(skeleton)):
        return n_lacking + 1  # Its output is tied to its embedding, and the files hold another head in its place.
    return n_lacking


def made_by_formula(model: Any) -> re.Pattern[str]:
    """The names of tensors that a family makes by a formula, such as waves, and does not save."""
    return re.compile("|".join(f"(?:{each})" for each in model._keys_to_ignore_on_load_missing or ()) or r"(?!)")


def targets(model: Any, names: Iterable[str]) -> Iterator[str]:
    """The names in the model of the tensors that have these names in files."""
    renamed, _converters = _renaming(model)
    return (renamed(name)[0] for name in names)


def _renaming(model: Any) -> tuple[Callable[[str], tuple[str, str | None]], list[Any]]:
    """A function from a tensor's name in a file to its name in the model and the pattern by which it is joined.

    transformers itself knows which names older files use, and which tensors of experts it joins: these are the second part.
    """
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.core_model_loading import WeightConverter, WeightRenaming, rename_source_key

    mapping = get_model_conversion_mapping(model)
    renamings = [each for each in mapping if isinstance(each, WeightRenaming)]
    converters = [each for each in mapping if isinstance(each, WeightConverter)]
    known = model.state_dict()

    def renamed(name: str) -> tuple[str, str | None]:
        found: tuple[str, str | None] = rename_source_key(name, renamings, converters, model.base_model_prefix, known)
        return found

    return renamed, converters


def named_in_files(model: Any, names: Sequence[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """See `thin.Named`. transformers itself knows which names older files use, and which tensors of experts it joins."""
    renamed, converters = _renaming(model)
    found: dict[str, dict[str, list[str]]] = {}
    for name in sorted(names, key=_by_numbers):
        target, pattern = renamed(name)
        found.setdefault(target, {}).setdefault(pattern or "", []).append(name)
    order = {pattern: place for each in converters for place, pattern in enumerate(each.source_patterns)}
    # Only experts that are stacked are joined in a way that is known here.
    odd = {
        pattern
        for each in converters
        for pattern in each.source_patterns
        if [type(step).__name__ for step in each.operations] not in (["MergeModulelist"], ["MergeModulelist", "Concatenate"])
    }
    return {
        target: tuple(tuple(parts[pattern]) for pattern in sorted(parts, key=lambda each: order.get(each, 0)))
        for target, parts in found.items()
        if not odd & parts.keys() and len({len(part) for part in parts.values()}) == 1
    }


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Names in the order of their numbers: layer 10 comes after layer 9."""
    return [(int(part), "") if part.isdecimal() and part.isascii() else (-1, part) for part in name.split(".")]


def _heads(skeleton: Any, names: Sequence[str]) -> set[str]:
    """The parts of files that stand beside the model without its head, such as "lm_head" or "qa_outputs"."""
    inside = _parts(skeleton.base_model) | {skeleton.base_model_prefix, _POOLER}
    return {name.partition(".")[0] for name in targets(skeleton, names)} - inside


def _left_out(skeleton: Any, names: Sequence[str]) -> float:
    """The share of a folder's tensors that a model would leave out, without those of heads."""
    there, heads = set(skeleton.state_dict()), _heads(skeleton, names)
    inside = [name for name in targets(skeleton, names) if name.partition(".")[0] not in heads]
    return sum(name not in there for name in inside) / max(len(inside), 1)


def _parts(model: Any) -> set[str]:
    """The first parts of the names of a model's modules and tensors."""
    return {name.partition(".")[0] for name in (*dict(model.named_children()), *model.state_dict())}


def _kind_of(transformers: Any, folder: Folder, name: str) -> ModelClass:
    """The class of this name with the folder's settings, each with a copy of its own: some classes change them."""
    kind = getattr(transformers, name)
    counted = {"num_labels": len(folder.labels)} if folder.labels else {}
    config = transformers.CONFIG_MAPPING[folder.family].from_dict({**folder.settings, **counted})
    given = {"add_pooling_layer": False} if _has_pooler_to_leave_out(transformers, folder.family, name, kind) else {}
    return ModelClass(kind, config, given)


def _has_pooler_to_leave_out(transformers: Any, family: str, name: str, kind: Any) -> bool:
    """Whether a class without a head can be made without its pooler."""
    bare = _texts(transformers.models.auto.modeling_auto.MODEL_MAPPING_NAMES.get(family))
    return name in bare and "add_pooling_layer" in kind.__init__.__code__.co_varnames


def _classes(transformers: Any, folder: Folder) -> tuple[str, ...]:
    """The names of classes that the model may be of: the one that its settings name, if it is one of these, comes first.

    Those with an output come before those without. Raises UnknownFamily.
    """
    tables, family = transformers.models.auto.modeling_auto, folder.family
    wanted = _wanted(folder)
    both = _texts(tables.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES.get(family))
    masked = _texts(tables.MODEL_FOR_MASKED_LM_MAPPING_NAMES.get(family))
    causal = _texts(tables.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(family))
    # Models for pictures also read texts alone.
    causal += _texts(tables.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.get(family))
    bare = _texts(tables.MODEL_MAPPING_NAMES.get(family)) + _texts(tables.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES.get(family))
    of_classes = _texts(tables.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.get(family))
    if not both:  # A model with both sides that tells the classes of tokens leaves one of them out.
        of_classes += _texts(tables.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES.get(family))
    known = (*both, *masked, *causal, *of_classes, *bare)
    if not known:
        raise UnknownFamily(path=str(folder.path), family=family)
    likely = (*(both or (*masked, *causal)), *bare)
    return tuple(dict.fromkeys((wanted, *likely) if wanted in known else likely))


def _wanted(folder: Folder) -> Any:
    """The class that the settings name first, whatever that is; None where they name none."""
    told = folder.settings.get("architectures")
    return told[0] if isinstance(told, list) and told else None


def _texts(names: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names or ()
