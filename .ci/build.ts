/*
 * Makes the executable: `bun run build` for this machine, `bun run build --all` for every released target,
 * `--target NAME` for one of them, `--if-stale` to do nothing when no source is newer than the binary.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BUILT_TABLES, builtTables } from "#guard/built-tables";
import { PRICE_TABLE, priceTable } from "#guard/money/catalogue";
import { packed } from "#platform/embedded";
import { buildDashboard, newest } from "./dashboard";
import { buildDocumentation } from "./documentation";

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "dist");
/** What the scanner of the executable need not make at each start. */
const TABLES = join(OUT, "tables");
/** The name inside the executable; the same for all targets, so that builds are reproducible. */
const NAME = "guardhouse";

/** What runs in a thread of its own is an entrypoint of its own. */
const ENTRYPOINTS = [
  "src/main.ts",
  "src/guard/scan-pool/worker.ts",
  "src/guard/token-tables/worker.ts",
  "src/store/sqlite/audit-worker.ts",
  "src/store/sqlite/backup-worker.ts",
];

const TARGETS = [
  "bun-linux-x64",
  "bun-linux-arm64",
  "bun-linux-x64-musl",
  "bun-linux-arm64-musl",
  "bun-darwin-arm64",
] as const;
type Target = (typeof TARGETS)[number];

const isTarget = (name: string): name is Target => TARGETS.some((target) => target === name);

const build = async (target: Target | null): Promise<void> => {
  const directory = target ? join(OUT, target.slice("bun-".length)) : OUT;
  mkdirSync(directory, { recursive: true });
  // Made aside and moved: whole or not at all, and a running hub keeps its old file. The name stays the same,
  // because it is part of the executable and builds are to be reproducible.
  const workshop = mkdtempSync(join(OUT, ".build-"));
  const outfile = join(directory, NAME);
  const begin = performance.now();
  const result = await Bun.build({
    entrypoints: ENTRYPOINTS.map((file) => join(ROOT, file)),
    root: join(ROOT, "src"),
    // Never minified: Elysia reads the source of handlers (docs/decisions/0002-stack.md).
    minify: false,
    bytecode: true,
    // What is imported when it is first needed (the identity library above all) is not even read before.
    splitting: true,
    format: "esm",
    sourcemap: "linked",
    define: { "process.env.NODE_ENV": '"production"', GUARDHOUSE_COMMIT: JSON.stringify(commit()) },
    compile: {
      outfile: join(workshop, NAME),
      // A binary dropped on a host must not pick up settings from whatever directory it is started in.
      autoloadDotenv: false,
      autoloadBunfig: false,
      assets: [join(ROOT, "dist/dashboard"), join(ROOT, "dist/documentation"), TABLES],
      ...(target ? { target } : {}),
    },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  renameSync(join(workshop, NAME), outfile);
  rmSync(workshop, { recursive: true });
  const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
  console.error(`${outfile.slice(ROOT.length + 1)}: ${megabytes} MB in ${Math.round(performance.now() - begin)} ms`);
};

const makeTables = (): void => {
  mkdirSync(TABLES, { recursive: true });
  writeFileSync(join(TABLES, BUILT_TABLES), packed(builtTables()));
  writeFileSync(join(TABLES, PRICE_TABLE), packed(priceTable()));
};

const commit = (): string => {
  if (!Bun.which("git")) return "unknown";
  const { exitCode, stdout } = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: ROOT, stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : "unknown";
};

const isFresh = (): boolean => {
  const binary = join(OUT, NAME);
  if (!existsSync(binary)) return false;
  const sources = [
    "src",
    "docs",
    "package.json",
    "bun.lock",
    ".ci/build.ts",
    ".ci/dashboard.ts",
    ".ci/documentation.ts",
  ].map((path) => newest(join(ROOT, path)));
  return statSync(binary).mtimeMs > Math.max(...sources);
};

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    target: { type: "string", multiple: true, default: [] },
    "if-stale": { type: "boolean", default: false },
  },
});

if (!(values["if-stale"] && isFresh())) {
  const unknown = values.target.find((name) => !isTarget(name));
  if (unknown) throw new Error(`unknown target ${unknown}; there are ${TARGETS.join(", ")}`);
  const wanted = values.all ? TARGETS : values.target.filter(isTarget);
  await buildDashboard({ ifStale: true });
  await buildDocumentation({ ifStale: true });
  makeTables();
  if (wanted.length === 0) await build(null);
  for (const target of wanted) await build(target);
}
