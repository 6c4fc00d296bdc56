"""Seeds of tests with kills and faults: `make test` always uses the same seed, so that what passed
once passes again; `make soak` uses a new one and runs longer. SEED=N repeats a run."""
import os
import random

SOAK = os.environ.get("SOTTO_SOAK") == "1"
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(2**32) if SOAK else 1))
