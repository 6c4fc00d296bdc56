"""Drives a browser: chromium, through chromedriver, by a few WebDriver calls."""
import base64
import http.client
import json
import re
import shutil
import struct
import subprocess
import time
import zlib

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = CHROMIUM is None or DRIVER is None


class Browser:
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]

    def __enter__(self):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        self.session = None
        try:
            said = (re.search(r"successfully on port (\d+)", line) for line in self.driver.stdout)
            self.port = int(next(filter(None, said))[1])
            wanted = {"goog:chromeOptions": {"binary": CHROMIUM, "args": self.flags},
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session is not None:
                self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()

    def call(self, verb, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(verb, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            value = json.load(connection.getresponse())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}")
        return value

    def post(self, path, body):
        return self.call("POST", f"/session/{self.session}/{path}", body)

    def devtools(self, command, **parameters):
        return self.post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def view(self, width, height, dark=False):
        """Sets the size of the window, of a phone if it is narrow, and the user's preferences."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", media="", features=[scheme])

    def open(self, url):
        for kind in ("browser", "performance"):
            self.log(kind)  # drops earlier entries
        self.post("url", {"url": url})

    def script(self, body):
        return self.post("execute/sync", {"script": body, "args": []})

    def element(self, css):
        return next(iter(self.post("element", {"using": "css selector", "value": css}).values()))

    def click(self, css, seconds=20):
        """A page that is still drawn moves, perhaps between finding and clicking: then the element is looked for again."""
        latest = time.monotonic() + seconds
        while True:
            try:
                return self.post(f"element/{self.element(css)}/click", {})
            except RuntimeError as error:
                if time.monotonic() > latest or not re.search("stale element|click intercepted", str(error)):
                    raise
            time.sleep(0.05)

    def log(self, kind):
        return [entry["message"] for entry in self.post("se/log", {"type": kind})]

    def requests(self):
        """The addresses requested since the page was opened."""
        events = [json.loads(message)["message"] for message in self.log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, x, y, width, height, scale=1):
        """A PNG of a part of the page, inside the window or not."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        answer = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(answer["data"])

    def pdf(self):
        return base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"])


def png_colours(png, enough):
    """The colours of a PNG with 8 bits a channel and without interlacing, or `enough` of them."""
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    if depth != 8 or interlaced:
        raise ValueError("a kind of PNG that is not known here")
    at, packed = 8, b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        packed += png[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, stride, above, colours = zlib.decompress(packed), width * channels, bytes(width * channels), set()
    for start in range(0, height * (stride + 1), stride + 1):
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), above, channels)
        colours.update(bytes(above[pixel:pixel + channels]) for pixel in range(0, stride, channels))
        if len(colours) >= enough:
            break
    return colours


def unfilter(kind, line, above, channels):
    for i in range(len(line) if kind else 0):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        else:
            guess = min((left, above[i], corner), key=lambda value: abs(left + above[i] - corner - value))
        line[i] = (line[i] + guess) & 255
    return line
