import { onTestFinished } from "bun:test";
import { REQUIREMENTS } from "#test/requirements";
import { recordVerified } from "#test/support/verified";

const KNOWN = new Set(REQUIREMENTS.map(({ id }) => id));

/**
 * Says which requirements the test that calls it verifies, and records them when that test has run. Ids are written
 * as string literals, since `test/requirements/requirements.test.ts` reads them from the sources as well. Throws
 * outside a test, and on an id `test/requirements.ts` does not list.
 */
export function verifies(...ids: readonly string[]): void {
  const unknown = ids.filter((id) => !KNOWN.has(id));
  if (unknown.length > 0) throw new Error(`not in test/requirements.ts: ${unknown.join(", ")}`);
  try {
    onTestFinished(() => recordVerified(ids));
  } catch (error) {
    // Of concurrent tests the runner tells no end, only that one is running.
    if (!(error instanceof Error && error.message.includes("inside a concurrent test"))) throw error;
    recordVerified(ids);
  }
}
