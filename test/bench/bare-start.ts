/**
 * How long a start takes and how much memory is in use with what the hub is made of and nothing of the hub: the least
 * that its own figures can be. Start as the hub's: from spawning the process to the first answer of its server.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { residentBytes } from "./cpu.ts";
import { lowerIsBetter } from "./figures.ts";
import { median } from "./stats.ts";
import { figure, megabytes, table } from "./table.ts";

const ROOT = join(import.meta.dir, "../..");
const FOLDER = "test/bench/bare";
/** Of the scanner, where `bun run build` leaves them. */
const TABLES = join(ROOT, "dist/tables");

/** What is in each program, by its file. */
const PROGRAMS = {
  "server.ts": "server",
  "server-and-thread.ts": "server, thread with a database",
  "server-and-libraries.ts": "the same, Elysia, TypeBox, Drizzle",
  "server-and-scanner.ts": "the same, the hub's scanner, warm",
  "server-and-all-libraries.ts": "libraries, Better Auth, types of MCP, no scanner",
} as const;

/** How long a program that was started is left alone before its memory is read. Milliseconds. */
const IDLE_MS = 2_000;

type Measured = {
  readonly startMs: number;
  /** Of all threads, the idle time after the start included. */
  readonly cpuMs: number;
  readonly bytes: number;
};
type BarePart = { readonly name: string } & Measured;

export const BARE_START_BENCH = {
  usage: "bun run bench bare-start [--quick] [--json FILE]",
  run(args: readonly string[]): () => Promise<void> {
    const options = { quick: { type: "boolean", default: false }, json: { type: "string" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return () => benchBareStart(values.quick, values.json);
  },
};

async function benchBareStart(quick: boolean, json: string | undefined): Promise<void> {
  const parts = await measureBareParts(quick ? 3 : 9);
  const rows = parts.map(({ name, startMs, cpuMs, bytes }) => [name, figure(startMs), figure(cpuMs), megabytes(bytes)]);
  console.log(table(["in the program", "start ms", "CPU ms", "idle MB"], rows));
  if (json === undefined) return;
  const figures = parts.flatMap(({ name, cpuMs, bytes }) => [
    ...lowerIsBetter(`CPU of a start, ms: ${name}`, cpuMs),
    ...lowerIsBetter(`memory when idle, MB: ${name}`, bytes / 1e6),
  ]);
  await Bun.write(json, `${JSON.stringify({ parts, figures })}\n`);
}

/** Each program compiled as the hub is, and started so many times, in alternation; medians. */
export async function measureBareParts(times: number): Promise<readonly BarePart[]> {
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-bare-"));
  try {
    const programs: { readonly name: string; readonly file: string; readonly runs: Measured[] }[] = [];
    for (const [script, name] of Object.entries(PROGRAMS)) {
      programs.push({ name, file: await compiled(script, folder), runs: [] });
    }
    // The first start reads the file from the disk.
    for (const { file } of programs) await started(file);
    for (let time = 0; time < times; time += 1) {
      for (const { file, runs } of programs) runs.push(await started(file));
    }
    return programs.map(({ name, runs }) => ({
      name,
      startMs: median(runs.map(({ startMs }) => startMs)),
      cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
      bytes: median(runs.map(({ bytes }) => bytes)),
    }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** With the settings of `.ci/build.ts`. */
async function compiled(script: string, folder: string): Promise<string> {
  const outfile = join(folder, script.replace(/\.ts$/, ""));
  const result = await Bun.build({
    entrypoints: [join(ROOT, FOLDER, script), join(ROOT, FOLDER, "database-thread.ts")],
    root: ROOT,
    minify: false,
    bytecode: true,
    splitting: true,
    format: "esm",
    sourcemap: "linked",
    define: { "process.env.NODE_ENV": '"production"' },
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false, assets: [TABLES] },
  });
  if (!result.success) throw new AggregateError(result.logs, `${script} was not compiled`);
  return outfile;
}

async function started(file: string): Promise<Measured> {
  const began = performance.now();
  const child = Bun.spawn([file], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    if (value === undefined) throw new Error(`${file} did not start`);
    await (await fetch(new TextDecoder().decode(value).trim())).text();
    const startMs = performance.now() - began;
    await Bun.sleep(IDLE_MS);
    const bytes = residentBytes(child.pid) ?? Number.NaN;
    child.kill("SIGKILL");
    await child.exited;
    return { startMs, cpuMs: Number(child.resourceUsage()?.cpuTime.total) / 1_000, bytes };
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}
