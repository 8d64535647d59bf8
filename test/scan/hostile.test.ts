import { expect, test } from "bun:test";
import { scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { expectLinear, timed } from "#test/support/cost";
import { LABELS } from "#test/support/labels";
import { PERSONAL, SECRETS, uniform } from "./samples";

const HOSTILE = [
  ..."a A 1 - + @ . : / ( = ! [ # \u200b \u0301 \u{e0041} é \ufe0f 🏴".split(" "),
  "1 ",
  "1-",
  "11-",
  "111.",
  "a.",
  "a@",
  "a@a.",
  "a:",
  "2a:",
  "::",
  "(1",
  "+1",
  "+1 2",
  "de1",
  "de89 3704 ",
  "4111 ",
  "4111-1111-1111-1112 ",
  "eyJ",
  `${SECRETS.jwt.slice(0, 36)}`,
  "eyJhbGciOi.",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----\n",
  "-----END",
  SECRETS.pem.slice(0, 60),
  "gh",
  "ghp_",
  "sk-",
  "sk-proj-",
  "AKIA",
  "xoxb-",
  "gw-live-",
  "https://",
  "https://a:",
  "https://a:b@",
  "password=",
  "password ",
  "password: a",
  "aws_secret",
  "etherscan key: ",
  "?key=a1",
  "server=;pwd=",
  ":5432:a:",
  'client("a",',
  'default = "',
  "ignore ",
  "ignore all ",
  "ignore the previous ",
  "show me the ",
  "you are now ",
  "![",
  "![a](https://a?",
  "aWdub3Jl",
  "ignore\n",
  "do not tell ",
  "phone 123 ",
  "123 456 ",
  "(555) 555-",
  ...Object.values(PERSONAL),
  ...Object.values(SECRETS).map((secret) => secret.slice(0, -1)),
];

/** All detectors look, and every claim is a finding: no policy has more to do. */
const FLAGGING = uniform("flag");

test.each(HOSTILE)("100 KB of %j cost little more than twice 50 KB", (part) => {
  expectLinear(part, (text) => scanText(FLAGGING, text, "user"));
});

test("a stream of hostile text costs its length", () => {
  for (const part of ["eyJ", "ignore ", "-----BEGIN ", "4111 ", "a@", "\u200b", "+1 2"]) {
    const scanner = new StreamScanner(uniform("redact"), "output", LABELS);
    const cost = (): number =>
      timed(() => {
        for (let pushed = 0; pushed < 1_000; pushed++) {
          scanner.push(part);
          scanner.release(scanner.clearedTo);
        }
      });
    const least = (): number => Math.min(...Array.from({ length: 4 }, cost));
    const early = least();
    // From 4,000 pieces on: where each costs what came before it, nine times as much.
    expect(least()).toBeLessThan(early * 4 + 40);
  }
});
