"""Families of models: where each of them keeps its parts. A further family is a further row here.

Paths name modules, from the model without its head, and inside a layer from the layer. The attention's own tensors need no
path: all families compute them through one function (`foreign.attention`).
"""

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class SublayerPaths:
    """An attention or a feed-forward network with its norm: the module whose output is added to the stream, and the norm.

    `or_norm` are the norm's names in other versions of the family. `after` is a second norm, which some families apply to the
    output before it is added.
    """

    output: str
    norm: str
    or_norm: tuple[str, ...] = ()
    after: str = ""

    @property
    def norms(self) -> tuple[str, ...]:
        """The names that the norm may have."""
        return (self.norm, *self.or_norm)


@attrs.frozen(kw_only=True)
class Experts:
    """A mixture of experts: the module whose output is added, and its router.

    The router gives out logits [token, expert], the weights of the experts that it chose [token, choice], and which they are.
    """

    output: str
    router: str


@attrs.frozen(kw_only=True)
class SidePaths:
    """One side of a family. A part that is "" is absent.

    `post` says whether a norm stands after each addition, and `parallel` whether all sublayers of a layer read the stream that
    enters it, and are added together (Wang and Komatsuzaki 2021). `hidden` has the names that the first layer of the
    feed-forward network may have; `gate` is the layer whose activation is multiplied with it, which only gated networks have.
    `embedding_norm` stands behind the sum of the embeddings. `experts` stand in place of the feed-forward network in the
    layers that have their router; others may be among them.
    """

    layers: str
    tokens: str
    positions: str = ""
    segments: str = ""
    self_attn: SublayerPaths
    cross_attn: SublayerPaths | None = None
    feed_forward: SublayerPaths
    hidden: tuple[str, ...]
    gate: str = ""
    experts: Experts | None = None
    embedding_norm: str = ""
    final_norm: str = ""
    post: bool = False
    parallel: bool = False

    @property
    def sublayers(self) -> tuple[tuple[str, SublayerPaths], ...]:
        """The sublayers of each layer by name, in the order of computation."""
        named = (("self_attn", self.self_attn), ("cross_attn", self.cross_attn), ("feed_forward", self.feed_forward))
        return tuple((name, sublayer) for name, sublayer in named if sublayer is not None)


@attrs.frozen(kw_only=True)
class Family:
    """The sides of a family, its kind of positions, and whether its norms subtract no mean ("rms").

    `after_padding` says that its positions begin behind the one whose number is the id of the padding, and `overwrites` that
    its layers write into tensors that were seen before. Its sides are `parallel` where one of the settings `parallel_by` is
    true. `turns_pairs` says that its rotary positions turn neighbouring features together and not those of two halves; the
    sines then come before the cosines.
    """

    sides: tuple[SidePaths, ...]
    position: str
    norm_kind: str = "layer"
    after_padding: bool = False
    overwrites: bool = False
    parallel_by: tuple[str, ...] = ()
    turns_pairs: bool = False


_GPT2 = SidePaths(
    layers="h",
    tokens="wte",
    positions="wpe",
    self_attn=SublayerPaths(output="attn.c_proj", norm="ln_1"),
    feed_forward=SublayerPaths(output="mlp.c_proj", norm="ln_2"),
    hidden=("mlp.c_fc",),
    final_norm="ln_f",
)

_LLAMA = SidePaths(
    layers="layers",
    tokens="embed_tokens",
    self_attn=SublayerPaths(output="self_attn.o_proj", norm="input_layernorm"),
    feed_forward=SublayerPaths(output="mlp.down_proj", norm="post_attention_layernorm"),
    hidden=("mlp.up_proj",),
    gate="mlp.gate_proj",
    final_norm="norm",
)

_GEMMA2 = attrs.evolve(
    _LLAMA,
    self_attn=SublayerPaths(output="self_attn.o_proj", norm="input_layernorm", after="post_attention_layernorm"),
    feed_forward=SublayerPaths(output="mlp.down_proj", norm="pre_feedforward_layernorm", after="post_feedforward_layernorm"),
)

