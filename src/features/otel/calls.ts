import type { TracedCall } from "#guard/call-trace";
import type { AuditFlag, AuditRecord, CallFacts, ToolFacts } from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { type ModelCallKind, SPOKEN } from "#model/model-api";
import { type Attributes, type LogEntry, type SeverityName, SPAN_KIND, type Span, STATUS } from "./otlp";
import type { Address, TracedProvider } from "./peers";

/*
 * Spans and log records of a call, made of its audit record: nothing that a record does not say is told, so nothing of
 * what was asked or answered is. Names beginning with `gen_ai`, `mcp`, `http` and so on are OpenTelemetry's semantic
 * conventions, which `test/features/otel/conventions.json` lists with their source; `guardhouse` is the hub's own.
 */

/** What a record names by an id or a name alone. */
export type Names = {
  readonly agent: (id: string) => string | null;
  readonly provider: (name: string) => TracedProvider | null;
  /** Null for a tool server without an address of its own, such as a program. */
  readonly toolServer: (id: string) => { readonly address: Address | null } | null;
  /** `http` or `https`, as callers reach the hub. */
  readonly scheme: () => string;
};

/** A call that is on record as one. */
type Call = TracedCall & { readonly facts: CallFacts };

/** Where callers reach each kind of call to a model. */
const ROUTES: Readonly<Record<ModelCallKind, readonly [method: string, route: string]>> = {
  "chat.completion": ["POST", SPOKEN.chat.path],
  "responses.create": ["POST", SPOKEN.responses.path],
  "responses.compact": ["POST", `${SPOKEN.responses.path}/compact`],
  "responses.input_tokens": ["POST", `${SPOKEN.responses.path}/input_tokens`],
  "responses.retrieve": ["GET", `${SPOKEN.responses.path}/{id}`],
  "responses.delete": ["DELETE", `${SPOKEN.responses.path}/{id}`],
  "responses.cancel": ["POST", `${SPOKEN.responses.path}/{id}/cancel`],
  "responses.input_items": ["GET", `${SPOKEN.responses.path}/{id}/input_items`],
  "messages.create": ["POST", SPOKEN.messages.path],
  "messages.count_tokens": ["POST", `${SPOKEN.messages.path}/count_tokens`],
  embedding: ["POST", SPOKEN.embeddings.path],
  completion: ["POST", SPOKEN.completions.path],
};

/** `gen_ai.operation.name` where the conventions have a word for it; the kind of the call elsewhere. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "chat.completion": "chat",
  "responses.create": "chat",
  "messages.create": "chat",
  embedding: "embeddings",
  completion: "text_completion",
};

const METHODS: Readonly<Record<string, string>> = {
  "tool.call": "tools/call",
  "tool.list": "tools/list",
  "resource.list": "resources/list",
  "resource.templates": "resources/templates/list",
  "resource.read": "resources/read",
  "resource.complete": "completion/complete",
  "resource.subscribe": "resources/subscribe",
  "resource.unsubscribe": "resources/unsubscribe",
  "prompt.list": "prompts/list",
  "prompt.get": "prompts/get",
  "prompt.complete": "completion/complete",
};

/** Bits of a span's flags: it is known whether the parent is of another process, and it is. */
const KNOWS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

const callOf = (traced: TracedCall): Call | null => {
  const { call } = traced.record;
  return call === undefined ? null : { ...traced, facts: call };
};

/** The call as it came, and what a provider or tool server did of it where it was sent on. */
export const spansOf = (traced: TracedCall, names: Names): Span[] => {
  const call = callOf(traced);
  if (call === null) return [];
  const upstream = upstreamSpan(call, names);
  return upstream === null ? [serverSpan(call, names)] : [serverSpan(call, names), upstream];
};

const serverSpan = (call: Call, names: Names): Span => {
  const { trace, facts } = call;
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentId: trace.parentId,
    traceState: trace.traceState,
    flags: trace.flags | KNOWS_REMOTE | (trace.parentId === null ? 0 : IS_REMOTE),
    name: serverName(call),
    kind: SPAN_KIND.server,
    start: trace.startedAt,
    end: trace.startedAt + facts.ms.total,
    attributes: (to) => tellServer(to, call, names),
    status: facts.status >= 500 ? STATUS.error : STATUS.unset,
  };
};

const serverName = ({ record: { kind }, facts }: Call): string => {
  if (isTool(facts)) return named(METHODS[kind] ?? kind, facts.tool.name);
  return isModelKind(kind) ? ROUTES[kind].join(" ") : kind;
};

const named = (what: string, name: string | null): string => (name === null ? what : `${what} ${name}`);

const tellServer = (to: Attributes, call: Call, names: Names): void => {
  const { record, facts } = call;
  if (isTool(facts)) tellMcp(to, record.kind, facts.tool);
  else tellHttp(to, call, names.scheme());
  tellVerdict(to, call, names);
  const isError = facts.status >= 500 || facts.tool?.is_error === true;
  if (isError) to.string("error.type", facts.code ?? (isTool(facts) ? "tool_error" : String(facts.status)));
};

