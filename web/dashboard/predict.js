// Predictions, computed by a worker that the first one starts.

let worker = null;
let asked = 0;
const waiting = new Map();

function start() {
  worker = new Worker("planner.js", { type: "module" });
  worker.onmessage = ({ data }) => {
    const [done, failed] = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.fault === undefined) done(data.answer);
    else failed(new Error(data.fault));
  };
  worker.onerror = () => {
    for (const [, failed] of waiting.values()) failed(new Error("This sottod was built without predictions."));
    waiting.clear();
    worker = null;
  };
}

/* Returns the result of a function of lab.js: "plan", "planNew" or "shuffle". Throws a sentence. */
export function predict(task, ...words) {
  if (worker === null) start();
  const number = asked++;
  return new Promise((done, failed) => {
    waiting.set(number, [done, failed]);
    worker.postMessage({ number, task, words });
  });
}
