import type { Database, Statement } from "bun:sqlite";
import type { AuditRecord } from "#core/audit";
import { countTraffic, type Traffic } from "#core/call-entry";
import { parseJson } from "#core/json";
import { TRAFFIC_SPANS, type TrafficSpan } from "#store/call-index-port";
import { EVERYBODY, KnownHashes, subjectOf } from "./call-hash";

/** Names from outside that are told apart in one bucket; the rest count as `other`. */
const MOST_NAMES = 200;
const NAMED = /^(?:model|agent|flag)\./;

/** Calls of one minute: an agent's, or a user's without one. */
type Minute = { readonly at: number; readonly subject: number; readonly counts: Traffic };
type Bucket = Minute & { readonly span: TrafficSpan };

/** Counts by agent or user, and minute, in memory, and adds that to the buckets of the database when told to. */
export class TrafficBook {
  readonly #read: Statement<{ counts: string }, [number, number, number]>;
  readonly #write: Statement<unknown, [number, number, number, string]>;
  readonly #subjects = KnownHashes.ofSubjects();
  readonly #minutes = new Map<string, Minute>();
  /** What the buckets came to that were written last: most of them are written again. */
  #known: ReadonlyMap<string, Traffic> = new Map();
  #written = new Map<string, Traffic>();

  constructor(db: Database) {
    this.#read = db.prepare("SELECT counts FROM call_traffic WHERE span = ? AND at = ? AND subject = ?");
    this.#write = db.prepare("INSERT OR REPLACE INTO call_traffic (span, at, subject, counts) VALUES (?, ?, ?, ?)");
  }

  /** How many subjects' minutes wait to be written. */
  get waiting(): number {
    return this.#minutes.size;
  }

  count(record: AuditRecord, at: number): void {
    if (!record.call) return;
    const [shortest] = TRAFFIC_SPANS;
    const minute = at - (at % shortest);
    const whose = subjectOf(record.actor);
    const key = `${minute} ${whose ?? ""}`;
    const known = this.#minutes.get(key);
    const one = known ?? { at: minute, subject: this.#subjects.of(whose), counts: new Map() };
    if (countTraffic(record, one.counts) && !known) this.#minutes.set(key, one);
  }

  /** In a transaction of the caller's, who says with `forget` how that went. */
  write(): void {
    this.#written = new Map();
    for (const [key, { span, at, subject, counts }] of bucketsOf(this.#minutes.values())) {
      const sum = new Map(this.#known.get(key) ?? trafficIn(this.#read.get(span, at, subject)?.counts ?? "[]"));
      addUp(sum, counts);
      this.#write.run(span, at, subject, JSON.stringify([...sum].flat()));
      this.#written.set(key, sum);
    }
  }

  /** Begins anew: with what is in the database now, or with what was written. */
  forget(isWritten: boolean): void {
    this.#minutes.clear();
    this.#known = isWritten ? this.#written : new Map();
  }
}

/** Each minute of each subject, in the buckets of every span, its own and everybody's. */
const bucketsOf = (minutes: Iterable<Minute>): ReadonlyMap<string, Bucket> => {
  const buckets = new Map<string, Bucket>();
  for (const minute of minutes) {
    for (const span of TRAFFIC_SPANS) {
      const at = minute.at - (minute.at % span);
      for (const subject of new Set([EVERYBODY, minute.subject])) {
        const key = `${span} ${at} ${subject}`;
        const bucket = buckets.get(key) ?? { span, at, subject, counts: new Map() };
        addUp(bucket.counts, minute.counts);
        buckets.set(key, bucket);
      }
    }
  }
  return buckets;
};

const addUp = (counts: Traffic, more: Traffic): void => {
  // Most buckets are far from the limit, whatever their counters are called.
  if (counts.size + more.size <= MOST_NAMES) {
    for (const [counter, by] of more) counts.set(counter, (counts.get(counter) ?? 0) + by);
    return;
  }
  let names = 0;
  for (const counter of counts.keys()) if (NAMED.test(counter)) names += 1;
  for (const [counter, by] of more) {
    const isNew = NAMED.test(counter) && !counts.has(counter);
    const kept = isNew && names >= MOST_NAMES ? `${counter.split(".", 1)[0]}.other` : counter;
    if (isNew && kept === counter) names += 1;
    counts.set(kept, (counts.get(kept) ?? 0) + by);
  }
};

/** Names and numbers by turns, as JSON. Whatever is neither is left out: a row somebody changed must not stop the index. */
export const trafficIn = (json: string): Traffic => {
  const read = parseJson(json);
  const traffic: Traffic = new Map();
  if (!Array.isArray(read)) return traffic;
  for (let index = 0; index + 1 < read.length; index += 2) {
    const [name, count]: unknown[] = [read[index], read[index + 1]];
    if (typeof name === "string" && typeof count === "number") traffic.set(name, count);
  }
  return traffic;
};
