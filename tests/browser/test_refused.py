#!/usr/bin/env python3
"""What a page cannot use or must not do: each ends with a code and a sentence, nothing sent and nothing half booked."""
import time
import unittest

from tabs import JOIN, SKIP, WEB, Refused, Service, Tabs, experiment_of, main, pages

OPEN = "const sotto = await import('/index.js'); const person = await sotto.openPerson({ policy: words[1] ?? {} });"
ENTER = OPEN + "const experiment = await person.join(words[0], { waitMs: 1500 });"
SPENT = "const { openPerson } = await import('/index.js'); const me = await openPerson(); const got = await me.spent(); me.close(); return got.rounds;"
SENT = "while (await experiment.waiting()) await new Promise(next => setTimeout(next, 20));"
# What a server between says instead: fetch of the page.
INSTEAD = """const real = window.fetch;
    window.asked = [];
    window.fetch = async (url, options) => {
        asked.push([options.method, url]);
        return url.endsWith(%s) ? %s : real(url, options);
    };"""


class Blocking(Tabs):
    """A browser whose owner lets no site store anything."""

    def call(self, verb, path, body=None):
        if path == "/session":
            body["capabilities"]["alwaysMatch"]["goog:chromeOptions"]["prefs"] = {"profile.default_content_setting_values.cookies": 2}
        return super().call(verb, path, body)


