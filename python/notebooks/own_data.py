# %% [markdown]
# # Your own data
#
# What would a private bandit learn from people like yours, and how many of them does an epsilon need? A replay answers
# before anybody is asked for a report. The rows here are made up, so that this runs without a download: put your own
# DataFrame in their place.

# %%
import numpy
import pandas

import sotto

draw = numpy.random.default_rng(1)
rows = 4000
people = pandas.DataFrame({
    "age": draw.integers(18, 90, rows),
    "visits": draw.poisson(3, rows),
    "device": draw.choice(["phone", "tablet", "desktop"], rows),
})
score = (people.age - 50) / 15 + (people.device == "phone") - 0.2 * people.visits + draw.normal(scale=0.5, size=rows)
people["best_offer"] = numpy.select([score < -0.8, score < 0.6], ["video", "podcast"], "newsletter")
people.head()

# %% [markdown]
# ## Which values a column can have
#
# A device must bring its context to length 1 before it reports anything, so it must know the range of each column.
# These ranges are public: write what you know of a column without looking at people's rows. `ranges_from_data=True`
# would take them from the rows, which is quick, and says something about these people that epsilon does not cover.

# %%
ranges = {
    "age": (18, 100),
    "visits": (0, 50, "log"),  # a long tail: by its logarithm
    "device": ["phone", "tablet", "desktop"],
    "best_offer": ["newsletter", "podcast", "video"],
}

# %% [markdown]
# ## The replay
#
# Each person comes once. A method chooses an offer, and earns 1 if it is the best one for that person. Method `sotto`
# gets one private report per person; `ols` and `linucb` see everything, and show what privacy costs.

# %%
found = sotto.replay(people, label="best_offer", ranges=ranges, epsilon=[1, 4, 8], seeds=5)
print(found)

# %% [markdown]
# The numbers are in DataFrames: `summary` has one line per method, `rows` one per checkpoint of each run.

# %%
found.summary[["method", "epsilon", "reward_mean", "last_mean", "share", "verdict"]]

# %%
curves = found.rows.groupby(["method", "epsilon", "t"]).reward.mean().reset_index()
curves["per person"] = curves.reward / curves.t
curves[curves.t == rows]

# %% [markdown]
# ## How many people would it take?
#
# A plan needs no data at all. It is for contexts spread evenly, and yours are not: take it as a rough
# number.

# %%
print(sotto.plan(dim=found.dim, arms=3, parameters="per-arm", epsilon=[1, 4, 8], horizon=100000, per_day=2000))

# %% [markdown]
# ## A log of what was shown
#
# Mostly nobody knows the best offer; there is a log of the one that was shown, of its reward and of the chance that it
# had. Then methods are valued by the events where they agree with the log, with five estimates and their intervals.

# %%
log = people.drop(columns="best_offer")
log["offer"] = draw.choice(["newsletter", "podcast", "video"], rows, p=[0.5, 0.25, 0.25])
log["chance"] = numpy.where(log.offer == "newsletter", 0.5, 0.25)
log["click"] = (log.offer == people.best_offer).astype(int)
log_ranges = {"age": (18, 100), "visits": (0, 50, "log"), "device": ["phone", "tablet", "desktop"],
              "offer": ["newsletter", "podcast", "video"], "click": (0, 1)}
valued = sotto.replay(log, action="offer", reward="click", propensity="chance", ranges=log_ranges, epsilon=8, seeds=5)
valued.estimates[valued.estimates.estimator == "doubly_robust"]

# %%
print("\n".join(valued.verdicts))
