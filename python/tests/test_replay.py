"""Replays of DataFrames and files: the numbers of `sotto replay`, and what frames can hold."""

import html
import io
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy
import pandas
from pandas.testing import assert_frame_equal

import sotto
from test_method import Coin

SOTTO = os.environ["SOTTO"]


def people(rows=400):
    draw = numpy.random.default_rng(1)
    found = pandas.DataFrame({
        "age": draw.integers(18, 80, rows), "income": draw.normal(size=rows).round(3),
        "job": draw.choice(["nurse", "driver", "one, two"], rows), "member": draw.random(rows) < 0.5})
    wants = found.age / 40 - 1.2 + found.income + (found.job == "nurse") + found.member
    found["buys"] = numpy.where(wants > 0.8, "yes", "no")
    return found


def events(rows=600):
    draw = numpy.random.default_rng(2)
    found = pandas.DataFrame({"age": draw.integers(18, 80, rows), "item": draw.integers(0, 3, rows)})
    found["p"] = numpy.where(found.item == 2, 0.5, 0.25)
    found["click"] = ((found.age > 40) == (found.item == 1)).astype(int)
    return found


RANGES = {"age": (0, 100), "income": (-4, 4), "job": ["nurse", "driver", "one, two"], "member": [False, True],
          "buys": ["no", "yes"]}


def replay(data, **options):
    """Without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return sotto.replay(data, **options)


class Bench(unittest.TestCase):
    """Temporary files go to a directory of the test's own, which is empty afterwards."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.temporary = os.path.join(self.directory.name, "temporary")
        os.mkdir(self.temporary)
        tempfile.tempdir = self.temporary

    def tearDown(self):
        left = os.listdir(self.temporary)
        tempfile.tempdir = None
        self.directory.cleanup()
        self.assertEqual([], left)

    def path(self, name, content=None):
        path = os.path.join(self.directory.name, name)
        if isinstance(content, pandas.DataFrame):
            content.to_csv(path, index=False)
        elif content is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return path

    def command_line(self, data, *words):
        ran = subprocess.run([SOTTO, "replay", "--data", data, "--csv", "--quiet", *map(str, words)], check=True,
                             capture_output=True,
                             text=True)
        return pandas.read_csv(io.StringIO(ran.stdout), float_precision="round_trip", keep_default_na=False,
                               na_values={"people_needed": "nan"})

    def assert_same(self, printed, mine):
        self.assertEqual(list(printed.columns), list(mine.columns))
        for name in printed.columns:
            if mine[name].dtype.kind == "f":
                printed[name] = printed[name].astype(float)
        assert_frame_equal(printed, mine, check_exact=True, check_dtype=False)

    def assert_as_on_the_command_line(self, frame, words, options):
        csv = self.path("people.csv", frame)
        found = replay(frame, **options)
        self.assert_same(self.command_line(csv, *words), found.rows)
        self.assert_same(self.command_line(csv, *words, "--summary"), found.summary)
        return found


