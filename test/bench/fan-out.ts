import { Hub } from "#test/support/hub";
import { Child } from "./child.ts";
import { FAN, type FanJob, type FanResult } from "./fan-job.ts";
import { listTools } from "./list-tools.ts";
import type { Endpoint } from "./load-job.ts";
import { median } from "./stats.ts";
import { figure } from "./table.ts";

/** Times in milliseconds, one of each for every person who asked for the first time. */
export type FanOut = {
  /** The whole list, from a hub that knows none of the servers. */
  readonly whole: readonly number[];
  /** The slowest server's list alone, asked without the hub. */
  readonly slowest: readonly number[];
};

/**
 * The first list of people with many servers. The servers refuse to talk while they are added, so that the hub
 * knows nothing of them, has no connection to them, and asks all of them when the first list is wanted.
 */
export async function measureFanOut(times: number, within: string, gateway: string): Promise<FanOut> {
  await using fixtures = await Child.start<FanJob, FanResult>("fan-upstream.ts");
  await using hub = await Hub.create({ processes: "all", serve: ["--durability", "full"], within });
  const { urls } = await fixtures.run({ isReady: false });
  const tokens: string[] = [];
  for (let time = 0; time < times; time += 1) tokens.push(await setUp(hub, `person-${time}@example.com`, urls));
  await fixtures.run({ isReady: true });
  const { url } = await hub.start();
  const whole: number[] = [];
  const slowest: number[] = [];
  for (const token of tokens) {
    slowest.push(await timeOf({ url: urls[0] ?? "", token: "" }, FAN.tools));
    whole.push(await timeOf({ url: url + gateway, token }, FAN.tools * FAN.servers));
  }
  return { whole, slowest };
}

/** Gives a token of somebody with all of the servers. */
async function setUp(hub: Hub, owner: string, urls: readonly string[]): Promise<string> {
  await hub.createUser(owner);
  for (const [at, url] of urls.entries()) await hub.addToolServer(`server-${at}`, { owner, url });
  return (await hub.createToken(owner)).token;
}

async function timeOf(endpoint: Endpoint, atLeast: number): Promise<number> {
  const { tools, ms } = await listTools(endpoint);
  if (tools < atLeast) throw new Error(`${tools} tools listed instead of ${atLeast}`);
  return ms;
}

/** What a first list takes longer than its slowest server does. */
export function beyondSlowest({ whole, slowest }: FanOut): number {
  return median(whole.map((ms, at) => ms - (slowest[at] ?? Number.NaN)));
}

export function fanOutText({ whole, slowest }: FanOut): string {
  const list = (times: readonly number[]): string => times.map((ms) => figure(ms, 1)).join(", ");
  return (
    `first list of ${FAN.servers} servers, one taking ${FAN.slowestMs} ms and the others ${FAN.othersMs} ms:\n` +
    `  the hub ${list(whole)} ms\n  the slowest alone ${list(slowest)} ms\n`
  );
}
