// A person and the experiments that the person takes part in.
import { Engine, SottoError } from "./engine.js";
import { SHA256, VERSION } from "./version.js";

const LIMITS = ["epsilonPerReportMax", "epsilonLifetime", "deltaMax", "deltaLifetime", "dimMax", "armsMax", "measureShareMax"];
const TERMS = ["dim", "arms", "numbers", "epsilon", "delta", "rewardWindowS", "sendSpreadS", "reportBytes", "rewardLo", "rewardHi", "rewardDefault"];
const CARD = ["reportBytes", "rewardWindowS", "sendSpreadS", "epsilon", "delta", "oddsFactor", "measureShare", "roundsBefore",
  "droppedBefore", "epsilonBefore", "deltaBefore", "epsilonBeforeOptimal", "refused", "epsilonLifetime", "deltaLifetime", "roundsLeft"];
const COUNTS = ["begun", "finished", "sent", "sentDefault", "acknowledged", "dropped", "putOff", "served"];
const ASKING = 0, READY = 1, REFUSED = 2;
const LOOK_MS = 10;
const SEND_AGAIN_MS = 1000;

// The caveats that numbers cannot express.
const CAVEATS = Object.freeze([
  "A private window, another browser or another profile starts with nothing spent, and so does this one after its storage is cleared.",
  "Safari deletes what a site stored after 7 days without a visit.",
  "The budget is that of this site in this browser, not of the person.",
  "If an older copy of the browser's storage is put back, pages that are opened later do not notice.",
  "The server sees the address, the page's origin, the browser's User-Agent and its client hints.",
]);

const named = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]]));

function limitsOf(policy) {
  for (const name of Object.keys(policy)) {
    if (!LIMITS.includes(name)) throw new SottoError("fault", `policy.${name} is unknown: allowed ${LIMITS.join(", ")}`);
    if (typeof policy[name] !== "number" || Number.isNaN(policy[name])) throw new SottoError("fault", `policy.${name} is not a number`);
  }
  return LIMITS.map(name => policy[name] ?? NaN);
}

function numbersOf(context) {
  if (context === null || typeof context !== "object" || typeof context.length !== "number") {
    throw new SottoError("fault", "context is not an array of numbers");
  }
  return Array.from(context, (value, i) => {
    if (typeof value !== "number") throw new SottoError("fault", `context[${i}] is not a number`);
    return value;
  });
}

export async function openPerson(module, version, openLedger, system, { policy = {} } = {}) {
  const limits = limitsOf(policy);
  const engine = new Engine(await module(), await openLedger(), system);
  let handle = 0;
  try {
    await engine.start(version);
    await engine.call(x => {
      handle = engine.lend([limits], at => x.person_new(at));
      if (!handle) throw new SottoError("memory", "out of memory");
      engine.check(x.person_open(handle, 1), handle);
    });
  } catch (error) {
    engine.close();
    throw error;
  }
  // Asks the browser not to delete the ledger when space is short. It may refuse, for example if it
  // would have to ask the user.
  const persisted = Promise.resolve(globalThis.navigator?.storage?.persist?.() ?? false).catch(() => false);
  return new Person(engine, handle, persisted);
}

class Person {
  #engine; #handle;

  constructor(engine, handle, persisted) {
    this.#engine = engine;
    this.#handle = handle;
    this.persisted = persisted;
  }

