import { bodyOf, type ReadRecord } from "#audit/audit-rows";
import type { AuditFlag, CallFacts } from "#model/audit";
import type { AuditRow } from "#store/port";

/*
 * Audit records as OCSF 1.9.0 events (https://schema.ocsf.io/1.9.0), one for each record:
 *
 *   calls through the guard   → API Activity 6003, profiles ai_operation and security_control.
 *                               activity 99 Other with the name of what was called: a completion is none of
 *                               create, read, update, delete; a probe (guard.scan) and a tool.list are 2 Read.
 *   changes of governance     → Entity Management 3004. `entity` is the thing changed.
 *   auth.refused              → Authentication 3002, activity 1 Logon, status Failure.
 *   everything else           → API Activity 6003, activity 99 Other.
 *
 *   required attribute   from
 *   metadata.uid         record id          metadata.correlation_uid   call_id
 *   time                 at                 metadata.sequence          seq
 *   actor.user.uid       user_id            actor.app_uid              agent_id (the agent acts for the user)
 *   src_endpoint         unknown: records hold no addresses. The token's id stands in as `uid`, else how the actor came in.
 *   api.operation        kind               api.response.code/error    status / code
 *   status_id            1 answered, 2 not, 99 still open
 *   severity_id          1 informational, 2 low (redacted), 3 medium (blocked), from what the guard did
 *   action_id            1 allowed, 2 denied; disposition_id 1 allowed, 2 blocked, 11 corrected (redacted), 17 logged (flagged)
 *   ai_model             model, provider    message_context            token counts, conversation
 *   unmapped             the rest: flags with types, scores and spans, coverage, policy, chain hashes
 */

const OCSF_VERSION = "1.9.0";
const API_ACTIVITY = {
  class_uid: 6003,
  class_name: "API Activity",
  category_uid: 6,
  category_name: "Application Activity",
};
const ENTITY_MANAGEMENT = {
  class_uid: 3004,
  class_name: "Entity Management",
  category_uid: 3,
  category_name: "Identity & Access Management",
};
const AUTHENTICATION = { ...ENTITY_MANAGEMENT, class_uid: 3002, class_name: "Authentication" };

/** Verbs of governance as OCSF's four activities; what is none of them is Update. */
const ACTIVITIES: Readonly<Record<string, { id: number; name: string }>> = {
  create: { id: 1, name: "Create" },
  import: { id: 1, name: "Create" },
  add: { id: 1, name: "Create" },
  revoke: { id: 4, name: "Delete" },
  remove: { id: 4, name: "Delete" },
};
/** Calls that look and change nothing. */
const READING: ReadonlySet<string> = new Set([
  "guard.scan",
  "tool.list",
  "resource.list",
  "resource.templates",
  "resource.read",
  "resource.complete",
  "resource.subscribe",
  "resource.unsubscribe",
  "prompt.list",
  "prompt.get",
  "prompt.complete",
]);
const UPDATE = { id: 3, name: "Update" };
const READ = { id: 2, name: "Read" };
const LOGON = { id: 1, name: "Logon" };

const DISPOSITIONS: Readonly<Record<CallFacts["action"], { id: number; name: string; severity: number }>> = {
  allow: { id: 1, name: "Allowed", severity: 1 },
  flag: { id: 17, name: "Logged", severity: 1 },
  redact: { id: 11, name: "Corrected", severity: 2 },
  block: { id: 2, name: "Blocked", severity: 3 },
};
const SEVERITIES = ["Unknown", "Informational", "Low", "Medium"];

const statusOf = ({ outcome }: ReadRecord): { status_id: number; status: string; status_detail: string } => {
  const status_detail = outcome ?? "unknown";
  if (outcome === "answered" || outcome === "done") return { status_id: 1, status: "Success", status_detail };
  if (outcome === "open") return { status_id: 99, status: "Open", status_detail };
  return { status_id: 2, status: "Failure", status_detail };
};

const actorOf = ({ actor }: ReadRecord) => ({
  ...(actor?.user_id && { user: { uid: actor.user_id, type_id: 1, type: "User" } }),
  ...(actor?.agent_id && { app_uid: actor.agent_id }),
  app_name: actor?.agent_id ? "agent" : `guardhouse ${actor?.via ?? "system"}`,
});

