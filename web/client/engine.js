// One instance of the module, and the effects of its calls. A call into the module is synchronous.
// Its effects (entries of the ledger, requests) are collected and carried out after the call: first
// the entries are stored durably, then the requests are made. So nothing leaves that is not booked.
// If the entries cannot be stored, the instance ends, because the module believes that they are.

export class SottoError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "SottoError";
    this.code = code;
  }
}

const ANCHOR_BYTES = 128;
const RANDOM_BYTES_MAX = 65536; // per call of getRandomValues
const TURN_MS_MIN = 4;
const TURN_MS_MAX = 60000;
// By the value of the header Sotto-Reports, which comes with the model: the code and the sentence
// with which rounds are then refused.
const REFUSALS = new Map([
  ["unlisted", ["refused", `the experiment accepts no reports from this page: its owner must list the origin ${globalThis.origin}`]],
  ["paused", ["order", "the experiment is paused: no round can begin"]],
  ["closed", ["gone", "the experiment is closed: it accepts no more reports"]],
]);
const SPENT = ["rounds", "reports", "epsilon", "delta", "dropped"];
const text = new TextDecoder();

export function same(a, b) {
  return a === b || (!!a && !!b && a.length === b.length && a.every((byte, i) => byte === b[i]));
}

async function readBody(answer, most) {
  const parts = [];
  let bytes = 0;
  if (answer.body) {
    const reader = answer.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      if (bytes > most) {
        await reader.cancel();
        break;
      }
    }
  }
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

export class Engine {
  #module; #store; #system; #exports; #memory;
  #anchor = null; #entries = new Map(); #last = 0; // the ledger as stored
  #pending = null; #requests = []; #running = new Map();
  #broken = null; #timer = null; #turnsAt = 0; #adopts = false;
  #turned = null; // the part that new requests belong to
  parts = new Set(); // of { handle, release(), refusal, relay }

  // system: { random(bytes), fetch }. The store is one of ledger.js.
  constructor(module, store, system) {
    this.#module = module;
    this.#store = store;
    this.#system = system;
    store.onchange = () => this.#adopt();
  }

