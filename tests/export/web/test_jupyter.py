"""The widget in a real notebook: JupyterLab in a real browser, in which a mouse moves and clicks, and Python hears of it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.export.web.browser import found, needs_browser

pytestmark = [pytest.mark.slow, needs_browser, pytest.mark.skipif(not shutil.which("chromedriver"), reason="no chromedriver")]
selenium = pytest.importorskip("selenium", reason="selenium drives the browser")
pytest.importorskip("jupyterlab", reason="JupyterLab shows the notebook")

T = TypeVar("T")
_CELLS = (
    "import explorer\ntrace = explorer.explore('我爱北京天安门')\n"
    "widget = trace.widget('decoder.layers.*.cross_attn.weights', language='en')\nwidget",
    "print('TOLD', widget.selected, float(trace[widget.tap][widget.selected[2:]]))",
    "explorer.explore('x', preset='nope')",
)
_SHOWN = """
const host = [...document.querySelectorAll("*")].find((each) => each.shadowRoot?.querySelector("figure svg"));
if (!host) return null;
host.scrollIntoView({ block: "start" });
const root = host.shadowRoot, box = root.querySelector("image.light").getBoundingClientRect();
return { x: box.x, y: box.y, wide: box.width, high: box.height, tip: root.getElementById("tip").textContent,
         framed: root.querySelectorAll(".selected").length };
"""
_TIMEOUT_S = 120


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a notebook in a JupyterLab of its own, without a network and without anybody's settings."""
    import nbformat

    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(each) for each in _CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=about), tmp_path / "a.ipynb")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    flags = ("--no-browser", "--allow-root", f"--port={port}", "--LabApp.expose_app_in_browser=True")
    settings = ("--ServerApp.token=", "--ServerApp.password=", f"--ServerApp.root_dir={tmp_path}")
    with (tmp_path / "server.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *flags, *settings], env={**os.environ, **own}, stdout=log, stderr=log
        )
        try:
            yield f"http://127.0.0.1:{port}/lab/tree/a.ipynb"
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


@pytest.fixture
def browser() -> Iterator[Any]:
    """A browser that reaches this machine alone."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(found())
    reaches = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1500,1300", reaches):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


def until(told: Callable[[], T]) -> T:
    """What a function gives, once that is true."""
    end_s = time.monotonic() + _TIMEOUT_S
    while True:
        try:
            answer = told()
            if answer:
                return answer
        except selenium.common.exceptions.WebDriverException:  # The page is still made.
            if time.monotonic() > end_s:
                raise
        assert time.monotonic() < end_s
        time.sleep(0.2)


def test_a_click_in_a_notebook_reaches_python(lab: str, browser: Any) -> None:
    """The cell under the mouse says its value, a click frames it, and the notebook's next cell has it; an error is a line."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.by import By

    def texts() -> str:
        return "\n".join(each.text for each in browser.find_elements(By.CSS_SELECTOR, ".jp-OutputArea-output"))

    def run(*commands: str) -> None:
        for command in commands:
            browser.execute_script(f"return jupyterapp.commands.execute('notebook:{command}').then(() => true)")

    until(lambda: browser.get(lab) is None)
    until(lambda: "| Idle" in browser.find_element(By.TAG_NAME, "body").text)
    run("run-cell")
    shown = until(lambda: browser.execute_script(_SHOWN))
    mouse = ActionBuilder(browser)
    mouse.pointer_action.move_to_location(int(shown["x"] + 6), int(shown["y"] + 6))
    mouse.perform()
    value = until(lambda: browser.execute_script(_SHOWN)["tip"])
    mouse.pointer_action.click()
    mouse.perform()
    until(lambda: browser.execute_script(_SHOWN)["framed"] == 1)

    run("move-cursor-down", "run-cell")
    told = until(lambda: next((each for each in texts().splitlines() if each.startswith("TOLD")), ""))
    assert told.startswith("TOLD ('decoder', 0, 0, 0, 0) ")
    assert value.startswith(f"{float(told.split()[-1]):.3g}"[:4])
    run("move-cursor-down", "run-cell")
    until(lambda: "UnknownPreset: " in texts())
    assert "Traceback" not in texts()
