#!/usr/bin/env python3
"""No branch of the door depends on the secret (secret_branches.c), as compiled by three compilers:
this build's, gcc -O3, which is what `make build` installs, and clang -O2."""
import json
import os
import shlex
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from directory_case import DirectoryCase

BUILD, VALGRIND = Path(os.environ["BUILD"]), os.environ["VALGRIND"]
PROGRAM = os.environ["PROGRAM"]
ALLOWED = f"--suppressions={os.environ['SOURCE']}/tests/system/secret_branches.supp"
TARGETS = ("sotto_core.dir/", "sotto_client.dir/", "sotto_lab_random.dir/", "secret_branches.dir/")
REPORTED = 9


class Branches(DirectoryCase):
    def compiled(self, compiler, option):
        """Builds the program with this compiler and the flags of this build, except as given."""
        commands = [shlex.split(entry["command"]) for entry in json.loads((BUILD / "compile_commands.json").read_text())
                    if any(target in entry["command"] for target in TARGETS)]
        self.assertGreater(len(commands), 40)
        objects = [self.directory / f"{i}.o" for i in range(len(commands))]

        def compile_one(command, to):
            words = [word for word in command[1:command.index("-o")] if not word.startswith(("-O", "-g"))]
            # valgrind reads no newer form of what clang says for debuggers
            subprocess.run([compiler, *words, option, "-gdwarf-4", "-o", to, "-c", command[-1]], check=True, cwd=BUILD)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(compile_one, commands, objects))
        program = self.directory / "program"
        subprocess.run([compiler, "-Wl,--wrap=sotto__decide", *objects, "-lm", "-o", program], check=True)
        return program

    def run_part(self, program, part, *options):
        """The exit status and the output of valgrind."""
        done = subprocess.run([VALGRIND, "-q", f"--error-exitcode={REPORTED}", *options, program, part, self.terms],
                              capture_output=True, text=True, timeout=300)
        self.assertIn(f"{part}: done", done.stdout, done.stderr)
        return done.returncode, done.stderr

    def check(self, program):
        self.terms = self.directory / "terms"
        subprocess.run([program, "terms", self.terms], check=True)
        for part in ("door", "reward"):
            self.assertEqual(self.run_part(program, part), (0, ""))
        self.assertEqual(self.run_part(program, "round", ALLOWED), (0, ""))
        status, said = self.run_part(program, "twin")
        self.assertEqual(status, REPORTED)
        self.assertRegex(said, "(?s)depends on uninitialised value.*look_at")

    def test_of_this_build(self):
        self.check(PROGRAM)

    def test_of_what_is_installed(self):
        self.check(self.compiled("gcc", "-O3"))

    def test_of_clang(self):
        """Fails without clang: only this test shows that sotto__bit keeps what it hides."""
        self.check(self.compiled("clang", "-O2"))


if __name__ == "__main__":
    unittest.main()
