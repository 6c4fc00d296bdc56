#!/usr/bin/env python3
"""The README's example in a plain page, with esbuild, with Vite (build and dev) and in node; and what npm packs."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tabs import SERIES, SKIP, SOURCE, WEB, Service, Tabs, experiment_of, main, pages
from sottod import free_port

PACKAGE = WEB / "sotto-client"
TOOLS = {"esbuild": "0.25.0", "vite": "6.3.5", "react": "18.3.1", "react-dom": "18.3.1", "typescript": "5.6.3"}
KEY = "0123456789abcdef"
# A component that shows nothing until its arm is decided; every state it was in.
COMPONENT = """import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { openPerson } from "sotto-client";
import { useArm } from "sotto-client/react";

globalThis.takePart = async url => {
  const person = openPerson(), states = [];
  return new Promise(resolve => {
    function Offer({ context }) {
      const { state, arm, reward, error } = useArm(person, url, context, { reportKey: "%s" });
      if (states.at(-1) !== state) states.push(state);
      if (state === "ready") reward(1).then(() => resolve({ arm, states, waiting: 1 }));
      if (state === "none") resolve({ arm: error.code, states, waiting: 1 });
      return null;
    }
    createRoot(document.body).render(createElement(Offer, { context: [1, 0, 0, 0, 0, 0] }));
  });
};
""" % KEY
TYPED = """import { openPerson, SottoError, type Round } from "sotto-client";
import { openPerson as lean } from "sotto-client/lean";
import { useArm, type Shown } from "sotto-client/react";
const person = await openPerson({ policy: { epsilonLifetime: 8 } });
const round: Round = await (await person.join("https://x.example", { waitMs: 1 })).decide(new Float64Array(3));
const arm: number = round.arm;
await lean({ module: new URL("https://x.example/client.wasm") });
if (new Error() instanceof SottoError) await round.reward(arm);
const shown: Shown = useArm(openPerson(), "https://x.example", new Float64Array(3), { reportKey: null });
const why: string | null = await (await person.join("https://x.example")).trouble();
if (shown.state === "ready") await shown.reward(shown.arm);
if (shown.state === "none") throw new Error(shown.error.code);
"""
EXAMPLE = re.search(r"<!-- example -->\n```js\n(.*?)```", (SOURCE / "web/client/README.md").read_text(), re.S)[1]
RUN = "return await takePart(words[0]);"
GLOBAL = EXAMPLE + "\nglobalThis.takePart = takePart;\n"


def npm(directory, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("npm_")}
    return subprocess.run(["npm", *words, "--no-audit", "--no-fund", "--loglevel=error"], cwd=directory, env=environment, timeout=300,
                          capture_output=True, text=True)


class Project:
    """Somebody's project with the package in node_modules, and tools from npm if it can be reached."""

    def __init__(self, tools):
        self.directory = Path(tempfile.mkdtemp())
        (self.directory / "package.json").write_text('{"private": true, "type": "module"}')
        self.without = self.install(tools) if tools else None
        shutil.copytree(PACKAGE, self.directory / "node_modules/sotto-client", dirs_exist_ok=True)
        (self.directory / "main.js").write_text(GLOBAL)
        (self.directory / "index.html").write_text("<!doctype html><title>a shop</title><script type=module src=/main.js></script>")

    def install(self, tools):
        """None, or why not. What was installed once is kept beside the build."""
        kept = WEB / "npm"
        if not (kept / "node_modules").is_dir():
            if not shutil.which("npm"):
                return "there is no npm"
            with tempfile.TemporaryDirectory() as directory:
                (Path(directory) / "package.json").write_text('{"private": true}')
                got = npm(directory, "install", "--no-package-lock", "--ignore-scripts", *(f"{name}@{tools[name]}" for name in tools))
                if got.returncode:
                    return f"npm cannot install {', '.join(tools)}: {got.stderr.strip().splitlines()[-1:]}"
                kept.mkdir(parents=True, exist_ok=True)
                shutil.move(f"{directory}/node_modules", kept / "node_modules")
        (self.directory / "node_modules").mkdir()
        for one in (kept / "node_modules").iterdir():
            (self.directory / "node_modules" / one.name).symlink_to(one)
        return None

    def run(self, *words):
        return subprocess.run([*map(str, words)], cwd=self.directory, capture_output=True, text=True, timeout=200, check=True)


