"""Runs the binary as a person would, and defines the public functions again in Python."""
import hashlib
import math
import os
import pathlib
import pty
import re
import struct
import subprocess
from statistics import NormalDist

SOTTO = os.environ["SOTTO"]
NO_PICTURES = {**os.environ, "PATH": "/nowhere"}  # without rsvg-convert, which takes most of the time of a small page
SLOWER = 3 if os.environ.get("SANITIZE") else 1  # roughly; long runs are shortened by it
TABLE = [round(2**13 * NormalDist().inv_cdf((i + 0.5) / 4096)) for i in range(4096)]


def sotto(*words, stdin="", env=None):
    return subprocess.run([SOTTO, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=300, env=env)


def read_terminal(ours):
    """Everything the terminal shows until its other end is closed; then closes this end too."""
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:
        pass  # the other end is closed: all has been read
    os.close(ours)
    return shown


def on_terminal(*words, stdin=b"", stream="stderr", env=None):
    """The exit status and what a terminal on that stream shows; None on systems without
    terminals."""
    try:
        ours, theirs = pty.openpty()
    except OSError:
        return None
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    result = subprocess.run([SOTTO, *map(str, words)], input=stdin, **streams, timeout=300, env=env)
    os.close(theirs)
    return result.returncode, read_terminal(ours)


def verdict_on_terminal(*words, stream="stdout", **variables):
    """What a terminal of 80 columns shows, as lines: TERM is xterm and NO_COLOR is unset unless
    `variables` change them."""
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    shown = on_terminal(*words, stream=stream, env={**env, "TERM": "xterm", **variables})
    return None if shown is None else shown[1].decode().replace("\r\n", "\n")


def chacha8(key, words):
    """One block of ChaCha8: 32 bytes of key, counter words 12 to 15."""
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key), *words]
    x = list(state)

    def quarter(a, b, c, d):
        for left, right, target, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[left] = (x[left] + x[right]) & 0xFFFFFFFF
            mixed = x[target] ^ x[left]
            x[target] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(4):
        quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15)
        quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, state)))


def codeword(spec_id, nonce, dim, size, index, arm=0):
    """The integers of a codeword, computed from their definition."""
    key = hashlib.sha256(b"sotto/1" + spec_id).digest()[:16] + nonce
    half, normals = size // 2, []
    for block in range((dim + 31) // 32):
        words = struct.unpack("<32H", chacha8(key, (block, 1, index % half, arm)))
        normals += [TABLE[word % 4096] for word in words]
    norm = math.sqrt(sum(n * n for n in normals[:dim]))
    sign = 1 if index < half else -1
    return [round(sign * 2.0**30 * n / norm) for n in normals[:dim]]


def identity():
    """How programs of this build identify themselves; the command stands at the head of
    cmake/identity.cmake."""
    root = pathlib.Path(os.environ["SOURCE"])
    version = re.search(r'SOTTO_VERSION "([^"]+)"', (root / "include/sotto/core.h").read_text())[1]
    text = (root / "cmake/identity.cmake").read_text()
    command = "".join(line[1:] for line in re.findall(r"^#     .*\n", text, re.M)).replace("\\\n", "")
    printed = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True, check=True)
    commit = (root / "cmake/commit.txt").read_text().strip()
    return {"version": version, "commit": "unknown" if "$" in commit else commit, "sources": printed.stdout.split()[0]}


def identity_lines(program):
    says = identity()
    return f"{program} {says['version']}\ncommit {says['commit']}\nsources {says['sources']}\n"
