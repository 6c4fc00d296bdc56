#!/usr/bin/env python3
"""Methods, environments and mechanisms that users bring as shared objects: the examples, the same
numbers in both ways, and every way to misbehave. GUEST is tests/support/guest_plugin.c."""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from directory_case import DirectoryCase
from sotto_binary import SOTTO, sotto

GUEST, COIN, TASTES = os.environ["GUEST"], os.environ["COIN"], os.environ["TASTES"]
SOURCE, CC = Path(os.environ["SOURCE"]), os.environ["CC"]
PROBLEM = "--dim 3 --arms 4 --horizon 500 --seeds 3 --checkpoints 100".split()


def misdeed(**what):
    """The environment variables of a guest that misbehaves."""
    return {**os.environ, **{f"{part.upper()}_MISDEED": name for part, name in what.items()}}


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def methods(text):
    return sorted({row["method"] for row in rows(text)})


class Directory(DirectoryCase):
    def compiled(self, name, text):
        """Builds a shared object from this source."""
        source, out = self.directory / f"{name}.c", self.directory / f"{name}.so"
        source.write_text(text)
        subprocess.run([CC, "-std=c17", "-shared", "-fPIC", f"-I{SOURCE}/include", source, "-o", out], check=True)
        return out


class Loading(Directory):
    """Plug-ins that cannot be loaded are refused before anything is played, with a sentence that
    names them."""

    def refused(self, words, *options, command="simulate", env=None):
        options = options or ("--method", f"random,{self.path}", *PROBLEM)
        found = sotto(command, *options, env=env)
        self.assertEqual(found.returncode, 2, found.stderr)
        self.assertEqual(found.stdout, "")
        self.assertIn(words, found.stderr)

    def test_a_file_that_is_missing(self):
        self.path = "./no-such.so"
        self.refused("--method = ./no-such.so: No such file or directory")
        self.refused("--environment = ./no-such.so: No such file or directory", "--method", "random",
                     "--environment", self.path, *PROBLEM)
        self.refused("--mechanism = ./no-such.so: No such file or directory", "--mechanism", self.path, "--dim", 2,
                     "--epsilon", 1, command="audit")

    def test_commands_without_plug_ins_say_which_have_them(self):
        words = "plug-ins are for sotto simulate and sotto audit; allowed sotto, sotto-ols"
        self.refused(f"--method = {COIN}: {words}", "--method", COIN, *PROBLEM[:4], command="plan")
        self.refused(f"--method = ./coin.so: {words}", "--method", "sotto,./coin.so", "--data", "x.csv",
                     command="replay")

    def test_a_link_whose_rewards_the_environment_does_not_have(self):
        base = ("--method", "sotto", "--environment", TASTES, *PROBLEM)
        wrong = "and those of environment tastes are -2 to 2; use --reward-kind continuous, or --reward-range"
        self.refused(f"--link logit: rewards are then 0 or 1, {wrong}", *base, "--link", "logit")
        self.refused(f"--reward-kind binary: rewards are then 0 or 1, {wrong}", *base, "--reward-kind", "binary")
        self.refused(f"--link log: rewards are then counts from 0 on, {wrong}", *base, "--link", "log")
        for remedy in (("--reward-kind", "continuous"), ("--reward-range", "0,1")):
            found = sotto("simulate", *base, "--link", "logit", *remedy, "--quiet")
            self.assertEqual(found.returncode, 0, found.stderr)

    def test_a_directory_and_a_file_that_is_no_shared_object(self):
        self.path = f"{self.directory}/"
        self.refused("this is not a regular file")
        self.path = self.directory / "text.so"
        self.path.write_text("hello")
        self.refused(f"{self.path}: cannot be loaded as a shared object: file too short")

    def test_one_for_another_processor(self):
        head = bytearray(Path(SOTTO).read_bytes()[:64])
        head[18:20] = (4660).to_bytes(2, "little")  # an architecture that does not exist
        self.path = self.directory / "head.so"
        self.path.write_bytes(head)
        self.refused(f"--method = {self.path}: cannot be loaded as a shared object: ")

    def test_a_shared_object_without_the_symbol(self):
        self.path = self.compiled("empty", "int nothing;")
        self.refused(f"{self.path}: has no function sotto_plugin_get, so it is not a plug-in of Sotto")

    def test_one_with_a_symbol_that_nobody_defines(self):
        self.path = self.compiled("lost", "int nowhere(void); int sotto_plugin_get(void) { return nowhere(); }")
        self.refused("undefined symbol: nowhere")

    def test_another_abi_version(self):
        self.path = self.compiled("later", """
            #include <sotto/lab/plugins.h>
            const sotto_plugin *sotto_plugin_get(void)
            {
                static const sotto_plugin plugin = {.abi = 2, .struct_bytes = sizeof plugin};
                return &plugin;
            }""")
        self.refused(f"{self.path}: plug-in: its ABI version is 2; allowed 1")

    def test_a_table_of_another_abi_version(self):
        self.path = self.compiled("mixed", """
            #include <sotto/lab/plugins.h>
            const sotto_plugin *sotto_plugin_get(void)
            {
                static const sotto_player_table player = {.abi = 7};
                static const sotto_plugin plugin = {SOTTO_TABLE(sotto_plugin), .player = &player};
                return &plugin;
            }""")
        self.refused(f"{self.path}: method: its ABI version is 7; allowed 1")

    def test_one_that_gives_nothing(self):
        self.path = self.compiled("null", """
            #include <sotto/lab/plugins.h>
            const sotto_plugin *sotto_plugin_get(void) { return NULL; }""")
        self.refused("sotto_plugin_get returned NULL")

    def test_one_that_brings_something_else(self):
        self.path = TASTES
        self.refused(f"{TASTES}: contains no method")
        self.refused(f"{COIN}: contains no environment", "--method", "random", "--environment", COIN, *PROBLEM)
        self.refused(f"{TASTES}: contains no mechanism", "--mechanism", TASTES, "--dim", 2, "--epsilon", 1,
                     command="audit")

    def test_one_that_crashes_or_exits_when_it_is_loaded(self):
        self.path = GUEST
        self.refused(f"{GUEST}: crashed with signal 11 (", env=misdeed(load="crashes"))
        self.refused(f"{GUEST}: ended the process with status 3", env=misdeed(load="exits"))

    def test_a_function_that_is_missing(self):
        self.path = GUEST
        self.refused("method guest: its function decide is missing", env={**os.environ, "METHOD_WITHOUT": "decide"})

    def test_names_of_ours_and_names_that_break_a_row(self):
        self.path = GUEST
        self.refused(f'{GUEST}: method: its name "sotto" is that of a built-in one',
                     env={**os.environ, "METHOD_NAME": "sotto"})
        self.refused('its name is "a,b": allowed 1 to 31 letters', env={**os.environ, "METHOD_NAME": "a,b"})

    def test_an_environment_with_a_name_of_ours(self):
        path = self.compiled("ball", """
            #include <sotto/lab/plugins.h>
            static const char *make(void *u, const sotto_problem *p, sotto_stream *s, void **state, char *t) { return 0; }
            static const char *context(void *state, sotto_stream *s, double *c, char *t) { return 0; }
            static const char *means(void *state, const double *c, double *m, char *t) { return 0; }
            const sotto_plugin *sotto_plugin_get(void)
            {
                static const sotto_environment_table table = {
                    SOTTO_TABLE(sotto_environment_table), .name = "ball", .shared = true,
                    .context_norm_max = 1, .theta_norm_max = 1, .reward_lo = -1, .reward_hi = 1,
                    .make = make, .context = context, .means = means};
                static const sotto_plugin plugin = {SOTTO_TABLE(sotto_plugin), .environment = &table};
                return &plugin;
            }""")
        self.refused(f'--environment = {path}: environment: its name "ball" is that of a built-in one', "--method",
                     "random", "--environment", path, *PROBLEM)

    def test_the_same_name_twice(self):
        self.path = f"{GUEST},{GUEST}"
        self.refused("its name guest is also that of another plug-in")
        self.path = f"random,{GUEST}"
        self.refused("random: each method may be given only once")

    def test_options_that_do_not_go_with_it(self):
        self.refused("--codebook-size does not apply to a plug-in", "--mechanism", COIN, "--dim", 2, "--epsilon", 1,
                     "--codebook-size", 4, command="audit")
        self.refused("--constants: only for the lab's own environments", "--constants", "--environment", TASTES,
                     "--dim", 3, "--arms", 4)
        self.refused("parameters = per-arm: environment tastes has shared parameters only", "--method", "random",
                     "--environment", TASTES, "--parameters", "per-arm", *PROBLEM)
        self.refused("only environments of the lab's own have liars", "--method", "sotto", "--environment", TASTES,
                     "--liars", "0.1", *PROBLEM)