_GPT_NEO = attrs.evolve(_GPT2, self_attn=SublayerPaths(output="attn.attention.out_proj", norm="ln_1"))

_GPTJ = SidePaths(
    layers="h",
    tokens="wte",
    self_attn=SublayerPaths(output="attn.out_proj", norm="ln_1"),
    feed_forward=SublayerPaths(output="mlp.fc_out", norm="ln_1"),
    hidden=("mlp.fc_in",),
    final_norm="ln_f",
    parallel=True,
)

_GPT_NEOX = SidePaths(
    layers="layers",
    tokens="embed_in",
    self_attn=SublayerPaths(output="attention.dense", norm="input_layernorm"),
    feed_forward=SublayerPaths(output="mlp.dense_4h_to_h", norm="post_attention_layernorm"),
    hidden=("mlp.dense_h_to_4h",),
    final_norm="final_layer_norm",
)

_PHI = SidePaths(
    layers="layers",
    tokens="embed_tokens",
    self_attn=SublayerPaths(output="self_attn.dense", norm="input_layernorm"),
    feed_forward=SublayerPaths(output="mlp.fc2", norm="input_layernorm"),
    hidden=("mlp.fc1",),
    final_norm="final_layernorm",
    parallel=True,
)

_FALCON = SidePaths(
    layers="h",
    tokens="word_embeddings",
    self_attn=SublayerPaths(output="self_attention.dense", norm="ln_attn", or_norm=("input_layernorm",)),
    feed_forward=SublayerPaths(
        output="mlp.dense_4h_to_h", norm="ln_mlp", or_norm=("post_attention_layernorm", "input_layernorm")
    ),
    hidden=("mlp.dense_h_to_4h",),
    final_norm="ln_f",
)

_BERT = SidePaths(
    layers="encoder.layer",
    tokens="embeddings.word_embeddings",
    positions="embeddings.position_embeddings",
    segments="embeddings.token_type_embeddings",
    embedding_norm="embeddings.LayerNorm",
    self_attn=SublayerPaths(output="attention.output.dense", norm="attention.output.LayerNorm"),
    feed_forward=SublayerPaths(output="output.dense", norm="output.LayerNorm"),
    hidden=("intermediate.dense",),
    post=True,
)

_DISTILBERT = SidePaths(
    layers="transformer.layer",
    tokens="embeddings.word_embeddings",
    positions="embeddings.position_embeddings",
    embedding_norm="embeddings.LayerNorm",
    self_attn=SublayerPaths(output="attention.out_lin", norm="sa_layer_norm"),
    feed_forward=SublayerPaths(output="ffn.lin2", norm="output_layer_norm"),
    hidden=("ffn.lin1",),
    post=True,
)


def _marian(side: str) -> SidePaths:
    """One side of Marian, which is the translator of the paper with other sizes."""
    across = SublayerPaths(output="encoder_attn.out_proj", norm="encoder_attn_layer_norm")
    return SidePaths(
        layers=f"{side}.layers",
        tokens=f"{side}.embed_tokens",
        positions=f"{side}.embed_positions",
        self_attn=SublayerPaths(output="self_attn.out_proj", norm="self_attn_layer_norm"),
        cross_attn=across if side == "decoder" else None,
        feed_forward=SublayerPaths(output="fc2", norm="final_layer_norm"),
        hidden=("fc1",),
        post=True,
    )


def _bart(side: str) -> SidePaths:
    """One side of BART, which has a norm behind its embeddings."""
    return attrs.evolve(_marian(side), embedding_norm=f"{side}.layernorm_embedding")


def _m2m(side: str) -> SidePaths:
    """One side of M2M-100 and Pegasus, whose norms stand before, with a final one."""
    return attrs.evolve(_marian(side), post=False, final_norm=f"{side}.layer_norm")


def _mbart(side: str) -> SidePaths:
    """One side of mBART, which has both."""
    return attrs.evolve(_m2m(side), embedding_norm=f"{side}.layernorm_embedding")


