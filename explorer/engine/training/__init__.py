"""Training a translator: recipe, batches, steps, checkpoints. No Qt, no printing: whoever drives it shows it."""