class Misdeeds(unittest.TestCase):
    """A plug-in that fails in a run loses only its own rows."""

    def check(self, words, env, options=()):
        """Rows of all but the guest, its sentence, and exit status 1."""
        found = sotto("simulate", "--method", f"ols,{GUEST},random", *PROBLEM, *options, env=env)
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn(words, found.stderr)
        self.assertIn("the rows of 3 of 3 seeds are missing", found.stderr)
        return found

    def method_fails(self, what, words):
        without = sotto("simulate", "--method", "ols,random", *PROBLEM)
        found = self.check(words, misdeed(method=what))
        self.assertEqual(found.stdout, without.stdout)
        self.assertIn(", in the run of guest at epsilon 1, seed 1; ", found.stderr)

    def test_an_arm_out_of_range(self):
        self.method_fails("arm-too-large", "method guest, round 50: decide chose arm 4: allowed 0 to 3")

    def test_a_report_that_is_too_long(self):
        self.method_fails("report-too-long", "round 50: report wrote 25 bytes: allowed 0 to its own report_bytes_max = 24")

    def test_a_nan(self):
        self.method_fails("estimate-is-nan", "method guest, round 100: number 0 of its estimate is nan")

    def test_a_sentence_of_its_own(self):
        self.method_fails("decide-fails", "method guest, round 50: heads, or tails?")
        self.method_fails("make-fails", "method guest: no chair is free")

    def test_a_crash(self):
        self.method_fails("crashes", "method guest: crashed with signal 11 (Segmentation fault)")
        self.method_fails("aborts", "method guest: crashed with signal 6 (Aborted)")

    def test_an_exit(self):
        self.method_fails("exits", "method guest: ended the process with status 0")

    def environment_fails(self, what, words):
        found = sotto("simulate", "--method", "ols,random", "--environment", GUEST, *PROBLEM,
                      env=misdeed(environment=what))
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertEqual(rows(found.stdout), [])
        for method in ("ols", "random"):
            self.assertRegex(found.stderr, re.escape(words) + rf".*, in the run of {method} at epsilon 1, seed 1; "
                             "the rows of 3 of 3 seeds are missing")

    def test_an_environment_that_misbehaves(self):
        self.environment_fails("context-too-long", "environment garden, round 50: row 0 of the context has length 1.5")
        self.environment_fails("context-is-nan", "environment garden, round 50: number 1 of the context is nan")
        self.environment_fails("mean-is-nan", "environment garden, round 50: the mean of arm 1 is nan: allowed -2 to 2")
        self.environment_fails("means-overflow", "environment garden, round 50: means wrote more than 4 numbers, one per arm")
        self.environment_fails("reward-too-large", "environment garden, round 50: the reward of arm")
        self.environment_fails("crashes", "environment garden: crashed with signal 11 (Segmentation fault)")

    def test_a_run_that_ends_before_the_misdeed_is_whole(self):
        found = sotto("simulate", "--method", GUEST, *PROBLEM, "--checkpoints", "40", "--horizon", 49,
                      env=misdeed(method="crashes"))
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(len(rows(found.stdout)), 6)

    def coin_that(self, place, old, new):
        """The coin with another text in it, compiled."""
        source, out = Path(place) / "changed.c", Path(place) / "changed.so"
        text = (SOURCE / "examples/plugin_coin.c").read_text()
        self.assertIn(old, text)
        source.write_text("#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n" + text.replace(old, new, 1))
        subprocess.run([CC, "-std=gnu17", "-shared", "-fPIC", f"-I{SOURCE}/include", source, "-o", out, "-lm"], check=True)
        return out

    def test_what_it_prints_is_not_among_the_rows(self):
        for old in ("    coin *self = calloc", "    static const sotto_plugin plugin"):
            with tempfile.TemporaryDirectory() as place:
                loud = self.coin_that(place, old, '    puts("HELLO");\n' + old)
                found = sotto("simulate", "--method", loud, *PROBLEM)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertEqual(methods(found.stdout), ["coin"])
            self.assertNotIn("HELLO", found.stdout)
            self.assertIn("HELLO", found.stderr)

    def audit_of_a_coin_that(self, deed):
        old = "    uint8_t bytes[3];\n    size_t count;"
        with tempfile.TemporaryDirectory() as place:
            changed = self.coin_that(place, old, deed + old)
            return sotto("audit", "--mechanism", changed, "--dim", 1, "--epsilon", 1, "--trials", 1000, "--seed", 1, "--json")

    def test_an_audit_is_told_by_us_alone(self):
        found = self.audit_of_a_coin_that('    puts("HELLO");\n')
        self.assertEqual(json.loads(found.stdout)["verdict"], "no_violation")
        self.assertIn("HELLO", found.stderr)
        twice = self.audit_of_a_coin_that("    static int once;\n    if (once++ == 0) fork();\n")
        self.assertEqual(json.loads(twice.stdout)["verdict"], "no_violation")

    def test_an_audit_without_an_answer_is_inconclusive(self):
        mute = self.audit_of_a_coin_that("    for (int i = 0; i < 64; i++) close(i);\n")
        self.assertEqual((mute.returncode, mute.stdout), (2, ""))
        self.assertIn("inconclusive: mechanism coin: ended the process with status 1", mute.stderr)
        babble = self.audit_of_a_coin_that('    for (int i = 3; i < 64; i++) (void)!write(i, "nonsense", 8);\n')
        self.assertEqual((babble.returncode, babble.stdout), (2, ""))
        self.assertIn("inconclusive: mechanism coin: wrote into a pipe that is not its own", babble.stderr)

    def test_a_process_that_it_leaves_behind_holds_no_audit_up(self):
        waits = "{ close(1); close(2); while (kill(audit, 0) == 0) usleep(10000); _exit(0); }"
        left = self.audit_of_a_coin_that(f"    pid_t audit = getppid();\n    if (fork() == 0) {waits}\n    abort();\n")
        self.assertEqual((left.returncode, left.stdout), (2, ""))
        self.assertIn("inconclusive: mechanism coin: crashed with signal 6 (Aborted)", left.stderr)

    def test_a_file_that_crashes_when_it_is_closed_is_refused(self):
        old = "const sotto_plugin *sotto_plugin_get(void)"
        with tempfile.TemporaryDirectory() as place:
            bad = self.coin_that(place, old, "__attribute__((destructor)) static void last(void) { abort(); }\n" + old)
            found = sotto("simulate", "--method", bad, *PROBLEM)
        self.assertEqual((found.returncode, found.stdout), (2, ""))
        self.assertIn("changed.so: crashed with signal 6 (Aborted)", found.stderr)

    def test_who_never_ends_can_be_interrupted(self):
        with tempfile.TemporaryDirectory() as place:
            out = Path(place) / "rows.csv"
            process = subprocess.Popen([SOTTO, "simulate", "--method", f"{GUEST},random", *PROBLEM, "--out", str(out)],
                                       stderr=subprocess.PIPE, text=True, env=misdeed(method="never-ends"))
            time.sleep(1)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 1)
            self.assertIn("stopped by a signal: 3 of 6 runs are finished", said)
            self.assertEqual(methods(out.read_text()), ["random"])

    def test_a_mechanism_that_misbehaves_leaves_the_audit_inconclusive(self):
        for what, words in (("crashes", "mechanism murmur: crashed with signal 11 (Segmentation fault)"),
                            ("exits", "mechanism murmur: ended the process with status 0"),
                            ("draw-fails", "mechanism murmur: dry"),
                            ("answer-left-out", "mechanism murmur: number 1 of an answer is nan")):
            found = sotto("audit", "--mechanism", GUEST, "--dim", 2, "--epsilon", 1, "--trials", 1000,
                          env=misdeed(mechanism=what))
            self.assertEqual(found.returncode, 2, what)
            self.assertIn("sotto audit: inconclusive: " + words, found.stderr)


