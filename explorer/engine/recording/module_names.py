"""What the attentions of somebody's own torch module are called in a Trace."""

import re
from collections.abc import Mapping

from torch import nn

_ACROSS = re.compile(r"cross|enc_?dec|encoder_att")
_ATTENTION = re.compile(r"^(?:encoder|decoder)\.layers\.\d+\.(?:self|cross)_attn$")
_DECODING = (nn.TransformerDecoder, nn.TransformerDecoderLayer)


def attention_names(module: nn.Module) -> dict[str, str]:
    """The name of each nn.MultiheadAttention by its path. Its taps are that name with a stage, such as ".weights".

    The name is made from the path as ours are, "encoder.layers.3.self_attn": the side is the one that the path or torch's
    own classes say, else the encoder; the layer is the path's first number; an attention that looks across is "cross_attn". So
    "blocks.3.attn" is "encoder.layers.3.self_attn". Where two would have one name, or an attention has another number of heads
    than the first of its side, it is named by its path alone.
    """
    homes = {path: each for path, each in module.named_modules() if isinstance(each, nn.MultiheadAttention)}
    decoding = {path: each for path, each in module.named_modules() if isinstance(each, _DECODING)}
    taken, heads, found = set[str](), dict[str, int](), dict[str, str]()
    for path, home in homes.items():
        name = _name(path, decoding)
        fits = name not in taken and heads.setdefault(name.partition(".")[0], home.num_heads) == home.num_heads
        found[path] = name if fits else path
        taken.add(name)
    return found


def _name(path: str, decoding: Mapping[str, nn.Module]) -> str:
    if _ATTENTION.match(path):
        return path
    words = path.split(".")
    inside = any(home == "" or path.startswith(f"{home}.") for home in decoding)
    across = bool(_ACROSS.search(words[-1])) or (inside and words[-1] == "multihead_attn")
    told = next((side for word in words[:-1] for side in ("decoder", "encoder") if side in word.lower()), "")
    side = told or ("decoder" if inside or across else "encoder")
    layer = next((word for word in words if word.isdecimal()), "0")
    kind = "cross_attn" if across and side == "decoder" else "self_attn"
    return f"{side}.layers.{int(layer)}.{kind}"
