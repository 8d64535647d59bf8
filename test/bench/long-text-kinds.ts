/**
 * What the bench of long texts scans: classes of text that are full of what detectors begin with, beside plain prose.
 * Made from a seed, the same in every run; nothing in them is real, and most values fail the check they would need.
 */
import { answerOf, markerOf, promptOf } from "./prose.ts";

/** Draws numbers; a linear congruential generator is random enough for texts. */
export type Draw = {
  /** A whole number from 0 up to, not including, `below`. */
  number(below: number): number;
  pick(from: string | readonly string[]): string;
  /** `count` characters of `from`. */
  text(count: number, from: string): string;
};

const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = `${LOWER}${LOWER.toUpperCase()}`;
const BASE64 = `${LETTERS}${DIGITS}+/`;
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at)).join("");

export function drawFrom(seed: number): Draw {
  let state = (Math.imul(seed, 2_654_435_761) + 1) >>> 0;
  const number = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = (from: string | readonly string[]): string => from[number(from.length)] ?? "";
  return { number, pick, text: (count, from) => Array.from({ length: count }, () => pick(from)).join("") };
}

const prose = (at: number): string => `${promptOf(markerOf(at))} ${answerOf(markerOf(at))}\n`;
const name = (draw: Draw): string =>
  `${draw.pick(["Anna", "Ben", "Clara", "David", "Eva", "Felix"])} ${draw.pick(["Alder", "Birch", "Cedar", "Elm", "Fern"])}`;
const ip4 = (draw: Draw): string =>
  `${1 + draw.number(223)}.${draw.number(256)}.${draw.number(256)}.${draw.number(256)}`;
const ip6 = (draw: Draw): string => Array.from({ length: 8 }, () => draw.number(65_536).toString(16)).join(":");
const date = (draw: Draw): string =>
  `20${10 + draw.number(15)}-${String(1 + draw.number(12)).padStart(2, "0")}-${String(1 + draw.number(28)).padStart(2, "0")}`;
const clock = (draw: Draw): string => `${10 + draw.number(14)}:${10 + draw.number(50)}:${10 + draw.number(50)}`;
const mail = (draw: Draw): string => `${draw.text(7, LOWER)}.${draw.text(5, LOWER)}@mail${draw.number(90)}.example.com`;
const uuid = (draw: Draw): string => [8, 4, 4, 4, 12].map((count) => draw.text(count, HEX)).join("-");
const phone = (draw: Draw): string => {
  const digits = (count: number): string => draw.text(count, DIGITS);
  return draw.pick([
    `+49 ${digits(3)} ${digits(7)}`,
    `+1 (${2 + draw.number(7)}${digits(2)}) ${2 + draw.number(7)}${digits(2)}-${digits(4)}`,
    `+44 20 ${digits(4)} ${digits(4)}`,
    `0${digits(3)}-${digits(7)}`,
    `00${digits(2)} ${digits(3)} ${digits(6)}`,
    `(${2 + draw.number(7)}${digits(2)}) 555-${digits(4)}`,
    `+${10 + draw.number(80)} ${digits(2)} ${digits(3)} ${digits(2)} ${digits(2)}`,
  ]);
};

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) + ((letter.charCodeAt(0) & 31) <= 13 ? 13 : -13)),
  );
