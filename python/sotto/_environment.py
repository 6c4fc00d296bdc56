"""An environment of your own, as a class."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from sotto import _c, _guests, errors
from sotto._guests import LOST, Problem, State
from sotto._lab import ffi, lib
from sotto._rng import Rng


class Environment:
    """An environment of your own: it draws people's contexts and rewards.

    One person is

        context() -> means(context) -> (a method chooses an arm) -> reward(context, arm, mean)

    Each person has random numbers that depend only on the seed and the person's number. So every method meets the same
    people, however many numbers you draw, provided that people do not depend on earlier arms. Each run has its own object, as with `sotto.Method`. The
    lab checks contexts, means and rewards against the bounds that the class states: methods know these bounds, and privacy
    depends on them.

        >>> import numpy, sotto
        >>> class Tastes(sotto.Environment):
        ...     '''People who care more or less; the mean reward is not a linear function of the context.'''
        ...     name = "tastes"
        ...     reward_lo, reward_hi = -2, 2
        ...
        ...     def begin(self, problem, rng):
        ...         self.shape = problem.context_shape
        ...         theta = rng.normal(problem.dim)
        ...         self.true = theta / numpy.linalg.norm(theta)
        ...
        ...     def context(self, rng):
        ...         care = 0.5 + 0.5 * rng.uniform()
        ...         rows = rng.normal(self.shape)
        ...         return care * rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
        ...
        ...     def means(self, context):
        ...         fit = context @ self.true
        ...         return numpy.copysign(abs(fit) ** 0.5, fit)
        ...
        ...     def reward(self, context, arm, mean, rng):
        ...         return mean + 2 * rng.uniform() - 1
        >>> rows = sotto.simulate("sotto,ols", environment=Tastes, dim=3, arms=4, horizon=1000, seeds=2)
        >>> sorted(set(rows["method"]))
        ['best-arm', 'ols', 'sotto']
    """

    #: 1 to 31 letters, digits, '-', '_', '.'; not a name of ours. Default: that of the class.
    name: str = ""
    #: Which build this is: runs that are kept are taken if it is the same.
    version: str | None = None
    #: Numbers per context vector, and arms, that it has. None: any, and `simulate` is told.
    dim: int | None = None
    arms: int | None = None
    #: Which parameters it has a meaning for: "shared", "per-arm", or both.
    parameters: str | tuple[str, ...] = "shared"
    #: No row of a context is longer.
    context_norm_max: float = 1
    #: What methods know of the true parameter's length.
    theta_norm_max: float = 1
    #: All means and rewards are within; binary: 0 and 1.
    reward_lo: float = 0
    reward_hi: float = 1

    def begin(self, problem: Problem, rng: Rng) -> None:
        """Called at the start of a run. Prepare here what stays the same during it. To refuse a problem, raise."""

    def context(self, rng: Rng) -> NDArray[numpy.float64]:
        """The context of the next person, of shape `problem.context_shape`. It is called once per person, in order, so what
        changes from round to round changes here."""
        raise NotImplementedError("an environment needs the function context")

    def means(self, context: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The mean reward of this person, one number per arm. It need not follow the link."""
        raise NotImplementedError("an environment needs the function means")

    def reward(self, context: NDArray[numpy.float64], arm: int, mean: float, rng: Rng) -> float:
        """The reward of this person for this arm. Without this function, rewards are the mean plus Gaussian noise, or 0/1 or
        counts with that mean, depending on the run's kind of reward."""
        raise NotImplementedError("this environment draws no rewards")

    def theta(self) -> NDArray[numpy.float64] | None:
        """The current true parameter, of shape `problem.theta_shape`. Without this function, or if it returns None,
        estimation_error is nan."""
        return None


def _make(user: Any, told: Any, stream: Any, state: Any, text: Any) -> Any:
    guests, given = ffi.from_handle(user)
    try:
        world = State(guests, "environment", given, told)
        try:
            world.guest.begin(world.problem, world.enter(stream))
        finally:
            world.leave()
        world.give_out(state)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return _guests.blame(guests, "environment", _guests.name_of(given), "begin", raised, text)


