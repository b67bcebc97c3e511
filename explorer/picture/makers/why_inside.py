"""What is inside a part of a logit: a head by its keys, a key's value by its features, its score by q·k, a network by units."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.mathematics import Numbers
from explorer.picture.follow_text import score, weight
from explorer.picture.makers.heatmaps import token_axis
from explorer.picture.sums import Goes, Link, Sums, Term, bare, largest_first, told
from explorer.state.look import Look
from explorer.trace.measures import closed_cells
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from explorer.trace.why import Part, Parts
from explorer.trace.why_inside import ByKey, by_key, by_unit, products

_BACK: Goes = {"inside": ""}


def opened(sums: Sums, parts: Parts, trace: Trace, look: Look, words: Words) -> Sums:
    """The same sums with the opened part in front; as they were where the chosen part is none of them."""
    first = Link(words("why.minus", word=sums.word, rival=sums.rival), told(sums.difference, sums.digits), goes=_BACK)
    if look.inside == "network":
        return _network(attrs.evolve(sums, trail=(first,)), parts, trace, look, words)
    place = parts.index(look.attention, look.layer, look.head)
    if place is None:
        return sums
    head = _Head(parts, place, trace, look, words)
    return head.shown(attrs.evolve(sums, trail=(first, head.link())))


def _network(sums: Sums, parts: Parts, trace: Trace, look: Look, words: Words) -> Sums:
    place = next((i for i, each in enumerate(parts.parts) if each.kind == "feed_forward" and each.layer == look.layer), None)
    found = None if place is None else by_unit(trace, parts, parts.parts[place])
    if place is None or found is None:
        return attrs.evolve(sums, trail=())
    tap = f"{found.part.block}.activated"
    terms = tuple(
        Term(
            words("why.unit", unit=unit),
            float(value),
            f"{words('why.unit', unit=unit)}  {told(float(value), 4)}\n{tap}[{parts.position}, {unit}]",
            (float(found.activated[unit]), float(found.along[unit])),
        )
        for unit, value in enumerate(found.values)
    )
    name = f"{words('why.part.feed_forward')} L{look.layer}"
    return attrs.evolve(
        sums,
        terms=largest_first(terms),
        whole=float(parts.values[place]),
        trail=(*sums.trail, Link(name, told(float(parts.values[place]), sums.digits))),
        factors=(words("why.activated"), words("why.along")),
        names=words("why.units", count=len(terms)),
        said=words("why.said.network", word=sums.word, rival=sums.rival),
    )


class _Head:
    """One head's part, opened at the Look's depth."""

    def __init__(self, parts: Parts, place: int, trace: Trace, look: Look, words: Words) -> None:
        self.parts, self.trace, self.look, self.words = parts, trace, look, words
        self.part: Part = parts.parts[place]
        self.value = float(parts.values[place])
        self.found: ByKey = by_key(trace, parts, self.part)
        self.keys = tuple(map(bare, token_axis(trace, f"{self.part.block}.weights", "key", words).labels))
        chosen = look.cell_key
        if not 0 <= chosen < len(self.keys):
            chosen = int(np.argmax(np.abs(self.found.values)))
        self.cell = Cell(look.attention, look.layer, look.head, parts.position, chosen)

    def link(self) -> Link:
        """The way to the head's keys."""
        name = f"{self.words(f'why.part.{self.part.attention}')} L{self.part.layer} H{self.part.head}"
        return Link(name, told(self.value, 3), goes={"inside": "head"})

    def shown(self, sums: Sums) -> Sums:
        """The sums of the opened level."""
        if self.look.inside == "head":
            return attrs.evolve(
                sums,
                terms=largest_first(map(self._key, range(len(self.keys)))),
                whole=self.value,
                factors=(self.words("why.weight"), self.words("why.along")),
                names=self.words("why.keys", count=len(self.keys)),
                said=self.words("why.said.head", word=sums.word, rival=sums.rival),
            )
        share = float(self.found.values[self.cell.key])
        key = Link(self.keys[self.cell.key], told(share, 3), goes={"inside": "key"})
        within = attrs.evolve(sums, trail=(*sums.trail, key), chain=self._chain())
        return self._score(within) if self.look.inside == "score" else self._value(within)

    def _key(self, key: int) -> Term:
        value, tap = float(self.found.values[key]), f"{self.part.block}.weights"
        closed = bool(closed_cells(np.array([self._at("masked", key)]))[0])
        lines = [
            f"{self.keys[key]}  {told(value, 4)}",
            f"{tap}[{self.cell.head}, {self.cell.query}, {key}]",
            self.words("why.closed" if closed else "why.opens_key"),
        ]
        factors = float(self.found.weights[key]), float(self.found.along[key])
        goes: Goes = {"cell_query": self.cell.query, "cell_key": key, "inside": "key"}
        return Term(self.keys[key], value, "\n".join(lines), factors, goes)

    def _at(self, stage: str, key: int) -> np.float32:
        """The recorded number of a key's cell at a stage."""
        found: np.float32 = self.trace[self.cell.tap(stage)][self.cell.head, self.cell.query, key]
        return found

    def _chain(self) -> tuple[Link, ...]:
        """What the key's share is the product of, and how its weight came about: recorded numbers with their taps."""
        cell, words, card = self.cell, self.words, self.trace.card
        numbers = {stage: float(self._at(stage, cell.key)) for stage in ("scores", "scaled", "masked", "weights", "dropped")}

        def link(stage: str, figure: str, sign: str, goes: Goes | None = None) -> Link:
            about = f"{cell.tap(stage)}[{cell.head}, {cell.query}, {cell.key}]"
            return Link(words(f"why.stage.{stage}"), figure, about, goes, sign)

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
        chain.append(Link(words("why.along"), along, about, {"inside": "key"}, "×"))
        chain.append(Link(words("why.share"), told(float(self.found.values[cell.key]), 3), sign="="))
        return tuple(chain)

    def _value(self, sums: Sums) -> Sums:
        """V[k]·direction, feature by feature."""
        features, tap = self.found.features(self.cell.key), f"{self.part.block}.value"
        kv_head = self.trace.card.head_in(tap, self.cell.head)
        terms = self._features(
            features, self.found.value[self.cell.key], self.found.direction, f"{tap}[{kv_head}, {self.cell.key}"
        )
        link = Link(self.words("why.along"), told(float(features.sum()), 3))
        return attrs.evolve(
            sums,
            terms=terms,
            whole=float(features.sum()),
            trail=(*sums.trail, link),
            factors=("V", self.words("why.direction")),
            names=self.words("why.features", count=len(terms)),
            said=self.words("why.said.key", count=len(terms)),
        )

    def _score(self, sums: Sums) -> Sums:
        """Q[q]·K[k], feature by feature."""
        cell, trace = self.cell, self.trace
        found = products(trace, cell)
        query = trace[cell.tap("query")][cell.head, cell.query].astype(np.float64)
        key = trace[cell.tap("key")][trace.card.head_in(cell.tap("key"), cell.head), cell.key].astype(np.float64)
        terms = self._features(found, query, key, f"{cell.tap('query')}[{cell.head}, {cell.query}")
        return attrs.evolve(
            sums,
            terms=terms,
            whole=float(found.sum()),
            trail=(*sums.trail, Link(self.words("why.stage.scores"), score(float(found.sum())))),
            factors=("Q", "K"),
            names=self.words("why.products", count=len(terms)),
            said=self.words("why.said.score", count=len(terms)),
        )

    def _features(self, values: Numbers, first: Numbers, second: Numbers, tap: str) -> tuple[Term, ...]:
        return largest_first(
            Term(
                self.words("why.feature", feature=feature),
                float(value),
                f"{self.words('why.feature', feature=feature)}  {told(float(value), 4)}\n{tap}, {feature}]",
                (float(first[feature]), float(second[feature])),
            )
            for feature, value in enumerate(values)
        )
