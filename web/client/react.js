// One hook: an arm for a context, from a person that the app opened.
import { useEffect, useState } from "react";

const WAITING = Object.freeze({ state: "waiting", arm: null, reward: null, error: null });

// person: what openPerson returned, a promise or its value. Make it outside of components, because
// each rendering would otherwise make a new one. The round is decided once per person, url and key
// of the context. Until then the state is "waiting": show nothing that will change. If an
// experiment is joined several times, the options of the first join apply.
export function useArm(person, url, context, options) {
  const [shown, show] = useState(WAITING);
  const key = JSON.stringify(Array.from(context));
  useEffect(() => {
    let wanted = true;
    show(WAITING);
    (async () => {
      const experiment = await experimentOf(await person, url, options);
      if (!wanted) return;
      const { arm, reward } = await experiment.decide(JSON.parse(key));
      if (wanted) show({ state: "ready", arm, reward, error: null });
    })().catch(error => { if (wanted) show({ state: "none", arm: null, reward: null, error }); });
    return () => { wanted = false; };
  }, [person, url, key]);
  return shown;
}

// A person joins an experiment once, however many components use it.
const joined = new WeakMap();

function experimentOf(person, url, options) {
  if (!joined.has(person)) joined.set(person, new Map());
  const experiments = joined.get(person);
  if (!experiments.has(url)) {
    const experiment = person.join(url, options);
    experiments.set(url, experiment);
    experiment.catch(() => experiments.delete(url));
  }
  return experiments.get(url);
}
