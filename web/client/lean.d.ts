import type { Person, PersonOptions } from "./index.js";
export * from "./index.js";

/** module: where client.wasm of this package is; default beside the script. */
export function openPerson(options?: PersonOptions & { module?: URL | string }): Promise<Person>;