class Playing(Directory):
    def test_both_doors_give_the_same_numbers(self):
        by_file = sotto("simulate", "--method", f"sotto,{COIN}", "--environment", TASTES, "--dim", 4, "--arms", 3,
                        "--horizon", 2000, "--epsilon", "2,8", "--seeds", 3)
        self.assertEqual(by_file.returncode, 0, by_file.stderr)
        by_callbacks = subprocess.run([os.environ["OUTSIDE_GUESTS"]], capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(rows(by_callbacks)), 3 * 2 * 3 * 11)
        self.assertEqual(by_file.stdout, by_callbacks)

    def test_threads_change_nothing(self):
        options = ("simulate", "--method", f"random,{COIN},sotto", "--environment", TASTES, *PROBLEM)
        self.assertEqual(sotto(*options, "--threads", 1).stdout, sotto(*options, "--threads", 3).stdout)

    def test_our_methods_keep_their_numbers_beside_it(self):
        beside = sotto("simulate", "--method", f"sotto,{COIN},ols", *PROBLEM).stdout
        alone = sotto("simulate", "--method", "sotto,ols", *PROBLEM).stdout
        self.assertEqual([r for r in rows(beside) if r["method"] != "coin"], rows(alone))

    def test_all_methods_meet_the_same_people(self):
        """The oracle loses nothing, and a random arm loses the same as without it."""
        both = rows(sotto("simulate", "--method", f"oracle,random,{COIN}", "--environment", TASTES, *PROBLEM).stdout)
        alone = rows(sotto("simulate", "--method", "random", "--environment", TASTES, *PROBLEM).stdout)
        self.assertEqual([r for r in both if r["method"] == "random"], alone)
        self.assertEqual({float(r["regret"]) for r in both if r["method"] == "oracle"}, {0})
        self.assertEqual({r["estimation_error"] for r in both}, {"nan"})

    def test_it_learns(self):
        last = {}
        for row in rows(sotto("simulate", "--method", f"random,{COIN}", "--dim", 3, "--arms", 4, "--horizon", 20000,
                              "--seeds", 3, "--epsilon", 4).stdout):
            if row["t"] == "20000":
                last.setdefault(row["method"], []).append(float(row["regret"]))
        self.assertLess(max(last["coin"]), min(last["random"]) / 5)

    def test_its_claim_is_told_and_not_believed(self):
        said = sotto("simulate", "--method", COIN, *PROBLEM).stderr
        self.assertIn("method coin claims to be private at epsilon: that is not checked here", said)
        said = sotto("simulate", "--method", GUEST, *PROBLEM).stderr
        self.assertIn("method guest does not claim to be private", said)
        self.assertNotIn("claim", sotto("simulate", "--method", GUEST, *PROBLEM, "--quiet").stderr)

    def test_options_that_its_environment_has_no_use_for_are_named(self):
        options = ("simulate", "--method", "random", *PROBLEM, "--noise", 3, "--theta-norm", "0.5", "--environment")
        said = sotto(*options, TASTES).stderr
        self.assertIn("--noise changes nothing here: it is for environments that do not draw rewards themselves", said)
        self.assertIn("--theta-norm changes nothing here: it is for environments of the lab's own", said)
        self.assertNotIn("changes nothing", sotto(*options, "sphere").stderr)

    def test_a_range_that_is_narrower_clips_rewards_and_is_no_failure(self):
        found = sotto("simulate", "--method", f"ols,{COIN}", "--environment", TASTES, *PROBLEM, "--reward-range", "-1,1")
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_the_audit_finds_the_example_private(self):
        found = sotto("audit", "--mechanism", COIN, "--dim", 3, "--epsilon", 1, "--trials", 30000, "--seed", 2)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
        self.assertIn("coin, dim 3, epsilon 1", found.stdout)

    def test_the_audit_catches_the_example_without_its_clipping(self):
        text = (SOURCE / "examples/plugin_coin.c").read_text()
        broken = text.replace("fmax(-1, fmin(1, ", "((").replace("self->bias = tanh(epsilon / 2)", "self->bias = 1")
        self.assertNotEqual(text, broken)
        path = self.compiled("broken", broken)
        found = sotto("audit", "--mechanism", path, "--dim", 3, "--epsilon", 1, "--trials", 30000, "--seed", 2)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)

    def test_summary_and_json_name_it(self):
        found = sotto("simulate", "--method", COIN, "--environment", TASTES, *PROBLEM, "--summary")
        self.assertIn("tastes, shared, identity", found.stdout)
        self.assertRegex(found.stdout, r"\ncoin +1 +3 ")
        found = sotto("simulate", "--method", COIN, "--environment", TASTES, *PROBLEM, "--json")
        self.assertIn('{"method": "coin", "epsilon": 1, "seed": 1, "t": 100, ', found.stdout)

    def test_a_file_without_a_slash_is_looked_for_here(self):
        shutil.copy(COIN, self.directory / "coin.so")
        found = subprocess.run([SOTTO, "simulate", "--method", "coin.so", *PROBLEM], cwd=self.directory, capture_output=True,
                               text=True)
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_a_sweep_resumes_with_the_same_build_and_refuses_another(self):
        plugin, keep = self.directory / "coin.so", self.directory / "sweep.jsonl"
        shutil.copy(COIN, plugin)
        options = ("simulate", "--method", f"random,{plugin}", *PROBLEM, "--resume", keep)
        first = sotto(*options)
        self.assertEqual(first.returncode, 0, first.stderr)
        kept = keep.read_bytes()
        self.assertEqual(sotto(*options).stdout, first.stdout)
        more = sotto(*options, "--seeds", 4)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.assertEqual(len(rows(more.stdout)), 16)
        keep.write_bytes(kept)
        plugin.write_bytes(plugin.read_bytes() + b"\0")  # another build, by its digest
        other = sotto(*options)
        self.assertEqual(other.returncode, 2)
        self.assertIn("the file belongs to sweep", other.stderr)
        self.assertEqual(keep.read_bytes(), kept)

    def test_failed_runs_are_not_kept_and_played_again(self):
        keep = self.directory / "sweep.jsonl"
        options = ("simulate", "--method", f"random,{GUEST}", *PROBLEM, "--resume", keep)
        first = sotto(*options, env=misdeed(method="crashes"))
        self.assertEqual(first.returncode, 1)
        self.assertEqual(methods(first.stdout), ["random"])
        second = sotto(*options)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(methods(second.stdout), ["guest", "random"])


if __name__ == "__main__":
    unittest.main()