class Labels(Bench):
    def test_the_numbers_are_those_of_the_command_line(self):
        found = self.assert_as_on_the_command_line(
            people(), ["--label", "buys", "--ranges-from-data", "--seeds", 4, "--epsilon", "1,8", "--method",
                       "sotto,ldp-ols"],
            {"label": "buys", "ranges_from_data": True, "seeds": 4, "epsilon": [1, 8], "method": ["sotto", "ldp-ols"]})
        self.assertEqual(("data", False, ["no", "yes"]), (found.ranges, found.log, found.arms))
        self.assertEqual({"rows": 400, "missing": 0, "clipped": 0, "unknown": 0, "unlabelled": 0}, found.counts)

    def test_options_are_those_of_the_command_line(self):
        self.assert_as_on_the_command_line(
            people(), ["--label", "buys", "--ignore", "job,age", "--ranges-from-data", "--seeds", 2, "--horizon", 300,
                       "--passes", 2,
                       "--order", "file", "--warmup", 20, "--checkpoints", "10,100", "--link", "logit", "--threads", 1],
            {"label": "buys", "ignore": ["job", "age"], "ranges_from_data": True, "seeds": 2, "horizon": 300,
             "passes": 2, "order": "file",
             "warmup": 20, "checkpoints": [10, 100], "link": "logit", "threads": 1})

    def test_a_weak_delta_is_that_of_the_command_line(self):
        self.assert_as_on_the_command_line(
            people(), ["--label", "buys", "--ranges-from-data", "--seeds", 1, "--horizon", 100, "--method", "ldp-ols",
                       "--delta", "0.001", "--allow-weak-delta"],
            {"label": "buys", "ranges_from_data": True, "seeds": 1, "horizon": 100, "method": "ldp-ols",
             "delta": 0.001, "allow_weak_delta": True})

    def test_a_schema_file(self):
        schema = self.path("my.schema", "number age 0 100\nnumber income -4 4\ncategory job nurse driver\n"
                                        "category member False True\nlabel buys no yes\n")
        found = self.assert_as_on_the_command_line(people(), ["--schema", schema, "--seeds", 2],
                                                   {"schema": schema, "seeds": 2})
        self.assertEqual("public", found.ranges)
        self.assertGreater(found.counts["unknown"], 50)
        self.assertNotIn("taken from people's rows", str(found))

    def test_ranges_are_a_schema(self):
        by_ranges = replay(people(), label="buys", ranges=RANGES, seeds=2)
        schema = self.path("same.schema", by_ranges.schema)
        by_file = replay(people(), schema=schema, seeds=2)
        assert_frame_equal(by_ranges.rows, by_file.rows)
        self.assertEqual("public", by_ranges.ranges)
        self.assertIn('category job nurse driver "one, two"', by_ranges.schema)
        self.assertIn("number age 0 100 log", replay(people(), label="buys", ranges={**RANGES, "age": (0, 100, "log")},
                                                     seeds=1).schema)

    def test_a_file(self):
        path = self.path("people.csv", people())
        from_file = replay(path, label="buys", ignore="job", ranges_from_data=True, seeds=2)
        from_frame = replay(people(), label="buys", ignore="job", ranges_from_data=True, seeds=2)
        assert_frame_equal(from_file.rows, from_frame.rows)
        self.assertIn(path, str(from_file))
        semicolons = self.path("other.csv", people().to_csv(index=False, sep=";", decimal=","))
        again = replay(semicolons, label="buys", ignore="job", ranges_from_data=True, seeds=2, separator="semicolon",
                       decimal="comma",
                       header="yes")
        assert_frame_equal(from_file.rows, again.rows)

    def test_words(self):
        found = replay(people(4000), label="buys", ranges=RANGES, seeds=8, epsilon=8, ignore=[])
        printed = " ".join(str(found).split())
        for said in [found.recommendation] + found.verdicts[:2] + found._words:
            self.assertIn(" ".join(said.split()), printed)
            self.assertIn(said, html.unescape(found._repr_html_()))
        self.assertTrue(printed.startswith("Recommendation: sotto at epsilon 8. It learns from these 4000 people."), printed)
        self.assertEqual(found.recommendation, found.verdicts[0])
        self.assertTrue(found.verdicts[1].startswith("Epsilon 8: learnt. sotto is ahead of the majority arm by "), found.verdicts)
        self.assertIn("sotto at epsilon 8: better than one arm for all", found.verdicts)
        self.assertIn("best-arm at epsilon 8: one arm for all: what this epsilon buys without context", found.verdicts)
        self.assertIn("4000 people, contexts of 8 numbers, 2 arms", repr(found))

    def test_words_fit_the_terminal(self):
        found = replay(people(), label="buys", ranges=RANGES, seeds=2, epsilon=[1, 8])
        for columns in (60, 80, 120):
            with self.subTest(columns=columns), unittest.mock.patch.dict(os.environ, COLUMNS=str(columns)):
                self.assertLessEqual(max(map(len, str(found).splitlines())), columns)

    def test_reasons_are_those_of_the_command_line(self):
        coins = people(2000)
        coins["buys"] = numpy.random.default_rng(3).choice(["no", "yes"], 2000)
        for frame, epsilon in ((coins, 8), (people(2000), 0.05)):
            csv = self.path("people.csv", frame)
            ran = subprocess.run([SOTTO, "replay", "--data", csv, "--label", "buys", "--ranges-from-data", "--summary",
                                  "--seeds", "5", "--epsilon", str(epsilon)], check=True, capture_output=True, text=True).stdout
            found = replay(frame, label="buys", ranges_from_data=True, epsilon=epsilon, seeds=5)
            self.assertTrue(" ".join(ran.split()).startswith(" ".join(found.verdicts[:2])), ran)
            for word in found._words[:2]:
                self.assertIn(word, " ".join(ran.split()))


