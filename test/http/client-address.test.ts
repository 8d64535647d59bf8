import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseRange } from "#core/ip-range";
import { clientAddress } from "#http/hosts";
import { expectLinear } from "#test/support/cost";
import { verifies } from "#test/support/verifies";

const ranges = (...texts: readonly string[]) => texts.map(parseRange).filter((range) => range !== null);
const PROXIES = ranges("10.0.0.0/8", "fd00::/8");
const octet = fc.integer({ min: 0, max: 255 });
/** Somebody on the internet: no proxy of ours. */
const stranger = fc.tuple(octet, octet).map(([a, b]) => `203.0.${a}.${b}`);
const proxy = fc.tuple(octet, octet).map(([a, b]) => `10.0.${a}.${b}`);
const junk = fc.oneof(fc.string(), fc.constantFrom("unknown", "127.0.0.1:80", "[::1]", "1.2.3", "0x7f.1"));

describe("where a request comes from", () => {
  test("is the socket, whatever a stranger says", () => {
    verifies("sign-in.backoff");
    fc.assert(
      fc.property(stranger, fc.option(fc.oneof(junk, stranger, proxy)), (socket, said) => {
        expect(clientAddress(socket, said, PROXIES)).toBe(socket);
        expect(clientAddress("10.0.0.1", said, [])).toBe("10.0.0.1");
      }),
    );
  });

  test("behind proxies is the last that is none of them, whatever stands in front", () => {
    verifies("sign-in.backoff");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(junk, stranger)),
        stranger,
        fc.array(proxy, { maxLength: 5 }),
        (front, client, chain) => {
          const said = [...front, client, ...chain].join(", ");
          expect(clientAddress("10.9.9.9", said, PROXIES)).toBe(client);
        },
      ),
    );
  });

  test.each([
    ["::ffff:203.0.113.7", null, "203.0.113.7"],
    ["::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["fd00::1", "2001:db8::7", "2001:db8::7"],
    ["10.0.0.1", "203.0.113.7, nonsense", "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", null, "10.0.0.1"],
    [null, "203.0.113.7", null],
  ])("%p saying %p is %p", (socket, said, client) => {
    expect(clientAddress(socket, said, PROXIES)).toBe(client);
  });

  test("is found in a header of any length, in time with its length", () => {
    for (const part of ["10.0.0.1, ", ",", " ", "fd00::1,", "203.0.113.7, "])
      expectLinear(part, (said) => clientAddress("10.0.0.1", said, PROXIES));
  });
});
