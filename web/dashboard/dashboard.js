// The dashboard: a list of experiments, and the details of one. Reads every few seconds, and when
// sottod reports a change.
import { NO_TOKEN, Refusal, clockAheadMs, get, getText, post, setToken, takeToken, token } from "./api.js";
import { redraw } from "./charts.js";
import * as create from "./create.js";
import * as shown from "./one.js";
import { element, isolated, named, originsIn, whole } from "./words.js";

const find = id => document.getElementById(id);
const TURN_MS = 4000;
const RETRY_MS = 1000; // while sottod does not answer
const LIST_MS = 30000; // for a long list without changes
const ROWS_STEP = 50;
const ROWS_BESIDE = 6; // above the details of one experiment
const FILTER_FROM = 8; // experiments
const CLOCK_OFF_MS = 180000;

const state = { list: [], stopped: [], listAt: 0, rows: ROWS_STEP, run: null, stamp: null, view: null, restarted: null, lastGood: null, turn: 0 };

// ---- what is shown

/* "new", the id of an experiment, or "". Other characters are removed, so that it is always a
 * single segment of a path. */
const place = () => location.hash.slice(1).replace(/\W/g, "").slice(0, 32);

function say(text) {
  if (find("service").textContent !== text) find("service").textContent = text;
}

function trouble(text) {
  find("trouble").hidden = text === "";
  if (find("trouble").textContent !== text) find("trouble").textContent = text;
  document.body.classList.toggle("stale", text !== "");
}

function askForToken(why) {
  find("enter-why").textContent = why;
  if (!find("enter").hidden) return;
  for (const id of ["list", "one", "create", "to-create", "leave"]) find(id).hidden = true;
  trouble("");
  find("enter").hidden = false;
  find("token").focus();
}

/* Learn reports since the last model: progress of the epoch, which also has a shortest time. */
function nextEpoch({ taken_since_publish: taken, wanted }) {
  return taken >= wanted && taken > 0 ? `${whole.format(taken)}, due` : `${whole.format(taken)} of ${whole.format(wanted)}`;
}

function row(experiment) {
  const made = element("tr");
  const link = element("a");
  link.href = `#${experiment.id}`;
  link.append(isolated(named(experiment)));
  link.title = named(experiment);
  const name = element("th");
  name.scope = "row";
  name.append(link);
  const status = element("td");
  status.append(element("span", experiment.state, `state ${experiment.state}`));
  const cells = [["reports", whole.format(experiment.reports.folded)], ["epoch", whole.format(experiment.epoch)],
    experiment.state === "closed" ? ["next epoch", "–", "none"] : ["next epoch", nextEpoch(experiment)],
    experiment.held === null ? ["watch", "–", "none"] : ["watch", "epoch held", "bad"]];
  made.append(name, status, ...cells.map(([label, text, kind]) => {
    const cell = element("td", text, `n ${kind ?? ""}`);
    cell.dataset.label = label;
    return cell;
  }));
  if (experiment.id === place()) made.setAttribute("aria-current", "true");
  return made;
}

/* Shows the experiments that sottod does not use, which are not in the list. */
function showStopped() {
  const place = find("stopped"), ids = state.stopped;
  place.hidden = ids.length === 0;
  if (place.dataset.ids === ids.join()) return;
  place.dataset.ids = ids.join();
  place.replaceChildren("Stopped, because their rows in the journal are damaged:", ...ids.flatMap(id => {
    const link = element("a", id.slice(0, 8));
    link.href = `#${id}`;
    return [" ", link];
  }));
}

async function readList() {
  const [{ experiments }, metrics] = await Promise.all([get("/v1/experiments"), getText("/metrics")]);
  state.list = experiments.reverse(); // the newest first
  state.stopped = [...shown.readMetrics(metrics).keys()].flatMap(name => name.match(/^sottod_experiment_stopped\{experiment="(.*)"\}$/)?.[1] ?? []);
  state.listAt = Date.now();
}