class Logs(Bench):
    OPTIONS = {"action": "item", "reward": "click", "propensity": "p", "seeds": 3, "epsilon": 8}

    def test_the_numbers_are_those_of_the_command_line(self):
        found = self.assert_as_on_the_command_line(
            events(), ["--action", "item", "--reward", "click", "--propensity", "p", "--ranges-from-data", "--seeds", 3,
                       "--epsilon", 8],
            {**self.OPTIONS, "ranges_from_data": True})
        self.assertEqual((True, ["0", "1", "2"]), (found.log, found.arms))

    def test_estimates_have_intervals(self):
        found = replay(events(), **self.OPTIONS, ranges={"age": (18, 80), "item": [0, 1, 2], "click": (0, 1)})
        estimates = found.estimates
        self.assertEqual(["replay", "ips", "self_normalised", "direct", "doubly_robust"], list(estimates.estimator[:5]))
        self.assertTrue((estimates.lo < estimates.value).all() and (estimates.value < estimates.hi).all())
        self.assertIn("doubly robust", str(found))
        self.assertTrue(any("one arm for all" in verdict for verdict in found.verdicts))

    def test_one_chance_for_all(self):
        by_column = replay(events().assign(p=0.5), **self.OPTIONS, ranges_from_data=True)
        by_number = replay(events().drop(columns="p"), **{**self.OPTIONS, "propensity": 0.5}, ranges_from_data=True)
        in_ranges = replay(events().drop(columns="p"), **{**self.OPTIONS, "propensity": 0.5},
                           ranges={"age": (18, 79), "item": [0, 1, 2], "click": (0, 1)})
        assert_frame_equal(by_column.rows, by_number.rows)
        assert_frame_equal(by_column.rows.drop(columns="ranges"), in_ranges.rows.drop(columns="ranges"))

    def test_labels_have_no_estimates(self):
        self.assertEqual(0, len(replay(people(), label="buys", ranges_from_data=True, seeds=1).estimates))


