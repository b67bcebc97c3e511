"""The part of a script with attention, feed-forward, norms and layers. See `model.attention` and `model.layers`."""

from explorer.config import MASK_VALUES, Config
from explorer.export.pytorch.coder import Coder, lines, number
from explorer.export.pytorch.weights import sides, sublayers


def mask_of(config: Config, attention: str) -> str:
    """The code of the mask of an attention such as "decoder.self_attn"; "" if it masks nothing."""
    causal = {
        "encoder.self_attn": config.causal_mask_encoder,
        "decoder.self_attn": config.causal_mask,
        "decoder.cross_attn": config.causal_mask_cross,
    }[attention]
    masking = config.masking
    if masking == "zeros-decoder":
        masking = "zeros" if attention.startswith("decoder") else "usual"
    if masking == "zeros":
        return "torch.zeros({queries}, {keys}, dtype=torch.bool)"
    if not causal:
        return ""
    return ("~" if masking == "inverted" else "") + "causal({queries}, {keys})"


def attentions(config: Config) -> tuple[str, ...]:
    """All attentions of a model: "encoder.self_attn" and so on."""
    return tuple(f"{side}.{kind}_attn" for side in sides(config) for kind in sublayers(config, side) if kind != "feed")


def masks_of(config: Config) -> tuple[str, ...]:
    """The code of the mask of each attention."""
    return tuple(mask_of(config, each) for each in attentions(config))


def causal(coder: Coder) -> str | None:
    """The function that makes causal masks, where one is used."""
    if not any("causal(" in mask for mask in masks_of(coder.config)):
        return None
    return coder(
        """
        def causal(n_queries, n_keys):
            \"\"\"$causal\"\"\"
            # may_look[q,k] = (k ≤ q)
            return torch.ones(n_queries, n_keys, dtype=torch.bool).tril()  # [query, key]
        """
    )


def linear(coder: Coder) -> str:
    """The function of a linear layer."""
    bias = 'W[f"{name}.bias"]' if coder.config.bias else 'W.get(f"{name}.bias")'
    return coder(
        """
        def linear(name, x):
            # y = W·x + b
            return F.linear(x, W[f"{name}.weight"], $bias)
        """,
        bias=bias,
    )


def norm(coder: Coder) -> str:
    """The function of a norm."""
    if coder.config.norm_kind == "torch":
        return coder(
            """
            def norm(name, x):
                \"\"\"$norm\"\"\"
                # y = weight·(x - mean)/√(variance + 10⁻⁵) + bias
                return F.layer_norm(x, (D_MODEL,), W[f"{name}.weight"], W[f"{name}.bias"])
            """
        )
    return coder(
        """
        def norm(name, x):
            \"\"\"$norm_std\"\"\"
            mean, std = x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True)  # [position, 1]
            # y = weight·(x - mean)/(std + 10⁻⁶) + bias
            return W[f"{name}.weight"] * (x - mean) / (std + 1e-6) + W[f"{name}.bias"]
        """
    )


def dropout(coder: Coder) -> str | None:
    """The function of dropout, where it is on."""
    if not coder.config.dropout_active:
        return None
    return coder(
        """
        def drop(x):
            \"\"\"$dropout\"\"\"
            return F.dropout(x, $p)
        """,
        p=number(coder.config.dropout),
    )


def attention(coder: Coder) -> str:
    """The function of an attention."""
    config = coder.config
    masked = any(masks_of(config))
    return lines(
        coder(
            """
            def split_heads(x):
                # [position, d_model] → [head, position, d_head]
                return x.unflatten(-1, (N_HEADS, D_HEAD)).transpose(0, 1)


            def attention(name, x, memory$may_look):
                \"\"\"$attention\"\"\"
                # Q[q] = W_Q·x[q]$b_q,  K[k] = W_K·memory[k]$b_k,  V[k] = W_V·memory[k]$b_v
                query = split_heads(linear(f"{name}.project_query", x))  # [head, query, feature]
                key = split_heads(linear(f"{name}.project_key", memory))  # [head, key, feature]
                value = split_heads(linear(f"{name}.project_value", memory))  # [head, key, feature]
            """,
            may_look=", may_look" if masked else "",
            **{f"b_{each}": f" + b_{each.upper()}" if config.bias else "" for each in "qkv"},
        ),
        _turned(coder),
        coder.inside("""
            query, key = tap(f"{name}.query", query), tap(f"{name}.key", key)
            value = tap(f"{name}.value", value)
            # S[q,k] = Q[q]·K[k]
            scores = tap(f"{name}.scores", query @ key.transpose(-2, -1))  # [head, query, key]
            """),
        _scaled(coder),
        _masked(coder),
        coder.inside(
            """
            # A[q,k] = exp(M[q,k]) / Σ_k exp(M[q,k])
            weights = tap(f"{name}.weights", masked.softmax(dim=-1))
            weights = tap(f"{name}.dropped", $dropped)$off
            # O[q] = Σ_k A[q,k]·V[k]
            mixed = tap(f"{name}.mixed", weights @ value)  # [head, query, feature]
            # output = W_O·concat(O_1, …, O_h)$bias
            joined = mixed.transpose(0, 1).flatten(-2)  # [query, d_model]
            return tap(f"{name}.output", linear(f"{name}.project_output", joined))
            """,
            dropped="drop(weights)" if config.dropout_active else "weights",
            off="" if config.dropout_active else f"  # {coder.words('script.no_dropout')}",
            bias=" + b_O" if config.bias else "",
        ),
    )


