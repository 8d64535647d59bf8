import { join } from "node:path";
import pkg from "../../package.json";

export const ROOT = join(import.meta.dir, "../..");
export const VERSION = pkg.version;

/** `os`, `cpu` and `libc` as package.json has them; `debian` names the architecture of a package, where there is one. */
export type ReleaseTarget = {
  readonly name: string;
  readonly bun: string;
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
  readonly debian?: string;
};

export const ALL_TARGETS: readonly ReleaseTarget[] = [
  { name: "linux-x64", bun: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc", debian: "amd64" },
  { name: "linux-arm64", bun: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc", debian: "arm64" },
  { name: "linux-x64-musl", bun: "bun-linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  { name: "linux-arm64-musl", bun: "bun-linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl" },
  { name: "darwin-arm64", bun: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
];

/** An executable under its published name. */
export type Released = { readonly target: ReleaseTarget; readonly file: string };

export const sha256Of = async (file: string): Promise<string> => {
  const hasher = new Bun.SHA256();
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk);
  return hasher.digest("hex");
};

/** Of the newest commit, in Unix seconds, so that what is made of it is the same whenever it is made. */
export const commitTime = (): number => Number(git("log", "-1", "--format=%ct")) || 0;

export const commit = (): string => git("rev-parse", "HEAD") || "unknown";

export const isDirty = (): boolean => git("status", "--porcelain") !== "";

const git = (...args: readonly string[]): string => {
  const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: ROOT, stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : "";
};
