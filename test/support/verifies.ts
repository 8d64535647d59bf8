import { REQUIREMENTS } from "#test/requirements";

const KNOWN = new Set(REQUIREMENTS.map(({ id }) => id));

/**
 * Says which promises the test it stands in proves. `test/coverage.test.ts` reads these citations from the
 * test sources, so ids are written as string literals. Throws on an id `test/requirements.ts` does not list.
 */
export function verifies(...ids: readonly string[]): void {
  const unknown = ids.filter((id) => !KNOWN.has(id));
  if (unknown.length > 0) throw new Error(`not in test/requirements.ts: ${unknown.join(", ")}`);
}
