// The lab's module in node: the digits of `sotto simulate`, an honest and a cheating audit, one report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";

const SETTINGS = { dim: 3, arms: 4, epsilon: 1, people: 20000, seed: 7 };
const METHODS = ["sotto", "ldp-sgd", "linucb", "best-arm"];
let lab;

before(async () => {
  const module = await WebAssembly.compile(readFileSync(`${process.env.SOTTO_WEB}/lab.wasm`));
  const random = (out, bytes) => (webcrypto.getRandomValues(new Uint8Array(lab.memory.buffer, out, bytes)), 1);
  const wasi = Object.fromEntries(["clock_time_get", "fd_close", "fd_seek", "fd_write"].map(name => [name, () => 8]));
  const imports = { sotto: { random, played: () => 1 }, wasi_snapshot_preview1: wasi };
  lab = (await WebAssembly.instantiate(module, imports)).exports;
  lab._initialize?.();
});

function text(at) {
  const bytes = new Uint8Array(lab.memory.buffer, at);
  return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
}

// Room for numbers, which `use` fills; returns what they are then.
function numbers(count, use) {
  const at = lab.alloc(8 * count);
  const status = use(at, new Float64Array(lab.memory.buffer, at, count));
  const out = [...new Float64Array(lab.memory.buffer, at, count)];
  lab.release(at);
  return { status, out };
}

function play(which, { dim, arms, epsilon, people, seed }, { delay = 0, rate = 0, liars = 0 } = {}) {
  return numbers(2, (at, points) => {
    points[0] = people;
    return lab.play(which, dim, arms, epsilon, people, seed, delay, rate, liars, at, 1);
  });
}

function simulated(words) {
  const { dim, arms, epsilon, people, seed } = SETTINGS;
  const rows = execFileSync(process.env.SOTTO, ["simulate", "--method", "sotto,ldp-sgd,linucb", "--dim", dim, "--arms", arms,
    "--epsilon", epsilon, "--horizon", people, "--seeds", 1, "--first-seed", seed, "--quiet", "--csv", ...words].map(String));
  const ends = rows.toString().split("\n").map(line => line.split(",")).filter(row => row[3] === String(people));
  return Object.fromEntries(ends.map(row => [row[0], Number(row[4])]));
}

test("what cannot be played is refused with a sentence", () => {
  assert.notEqual(play(0, { ...SETTINGS, dim: 0 }).status, 0);
  assert.match(text(lab.fault()), /dim/);
  assert.notEqual(play(0, { ...SETTINGS, epsilon: 100 }).status, 0);
  assert.match(text(lab.fault()), /epsilon/);
  assert.notEqual(play(9, SETTINGS).status, 0);
  assert.notEqual(lab.audit(1, 1, 0, lab.alloc(16)), 0);
});

for (const [name, words, more] of [
  ["without trouble", [], {}],
  ["under delay", ["--delay", "60,0,20"], { delay: 60, rate: 20 }],
  ["with liars", ["--liars", "0.02"], { liars: 0.02 }],
]) {
  test(`regrets are those of the command line to the last digit, ${name}`, { skip: !process.env.SOTTO }, () => {
    const expected = simulated(words);
    assert.ok(Object.keys(expected).length >= 3);
    for (const method of Object.keys(expected)) {
      const { status, out } = play(METHODS.indexOf(method), SETTINGS, more);
      assert.equal(status, 0, text(lab.fault()));
      assert.equal(out[1], expected[method], method);
    }
  });
}

// Memory of the module with these bytes.
function bytes(list) {
  const at = lab.alloc(list.length);
  new Uint8Array(lab.memory.buffer, at, list.length).set(list);
  return at;
}

const ask = words => JSON.parse(execFileSync(process.env.SOTTO, [...words, "--json"].map(String)));
const directory = mkdtempSync(`${tmpdir()}/lab-`);
after(() => rmSync(directory, { recursive: true }));

// The bytes of a spec.
function terms(words) {
  const out = `${directory}/spec`;
  ask(["inspect", "spec", "--out", out, ...words]);
  return readFileSync(out);
}

function assertPlanned({ status, out }, words) {
  assert.equal(status, 0, text(lab.fault()));
  const plan = ask(["plan", "--horizon", 1e6, "--per-day", 5000, "--measure", 0.1, "--quiet", ...words]).plans[0];
  const { measuring: m, floor, budget } = plan;
  const said = [plan.share_of_best_reward, plan.target_people, plan.target_days, plan.within_people, plan.best_arm_lead, floor.times,
    m.people, m.harm_people, m.below_best_arm_people, budget.reports_per_person];
  const digits = number => Number((number ?? NaN).toPrecision(13)); // the last ones are of the C library
  assert.deepEqual(out.map(digits), said.map(digits));
  return out;
}

const planned = spec => numbers(10, at => lab.plan(bytes(spec), spec.length, 1e6, 5000, 0.1, at));
const name = text => bytes([...Buffer.from(text), 0]);
const plannedNew = (kind, lo, hi, of = "shared") =>
  numbers(10, at => lab.plan_new(name(kind), name(of), 10, 5, 1, lo, hi, 1e6, 5000, 0.1, at));
const SIZE = ["--dim", 10, "--arms", 5, "--epsilon", 1];

