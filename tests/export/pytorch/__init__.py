"""Scripts of plain PyTorch: their numbers, and what stands in them."""
