import type { Maker } from "./maker";
import { LOWER, type Random, UPPER } from "./random";

const sum = (digits: string, weights: readonly number[]): number =>
  weights.reduce((total, weight, i) => total + Number(digits.charAt(i)) * weight, 0);

const padded = (value: number, width: number): string => String(value).padStart(width, "0");

/** A date of birth as two digits each. */
const born = (random: Random): { year: string; month: string; day: string } => ({
  year: padded(random.between(40, 99), 2),
  month: padded(random.between(1, 12), 2),
  day: padded(random.between(1, 28), 2),
});

/** China's, GB 11643: weights are powers of two by 11, and X stands for ten. */
function chinese(random: Random): string {
  const { year, month, day } = born(random);
  const body = `${random.pick(["110101", "310104", "440305"])}19${year}${month}${day}${random.digits(3)}`;
  return body + "10X98765432".charAt(sum(body, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11);
}

/** France's: 97 less the rest. */
function french(random: Random): string {
  const { year, month } = born(random);
  const parts = [
    random.pick(["1", "2"]),
    year,
    month,
    padded(random.between(1, 95), 2),
    random.digits(3),
    random.digits(3),
  ];
  return [...parts, padded(97 - Number(BigInt(parts.join("")) % 97n), 2)].join(random.pick(["", " "]));
}

/** Poland's: weights 1, 3, 7, 9, and what is missing to ten. */
function polish(random: Random): string {
  const { year, month, day } = born(random);
  const body = year + month + day + random.digits(4);
  return body + String((10 - (sum(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
}

/** Eleven divides the Netherlands' sum; a body that leaves ten is none. */
function dutch(random: Random): string {
  const body = String(random.between(10_000_000, 99_999_999));
  const rest = sum(body, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return rest === 10 ? dutch(random) : body + String(rest);
}

/** Finland's: the number by 31 chooses the letter. */
function finnish(random: Random): string {
  const { year, month, day } = born(random);
  const [date, serial] = [day + month + year, padded(random.between(2, 899), 3)];
  return `${date}-${serial}${"0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(Number(date + serial) % 31)}`;
}

/** Chile's: weights 2 to 7 from the right, K for ten. */
function chilean(random: Random): string {
  const body = String(random.between(10_000_000, 24_999_999));
  const check = "0K987654321".charAt(sum(body, [3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  return `${body.slice(0, 2)}.${body.slice(2, 5)}.${body.slice(5)}-${check}`;
}

function singaporean(random: Random): string {
  const body = random.digits(7);
  return `S${body}${"JZIHGFEDCBA".charAt(sum(body, [2, 7, 6, 5, 4, 3, 2]) % 11)}`;
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const RIPPLE = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";

const sha256 = (bytes: Uint8Array): Uint8Array => new Bun.CryptoHasher("sha256").update(bytes).digest();

/** A chain's first byte, twenty drawn ones, and four of the digest's digest, in base 58. */
function onChain(random: Random): string {
  const [version, alphabet] = random.pick([
    [0x00, BASE58],
    [0x05, BASE58],
    [0x30, BASE58],
    [0x1e, BASE58],
    [0x41, BASE58],
    [0x00, RIPPLE],
  ] as const);
  const body = Uint8Array.from([version, ...Array.from({ length: 20 }, () => random.between(1, 255))]);
  let number = 0n;
  for (const byte of [...body, ...sha256(sha256(body)).subarray(0, 4)]) number = number * 256n + BigInt(byte);
  let text = "";
  for (; number > 0n; number /= 58n) text = alphabet.charAt(Number(number % 58n)) + text;
  return version === 0 ? alphabet.charAt(0) + text : text;
}

const device = (random: Random): string => Array.from({ length: 6 }, () => random.hex(2)).join(random.pick([":", "-"]));

function birth(random: Random): string {
  const { year, month, day } = born(random);
  return random.pick([
    `19${year}-${month}-${day}`,
    `${day}/${month}/19${year}`,
    `${day}.${month}.19${year}`,
    `${Number(day)} March 19${year}`,
  ]);
}

const bank = (random: Random): string =>
  `${random.text(4, UPPER)}${random.pick(["DE", "FR", "GB"])}${random.text(2, "ABCDEFGHJKLMN")}`;

/** Before the value, behind it, as programs and forms have it, and at the head of a column. */
const around = (...cues: readonly string[]): string[] =>
  cues.flatMap((cue) => [
    `${cue}: @`,
    `My ${cue} is @, thanks.`,
    `@ is my ${cue}`,
    `@ (${cue})`,
    `{"${cue.toLowerCase().replaceAll(" ", "_")}": "@"}`,
    `<${cue.toLowerCase().replaceAll(" ", "-")}>@</x>`,
    `${cue}\n@`,
    `name,${cue},city\nAda,@,Leeds`,
    `| name | ${cue} |\n|---|---|\n| Ada Example of Leeds in Yorkshire | @ |`,
  ]);

/** Numbers that states give out, of money on a chain, and other data about a person. */
export const PERSONAL_NUMBERS: readonly Maker[] = [
  { type: "pii.national_id", make: chinese, frames: [...around("身份证", "resident identity"), "seen @ there"] },
  { type: "pii.national_id", make: french, frames: [...around("NIR", "numéro de sécurité sociale"), "vu @ hier"] },
  { type: "pii.national_id", make: polish, frames: around("PESEL", "nr PESEL") },
  { type: "pii.national_id", make: dutch, frames: around("BSN", "burgerservicenummer") },
  { type: "pii.national_id", make: finnish, frames: [...around("henkilötunnus", "HETU"), "hän on @."] },
  { type: "pii.national_id", make: chilean, frames: [...around("RUT", "rol unico"), "soy @,"] },
  { type: "pii.national_id", make: singaporean, frames: [...around("NRIC"), "it is @."] },
  {
    type: "pii.crypto_address",
    make: onChain,
    frames: ["send it to @", "@", '{"to":"@"}', "wallet: @.", "pay/@?amount=1"],
  },
  {
    type: "pii.crypto_address",
    make: (random) => `0x${random.hex(40)}`,
    frames: ["my ETH wallet is @", '{"address": "@"}', "donate: @"],
  },
  { type: "pii.mac_address", make: device, frames: ["at @ now", '{"mac":"@"}', "device @."] },
  {
    type: "pii.date_of_birth",
    make: birth,
    frames: ["date of birth: @", "DOB @", '{"birth_date": "@"}', "born on @ in Leeds"],
  },
  { type: "pii.swift", make: bank, frames: ["BIC: @", "SWIFT code @", '{"bic": "@"}'] },
  {
    type: "pii.email",
    make: (random) =>
      `${random.text(5, LOWER)}${random.pick(["(at)", " (at) ", " [at] "])}${random.text(6, LOWER)}${random.pick([".org", " (dot) com", "[dot]net"])}`,
    frames: ["write to @ please", "mail: @"],
  },
];
