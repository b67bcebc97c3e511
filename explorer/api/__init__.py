"""What a notebook or a script calls; `explorer` offers these functions."""
