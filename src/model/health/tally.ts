import { HOUR_MS } from "#model/usage";

/** Counters by name. A map, because names come from outside and `__proto__` is one. */
export type Tally = ReadonlyMap<string, number>;

/** One hour's counters as the store gives them; `hour` is its begin in Unix milliseconds. */
export type UsageHour = { readonly hour: number; readonly counts: Readonly<Record<string, number>> };

export const tallyOf = (counts: Readonly<Record<string, number>>): Tally => new Map(Object.entries(counts));

/** A day has six bins of four hours, UTC. */
const BIN_MS = 4 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;

/** The sum of several hours, with the calls of each part of the day beside: `hour.0` to `hour.5`. */
export const sumOf = (hours: readonly UsageHour[]): Tally => {
  const sum = new Map<string, number>();
  const add = (name: string, by: number) => void sum.set(name, (sum.get(name) ?? 0) + by);
  for (const { hour, counts } of hours) {
    for (const name in counts) add(name, counts[name] ?? 0);
    const calls = (counts["calls"] ?? 0) + (counts["tool_calls"] ?? 0);
    if (calls > 0) add(`hour.${Math.floor((hour % DAY_MS) / BIN_MS)}`, calls);
  }
  return sum;
};

/** What came on top of what there was before. */
export const minus = (all: Tally, before: Tally): Tally => {
  if (before.size === 0) return all;
  const rest = new Map<string, number>();
  for (const [name, count] of all) {
    const more = count - (before.get(name) ?? 0);
    if (more > 0) rest.set(name, more);
  }
  return rest;
};

/** Calls of models and of tools. */
export const callsIn = (tally: Tally): number => countIn(tally, "calls") + countIn(tally, "tool_calls");

export const countIn = (tally: Tally, name: string): number => tally.get(name) ?? 0;
