import { Type } from "#core/schema";
import type { AuditFlag, AuditRecord } from "#model/audit";
import type { ContentHmac } from "#model/kept-content";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { isEnforced } from "#scan/policy";

/** What is remembered of an event, read off the final record of its call: enough to say what may be reported of it. */
export type PastEvent = {
  readonly id: string;
  readonly call_id: string;
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly at: number;
  readonly facts: PastEventFacts;
};

export type PastEventFacts = {
  /** Something was blocked or redacted. What waited for a person is an event too, and no judgement. */
  readonly is_enforced: boolean;
  /** What was blocked or redacted, in the order it was found. */
  readonly flags: readonly AuditFlag[];
  readonly content_hmac: ContentHmac | null;
  /** Present where a hook source told of the call. */
  readonly via?: "source";
};

const Act = Type.Union(ACTIONS.map((action) => Type.Literal(action)));

const Flag = Type.Object({
  type: Type.String(),
  score: Type.Number(),
  start: Type.Integer(),
  end: Type.Integer(),
  detector: Type.String(),
  action: Act,
  would: Type.Optional(Act),
  tuned: Type.Optional(Type.String()),
  origin: Type.Union(ORIGINS.map((origin) => Type.Literal(origin))),
  param: Type.String(),
  source: Type.Optional(Type.String()),
  layer: Type.Optional(Type.String()),
  rule: Type.Optional(Type.String()),
});

const Hmac = Type.Object({
  stage: Type.Union([Type.Literal("input"), Type.Literal("output")]),
  param: Type.String(),
  hmac: Type.String(),
});

/** The facts as they are stored. */
export const PAST_EVENT_FACTS = Type.Object({
  is_enforced: Type.Boolean(),
  flags: Type.Array(Flag),
  content_hmac: Type.Union([Type.Object({ key_id: Type.String(), texts: Type.Array(Hmac) }), Type.Null()]),
  via: Type.Optional(Type.Literal("source")),
});

/** Null for records of no event. */
export const pastEventOf = ({ phase, call_id, at, actor, call }: AuditRecord): PastEvent | null => {
  if (phase !== "final" || !call || call.event_id === null || actor.user_id === null) return null;
  return {
    id: call.event_id,
    call_id,
    user_id: actor.user_id,
    agent_id: actor.agent_id,
    at: Date.parse(at),
    facts: {
      is_enforced: isEnforced(call.action),
      flags: call.flags.filter(({ action }) => isEnforced(action)),
      content_hmac: call.content_hmac ?? null,
      ...(actor.via === "source" && { via: actor.via }),
    },
  };
};
