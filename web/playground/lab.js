// The lab's module, lab.wasm: numbers in, numbers out. A failure throws the module's own sentence.

// The answer to WASI calls of the C library that a page does not need: 52 is "not supported".
const NONE = 52;

function wasi(memory) {
  return {
    clock_time_get(clock, precision, out) {
      new DataView(memory().buffer).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_close: () => NONE,
    fd_seek: () => NONE,
    fd_write: () => NONE,
  };
}

/* Calls `played` with the number of rounds played since its last call. */
export async function open(url, played) {
  let lab = null;
  const memory = () => lab.memory;
  const random = (at, bytes) => (crypto.getRandomValues(new Uint8Array(memory().buffer, at, bytes)), 1);
  const imports = { sotto: { random, played: rounds => (played(rounds), 1) }, wasi_snapshot_preview1: wasi(memory) };
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: the server answered ${answer.status}`);
  lab = (await WebAssembly.instantiate(await answer.arrayBuffer(), imports)).instance.exports;
  lab._initialize?.();

  function sentence() {
    const bytes = new Uint8Array(memory().buffer, lab.fault());
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  // Throws the module's sentence if the status is not 0.
  function check(status) {
    if (status !== 0) throw new Error(sentence());
  }

  // Allocates `count` numbers, begins them with `given`, and returns them after `call` filled them.
  function numbers(count, call, given = []) {
    const at = lab.alloc(8 * count);
    new Float64Array(memory().buffer, at, given.length).set(given);
    const status = call(at);
    const out = [...new Float64Array(memory().buffer, at, count)];
    lab.release(at);
    check(status);
    return out;
  }

  function withBytes(bytes, call) {
    const at = lab.alloc(bytes.length);
    new Uint8Array(memory().buffer, at, bytes.length).set(bytes);
    try {
      return call(at);
    } finally {
      lab.release(at);
    }
  }

  function planned(call) {
    const names = ["share", "targetPeople", "targetDays", "withinPeople", "bestArmLead", "floorTimes", "upliftPeople",
      "harmPeople", "belowPeople", "reportsPerPerson"];
    const out = numbers(names.length, call);
    return Object.fromEntries(names.map((name, i) => [name, out[i]]));
  }

  return {
    /* The regret of a method after each number of people: see lab_module.c. */
    play(which, { dim, arms, epsilon, people, seed, delay, rate, liars }, at) {
      const given = at.flatMap(t => [t, 0]);
      const call = place => lab.play(which, dim, arms, epsilon, people, seed, delay, rate, liars, place, at.length);
      return numbers(given.length, call, given).filter((_, i) => i % 2 === 1);
    },
    /* The prediction of `sotto plan` for these terms (bytes). 0 people means too many. */
    plan(terms, { people, perDay, measure }) {
      return withBytes(terms, at => planned(place => lab.plan(at, terms.length, people, perDay, measure, place)));
    },
    /* The same before there are terms, from the fields that sottod needs. */
    planNew({ reward_kind, parameters, dim, arms, epsilon, reward_lo = NaN, reward_hi = NaN }, { people, perDay, measure }) {
      const name = text => [...new TextEncoder().encode(text), 0];
      return withBytes(name(reward_kind), kind => withBytes(name(parameters), of =>
        planned(place => lab.plan_new(kind, of, dim, arms, epsilon, reward_lo, reward_hi, people, perDay, measure, place))));
    },
    /* What a server behind a shuffler learns about one person from `reports` reports under these
       terms (bytes), NaN if that is not computed; and the conditions under which that holds. */
    shuffle(terms, reports, delta) {
      const [epsilon] = withBytes(terms, at => numbers(1, place => lab.shuffle(at, terms.length, reports, delta, place)));
      return { epsilon, conditions: sentence() };
    },
    /* One report of a secret direction: the index, and all codewords as [x, y, 1 if likelier]. */
    report(epsilon, angle) {
      const rows = 1024;
      const out = numbers(5 + 3 * rows, place => lab.report(epsilon, angle, place, rows));
      const [index, size, top, likely, rest] = out;
      const codewords = Array.from({ length: size }, (_, i) => out.slice(5 + 3 * i, 8 + 3 * i));
      return { index, size, top, odds: likely / rest, codewords };
    },
    /* Audits a mechanism that claims `epsilon`: what was measured, and if a violation was found. */
    audit(trueEpsilon, epsilon, trials) {
      const [verdict, measured] = numbers(2, place => lab.audit(trueEpsilon, epsilon, trials, place));
      return { violation: verdict === 1, measured };
    },
  };
}

/*
 * The highest probability with which anybody can guess right after n reports of epsilon each. No
 * mechanism distinguishes two people better than n answers by randomised response with
 * p = e^epsilon/(1 + e^epsilon) (Kairouz, Oh, Viswanath 2015), where the majority decides.
 */
export function guessed(epsilon, n) {
  const p = 1 / (1 + Math.exp(-epsilon));
  let right = 0;
  for (let k = 0, ways = 1; k <= n; ways = ways * (n - k) / (k + 1), k++) {
    const chance = ways * p ** k * (1 - p) ** (n - k);
    right += 2 * k > n ? chance : 2 * k === n ? chance / 2 : 0;
  }
  return right;
}
