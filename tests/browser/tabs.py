"""Tabs of one chromium that take part in experiments of a sottod, on pages of a server of their own."""
import contextlib
import functools
import http.server
import itertools
import json
import os
import sys
import threading
import unittest
from pathlib import Path

SOURCE, WEB = Path(os.environ["SOURCE"]), Path(os.environ["SOTTO_WEB"])
sys.path.insert(0, str(SOURCE / "tests/system"))
from browser import MISSING, Browser  # noqa: E402
from sottod import Service  # noqa: E402

SKIP = ("chromium or chromedriver is missing; 'make deps-test' installs them" if MISSING
        else None if (WEB / "sotto-client/index.js").exists() else "there is no package; 'make web' builds it")
PAGE = b"<!doctype html><title>people</title><script type=module>window.sotto = await import('/index.js')</script>"
IMPORT = "const sotto = await import('/index.js');"


class Handler(http.server.SimpleHTTPRequestHandler):
    """The package's files; a page at any address that ends in a slash. The browser may keep that at /kept/."""
    policy = None
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm"}

    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.asked.append(path)
        instead = self.server.files.get(path)
        if path.endswith("/"):
            self.answer(PAGE, "text/html")
        elif callable(instead):
            instead(self)
        elif isinstance(instead, str):
            self.send_response(302)
            self.send_header("Location", instead)
            self.end_headers()
        elif instead is not None:
            self.answer(instead, "text/javascript")
        else:
            super().do_GET()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def answer(self, body, kind, **headers):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self):
        if not self.path.startswith("/kept/"):
            self.send_header("Cache-Control", "no-store")
        if "csp" in self.path:
            self.send_header("Content-Security-Policy", self.path.split("csp=")[1].replace("%20", " ").replace("%27", "'"))
        super().end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A page that was left while it loaded is no news."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*_)


@contextlib.contextmanager
def pages(directory=WEB / "sotto-client"):
    """A server of the package. `files` has answers by path that stand before those of the directory: a script, the
    address of a redirect, or a function of the handler. `asked` has the paths that were asked for."""
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(directory)))
    server.files, server.asked = {}, []
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.origin = f"http://127.0.0.1:{server.server_port}"
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Refused(Exception):
    """A SottoError of the page: its code and sentence."""

    def __init__(self, code, sentence):
        super().__init__(f"{code}: {sentence}")
        self.code, self.sentence = code, sentence


class Tabs(Browser):
    """Windows of one browser, by their handles."""

    def __enter__(self):
        super().__enter__()
        self.call("POST", f"/session/{self.session}/timeouts", {"script": 60000})
        return self

    def first(self):
        return self.call("GET", f"/session/{self.session}/window")

    def new(self, url):
        tab = self.post("window/new", {"type": "tab"})["handle"]
        self.go(tab, url)
        return tab

    def go(self, tab, url):
        self.post("window", {"handle": tab})
        self.post("url", {"url": url})

    def close(self, tab):
        self.post("window", {"handle": tab})
        left = self.call("DELETE", f"/session/{self.session}/window")
        self.post("window", {"handle": left[0]})

    def run(self, tab, body, *words, frame=None):
        """The value of the body of an async function with its words as `words`, in a tab or a frame of its page."""
        self.post("window", {"handle": tab})
        if frame is not None:
            self.post("frame", {"id": frame})
        script = """const done = arguments[arguments.length - 1], words = Array.from(arguments).slice(0, -1);
            (async () => { %s })().then(value => done([true, value ?? null]),
                                        error => done([false, error.code ?? error.name, error.message]));""" % body
        well, *answer = self.post("execute/async", {"script": script, "args": list(words)})
        if not well:
            raise Refused(*answer)
        return answer[0]


SERIES = itertools.count(1)  # experiments of the same terms


def experiment_of(service, origin, learning=None, **spec):
    """The URL of a new experiment that lists this origin: one second of window, one of spread, unless told."""
    experiment = service.create({"reward_window_s": 1, "send_spread_s": 1, "epsilon": 0.5, "series": next(SERIES), **spec}, learning)
    answer = service.manage("POST", f"/v1/experiments/{experiment}/origins", {"origins": [origin]})
    assert answer.status == 200, answer
    return f"{service.public}/v1/experiments/{experiment}"


JOIN = """const sotto = await import('/index.js');
    window.person ??= await sotto.openPerson({ policy: { epsilonLifetime: 1e6 } });
    window.experiment ??= await person.join(words[0], { roundsMax: 1024, waitMs: 20000, refreshMs: 1000 });"""
DECIDE = JOIN + """
    const arms = [];
    for (let i = 0; i < words[1]; i++) {
        const round = await experiment.decide([.1, .2, .3, .4, .5, .6]);
        arms.push(round.arm);
        if (i % 3 === 0) await round.reward(1);
    }
    return arms.length;"""



def main():
    """As unittest.main; ends with 77, which ctest reports as skipped, if what the pages need is missing."""
    result = unittest.main(verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if SKIP else 0)


__all__ = ["DECIDE", "IMPORT", "JOIN", "Refused", "SERIES", "SKIP", "Service", "Tabs", "experiment_of", "json", "main", "pages"]
