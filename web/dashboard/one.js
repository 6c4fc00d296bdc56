// One experiment: the finding, the advice, the numbers.
import { get, getText } from "./api.js";
import { arms, rate, uplift } from "./charts.js";
import { History } from "./history.js";
import { predict } from "./predict.js";
import { advice, contextWords, delay, describe, difference, duration, element, fallbackWords, finding, isolated, named, people, short, whole } from "./words.js";

const find = id => document.getElementById(id);
let history = null;
const DELTA = 1e-6; // for what a shuffler adds
const CROWD_MAX = 100000; // reports: more would take long, and the result for fewer is also valid
let counted = null; // reports when they were last counted, and when

const HARM = { yes: ["yes", "bad"], no: ["no alarm", ""], unknown: ["unknown", ""] };

function tile(value, words, kind, more) {
  const made = element("div", null, "tile");
  made.append(element("div", value, `v ${kind ?? ""}`), element("div", words, "l"));
  if (more) made.append(more);
  return made;
}

function rateNow(one) {
  const now = performance.now();
  const before = counted;
  const acknowledged = one.reports.acknowledged;
  if (before?.id !== one.id) {
    counted = { id: one.id, acknowledged, at: now, rate: null };
  } else if (now - before.at >= 1500) {
    counted = { id: one.id, acknowledged, at: now, rate: Math.max(0, acknowledged - before.acknowledged) * 1000 / (now - before.at) };
  }
  return counted.rate;
}

function putTiles(one, results) {
  const bar = element("progress");
  bar.max = Math.max(1, one.wanted);
  bar.value = Math.min(one.taken_since_publish, bar.max);
  bar.setAttribute("aria-label", "learn reports of the next epoch");
  const { duplicate, conflicting, late, folded } = one.reports;
  const verdict = results.harm.verdict;
  const age = history?.rows.at(-1)?.age;
  find("tiles").replaceChildren(
    tile(whole.format(folded), "reports counted"), tile(short(rateNow(one)), "reports per second now"),
    tile(whole.format(one.epoch), "epoch", "", bar), tile(`ε ${short(one.spec.epsilon)}`, "of one report"),
    tile(HARM[verdict][0], "harm", HARM[verdict][1]),
    tile(short(age), "mean age of reports, in epochs", age > 4 ? "bad" : ""),
    tile(whole.format(duplicate + conflicting + late), "late or repeated"),
    tile(whole.format(results.watch?.alarms.length ?? 0), "alarms of the watch", results.watch?.alarms.length > 0 ? "bad" : ""));
}

function putFinding(one, results) {
  const { words: [before, large, after], bad } = finding(one, results);
  const head = find("headline");
  const said = element("span", null, bad ? "bad" : "");
  said.append(before, element("b", large), after);
  if (head.textContent !== said.textContent) head.replaceChildren(said); // screen readers hear changes alone
  find("advice").replaceChildren(...advice(one, results, planOf(one)).map(text => element("li", text)));
}

function putPrivacy(one) {
  const card = one.privacy;
  const most = card.device_by_default.reports_max;
  describe(find("privacy"), [
    ["a report that leaves the device", `${card.leaves_the_device.report_bytes} bytes`],
    ["one report changes the odds between any two people by at most a factor of", short(Math.exp(one.spec.epsilon))],
    ["reports that a device sends by default", most === 0 ? "none: its owner must allow more" : whole.format(most)],
    ["measure rounds", `${short(100 * card.measure_share)} %`],
    ["reports are kept", card.kept_by_the_server.keep_reports ? "permanently" : "until their epoch accepts no more"],
    ["never stored", card.never_stored, "long"]]);
}

