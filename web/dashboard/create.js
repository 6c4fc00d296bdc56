// The form that makes an experiment, with what `sotto plan` predicts of it.
import { post } from "./api.js";
import { predict } from "./predict.js";
import { describe, people, short } from "./words.js";

const find = id => document.getElementById(id);
const PAUSE_MS = 200;
let pause = null;
let asked = 0;

function values() {
  const number = id => Number(find(`c-${id}`).value);
  return { kind: find("c-kind").value, dim: number("dim"), arms: number("arms"), epsilon: number("epsilon"),
    measure: number("measure") / 100, perDay: number("per-day"), lo: number("lo"), hi: number("hi") };
}

async function showPrediction() {
  const own = ++asked;
  const { dim, arms, epsilon, measure, perDay } = values();
  if (!find("create-form").checkValidity()) {
    find("predict-says").textContent = "Some value is not allowed.";
    describe(find("predict"), []);
    return;
  }
  try {
    const of = await predict("plan", { dim, arms, epsilon, people: 1e6, perDay, measure });
    if (own !== asked) return;
    find("predict-says").textContent = "Predicted for simulated people. Yours will differ.";
    describe(find("predict"), [
      ["people until 95 % of the best reward", people(of.targetPeople)],
      ["days until then", of.targetDays > 0 ? short(of.targetDays) : "–"],
      ["loss over 1,000,000 people, as a share of the best reward", `${short(100 * of.share)} %`],
      ["people until an uplift shows", measure > 0 ? people(of.upliftPeople) : "never: no measure rounds"],
      ["people until harm shows", measure > 0 ? people(of.harmPeople) : "never: no measure rounds"],
      ["regret, as a multiple of the estimated minimum at this ε", Number.isFinite(of.floorTimes) ? `${short(of.floorTimes)} times` : "–"],
      ["reports that a device sends by default", of.reportsPerPerson > 0 ? short(of.reportsPerPerson) : "none: its owner must allow more"]]);
  } catch (error) {
    if (own !== asked) return;
    find("predict-says").textContent = `No prediction: ${error.message}`;
    describe(find("predict"), []);
  }
}

function request() {
  const v = values();
  const spec = { reward_kind: v.kind, dim: v.dim, arms: v.arms, epsilon: v.epsilon, measure: v.measure };
  if (v.kind !== "binary") Object.assign(spec, { reward_lo: v.lo, reward_hi: v.hi, reward_default: v.lo });
  const name = find("c-name").value.trim();
  return { spec, labels: name === "" ? {} : { name }, quarantine: find("c-quarantine").checked, learning: { fallback: find("c-fallback").value } };
}

/* `created` hears the id. */
export function begin(created) {
  const form = find("create-form");
  form.addEventListener("input", () => {
    find("c-range").hidden = find("c-kind").value === "binary";
    clearTimeout(pause);
    pause = setTimeout(showPrediction, PAUSE_MS);
  });
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const fault = find("create-fault");
    const button = form.querySelector("button");
    fault.hidden = true;
    button.disabled = true;
    try {
      const made = await post("/v1/experiments", request());
      form.reset();
      created(made.id);
    } catch (error) {
      fault.textContent = error.status === 403 ? "This token may only read: the admin token is needed." : error.field ? `${error.field}: ${error.message}` : error.message;
      fault.hidden = false;
    }
    button.disabled = false;
  });
}

export const open = () => {
  showPrediction();
  find("c-name").focus();
};
