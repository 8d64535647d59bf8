import type { Hub } from "#test/support/hub";
import { Child } from "./child.ts";
import { cpuMicros } from "./cpu.ts";
import type { OpenPage, PagesJob, PagesResult } from "./pages-job.ts";
import { median } from "./stats.ts";

/** Pairs of rounds without and with, the order changing, so that whatever else the machine does meets both. */
const PAIRS = 10;
const AT_ONCE = 32;
/** Where people who watch sit: most of them on the page that opens first. */
const PLACES: readonly (readonly string[])[] = [
  ["/api/overview?window=24h"],
  ["/api/overview?window=24h"],
  ["/api/overview?window=7d"],
  ["/api/calls"],
  ["/api/calls?decision=block"],
];
/** A person may have eight streams open, so that two people have ten pages. */
const WATCHERS = ["auditor@example.com", "few@example.com"] as const;

type Round = { readonly perSecond: number; readonly cpuUs: number };
type Pair = { readonly alone: Round; readonly watched: Round; readonly pages: PagesResult };
export type WatchedCalls = readonly Pair[];

/**
 * Calls of a hub, answered by itself, with nobody watching and with ten pages open, which are a process of their own:
 * pages are on other people's machines.
 */
export async function watchedCalls(hub: Hub, seconds: number): Promise<WatchedCalls> {
  const { token } = await hub.createToken("few@example.com");
  const keys = await Promise.all(
    WATCHERS.map(async (who): Promise<string> => Object((await hub.cli("session", "create", who)).json()).key),
  );
  const shown = keys.flatMap((key) => PLACES.map((asks): OpenPage => ({ key, asks })));
  await using browsers = await Child.start<PagesJob, PagesResult>("pages.ts");
  const alone = () => round(hub, token, seconds);
  const watched = async () => {
    await browsers.run({ kind: "open", url: hub.url, pages: shown });
    const measured = await alone();
    const pages = await browsers.run({ kind: "close" });
    if (pages.questions === 0 || pages.bytes.includes(0)) throw new Error("a page heard or asked nothing");
    return { watched: measured, pages };
  };
  await alone();
  const pairs: Pair[] = [];
  for (let count = 0; count < PAIRS; count += 1) {
    if (count % 2 === 0) pairs.push({ alone: await alone(), ...(await watched()) });
    else pairs.push({ ...(await watched()), alone: await alone() });
  }
  return pairs;
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

/** Calls a second, and CPU of a call, with pages open ÷ with none. */
export const watchedRatios = (pairs: WatchedCalls) => ({
  speed: median(pairs.map(({ alone, watched }) => watched.perSecond / alone.perSecond)),
  cost: median(pairs.map(({ alone, watched }) => watched.cpuUs / alone.cpuUs)),
});

export const watchedText = (pairs: WatchedCalls): string => {
  const of = (take: (pair: Pair) => number) => median(pairs.map(take));
  const { speed, cost } = watchedRatios(pairs);
  const [calls, cpu] = [of(({ alone }) => alone.perSecond), of(({ alone }) => alone.cpuUs)];
  const slowest = Math.max(...pairs.map(({ pages }) => pages.slowestMs));
  return [
    `calls/s with ${WATCHERS.length * PLACES.length} pages open ÷ with none: ${speed.toFixed(3)} (${calls.toFixed(0)} with none)`,
    `CPU of the hub a call with them ÷ without: ${cost.toFixed(3)} (${cpu.toFixed(0)} µs without)`,
    `pages asked ${of(({ pages }) => pages.questions)} times a round; slowest answer ${slowest.toFixed(0)} ms; their own CPU ${(of(({ pages }) => pages.cpuMicros) / 1_000).toFixed(0)} ms a round`,
  ].join("\n");
};
