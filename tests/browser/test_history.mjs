// The dashboard's history: what is asked for, how it is continued, and people and rates from it.
import assert from "node:assert/strict";
import { test } from "node:test";

const asked = [];
let answers = [];
globalThis.sessionStorage = { getItem: () => "", setItem() {}, removeItem() {} };
globalThis.fetch = async path => {
  asked.push(path);
  return { ok: true, headers: new Headers(), json: async () => answers.shift() };
};
const { History } = await import(`${process.env.SOURCE}/web/dashboard/history.js`);

const NOW = 30_000_000; // a minute
const row = (epoch, minute, learn, uplift = null) => ({ epoch, minute, learn, control: 1, follow: 2, uplift });
const one = (epoch, age) => ({ id: "a", epoch, created_minute: NOW - age });

async function read(experiment, rows, more = false) {
  const history = new History(experiment);
  asked.length = 0;
  answers = [{ rows, more }, { rows: [], more: false }];
  assert.equal(await history.refresh(experiment, NOW * 60000), true);
  return history;
}

test("a year is asked for by the day, a young experiment by the epoch", async () => {
  for (const [epoch, age, resolution] of [[10, 30, "epoch"], [5000, 600, "minute"], [5000, 30000, "hour"], [500000, 525600, "day"]]) {
    await read(one(epoch, age), []);
    assert.match(asked[0], new RegExp(`resolution=${resolution}(&since=0)?$`));
  }
});

test("an answer that had more is continued behind its last row", async () => {
  const history = await read(one(3, 30), [row(1, NOW - 5, 10), row(2, NOW - 4, 10)], true);
  assert.match(asked[1], /after=2$/);
  assert.deepEqual(history.rows.map(r => r.people), [13, 26]);
});

test("the last row is read again, because it may have grown", async () => {
  const history = await read(one(2, 30), [row(1, NOW - 5, 10), row(2, NOW - 4, 10)]);
  answers = [{ rows: [row(2, NOW - 4, 15), row(3, NOW, 5)], more: false }];
  assert.equal(await history.refresh(one(3, 30), NOW * 60000 + 1e7), true);
  assert.match(asked.at(-1), /after=1$/);
  assert.deepEqual(history.rows.map(r => r.people), [13, 31, 39]);
});

test("without a new epoch nothing is asked for", async () => {
  const history = await read(one(2, 30), [row(1, NOW, 10)]);
  assert.equal(await history.refresh(one(2, 30), NOW * 60000 + 1e7), false);
});

test("rates are of minutes that are over, and a clock that went back has none", async () => {
  const history = await read(one(6, 30), [row(1, NOW - 9, 60), row(2, NOW - 8, 60), row(3, NOW - 8, 60), row(4, NOW - 20, 60), row(5, NOW - 5, 900), row(6, NOW, 1)]);
  assert.deepEqual(history.rates(), [[(NOW - 8) * 60, 2], [(NOW - 5) * 60, 1]]);
});

test("the curve begins with the first row that has a measurement", async () => {
  const up = { value: 0.1, lo: 0, hi: 0.2 };
  const history = await read(one(3, 30), [row(1, NOW, 10), row(2, NOW, 10, { value: null, lo: -1, hi: 1 }), row(3, NOW, 10, up)]);
  assert.deepEqual(history.uplifts(), [[39, up]]);
});
