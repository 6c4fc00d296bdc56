// Drawings of the playground in SVG: curves on logarithmic axes, and the codewords of one report.

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 480;
const HEIGHT = 300;
const LEFT = 44;
const BOTTOM = 44;
const TOP = 8;
const RIGHT = 10;

function shape(name, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function short(number) {
  if (number >= 1e6) return `${number / 1e6} M`;
  return number >= 1000 ? `${number / 1000} k` : String(number);
}

function powers(low, high) {
  const out = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++) out.push(10 ** power);
  return out;
}

/* `lines`: { name, points: [[people, regret]] }; each is drawn in the colour of class m-NAME. */
export function curves(place, lines, people, label) {
  const shown = lines.map(line => ({ ...line, points: line.points.filter(point => point[1] > 0) }));
  const all = shown.flatMap(line => line.points.map(point => point[1]));
  const low = 10 ** Math.floor(Math.log10(Math.min(1, ...all)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(10, ...all)));
  const x = t => LEFT + (WIDTH - LEFT - RIGHT) * Math.log(t / 10) / Math.log(people / 10);
  const y = v => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * Math.log(v / low) / Math.log(high / low);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "fig", role: "img", "aria-label": label });
  for (const t of powers(10, people)) {
    svg.append(shape("line", { class: "grid", x1: x(t), x2: x(t), y1: TOP, y2: HEIGHT - BOTTOM }),
      shape("text", { class: "s", x: x(t), y: HEIGHT - 26, "text-anchor": t === 10 ? "start" : t === people ? "end" : "middle" }, short(t)));
  }
  for (const v of powers(low, high)) {
    svg.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v) }),
      shape("text", { class: "s", x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, short(v)));
  }
  svg.append(shape("text", { class: "s", x: WIDTH - RIGHT, y: HEIGHT - 8, "text-anchor": "end" }, "people so far"),
    shape("text", { class: "s", x: LEFT + 4, y: TOP + 10 }, "total missed"));
  for (const line of shown) {
    const path = line.points.map(([t, v], i) => `${i === 0 ? "M" : "L"}${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    svg.append(shape("g", { class: `m-${line.name}` },
      shape("path", { class: "line", d: path, "stroke-width": line.name === "sotto" ? 3 : 2,
        "stroke-dasharray": line.name === "best-arm" ? "6 4" : "none" })));
  }
  place.replaceChildren(svg);
}

/* One report: its codewords on the unit circle, the likelier ones larger, the reported one marked, the secret an arrow. */
export function directions(place, report, angle, label) {
  const at = ([x, y], by = 92) => ({ x: 110 + by * x, y: 110 - by * y });
  const svg = shape("svg", { viewBox: "0 0 220 220", class: "fig", role: "img", "aria-label": label });
  svg.append(shape("circle", { class: "grid", cx: 110, cy: 110, r: 92 }));
  report.codewords.forEach((codeword, i) => {
    const { x, y } = at(codeword);
    const kind = i === report.index ? "sent" : codeword[2] === 1 ? "near" : "far";
    const radius = { sent: 8, near: 4.5, far: 3 }[kind];
    svg.append(shape("g", { class: kind === "sent" ? "m-sotto" : kind === "near" ? "m-ldp-sgd" : "m-oracle" },
      shape("circle", { class: "full", cx: x, cy: y, r: radius })));
  });
  const tip = at([Math.cos(angle), Math.sin(angle)], 70);
  svg.append(shape("line", { class: "axis", x1: 110, y1: 110, x2: tip.x, y2: tip.y, "stroke-width": 3 }),
    shape("circle", { class: "axis", cx: 110, cy: 110, r: 3 }));
  place.replaceChildren(svg);
}
