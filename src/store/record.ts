/** The serialised form of an `AuditRecord`: one line of JSON. */
export type SerialisedRecord = string;

/** One link of the chain: `hash = SHA-256(prev_hash ‖ seq ‖ "\n" ‖ body)`. Hashes are lower-case hex here. */
export type AuditRow = {
  readonly seq: number;
  readonly body: SerialisedRecord;
  readonly prev_hash: string;
  readonly hash: string;
  /** In whose log it is; absent in the main one. Numbers are those of that log. */
  readonly node?: string;
};

/**
 * What became of something that was to be added. Limits are counted in the step that adds: they hold however many come
 * at once, in however many processes.
 */
export type Added = "done" | "taken" | "full";
