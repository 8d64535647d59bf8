import { DEFAULT_POLICY } from "#core/scan/defaults";
import type { Detector } from "#core/scan/detector";
import { type CompiledPolicy, compilePolicy } from "#core/scan/policy";
import { scanText } from "#core/scan/scan";

/** Takes values out of a text; null when that cannot be done for certain. */
export type Mask = (text: string) => string | null;

/** From here on a finding is masked: what scores below is documented as an example, and no secret. */
const MASKED_FROM = 0.3;
/** A masked text is looked through again: what stands beside a mask can read otherwise than before. */
const MOST_ROUNDS = 4;

/**
 * Masks what the detectors find of some flag types, all that is below each included, whatever the policy in force says:
 * `‹SECRET:aws_access_key:len20›`. Spans that overlap become one mask.
 */
export const maskOf = (detectors: readonly Detector[], types: readonly string[]): Mask => {
  const rules = types.map((type) => ({ type, thresholds: { redact: MASKED_FROM } }));
  const policy = compilePolicy({ ...DEFAULT_POLICY, rules }, 0, detectors);
  return (text) => {
    let masked = text;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const next = maskedOnce(policy, masked);
      if (next === masked) return masked;
      masked = next;
    }
    return null;
  };
};

const maskedOnce = (policy: CompiledPolicy, text: string): string => {
  let masked = "";
  let done = 0;
  for (const { type, start, end } of unionOf(scanText(policy, text, "user").findings)) {
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
