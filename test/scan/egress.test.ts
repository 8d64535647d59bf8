import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PolicySource } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS, numbered } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { policyOf } from "./samples";

const RULES: PolicySource["rules"] = [
  { type: "egress.url", origins: ["output"], thresholds: { redact: 0.5 } },
  { type: "egress.image", origins: ["output"], thresholds: { block: 0.5 } },
];
const policy = policyOf({ rules: RULES, url_allow: ["docs.example.org", "*.example.com"] });

const typesIn = (text: string): string[] => scanText(policy, text, "output").findings.map(({ type }) => type);

describe("links in answers", () => {
  test.each([
    ["see https://evil.example/x?d=1 now", ["egress.url"]],
    ["[here](https://evil.example)", ["egress.url"]],
    ["![a](https://evil.example/p.png?q=secret)", ["egress.image"]],
    ['<img alt="x" src="https://evil.example/p">', ["egress.image"]],
    ["![a][r]\n\n[r]: https://evil.example/p", ["egress.image"]],
    ["https://docs.example.org@evil.example/", ["egress.url"]],
    ["https://docs.example.org:443@evil.example/", ["egress.url"]],
    ["https:/\\evil.example", ["egress.url"]],
    ["https:evil.example/a", ["egress.url"]],
    ["HTTPS://EVIL.EXAMPLE", ["egress.url"]],
    ["https://docs.example.org.evil.example/", ["egress.url"]],
    ["https://xexample.com/", ["egress.url"]],
    ["https://example.com/", ["egress.url"]],
    ["http://[2001:db8::1]:80/a", ["egress.url"]],
    [`https://${"a".repeat(400)}.example.com/`, ["egress.url"]],
    ["https://docs.example.org/guide?a=1#b", []],
    ["https://DOCS.example.org.:8443/guide", []],
    ["![logo](https://cdn.example.com/logo.png)", []],
    ["the scheme https: is safer than http: and ws:", []],
    ["no link at all", []],
  ])("%s", (text, types) => {
    verifies("egress.links");
    expect(typesIn(text)).toEqual(types);
  });

  test("are no findings where nothing is said about them, and only in answers", () => {
    verifies("egress.links");
    expect(scanText(policyOf({}), "https://evil.example", "output").findings).toEqual([]);
    expect(scanText(policy, "https://evil.example", "user").findings).toEqual([]);
  });

  test("leave nothing of themselves behind", () => {
    verifies("egress.links");
    const text = "see https://evil.example/x?d=4711, ok";
    expect(numbered(redactText(text, scanText(policy, text, "output").findings, LABELS))).toBe("see [egress.url:1] ok");
  });

  test("are the same in every chunking of a stream", () => {
    verifies("egress.links");
    const texts = ["a https://evil.example/x b", "![i](https://evil.example/x) c", "https://docs.example.org/x d"];
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...texts), cuts, (text, sizes) => {
        const stream = new StreamScanner(policy, "output", LABELS);
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          stream.push(text.slice(at, at + size));
          at += size;
        }
        stream.end();
        expect(stream.findings).toEqual(scanText(policy, text, "output").findings);
      }),
    );
  });
});
