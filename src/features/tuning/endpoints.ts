import type { ErrorCode } from "#core/errors";
import { Type } from "#core/schema";
import { jsonReply, type Reply } from "#guard/endpoints/idempotency";
import {
  Answered,
  type Audience,
  type ClientTypes,
  endpoint,
  personRouter,
  type RouterNeeds,
  type TokenRouterNeeds,
  tokenEndpoint,
  tokenRouter,
} from "#http/endpoint";
import { Id, oneOf, PAGE_QUERY } from "#http/openapi/schemas";
import { readPage } from "#http/page";
import { personActor } from "#model/change";
import type { Person } from "#model/session";
import type { TuningRule } from "#policy/tuning/rule";
import { SUGGESTION_STATES, type Suggestion } from "#policy/tuning/suggestion";
import type { Applied } from "./application-service";
import type { ApprovalDecision } from "./approval-service";
import type { NamedTuning } from "./named";
import type { RuleOutcome } from "./rule-service";
import {
  Application,
  AppliedResponse,
  ApprovalRequest,
  appliedResponse,
  BY_ID,
  matchResponse,
  NamedRulePage,
  NamedSuggestionPage,
  NewTuningRule,
  outcomeResponse,
  ReadSuggestion,
  Rejection,
  RulePage,
  RuleResponse,
  ruleResponse,
  StatusResponse,
  SuggestionEdit,
  SuggestionPage,
  SuggestionResponse,
  SuggestionTrial,
  statesIn,
  statusResponse,
  suggestionResponse,
  TuningDecision,
  TuningRulePatch,
  TuningTrial,
} from "./schema";
import type { TuningRequester, TuningService } from "./service";
import type { TokenCalls } from "./token-calls";

/* What endpoints for tokens and for people have in common. */

const STATES = Type.String({
  description: `One or several of ${SUGGESTION_STATES.join(", ")}, with commas between.`,
  examples: ["proposed,approved"],
});
const MATCH = { types: ["secret.aws_access_key"], value: { text: "AKIAIOSFODNN7EXAMPLE", of: "match" } };
const DECIDING = ["state_conflict", "stale_base", "no_eligible_approver", "invalid_value"] as const;
const APPLYING: readonly ErrorCode[] = [...DECIDING, "approval_required", "below_floor"];
const SUGGESTED = {
  schema: SuggestionResponse,
  description: "The change loosens: pending approval by another person.",
};
/** In force at once, or waiting for somebody else. */
const OUTCOME = { 200: { schema: RuleResponse, description: "The changed rule." }, 202: SUGGESTED };

const REQUEST = {
  body: { schema: ApprovalRequest, isOptional: true },
  answers: { 202: SuggestionResponse },
  errors: DECIDING,
} as const;
const APPLY = {
  body: { schema: Application, isOptional: true },
  answers: { 200: AppliedResponse },
  errors: APPLYING,
} as const;
const REJECT = { body: Rejection, answers: { 200: SuggestionResponse }, errors: DECIDING } as const;

type TokenTuningNeeds = {
  readonly tuning: TuningService;
  readonly tuningCalls: TokenCalls;
  readonly now: () => number;
};

/** To gateway tokens users and agents are shown by id. */
const byId = (now: () => number) => ({
  suggestion: (one: Suggestion) => suggestionResponse(one, now(), BY_ID),
  rule: (one: TuningRule) => ruleResponse(one, now(), BY_ID),
  applied: (one: Applied) => appliedResponse(one, now(), BY_ID),
  outcome: (one: RuleOutcome, inForce?: number): Reply => {
    const { status, body } = outcomeResponse(one, now(), BY_ID, inForce);
    return jsonReply(status, body);
  },
});

