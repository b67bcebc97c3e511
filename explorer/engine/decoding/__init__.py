"""Decoding: from a source sentence to its translation, token by token. A beam of 1 is greedy decoding."""