  async start(version) {
    try {
      const instance = await WebAssembly.instantiate(this.#module, { sotto: this.#imports() });
      this.#exports = instance.exports;
    } catch (error) {
      throw new SottoError("module", `the module of sotto-client cannot be used: ${error.message}`);
    }
    this.#memory = this.#exports.memory;
    if (this.string(this.#exports.version()) !== version) {
      throw new SottoError("module", `the module is of another version than sotto-client ${version}`);
    }
  }

  get broken() { return this.#broken; }

  sends(name, f) { return this.#store.sends(name, f); }

  // ---- what the module asks ------------------------------------------------------------------

  #bytes(at, count) { return new Uint8Array(this.#memory.buffer, at, count); }

  #imports() {
    return {
      random: (at, count) => this.#random(at, count),
      day_ms: () => Date.now(),
      steady_ms: () => performance.now() + 1,
      ledger_load: at => this.#load(at),
      ledger_read: (sequence, offset, at, count) => this.#read(sequence, offset, at, count),
      ledger_append: (before, after, sequence, entry, bytes) => this.#append(before, after, sequence, entry, bytes),
      request: (...asked) => this.#request(...asked),
      request_stop: handle => this.#stop(handle),
    };
  }

  #random(at, count) {
    try {
      for (let i = 0; i < count; i += RANDOM_BYTES_MAX) {
        this.#system.random(this.#bytes(at + i, Math.min(RANDOM_BYTES_MAX, count - i)));
      }
      return 1;
    } catch {
      return 0;
    }
  }

  #load(at) {
    if (!this.#anchor) return 0;
    this.#bytes(at, ANCHOR_BYTES).set(this.#anchor);
    return 1;
  }

  #read(sequence, offset, at, count) {
    const entry = this.#entries.get(sequence);
    if (!entry || offset + count > entry.length) return -1;
    this.#bytes(at, count).set(entry.subarray(offset, offset + count));
    return 1;
  }

  #append(before, after, sequence, entry, bytes) {
    if (!same(before ? this.#bytes(before, ANCHOR_BYTES) : null, this.#anchor)) return 0;
    this.#pending ??= { before: this.#anchor, after: null, entries: [] };
    this.#anchor = this.#pending.after = this.#bytes(after, ANCHOR_BYTES).slice();
    if (sequence > 0) {
      const copy = this.#bytes(entry, bytes).slice();
      this.#entries.set(sequence, copy);
      this.#last = sequence;
      this.#pending.entries.push([sequence, copy]);
    }
    return 1;
  }

  #request(handle, url, body, bodyBytes, key, epoch, most, timeout) {
    this.#requests.push({
      handle, epoch, most, timeout, part: this.#turned, url: this.string(url), key: this.string(key),
      body: body ? this.#bytes(body, bodyBytes).slice() : undefined,
    });
    return 1;
  }

  #stop(handle) {
    this.#requests = this.#requests.filter(request => request.handle !== handle);
    this.#running.get(handle)?.abort();
    this.#running.delete(handle);
  }

  // ---- calls ---------------------------------------------------------------------------------

  string(at) {
    if (!at) return null;
    const memory = new Uint8Array(this.#memory.buffer);
    return text.decode(memory.slice(at, memory.indexOf(0, at)));
  }

  // Calls f(exports) with the ledger as stored. What f throws is thrown after its effects are done.
  async call(f) {
    return this.#store.alone(async () => {
      if (this.#broken) throw this.#broken;
      await this.#follow();
      this.#pending = null;
      let answer, thrown = null;
      try {
        answer = f(this.#exports);
      } catch (error) {
        thrown = error;
        if (!(error instanceof SottoError)) this.#break(new SottoError("module", `the module failed: ${error.message}`));
      }
      await this.#settle();
      if (this.#broken) throw this.#broken;
      if (thrown) throw thrown;
      return answer;
    });
  }

  async #follow() {
    try {
      const seen = await this.#store.load(this.#anchor, this.#last);
      this.#anchor = seen.anchor;
      for (const [sequence, entry] of seen.entries) {
        this.#entries.set(sequence, entry);
        this.#last = Math.max(this.#last, sequence);
      }
    } catch (error) {
      throw this.#break(new SottoError("storage", `the ledger cannot be read: ${error.message || error.name}`));
    }
  }

  async #settle() {
    const requests = this.#requests, pending = this.#pending;
    this.#requests = [];
    this.#pending = null;
    if (this.#broken) return;
    if (pending) {
      try {
        await this.#store.commit(pending.before, pending.after, pending.entries);
      } catch (error) {
        this.#break(new SottoError("storage", `the ledger cannot be written: ${error.message || error.name}`));
        return;
      }
    }
    for (const request of requests) this.#send(request);
    if (pending && this.parts.size > 1) this.#adopt();
    this.#wake();
  }

  #break(error) {
    this.#broken ??= error;
    this.close();
    return this.#broken;
  }

  check(status, person) {
    if (status === 0) return;
    const name = this.string(this.#exports.status_code(status));
    throw new SottoError(name.slice(2).toLowerCase(), this.string(this.#exports.person_sentence(person)));
  }

  // Copies values (strings, arrays of numbers, or null) into memory of the module while f runs.
  lend(values, f) {
    const at = values.map(value => {
      if (value === null || value === undefined) return 0;
      const bytes = typeof value === "string" ? new TextEncoder().encode(`${value}\0`)
        : new Uint8Array(Float64Array.from(value).buffer);
      const place = this.#exports.alloc(Math.max(8, bytes.length));
      if (!place) throw new SottoError("memory", "out of memory");
      this.#bytes(place, bytes.length).set(bytes);
      return place;
    });
    try {
      return f(...at);
    } finally {
      for (const place of at) if (place) this.#exports.release(place);
    }
  }

  numbers(at, count) { return [...new Float64Array(this.#memory.buffer.slice(at, at + 8 * count))]; }

  uint32(at) { return new DataView(this.#memory.buffer).getUint32(at, true); }

  spent(x, person) {
    return this.lend([SPENT.map(() => 0)], out => {
      x.person_spent(person, out);
      return Object.fromEntries(this.numbers(out, SPENT.length).map((value, i) => [SPENT[i], value]));
    });
  }

  // ---- requests and turns --------------------------------------------------------------------

  async #send(request) {
    const abort = new AbortController();
    const headers = {};
    if (request.body) headers["Content-Type"] = "application/octet-stream";
    if (request.key) headers["Sotto-Report-Key"] = request.key;
    if (request.epoch >= 0) headers["If-None-Match"] = `"${request.epoch}"`;
    this.#running.set(request.handle, abort);
    const timer = setTimeout(() => abort.abort(), request.timeout);
    let status = 0, body = new Uint8Array(0), retryAfter = 0, why = null, reports = null;
    try {
      const answer = await this.#system.fetch(request.url, {
        method: request.body ? "POST" : "GET", body: request.body, headers, mode: "cors", credentials: "omit",
        cache: "no-store", referrerPolicy: "no-referrer", redirect: "error", signal: abort.signal,
      });
      const seconds = answer.headers.get("Retry-After") ?? "";
      if (/^\d{1,9}$/.test(seconds)) retryAfter = Number(seconds);
      reports = answer.headers.get("Sotto-Reports");
      body = await readBody(answer, request.most);
      status = answer.status;
    } catch {
      why = abort.signal.aborted ? "it timed out"
        : "the network or this page refused: the server may be away, redirect, or not list this page's origin";
    }
    clearTimeout(timer);
    if (this.#running.get(request.handle) !== abort) return; // stopped
    await this.#quietly(x => {
      if (this.#running.get(request.handle) !== abort) return;
      this.#running.delete(request.handle);
      const at = x.alloc(Math.max(1, body.length));
      if (!at) status = 0, body = new Uint8Array(0);
      this.#bytes(at, body.length).set(body);
      if (request.url.endsWith("/model") && (status === 200 || status === 304)) this.#tell(request.part, reports);
      this.#turned = request.part;
      this.lend([why], words => x.request_answer(request.handle, status, at, body.length, retryAfter, words));
      x.release(at);
      this.turn(x, request.part);
    });
  }

  // "unlisted" is about this page's origin. A relay has an origin of its own.
  #tell(part, reports) {
    part.refusal = reports === "unlisted" && part.relay ? null : REFUSALS.get(reports) ?? null;
  }

  // A call that nobody awaits. A failure is reported by the next call that is awaited.
  async #quietly(f) {
    try {
      await this.call(f);
    } catch {
      this.#wake();
    }
  }

  turn(x, part) {
    this.#turned = part;
    x.part_turn(part.handle);
  }

  // A timer that is set is not replaced, even if it is late, as in a background tab: otherwise
  // reports would leave when the person does something.
  #wake() {
    if (this.#broken || this.parts.size === 0) return;
    let due = TURN_MS_MAX;
    for (const part of this.parts) due = Math.min(due, this.#exports.part_due_ms(part.handle));
    const now = performance.now(), at = now + Math.max(TURN_MS_MIN, due);
    if (this.#timer !== null && this.#turnsAt <= at) return;
    clearTimeout(this.#timer);
    this.#turnsAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#quietly(x => { for (const part of this.parts) this.turn(x, part); });
    }, at - now);
  }

  // Another tab used the ledger. Nothing leaves now, because that would reveal when the person did
  // something in the other tab.
  #adopt() {
    if (this.#adopts || this.#broken) return;
    this.#adopts = true;
    this.#quietly(x => {
      this.#adopts = false;
      for (const part of this.parts) x.part_adopt(part.handle);
    });
  }

  close() {
    this.#broken ??= new SottoError("closed", "this person was closed");
    clearTimeout(this.#timer);
    for (const abort of this.#running.values()) abort.abort();
    this.#running.clear();
    for (const part of this.parts) part.release();
    this.parts.clear();
    this.#store.close();
  }
}
