// The laboratory's module in node: the digits of `sotto simulate`, an honest and a cheating audit, one report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { before, test } from "node:test";

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

test("a plan is that of the command line", { skip: !process.env.SOTTO }, () => {
  const { status, out } = numbers(10, at => lab.plan(10, 5, 1, 1e6, 5000, 0.1, at));
  assert.equal(status, 0, text(lab.fault()));
  const json = JSON.parse(execFileSync(process.env.SOTTO, ["plan", "--dim", "10", "--arms", "5", "--epsilon", "1",
    "--horizon", "1e6", "--per-day", "5000", "--measure", "0.1", "--json"]));
  const people = JSON.stringify(json).match(/"target_people":(\d+)/);
  assert.ok(people, JSON.stringify(json).slice(0, 400));
  assert.equal(out[1], Number(people[1]));
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
