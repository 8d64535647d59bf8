import type { AuditRecord } from "#model/audit";
import type { Person } from "#model/session";

export type Actor = AuditRecord["actor"];

/** Somebody at the machine itself: the command line has no accounts. */
export const CLI_ACTOR: Actor = { via: "cli", user_id: null, agent_id: null, token_id: null };

/** A configuration file that `guardhouse apply` puts in force, in the name of an administrator if one is named. */
export const applyActor = (userId: string | null): Actor => ({
  via: "apply",
  user_id: userId,
  agent_id: null,
  token_id: null,
});

/** The hub by itself. */
export const HUB_ACTOR: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

/** Somebody signed in. */
export const personActor = ({ user, session }: Person): Actor => ({
  via: "session",
  user_id: user.id,
  agent_id: null,
  token_id: null,
  session_id: session.id,
});

export type Change = {
  /** `token.revoke`: the thing changed and what was done to it. */
  readonly kind: string;
  readonly by: Actor;
  readonly subject: string;
  readonly subject_id: string;
  /** The fields that say how. Never secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
};

/** The audit record of a change of governance: one final record, serialised. `at` in Unix milliseconds. */
export const changeRecord = (change: Change, { id, at }: { id: string; at: number }): string => {
  const record: AuditRecord = {
    v: 1,
    id,
    call_id: id,
    phase: "final",
    kind: change.kind,
    at: new Date(at).toISOString(),
    actor: change.by,
    outcome: "done",
    change: { subject: change.subject, subject_id: change.subject_id, detail: change.detail },
  };
  return JSON.stringify(record);
};
