import { expect, test } from "bun:test";
import fc from "fast-check";
import { areAlike, fingerprintOf, fingerprintOfHash, readFingerprint } from "#model/fingerprint";
import { keyedHash } from "#platform/hash";
import { verifies } from "#test/support/verifies";

const hash = keyedHash(new Uint8Array(32).fill(7), "content");
const of = (text: string): string | null => fingerprintOf([{ text }], hash.of);

const isLike = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && areAlike(readFingerprint(one), readFingerprint(other));

const WORDS = fc.array(fc.stringMatching(/^[a-z]{3,10}$/), { minLength: 30, maxLength: 120 });
const VALUE = fc.oneof(
  fc.integer({ min: 0 }).map(String),
  fc.stringMatching(/^AKIA[A-Z0-9]{15}[0-9]$/),
  fc.stringMatching(/^[a-z]{2,8}@[a-z]{2,8}\.org$/),
);

test("texts are alike whatever values stand in them, and a fingerprint tells none of those", () => {
  verifies("inbox.groups");
  fc.assert(
    fc.property(WORDS, VALUE, VALUE, fc.nat({ max: 29 }), (words, one, other, at) => {
      const text = (value: string) => words.with(at, value).join(" ");
      expect(of(text(one))).toBe(of(text(other)));
    }),
  );
});

test("a changed word leaves a text alike, and texts of other words are not", () => {
  verifies("inbox.groups");
  fc.assert(
    fc.property(WORDS, fc.stringMatching(/^[a-z]{11,15}$/), fc.nat({ max: 29 }), (words, word, at) => {
      expect(isLike(of(words.join(" ")), of(words.with(at, word).join(" ")))).toBe(true);
    }),
  );
  // No word of one stands in the other.
  fc.assert(
    fc.property(WORDS, WORDS, (some, others) => {
      const [one, other] = [some.map((word) => `a${word}`), others.map((word) => `b${word}`)];
      expect(isLike(of(one.join(" ")), of(other.join(" ")))).toBe(false);
    }),
    { seed: 1 },
  );
});

test("a text without words has none; of a hash only the same is alike", () => {
  verifies("inbox.groups");
  expect(of(" …, ! ")).toBeNull();
  const [one, other] = [fingerprintOfHash(hash.of("one")), fingerprintOfHash(hash.of("other"))];
  expect([isLike(one, one), isLike(one, other)]).toEqual([true, false]);
  const elsewhere = keyedHash(new Uint8Array(32).fill(8), "content");
  const text = "Nobody without the key can try a text against it.";
  expect(of(text)).not.toBe(fingerprintOf([{ text }], elsewhere.of));
});
