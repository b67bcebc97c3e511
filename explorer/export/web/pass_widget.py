"""The class of the widget, in a file of its own because it needs the extra "notebook"."""

import anywidget
import traitlets

from explorer.trace.tap_names import Cell, cell_in


class PassWidget(anywidget.AnyWidget):  # type: ignore[misc]  # It has no types.
    """A figure of a Trace; `selected` and `tap` say what was clicked last."""

    figures = traitlets.Unicode().tag(sync=True)
    fonts = traitlets.Unicode().tag(sync=True)
    sheet = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    tap = traitlets.Unicode().tag(sync=True)
    selected = traitlets.Any(None, allow_none=True).tag(sync=True, from_json=lambda value, _widget: value and tuple(value))

    @property
    def cell(self) -> Cell | None:
        """The Cell of one head's attention that is selected; None where something else is, or nothing."""
        if self.selected is None or self.selected[3] is None:
            return None
        return cell_in(self.tap, *self.selected[2:])
