#!/usr/bin/env python3
"""One tape of random numbers gives the same arms and reports natively, in node and in chromium, for every golden spec."""
import functools
import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from tabs import SKIP, SOURCE, WEB, Tabs, main, pages

ROUNDS = 60
SPECS = sorted((SOURCE / "tests/golden").glob("spec_*.bin"))
HERE = Path(__file__).parent
IN_NODE = """import { readFileSync } from "node:fs";
const { play } = await import(process.argv[1]);
const played = [];
for (const [terms, model] of JSON.parse(readFileSync(0))) played.push(await play(readFileSync(process.argv[2]), terms, model, %d));
console.log(JSON.stringify(played));""" % ROUNDS


@functools.cache
def native(spec):
    """Terms, model, and the lines of the rounds."""
    model = spec.parent / spec.name.replace("spec_", "model_")
    words = [os.environ["PLAY_TAPE"], spec, *([model] if model.exists() else []), str(ROUNDS)]
    said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    return said[0].split()[1], said[1].split()[1], said[2:]


@unittest.skipIf(SKIP, SKIP)
class Tapes(unittest.TestCase):
    def test_there_are_specs_of_all_kinds_and_their_rounds_differ(self):
        self.assertGreaterEqual(len(SPECS), 9)
        for spec in SPECS:
            lines = native(spec)[2]
            self.assertEqual(sum(line.startswith("arm ") for line in lines), ROUNDS)
            self.assertGreater(len({line for line in lines if line.startswith("arm ")}), 1, spec.name)
            frames = [line for line in lines if line.startswith("frame ")]
            self.assertEqual((len(frames), len(set(frames))), (ROUNDS, ROUNDS), spec.name)

    @unittest.skipUnless(shutil.which("node"), "there is no node; 'make deps-web' installs it")
    def test_node_gives_the_same(self):
        specs = json.dumps([native(spec)[:2] for spec in SPECS])
        said = subprocess.run(["node", "--input-type=module", "-e", IN_NODE, HERE / "tape.mjs", WEB / "client.wasm"], timeout=200,
                              input=specs, capture_output=True, text=True, check=True).stdout
        for spec, got in zip(SPECS, json.loads(said), strict=True):
            self.assertEqual(got, native(spec)[2], spec.name)

    def test_chromium_gives_the_same(self):
        with pages(WEB) as server, Tabs() as browser:
            server.files["/tape.mjs"] = (HERE / "tape.mjs").read_bytes()
            tab = browser.first()
            browser.go(tab, server.origin + "/?csp=script-src%20%27self%27%20%27wasm-unsafe-eval%27")
            for spec in SPECS:
                terms, model, lines = native(spec)
                got = browser.run(tab, """const { play } = await import("/tape.mjs");
                    const bytes = new Uint8Array(await (await fetch("/client.wasm")).arrayBuffer());
                    return await play(bytes, ...words);""", terms, model, ROUNDS)
                self.assertEqual(got, lines, spec.name)


if __name__ == "__main__":
    main()
