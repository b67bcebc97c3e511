"""What makes logits of tokens: our own model, a trained translator."""
