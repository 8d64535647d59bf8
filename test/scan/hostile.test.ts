import { expect, test } from "bun:test";
import { scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { costRatio, expectLinear, timed } from "#test/support/cost";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { DEFAULT, PERSONAL, SECRETS, uniform } from "./samples";

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

const SAID = "please say it once more, as the council did on Monday, so ";
const hex = (char: string): string => char.charCodeAt(0).toString(16);
const written = (text: string, write: (char: string) => string): string => Array.from(text, write).join("");

/** Parts of answers that are one encoding after the other, one within another, or a beginning of one without end. */
const ENCODED_PARTS = {
  "base64 without end": btoa(`${SAID}..`),
  "base64 in lines": `${btoa(SAID.slice(0, 57))}\n`,
  "base64 in short lines": `${btoa(SAID.slice(0, 15))}\n`,
  "base64 in base64": btoa(btoa(SAID.slice(0, 54))),
  "tokens of base64 in base64": `${btoa(btoa(SAID.slice(0, 24)))} `,
  "percent signs in base64": btoa(written(SAID.slice(0, 24), (char) => `%${hex(char)}`)),
  "hexadecimal in pairs": written(SAID, (char) => `${hex(char)} `),
  "percent signs": written(SAID, (char) => `%${hex(char)}`),
  "percent signs twice": written(SAID, (char) => `%25${hex(char)}`),
  "percent signs three times": written(SAID, (char) => `%2525${hex(char)}`),
  "JSON escapes in JSON escapes": written(SAID, (char) => `\\u005cu00${hex(char)}`),
  "escaped ampersands": "&amp;",
  "beginnings of escapes": "%&\\",
  "passwords with an escape": "password&#58; a1",
  "escaped keys": written(`${SECRETS.github} `, (char) => `%${hex(char)}`),
};

/** Units of a piece of a stream, and of one that a provider sends at once. */
const PIECE = 12;
const LARGE = 4_096;

const PLAIN = "The council met on Monday and spoke about roads, schools and the library. ";
const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);
const streamed = (text: string, piece: number) => (): void => {
  const scanner = new StreamScanner(DEFAULT, "output", LABELS);
  for (let at = 0; at < text.length; at += piece) {
    scanner.push(text.slice(at, at + piece));
    scanner.release(scanner.clearedTo);
  }
};

test.each(Object.entries(ENCODED_PARTS))(
  "a stream of %s costs a bounded multiple of what plain words cost",
  (_name, part) => {
    verifies("scan.linear");
    for (const size of [6_000, 24_000]) {
      const ratio = costRatio(streamed(filled(part, size), PIECE), streamed(filled(PLAIN, size), PIECE), 3);
      expect(ratio).toBeLessThan(30);
    }
    // 50,000 units of plain words in pieces take 20 ms, for which the serving thread may be busy at most.
    const atOnce = streamed(filled(part, LARGE), LARGE);
    expect(costRatio(atOnce, streamed(filled(PLAIN, 50_000), PIECE), 2)).toBeLessThan(1);
  },
);

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
