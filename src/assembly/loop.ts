import type { Directory } from "#engine/directory";
import { EventTexts } from "#engine/event-texts";
import type { GuardDeps } from "#engine/guarded-call";
import { Idempotency } from "#engine/idempotency";
import { PastEvents } from "#engine/past-events";
import { ReportQuota } from "#engine/report-quota";
import type { signedIn } from "#http/auth";
import { GuardAnswers } from "#http/guard-answers";
import { reportRoutes } from "#modules/reports/routes";
import { ReportService } from "#modules/reports/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { KeyedHash } from "#platform/keyed-hash";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";

/** How long what was shared with a report is kept once that is closed. */
const SHARED_CONTENT_MS = 30 * 86_400_000;

export type LoopDeps = {
  readonly keeping: { readonly hash: KeyedHash };
  readonly store: Pick<Store, "pastEvents" | "reports" | "idempotency" | "content">;
  readonly tools: Sealing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
};

/** What calls leave behind for reports, and are told of them. */
export const assembleMemory = ({ store, clock: now, log }: Pick<LoopDeps, "store" | "clock" | "log">) => ({
  pastEvents: new PastEvents(store.pastEvents),
  quota: new ReportQuota({ reports: store.reports, now, log }),
});

type Around = ReturnType<typeof assembleMemory> & {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly callers: ReturnType<typeof signedIn>;
};

/** The loop from a report to a scanner that judges better. */
export const assembleLoop = (deps: LoopDeps, { pastEvents, quota, guard, directory, callers }: Around) => {
  const { store, tools, keeping, clock: now, ids, log, limits } = deps;
  const { seal, unseal } = tools;
  const settled = () => guard.content.settled();
  const texts = new EventTexts({ content: store.content, settled, unseal, hash: keeping.hash, now });
  const idempotency = new Idempotency({ store: store.idempotency, now, log });
  const answers = new GuardAnswers({ ids, reportsLeft: (userId) => quota.leftOf(userId) });
  const reports = new ReportService({
    ...{ guard, directory, pastEvents, texts, seal, quota, idempotency, now, ids },
    reports: store.reports,
  });
  return {
    answers,
    texts,
    idempotency,
    pastEvents,
    reports,
    leftOf: (userId: string) => quota.leftOf(userId),
    reportRoutes: reportRoutes({ service: reports, answers, door: callers, bodyBytes: limits.bodyBytes }),
    /** To be called every few seconds. */
    tend: () => pastEvents.flush(),
    /** To be called every hour. Says how much was forgotten. */
    forget: async () => ({
      contents: await store.reports.dropContent(now() - SHARED_CONTENT_MS),
      events: await pastEvents.forget(now()),
    }),
  };
};
