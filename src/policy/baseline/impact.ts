import type { AuditRecord } from "#model/audit";
import type { Action, Origin } from "#scan/detector";
import { goldenSamples } from "#scan/golden";
import { BASELINE, type CompiledPolicy, isEnforced, stricter } from "#scan/policy";
import { scanText, strictest } from "#scan/scan";

/** A golden sample that would be treated otherwise. */
export type SampleChange = {
  readonly name: string;
  readonly origin: Origin;
  /** What everybody agrees it should be. */
  readonly is: "caught" | "harmless";
  readonly before: Action;
  readonly after: Action;
};

export type Policies = { readonly before: CompiledPolicy; readonly after: CompiledPolicy };

export const sampleChanges = ({ before, after }: Policies): { samples: number; changed: SampleChange[] } => {
  const samples = goldenSamples();
  const actionOn = (policy: CompiledPolicy, text: string, origin: Origin): Action =>
    strictest(scanText(policy, text, origin).findings.map(({ action }) => action));
  const changed = samples.flatMap(({ name, origin, text, is }): SampleChange[] => {
    const [was, would] = [actionOn(before, text, origin), actionOn(after, text, origin)];
    return was === would ? [] : [{ name, origin, is, before: was, after: would }];
  });
  return { samples: samples.length, changed };
};

/** What would be done about one recorded call, and about which finding it differs. */
export type CallChange = {
  readonly call_id: string;
  readonly event_id: string | null;
  readonly at: string;
  readonly before: Action;
  readonly after: Action;
  readonly type: string;
  readonly origin: Origin;
};

/**
 * What of a call on record the policies treat differently; null for nothing, undefined for a call that the baseline did
 * not judge. What a restriction or a tuning rule decided they would decide again.
 */
export const callChange = (record: AuditRecord, { before, after }: Policies): CallChange | null | undefined => {
  const { call } = record;
  if (!call || call.profile_version !== null) return undefined;
  let [was, would]: [Action, Action] = ["allow", "allow"];
  let first: { type: string; origin: Origin } | null = null;
  for (const { type, origin, score, tuned, layer } of call.flags) {
    if (tuned !== undefined || (layer !== undefined && layer !== BASELINE)) continue;
    const [one, other] = [before.judge(origin, type, score), after.judge(origin, type, score)];
    was = stricter(was, one);
    would = stricter(would, other);
    if (one !== other) first ??= { type, origin };
  }
  if (first === null || was === would) return null;
  return { call_id: record.call_id, event_id: call.event_id, at: record.at, before: was, after: would, ...first };
};

/** Whether what was kept from going on would go on. */
export const isReleased = ({ before, after }: CallChange): boolean => isEnforced(before) && !isEnforced(after);
