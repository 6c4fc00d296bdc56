#!/usr/bin/env python3
"""An installed Sotto in somebody else's project: by find_package, and by pkg-config. The installation
is moved before it is used."""
import os
import re
import shutil
import unittest

from outside import BUILD, COMPILERS, EXAMPLE, HERE, ROUND, InDirectory, configure, run


class Installed(InDirectory):
    def setUp(self):
        super().setUp()
        run("cmake", "--install", BUILD, "--prefix", self.directory / "first")
        self.prefix = self.directory / "moved"
        shutil.move(self.directory / "first", self.prefix)

    def find(self, *options, components="client server lab", **more):
        source = self.directory / "source"
        shutil.copytree(HERE / "installed", source, dirs_exist_ok=True)
        listed = source / "CMakeLists.txt"
        listed.write_text(listed.read_text().replace("client server lab)", f"{components})", 1))
        return configure(source, self.directory / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         f"-DEXAMPLE={EXAMPLE}", *options, **more)

    def test_every_page_that_a_header_names_is_there(self):
        headers = "".join(header.read_text() for header in self.prefix.glob("include/sotto/**/*.h"))
        pages = set(re.findall(r"\b(?:docs|examples)/[\w/-]+\.\w+", headers))
        self.assertIn("docs/lab.md", pages)
        for page in pages:
            self.assertTrue((self.prefix / "share/doc/sotto" / page).exists(), page)

    def test_a_component_that_is_not_there_is_named(self):
        result = self.find(components="client telepathy")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("component telepathy: there are core, client, server, transport, lab", result.stderr)

    def test_another_minor_version_is_refused(self):
        major, minor, patch = run(self.prefix / "bin/sotto", "--version").split()[1].split(".")
        for wanted in (f"{major}.{int(minor) + 1}", f"{int(major) + 1}.{minor}", f"{major}.{minor}.{int(patch) + 1}"):
            result = self.find(f"-DWANTED={wanted}")
            self.assertNotEqual(result.returncode, 0, wanted)
            self.assertIn(f'compatible with requested version "{wanted}"', " ".join(result.stderr.split()))
        self.assertEqual(self.find(f"-DWANTED={major}.{minor}").returncode, 0)

    def test_find_package_in_two_languages_by_every_compiler(self):
        for pair in COMPILERS:
            with self.subTest(pair):
                result = self.find(compilers=pair)
                self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
                self.assertNotIn("warning", run("cmake", "--build", self.directory / "build", "-j2"))
                for language in ("c", "cc"):
                    for kind, shared in (("", True), ("-static", False)):
                        program = self.directory / f"build/round-{language}{kind}"
                        self.assertRegex(run(program), ROUND)
                        self.assertEqual("libsotto-" in run("ldd", program), shared, program)
                for kind in ("", "-static"):
                    library, header = run(self.directory / f"build/core{kind}").split()
                    self.assertEqual(library, header)
                    self.assertRegex(run(self.directory / f"build/lab{kind}"), r"^laplace$")
                shutil.rmtree(self.directory / "build")

    def test_pkg_config_shared_and_all_static(self):
        found = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig"),
                 "LD_LIBRARY_PATH": str(self.prefix / "lib")}
        for pair in COMPILERS:
            for static in ([], ["-static"]):
                flags = run("pkg-config", *["-" + word for word in static], "--cflags", "--libs", "sotto-client",
                            "sotto-server", env=found).split()
                self.assertEqual("-lm" in flags, bool(static))
                run(pair[0], "-std=c11", *static, EXAMPLE, "-o", self.directory / "round", *flags)
                self.assertRegex(run(self.directory / "round", env=found), ROUND)


if __name__ == "__main__":
    unittest.main()
