"""The whole model once more in NumPy and float64, from its weights alone, with parts that can be switched off."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from explorer.config import Config
from explorer.model.transformer import Transformer

Numbers = NDArray[np.float64]


class NumpyPass:
    """`heads` are (attention's path, head or None for all), `feeds` are paths, `hidden` is (path's end, column).

    `cell` is (attention's path, head, query, key).
    """

    def __init__(self, model: Transformer) -> None:
        self.weights: Mapping[str, Numbers] = {n: w.detach().double().numpy() for n, w in model.state_dict().items()}
        self.config: Config = model.config
        self.heads: set[tuple[str, int | None]] = set()
        self.feeds: set[str] = set()
        self.hidden: tuple[str, int] | None = None
        self.cell: tuple[str, int, int, int] | None = None

    def log_p(self, source: list[int] | None, target: list[int] | None) -> Numbers:
        """[position, vocab]"""
        memory = None if source is None else self._stack("encoder", source, None)
        x = memory if target is None else self._stack("decoder", target, memory)
        logits = self._linear("generator.project", x)
        top = logits.max(-1, keepdims=True)
        return logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))

    def _stack(self, side: str, ids: list[int], memory: Numbers | None) -> Numbers:
        d, n = self.config.d_model, len(ids)
        place, feature = np.arange(n)[:, None], np.arange(0, d, 2)
        waves = np.zeros((n, d))
        waves[:, 0::2] = np.sin(place / 10000 ** (feature / d))
        waves[:, 1::2] = np.cos(place / 10000 ** (feature / d))
        x = self.weights[f"{side}.embedding.look_up.weight"][ids] * np.sqrt(d) + waves
        for layer in range(self.config.n_layers):
            x = self._layer(f"{side}.layers.{layer}", x, memory, causal=side == "decoder")
        return self._norm(f"{side}.normalize", x) if self.config.norm_placement == "pre" else x

    def _layer(self, path: str, x: Numbers, memory: Numbers | None, causal: bool) -> Numbers:
        x = self._around(f"{path}.around_self", x, lambda h: self._attention(f"{path}.self_attn", h, h, causal))
        if memory is not None:
            x = self._around(f"{path}.around_cross", x, lambda h: self._attention(f"{path}.cross_attn", h, memory, False))
        return self._around(f"{path}.around_feed", x, lambda h: self._feed(f"{path}.feed_forward", h))

    def _around(self, path: str, x, f) -> Numbers:
        if self.config.norm_placement == "pre":
            return x + f(self._norm(f"{path}.normalize", x))
        return self._norm(f"{path}.normalize", x + f(x))

    def _attention(self, path: str, x: Numbers, memory: Numbers, causal: bool) -> Numbers:
        heads, size = [], self.config.d_model // self.config.n_heads
        q, k, v = (self._linear(f"{path}.project_{name}", y) for name, y in (("query", x), ("key", memory), ("value", memory)))
        for head in range(self.config.n_heads):
            part = slice(head * size, (head + 1) * size)
            scores = q[:, part] @ k[:, part].T / np.sqrt(size)
            if causal:
                scores[np.triu_indices(len(x), 1)] = -np.inf
            if self.hidden is not None and path.endswith(self.hidden[0]):
                others = np.arange(len(x)) != self.hidden[1] if path.endswith("self_attn") else slice(None)
                scores[others, self.hidden[1]] = -np.inf
            if self.cell is not None and self.cell[:2] == (path, head):
                scores[self.cell[2:]] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            off = {(path, head), (path, None)} & self.heads
            heads.append((weights / weights.sum(-1, keepdims=True)) @ v[:, part] * (0 if off else 1))
        return self._linear(f"{path}.project_output", np.concatenate(heads, -1))

    def _feed(self, path: str, x: Numbers) -> Numbers:
        made = self._linear(f"{path}.contract", np.maximum(self._linear(f"{path}.expand", x), 0))
        return np.zeros_like(made) if path in self.feeds else made

    def _linear(self, path: str, x: Numbers) -> Numbers:
        bias = self.weights.get(f"{path}.bias")
        return x @ self.weights[f"{path}.weight"].T + (0 if bias is None else bias)

    def _norm(self, path: str, x: Numbers) -> Numbers:
        centred = x - x.mean(-1, keepdims=True)
        return (
            centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * self.weights[f"{path}.weight"]
            + self.weights[f"{path}.bias"]
        )
