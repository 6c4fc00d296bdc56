#!/usr/bin/env python3
"""`make docs`: the API reference has every public name, and no link of the site is broken."""
import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "packaging"))
import reference  # noqa: E402

# Python has a module of the same name.
_spec = importlib.util.spec_from_file_location("sotto_site", SOURCE / "packaging/site.py")
site = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(site)


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = reference.pages(SOURCE)

    def test_every_function_of_the_headers_is_there(self):
        code = "\n".join(block for page in self.pages.values() for block in re.findall(r"```c\n(.*?)```", page, re.S))
        for header in sorted((SOURCE / "include/sotto").rglob("*.h")):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
            text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
            declared = re.findall(r"^[\w(][^;{}]*?\b(sotto_\w+)\([^;{}]*\);", text, re.M)
            self.assertEqual([name for name in declared if not re.search(rf"\b{name}\(", code)], [], header.name)
            self.assertTrue(declared or header.name == "lab.h", header.name)

    def test_a_comment_stands_with_what_it_explains(self):
        page = self.pages["api/c-server.md"]
        self.assertRegex(page, r"### `sotto_tally_merge`\n\nAdds all of `from`[^\n]+\n\n```c\nSOTTO_CHECK sotto_status")
        self.assertNotIn("__cplusplus", page)
        self.assertNotIn("SOTTO_SERVER_H", page)
        self.assertTrue("#define SOTTO_API __attribute__" in self.pages["api/c-core.md"])

    def test_every_public_name_of_python_is_there(self):
        start = ast.parse((SOURCE / "python/sotto/__init__.py").read_text())
        [names] = [ast.literal_eval(node.value) for node in start.body if isinstance(node, ast.Assign)
                   and getattr(node.targets[0], "id", "") == "__all__"]
        for name in names:
            if not name.startswith("__"):
                self.assertIn(f"## `{name}`\n", self.pages["api/python.md"])

    def test_signs_of_markdown_and_columns_stay(self):
        self.assertEqual(reference.prose("a <b> *c* `*d*`\n\nx    what\nlong  that"),
                         "a &lt;b> \\*c\\* `*d*`\n\n    x    what\n    long  that")

    def test_a_name_that_no_file_defines_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "__init__.py").write_text('__all__ = ["nobody"]\n')
            with self.assertRaisesRegex(ValueError, "names what no file defines: nobody"):
                reference.of_python(Path(directory))


class Site(unittest.TestCase):
    def test_every_page_of_docs_is_in_a_chapter(self):
        listed = [page for chapter in site.CHAPTERS.values() for page in chapter]
        there = [str(page.relative_to(SOURCE)) for folder in ("docs", "research") for page in (SOURCE / folder).glob("*.md")]
        self.assertEqual(set(there) - set(listed), set())

    def test_headings_have_the_ids_of_github_and_lists_an_empty_line(self):
        text = "# A `b`: c\nwords\n- one\n- two\n```\n# no\nwords\n- as it is\n```\n## Again\n## Again\n"
        self.assertEqual(site.for_mkdocs(text), "# A `b`: c {: #a-b-c }\nwords\n\n- one\n- two\n```\n# no\nwords\n- as it is\n```\n"
                                                "## Again {: #again }\n## Again {: #again-1 }\n")

    def test_links_that_lead_nowhere_are_found(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "a.html").write_text('<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a>'
                                                 '<a href="https://example.org">4</a><script src="https://cdn/x.js"></script>')
            (Path(directory) / "b.html").write_text('<p id="x"><a href="#x">5</a>')
            self.assertEqual(site.faults(Path(directory)), ["a.html: loads https://cdn/x.js", "a.html: b.html#y: no such heading",
                                                         "a.html: c.html: no such file"])

    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not there: make deps-docs")
    def test_the_site_is_made_and_can_be_searched(self):
        with tempfile.TemporaryDirectory() as directory:
            result = subprocess.run([sys.executable, SOURCE / "packaging/site.py", f"{directory}/site"], capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            index = json.loads((Path(directory) / "site/search/search_index.json").read_text())
            found = {entry["location"].split("#")[0] for entry in index["docs"]}
            self.assertLessEqual({"index.html", "docs/methods.html", "research/reproduction.html", "api/c-server.html",
                                  "api/python.html"}, found)
            self.assertTrue(any("sotto_tally_merge" in entry["title"] for entry in index["docs"]))


if __name__ == "__main__":
    unittest.main()
