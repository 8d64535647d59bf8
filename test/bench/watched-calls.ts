import type { Hub } from "#test/support/hub";
import { cpuMicros } from "./cpu";
import { median } from "./stats";

/** Rounds without and with, by turns, so that whatever else the machine does meets both. */
const ROUNDS = 5;
/** A person may have eight streams open. */
const LISTENERS_EACH = 5;
const WATCHERS = ["auditor@example.com", "few@example.com"] as const;
const AT_ONCE = 32;

type Round = { readonly perSecond: number; readonly cpuUs: number };
export type WatchedCalls = { readonly alone: readonly Round[]; readonly watched: readonly Round[] };

/** Calls of a hub, answered by itself, with nobody watching and with browsers that have its stream of events open. */
export async function watchedCalls(hub: Hub, seconds: number): Promise<WatchedCalls> {
  const { token } = await hub.createToken("few@example.com");
  const keys = await Promise.all(
    WATCHERS.map(async (who): Promise<string> => Object((await hub.cli("session", "create", who)).json()).key),
  );
  const listeners = keys.flatMap((key) => Array.from({ length: LISTENERS_EACH }, () => key));
  await round(hub, token, 1);
  const [alone, watched]: [Round[], Round[]] = [[], []];
  for (let count = 0; count < ROUNDS; count += 1) {
    alone.push(await round(hub, token, seconds));
    const stop = new AbortController();
    const streams = await Promise.all(listeners.map((key) => listen(hub, key, stop.signal)));
    watched.push(await round(hub, token, seconds));
    stop.abort();
    const heard = await Promise.all(streams.map(({ bytes }) => bytes));
    if (heard.some((bytes) => bytes === 0)) throw new Error("a listener heard nothing");
  }
  return { alone, watched };
}

const round = async (hub: Hub, token: string, seconds: number): Promise<Round> => {
  const json = { model: "guardhouse/echo", messages: [{ role: "user", content: "Good morning" }] };
  const [before, begun] = [cpuMicros(hub.pid) ?? Number.NaN, performance.now()];
  let calls = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - begun < seconds * 1_000) {
      const response = await hub.fetch("/v1/chat/completions", { token, json });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`a call answered ${response.status}`);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const cpu = (cpuMicros(hub.pid) ?? Number.NaN) - before;
  return { perSecond: (calls / (performance.now() - begun)) * 1_000, cpuUs: cpu / calls };
};

/** How much it hears until it is told to stop. */
const listen = async (hub: Hub, key: string, signal: AbortSignal): Promise<{ readonly bytes: Promise<number> }> => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${hub.url}/api/events`, { headers, signal });
  if (!response.ok) throw new Error(`/api/events answered ${response.status}`);
  const read = async (): Promise<number> => {
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return bytes;
  };
  return { bytes: read() };
};

export const watchedText = ({ alone, watched }: WatchedCalls): string => {
  const of = (rounds: readonly Round[], what: keyof Round) => median(rounds.map((one) => one[what]));
  const [before, after] = [of(alone, "perSecond"), of(watched, "perSecond")];
  const [cpu, cpuWatched] = [of(alone, "cpuUs"), of(watched, "cpuUs")];
  const ratio = (after / before).toFixed(3);
  return [
    `calls/s without listeners ${before.toFixed(0)}, with ${LISTENERS_EACH * WATCHERS.length} of /api/events ${after.toFixed(0)}: ratio ${ratio}`,
    `CPU µs of the hub a call: ${cpu.toFixed(0)} without, ${cpuWatched.toFixed(0)} with`,
  ].join("\n");
};
