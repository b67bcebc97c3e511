"""Training of translators and language models, and their evaluation."""
