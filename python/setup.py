"""The wheel. `wheel.sh` builds it from an installation of the libraries; `make python` does all of it."""

import re
import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).parent))
import bindings  # noqa: E402

HEADER = Path(bindings.include_directory(), "sotto/core.h").read_text(encoding="utf-8")
VERSION = re.search(r'#define SOTTO_VERSION "([^"]+)"', HEADER).group(1)

setup(version=VERSION, cffi_modules=["bindings.py:lab", "bindings.py:wire"],
      options={"bdist_wheel": {"py_limited_api": "cp39"}})
