// The module of the device in node: its size, its imports, and nothing without the system's randomness.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { open } from "./tape.mjs";

const BYTES = readFileSync(`${process.env.SOTTO_WEB}/client.wasm`);
const ENTROPY = 3;

test("the module is at most 66 KB, compressed", () => {
  const bytes = gzipSync(BYTES, { level: 9 }).length;
  assert.ok(bytes <= 66000, `${bytes} bytes`);
});

test("the module imports what the page gives it and nothing of WASI", async () => {
  const imports = WebAssembly.Module.imports(await WebAssembly.compile(BYTES)).map(i => `${i.module}.${i.name}`);
  const allowed = ["day_ms", "ledger_append", "ledger_load", "ledger_read", "random", "request", "request_stop", "steady_ms"];
  assert.deepEqual(imports.sort(), allowed.map(name => `sotto.${name}`));
});

test("without randomness no ledger is made", async () => {
  assert.equal((await open(BYTES, 0)).status, ENTROPY);
  assert.equal((await open(BYTES, 1)).status, 0);
});
