import { appendFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Names the folder in which a run of the whole suite collects what its tests verified; unset for a run of some files. */
export const VERIFIED_IN = "VERIFIED_IN";

const VERIFIED = "verified";
const SKIPPED = "skipped";

/** Notes, for the check after the suite, that a test of these requirements ran. */
export const recordVerified = (ids: readonly string[]): void => record(VERIFIED, ids);

/** Notes that tests were left out on this machine, and why: their requirements cannot be asked for. */
export const recordSkipped = (reason: string): void => record(SKIPPED, [reason]);

// A file for each process, since the suite runs in several.
function record(kind: string, lines: readonly string[]): void {
  const folder = process.env[VERIFIED_IN];
  if (folder === undefined || folder === "") return;
  appendFileSync(join(folder, `${kind}.${process.pid}`), lines.map((line) => `${line}\n`).join(""));
}

/** What all processes of a run recorded. */
export async function readRecorded(folder: string): Promise<{ verified: Set<string>; skipped: Set<string> }> {
  const verified = new Set<string>();
  const skipped = new Set<string>();
  for (const name of await readdir(folder)) {
    const lines = (await Bun.file(join(folder, name)).text()).split("\n").filter((line) => line !== "");
    for (const line of lines) (name.startsWith(SKIPPED) ? skipped : verified).add(line);
  }
  return { verified, skipped };
}
