import { PERSONAL_NUMBERS } from "./made-personal-data-numbers";
import type { Maker } from "./maker";
import { LOWER, type Random, UPPER } from "./random";

export type { Maker };

const FRAMES = ["@", "It is @.", "Please note: @ (as agreed)", '{"value": "@"}', "see\t@\nand reply", "- @;"];

/** The digit that makes a number pass Luhn's check, ISO/IEC 7812-1. */
export function luhnDigit(body: string): string {
  const sum = [...body]
    .reverse()
    .map((digit, i) => Number(digit) * (i % 2 === 0 ? 2 : 1))
    .reduce((total, value) => total + Math.floor(value / 10) + (value % 10), 0);
  return String((10 - (sum % 10)) % 10);
}

/** The two check digits of an account number, ISO 7064 mod 97-10. */
export function ibanOf(country: string, account: string): string {
  const number = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
  return country + String(98n - (BigInt(number) % 97n)).padStart(2, "0") + account;
}

const inGroups = (text: string, size: number, by: string): string =>
  text.match(new RegExp(`.{1,${size}}`, "g"))?.join(by) ?? text;

function card(random: Random): string {
  const [prefix, length] = random.pick([
    ["4", 16],
    [String(random.between(51, 55)), 16],
    ["6011", 16],
    ["34", 15],
    ["37", 15],
  ] as const);
  const body = prefix + random.digits(length - prefix.length - 1);
  return inGroups(body + luhnDigit(body), length === 16 ? 4 : 20, random.pick(["", " ", "-"]));
}

function iban(random: Random): string {
  const made = random.pick([
    () => ibanOf("DE", random.digits(18)),
    () => ibanOf("AT", random.digits(16)),
    () => ibanOf("CH", random.digits(17)),
    () => ibanOf("NL", random.text(4, UPPER) + random.digits(10)),
    () => ibanOf("GB", random.text(4, UPPER) + random.digits(14)),
  ])();
  return inGroups(made, 4, random.pick(["", " "]));
}

function ssn(random: Random): string {
  const area = random.pick([random.between(1, 665), random.between(667, 899)]);
  return `${String(area).padStart(3, "0")}-${String(random.between(1, 99)).padStart(2, "0")}-${random.between(1000, 9999)}`;
}

function phone(random: Random): string {
  const exchange = `${random.between(6, 8)}${random.between(20, 99)}`;
  const line = String(random.between(1000, 9999));
  const area = random.pick(["212", "415", "312", "617", "206"]);
  return random.pick([
    `+1 ${area} ${exchange} ${line}`,
    `(${area}) ${exchange}-${line}`,
    `+1-${area}-${exchange}-${line}`,
    `+44 20 7946 ${line}`,
    `+49 30 ${random.between(2000000, 8999999)}`,
    `+33 1 42 ${inGroups(random.digits(6), 2, " ")}`,
  ]);
}

function email(random: Random): string {
  const name = random.text(random.between(3, 9), LOWER);
  const box = random.pick([name, `${name}.${random.text(5, LOWER)}`, `${name}+shop`, `${name}_${random.digits(2)}`]);
  const host = random.text(random.between(3, 10), LOWER);
  return `${box}@${random.pick([host, `mail.${host}`, `${host}-group`])}.${random.pick(["com", "de", "co.uk", "org", "io"])}`;
}

/** Addresses a register has given out: none of the reserved blocks. */
function ip(random: Random): string {
  const first = random.pick([8, 23, 52, 81, 93, 141, 185, 213]);
  if (random.below(4) > 0) return [first, random.below(256), random.below(256), random.between(1, 254)].join(".");
  return `2a00:1450:${random.hex(4)}:${random.pick(["801", "812"])}::${random.between(1000, 9999)}`;
}

/** Spain's DNI: the number's remainder by 23 chooses the letter. */
function dni(random: Random): string {
  const number = random.between(10_000_000, 99_999_999);
  return `${number}${"TRWAGMYFPDXBNJZSQVHLCKE".charAt(number % 23)}`;
}

/** Brazil's CPF: two check digits, each by 11. */
function cpf(random: Random): string {
  let body = random.digits(9);
  for (const weight of [10, 11]) {
    const sum = [...body].reduce((total, digit, i) => total + Number(digit) * (weight - i), 0);
    body += String(((sum * 10) % 11) % 10);
  }
  return random.pick([body, `${inGroups(body.slice(0, 9), 3, ".")}-${body.slice(9)}`]);
}

export const PERSONAL_DATA: readonly Maker[] = [
  { type: "pii.email", make: email, frames: [...FRAMES, "mailto:@", "Ada <@>"] },
  { type: "pii.phone", make: phone, frames: [...FRAMES, "tel: @", "Ring me on @ after six"] },
  { type: "pii.credit_card", make: card, frames: [...FRAMES, "Visa @ exp 11/29"] },
  { type: "pii.iban", make: iban, frames: [...FRAMES, "IBAN: @ BIC to follow"] },
  { type: "pii.us_ssn", make: ssn, frames: [...FRAMES, "SSN @"] },
  { type: "pii.national_id", make: dni, frames: ["DNI: @", "mi DNI es @, gracias", '{"dni": "@"}'] },
  { type: "pii.national_id", make: cpf, frames: ["CPF: @", "CPF do titular: @.", '{"cpf": "@"}'] },
  ...PERSONAL_NUMBERS,
  { type: "pii.ip", make: ip, frames: ["host @ is down", "from @", '{"ip": "@"}', "ping @\n"] },
];
