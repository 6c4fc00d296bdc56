#!/usr/bin/env python3
"""People in tabs of chromium at a running sottod: each decided round ends in one report, whatever tabs and servers do."""
import base64
import hashlib
import json
import re
import time
import unittest

from tabs import DECIDE, JOIN, SKIP, WEB, Refused, Service, Tabs, experiment_of, main, pages
from samples import distance, distance_max

WAITS = "return await experiment.waiting()"
WINDOW_S, SPREAD_S, ROUNDS = 1, 2, 100


def another_version():
    """The scripts of a package that differs in its version alone, by name."""
    package = WEB / "sotto-client"
    version = json.loads((package / "package.json").read_text())["version"]
    following = version[:-1] + chr(ord(version[-1]) ^ 1)
    wasm = (package / "client.wasm").read_bytes()
    assert wasm.count(version.encode() + b"\0") == 1
    wasm = wasm.replace(version.encode() + b"\0", following.encode() + b"\0")
    scripts = {path.name: path.read_text() for path in package.glob("*.js")}
    scripts["version.js"] = f'export const VERSION = "{following}", SHA256 = "{hashlib.sha256(wasm).hexdigest()}";'
    inline = re.compile('(?<=BASE64 = ")[^"]*')
    scripts["module.inline.js"] = inline.sub(base64.b64encode(wasm).decode(), scripts["module.inline.js"])
    return {name: script.encode() for name, script in scripts.items()}