type ToolCallFacts = CallFacts & { readonly tool: ToolFacts };

const isTool = (facts: CallFacts): facts is ToolCallFacts => facts.tool !== undefined;

const tellMcp = (to: Attributes, kind: string, { name }: ToolFacts): void => {
  to.string("mcp.method.name", METHODS[kind] ?? kind);
  if (kind === "tool.call") to.string("gen_ai.operation.name", "execute_tool").string("gen_ai.tool.name", name);
};

const isModelKind = (kind: string): kind is ModelCallKind => Object.hasOwn(ROUTES, kind);

const tellHttp = (to: Attributes, { record: { kind }, facts }: Call, scheme: string): void => {
  to.int("http.response.status_code", facts.status);
  if (!isModelKind(kind)) return;
  const [method, route] = ROUTES[kind];
  to.string("http.request.method", method).string("http.route", route).string("url.scheme", scheme);
  // Paths with an id in them are not told: the id is the caller's.
  if (!route.includes("{")) to.string("url.path", route);
};

/** Whose call it was and what the hub decided. */
const tellVerdict = (to: Attributes, { record, facts }: Call, names: Names): void => {
  const { actor } = record;
  to.ownString("guardhouse.call.id", record.call_id)
    .string("guardhouse.call.kind", record.kind)
    .string("guardhouse.decision", decisionOf(record))
    .string("guardhouse.outcome", record.outcome)
    .string("guardhouse.mode", facts.mode)
    .string("guardhouse.error.code", facts.code)
    .ownString("guardhouse.event.id", facts.event_id)
    .string("guardhouse.user.id", actor.user_id)
    .string("guardhouse.token.id", actor.token_id)
    .string("guardhouse.agent.id", actor.agent_id)
    .string("guardhouse.agent.name", actor.agent_id && names.agent(actor.agent_id))
    .string("guardhouse.model", facts.model)
    .string("guardhouse.provider", facts.provider)
    .string("guardhouse.tool_server", facts.tool?.server)
    .string("guardhouse.denied_by.layer", facts.denied_by?.layer ?? facts.tool?.denied_by)
    .string("guardhouse.denied_by.rule", facts.denied_by?.rule)
    .int("guardhouse.policy.revision", facts.policy_revision)
    .int("guardhouse.profile.version", facts.profile_version)
    .int("guardhouse.finding.count", facts.flags.length)
    .strings("guardhouse.finding.types", typesOf(facts.flags))
    .int("guardhouse.unscanned.count", facts.coverage.input.unscanned.length + facts.coverage.output.unscanned.length)
    .int("guardhouse.attempts", facts.attempts)
    .double("guardhouse.guard.duration", facts.ms.guard / 1_000)
    .double("guardhouse.upstream.duration", facts.ms.upstream / 1_000)
    .double("guardhouse.cost.usd", facts.cost_usd)
    .string("guardhouse.cost.basis", facts.cost_basis);
};

const MAX_TYPES = 32;

const typesOf = (flags: readonly AuditFlag[]): readonly string[] =>
  flags.length === 0 ? NO_TYPES : [...new Set(flags.map(({ type }) => type))].slice(0, MAX_TYPES);

const NO_TYPES: readonly string[] = [];

const upstreamSpan = (call: Call, names: Names): Span | null => {
  const { trace, facts } = call;
  const { upstream } = trace;
  if (upstream === null || facts.attempts === 0) return null;
  const error = upstreamError(call);
  const start = trace.startedAt + upstream.sentAfter;
  const end = trace.startedAt + facts.ms.total;
  return {
    traceId: trace.traceId,
    spanId: upstream.spanId,
    parentId: trace.spanId,
    traceState: trace.traceState,
    flags: trace.flags | KNOWS_REMOTE,
    name: isTool(facts) ? named("tools/call", facts.tool.tool) : named(operationOf(call), upstreamModel(facts)),
    kind: SPAN_KIND.client,
    start: Math.min(start, end),
    // A stream goes on until its call ends.
    end: facts.stream ? end : Math.min(start + facts.ms.upstream, end),
    attributes: (to) => {
      if (isTool(facts)) tellToolCall(to, facts.tool, names);
      else tellInference(to, call, names);
      to.string("error.type", error);
    },
    status: error === null ? STATUS.unset : STATUS.error,
  };
};

/** What went wrong there, as far as it was their doing or they were told to stop; null for nothing. */
const upstreamError = ({ record: { outcome }, facts }: Call): string | null => {
  if (outcome === "upstream_error" || outcome === "client_closed" || outcome === "interrupted")
    return facts.code ?? outcome;
  return facts.tool?.is_error === true && outcome === "answered" ? "tool_error" : null;
};

