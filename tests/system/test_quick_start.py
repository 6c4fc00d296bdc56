#!/usr/bin/env python3
"""The service in four commands, as README.md and docs/start.md show them. Only the build directory,
the ports and the home differ, so that no other service is in the way, and a slow machine gets more
time to start."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from sottod import free_port

SOURCE, BUILD = pathlib.Path(os.environ["SOURCE"]), pathlib.Path(os.environ["BUILD"])


def commands(page):
    """The four commands, without comments; a line that ends with a backslash continues."""
    [block] = [block for block in re.findall(r"```sh\n(.*?)```", (SOURCE / page).read_text(), re.S) if "sottod &" in block]
    return [re.sub(r" +# .*", "", line) for line in block.replace("\\\n", "").splitlines()]


class QuickStart(unittest.TestCase):
    def test_four_commands_start_a_service_and_send_people_through_it(self):
        four = commands("README.md")
        self.assertEqual(len(four), 4)
        self.assertEqual(commands("docs/start.md"), four)
        self.assertEqual(four[0], "make build")  # this build was made by it
        public, admin = free_port(), free_port()
        script = "\n".join(four[1:]).replace("build/release/", f"{BUILD}/")
        script = script.replace("sleep 2", "until [ -s ~/.local/state/sotto/reader.token ]; do sleep 0.1; done; "
                                "until [ $(curl -so /dev/null -w %{http_code} http://127.0.0.1:8787/readyz) = 200 ]; do sleep 0.1; done")
        script = script.replace(":8787", f":{public}").replace(":8788", f":{admin}")
        script = script.replace("--people 20000", f"--people 3000 --admin http://127.0.0.1:{admin}")
        with tempfile.TemporaryDirectory() as home:
            settings = {"HOME": home, "SOTTOD_LISTEN": f"127.0.0.1:{public}", "SOTTOD_ADMIN": f"127.0.0.1:{admin}"}
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("SOTTOD_", "XDG_"))}
            shell = subprocess.Popen(["sh", "-e", "-c", script], cwd=SOURCE, env={**environment, **settings},
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            try:
                # The service outlives the script and keeps its output open, so the test does not
                # wait for the end of the file.
                end = time.monotonic() + 300
                while shell.poll() is None and time.monotonic() < end:
                    time.sleep(0.1)
            finally:
                os.killpg(shell.pid, signal.SIGTERM)
                printed, said = shell.communicate(timeout=60)
        self.assertEqual(shell.returncode, 0, printed + said)
        self.assertIn("3000 acknowledged; the server has 3000 folded", printed, said)
        self.assertIn('"id"', printed)


class Crash(unittest.TestCase):
    def test_the_demo_s_service_is_killed_and_loses_nothing(self):
        run = subprocess.run(["sh", SOURCE / "examples/08_service.sh", BUILD, "12000"], capture_output=True, text=True,
                             timeout=500)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"the model of epoch \d+ has the same \d+ bytes")
        counts = re.search(r"12000 acknowledged; the server has (\d+) folded, (\d+) late", run.stdout)
        self.assertIsNotNone(counts, run.stdout)
        folded, late = map(int, counts.groups())  # on a slow machine some are late, or sent twice
        self.assertTrue(folded <= 12000 <= folded + late, counts.group())


if __name__ == "__main__":
    unittest.main()
