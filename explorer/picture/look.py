"""What of a Trace is looked at, and in which colours. Changing it costs no pass."""

import attrs

from explorer.trace.tap_names import ATTENTION_STAGES
from explorer.trace.trace import Trace

ALIGNED = ("head", "layer", "all")
ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")


@attrs.frozen(kw_only=True)
class Look:
    """The chosen attention, layer, head and stage; the side for what both sides have; the tap of the inspector."""

    attention: str = "encoder.self_attn"
    layer: int = 0
    head: int = 0
    stage: str = "weights"
    side: str = "encoder"
    tap: str = ""
    position: int = -1  # of the output's prediction; -1 is the last token
    unit_colours: str = "cividis"
    signed_colours: str = "blue-red"
    aligned: str = "head"  # one head, the mean of its layer, or the mean of all: "head", "layer", "all"
    part: str = "weights"  # the step of attention that is looked at: one of picture.steps.STEPS
    shift: int = 1  # k of M(k)
    sampling_temperature: float = 1.0
    top_k: int = 0  # 0: all
    top_p: float = 1.0

    def attention_tap(self, stage: str = "") -> str:
        """The tap of the chosen attention in the chosen layer, at the chosen stage or another."""
        side, _, kind = self.attention.partition(".")
        return f"{side}.layers.{self.layer}.{kind}.{stage or self.stage}"

    def step(self, trace: Trace) -> int:
        """The position of the output that is looked at, from 0; the last one where `position` names none that is there."""
        n_steps = trace.shape("generator.probabilities")[0]
        return self.position if 0 <= self.position < n_steps else n_steps - 1

    def fitted(self, trace: Trace) -> "Look":
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
            stage=self.stage if self.stage in ATTENTION_STAGES else "weights",
            side=side,
            tap=self.tap if self.tap in trace else trace.names()[0],
            position=self.position if self.position < len(trace.side("generator.logits")) else -1,
        )


def attentions(trace: Trace) -> tuple[str, ...]:
    """The kinds of attention that this architecture has."""
    return tuple(name for name in ATTENTIONS if "{}.layers.0.{}.weights".format(*name.split(".")) in trace)


def sides_of(trace: Trace) -> tuple[str, ...]:
    """ "encoder" and "decoder", as far as this architecture has them."""
    return tuple(side.name for side in trace.card.sides)
