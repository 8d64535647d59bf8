import { expect, test } from "bun:test";
import fc from "fast-check";
import { KEY_RANDOM_BYTES } from "#core/checksums";
import { looksLikeSessionKey, mintSessionKey } from "#model/session";
import { looksLikeToken, mintToken } from "#model/token";
import { verifies } from "#test/support/verifies";

const random = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES }).map((bytes) => {
  // Bytes that are skipped in minting are rare where chance is good.
  return bytes.map((byte) => byte % 248);
});

test("tokens and session keys are told apart, and from everything that is not quite one", () => {
  verifies("session.key");
  const place = fc.nat({ max: 45 });
  const letter = fc.stringMatching(/^[ -~]$/);
  fc.assert(
    fc.property(random, place, letter, (bytes, at, other) => {
      const session = mintSessionKey(bytes);
      const token = mintToken(bytes);
      expect([session.length, token.length]).toEqual([46, 46]);
      expect([looksLikeSessionKey(session), looksLikeToken(token)]).toEqual([true, true]);
      expect([looksLikeSessionKey(token), looksLikeToken(session)]).toEqual([false, false]);
      const mistyped = session.slice(0, at) + other + session.slice(at + 1);
      expect(looksLikeSessionKey(mistyped)).toBe(mistyped === session);
      expect(looksLikeSessionKey(session.slice(0, at))).toBe(false);
      expect(looksLikeSessionKey(`${session}${other}`)).toBe(false);
    }),
  );
});
