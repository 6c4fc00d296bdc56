// Runs a WebAssembly program of wasi-libc: node run_wasm.mjs PROGRAM [WORD...]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...words] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...words] });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject?.() ?? { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
