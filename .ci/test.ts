/**
 * Runs the tests; what is given as arguments goes to the test runner, for some files only. After the whole suite it
 * fails unless every requirement was verified by a test that ran. Where tests were skipped because the machine lacks
 * what they need, it names the requirements that were left out instead.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REQUIREMENTS } from "#test/requirements";
import { readRecorded, VERIFIED_IN } from "#test/support/verified";

const args = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "guardhouse-verified-"));
try {
  const runner = Bun.spawn([process.execPath, "test", "--timeout", "120000", "--parallel=3", "--no-isolate", ...args], {
    stdio: ["inherit", "inherit", "inherit"],
    env: { ...process.env, [VERIFIED_IN]: folder },
  });
  const exitCode = await runner.exited;
  process.exitCode = exitCode === 0 && args.length === 0 ? await checked(folder) : exitCode;
} finally {
  await rm(folder, { recursive: true, force: true });
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
