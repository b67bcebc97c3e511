"""A pass as a script of plain PyTorch that computes the same tensors."""
