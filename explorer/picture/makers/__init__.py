"""From a Trace to a Picture, one file a subject."""
