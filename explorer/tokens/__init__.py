"""Tokens: from text to tokens with ids, without torch."""
