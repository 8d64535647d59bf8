import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { actions, chars, DEFAULT, found, SECRETS } from "./samples";

const TOKENS = [
  ["secret.github_token", "ghp_", SECRETS.github],
  ["secret.gitlab_token", "glpat-", SECRETS.gitlab],
  ["secret.slack_token", "xoxb-", `xoxb-${chars(12, "1839274650")}-${chars(12, "1839274650")}-${chars(24)}`],
  ["secret.stripe_key", "sk_live_", SECRETS.stripe],
  ["secret.anthropic_key", "sk-ant-api03-", SECRETS.anthropic],
  ["secret.openai_key", "sk-proj-", SECRETS.openai],
  ["secret.guardhouse_token", "gw-live-", SECRETS.guardhouse],
] as const;

describe("tokens right behind a letter", () => {
  test.each(TOKENS)("%s", (type, prefix, token) => {
    verifies("scan.joined-tokens");
    for (const before of ["x", "ä", "7", "KEY", "日"]) {
      const text = `use ${before}${token} now`;
      const all = found(text, "output");
      expect(all.some((it) => it.startsWith(`${type}=`) && it.endsWith(token.slice(prefix.length)))).toBe(true);
      expect(actions(text, "output")).toContain(`${type}:redact`);
      for (let cut = 1; cut < text.length; cut += 7) {
        const scanner = new StreamScanner(DEFAULT, "output", LABELS);
        scanner.push(text.slice(0, cut));
        scanner.push(text.slice(cut));
        scanner.end();
        expect(scanner.release(text.length).text).not.toContain(token.slice(prefix.length, prefix.length + 12));
      }
    }
  });

  test("words, names and tokens of another length are none", () => {
    verifies("scan.ordinary-ids");
    for (const text of [
      "the_ghp_prefix xghp_token_of_the_day",
      `xghp_${chars(20)}`,
      `xghp_${chars(50)}`,
      `dataglpat-${"a".repeat(20)}`,
      `xghp_${"AbCd".repeat(9)}`,
    ])
      expect(found(text)).toEqual([]);
  });
});

describe("base64 in lines", () => {
  const wrap = (text: string, width: number, gap: string): string =>
    (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(gap);
  const secret = `export GITHUB_TOKEN=${SECRETS.github} # do not share`;

  test.each([20, 24, 64, 76])("of %d units", (width) => {
    verifies("scan.wrapped-base64");
    const long = `the keys of the build server\n${secret}\nand nothing else in this note`;
    for (const gap of ["\n", "\r\n", "\n    ", "\n> ", " "]) {
      const encoded = wrap(btoa(long), width, gap);
      expect(actions(`note:\n${encoded}\nRegards`, "tool_result")).toContain("secret.github_token:redact");
      expect(actions(encoded)).toContain("secret.github_token:block");
    }
  });

  test("of any width, with any text about it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 100 }), fc.nat(40), (width, padding) => {
        const encoded = wrap(btoa(`${"words ".repeat(padding)}${secret}`), width, "\n");
        expect(actions(`see\n${encoded}\n\nthe end`)).toContain("secret.github_token:block");
      }),
      { numRuns: 60 },
    );
  });

  test("certificates, pictures and digests stay as they are", () => {
    const lines = Array.from({ length: 12 }, () => chars(64)).join("\n");
    expect(found(`-----BEGIN CERTIFICATE-----\nMIIC${lines.slice(4)}\n-----END CERTIFICATE-----`)).toEqual([]);
  });
});