def _context(state: Any, stream: Any, context: Any, text: Any) -> Any:
    world = ffi.from_handle(state)
    doing = "context"
    try:
        found = world.guest.context(world.enter(stream))
        doing = ""
        array = _c.vector("context", found, *world.problem.context_shape)
        ffi.memmove(context, ffi.from_buffer(array), array.nbytes)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return world.blame(doing, raised, text)
    finally:
        world.leave()


def _means(state: Any, context: Any, mean: Any, text: Any) -> Any:
    world = ffi.from_handle(state)
    doing = "means"
    try:
        world.enter()
        found = world.guest.means(_guests.numbers(context, world.problem.context_shape))
        doing = ""
        array = _c.vector("means", found, world.problem.arms)
        ffi.memmove(mean, ffi.from_buffer(array), array.nbytes)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return world.blame(doing, raised, text)
    finally:
        world.leave()


def _reward(state: Any, stream: Any, context: Any, arm: int, mean: float, reward: Any, text: Any) -> Any:
    world = ffi.from_handle(state)
    doing = "reward"
    try:
        rng = world.enter(stream)
        found = world.guest.reward(_guests.numbers(context, world.problem.context_shape), arm, mean, rng)
        doing = ""
        reward[0] = _c.real("reward", found)
        return ffi.NULL
    except BaseException as raised:  # pylint: disable=broad-except
        return world.blame(doing, raised, text)
    finally:
        world.leave()


def _theta(state: Any) -> Any:
    return ffi.from_handle(state).parameter("theta")


for _name, _function, _error in (("make", _make, LOST), ("context", _context, LOST), ("means", _means, LOST),
                                 ("reward", _reward, LOST), ("theta", _theta, ffi.NULL), ("free", _guests.free, None)):
    ffi.def_extern(name=f"sotto_py_environment_{_name}", error=_error)(_function)


def told(given: Any) -> dict[str, Any]:
    """What an environment of one's own is known by: plain, so that it can be kept with its rows."""
    version = given.version
    if not (version is None or isinstance(version, str)):
        raise errors.FaultError(f"version = {version!r}: expected a text")
    parameters = (given.parameters,) if isinstance(given.parameters, str) else tuple(given.parameters)
    for which in parameters:
        _c.number_of("parameters", "parameters", which)
    found = {name: _c.real(name, getattr(given, name))
             for name in ("context_norm_max", "theta_norm_max", "reward_lo", "reward_hi")}
    sizes = {name: 0 if getattr(given, name) is None else _c.whole(name, getattr(given, name), 1, 2**32 - 1)
             for name in ("dim", "arms")}
    return {"name": _guests.name_of(given), "version": version, **sizes, **found,
            "shared": "shared" in parameters, "per_arm": "per-arm" in parameters,
            "reward": _guests.overrides(given, Environment, "reward"),
            "theta": _guests.overrides(given, Environment, "theta")}


def table(guests: _guests.Guests, known: dict[str, Any], given: Any = None) -> Any:
    """The table of an environment for C; of one that is only known, and not played, without `given`."""
    made = guests.hold(ffi.new("sotto_environment_table *"))
    made.abi, made.struct_bytes = lib.SOTTO_PLUGIN_ABI, ffi.sizeof("sotto_environment_table")
    made.name, made.version = guests.string(known["name"]), guests.string(known["version"])
    for name in ("dim", "arms", "shared", "per_arm", "context_norm_max", "theta_norm_max", "reward_lo", "reward_hi"):
        setattr(made, name, known[name])
    made.user = ffi.NULL if given is None else guests.handle((guests, given))
    made.make = lib.sotto_py_environment_make
    made.context = lib.sotto_py_environment_context
    made.means = lib.sotto_py_environment_means
    if known["reward"]:
        made.reward = lib.sotto_py_environment_reward
    if known["theta"]:
        made.theta = lib.sotto_py_environment_theta
    made.free = lib.sotto_py_environment_free
    return made
