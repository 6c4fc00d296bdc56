// Where the ledger is kept: an anchor and numbered entries. A store has
//   alone(f)                       calls f while no other tab uses the ledger
//   load(anchor, last)             { anchor, entries }: the stored anchor, and the entries above `last`
//   commit(before, after, entries) stores all durably if the stored anchor is `before`, else throws
//   sends(name, f)                 calls f when this tab is the one that sends; f returns a promise
//   onchange                       called when another tab stored something
import { SottoError, same } from "./engine.js";

const STORE = "ledger", ANCHOR = 0;

function opened(name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab is deleting it"));
  });
}

function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("it was changed by something else"));
  });
}

class BrowserLedger {
  #name; #db; #gone = null; #channel; #closing = new AbortController();
  onchange = () => {};

  constructor(name, db) {
    this.#name = name;
    this.#db = db;
    db.onversionchange = () => this.#end("another tab deleted it or has another version of sotto-client");
    db.onclose = () => this.#end("the browser's storage was cleared");
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = () => this.onchange();
  }

  #end(why) {
    this.#gone ??= why;
    this.#db.close();
  }

  #transaction(mode, options) {
    if (this.#gone) throw new Error(this.#gone);
    return this.#db.transaction(STORE, mode, options);
  }

  alone(f) { return navigator.locks.request(`${this.#name} ledger`, f); }

  sends(name, f) {
    return navigator.locks.request(`${this.#name} sends ${name}`, { signal: this.#closing.signal }, f).catch(() => {});
  }

  async load(anchor, last) {
    const transaction = this.#transaction("readonly"), store = transaction.objectStore(STORE);
    const range = IDBKeyRange.lowerBound(Math.max(ANCHOR, last), true);
    const stored = store.get(ANCHOR);
    let keys = null, all = null;
    stored.onsuccess = () => {
      if (same(stored.result ?? null, anchor)) return;
      keys = store.getAllKeys(range);
      all = store.getAll(range);
    };
    await ended(transaction);
    return { anchor: stored.result ?? null, entries: keys ? keys.result.map((key, i) => [key, all.result[i]]) : [] };
  }

  async commit(before, after, entries) {
    const transaction = this.#transaction("readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE), stored = store.get(ANCHOR);
    stored.onsuccess = () => {
      if (!same(stored.result ?? null, before)) {
        transaction.abort();
        return;
      }
      store.put(after, ANCHOR);
      for (const [sequence, entry] of entries) store.add(entry, sequence);
    };
    await ended(transaction);
    this.#channel.postMessage(0);
  }

  close() {
    this.#closing.abort();
    this.#channel.close();
    this.#end("it was closed");
  }
}

// True if a frame around this one has another origin. Workers cannot find out.
function framed() {
  try {
    for (let at = globalThis; at.parent && at.parent !== at; at = at.parent) void at.parent.location.origin;
    return false;
  } catch {
    return true;
  }
}

export async function browserLedger(name = "sotto") {
  if (!globalThis.isSecureContext) throw new SottoError("storage", "this page is not a secure context: it needs https, or http on this machine");
  if (framed()) throw new SottoError("storage", "this page is in a frame of another origin: browsers keep a separate ledger for each site that embeds it, so no limit would hold");
  if (!globalThis.navigator?.locks) throw new SottoError("storage", "this browser has no Web Locks, so no ledger can be kept safely");
  if (!globalThis.indexedDB) throw new SottoError("storage", "this browser has no IndexedDB, so no ledger can be kept");
  try {
    return new BrowserLedger(name, await opened(name));
  } catch (error) {
    throw new SottoError("storage", `the browser does not let this page keep a ledger: ${error.message || error.name}`);
  }
}

// A ledger in memory, for node: it is lost when the process ends.
export function memoryLedger() {
  let tail = Promise.resolve(), anchor = null;
  const entries = new Map();
  return {
    onchange() {},
    alone(f) {
      const mine = tail.then(f);
      tail = mine.catch(() => {});
      return mine;
    },
    sends: (name, f) => f(),
    load: async (seen, last) => ({ anchor, entries: [...entries].filter(([sequence]) => sequence > last) }),
    async commit(before, after, more) {
      if (!same(anchor, before)) throw new Error("it was changed by something else");
      anchor = after;
      for (const [sequence, entry] of more) entries.set(sequence, entry);
    },
    close() {},
  };
}
