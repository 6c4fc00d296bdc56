// The entry with the module in a separate file, which is loaded and cached beside the script.
import { browserLedger } from "./ledger.js";
import { compiled, fetched, system } from "./module.js";
import { openPerson as open } from "./person.js";
import { VERSION } from "./version.js";

export { SottoError } from "./engine.js";

export function openPerson({ module = new URL("./client.wasm", import.meta.url), ...options } = {}) {
  return open(async () => compiled(await fetched(module)), VERSION, browserLedger, system, options);
}
