"""The fields of the Look after a click adds a head to those that lie over one another, removes it, or isolates it."""

from explorer.state.look import Look


def toggled(look: Look, head: int) -> dict[str, object]:
    """One head more or one less; the last one stays. If a mean is drawn, this head alone."""
    drawn = look.drawn_heads()
    if head not in drawn:
        return _drawn(look, (*drawn, head))
    return _drawn(look, tuple(each for each in drawn if each != head) or drawn)


def alone(look: Look, head: int, n_heads: int) -> dict[str, object]:
    """This head without others; all heads if it is alone already."""
    return every(look, n_heads) if look.drawn_heads() == (head,) else _drawn(look, (head,))


def every(look: Look, n_heads: int) -> dict[str, object]:
    """All heads of the layer; the chosen one alone if all are drawn already."""
    heads = tuple(range(n_heads))
    return _drawn(look, (look.head,) if look.drawn_heads() == heads else heads)


def _drawn(look: Look, heads: tuple[int, ...]) -> dict[str, object]:
    """The fields with which these heads are drawn. The chosen head is one of them: the same as before, if it can be."""
    chosen = look.head if look.head in heads else heads[-1]
    return {"aligned": "head", "head": chosen, "overlaid": tuple(sorted(heads)) if len(heads) > 1 else ()}
