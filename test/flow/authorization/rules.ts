import { HARNESS_NAMES } from "#model/verdict";
/* Who may do what, for every address that takes a person or a gateway token. What is said here is held against the hub. */

/** Owner and stranger are members; what is asked about is the owner's. */
export const PEOPLE = ["owner", "stranger", "analyst", "auditor", "reviewer", "admin"] as const;
export type PersonName = (typeof PEOPLE)[number];
/** The owner's own, one of the owner's agent, and one of a stranger. */
export const TOKENS = ["owner's token", "agent's token", "stranger's token"] as const;
export type TokenName = (typeof TOKENS)[number];
export type Name = PersonName | TokenName;

/** Things of the owner's, or of the hub's, that stand in addresses. */
export type Thing =
  | ("agent" | "restricted" | "governed" | "restriction" | "review" | "call" | "report" | "hold" | "token" | "server")
  | ("client" | "session" | "suggestion" | "ownSuggestion" | "rule" | "user" | "provider" | "webhook" | "delivery")
  | ("backup" | "proposal" | "killswitch" | "view" | "alert" | "alertRule" | "alertDestination" | "alertSilence")
  | ("serverProposal" | "hookSource");

export type Rule = {
  /** The thing each variable of the path names. */
  readonly of?: Readonly<Record<string, Thing | { readonly text: string }>>;
  /** For whom it exists; to others it is as what was never there. All, unless said. */
  readonly sees?: readonly Name[];
  /** Who may do it, of those: the others are told that they may not. All of them, unless said. */
  readonly does?: readonly Name[];
  /** What is sent; the example of the document unless said. */
  readonly body?: object;
  /** Everybody may, for themselves: there is nothing to be refused. */
  readonly forAll?: true;
};

const READERS = ["owner", "analyst", "auditor", "reviewer", "admin"] as const;
const OWNER = ["owner", "admin"] as const;
const HANDLERS = ["owner", "reviewer", "admin"] as const;
const DESK = ["reviewer", "admin"] as const;
const OPERATORS = ["admin", "auditor"] as const;
const HANDS = ["owner's token", "agent's token"] as const;
const HAND = ["owner's token"] as const;
const ALL: Rule = { forAll: true };
/** No caller was given such an id; who may use which is a test of its own. */
const UNKNOWN: Rule = { of: { id: { text: "resp_0123" } }, sees: [] };
const ADMIN = { does: ["admin"] } as const;
const READING = { does: ["analyst", "auditor", "reviewer", "admin"] } as const;

const agent = (does: readonly Name[] = READERS, more: Partial<Rule> = {}): Rule => ({
  ...{ of: { id: "agent" }, sees: READERS, does },
  ...more,
});
const its = (thing: Thing, sees: readonly Name[], does = sees, more: Partial<Rule> = {}): Rule => ({
  ...{ of: { id: thing }, sees, does },
  ...more,
});
const adminOnly = (variable: string, thing: Thing, more: Partial<Rule> = {}): Rule => ({
  ...{ of: { [variable]: thing }, does: ["admin"] },
  ...more,
});
const REASON = { reason: "A test." };
const SOON = new Date(Date.now() + 3_600_000).toISOString();

