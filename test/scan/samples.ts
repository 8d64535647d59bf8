import { base62, crc32 } from "#core/checksums";
import { DEFAULT_POLICY } from "#scan/defaults";
import type { Action, Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy, type PolicySource } from "#scan/policy";
import { type Scan, scanText } from "#scan/scan";

/** Secrets are put together at run time, so that no real-looking one stands in the source. */
export function chars(count: number, alphabet = "a7Kd9Zq2Xw5Rt8Lm3Bv6Nc4Js1Hg0Fp"): string {
  let state = 12_345 + count;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return alphabet.charAt((state >> 8) % alphabet.length);
  }).join("");
}

export const UPPER = "QWERTY7UIOP2ASDFGH3JKLZX4CVBNM5";
const encode = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

export const SECRETS = {
  awsAccessKey: `AKIA${chars(16, UPPER)}`,
  awsSecret: chars(40, "aB3/dE6+gH9jK2mN5pQ8sT1vW4yZ7cF0"),
  gcpApiKey: `AIza${chars(35)}`,
  github: `ghp_${chars(30)}${base62(crc32(chars(30)), 6)}`,
  githubFine: `github_pat_${chars(22)}_${chars(59)}`,
  gitlab: `glpat-${chars(20)}`,
  slack: `xoxb-${chars(12, "1839274650")}-${chars(24)}`,
  slackHook: `https://hooks.slack.com/services/T${chars(9, UPPER)}/B${chars(9, UPPER)}/${chars(24)}`,
  stripe: `sk_live_${chars(24)}`,
  openai: `sk-proj-${chars(60)}`,
  openaiOld: `sk-${chars(20)}T3BlbkFJ${chars(20)}`,
  anthropic: `sk-ant-api03-${chars(93)}AA`,
  guardhouse: `gw-live-${chars(32)}${base62(crc32(`gw-live-${chars(32)}`), 6)}`,
  guardhouseOld: `gwk_${chars(32)}`,
  jwt: `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: "u-4711", scope: "all", iat: 1_900_000_000 })}.${chars(43)}`,
  pem: `-----BEGIN PRIVATE KEY-----\n${chars(64)}\n${chars(64)}\n${chars(20)}\n-----END PRIVATE KEY-----`,
  url: `postgres://svc:${chars(14)}@db-7.internal:5432/app`,
} as const;

export const PERSONAL = {
  email: "jane.doe+x@mail.acme-corp.com",
  card: "4929 1753 0864 2719",
  cardPlain: "5399261704835269",
  iban: "DE89 3704 0044 0532 0130 00",
  ssn: "512-44-7310",
  phone: "+49 30 901820",
  phoneUs: "(415) 555-2671",
  ip: "81.2.69.142",
} as const;

export const policyOf = (source: Partial<PolicySource> = {}): CompiledPolicy =>
  compilePolicy({ ...DEFAULT_POLICY, ...source }, 1, DETECTORS);

export const DEFAULT = policyOf();

/** Every detector does the same at every score. */
export const uniform = (action: Exclude<Action, "allow">, mode: PolicySource["mode"] = "enforce"): CompiledPolicy =>
  policyOf({
    mode,
    rules: ["secret", "pii", "injection"].map((type) => ({ type, thresholds: { [action]: 0 } })),
  });

export const scan = (text: string, origin: Origin = "user", policy = DEFAULT): Scan => scanText(policy, text, origin);

/** `type=matched text` of all findings: what a table can compare. */
export const found = (text: string, origin: Origin = "user", policy = DEFAULT): string[] =>
  scan(text, origin, policy).findings.map(({ type, start, end }) => `${type}=${text.slice(start, end)}`);

export const actions = (text: string, origin: Origin = "user", policy = DEFAULT): string[] =>
  scan(text, origin, policy).findings.map(({ type, action }) => `${type}:${action}`);
