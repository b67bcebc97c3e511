"""How many parameters each part of our own model has, worked out from its Config before anything is built.

Letters: d is d_model, f is d_ff, v is a number of symbols. The tests compare them with what torch counts in
the built model.
"""

from explorer.config import Config


def attention_size(config: Config) -> int:
    """An attention and the norm beside it: four matrices [d, d], with d biases each where the model has biases."""
    d = config.d_model
    # W_Q, W_K, W_V and W_O: 4·d·d, and 4·d biases; γ and β of the norm: 2·d
    return 4 * d * (d + config.bias) + norm_size(config)


def feed_forward_size(config: Config) -> int:
    """A feed-forward and the norm beside it: [d, f] and [f, d], each with its biases."""
    d, f = config.d_model, config.d_ff
    # W_1 and b_1: d·f + f; W_2 and b_2: f·d + d; γ and β of the norm: 2·d
    return 2 * d * f + f + d + norm_size(config)


def norm_size(config: Config) -> int:
    """γ and β of one norm."""
    return 2 * config.d_model


def final_norm_size(config: Config) -> int:
    """The norm after a side's last layer, which post-norm does not use: what is not computed with is not counted."""
    return norm_size(config) if config.norm_placement == "pre" else 0


def embedding_size(config: Config, sides: tuple[str, ...]) -> int:
    """The tables of all sides, [v, d] each. With tied embeddings a table that several sides share counts once."""
    symbols = {"encoder": config.vocab_size, "decoder": config.n_target_symbols}
    shares = config.tied_embeddings and not config.has_two_vocabularies
    return config.d_model * sum(symbols[side] for side in (sides[-1:] if shares else sides))


def position_size(config: Config, sides: tuple[str, ...]) -> int:
    """The tables of learned positions, [max_len, d] for each side; all other kinds are computed and not learned."""
    return len(sides) * config.max_len * config.d_model if config.position == "learned" else 0


def generator_matrix_size(config: Config) -> int:
    """The matrix [v, d] before the softmax; with tied embeddings it is a table of the embedding."""
    return config.n_target_symbols * config.d_model


def generator_size(config: Config) -> int:
    """A bias for each symbol, and the matrix unless it is shared with the embedding."""
    return config.n_target_symbols + (0 if config.tied_embeddings else generator_matrix_size(config))
