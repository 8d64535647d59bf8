import type { SamplerName } from "#model/sampler";
import { SAMPLED, type TraceParent } from "#model/trace-context";

export type Sampling = { readonly sampler: SamplerName; readonly ratio: number };

type IsSampled = (traceId: string, parent: TraceParent | null) => boolean;

/** Of the random part of a trace id, what is compared, in hexadecimal digits: as many bits as a double has. */
const DIGITS = 13;
/** The random part of a trace id begins here: its right half but for one byte (Trace Context, level 2). */
const RANDOM_AT = 18;
const RANGE = 16 ** DIGITS;

/** Whether a trace is exported, by the samplers that OpenTelemetry's specification names. Every hub decides alike of a trace. */
export const samplerOf = ({ sampler, ratio }: Sampling): IsSampled => {
  const least = Math.round((1 - ratio) * RANGE);
  const byRatio = (traceId: string) => Number.parseInt(traceId.slice(RANDOM_AT, RANDOM_AT + DIGITS), 16) >= least;
  const root: (traceId: string) => boolean = sampler.endsWith("traceidratio")
    ? byRatio
    : () => sampler.endsWith("always_on");
  if (!sampler.startsWith("parentbased_")) return root;
  return (traceId, parent) => (parent === null ? root(traceId) : (parent.flags & SAMPLED) !== 0);
};