@unittest.skipIf(SKIP, SKIP)
class SeveralTabs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = cls.enterClassContext(pages())
        cls.service = cls.enterClassContext(Service())
        cls.browser = cls.enterClassContext(Tabs())
        cls.tab = cls.browser.first()

    def setUp(self):
        self.browser.go(self.tab, self.pages.origin + "/")
        self.browser.devtools("Storage.clearDataForOrigin", origin=self.pages.origin, storageTypes="all")
        self.browser.go(self.tab, self.pages.origin + "/")

    def experiment(self, **spec):
        url = experiment_of(self.service, self.pages.origin, **spec)
        return url, url.rsplit("/", 1)[1]

    def within_window(self, rounds, then, window_s=2):
        """Decides, and does what follows, before the first report may leave; in a longer window where the machine is too
        slow. Says the URL of the experiment, its id, what followed, and the window in seconds."""
        for window_s in (window_s, 4 * window_s, 16 * window_s):
            url, experiment = self.experiment(reward_window_s=window_s, send_spread_s=0)
            begun = time.monotonic()
            self.browser.run(self.tab, DECIDE, url, rounds)
            followed = then(url)
            if time.monotonic() - begun < window_s:
                return url, experiment, followed, window_s
            self.setUp()
        self.fail("the machine is too slow")

    def assert_folded(self, experiment, decided, tab=None, unanswered=0):
        """Every report is there once. One whose answer was lost is sent again, as the same bytes, and does not count."""
        if tab:
            self.assertTrue(self.service.wait_for(lambda: self.browser.run(tab, WAITS) == 0, 40), "reports still wait")
        counts = self.service.counts(experiment)
        self.assertEqual(counts["folded"] + counts["late"], decided, counts)
        self.assertEqual(counts["conflicting"], 0, counts)
        self.assertLessEqual(counts["duplicate"], unanswered, counts)

    def test_reloads_crashes_closed_tabs_and_a_server_that_restarts_lose_and_double_nothing(self):
        url, experiment = self.experiment()
        tabs = [self.browser.new(self.pages.origin + "/") for _ in range(5)]
        decided = sum(self.browser.run(tab, DECIDE, url, 12) for tab in tabs)
        self.browser.close(tabs.pop())  # the reports of a closed tab
        self.browser.go(tabs[0], self.pages.origin + "/")  # and of one that was loaded anew: it was the sender
        self.service.kill()
        decided += self.browser.run(tabs[1], DECIDE, url, 12)  # without a server
        time.sleep(1)
        public = re.sub("^http://", "", self.service.public)
        self.service.words[self.service.words.index("--listen") + 1] = public
        self.service.start()
        decided += self.browser.run(tabs[0], DECIDE, url, 12)
        self.browser.close(tabs.pop())
        for tab in tabs:
            self.assertTrue(self.service.wait_for(lambda t=tab: self.browser.run(t, JOIN + WAITS, url) == 0, 60))
        self.assert_folded(experiment, decided, unanswered=4 * 4)  # requests at once, and what ended while some were
        spent = self.browser.run(tabs[0], "return await person.spent()")
        self.assertEqual((spent["rounds"], spent["reports"], spent["dropped"]), (decided, decided, 0))
        for tab in tabs:
            self.browser.close(tab)

    def test_the_card_has_the_digest_of_the_module(self):
        url, _ = self.experiment()
        tab = self.browser.new(self.pages.origin + "/")
        card = self.browser.run(tab, JOIN + "return await experiment.card()", url)
        self.assertEqual(card["module"], hashlib.sha256((WEB / "client.wasm").read_bytes()).hexdigest())
        self.assertEqual(card["version"], json.loads((WEB / "sotto-client/package.json").read_text())["version"])
        self.assertGreater(card["epsilon"], 0)
        self.browser.close(tab)

    def test_the_browser_is_asked_once_to_keep_the_ledger(self):
        for answer, persisted in (("true", True), ("false", False), ("Promise.reject(new Error('no'))", False)):
            with self.subTest(answer):
                told = self.browser.run(self.tab, """const sotto = await import('/index.js');
                    let asked = 0;
                    StorageManager.prototype.persist = async () => { asked++; return %s; };
                    const person = await sotto.openPerson(), persisted = await person.persisted;
                    person.close();
                    return [asked, persisted];""" % answer)
                self.assertEqual(told, [1, persisted])

    def test_a_round_is_decided_when_one_strict_transaction_has_ended(self):
        url, _ = self.experiment(reward_window_s=12)
        self.browser.run(self.tab, JOIN, url)
        self.browser.run(self.tab, """const begin = IDBDatabase.prototype.transaction;
            window.written = [];
            IDBDatabase.prototype.transaction = function (...asked) {
                const begun = begin.apply(this, asked), one = { durability: begun.durability, ended: false };
                begun.addEventListener("complete", () => { one.ended = true; });
                if (begun.mode !== "readonly") written.push(one);
                return begun;
            };""")
        written = self.browser.run(self.tab, "await experiment.decide([1, 0, 0, 0, 0, 0]); return written")
        self.assertEqual(written, [{"durability": "strict", "ended": True}])

    def test_a_second_tab_that_joins_sends_nothing_that_waits(self):
        other = self.browser.new(self.pages.origin + "/")

        def join(url):
            self.browser.go(other, self.pages.origin + "/")
            return self.browser.run(other, JOIN + WAITS, url)
        _, experiment, waiting, _ = self.within_window(10, join, 4)
        self.assertEqual(waiting, 10)  # it knows of them
        self.assert_folded(experiment, 10, other)
        self.assertEqual(self.browser.run(other, "return (await experiment.counts()).sent"), 0)
        self.assertEqual(self.browser.run(self.tab, WAITS), 0)
        self.browser.close(other)

    def test_hundreds_of_reports_wait_and_none_is_dropped(self):
        many = 300
        _, experiment, waiting, _ = self.within_window(many, lambda _: self.browser.run(self.tab, WAITS), 4)
        self.assertEqual(waiting, many)
        self.assert_folded(experiment, many, self.tab)

    def test_a_report_that_is_late_does_not_leave_when_the_person_does_something_in_another_tab(self):
        """The timers of a tab in the background are late: nothing else may make up for them."""
        url, experiment = self.experiment(send_spread_s=0)
        self.browser.run(self.tab, JOIN + "await new Promise(next => setTimeout(next, 300));", url)  # it is the one that sends
        self.browser.run(self.tab, """const real = window.fetch;
            window.sent = 0;
            window.fetch = (url, options) => { sent += options.method === "POST"; return real(url, options); };
            window.punctual = window.setTimeout;
            window.late = [];
            window.setTimeout = f => late.push(f);""")
        other = self.browser.new(self.pages.origin + "/")
        self.browser.run(other, DECIDE, url, 2)
        time.sleep(WINDOW_S + 0.5)
        self.browser.run(other, "window.round = await experiment.decide([1, 0, 0, 0, 0, 0]);")
        self.browser.run(other, "await round.reward(1); await experiment.waiting(); await new Promise(next => setTimeout(next, 500));")
        self.assertEqual(self.browser.run(self.tab, "await experiment.waiting(); return sent"), 0)
        self.browser.run(self.tab, "window.setTimeout = punctual; late.forEach(f => f());")
        self.assert_folded(experiment, 3, self.tab)
        self.assertEqual(self.browser.run(self.tab, "return sent"), 3)
        self.browser.close(other)

    def test_a_tab_that_cannot_begin_to_send_tries_again(self):
        self.browser.run(self.tab, """const real = WebAssembly.instantiate;
            window.failures = 1;
            WebAssembly.instantiate = async (...asked) => {
                const { exports } = await real.apply(WebAssembly, asked);
                return { exports: { ...exports, part_send: (...asked) => failures-- > 0 ? 2 : exports.part_send(...asked) } };
            };""")
        url, experiment = self.experiment(reward_window_s=0, send_spread_s=0)
        self.browser.run(self.tab, DECIDE, url, 2)
        self.assert_folded(experiment, 2, self.tab)

    def test_tabs_of_an_experiment_that_is_paused_book_no_round(self):
        """Only the tab that sends gets the answer that says so."""
        url, experiment = self.experiment(reward_window_s=2)
        other = self.browser.new(self.pages.origin + "/")
        decided = sum(self.browser.run(tab, DECIDE, url, 1) for tab in (self.tab, other))
        self.service.change(experiment, "pause")
        for tab in (self.tab, other):
            with self.assertRaisesRegex(Refused, "order: the experiment is paused"):
                for _ in range(200):
                    decided += self.browser.run(tab, DECIDE, url, 1)
                    time.sleep(0.1)
            self.assertIn("paused", self.browser.run(tab, "return await experiment.trouble()"))
        self.assertEqual(self.browser.run(other, "return (await person.spent()).rounds"), decided)
        self.service.change(experiment, "open")
        for tab in (self.tab, other):
            self.service.wait_for(lambda t=tab: "paused" not in (self.browser.run(t, "return await experiment.trouble()") or ""))
            decided += self.browser.run(tab, DECIDE, url, 1)
        self.assertEqual(self.browser.run(other, "return (await person.spent()).rounds"), decided)
        self.service.change(experiment, "close")
        with self.assertRaisesRegex(Refused, "gone: the experiment is closed"):
            for _ in range(200):
                self.browser.run(other, DECIDE, url, 1)
                time.sleep(0.1)
        self.browser.close(other)

    def test_storage_that_is_cleared_ends_the_part_with_a_sentence_and_sends_nothing(self):
        url, experiment, _, window_s = self.within_window(4, lambda _: self.browser.devtools(
            "Storage.clearDataForOrigin", origin=self.pages.origin, storageTypes="all"))
        with self.assertRaises(Refused) as refused:
            self.browser.run(self.tab, DECIDE, url, 1)
        self.assertIn(refused.exception.code, ("storage", "ledger"))
        self.assertRegex(refused.exception.sentence, "cleared|no ledger|deleted")
        time.sleep(window_s + 0.5)
        self.assertEqual(sum(self.service.counts(experiment).values()), 0)

    def test_no_report_leaves_before_its_time_and_rewards_change_no_time(self):
        url, experiment = self.experiment(reward_window_s=WINDOW_S, send_spread_s=SPREAD_S)
        self.browser.run(self.tab, """const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
            const rounds = new Map(), real = window.fetch, add = IDBObjectStore.prototype.add;
            window.delays = { true: [], false: [] };
            IDBObjectStore.prototype.add = function (entry, key) {
                if (entry[0] === 1) rounds.set(hex(entry.subarray(32, 48)), window.began); // a debit and its nonce
                return add.call(this, entry, key);
            };
            window.fetch = (url, options) => {
                if (options?.method === "POST") {
                    const { at, rewarded } = rounds.get(hex(options.body.subarray(24, 40)));
                    delays[rewarded].push((performance.now() - at) / 1000);
                }
                return real(url, options);
            };""")
        late = self.browser.run(self.tab, JOIN + """
            const rewards = [];
            for (let i = 0; i < 2 * words[1]; i++) {
                window.began = { at: performance.now(), rewarded: i % 2 === 0 };
                const round = await experiment.decide([1, 0, 0, 0, 0, 0]);
                if (i % 2) continue;
                const wait = new Promise(next => setTimeout(next, 1000 * words[2] * Math.random()));
                rewards.push(wait.then(() => round.reward(1)).then(() => 0, error => { if (error.code !== "order") throw error; return 1; }));
            }
            return (await Promise.all(rewards)).reduce((a, b) => a + b, 0);""", url, ROUNDS, WINDOW_S)
        self.assertLess(late, ROUNDS / 4)  # rewards that came after the report
        self.assert_folded(experiment, 2 * ROUNDS, self.tab)
        delays = self.browser.run(self.tab, "return delays")
        rewarded, silent = delays["true"], delays["false"]
        self.assertEqual((len(rewarded), len(silent)), (ROUNDS, ROUNDS))
        self.assertGreaterEqual(min(rewarded + silent), WINDOW_S)
        self.assertLess(distance(rewarded, silent), distance_max(ROUNDS, ROUNDS))
        spread = max(silent) - min(silent)  # of a busy machine: above SPREAD_S
        planted = [delay + spread for delay in rewarded]  # a client that lets those with a reward wait
        self.assertGreater(distance(planted, silent), distance_max(ROUNDS, ROUNDS))

    def test_two_versions_of_the_package_in_two_tabs_keep_one_ledger(self):
        for name, script in another_version().items():
            self.pages.files[f"/next/{name}"] = script
        url, experiment = self.experiment()
        other = self.browser.new(self.pages.origin + "/")
        version = "return (await experiment.card()).version"
        decided = self.browser.run(self.tab, DECIDE, url, 5)
        decided += self.browser.run(other, DECIDE.replace("/index.js", "/next/index.js"), url, 5)
        self.assertEqual(self.browser.run(other, "return (await person.spent()).rounds"), 10)  # those of both
        decided += self.browser.run(self.tab, DECIDE, url, 5)
        self.assertNotEqual(*(self.browser.run(tab, version) for tab in (self.tab, other)))
        self.browser.close(self.tab)  # the other one sends the rest
        type(self).tab = other
        self.assert_folded(experiment, decided, other, unanswered=4)
        spent = self.browser.run(other, "return await person.spent()")
        self.assertEqual((spent["rounds"], spent["reports"], spent["dropped"]), (decided, decided, 0))

    def test_a_clock_that_jumps_makes_reports_late_and_never_early(self):
        url, experiment = self.experiment(reward_window_s=8, send_spread_s=0)
        other = self.browser.new(self.pages.origin + "/")
        self.browser.run(self.tab, DECIDE, url, 2)  # it is the one that sends
        begun = time.monotonic()
        for tab, days in ((self.tab, -1), (self.tab, 1), (other, -2)):
            self.browser.run(tab, f"const real = Date.now; Date.now = () => real() + {days * 86400000}")
            self.browser.run(tab, DECIDE, url, 1)
            time.sleep(0.3)
            early = sum(self.service.counts(experiment).values())
            self.assertTrue(early == 0 or time.monotonic() - begun > 7, early)
        self.assert_folded(experiment, 5, self.tab)
        self.browser.close(other)

    def test_nothing_is_sent_when_the_page_is_left(self):
        url, experiment, _, window_s = self.within_window(5, lambda _: self.browser.go(self.tab, "about:blank"))
        time.sleep(window_s + 0.5)
        self.assertEqual(sum(self.service.counts(experiment).values()), 0)
        self.browser.go(self.tab, self.pages.origin + "/")
        self.browser.run(self.tab, JOIN, url)
        self.assert_folded(experiment, 5, self.tab)

    def test_a_page_that_is_gone_back_to_goes_on_and_stopped_nobody_meanwhile(self):
        """The back/forward cache of the browser keeps the page as it was, with the lock of the tab that sends."""
        url, experiment = self.experiment()
        self.browser.go(self.tab, self.pages.origin + "/kept/")
        self.browser.run(self.tab, "window.onpageshow = event => { window.was = event.persisted; }")
        self.browser.run(self.tab, DECIDE, url, 2)
        self.browser.go(self.tab, self.pages.origin + "/other/")
        self.browser.post("back", {})
        self.assertTrue(self.browser.run(self.tab, "return window.was"))
        self.browser.run(self.tab, DECIDE, url, 1)
        self.browser.go(self.tab, self.pages.origin + "/other/")
        other = self.browser.new(self.pages.origin + "/")
        self.browser.run(other, JOIN, url)
        self.assert_folded(experiment, 3, other)
        self.browser.post("window", {"handle": self.tab})
        self.browser.post("back", {})
        self.browser.run(self.tab, DECIDE, url, 1)
        self.browser.close(other)
        self.assert_folded(experiment, 4, self.tab)

    def test_a_tab_that_crashes_leaves_its_reports_to_others(self):
        url, experiment = self.experiment(reward_window_s=6)
        other = self.browser.new(self.pages.origin + "/")
        self.browser.run(other, DECIDE, url, 4)  # it is the one that sends
        self.browser.run(self.tab, JOIN, url)
        self.browser.post("window", {"handle": other})
        with self.assertRaisesRegex(RuntimeError, "crash"):
            self.browser.devtools("Page.crash")
        self.assert_folded(experiment, 4, self.tab)
        self.assertEqual(self.browser.run(self.tab, "return (await experiment.counts()).sent"), 4)

    def test_offline_and_back(self):
        url, experiment = self.experiment(send_spread_s=0)
        self.browser.run(self.tab, JOIN, url)
        self.browser.devtools("Network.enable")
        lost = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.browser.devtools("Network.emulateNetworkConditions", offline=True, **lost)
        self.browser.run(self.tab, DECIDE, url, 5)
        time.sleep(1.5)
        self.assertEqual(sum(self.service.counts(experiment).values()), 0)
        self.browser.devtools("Network.emulateNetworkConditions", offline=False, **lost)
        self.assert_folded(experiment, 5, self.tab)

    def test_a_worker_takes_part(self):
        url, experiment = self.experiment()
        answer = self.browser.run(self.tab, """
            const code = `import { openPerson } from "${location.origin}/index.js";
                const person = await openPerson({ policy: { epsilonLifetime: 100 } });
                const experiment = await person.join("${words[0]}");
                await experiment.decide([1, 0, 0, 0, 0, 0]);
                postMessage("decided");`;
            window.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
            return await new Promise((resolve, reject) => {
                worker.onmessage = event => resolve(event.data);
                worker.onerror = event => reject(new Error(event.message));
            });""", url)
        self.assertEqual(answer, "decided")
        self.browser.run(self.tab, JOIN, url)
        self.assert_folded(experiment, 1, self.tab)


if __name__ == "__main__":
    main()
