"""What a screen reader meets on every page: no filler, and nothing without a name, before the first pass too."""

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from explorer import page_list
from explorer.app.shell.window import Window
from tests.journeys.by_keys import fillers
from tests.journeys.conftest import Journey


def role(widget: QWidget) -> QAccessible.Role:
    return QAccessible.queryAccessibleInterface(widget).role()


def test_pictures_have_roles_and_names(journey: Journey) -> None:
    """In the first moment, in which no page has a picture, and once everything is computed; the page itself is a tab's."""

    def script(window: Window) -> None:
        found = []
        for key in page_list.KEYS:
            window.go(key)
            found += [f"{key} at first: {fault}" for fault in fillers(window, at_first=True)]
            assert role(window.page_stack.page) == QAccessible.Role.PropertyPage
        journey.settle(window)
        for key in page_list.KEYS:
            window.go(key)
            journey.settle(window)
            found += [f"{key}: {fault}" for fault in fillers(window)]
        assert not found, "\n".join(found)

    journey.run(script, "--preset", "tiny")


def test_fillers_and_nameless_pictures_are_found(journey: Journey) -> None:
    """So that the check above can fail."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert not list(fillers(window))
        view: QWidget = window.page_stack.page.cards[0].view  # type: ignore[assignment]  # A view is a widget too.
        view.setAccessibleName("")
        painted = QWidget(window.page_stack.page)
        painted.setAccessibleName("painted by nobody")
        painted.setFocusPolicy(view.focusPolicy())
        painted.show()
        assert set(fillers(window)) == {
            f"{type(view).__name__} in {type(view.parent()).__name__} is a nameless Graphic",
            f"QWidget in {type(window.page_stack.page).__name__} is a nameless Client",
        }

    journey.run(script, "--preset", "tiny")
