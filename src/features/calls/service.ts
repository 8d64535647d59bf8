import { GuardError } from "#core/errors";
import type { Rules } from "#guard/enforcement/policy-resolver";
import type { Agent } from "#model/agent";
import type { AuditRecord } from "#model/audit";
import { type Actor, changeRecord } from "#model/change";
import { usdOf } from "#model/money";
import { callScopeOf, isTheirCall, mayReadContent, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Restriction } from "#policy/restrictions/restriction";
import type { CallField, CallFilter, CallIndex, Looked, ValueQuestion } from "#store/call-index-port";
import type { ContentStore, ProfileStore, RestrictionStore } from "#store/governance-port";
import type { ReportStore, SuggestionStore, TuningStore } from "#store/loop-port";
import type { TokenStore } from "#store/port";
import type { AuditRow } from "#store/record";
import { policyOf, restrictionResponse, restrictionsAt, tunedIn } from "./explanation";
import { exportOf } from "./export";
import type { WantedCalls } from "./query";
import type { CallDetail, CallPage, CallPolicy, CallRow, CallTotals, CallValues } from "./schema";
import { type CallNames, recordOf, shownFacts, shownRow } from "./schema";

type CallServiceNeeds = {
  readonly calls: Pick<CallIndex, "search" | "sums" | "values" | "byCall" | "byEvent" | "byRecord">;
  readonly people: {
    user(id: string): User | null;
    agent(id: string): Agent | null;
    agentsOf(ownerId: string): readonly Agent[];
  };
  readonly tokens: Pick<TokenStore, "byId">;
  readonly content: Pick<ContentStore, "ofCall">;
  readonly profiles: Pick<ProfileStore, "byVersion">;
  readonly restrictions: Pick<RestrictionStore, "ofAgent">;
  readonly reports: Pick<ReportStore, "list">;
  readonly suggestions: Pick<SuggestionStore, "byId">;
  readonly tuning: Pick<TuningStore, "byId">;
  /** What a caller is held to now. */
  readonly rulesOfAgent: (agentId: string) => Rules;
  readonly rulesOfUser: (userId: string) => Rules;
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Milliseconds a list looks; then it answers with what it has found, and where to go on. */
const PATIENCE_MS = 120;

/** The audit log as people look things up in it. Somebody else's calls answer as what does not exist. */
export class CallService {
  constructor(private readonly deps: CallServiceNeeds) {}

  /** Newest first, or in the order that is asked for. */
  async list(user: User, { filter, order, before, limit }: WantedCalls): Promise<CallPage> {
    const { calls } = this.deps;
    const wanted = { filter, scope: this.scopeOf(user), before, limit, patienceMs: PATIENCE_MS };
    const found = await calls.search({ ...wanted, order });
    return {
      object: "list",
      data: await this.shown(user, found.rows),
      has_more: found.next !== null,
      next_cursor: found.next,
      scanned_until: momentOf(found),
      behind: found.behind,
    };
  }

  /** What all that match come to, or the newest of them where there are too many. */
  async totals(user: User, filter: CallFilter): Promise<CallTotals> {
    const { calls } = this.deps;
    const { sum, ...looked } = await calls.sums({ filter, scope: this.scopeOf(user), patienceMs: PATIENCE_MS });
    return {
      object: "call_totals",
      calls: sum.calls,
      tokens: { total: sum.tokens, prompt: sum.prompt, completion: sum.completion, cached: sum.cached },
      cost_usd: usdOf(sum.cost),
      estimated_calls: sum.estimated,
      unpriced_calls: sum.unpriced,
      ...shownLooked(looked),
    };
  }

  /** What values a field has, those that come to the most first. */
  async values(
    user: User,
    filter: CallFilter,
    wanted: Pick<ValueQuestion, "by" | "order" | "most">,
  ): Promise<CallValues> {
    const { by } = wanted;
    const question = { filter, scope: this.scopeOf(user), patienceMs: PATIENCE_MS, ...wanted };
    const { values, ...looked } = await this.deps.calls.values(question);
    const names = await this.namesFor(by === "token_id" ? values.map(({ value }) => value) : []);
    return {
      object: "list",
      data: values.map(({ value, sum }) => ({
        value,
        label: labelOf(names, by, value),
        calls: sum.calls,
        tokens: sum.tokens,
        cost_usd: usdOf(sum.cost),
      })),
      ...shownLooked(looked),
    };
  }

  /** As CSV, newest first, read as it is sent; that somebody took it is on record first. */
  async export(by: Actor, user: User, filter: CallFilter): Promise<ReadableStream<Uint8Array>> {
    const { ids, now, writeRecord, calls } = this.deps;
    const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    const change = { kind: "call.export", by, subject: "call", subject_id: ids(), detail: { format: "csv", ...asked } };
    await writeRecord(changeRecord(change, { id: ids(), at: now() }));
    const scope = this.scopeOf(user);
    return exportOf(
      (before, limit) => calls.search({ filter, scope, before, limit, patienceMs: PATIENCE_MS }),
      (rows) => this.shown(user, rows),
    );
  }

  private scopeOf(user: User): ReturnType<typeof callScopeOf> {
    return callScopeOf(user, this.deps.people.agentsOf(user.id));
  }

  /** The index answers by hashes; who may see a record is decided on the record itself. */
  private async shown(user: User, rows: readonly AuditRow[]): Promise<CallRow[]> {
    const records = rows.flatMap((row) => recordOf(row) ?? []).filter((record) => this.isVisible(user, record));
    const names = await this.namesFor(records.map(({ actor }) => actor.token_id));
    return records.map((record) => shownRow(record, names));
  }

  /** What people know ids as: users and agents, and these tokens. */
  async namesFor(tokenIds: readonly (string | null)[]): Promise<CallNames> {
    const { people, tokens } = this.deps;
    const ids = [...new Set(tokenIds)].flatMap((id) => id ?? []);
    const found = await Promise.all(ids.map((id) => tokens.byId(id)));
    const known = new Map(
      found.flatMap((token) => (token === null ? [] : [[token.id, token.name ?? token.display] as const])),
    );
    return {
      user: (id) => people.user(id)?.email ?? null,
      agent: (id) => people.agent(id)?.name ?? null,
      token: (id) => known.get(id) ?? null,
    };
  }

  /** By the call's id, its event's or its record's. Throws `not_found`. */
  async get(user: User, id: string): Promise<CallDetail> {
    const { row, record } = await this.visible(user, id);
    const { call, actor } = record;
    const all = actor.agent_id === null ? [] : await this.deps.restrictions.ofAgent(actor.agent_id);
    const then = call ? restrictionsAt(all, record) : [];
    return {
      object: "call",
      ...shownRow(record, await this.namesFor([actor.token_id])),
      seq: row.seq,
      hash: row.hash,
      ...shownFacts(record),
      restrictions: then.map(restrictionResponse),
      policy: call ? await this.policy(record, then) : null,
      ...(await this.consequences(record)),
      content: await this.content(user, record),
      is_own: this.isOwn(user, record),
    };
  }

  /** What a report of it begins with. Throws `not_found`, also for what one may only read. */
  async own(user: User, id: string): Promise<Pick<CallRow, "event_id" | "agent_id" | "conversation_id">> {
    const { record } = await this.visible(user, id);
    if (!this.isOwn(user, record)) throw noCall();
    return shownRow(record, await this.namesFor([]));
  }

  private isOwn(user: User, { call, actor }: AuditRecord): boolean {
    return call !== undefined && this.isTheirs(user, actor);
  }

  /** By any id of a call. Throws `not_found`, also for what somebody may not see. */
  async visible(user: User, id: string): Promise<{ row: AuditRow; record: AuditRecord }> {
    if (!isUuid(id)) throw noCall();
    const known = id.toLowerCase();
    const { calls } = this.deps;
    const row = (await calls.byEvent(known)) ?? (await calls.byRecord(known)) ?? (await calls.byCall(known));
    const record = row && recordOf(row);
    if (!row || !record || !this.isVisible(user, record)) throw noCall();
    return { row, record };
  }

  /** One's own, those of one's agents, or all for who looks after them. */
  private isVisible(user: User, { actor }: AuditRecord): boolean {
    return READING_ROLES.includes(user.role) || this.isTheirs(user, actor);
  }

  private isTheirs(user: User, actor: AuditRecord["actor"]): boolean {
    return isTheirCall(user, actor, (id) => this.deps.people.agent(id)?.owner_id ?? null);
  }

  private async policy({ call, actor }: AuditRecord, then: readonly Restriction[]): Promise<CallPolicy | null> {
    const { profiles, tuning, rulesOfAgent, rulesOfUser, restrictionsOf } = this.deps;
    const { agent_id, user_id } = actor;
    if (!call || (agent_id === null && user_id === null)) return null;
    const rules = agent_id === null ? rulesOfUser(user_id ?? "") : rulesOfAgent(agent_id);
    const version = call.profile_version;
    const named = await Promise.all(tunedIn(call).map((id) => tuning.byId(id)));
    return policyOf(call, {
      effective: rules.effective,
      policyRevision: rules.policy.revision,
      tuningRevision: rules.exceptionMatcher.revision,
      profile: agent_id === null || version === null ? null : await profiles.byVersion(agent_id, version),
      rules: named.flatMap((rule) => rule ?? []),
      then,
      now: agent_id === null ? [] : restrictionsOf(agent_id),
    });
  }

  /** What came of it: reports, and what was suggested because of them. */
  private async consequences({ call, actor }: AuditRecord): Promise<Pick<CallDetail, "reports" | "suggestions">> {
    const event = call?.event_id ?? null;
    if (event === null) return { reports: [], suggestions: [] };
    const whose = actor.agent_id === null ? { user_id: actor.user_id ?? "" } : { agent_id: actor.agent_id };
    const reports = await this.deps.reports.list({ ...whose, event_id: event });
    const ids = reports.flatMap(({ tuning_suggestion_id }) => tuning_suggestion_id ?? []);
    const suggestions = await Promise.all([...new Set(ids)].map((id) => this.deps.suggestions.byId(id)));
    return {
      reports: reports.map(({ id, direction, status }) => ({ id, direction, status })),
      suggestions: suggestions.flatMap((one) => (one ? [{ id: one.id, status: one.status }] : [])),
    };
  }

  private async content(user: User, { call, call_id, actor }: AuditRecord): Promise<CallDetail["content"]> {
    const kept = call
      ? (await this.deps.content.ofCall(call_id)).filter((one) => one.expires_at > this.deps.now())
      : [];
    const last = Math.max(...kept.map(({ expires_at }) => expires_at));
    const agent = actor.agent_id === null ? null : this.deps.people.agent(actor.agent_id);
    const owner_id = agent?.owner_id ?? actor.user_id ?? "";
    return {
      kept: kept.length > 0,
      readable: kept.length > 0 && mayReadContent(user, { owner_id }),
      expires_at: kept.length === 0 ? null : timestamp(last),
    };
  }
}

const momentOf = ({ scannedUntil }: Pick<Looked, "scannedUntil">): string | null =>
  scannedUntil === null ? null : timestamp(scannedUntil);

const shownLooked = (looked: Looked) => ({
  is_complete: looked.scannedUntil === null,
  scanned_until: momentOf(looked),
  behind: looked.behind,
});

const labelOf = (names: CallNames, by: CallField, value: string): string => {
  if (by === "user_id") return names.user(value) ?? value;
  if (by === "agent_id") return names.agent(value) ?? value;
  return by === "token_id" ? (names.token(value) ?? value) : value;
};

const noCall = (): GuardError => new GuardError("not_found", "There is no such call.", { param: "id" });
