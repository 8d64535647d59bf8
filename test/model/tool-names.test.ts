import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_NAME_LENGTH, publicName, SLUG } from "#model/tools/tool";
import { verifies } from "#test/support/verifies";

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
/** One in which everything ends alike: the worst there is, up to the very last digits. */
const colliding = (text: string): string => `${"0".repeat(60)}${sha256(text).slice(0, 4)}`;

const slug = fc.stringMatching(/^[a-z0-9-]{1,24}$/);
/** Names as servers give them: plain, with signs no client takes, in other scripts, far too long, empty. */
const ownName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  fc.constantFrom("read.file", "read/file", "read file", "read_file", "read:file", "__", "", "*", "x".repeat(300)),
  fc.string({ maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 80 }),
);

test("a public name is one every client takes, whatever the server's own is", () => {
  verifies("tools.names-valid");
  fc.assert(
    fc.property(slug, fc.uuid(), ownName, (of, serverId, tool) => {
      expect(of).toMatch(SLUG);
      const name = publicName({ slug: of, serverId, tool }, new Set(), sha256);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
      expect(name.startsWith(`${of}__`)).toBe(true);
      // The first `__` ends the slug: a slug has no underscore.
      expect(name.slice(0, name.indexOf("__"))).toBe(of);
    }),
    { numRuns: 2000 },
  );
});

test("tool names that fit are unchanged", () => {
  verifies("tools.names-valid");
  fc.assert(
    fc.property(slug, fc.uuid(), fc.stringMatching(/^[A-Za-z0-9_-]{1,38}$/), (of, serverId, tool) => {
      expect(publicName({ slug: of, serverId, tool }, new Set(), sha256)).toBe(`${of}__${tool}`);
    }),
  );
});

test.each([
  { digest: sha256, of: "a real hash" },
  { digest: colliding, of: "a hash of which only the last digits tell" },
])("no two tools share a name, with $of", ({ digest }) => {
  verifies("tools.names-unique");
  const owned = fc.record({
    slug: fc.constantFrom("files", "web"),
    serverId: fc.constantFrom("1", "2"),
    tool: ownName,
  });
  fc.assert(
    fc.property(fc.uniqueArray(owned, { selector: (tool) => JSON.stringify(tool), maxLength: 40 }), (all) => {
      const taken = new Set<string>();
      for (const tool of all) {
        const name = publicName(tool, taken, digest);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(taken.has(name)).toBe(false);
        taken.add(name);
      }
      expect(taken.size).toBe(all.length);
    }),
    { numRuns: 300 },
  );
});

test("a name is the same whenever and in whatever order it is made, unless it clashes", () => {
  verifies("tools.names-stable");
  const long = "a".repeat(80);
  const name = publicName({ slug: "files", serverId: "1", tool: long }, new Set(), sha256);
  expect(publicName({ slug: "files", serverId: "1", tool: long }, new Set(["files__other"]), sha256)).toBe(name);
  expect(name).toHaveLength(MAX_NAME_LENGTH);
  // Tools that differ only where the name is cut, and servers that differ, get different hashes.
  expect(publicName({ slug: "files", serverId: "1", tool: `${long}b` }, new Set(), sha256)).not.toBe(name);
  expect(publicName({ slug: "files", serverId: "2", tool: long }, new Set(), sha256)).not.toBe(name);
});