/** Suggestions: published below `/v1/guard/tuning`, and known by a longer name too. */
const suggestionEndpoints = (
  { tuning, tuningCalls: calls, now }: TokenTuningNeeds,
  prefix: "/v1/guard/tuning" | "/v1/guard/tuning/suggestions",
) => {
  const shown = byId(now);
  return [
    tokenEndpoint(`GET ${prefix}`, {
      summary: "List tuning suggestions",
      query: { status: STATES, agent_id: Id, ...PAGE_QUERY },
      answers: { 200: SuggestionPage },
      handler: ({ query: { status, agent_id, ...page }, ...call }) =>
        calls.reading(call, (who) => {
          const wanted = { agent_id, states: statesIn(status) };
          return readPage(page, async (window) => (await tuning.list(who, wanted, window)).map(shown.suggestion));
        }),
    }),
    tokenEndpoint(`GET ${prefix}/:id`, {
      summary: "Get a tuning suggestion",
      answers: { 200: SuggestionResponse },
      handler: ({ params, ...call }) =>
        calls.reading(call, async (who) => shown.suggestion(await tuning.read(who, params.id))),
    }),
    tokenEndpoint(`GET ${prefix}/:id/approval-status`, {
      summary: "Get the approval status and blocking requirements",
      answers: { 200: StatusResponse },
      handler: ({ params, ...call }) =>
        calls.reading(call, async (who) => {
          const { suggestion, status } = await tuning.details(who, params.id);
          return statusResponse(suggestion, status, BY_ID);
        }),
    }),
    tokenEndpoint(`POST ${prefix}/:id/request-approval`, {
      summary: "Request approval by a person",
      isIdempotent: true,
      ...REQUEST,
      handler: ({ params, ...call }) =>
        calls.changing({ ...call, what: `request ${params.id}` }, async (who, { note = null }) =>
          jsonReply(202, shown.suggestion(await tuning.request(who, params.id, note))),
        ),
    }),
    tokenEndpoint(`POST ${prefix}/:id/apply`, {
      summary: "Apply a tuning suggestion",
      isIdempotent: true,
      ...APPLY,
      handler: ({ params, ...call }) =>
        calls.changing({ ...call, what: `apply ${params.id}` }, async (who, body) =>
          jsonReply(200, shown.applied(await tuning.apply(who, params.id, body))),
        ),
    }),
    tokenEndpoint(`POST ${prefix}/:id/reject`, {
      summary: "Reject a tuning suggestion",
      isIdempotent: true,
      ...REJECT,
      handler: ({ params, ...call }) =>
        calls.changing({ ...call, what: `reject ${params.id}` }, async (who, body) =>
          jsonReply(200, shown.suggestion(await tuning.reject(who, params.id, body))),
        ),
    }),
  ];
};

const ruleEndpoints = ({ tuning, tuningCalls: calls, now }: TokenTuningNeeds) => {
  const shown = byId(now);
  return [
    tokenEndpoint("GET /v1/guard/agents/:agent_id/tuning", {
      summary: "List tuning rules of an agent",
      query: PAGE_QUERY,
      answers: { 200: RulePage },
      handler: ({ params, query, ...call }) =>
        calls.reading(call, (who) =>
          readPage(query, async (window) => (await tuning.rulesOf(who, params.agent_id, window)).map(shown.rule)),
        ),
    }),
    tokenEndpoint("POST /v1/guard/agents/:agent_id/tuning", {
      summary: "Create a tuning rule that tightens, or suggest one that loosens",
      isIdempotent: true,
      body: {
        schema: NewTuningRule,
        example: {
          match: MATCH,
          change: { op: "allow" },
          expires_in_days: 30,
          rationale: "The key of the documentation.",
        },
      },
      answers: {
        201: { schema: RuleResponse, description: "The rule tightens and is in force." },
        202: SUGGESTED,
      },
      errors: APPLYING,
      handler: ({ params: { agent_id }, ...call }) =>
        calls.changing({ ...call, what: `set ${agent_id}` }, async (who, body) =>
          shown.outcome(await tuning.setRule(who, agent_id, body), 201),
        ),
    }),
    tokenEndpoint("GET /v1/guard/agents/:agent_id/tuning/:rule_id", {
      summary: "Get a tuning rule",
      answers: { 200: RuleResponse },
      handler: ({ params: { agent_id, rule_id }, ...call }) =>
        calls.reading(call, async (who) => shown.rule(await tuning.rule(who, agent_id, rule_id))),
    }),
    tokenEndpoint("PATCH /v1/guard/agents/:agent_id/tuning/:rule_id", {
      summary: "Change a tuning rule",
      isIdempotent: true,
      body: { schema: TuningRulePatch, example: { mode: "monitor", expires_in_days: 7 } },
      answers: OUTCOME,
      errors: APPLYING,
      handler: ({ params: { agent_id, rule_id }, ...call }) =>
        calls.changing({ ...call, what: `patch ${agent_id} ${rule_id}` }, async (who, body) =>
          shown.outcome(await tuning.changeRule(who, agent_id, rule_id, body)),
        ),
    }),
    tokenEndpoint("DELETE /v1/guard/agents/:agent_id/tuning/:rule_id", {
      summary: "End a tuning rule",
      answers: OUTCOME,
      errors: APPLYING,
      handler: ({ params: { agent_id, rule_id }, ...call }) =>
        calls.changing({ ...call, key: null, what: `delete ${agent_id} ${rule_id}` }, async (who) =>
          shown.outcome(await tuning.endRule(who, agent_id, rule_id)),
        ),
    }),
  ];
};

/** Tuning by gateway token. */
export const tokenTuningRoutes = (needs: TokenTuningNeeds & TokenRouterNeeds) =>
  tokenRouter(needs, [
    ...suggestionEndpoints(needs, "/v1/guard/tuning"),
    ...suggestionEndpoints(needs, "/v1/guard/tuning/suggestions"),
    ...ruleEndpoints(needs),
  ]);

type PersonTuningNeeds = { readonly tuning: TuningService; readonly named: NamedTuning };

