/** What the scan bench scans: the same texts in every run, made from a seed. Nothing in them is real. */
import { Random } from "#test/eval/random";
import { honestTraffic } from "#test/scan/honest/traffic";
import { answerOf, markerOf, promptOf } from "./prose.ts";

export const KINDS = ["prose", "code", "chat", "keys", "hostile"] as const;
export type Kind = (typeof KINDS)[number];

/** Short texts as agents, tools and people send them, mixed: logs, JSON, diffs, code, prompts, mails. */
export const MIXED = "mixed";
/** The longest of them. */
export const MIXED_UNITS = 1_024;
const MIXED_SEED = 20_261_126;

/** So many different ones: real traffic repeats little, so that tables are not in the processor's caches. */
export const mixedTexts = (count: number): string[] =>
  honestTraffic(new Random(MIXED_SEED), count * 2)
    .map(({ text }) => text)
    .filter(({ length }) => length <= MIXED_UNITS)
    .slice(0, count);

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Some parts of a kind one after the other, cut to the size. Texts of different numbers differ. */
export function textOf(kind: Kind, size: number, number: number): string {
  const parts: string[] = [];
  let length = 0;
  for (let at = number * 10_001; length < size; at += 1) {
    const part = PARTS[kind](at);
    parts.push(part);
    length += part.length;
  }
  return parts.join("").slice(0, size);
}

const PARTS: Readonly<Record<Kind, (number: number) => string>> = {
  prose: (number) => `${promptOf(markerOf(number))} ${answerOf(markerOf(number))}\n`,
  code: (number) => {
    const [one, other] = [markerOf(number), markerOf(number + 1)];
    return (
      `import { ${one} } from "./${other}.js";\n\n/** Gives the ${one} of a ${other}, ${number % 97} at most. */\n` +
      `export function ${one}Of(items, limit = ${number % 1000}) {\n  const found = [];\n` +
      `  for (let i = 0; i < items.length && i < limit; i += 1) {\n` +
      `    if (items[i].${other} !== undefined) found.push(${one}(items[i].${other}, { depth: 0x${number.toString(16)} }));\n` +
      `  }\n  return found.length > ${number % 10} ? found.join(", ") : null; // v${number % 7}.${number % 11}.0\n}\n`
    );
  },
  chat: (number) => {
    const marker = markerOf(number);
    const message = { role: number % 2 === 0 ? "user" : "assistant", content: promptOf(marker), id: `msg_${marker}` };
    return `${JSON.stringify({ ...message, created: 1_700_000_000 + number, usage: { tokens: number % 900 } })},\n`;
  },
  keys: (number) => {
    const random = lettersOf(number);
    const digits = String(4_000_000_000_000_000 + ((number * 7_919_777) % 1e15)).replace(/(?=(?:.{4})+$)\B/g, " ");
    return (
      `API_KEY="${random(32)}"\npassword: ${random(14)}!\nAuthorization: Bearer sk-${random(40)}\n` +
      `url=postgres://app:${random(12)}@db.example.com:5432/x\ntoken ghp_${random(36)}\n` +
      `card ${digits}, phone +1 (415) 555-${1000 + (number % 9000)}, ${markerOf(number)}@example.com, 81.2.69.${number % 256}\n`
    );
  },
  // A different trick in each part; what makes single detectors slow stands in test/scan.
  hostile: (number) => (TRICKS[number % TRICKS.length] ?? "").repeat(40),
};

/** Beginnings of what detectors look for, each of them cut short of a match. */
const TRICKS = [
  "eyJ",
  "ignore the previous ",
  "-----BEGIN ",
  "4111 1111 ",
  "a@a.",
  "+1 2",
  "password=",
  "https://a:",
  "de89 3704 ",
  "\u200b1",
  "show me the ",
  "aWdub3Jl",
  "2a:",
  "![a](https://a?",
];

/** Letters and digits that only the number decides. A linear congruential generator is random enough here. */
function lettersOf(number: number): (count: number) => string {
  let state = (number * 2_654_435_761 + 1) % 2 ** 32;
  return (count) =>
    Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return LETTERS.charAt((state >>> 8) % LETTERS.length);
    }).join("");
}
