import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CookieSessionAuth } from "#http/auth/cookie";
import { verifies } from "#test/support/verifies";

const doorAt = (publicUrl: string) =>
  new CookieSessionAuth({ publicUrl: () => publicUrl, sessionOf: () => Promise.resolve(null), personOf: () => null });

const passes = (cookieAuth: CookieSessionAuth, host: string, origin: string | null): boolean => {
  const headers = new Headers({ host });
  if (origin !== null) headers.set("origin", origin);
  try {
    cookieAuth.checkOrigin(new Request("http://x.test/", { method: "POST", headers }));
    return true;
  } catch {
    return false;
  }
};

describe("an Origin", () => {
  const PUBLIC = doorAt("https://hub.example/hub");

  test("is the public URL's, or the loopback address the page itself was called by", () => {
    verifies("sign-in.origin");
    expect(passes(PUBLIC, "hub.example", "https://hub.example")).toBe(true);
    expect(passes(PUBLIC, "localhost:8787", "http://localhost:8787")).toBe(true);
    expect(passes(PUBLIC, "[::1]:8787", "http://[::1]:8787")).toBe(true);
    expect(passes(PUBLIC, "localhost:8787", "https://hub.example")).toBe(true);
  });

  test.each([
    ["hub.example", null],
    ["hub.example", ""],
    ["hub.example", "null"],
    ["hub.example", "http://hub.example"],
    ["hub.example", "https://hub.example:444"],
    ["hub.example", "https://hub.example.evil.test"],
    ["hub.example", "https://evil.test"],
    ["hub.example", "https://hub.example/"],
    ["localhost:8787", "http://localhost:3000"],
    ["localhost:8787", "http://127.0.0.1:8787"],
    ["evil.test", "http://evil.test"],
  ])("to %p from %p is another's", (host, origin) => {
    verifies("sign-in.origin");
    expect(passes(PUBLIC, host, origin)).toBe(false);
  });

  test("of anybody else never passes", () => {
    verifies("sign-in.origin");
    fc.assert(
      fc.property(fc.webUrl(), fc.constantFrom("hub.example", "localhost:8787"), (url, host) => {
        const { origin } = new URL(url);
        fc.pre(origin !== "https://hub.example" && origin !== "http://localhost:8787");
        expect(passes(PUBLIC, host, origin)).toBe(false);
      }),
    );
  });
});
