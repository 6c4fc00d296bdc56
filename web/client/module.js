// The module's bytes: checked, then compiled.
import { SottoError } from "./engine.js";
import { SHA256 } from "./version.js";

export const system = {
  random: out => crypto.getRandomValues(out),
  fetch: (...asked) => fetch(...asked),
};

export async function fetched(url) {
  try {
    const answer = await fetch(url, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new SottoError("module", `the module cannot be loaded from ${url}: ${error.message}`);
  }
}

// Refuses bytes that are not those of this package.
export async function compiled(bytes, subtle = globalThis.crypto?.subtle) {
  if (!subtle) throw new SottoError("module", "this page is not a secure context: it needs https, or http on this machine");
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, byte => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== SHA256) throw new SottoError("module", `the module's SHA-256 is ${hex}: allowed ${SHA256}`);
  if (typeof WebAssembly !== "object") throw new SottoError("module", "this browser has no WebAssembly");
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new SottoError("module", `this page may not compile WebAssembly: its Content-Security-Policy needs script-src 'wasm-unsafe-eval' (${error.message})`);
  }
}
