import { type Static, Type } from "#core/schema";
import { listOf, Moment, oneOf, orNull } from "#http/openapi/schemas";

/* What `/api/audit` answers. */

export const AuditMonth = Type.Object(
  {
    month: Type.String({ description: "`2026-11`" }),
    records: Type.Number(),
    first_seq: Type.Number(),
    last_seq: Type.Number(),
    dropped_at: orNull(
      Type.String({ format: "date-time", description: "When retention deleted it; null while available." }),
    ),
  },
  { $id: "AuditMonth" },
);
export type AuditMonth = Static<typeof AuditMonth>;

export const AuditFaultShown = Type.Object(
  {
    seq: Type.Number(),
    problem: Type.String(),
    node: Type.Optional(Type.String({ description: "Whose log it is in; absent for the main log." })),
  },
  { $id: "AuditFaultShown" },
);
export type AuditFaultShown = Static<typeof AuditFaultShown>;

/** A check of the whole chain. */
export const Verification = Type.Object(
  {
    object: Type.Literal("audit.verification"),
    id: Type.String(),
    state: oneOf(["running", "ok", "broken", "failed"]),
    started_at: Moment,
    ended_at: orNull(Moment),
    by: orNull(Type.String({ description: "E-mail address; null if no longer known." })),
    records: Type.Number(),
    of: Type.Number({ description: "Total number of records." }),
    checkpoints: orNull(Type.Number()),
    head: orNull(Type.String()),
    /** At most 20. */
    faults: listOf(AuditFaultShown),
  },
  { $id: "Verification" },
);
export type Verification = Static<typeof Verification>;

/** The log of one of several processes; numbers are its own. */
export const NodeLogState = Type.Object(
  {
    node: Type.String(),
    records: Type.Number(),
    head: orNull(Type.Object({ seq: Type.Number(), hash: Type.String() })),
  },
  { $id: "NodeLogState" },
);

/** `GET /api/audit`. */
export const AuditState = Type.Object(
  {
    object: Type.Literal("audit.state"),
    healthy: Type.Boolean(),
    head: orNull(
      Type.Object({
        seq: Type.Number(),
        hash: Type.String(),
      }),
    ),
    checkpoint: orNull(
      Type.Object({
        seq: Type.Number(),
        at: Moment,
        key_id: Type.String(),
      }),
    ),
    /** Newest first. */
    months: listOf(AuditMonth),
    /** In all logs. */
    records: Type.Number(),
    nodes: listOf(NodeLogState),
    /** Since this process began; null for none. */
    verification: orNull(Verification),
  },
  { $id: "AuditState" },
);
export type AuditState = Static<typeof AuditState>;
