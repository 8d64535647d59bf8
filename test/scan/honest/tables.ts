import { ALNUM, type Random } from "#test/eval/random";
import { FIELD_NAMES } from "./field-names";

const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((width) => random.hex(width)).join("-");
const word = (random: Random): string =>
  random.pick("north south blue green early late small large open shared local remote".split(" "));

/** Columns whose names have a secret's words in them and whose values are none, each with what stands in it. */
const NEAR: readonly (readonly [head: string, cell: (random: Random) => string])[] = [
  ["key", (r) => `${word(r)}/${word(r)}-2026-${r.digits(2)}.json`],
  ["cache_key", (r) => `Linux-bun-${r.hex(64)}`],
  ["key_id", (r) => r.text(20, ALNUM)],
  ["public_key", (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text(43, ALNUM)}`],
  ["token", (r) => `${word(r)}${word(r)}`],
  ["tokens", (r) => r.digits(5)],
  ["token_type", () => "bearer_v2"],
  ["next_page_token", (r) => r.text(24, ALNUM)],
  ["password_updated_at", (r) => `2026-01-0${r.between(1, 9)}T10:00:00Z`],
  ["password_policy", (r) => `at-least-${r.between(8, 16)}`],
  ["secret_name", (r) => `${word(r)}-${word(r)}-2026`],
  ["secret_arn", (r) => `arn:aws:secretsmanager:eu-west-1:${r.digits(12)}:secret:${word(r)}-a1b2c3`],
  ["auth_method", () => "oauth2-pkce"],
  ["author", (r) => `${word(r)}.${word(r)}2026`],
  ["partition_key", (r) => uuid(r)],
  ["pass_rate", (r) => `0.${r.digits(6)}`],
  ["pass", (r) => `check_${word(r)}_${r.digits(2)}`],
  ["csrf_token", (r) => r.text(32, ALNUM)],
  ["etag", (r) => r.hex(32)],
  ["sha", (r) => r.hex(40)],
];
const PLAIN: readonly ((random: Random) => string)[] = [
  (r) => r.text(22, ALNUM),
  (r) => r.hex(40),
  uuid,
  (r) => r.digits(9),
  word,
];

/** Tables that tools export: each has a column that is named nearly like a secret, and ids and digests beside it. */
export function honestTables(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => {
    const sign = random.pick([",", ";", "\t", " | "]);
    const columns = [
      random.pick(NEAR),
      ...Array.from({ length: random.between(1, 3) }, () => [random.pick(FIELD_NAMES), random.pick(PLAIN)] as const),
    ];
    const rows = Array.from({ length: random.between(2, 8) }, () => columns.map(([, cell]) => cell(random)).join(sign));
    return [columns.map(([head]) => head).join(sign), ...rows].join("\n");
  });
}
