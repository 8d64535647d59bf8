import { expect, test } from "bun:test";
import fc from "fast-check";
import { ResponseIds } from "#guard/response-ids";
import { verifies } from "#test/support/verifies";

const SECRET = new Uint8Array(32).fill(7);
const ids = new ResponseIds(SECRET);
const owner = (user: string, agent: string | null) => ({
  user: { id: user },
  agent: agent === null ? null : { id: agent },
});
const EVE = owner("eve", null);

const kept = fc.record({ provider: fc.string({ minLength: 1, maxLength: 40 }), id: fc.string({ maxLength: 256 }) });

test("an id opens to what it was made of, the same each time, for its owner alone", () => {
  verifies("responses.own-ids");
  const others = [owner("eve", "agent"), owner("mallory", null), owner("ev", "e"), owner("", null)];
  fc.assert(
    fc.property(kept, (what) => {
      const own = ids.give(EVE, what);
      expect(own).toMatch(/^resp_[\w-]+$/);
      expect(new ResponseIds(SECRET).give(EVE, what)).toBe(own);
      expect(ids.read(EVE, own)).toEqual(what);
      for (const other of others) expect(ids.read(other, own)).toBeNull();
      expect(new ResponseIds(new Uint8Array(32)).read(EVE, own)).toBeNull();
    }),
  );
});

test("an id that was changed anywhere, cut or made up opens to nothing", () => {
  verifies("responses.own-ids");
  const own = ids.give(EVE, { provider: "openai", id: "resp_68a1b2c3d4e5f6" });
  const changed = fc.tuple(fc.nat({ max: own.length - 1 }), fc.constantFrom(..."AZaz09-_=+/ .".split("")));
  fc.assert(
    fc.property(changed, ([at, character]) => {
      const other = own.slice(0, at) + character + own.slice(at + 1);
      expect(ids.read(EVE, other)).toEqual(other === own ? ids.read(EVE, own) : null);
      expect(ids.read(EVE, own.slice(0, at))).toBeNull();
    }),
    { numRuns: 1_000 },
  );
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => expect(ids.read(EVE, `resp_${text}`)).toBeNull()));
  expect(ids.read(EVE, own + own.slice(5))).toBeNull();
});
