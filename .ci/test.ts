/**
 * Runs the tests; what is given as arguments goes to the test runner, for some files only. After the whole suite it
 * fails unless every requirement was verified by a test that ran. Where tests were skipped because the machine lacks
 * what they need, it names the requirements that were left out instead.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REQUIREMENTS } from "#test/requirements";
import { readRecorded, VERIFIED_IN } from "#test/support/verified";

const args = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "guardhouse-tests-"));
// PostgreSQL refuses root: it runs as another user, who must be able to reach its own folder in this one.
await chmod(folder, 0o711);
// What tests keep for as long as their process runs, e.g. the profile of Chromium, goes with this folder.
const temporary = join(folder, "tmp");
const records = join(folder, "verified");
try {
  await Promise.all([temporary, records].map((path) => mkdir(path)));
  const runner = Bun.spawn([process.execPath, "test", "--timeout", "120000", "--parallel=3", "--no-isolate", ...args], {
    stdio: ["inherit", "inherit", "inherit"],
    env: { ...process.env, [VERIFIED_IN]: records, TMPDIR: temporary },
  });
  const exitCode = await runner.exited;
  process.exitCode = exitCode === 0 && args.length === 0 ? await checked(records) : exitCode;
} finally {
  await removed();
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
