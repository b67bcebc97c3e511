"""Everything of training and evaluation."""