const classOf = ({ kind = "", call, change }: ReadRecord) => {
  if (change) return { ocsf: ENTITY_MANAGEMENT, activity: ACTIVITIES[kind.split(".").at(-1) ?? ""] ?? UPDATE };
  if (kind === "auth.refused") return { ocsf: AUTHENTICATION, activity: LOGON };
  return { ocsf: API_ACTIVITY, activity: call && READING.has(kind) ? READ : { id: 99, name: kind } };
};

const headOf = (row: AuditRow, record: ReadRecord, severity: number) => {
  const { ocsf, activity } = classOf(record);
  return {
    ...ocsf,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: ocsf.class_uid * 100 + activity.id,
    type_name: `${ocsf.class_name}: ${activity.name}`,
    time: Date.parse(record.at ?? "") || 0,
    severity_id: severity,
    severity: SEVERITIES[severity],
    ...statusOf(record),
    message: `${record.kind ?? "unknown"}: ${record.outcome ?? "unknown"}`,
    actor: actorOf(record),
    metadata: {
      version: OCSF_VERSION,
      product: { name: "Guardhouse", vendor_name: "Guardhouse" },
      uid: record.id,
      correlation_uid: record.call_id,
      event_code: record.kind,
      sequence: row.seq,
      ...(row.node !== undefined && { log_name: row.node }),
      ...(record.call && { profiles: ["ai_operation", "security_control"] }),
    },
  };
};

const endpointOf = ({ actor }: ReadRecord) => ({
  uid: actor?.token_id ?? undefined,
  svc_name: actor?.via ?? "unknown",
});

const flagOf = ({ type, action, would, score, origin, param, start, end, detector, source }: AuditFlag) => ({
  type,
  action,
  ...(would && { would }),
  score,
  origin,
  param,
  start,
  end,
  detector,
  ...(source !== undefined && { source }),
});

const callEvent = (row: AuditRow, record: ReadRecord, call: CallFacts) => {
  const { id, name, severity } = DISPOSITIONS[call.action] ?? DISPOSITIONS.allow;
  const isDenied = call.action === "block" || record.outcome === "refused";
  return {
    ...headOf(row, record, severity),
    duration: Math.round(call.ms.total),
    action_id: isDenied ? 2 : 1,
    action: isDenied ? "Denied" : "Allowed",
    disposition_id: id,
    disposition: name,
    is_alert: call.action === "block",
    policy: { uid: String(call.policy_revision), name: "guardhouse", version: String(call.policy_revision) },
    api: {
      operation: record.kind,
      request: { uid: record.call_id },
      response: { code: call.status, ...(call.code !== null && { error: call.code }) },
    },
    src_endpoint: endpointOf(record),
    ...(call.model !== null && { ai_model: { name: call.model, ai_provider: call.provider ?? "unknown" } }),
    message_context: {
      service: { name: "guardhouse" },
      ...(call.conversation_id !== null && { uid: call.conversation_id }),
      ...(call.usage ?? {}),
    },
    unmapped: {
      phase: record.phase,
      event_id: call.event_id,
      mode: call.mode,
      flags: call.flags.map(flagOf),
      coverage: call.coverage,
      finish_reasons: call.finish_reasons,
      ms: call.ms,
      ...(call.tool && { tool: call.tool }),
      hash: row.hash,
      prev_hash: row.prev_hash,
    },
  };
};

/** One audit record as one OCSF event; `version` is the hub's own. */
export const ocsfEvent = (row: AuditRow, version: string): Readonly<Record<string, unknown>> => {
  const { metadata, ...event } = eventOf(row);
  return { ...event, metadata: { ...metadata, product: { ...metadata.product, version } } };
};

const eventOf = (row: AuditRow) => {
  const record = bodyOf(row);
  const { call, change } = record;
  if (call) return callEvent(row, record, call);
  const chain = { hash: row.hash, prev_hash: row.prev_hash };
  if (change) {
    const entity = { uid: change.subject_id, type: change.subject, data: change.detail };
    return { ...headOf(row, record, 1), entity, unmapped: chain };
  }
  if (record.kind === "auth.refused") {
    // 3002 requires a user; who was refused is not known.
    return { ...headOf(row, record, 2), user: { name: "unknown", type_id: 0 }, unmapped: chain };
  }
  return {
    ...headOf(row, record, 1),
    api: { operation: record.kind },
    src_endpoint: endpointOf(record),
    unmapped: chain,
  };
};
