import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REQUIREMENTS } from "#test/requirements";
import type { Requirement } from "#test/requirements/requirement";
import { citations, unproven } from "#test/support/citations";
import { anchorsOf } from "#test/support/markdown";
import { filesOf } from "#test/support/repository";
import { readRecorded, VERIFIED_IN } from "#test/support/verified";

const ROOT = join(import.meta.dir, "../..");

test("every promise is cited by a test, and every citation names a promise", async () => {
  const cited: string[] = [];
  for await (const path of new Bun.Glob("**/*.ts").scan(join(ROOT, "test"))) {
    if (path.startsWith("support")) continue;
    cited.push(...citations(await Bun.file(join(ROOT, "test", path)).text()));
  }
  const promised = REQUIREMENTS.map(({ id }) => id);
  expect(unproven(promised, cited)).toEqual({ uncited: [], unknown: [], twice: [] });
});

test("every promise has an id and a sentence", () => {
  for (const { id, promise } of REQUIREMENTS) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$/);
    expect(promise.trim()).not.toBe("");
  }
});

describe("sources", () => {
  /** What is wrong with the source of each promise: it names a section of a document in the repository. */
  async function faultsOf(requirements: readonly Requirement[]): Promise<string[]> {
    const files = new Set(await filesOf(ROOT));
    const anchors = new Map<string, ReadonlySet<string>>();
    const faults: string[] = [];
    for (const { id, source } of requirements) {
      const [path = "", anchor = ""] = source.split("#");
      if (!path.endsWith(".md") || !files.has(path)) {
        faults.push(`${id}: ${source}: no document of the repository`);
        continue;
      }
      const known = anchors.get(path) ?? anchorsOf(await Bun.file(join(ROOT, path)).text());
      anchors.set(path, known);
      if (!known.has(anchor)) faults.push(`${id}: ${source}: no such section`);
    }
    return faults;
  }

  test("are sections of documents in the repository", async () => {
    expect(await faultsOf(REQUIREMENTS)).toEqual([]);
  });

  test("that name no document, no section, or one that is not there are refused", async () => {
    const from = (source: string): Requirement => ({ id: "a.a", promise: "It does.", source });
    const wrong = ["issue 5", "docs/nowhere.md#limits", "docs/health.md", "docs/health.md#nowhere", "src/main.ts#x"];
    expect(await faultsOf(wrong.map(from))).toEqual([
      "a.a: issue 5: no document of the repository",
      "a.a: docs/nowhere.md#limits: no document of the repository",
      "a.a: docs/health.md: no such section",
      "a.a: docs/health.md#nowhere: no such section",
      "a.a: src/main.ts#x: no document of the repository",
    ]);
  });
});

test("a requirement counts as verified when a test of it ran, and not when it was skipped", async () => {
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-verified-"));
  // Taken from the list, and by another name, so that the scan of this file finds no citation.
  const [ran = "", late = "", concurrent = "", skipped = "", outside = ""] = REQUIREMENTS.map(({ id }) => id);
  const source = `
    import { describe, expect, test } from "bun:test";
    import { verifies as cites } from ${JSON.stringify(join(ROOT, "test/support/verifies.ts"))};
    test("runs", async () => {
      cites("${ran}");
      await Bun.sleep(1);
      cites("${late}");
    });
    test.concurrent("runs beside others", async () => cites("${concurrent}"));
    test.skip("is skipped", () => cites("${skipped}"));
    describe("a group", () => expect(() => cites("${outside}")).toThrow("outside of a test"));`;
  try {
    await Bun.write(join(folder, "suite/some.test.ts"), source);
    const record = join(folder, "record");
    await Bun.write(join(record, "verified.0"), "");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", join(folder, "suite/some.test.ts")], {
      cwd: folder,
      env: { ...process.env, [VERIFIED_IN]: record },
    });
    expect({ exitCode, log: stderr.toString() }).toMatchObject({ exitCode: 0 });
    expect(await readRecorded(record)).toEqual({
      verified: new Set([ran, late, concurrent]),
      skipped: new Set(),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
