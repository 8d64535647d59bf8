/*
 * `bun run bench all`: every bench, each in a process of its own, one after the other. What they measured can be written
 * to a file and compared with such a file: `docs/benchmarks.json` holds the published run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { comparisonText, type Figure, type Figures, figuresIn, parseFigures } from "./figures.ts";
import { progress } from "./report.ts";

/** What is said to each: of those without `--quick`, what makes them short. */
const RUNS: Readonly<Record<string, { readonly full: readonly string[]; readonly quick: readonly string[] }>> = {
  scan: { full: [], quick: ["--quick"] },
  "long-texts": { full: [], quick: ["--quick"] },
  proxy: { full: ["--api", "responses,messages", "--seconds", "1.5", "--rounds", "3"], quick: ["--quick"] },
  tools: { full: [], quick: ["--quick"] },
  fairness: {
    full: ["--seconds", "4", "--only", "csv,phones,curl,prose"],
    quick: ["--seconds", "2", "--only", "csv,phones,curl,prose"],
  },
  bearer: { full: [], quick: ["--quick"] },
  lists: { full: [], quick: ["--share", "0.1", "--times", "5"] },
  dashboard: { full: [], quick: ["--rows", "20000", "--times", "5", "--seconds", "1"] },
  retention: { full: ["--records", "1000000"], quick: ["--records", "20000"] },
  "sign-in": { full: [], quick: ["--quick"] },
};

const USAGE = `bun run bench all [--quick] [--only ${Object.keys(RUNS).join(",")}] [--compare FILE] [--json FILE]`;

type Settings = {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly before: string | undefined;
  readonly json: string | undefined;
};

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      compare: { type: "string" },
      json: { type: "string" },
    },
  });
  const names = values.only?.split(",") ?? Object.keys(RUNS);
  if (names.some((name) => !Object.hasOwn(RUNS, name))) throw new Error(`usage: ${USAGE}`);
  return { names, quick: values.quick, before: values.compare, json: values.json };
};

/** The figures of one bench. It prints its own report; one that misses its targets is measured all the same. */
const figuresOf = async (name: string, quick: boolean, folder: string): Promise<readonly Figure[]> => {
  const run = RUNS[name];
  const file = join(folder, `${name}.json`);
  const args = [name, ...((quick ? run?.quick : run?.full) ?? []), "--json", file];
  progress(`bench ${args.slice(0, -2).join(" ")}`);
  const { exited } = Bun.spawn([process.execPath, join(import.meta.dir, "main.ts"), ...args], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await exited;
  if (!(await Bun.file(file).exists())) throw new Error(`bench ${name} ended with ${code} and measured nothing`);
  return figuresIn(await Bun.file(file).json());
};

const commit = (): string => {
  const { success, stdout } = Bun.spawnSync(["git", "describe", "--always", "--dirty"], { stderr: "ignore" });
  return success ? stdout.toString().trim() : "unknown";
};

const run = async ({ names, quick, before, json }: Settings): Promise<void> => {
  // Read first: a mistake in the name shall not cost an hour.
  const published = before === undefined ? undefined : parseFigures(await Bun.file(before).text());
  const folder = mkdtempSync(join(tmpdir(), "guardhouse-bench-all-"));
  const benches: Record<string, Figure[]> = {};
  try {
    for (const name of names) benches[name] = [...(await figuresOf(name, quick, folder))];
  } finally {
    rmSync(folder, { recursive: true });
  }
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Bun ${Bun.version}`;
  const date = new Date().toISOString().slice(0, 10);
  const now: Figures = { commit: commit(), date, machine, benches };
  if (published !== undefined) console.log(`\n${comparisonText(published, now)}`);
  if (json !== undefined) await Bun.write(json, `${JSON.stringify(now, undefined, 2)}\n`);
};

export const ALL_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
