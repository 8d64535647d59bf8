import { charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import { CUT_OFF_REACH, isCutOff } from "./placeholder";
import { DRAWN, shapeOf, type ValueShape } from "./value-shape";

const VALUE = charSet("A-Za-z0-9_.~+/=%-");
const MAX_VALUE = 128;
const MIN_VALUE = 12;
const URL_BEFORE = 160;

type Rate = (value: string, shape: ValueShape, before: string) => number;

/** Addresses that programs call. */
const OF_API = /(?:^|[./-])(?:api|rest|graphql|rpc|ws|v\d+)[./:]|[=/.](?:json|xml)\b/i;

/** `key` is also what stores name their objects by: a digest counts only in the address of an API. */
const keyScore: Rate = (value, { uuid, hex }, before) => {
  if (!uuid && !hex) return value.length >= 16 ? 0.8 : 0.5;
  return OF_API.test(before) ? 0.75 : 0;
};
/** Keys of Azure's functions are long; shorter codes are those of a sign-in, which are used up at once. */
const codeScore: Rate = (value, { uuid, hex }) => (value.length >= 40 && !uuid && !hex ? 0.8 : 0);
/** A signed address opens without other credentials until it expires. Flagged only, since agents need it whole. */
const signatureScore: Rate = (value) => (value.length >= 20 ? 0.6 : 0);

const PARAMETERS: Readonly<Record<string, Rate>> = {
  key: keyScore,
  appid: keyScore,
  subscription: keyScore,
  code: codeScore,
  sig: signatureScore,
  signature: signatureScore,
  "x-amz-signature": signatureScore,
  "x-goog-signature": signatureScore,
};
const RATES = new Map<string, Rate>(
  Object.entries(PARAMETERS).flatMap(([name, rate]) =>
    ["?", "&"].map((sign): [string, Rate] => [`${sign}${name}=`, rate]),
  ),
);

/** A value in an address, under a name too short or too common to say so anywhere else. */
export const urlSecret: Detector = {
  id: "secret.generic.url",
  type: "secret.generic",
  category: "secret",
  severity: "medium",
  reach: 20 + MAX_VALUE + CUT_OFF_REACH,
  behind: URL_BEFORE,
  cue: true,
  maxScore: 0.8,
  keywords: [...RATES.keys()],
  read(view, at, length): Match | null {
    const rate = RATES.get(view.slice(at, at + length).toLowerCase());
    const start = at + length;
    const width = view.run(start, VALUE, MAX_VALUE);
    if (!rate || width < MIN_VALUE || view.short) return null;
    const whole = view.before(start + width, width).replace(/[.]+$/, "");
    const value = whole.replace(/%[0-9A-F]{2}/gi, "").replace(/=+$/, "");
    const shape = shapeOf(value, true, true);
    if (!shape || shape.wordy || shape.digits < 2 || (!shape.uuid && shape.drawn < DRAWN)) return null;
    const score = rate(value, shape, /\S*$/.exec(view.before(at, URL_BEFORE))?.[0] ?? "");
    if (score === 0 || isCutOff(view, start + width, VALUE)) return null;
    const tail = { kind: "run", set: VALUE } as const;
    return { start, end: start + whole.length, score, ...(width === MAX_VALUE && { tail }) };
  },
};