@unittest.skipIf(SKIP, SKIP)
class Bundles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(Service())
        cls.browser = cls.enterClassContext(Tabs())
        cls.project = Project(TOOLS)
        cls.addClassCleanup(shutil.rmtree, cls.project.directory, ignore_errors=True)

    def assert_takes_part(self, origin, page="/index.html", report_keys=()):
        tab = self.browser.first()
        self.browser.go(tab, origin + page)
        url = experiment_of(self.service, origin, reward_window_s=1)
        if report_keys:
            path = f"/v1/experiments/{url.rsplit('/', 1)[1]}/report-keys"
            self.assertEqual(self.service.manage("POST", path, {"report_keys": report_keys}).status, 200)
        self.assertTrue(self.service.wait_for(lambda: self.browser.run(tab, "return typeof takePart") == "function"))
        told = self.browser.run(tab, RUN, url)
        self.assertEqual((told["arm"] in (0, 1, 2), told["waiting"]), (True, 1))
        self.assertTrue(self.service.wait_for(lambda: self.service.counts(url.rsplit("/", 1)[1])["folded"] == 1))

    def need_tools(self):
        if self.project.without:
            self.skipTest(self.project.without)

    def test_in_a_plain_page(self):
        directory = self.project.directory / "plain"
        directory.mkdir()
        shutil.copytree(PACKAGE, directory / "sotto-client")
        (directory / "index.html").write_text("""<!doctype html><title>plain</title>
            <script type=importmap>{"imports": {"sotto-client": "/sotto-client/index.js"}}</script>
            <script type=module>%s</script>""" % GLOBAL)
        with pages(directory) as server:
            self.assert_takes_part(server.origin)

    def test_with_esbuild(self):
        self.need_tools()
        out = self.project.directory / "esbuild"
        self.project.run("node_modules/esbuild/bin/esbuild", "main.js", "--bundle", "--format=esm", "--minify", f"--outfile={out}/main.js")
        shutil.copy(self.project.directory / "index.html", out)
        with pages(out) as server:
            self.assert_takes_part(server.origin)

    def test_the_hook_waits_and_then_shows_one_arm(self):
        self.need_tools()
        (self.project.directory / "component.js").write_text(COMPONENT)
        out = self.project.directory / "react"
        self.project.run("node_modules/esbuild/bin/esbuild", "component.js", "--bundle", "--format=esm", f"--outfile={out}/main.js", "--log-level=error")
        shutil.copy(self.project.directory / "index.html", out)
        with pages(out) as server:
            self.assert_takes_part(server.origin, report_keys=[KEY])
            tab = self.browser.first()
            refused = self.browser.run(tab, RUN, "http://example.com/v1/experiments/" + "0" * 32)
            self.assertEqual((refused["arm"], refused["states"]), ("fault", ["waiting", "none"]))

    def test_the_types_are_those_of_the_code(self):
        self.need_tools()

        def tsc(module, resolution, *names):
            self.project.run("node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom",
                             "--skipDefaultLibCheck", "--module", module, "--moduleResolution", resolution, *names)
        (self.project.directory / "typed.ts").write_text(TYPED)
        for module, resolution in (("nodenext", "nodenext"), ("es2022", "node")):  # the second is the older one, without exports
            tsc(module, resolution, "typed.ts")
        wrong = {"limits.ts": ("epsilonLifetime", "epsilon", "'epsilon' does not exist in type 'Policy'"),
                 "state.ts": ('=== "ready"', '=== "waiting"', "possibly 'null'"),
                 "context.ts": ("new Float64Array(3), {", '"context", {', "'string' is not assignable")}
        for name, (right, instead, _) in wrong.items():
            self.assertIn(right, TYPED)
            (self.project.directory / name).write_text(TYPED.replace(right, instead))
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            tsc("nodenext", "nodenext", *wrong)
        for name, (_, _, sentence) in wrong.items():
            self.assertRegex(refused.exception.stdout, rf"(?m)^{name}\b.*{sentence}")

    def test_a_bundle_that_does_not_use_it_is_empty(self):
        self.need_tools()
        (self.project.directory / "unused.js").write_text('import "sotto-client";\n')
        out = self.project.directory / "unused/main.js"
        self.project.run("node_modules/esbuild/bin/esbuild", "unused.js", "--bundle", "--format=esm", f"--outfile={out}", "--log-level=error")
        self.assertLess(out.stat().st_size, 200)

    def test_built_with_vite(self):
        self.need_tools()
        self.project.run("node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error")
        with pages(self.project.directory / "dist") as server:
            self.assert_takes_part(server.origin)

    def test_lean_built_with_vite_has_the_module_as_a_file(self):
        self.need_tools()
        project = self.project.directory / "lean"
        project.mkdir()
        (project / "node_modules").symlink_to(self.project.directory / "node_modules")
        (project / "main.js").write_text(GLOBAL.replace('"sotto-client"', '"sotto-client/lean"'))
        shutil.copy(self.project.directory / "index.html", project)
        subprocess.run(["node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error"], cwd=project, check=True, timeout=200)
        self.assertEqual(len(list(project.glob("dist/assets/client-*.wasm"))), 1)
        with pages(project / "dist") as server:
            self.assert_takes_part(server.origin)

    def test_served_by_vite(self):
        self.need_tools()
        vite = subprocess.Popen(["node", "node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", "0"], cwd=self.project.directory,
                                stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
        try:
            found = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+", line) for line in vite.stdout)))
            self.assert_takes_part(found[0])
        finally:
            vite.terminate()
            vite.wait()
            vite.stdout.close()

    def blocks(self):
        """The commands and files of the section about Vite in docs/browser.md, and the script for sotto-client/lean."""
        page = (SOURCE / "docs/browser.md").read_text()
        found = re.findall(r"```(sh|html|js)\n(.*?)```", page[page.index("## Ten minutes with Vite"):], re.S)
        self.assertEqual([kind for kind, _ in found[:5]], ["sh", "sh", "html", "js", "js"])
        return [block for _, block in found[:5]]

    def made_by_curl(self, command, origin):
        """The URL of the experiment that the page's command makes, for pages of this origin; its times are shorter."""
        curl = command[command.index("curl"):].replace("http://127.0.0.1:8788", self.service.admin).replace("http://localhost:5173", origin)
        curl = curl.replace("$(cat ~/.local/state/sotto/admin.token)", self.service.token)
        curl = curl.replace('"reward_window_s": 20, "send_spread_s": 10', f'"reward_window_s": 1, "send_spread_s": 0, "series": {next(SERIES)}')
        made = json.loads(self.project.run("sh", "-c", curl).stdout)
        return f"{self.service.public}/v1/experiments/{made['id']}"

    def assert_takes_part_as_the_page_says(self, origin, url):
        tab = self.browser.first()
        self.browser.go(tab, origin + "/index.html")
        shown = "return document.querySelector('%s').innerText"
        self.assertTrue(self.service.wait_for(lambda: self.browser.run(tab, shown % "button")))
        self.assertRegex(self.browser.run(tab, shown % "button"), "^Read a (haiku|short story|novel)$")
        self.browser.run(tab, "document.querySelector('button').click()")
        self.assertTrue(self.service.wait_for(lambda: self.service.counts(url.rsplit("/", 1)[1])["folded"] == 1))
        self.assertTrue(self.service.wait_for(lambda: self.browser.run(tab, shown % "p") == "0 waiting."))

    def test_ten_minutes_with_vite_as_the_page_has_them(self):
        """With the package as a link, as npm makes it of a directory."""
        self.need_tools()
        command, install, html, script, lean = self.blocks()
        self.assertIn("npm install vite@6 ../sotto/build/web/sotto-client", install)
        project = self.project.directory / "ten"
        (project / "node_modules").mkdir(parents=True)
        for one in (WEB / "npm/node_modules").iterdir():
            (project / "node_modules" / one.name).symlink_to(one)
        (project / "node_modules/sotto-client").symlink_to(PACKAGE)
        (project / "package.json").write_text('{"private": true, "type": "module"}')
        (project / "index.html").write_text(html)
        origin = f"http://localhost:{free_port()}"
        url = self.made_by_curl(command, origin)
        (project / "main.js").write_text(script.replace("http://127.0.0.1:8787/v1/experiments/ID", url))
        vite = subprocess.Popen(["node", "node_modules/vite/bin/vite.js", "--port", origin.rsplit(":", 1)[1], "--strictPort"], cwd=project,
                                stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"})
        try:
            next(filter(lambda line: origin in line, vite.stdout))
            self.assert_takes_part_as_the_page_says(origin, url)
            (project / "lean.html").write_text(html.replace("main.js", "lean.js"))
            opened = "globalThis.takePart = async url => ({ arm: (await (await (await opened).join(url)).decide([1, 0, 0, 0, 0, 0])).arm, waiting: 1 });"
            (project / "lean.js").write_text(lean + opened)
            self.assert_takes_part(origin, "/lean.html")
        finally:
            vite.terminate()
            vite.wait()
            vite.stdout.close()
        with pages(project / "dist") as server:
            url = self.made_by_curl(command, server.origin)
            (project / "main.js").write_text(script.replace("http://127.0.0.1:8787/v1/experiments/ID", url))
            subprocess.run(["node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error"], cwd=project, check=True, timeout=200)
            self.assert_takes_part_as_the_page_says(server.origin, url)

    def test_in_node(self):
        url = experiment_of(self.service, "https://nobody.example")
        (self.project.directory / "node.js").write_text(EXAMPLE + "console.log(JSON.stringify(await takePart(process.argv[2]))); process.exit();\n")
        told = json.loads(self.project.run("node", "node.js", url).stdout)
        self.assertEqual(told["waiting"], 1)

    def import_on_a_server(self, entry, name):
        self.project.run("node", "--input-type=module", "-e",
                         f"delete globalThis.crypto; const made = await import('{entry}'); if (typeof made.{name} !== 'function') process.exit(1);")

    def test_importing_every_entry_on_a_server_does_nothing(self):
        for entry in ("index.js", "lean.js", "node.js"):
            self.import_on_a_server(f"{PACKAGE}/{entry}", "openPerson")

    def test_importing_the_hook_on_a_server_does_nothing(self):
        self.need_tools()
        self.import_on_a_server("sotto-client/react", "useArm")

    def test_npm_packs_the_same_bytes_each_time_under_any_umask(self):
        if not shutil.which("npm"):
            self.skipTest("there is no npm")
        sums = set()
        for name, mask in (("one", 0o022), ("two", 0o077)):
            copy = self.project.directory / name
            subprocess.run(["node", SOURCE / "web/client/make.mjs", copy, WEB / "client.wasm"], check=True, umask=mask)
            packed = npm(copy / "sotto-client", "pack", "--ignore-scripts")
            self.assertEqual(packed.returncode, 0, packed.stderr)
            sums.add(hashlib.sha256(next((copy / "sotto-client").glob("*.tgz")).read_bytes()).hexdigest())
        self.assertEqual(len(sums), 1)
        self.assertNotIn("resolved", (PACKAGE / "package.json").read_text())


if __name__ == "__main__":
    main()
