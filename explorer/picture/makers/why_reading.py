"""A number of Q, K or V as a sum over the parts of the residual stream: its terms, its name and its links."""

import attrs

from explorer.lang import Words
from explorer.picture.sums import Goes, Sums, SumTerm, TrailLink, digits_for, largest_first, part_name, told, unmarked
from explorer.trace.found.part import Part, WayStep, way_of
from explorer.trace.found.reading import Reading

_LETTERS = {"query": "Q", "key": "K", "value": "V"}


def reading_name(of: Reading, words: Words) -> str:
    """ "Q, feature 17", or of the whole "by Q"."""
    letter = _LETTERS[of.tap.rpartition(".")[2]]
    return words("why.by_whole", letter=letter) if of.feature < 0 else f"{letter}[{of.feature}]"


def read(sums: Sums, of: Reading, steps: tuple[WayStep, ...], words: Words) -> Sums:
    """The parts of a Reading as terms. `steps` lead to it."""
    letter = _LETTERS[of.tap.rpartition(".")[2]]
    row = of.trace.tokens.source if of.side == "encoder" else of.trace.tokens.target
    token = unmarked(row[of.position].text)
    said = words(
        "why.said.reading" if of.feature >= 0 else "why.said.whole",
        letter=letter,
        token=token,
        side=words(f"side.{of.side}"),
        count=len(of.parts),
        remainder=f"{abs(of.remainder):.0e}",
    )
    return attrs.evolve(
        sums,
        exact=of.exact,
        difference=of.recorded,
        total=of.total,
        n_parts=len(of.parts),
        terms=largest_first(_term(of, place, token, words) for place in range(len(of.parts))),
        whole=of.recorded,
        chain=_chain(of, steps, words),
        names=words("why.parts", count=len(of.parts)),
        said=said,
        hint=words("why.opens.reading"),
    )


def _chain(of: Reading, steps: tuple[WayStep, ...], words: Words) -> tuple[TrailLink, ...]:
    """The recorded number, and a link to the other factor of the same product."""
    last = steps[-1]
    about = f"{of.tap}[{of.head}, {of.position}{f', {of.feature}' if of.feature >= 0 else ''}]"
    number = TrailLink(reading_name(of, words), told(of.recorded, 4), about)
    summed = TrailLink(words("why.sum_of_parts", count=len(of.parts)), told(of.total, 4), sign="=")
    rest = TrailLink(words("why.remainder"), f"{of.remainder:.0e}".replace("-", "\N{MINUS SIGN}"), sign="+")
    if last.which == "value":
        return number, summed, rest
    other = attrs.evolve(last, which="key" if last.which == "query" else "query")
    goes: Goes = {"way": way_of((*steps[:-1], other)), "inside": ""}
    name = _LETTERS[other.which] if of.feature < 0 else f"{_LETTERS[other.which]}[{of.feature}]"
    return number, summed, rest, TrailLink(words("why.other_factor"), name, goes=goes)


def _term(of: Reading, place: int, token: str, words: Words) -> SumTerm:
    part, value = of.parts[place], float(of.values[place])
    name, goes = part_name(part, words), _opens(part)
    lines = [f"{name}  {told(value, max(4, digits_for(value)))}", part.tap]
    if part.kind == "token":
        lines.insert(1, words("why.reads", token=token))
    if goes is not None:
        lines.append(words("why.opens_head" if part.kind == "head" else "why.opens_network"))
    return SumTerm(name, value, "\n".join(lines), goes=goes)


def _opens(part: Part) -> Goes | None:
    side = part.tap.partition(".")[0]
    if part.kind == "head":
        return {
            "attention": f"{side}.{part.attention}",
            "layer": part.layer,
            "head": part.head,
            "cell_key": -1,
            "inside": "head",
        }
    return {"layer": part.layer, "side": side, "inside": "network"} if part.kind == "feed_forward" else None
