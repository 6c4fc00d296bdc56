"""Settings of `sotto simulate` in a fixed random order: all links, methods, environments, calibrations. Only settings
that `sotto` accepts are drawn."""
import random

METHODS = ("sotto sotto-ols ldp-sgd ldp-ols ldp-ucb ldp-gloc best-arm ols linucb sgd glm glm-ucb random oracle merino "
           "shuffle-ucb joint-glm").split()
GENERAL = "sotto ldp-sgd ldp-gloc best-arm sgd glm glm-ucb random oracle merino joint-glm".split()  # those that take every link
NOT = {"shared": ("merino",), "per-arm": ("sotto-ols", "joint-glm")}
PAPER = "ldp-sgd ldp-ols ldp-ucb ldp-gloc".split()  # those with calibrations of the paper
PLAIN = "sphere ball gaussian anisotropic margin drift".split()


def problem(draw):
    link = draw.choice("identity identity logit probit log".split())
    environment = draw.choice(PLAIN + ["loan"] * (link == "logit") + ["published"] * (link == "identity"))
    if environment == "loan":
        return link, environment, "shared", "--environment loan --link logit"
    parameters = "shared" if environment == "margin" else draw.choice(["shared", "per-arm"])
    dim, arms = draw.randint(2 if environment == "drift" else 1, 8), 2 if environment == "margin" else draw.randint(2, 6)
    words = f"--environment {environment} --link {link} --parameters {parameters} --dim {dim} --arms {arms}"
    if environment == "margin":
        words += f" --margin {draw.choice([0.2, 0.5, 1])}"
    return link, environment, parameters, words


def methods(draw, link, parameters):
    if link == "identity" and draw.random() < 0.2:
        calibration = draw.choice(["paper", "published"])
        return draw.sample(PAPER, 2), f"--calibration {calibration} --delta 0.1 --allow-weak-delta"
    allowed = [m for m in (METHODS if link == "identity" else GENERAL) if m not in NOT[parameters]]
    return draw.sample(allowed, draw.randint(1, 4)), ""


def more(draw, link, environment, parameters, played):
    """An option that changes what is played, or none."""
    choices = ["", "", "--epoch 7", "--epoch 150", "--epoch auto", "--epoch growth:0.2", "--window 100", "--unknown-horizon", "--alpha 0.3"]
    if {"ldp-sgd", "sgd"} & set(played):
        choices += ["--step 1/sqrt"]
    if environment in ("sphere", "ball", "anisotropic", "drift"):
        choices += ["--theta-norm 0.5", "--context-norm-max 0.7"]
    if link == "identity":
        choices += ["--noise 0.4", "--noise 0"]
    if environment == "loan":
        choices += ["--revenue"]
    if parameters == "per-arm":
        choices += ["--warmup 60", "--elimination 1"]
    return draw.choice(choices)


def settings(count, seed=1):
    draw = random.Random(seed)
    for _ in range(count):
        link, environment, parameters, words = problem(draw)
        played, calibration = methods(draw, link, parameters)
        option = "" if calibration else more(draw, link, environment, parameters, played)
        epsilon = round(draw.choice([draw.uniform(0.05, 1), draw.uniform(1, 8)]), 3)
        yield (f"simulate {words} --method {','.join(played)} --epsilon {epsilon} --horizon {draw.choice([200, 500, 900])} "
               f"--seeds {draw.randint(1, 2)} --first-seed {draw.randrange(10**6)} {calibration} {option} --quiet")
