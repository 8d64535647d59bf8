/*
 * `bun run bench lists`: what lists of the configuration cost the thread that serves calls, with a small configuration
 * and with that of a large company: CPU time of the hub's main thread, read from /proc.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openSqliteStore } from "#store/sqlite/index";
import { Hub } from "#test/support/hub";
import { type ConfigurationSize, LARGE, scaled, seedConfiguration } from "#test/support/large-configuration";
import { type Figure, lowerIsBetter } from "./figures";
import { median } from "./stats";

const USAGE = "bun run bench lists [--share 1] [--small 0.01] [--times 20] [--json FILE]";
/** Of CPU time: other calls wait meanwhile. */
const TARGET_MS = 20;
const LIMIT_MS = 50;
const WARM_UPS = 3;

/** `reader` sees everybody's, `admin` decides too, `member` owns nothing. */
const PEOPLE = { reader: "auditor", admin: "admin", member: "member" } as const;
type Who = keyof typeof PEOPLE;

const LISTS: readonly (readonly [Who, string])[] = [
  ["member", "/api/agents"],
  ["reader", "/api/agents?all"],
  ["reader", "/api/agents?all&limit=200"],
  ["member", "/api/tokens"],
  ["reader", "/api/tokens?all"],
  ["reader", "/api/tokens?all&limit=200"],
  ["reader", "/api/tokens?all&state=disabled"],
  ["reader", "/api/tokens?all&state=expired"],
  ["member", "/api/tuning/rules"],
  ["reader", "/api/tuning/rules"],
  ["member", "/api/tuning"],
  ["reader", "/api/tuning"],
  ["member", "/api/reviews"],
  ["reader", "/api/reviews"],
  ["member", "/api/tool-servers"],
  ["reader", "/api/tool-servers?all"],
  ["reader", "/api/overview?window=24h"],
  ["admin", "/api/overview?window=24h"],
  ["admin", "/api/inbox"],
  ["reader", "/api/map"],
  ["reader", "/api/policy"],
  ["admin", "/api/users"],
  ["admin", "/api/users?limit=200"],
  ["reader", "/api/holds"],
  ["reader", "/api/reports"],
  ["reader", "/api/killswitch"],
  ["reader", "/api/providers"],
  ["admin", "/api/webhooks"],
  ["admin", "/api/jobs"],
];

export type ListCost = {
  readonly who: Who;
  readonly path: string;
  /** The median. */
  readonly cpuMs: number;
  /** What every one of them cost at least: the rest of the machine only adds to it. */
  readonly leastMs: number;
  readonly bytes: number;
};

/** CPU time of the main thread so far, in milliseconds. */
const mainThread = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

const key = async (hub: Hub, who: Who): Promise<string> => {
  const email = `${who}@lists.example`;
  await hub.createUser(email, "--role", PEOPLE[who]);
  return Object((await hub.cli("session", "create", email)).json()).key;
};

const ask = async (hub: Hub, path: string, token: string): Promise<number> => {
  const answer = await hub.fetch(path, { token });
  const { byteLength } = await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return byteLength;
};

/** A hub with a configuration of that size. It has run before: what must be there from the first start on is there. */
export const hubWith = async (size: ConfigurationSize): Promise<Hub> => {
  const hub = await Hub.started({ processes: "all", documented: false, serve: ["--durability", "normal"] });
  await hub.kill("SIGTERM");
  const store = await openSqliteStore({ dataDir: hub.dataDir, durability: "normal", writer: "inline" });
  await seedConfiguration(store, size, Date.now());
  await store.close();
  await hub.start();
  return hub;
};

/** Waits until the hub has told of all the changes that were made while it was down. */
const settle = async (hub: Hub): Promise<void> => {
  for (let before = mainThread(hub.pid); ; ) {
    await Bun.sleep(500);
    const now = mainThread(hub.pid);
    if (now - before < 40) return;
    before = now;
  }
};

/** One request after the other; of each list the median of `times`, after some that do not count. */
export const listCosts = async (hub: Hub, times: number): Promise<ListCost[]> => {
  const keys = { reader: await key(hub, "reader"), admin: await key(hub, "admin"), member: await key(hub, "member") };
  await settle(hub);
  const costs: ListCost[] = [];
  for (const [who, path] of LISTS) {
    let bytes = 0;
    for (let time = 0; time < WARM_UPS; time += 1) bytes = await ask(hub, path, keys[who]);
    const each: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const before = mainThread(hub.pid);
      await ask(hub, path, keys[who]);
      each.push(mainThread(hub.pid) - before);
    }
    costs.push({ who, path, cpuMs: median(each), leastMs: Math.min(...each), bytes });
  }
  return costs;
};

type Settings = {
  readonly share: number;
  readonly small: number;
  readonly times: number;
  readonly json: string | undefined;
};

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      share: { type: "string", default: "1" },
      small: { type: "string", default: "0.01" },
      times: { type: "string", default: "20" },
      json: { type: "string" },
    },
  });
  const [share, small, times] = [Number(values.share), Number(values.small), Number(values.times)];
  if (!(share > 0 && small > 0 && times >= 1)) throw new Error(`usage: ${USAGE}`);
  return { share, small, times, json: values.json };
};

const figuresOf = (costs: readonly ListCost[]): Figure[] =>
  costs.flatMap(({ who, path, leastMs }) => lowerIsBetter(`CPU of ${path} for ${who}, large, least, ms`, leastMs));

const run = async ({ share, small, times, json }: Settings): Promise<void> => {
  const costs: ListCost[][] = [];
  for (const part of [small, share]) {
    await using hub = await hubWith(scaled(LARGE, part));
    costs.push(await listCosts(hub, times));
  }
  const [few = [], many = []] = costs;
  console.log("CPU ms of the main thread a request: small, large, ratio");
  const lines = many.map(({ who, path, cpuMs, bytes }, at) => {
    const before = few[at]?.cpuMs ?? Number.NaN;
    const figures = [before, cpuMs].map((ms) => ms.toFixed(2).padStart(9)).join("");
    return `${figures}${(cpuMs / before).toFixed(1).padStart(7)}  ${who.padEnd(7)} ${path} (${bytes} B)`;
  });
  console.log(lines.join("\n"));
  const above = (limit: number) => many.filter(({ cpuMs }) => cpuMs > limit).length;
  console.log(`${above(TARGET_MS)} of ${many.length} above ${TARGET_MS} ms, ${above(LIMIT_MS)} above ${LIMIT_MS} ms`);
  if (json !== undefined)
    await Bun.write(json, JSON.stringify({ figures: figuresOf(many), small, share, few, many }, null, 2));
};

export const LISTS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
