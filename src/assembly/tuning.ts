import { comparableForm } from "#core/kept-content";
import type { User } from "#core/person";
import type { TuningSubject } from "#core/tuning/rule";
import type { Suggestion } from "#core/tuning/suggestion";
import type { Ground } from "#core/tuning/validity";
import type { Directory } from "#engine/directory";
import type { Governor } from "#engine/governance/governor";
import type { GuardDeps } from "#engine/guarded-call";
import type { Idempotency } from "#engine/idempotency";
import type { ScanPool } from "#engine/scan-pool/pool";
import { textScanOf } from "#engine/text-scan";
import { ApprovalDesk } from "#engine/tuning/approval-desk";
import { EvidenceRoom } from "#engine/tuning/evidence";
import { Replay } from "#engine/tuning/replay";
import { RuleDesk } from "#engine/tuning/rule-desk";
import { type Rehearsal, SuggestionMaker } from "#engine/tuning/suggestion-maker";
import { TuningDesk } from "#engine/tuning/tuning-desk";
import { type TuningDeps, TuningLedger } from "#engine/tuning/tuning-ledger";
import type { signedIn } from "#http/auth";
import type { GuardAnswers } from "#http/guard-answers";
import type { signedInPerson } from "#http/person";
import { CallerTuningService } from "#modules/tuning/caller-service";
import type { Desks } from "#modules/tuning/desks";
import { PersonTuningService } from "#modules/tuning/person-service";
import { callerTuningRoutes, personTuningRoutes } from "#modules/tuning/routes";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";

export type TuningOptions = {
  readonly store: Pick<Store, "suggestions" | "tuning" | "policies" | "profiles" | "reports" | "agents" | "users">;
  readonly keeping: { readonly hash: { readonly of: (text: string) => string } };
  readonly clock: Clock;
  readonly ids: Ids;
};

/** What changes are tried against before they are put in force. */
export type Trying = {
  readonly governor: Governor;
  readonly maker: SuggestionMaker;
  readonly evidence: EvidenceRoom;
  /** Takes in what was just changed. */
  readonly sync: () => Promise<void>;
};

type MakerOptions = Pick<TuningOptions, "keeping" | "clock" | "ids"> & {
  readonly store: Pick<Store, "suggestions" | "reports" | "content" | "audit">;
  readonly unseal: Sealing["unseal"];
  /** Threads for long texts; commands have none. */
  readonly pool?: ScanPool | null;
};

/** What makes suggestions of reports, and knows what a change would do. */
export const suggestionMaking = (
  { store, keeping, unseal, clock: now, ids, pool = null }: MakerOptions,
  governor: Governor,
) => {
  const scan = textScanOf(pool, "tuning");
  const { content, reports, audit, suggestions } = store;
  const evidence = new EvidenceRoom({ content, reports, audit, unseal, now });
  const maker = new SuggestionMaker({
    ...{ governor, suggestions, now, ids },
    evidenceOf: (report) => evidence.of(report),
    replay: new Replay(evidence, scan),
    scan,
    hashOf: (text) => keeping.hash.of(comparableForm(text)),
  });
  return { maker, evidence };
};

/** What suggestions and rules are worked on with: by the service, and by the command line beside it. */
export const tuningDesks = ({ store, keeping, clock: now, ids }: TuningOptions, trying: Trying): Desks => {
  const { suggestions, tuning, policies, profiles, reports, agents, users } = store;
  const { governor, maker, evidence, sync } = trying;
  const deps: TuningDeps = {
    ...{ suggestions, tuning, policies, profiles, reports, agents, users, sync, now, ids },
    groundOf: (subject) => groundOf(governor, subject),
    impactOf: (subject, change) => maker.impactOf(subject, change),
    async rehearse(subject, change, reportIds) {
      const tried = [await maker.rehearse(subject, change, null)];
      for (const id of reportIds) {
        const report = await reports.byId(id);
        if (report) tried.push(await maker.rehearse(subject, change, await evidence.of(report)));
      }
      return together(tried);
    },
  };
  const ledger = new TuningLedger(deps);
  return {
    ...{ suggestions, tuning, ledger, hashOf: keeping.hash.of },
    approvals: new ApprovalDesk(deps, ledger),
    desk: new TuningDesk(deps, ledger),
    rules: new RuleDesk(deps, ledger),
  };
};

/** It passes where something can be told, and nothing tells otherwise. */
const together = (tried: readonly Rehearsal[]): Rehearsal => {
  const told = tried.flatMap(({ passes }) => passes ?? []);
  return {
    broken: [...new Set(tried.flatMap(({ broken }) => broken))],
    passes: told.length === 0 ? null : told.every(Boolean),
  };
};

const groundOf = (governor: Trying["governor"], { agent_id }: TuningSubject): Ground => ({
  source: governor.rulesOfAgent(agent_id).effective.policy,
  most_delta: (agent_id === null ? null : governor.profileOf(agent_id))?.body.tunable.max_threshold_delta ?? null,
});

type Around = Trying & {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly idempotency: Idempotency;
  readonly answers: GuardAnswers;
  readonly callers: ReturnType<typeof signedIn>;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
};

/** From a suggestion to a rule in force and back, and the addresses for it. */
export const assembleTuning = (
  deps: TuningOptions & { readonly limits: { readonly bodyBytes: number } },
  { guard, directory, idempotency, answers, callers, door, admit, ...trying }: Around,
) => {
  const { store, clock: now, limits } = deps;
  const desks = tuningDesks(deps, trying);
  const { agents, users } = store;
  return {
    callerRoutes: callerTuningRoutes({
      service: new CallerTuningService({ ...desks, guard, directory, idempotency }),
      ...{ answers, door: callers, bodyBytes: limits.bodyBytes },
    }),
    personRoutes: personTuningRoutes({
      service: new PersonTuningService({ ...desks, agents, users, now }),
      ...{ door, admit, bodyBytes: limits.bodyBytes },
    }),
    /** Whether somebody may decide on a suggestion. */
    ruling: (user: User, suggestion: Suggestion) => desks.approvals.ruling(user, suggestion),
    /** To be called from time to time. */
    tend: () => desks.desk.tend(now()),
  };
};
