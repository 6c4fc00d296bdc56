// The rounds of play_tape.c in WebAssembly: the same host, the same tape. Runs in node and in a page.
const LIMITS = [50, 1e9, 0.5, 0.5, 1024, 1024, 0.5];

const bytesOf = hex => Uint8Array.from(hex.match(/../g), pair => parseInt(pair, 16));
const hexOf = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");

// A module's instance and what it asked of its host. random: null for none.
export async function host(bytes, tape) {
  const module = await WebAssembly.compile(bytes);
  const phone = { day: 1790000000000, steady: 1000, anchor: null, entries: [], requests: [] };
  let memory = null;
  const view = (at, count) => new Uint8Array(memory.buffer, at, count);
  const { exports: x } = await WebAssembly.instantiate(module, { sotto: {
    random(at, count) {
      if (!tape) return 0;
      const out = view(at, count);
      for (let i = 0; i < count; i++) {
        tape ^= tape << 13;
        tape ^= tape >>> 17;
        tape ^= tape << 5;
        out[i] = tape;
      }
      return 1;
    },
    day_ms: () => phone.day,
    steady_ms: () => phone.steady,
    ledger_load(at) {
      if (phone.anchor) view(at, 128).set(phone.anchor);
      return phone.anchor ? 1 : 0;
    },
    ledger_read(sequence, offset, at, count) {
      view(at, count).set(phone.entries[sequence - 1].subarray(offset, offset + count));
      return 1;
    },
    ledger_append(before, after, sequence, entry, count) {
      phone.anchor = view(after, 128).slice();
      if (sequence > 0) phone.entries.push(view(entry, count).slice());
      return 1;
    },
    request(handle, url, body, count) {
      phone.requests.push({ handle, body: body ? view(body, count).slice() : null });
      return 1;
    },
    request_stop() {},
  } });
  memory = x.memory;
  const lend = (values, f) => {
    const at = x.alloc(Math.max(8, values.byteLength));
    view(at, values.byteLength).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    const answer = f(at);
    x.release(at);
    return answer;
  };
  return { x, phone, lend, view, module };
}

export async function open(bytes, tape) {
  const device = await host(bytes, tape);
  device.person = device.lend(Float64Array.from(LIMITS), at => device.x.person_new(at));
  device.status = device.x.person_open(device.person, 1);
  return device;
}

// The lines that play_tape prints after terms and model.
export async function play(bytes, terms, model, rounds) {
  const { x, phone, lend, person } = await open(bytes, 12345), lines = [];
  const answer = (status, body) => {
    const request = phone.requests.shift();
    if (request.body) lines.push(`frame ${hexOf(request.body)}`);
    lend(body, at => x.request_answer(request.handle, status, at, body.length, 0, 0));
  };
  const url = `https://phone.example/v1/experiments/${await idOf(terms)}`;
  const part = lend(new TextEncoder().encode(`${url}\0`), at => x.part_new(person, at, 0, 0, 86400000));
  x.part_turn(part);
  answer(200, bytesOf(terms));
  x.part_turn(part);
  answer(200, bytesOf(model));
  if (x.part_state(part) !== 1 || x.part_enter(part, 1024) !== 0) throw new Error("no part");
  const facts = lend(new Float64Array(11), at => (x.part_terms(part, at), Float64Array.from(new Float64Array(x.memory.buffer, at, 11))));
  for (let i = 0; i < rounds; i++) {
    const context = Float64Array.from({ length: facts[2] }, (_, k) => ((i * 37 + k * 11) % 19 - 9) / 16);
    lend(new Float64Array(2), out => {
      const status = lend(context, at => x.part_decide(part, at, context.length, out, out + 8));
      if (status !== 0) throw new Error(`decide: ${status}`);
      const [round] = new Float64Array(x.memory.buffer, out, 1), [arm] = new Uint32Array(x.memory.buffer, out + 8, 1);
      lines.push(`arm ${arm}`);
      if (i % 2 && x.part_reward(part, round, (i * 13 % 17) / 16) !== 0) throw new Error("reward");
    });
  }
  phone.day += 1000 * (facts[5] + facts[6]);
  phone.steady += 1000 * (facts[5] + facts[6]);
  x.part_send(part, 1);
  while (x.part_waiting(part) > 0) {
    x.part_turn(part);
    while (phone.requests.length) answer(204, new Uint8Array(0));
  }
  return lines;
}

// The id is the beginning of the SHA-256 of the terms.
async function idOf(terms) {
  const subtle = globalThis.crypto?.subtle ?? (await import("node:crypto")).webcrypto.subtle;
  return hexOf(new Uint8Array(await subtle.digest("SHA-256", bytesOf(terms)))).slice(0, 32);
}
