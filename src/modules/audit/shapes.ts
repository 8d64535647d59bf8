/* What `/api/audit` answers, as plain types: pages in a browser import them, so this file imports nothing. */

export type AuditMonth = {
  /** `2026-11` */
  readonly month: string;
  readonly records: number;
  readonly first_seq: number;
  readonly last_seq: number;
  /** When retention took it; null while it is kept. */
  readonly dropped_at: string | null;
};

export type AuditFaultShown = { readonly seq: number; readonly problem: string };

/** A check of the whole chain. */
export type Verification = {
  readonly object: "audit.verification";
  readonly id: string;
  readonly state: "running" | "ok" | "broken" | "failed";
  readonly started_at: string;
  readonly ended_at: string | null;
  /** An e-mail address; null where it is not known any more. */
  readonly by: string | null;
  readonly records: number;
  /** Of how many, as far as was known at the begin. */
  readonly of: number;
  readonly checkpoints: number | null;
  readonly head: string | null;
  /** At most 20. */
  readonly faults: readonly AuditFaultShown[];
};

/** `GET /api/audit`. */
export type AuditState = {
  readonly object: "audit.state";
  readonly healthy: boolean;
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly checkpoint: { readonly seq: number; readonly at: string; readonly key_id: string } | null;
  /** Newest first. */
  readonly months: readonly AuditMonth[];
  readonly records: number;
  /** Since this process began; null for none. */
  readonly verification: Verification | null;
};