class Frames(Bench):
    def play(self, frame, **options):
        return replay(frame, **{"label": "buys", "ranges_from_data": True, "seeds": 1, **options})

    def test_the_same_rows_in_other_columns(self):
        wanted = self.play(people()).rows
        for other in (people().set_index(numpy.arange(400) * 7 % 401),
                      people().astype({"job": "category", "buys": "category"}),
                      people().astype({"job": "string", "age": "Int64", "member": "boolean"}),
                      people().astype({"age": object}),
                      people().set_index(pandas.MultiIndex.from_arrays([range(400), ["a"] * 400]))):
            assert_frame_equal(wanted, self.play(other).rows)

    def test_missing_values(self):
        frame = people()
        frame.loc[:9, "age"] = numpy.nan
        frame.loc[5:14, "job"] = None
        frame.loc[20:22, "buys"] = None
        with self.assertWarnsRegex(UserWarning, "column buys: .*(3 rows|skipped|without)"):
            found = sotto.replay(frame, label="buys", ranges_from_data=True, seeds=1)
        self.assertEqual((20, 3, 397), tuple(found.counts[name] for name in ("missing", "unlabelled", "rows")))
        self.assertIn("3 rows without a label were left out", str(found))
        self.assertEqual(found.counts, self.play(frame, ranges=RANGES, ranges_from_data=False).counts)

    def test_what_a_draft_leaves_out_is_warned_of(self):
        frame = people().assign(name=[f"x{i}" for i in range(400)])
        with self.assertWarnsRegex(UserWarning, "column name: ignored: .* more than 256 levels"):
            sotto.replay(frame, label="buys", ranges_from_data=True, seeds=1)

    def test_names_that_need_quotes(self):
        named = people().rename(columns={"age": "age, in years", "income": 'the "income"', "job": 7})
        assert_frame_equal(self.play(people()).rows, self.play(named).rows)
        ranges = {"age, in years": (0, 100), 'the "income"': (-4, 4), "7": RANGES["job"], "member": [False, True],
                  "buys": ["no", "yes"]}
        public = {"ranges": RANGES, "ranges_from_data": False}
        assert_frame_equal(self.play(people(), **public).rows, self.play(named, **{**public, "ranges": ranges}).rows)

    def test_text_that_looks_like_numbers_is_no_number(self):
        codes = numpy.random.default_rng(5).choice([1, 2, 30], 400)
        wanted = self.play(people().assign(code=[f"z0{code}" for code in codes])).rows
        for column in ([f"0{code}" for code in codes], pandas.Categorical(codes),
                       pandas.Categorical(codes.astype(float)),
                       pandas.array([f"0{code}" for code in codes], dtype="string")):
            found = self.play(people().assign(code=column))
            self.assertRegex(found.schema, "(?m)^category \"?code")
            assert_frame_equal(wanted, found.rows)
        self.assertRegex(self.play(people().assign(code=codes)).schema, "(?m)^number code 1 30")

    def test_many_numbers_as_text_are_ignored(self):
        with self.assertWarnsRegex(UserWarning, "column .?postcode.?: ignored: text, and more than 256 levels"):
            sotto.replay(people().assign(postcode=[f"{i:05}" for i in range(400)]), label="buys", ranges_from_data=True,
                         seeds=1)

    def test_text_with_anything_in_it(self):
        words = ['a "b"', "line\nline", " blank ", "semi;colon", "tab\tbed", "#hash", "x..9", "carriage\rreturn"]
        frame = people().assign(job=[words[i % 8] for i in range(400)])
        self.assertEqual(0, self.play(frame).counts["unknown"])

    def test_text_beyond_ascii(self):
        frame = people().replace({"job": {"nurse": "Pflegekraft, größer"}, "buys": {"yes": "はい"}})
        self.assertEqual(["no", "はい"], self.play(frame).arms)

    def test_frames_that_cannot_be_used(self):
        frame = people()
        twice = pandas.concat([frame, frame[["age"]]], axis=1)
        for bad, why in (
                (frame.head(0), "data has no rows"), (pandas.DataFrame(), "has no such column"),
                (twice, "column 'age' is there twice"),
                (frame.assign(**{"7": 1}).rename(columns={"job": 7}), "column '7' is there twice"),
                (frame.assign(age=[1, "two"] * 200),
                 "column 'age' holds 1 (number) and 'two' (text): expected values of one type"),
                (frame.assign(age=[True, 3] * 200), "holds True (bool) and 3 (number)"),
                (frame.assign(job=[["a"]] * 400), "column 'job' holds ['a'] (list)"),
                (frame.assign(job=b"a"), "holds b'a' (bytes)"),
                (frame.assign(age=numpy.inf), "column 'age' holds inf: expected finite"),
                (frame.assign(age=[-numpy.inf, None] * 200).astype(object), "holds -inf"),
                (frame.assign(age=pandas.Timestamp("2020-01-01")), "column 'age' is datetime64[ns]: make it numbers"),
                (frame.assign(age=1j), "column 'age' is complex128"), (frame.assign(job="a\udc80b"), "not valid UTF-8"),
                (frame.assign(job="a\0b"), "a zero byte"), (frame.assign(**{"a\nb": 1}),
                                                            "expected a name of printable"),
                (frame.assign(**{" ": 1}), "expected a name"), (frame.T, "has no such column"),
                (pandas.concat({"a": frame}, axis=1), "columns of several levels"), (frame[["buys"]], "feature"),
                ([[1, 2]], "expected a DataFrame"), (None, "expected a DataFrame"), ("-", "expected a DataFrame"),
                ("/no/such/file.csv", "/no/such/file.csv: cannot be read")):
            with self.subTest(why=why), self.assertRaises(sotto.FaultError) as caught:
                self.play(bad)
            self.assertIn(why, str(caught.exception))

    def test_rows_that_do_not_fit_are_named_without_the_path_of_a_temporary_file(self):
        with self.assertRaisesRegex(sotto.FaultError, 'the frame: line .*column "buys": "yes" is not one of no maybe'):
            self.play(people(), ranges={**RANGES, "buys": ["no", "maybe"]}, ranges_from_data=False)


