import type { Action, Origin } from "#scan/detector";

export const TUNING_KINDS = [
  "value_exception",
  "context_exception",
  "pattern_exception",
  "threshold",
  "action",
  "pattern_add",
] as const;
export type TuningKind = (typeof TUNING_KINDS)[number];
export type Effect = "loosen" | "tighten";

/** Whose calls a rule is about: an agent's, or a user's own without an agent. */
export type TuningSubject = { readonly agent_id: string | null; readonly user_id: string };

/** Which findings a rule is about. All that is given has to fit. */
export type TuningMatch = {
  /** Flag types; a prefix stands for all below it. */
  readonly types: readonly string[];
  readonly origins?: readonly Origin[];
  /** Where the text stands, with `[*]` for every index: `messages[*].content`, `arguments.to`. */
  readonly context?: string;
  /** Keyed hash of one value in its plain form: of the match, or of the whole text it stands in. */
  readonly value?: { readonly hash: string; readonly of: "match" | "text" };
  /** RE2 syntax. Of an exception: the whole match has to fit. Of an addition: what is to be found. */
  readonly pattern?: string;
  /** Of an addition: what a match begins with. */
  readonly keywords?: readonly string[];
};

/** What becomes of them. */
export type TuningChange =
  /** An exception: what would be redacted or blocked is only flagged. */
  | { readonly op: "allow" }
  /** The score from which an action is taken. */
  | {
      readonly op: "threshold";
      readonly action: Exclude<Action, "allow">;
      readonly from: number | null;
      readonly to: number;
    }
  /** What is done from the score on from which something else was done. */
  | { readonly op: "action"; readonly from: Action; readonly to: Action }
  /** A pattern of the subject's own is looked for. */
  | { readonly op: "detect"; readonly action: Exclude<Action, "allow"> };

/** A change of the scanner for one agent or one user's own calls. Times are Unix milliseconds. */
export type TuningRule = TuningSubject & {
  readonly id: string;
  readonly kind: TuningKind;
  readonly effect: Effect;
  readonly match: TuningMatch;
  readonly change: TuningChange;
  /** `monitor`: it changes nothing, and what it would have changed is on record. */
  readonly mode: "monitor" | "enforce";
  readonly status: "active" | "reverted" | "lapsed";
  /** Null for until it is reverted. Loosening rules expire. */
  readonly expires_at: number | null;
  readonly hits: number;
  readonly last_hit_at: number | null;
  /** Null for one set directly, which only tightens. */
  readonly suggestion_id: string | null;
  readonly requested_by: string | null;
  readonly approved_by: readonly string[];
  /** Approved by a sole admin who had a hand in it. */
  readonly self_approved: boolean;
  /** The policy revision its last change came with. */
  readonly revision: number;
  readonly created_at: number;
  readonly ended_at: number | null;
};

export const isActive = ({ status, expires_at }: Pick<TuningRule, "status" | "expires_at">, now: number): boolean =>
  status === "active" && (expires_at === null || now < expires_at);
