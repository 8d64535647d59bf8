import type { Database, Statement } from "bun:sqlite";
import { parseJson } from "#core/json/json";
import type { AuditRecord } from "#model/audit";
import { countTraffic, isSum, isTraffic, type Traffic } from "#model/call-entry";
import type { TrafficDetail, TrafficSpan } from "#store/call-index-port";
import { KEPT_MS } from "#store/traffic-spans";
import { EVERYBODY, KnownHashes, subjectOf } from "./call-hash";

const MINUTE_MS = 60_000;

/** Names from outside that are told apart in one bucket; the rest count as `other`. */
const MAX_NAMES = 200;
const NAMED = /^(?:model|agent|flag)\./;

/** Calls counted by when their bucket begins, and by subject: an agent, a user for calls without one, or everybody. */
type Buckets = Map<number, Map<number, Traffic>>;

/** Counts by agent or user, and minute, in memory, and adds that to the buckets of the database when told to. */
export class TrafficBook {
  readonly #read: Statement<StoredCounts, [number, number, number]>;
  readonly #write: Statement<unknown, [number, number, number, string, string]>;
  readonly #subjects = KnownHashes.ofSubjects();
  readonly #minutes: Buckets = new Map();
  #waiting = 0;
  /** What the buckets of each span came to that were written last: most of them are written again. */
  #known = new Map<TrafficSpan, Buckets>();
  #written = new Map<TrafficSpan, Buckets>();

  constructor(db: Database) {
    this.#read = db.prepare("SELECT counts, names FROM call_traffic WHERE span = ? AND at = ? AND subject = ?");
    this.#write = db.prepare(
      "INSERT OR REPLACE INTO call_traffic (span, at, subject, counts, names) VALUES (?, ?, ?, ?, ?)",
    );
  }

  /** How many subjects' minutes wait to be written. */
  get waiting(): number {
    return this.#waiting;
  }

  count(record: AuditRecord, at: number): void {
    if (!isTraffic(record)) return;
    const counts = countsAt(this.#minutes, at - (at % MINUTE_MS), this.#subjects.of(subjectOf(record.actor)));
    if (counts.size === 0) this.#waiting += 1;
    countTraffic(record, counts);
  }

  /**
   * In a transaction of the caller's, who says with `forget` how that went. `newest`: of the log, Unix milliseconds;
   * what is so old beside it that it would be forgotten at once is not written.
   */
  write(newest: number): void {
    this.#written = new Map();
    let buckets = withEverybody(this.#minutes);
    for (const [span, keptMs] of KEPT_MS) {
      if (span !== MINUTE_MS) buckets = widened(buckets, span);
      const written: Buckets = new Map();
      for (const [at, bySubject] of buckets) {
        if (at < newest - keptMs) continue;
        written.set(at, this.#add(span, at, bySubject));
      }
      this.#written.set(span, written);
    }
  }

  #add(span: TrafficSpan, at: number, bySubject: ReadonlyMap<number, Traffic>): Map<number, Traffic> {
    const known = this.#known.get(span)?.get(at);
    const sums = new Map<number, Traffic>();
    for (const [subject, counts] of bySubject) {
      const before = known?.get(subject) ?? this.#stored(span, at, subject);
      const sum = before.size === 0 ? counts : new Map(before);
      if (sum !== counts) addUp(sum, counts);
      this.#write.run(span, at, subject, jsonOf(sum, isSum), jsonOf(sum, isNamed));
      sums.set(subject, sum);
    }
    return sums;
  }

  #stored(span: TrafficSpan, at: number, subject: number): Traffic {
    const row = this.#read.get(span, at, subject);
    return row === null ? new Map() : trafficIn(row);
  }

  /** Begins anew: with what is in the database now, or with what was written. */
  forget(isWritten: boolean): void {
    this.#minutes.clear();
    this.#waiting = 0;
    this.#known = isWritten ? this.#written : new Map();
  }
}

/** Made where there are none. */
const countsAt = (buckets: Buckets, at: number, subject: number): Traffic => {
  const bySubject = buckets.get(at) ?? new Map<number, Traffic>();
  const counts = bySubject.get(subject) ?? new Map<string, number>();
  if (counts.size > 0) return counts;
  bySubject.set(subject, counts);
  buckets.set(at, bySubject);
  return counts;
};

/** What comes in as each subject's, as everybody's too. */
const withEverybody = (buckets: Buckets): Buckets => {
  const all: Buckets = new Map();
  for (const [at, bySubject] of buckets) {
    const sum: Traffic = new Map();
    for (const counts of bySubject.values()) addUp(sum, counts);
    all.set(at, new Map([...bySubject, [EVERYBODY, sum]]));
  }
  return all;
};

const widened = (buckets: Buckets, span: TrafficSpan): Buckets => {
  const wide: Buckets = new Map();
  for (const [at, bySubject] of buckets) {
    for (const [subject, counts] of bySubject) addUp(countsAt(wide, at - (at % span), subject), counts);
  }
  return wide;
};

const addUp = (counts: Traffic, more: Traffic): void => {
  // Most buckets are far from the limit, whatever their counters are called.
  if (counts.size + more.size <= MAX_NAMES) {
    for (const [counter, by] of more) counts.set(counter, (counts.get(counter) ?? 0) + by);
    return;
  }
  let names = 0;
  for (const counter of counts.keys()) if (NAMED.test(counter)) names += 1;
  for (const [counter, by] of more) {
    const isNew = NAMED.test(counter) && !counts.has(counter);
    const kept = isNew && names >= MAX_NAMES ? `${counter.split(".", 1)[0]}.other` : counter;
    if (isNew && kept === counter) names += 1;
    counts.set(kept, (counts.get(kept) ?? 0) + by);
  }
};

const isNamed = (counter: string): boolean => !isSum(counter);

/**
 * Each column a JSON array of names and numbers by turns: sums apart, since charts over long periods read nothing else. Rows
 * of earlier versions have all in `counts`. Where only sums are asked for there are no `names`.
 */
type StoredCounts = { readonly counts: string; readonly names?: string | undefined };

const jsonOf = (traffic: Traffic, isIn: (counter: string) => boolean): string => {
  const turns: (string | number)[] = [];
  for (const [name, count] of traffic) if (isIn(name)) turns.push(name, count);
  return JSON.stringify(turns);
};

/**
 * Sums, and what is counted by names that begin with `prefix`. Whatever is no name with a number is left out: a row somebody
 * changed must not stop the index.
 */
export const trafficIn = ({ counts, names }: StoredCounts, prefix = ""): Traffic => {
  const traffic: Traffic = new Map();
  for (const json of names === undefined ? [counts] : [counts, names]) {
    const read = parseJson(json);
    if (!Array.isArray(read)) continue;
    for (let index = 0; index + 1 < read.length; index += 2) {
      const [name, count]: unknown[] = [read[index], read[index + 1]];
      if (typeof name !== "string" || typeof count !== "number") continue;
      if (name.startsWith(prefix) || isSum(name)) traffic.set(name, count);
    }
  }
  return traffic;
};

/** The columns that answer a question. */
export const countColumns = (detail: TrafficDetail): string => (detail === "sums" ? "counts" : "counts, names");
