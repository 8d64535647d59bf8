import fc from "fast-check";
import { ATTACKS, ENCODINGS, percent, SPELLINGS } from "./disguises";
import { PERSONAL, SECRETS } from "./samples";

const code = (char: string): string => char.charCodeAt(0).toString(16);
const wrapped = (text: string, width: number, gap: string): string =>
  text.replace(new RegExp(`.{${width}}(?=.)`, "gs"), `$&${gap}`);
const some = (text: string, every: number, write: (char: string) => string): string =>
  Array.from(text, (char, i) => (i % every === 1 ? write(char) : char)).join("");

/** What nobody sees through at once: encodings, parts of a text encoded, lines of encoded text. */
const WAYS: readonly ((text: string) => string)[] = [
  ...ENCODINGS.map(
    ([, encode]) =>
      (text: string) =>
        encode(Buffer.from(text).toString("latin1")),
  ),
  ...SPELLINGS.map(([, spell]) => spell),
  (text) => text,
  (text) => wrapped(btoa(Buffer.from(text).toString("latin1")), 20, "\n"),
  (text) => wrapped(btoa(Buffer.from(text).toString("latin1")), 32, "\r\n> "),
  (text) => wrapped(text, 16, "\n"),
  (text) => wrapped(text, 24, " "),
  (text) => `0x${Buffer.from(text).toString("hex")}`,
  (text) => Buffer.from(text).toString("hex").toUpperCase(),
  (text) => some(text, 3, percent),
  (text) => some(text, 9, percent),
  (text) => some(text, 5, (char) => `&#x${code(char)};`),
  (text) => some(text, 4, (char) => `\\u${code(char).padStart(4, "0")}`),
  (text) => text.replace(/[^\w.-]/g, percent),
  (text) => text.replaceAll("&", "&amp;").replaceAll(":", "&colon;").replaceAll("=", "&equals;"),
  (text) => text.replace(/[:@&=/ ]/g, percent),
  (text) => text.replace(/[:@&=/ ]/g, (char) => `&#${char.charCodeAt(0)};`),
  (text) => text.replace(/[: -]/g, "."),
  (text) => text.replace(/[: -]/g, "_"),
  (text) => text.slice(0, 9),
  (text) => text.slice(-9),
];

const VALUES: readonly string[] = [
  ...Object.values(SECRETS),
  ...Object.values(PERSONAL),
  ...ATTACKS,
  "password: hunter2&=",
  "password = Xk29fmQz71",
  'api_key: "zk4Tq8Rw2mLp9VxB"',
  "Server=db;Pwd=k3Jd82ls;",
  "the password is Tr0ub4dor&3",
  "SGVsbG8sIHdvcmxkIQ==",
];

/** What a neighbour may bring: beginnings of escapes, tokens, lines, values; marks that join and part. */
const NEIGHBOURS: readonly string[] = [
  ..."% %4 %25 %e2%82 & &am &amp; &lt; &#3 &#x \\ \\\\ \\u \\u00 \\ud83d \\x \\u{ 20 4a 6 . = == \n \r\n > _ - / + : ; \" ' ( @ #".split(
    " ",
  ),
  ..."password%3D api%5fkey%3d &quot;token&quot;:&quot; secret\\u003a passport%3a 0x sk- gh eyJ de8 DE AKIA +1 +49 (4 4 41 https:// postgres://a: -----BEG pass password: api_key= and It V 😀 é ｐ".split(
    " ",
  ),
  "\n\n",
  " ",
  " ",
  ", ",
  "\u202e",
  "\u202c",
  "\u200b",
  "\ud83d",
  "\ude00",
  "bWVldGluZyBhdCBub29u",
  "V".repeat(60),
  "a1".repeat(30),
  " 41 42",
  "The council met on Monday and spoke about roads, schools and the library. ",
];

const way = fc.constantFrom(...WAYS);
const item = fc
  .tuple(fc.constantFrom(...VALUES), way, way, fc.integer({ min: 0, max: 5 }))
  .map(([value, inner, outer, times]) =>
    times < 2 ? outer(inner(value)) : times < 4 ? outer(value) : inner(`it is ${value}, ok`),
  );

/** Values in one or two disguises, each next to anything. */
export const disguisedTexts = fc
  .array(fc.oneof({ weight: 3, arbitrary: item }, { weight: 4, arbitrary: fc.constantFrom(...NEIGHBOURS) }), {
    maxLength: 7,
  })
  .map((parts) => parts.join(""));

/** Sizes of pieces, repeated. */
export const cuts = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 30 }),
  fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
  fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 3 }),
);
export const groups = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
