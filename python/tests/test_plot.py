"""sotto.plot: means and bands of the lab, in the colours of the reports."""

import os
import re
import subprocess
import sys
import unittest

import matplotlib.pyplot
import numpy
import pandas

import sotto
from sotto import _plot

SOURCE = os.environ["SOURCE"]


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = sotto.simulate("sotto,ldp-sgd,ols", dim=3, arms=3, horizon=300, seeds=5, epsilon=[0.5, 1])

    def test_one_line_per_method_and_epsilon_and_one_of_methods_without_privacy(self):
        axes = sotto.plot(self.rows)
        labels = [line.get_label() for line in axes.get_lines()]
        self.assertEqual(["sotto, epsilon 0.5", "sotto, epsilon 1", "ldp-sgd, epsilon 0.5", "ldp-sgd, epsilon 1",
                          "ols", "best-arm, epsilon 0.5", "best-arm, epsilon 1"], labels)
        self.assertEqual(["#D55E00", "#D55E00", "#0072B2", "#0072B2", "#000000", "#B8860B", "#B8860B"],
                         [line.get_color() for line in axes.get_lines()])
        self.assertEqual(["-", "--", "-", "--", "--", "-", "--"], [line.get_linestyle() for line in axes.get_lines()])
        self.assertEqual(7, len(axes.collections))
        matplotlib.pyplot.close(axes.figure)

    def test_means_and_bands_are_those_of_the_summary(self):
        axes = sotto.plot(self.rows)
        summary = sotto.summary(self.rows)
        for line, band, mean, low, high in zip(axes.get_lines(), axes.collections, summary["regret_mean"],
                                               summary["regret_p10"], summary["regret_p90"]):
            self.assertEqual((300, mean), (line.get_xdata()[-1], line.get_ydata()[-1]))
            ends = band.get_paths()[0].vertices
            self.assertLessEqual({low, high}, set(ends[ends[:, 0] == 300][:, 1]))
        early = self.rows.query("method == 'sotto' and epsilon == 1 and t == 50")["regret"]
        line = axes.get_lines()[1]
        numpy.testing.assert_allclose(early.mean(), line.get_ydata()[list(line.get_xdata()).index(50)])
        matplotlib.pyplot.close(axes.figure)

    def test_on_axes_that_are_there(self):
        figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
        self.assertIs(right, sotto.plot(self.rows, right))
        self.assertEqual((0, 7), (len(left.get_lines()), len(right.get_lines())))
        figure.canvas.draw()
        matplotlib.pyplot.close(figure)

    def test_methods_of_ones_own_have_colours_too(self):
        rows = self.rows.replace({"method": {"sotto": "mine", "ols": "other"}})
        axes = sotto.plot(rows)
        colours = [line.get_color() for line in axes.get_lines()]
        self.assertEqual(4, len(set(colours)))
        matplotlib.pyplot.close(axes.figure)

    def test_the_colours_are_those_of_the_reports(self):
        with open(os.path.join(SOURCE, "src/lab/page/figure_layout.c"), encoding="utf-8") as file:
            text = file.read()
        looks = {name.lower().replace("_", "-"): (f"#{colour}", int(dash), float(width)) for name, colour, dash,
                 width in
                 re.findall(r'\[SOTTO_PLAYER_(\w+)\] = \{"(\w+)", (\d+), \d+, ([\d.]+)\}', text)}
        self.assertEqual(looks, _plot.LOOKS)
        dashes = re.search(r"dash_of\[.*?\] = \{(.*?)\}", text).group(1)
        self.assertEqual(tuple(re.findall(r'"(.*?)"', dashes)), _plot.DASHES)

    def test_a_replay_has_a_title_axes_bands_and_a_facet_per_epsilon(self):
        draw = numpy.random.default_rng(1)
        people = pandas.DataFrame({"u": draw.uniform(-1, 1, 300)})
        people["y"] = numpy.where(people.u > 0, "yes", "no")
        ranges = {"u": (-1, 1), "y": ["no", "yes"]}
        found = sotto.replay(people, label="y", ranges=ranges, epsilon=[1, 4], seeds=3)
        facets = sotto.plot(found)
        self.assertEqual(["epsilon 1", "epsilon 4"], [axes.get_title() for axes in facets])
        self.assertIn("300 people", facets[0].figure._suptitle.get_text())
        self.assertEqual(("people", "mean reward per person"), (facets[0].get_xlabel(), facets[0].get_ylabel()))
        for axes, epsilon in zip(facets, (1, 4)):
            lines = {line.get_label(): line for line in axes.get_lines()}
            self.assertEqual({"sotto", "best-arm", "ols", "linucb"}, set(lines))
            self.assertEqual(len(lines), len(axes.collections), "each has its band")
            rows = found.rows.query(f"method == 'sotto' and epsilon == {epsilon} and t == 300")
            self.assertAlmostEqual(rows["reward"].mean() / 300, lines["sotto"].get_ydata()[-1], 12)
        with self.assertRaisesRegex(sotto.FaultError, "ax: there are 2 epsilons"):
            sotto.plot(found, ax=facets[0])
        axes = matplotlib.pyplot.figure().subplots()
        self.assertIs(axes, sotto.plot(sotto.replay(people, label="y", ranges=ranges, seeds=2), ax=axes))

    def test_bad_rows_and_no_matplotlib(self):
        with self.assertRaisesRegex(sotto.FaultError, "rows: there are none"):
            sotto.plot(self.rows.head(0))
        script = ("import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
                  "import sotto\n"
                  "sotto.plot(sotto.simulate(dim=2, arms=2, horizon=10, seeds=1))")
        ran = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
        self.assertIn("ImportError: sotto.plot needs matplotlib: `pip install matplotlib`", ran.stderr)


if __name__ == "__main__":
    unittest.main()
