import type { HubEvent } from "#core/event";
import { publishedProfile } from "#core/profile/published";
import type { Restriction } from "#core/restriction";
import { confirmedBy } from "#engine/confirmed";
import type { Directory } from "#engine/directory";
import type { GuardDeps } from "#engine/guarded-call";
import type { UsageRecorder } from "#engine/usage";
import { AgentWatch } from "#engine/watch";
import type { signedIn } from "#http/auth";
import type { GuardAnswers } from "#http/guard-answers";
import type { signedInPerson } from "#http/person";
import { agentHealthRoutes, agentWatchRoutes } from "#modules/health/routes";
import { HealthService } from "#modules/health/service";
import { profileRoutes } from "#modules/profile/routes";
import { ProfileReadService } from "#modules/profile/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { ProfileRow } from "#store/governance-port";
import type { Store } from "#store/port";

type Deps = {
  readonly store: Pick<Store, "agents" | "users" | "tokens" | "usage" | "watch" | "reports">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
};

type Around = {
  readonly recorder: UsageRecorder;
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly answers: GuardAnswers;
  readonly callers: ReturnType<typeof signedIn>;
  readonly profileOf: (agentId: string) => ProfileRow | null;
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  readonly door: ReturnType<typeof signedInPerson>;
  readonly emit: (event: HubEvent) => Promise<void>;
};

/** How agents fare, and the addresses that tell. */
export const assembleWatch = ({ store, clock, ids, log, limits }: Deps, around: Around) => {
  const { recorder, guard, directory, answers, callers } = around;
  const watch = new AgentWatch({
    ...{ agents: store.agents, tokens: store.tokens, usage: store.usage, watch: store.watch, recorder, log },
    onMoved: (type, { id, owner_id }, at) =>
      around.emit({ id: ids(), type, at, agent_id: id, user_id: owner_id, subject: "agent", subject_id: id }),
    facts: {
      restrictionsOf: around.restrictionsOf,
      confirmedOf: confirmedBy(store.reports, clock),
      isActive: (userId) => directory.activeUser(userId) !== null,
    },
  });
  const service = new HealthService({ guard, directory, watch, users: store.users });
  const profileOf = (agentId: string) => {
    const row = around.profileOf(agentId);
    return row && publishedProfile(row, row.version, row.version);
  };
  return {
    callerRoutes: agentHealthRoutes({ service, answers, door: callers }),
    profileRoutes: profileRoutes({
      service: new ProfileReadService({ guard, directory, profileOf }),
      answers,
      door: callers,
    }),
    personRoutes: agentWatchRoutes({
      service,
      agents: store.agents,
      door: around.door,
      bodyBytes: limits.bodyBytes,
      admit: () => guard.auditor.admit(),
    }),
    glance: (agentId: string) => watch.glance(agentId),
    /** To be called every five minutes. */
    tend: () => watch.tend(clock()),
  };
};