class Faults(Bench):
    def test_arguments_that_do_not_go_together(self):
        schema = self.path("my.schema", "number age 0 100\nlabel buys no yes\nothers ignore\n")
        for options, why in (
                ({}, "the roles of its columns are unknown"),
                ({"label": "buys"}, "ranges_from_data=True takes them from people's rows"),
                ({"schema": schema, "label": "buys"}, "label: only without schema"),
                ({"schema": schema, "ignore": "age"}, "ignore: only"),
                ({"schema": schema, "ranges": {}}, "ranges: only without schema"),
                ({"schema": {}}, "ranges= takes a dict"),
                ({"label": "buys", "action": "job"}, "label: a log has an action instead"),
                ({"action": "job", "ranges_from_data": True}, "a log needs action, reward and propensity"),
                ({"label": "buys", "ranges": {}, "ranges_from_data": True}, "give only one"),
                ({"label": "buy", "ranges_from_data": True},
                 "label = 'buy': data has no such column; did you mean 'buys'?"),
                ({"label": 3, "ranges_from_data": True}, "label = 3: expected the name"),
                ({"label": "buys", "ignore": "jb", "ranges_from_data": True}, "ignore = 'jb': data has no such column"),
                ({"label": "buys", "ranges": {"age": (0, 100)}},
                 "ranges has no 'buys': the label needs a list of its levels"),
                ({"label": "buys", "ranges": {**RANGES, "buys": (0, 1)}}, "the label needs a list of levels"),
                ({"label": "buys", "ranges": {**RANGES, "age": (9, 1)}}, "the smallest and the largest"),
                ({"label": "buys", "ranges": {**RANGES, "age": 3}}, "expected (lo, hi) or a list"),
                ({"label": "buys", "ranges": {**RANGES, "age": (1, 2, 3)}}, "expected (lo, hi), (lo, hi, 'log')"),
                ({"label": "buys", "ranges": [1]}, "expected a dict"),
                ({"label": "buys", "ranges": {"buys": ["no", "yes"], "age": (0, 9)}},
                 "ranges has no 'income': give its range"),
                ({"label": "buys", "ranges": {**RANGES, "agr": (0, 9)}},
                 "ranges: data has no column 'agr'; did you mean 'age'?"),
                ({"label": "buys", "ranges_from_data": True, "separator": "comma"}, "only with the path of a file"),
                ({"action": "job", "reward": "age", "propensity": 2, "ranges_from_data": True},
                 "propensity = 2: expected")):
            with self.subTest(options=options), self.assertRaises(sotto.FaultError) as caught:
                replay(people(), **options)
            self.assertIn(why, str(caught.exception))

    def test_bad_numbers_and_names(self):
        for options, why in (
                ({"method": "soto"}, "did you mean 'sotto'"), ({"method": []}, "method: a list needs at least one"), ({"ignore": 5}, "ignore = 5: expected the names"),
                ({"method": "ldp-ols", "delta": 0.01}, "above 1e-6 only with allow_weak_delta"),
                ({"progress": True}, "progress = True: expected None, or a function"),
                ({"method": "oracle"}, "method = oracle"),
                ({"method": ["sotto", "sotto"]}, "only once"), ({"epsilon": 0}, "epsilon = 0: allowed 0.01"),
                ({"epsilon": "1"}, "expected a number"),
                ({"epsilon": [1, 1]}, "only once"), ({"seeds": 0}, "seeds = 0: allowed 1"),
                ({"passes": 0}, "passes = 0"),
                ({"order": "random"}, "order = 'random': allowed shuffled, file"), ({"threads": 0}, "threads = 0"),
                ({"horizon": 0}, "horizon = 0"),
                ({"clip": 0}, "clip = 0"), ({"checkpoints": [5, 3]}, "must increase"),
                ({"checkpoints": [10**9]}, "people are played"),
                ({"parameters": "all"}, "parameters = 'all'"), ({"link": "log it"}, "link = 'log it'"),
                ({"delta": 0.1}, "delta"),
                ({"warmup": 3, "parameters": "shared"}, "warmup: only per-arm")):
            with self.subTest(options=options), self.assertRaises(sotto.FaultError) as caught:
                replay(people(), label="buys", ranges_from_data=True,
                       **{"method": "ldp-ols" if "delta" in options else "sotto", **options})
            self.assertIn(why, str(caught.exception))


