"""The inside of a part of a logit: a head by its keys, a key's value by its features, its score by q·k, a network by units.

A number of Q, K or V opens into the parts of the residual stream that it was computed from, and each head among them opens
again. `Look.way` lists the opened numbers, and the other fields of the Look what is opened behind the last one.
"""

from typing import Any

import attrs
import numpy as np

from explorer.errors import NoSuchPart
from explorer.lang import Words
from explorer.mathematics import Numbers
from explorer.picture.follow_text import score, weight
from explorer.picture.makers.heatmaps import token_axis
from explorer.picture.makers.why_reading import read, reading_name
from explorer.picture.sums import Goes, Sums, SumTerm, TrailLink, digits_for, largest_first, told, unmarked
from explorer.state.look import Look
from explorer.trace.found.part import WayStep, steps_of, way_of
from explorer.trace.found.reading import ByKey, Reading, by_key, by_unit, heads_open, products
from explorer.trace.found.why import Parts, walked
from explorer.trace.kept_map import closed_cells
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace

_UP = {"score": "key", "key": "head", "head": "", "network": ""}
"""The depth to which Esc leads from each depth, within the same opened number."""


def opened(sums: Sums, parts: Parts, trace: Trace, look: Look, words: Words) -> Sums:
    """The same sums with the opened part in front; as they were where the chosen part is none of them.

    Raises NotLookedInto while the weights of a way are not there.
    """
    steps = steps_of(look.way)
    try:
        passed = walked(parts, steps)
    except NoSuchPart:  # The way was one of another sentence.
        steps, passed = (), (parts,)
    if not steps and not look.inside:
        return sums
    back: Goes = {"inside": "", "way": ""} if steps else {"inside": ""}
    trail = [TrailLink(words("why.minus", word=sums.word, rival=sums.rival), told(sums.difference, sums.digits), goes=back)]
    for number, step in enumerate(steps):
        of, after = passed[number], passed[number + 1]
        assert isinstance(after, Reading)  # All but the first are Readings.
        head = _Head(of, trace, _at(look, steps, number), words, way_of(steps[:number]))
        trail += [
            *head.way_to(step),
            TrailLink(reading_name(after, words), told(after.recorded, 3), goes=_goes(way_of(steps[: number + 1]), "")),
        ]
    of = passed[-1]
    within = attrs.evolve(sums, trail=tuple(trail))
    if isinstance(of, Reading):
        within = read(within, of, steps, words)
    if look.inside == "network":
        return _network(within, of, trace, look, words)
    place = of.index(look.attention, look.layer, look.head) if look.inside else None
    if place is None or not heads_open(trace, of.parts[place].block):
        return within if steps else sums
    head = _Head(of, trace, look, words, look.way if steps else "")
    return head.shown(attrs.evolve(within, trail=(*within.trail, head.link()), chain=(), terms=()))


def left(look: Look) -> dict[str, object]:
    """The fields of the Look one step back."""
    if look.inside or not look.way:
        return {"inside": _UP.get(look.inside, "")}
    *before, last = steps_of(look.way)
    return _step_fields(last) | {"way": way_of(before), "inside": "key" if last.which == "value" else "score"}


def _goes(way: str, inside: str, step: WayStep | None = None) -> Goes:
    fields: dict[str, object] = {"way": way, "inside": inside}
    return fields | (_step_fields(step) if step is not None else {})


def _step_fields(step: WayStep) -> dict[str, Any]:
    return {"attention": step.attention, "layer": step.layer, "head": step.head, "cell_key": step.key}


def _at(look: Look, steps: tuple[WayStep, ...], number: int) -> Look:
    """The Look as it was when a step was taken."""
    return attrs.evolve(look, way=way_of(steps[:number]), **_step_fields(steps[number]))


