"""Metrics of every head over many sentences, as sums that merge, measured in any number of processes."""