class Watching(Bench):
    LONG = {"label": "buys", "ranges": RANGES, "seeds": 2, "threads": 1, "passes": 100000}

    def test_the_file_is_private_while_it_is_there(self):
        seen = []

        def look(_rounds):
            for directory, _, files in os.walk(self.temporary):
                seen.extend((os.stat(directory).st_mode & 0o777 if directory != self.temporary else 0o700,
                             os.stat(os.path.join(directory, name)).st_mode & 0o777) for name in files)
        replay(people(), **{**self.LONG, "passes": 20}, progress=look)
        self.assertEqual({(0o700, 0o600)}, set(seen))

    def test_control_c_ends_it_soon_and_leaves_no_file(self):
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            replay(people(), **self.LONG)
        self.assertLess(time.monotonic() - start, 60)
        timer.join()

    def test_what_a_progress_function_raises_comes_out(self):
        def bad(_rounds):
            raise RuntimeError("mine")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            replay(people(), **self.LONG, progress=bad)


class ArmZero(sotto.Method):
    """Gives everybody the first arm; the reports are rewards as they are."""

    def begin(self, problem, epsilon, delta, rng):
        self.problem, self.epsilon, self.heard = problem, epsilon, []

    def decide(self, context, rng):
        return 0

    def report(self, context, arm, reward, rng):
        return numpy.array([reward])

    def learn(self, report):
        self.heard.append(report[0])


class Noisy(sotto.Method):
    """Per arm, the sum of context times reward, with Laplace noise on the device."""

    name = "noisy"
    claims_privacy = True

    def begin(self, problem, epsilon, delta, rng):
        self.scale = 2 * problem.dim ** 0.5 / epsilon
        self.sum = numpy.zeros((problem.arms, problem.dim))

    def decide(self, context, rng):
        return numpy.argmax(self.sum @ context)

    def report(self, context, arm, reward, rng):
        u = rng.uniform(len(context)) - 0.5
        noise = -self.scale * numpy.sign(u) * numpy.log1p(-2 * abs(u))
        return numpy.array([arm, *((2 * reward - 1) * context + noise)])

    def learn(self, report):
        self.sum[int(report[0])] += report[1:]