@unittest.skipIf(SKIP, SKIP)
class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = cls.enterClassContext(pages())
        cls.service = cls.enterClassContext(Service())
        cls.browser = cls.enterClassContext(Tabs())
        cls.tab = cls.browser.first()
        cls.url = experiment_of(cls.service, cls.pages.origin, reward_window_s=0, send_spread_s=0)

    def setUp(self):
        self.pages.files.clear()
        self.load()
        self.browser.devtools("Storage.clearDataForOrigin", origin=self.pages.origin, storageTypes="all")
        self.load()

    def load(self, query=""):
        self.browser.go(self.tab, f"{self.pages.origin}/{query}")

    def assert_refused(self, code, sentence, body, *words, frame=None):
        with self.assertRaises(Refused) as refused:
            self.browser.run(self.tab, body, *words, frame=frame)
        self.assertEqual(refused.exception.code, code, refused.exception)
        self.assertRegex(refused.exception.sentence, sentence)

    def assert_nothing_booked_nor_sent(self):
        counts = self.service.counts(self.url.rsplit("/", 1)[1])
        self.assertEqual(sum(counts.values()), 0)
        self.load()
        self.assertEqual(self.browser.run(self.tab, SPENT), 0)

    def test_urls(self):
        for url, sentence in (("nowhere", "allowed https://"), ("http://example.com/v1/experiments/" + "0" * 32, "use https"),
                              (self.url + "/", "allowed"), ("", "allowed")):
            self.assert_refused("fault", sentence, ENTER, url)
        self.assert_refused("fault", "url is not a string", ENTER, None)
        self.assert_nothing_booked_nor_sent()

    def test_limits(self):
        self.assert_refused("fault", "policy.epsilon is unknown", ENTER, self.url, {"epsilon": 1})
        self.assert_refused("fault", "policy.deltaMax is not a number", ENTER, self.url, {"deltaMax": "1"})
        self.assert_refused("fault", "epsilon_per_report_max", ENTER, self.url, {"epsilonPerReportMax": -1})
        self.assert_refused("policy", "epsilon", ENTER, self.url, {"epsilonPerReportMax": 0.25})
        self.assert_nothing_booked_nor_sent()

    def test_contexts_and_rewards(self):
        for context, code, sentence in (("[1]", "length", "context has 1 numbers: allowed 6"), ("'text'", "fault", "not an array"),
                                        ("null", "fault", "not an array"), ("[1, 2, NaN, 4, 5, 6]", "fault", r"context\[2\]"),
                                        ("[1, 2, 3, 4, 5, Infinity]", "fault", r"context\[5\]"), ("[1, 2, '3', 4, 5, 6]", "fault", r"context\[2\]")):
            self.assert_refused(code, sentence, ENTER + f"await experiment.decide({context})", self.url)
        self.assert_nothing_booked_nor_sent()
        decided = ENTER + "const round = await experiment.decide([1, 0, 0, 0, 0, 0]); await round.reward(%s)"
        self.load()
        other = experiment_of(self.service, self.pages.origin, reward_window_s=12)
        self.assert_refused("fault", "reward is not a finite number", decided % "NaN", other)
        self.assert_refused("fault", "reward is not a number", decided % "'1'", other)

    def test_a_spent_budget(self):
        other = experiment_of(self.service, self.pages.origin, reward_window_s=12)
        self.assert_refused("budget", "epsilon", ENTER + "for (;;) await experiment.decide([1, 0, 0, 0, 0, 0])", other,
                            {"epsilonLifetime": 1})
        self.load()
        self.assertEqual(self.browser.run(self.tab, SPENT), 2)

    def test_an_origin_that_is_not_listed(self):
        other = experiment_of(self.service, "https://elsewhere.example", reward_window_s=0, send_spread_s=0)
        self.assert_refused("refused", f"list the origin {self.pages.origin}$", ENTER.replace("1500", "60000"), other)
        self.assertEqual(sum(self.service.counts(other.rsplit("/", 1)[1]).values()), 0)
        self.assert_nothing_booked_nor_sent()
        relay = f"{self.pages.origin}/v1/{other.split('/v1/')[1]}"  # a relay has an origin of its own
        enter = ENTER.replace("waitMs", f"relay: '{relay}', waitMs") + "await experiment.decide([1, 0, 0, 0, 0, 0]);"
        self.browser.run(self.tab, enter, other)

    def test_an_origin_that_is_listed_no_more_books_no_round(self):
        def list_it(*origins):
            answer = self.service.manage("POST", f"/v1/experiments/{experiment}/origins", {"origins": origins})
            self.assertEqual(answer.status, 200)
        one = "await experiment.decide([1, 0, 0, 0, 0, 0]);"
        url = experiment_of(self.service, self.pages.origin, reward_window_s=3, send_spread_s=0, epoch_lag_max=16)
        experiment = url.rsplit("/", 1)[1]
        self.browser.run(self.tab, JOIN + one, url)
        list_it("https://elsewhere.example")
        until = "for (;;) { const why = await experiment.trouble(); if (%s) return why; await new Promise(next => setTimeout(next, 20)); }"
        self.assertIn(self.pages.origin, self.browser.run(self.tab, until % "why"))
        self.assert_refused("refused", "list the origin", one)
        self.browser.run(self.tab, "window.first = window.fetch;" + INSTEAD % ("'/model'", "new Response(null, { status: 503 })") +
                         "while (!asked.some(one => one[1].endsWith('/model'))) await new Promise(next => setTimeout(next, 20));")
        time.sleep(0.2)
        self.assert_refused("refused", "list the origin", one)  # also while nothing is heard of the model
        self.browser.run(self.tab, "window.fetch = first;")
        self.assertEqual(self.browser.run(self.tab, "return [(await person.spent()).rounds, await experiment.waiting()]"), [1, 1])
        list_it(self.pages.origin)
        self.browser.run(self.tab, until % "!why")
        self.browser.run(self.tab, one + SENT)
        self.assertEqual(self.service.counts(experiment)["folded"], 2)

    def test_answers_of_servers(self):
        bytes_of = "new Response(new Uint8Array(%s), { status: 200 })"
        rows = (("/terms", bytes_of % "284", "refused", "STS2"), ("/terms", bytes_of % "100000000", "not-ready", "long"),
                ("/terms", bytes_of % "10", "not-ready", "terms"), ("/model", bytes_of % "20", "not-ready", "model: 20 bytes"),
                ("/model", "Promise.reject(new TypeError('redirected'))", "not-ready", "redirect"),
                ("/terms", "new Response(null, { status: 404 })", "gone", "404"),
                *(("/terms", f"new Response(null, {{ status: {status} }})", "not-ready", str(status)) for status in (400, 403, 409, 429, 500, 503)))
        for leaf, answer, code, sentence in rows:
            with self.subTest(leaf=leaf, answer=answer):
                self.browser.run(self.tab, "window.fetch = window.first ??= window.fetch;" + INSTEAD % (f"'{leaf}'", answer))
                self.assert_refused(code, sentence, ENTER.replace("1500", "300"), self.url)
        self.assert_nothing_booked_nor_sent()

    def send_one(self, url):
        """Decides a round whose report leaves at once; what becomes of it, putOff, dropped or acknowledged, and what the page says
        about that."""
        return self.browser.run(self.tab, JOIN + """await experiment.decide([1, 0, 0, 0, 0, 0]);
            for (;;) {
                const counts = await experiment.counts();
                for (const what of ["putOff", "dropped", "acknowledged"]) if (counts[what]) return [what, await experiment.trouble()];
                await new Promise(next => setTimeout(next, 20));
            }""", url)

    def assert_left_once(self, url, experiment, what):
        """What was put off leaves when the page is loaded anew, and what was dropped never."""
        self.load()
        self.browser.run(self.tab, JOIN + SENT, url)
        self.assertIsNone(self.browser.run(self.tab, "return await experiment.trouble()"))
        self.assertEqual(self.browser.run(self.tab, "return (await person.spent()).dropped"), int(what == "dropped"))
        counts = self.service.counts(experiment)
        self.assertEqual((counts["folded"], sum(counts.values())), 2 * (int(what == "putOff"),))

    def test_answers_of_servers_to_reports(self):
        other = "new Response(%s, { status: %s })"
        for answer, what, why in (
                *((other % ("null", status), "putOff", str(status)) for status in (200, 401, 403, 409, 413, 429, 500, 502, 503)),
                (other % ("'<html>'", 200), "putOff", "200"), ("Promise.reject(new TypeError('redirected'))", "putOff", "redirect"),
                (other % ("""'{"error": "no", "field": "epoch"}'""", 400), "putOff", "400"),
                *((other % ("null", status), "dropped", str(status)) for status in (400, 404, 410)),
                (other % ("new Uint8Array(100000000)", 200), "putOff", "200")):
            with self.subTest(answer):
                self.setUp()
                url = self.experiment_at_once()
                self.browser.run(self.tab, INSTEAD % ("'/reports'", answer))
                happened, said = self.send_one(url)
                self.assertEqual(happened, what)
                self.assertIn(why, said)
                self.assert_left_once(url, url.rsplit("/", 1)[1], what)

    def at_pages(self, experiment, **more):
        """The URL of the experiment at the server of the pages."""
        path = f"/v1/experiments/{experiment}"
        files = {"terms": self.service.terms(experiment), "model": self.service.model(experiment)[1], **more}
        self.pages.files.update({f"{path}/{leaf}": answer for leaf, answer in files.items()})
        return self.pages.origin + path

    def test_a_redirect_of_a_report_is_not_followed(self):
        url = self.experiment_at_once()
        experiment = url.rsplit("/", 1)[1]
        here = self.at_pages(experiment, reports="/elsewhere/reports")
        self.pages.asked.clear()
        self.assertEqual(self.send_one(here)[0], "putOff")
        self.assertIn(f"/v1/experiments/{experiment}/reports", self.pages.asked)
        self.assertNotIn("/elsewhere/reports", self.pages.asked)
        self.assert_left_once(url, experiment, "putOff")

    def test_a_tag_that_marks_a_person_does_not_come_back(self):
        experiment = self.url.rsplit("/", 1)[1]
        epoch, model = self.service.model(experiment)
        asked = []

        def mark(handler):
            asked.append(handler.headers)
            handler.answer(model, "application/octet-stream", ETag='"person-17"', Set_Cookie="who=17",
                           Last_Modified="Wed, 01 Jan 2020 00:00:00 GMT")
        self.browser.run(self.tab, JOIN, self.at_pages(experiment, model=mark))
        self.assertTrue(self.service.wait_for(lambda: len(asked) > 3))
        self.assertEqual([headers["If-None-Match"] for headers in asked[:4]], [None] + 3 * [f'"{epoch}"'])
        self.assertFalse(any(name in headers for headers in asked for name in ("Cookie", "If-Modified-Since", "Referer")))
        self.assertEqual(len({tuple(headers.items()) for headers in asked[1:4]}), 1)

    def test_a_redirect_is_not_followed(self):
        self.pages.files[f"/v1/experiments/{'1' * 32}/terms"] = "/elsewhere/terms"
        self.pages.asked.clear()
        self.assert_refused("not-ready", "redirect", ENTER, f"{self.pages.origin}/v1/experiments/{'1' * 32}")
        self.assertIn(f"/v1/experiments/{'1' * 32}/terms", self.pages.asked)
        self.assertNotIn("/elsewhere/terms", self.pages.asked)
        self.assert_nothing_booked_nor_sent()

    def test_terms_of_another_experiment(self):
        other = experiment_of(self.service, self.pages.origin)
        self.browser.run(self.tab, INSTEAD % ("'/terms'", f"real('{other}/terms')"))
        self.assert_refused("refused", "another experiment", ENTER, self.url)
        self.assert_nothing_booked_nor_sent()

    def test_requests_carry_nothing_of_their_own_and_follow_no_redirect(self):
        self.browser.run(self.tab, """const real = window.fetch; window.seen = [];
            document.cookie = "who=me";
            window.fetch = (url, options) => { seen.push({ ...options, url, body: undefined, signal: undefined }); return real(url, options); };""")
        self.browser.run(self.tab, ENTER + "await experiment.decide([1, 0, 0, 0, 0, 0]);" + SENT, self.experiment_at_once())
        seen = self.browser.run(self.tab, "return seen")
        self.assertEqual({one["method"] for one in seen}, {"GET", "POST"})
        for one in seen:
            self.assertEqual({name: one[name] for name in ("credentials", "cache", "referrerPolicy", "redirect", "mode")},
                             {"credentials": "omit", "cache": "no-store", "referrerPolicy": "no-referrer", "redirect": "error", "mode": "cors"})
            self.assertNotIn("keepalive", one)
            asks = one["url"].endswith("/model") and "If-None-Match" in one["headers"]
            self.assertEqual(set(one["headers"]), {"Content-Type"} if one["method"] == "POST" else {"If-None-Match"} if asks else set())

    def experiment_at_once(self):
        return experiment_of(self.service, self.pages.origin, reward_window_s=0, send_spread_s=0)

    def test_what_the_browser_lacks(self):
        for lack, code, sentence in (("crypto.getRandomValues = () => { throw new Error('none') }", "entropy", "no randomness"),
                                     ("Object.defineProperty(navigator, 'locks', { value: undefined })", "storage", "Web Locks"),
                                     ("Object.defineProperty(window, 'indexedDB', { value: undefined })", "storage", "no IndexedDB"),
                                     ("WebAssembly = undefined", "module", "no WebAssembly")):
            with self.subTest(lack=lack):
                self.load()
                self.browser.run(self.tab, lack)
                self.assert_refused(code, sentence, ENTER, self.url)
        self.assert_nothing_booked_nor_sent()

    def test_full_storage_keeps_what_was_booked(self):
        def quota(**size):
            self.browser.devtools("Storage.overrideQuotaForOrigin", origin=self.pages.origin, **size)
        self.addCleanup(quota)
        quota(quotaSize=10000)  # before the ledger is opened: Chromium asks for the space left once and keeps the answer for 30 s
        url = self.experiment_at_once()
        self.assert_refused("storage", "cannot be written", "window.booked = 0;" + ENTER +
                            "for (;;) { await experiment.decide([1, 0, 0, 0, 0, 0]); booked++; }", url)
        booked = self.browser.run(self.tab, "return booked")
        self.assertGreater(booked, 0)
        quota()
        self.load()
        self.assertEqual(self.browser.run(self.tab, SPENT), booked)
        self.browser.run(self.tab, JOIN + SENT, url)
        self.assertEqual(self.service.counts(url.rsplit("/", 1)[1])["folded"], booked)

    def test_blocked_storage(self):
        with Blocking() as self.browser:
            self.tab = self.browser.first()
            self.load()
            self.assert_refused("storage", "keep a ledger: .*denied", ENTER, self.url)
            self.assertNotIn(self.service.public, " ".join(self.browser.requests()))

    def test_a_frame_of_another_origin_has_a_ledger_apart_and_is_refused(self):
        framed = """const frame = Object.assign(document.createElement('iframe'), { src: words[0] });
            document.body.append(frame);
            await new Promise(done => { frame.onload = done; });"""
        self.browser.go(self.tab, self.pages.origin.replace("127.0.0.1", "localhost") + "/")
        self.browser.run(self.tab, framed, self.pages.origin + "/")
        self.assert_refused("storage", "frame of another origin", ENTER, self.url, frame=0)
        self.load()
        self.browser.run(self.tab, framed, self.pages.origin + "/")
        self.browser.run(self.tab, ENTER, self.url, frame=0)  # of its own
        self.assert_nothing_booked_nor_sent()

    def test_a_policy_of_the_page_without_wasm(self):
        self.load("?csp=script-src%20%27self%27%20%27unsafe-inline%27%20%27unsafe-hashes%27")
        self.assert_refused("module", "wasm-unsafe-eval", ENTER, self.url)
        self.load("?csp=script-src%20%27self%27%20%27wasm-unsafe-eval%27")
        self.browser.run(self.tab, ENTER, self.url)

    def test_a_module_that_is_not_the_package_s(self):
        wasm = bytearray((WEB / "sotto-client/client.wasm").read_bytes())
        wasm[-1] ^= 1
        self.pages.files["/client.wasm"] = bytes(wasm)
        self.assert_refused("module", "SHA-256", ENTER.replace("index.js", "lean.js"), self.url)
        self.pages.files.clear()
        self.browser.run(self.tab, ENTER.replace("index.js", "lean.js"), self.url)

    def test_another_version_of_the_package_takes_the_ledger_over(self):
        self.browser.run(self.tab, JOIN, self.url)
        self.browser.run(self.tab, """await new Promise((resolve, reject) => {
            const request = indexedDB.open('sotto', 2);
            request.onsuccess = () => { request.result.close(); resolve(); };
            request.onerror = request.onblocked = () => reject(new Error('blocked'));
        })""")
        self.assert_refused("storage", "another version", "await experiment.decide([1, 0, 0, 0, 0, 0])")
        self.load()
        self.assert_refused("storage", "version", ENTER, self.url)

    def test_a_ledger_that_was_put_back_is_refused(self):
        copy = """await new Promise((resolve, reject) => {
            const request = indexedDB.open('sotto', 1);
            request.onsuccess = () => {
                const t = request.result.transaction('ledger', 'readwrite'), s = t.objectStore('ledger');
                %s
                t.oncomplete = () => { request.result.close(); resolve(); };
            };
        });"""
        other = experiment_of(self.service, self.pages.origin, reward_window_s=12)
        self.browser.run(self.tab, JOIN + copy % "s.get(0).onsuccess = event => { window.old = event.target.result };", other)
        self.browser.run(self.tab, "await experiment.decide([1, 0, 0, 0, 0, 0]);" + copy % "s.clear(); s.put(old, 0);")
        self.assert_refused("ledger", "rolled back", "await experiment.decide([1, 0, 0, 0, 0, 0])")


if __name__ == "__main__":
    main()
