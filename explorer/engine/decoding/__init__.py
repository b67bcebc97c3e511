"""Decoding: from a source sentence to the target, token by token. Beam 1 is greedy."""
