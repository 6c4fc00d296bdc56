"""sotto.plot: means and bands of the lab, in the colours of the reports."""

import os
import re
import subprocess
import sys
import unittest

import matplotlib.pyplot
import numpy

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
                          "ols"], labels)
        self.assertEqual(["#D55E00", "#D55E00", "#0072B2", "#0072B2", "#000000"],
                         [line.get_color() for line in axes.get_lines()])
        self.assertEqual(["-", "--", "-", "--", "--"], [line.get_linestyle() for line in axes.get_lines()])
        self.assertEqual(5, len(axes.collections))
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
        self.assertEqual((0, 5), (len(left.get_lines()), len(right.get_lines())))
        figure.canvas.draw()
        matplotlib.pyplot.close(figure)

    def test_methods_of_ones_own_have_colours_too(self):
        rows = self.rows.replace({"method": {"sotto": "mine", "ols": "other"}})
        axes = sotto.plot(rows)
        colours = [line.get_color() for line in axes.get_lines()]
        self.assertEqual(3, len(set(colours)))
        matplotlib.pyplot.close(axes.figure)

    def test_the_colours_are_those_of_the_reports(self):
        with open(os.path.join(SOURCE, "src/lab/page/figure_style.c"), encoding="utf-8") as file:
            text = file.read()
        looks = {name.lower().replace("_", "-"): (f"#{colour}", int(dash), float(width)) for name, colour, dash,
                 width in
                 re.findall(r'\[SOTTO_PLAYER_(\w+)\] = \{"(\w+)", (\d+), \d+, ([\d.]+)\}', text)}
        self.assertEqual(looks, _plot.LOOKS)
        dashes = re.search(r"dash_of\[.*?\] = \{(.*?)\}", text).group(1)
        self.assertEqual(tuple(re.findall(r'"(.*?)"', dashes)), _plot.DASHES)

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
