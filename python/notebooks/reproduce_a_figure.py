# %% [markdown]
# # A figure of the paper, redrawn
#
# The left half of the figure of *Generalized Linear Bandits with Local Differential Privacy* (NeurIPS 2021): 2 numbers
# per context, 10 arms, one parameter for all arms. All methods meet the same people. The horizon is short here, so that
# the notebook takes seconds; `horizon=1e6, seeds=100` is the paper's, and takes minutes.

# %%
import matplotlib.pyplot as plt

import sotto

HORIZON, SEEDS = 1e4, 10
METHODS = ["sotto", "ldp-sgd", "ldp-ols", "ldp-ucb", "ldp-gloc"]

# %% [markdown]
# ## Play
#
# One row per method, epsilon, seed and checkpoint. The rows are the same bits as those of `sotto simulate`, on any
# machine and with any number of threads.

# %%
rows = sotto.simulate(METHODS, dim=2, arms=10, horizon=HORIZON, epsilon=[1, 5], seeds=SEEDS)
print(rows.head())

# %% [markdown]
# ## Look
#
# Regret is what people lose because the server still learns. The band holds 8 of 10 seeds.

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True)
for axes, epsilon in ((left, 1), (right, 5)):
    sotto.plot(rows[rows.epsilon == epsilon], ax=axes)
    axes.set_title(f"epsilon {epsilon}")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Compare
#
# `floor_start` is what epsilon costs any method (docs/methods.md, section 16).

# %%
table = sotto.summary(rows)
print(table[["method", "epsilon", "regret_mean", "regret_se", "floor_start"]].to_string(index=False))

# %% [markdown]
# The order of the paper: the private gradient method is ahead of private least squares and of both baselines, and our own
# method is ahead of all.

# %%
last = rows[(rows.t == rows.t.max()) & (rows.epsilon == 1)].groupby("method").regret.mean()
assert last["sotto"] < last["ldp-sgd"] < last["ldp-ucb"] and last["ldp-sgd"] < last["ldp-gloc"]
