/**
 * Runs the tests; what is given as arguments goes to the test runner, for some files only. After the whole suite it
 * fails unless every requirement was verified by a test that ran. Where tests were skipped because the machine lacks
 * what they need, it names the requirements that were left out instead.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REQUIREMENTS } from "#test/requirements";
import { readRecorded, VERIFIED_IN } from "#test/support/verified";

const PREFIX = "guardhouse-tests-";

/** Memory of Linux that is used as a folder: what is written there waits for no disk. */
const IN_MEMORY = "/dev/shm";
/** What all that runs at once leaves there stays well below. Bytes. */
const ROOM = 4 * 2 ** 30;

const args = process.argv.slice(2);
const folder = (await folderInMemory()) ?? (await mkdtemp(join(tmpdir(), PREFIX)));
// PostgreSQL refuses root: it runs as another user, who must be able to reach its own folder in this one.
await chmod(folder, 0o711);
// What tests keep for as long as their process runs, e.g. the profile of Chromium, goes with this folder.
const temporary = join(folder, "tmp");
const records = join(folder, "verified");
try {
  await Promise.all([temporary, records].map((path) => mkdir(path)));
  const runner = Bun.spawn([process.execPath, "test", "--timeout", "120000", "--parallel=4", "--no-isolate", ...args], {
    stdio: ["inherit", "inherit", "inherit"],
    env: { ...process.env, [VERIFIED_IN]: records, TMPDIR: temporary },
  });
  const exitCode = await runner.exited;
  process.exitCode = exitCode === 0 && args.length === 0 ? await checked(records) : exitCode;
} finally {
  await removed();
}

/**
 * Most tests write to databases whose every change is to be on the disk; that it gets there is what some of them kill
 * processes for, not machines. Null where there is no room, or where programs may not be run, as in many containers.
 */
async function folderInMemory(): Promise<string | null> {
  if (process.env["TMPDIR"] !== undefined || !existsSync(IN_MEMORY)) return null;
  const { bavail, bsize } = await statfs(IN_MEMORY);
  if (bavail * bsize < ROOM) return null;
  const made = await mkdtemp(join(IN_MEMORY, PREFIX));
  const program = join(made, "program");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o700 });
  const runs = await Bun.spawn(["sh", "-c", '"$0"', program], { stderr: "ignore" }).exited;
  if (runs === 0) return made;
  await rm(made, { recursive: true });
  return null;
}

/** Chromium ends a moment after its runner, and writes to its profile until then. */
async function removed(tries = 20): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await Bun.sleep(250);
  if (!existsSync(folder)) return;
  if (tries === 0) throw new Error(`could not remove ${folder}`);
  await removed(tries - 1);
}

async function checked(recorded: string): Promise<number> {
  const { verified, skipped } = await readRecorded(recorded);
  const missing = REQUIREMENTS.map(({ id }) => id).filter((id) => !verified.has(id));
  if (missing.length === 0) {
    console.log(`all ${REQUIREMENTS.length} requirements were verified`);
    return 0;
  }
  console.error(`not verified by any test that ran: ${missing.join(", ")}`);
  for (const reason of skipped) console.error(`skipped: ${reason}`);
  return skipped.size === 0 ? 1 : 0;
}
