"""The weights with which a logit of the pass is taken apart: direct logit attribution."""

from explorer.engine.experiments.looking_back import output_weights_of

MAKE = output_weights_of
