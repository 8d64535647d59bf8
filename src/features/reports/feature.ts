import { PastEvents } from "#audit/past-events";
import { EventContent } from "#guard/content/event-content";
import type { ContentRetention } from "#guard/content-retention";
import { Idempotency } from "#guard/endpoints/idempotency";
import { ReportQuota } from "#guard/endpoints/report-quota";
import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import { USAGE_MS } from "#hub/running";
import type { Clock } from "#platform/clock";
import type { KeyedHash } from "#platform/hash";
import type { Log } from "#platform/log";
import type { IdempotencyStore, PastEventStore, ReportStore } from "#store/loop-port";
import type { NodeStore } from "#store/node-port";
import type { AuditLog } from "#store/port";
import { type PersonReportEndpointNeeds, personReportRoutes, reportRoutes } from "./endpoints";
import { ReportService } from "./service";

/** How long what was shared with a report is kept once that is closed. */
const SHARED_CONTENT_MS = 30 * 86_400_000;

/** Of several processes one may be asked about an event that another has judged. Milliseconds. */
const BESIDE_MS = 200;

const isBeside = ({ nodes }: Beside): boolean => nodes.self?.isAlone === false;

type Basics = { readonly now: Clock; readonly log: Log };
type TextParts = Omit<NeedsOf<typeof EventContent>, "settled" | "hash"> & {
  readonly contentKeeper: ContentRetention;
  readonly retentionOptions: { readonly hash: KeyedHash };
};
type ServiceParts = Omit<NeedsOf<typeof ReportService>, "pastEvents" | "texts" | "quota" | "idempotency" | "hash"> & {
  readonly retentionOptions: { readonly hash: KeyedHash };
  readonly replies: Idempotency;
  readonly callMemory: PastEvents;
  readonly eventTexts: EventContent;
  readonly reportQuota: ReportQuota;
};
type Remembering = { readonly callMemory: PastEvents };
type Beside = { readonly nodes: Pick<NodeStore, "self"> };
type Recovering = {
  readonly audit: Pick<AuditLog, "read">;
  readonly nodes: Pick<NodeStore, "self" | "crashes" | "recovered">;
};
type Limiting = { readonly reportQuota: ReportQuota };
type ForgettingParts = Remembering & { readonly reports: Pick<ReportStore, "dropContent">; readonly now: Clock };
type Serving = { readonly reportService: ReportService };
type PersonParts = PersonRouteParts &
  CallerRouteParts &
  Serving & {
    readonly callService: { own: PersonReportEndpointNeeds["ownCall"] };
    readonly reportsLeft: PersonReportEndpointNeeds["leftOf"];
    readonly now: Clock;
  };

/** What callers and people say of the guard's decisions. */
export const reports = feature({
  provides: {
    callMemory: (c: { readonly pastEvents: PastEventStore } & Beside) =>
      new PastEvents(c.pastEvents, isBeside(c) ? BESIDE_MS : 0),
    reportQuota: (c: Basics & NeedsOf<typeof ReportQuota>) => new ReportQuota(c),
    /** How many a user may still send this hour; null while nobody knows. */
    reportsLeft: (c: Limiting) => (userId: string) => c.reportQuota.leftOf(userId),
    eventTexts: ({ content, unseal, now, retentionOptions, contentKeeper }: TextParts) =>
      new EventContent({ content, unseal, now, hash: retentionOptions.hash, settled: () => contentKeeper.settled() }),
    replies: (c: Basics & { readonly idempotency: IdempotencyStore }) =>
      new Idempotency({ store: c.idempotency, now: c.now, log: c.log }),
    reportService: (c: ServiceParts) =>
      new ReportService({
        guard: c.guard,
        principals: c.principals,
        reports: c.reports,
        seal: c.seal,
        now: c.now,
        ids: c.ids,
        pastEvents: c.callMemory,
        texts: c.eventTexts,
        hash: c.retentionOptions.hash.of,
        quota: c.reportQuota,
        idempotency: c.replies,
      }),
    /** To be called every hour. Says how much was forgotten. */
    forgetReports:
      ({ reports, callMemory, now }: ForgettingParts) =>
      async () => ({
        contents: await reports.dropContent(now() - SHARED_CONTENT_MS),
        events: await callMemory.forget(now()),
      }),
  },
  routes: (c: PersonParts) => [
    reportRoutes({ ...callerRoutes(c), service: c.reportService }),
    personReportRoutes({
      ...personRoutes(c),
      service: c.reportService,
      answers: c.answers,
      leftOf: c.reportsLeft,
      now: c.now,
      ownCall: (user, id) => c.callService.own(user, id),
    }),
  ],
  onCallEnded: (c: Remembering) => (record) => c.callMemory.note(record),
  onChange: (c: Limiting) => c.reportQuota,
  jobs: (c: Remembering & Recovering) => [
    { name: "reports", everyMs: isBeside(c) ? BESIDE_MS : USAGE_MS, run: () => c.callMemory.flush() },
    {
      name: "events of crashed processes",
      everyMs: USAGE_MS,
      singleton: true,
      run: () => c.callMemory.recoverCrashed(c.audit, c.nodes),
    },
  ],
  stop: (c: Remembering) => () => c.callMemory.flush(),
});
