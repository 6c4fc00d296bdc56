// The default entry. It contains the module, so that every bundler includes it.
import { browserLedger } from "./ledger.js";
import { bytes } from "./module.inline.js";
import { compiled, system } from "./module.js";
import { openPerson as open } from "./person.js";
import { VERSION } from "./version.js";

export { SottoError } from "./engine.js";

export function openPerson(options) {
  return open(() => compiled(bytes()), VERSION, browserLedger, system, options);
}