def _network(sums: Sums, of: Parts | Reading, trace: Trace, look: Look, words: Words) -> Sums:
    place = next((i for i, each in enumerate(of.parts) if each.kind == "feed_forward" and each.layer == look.layer), None)
    found = None if place is None else by_unit(trace, of, of.parts[place])
    if place is None or found is None:
        return sums if isinstance(of, Reading) else attrs.evolve(sums, trail=())
    tap = f"{found.part.block}.activated"
    terms = tuple(
        SumTerm(
            words("why.unit", unit=unit),
            float(value),
            f"{words('why.unit', unit=unit)}  {told(float(value), 4)}\n{tap}[{of.position}, {unit}]",
            (float(found.activated[unit]), float(found.along[unit])),
        )
        for unit, value in enumerate(found.values)
    )
    name = f"{words('why.part.feed_forward')} L{look.layer}"
    return attrs.evolve(
        sums,
        terms=largest_first(terms),
        whole=float(of.values[place]),
        trail=(*sums.trail, TrailLink(name, told(float(of.values[place]), digits_for(float(of.values[place]))))),
        chain=(),
        factors=(words("why.activated"), words("why.along")),
        names=words("why.units", count=len(terms)),
        said=words(
            "why.said.network" if isinstance(of, Parts) else "why.said.network_inside", word=sums.word, rival=sums.rival
        ),
    )


