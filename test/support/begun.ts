import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "./program.ts";

/** Commands that tests begin an installation with, though people do so with `admin create` or `serve`. */
const FIRST = ["user create", "user invite", "provider add"];

/** By the hub itself, for an executable that may be of another version than these sources. */
const serveOnce = async (executable: readonly string[], dataDir: string): Promise<void> => {
  const serve = [...executable, "serve", "--listen", "127.0.0.1:0", "--data-dir", dataDir];
  const child = Bun.spawn(serve, { env: { PATH: process.env.PATH ?? "" }, stdout: "pipe", stderr: "ignore" });
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    if (decoder.decode(chunk).includes('"event":"listening"')) child.kill("SIGTERM");
  }
  await child.exited;
};

/**
 * Makes an empty data directory before such a command, as a hub that was served and stopped would leave it. `binary`
 * makes its own.
 */
export const begunFor = async (args: readonly string[], dataDir: string, binary?: string): Promise<void> => {
  if (!FIRST.includes(args.slice(0, 2).join(" ")) || existsSync(join(dataDir, "guardhouse.db"))) return;
  if (binary !== undefined) return serveOnce([binary], dataDir);
  if (process.env.GUARDHOUSE_BIN) return serveOnce(command(), dataDir);
  template ??= emptyData();
  const { mode, files } = await template;
  mkdirSync(dataDir, { recursive: true, mode });
  for (const file of files) writeFileSync(join(dataDir, file.name), file.content, { mode: file.mode });
};

/** What is in a data directory, which has no folders in it. */
type Template = {
  readonly mode: number;
  readonly files: readonly { readonly name: string; readonly mode: number; readonly content: Uint8Array }[];
};

/** Made once and kept in memory: an empty data directory is the same for every hub. */
let template: Promise<Template> | undefined;

/** In a process of its own: a connection of this one's stays open until its statements are collected. */
const emptyData = async (): Promise<Template> => {
  const home = mkdtempSync(join(tmpdir(), "guardhouse-empty-"));
  try {
    const dataDir = join(home, "data");
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "begin-data.ts"), dataDir], { stderr: "pipe" });
    if ((await child.exited) !== 0)
      throw new Error(`no data directory was made: ${await new Response(child.stderr).text()}`);
    const files = readdirSync(dataDir).map((name) => {
      const path = join(dataDir, name);
      return { name, mode: modeOf(path), content: readFileSync(path) };
    });
    return { mode: modeOf(dataDir), files };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

const modeOf = (path: string): number => statSync(path).mode & 0o777;
