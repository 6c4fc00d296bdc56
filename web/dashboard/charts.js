// Drawings: curves by uPlot, dots and whiskers as SVG.
import { element, short, whole } from "./words.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const HEIGHT = 210;
const ARMS_MAX = 12;
const ROWS_MAX = 12; // in the table under a curve

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const counts = value => (value >= 1e6 ? `${value / 1e6}M` : value >= 1000 ? `${value / 1000}k` : String(value));
const drawn = new Map(); // place -> { plot, data, options }

function axis(more) {
  return { stroke: colour("--soft"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--rule") }, font: "12px system-ui", ...more };
}

function none(place, sentence) {
  drawn.get(place)?.plot?.destroy();
  drawn.delete(place);
  place.replaceChildren(element("p", sentence, "soft"));
}

function curve(place, make, data, label) {
  const { series, bands, x, scale, range } = make(data);
  drawn.get(place)?.plot?.destroy();
  place.replaceChildren();
  const plot = new globalThis.uPlot({
    width: Math.max(100, place.clientWidth), height: HEIGHT, padding: [8, 28, 0, 0], legend: { show: false }, cursor: { show: false },
    series, bands, axes: [axis(x), axis({ size: 50 })], scales: { x: scale ?? { time: false }, y: { range } },
  }, data, place);
  plot.root.setAttribute("role", "img");
  plot.root.setAttribute("aria-label", label);
  drawn.set(place, { plot, make, data, label });
}

/* Call it after a change of width or colours. */
export function redraw() {
  for (const [place, { make, data, label }] of drawn) curve(place, make, data, label);
}

function upliftLook([people]) {
  const main = colour("--link");
  const points = { show: people.length === 1 };
  const edge = { stroke: `${main}80`, width: 1, points };
  return {
    series: [{}, { stroke: main, width: 2.5, points }, edge, { ...edge }],
    bands: [{ series: [2, 3], fill: `${main}33` }],
    x: { size: 30, space: 60, values: (_, values) => values.map(counts) },
    range: (_, low, high) => [Math.min(0, low), Math.max(0, high)],
  };
}

/* points: [people, { value, lo, hi }]; `empty` says why there are none. */
export function uplift(place, table, points, say, empty) {
  if (points.length === 0) {
    table.replaceChildren();
    none(place, empty);
    return;
  }
  const last = points.at(-1);
  const said = key => points.map(p => Number(say(p[1][key]))); // in the unit of the text
  const data = [points.map(p => p[0]), said("value"), said("hi"), said("lo")];
  const label = `Uplift over ${whole.format(last[0])} people: at the end ${say(last[1].value)}, between ${say(last[1].lo)} and ${say(last[1].hi)}.`;
  curve(place, upliftLook, data, label);
  const step = Math.max(1, (points.length - 1) / (ROWS_MAX - 1));
  const chosen = new Set(Array.from({ length: ROWS_MAX }, (_, i) => Math.min(points.length - 1, Math.round(i * step))));
  table.replaceChildren(rows(["people", "uplift", "from", "to"], [...chosen].map(i => {
    const [n, of] = points[i];
    return [whole.format(n), say(of.value), say(of.lo), say(of.hi)];
  })));
}

function rows(head, body) {
  const table = element("table");
  const line = (cells, tag) => {
    const made = element("tr");
    made.append(...cells.map(text => element(tag, text, "n")));
    return made;
  };
  const top = element("thead");
  top.append(line(head, "th"));
  for (const cell of top.querySelectorAll("th")) cell.scope = "col";
  const rest = element("tbody");
  rest.append(...body.map(cells => line(cells, "td")));
  table.append(top, rest);
  return table;
}

function rateLook() {
  const main = colour("--good");
  return {
    series: [{}, { stroke: main, fill: `${main}22`, width: 2, points: { show: false } }],
    x: { size: 50, space: 70 }, scale: { time: true },
    range: (_, low, high) => [0, high * 1.15 + 1e-9],
  };
}

/* points: [seconds since 1970, reports per second]. */
export function rate(place, points) {
  if (points.length < 2) {
    none(place, "The curve begins when models have been published in three different minutes.");
    return;
  }
  const most = Math.max(...points.map(p => p[1]));
  curve(place, rateLook, [points.map(p => p[0]), points.map(p => p[1])], `Learn reports per second: at most ${short(most)}, at the end ${short(points.at(-1)[1])}.`);
}

function shape(name, attributes, text) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* The arms by number: all, or those with the highest means if there are many. */
function chosenArms(measurement) {
  const known = [...measurement.arms].sort((a, b) => (b.mean.value ?? -Infinity) - (a.mean.value ?? -Infinity)).slice(0, ARMS_MAX);
  return known.sort((a, b) => a.arm - b.arm);
}

export function arms(place, measurement, lo, hi) {
  if (!measurement) return none(place, "Without measure rounds no mean reward is known.");
  const list = chosenArms(measurement).map(a => ({ name: `arm ${a.arm}`, mean: a.mean, kind: "m-random" }));
  list.push({ name: "learned choice", mean: measurement.follow.mean, kind: "m-sotto" });
  const [width, left, row] = [300, 96, 26];
  const x = value => left + ((value - lo) / (hi - lo)) * (width - left - 14);
  const end = row * list.length;
  const says = list.map(({ name, mean }) => `${name}: ${mean.value == null ? "nothing measured" : `${short(mean.value)}, between ${short(mean.lo)} and ${short(mean.hi)}`}`);
  const svg = shape("svg", { class: "fig arms", viewBox: `0 0 ${width} ${end + 24}`, role: "img", "aria-label": `Mean reward. ${says.join("; ")}.` });
  for (let i = 0; i <= 4; i++) {
    const at = lo + (i * (hi - lo)) / 4;
    svg.append(shape("line", { class: "grid", x1: x(at), x2: x(at), y1: 0, y2: end }),
      shape("text", { class: "s", x: x(at), y: end + 16, "text-anchor": "middle" }, short(at)));
  }
  list.forEach(({ name, mean, kind }, i) => {
    const y = row * i + row / 2;
    svg.append(shape("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, name));
    if (mean.value == null) return;
    const group = shape("g", { class: kind });
    group.append(shape("line", { class: "line", "stroke-width": 3, x1: x(mean.lo), x2: x(mean.hi), y1: y, y2: y }),
      shape("circle", { class: "full", cx: x(Math.min(hi, Math.max(lo, mean.value))), cy: y, r: 5 }));
    svg.append(group);
  });
  place.replaceChildren(svg);
  const left_out = measurement.arms.length - (list.length - 1);
  if (left_out > 0) place.append(element("p", `and ${whole.format(left_out)} arms with lower means`, "soft"));
}