class _Head:
    """One head's part, opened at the Look's depth. `way` is the way to the sum that it is a part of."""

    def __init__(self, of: Parts | Reading, trace: Trace, look: Look, words: Words, way: str) -> None:
        place = of.index(look.attention, look.layer, look.head)
        assert place is not None  # The caller has checked.
        self.of, self.trace, self.look, self.words, self.way = of, trace, look, words, way
        self.part = of.parts[place]
        self.value = float(of.values[place])
        self.found: ByKey = by_key(trace, of, self.part)
        self.keys = tuple(map(unmarked, token_axis(trace, f"{self.part.block}.weights", "key", words).labels))
        chosen = look.cell_key
        if not 0 <= chosen < len(self.keys):
            chosen = int(np.argmax(np.abs(self.found.values)))
        self.cell = Cell(look.attention, look.layer, look.head, of.position, chosen)

    def link(self, goes: Goes | None = None) -> TrailLink:
        """The way to the head's keys."""
        name = f"{self.words(f'why.part.{self.part.attention}')} L{self.part.layer} H{self.part.head}"
        return TrailLink(name, told(self.value, 3), goes=goes or {"inside": "head"})

    def _key_link(self, goes: Goes) -> TrailLink:
        share = float(self.found.values[self.cell.key])
        return TrailLink(self.keys[self.cell.key], told(share, max(3, digits_for(share))), goes=goes)

    def way_to(self, step: WayStep) -> tuple[TrailLink, ...]:
        """The links of a step that was taken from here: the head, the key, and the sum in which the number was opened."""
        goes = {inside: _goes(self.way, inside, step) for inside in ("head", "key", "score")}
        links = (self.link(goes["head"]), self._key_link(goes["key"]))
        if step.which == "value":
            return links
        recorded = float(products(self.trace, self.cell).sum())
        return (*links, TrailLink(self.words("why.stage.scores"), score(recorded), goes=goes["score"]))

    def shown(self, sums: Sums) -> Sums:
        """The sums of the opened level."""
        if self.look.inside == "head":
            said = "why.said.head" if isinstance(self.of, Parts) else "why.said.head_inside"
            return attrs.evolve(
                sums,
                terms=largest_first(map(self._key, range(len(self.keys)))),
                whole=self.value,
                factors=(self.words("why.weight"), self.words("why.along")),
                names=self.words("why.keys", count=len(self.keys)),
                said=self.words(said, word=sums.word, rival=sums.rival),
            )
        within = attrs.evolve(sums, trail=(*sums.trail, self._key_link({"inside": "key"})), chain=self._chain())
        return self._score(within) if self.look.inside == "score" else self._value(within)

    def _into(self, which: str, feature: int | None) -> Goes:
        """Where a click on a number of Q, K or V leads: to what it was made from."""
        cell = self.cell
        step = WayStep(cell.attention, cell.layer, cell.head, cell.key, which, feature)
        return {"way": way_of((*steps_of(self.way), step)), "inside": ""}

    def _key(self, key: int) -> SumTerm:
        value, tap = float(self.found.values[key]), f"{self.part.block}.weights"
        closed = bool(closed_cells(np.array([self._at("masked", key)]))[0])
        lines = [
            f"{self.keys[key]}  {told(value, 4)}",
            f"{tap}[{self.cell.head}, {self.cell.query}, {key}]",
            self.words("why.closed" if closed else "why.opens_key"),
        ]
        factors = float(self.found.weights[key]), float(self.found.along[key])
        goes: Goes = {"cell_query": self.cell.query, "cell_key": key, "inside": "key"}
        return SumTerm(self.keys[key], value, "\n".join(lines), factors, goes)

    def _at(self, stage: str, key: int) -> np.float32:
        """The recorded number of a key's cell at a stage."""
        found: np.float32 = self.trace[self.cell.tap(stage)][self.cell.head, self.cell.query, key]
        return found

    def _chain(self) -> tuple[TrailLink, ...]:
        """What the key's share is the product of, and how its weight came about: recorded numbers with their taps."""
        cell, words, card = self.cell, self.words, self.trace.card
        numbers = {stage: float(self._at(stage, cell.key)) for stage in ("scores", "scaled", "masked", "weights", "dropped")}

        def link(stage: str, figure: str, sign: str, goes: Goes | None = None) -> TrailLink:
            about = f"{cell.tap(stage)}[{cell.head}, {cell.query}, {cell.key}]"
            return TrailLink(words(f"why.stage.{stage}"), figure, about, goes, sign)

        to_score: Goes = {"inside": "score"}
        chain = [
            link("scores", score(numbers["scores"]), "", to_score),
            link("scaled", score(numbers["scaled"]), f"÷ {card.score_divisor:.4g} =", to_score),
        ]
        if not np.isclose(numbers["masked"], numbers["scaled"]):
            chain.append(link("masked", score(numbers["masked"]), "→"))
        chain.append(link("weights", weight(numbers["weights"]), "softmax →"))
        if numbers["dropped"] != numbers["weights"]:
            chain.append(link("dropped", weight(numbers["dropped"]), "→"))
        along = told(float(self.found.along[cell.key]), 3)
        about = words("why.along_about", tap=f"{self.part.block}.value")
        chain.append(TrailLink(words("why.along"), along, about, {"inside": "key"}, "×"))
        chain.append(TrailLink(words("why.share"), told(float(self.found.values[cell.key]), 3), sign="="))
        return tuple(chain)

    def _value(self, sums: Sums) -> Sums:
        """V[k]·direction, feature by feature."""
        features, tap = self.found.features(self.cell.key), f"{self.part.block}.value"
        kv_head = self.trace.card.head_in(tap, self.cell.head)
        terms = self._features(
            features, self.found.value[self.cell.key], self.found.direction, f"{tap}[{kv_head}, {self.cell.key}", ("value", "")
        )
        link = TrailLink(self.words("why.along"), told(float(features.sum()), 3))
        return attrs.evolve(
            sums,
            terms=terms,
            whole=float(features.sum()),
            trail=(*sums.trail, link),
            factors=("V", self.words("why.direction")),
            factor_goes=(self._into("value", None), None),
            names=self.words("why.features", count=len(terms)),
            said=self.words("why.said.key", count=len(terms)),
            hint=self.words("why.opens.key"),
        )

    def _score(self, sums: Sums) -> Sums:
        """Q[q]·K[k], feature by feature."""
        cell, trace = self.cell, self.trace
        found = products(trace, cell)
        query = trace[cell.tap("query")][cell.head, cell.query].astype(np.float64)
        key = trace[cell.tap("key")][trace.card.head_in(cell.tap("key"), cell.head), cell.key].astype(np.float64)
        terms = self._features(found, query, key, f"{cell.tap('query')}[{cell.head}, {cell.query}", ("query", "key"))
        return attrs.evolve(
            sums,
            terms=terms,
            whole=float(found.sum()),
            trail=(*sums.trail, TrailLink(self.words("why.stage.scores"), score(float(found.sum())))),
            factors=("Q", "K"),
            factor_goes=(self._into("query", None), self._into("key", None)),
            names=self.words("why.products", count=len(terms)),
            said=self.words("why.said.score", count=len(terms)),
            hint=self.words("why.opens.score"),
        )

    def _features(
        self, values: Numbers, first: Numbers, second: Numbers, tap: str, made: tuple[str, str]
    ) -> tuple[SumTerm, ...]:
        """Terms of the features; `made` says of each factor whether it is a query, a key or a value, "" for neither."""

        def term(feature: int) -> SumTerm:
            value = float(values[feature])
            name = self.words("why.feature", feature=feature)
            goes = tuple(self._into(which, feature) if which else None for which in made)
            about = f"{name}  {told(value, 4)}\n{tap}, {feature}]\n{self.words('why.opens_number')}"
            return SumTerm(
                name, value, about, (float(first[feature]), float(second[feature])), goes[0], factor_goes=(goes[0], goes[1])
            )

        return largest_first(map(term, range(len(values))))
