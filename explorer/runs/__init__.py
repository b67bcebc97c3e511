"""The folder of a training, as others see it."""
