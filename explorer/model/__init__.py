"""The Transformer in plain PyTorch, with a tap at every step."""
