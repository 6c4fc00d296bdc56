// Numbers in words. Text from an experiment is put into pages only as text, never as HTML.

export const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
export const short = value => (value == null || !Number.isFinite(value) ? "–" : three.format(value));
export const people = value => (Number.isFinite(value) && value > 0 ? whole.format(Number(value.toPrecision(3))) : "too many to say");

export function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text != null) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

export function duration(seconds) {
  const [size, unit] = [[86400, "days"], [3600, "h"], [60, "min"]].find(([least]) => seconds >= 2 * least) ?? [1, "s"];
  return `${whole.format(seconds / size)} ${unit}`;
}

/* The origins in a text of page addresses separated by blanks or commas. What is no address is
 * passed on for sottod to refuse. */
export function originsIn(text) {
  const words = text.split(/[\s,]+/).filter(word => word !== "");
  return [...new Set(words.map(word => {
    try {
      return /^https?:/i.test(word) ? new URL(word).origin : word;
    } catch {
      return word;
    }
  }))];
}

/* How long after the decision a report leaves. */
export const delay = ({ reward_window_s: window, send_spread_s: spread }) =>
  (window + spread === 0 ? "at once" : `${window === 0 ? "0" : duration(window)} to ${duration(window + spread)}`);

/* How many numbers the app passes for a decision. */
export const contextWords = ({ parameters, dim, arms }) =>
  (parameters === "shared" ? `${whole.format(dim * arms)} numbers: ${dim} for each of ${arms} arms` : `${dim} numbers, the same for all arms`);

/* The name of an experiment, or the start of its id if it has no name. */
export function named(experiment) {
  const name = experiment.labels?.name;
  return typeof name === "string" && name.trim() !== "" ? name : experiment.id.slice(0, 8);
}

export function isolated(text) {
  const made = document.createElement("bdi");
  made.textContent = text;
  return made;
}

export function describe(list, rows) {
  list.replaceChildren(...rows.map(([name, value, kind]) => {
    const made = element("div", null, kind);
    made.append(element("dt", name), element("dd", value));
    return made;
  }));
}

/* A difference of rewards, in percentage points if rewards are 0 or 1. */
export const difference = (binary, value) => (binary ? (100 * value).toFixed(1) : Number(value.toPrecision(4)).toString());

function earns(binary, value, low, high, word) {
  const said = text => difference(binary, text);
  const unit = binary ? " percentage points" : "";
  return ["The learned choice earns ", `${said(value)}${unit} ${word}`, ` than an arm at random (95\u00a0% any-time interval ${said(low)} to ${said(high)}).`];
}

/* The finding: [text before, text shown large, text after], and whether it is bad. `sotto results`
 * uses the same words. */
export function finding(one, results) {
  const up = results.measurement?.uplift;
  const binary = one.spec.reward_kind === "binary";
  if (!results.measurement) return { words: ["This experiment has no measure rounds, so what the learned choice earns is unknown.", "", ""] };
  if (up.value == null) return { words: ["Nothing is measured yet: the first batch of measure rounds is not complete.", "", ""] };
  const value = Math.min(up.hi, Math.max(up.lo, up.value)); // an estimate can be impossible; its interval is not
  if (up.lo > 0) return { words: earns(binary, value, up.lo, up.hi, "more"), good: true };
  if (up.hi < 0) return { words: earns(binary, -value, -up.hi, -up.lo, "less"), bad: true };
  if (results.harm.verdict === "yes")
    return { words: ["The learned choice is worse than an arm at random: the alarm for harm has fired.", "", ""], bad: true };
  const unit = binary ? " percentage points" : "";
  return { words: ["It is not yet certain whether the learned choice is better than an arm at random: the difference is ",
    `${difference(binary, value)}${unit}`, ` (95\u00a0% any-time interval ${difference(binary, up.lo)} to ${difference(binary, up.hi)}).`] };
}

export const fallbackWords = fallback => (fallback === "none" ? "none" : fallback === "random" ? "random arms" : `arm ${fallback}`);

/* What to do next: sentences for the owner. `plan` is null until the prediction is there. */
export function advice(one, results, plan) {
  const out = [];
  const harm = results.harm;
  if (harm.verdict === "yes" && harm.served_since_epoch === null)
    out.push("Pause the experiment and find out why. Somebody may be sending false reports. At most one experiment in 1,000 gets a false alarm.");
  if (harm.served_since_epoch !== null) {
    const what = fallbackWords(harm.fallback);
    out.push(harm.ends ? `The fallback (${what}) ends with the open epoch.` : `Since epoch ${harm.served_since_epoch} people get ${what}, until you end the fallback.`);
  }
  if (harm.below_best_arm !== null) out.push(`Arm ${harm.below_best_arm} for everybody would earn more than the learned choice so far.`);
  const up = results.measurement?.uplift;
  const uncertain = up && !(up.lo > 0 || up.hi < 0) && harm.verdict !== "yes";
  if (uncertain && one.state === "open" && plan?.upliftPeople > 0)
    out.push(one.reports.folded < plan.upliftPeople ? `Wait: with simulated people, an uplift shows after about ${people(plan.upliftPeople)} people.`
      : `With simulated people, an uplift shows after about ${people(plan.upliftPeople)} people. Here it may be smaller, or absent.`);
  if (results.measurement?.fallen) out.push("What the learned choice earns has fallen: the recent interval lies below that of the whole time.");
  if (one.held) {
    const names = one.held.alarms.join(", ");
    out.push(one.held.ends ? `Your decision on the held epoch, ${one.held.decision}, takes effect soon.`
      : `The watch holds epoch ${one.held.epoch} back (${names}; ${whole.format(one.held.reports)} reports): release it if the reports are honest, or discard it.`);
  }
  if (one.state === "paused") out.push("Paused: devices keep their reports and send them when you open it again.");
  if (one.state === "closed") out.push("Closed for good: sottod refuses reports but still serves terms and model.");
  for (const warning of one.warnings) out.push(`${warning.error} ${warning.field} = ${warning.value}; ${warning.allowed}.`);
  return out;
}
