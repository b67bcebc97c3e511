"""Sources of models: our own untrained model, and trained translators."""