function showList() {
  showStopped();
  const wanted = find("filter").value.trim().toLowerCase();
  const fits = state.list.filter(e => wanted === "" || named(e).toLowerCase().includes(wanted) || e.state.startsWith(wanted) || e.id.startsWith(wanted));
  find("filter-line").hidden = state.list.length < FILTER_FROM;
  find("list-empty").hidden = state.list.length > 0;
  find("rows").hidden = state.list.length === 0;
  const focused = document.activeElement?.closest?.("#rows a")?.hash;
  const head = element("tr");
  head.append(...["name", "state", "reports", "epoch", "next epoch", "watch"].map((text, i) => {
    const cell = element("th", text, i > 1 ? "n" : "");
    cell.scope = "col";
    return cell;
  }));
  const top = element("thead");
  top.append(head);
  const body = element("tbody");
  const most = find("one").hidden ? state.rows : state.rows - ROWS_STEP + ROWS_BESIDE;
  const here = fits.findIndex(e => e.id === place());
  const few = here < most ? fits.slice(0, most) : [...fits.slice(0, most - 1), fits[here]];
  body.append(...few.map(row));
  find("rows").replaceChildren(element("caption", "Experiments"), top, body);
  find("list-more").hidden = fits.length <= most;
  find("more").textContent = `Show ${whole.format(Math.min(ROWS_STEP, fits.length - most))} more of ${whole.format(fits.length)}`;
  if (focused) [...find("rows").querySelectorAll("a")].find(a => a.hash === focused)?.focus();
}

// ---- changes, each confirmed

const ACTIONS = [
  { verb: "pause", words: "Pause", when: one => one.state === "open", says: "Devices keep their reports and send them when you open it again." },
  { verb: "open", words: "Open again", when: one => one.state === "paused", says: "sottod accepts reports again." },
  { verb: "release", words: "Release the epoch", when: one => one.held && !one.held.ends, says: "Its reports count despite the alarm of the watch." },
  { verb: "discard", words: "Discard the epoch", danger: true, when: one => one.held && !one.held.ends, says: "Its reports are lost for good. Nothing is learned from them." },
  { verb: "end-fallback", words: "End the fallback", when: (_, results) => results.harm.served_since_epoch !== null && !results.harm.ends,
    says: "When the open epoch ends, people get the learned choice again, and the test for harm starts anew." },
  { verb: "quarantine", words: "Turn the quarantine on", body: { quarantine: true }, when: one => one.state !== "closed" && !one.quarantine,
    says: "sottod holds back every epoch with an alarm of the watch until you decide." },
  { verb: "quarantine", words: "Turn the quarantine off", body: { quarantine: false }, when: one => one.state !== "closed" && one.quarantine,
    says: "Epochs with an alarm count like all others." },
  { verb: "origins", words: "Change web pages", when: one => one.state !== "closed", body: text => ({ origins: originsIn(text) }),
    says: "Only these pages can send reports from now on. Apps are not affected.",
    asks: { label: "Addresses of web pages, with spaces between them", value: one => one.origins.join(" ") } },
  { verb: "close", words: "Close", danger: true, when: one => one.state !== "closed", says: "This is final: devices drop their waiting reports, and nobody can open the experiment again." },
];

function confirm(one, action) {
  const dialog = find("confirm");
  find("confirm-title").replaceChildren(`${action.words}: `, isolated(named(one)));
  find("confirm-says").textContent = action.says;
  find("confirm-fault").hidden = true;
  const text = find("confirm-text");
  find("confirm-line").hidden = !action.asks;
  text.labels[0].textContent = action.asks?.label ?? "";
  text.value = action.asks?.value(one) ?? "";
  const yes = find("confirm-yes");
  yes.textContent = action.words;
  yes.className = action.danger ? "danger" : "main";
  yes.disabled = false;
  yes.onclick = async () => {
    yes.disabled = true;
    try {
      await post(`/v1/experiments/${one.id}/${action.verb}`, action.asks ? action.body(text.value) : action.body);
      dialog.close();
      wake();
    } catch (error) {
      find("confirm-fault").textContent = error.status === 403 ? "This token may only read: the admin token is needed." : error.message;
      find("confirm-fault").hidden = false;
      yes.disabled = false;
    }
  };
  dialog.showModal();
  (action.asks ? text : find("confirm-no")).focus();
}

function showActions(one, results) {
  const fitting = ACTIONS.filter(action => action.when(one, results));
  const words = fitting.map(action => action.words).join();
  const bar = find("actions");
  const key = `${one.id} ${words}`;
  if (bar.dataset.key !== key) {
    bar.dataset.key = key;
    bar.replaceChildren(...fitting.map(action => {
      const button = element("button", action.words, action.danger ? "danger" : "");
      button.type = "button";
      return button;
    }));
  }
  [...bar.children].forEach((button, i) => (button.onclick = () => confirm(one, fitting[i])));
}

// ---- turns

let wakeUp = () => {};
const wake = () => wakeUp();

