/** Whether two versions of the scanner find the same: `bun test/bench/scan-same.ts OTHER_CHECKOUT [--texts N] [--data DIR]`. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isRecord, parseJson } from "#core/json/json";
import { ORIGINS } from "#scan/detector";
import { madeSamples } from "#test/eval/made";
import { Random } from "#test/eval/random";
import { honestTraffic } from "#test/scan/honest/traffic";
import { PARTS } from "./scan-search.ts";

/** All that is found in a text, in words. */
type Scanner = (text: string, origin: string) => string;

const SHOWN = 10;
const MADE_AT_ONCE = 5_000;

/** The scanner of a checkout, under its built-in policy. */
async function scannerIn(folder: string): Promise<Scanner> {
  const load = async (file: string, name: string): Promise<unknown> => {
    const module: object = await import(join(folder, "src/scan", file));
    return Reflect.get(module, name);
  };
  const [scan, compile] = [await load("scan.ts", "scanText"), await load("policy.ts", "compilePolicy")];
  const [source, detectors] = [
    await load("defaults.ts", "DEFAULT_POLICY"),
    await load("detectors/index.ts", "DETECTORS"),
  ];
  if (typeof scan !== "function" || typeof compile !== "function") throw new Error(`no scanner in ${folder}`);
  const policy: unknown = compile(source, 1, detectors);
  return (text, origin) => JSON.stringify(scan(policy, text, origin));
}

/** Honest texts, made samples, and pieces of both and of what detectors look for, in any order. */
function* drawnTexts(count: number): Generator<string> {
  const random = new Random(20_261_127);
  for (let drawn = 0; drawn < count; ) {
    const whole = [
      ...honestTraffic(random, MADE_AT_ONCE / 4).map(({ text }) => text),
      ...madeSamples(random.below(2 ** 31), 2).map(({ text }) => text),
    ];
    for (let i = 0; i < MADE_AT_ONCE && drawn < count; i++, drawn++) {
      const parts = Array.from({ length: random.between(1, 6) }, () => {
        if (random.below(3) === 0) return random.pick(PARTS);
        const text = random.pick(whole);
        const from = random.below(text.length);
        return text.slice(from, from + random.between(1, 80));
      });
      yield i < whole.length && drawn % 2 === 0 ? (whole[i] ?? "") : parts.join(random.pick(["", " ", "\n", ","]));
    }
  }
}

function* textsIn(folder: string): Generator<string> {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      const record = line === "" ? null : parseJson(line);
      if (isRecord(record) && typeof record["text"] === "string") yield record["text"];
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { texts: { type: "string", default: "100000" }, data: { type: "string" } },
});
const own = await scannerIn(join(import.meta.dir, "../.."));
const other = await scannerIn(resolve(positionals[0] ?? "."));
const spent = { own: 0, other: 0 };
const timed = (side: "own" | "other", scan: Scanner, text: string, origin: string): string => {
  const began = process.cpuUsage();
  const found = scan(text, origin);
  const { user, system } = process.cpuUsage(began);
  spent[side] += user + system;
  return found;
};

let count = 0;
let different = 0;
const compare = (text: string): void => {
  const origin = ORIGINS[count % ORIGINS.length] ?? "user";
  const first = count % 2 === 0;
  // In turns, so that neither is always the one that finds the text in the caches.
  const before = first ? timed("own", own, text, origin) : "";
  const theirs = timed("other", other, text, origin);
  const ours = first ? before : timed("own", own, text, origin);
  count++;
  if (ours === theirs) return;
  different++;
  if (different <= SHOWN) console.log(`${origin}: ${JSON.stringify(text)}\n  here  ${ours}\n  there ${theirs}`);
};
if (values.data !== undefined) for (const text of textsIn(values.data)) compare(text);
for (const text of drawnTexts(Number(values.texts))) compare(text);
console.log(
  `${count} texts, ${different} with other findings; CPU here ÷ there ${(spent.own / spent.other).toFixed(3)}`,
);
process.exitCode = different === 0 ? 0 : 1;
