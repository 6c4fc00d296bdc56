"""A case whose tests have a directory each, which is removed after the test."""
import pathlib
import shutil
import tempfile
import unittest


class DirectoryCase(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
