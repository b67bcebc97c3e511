"""A Block of the architecture in words: what it is called, how many parameters it has, what it does."""

from explorer.lang import Words
from explorer.picture.layout.strip_names import Names
from explorer.state.going import PAGES
from explorer.trace.architecture import Block


def block_line(block: Block, names: Names) -> str:
    """One line: the name of the layer or the group, that of the Block, and its parameters if they were counted."""
    told = [names.group((block,)), names.block(block)]
    if block.n_parameters is not None:
        told.append(_parameters(block, names.words))
    return " · ".join(told)


def about_block(block: Block, names: Names) -> str:
    """Three lines: `block_line`, what the Block does, and the size of the whole model with what a click does."""
    words = names.words
    masked = block.kind == "self_attn" and block.causal
    does = words(f"strip.does.{'masked' if masked else block.kind}")
    whole = words("strip.whole", count=f"{names.architecture.n_parameters:,}")
    return f"{block_line(block, names)}\n{does}\n{whole} · {words('strip.hint', page=words(f'page.{PAGES[block.kind]}'))}"


def _parameters(block: Block, words: Words) -> str:
    own = words("strip.parameters", count=f"{block.n_parameters:,}") if block.n_parameters else words("strip.no_parameters")
    return own + (words("strip.shared", count=f"{block.n_shared:,}") if block.n_shared else "")
