"""What scripts of our own and of foreign models share: the ids of the tokens, and the noting of tensors."""

from explorer.export.pytorch.coder import Coder, ids_of, lines
from explorer.trace.trace import Trace


def tokens(coder: Coder, trace: Trace) -> str:
    """The ids of the tokens, with their texts as comments."""
    both = [(name, side) for name, side in (("SOURCE", trace.tokens.source), ("TARGET", trace.tokens.target)) if side]
    return lines(coder.note("tokens"), *(f"{name} = {ids_of(side)}" for name, side in both))


def tap(coder: Coder, *, changed: str | None, noted: str, about: str, switched: bool) -> str:
    """The function that notes a tensor x as `noted`. `changed` makes the changes, None without any; `about` is its docstring.

    With `switched` the changes can be left out, as in the pass over the text that a patch is taken from.
    """
    if changed is not None and switched:
        changed = f"if changing:\n        {changed}"
    return lines(
        coder("taps = {}  # $taps"),
        "changing = True" if switched else None,
        "\n",
        coder(f'def tap(name, x):\n    """{about}"""'),
        None if changed is None else f"    {changed}",
        f"    taps[name] = {noted}",
        "    return x",
    )