function putApp(one) {
  const { spec, origins } = one;
  const pages = origins.length === 0 ? "none: only apps can send reports" : origins[0] === "*" ? "all" : origins.join(" ");
  const rows = [
    ["path on the public address of sottod", `/v1/experiments/${one.id}`, "long"],
    ["in a web page", `person.join("https://HOST/v1/experiments/${one.id}")`, "long"],
    ["web pages that take part (origins)", pages, "long"],
    ["a decision takes", contextWords(spec)],
    ["a reward is", `${spec.reward_kind === "binary" ? "0 or 1" : `${short(spec.reward_lo)} to ${short(spec.reward_hi)}`}, ${spec.reward_window_s > 0 ? `within ${duration(spec.reward_window_s)}` : "at once"}`],
    ["a report leaves, after the decision", delay(spec)]];
  if (one.has_report_key) rows.push(["report key", "needed"]);
  describe(find("app"), rows);
}

function putShuffle(one) {
  const { value, fault } = answers.shuffle;
  const most = value === null ? fault || "…" : Number.isNaN(value.epsilon) ? "not computed" : `ε ${short(value.epsilon)} at δ ${DELTA}`;
  describe(find("shuffle"), [[`sottod would learn about one person, from the ${whole.format(crowd(one))} reports of the next epoch, at most`, most]]);
  find("shuffle-says").textContent = value?.conditions ?? "";
}

/* The last answer of each task. A task is computed again when its arguments change. */
const answers = { plan: { key: "", value: null, fault: "" }, shuffle: { key: "", value: null, fault: "" } };

/* Resolves when the answer is there. A later turn with the same arguments shares the answer. */
function ask(task, ...words) {
  const key = JSON.stringify(words);
  if (answers[task].key === key) return answers[task].done;
  const mine = answers[task] = { key, value: null, fault: "" };
  mine.done = predict(task, ...words).then(value => (mine.value = value), error => (mine.fault = error.message));
  return mine.done;
}

const termsOf = one => (one.terms ?? "00").match(/../g).map(byte => parseInt(byte, 16));

const plan = one => ask("plan", termsOf(one), { people: 1e6, perDay: 0, measure: one.spec.measure });

/* The prediction, if it applies to this experiment's method. */
const planOf = one => (one.spec.method === "sotto" ? answers.plan.value : null);

/* The parts of the experiment that the prediction does not cover. */
function notPredicted({ method, reward_window_s: window, send_spread_s: spread }) {
  const rows = method === "sotto" ? [] : [["predicted for", `method sotto, not ${method}`]];
  if (window + spread > 0) rows.push(["delay of reports", "not in the prediction"]);
  return rows;
}

/* The number of reports that the next epoch waits for, rounded down so that it does not change with
 * every epoch. */
function crowd(one) {
  const reports = Math.min(CROWD_MAX, Math.max(1, one.wanted));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(reports)) - 1);
  return Math.floor(reports / step) * step;
}

const shuffle = one => ask("shuffle", termsOf(one), crowd(one), DELTA);

function putPlan(one, results) {
  const m = results.measurement;
  const of = answers.plan.value;
  const so_far = [["rounds so far", whole.format(one.reports.folded)],
    ["mean reward, learned choice", m ? short(m.follow.mean.value) : "not measured"],
    ["mean reward, arm at random", m ? short(m.control.mean.value) : "not measured"]];
  const not = notPredicted(one.spec);
  describe(find("plan"), of === null ? [...not, ["prediction", answers.plan.fault ? `none: ${answers.plan.fault}` : "…", "long"], ...so_far] : [
    ...not, ["people until the mean loss stays below 5 %", people(of.targetPeople)], ...so_far,
    ["people to detect an uplift", m ? people(of.upliftPeople) : "no measure rounds"],
    ["people to detect harm, if there is any", m ? people(of.harmPeople) : "no measure rounds"],
    ["regret over 1,000,000 people, as a multiple of the estimated minimum at this ε", Number.isFinite(of.floorTimes) ? `${short(of.floorTimes)} times` : "–"],
    ["over 1,000,000 people, best-arm finds the best arm if it leads by at least", short(of.bestArmLead)]]);
}

