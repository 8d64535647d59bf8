import type { Maker } from "./made-personal-data";
import { VENDOR_SECRETS } from "./made-secrets-vendors";
import { ALNUM, DIGITS, type Random, UPPER } from "./random";

const FRAMES = ["@", "token: @", "export KEY=@", '{"credential": "@"}', "use @ for the deployment", "const k = '@';"];

const after =
  (prefixes: readonly string[], length: number, alphabet = ALNUM) =>
  (random: Random): string =>
    random.pick(prefixes) + random.text(length, alphabet);

/** A token with the checksum GitHub documents: CRC-32 in base 62, six characters. */
function github(random: Random): string {
  const alphabet = DIGITS + UPPER + UPPER.toLowerCase();
  const body = random.text(30, ALNUM);
  let rest = Bun.hash.crc32(body);
  let sum = "";
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) sum = alphabet.charAt(rest % 62) + sum;
  return random.pick(["ghp_", "gho_", "ghs_"]) + body + sum;
}

function jwt(random: Random): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: random.digits(9), iat: 1_700_000_000 + random.below(10_000_000) };
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.${random.text(43, ALNUM)}`;
}

function pem(random: Random): string {
  const name = random.pick(["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"]);
  const lines = Array.from({ length: random.between(4, 12) }, () => random.text(64, `${ALNUM}+/`));
  return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`].join("\n");
}

const connection = (random: Random): string =>
  `${random.pick(["postgres", "mysql", "mongodb", "redis", "amqp"])}://svc:${random.text(14, ALNUM)}@db.${random.pick(["north", "south"])}.internal:${random.between(1024, 9999)}/main`;

export const SECRETS: readonly Maker[] = [
  { type: "secret.aws_access_key", make: after(["AKIA", "ASIA"], 16, `${UPPER}234567`), frames: FRAMES },
  {
    type: "secret.aws_secret_key",
    make: after([""], 40, `${ALNUM}+/`),
    frames: ["aws_secret_access_key = @", "AWS_SECRET_ACCESS_KEY=@"],
  },
  { type: "secret.gcp_api_key", make: after(["AIza"], 35), frames: FRAMES },
  { type: "secret.github_token", make: github, frames: FRAMES },
  { type: "secret.gitlab_token", make: after(["glpat-"], 20), frames: FRAMES },
  {
    type: "secret.slack_token",
    make: (random) => `xoxb-${random.digits(12)}-${random.digits(12)}-${random.text(24, ALNUM)}`,
    frames: FRAMES,
  },
  { type: "secret.stripe_key", make: after(["sk_live_", "rk_live_"], 24), frames: FRAMES },
  {
    type: "secret.openai_key",
    make: (random) => `sk-proj-${random.text(74, ALNUM)}T3BlbkFJ${random.text(74, ALNUM)}`,
    frames: FRAMES,
  },
  { type: "secret.anthropic_key", make: after(["sk-ant-api03-"], 93), frames: FRAMES },
  { type: "secret.jwt", make: jwt, frames: FRAMES },
  { type: "secret.private_key", make: pem, frames: ["@", "key:\n@\n", "take this @ and go"] },
  { type: "secret.connection_string", make: connection, frames: FRAMES },
  {
    type: "secret.generic",
    make: (random) => random.text(random.between(12, 24), ALNUM) + random.digits(2),
    frames: ['password = "@"', "DB_PASSWORD=@", "api_key: '@'", '{"client_secret": "@"}', "const authToken = '@';"],
  },
  ...VENDOR_SECRETS,
];
