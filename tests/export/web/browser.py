"""A real browser without a window, for pages: what a page is once its scripts have run."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_REPORT = re.compile(r'<pre id="report">(.*?)</pre>', re.DOTALL)


def found() -> str | None:
    """The path of a browser of Chromium's family; None where there is none. EXPLORER_CHROMIUM names another one."""
    return os.environ.get("EXPLORER_CHROMIUM") or next((path for name in _NAMES if (path := shutil.which(name))), None)


needs_browser = pytest.mark.skipif(found() is None, reason="no browser of Chromium's family is installed")


def report(page: Path, script: str, *flags: str) -> Any:
    """What an async function body `script` returns once the page has opened, as JSON, and the errors that the page had.

    The page is opened from its file, without a network.
    """
    told = f"""<script>
addEventListener("load", async () => {{
  const errors = [];
  addEventListener("error", (event) => errors.push(event.message));
  while (!document.querySelector("figure > svg") && document.getElementById("needs").hidden) {{
    await new Promise((done) => setTimeout(done, 5));
  }}
  await new Promise((done) => setTimeout(done, 5));
  const answer = await (async () => {{ {script} }})().catch((error) => ({{ failed: String(error) }}));
  const said = document.createElement("pre");
  said.id = "report";
  said.textContent = JSON.stringify({{ answer, errors }});
  document.body.append(said);
}});
</script></body>"""
    asked = page.with_name(f"asked-{page.name}")
    asked.write_text(page.read_text("utf-8").replace("</body>", told), encoding="utf-8")
    command = [str(found()), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={page.parent / 'profile'}", *flags, asked.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    told_back = _REPORT.search(done.stdout)
    assert told_back, done.stderr[-2000:] + done.stdout[-2000:]
    answer = json.loads(html.unescape(told_back[1]))
    assert answer["errors"] == []
    return answer["answer"]
