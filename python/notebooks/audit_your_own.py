# %% [markdown]
# # Audit a mechanism of your own
#
# You wrote three lines that are to keep a vector private at epsilon 1. Do they? An audit asks them many times for
# answers to pairs of vectors, and measures how well the two can be told apart. It can find a violation. It cannot prove
# that there is none.

# %%
import numpy

import sotto

random = numpy.random.default_rng()


# %% [markdown]
# A number between -1 and 1, and Laplace noise. The number can change by 2, so the scale of the noise must be 2/epsilon.
# The function below has 1/epsilon: an easy mistake.

# %%
def half_of_the_noise(x):
    return numpy.clip(x, -1, 1) + random.laplace(scale=1, size=1)


print(sotto.audit(half_of_the_noise, dim=1, epsilon=1, trials=10000))


# %% [markdown]
# The last line has a bound: whatever the claim, the true epsilon is larger than that. With the right scale nothing is
# found, and the bound stays below the claim.

# %%
def enough_noise(X):
    return numpy.clip(X, -1, 1) + random.laplace(scale=2, size=X.shape)


print(sotto.audit(enough_noise, dim=1, epsilon=1, trials=100000, batch=True))


# %% [markdown]
# That one took many vectors at once, `batch=True`, which is much faster. The next one forgets to clip. Most inputs do
# not show that; the audit tries some that are too long.

# %%
def forgets_to_clip(X):
    return X + random.laplace(scale=2, size=X.shape)


found = sotto.audit(forgets_to_clip, dim=1, epsilon=1, trials=20000, batch=True)
found.rows[~found.rows.passed]


# %% [markdown]
# ## Coins of the lab
#
# A function that wants `rng` gets the lab's randomness. Then a seed repeats the whole audit, which is what a test
# needs.

# %%
def randomised_response(x, rng):
    """The sign of the first number, turned around with chance 1/(1 + e)."""
    sign = 1.0 if x[0] > 0 else -1.0
    return sign if rng.uniform() > 1 / (1 + numpy.e) else -sign


one, other = (sotto.audit(randomised_response, dim=3, epsilon=1, trials=5000, seed=1) for _ in range(2))
print(one.sentence)
assert one.epsilon_lower == other.epsilon_lower

# %% [markdown]
# ## The mechanisms that ship
#
# By name the audit looks deeper: the law of the noise, hard inputs on the same coins, and the rounds of a device.

# %%
sotto.audit("codebook", dim=5, epsilon=1, trials=20000, seed=1)
