// A person takes part in an experiment of `sottod`. What the person likes stays in this page.
import { openPerson } from "./sotto-client/index.js";

const ARTICLES = ["a haiku", "a short story", "a novel"];
const url = new URLSearchParams(location.search).get("experiment");
const at = id => document.getElementById(id);
let round = null;

function tell(sentence) { at("shown").textContent = sentence; }

const person = await openPerson({ policy: { epsilonLifetime: 20 } }).catch(error => { tell(error.message); throw error; });
const experiment = await person.join(url).catch(error => { tell(error.message); throw error; });
const card = await experiment.card();
at("bytes").textContent = card.reportBytes;
at("lifetime").textContent = card.epsilonLifetime;
at("caveats").append(...card.caveats.map(caveat => Object.assign(document.createElement("li"), { textContent: caveat })));

async function show() {
  const spent = await person.spent(), counts = await experiment.counts();
  const now = { rounds: spent.rounds, waiting: await experiment.waiting(), sent: counts.sent, epsilon: spent.epsilon, epoch: await experiment.epoch() };
  for (const [id, value] of Object.entries(now)) at(id).textContent = value;
}

at("decide").onclick = async () => {
  const taste = Number(at("taste").value);
  try {
    round = await experiment.decide([taste, 1 - Math.abs(taste)]);
    tell(`We suggest ${ARTICLES[round.arm]}.`);
    at("answers").hidden = false;
  } catch (error) {
    tell(`No round: ${error.message}`);
  }
  await show();
};

at("answers").onclick = async event => {
  if (!event.target.dataset.reward) return;
  at("answers").hidden = true;
  await round.reward(Number(event.target.dataset.reward)).then(() => tell("Thank you. The report leaves at its time, whatever you said."),
                                                               error => tell(error.message));
  await show();
};

await show();
setInterval(show, 1000);
