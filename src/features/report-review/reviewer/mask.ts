import { DEFAULT_POLICY } from "#scan/defaults";
import type { Detector } from "#scan/detector";
import { type CompiledPolicy, compilePolicy } from "#scan/policy";
import { type Scan, scanText } from "#scan/scan";

/** Takes values out of a text; null when that cannot be done for certain. */
export type Mask = (text: string) => string | null;

/** The same where long texts are scanned in a pool of threads. */
export type LongMask = (text: string) => Promise<string | null>;

/** Scans a text; a long one comes as a promise. */
type Scanning = (policy: CompiledPolicy, text: string, origin: "user") => Scan | Promise<Scan>;

/** From here on a finding is masked: what scores below is documented as an example, and no secret. */
const MASKED_FROM = 0.3;
/** A masked text is looked through again: what stands beside a mask can read otherwise than before. */
const MAX_ROUNDS = 4;

/**
 * Masks what the detectors find of some flag types, all that is below each included, whatever the policy in force says:
 * `‹SECRET:aws_access_key:len20›`. Spans that overlap become one mask.
 */
export const maskOf = (detectors: readonly Detector[], types: readonly string[]): Mask => {
  const policy = maskingPolicy(detectors, types);
  return (text) => {
    let masked = text;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const next = maskedOnce(masked, scanText(policy, masked, "user"));
      if (next === masked) return masked;
      masked = next;
    }
    return null;
  };
};

/** As `maskOf`, for texts of any length on a thread that serves others. */
export const longMaskOf = (detectors: readonly Detector[], types: readonly string[], scan: Scanning): LongMask => {
  const policy = maskingPolicy(detectors, types);
  return async (text) => {
    let masked = text;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const next = maskedOnce(masked, await scan(policy, masked, "user"));
      if (next === masked) return masked;
      masked = next;
    }
    return null;
  };
};

const maskingPolicy = (detectors: readonly Detector[], types: readonly string[]): CompiledPolicy => {
  const rules = types.map((type) => ({ type, thresholds: { redact: MASKED_FROM } }));
  return compilePolicy({ ...DEFAULT_POLICY, rules }, 0, detectors);
};

const maskedOnce = (text: string, { findings }: Scan): string => {
  let masked = "";
  let done = 0;
  for (const { type, start, end } of unionOf(findings)) {
    masked += text.slice(done, start) + labelOf(type, end - start);
    done = end;
  }
  return masked + text.slice(done);
};

type Span = { readonly type: string; readonly start: number; readonly end: number };

/** Spans in text order, those that overlap made one under the first one's type. */
const unionOf = (spans: readonly Span[]): Span[] => {
  const union: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = union.at(-1);
    if (last && span.start < last.end) union[union.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else union.push(span);
  }
  return union;
};

const labelOf = (type: string, length: number): string => {
  const [category = type, ...kind] = type.split(".");
  const name = kind.join(".") || category;
  return `‹${category.toUpperCase()}:${name}:len${length}›`;
};
