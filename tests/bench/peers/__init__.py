"""What runs in the peers' own environment, as processes that answer lines on their standard input. Nothing of ours is there."""
