#!/usr/bin/env python3
"""What the libraries promise to programs that link them (packaging/abi.sh, on this build and on planted changes), the glibc that a
wheel needs (packaging/glibc.sh), the bill of materials of a release (packaging/sbom.py), and the objects for Kubernetes
(packaging/objects.py)."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["SOURCE"])
HEADER = """#ifndef TINY_H
#define TINY_H
struct tiny { int arms; double epsilon; };
enum tiny_kind { TINY_ONE = 1, TINY_TWO = 2 };
double tiny_cost(const struct tiny *tiny, enum tiny_kind kind);
int tiny_arms(const struct tiny *tiny);
struct tiny_own;
int tiny_look(const struct tiny_own *own);
%s
#endif
"""
CODE = """#include "sotto/tiny.h"
#include "../src/tiny.h"
double tiny_cost(const struct tiny *tiny, enum tiny_kind kind) { return tiny->epsilon * kind; }
int tiny_arms(const struct tiny *tiny) { return tiny->arms; }
int tiny_look(const struct tiny_own *own) { return own->secret; }
"""
OWN = "struct tiny_own { int secret; };\n"  # in a file with the name of a public header


class Abi(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for place in ("packaging/debian", "include/sotto", "src", "build"):
            (self.root / place).mkdir(parents=True)
        shutil.copy(SOURCE / "packaging/abi.sh", self.root / "packaging")

    def build(self, header=HEADER % "", code=CODE, version="0.2", own=OWN):
        """Makes a library of one file; returns what abi.sh says about it."""
        (self.root / "include/sotto/tiny.h").write_text(header)
        (self.root / "src/tiny.h").write_text(own)
        (self.root / "src/tiny.c").write_text(code)
        for old in (self.root / "build").iterdir():
            old.unlink()
        subprocess.run([os.environ["CC"], "-g", "-shared", "-fPIC", "-I", self.root / "include", f"-Wl,-soname,libsotto-tiny.so.{version}",
                        "-o", self.root / f"build/libsotto-tiny.so.{version}.0", self.root / "src/tiny.c"], check=True)
        return self.abi(self.root / "build")

    def abi(self, *words):
        return subprocess.run([self.root / "packaging/abi.sh", *words], capture_output=True, text=True)

    def keep(self):
        self.build()
        self.assertEqual(self.abi("--write", self.root / "build").returncode, 0)

    def test_directories_without_libraries_are_refused(self):
        result = self.abi(self.root / "build")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no library below", result.stderr)
        self.assertEqual(self.abi(self.root / "nothing").returncode, 2)

    def test_a_library_that_is_gone_is_named(self):
        self.keep()
        kept = self.root / "packaging/abi"
        shutil.copy(kept / "libsotto-tiny.so.0.2.abi.gz", kept / "libsotto-small.so.0.2.abi.gz")
        result = self.build()
        self.assertEqual((result.returncode, result.stdout),
                         (1, "libsotto-small.so.0.2: no such library\n1 libraries compared, 1 changed\n"))

    def test_planted_changes_need_a_new_soname(self):
        self.keep()
        planted = {
            "a struct that grows": ("double epsilon;", "double epsilon; double delta;"),
            "a field of another type": ("int arms;", "long arms;"),
            "fields in another order": ("int arms; double epsilon;", "double epsilon; int arms;"),
            "a constant of another value": ("TINY_TWO = 2", "TINY_TWO = 3"),
            "another parameter": ("enum tiny_kind kind)", "enum tiny_kind kind, int more)"),
            "another result": ("int tiny_arms(", "long tiny_arms("),
        }
        for name, change in planted.items():
            with self.subTest(name):
                result = self.build(HEADER.replace(*change) % "", CODE.replace(*change))
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn("libsotto-tiny.so.0.2: changed, with the same SONAME", result.stdout)
                other = self.build(HEADER.replace(*change) % "", CODE.replace(*change), version="0.3")
                self.assertIn("libsotto-tiny.so.0.3: a new SONAME", other.stdout)

    def test_a_function_that_is_gone_needs_a_new_soname(self):
        self.keep()
        result = self.build(HEADER.replace("int tiny_arms(const struct tiny *tiny);", "") % "", CODE.replace("int tiny_arms", "static int arms"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("changed, with the same SONAME", result.stdout)

    def test_a_private_struct_may_change(self):
        self.keep()
        result = self.build(own="struct tiny_own { double more; int secret; };\n")
        self.assertEqual((result.returncode, result.stdout), (0, "1 libraries compared, 0 changed\n"))

    def test_the_same_functions_pass_and_a_new_one_has_to_be_kept(self):
        self.keep()
        self.assertEqual(self.build().stdout, "1 libraries compared, 0 changed\n")
        result = self.build(HEADER % "int tiny_new(void);", CODE + "int tiny_new(void) { return 1; }\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("new functions; abi.sh --write keeps them", result.stdout)
        self.abi("--write", self.root / "build")
        self.assertEqual(self.abi(self.root / "build").returncode, 0)

    def test_a_new_soname_takes_the_place_of_the_old_one(self):
        self.keep()
        self.build(version="0.3")
        self.abi("--write", self.root / "build")
        self.assertEqual([path.name for path in (self.root / "packaging/abi").iterdir()], ["libsotto-tiny.so.0.3.abi.gz"])
        self.assertEqual(self.abi(self.root / "build").returncode, 0)

    def test_this_build_has_what_its_sonames_promise(self):
        result = subprocess.run([SOURCE / "packaging/abi.sh", Path(os.environ["BUILD"]) / "packaging"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, "4 libraries compared, 0 changed\n"), result.stderr)


class Wheel(unittest.TestCase):
    def glibc(self, code, *most):
        """What glibc.sh says about a wheel with this module."""
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([os.environ["CC"], "-shared", "-fPIC", "-x", "c", "-", "-o", f"{directory}/module.so"], input=code, text=True, check=True)
            with zipfile.ZipFile(f"{directory}/tiny.whl", "w") as wheel:
                wheel.write(f"{directory}/module.so", "tiny/module.so")
            done = subprocess.run([SOURCE / "packaging/glibc.sh", f"{directory}/tiny.whl", *most], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_a_module_that_needs_a_newer_glibc_is_refused(self):
        code = "int getentropy(void *, unsigned long);\nint tiny(char *out) { return getentropy(out, 1); }\n"  # since 2.25
        for most, status in (("2.3", 1), ("2.24", 1), ("2.25", 0), ("2.36", 0)):
            self.assertEqual(self.glibc(code, most), (status, "tiny.whl: glibc 2.25\n"), most)
        self.assertEqual(self.glibc(code), (0, "tiny.whl: glibc 2.25\n"))

    def test_a_wheel_without_such_symbols_is_refused(self):
        self.assertEqual(self.glibc("int tiny = 1;\n", "2.36")[0], 1)


class Bill(unittest.TestCase):
    def test_it_follows_the_rules_of_spdx(self):
        names = ("include/sotto/core.h", "packaging/debian/control", "web/CMakeLists.txt")
        with tempfile.TemporaryDirectory() as directory:
            with tarfile.open(f"{directory}/tarball", "w") as tar:
                for name in names:
                    tar.add(SOURCE / name, f"sotto-0/{name}")
            subprocess.run([SOURCE / "packaging/sbom.py", f"{directory}/tarball", f"{directory}/bill"], check=True)
            bill = json.loads(Path(f"{directory}/bill").read_text())
        relations = {(relation["relationshipType"], relation["relatedSpdxElement"]) for relation in bill["relationships"]}
        named = {thing["SPDXID"] for thing in (*bill["files"], *bill["packages"])}
        self.assertEqual({name for _, name in relations}, named)
        self.assertEqual({name for kind, name in relations if kind.endswith("LINK")},
                         {"SPDXRef-libcurl4-openssl-dev", "SPDXRef-libjansson-dev", "SPDXRef-libmicrohttpd-dev", "SPDXRef-libpq-dev",
                          "SPDXRef-libsqlite3-dev", "SPDXRef-zlib1g-dev", "SPDXRef-wasi-libc"})
        # Only a package that was analysed may contain files, and its code is a SHA-1 over theirs.
        sums = sorted(hashlib.sha1((SOURCE / name).read_bytes()).hexdigest() for name in names)
        self.assertEqual([(package["SPDXID"], package["packageVerificationCode"]["packageVerificationCodeValue"])
                          for package in bill["packages"] if package["filesAnalyzed"]],
                         [("SPDXRef-sotto", hashlib.sha1("".join(sums).encode()).hexdigest())])


class Objects(unittest.TestCase):
    # {planted fault: (file, text, other text, message)}
    PLANTED = {
        "a password in the file": ("gateways", "valueFrom:\n                secretKeyRef: {name: sotto-journal, key: url}",
                                   "value: postgresql://sotto:secret@db/sotto", "sotto-gateways: SOTTOD_JOURNAL is not from the secret"),
        "another key": ("publishers", "key: url", "key: password", "sotto-publishers: SOTTOD_JOURNAL is not from the secret"),
        "no probe of the start": ("gateways", "startupProbe", "probe", "sotto-gateways: no startupProbe on /healthz"),
        "no probe of life": ("publishers", "livenessProbe", "probe", "sotto-publishers: no livenessProbe on /healthz"),
        "ready when alive": ("gateways", "path: /readyz", "path: /healthz", "sotto-gateways: no readinessProbe on /readyz"),
        "root": ("publishers", "runAsNonRoot: true", "runAsNonRoot: false", "sotto-publishers: a user other than {'runAsNonRoot': True"),
        "a user that the image does not have": ("gateways", "runAsUser: 999", "runAsUser: 1000", "sotto-gateways: a user other than {'runAsNonRoot': True"),
        "more rights": ("gateways", "drop: [ALL]", "drop: []", "sotto-gateways: rights other than {'allowPrivilegeEscalation': False"),
        "files that can be changed": ("gateways", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false",
                                      "sotto-gateways: rights other than {'allowPrivilegeEscalation': False"),
        "a token of the cluster": ("publishers", "automountServiceAccountToken: false", "", "sotto-publishers: a token of the cluster"),
        "no disruption budget": ("gateways", "kind: PodDisruptionBudget", "kind: Other", "sotto-gateways: disruption budgets [] for 3"),
        "a budget that keeps every pod": ("publishers", "minAvailable: 1", "minAvailable: 2", "sotto-publishers: disruption budgets [2] for 2"),
        "a budget for other pods": ("publishers", "minAvailable: 1\n  selector:\n    matchLabels: {app: sotto, part: publishers}",
                                    "minAvailable: 1\n  selector:\n    matchLabels: {app: sotto, part: gateways}",
                                    "sotto-publishers: disruption budgets [] for 2"),
        "publishers that devices reach": ("network", "selector: {app: sotto, part: gateways}", "selector: {app: sotto}",
                                          "sotto-publishers: the service sotto reaches it"),
        "the admin port": ("network", "targetPort: public", "targetPort: 8788", "services with the ports"),
        "another deployment": ("gateways", "name: sotto-gateways", "name: sotto-more", "deployments ['sotto-more', 'sotto-publishers']"),
    }

    def setUp(self):
        if subprocess.run([sys.executable, "-c", "import yaml"], capture_output=True).returncode != 0:
            self.skipTest("there is no python3-yaml")

    def said(self, text):
        done = subprocess.run([sys.executable, SOURCE / "packaging/objects.py"], input=text, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    @staticmethod
    def texts():
        return {path.stem: path.read_text() for path in (SOURCE / "packaging/kustomize").glob("*.yaml") if path.stem != "kustomization"}

    def test_nothing_is_not_enough(self):
        code, out, _ = self.said("")
        self.assertEqual((code, out.count("\n")), (1, 2))

    def test_planted_faults_are_named(self):
        for name, (file, old, new, says) in self.PLANTED.items():
            with self.subTest(name):
                texts = self.texts()
                self.assertIn(old, texts[file])
                texts[file] = texts[file].replace(old, new)
                code, out, err = self.said("\n---\n".join(texts.values()))
                self.assertEqual(code, 1, err)
                self.assertIn(f"objects: {says}", out)

    def test_the_objects_are_in_order(self):
        self.assertEqual(self.said("\n---\n".join(self.texts().values())), (0, "", ""))

    def test_what_kubectl_makes_of_them_is_in_order(self):
        if shutil.which("kubectl") is None:
            self.skipTest("there is no kubectl")
        done = subprocess.run(["kubectl", "kustomize", SOURCE / "packaging/kustomize"], capture_output=True, text=True)
        self.assertEqual(self.said(done.stdout), (0, "", ""), done.stderr)
        # A registry and a version, from one place.
        self.assertEqual(len(re.findall(r"image: registry\.example/sottod:[0-9.]+$", done.stdout, re.M)), 2)


if __name__ == "__main__":
    unittest.main()
