import type { Agent } from "#model/agent";
import type { UsageHour } from "#model/health/tally";
import { HOUR_MS } from "#model/usage";

/** mulberry32: chance that is the same every time. */
export const chance = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

export const AGENT: Agent = {
  ...{ id: "agent-1", name: "helper", owner_id: "user-1", sponsor_id: null, description: null, environment: null },
  ...{
    review_status: "approved",
    lifecycle: "active",
    suspension: null,
    profile_version: 1,
    review_due_at: null,
    created_at: 0,
  },
};

/** Shares of each category of each kind of counter: what an agent usually does. */
export type Habits = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const HABITS: Habits = {
  model: { large: 0.7, small: 0.3 },
  tool: { files__read: 0.5, files__list: 0.3, mail__read: 0.15, mail__send: 0.05 },
  flag: { none: 0.9, "pii.email": 0.08, "injection.direct": 0.02 },
  finish: { stop: 0.8, tool_calls: 0.18, length: 0.02 },
  prompt_bin: { 7: 0.1, 8: 0.2, 9: 0.3, 10: 0.25, 11: 0.15 },
  output_bin: { 4: 0.15, 5: 0.25, 6: 0.3, 7: 0.2, 8: 0.1 },
};

/** One hour of calls by those habits; one in four calls is one of a tool. */
export const hourOfCalls = (hour: number, calls: number, habits: Habits, random: () => number): UsageHour => {
  const counts: Record<string, number> = { calls: 0, tool_calls: 0 };
  const add = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  for (let call = 0; call < calls; call += 1) {
    const isTool = random() < 0.25;
    add(isTool ? "tool_calls" : "calls");
    for (const kind of isTool ? ["tool", "flag"] : ["model", "flag", "finish", "prompt_bin", "output_bin"]) {
      add(`${kind}.${pick(habits[kind] ?? {}, random())}`);
    }
  }
  return { hour, counts };
};

const pick = (shares: Readonly<Record<string, number>>, at: number): string => {
  let left = at;
  for (const [name, share] of Object.entries(shares)) {
    left -= share;
    if (left < 0) return name;
  }
  return Object.keys(shares).at(-1) ?? "";
};

/** So many hours from `start` on. */
export const hoursOf = (
  start: number,
  hours: number,
  calls: number,
  random: () => number,
  habits: Habits = HABITS,
): UsageHour[] => Array.from({ length: hours }, (_, n) => hourOfCalls(start + n * HOUR_MS, calls, habits, random));
