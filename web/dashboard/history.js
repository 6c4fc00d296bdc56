// The history of one experiment, fetched once and then extended: rows with the people up to each.
import { get } from "./api.js";

const EPOCHS_MAX = 1500; // rows in the finest resolution
const DAY = 1440; // minutes
const PAGES_MAX = 20;

/* The finest resolution that leaves the rows few enough to draw. */
function fitting(one, minute) {
  const age = minute - one.created_minute;
  if (one.epoch <= EPOCHS_MAX && age <= 7 * DAY) return "epoch";
  if (age <= DAY) return "minute";
  return age <= 60 * DAY ? "hour" : "day";
}

export class History {
  constructor(one) {
    this.id = one.id;
    this.rows = [];
    this.resolution = null;
    this.epoch = -1; // of the service, when this was read
    this.nextMs = 0; // when it may be read again: a long history costs the service more
  }

  async refresh(one, nowMs) {
    if (one.epoch === this.epoch || nowMs < this.nextMs) return false;
    const resolution = fitting(one, Math.floor(nowMs / 60000));
    if (resolution !== this.resolution) this.rows = [];
    this.resolution = resolution;
    this.rows.pop(); // the last row may have grown
    const began = performance.now();
    await this.read();
    this.nextMs = nowMs + 20 * (performance.now() - began);
    this.epoch = one.epoch;
    this.count();
    return true;
  }

  async read() {
    for (let page = 0; page < PAGES_MAX; page++) {
      const last = this.rows.at(-1);
      const after = last ? `&after=${last.epoch}` : "";
      const since = this.resolution === "epoch" || this.resolution === "minute" ? "&since=0" : "";
      const answer = await get(`/v1/experiments/${this.id}/history?resolution=${this.resolution}${since}${after}`);
      this.rows.push(...answer.rows);
      if (!answer.more || answer.rows.length === 0) return;
    }
  }

  count() {
    let people = 0;
    for (const row of this.rows) {
      people += row.learn + row.control + row.follow;
      row.people = people;
    }
  }

  /* [people, uplift] for the curve: rows from the first batch on. */
  uplifts() {
    return this.rows.filter(row => row.uplift != null && row.uplift.value != null).map(row => [row.people, row.uplift]);
  }

  /* [seconds since 1970, learn reports per second] by minutes that are over. */
  rates() {
    const minutes = [];
    for (const row of this.rows) {
      if (minutes.length > 0 && minutes.at(-1)[0] === row.minute) minutes.at(-1)[1] += row.learn;
      else minutes.push([row.minute, row.learn]);
    }
    minutes.pop();
    return minutes.slice(1).flatMap(([minute, learn], i) => {
      const passed = minute - minutes[i][0];
      return passed > 0 ? [[60 * minute, learn / (60 * passed)]] : []; // a clock that went back has no rate
    });
  }
}
