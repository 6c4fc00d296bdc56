// The form that makes an experiment, with the prediction of `sotto plan`.
import { post } from "./api.js";
import { predict } from "./predict.js";
import { contextWords, delay, describe, originsIn, people, short } from "./words.js";

const find = id => document.getElementById(id);
const PAUSE_MS = 200;
const RANGES = { continuous: [-1, 1], count: [0, 10] };
let pause = null;
let asked = 0;

const number = id => Number(find(`c-${id}`).value);

/* The spec in the form. A missing reward counts as 0 if the range contains 0. */
function spec() {
  const kind = find("c-kind").value;
  const made = {
    reward_kind: kind, parameters: find("c-parameters").value, dim: number("dim"), arms: number("arms"), epsilon: number("epsilon"),
    measure: number("measure") / 100, reward_window_s: number("window"), send_spread_s: number("spread"),
  };
  if (kind === "binary") return made;
  const lo = number("lo"), hi = number("hi");
  return { ...made, reward_lo: lo, reward_hi: hi, reward_default: lo <= 0 && hi >= 0 ? 0 : lo };
}

/* The range that sottod gives to rewards of this kind. */
function suggestRange() {
  const [lo, hi] = RANGES[find("c-kind").value] ?? [0, 1];
  find("c-lo").value = lo;
  find("c-hi").value = hi;
}

function showFields() {
  find("c-range").hidden = find("c-kind").value === "binary";
  find("c-context-says").textContent = `The app passes ${contextWords(spec())}.`;
}

async function showPrediction() {
  const own = ++asked;
  if (!find("create-form").checkValidity()) {
    find("predict-says").textContent = "Some value is not allowed.";
    describe(find("predict"), []);
    return;
  }
  try {
    const made = spec(), { measure } = made;
    const of = await predict("planNew", made, { people: 1e6, perDay: number("per-day"), measure });
    if (own !== asked) return;
    find("predict-says").textContent = "Predicted for simulated people. Yours will differ.";
    const late = made.reward_window_s + made.send_spread_s > 0 ? [["delay of reports", "not in the prediction"]] : [];
    describe(find("predict"), [
      ...late, ["a report leaves, after the decision", delay(made)],
      ["people until the mean loss stays below 5 %", people(of.targetPeople)],
      ["days until then", of.targetDays > 0 ? short(of.targetDays) : "–"],
      ["loss over 1,000,000 people, as a share of the best reward", `${short(100 * of.share)} %`],
      ["people to detect an uplift", measure > 0 ? people(of.upliftPeople) : "never: no measure rounds"],
      ["people to detect harm, if there is any", measure > 0 ? people(of.harmPeople) : "never: no measure rounds"],
      ["regret, as a multiple of the estimated minimum at this ε", Number.isFinite(of.floorTimes) ? `${short(of.floorTimes)} times` : "–"],
      ["reports that a device sends by default", of.reportsPerPerson > 0 ? short(of.reportsPerPerson) : "none: its owner must allow more"]]);
  } catch (error) {
    if (own !== asked) return;
    find("predict-says").textContent = `No prediction: ${error.message}`;
    describe(find("predict"), []);
  }
}

function request() {
  const name = find("c-name").value.trim();
  return {
    spec: spec(), labels: name === "" ? {} : { name }, quarantine: find("c-quarantine").checked,
    learning: { fallback: find("c-fallback").value }, origins: originsIn(find("c-origins").value),
  };
}

/* Calls `created` with the id of the new experiment. */
export function begin(created) {
  const form = find("create-form");
  find("c-kind").addEventListener("input", suggestRange);
  form.addEventListener("input", () => {
    showFields();
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
  showFields();
  showPrediction();
  find("c-name").focus();
};
