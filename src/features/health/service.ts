import { GuardError } from "#core/errors";
import type { HealthMonitor } from "#features/health/health-monitor";
import { auditedCall, ownAgent } from "#guard/endpoints/audited-call";
import type { GuardNeeds } from "#guard/guard-needs";
import { momentOf } from "#http/openapi/query-check";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { changeRecord, personActor } from "#model/change";
import { type AgentHealthView, type HealthReport, publishedReport } from "#model/health/health-report";
import type { TokenPrincipal } from "#model/principal";
import type { Person } from "#model/session";
import { timestamp } from "#platform/clock";
import { assertMayDecide } from "#policy/approval/decisions";
import { rulingOnDrift } from "#policy/approval/matters";
import { DECIDING_ROLES } from "#policy/approval/ruling";
import type { UserStore } from "#store/port";
import type { Acknowledging, PointResponse, Rebaselining } from "./schema";

type HealthServiceNeeds = {
  readonly guard: GuardNeeds;
  readonly principals: PrincipalCache;
  readonly watch: HealthMonitor;
  readonly users: Pick<UserStore, "ofRoles">;
};

const MAX_RANGE_MS = 90 * 86_400_000;

/** How an agent fares, for those it concerns. */
export class HealthService {
  constructor(private readonly deps: HealthServiceNeeds) {}

  /**
   * For a gateway token; audited as a call. A stopped agent may read why it was stopped. Everything thrown is a
   * `GuardError`; the record is on disk before this returns.
   */
  read(caller: TokenPrincipal, id: string, agentId: string): Promise<HealthReport> {
    const { guard, principals, watch } = this.deps;
    return auditedCall(guard, { caller, kind: "guard.health", id }, async () =>
      publishedReport(await watch.healthOf(ownAgent(principals, caller, agentId), guard.clock())),
    );
  }

  healthOf(agent: Agent): Promise<AgentHealthView> {
    return this.deps.watch.healthOf(agent, this.deps.guard.clock());
  }

  /** Newest first. */
  async trendOf(agent: Agent): Promise<PointResponse[]> {
    const points = await this.deps.watch.trendOf(agent, this.deps.guard.clock());
    return points.map(({ t, score }) => ({ t: timestamp(t), score })).reverse();
  }

  /** Throws `insufficient_scope` for the owner, `invalid_value`, `state_conflict` where there is no drift. */
  async acknowledge(person: Person, agent: Agent, { reason, until }: Acknowledging): Promise<AgentHealthView> {
    const now = this.deps.guard.clock();
    const alone = await this.mayDecide(person, agent);
    const ends = this.endOf(until, now);
    const { drift_status } = await this.healthOf(agent);
    if (drift_status !== "watch" && drift_status !== "drifting") {
      throw new GuardError("state_conflict", `There is no drift to acknowledge: the drift status is ${drift_status}.`);
    }
    await this.record(person, agent, "drift.acknowledge", { reason, until: timestamp(ends), drift_status, alone });
    return this.deps.watch.acknowledge(agent, ends, now);
  }

  /** Throws `insufficient_scope` for the owner, `state_conflict` where nothing is compared. */
  async rebaseline(person: Person, agent: Agent, { reason }: Rebaselining): Promise<AgentHealthView> {
    const alone = await this.mayDecide(person, agent);
    const { drift_status } = await this.healthOf(agent);
    if (drift_status === "no_baseline") {
      throw new GuardError(
        "state_conflict",
        "There is no drift baseline to replace. One is collected while a profile is in force.",
      );
    }
    await this.record(person, agent, "drift.rebaseline", { reason, drift_status, alone });
    return this.deps.watch.rebaseline(agent, this.deps.guard.clock());
  }

  /** Nobody decides about an agent of their own, unless nobody else could: whether that is so. */
  private async mayDecide({ user }: Person, agent: Agent): Promise<boolean> {
    return assertMayDecide(rulingOnDrift(user, agent, await this.deps.users.ofRoles(DECIDING_ROLES)));
  }

  private endOf(until: string, now: number): number {
    const moment = momentOf(until);
    if (moment > now && moment <= now + MAX_RANGE_MS) return moment;
    throw new GuardError("invalid_value", "until must be a time in RFC 3339 within the next 90 days.", {
      param: "until",
    });
  }

  private record(person: Person, agent: Agent, kind: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const { auditor, ids, clock } = this.deps.guard;
    const change = { kind, by: personActor(person), subject: "agent", subject_id: agent.id, detail };
    return auditor.writeLine(changeRecord(change, { id: ids(), at: clock() }));
  }
}