export const RULES: Readonly<Record<string, Rule>> = {
  "GET /api/agents": ALL,
  "POST /api/agents": { forAll: true, body: { name: "another" } },
  "GET /api/agents/:id": agent(),
  "PATCH /api/agents/:id": agent(OWNER, { body: { description: "A few words." } }),
  "GET /api/agents/:id/effective": agent(),
  "GET /api/agents/:id/health": agent(),
  "GET /api/agents/:id/health/trend": agent(),
  "POST /api/agents/:id/drift/acknowledge": agent(DESK),
  "POST /api/agents/:id/drift/rebaseline": agent(DESK),
  "GET /api/agents/:id/profiles": agent(),
  "GET /api/agents/:id/profiles/:version": agent(READERS, { of: { id: "governed", version: { text: "1" } } }),
  "POST /api/agents/:id/profile/revoke": agent(["admin"], { of: { id: "governed" } }),
  "GET /api/agents/:id/restrictions": agent(),
  "POST /api/agents/:id/restrictions": agent(["owner", "analyst", "admin"]),
  "GET /api/agents/:id/restrictions/:rid": agent(READERS, { of: { id: "restricted", rid: "restriction" } }),
  "POST /api/agents/:id/restrictions/:rid/lift": agent(["admin"], {
    ...{ of: { id: "restricted", rid: "restriction" }, body: REASON },
  }),
  "GET /api/agents/:id/reviews": agent(),
  "POST /api/agents/:id/reviews": agent(OWNER, { body: {} }),
  "GET /api/agents/:id/tools": agent(),
  "POST /api/agents/:id/resume": agent(OWNER),
  "POST /api/agents/:id/suspend": agent(OWNER, { body: REASON }),
  "POST /api/agents/:id/evidence": agent(["admin", "auditor"], {
    body: { from: "2026-07-01T00:00:00Z", to: "2026-10-01T00:00:00Z" },
  }),
  "POST /api/agents/:id/retire": agent(OWNER, { of: { id: "governed" } }),
  "GET /api/audit": { does: OPERATORS },
  "GET /api/audit/export": { does: OPERATORS },
  "GET /api/audit/verification": { does: OPERATORS },
  "GET /api/audit/trees": { does: OPERATORS },
  "GET /api/audit/proof": { does: OPERATORS },
  "POST /api/audit/verify": { does: OPERATORS },
  "GET /api/backups": ADMIN,
  "POST /api/backups": ADMIN,
  "GET /api/backups/:name": adminOnly("name", "backup"),
  "POST /api/backups/:name/verify": adminOnly("name", "backup"),
  "DELETE /api/backups/:name": adminOnly("name", "backup"),
  "GET /api/calls": ALL,
  "GET /api/calls/:id": its("call", READERS),
  "GET /api/calls/:id/conversation": its("call", READERS),
  "GET /api/calls/:id/links": its("call", READERS),
  "GET /api/calls/:id/content": its("call", ["owner", ...DESK]),
  "DELETE /api/calls/:id/content": its("call", ["owner", ...DESK], OWNER),
  "POST /api/calls/:id/dispute": its("call", ["owner"], ["owner"], { body: {} }),
  "POST /api/calls/:id/miss": its("call", ["owner"]),
  "GET /api/doctor": { does: OPERATORS },
  "GET /api/storage": { does: OPERATORS },
  "GET /api/events": ALL,
  "GET /api/holds": ALL,
  "GET /api/holds/:id": its("hold", READERS),
  "POST /api/holds/:id/deny": its("hold", READERS, ["owner", "analyst", "reviewer", "admin"], { body: {} }),
  "POST /api/holds/:id/approve": its("hold", READERS, ["owner", "analyst", "reviewer", "admin"], { body: {} }),
  "GET /api/inbox": ALL,
  "GET /api/inbox/place": ALL,
  "GET /api/notices": ALL,
  "POST /api/notices/seen": ALL,
  "POST /api/inbox/decisions": { forAll: true },
  "POST /api/inbox/assign": { forAll: true },
  "GET /api/jobs": { does: OPERATORS },
  "GET /api/killswitch": READING,
  "POST /api/killswitch": { ...ADMIN, body: { level: "model", target: "nothing-*", reason: "A test." } },
  "POST /api/killswitch/:id/lift": adminOnly("id", "killswitch", { body: REASON }),
  "GET /api/map": ALL,
  "GET /api/me": ALL,
  "POST /api/me/confirm": { forAll: true, body: { password: "wrong" } },
  "POST /api/me/password": { forAll: true, body: { current_password: "wrong", new_password: "correct horse staple" } },
  "GET /api/me/sessions": ALL,
  "DELETE /api/me/sessions/:id": its("session", ["owner"]),
  "GET /api/oauth/all-clients": ADMIN,
  "PATCH /api/oauth/all-clients/:id": adminOnly("id", "client", { body: { disabled: false } }),
  "GET /api/oauth/clients": ALL,
  "PATCH /api/oauth/clients/:id": its("client", ["owner"], ["owner"], { body: { tools: [] } }),
  "DELETE /api/oauth/clients/:id": its("client", ["owner"]),
  "GET /api/overview": ALL,
  "GET /api/overview/kill-switch": ALL,
  "GET /api/traffic": ALL,
  "GET /api/spend": ALL,
  "GET /api/policy": READING,
  "PUT /api/policy": ADMIN,
  "GET /api/policy/diff": READING,
  "POST /api/policy/dry-run": ADMIN,
  "POST /api/policy/proposals/:id/approve": adminOnly("id", "proposal", { does: DESK }),
  "POST /api/policy/proposals/:id/reject": adminOnly("id", "proposal", { does: DESK }),
  "POST /api/policy/restore": ADMIN,
  "GET /api/policy/revisions": READING,
  "GET /api/calls/export": ALL,
  "GET /api/calls/totals": ALL,
  "GET /api/calls/values": ALL,
  "GET /api/prices": ALL,
  "GET /api/prices/model": ALL,
  "PUT /api/prices": { ...ADMIN, body: { model: "new-*", input: 1, output: 2 } },
  "DELETE /api/prices": ADMIN,
  "GET /api/budgets": ALL,
  "PUT /api/budgets": { ...ADMIN, body: { scope: "hub", period: "day", limit_usd: 1000 } },
  "DELETE /api/budgets": ADMIN,
  "GET /api/providers": ALL,
  "POST /api/providers": { ...ADMIN, body: { name: "new", base_url: "https://models.invalid/v1", models: ["new-*"] } },
  "GET /api/providers/:id": its("provider", PEOPLE),
  "PATCH /api/providers/:id": adminOnly("id", "provider", { body: { priority: 3 } }),
  "POST /api/providers/:id/test": adminOnly("id", "provider"),
  "DELETE /api/providers/:id": adminOnly("id", "provider"),
  "GET /api/reports": ALL,
  "GET /api/reports/quota": ALL,
  "GET /api/reports/rates": ALL,
  "GET /api/reports/:id": its("report", READERS),
  "POST /api/reports/:id/decision": its("report", READERS, ["analyst", ...DESK]),
  "GET /api/reviewer": READING,
  "POST /api/reviewer/resume": ADMIN,
  "GET /api/reviews": ALL,
  "GET /api/reviews/:id": its("review", READERS),
  "GET /api/reviews/:id/profile": its("review", READERS),
  "POST /api/reviews/:id/comments": its("review", READERS, ["owner", "analyst", "reviewer", "admin"]),
  "POST /api/reviews/:id/start": its("review", READERS, DESK),
  "POST /api/reviews/:id/decisions": its("review", READERS, DESK),
  "PATCH /api/reviews/:id": its("review", READERS, OWNER),
  "POST /api/reviews/:id/submit": its("review", READERS, OWNER),
  "POST /api/reviews/:id/withdraw": its("review", READERS, OWNER),
  "POST /api/scan": { forAll: true, body: { text: "Hello." } },
  "GET /api/settings": ALL,
  "GET /api/tokens": ALL,
  "POST /api/tokens": { forAll: true, body: {} },
  "GET /api/tokens/:id": its("token", ["owner", "admin", "auditor"]),
  "POST /api/tokens/:id/enable": its("token", ["owner", "admin", "auditor"], OWNER),
  "POST /api/tokens/:id/disable": its("token", ["owner", "admin", "auditor"], OWNER),
  "POST /api/tokens/:id/rotate": its("token", ["owner", "admin", "auditor"], OWNER),
  "POST /api/tokens/:id/revoke": its("token", ["owner", "admin", "auditor"], OWNER),
  "POST /api/registry/imports": { ...ADMIN, body: { document: { servers: [] } } },
  "GET /api/registry/proposals": READING,
  "GET /api/registry/proposals/:id": { of: { id: "serverProposal" }, ...READING },
  "POST /api/registry/proposals/:id/approve": adminOnly("id", "serverProposal", { body: { offer: 9 } }),
  "POST /api/registry/proposals/:id/reject": adminOnly("id", "serverProposal", { body: {} }),
  "GET /api/registry/export": ADMIN,
  "GET /api/tool-servers": ALL,
  "POST /api/tool-servers": { forAll: true, body: { slug: "other", url: "https://127.0.0.1:1/mcp" } },
  "GET /api/tool-servers/:id": its("server", READERS),
  "PATCH /api/tool-servers/:id": its("server", ["owner"], ["owner"], { body: { active: true } }),
  "POST /api/tool-servers/:id/approve": its("server", ["owner"], ["owner"], {
    body: { tools: [{ tool: "send", hash: "x" }] },
  }),
  "PUT /api/tool-servers/:id/assignments/:agent_id": its("server", ["owner"], ["owner"], {
    ...{ of: { id: "server", agent_id: "agent" }, body: {} },
  }),
  "DELETE /api/tool-servers/:id/assignments/:agent_id": its("server", ["owner"], ["owner"], {
    of: { id: "server", agent_id: "agent" },
  }),
  "PUT /api/tool-servers/:id/publication": adminOnly("id", "server", { body: { description: "Reads." } }),
  "DELETE /api/tool-servers/:id/publication": adminOnly("id", "server"),
  "POST /api/tool-servers/:id/authorize": its("server", ["owner"]),
  "POST /api/tool-servers/:id/test": its("server", ["owner"]),
  "DELETE /api/tool-servers/:id": its("server", ["owner"]),
  "GET /api/tuning": ALL,
  "GET /api/tuning/rules": ALL,
  "POST /api/tuning/rules/:id/revert": its("rule", READERS, HANDLERS),
  "GET /api/tuning/:id": its("suggestion", READERS),
  "POST /api/tuning/:id/request-approval": its("suggestion", READERS, HANDLERS),
  "POST /api/tuning/:id/approve": its("suggestion", READERS, DESK),
  "POST /api/tuning/:id/deny": its("suggestion", READERS, DESK),
  "POST /api/tuning/:id/dry-run": its("suggestion", READERS, HANDLERS),
  "POST /api/tuning/:id/edit": its("suggestion", READERS, HANDLERS),
  "POST /api/tuning/:id/apply": its("suggestion", READERS, HANDLERS),
  "POST /api/tuning/:id/reject": its("suggestion", READERS, HANDLERS),
  "GET /api/users": { does: OPERATORS },
  "POST /api/users": { ...ADMIN, body: { email: "new@example.com", role: "member" } },
  "PATCH /api/users/:id": adminOnly("id", "user", { body: { role: "member" } }),
  "POST /api/users/:id/invitation": adminOnly("id", "user"),
  "GET /api/alerts": READING,
  "GET /api/alerts/:id": { of: { id: "alert" }, ...READING },
  "GET /api/alert-rules": READING,
  "POST /api/alert-rules": ADMIN,
  "PATCH /api/alert-rules/:id": adminOnly("id", "alertRule"),
  "GET /api/alert-destinations": ADMIN,
  "POST /api/alert-destinations": { ...ADMIN, body: { name: "x", kind: "slack", url: "https://hooks.invalid/" } },
  "PATCH /api/alert-destinations/:id": adminOnly("id", "alertDestination"),
  "POST /api/alert-destinations/:id/test": adminOnly("id", "alertDestination"),
  "GET /api/alert-silences": READING,
  "POST /api/alert-silences": { ...ADMIN, body: { until: SOON, reason: "A test." } },
  "DELETE /api/alert-silences/:id": adminOnly("id", "alertSilence"),
  "DELETE /api/alert-rules/:id": adminOnly("id", "alertRule"),
  "DELETE /api/alert-destinations/:id": adminOnly("id", "alertDestination"),
  "GET /api/hook-sources": ADMIN,
  "POST /api/hook-sources": { ...ADMIN, body: { name: "x", kind: "cursor" } },
  "POST /api/hook-sources/:id/rotate": adminOnly("id", "hookSource"),
  "POST /api/hook-sources/:id/test": adminOnly("id", "hookSource"),
  "DELETE /api/hook-sources/:id": adminOnly("id", "hookSource"),
  "GET /api/webhooks": ADMIN,
  "POST /api/webhooks": { ...ADMIN, body: { url: "https://hooks.invalid/", events: ["webhook.test"] } },
  "GET /api/webhooks/:id": adminOnly("id", "webhook"),
  "PATCH /api/webhooks/:id": adminOnly("id", "webhook", { body: { active: true } }),
  "GET /api/webhooks/:id/deliveries": adminOnly("id", "webhook"),
  "POST /api/webhooks/:id/rotate": adminOnly("id", "webhook"),
  "POST /api/webhooks/:id/test": adminOnly("id", "webhook"),
  "POST /api/webhooks/deliveries/:did/replay": adminOnly("did", "delivery"),
  "DELETE /api/views/:id": its("view", ["owner"]),
  "GET /api/views": ALL,
  "PUT /api/views": {
    forAll: true,
    body: { screen: "calls", name: "Blocked", query: "decision=block", is_shared: false },
  },
  "DELETE /api/webhooks/:id": adminOnly("id", "webhook"),

  "POST /mcp/gateway": { forAll: true, body: { method: "tools/list" } },
  // Of a session of theirs; they have begun none.
  "GET /mcp/gateway": ALL,
  "DELETE /mcp/gateway": ALL,
  "POST /v1/chat/completions": {
    ...ALL,
    body: { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello." }] },
  },
  "POST /v1/responses": { ...ALL, body: { model: "guardhouse/echo", input: "Hello." } },
  "GET /v1/responses/:id": UNKNOWN,
  "DELETE /v1/responses/:id": UNKNOWN,
  "POST /v1/responses/:id/cancel": UNKNOWN,
  "GET /v1/responses/:id/input_items": UNKNOWN,
  "POST /v1/responses/compact": { ...ALL, body: { model: "guardhouse/echo", input: "Hello." } },
  "POST /v1/responses/input_tokens": { ...ALL, body: { model: "guardhouse/echo", input: "Hello." } },
  "POST /v1/messages": {
    ...ALL,
    body: { model: "guardhouse/echo", max_tokens: 9, messages: [{ role: "user", content: "Hello." }] },
  },
  "POST /v1/messages/count_tokens": {
    ...ALL,
    body: { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello." }] },
  },
  "POST /v1/completions": { ...ALL, body: { model: "guardhouse/echo", prompt: "Hello." } },
  "POST /v1/embeddings": { ...ALL, body: { model: "guardhouse/echo", input: "Hello." } },
  "GET /v1/models": ALL,
  "GET /v1/models/*": { forAll: true, of: { "*": { text: "guardhouse/echo" } } },
  "POST /v1/guard/scan": { forAll: true, body: { text: "Hello." } },
  "POST /v1/guard/hooks/litellm/beta/litellm_basic_guardrail_api": {
    forAll: true,
    body: { input_type: "request", texts: ["Hello."] },
  },
  ...Object.fromEntries(HARNESS_NAMES.map((name) => [`POST /v1/guard/hooks/harness/${name}`, { forAll: true }])),
  "GET /v1/guard/hooks/rules": ALL,
  "POST /v1/guard/hooks/offline": {
    forAll: true,
    body: {
      decisions: [
        {
          ...{ at: "2026-01-01T00:00:00Z", harness: "codex", conversation: null, permission: "allow", kind: "command" },
          ...{ layer: "", rule: "" },
        },
      ],
    },
  },
  "POST /v1/guard/disputes": { forAll: true },
  "POST /v1/guard/miss-reports": { forAll: true, body: { message_content: 1 } },
  "GET /v1/guard/miss-reports": ALL,
  "GET /v1/guard/miss-reports/:id": its("report", HAND),
  "DELETE /v1/guard/miss-reports/:id": its("report", HANDS, HAND),
  "GET /v1/guard/health/:agent_id": { of: { agent_id: "agent" }, sees: HANDS },
  "GET /v1/guard/agents/:agent_id/profile": { of: { agent_id: "agent" }, sees: HANDS },
  "GET /v1/guard/agents/:agent_id/tuning": { of: { agent_id: "agent" }, sees: HANDS },
  "POST /v1/guard/agents/:agent_id/tuning": { of: { agent_id: "agent" }, sees: HANDS, does: HAND },
  "GET /v1/guard/agents/:agent_id/tuning/:rule_id": { of: { agent_id: "agent", rule_id: "rule" }, sees: HANDS },
  "PATCH /v1/guard/agents/:agent_id/tuning/:rule_id": {
    ...{ of: { agent_id: "agent", rule_id: "rule" }, sees: HANDS, does: HAND },
  },
  "DELETE /v1/guard/agents/:agent_id/tuning/:rule_id": {
    ...{ of: { agent_id: "agent", rule_id: "rule" }, sees: HANDS, does: HAND },
  },
  ...suggestionRules("/v1/guard/tuning"),
  ...suggestionRules("/v1/guard/tuning/suggestions"),
};

/** The same under two addresses. */
function suggestionRules(at: string): Readonly<Record<string, Rule>> {
  const its: Rule = { of: { id: "ownSuggestion" }, sees: HANDS, does: HAND };
  return {
    [`GET ${at}`]: ALL,
    [`GET ${at}/:id`]: { ...its, does: HANDS },
    [`GET ${at}/:id/approval-status`]: { ...its, does: HANDS },
    [`POST ${at}/:id/request-approval`]: its,
    [`POST ${at}/:id/apply`]: its,
    [`POST ${at}/:id/reject`]: its,
  };
}