function putWatch(one, results) {
  const { harm, watch } = results;
  const binary = one.spec.reward_kind === "binary";
  const rows = [["harm", harm.verdict === "yes" ? `yes, since epoch ${harm.since_epoch}` : HARM[harm.verdict][0], HARM[harm.verdict][1]]];
  if (harm.uplift_hi !== null) rows.push([`uplift is at most${binary ? ", in percentage points" : ""} (99.9 % bound, valid at any time)`, difference(binary, harm.uplift_hi)]);
  rows.push(["fallback", fallbackWords(harm.fallback)], ["quarantine", one.quarantine ? "on" : "off"]);
  if (!watch) rows.push(["watch", "no epoch yet"]);
  else {
    rows.push(["watched epoch", `${watch.epoch}, ${whole.format(watch.reports)} reports`]);
    for (const [test, chance] of Object.entries(watch.chances)) {
      const alarm = watch.alarms.includes(test);
      rows.push([test, alarm ? "ALARM" : `no alarm (p = ${chance.toPrecision(2)})`, alarm ? "bad" : "ok"]);
    }
  }
  describe(find("watch"), rows);
}

/* Reads the text format of Prometheus into values by name and labels. */
export function readMetrics(text) {
  return new Map(text.split("\n").filter(line => line !== "" && !line.startsWith("#")).map(line => {
    const at = line.lastIndexOf(" ");
    return [line.slice(0, at), Number(line.slice(at + 1))];
  }));
}

function putHealth(metrics) {
  const value = name => metrics.get(name);
  const ready = value("sottod_ready") === 1;
  const rows = [["ready", ready ? "yes" : "no", ready ? "ok" : "bad"]];
  if (value("sottod_journal_last_commit_seconds") !== undefined) rows.push(["last commit took", `${short(1000 * value("sottod_journal_last_commit_seconds"))} ms`]);
  if (value("sottod_journal_disk_bytes") !== undefined) rows.push(["journal on disk", `${short(value("sottod_journal_disk_bytes") / 1e6)} MB`]);
  rows.push(["running for", duration(value("sottod_uptime_seconds"))]);
  for (const [name, count] of metrics) {
    const refused = name.match(/^sottod_refused_(.*)_total\{port="(.*)"\}$/);
    if (refused && count > 0) rows.push([`refused: ${refused[1].replaceAll("_", " ")} (${refused[2]})`, whole.format(count)]);
  }
  describe(find("health"), rows);
}

/* Shows the experiment and returns it. */
export async function show(id, stillWanted) {
  const path = `/v1/experiments/${id}`;
  const [one, results, metrics] = await Promise.all([get(path), get(`${path}/results`), getText("/metrics")]);
  if (history?.id !== id) history = new History(one);
  const grown = await history.refresh(one, Date.now());
  if (!stillWanted()) return null;
  find("one-title").replaceChildren(isolated(named(one)), " ", element("span", one.state, `state ${one.state}`));
  find("one-id").textContent = id;
  const planned = plan(one), shuffled = shuffle(one);
  putFinding(one, results);
  putTiles(one, results);
  const binary = one.spec.reward_kind === "binary";
  const say = value => difference(binary, value);
  if (grown) {
    find("uplift-says").textContent = `more reward than an arm at random, in ${binary ? "percentage points" : "units of the reward"}, over people, with its 95 % any-time interval`;
    const none = results.measurement ? "The curve begins with the first batch of measure rounds." : "Without measure rounds it is unknown.";
    uplift(find("plot-uplift"), find("table-uplift"), history.uplifts(), say, none);
    find("numbers-uplift").hidden = history.uplifts().length === 0;
    rate(find("plot-rate"), history.rates());
  }
  arms(find("plot-arms"), results.measurement, one.spec.reward_lo, one.spec.reward_hi);
  putPrivacy(one);
  putApp(one);
  putShuffle(one);
  putPlan(one, results);
  putWatch(one, results);
  putHealth(readMetrics(metrics));
  planned.then(() => {
    if (!stillWanted()) return;
    putFinding(one, results);
    putPlan(one, results);
  });
  shuffled.then(() => stillWanted() && putShuffle(one));
  return { one, results };
}

/* Makes the next show() draw everything again. */
export function forget() {
  history = null;
}
