#!/usr/bin/env python3
"""A thousand rounds over six tabs of a browser with two experiments, while tabs are loaded anew, closed and crash, their clocks
jump, the browser is killed, its storage is cleared, and sottod stops and starts: what was decided is folded, but what was
cleared. The window of one experiment is so long that hundreds of reports wait at once. Takes minutes: with SOTTO_SOAK=1
only."""
import collections
import contextlib
import os
import random
import re
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tabs import SKIP, Refused, Service, Tabs, experiment_of, pages
from replay_journal import REPORTS, Journal
from soak import SEED, SOAK

ROUNDS, TABS, CLEARS, KILLS = int(os.environ.get("ROUNDS", 1000)), 6, 2, 3
FRAME_BYTES = 42
WINDOW_S, SPREAD_S, EPOCH_S = 300, 10, 30  # of the long one
WAITING_MIN = 256 if ROUNDS >= 1000 else 0  # the default of sotto_device_options.queue_max
# Every nonce that is booked or sent is told to the server of the page, with the time by the machine's own clock and by that
# of the page; and by both clocks when it may be sent, as the ledger has it.
JOIN = """
    if (!window.tell) {
        const now = Date.now, add = IDBObjectStore.prototype.add, real = window.fetch;
        const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
        const shift = words[1], nonces = new Map();
        window.tell = (what, nonce, at = now()) => {
            const told = new XMLHttpRequest();
            told.open("GET", `/told/${what}/${hex(nonce)}/${at}/${at + shift}`, false);
            told.send();
        };
        IDBObjectStore.prototype.add = function (entry, key) {
            const number = at => Number(new DataView(entry.buffer, entry.byteOffset).getBigUint64(at, true));
            if (entry[0] === 1) {
                nonces.set(key, entry.slice(32, 48));
                tell("booked", nonces.get(key));
            }
            if (entry[0] === 6) tell("due", nonces.get(number(16)), number(32) - shift);
            return add.call(this, entry, key);
        };
        window.fetch = (url, options) => {
            if (options?.method === "POST") tell("sent", options.body.subarray(24, 40));
            return real(url, options);
        };
        Date.now = () => now() + shift;
    }
    const sotto = await import('/index.js');
    window.person ??= await sotto.openPerson({ policy: { epsilonLifetime: 1e6 } });
    window.parts ??= [];
    for (const [i, url] of words[0].entries()) parts[i] ??= await person.join(url, { roundsMax: 1024, refreshMs: 1000, waitMs: 8000 });"""
DECIDE = JOIN + """
    let decided = 0;
    try {
        for (; decided < words[2]; decided++) {
            const round = await parts[decided % 4 ? 1 : 0].decide([.1, .2, .3, .4, .5, .6]);
            if (decided % 3 === 0) await round.reward(1).catch(error => { if (error.code !== "order") throw error; }); // it may have left
        }
        return [decided, null, await parts[1].waiting()];
    } catch (error) {
        return [decided, error.code ?? error.name, 0];
    }"""
WAITING = JOIN + """
    return (await Promise.all(parts.map(part => part.waiting()))).reduce((a, b) => a + b, 0);"""


class Killed(Tabs):
    """A browser with a profile that outlives it."""

    def __init__(self, profile):
        self.profile = profile
        self.flags = [*self.flags, f"--user-data-dir={profile}"]

    def kill(self):
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"--user-data-dir={self.profile}".encode() in (process / "cmdline").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)
        self.session = None
        self.__exit__()
        for lock in Path(self.profile).glob("Singleton*"):
            lock.unlink()