  spent() { return this.#engine.call(x => this.#engine.spent(x, this.#handle)); }

  async join(url, { relay = null, reportKey = null, refreshMs = 0, roundsMax = 0, waitMs = 15000 } = {}) {
    if (typeof url !== "string") throw new SottoError("fault", "url is not a string");
    const engine = this.#engine, part = { handle: 0, release() {}, refusal: null, relay };
    await engine.call(x => {
      part.handle = engine.lend([url, relay, reportKey], (...at) => x.part_new(this.#handle, ...at, refreshMs));
      if (!part.handle) throw new SottoError("fault", engine.string(x.person_sentence(this.#handle)));
      engine.parts.add(part);
      engine.turn(x, part);
    });
    try {
      await ready(engine, part, waitMs);
      await engine.call(x => engine.check(x.part_enter(part.handle, roundsMax), this.#handle));
    } catch (error) {
      if (!engine.broken) await engine.call(x => { engine.parts.delete(part); x.part_free(part.handle); });
      throw error;
    }
    send(engine, this.#handle, part, url);
    return new Experiment(engine, this.#handle, part);
  }

  close() { this.#engine.close(); }
}

async function ready(engine, part, waitMs) {
  const until = performance.now() + waitMs;
  for (;;) {
    const [state, why] = await engine.call(x => [x.part_state(part.handle), engine.string(x.part_sentence(part.handle))]);
    if (part.refusal?.[0] === "refused") throw new SottoError(...part.refusal);
    if (state === READY) return;
    if (state !== ASKING) throw new SottoError(state === REFUSED ? "refused" : "gone", why);
    if (performance.now() >= until) throw new SottoError("not-ready", why ?? "the server has not answered yet");
    await new Promise(next => setTimeout(next, LOOK_MS));
  }
}

// Makes this tab send reports from when it becomes the sending tab until it is closed. If it cannot
// begin, another tab may, or this tab tries again later.
function send(engine, person, part, url) {
  engine.sends(url.slice(-32).toLowerCase(), async () => {
    const over = new Promise(release => { part.release = release; });
    try {
      await engine.call(x => {
        engine.check(x.part_send(part.handle, 1), person);
        engine.turn(x, part);
      });
    } catch {
      if (!engine.broken) setTimeout(() => send(engine, person, part, url), SEND_AGAIN_MS);
      return;
    }
    await over;
  });
}

class Experiment {
  #engine; #person; #part;

  constructor(engine, person, part) {
    this.#engine = engine;
    this.#person = person;
    this.#part = part;
  }

  #call(f) { return this.#engine.call(x => f(x, this.#part.handle)); }

  #read(names, f) {
    return this.#call((x, part) => this.#engine.lend([names.map(() => 0)], out => {
      f(x, part, out);
      return named(names, this.#engine.numbers(out, names.length));
    }));
  }

  terms() { return this.#read(TERMS, (x, part, out) => x.part_terms(part, out)); }

  counts() { return this.#read(COUNTS, (x, part, out) => x.part_counts(part, out)); }

  epoch() { return this.#call((x, part) => x.part_epoch(part)); }

  trouble() {
    const engine = this.#engine, part = this.#part;
    return this.#call((x, handle) => part.refusal?.[1] ?? engine.string(x.part_trouble(handle)) ?? engine.string(x.part_sentence(handle)));
  }

  waiting() {
    return this.#call((x, part) => {
      this.#engine.check(x.part_adopt(part), this.#person);
      return x.part_waiting(part);
    });
  }

  async card() {
    const card = await this.#read(CARD, (x, part, out) => this.#engine.check(x.part_card(part, out), this.#person));
    return { ...card, refused: card.refused !== 0, caveats: CAVEATS, version: VERSION, module: SHA256 };
  }

  async decide(context) {
    const numbers = numbersOf(context), engine = this.#engine;
    const round = await this.#call((x, part) => engine.lend([numbers, [0, 0]], (at, out) => {
      if (this.#part.refusal) throw new SottoError(...this.#part.refusal);
      engine.check(x.part_decide(part, at, numbers.length, out, out + 8), this.#person);
      return { number: engine.numbers(out, 1)[0], arm: engine.uint32(out + 8) };
    }));
    return Object.freeze({
      arm: round.arm,
      reward: value => this.#call((x, part) => {
        if (typeof value !== "number") throw new SottoError("fault", "reward is not a number");
        engine.check(x.part_reward(part, round.number, value), this.#person);
      }),
    });
  }
}
