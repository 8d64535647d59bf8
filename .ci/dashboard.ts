/*
 * Bundles the dashboard into dist/dashboard: what browsers load, named by their content and compressed beforehand, and
 * a list of it. The executable embeds that folder; the hub reads it there when it is run from its sources.
 * `bun .ci/dashboard.ts --if-stale` does nothing when no source of it is newer. A draft, for development, is bundled
 * faster and compressed less; it always counts as stale, so that no executable embeds it.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";
import type { DashboardManifest } from "#http/dashboard";

const ROOT = join(import.meta.dir, "..");
const SOURCE = join(ROOT, "src/dashboard");
export const DASHBOARD = join(ROOT, "dist/dashboard");
/** Stands beside the files of a draft. */
const DRAFT = join(DASHBOARD, "draft");

/** Newest change of anything below a path. */
export const newest = (path: string): number => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((entry) => newest(join(path, entry))));
};

const isFresh = (): boolean => {
  const manifest = join(DASHBOARD, "manifest.json");
  if (!existsSync(manifest) || existsSync(DRAFT)) return false;
  // Types of the rest of src are used, but types leave nothing in the bundle.
  const sources = ["src/dashboard", "bun.lock", ".ci/dashboard.ts"].map((path) => newest(join(ROOT, path)));
  return statSync(manifest).mtimeMs > Math.max(...sources);
};

/** Only the classes that the screens use. */
const styles = async (): Promise<string> => {
  const source = await Bun.file(join(SOURCE, "style.css")).text();
  const compiler = await compile(source, { base: SOURCE, onDependency: () => {} });
  const scanner = new Scanner({ sources: [{ base: SOURCE, pattern: "**/*.tsx", negated: false }] });
  return optimize(compiler.build(scanner.scan()), { minify: true }).code;
};

const hashOf = (text: string): string => Bun.hash(text).toString(36).slice(0, 10);

const scripts = async (outdir: string) => {
  const result = await Bun.build({
    entrypoints: [join(SOURCE, "main.tsx"), join(SOURCE, "theme.ts")],
    outdir,
    target: "browser",
    splitting: true,
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  if (!result.success) throw new AggregateError(result.logs, "the dashboard could not be bundled");
  const entry = (name: string): string => {
    const file = result.outputs.find(({ kind, path }) => kind === "entry-point" && basename(path).startsWith(name));
    if (!file) throw new Error(`the bundle has no ${name}`);
    return basename(file.path);
  };
  return { script: entry("main-"), theme: entry("theme-") };
};

const BEST = { brotli: constants.BROTLI_MAX_QUALITY, gzip: 9 };
const FAST = { brotli: constants.BROTLI_MIN_QUALITY, gzip: 1 };

const compress = async (file: string, { brotli, gzip }: typeof BEST): Promise<void> => {
  const bytes = await Bun.file(file).bytes();
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } };
  await Bun.write(`${file}.br`, brotliCompressSync(bytes, quality));
  await Bun.write(`${file}.gz`, gzipSync(bytes, { level: gzip }));
};

export const buildDashboard = async ({ ifStale = false, draft = false } = {}): Promise<void> => {
  if (ifStale && isFresh()) return;
  const begin = performance.now();
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const workshop = mkdtempSync(join(ROOT, "dist/.dashboard-"));
  const { script, theme } = await scripts(workshop);
  const css = await styles();
  const style = `style-${hashOf(css)}.css`;
  await Bun.write(join(workshop, style), css);
  const files = readdirSync(workshop).sort();
  for (const file of files) await compress(join(workshop, file), draft ? FAST : BEST);
  if (draft) await Bun.write(join(workshop, basename(DRAFT)), "");
  const manifest: DashboardManifest = { script, theme, style, files };
  await Bun.write(join(workshop, "manifest.json"), JSON.stringify(manifest));
  rmSync(DASHBOARD, { recursive: true, force: true });
  renameSync(workshop, DASHBOARD);
  const first = [script, theme, style].reduce((sum, file) => sum + statSync(join(DASHBOARD, `${file}.br`)).size, 0);
  console.error(
    `dist/dashboard: ${files.length} files, entries ${(first / 1e3).toFixed(1)} KB brotli, in ${Math.round(performance.now() - begin)} ms`,
  );
};

if (import.meta.main) await buildDashboard({ ifStale: process.argv.includes("--if-stale") });
