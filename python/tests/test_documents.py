"""The examples of docs/python.md, docs/start.md and the README, run as they stand there."""

import doctest
import os
import re
import sys
import tempfile
import unittest

import sotto

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests/system"))
import sottod  # noqa: E402


class Documents(unittest.TestCase):
    def check(self, page, count):
        path = os.path.join(SOURCE, page)
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"^```pycon\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(blocks), count)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, path, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.assertEqual(0, runner.run(test).failed)

    def test_the_page(self):
        self.check("docs/python.md", 7)

    def test_the_rounds_with_a_service_of_the_page(self):
        with open(os.path.join(SOURCE, "docs/python.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
        [block] = [block for block in blocks if "sotto.Service(" in block]
        with tempfile.TemporaryDirectory() as directory, sottod.Service() as running:
            for here, there in (("http://127.0.0.1:8788", running.admin), ("http://127.0.0.1:8787", running.public),
                                ("~/.local/state/sotto/admin.token", running.token),
                                ("person.ledger", os.path.join(directory, "ledger"))):
                self.assertIn(here, block)
                block = block.replace(here, there)
            names = {"sotto": sotto, "context": [[0.5, 0.1], [0.2, 0.3], [-0.4, 0.2]], "reward": 0.7}
            exec(block, names)
            self.assertEqual(1, names["service"].experiment(names["id"])["reports"]["folded"])

    def test_the_first_pages(self):
        self.check("README.md", 1)
        self.check("docs/start.md", 2)


if __name__ == "__main__":
    unittest.main()