def _turned(coder: Coder) -> str | None:
    if coder.config.position != "rotary":
        return None
    turn = "query, key = rotate(query), rotate(key)"
    if coder.config.architecture == "encoder-decoder":
        return f'    # {coder.words("script.only_self")}\n    if name.endswith("self_attn"):\n        {turn}'
    return f"    {turn}"


def _scaled(coder: Coder) -> str:
    config = coder.config
    divisor, formula = ("math.sqrt(D_HEAD)", "√d_head") if config.score_scaling else ("", "")
    if config.temperature != 1:
        t = number(config.temperature)
        divisor, formula = (f"({divisor} * {t})", f"({formula} · temperature)") if divisor else (t, "temperature")
    scores = f"scores / {divisor}" if divisor else "scores"
    note = f"    # S[q,k] / {formula}" if divisor else f"    # {coder.words('script.not_scaled')}"
    made = lines(note, f'    scaled = tap(f"{{name}}.scaled", {scores})')
    if config.position != "alibi":
        return made
    if config.architecture != "encoder-decoder":
        return lines(made, "    scaled = scaled + alibi(len(x))")
    return lines(
        made,
        f"    # {coder.words('script.only_self')}",
        '    if name.endswith("self_attn"):',
        "        scaled = scaled + alibi(len(x))",
    )


def _masked(coder: Coder) -> str:
    config = coder.config
    masks = masks_of(config)
    if not any(masks):
        return f'    # {coder.words("script.no_mask")}\n    masked = tap(f"{{name}}.masked", scaled)'
    note = f"    # {coder.words('script.mask')}"
    closed = f"scaled.masked_fill(~may_look, {_mask_value(config)})"
    if all(masks):
        return lines(note, f'    masked = tap(f"{{name}}.masked", {closed})')
    chosen = f"scaled if may_look is None else {closed}"
    return lines(note, f'    masked = tap(f"{{name}}.masked", {chosen})')


def _mask_value(config: Config) -> str:
    return number(MASK_VALUES[config.mask_value])


def feed_forward(coder: Coder) -> str:
    """The function of a feed-forward network."""
    config = coder.config
    return coder(
        """
        def feed_forward(name, x):
            \"\"\"$feed_forward\"\"\"
            # hidden = W₁·x + b₁
            hidden = tap(f"{name}.hidden", linear(f"{name}.expand", x))  # [position, d_ff]
            activated = tap(f"{name}.activated", F.$activation(hidden))
            # output = W₂·$inner + b₂
            return tap(f"{name}.output", linear(f"{name}.contract", $read))  # [position, d_model]
        """,
        activation=config.activation,
        inner="dropout(activated)" if config.dropout_active else "activated",
        read="drop(activated)" if config.dropout_active else "activated",
    )


def layer(coder: Coder, side: str) -> str:
    """The function of one layer of a side."""
    config = coder.config
    across = "cross" in sublayers(config, side)
    given = ["name", "x"]
    if across:
        given.append("memory")
    if mask_of(config, f"{side}.self_attn"):
        given.append("may_look")
    if across and mask_of(config, "decoder.cross_attn"):
        given.append("may_look_across")
    title = coder.words(f"script.layer_{'across' if across else side}")
    body = [_sublayer(coder, side, kind, place) for place, kind in enumerate(sublayers(config, side), start=1)]
    return lines(f"def {side}_layer({', '.join(given)}):", f'    """{title}"""', *body, "    return x  # [position, feature]")


def _sublayer(coder: Coder, side: str, kind: str, place: int) -> str:
    """One sublayer with its norm and its addition: x + f(norm(x)) under pre-norm, norm(x + f(x)) under post-norm."""
    config = coder.config
    pre = config.norm_placement == "pre"
    read = "h" if pre else "x"
    normed = f'tap(f"{{name}}.norm{place}", norm(f"{{name}}.around_{kind}.normalize", x))'
    if kind == "feed":
        call = f'feed_forward(f"{{name}}.feed_forward", {read})'
        formula = "feed_forward"
    else:
        memory = read if kind == "self" else "memory"
        call = f'attention(f"{{name}}.{kind}_attn", {read}, {memory}{_mask_argument(config, side, kind)})'
        formula = f"{kind}_attn"
    call = f"drop({call})" if config.dropout_active else call
    added, begin = (f"x + {call}", "x + ") if config.residual else (call, "")
    of = f"norm{place}(x)" if pre else "x"
    inner = f"{begin}{formula}({of}{', memory' if kind == 'cross' else ''})"
    return lines(
        f"    # x = {inner}" if pre else f"    # x = norm{place}({inner})",
        f"    h = {normed}" if pre else None,
        f'    x = tap(f"{{name}}.residual{place}", {added})',
        None if pre else f"    x = {normed}",
    )


def _mask_argument(config: Config, side: str, kind: str) -> str:
    """The mask argument that a layer passes to an attention; nothing if the model has no mask at all."""
    if not any(masks_of(config)):
        return ""
    if not mask_of(config, f"{side}.{kind}_attn"):
        return ", None"
    return ", may_look" if kind == "self" else ", may_look_across"
