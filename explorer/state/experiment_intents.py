"""Intents about what is recorded, and about the sentences that experiments read beside the typed one."""

import attrs

from explorer.state.intents import Intent, OnScreen, wishing
from explorer.state.state import State


@attrs.frozen
class SetTaps(Intent):
    """Record only taps whose names fit one of these, such as "*.weights"; () for all."""

    taps: tuple[str, ...]

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this choice."""
        return wishing(state, taps=self.taps)


@attrs.frozen
class SetBatch(Intent):
    """Set the further sentences that go through the model together with the typed one."""

    texts: tuple[str, ...]

    @property
    def gesture(self) -> str:
        """The gesture of typing the batch."""
        return "batch"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these sentences in place of the old ones."""
        return wishing(state, batch=self.texts)


@attrs.frozen
class SetOther(Intent):
    """Set the second sentence, whose activations are patched into the pass of the typed one."""

    text: str

    @property
    def gesture(self) -> str:
        """The gesture of typing the second sentence."""
        return "other"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this second sentence."""
        return wishing(state, other=self.text)


@attrs.frozen
class SetSteering(Intent):
    """Set the two sets of sentences of a steering vector; a set that is None stays, for an empty one the suggestion returns."""

    toward: tuple[str, ...] | None = None
    away: tuple[str, ...] | None = None

    @property
    def gesture(self) -> str:
        """The gesture of typing one of the sets."""
        return "toward" if self.away is None else "away"

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these sentences."""
        own = {"toward": self.toward, "away": self.away}
        return wishing(state, **{name: sentences for name, sentences in own.items() if sentences is not None})
