#!/usr/bin/env python3
"""How fast the pages are in Debian's chromium: the playground as it opens, its audit of 2,000 trials for each of five pairs, and
bytes as they cross the network. Needs `make web`. Times are the medians of some runs, the first one left out.

    python3 tests/measure/playground.py [--runs 9] [--write]
"""
import argparse
import gzip
import os
import statistics
import sys
import time
from pathlib import Path

import research

ROOT = Path(research.ROOT)
WEB = ROOT / "build/web"
PEOPLE = 100000


class Page:
    def __init__(self, chromium, address):
        self.chromium = chromium
        chromium.view(1280, 900)
        chromium.open(address)

    def until(self, body, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.chromium.script(body)
            if value:
                return value
            time.sleep(0.02)
        raise SystemExit(f"{body}: not within {seconds} s")

    def played(self):
        """Seconds of all four methods, as the page says them."""
        self.chromium.script("delete document.body.dataset.regret; document.getElementById('again').click()")
        self.until("return document.body.dataset.regret")
        return float(self.chromium.script("return document.getElementById('speed').textContent").split(" in ")[1].split()[0])

    def audited(self):
        """Seconds from the click to the verdict on both programs, by the clock of the page."""
        self.chromium.script("""const status = document.getElementById('audit-status'), begun = performance.now();
            document.audited = null; status.textContent = '';
            const seen = new MutationObserver(() => {
                if (!status.textContent.includes('caught')) return;
                document.audited = (performance.now() - begun) / 1000;
                seen.disconnect();
            });
            seen.observe(status, { childList: true, characterData: true, subtree: true });
            document.getElementById('audit').click();""")
        return self.until("return document.audited")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--runs", type=int, default=9)
    words.add_argument("--write", action="store_true", help="keep the table in research/playground.csv")
    asked = words.parse_args()
    os.environ.update({"SOTTO_WEB": str(WEB), "SOURCE": str(ROOT), "SOTTOD": ""})
    sys.path[:0] = [str(ROOT / "tests/browser"), str(ROOT / "tests/system")]
    import browser
    import test_playground  # its server sends the policy of sottod
    server = test_playground.Server()
    try:
        with browser.Browser() as chromium:
            page = Page(chromium, f"{server.url}/playground/")
            page.until("return document.body.dataset.regret")
            played = [page.played() for _ in range(asked.runs + 1)][1:]
            audited = [page.audited() for _ in range(asked.runs + 1)][1:]
    finally:
        server.shutdown()
        server.server_close()
    files = [*(WEB / "pages/playground").iterdir()] + [WEB / "pages" / name for name in ("figure.css", "page.css", "icon.svg")]
    small = lambda path: len(gzip.compress(path.read_bytes(), 9))  # noqa: E731
    rates = sorted(4 * PEOPLE / seconds for seconds in played)
    table = research.Table(asked, "playground", ("what", "number"))
    table.row("people per second: four methods, d = 5, K = 4, two workers", f"{statistics.median(rates):.0f} ({rates[0]:.0f} to {rates[-1]:.0f})")
    table.row("audit of both programs, 5 x 2,000 trials each, s", f"{statistics.median(audited):.2f} ({min(audited):.2f} to {max(audited):.2f})")
    table.row("lab.wasm by gzip -9, bytes", f"{small(WEB / 'pages/lab.wasm')}")
    table.row("all other files of the page by gzip -9, bytes", f"{sum(map(small, files))}")
    table.close()


if __name__ == "__main__":
    main()
