"""The part of a script that turns ids into vectors, with positions of all kinds. See `model.embedding`, `model.positions`."""

from explorer.export.pytorch.coder import Coder, lines, number

_WAVES = {
    "sinusoidal": "2 * (j // 2)",
    "sinusoidal-doubled": "2 * j",
    "sinusoidal-halved": "j // 2",
    "sinusoidal-per-feature": "j",
    "sine-only": "j",
}
"""For each kind of waves x_j in w_j = base^(-x_j/d), where `j` counts the features."""
_FORMULAS = {
    "sinusoidal": "w_2i = w_2i+1 = base^(-2i/d)",
    "sinusoidal-doubled": "w_j = base^(-2j/d)",
    "sinusoidal-halved": "w_2i = w_2i+1 = base^(-i/d)",
    "sinusoidal-per-feature": "w_j = base^(-j/d)",
    "sine-only": "w_j = base^(-j/d)",
}


def positions(coder: Coder) -> str | None:
    """The function for positions that are not an embedding table; None if none is needed."""
    position = coder.config.position
    if position in _WAVES:
        return _sinusoidal(coder)
    return {"rotary": _rotary, "alibi": _alibi}[position](coder) if position in ("rotary", "alibi") else None


def embedding(coder: Coder) -> str:
    """The function from ids to the vectors that enter the first layer."""
    config = coder.config
    position = config.position
    where = {"learned": 'W[f"{side}.embedding.learned.weight"][: len(ids)]'}.get(position, "torch.zeros(len(ids), D_MODEL)")
    if position in _WAVES:
        where = "positions(len(ids))"
    scale, formula = "math.sqrt(D_MODEL)", "√d_model"
    if config.embedding_scale != 1:
        scale, formula = f"({scale} * {number(config.embedding_scale)})", f"{formula} · {config.embedding_scale:g}"
    added = "x + where"
    return coder(
        """
        def embedding(side, ids):
            \"\"\"$embedding\"\"\"
            x = tap(f"{side}.embedding.tokens", W[f"{side}.embedding.look_up.weight"][ids])  # [position, feature]
            # x[p] = E[id_p] · $formula
            x = tap(f"{side}.embedding.scaled", x * $scale)
            # $where_note
            where = tap(f"{side}.embedding.positions", $where)  # [position, feature]
            return tap(f"{side}.embedding.output", $output)
        """,
        formula=formula,
        scale=scale,
        where=where,
        where_note=coder.words(f"script.where_{'waves' if position in _WAVES else position}"),
        output=f"drop({added})" if config.dropout_active else added,
    )


def _sinusoidal(coder: Coder) -> str:
    config = coder.config
    alone = config.position == "sine-only"
    waves = coder(
        """
        def positions(n):
            \"\"\"$waves\"\"\"
            pos = torch.arange(n, dtype=torch.float64)[:, None]  # [position, 1]
            j = torch.arange(D_MODEL)
            # $formula
            w = $base ** (-($exponent).double() / D_MODEL)  # [feature]
        """,
        formula=_FORMULAS[config.position],
        base=number(config.position_base),
        exponent=_WAVES[config.position],
    )
    made = """
            # PE(pos, j) = sin(pos·w_j)
            return (pos * w).sin().float()  # [position, feature]
    """
    if not alone:
        made = """
            # PE(pos, j) = sin(pos·w_j) for even j, cos(pos·w_j) for odd j; cos(a) = sin(a + π/2)
            quarter = torch.where(j % 2 == 1, math.pi / 2, 0.0).double()  # [feature]
            return (pos * w + quarter).sin().float()  # [position, feature]
        """
    return lines(waves, coder.inside(made))


def _rotary(coder: Coder) -> str:
    config = coder.config
    pairs = config.d_head // 2
    odd = config.d_head % 2
    whole = coder(
        """
        def rotate(x):
            \"\"\"$rotary\"\"\"
            pos = torch.arange(x.shape[-2], dtype=torch.float64)[:, None]  # [position, 1]
            # w_i = base^(-2i/d_head)
            w = $base ** (-2 * torch.arange($pairs, dtype=torch.float64) / D_HEAD)  # [pair]
            cos, sin = (pos * w).cos().float(), (pos * w).sin().float()  # [position, pair]
            even, odd = x[..., 0:$end:2], x[..., 1:$end:2]  # [head, position, pair]
            # (even', odd') = (even·cos - odd·sin, even·sin + odd·cos)
            turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)
        """,
        base=number(config.position_base),
        pairs=pairs,
        end=2 * pairs,
    )
    if odd:
        return lines(whole, f"    # {coder.words('script.rotary_odd')}", "    return torch.cat((turned, x[..., -1:]), dim=-1)")
    return lines(whole, "    return turned  # [head, position, feature]")


def _alibi(coder: Coder) -> str:
    divided = coder.config.temperature != 1
    return coder(
        """
        def alibi(n):
            \"\"\"$alibi\"\"\"
            # m_h = 2^(-8h/n_heads)
            m = (2.0 ** (-8 * torch.arange(1, N_HEADS + 1, dtype=torch.float64) / N_HEADS)).float()  # [head]
            place = torch.arange(n)
            # $formula
            return -m[:, None, None] * (place[:, None] - place[None, :]).abs()$over  # [head, query, key]
        """,
        formula="B_h[q,k] = -m_h·|q - k|" + (" / temperature" if divided else ""),
        over=f" / {number(coder.config.temperature)}" if divided else "",
    )