const tellToolCall = (to: Attributes, { tool, server, server_id }: ToolFacts, names: Names): void => {
  const at = server_id === null ? null : names.toolServer(server_id);
  to.string("mcp.method.name", "tools/call")
    .string("gen_ai.operation.name", "execute_tool")
    .string("gen_ai.tool.name", tool)
    .string("guardhouse.tool_server", server)
    .string("network.transport", at && (at.address === null ? "pipe" : "tcp"));
  addressIn(to, at?.address);
};

const addressIn = (to: Attributes, address: Address | null | undefined): void => {
  to.string("server.address", address?.host).int("server.port", address?.port);
};

const operationOf = ({ record: { kind } }: Call): string => OPERATIONS[kind] ?? kind;

const upstreamModel = ({ upstream_model, model }: CallFacts): string | null => upstream_model ?? model;

const tellInference = (to: Attributes, call: Call, names: Names): void => {
  const { record, facts, trace } = call;
  const { usage, provider } = facts;
  const known = provider === null ? null : names.provider(provider);
  to.string("gen_ai.operation.name", operationOf(call))
    .string("gen_ai.provider.name", known?.genAiName ?? provider ?? "_OTHER")
    .string("gen_ai.request.model", upstreamModel(facts))
    .bool("gen_ai.request.stream", facts.stream ? true : null)
    .ownString("gen_ai.conversation.id", facts.conversation_id)
    .ownString("gen_ai.response.id", trace.answer.id)
    .string("gen_ai.response.model", trace.answer.model)
    .strings("gen_ai.response.finish_reasons", facts.finish_reasons)
    .ownInt("gen_ai.usage.input_tokens", usage?.prompt_tokens)
    .ownInt("gen_ai.usage.output_tokens", usage?.completion_tokens)
    .ownInt("gen_ai.usage.cache_read.input_tokens", usage?.cached_tokens)
    .ownInt("gen_ai.usage.cache_creation.input_tokens", usage?.cache_write_tokens)
    .ownInt("gen_ai.usage.reasoning.output_tokens", usage?.reasoning_tokens)
    .string("gen_ai.agent.id", record.actor.agent_id)
    .string("gen_ai.agent.name", record.actor.agent_id && names.agent(record.actor.agent_id))
    .string("guardhouse.provider", provider);
  addressIn(to, known?.address);
};

/** Findings of a call that are told one by one; `guardhouse.finding.count` says how many there were. */
const MAX_FINDINGS = 32;

/** One of the call, and one of each finding. */
export const logsOf = (traced: TracedCall, names: Names): LogEntry[] => {
  const call = callOf(traced);
  if (call === null) return [];
  return [callLog(call, names), ...call.facts.flags.slice(0, MAX_FINDINGS).map((flag) => findingLog(call, flag))];
};

const severityOf = (record: AuditRecord): SeverityName => {
  const decision = decisionOf(record);
  if (decision === "error") return "error";
  return decision === "block" || decision === "refused" ? "warn" : "info";
};

const logOf = ({ trace, record }: Call): Pick<LogEntry, "at" | "observedAt" | "traceId" | "spanId" | "flags"> => {
  const at = Date.parse(record.at);
  return { at, observedAt: at, traceId: trace.traceId, spanId: trace.spanId, flags: trace.flags };
};

const callLog = (call: Call, names: Names): LogEntry => {
  const { record, facts } = call;
  return {
    ...logOf(call),
    severity: severityOf(record),
    eventName: "guardhouse.call",
    body: `${record.kind}: ${decisionOf(record)}`,
    attributes: (to) => {
      tellVerdict(to, call, names);
      to.int("http.response.status_code", facts.status)
        .ownString("gen_ai.conversation.id", facts.conversation_id)
        .string("gen_ai.tool.name", facts.tool?.name)
        .ownInt("gen_ai.usage.input_tokens", facts.usage?.prompt_tokens)
        .ownInt("gen_ai.usage.output_tokens", facts.usage?.completion_tokens);
    },
  };
};

const findingLog = (call: Call, flag: AuditFlag): LogEntry => ({
  ...logOf(call),
  severity: flag.action === "block" ? "warn" : "info",
  eventName: "guardhouse.finding",
  body: `${flag.type}: ${flag.action}`,
  attributes: (to) => {
    to.ownString("guardhouse.call.id", call.record.call_id)
      .ownString("guardhouse.event.id", call.facts.event_id)
      .string("guardhouse.agent.id", call.record.actor.agent_id)
      .string("guardhouse.finding.type", flag.type)
      .string("guardhouse.finding.action", flag.action)
      .string("guardhouse.finding.would", flag.would)
      .string("guardhouse.finding.origin", flag.origin)
      .string("guardhouse.finding.detector", flag.detector)
      .double("guardhouse.finding.score", flag.score)
      .string("guardhouse.finding.layer", flag.layer)
      .string("guardhouse.finding.rule", flag.rule)
      .string("guardhouse.finding.tuning_rule", flag.tuned);
  },
});
