#!/usr/bin/env python3
"""A spec has one id everywhere: 700 random specs resolve to the same bytes under glibc, under wasi-libc and on every
processor that this test is run on."""
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
BUILT_HERE = [*os.environ["SOTTO_EMULATOR"].split(), os.environ["SOTTO_TERMS_OF_SPECS"]]
GOLDEN = (SOURCE / "tests/golden/terms_of_specs.sha256").read_text().strip()
SYSROOT = Path("/usr/include/wasm32-wasi")


def terms(command, *more, count=700):
    answer = subprocess.run([*command, str(count), "1", *more], capture_output=True, check=True, timeout=600)
    return answer.stdout.decode().split()


@functools.cache
def terms_here():
    return terms(BUILT_HERE)


class PortableTerms(unittest.TestCase):
    def test_the_specs_are_many_kinds(self):
        made = [bytes.fromhex(line) for line in terms_here()]
        self.assertEqual(len(set(made)), 700)
        self.assertEqual({one[15] for one in made}, set(range(7)), "methods")
        self.assertEqual({one[16] for one in made}, set(range(8)), "scores")
        self.assertTrue(any(one[128 + 16] for one in made), "nulls in warm-up")
        self.assertTrue(any(one[172 + 16] for one in made), "nulls in main")

    def test_this_machine_gives_the_golden_bytes(self):
        self.assertEqual(hashlib.sha256("\n".join(terms_here()).encode()).hexdigest(), GOLDEN)

    @unittest.skipIf(os.environ["SANITIZE"], "the module is the same: compared by the plain build")
    @unittest.skipUnless(SYSROOT.is_dir() and shutil.which("clang") and shutil.which("wasm-ld") and shutil.which("node"),
                         "without clang, wasi-libc, wasm-ld and node (make deps-web) nothing is known of WebAssembly")
    def test_webassembly_gives_the_golden_bytes(self):
        core = [path for path in sorted(SOURCE.glob("src/core/*.c")) if not path.stem.endswith(("_aarch64", "_x86_64"))]
        own = [SOURCE / "tests/protocol" / name for name in ("terms_of_specs.c", "random_spec.c")]
        with tempfile.TemporaryDirectory() as directory:
            program = f"{directory}/terms_of_specs.wasm"
            subprocess.run(["clang", "--target=wasm32-wasi", "-std=c11", "-O2", "-ffp-contract=off",
                            f"-I{SOURCE}/include", f"-I{SOURCE}/src", f"-I{os.environ['BUILD']}/identity",
                            "-o", program, *core, *own, "-lm"], check=True)
            node = ["node", "--no-warnings", str(SOURCE / "tests/protocol/run_wasm.mjs"), program]
            self.assertEqual(hashlib.sha256("\n".join(terms(node)).encode()).hexdigest(), GOLDEN)
            # The comparison can fail: constants that are not rounded differ.
            self.assertNotEqual(terms(node, "raw", count=100), terms(BUILT_HERE, "raw", count=100))


if __name__ == "__main__":
    unittest.main()
