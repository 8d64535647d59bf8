import { GuardError } from "#core/errors";
import type { Rules } from "#guard/enforcement/policy-resolver";
import type { Agent } from "#model/agent";
import type { AuditRecord } from "#model/audit";
import { callScopeOf, mayReadContent, ownerOfCall, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import { isUuid } from "#platform/ids";
import { slices } from "#platform/slices";
import type { Restriction } from "#policy/restrictions/restriction";
import type { CallIndex } from "#store/call-index-port";
import type { ContentStore, ProfileStore, RestrictionStore } from "#store/governance-port";
import type { ReportStore, SuggestionStore, TuningStore } from "#store/loop-port";
import type { AuditRow } from "#store/record";
import { CallSums } from "./call-sums";
import { policyOf, restrictionResponse, restrictionsAt, tunedIn } from "./explanation";
import type { WantedCalls } from "./query";
import type { CallDetail, CallPage, CallPolicy, CallRow, CallTotals } from "./schema";
import { type CallNames, recordOf, shownFacts, shownRow } from "./schema";

type CallServiceNeeds = {
  readonly calls: Pick<CallIndex, "search" | "byCall" | "byEvent" | "byRecord">;
  readonly people: {
    user(id: string): User | null;
    agent(id: string): Agent | null;
    agentsOf(ownerId: string): readonly Agent[];
  };
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
  readonly now: Clock;
};

/** Milliseconds a list looks; then it answers with what it has found, and where to go on. */
const PATIENCE_MS = 120;

/** Calls that are added up in one answer, and read at a time. */
const MAX_SUMMED = 5_000;
const PAGE = 100;

/** The audit log as people look things up in it. Somebody else's calls answer as what does not exist. */
export class CallService {
  private readonly names: CallNames;

  constructor(private readonly deps: CallServiceNeeds) {
    const { people } = deps;
    this.names = {
      user: (id) => people.user(id)?.email ?? null,
      agent: (id) => people.agent(id)?.name ?? null,
    };
  }

  /** Newest first. */
  async list(user: User, { filter, before, limit }: WantedCalls): Promise<CallPage> {
    const { calls, people } = this.deps;
    const scope = callScopeOf(user, people.agentsOf(user.id));
    const found = await calls.search({ filter, scope, before, limit, patienceMs: PATIENCE_MS });
    const records = found.rows.flatMap((row) => recordOf(row) ?? []);
    return {
      object: "list",
      // The index answers by hashes; who may see a record is decided on the record itself.
      data: records.filter((record) => this.isVisible(user, record)).map((record) => shownRow(record, this.names)),
      has_more: found.next !== null,
      next_cursor: found.next,
      scanned_until: found.scannedUntil === null ? null : timestamp(found.scannedUntil),
      behind: found.behind,
    };
  }

  /** Of the newest calls that match, `MAX_SUMMED` of them at most. */
  async totals(user: User, filter: WantedCalls["filter"]): Promise<CallTotals> {
    const { calls, people } = this.deps;
    const scope = callScopeOf(user, people.agentsOf(user.id));
    const sums = new CallSums();
    let before: string | null = null;
    for (let looked = 0; looked < MAX_SUMMED; looked += PAGE) {
      const found: Awaited<ReturnType<CallIndex["search"]>> = await calls.search({
        ...{ filter, scope, before, limit: PAGE, patienceMs: PATIENCE_MS },
      });
      for (const row of found.rows) {
        const record = recordOf(row);
        if (record && this.isVisible(user, record)) sums.add(record);
      }
      before = found.next;
      if (before === null) break;
      await slices.turn();
    }
    return sums.shown(before === null);
  }

  /** By the call's id, its event's or its record's. Throws `not_found`. */
  async get(user: User, id: string): Promise<CallDetail> {
    const { row, record } = await this.visible(user, id);
    const { call, actor } = record;
    const all = actor.agent_id === null ? [] : await this.deps.restrictions.ofAgent(actor.agent_id);
    const then = call ? restrictionsAt(all, record) : [];
    return {
      object: "call",
      ...shownRow(record, this.names),
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
    return shownRow(record, this.names);
  }

  private isOwn(user: User, { call, actor }: AuditRecord): boolean {
    return call !== undefined && this.ownerOf(actor) === user.id;
  }

  private async visible(user: User, id: string): Promise<{ row: AuditRow; record: AuditRecord }> {
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
    return READING_ROLES.includes(user.role) || this.ownerOf(actor) === user.id;
  }

  private ownerOf(actor: AuditRecord["actor"]): string | null {
    return ownerOfCall(actor, (id) => this.deps.people.agent(id)?.owner_id ?? null);
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

const noCall = (): GuardError => new GuardError("not_found", "There is no such call.", { param: "id" });