def _t5(side: str) -> SidePaths:
    """One side of T5. Each of its sublayers is numbered; the second one of the decoder looks at the encoder."""
    last = "layer.2" if side == "decoder" else "layer.1"
    across = SublayerPaths(output="layer.1.EncDecAttention.o", norm="layer.1.layer_norm")
    return SidePaths(
        layers=f"{side}.block",
        tokens=f"{side}.embed_tokens",
        self_attn=SublayerPaths(output="layer.0.SelfAttention.o", norm="layer.0.layer_norm"),
        cross_attn=across if side == "decoder" else None,
        feed_forward=SublayerPaths(output=f"{last}.DenseReluDense.wo", norm=f"{last}.layer_norm"),
        hidden=(f"{last}.DenseReluDense.wi", f"{last}.DenseReluDense.wi_1"),
        gate=f"{last}.DenseReluDense.wi_0",
        final_norm=f"{side}.final_layer_norm",
    )


_BERTS = Family(sides=(_BERT,), position="learned")
_ROBERTAS = attrs.evolve(_BERTS, after_padding=True)
_T5S = Family(sides=(_t5("encoder"), _t5("decoder")), position="relative-bias", norm_kind="rms")
_LLAMAS = Family(sides=(_LLAMA,), position="rotary", norm_kind="rms")
_EXPERTS = attrs.evolve(_LLAMAS, sides=(attrs.evolve(_LLAMA, experts=Experts(output="mlp", router="mlp.gate")),))

FAMILIES: Mapping[str, Family] = {
    "gpt2": Family(sides=(_GPT2,), position="learned"),
    "llama": _LLAMAS,
    "qwen2": _LLAMAS,
    "qwen3": _LLAMAS,
    "mistral": _LLAMAS,
    "gemma": _LLAMAS,
    "gemma2": attrs.evolve(_LLAMAS, sides=(_GEMMA2,)),
    "gpt_neo": Family(sides=(_GPT_NEO,), position="learned"),
    "gptj": Family(sides=(_GPTJ,), position="rotary", turns_pairs=True),
    "gpt_neox": Family(sides=(_GPT_NEOX,), position="rotary", parallel_by=("use_parallel_residual",)),
    "phi": Family(sides=(_PHI,), position="rotary"),
    "falcon": Family(
        sides=(_FALCON,), position="rotary", overwrites=True, parallel_by=("new_decoder_architecture", "parallel_attn")
    ),
    "smollm3": _LLAMAS,
    "mixtral": _EXPERTS,
    "qwen2_moe": _EXPERTS,
    "qwen3_moe": _EXPERTS,
    "bert": _BERTS,
    "roberta": _ROBERTAS,
    "xlm-roberta": _ROBERTAS,
    "camembert": _ROBERTAS,
    "electra": _BERTS,
    "distilbert": Family(sides=(_DISTILBERT,), position="learned"),
    "t5": _T5S,
    "mt5": _T5S,
    "marian": Family(sides=(_marian("encoder"), _marian("decoder")), position="sinusoidal-halves"),
    "bart": Family(sides=(_bart("encoder"), _bart("decoder")), position="learned"),
    "mbart": Family(sides=(_mbart("encoder"), _mbart("decoder")), position="learned"),
    "m2m_100": Family(sides=(_m2m("encoder"), _m2m("decoder")), position="sinusoidal-halves"),
    "pegasus": Family(sides=(_m2m("encoder"), _m2m("decoder")), position="sinusoidal-halves"),
}
"""The families whose whole pass is tapped, by the `model_type` of their settings; others have taps in attention and output."""


def family_of(config: Any) -> Family | None:
    """The row of a model's family, with what its settings say of it; None for a family without one.

    Of a family with two sides, a model may be the encoder alone.
    """
    family = FAMILIES.get(config.model_type)
    if family is None:
        return None
    parallel = any(getattr(config, name, False) for name in family.parallel_by)
    position = "alibi" if getattr(config, "alibi", False) is True else family.position
    sides = tuple(attrs.evolve(side, parallel=side.parallel or parallel) for side in family.sides)
    alone = len(sides) == 2 and not config.is_encoder_decoder and not getattr(config, "is_decoder", False)
    return attrs.evolve(family, sides=sides[:1] if alone else sides, position=position)
