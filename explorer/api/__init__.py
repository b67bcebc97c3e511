"""What a notebook or a script calls: `explorer` gives these functions on."""
