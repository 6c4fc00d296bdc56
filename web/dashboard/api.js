// Requests to the admin port of sottod, with a token that stays in this tab.

const KEY = "sottoToken";
export const TIMEOUT_MS = 30000;

/* Removes a token from the URL's fragment at once, so that no history or bookmark keeps it. */
export function takeToken() {
  const said = new URLSearchParams(location.hash.slice(1));
  if (!said.has("token")) return;
  const id = said.get("id") ?? "";
  history.replaceState(null, "", location.pathname + (id === "" ? "" : `#${id}`));
  setToken(said.get("token"));
}

export const token = () => sessionStorage.getItem(KEY) ?? "";
export const setToken = value => (value === "" ? sessionStorage.removeItem(KEY) : sessionStorage.setItem(KEY, value.trim()));

/* The sentence for a text that cannot be a header of a request. */
export const NO_TOKEN = "This is not a token: it has a character that tokens never have. Copy it again from its file.";

/* Status 0 means that there was no answer. */
export class Refusal extends Error {
  constructor(status, sentence, field = null) {
    super(sentence);
    this.status = status;
    this.field = field;
  }
}

/* The clock of sottod minus that of this device, in milliseconds, at the last answer; NaN before
 * the first answer. */
export let clockAheadMs = NaN;

async function ask(path, options = {}) {
  if (!/^[\x20-\x7e]*$/.test(token())) throw new Refusal(401, NO_TOKEN);
  const headers = { Authorization: `Bearer ${token()}`, ...options.headers };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let answer;
  try {
    answer = await fetch(path, { signal, cache: "no-store", credentials: "omit", redirect: "error", ...options, headers });
  } catch (error) {
    throw new Refusal(0, error instanceof TypeError ? "sottod does not answer." : error.message);
  }
  clockAheadMs = Date.parse(answer.headers.get("Date")) - Date.now();
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  const allowed = said.allowed ? ` Allowed: ${said.allowed}.` : "";
  throw new Refusal(answer.status, `${said.error ?? `sottod answered ${answer.status}.`}${allowed}`, said.field ?? null);
}

async function body(answer, kind) {
  try {
    return await answer[kind]();
  } catch {
    throw new Refusal(0, "The answer from sottod ended early.");
  }
}

export const get = async path => body(await ask(path), "json");
export const getText = async path => body(await ask(path), "text");

export async function post(path, value) {
  const options = { method: "POST" };
  if (value !== undefined) Object.assign(options, { body: JSON.stringify(value), headers: { "Content-Type": "application/json" } });
  return body(await ask(path, options), "json");
}
