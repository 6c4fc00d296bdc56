// A worker that computes the lab's `plan` and what a shuffler adds.
import { open } from "./playground/lab.js";

const lab = open("lab.wasm", () => {});

onmessage = async ({ data: { number, task, words } }) => {
  try {
    postMessage({ number, answer: (await lab)[task](...words) });
  } catch (error) {
    postMessage({ number, fault: error.message });
  }
};
