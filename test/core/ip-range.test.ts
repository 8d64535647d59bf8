import { describe, expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { inRange, isPublic, parseAddress, parseRange } from "#core/ip-range";
import { verifies } from "#test/support/verifies";

const publicly = (text: string): boolean | null => {
  const address = parseAddress(text);
  return address && isPublic(address);
};

/** The same registries as the platform's own block list, addresses first to last instead of prefixes. */
const NOT_PUBLIC_4: readonly (readonly [string, string])[] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
];
const NOT_PUBLIC_6: readonly (readonly [string, string])[] = [
  ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
];

const listOf = (ranges: typeof NOT_PUBLIC_4, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const [first, last] of ranges) list.addRange(first, last, family);
  return list;
};

const dotted = (value: number): string => [24, 16, 8, 0].map((by) => (value >>> by) & 255).join(".");
const grouped = (value: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((by) => ((value >> by) & 0xffffn).toString(16)).join(":");

/** Anywhere, and often one step beside the ends of a range. */
const near = (ranges: typeof NOT_PUBLIC_4): fc.Arbitrary<bigint> =>
  fc
    .tuple(fc.constantFrom(...ranges.flat()), fc.integer({ min: -2, max: 2 }))
    .map(([text, by]) => (parseAddress(text)?.value ?? 0n) + BigInt(by));
const address4 = fc
  .oneof(fc.bigInt(0n, 2n ** 32n - 1n), near(NOT_PUBLIC_4))
  .map((n) => dotted(Number(n & 0xffffffffn)));
const address6 = fc
  .oneof(fc.bigInt(0n, 2n ** 128n - 1n), fc.bigInt(2n ** 125n, 2n ** 126n - 1n), near(NOT_PUBLIC_6))
  .map((n) => grouped(n & (2n ** 128n - 1n)));

describe("which addresses are public", () => {
  test("IPv4 as the registry says", () => {
    verifies("tools.ssrf-ranges");
    const list = listOf(NOT_PUBLIC_4, "ipv4");
    fc.assert(
      fc.property(address4, (text) => expect(publicly(text)).toBe(!list.check(text, "ipv4"))),
      { numRuns: 2_000 },
    );
  });

  test("IPv6 as the registry says", () => {
    verifies("tools.ssrf-ranges");
    const list = listOf(NOT_PUBLIC_6, "ipv6");
    fc.assert(
      fc.property(address6, (text) => expect(publicly(text)).toBe(!list.check(text, "ipv6"))),
      { numRuns: 2_000 },
    );
  });

  test("no way of writing an IPv4 address inside an IPv6 one is public, whatever the address", () => {
    verifies("tools.ssrf-ranges");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (value) => {
        const [high, low] = [(value >>> 16).toString(16), (value & 0xffff).toString(16)];
        const forms = [
          `::ffff:${dotted(value)}`, // mapped
          `::${dotted(value)}`, // compatible
          `::ffff:0:${dotted(value)}`, // translated
          `64:ff9b::${dotted(value)}`, // NAT64
          `64:ff9b:1::${dotted(value)}`, // NAT64, local use
          `2002:${high}:${low}::1`, // 6to4
          `2001:0:${high}:${low}::1`, // Teredo, server
          `2001::${high}:${low}`, // Teredo, client
        ];
        expect(forms.map(publicly)).toEqual(forms.map(() => false));
      }),
    );
  });

  test.each([
    "127.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "::1",
    "::",
    "fe80::1",
    "ff02::1",
    "255.255.255.255",
    "0.0.0.0",
  ])("%s is not", (text) => {
    expect(publicly(text)).toBe(false);
  });

  test.each(["1.1.1.1", "168.63.129.17", "2606:4700::1111", "2a00:1450:4001::200e"])("%s is", (text) => {
    expect(publicly(text)).toBe(true);
  });
});

describe("reading addresses", () => {
  test("IP parser accepts exactly what the platform accepts", () => {
    const piece = fc.constantFrom(
      "0",
      "1",
      "00",
      "255",
      "256",
      "ffff",
      "g",
      "12345",
      ".",
      ".",
      ":",
      ":",
      "::",
      "%",
      "1.2.3.4",
      "",
      "-1",
      " ",
    );
    const written = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      address4,
      address6,
    );
    fc.assert(
      fc.property(written, (text) => {
        // Zones are addresses elsewhere; nobody on the internet has one.
        fc.pre(!text.includes("%"));
        expect(parseAddress(text)?.bits ?? 0).toBe({ 0: 0, 4: 32, 6: 128 }[isIP(text)] ?? -1);
      }),
      { numRuns: 3_000 },
    );
  });

  test("short forms mean what their long ones do", () => {
    fc.assert(
      fc.property(address6, (text) => {
        // The URL parser writes the shortest form.
        const short = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        expect(parseAddress(short)).toEqual(parseAddress(text));
      }),
    );
  });

  test("a range holds what the platform says it holds", () => {
    const at = fc.oneof(address4, address6);
    fc.assert(
      fc.property(at, at, fc.nat(128), (base, text, cut) => {
        const family = (of: string) => (of.includes(":") ? "ipv6" : "ipv4");
        const prefix = family(base) === "ipv4" ? cut % 33 : cut;
        const [range, address] = [parseRange(`${base}/${prefix}`), parseAddress(text)];
        if (range === null || address === null) throw new Error("not read");
        const list = new BlockList();
        list.addSubnet(base, prefix, family(base));
        expect(inRange(address, range)).toBe(family(base) === family(text) && list.check(text, family(text)));
      }),
      { numRuns: 1_000 },
    );
    expect(
      ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/8/8", "::/129", "10.0.0/8", "10.0.0.0/", "/8", "a/8", "::/-1"].map(
        parseRange,
      ),
    ).toEqual(Array.from({ length: 9 }, () => null));
  });
});
