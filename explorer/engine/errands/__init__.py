"""Errands: what the compute thread does behind the answers, piece by piece, and the library at once."""