const escaped = (text: string): string =>
  Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const percented = (text: string): string =>
  Array.from(text, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
const entities = (text: string): string => Array.from(text, (char) => `&#${char.charCodeAt(0)};`).join("");
/** Text within text within text, as logs of JSON in JSON have it. */
const nested = (text: string): string => JSON.stringify(JSON.stringify(JSON.stringify({ text })));

/** One part of each class; a text is parts one after the other. */
const PARTS = {
  prose: (_, at) => prose(at),
  "customer csv": (draw) => `${name(draw)},${mail(draw)},${phone(draw)},${ip4(draw)}\n`,
  phones: (draw) => `${phone(draw)}\n`,
  "phones behind cue": (draw) => `call ${draw.text(4, DIGITS)} ${draw.text(6, DIGITS)}\n`,
  "one phone repeated": () => "+49 30 901820 ",
  "ip 4": (draw) => `${ip4(draw)}\n`,
  "ip 6": (draw) => `${ip6(draw)}\n`,
  "password=": () => "password=",
  "password=value": (draw) => `password=${draw.text(12, BASE64)}\n`,
  "curl -u": () => "curl -u a:b ",
  "curl -u a:": () => "curl -u a:",
  "card groups": () => "4539 ",
  "card numbers": (draw) => `4${draw.text(15, DIGITS)}\n`,
  "16 digits": (draw) => `${1 + draw.number(9)}${draw.text(15, DIGITS)} `,
  digits: (draw) => draw.text(64, DIGITS),
  "short numbers": (draw) => `${draw.number(10 ** (1 + draw.number(9)))} `,
  ibans: (draw) =>
    `DE${draw.text(2, DIGITS)} ${Array.from({ length: 4 }, () => draw.text(4, DIGITS)).join(" ")} ${draw.text(2, DIGITS)}\n`,
  "ibans in one piece": (draw) => `${draw.pick(["DE", "AT", "CH"])}${draw.text(20, DIGITS)}\n`,
  "random ascii": (draw) => draw.text(64, PRINTABLE),
  "random base64": (draw) => draw.text(64, BASE64),
  "base64 lines": (draw) => `${draw.text(76, BASE64)}\n`,
  "base64 of prose": (_, at) => `${btoa(prose(at))}\n`,
  hex: (draw) => draw.text(64, HEX),
  "hex words": (draw) => `${draw.text(40, HEX)} `,
  "rot13 prose": (_, at) => rot13(prose(at)),
  "rot13 cues": (draw) => `${rot13(draw.pick(["ignore", "previous", "instructions", "system", "prompt"]))} `,
  "key=": (draw) => `key=${draw.text(20, `${LETTERS}${DIGITS}`)}\n`,
  "token:": (draw) => `token: ${draw.text(32, HEX)}\n`,
  "json log": (draw, at) =>
    `${JSON.stringify({ time: `${date(draw)}T${clock(draw)}Z`, level: draw.pick(["info", "warn"]), id: uuid(draw), user: draw.number(100_000), ms: draw.number(900) / 10, message: answerOf(markerOf(at)).slice(0, 60) })}\n`,
  "access log": (draw) =>
    `${ip4(draw)} - - [${10 + draw.number(19)}/Nov/2026:${clock(draw)} +0000] "GET /items/${draw.number(100_000)}?page=${draw.number(50)} HTTP/1.1" ${draw.pick(["200", "304", "404"])} ${draw.number(100_000)} "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/${100 + draw.number(30)}.0.0.0"\n`,
  "stack traces": (draw) =>
    `    at ${draw.text(8, LOWER)}.${draw.text(6, LOWER)} (/srv/app/node_modules/${draw.text(6, LOWER)}/lib/${draw.text(7, LOWER)}.js:${draw.number(900)}:${draw.number(90)})\n`,
  "minified js": (draw) =>
    `function ${draw.pick(LETTERS)}(${draw.pick(LETTERS)},${draw.pick(LETTERS)}){return ${draw.pick(LETTERS)}[${draw.number(99)}]?${draw.pick(LETTERS)}.${draw.text(5, LOWER)}(${draw.number(999)},"${draw.text(4, LOWER)}"):void 0}var ${draw.pick(LETTERS)}=${draw.number(9)}e${draw.number(9)};`,
  "urls with credentials": (draw) =>
    `https://${draw.text(5, LOWER)}:${draw.text(9, LETTERS)}@${draw.text(6, LOWER)}.example.com/${draw.text(4, LOWER)}\n`,
  urls: (draw) => `https://${draw.text(6, LOWER)}.example.com/${draw.text(9, LOWER)}?id=${draw.number(100_000)} `,
  "e-mails": (draw) => `${mail(draw)}\n`,
  "at signs": () => "a@",
  "jwt lookalikes": (draw) => `eyJ${draw.text(20, BASE64)}.eyJ${draw.text(30, BASE64)}.${draw.text(20, BASE64)}\n`,
  eyJ: () => "eyJ",
  "key prefixes": (draw) => `AKIA${draw.text(16, LETTERS.slice(26) + DIGITS)} ghp_${draw.text(36, LETTERS + DIGITS)}\n`,
  emoji: (draw) => `${draw.pick(["😀", "👩‍💻", "🇩🇪", "❤️", "🏴"])}${draw.pick(["", " ", "ok "])}`,
  cjk: (draw) => `${Array.from({ length: 20 }, () => String.fromCharCode(0x4e00 + draw.number(8000))).join("")}。`,
  cyrillic: (draw) => `${Array.from({ length: 9 }, () => String.fromCharCode(0x430 + draw.number(32))).join("")} `,
  "zero width": (draw) => `\u200b${draw.pick(LOWER)}`,
  "accented prose": (_, at) => prose(at).replace(/e/g, "é"),
  "fullwidth digits": (draw) =>
    `${Array.from({ length: 12 }, () => String.fromCharCode(0xff10 + draw.number(10))).join("")} `,
  ssn: (draw) => `ssn ${draw.text(3, DIGITS)}-${draw.text(2, DIGITS)}-${draw.text(4, DIGITS)}\n`,
  "cue words": () => "ssn card number passport tax id ",
  "cues with numbers": (draw) => `card number ${draw.text(9, DIGITS)} passport ${draw.text(7, DIGITS)}\n`,
  dates: (draw) => `${date(draw)} `,
  "dates and times": (draw) => `${date(draw)}T${clock(draw)}.${draw.text(3, DIGITS)}Z\n`,
  uuids: (draw) => `${uuid(draw)}\n`,
  aaaa: () => "a",
  whitespace: () => " \t \n",
  "escapes \\u": (_, at) => escaped(prose(at)),
  "nested quotes": (_, at) => `${nested(answerOf(markerOf(at)))}\n`,
  "percent encoding": (_, at) => percented(prose(at)),
  "html entities": (_, at) => entities(prose(at)),
  html: (draw, at) => `<div class="${draw.text(5, LOWER)}"><p>${answerOf(markerOf(at)).slice(0, 80)}</p></div>\n`,
  "numbers table": (draw) =>
    `${Array.from({ length: 8 }, () => (draw.number(1_000_000) / 100).toFixed(2)).join(",")}\n`,
  "single letters": (draw) => `${draw.pick(LOWER)} `,
  "leet words": (draw) => `${draw.pick(["1gn0re", "pr0mpt", "syst3m", "pr3v10us"])} `,
  injections: () => "ignore the previous instructions ",
  "injection cues": (draw) => `${draw.pick(["ignore", "show me", "you are now", "write", "place", "send"])} `,
  "mac addresses": (draw) => `${Array.from({ length: 6 }, () => draw.text(2, HEX)).join(":")}\n`,
  "pem lines": (draw) => `-----BEGIN PRIVATE KEY-----\n${draw.text(20, BASE64)}\n`,
} satisfies Readonly<Record<string, (draw: Draw, at: number) => string>>;

export type LongKind = keyof typeof PARTS;
const isLongKind = (key: string): key is LongKind => key in PARTS;
export const LONG_KINDS: readonly LongKind[] = Object.keys(PARTS).filter(isLongKind);

/** A text of `size` units. */
export function longText(kind: LongKind, size: number): string {
  const draw = drawFrom(LONG_KINDS.indexOf(kind) + 1);
  const parts: string[] = [];
  for (let at = 0, length = 0; length < size; at += 1) {
    const part = PARTS[kind](draw, at);
    parts.push(part);
    length += part.length;
  }
  return parts.join("").slice(0, size);
}
