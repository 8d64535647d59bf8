import type { AuditRecord, Outcome } from "#model/audit";

const START = Date.UTC(2026, 10, 21, 2, 0, 0);

export type Some = {
  id?: string;
  call?: string;
  phase?: "request" | "final";
  at?: number;
  outcome?: Outcome;
  event?: string;
};

let counted = 0;

/** A serialised audit record with plausible content, about a kilobyte when `padding` says so. */
export const someRecord = (some: Some = {}, padding = 0): string => {
  counted += 1;
  const id = some.id ?? `rec-${counted}`;
  const record: AuditRecord = {
    v: 1,
    id,
    call_id: some.call ?? `call-${id}`,
    phase: some.phase ?? "final",
    kind: "chat.completion",
    at: new Date(some.at ?? START + counted).toISOString(),
    actor: { via: "token", user_id: "u1", agent_id: "a1", token_id: "t1" },
    outcome: some.outcome ?? (some.phase === "request" ? "open" : "answered"),
    ...(some.event === undefined ? {} : { call: callFacts(some.event) }),
    ...(padding === 0 ? {} : { change: { subject: "x", subject_id: "y", detail: { padding: "p".repeat(padding) } } }),
  };
  return JSON.stringify(record);
};

const callFacts = (event: string): NonNullable<AuditRecord["call"]> => ({
  status: 400,
  code: "content_filter",
  model: "m",
  provider: null,
  stream: false,
  policy_revision: 1,
  profile_version: null,
  tuning_revision: null,
  mode: "enforce",
  action: "block",
  event_id: event,
  flags: [],
  coverage: {
    input: { texts: 1, chars: 5, cached: 0, unscanned: [] },
    output: { texts: 0, chars: 0, cached: 0, unscanned: [] },
  },
  usage: null,
  finish_reasons: [],
  ms: { total: 1, guard: 1, upstream: 0 },
  attempts: 0,
  client_retry: 0,
  conversation_id: null,
});
