"""A linear layer: y = W·x + b. It is torch's own, whose weights are filled in later by `model.weights`."""

from torch import nn


class Linear(nn.Linear):
    """[…, in] to […, out]: W·x + b."""

    def reset_parameters(self) -> None:
        """Draw torch's own first weights, unless there is no memory for them yet (see `weights.build`).

        On the "meta" device torch would draw numbers into no memory, which takes half the time of making a model's modules.
        """
        if not self.weight.is_meta:
            super().reset_parameters()
