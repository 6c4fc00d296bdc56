// The playground: sliders, four curves, one report, an audit. The lab computes all numbers.
import { curves, directions } from "./chart.js";
import { guessed } from "./lab.js";

// Numbered as in lab_module.c.
const METHODS = [
  { name: "sotto", words: "Sotto (this project), private" },
  { name: "ldp-sgd", words: "Han and others 2021, private" },
  { name: "linucb", words: "without privacy" },
  { name: "best-arm", words: "the same offer for everybody, private" },
];
const TURNS = [[0], [3, 2, 1]]; // per worker: Sotto takes as long as the others together
const RATE = 10; // people per second, if reports are delayed
const ANGLE = 0.7; // of the secret
const TRIALS = 2000;
const CHEAT = 4; // true epsilon divided by the claim
const GUESSED = 8; // reports of one person
const INPUT_PAUSE_MS = 150;

const find = id => document.getElementById(id);
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const percent = share => `${three.format(100 * share)} %`;
let seed = 1;
let workers = [];
let results = new Map(); // method number -> points
let missing = new Map(); // method number -> why it has no curve

function settings() {
  const value = id => Number(find(id).value);
  return {
    epsilon: Number((2 ** value("epsilon")).toPrecision(3)), dim: value("dim"), arms: value("arms"), people: Math.round(10 ** value("people")), seed,
    delay: value("delay"), rate: RATE, liars: value("liars") / 100,
  };
}

function showSettings(s) {
  find("epsilon-shown").textContent = three.format(s.epsilon);
  find("epsilon-says").textContent = `Left: more private. Here every report is at most ${three.format(Math.exp(s.epsilon))} times as likely ` +
    `for one person as for any other${s.epsilon <= 2 ? "." : ": devices refuse that unless their owner allows it."}`;
  find("dim-shown").textContent = s.dim;
  find("arms-shown").textContent = s.arms;
  find("people-shown").textContent = whole.format(s.people);
  find("delay-shown").textContent = s.delay === 0 ? "none" : `${s.delay / 60} min`;
  find("liars-shown").textContent = percent(s.liars);
}

function command(s) {
  const words = ["sotto simulate --method sotto,ldp-sgd,linucb", `--dim ${s.dim} --arms ${s.arms} --epsilon ${s.epsilon}`,
    `--horizon ${s.people} --seeds 1 --first-seed ${s.seed}`];
  if (s.delay > 0) words.push(`--delay ${s.delay},0,${s.rate}`);
  if (s.liars > 0) words.push(`--liars ${s.liars}`);
  return words.join(" ");
}

function fail(sentence) {
  find("fault").textContent = sentence;
  find("fault").hidden = false;
}

function start(onmessage) {
  const worker = new Worker("worker.js", { type: "module" });
  worker.onerror = () => fail("The simulation did not start. Please reload the page; the browser must support WebAssembly.");
  worker.onmessage = ({ data }) => onmessage(data);
  return worker;
}

// ---- curves

function verdict(s) {
  const last = which => results.get(which)?.at(-1)[1];
  const more = last(0) - last(2);
  const cost = more > 0 && s.liars === 0 ? `Privacy costs each of ${whole.format(s.people)} people ${three.format(more / s.people)} of reward on average: in all ` +
    `they miss ${three.format(last(0))} with Sotto and ${three.format(last(2))} without privacy.`
    : `In all, ${whole.format(s.people)} people miss ${three.format(last(0))} with Sotto and ${three.format(last(2))} without privacy.`;
  const parts = [];
  if (last(1) !== undefined) parts.push(`${three.format(last(1))} with the method of Han and others`);
  if (last(3) !== undefined) parts.push(`${three.format(last(3))} if everybody gets the same offer`);
  return `${cost} They miss ${parts.join(" and ")}.${[...missing.values()].map(why => ` ${why}`).join("")}`;
}

function drawCurves(s) {
  const lines = METHODS.map((method, i) => ({ name: method.name, points: results.get(i) ?? [] })).filter(line => line.points.length > 0);
  if (lines.length > 0) curves(find("curves"), lines, s.people, "Reward lost, over people, by method");
}

function progress(s, played) {
  const total = METHODS.length * s.people;
  const sum = [...played.values()].reduce((a, b) => a + b, 0);
  find("speed").textContent = `${percent(Math.min(1, sum / total))} simulated`;
}

function finish(s, begun) {
  const seconds = (performance.now() - begun) / 1000;
  find("speed").textContent = `${results.size} methods, ${whole.format(s.people)} people each, in ${three.format(seconds)} s`;
  if (results.has(0)) find("says").textContent = verdict(s);
  document.body.dataset.regret = JSON.stringify(Object.fromEntries([...results].map(([i, points]) => [METHODS[i].name, points.at(-1)[1]])));
}