test("a plan under terms is that of the command line", { skip: !process.env.SOTTO }, () => {
  const seen = new Set();
  for (const [spec, words] of [
    [[], []],
    [["--reward-kind", "binary"], ["--link", "logit"]],
    [["--reward-kind", "binary", "--parameters", "per-arm"], ["--link", "logit", "--parameters", "per-arm"]],
    [["--reward-kind", "count", "--reward-range", "0,20"], ["--link", "log", "--reward-range", "0,20"]],
    [["--theta-norm-max", 2, "--reward-range=-3,2"], ["--theta-norm-max", 2, "--reward-range=-3,2"]],
    [["--method", "sotto-ols"], []],
    [["--reward-window", 600, "--send-spread", 60, "--measure", 0.1, "--series", 7, "--lag", 4], []],
  ]) seen.add(String(assertPlanned(planned(terms([...SIZE, ...spec])), [...SIZE, ...words])));
  assert.equal(seen.size, 5);
});

test("a plan of a new spec is that of the command line, and a range that is not given is the default", { skip: !process.env.SOTTO }, () => {
  for (const [kind, lo, hi, of, words] of [["binary", NaN, NaN, "shared", ["--link", "logit"]], ["continuous", NaN, NaN, "shared", []],
    ["continuous", -2, 3, "per-arm", ["--reward-range=-2,3", "--parameters", "per-arm"]],
    ["count", 0, 5, "shared", ["--link", "log", "--reward-range", "0,5"]]])
    assertPlanned(plannedNew(kind, lo, hi, of), [...SIZE, ...words]);
});

test("what sotto plan refuses is refused with its sentence", { skip: !process.env.SOTTO }, () => {
  for (const [spec, sentence] of [[["--reward-kind", "binary", "--theta-norm-max", 8], /^theta_norm_max = 8: rewards of link logit level off/],
    [["--reward-range", "0,1"], /^reward_lo, reward_hi = 0, 1: .*give a wider reward range/], [["--score", "huber"], /^score = huber: /],
    [["--window", 1000], /^window_reports = 1000: /], [["--context-norm-max", 2, "--reward-range=-2,2"], /^context_norm_max = 2: /]]) {
    assert.notEqual(planned(terms([...SIZE, ...spec])).status, 0, String(spec));
    assert.match(text(lab.fault()), sentence);
  }
  for (const [kind, lo, hi] of [["binary", 0, 2], ["many", NaN, NaN]]) assert.notEqual(plannedNew(kind, lo, hi).status, 0);
  assert.notEqual(plannedNew("binary", NaN, NaN, "none").status, 0);
  const damaged = terms(SIZE).fill(255, 40, 60);
  assert.notEqual(planned(damaged).status, 0);
  assert.notEqual(text(lab.fault()), "");
});

test("what a shuffler adds is that of the command line, with its conditions", { skip: !process.env.SOTTO }, () => {
  const shuffled = (spec, reports, delta) => numbers(1, at => lab.shuffle(bytes(spec), spec.length, reports, delta, at));
  for (const words of [["--reward-kind", "binary", "--measure", 0.1], ["--parameters", "per-arm", "--epsilon", 2]]) {
    const said = ask(["inspect", "spec", "--dim", 3, "--arms", 3, ...words, "--shuffle", 400, "--delta", 1e-7]);
    const { status, out } = shuffled(terms(["--dim", 3, "--arms", 3, ...words]), 400, 1e-7);
    assert.equal(status, 0, text(lab.fault()));
    assert.deepEqual([out[0], text(lab.fault())], [said.shuffle_epsilon, said.shuffle_conditions]);
  }
  const lattice = terms(["--dim", 3, "--arms", 3, "--method", "ldp-ols", "--delta", 1e-6]);
  assert.deepEqual(shuffled(lattice, 400, 1e-6), { status: 0, out: [NaN] });
  assert.match(text(lab.fault()), /lattice|not/);
  assert.notEqual(shuffled(terms(["--dim", 3, "--arms", 3]), 0, 1e-6).status, 0);
});

test("an audit passes the honest mechanism and catches the one that spends four times its claim", () => {
  const honest = numbers(2, at => lab.audit(1, 1, 2000, at)).out;
  const cheat = numbers(2, at => lab.audit(4, 1, 2000, at)).out;
  assert.equal(honest[0], 0);
  assert.ok(honest[1] <= 1);
  assert.equal(cheat[0], 1);
  assert.ok(cheat[1] > 1);
});

test("a report is one of 64 directions, of which k are likelier by e to the epsilon", () => {
  const { status, out } = numbers(5 + 3 * 64, at => lab.report(1, 0.7, at, 64));
  const [index, size, top, likely, rest] = out;
  assert.equal(status, 0);
  assert.equal(size, 64);
  assert.ok(index >= 0 && index < 64);
  assert.ok(Math.abs(likely / rest - Math.E) < 1e-7);
  const rows = Array.from({ length: 64 }, (_, i) => out.slice(5 + 3 * i, 8 + 3 * i));
  assert.equal(rows.filter(row => row[2] === 1).length, top);
  const along = row => row[0] * Math.cos(0.7) + row[1] * Math.sin(0.7);
  const nearest = Math.min(...rows.filter(row => row[2] === 1).map(along));
  assert.ok(rows.every(row => row[2] === 1 || along(row) <= nearest + 1e-9));
  for (const row of rows) assert.ok(Math.abs(Math.hypot(row[0], row[1]) - 1) < 1e-8);
});
