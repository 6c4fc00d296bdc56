#!/usr/bin/env python3
"""Measure rounds through the service, end to end: what the service says of its policy is, to the last digit, what the
library says that learns from the same reports, and it holds the truth that only the people know."""
import json
import os
import subprocess
import unittest

from replay_journal import Journal
from sottod import Service

SOTTO = os.environ["SOTTO"]
PEOPLE = 12000
SPEC = {"dim": 3, "arms": 4, "reward_kind": "continuous", "link": "identity", "epsilon": 2, "measure": 0.1 * 2**32 // 1,
        "reward_window_s": 0, "send_spread_s": 1, "epoch_lag_max": 4}


class MeasureRounds(unittest.TestCase):
    def test_the_service_says_what_the_library_says_and_holds_the_truth(self):
        with Service("--keep-reports") as service:
            spec = {**SPEC, "measure": int(SPEC["measure"])}
            experiment = service.create(spec, {"epoch": 1000, "epoch_seconds_min": 1, "epoch_reports_min": 20})
            fleet = subprocess.run(
                [SOTTO, "fleet", f"{service.public}/v1/experiments/{experiment}", "--admin", service.admin,
                 "--token-file", str(service.token_file), "--people", str(PEOPLE), "--batch", "20", "--rate", "2000", "--seed", "5",
                 "--json", "--quiet"], capture_output=True, text=True, timeout=120)
            self.assertEqual(fleet.returncode, 0, fleet.stderr)
            seen = json.loads(fleet.stdout)
            self.assertEqual(service.stop(), 0)
            replay = Journal(service.folder).replay(experiment)
            service.start()  # after a start all is told that is known
            answer = service.manage("GET", f"/v1/experiments/{experiment}/results")
            self.assertEqual(answer.status, 200)
            told = json.loads(answer.body)["measurement"]
        self.assertEqual(replay.counts["folded"], PEOPLE)
        said = [told["follow"]["reports"], told["control"]["reports"]]
        for interval in (told["follow"]["mean"], told["control"]["mean"], told["uplift"]):
            said += [interval["value"], interval["lo"], interval["hi"]]
        self.assertEqual(said, replay.measured)
        self.assertGreater(said[0] + said[1], PEOPLE / 50)  # most of the measure rounds came after the first epochs
        # The people know the truth. The interval fails to hold it once in twenty at most; this one is of one seed
        # for contexts and rewards, and fresh noise: 99.9999 % need twice the width (a normal has 1.96 and 4.9).
        truth, uplift = seen["uplift_true"], told["uplift"]
        half = (uplift["hi"] - uplift["lo"]) / 2
        self.assertLess(abs(uplift["value"] - truth), 2.5 * half)


if __name__ == "__main__":
    unittest.main()
