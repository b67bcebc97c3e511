"""Training a translator: recipe, batches, steps, checkpoints. It uses no Qt and prints nothing; the caller does."""
