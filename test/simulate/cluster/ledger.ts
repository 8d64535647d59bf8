import { isRecord } from "#core/json/json";
import type { HubProcess } from "./hub-process";
import type { Sent } from "./load";

/** Of one call, the outcomes of its records: `open` for the first of two. */
export type Records = ReadonlyMap<string, readonly string[]>;

/** Reads the lines that `audit export --format ndjson` wrote. */
export const recordsIn = (lines: Iterable<string>): Records => {
  const records = new Map<string, string[]>();
  // Of hubs that share a database each gives the records of all.
  const seen = new Set<unknown>();
  for (const line of lines) {
    const entry: unknown = line === "" ? null : JSON.parse(line);
    if (!isRecord(entry) || typeof entry["call_id"] !== "string" || seen.has(entry["id"])) continue;
    seen.add(entry["id"]);
    const outcomes = records.get(entry["call_id"]) ?? [];
    outcomes.push(`${entry["outcome"]}`);
    records.set(entry["call_id"], outcomes);
  }
  return records;
};

/** Answered calls whose record is missing, and calls that have not exactly one end. */
export const unrecorded = (sent: readonly Sent[], records: Records): string[] => {
  const endsOf = (id: string) => (records.get(id) ?? []).filter((outcome) => outcome !== "open");
  return sent.flatMap(({ hub, kind, id, status, isWhole }) => {
    if (id === null || status !== 200) return [];
    const ends = endsOf(id);
    if (isWhole && ends.join() === "answered") return [];
    if (!isWhole && ends.length === 1) return [];
    return [`${kind} at ${hub}, ${isWhole ? "answered" : "cut off"}: records ${records.get(id)?.join(",") ?? "none"}`];
  });
};

/** Calls that were not answered though nothing was done to their hub meanwhile. */
export const failedUndisturbed = (sent: readonly Sent[], hubs: readonly HubProcess[]): string[] => {
  const disturbed = new Map(hubs.map(({ id, disturbances }) => [id, disturbances]));
  return sent
    .filter(({ isWhole }) => !isWhole)
    .filter(({ hub, began, ended }) => !disturbed.get(hub)?.some(({ from, to }) => began <= to && ended >= from))
    .map(({ hub, kind, status, code }) => `${kind} at ${hub}: ${status ?? "broken"} ${code ?? ""}`.trim());
};

/** Faults in words: how often each, the most frequent first. */
export const counted = (faults: readonly string[]): string => {
  const counts = [...Map.groupBy(faults, (fault) => fault)].map(([fault, all]) => [all.length, fault] as const);
  const worst = counts.sort(([one], [other]) => other - one).slice(0, 3);
  return worst.map(([count, fault]) => `${count} × ${fault}`).join("; ");
};
