"""The examples of docs/python.md and of the README, run as they stand there."""

import doctest
import os
import re
import unittest

SOURCE = os.environ["SOURCE"]


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

    def test_the_readme(self):
        self.check("README.md", 1)


if __name__ == "__main__":
    unittest.main()
