import { expect, test } from "bun:test";
import { join } from "node:path";
import { REQUIREMENTS } from "#test/requirements";
import { citations, unproven } from "#test/support/citations";

test("every promise is cited by a test, and every citation names a promise", async () => {
  const cited: string[] = [];
  for await (const path of new Bun.Glob("**/*.ts").scan(import.meta.dir)) {
    if (path.startsWith("support")) continue;
    cited.push(...citations(await Bun.file(join(import.meta.dir, path)).text()));
  }
  const promised = REQUIREMENTS.map(({ id }) => id);
  expect(unproven(promised, cited)).toEqual({ uncited: [], unknown: [], twice: [] });
});

test("every promise has an id, a sentence and a source", () => {
  for (const { id, promise, source } of REQUIREMENTS) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$/);
    expect(promise.trim()).not.toBe("");
    expect(source.trim()).not.toBe("");
  }
});