function play() {
  const s = settings();
  const begun = performance.now();
  const played = new Map();
  for (const worker of workers) worker.terminate();
  const mine = results = new Map(); // ended workers may still send messages
  missing = new Map();
  find("fault").hidden = true;
  find("command").textContent = command(s);
  find("says").textContent = "";
  delete document.body.dataset.regret;
  workers = TURNS.map(turns => {
    const queue = [...turns];
    const next = worker => queue.length > 0 && worker.postMessage({ task: "play", which: queue.shift(), settings: s });
    const worker = start(data => {
      if (results !== mine) return;
      played.set(data.which, data.played ?? s.people);
      if (data.fault !== undefined && data.which === 3) missing.set(3, "The same offer for everybody is not simulated with harmful reports.");
      else if (data.fault !== undefined) fail(data.fault);
      if (data.points !== undefined) results.set(data.which, data.points);
      progress(s, played);
      if (data.done === undefined && data.fault === undefined) return;
      drawCurves(s);
      if (results.size + missing.size === METHODS.length) finish(s, begun);
      next(worker);
    });
    next(worker);
    return worker;
  });
}

// ---- one report

function bars(place, rows) {
  place.replaceChildren(...rows.flatMap(({ words, share, number, bad }) => {
    const name = document.createElement("dt");
    const bar = document.createElement("dd");
    const fill = document.createElement("span");
    const value = document.createElement("dd");
    name.textContent = words;
    bar.className = bad ? "bar bad" : "bar";
    fill.style.width = `${100 * Math.min(1, share)}%`;
    bar.append(fill);
    value.className = "number";
    value.textContent = number;
    return [name, bar, value];
  }));
}

function showReport(report, epsilon) {
  const others = report.size - report.top;
  const blue = report.top * report.odds / (report.top * report.odds + others);
  directions(find("circle"), report, ANGLE, `${report.size} directions on a circle; the reported one is marked, the secret is an arrow`);
  find("report-about").textContent = `For each report the phone draws ${report.size} random directions, which the server knows too, and reports the number of one.`;
  find("index").textContent = `direction ${report.index}`;
  find("odds").textContent = `The ${report.top} blue dots are nearest to the secret. Each is ${three.format(report.odds)} times as likely as a grey one: ${percent(blue)} of reports are blue, against ${percent(report.top / report.size)} by chance.`;
  bars(find("guesses"), [
    { words: "no report", share: 0.5, number: "50 %" },
    { words: "1 report", share: guessed(epsilon, 1), number: percent(guessed(epsilon, 1)) },
    { words: `${GUESSED} reports`, share: guessed(epsilon, GUESSED), number: percent(guessed(epsilon, GUESSED)) },
  ]);
}

let painter = null;
function drawReport() {
  const { epsilon } = settings();
  painter?.terminate();
  painter = start(data => (data.fault !== undefined ? fail(data.fault) : showReport(data, epsilon)));
  painter.postMessage({ task: "report", epsilon, angle: ANGLE });
}

// ---- the audit

function showAudits(epsilon, honest, cheat) {
  const scale = CHEAT * epsilon;
  const row = (words, audit) => ({
    words, share: Math.max(0, audit.measured) / scale, bad: audit.violation,
    number: `ε at least ${three.format(Math.max(0, audit.measured))}`,
  });
  bars(find("audits"), [
    { words: "both promise", share: epsilon / scale, number: `ε at most ${three.format(epsilon)}` },
    row("honest", honest), row("cheat", cheat),
  ]);
  find("audit-status").textContent = `${honest.violation ? "A violation" : "No violation"} found in the honest program; ` +
    `${cheat.violation ? "the cheat is caught" : "the cheat is not caught"}.`;
}

async function audit() {
  const { epsilon } = settings();
  find("audit").disabled = true;
  find("audit-status").textContent = "Auditing …";
  const run = trueEpsilon => new Promise((resolve, reject) => {
    const worker = start(data => {
      worker.terminate();
      return data.fault === undefined ? resolve(data) : reject(new Error(data.fault));
    });
    worker.postMessage({ task: "audit", trueEpsilon, epsilon, trials: TRIALS });
  });
  try {
    const [honest, cheat] = await Promise.all([run(epsilon), run(Math.min(8, CHEAT * epsilon))]);
    showAudits(epsilon, honest, cheat);
  } catch (error) {
    fail(error.message);
  }
  find("audit").disabled = false;
}

// ---- the page

function legend() {
  find("legend").replaceChildren(...METHODS.map(method => {
    const item = document.createElement("li");
    const words = document.createElement("b");
    item.className = `m-${method.name}`;
    words.textContent = method.words;
    item.append(document.createElement("i"), words);
    return item;
  }));
}

let pause = null;
find("form").addEventListener("input", () => {
  showSettings(settings());
  find("audits").replaceChildren();
  find("audit-status").textContent = "";
  clearTimeout(pause);
  pause = setTimeout(() => { play(); drawReport(); }, INPUT_PAUSE_MS);
});
find("form").addEventListener("submit", event => event.preventDefault());
find("again").addEventListener("click", () => { seed += 1; play(); });
find("draw").addEventListener("click", drawReport);
find("audit").addEventListener("click", audit);
find("more-settings").open = matchMedia("(min-width: 62rem)").matches; // or a phone shows the curves far below what moves them
legend();
showSettings(settings());
play();
drawReport();
