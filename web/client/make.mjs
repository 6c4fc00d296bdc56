// node make.mjs BUILD [MODULE]: makes the package in BUILD/sotto-client from this directory and the
// module, by default BUILD/client.wasm.
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, "../.."), build = process.argv[2];
const out = join(build, "sotto-client");
const version = /^#define SOTTO_VERSION "([^"]+)"/m.exec(readFileSync(join(root, "include/sotto/core.h"), "utf8"))[1];
const path = process.argv[3] ?? join(build, "client.wasm"), module = readFileSync(path);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of readdirSync(here)) {
  if (name !== "make.mjs" && name !== "package.json") cpSync(join(here, name), join(out, name));
}
if (existsSync(join(root, "LICENSE"))) cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
cpSync(path, join(out, "client.wasm"));
const settings = { ...JSON.parse(readFileSync(join(here, "package.json"), "utf8")), version };
writeFileSync(join(out, "package.json"), `${JSON.stringify(settings, null, 2)}\n`);
writeFileSync(join(out, "version.js"), `// Made by make.mjs.
export const VERSION = "${version}";
export const SHA256 = "${createHash("sha256").update(module).digest("hex")}";
`);
writeFileSync(join(out, "module.inline.js"), `// Made by make.mjs: client.wasm.
const BASE64 = "${module.toString("base64")}";
export const bytes = () => Uint8Array.from(atob(BASE64), letter => letter.charCodeAt(0));
`);
// Sets the modes of files, which npm packs, because they depend on the umask.
for (const name of readdirSync(out)) chmodSync(join(out, name), 0o644);
