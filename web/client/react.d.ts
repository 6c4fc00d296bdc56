import type { JoinOptions, Person, Round, SottoError } from "./index.js";

export type Shown =
  | { readonly state: "waiting"; readonly arm: null; readonly reward: null; readonly error: null }
  | { readonly state: "ready"; readonly arm: number; readonly reward: Round["reward"]; readonly error: null }
  | { readonly state: "none"; readonly arm: null; readonly reward: null; readonly error: SottoError };

/** person: make it outside of components, because each rendering would otherwise make a new one. */
export function useArm(person: Person | Promise<Person>, url: string, context: ArrayLike<number>, options?: JoinOptions): Shown;
