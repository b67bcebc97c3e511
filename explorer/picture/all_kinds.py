"""All kinds of Picture, in the order in which their files declare them; each has a View that shows it."""

from explorer.picture import causal_kinds, cut_kinds, decoding_kinds, kinds
from explorer.picture.picture import Picture
from explorer.picture.river import river

KINDS: tuple[type[Picture], ...] = tuple(
    each
    for module in (kinds, decoding_kinds, river, causal_kinds, cut_kinds)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Picture) and each.__module__ == module.__name__
)