class OwnMethods(Bench):
    SETTINGS = {"label": "buys", "ranges": RANGES, "seeds": 3}

    def failed(self, why, method, **options):
        with self.assertRaisesRegex(sotto.GuestError, why) as caught:
            replay(people(), **{**self.SETTINGS, "method": method, **options})
        return caught.exception.__cause__

    def test_what_one_raises_ends_the_replay_and_is_the_cause(self):
        class Mine(Exception):
            pass

        def bad(*_):
            raise Mine("no luck")
        for function in ("begin", "decide", "report", "learn"):
            with self.subTest(function=function):
                method = type("Bad", (ArmZero,), {function: bad})
                cause = self.failed(f"^method Bad(, round 1)?: {function} raised Mine: no luck, in the run of epsilon inf, "
                                    "seed 1$", ["sotto", method], threads=1)
                self.assertIsInstance(cause, Mine)

    def test_an_arm_that_is_none(self):
        self.failed("^method ArmZero, round 1: decide: arm = 2: allowed 0 to 1",
                    type("ArmZero", (ArmZero,), {"decide": lambda *_: 2}))

    def test_names_that_cannot_be_used(self):
        for method, why in ((["sotto", type("Twice", (ArmZero,), {"name": "sotto"})], "that of a built-in one"),
                            ([ArmZero, ArmZero], r"method\[1\] = ArmZero: each method may be given only once"),
                            (5, "expected a name, or a class or an object of sotto.Method"),
                            ("./nowhere.so", "nowhere.so: No such file")):
            with self.subTest(method=method), self.assertRaisesRegex(sotto.FaultError, why):
                replay(people(), **self.SETTINGS, method=method)

    def test_one_arm_for_all_earns_that_arms_share(self):
        data = people()
        found = replay(data, **self.SETTINGS, method=["sotto", ArmZero], epsilon=[1, 4]).summary.set_index("method")
        self.assertEqual((data.buys == "no").mean(), found.loc["ArmZero", "reward_mean"])
        self.assertEqual(numpy.inf, found.loc["ArmZero", "epsilon"])  # it claims nothing, so it is played once

    def test_it_is_told_the_problem_and_hears_every_reward(self):
        told = []
        method = type("Seen", (ArmZero,), {"begin": lambda self, *given: (ArmZero.begin(self, *given), told.append(self))})
        data = people()
        replay(data, **{**self.SETTINGS, "seeds": 1}, method=method, order="file")
        [one] = told
        self.assertEqual((2, (one.problem.dim,), numpy.inf), (one.problem.arms, one.problem.context_shape, one.epsilon))
        self.assertEqual((data.buys == "no").astype(float).tolist(), one.heard)

    def test_ours_are_not_moved_and_threads_change_nothing(self):
        alone = replay(people(), **self.SETTINGS, method="sotto").rows
        one = replay(people(), **self.SETTINGS, method=[Noisy, "sotto"], threads=1).rows
        beside = replay(people(), **self.SETTINGS, method=[Noisy, "sotto"], threads=2).rows
        assert_frame_equal(one, beside, check_exact=True)
        assert_frame_equal(alone, beside[beside["method"] != "noisy"].reset_index(drop=True), check_exact=True)

    def test_one_that_learns_is_recommended_and_its_claim_is_called_one(self):
        found = replay(people(4000), **{**self.SETTINGS, "seeds": 6}, method=Noisy, epsilon=[50])
        line = found.summary.set_index("method").loc["noisy"]
        self.assertEqual((50, "better than one arm for all"), (line["epsilon"], line["verdict"]))
        self.assertIn("Recommendation: noisy at epsilon 50", found.recommendation)
        self.assertIn("Nobody has checked that the reports of noisy are private", " ".join(str(found).split()))
        self.assertNotIn("Nobody has checked", str(replay(people(), **self.SETTINGS, method=ArmZero)))

    def test_a_port_to_python_gives_the_rows_of_the_plug_in(self):
        plugin = self.path("coin.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-ffp-contract=off",
                        f"-I{os.environ['SOURCE']}/include", f"{os.environ['SOURCE']}/examples/plugin_coin.c", "-o", plugin,
                        "-lm"], check=True)
        settings = {**self.SETTINGS, "parameters": "shared", "epsilon": [0.5, 4]}
        assert_frame_equal(replay(people(), **settings, method=plugin).rows, replay(people(), **settings, method=Coin).rows,
                           check_exact=True)

    def test_a_log_has_estimates_of_it(self):
        found = replay(events(), action="item", reward="click", propensity="p", ranges={
            "age": (0, 100), "item": ["0", "1", "2"], "click": (0, 1)}, method=["sotto", ArmZero], seeds=2)
        mine = found.estimates[found.estimates["method"] == "ArmZero"].set_index("estimator")
        data = events()
        weights = (data.item == 0) / data.p
        self.assertAlmostEqual((weights * data.click).mean(), mine.loc["ips", "value"], places=12)

    def test_control_c_in_one_ends_it(self):
        def decide(*_):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            replay(people(), **self.SETTINGS, method=type("Stops", (ArmZero,), {"decide": decide}))

    def test_more_signals_while_an_answer_does_not_come(self):
        def decide(*_):
            while True:
                pass
        timers = [threading.Timer(0.5 + i, os.kill, (os.getpid(), signal.SIGINT)) for i in range(2)]
        for timer in timers:
            timer.start()
        with self.assertRaises(KeyboardInterrupt):
            replay(people(), **self.SETTINGS, method=type("Hangs", (ArmZero,), {"decide": decide}), threads=1)
        for timer in timers:
            timer.cancel()
            timer.join()


if __name__ == "__main__":
    unittest.main()
