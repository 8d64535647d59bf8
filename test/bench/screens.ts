/*
 * `bun run bench screens`: how long the screens of the dashboard take to paint in Chromium, whose processor is slowed
 * down, in front of a hub with many agents and calls. Targets: 1.5 s on a processor four times as slow, and 250 KB for the
 * first load.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { SCREENS } from "#dashboard/shell/screens";
import { Chromium } from "#test/support/browser";
import { Hub } from "#test/support/hub";
import { peopled, seed } from "./dashboard-seed";
import { type Figure, lowerIsBetter } from "./figures";
import { median } from "./stats";
import { figure, table } from "./table";

const USAGE = "bun run bench screens [--rows 50000] [--times 3] [--rate 4] [--json FILE]";
const TARGET_MS = 1_500;
const TARGET_KB = 250;
const SETTLED_MS = 2_000;
const ADMIN = "admin@example.com";
const PASSWORD = "correct horse battery staple";

type Settings = { readonly rows: number; readonly times: number; readonly rate: number; readonly json?: string };

/** Milliseconds from the beginning of the load; `blocked`: of tasks longer than 50 ms, what is beyond that. */
type Paint = { readonly first: number; readonly largest: number; readonly blocked: number; readonly kilobytes: number };
type Measured = Paint & { readonly path: string };

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: "string", default: "50000" },
      times: { type: "string", default: "3" },
      rate: { type: "string", default: "4" },
      json: { type: "string" },
    },
  });
  const [rows, times, rate] = [Number(values.rows), Number(values.times), Number(values.rate)];
  if (![rows, times, rate].every((value) => value >= 1)) throw new Error(`usage: ${USAGE}`);
  return { rows, times, rate, ...(values.json !== undefined && { json: values.json }) };
};

/** An address of the screen; null where there is nothing of its kind. */
const addressOf = async (page: Page, hub: Hub, path: string): Promise<string | null> => {
  if (!path.includes("$")) return path;
  const place = path.slice(0, path.indexOf("/$")).replace("/settings", "");
  const response = await page.request.get(`${hub.url}/api${place}?limit=1`);
  const [first] = response.ok() ? Object(await response.json()).data : [];
  const id: unknown = first?.call_id ?? first?.id;
  return typeof id === "string" ? path.replace(/\$\w+/, id) : null;
};

const paintOf = async (page: Page, address: string): Promise<Paint> => {
  await page.goto(address);
  await page.locator("main h1").waitFor();
  await page.waitForFunction(() => document.querySelector("main [aria-label=Loading]") === null);
  // Pages that listen to events are never idle: what has come by then is what counts.
  await Promise.race([page.waitForLoadState("networkidle"), Bun.sleep(SETTLED_MS)]);
  return page.evaluate(async () => {
    const entriesOf = (type: string): Promise<readonly PerformanceEntry[]> =>
      new Promise((resolve) => {
        const found: PerformanceEntry[] = [];
        new PerformanceObserver((list) => found.push(...list.getEntries())).observe({ type, buffered: true });
        setTimeout(() => resolve(found), 100);
      });
    const [paints, largest, tasks] = await Promise.all(
      ["paint", "largest-contentful-paint", "longtask"].map(entriesOf),
    );
    const transferred = performance
      .getEntries()
      .reduce((sum, entry) => sum + ("transferSize" in entry ? Number(entry.transferSize) : 0), 0);
    return {
      first: paints?.find(({ name }) => name === "first-contentful-paint")?.startTime ?? Number.NaN,
      largest: largest?.at(-1)?.startTime ?? Number.NaN,
      blocked: (tasks ?? []).reduce((sum, { duration }) => sum + duration - 50, 0),
      kilobytes: transferred / 1_000,
    };
  });
};

const run = async ({ rows, times, rate, json }: Settings): Promise<void> => {
  await using hub = await Hub.create({ processes: "all", documented: false, serve: ["--durability", "normal"] });
  const password = await hub.writeFile(PASSWORD);
  await hub.cli("admin", "create", ADMIN, "--password-file", password);
  const cast = await peopled(hub);
  seed(hub.dataDir, cast, rows);
  await hub.start();
  await using chromium = await Chromium.launch();
  const visitor = await chromium.visitor(hub.url);
  await visitor.signIn(ADMIN, PASSWORD);
  const { page } = visitor;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate });
  const firstLoad = await paintOf(page, `${hub.url}/`);
  const measured: Measured[] = [];
  for (const [path] of SCREENS) {
    const address = await addressOf(page, hub, path);
    if (address === null) continue;
    const paints: Paint[] = [];
    for (let time = 0; time < times; time += 1) paints.push(await paintOf(page, hub.url + address));
    const of = (name: keyof Paint): number => median(paints.map((paint) => paint[name]));
    measured.push({
      path,
      ...{ first: of("first"), largest: of("largest"), blocked: of("blocked"), kilobytes: of("kilobytes") },
    });
  }
  const lines = [{ path: "/ (first load)", ...firstLoad }, ...measured].map(
    ({ path, first, largest, blocked, kilobytes }) => [path, ...[first, largest, blocked, kilobytes].map(rounded)],
  );
  console.log(table(["screen", "first paint ms", "largest ms", "blocked ms", "KB"], lines));
  const slow = measured.filter(({ largest }) => largest > TARGET_MS);
  console.log(`\n${slow.length} of ${measured.length} screens above ${TARGET_MS} ms at ${rate} times as slow`);
  console.log(`first load ${rounded(firstLoad.kilobytes)} KB (at most ${TARGET_KB})`);
  if (json === undefined) return;
  const figures: Figure[] = lowerIsBetter("first load, KB", firstLoad.kilobytes);
  await Bun.write(json, JSON.stringify({ figures, measured, firstLoad, rate }, null, 2));
};

const rounded = (value: number): string => figure(value, 0);

export const SCREENS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
