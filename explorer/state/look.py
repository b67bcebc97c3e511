"""What of a Trace is looked at, and in which colours. Changing it costs no pass."""

from typing import TYPE_CHECKING

import attrs

from explorer.state.fields import between, one_of
from explorer.trace.tap_names import ATTENTION_STAGES

if TYPE_CHECKING:
    from explorer.trace.trace import Trace

ALIGNED = ("head", "layer", "all")
ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
ATTENTION_STEPS = ("query", "scores", "scaled", "masked", "weights", "dropped", "mixed", "merged", "output")
"""The steps of one attention head. Vaswani et al. 2017, figure 2; `picture.makers.attention_steps` draws them."""
UNIT_COLOURS = ("cividis", "viridis")
SIGNED_COLOURS = ("blue-red", "purple-orange", "blue-orange-dark")
_MOST = 2**31  # layers, heads, positions: more are a slip of the keyboard


@attrs.frozen(kw_only=True)
class Look:
    """The chosen attention, layer, head and stage; the side for what both sides have; the tap of the inspector.

    Raises BadField for what no model could have.
    """

    attention: str = attrs.field(default="encoder.self_attn", validator=one_of(ATTENTIONS))
    layer: int = attrs.field(default=0, validator=between(0, _MOST))
    head: int = attrs.field(default=0, validator=between(0, _MOST))
    stage: str = attrs.field(default="weights", validator=one_of(ATTENTION_STAGES))
    side: str = attrs.field(default="encoder", validator=one_of(("encoder", "decoder")))
    tap: str = ""
    position: int = attrs.field(default=-1, validator=between(-1, _MOST))  # of the output's prediction; -1 is the last token
    unit_colours: str = attrs.field(default="cividis", validator=one_of(UNIT_COLOURS))
    signed_colours: str = attrs.field(default="blue-red", validator=one_of(SIGNED_COLOURS))
    # One head, the mean of its layer, or the mean of all.
    aligned: str = attrs.field(default="head", validator=one_of(ALIGNED))
    part: str = attrs.field(default="weights", validator=one_of(ATTENTION_STEPS))  # the step of attention that is looked at
    shift: int = attrs.field(default=1, validator=between(1, _MOST))  # k of M(k)
    sampling_temperature: float = attrs.field(default=1.0, validator=between(1e-3, 1e3))
    top_k: int = attrs.field(default=0, validator=between(0, _MOST))  # 0: all
    top_p: float = attrs.field(default=1.0, validator=between(0, 1))

    def attention_tap(self, stage: str = "") -> str:
        """The tap of the chosen attention in the chosen layer, at the chosen stage or another."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.{stage or self.stage}"

    def step(self, trace: "Trace") -> int:
        """The position of the output that is looked at, from 0; the last one where `position` names none that is there."""
        n_steps = trace.shape("generator.probabilities")[0]
        return self.position if 0 <= self.position < n_steps else n_steps - 1

    def fitted(self, trace: "Trace") -> "Look":
        """The closest look that this trace can answer: what it lacks gives way to what it has."""
        offered = attentions(trace)
        attention = self.attention if self.attention in offered or not offered else offered[0]
        sides = sides_of(trace)
        side = self.side if self.side in sides else sides[0]
        return attrs.evolve(
            self,
            attention=attention,
            layer=min(self.layer, *(trace.card.side(name).n_layers - 1 for name in (attention, side))),
            head=min(self.head, trace.card.side(attention).n_heads - 1),
            side=side,
            tap=self.tap if self.tap in trace else trace.names()[0],
            position=self.position if self.position < len(trace.side("generator.logits")) else -1,
        )


def attentions(trace: "Trace") -> tuple[str, ...]:
    """The kinds of attention that this architecture has."""
    return tuple(name for name in ATTENTIONS if "{}.layers.0.{}.weights".format(*name.split(".")) in trace)


def sides_of(trace: "Trace") -> tuple[str, ...]:
    """ "encoder" and "decoder", as far as this architecture has them."""
    return tuple(side.name for side in trace.card.sides)