async function showOne(id, turn) {
  const still = () => state.turn === turn && place() === id;
  const fresh = state.view !== id;
  if (fresh) {
    state.view = id;
    shown.forget();
    find("one-title").textContent = "";
    find("one-id").textContent = "";
  }
  find("loading").hidden = !fresh;
  find("one-body").hidden = fresh;
  try {
    find("one-body").hidden = false; // charts need their width
    find("one-body").style.visibility = fresh ? "hidden" : "";
    const all = await shown.show(id, still);
    if (all !== null) showActions(all.one, all.results);
  } catch (error) {
    if (!still() || !(error instanceof Refusal) || ![404, 410, 503].includes(error.status)) throw error;
    find("one-body").hidden = true;
    find("one-title").textContent = "This experiment cannot be shown";
    find("one-id").textContent = error.message;
    state.view = null;
  } finally {
    find("loading").hidden = true;
    find("one-body").style.visibility = "";
  }
}

async function readChange() {
  const after = state.stamp === null ? "" : `?after=${state.stamp}`;
  const { run, stamp } = await get(`/v1/changes${after}`);
  if (state.run !== null && run !== state.run) state.restarted = new Date();
  const changed = stamp !== state.stamp;
  state.run = run;
  state.stamp = stamp;
  return changed;
}

function sayService() {
  const off = Math.abs(clockAheadMs) > CLOCK_OFF_MS;
  const restarted = state.restarted ? `; sottod was started again at ${state.restarted.toLocaleTimeString()}` : "";
  say(`live, ${new Date().toLocaleTimeString()}${restarted}${off ? "; the clocks of this device and of sottod differ" : ""}`);
}

async function oneTurn(changed) {
  const turn = ++state.turn;
  const view = place();
  if (changed || state.list.length < 100 || Date.now() - state.listAt > LIST_MS) {
    await readList();
  }
  find("enter").hidden = true;
  for (const id of ["to-create", "leave"]) find(id).hidden = false;
  find("list").hidden = view === "new";
  find("create").hidden = view !== "new";
  find("one").hidden = view === "new" || view === "";
  showList();
  if (view === "new" || view === "") {
    if (view === "new" && state.view !== "new") create.open();
    state.view = view;
  } else {
    await showOne(view, turn);
  }
  trouble("");
  sayService();
  state.lastGood = new Date();
}

function failed(error) {
  if (error.status === 401) {
    askForToken(token() === "" ? "Paste a token, or open this page with #token=… at the end of its address."
      : error.message === NO_TOKEN ? NO_TOKEN : `sottod refuses this token: ${error.message}`);
    say("needs a token");
    return;
  }
  const since = state.lastGood ? ` What you see is from ${state.lastGood.toLocaleTimeString()}.` : "";
  say(error.status === 503 ? "not ready" : error instanceof Refusal ? "no answer" : "this page failed");
  trouble(`${error.message}${since} Trying again…`);
}

async function live() {
  let changed = true;
  let change = null; // the request that waits for a change
  let quiet = false; // the last such request brought no news or no answer
  for (;;) {
    const woken = new Promise(done => (wakeUp = () => done(true)));
    let pauseMs = TURN_MS;
    try {
      if (state.stamp === null) await readChange(); // from now on changes are noticed
      await oneTurn(changed);
      change ??= readChange().then(news => ({ news }), error => ({ error }));
    } catch (error) {
      failed(error);
      if (error.status === 0 || error.status === 503) pauseMs = RETRY_MS;
    }
    const pause = new Promise(done => setTimeout(done, pauseMs, null));
    const first = await Promise.race([woken, pause, ...(change ? [change] : [])]);
    changed = first === true || first?.news === true;
    if (first !== null && first !== true) change = null;
    if (first === null || first === true) continue;
    if (quiet && !first.news) await pause; // not the first time: sottod may be stopping
    quiet = !first.news;
  }
}

find("enter").addEventListener("submit", event => {
  event.preventDefault();
  setToken(find("token").value);
  find("token").value = "";
  wake();
});
find("leave").addEventListener("click", () => {
  setToken("");
  askForToken("This page has forgotten the token.");
  say("needs a token");
});
find("confirm-text").addEventListener("keydown", event => {
  if (event.key !== "Enter") return;
  event.preventDefault(); // Enter would press the first button of the form, Cancel
  find("confirm-yes").click();
});
find("filter").addEventListener("input", () => {
  state.rows = ROWS_STEP;
  showList();
});
find("more").addEventListener("click", () => {
  state.rows += ROWS_STEP;
  showList();
});
addEventListener("hashchange", () => {
  takeToken();
  wake();
});
addEventListener("resize", redraw);
for (const look of ["(prefers-color-scheme: dark)", "print"]) matchMedia(look).addEventListener("change", redraw);
create.begin(id => {
  location.hash = id;
});
takeToken();
live();
