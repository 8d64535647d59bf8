import type { AuditRecord } from "#core/audit";
import type { ContentHmac } from "#core/kept-content";
import { isEnforced } from "#core/scan/policy";
import { Type } from "#core/schema";

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
  /** Of what was blocked or redacted, in the order it was found. */
  readonly flag_types: readonly string[];
  readonly content_hmac: ContentHmac | null;
};

const Place = { stage: Type.Union([Type.Literal("input"), Type.Literal("output")]), param: Type.String() };

/** The facts as they are stored. */
export const PAST_EVENT_FACTS = Type.Object({
  is_enforced: Type.Boolean(),
  flag_types: Type.Array(Type.String()),
  content_hmac: Type.Union([
    Type.Object({ key_id: Type.String(), texts: Type.Array(Type.Object({ ...Place, hmac: Type.String() })) }),
    Type.Null(),
  ]),
});

/** Flag types that one event is remembered with. */
const MOST_TYPES = 20;

/** Null for records of no event. */
export const pastEventOf = ({ phase, call_id, at, actor, call }: AuditRecord): PastEvent | null => {
  if (phase !== "final" || !call || call.event_id === null || actor.user_id === null) return null;
  const types = call.flags.filter(({ action }) => isEnforced(action)).map(({ type }) => type);
  return {
    id: call.event_id,
    call_id,
    user_id: actor.user_id,
    agent_id: actor.agent_id,
    at: Date.parse(at),
    facts: {
      is_enforced: isEnforced(call.action),
      flag_types: [...new Set(types)].slice(0, MOST_TYPES),
      content_hmac: call.content_hmac ?? null,
    },
  };
};
