"""Many prompts in batches of one model: passes, and metrics of ablations and patches."""