@unittest.skipIf(SKIP, SKIP)
class Trial(unittest.TestCase):
    def setUp(self):
        self.random, self.happened, self.decided, self.is_away = random.Random(SEED), collections.Counter(), 0, False
        self.waited = 0  # reports at once
        self.pages = self.enterContext(pages())
        self.service = self.enterContext(Service("--keep-reports"))
        self.service.words[self.service.words.index("--listen") + 1] = self.service.public.removeprefix("http://")
        long = {"reward_window_s": WINDOW_S, "send_spread_s": SPREAD_S}
        self.urls = [experiment_of(self.service, self.pages.origin, epoch_lag_max=16),
                     experiment_of(self.service, self.pages.origin, {"epoch_seconds_min": EPOCH_S}, epoch_lag_max=16, **long)]
        self.profile = self.enterContext(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self.begin()

    def begin(self):
        self.browser = Killed(self.profile).__enter__()
        self.tabs = [self.browser.new(self.pages.origin + "/") for _ in range(TABS)]
        self.shift = dict.fromkeys(self.tabs, 0)

    def tearDown(self):
        self.browser.__exit__()

    # ---- what happens

    def reload(self, at):
        self.browser.go(self.tabs[at], self.pages.origin + "/")

    def replace(self, at):
        self.tabs[at] = self.browser.new(self.pages.origin + "/")
        self.shift[self.tabs[at]] = 0

    def close(self, at):
        self.browser.close(self.tabs[at])
        self.replace(at)

    def crash(self, at):
        self.browser.post("window", {"handle": self.tabs[at]})
        with contextlib.suppress(RuntimeError):
            self.browser.devtools("Page.crash")
        with contextlib.suppress(RuntimeError):
            self.browser.close(self.tabs[at])
        self.browser.post("window", {"handle": self.tabs[at - 1]})
        self.replace(at)

    def stop_or_start(self, _):
        if self.is_away:
            self.service.start()
        elif self.random.random() < 0.5:
            self.service.kill()
        else:
            self.service.stop()
        self.is_away = not self.is_away

    def jump(self, at):
        self.shift[self.tabs[at]] = self.random.choice((-86400000, -3600000, -5000, 0))
        self.reload(at)

    def happen(self):
        kinds = {self.reload: 6, self.close: 4, self.crash: 4, self.stop_or_start: 4, self.jump: 6, None: 76}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        if kind is not None:
            self.happened[kind.__name__] += 1
            kind(self.random.randrange(TABS))

    def kill(self):
        self.browser.kill()
        self.begin()

    def clear(self):
        self.browser.devtools("Storage.clearDataForOrigin", origin=self.pages.origin, storageTypes="all")

    def decide(self):
        at = self.random.randrange(TABS)
        tab = self.tabs[at]
        try:
            count, why, waiting = self.browser.run(tab, DECIDE, self.urls, self.shift[tab], self.random.randrange(1, 9))
        except Refused as refused:
            count, why, waiting = 0, refused.code, 0
        self.decided += count
        self.waited = max(self.waited, waiting)
        if why is None:
            return
        self.assertIn(why, ("storage", "ledger", "closed", "not-ready"))
        self.reload(at)
        if why == "not-ready" and self.is_away:
            self.stop_or_start(at)

    # ---- what must hold

    def folded(self):
        journal = Journal(self.service.directory)
        numbers = [journal.find(url.rsplit("/", 1)[1])["number"] for url in self.urls]
        rows = [row["frames"] for number in numbers for row in journal.rows_of(number) if row["kind"] == REPORTS]
        return [row[at + 24:at + 40].hex() for row in rows for at in range(0, len(row), FRAME_BYTES)]

    def told(self):
        """{what: {nonce: when, for the first time, by the machine's clock and by the page's}}."""
        told = {"booked": {}, "due": {}, "sent": {}}
        for path in self.pages.asked:
            if found := re.fullmatch("/told/(booked|due|sent)/([0-9a-f]{32})/([0-9]+)/([0-9]+)", path):
                told[found[1]].setdefault(found[2], (int(found[3]), int(found[4])))
        return told

    def early(self, told):
        """The nonces that were sent before their time: by the machine's clock, and of them those by the sender's own clock, too."""
        early = [nonce for nonce, when in told["sent"].items() if when[0] < told["due"][nonce][0]]
        return early, [nonce for nonce in early if told["sent"][nonce][1] < told["due"][nonce][1]]

    def test_what_was_decided_is_folded_but_what_was_cleared(self):
        clears = self.random.sample(range(ROUNDS // 10, 4 * ROUNDS // 10), CLEARS)  # then many come to wait
        kills = self.random.sample(range(ROUNDS // 10, 9 * ROUNDS // 10), KILLS)
        at = sorted([(when, self.clear) for when in clears] + [(when, self.kill) for when in kills], key=lambda one: one[0])
        cleared_at = []
        while self.decided < ROUNDS:
            self.decide()
            while at and self.decided >= at[0][0]:
                _, act = at.pop(0)
                act()
                if act == self.clear:
                    cleared_at.append(1000 * time.time())
            self.happen()
        if self.is_away:
            self.service.start()
        self.assertTrue(self.service.wait_for(self.is_done, WINDOW_S + SPREAD_S + 120), "reports still wait")
        counts = [self.service.counts(url.rsplit("/", 1)[1]) for url in self.urls]
        self.assertEqual(self.service.stop(), 0)
        folded, told = self.folded(), self.told()
        cleared = set(told["booked"]) - set(folded)
        self.assertEqual(len(folded), len(set(folded)))
        self.assertLessEqual(set(folded), set(told["booked"]))
        self.assertTrue(all(any(told["booked"][nonce][0] < when for when in cleared_at) for nonce in cleared))
        self.assertGreaterEqual(len(folded) + len(cleared), self.decided)  # a tab that crashed may have booked one more
        self.assertEqual([(c["late"], c["conflicting"]) for c in counts], [(0, 0)] * 2)
        self.assertGreater(self.waited, WAITING_MIN)
        early, unexplained = self.early(told)
        self.assertEqual(unexplained, [])  # the others: by a page whose clock is later than that of the round
        print(f"figure: {self.decided} rounds, {self.waited} waiting at once, {len(folded)} folded, {len(cleared)} cleared, {len(early)} early by a clock that was set, "
              f"{len(unexplained)} by none, "
              f"{sum(c['duplicate'] for c in counts)} duplicate, {dict(self.happened)}")

    def is_done(self):
        try:
            return self.browser.run(self.tabs[0], WAITING, self.urls, 0) == 0
        except Refused:
            self.reload(0)
            return False


if __name__ == "__main__":
    if not SOAK:
        print("skipped: it takes minutes; SOTTO_SOAK=1 runs it")
        sys.exit(77)
    unittest.main(verbosity=2)
