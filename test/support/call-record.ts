import type { AuditRecord, CallFacts } from "#model/audit";

export type RecordFacts = Partial<Omit<AuditRecord, "call" | "at">> & {
  /** Unix milliseconds. */
  readonly at?: number;
  readonly agent?: string | null;
  readonly user?: string;
  readonly facts?: Partial<CallFacts>;
};

const NONE = { texts: 1, chars: 40, cached: 0, unscanned: [] };

const FACTS: CallFacts = {
  status: 200,
  code: null,
  model: "fake-model",
  provider: "fake",
  stream: false,
  policy_revision: 1,
  profile_version: null,
  tuning_revision: null,
  mode: "enforce",
  action: "allow",
  event_id: null,
  flags: [],
  coverage: { input: NONE, output: NONE },
  usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  finish_reasons: ["stop"],
  ms: { total: 1, guard: 1, upstream: 0 },
  attempts: 1,
  client_retry: 0,
  conversation_id: null,
};

/** The final record of a call that was answered, unless told otherwise. */
export const callRecord = ({
  at = 0,
  agent = "agent-1",
  user = "user-1",
  facts,
  ...rest
}: RecordFacts = {}): AuditRecord => ({
  v: 1,
  id: "record-1",
  call_id: "call-1",
  phase: "final",
  kind: "chat.completion",
  at: new Date(at).toISOString(),
  actor: { via: "token", user_id: user, agent_id: agent, token_id: "token-1" },
  outcome: "answered",
  call: { ...FACTS, ...facts },
  ...rest,
});

/** One of a tool. */
export const toolRecord = (name: string | null, told: RecordFacts = {}): AuditRecord =>
  callRecord({
    kind: "tool.call",
    ...told,
    facts: {
      ...{ model: null, provider: null, usage: null, finish_reasons: [] },
      tool: {
        ...{ dialect: "minimal", allowlist_revision: 1, server: null, server_id: null, tool: name, name },
        ...{ denied_by: null, is_error: false, listed: null },
      },
      ...told.facts,
    },
  });
