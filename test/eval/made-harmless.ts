import { ibanOf, luhnDigit } from "./made-personal-data";
import { LOOK_ALIKES } from "./made-personal-data-harmless";
import { ALNUM, LOWER, type Random } from "./random";

type Harmless = (random: Random) => string;

const wrongDigit = (digit: string): string => String((Number(digit) + 1) % 10);

const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => random.hex(length)).join("-");

/** Numbers and codes that look like personal data and are none. */
export const NUMBERS: readonly Harmless[] = [
  ...LOOK_ALIKES,
  (random) => `Upgrade to version ${random.below(30)}.${random.below(30)}.${random.below(90)} today.`,
  (random) => `commit ${random.hex(40)}`,
  (random) => `trace id ${uuid(random)}`,
  (random) => `took ${random.between(1000, 99999)} ms, ${random.digits(2)}.${random.digits(6)} s of CPU`,
  (random) => `at 2026-0${random.between(1, 9)}-1${random.below(9)}T0${random.below(9)}:${random.between(10, 59)}:00Z`,
  (random) => `epoch 17${random.digits(8)} to 17${random.digits(8)}`,
  (random) => `order ${random.between(100, 999)}${random.digits(6)} was shipped`,
  (random) => `invoice INV-2026-${random.digits(5)}`,
  (random) => `${random.between(1, 89)}.${random.digits(6)}, ${random.between(1, 170)}.${random.digits(6)}`,
  (random) => `listen on 192.168.${random.below(256)}.${random.below(256)} and 10.0.${random.below(256)}.1`,
  (random) => `EUR ${random.between(1, 9)},${random.digits(3)},${random.digits(3)}.${random.digits(2)}`,
  (random) => `#${random.hex(6)} on #${random.hex(6)}`,
  (random) => {
    const body = `4${random.digits(14)}`;
    return `reference ${body}${wrongDigit(luhnDigit(body))}`;
  },
  (random) => {
    const right = ibanOf("DE", random.digits(18));
    return `account ${right.slice(0, 3)}${wrongDigit(right.charAt(3))}${right.slice(4)}`;
  },
  (random) => `part 000-${random.between(10, 99)}-${random.between(1000, 9999)}`,
  (random) => `range ${random.between(100, 200)}-${random.between(300, 400)} of ${random.digits(4)} rows`,
];

/** Strings as random as a secret that are none. */
export const STRINGS: readonly Harmless[] = [
  (random) => `golang.org/x/sys v0.${random.below(30)}.0 h1:${random.text(43, ALNUM)}=`,
  (random) => `"integrity": "sha512-${random.text(86, ALNUM)}=="`,
  (random) => `sha256:${random.hex(64)}`,
  (random) => `md5sum ${random.hex(32)}  file.tar`,
  (random) => `const key = process.env.${random.pick(["API", "DB", "AUTH"])}_KEY`,
  (random) =>
    `api_key: "${random.pick(["YOUR_API_KEY", "<your-key>", "xxxxxxxxxxxxxxxx", "changeme", "$" + "{API_KEY}"])}"`,
  (random) => `password = getPassword("${random.text(6, LOWER)}")`,
  (random) => `<img src="data:image/png;base64,iVBORw0KGgo${random.text(120, ALNUM)}==">`,
  (random) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.text(43, ALNUM)} me@laptop`,
  (random) => `"tokenizationId": "${uuid(random)}"`,
  (random) =>
    `!function(e,t){var n=${random.digits(3)};return e.${random.text(4, LOWER)}=t}(${random.text(3, LOWER)},1)`,
  (random) => `max_tokens: ${random.between(100, 9000)}, token_count=${random.digits(4)}`,
];

const NOUNS = ["process", "warning", "migration", "build", "invoice", "cell", "test"];

/** Ordinary requests and texts about attacks with the words attackers use. */
export const WORDS: readonly Harmless[] = [
  (random) => `How do I kill a ${random.pick(NOUNS)} that ignores signals?`,
  (random) => `You can ignore the ${random.pick(NOUNS)} in the previous section.`,
  (random) => `Forget the ${random.pick(NOUNS)} for now, I will do it tomorrow.`,
  (random) => `Act as a travel guide and tell me about ${random.pick(["Rome", "Oslo", "Lima"])}.`,
  (random) => `Override the ${random.pick(NOUNS)} method in the child class, following the instructions in the README.`,
  (random) => `Write a system prompt for a bot that explains the ${random.pick(NOUNS)}.`,
  (random) => `The developer mode of the phone shows the ${random.pick(NOUNS)}.`,
  (random) => `Please disregard my last mail about the ${random.pick(NOUNS)}; the date was wrong.`,
];
