"""The kinds of Picture that show causes: interventions, ablation, the attribution of a logit, and the lens."""

import attrs

from explorer.picture.kinds import Heatmap
from explorer.picture.picture import Caption, Picture
from explorer.picture.scales import Scale
from explorer.picture.sums import Sums
from explorer.trace.arrays import Array
from explorer.trace.found.lens import Agreement, Lens


@attrs.frozen
class Reworded:
    """A word of a translation before and after a change; "" where there is none.

    `log_p` and `log_p_after` are the log-probabilities (nats) of the word before, by the model without and with the change;
    both are given the words before it from the unchanged translation. None where nothing was compared.
    """

    before: str
    after: str
    log_p: float | None = None
    log_p_after: float | None = None

    @property
    def difference(self) -> float | None:
        """Δ log p (nats): below 0 the change makes the word less probable."""
        return None if self.log_p is None or self.log_p_after is None else self.log_p_after - self.log_p


@attrs.frozen(kw_only=True, eq=False)
class Rewording(Picture):
    """A translation before and after a change, word by word, with Δ log p of each word before on one scale (nats).

    With `once` both have the same words, and each stands there once.
    """

    words: tuple[Reworded, ...]
    scale: Scale
    caption: Caption
    once: bool = False


@attrs.frozen(kw_only=True, eq=False)
class Postcard(Picture):
    """A changed translation as a picture to send, a sheet of 1200 × 630 px.

    `changes` names what is changed in the `sentence`, `words` are the translation before and after. The maps are the weights
    of the head that differs most. `about` says what the change means, `hit` which probability moves most, `rate` how many
    other sentences change ("" where nobody has searched). `made_by` and `model` say what made it.
    """

    sentence: str
    changes: str
    words: tuple[Reworded, ...]
    map_before: Heatmap | None
    map_after: Heatmap | None
    about: str
    hit: str
    rate: str
    made_by: str
    model: str
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class Account(Picture):
    """The attribution of a word against its rival, as a sum: the parts by layer, or one list of terms, the largest first."""

    sums: Sums
    signed_colours: str
    caption: Caption
    head: int | None = None


@attrs.frozen(kw_only=True, eq=False)
class Removals(Picture):
    """The largest parts of an attribution: their `shares` [part] in the difference of two logits, and their `costs` [part]: the
    fall of that difference when the part is ablated. A cost is NaN until it is computed. `taps` are those of the parts.
    """

    names: tuple[str, ...]
    taps: tuple[str, ...]
    shares: Array
    costs: Array
    signed_colours: str
    caption: Caption


@attrs.frozen(kw_only=True, eq=False)
class LensMap(Picture):
    """The logit lens: the likeliest word of each layer at each position [row, position], with its probability.

    `chosen` is the chosen position. A cell is coloured where its word is the generated one. With `ranks`, cells show the rank
    of the generated word instead. `jacobian` is True for the Jacobian lens, and `agreement` compares both lenses.
    """

    lens: Lens
    rows: tuple[str, ...]
    chosen: int
    scale: Scale
    caption: Caption
    ranks: bool = False
    jacobian: bool = False
    agreement: Agreement | None = None


@attrs.frozen
class EffectRow:
    """One attention or feed-forward in one layer: its group, its name in the group, and the tap that is ablated."""

    group: str
    name: str
    tap: str

    @property
    def has_heads(self) -> bool:
        """Whether it is an attention."""
        return self.tap.endswith(".mixed")


@attrs.frozen(kw_only=True, eq=False)
class EffectMap(Picture):
    """The change in log-probability of a word (nats) when single heads are ablated [row, head], and whole rows [row] as bars.

    A row without heads has NaN in `values`. `bar_reach` is the magnitude of a bar of full length. `estimated` is True if the
    cells are estimates. Until the numbers are computed, `pending` is True and all of them are NaN. `chosen` is the chosen place
    (row, head), `word` names what the effects are on, and `told` describes the picture in one sentence.
    """

    values: Array
    whole: Array
    rows: tuple[EffectRow, ...]
    scale: Scale
    bar_reach: float
    word: str
    caption: Caption
    chosen: tuple[int, int] | None = None
    estimated: bool = False
    exact_rows: int = 0  # the first rows of an estimated map that are exact already
    pending: bool = False
    told: str = ""

    def is_estimate(self, row: int) -> bool:
        """Whether the cells of a row are estimates."""
        return self.estimated and row >= self.exact_rows
