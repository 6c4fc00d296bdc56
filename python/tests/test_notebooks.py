"""Every notebook runs from its first cell to its last, in a process of its own."""

import glob
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

NOTEBOOKS = sorted(glob.glob(os.path.join(os.environ["SOURCE"], "python/notebooks/*.py")))
SECONDS_MAX = 16  # of a processor: twice what one should take, since machines differ


class Notebooks(unittest.TestCase):
    def test_there_are_notebooks(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 2)

    def test_cells_have_their_marks(self):
        for path in NOTEBOOKS:
            with self.subTest(notebook=os.path.basename(path)), open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
                self.assertEqual("# %% [markdown]", lines[0])
                self.assertTrue(lines[1].startswith("# # "), "a title comes first")
                self.assertLessEqual({line for line in lines if line.startswith("# %%")}, {"# %%", "# %% [markdown]"})

    def test_each_is_there_with_its_output(self):
        for path in NOTEBOOKS:
            with self.subTest(notebook=os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    parts = re.split(r"^# %%", file.read(), flags=re.M)[1:]
                with open(path.replace(".py", ".ipynb"), encoding="utf-8") as file:
                    cells = json.load(file)["cells"]
                written = ["\n".join(re.sub("^# ?", "", line) for line in part.partition("\n")[2].strip("\n").split("\n"))
                           if part.startswith(" [markdown]") else part.strip("\n") for part in parts]
                self.assertEqual(written, [cell["source"] for cell in cells], "run tests/measure/notebooks.py")
                outputs = [output["output_type"] for cell in cells for output in cell.get("outputs", ())]
                self.assertGreaterEqual(len(outputs), 3)
                self.assertNotIn("error", outputs)

    def test_notebooks_run(self):
        for path in NOTEBOOKS:
            with self.subTest(notebook=os.path.basename(path)), tempfile.TemporaryDirectory() as directory:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                ran = subprocess.run([sys.executable, "-W", "error::UserWarning:__main__", path], check=False,
                                     capture_output=True,
                                     text=True, cwd=directory, timeout=300, env=dict(os.environ, MPLBACKEND="agg"))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)
                self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, SECONDS_MAX)


if __name__ == "__main__":
    unittest.main()
