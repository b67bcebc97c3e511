"""Print the figures. A screen is used where there is one, else Qt's offscreen platform; the table says which."""

import os
import platform
import sys
import tempfile
from pathlib import Path

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"):
    screen = Path(__file__).parents[1] / "screen.json"
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={screen}")


def main() -> None:
    """Measure in folders of its own, so that nobody's preferences matter or change."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = f"{folder}/{name}"
        _measure()


def _measure() -> None:
    from explorer.app.main import Program, make_application
    from tests.bench.engine_rows import engine_rows
    from tests.bench.probe import PaintWatch, answered, wait
    from tests.bench.rows import SIXTEEN, Row, key_to_paint, longest_block, slider_to_paint, start_up

    rows: list[Row] = [*start_up(), *engine_rows()]
    application = make_application()
    program = Program(text=SIXTEEN, preset="tiny")
    program.open()
    watch = PaintWatch(application)
    try:
        wait(application, lambda: answered(program))
        frame = program.session.frame
        size = program.window.size()
        print(f"{platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, Qt platform "
              f"{application.platformName()}, window {size.width()}×{size.height()}, "
              f"{len(frame.trace.tokens.source) if frame else 0} tokens")
        rows.append(key_to_paint(application, program, watch, "tiny"))
        rows.append(slider_to_paint(application, program, watch, "temperature", 33.0))
        rows.append(slider_to_paint(application, program, watch, "seed", 50.0))
        frame = program.session.frame
        if frame is not None:
            print(f"parts of the last frame: tokens {frame.tokens_ms:.1f}, model {frame.build_ms:.1f}, "
                  f"pass {frame.pass_ms:.1f} ms; {program.window.status.facts.text()}")
        rows.append(longest_block(application, program))
        program.session.set_preset("translator")
        wait(application, lambda: answered(program))
        rows.append(key_to_paint(application, program, watch, "translator"))
    finally:
        program.close()
    print(f"{'':72} {'median':>9} {'p99':>9} {'goal':>9}")
    for row in rows:
        print(f"{row.name:72} {row.median:6.2f} {row.unit} {row.high:6.2f} {row.unit} {row.goal:6.2f} {row.unit}  "
              f"{'met' if row.met else 'MISSED'}")


main()
