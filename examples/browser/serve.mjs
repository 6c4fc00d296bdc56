// node serve.mjs DIRECTORY: serves the files of DIRECTORY on a local port and prints the port.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const server = createServer(async (request, answer) => {
  const path = normalize(new URL(request.url, "http://here").pathname).replace(/\/$/, "/index.html");
  const body = await readFile(join(process.argv[2], path)).catch(() => null);
  answer.writeHead(body ? 200 : 404, { "Content-Type": KINDS[extname(path)] ?? "text/plain",
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *" });
  answer.end(body ?? "there is no such file");
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
