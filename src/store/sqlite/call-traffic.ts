import type { Database, Statement } from "bun:sqlite";
import type { Traffic } from "#core/call-entry";
import { isRecord, parseJson } from "#core/json";

/** Names from outside that are told apart in one bucket; the rest count as `other`. */
const MOST_NAMES = 200;
const NAMED = /^(?:model|agent|flag)\./;

/** The counters of buckets, read and written whole. */
export class TrafficBook {
  readonly #read: Statement<{ counts: string }, [number, number, number]>;
  readonly #write: Statement<unknown, [number, number, number, string]>;

  constructor(db: Database) {
    this.#read = db.prepare("SELECT counts FROM call_traffic WHERE span = ? AND at = ? AND subject = ?");
    this.#write = db.prepare("INSERT OR REPLACE INTO call_traffic (span, at, subject, counts) VALUES (?, ?, ?, ?)");
  }

  /** By `span at subject`. */
  add(traffic: ReadonlyMap<string, Traffic>): void {
    for (const [key, more] of traffic) {
      const [span = 0, at = 0, subject = 0] = key.split(" ").map(Number);
      const counts = new Map(Object.entries(countsIn(this.#read.get(span, at, subject)?.counts ?? "{}")));
      addUp(counts, more);
      this.#write.run(span, at, subject, JSON.stringify(Object.fromEntries(counts)));
    }
  }
}

const addUp = (counts: Traffic, more: Traffic): void => {
  let names = 0;
  for (const counter of counts.keys()) if (NAMED.test(counter)) names += 1;
  for (const [counter, by] of more) {
    const isNew = NAMED.test(counter) && !counts.has(counter);
    const kept = isNew && names >= MOST_NAMES ? `${counter.split(".", 1)[0]}.other` : counter;
    if (isNew && kept === counter) names += 1;
    counts.set(kept, (counts.get(kept) ?? 0) + by);
  }
};

/** Whatever is no number is left out: a row somebody changed must not stop the index. */
export const countsIn = (json: string): Readonly<Record<string, number>> => {
  const read = parseJson(json);
  if (!isRecord(read)) return {};
  const numbers = Object.entries(read).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return Object.fromEntries(numbers);
};
