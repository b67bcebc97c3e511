"""What a language model generates after a text, token by token: what each was chosen from, and what it left in the cache.

The WrittenTree holds all that was generated after one text: a word that is replaced by another one begins a branch.
"""

from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.choices import SEED, TEMPERATURE, TOP_K, TOP_P
from explorer.trace.measures.measures import log_p
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.sampling import cut_away, sampling_probabilities
from explorer.trace.tabular import Tables, Tabular, listed

_CANDIDATES = 20  # symbols of a distribution that are kept


def _temperature(value: object) -> float:
    return float(TEMPERATURE.check(value))


def _top_k(value: object) -> int:
    return int(TOP_K.check(value))


def _top_p(value: object) -> float:
    return float(TOP_P.check(value))


def _seed(value: object) -> int | None:
    return None if value is None else int(SEED.check(value))


@attrs.frozen(kw_only=True)
class Sampling:
    """How the next token is chosen: with a `seed` it is drawn, without one it is the likeliest. Raises BadKnob.

    The logits are divided by the `temperature`; `top_k` (0: all) and `top_p` cut symbols away, as in `trace.sampling`. A draw
    depends on the seed and on the token's position alone, so a text that is generated in parts is the same.
    """

    temperature: float = attrs.field(default=1.0, converter=_temperature)
    top_k: int = attrs.field(default=0, converter=_top_k)
    top_p: float = attrs.field(default=1.0, converter=_top_p)
    seed: int | None = attrs.field(default=None, converter=_seed)

    @classmethod
    def asked(cls, seed: int | None, temperature: float | None, top_k: int | None, top_p: float | None) -> "Sampling":
        """What somebody asked for, who left out what is None: drawn with a seed, at a temperature and a share at which the text
        holds together; without a seed nothing is drawn, and the probabilities are the model's own. Raises BadKnob.
        """
        if seed is None:
            usual: tuple[Any, Any, Any] = (1.0, 0, 1.0)
        else:
            usual = TEMPERATURE.default, TOP_K.default, TOP_P.default
        given = zip((temperature, top_k, top_p), usual, strict=True)
        drawn_at, kept, share = (default if value is None else value for value, default in given)
        return cls(temperature=drawn_at, top_k=kept, top_p=share, seed=seed)

    def distribution(self, logits: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """[vocab] the probabilities at this temperature, and which symbols are cut away."""
        shares = sampling_probabilities(logits, self.temperature)
        return shares, cut_away(shares, self.top_k, self.top_p)

    def choose(self, logits: NDArray[Any], position: int) -> int:
        """The id of the token at this position, where the model has these logits [vocab]."""
        if self.seed is None:
            return int(logits.argmax())
        shares, cut = self.distribution(logits)
        # The first id with u · Σ P ≤ P(0) + … + P(id), over what is not cut away.
        sums = np.cumsum(np.where(cut, 0.0, shares))
        u = np.random.default_rng([self.seed, position]).random()
        drawn = int(np.searchsorted(sums, u * sums[-1], side="right"))
        return min(drawn, int(np.flatnonzero(~cut)[-1]))


@attrs.frozen(eq=False)
class NextToken:
    """One token that was generated after others: its id, text, log P (nats) and rank from 1, by the model itself.

    `position` is its place in the row of all tokens, `so_far` the text of all that was generated up to it. `forced` says that
    it was given and not chosen, `ends` that it is an end symbol. `ids`, `names`, `probabilities` and `cut` [candidate] are the
    likeliest symbols at the sampling's temperature, and whether the sampling would never draw them; the token itself is among
    them.

    `keys` and `values` [layer, head, position, feature] are the rows that the step added to the cache, from position `first`
    on; None of a model whose keys are not seen.
    """

    id: int
    text: str
    position: int
    log_p: float
    rank: int
    forced: bool
    ends: bool
    ids: tuple[int, ...]
    names: tuple[str, ...]
    probabilities: Array
    cut: NDArray[np.bool_]
    so_far: str = ""
    first: int = 0
    keys: Array | None = None
    values: Array | None = None

    @property
    def probability(self) -> float:
        """P(token | all tokens before it), by the model itself."""
        return float(np.exp(self.log_p))

    def to_dict(self) -> dict[str, Any]:
        """The token and its candidates in types that JSON has."""
        rows = zip(self.ids, self.names, self.probabilities.tolist(), self.cut.tolist(), strict=True)
        told = {"id": self.id, "text": self.text, "position": self.position, "log_p": self.log_p, "rank": self.rank}
        told |= {"forced": self.forced, "ends": self.ends}
        return told | {"candidates": [{"id": i, "text": name, "p": p, "cut": cut} for i, name, p, cut in rows]}


def candidates(logits: NDArray[Any], chosen: int, sampling: Sampling) -> tuple[tuple[int, ...], Array, NDArray[np.bool_]]:
    """Ids, probabilities and cuts [candidate] of the likeliest symbols, likeliest first, and at last of the chosen one."""
    shares, cut = sampling.distribution(logits)
    ids = np.argsort(-shares, kind="stable")[:_CANDIDATES].tolist()
    if chosen not in ids:
        ids.append(chosen)
    return tuple(ids), shares[ids].astype(np.float32), cut[ids]


def said(logits: NDArray[Any], chosen: int) -> tuple[float, int]:
    """log P (nats) of the chosen symbol, and its rank from 1; equal logits share the better rank."""
    nats = float(log_p(logits[None], np.array([chosen]))[0])
    return nats, 1 + int((logits > logits[chosen]).sum())


@attrs.frozen(eq=False)
class Continuation(Tabular):
    """What a model generated after the text `source`: its `tokens`, and their text, which can be put behind the source.

    `trace` is a Trace of all tokens, put together from the recorded steps: each row is that of the step which read its token.
    The scores of cells that no step has computed, those of later keys, are NaN. It is None where the text is so long that
    whole maps are not kept.
    """

    source: str
    tokens: tuple[NextToken, ...]
    text: str
    sampling: Sampling
    trace: RecordedPass | None = None

    def tables(self) -> Tables:
        """`tokens`: a row for each generated token."""
        return {"tokens": partial(listed, self.tokens, "position", "text", "id", "log_p", "rank", "forced", "ends")}

    @property
    def ended(self) -> bool:
        """Whether the model has generated the end of the text."""
        return bool(self.tokens) and self.tokens[-1].ends

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the tokens."""
        return tuple(token.id for token in self.tokens)

    @property
    def log_p(self) -> float:
        """log P of all tokens together, in nats, by the model itself."""
        return sum(token.log_p for token in self.tokens)

    def to_dict(self) -> dict[str, Any]:
        """All but the Trace in types that JSON has."""
        told = {"source": self.source, "text": self.text, "log_p": self.log_p, "ended": self.ended}
        return told | {"sampling": attrs.asdict(self.sampling), "tokens": [token.to_dict() for token in self.tokens]}

    def __repr__(self) -> str:
        return f"Continuation({self.source!r} + {self.text!r}, {len(self.tokens)} tokens, log P {self.log_p:.3f})"


@attrs.frozen(eq=False)
class WrittenTree:
    """The `tokens` that were generated; `parents` has the number of the one before each, -1 behind the text itself.

    `at` is the last token of the present continuation, -1 before the first one.
    """

    tokens: tuple[NextToken, ...] = ()
    parents: tuple[int, ...] = ()
    at: int = -1

    def path(self, node: int) -> tuple[int, ...]:
        """The numbers of the tokens from the first one to this one."""
        found: list[int] = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return tuple(reversed(found))

    @property
    def written(self) -> tuple[NextToken, ...]:
        """The tokens of the present continuation."""
        return tuple(self.tokens[node] for node in self.path(self.at))

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the present continuation."""
        return tuple(token.id for token in self.written)

    @property
    def ended(self) -> bool:
        """Whether the present continuation has come to its end."""
        return self.at >= 0 and self.tokens[self.at].ends

    def with_token(self, token: NextToken) -> "WrittenTree":
        """The tree with one more token behind the present continuation, which then ends with it."""
        for node, (parent, other) in enumerate(zip(self.parents, self.tokens, strict=True)):
            if parent == self.at and other.id == token.id:
                return self.going_on_at(node)
        return WrittenTree((*self.tokens, token), (*self.parents, self.at), len(self.tokens))

    def going_on_at(self, node: int) -> "WrittenTree":
        """The same tree with the present continuation up to this token; -1 is the text itself."""
        return attrs.evolve(self, at=node)

    def cache(self) -> tuple[Array, Array] | None:
        """Keys and values [layer, head, position, feature] of all that was read for the present continuation.

        None where nothing was generated, or where the model's keys are not seen.
        """
        keys: Array | None = None
        values: Array | None = None
        for token in self.written:
            if token.keys is None or token.values is None:
                return None
            keys, values = _followed(keys, token.keys, token.first), _followed(values, token.values, token.first)
        return None if keys is None or values is None else (keys, values)


def _followed(before: Array | None, rows: Array, first: int) -> Array:
    """The rows so far, and from `first` on the new ones."""
    if before is None or first == 0:
        return rows
    return np.concatenate((before[:, :, :first], rows), axis=2)
