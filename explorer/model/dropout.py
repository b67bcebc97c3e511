"""Dropout, Srivastava et al. 2014: torch's own while it acts, and nothing at all while it rests."""

from torch import Tensor, nn

from explorer.model.hook_check import Handles, is_hooked


class Dropout(nn.Dropout):
    """torch's Dropout; at rest a call that nobody hooked costs nothing, and a step of decoding has twenty of them."""

    def __call__(self, x: Tensor) -> Tensor:
        """Any shape to the same shape."""
        dropped: Tensor = super().__call__(x) if self.training or (Handles.next_id and is_hooked(self)) else x
        return dropped
