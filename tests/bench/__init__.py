"""Speed, measured in the real window: `python -m tests.bench`. Never a timed test."""
