import type { Agent } from "#core/agent";
import type { Caller } from "#core/caller";
import { changeRecord, personActor } from "#core/change";
import { GuardError } from "#core/errors";
import type { HealthReport } from "#core/health-report";
import type { Role } from "#core/person";
import type { Person } from "#core/session";
import type { Directory } from "#engine/directory";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import { ownAgent } from "#engine/own-agent";
import type { AgentWatch } from "#engine/watch";
import { momentOf } from "#http/moment";
import { timestamp } from "#platform/clock";
import type { UserStore } from "#store/port";
import type { Acknowledging, Rebaselining, ShownPoint } from "./schema";

type Deps = {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly watch: AgentWatch;
  readonly users: Pick<UserStore, "ofRoles">;
};

/** Who decides about drift. */
export const DECIDING_ROLES: readonly Role[] = ["admin", "reviewer"];
const LONGEST_MS = 90 * 86_400_000;

/** How an agent fares, for those it concerns. */
export class HealthService {
  constructor(private readonly deps: Deps) {}

  /**
   * For a gateway token; audited as a call. A stopped agent may read why it was stopped. Everything thrown is a
   * `GuardError`; the record is on disk before this returns.
   */
  async read(caller: Caller, id: string, agentId: string): Promise<HealthReport> {
    const { guard, directory, watch } = this.deps;
    guard.auditor.admit();
    const call = new GuardedCall(guard, caller, "guard.health", id);
    try {
      const report = await watch.healthOf(ownAgent(directory, caller, agentId), guard.clock());
      await call.finish("answered", 200);
      return report;
    } catch (error) {
      throw await call.fail(error);
    }
  }

  healthOf(agent: Agent): Promise<HealthReport> {
    return this.deps.watch.healthOf(agent, this.deps.guard.clock());
  }

  /** Newest first. */
  async trendOf(agent: Agent): Promise<ShownPoint[]> {
    const points = await this.deps.watch.trendOf(agent, this.deps.guard.clock());
    return points.map(({ t, score }) => ({ t: timestamp(t), score })).reverse();
  }

  /** Throws `insufficient_scope` for the owner, `invalid_value`, `state_conflict` where there is no drift. */
  async acknowledge(person: Person, agent: Agent, { reason, until }: Acknowledging): Promise<HealthReport> {
    const now = this.deps.guard.clock();
    const alone = await this.mayDecide(person, agent);
    const ends = this.endOf(until, now);
    const { drift_status } = await this.healthOf(agent);
    if (drift_status !== "watch" && drift_status !== "drifting") {
      throw new GuardError(
        "state_conflict",
        `There is no drift to acknowledge: the agent's status is ${drift_status}.`,
      );
    }
    await this.record(person, agent, "drift.acknowledge", { reason, until: timestamp(ends), drift_status, alone });
    return this.deps.watch.acknowledge(agent, ends, now);
  }

  /** Throws `insufficient_scope` for the owner, `state_conflict` where nothing is compared. */
  async rebaseline(person: Person, agent: Agent, { reason }: Rebaselining): Promise<HealthReport> {
    const alone = await this.mayDecide(person, agent);
    const { drift_status } = await this.healthOf(agent);
    if (drift_status === "no_baseline") {
      throw new GuardError(
        "state_conflict",
        "There is no baseline to replace: one is collected once a profile is in force.",
      );
    }
    await this.record(person, agent, "drift.rebaseline", { reason, drift_status, alone });
    return this.deps.watch.rebaseline(agent, this.deps.guard.clock());
  }

  /** Nobody decides about an agent of their own, unless nobody else could: whether that is so. */
  private async mayDecide({ user }: Person, agent: Agent): Promise<boolean> {
    if (agent.owner_id !== user.id) return false;
    const others = (await this.deps.users.ofRoles(DECIDING_ROLES)).filter(({ id }) => id !== user.id);
    if (others.length === 0) return true;
    throw new GuardError(
      "insufficient_scope",
      "The owner of an agent does not decide about its drift; another reviewer does.",
    );
  }

  private endOf(until: string, now: number): number {
    const moment = momentOf(until);
    if (moment > now && moment <= now + LONGEST_MS) return moment;
    throw new GuardError("invalid_value", "until must be a time in RFC 3339, in the future, at most 90 days ahead.", {
      param: "until",
    });
  }

  private record(person: Person, agent: Agent, kind: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const { auditor, ids, clock } = this.deps.guard;
    const change = { kind, by: personActor(person), subject: "agent", subject_id: agent.id, detail };
    return auditor.writeLine(changeRecord(change, { id: ids(), at: clock() }));
  }
}