const DECIDERS: Audience = { roles: ["reviewer", "admin"] };
const DECIDE = {
  auth: DECIDERS,
  body: { schema: TuningDecision, isOptional: true },
  answers: { 200: SuggestionResponse },
  errors: DECIDING,
} as const;

/** Tuning for signed-in people. No gateway token gets here: nobody's agent approves anything. */
const personEndpoints = ({ tuning, named }: PersonTuningNeeds) =>
  [
    endpoint("GET /api/tuning", {
      summary: "List tuning suggestions",
      query: { status: STATES, effect: oneOf(["loosen", "tighten"]), agent_id: Id, ...PAGE_QUERY },
      answers: { 200: NamedSuggestionPage },
      handler: ({ person, query: { status, effect, agent_id, ...page } }) => {
        const wanted = { agent_id, effect, states: statesIn(status) };
        return readPage(page, async (window) =>
          named.suggestions(await tuning.list(requesterOf(person), wanted, window)),
        );
      },
    }),
    endpoint("GET /api/tuning/rules", {
      summary: "List tuning rules in force",
      query: { agent_id: Id, ...PAGE_QUERY },
      answers: { 200: NamedRulePage },
      handler: ({ person, query: { agent_id, ...page } }) => {
        const who = requesterOf(person);
        return readPage(page, async (window) => named.rules(who, await tuning.rules(who, agent_id, window)));
      },
    }),
    endpoint("POST /api/tuning/rules/:id/revert", {
      summary: "Roll back a tuning rule",
      answers: OUTCOME,
      errors: APPLYING,
      handler: async ({ person, params }) => {
        const { status, body } = await named.outcome(await tuning.revert(requesterOf(person), params.id));
        return new Answered(body, { status });
      },
    }),
    endpoint("GET /api/tuning/:id", {
      summary: "Get a tuning suggestion",
      answers: { 200: ReadSuggestion },
      handler: async ({ person, params }) => named.details(await tuning.details(requesterOf(person), params.id)),
    }),
    endpoint("POST /api/tuning/:id/request-approval", {
      summary: "Request approval by another person",
      ...REQUEST,
      handler: async ({ person, params, body: { note = null } }) =>
        named.suggestion(await tuning.request(requesterOf(person), params.id, note)),
    }),
    endpoint("POST /api/tuning/:id/approve", {
      summary: "Approve a tuning suggestion",
      ...DECIDE,
      handler: async ({ person, params, body }) =>
        named.suggestion(await tuning.approve(requesterOf(person), params.id, decisionOf(body))),
    }),
    endpoint("POST /api/tuning/:id/deny", {
      summary: "Deny a tuning suggestion",
      ...DECIDE,
      handler: async ({ person, params, body }) =>
        named.suggestion(await tuning.deny(requesterOf(person), params.id, decisionOf(body))),
    }),
    endpoint("POST /api/tuning/:id/apply", {
      summary: "Apply a tuning suggestion",
      ...APPLY,
      handler: async ({ person, params, body }) =>
        named.applied(await tuning.apply(requesterOf(person), params.id, body)),
    }),
    endpoint("POST /api/tuning/:id/reject", {
      summary: "Reject a tuning suggestion",
      ...REJECT,
      handler: async ({ person, params, body }) =>
        named.suggestion(await tuning.reject(requesterOf(person), params.id, body)),
    }),
    endpoint("POST /api/tuning/:id/edit", {
      summary: "Edit a tuning suggestion",
      body: { schema: SuggestionEdit, example: { change: { op: "allow" } } },
      answers: { 200: SuggestionResponse },
      errors: APPLYING,
      handler: async ({ person, params, body }) =>
        named.suggestion(await tuning.edit(requesterOf(person), params.id, body)),
    }),
    endpoint("POST /api/tuning/:id/dry-run", {
      summary: "Preview an edit of a tuning suggestion",
      body: { schema: SuggestionTrial, example: { change: { op: "allow" } } },
      answers: { 200: TuningTrial },
      errors: ["state_conflict", "invalid_value", "below_floor"],
      handler: async ({ person, params, body }) => {
        const { match, ...judged } = await tuning.tried(requesterOf(person), params.id, body);
        return { object: "tuning_trial" as const, ...judged, match: matchResponse(match) };
      },
    }),
  ] as const;

export type TuningClient = ClientTypes<ReturnType<typeof personEndpoints>[number]>;

export const personTuningRoutes = (needs: PersonTuningNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Tuning" }, personEndpoints(needs));

const requesterOf = (person: Person): Extract<TuningRequester, { kind: "person" }> => ({
  kind: "person",
  user: person.user,
  by: personActor(person),
});

const decisionOf = ({ reason, comment, content_hash }: TuningDecision): ApprovalDecision => ({
  comment: reason?.trim() || comment?.trim() || null,
  content_hash: content_hash ?? null,
});
