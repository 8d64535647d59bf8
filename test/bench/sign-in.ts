/** How many requests lie between a program that knows the hub's address and its first tool's answer, and how long they take. */
import { parseArgs } from "node:util";
import { BrowserWorld, decide, signIn } from "#test/browser/browser-world";
import { Loopback } from "#test/browser/loopback";
import { OAuthWorld } from "#test/flow/oauth-world";
import { Keeper, SDK_GENERATIONS } from "#test/support/sdk-program";
import { type Figure, lowerIsBetter } from "./figures.ts";
import { median } from "./stats.ts";

/** What the SDK's clients ask by themselves, whatever the hub does: one more is one that the hub made them ask. */
const PROGRAM_BAR = 11;
const BROWSER_BAR = 5;

export const SIGN_IN_BENCH = {
  usage: "bun run bench sign-in [--quick] [--json FILE]",
  run(args: readonly string[]): () => Promise<void> {
    const options = { quick: { type: "boolean", default: false }, json: { type: "string" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return () => benchSignIn(values.quick ? 2 : 8, values.json);
  },
};

type Round = {
  readonly program: readonly string[];
  readonly browser: readonly string[];
  /** Without the person's own time, which a script has none of. */
  readonly ms: number;
};
type Generation = (typeof SDK_GENERATIONS)[number][1];

async function benchSignIn(rounds: number, json: string | undefined): Promise<void> {
  await using world = await OAuthWorld.open({ processes: "all" });
  await using browsers = await BrowserWorld.open(world.hub);
  const measured: Record<string, unknown> = {};
  const figures: Figure[] = [];
  for (const [name, generation] of SDK_GENERATIONS) {
    const all: Round[] = [];
    for (let count = 0; count < rounds; count += 1) all.push(await round(world, browsers, generation));
    const program = Math.max(...all.map((one) => one.program.length));
    const browser = Math.max(...all.map((one) => one.browser.length));
    const ms = median(all.map((one) => one.ms));
    const verdict = program <= PROGRAM_BAR && browser <= BROWSER_BAR ? "kept" : "missed";
    console.log(
      `SDK ${name}: program ${program} requests (bar ${PROGRAM_BAR}), browser ${browser} to the hub (bar ${BROWSER_BAR}): ${verdict}; ${Math.round(ms)} ms at the median`,
    );
    const [first] = all;
    for (const line of first?.program ?? []) console.log(`  program  ${line}`);
    for (const line of first?.browser ?? []) console.log(`  browser  ${line}`);
    figures.push(...lowerIsBetter(`requests of a client of SDK ${name}`, program));
    figures.push(...lowerIsBetter(`requests of the browser, SDK ${name}`, browser));
    measured[name] = { program, browser, ms, verdict, rounds: all };
  }
  if (json !== undefined) await Bun.write(json, `${JSON.stringify({ figures, ...measured })}\n`);
}

/** A program and a person whom the hub has not seen, to the answer of a tool. */
async function round(world: OAuthWorld, browsers: BrowserWorld, generation: Generation): Promise<Round> {
  await using loopback = new Loopback();
  const asked: string[] = [];
  const keeper = new Keeper(loopback.url, "Bench");
  const program = generation(keeper, world.resource, (url, init) => {
    asked.push(`${init?.method ?? "GET"} ${new URL(url).pathname}`);
    return fetch(url, init);
  });
  const visitor = await browsers.visitor();
  visitor.mayVisit(loopback.url);
  const began = performance.now();
  await program.connect().catch(() => undefined);
  await visitor.page.goto(`${keeper.asked}`);
  await signIn(visitor);
  await decide(visitor, ["fix__echo"]);
  await program.finish(await loopback.parameters);
  const connected = await program.connect();
  if ((await connected.call("fix__echo", { message: "hello" })) !== "hello") throw new Error("the tool did not answer");
  const ms = performance.now() - began;
  await connected.close();
  await visitor.leave();
  return { program: asked, browser: visitor.requests.filter((line) => !line.includes("://")), ms };
}
