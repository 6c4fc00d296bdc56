#!/usr/bin/env python3
"""The boundary between the sides: what must not compile does not, and no archive holds or asks for
what is not its own. Usage: boundary.py SOURCE_DIR BUILD_DIR CC"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, CC = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
LIBRARIES = BUILD / "packaging"

# What a folder of src/ is compiled with: its macro, and the folders whose headers it sees.
SIDES = {
    "core": ["core"],
    "client": ["client", "core"],
    "server": ["server", "core"],
    "lab": ["lab", "client", "server", "core"],
}

PURE = set("""__assert_fail __stack_chk_fail __stack_chk_guard calloc free malloc memcmp memcpy memset
snprintf vsnprintf __memcpy_chk __snprintf_chk __vsnprintf_chk _GLOBAL_OFFSET_TABLE_
acos ceil cos erfc exp expm1 fegetenv fesetenv floor fmax fmin ilogb ldexp log log1p rint scalbn sin sincos sqrt tanh""".split())
# The client draws, and keeps its ledger in a file.
CLIENT = set("""getrandom __errno_location realloc memmove strlen strrchr __xpg_strerror_r
open close pread pwrite fsync fstat lstat flock link unlink geteuid getpid""".split())
MAY_ASK_FOR = {"core": PURE, "server": PURE, "client": PURE | CLIENT}

# Public functions of the device that need no floating-point environment of their own: they count,
# copy, compare bytes or free. All others begin with SOTTO__DEFAULT_FLOATS (float_environment.h).
NO_ARITHMETIC = set("""sotto_policy_default sotto_ledger_memory_new sotto_ledger_file_create sotto_ledger_free
sotto_ledger_rounds sotto_ledger_reports sotto_ledger_epsilon sotto_ledger_delta sotto_ledger_fault
sotto_client_free sotto_round_free sotto_round_resend
sotto_version sotto_status_text sotto_parameters_name sotto_link_name sotto_reward_kind_name
sotto_method_name sotto_score_name sotto_split_name sotto_noise_law_name sotto_phase_name
sotto_spec_default sotto_spec_encode sotto_reports_indices sotto_stream_key
sotto_report_count sotto_report_new sotto_report_free sotto_report_bytes sotto_report_encode
sotto_report_decode sotto_model_free sotto_model_check sotto_model_copy sotto_model_bytes""".split())
# And those whose arithmetic is all in other public functions.
CALLS_OTHERS = {"sotto_client_new", "sotto_spec_decode", "sotto_spec_bytes_fault"}


def compiles(side, text, seen=None, options=()):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text + "\nint sotto__boundary_probe;\n")
        file.flush()
        include = [f"-I{SOURCE}/include"] + [f"-I{SOURCE}/src/{f}" for f in seen or SIDES[side]]
        command = [CC, "-std=c17", "-fsyntax-only", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE",
                   f"-DSOTTO_SIDE_{side.upper()}", *include, *options]
        return subprocess.run([*command, file.name], capture_output=True).returncode == 0


def symbols(path, *options):
    lines = subprocess.run(["nm", *options, path], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines() if line.startswith((" ", "0"))}


def declared(*headers):
    text = "".join((SOURCE / "include/sotto" / f"{h}.h").read_text() for h in headers)
    return set(re.findall(r"SOTTO_API[^;(]*?\b(sotto_\w+)\(", text))


def definitions(*folders):
    """The body of each public function, by name."""
    found = {}
    for source in sorted(file for f in folders for file in (SOURCE / "src" / f).glob("*.c")):
        pattern = r"^(?!static)\w[^\n;{}()]*?\b(sotto_[a-z]\w*)\([^{};]*\)\n\{\n(.*?)^\}"
        found.update(re.findall(pattern, source.read_text(), re.M | re.S))
    return found


def objects(folder):
    return sorted((BUILD / f"src/CMakeFiles/sotto_{folder}.dir/{folder}").glob("*.o"))


class WhatMustNotCompile(unittest.TestCase):
    def test_each_side_compiles_its_own_headers(self):
        for side, headers in {
            "core": ["<sotto/core.h>", '"codebook.h"'],
            "client": ["<sotto/client.h>", '"privatise.h"', '"codebook.h"'],
            "server": ["<sotto/server.h>", '"tally.h"', '"codebook.h"'],
            "lab": ["<sotto/client.h>", "<sotto/server.h>", '"privatise.h"', '"tally.h"', '"random.h"'],
        }.items():
            for header in headers:
                self.assertTrue(compiles(side, f"#include {header}"), f"{side} and {header}")

    def test_no_side_compiles_the_other_s_headers(self):
        for side, header in [
            ("server", "<sotto/client.h>"), ("core", "<sotto/client.h>"),
            ("client", "<sotto/server.h>"), ("core", "<sotto/server.h>"),
            ("server", '"privatise.h"'), ("client", '"tally.h"'), ("core", '"entropy.h"'),
            ("client", '"random.h"'), ("server", '"random.h"'),
        ]:
            self.assertFalse(compiles(side, f"#include {header}"), f"{side} and {header}")

    def test_not_even_when_a_folder_is_smuggled_into_the_search_path(self):
        everything = ["core", "client", "server", "lab"]
        for folder, intruder in [("client", "server"), ("client", "core"), ("server", "client"),
                                 ("server", "core")]:
            for header in sorted((SOURCE / "src" / folder).glob("*.h")):
                text = f'#include "{header}"'
                self.assertTrue(compiles("lab", text, everything), header)
                self.assertFalse(compiles(intruder, text, everything), f"{intruder} and {header}")

    def test_no_source_file_compiles_on_the_other_side(self):
        for folder, intruder in [("client", "server"), ("server", "client")]:
            for source in sorted((SOURCE / "src" / folder).glob("*.c")):
                text = source.read_text()
                self.assertTrue(compiles(folder, text), source)
                if "#include \"" not in text and f"sotto/{folder}.h" not in text:
                    continue
                self.assertFalse(compiles(intruder, text), f"{source} compiled as {intruder}")


class WhatComputes(unittest.TestCase):
    """In the default floating-point environment, and as IEEE 754 says."""

    def test_every_public_function_of_the_device_sets_the_environment_or_computes_nothing(self):
        body = definitions("core", "client")
        names = declared("core", "client")
        self.assertEqual(NO_ARITHMETIC - names, set(), "listed, but not declared")
        self.assertEqual(CALLS_OTHERS - names, set(), "listed, but not declared")
        for name in sorted(names - NO_ARITHMETIC):
            self.assertRegex(body[name], r"\A    SOTTO__DEFAULT_FLOATS;\n", name)
            self.assertEqual("SOTTO__UNSEEN(" in body[name], name not in CALLS_OTHERS, name)

    def test_every_one_of_them_is_tested_in_foreign_environments(self):
        test = (SOURCE / "tests/unit/test_float_environment.c").read_text()
        for name in sorted(declared("core", "client") - NO_ARITHMETIC | declared("client")):
            self.assertRegex(test, rf"UNDER\(mode,[^;]*\b{name}\(", name)

    def test_fast_math_does_not_compile(self):
        for folder in ("core", "client"):
            for source in sorted((SOURCE / "src" / folder).glob("*.c")):
                if not re.search(r"\b(double|math\.h)\b", source.read_text()):
                    continue
                for option in ("-ffast-math", "-ffinite-math-only"):
                    text = source.read_text()
                    self.assertFalse(compiles(folder, text, options=[option]), f"{source} {option}")


@unittest.skipUnless(LIBRARIES.exists(), "a sanitized build packs no libraries")
class WhatTheLibrariesHold(unittest.TestCase):
    def test_shared_libraries_export_the_public_functions_and_nothing_else(self):
        for side in ("client", "server"):
            got = symbols(LIBRARIES / f"libsotto-{side}.so", "-D", "--defined-only")
            self.assertEqual(got, declared("core", side), side)

    def test_static_libraries_export_no_internal_function_of_their_side(self):
        for side in ("client", "server"):
            got = symbols(LIBRARIES / f"sotto-{side}.o", "-g", "--defined-only")
            self.assertEqual(got, declared(side), side)

    def test_there_is_no_way_to_seed_and_no_mechanism_without_noise(self):
        for path in sorted(LIBRARIES.glob("libsotto-*.[as]*")):
            for name in symbols(path, *(["-D"] if ".so" in path.name else ["-g"]), "--defined-only"):
                self.assertIsNone(re.search(r"seed|none|random|lab|mechanism", name), f"{path}: {name}")

    def test_each_side_asks_only_for_what_it_may(self):
        core = set().union(*(symbols(o, "-g", "--defined-only") for o in objects("core")))
        for folder in ("core", "client", "server"):
            own = set().union(*(symbols(o, "-g", "--defined-only") for o in objects(folder)))
            asked = set().union(*(symbols(o, "-u") for o in objects(folder)))
            self.assertTrue(asked, folder)
            self.assertEqual(asked - own - core - MAY_ASK_FOR[folder], set(), folder)

    def test_only_the_client_can_draw(self):
        self.assertIn("getrandom", symbols(LIBRARIES / "libsotto-client.so", "-D", "-u"))
        self.assertNotIn("getrandom", symbols(LIBRARIES / "libsotto-server.so", "-D", "-u"))

    def test_the_soname_carries_a_version(self):
        for side in ("client", "server"):
            library = LIBRARIES / f"libsotto-{side}.so"
            head = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True)
            self.assertRegex(head.stdout, rf"SONAME +libsotto-{side}\.so\.\d+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
