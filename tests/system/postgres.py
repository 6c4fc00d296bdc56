"""A fresh server of PostgreSQL for a test, which ends with the test in any case; and services that
use it."""
import contextlib
import os
import subprocess
import unittest

from sottod import Service

# Epochs of a second.
LEARNING = {"epoch": 200, "epoch_seconds_min": 1, "epoch_reports_min": 20}


class Postgres:
    """`with Postgres() as database:` gives database.url. Skips the test on machines without a
    server."""

    def __enter__(self):
        self.process = subprocess.Popen([os.environ["POSTGRES"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            code = self.process.wait()
            self.__exit__()
            if code == 77:
                raise unittest.SkipTest("PostgreSQL is not on this machine")
            raise RuntimeError(f"the server of the test ended with {code}")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def tell(self, word):
        """Sends a word: kill (SIGKILL for all its processes), start, freeze, thaw."""
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", word

    def ask(self, sql):
        """What psql prints, as rows of words."""
        done = subprocess.run(["psql", "-XqAt", "-F", " ", "-v", "ON_ERROR_STOP=1", self.url, "-c", sql],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return [line.split() for line in done.stdout.splitlines()]


class Case(unittest.TestCase):
    """A new database for each test."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.new_database()

    def new_database(self):
        """A new database, after the stack was closed."""
        self.database = self.stack.enter_context(Postgres())

    def service(self, *flags):
        return self.stack.enter_context(Service("--keep-reports", *flags, journal=self.database.url))

    def assert_reached(self, service, experiment, epoch, seconds=120):
        self.assertTrue(service.wait_for(lambda: service.model(experiment)[0] >= epoch, seconds),
                        f"epoch {epoch} never came: {service.log()[-8:]}")

    def send(self, service, experiment, frames, batch=2000):
        """Sends them in one row unless there are more than `batch`, so that none comes too late for
        an epoch that others ended."""
        for i in range(0, len(frames), batch):
            self.assertEqual(service.post(experiment, frames[i:i + batch]).status, 204)

    @contextlib.contextmanager
    def locked_models(self):
        """Nobody can insert one."""
        with subprocess.Popen(["psql", "-Xq", self.database.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as holder:
            holder.stdin.write("BEGIN; LOCK TABLE sotto.model IN EXCLUSIVE MODE;\n\\echo held\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "held\n")
            yield
            holder.stdin.close()
