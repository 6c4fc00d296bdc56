// The entry for node. Its ledger is in memory and is lost when the process ends.
import { webcrypto } from "node:crypto";
import { memoryLedger } from "./ledger.js";
import { bytes } from "./module.inline.js";
import { compiled } from "./module.js";
import { openPerson as open } from "./person.js";
import { VERSION } from "./version.js";

export { SottoError } from "./engine.js";

const system = { random: out => webcrypto.getRandomValues(out), fetch: (...asked) => fetch(...asked) };

export function openPerson(options) {
  return open(() => compiled(bytes(), webcrypto.subtle), VERSION, async () => memoryLedger(), system, options);
}
