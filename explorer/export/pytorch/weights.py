"""The part of a script that gets the weights: it reads them from a file, or draws them from the seed as `model.weights` does.

Decision: a script without a file beside it draws untrained weights itself, so that a pasted script runs by itself. Rejected:
numbers in the script's text, of which the smallest model has more than a hundred thousand.
"""

from explorer.config import Config
from explorer.export.pytorch.coder import Coder, lines, number


def reading(coder: Coder, where: str) -> str:
    """Code that reads the weights; `where` is an expression of Python for the path."""
    read = coder(
        """
        $note
        WEIGHTS = $where
        W = {name: tensor.float() for name, tensor in load_file(WEIGHTS).items()}
        """,
        note=coder.note("weights_read"),
        where=where,
    )
    return lines(read, _tied(coder))


def drawing(coder: Coder) -> str:
    """Code that draws the weights from the seed, each matrix by a random generator of its own."""
    config = coder.config
    return lines(coder.note("weights_drawn"), f"SEED = {config.seed}", "", "", _functions(coder), "", "", _all(coder))


def sides(config: Config) -> tuple[str, ...]:
    """The sides that the architecture has."""
    return tuple(side for side in ("encoder", "decoder") if config.architecture in ("encoder-decoder", f"{side}-only"))


def sublayers(config: Config, side: str) -> tuple[str, ...]:
    """The sublayers of a layer, in their order: "self", "cross", "feed"."""
    across = side == "decoder" and config.architecture == "encoder-decoder"
    return ("self", "cross", "feed") if across else ("self", "feed")


def _tied(coder: Coder) -> str | None:
    """One matrix for embeddings and generator, which a file has once, under the first of its names."""
    config = coder.config
    if not config.tied_embeddings:
        return None
    sharing = [side for side in sides(config) if not (config.has_two_vocabularies and side == "encoder")]
    names = [*(f"{side}.embedding.look_up.weight" for side in sharing), "generator.project.weight"]
    first, *others = (f'W["{name}"]' for name in names)
    return lines(coder.note("tied"), " = ".join((*others, first)))


def _functions(coder: Coder) -> str:
    """The functions that draw one table, one matrix, and begin one norm."""
    return "\n\n\n".join((_rng(coder), *_drawers(coder)))


def _rng(coder: Coder) -> str:
    """The function that makes the random generator of a matrix; of layers that are copies, one for all of them."""
    copied = {
        "independent": None,
        "cloned-layers": coder.inside(
            r"""
            # $cloned_layers
            name = re.sub(r"^(encoder|decoder)\.layers\.\d+\.(self_|cross_)?", "", name)
            """
        ),
        "cloned-projections": coder.inside(
            r"""
            # $cloned_projections
            name = re.sub(r"^(encoder|decoder)\.layers\.\d+\.(self_|cross_)?", "", name)
            name = re.sub(r"project_\w+", "project", name)
            """
        ),
    }[coder.config.initialization]
    begin = coder('def rng(name):\n    """$rng"""')
    return lines(begin, copied, '    return torch.Generator().manual_seed(zlib.crc32(f"{SEED} {name}".encode()))')


def _drawers(coder: Coder) -> tuple[str, str, str]:
    zeros = 'W[f"{name}.bias"] = torch.zeros(n_out)'
    bias = coder.config.bias
    table = coder(
        """
        def table(name, n_rows):
            # $drawn_table
            W[name] = torch.empty(n_rows, D_MODEL).normal_(0, D_MODEL**-0.5, generator=rng(name))
        """
    )
    matrix = coder(
        """
        def matrix(name, n_in, n_out$given):
            # $drawn_matrix
            weight = torch.empty(n_out, n_in)  # [out, in]
            W[f"{name}.weight"] = torch.nn.init.xavier_uniform_(weight, generator=rng(f"{name}.weight"))
            $zeros
        """,
        given="" if bias else ", bias=True",
        zeros=zeros if bias else f"if bias:\n        {zeros}",
    )
    shift = coder.config.norm_shift
    unit = coder(
        """
        def unit(name):
            # $drawn_norm
            W[f"{name}.weight"], W[f"{name}.bias"] = torch.ones(D_MODEL), $shift
        """,
        shift=f"torch.full((D_MODEL,), {number(shift)})" if shift else "torch.zeros(D_MODEL)",
    )
    return table, matrix, unit


def _all(coder: Coder) -> str:
    config = coder.config
    made = ["W = {}"]
    shared_by = "" if not config.tied_embeddings else "decoder" if config.has_two_vocabularies else sides(config)[0]
    for side in sides(config):
        symbols = config.vocab_size if side == "encoder" else config.n_target_symbols
        if not config.tied_embeddings or side in (shared_by, "encoder"):
            made.append(f'table("{side}.embedding.look_up.weight", {symbols})')
        if config.position == "learned":
            made.append(f'table("{side}.embedding.learned.weight", {config.max_len})')
        made.append(_layer(coder, side))
        if config.norm_placement == "pre":
            made.append(f'unit("{side}.normalize")')
    if config.tied_embeddings:
        # The generator's matrix is that of an embedding, so its bias alone is left.
        made += [_tied(coder) or "", f'W["generator.project.bias"] = torch.zeros({config.n_target_symbols})']
    else:
        made.append(f'matrix("generator.project", D_MODEL, {config.n_target_symbols})')
    return "\n".join(made)


def _layer(coder: Coder, side: str) -> str:
    config = coder.config
    kinds = [f"{kind}_attn" for kind in sublayers(config, side) if kind != "feed"]
    without = "" if config.bias else ", bias=False"
    inside = [f'for kind in ("{kinds[0]}", "{kinds[1]}"):'] if len(kinds) == 2 else []
    deep = "    " if inside else ""
    name = "{kind}" if inside else kinds[0]
    inside += [
        f'{deep}for part in ("query", "key", "value", "output"):',
        f'{deep}    matrix(f"{{layer}}.{name}.project_{{part}}", D_MODEL, D_MODEL{without})',
        'matrix(f"{layer}.feed_forward.expand", D_MODEL, D_FF)',
        'matrix(f"{layer}.feed_forward.contract", D_FF, D_MODEL)',
        f"for around in ({', '.join(repr(each).replace(chr(39), chr(34)) for each in sublayers(config, side))}):",
        '    unit(f"{layer}.around_{around}.normalize")',
    ]
    body = "\n".join(f"    {line}" for line in inside)
    return f'for i in range(N_LAYERS):\n    layer = f"{side}.layers.{{i}}"\n{body}'
