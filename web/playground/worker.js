// A worker with the lab's module. It plays a method, draws a report or audits, by messages.
import { open } from "./lab.js";

const STEP_MS = 50; // between messages about a run
let heard = () => {};
const lab = open("../lab.wasm", rounds => heard(rounds));

// 60 points from 10 people to all, evenly spaced on a logarithmic axis.
function points(people) {
  const at = new Set([people]);
  for (let i = 0; i < 60; i++) at.add(Math.round(10 * (people / 10) ** (i / 59)));
  return [...at].sort((a, b) => a - b);
}

async function play({ which, settings }) {
  const module = await lab;
  const at = points(settings.people);
  let played = 0;
  let told = performance.now();
  heard = rounds => {
    played += rounds;
    if (performance.now() - told < STEP_MS) return;
    told = performance.now();
    postMessage({ which, played });
  };
  const regret = module.play(which, settings, at);
  postMessage({ which, played: settings.people, done: true, points: at.map((t, i) => [t, regret[i]]) });
}

const TASKS = {
  play,
  report: async ({ epsilon, angle }) => postMessage((await lab).report(epsilon, angle)),
  audit: async ({ trueEpsilon, epsilon, trials }) => postMessage((await lab).audit(trueEpsilon, epsilon, trials)),
};

onmessage = async ({ data }) => {
  try {
    await TASKS[data.task](data);
  } catch (error) {
    postMessage({ which: data.which, fault: error.message });
  }
};
