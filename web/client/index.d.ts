/** The person's own limits. They never come from a server. */
export interface Policy {
  /** Per report; above 0, at most 50; default 2. */
  epsilonPerReportMax?: number;
  /** Over all experiments of this site; default 8. */
  epsilonLifetime?: number;
  deltaMax?: number;
  deltaLifetime?: number;
  dimMax?: number;
  armsMax?: number;
  measureShareMax?: number;
}

export interface Terms {
  readonly dim: number;
  readonly arms: number;
  /** The length of a context. */
  readonly numbers: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly rewardWindowS: number;
  readonly sendSpreadS: number;
  readonly reportBytes: number;
  readonly rewardLo: number;
  readonly rewardHi: number;
  readonly rewardDefault: number;
}

/** What a person should know before taking part. */
export interface Card {
  readonly reportBytes: number;
  readonly rewardWindowS: number;
  readonly sendSpreadS: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly oddsFactor: number;
  readonly measureShare: number;
  readonly roundsBefore: number;
  readonly droppedBefore: number;
  readonly epsilonBefore: number;
  readonly deltaBefore: number;
  readonly epsilonBeforeOptimal: number;
  readonly refused: boolean;
  readonly epsilonLifetime: number;
  readonly deltaLifetime: number;
  readonly roundsLeft: number;
  /** What a browser cannot promise, in sentences. */
  readonly caveats: readonly string[];
  readonly version: string;
  /** The SHA-256 of the module that runs. A modified page can show any hash: compare the file itself. */
  readonly module: string;
}

export interface Spent {
  readonly rounds: number;
  readonly reports: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly dropped: number;
}

export interface Counts {
  readonly begun: number;
  readonly finished: number;
  readonly sent: number;
  readonly sentDefault: number;
  readonly acknowledged: number;
  readonly dropped: number;
  readonly putOff: number;
  readonly served: number;
}

export interface Round {
  readonly arm: number;
  /** The reward, if one comes. Rejects with code "order" once the report has left. */
  reward(value: number): Promise<void>;
}

export interface Experiment {
  terms(): Promise<Terms>;
  /** The epoch of the newest model. */
  epoch(): Promise<number>;
  /** The number of reports, of all tabs, that the server does not have yet. */
  waiting(): Promise<number>;
  /** Why reports do not leave (only the tab that sends knows) or models do not come. */
  trouble(): Promise<string | null>;
  /** What this tab did. */
  counts(): Promise<Counts>;
  card(): Promise<Card>;
  decide(context: ArrayLike<number>): Promise<Round>;
}

export interface JoinOptions {
  relay?: string | null;
  reportKey?: string | null;
  refreshMs?: number;
  roundsMax?: number;
  /** How long to wait for terms and model. After that, join rejects with code "not-ready". */
  waitMs?: number;
}

export interface Person {
  /** Whether the browser promised not to delete the ledger when space is short. */
  readonly persisted: Promise<boolean>;
  join(url: string, options?: JoinOptions): Promise<Experiment>;
  spent(): Promise<Spent>;
  close(): void;
}

export type Code =
  | "argument" | "memory" | "entropy" | "length" | "fault" | "frame" | "spec" | "epoch" | "phase" | "policy" | "weak"
  | "budget" | "order" | "ledger" | "module" | "storage" | "refused" | "gone" | "not-ready" | "closed";

export class SottoError extends Error {
  readonly code: Code;
}

export interface PersonOptions {
  policy?: Policy;
}

export function openPerson(options?: PersonOptions): Promise<Person>;
