"""Saliency: how much each token's input vector does for each word, estimated by gradients.

    gradient × input       s[w, i] = x_i · ∂ log p(w) / ∂x_i
    integrated gradients   s[w, i] = (x_i − b_i) · mean over α of ∂ log p(w) / ∂x_i at b + α (x − b)

x_i is the output of the embedding at token i, and b_i its position alone, without the word. Sundararajan et al. 2017: the
integral's parts sum to log p(w) at x minus log p(w) at b. It takes steps until they do to 0.05 nat; `errors` has what is left.
Both are local estimates. What happens without a token is another question, which only a pass without it answers.
"""

from typing import Any

import attrs

from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.tabular import Columns, Tables, Tabular, cells, joined


@attrs.frozen(eq=False)
class Saliency(Tabular):
    """By side of the model ("encoder", "decoder") both estimates [word, token], in nats.

    Word i is written at position i of the output; `log_p` [word] and `baseline_log_p` [word] are its log-probabilities with
    the sentence and with positions alone. `errors` [word] say by how much the parts of the integral miss their difference,
    after `n_steps` at most.
    """

    words: tuple[str, ...]
    tokens: dict[str, tuple[Token, ...]]
    gradient: dict[str, Array]
    integrated: dict[str, Array]
    log_p: Array
    baseline_log_p: Array
    errors: Array
    n_steps: int

    def tables(self) -> Tables:
        """`tokens`: a row for each side, word and token, with both estimates (nats)."""
        return {"tokens": self._rows}

    def _rows(self) -> Columns:
        made = []
        for side, row in self.tokens.items():
            values = {"gradient": self.gradient[side], "integrated": self.integrated[side]}
            told = cells(values, word=self.words, position=None)
            texts = [row[place].text for place in told["position"]]
            made.append({"side": [side] * len(texts), "token": texts, **told})
        return joined(made)

    def values(self, method: str, side: str) -> Array:
        """[word, token] by one of `choices.SALIENCIES`."""
        return (self.gradient if method == "gradient" else self.integrated)[side]

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has."""
        return {
            "words": list(self.words),
            "tokens": {side: [token.text for token in row] for side, row in self.tokens.items()},
            "gradient": {side: values.tolist() for side, values in self.gradient.items()},
            "integrated": {side: values.tolist() for side, values in self.integrated.items()},
            "log_p": self.log_p.tolist(),
            "baseline_log_p": self.baseline_log_p.tolist(),
            "errors": self.errors.tolist(),
            "steps": self.n_steps,
        }
