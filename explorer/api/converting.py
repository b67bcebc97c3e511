"""Checkpoints of courses, converted to folders that open."""

from collections.abc import Mapping
from pathlib import Path


def convert(
    path: str | Path,
    out: str | Path | None = None,
    *,
    n_heads: int | None = None,
    tokenizer: str | Path | None = None,
    characters: str | Path | None = None,
    settings: Mapping[str, float | str] | None = None,
) -> str:
    """Write the model of a checkpoint to a folder: nanoGPT, minGPT, minimind, happy-llm, a tutorial's class, pytorch_model.bin.

    Returns the folder, which is then a preset: `out`, or the path without its ending. A checkpoint that does not say its
    number of heads needs `n_heads`. `tokenizer` is a folder whose tokenizer is taken along, `characters` the training text of
    a model of characters; without either, a text is a row of ids, such as "17 4 256". `settings` are those that the file lacks
    and the course's code has, such as `{"rope_theta": 1e6}`. Raises explorer.errors.ExplorerError.
    """
    from explorer.checkpoints.conversion import Supplied, convert

    beside = Supplied(
        n_heads=n_heads,
        tokenizer=None if tokenizer is None else Path(tokenizer),
        characters=None if characters is None else Path(characters),
        settings=settings or {},
    )
    source = Path(path)
    return str(convert(source, source.with_suffix("") if out is None else Path(out), beside).folder)
