import { Auditor } from "#audit/auditor";
import { RefusalLog } from "#audit/refusal-log";
import { UsageRecorder } from "#guard/limits/usage";
import { recoverCrashed } from "#guard/limits/usage-recovery";
import { PrincipalCache, TokenUses } from "#identity/principal-cache";
import type { AuditRecord } from "#model/audit";
import { changeRecord, HUB_ACTOR } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { NodeStore } from "#store/node-port";
import type { AuditLog, ChangeFeed } from "#store/port";
import type { SharedStore } from "#store/shared-port";
import { ChangeFeedPoller } from "./change-feed-poller";
import { type ChangeSubscriber, feature } from "./feature";
import { type NeedsOf, single } from "./graph";
import { Listeners } from "./lifecycle";
import { LoopDelay, PROBE_MS } from "./loop-delay";
import { Scheduler } from "./scheduler";

/** How often changes of other processes are looked for. The promise is one second. Milliseconds. */
const SYNC_MS = 200;
const REFUSALS_MS = 1_000;
/** How often it is stored when tokens were last used. */
const USES_MS = 60_000;
/** How often counters are stored; a crash takes what is younger, and it is counted again. */
export const USAGE_MS = 5_000;
/** How often it is looked whether an hour is over in which another process crashed. */
const CRASHED_MS = 60_000;

/** What features are subscribed at and run by. */
export const scheduling = feature({
  provides: {
    scheduler: single(Scheduler),
    callEnded: () => new Listeners<AuditRecord>(),
    changeSubscribers: () => new Set<ChangeSubscriber>(),
    loopDelay: () => new LoopDelay(),
  },
  jobs: (c: { readonly loopDelay: LoopDelay }) => [
    { name: "loop delay", everyMs: PROBE_MS, run: () => c.loopDelay.tick(performance.now()) },
  ],
});

type SyncParts = Omit<NeedsOf<typeof ChangeFeedPoller>, "onPolled"> & {
  readonly changes: ChangeFeed;
  readonly policyResolver: { confirm(askedAt: number): void };
};

/** What other processes change is taken in here, and commands are told that it has been. */
export const changeFeed = feature({
  provides: {
    feedPoller: ({ now, changes, principals, changeSubscribers, processId, policyResolver }: SyncParts) =>
      new ChangeFeedPoller({
        now,
        changes,
        principals,
        changeSubscribers,
        processId,
        onPolled: (askedAt) => policyResolver.confirm(askedAt),
      }),
    /** Takes in what was just changed. */
    onChanged: (c: { readonly feedPoller: ChangeFeedPoller }) => () => c.feedPoller.refresh(),
  },
  prepare: (c: { readonly feedPoller: ChangeFeedPoller }) => () => c.feedPoller.join(),
  jobs: (c: { readonly feedPoller: ChangeFeedPoller }) => [
    { name: "sync", everyMs: SYNC_MS, run: () => c.feedPoller.refresh() },
  ],
  stop: (c: { readonly feedPoller: ChangeFeedPoller }) => () => c.feedPoller.leave(),
});

type Refusing = { readonly refusals: RefusalLog; readonly hookRefusals: RefusalLog };
type Auditing = { readonly auditor: Auditor };
type RefusalParts = Omit<NeedsOf<typeof RefusalLog>, "shared" | "subject"> & {
  readonly shared: SharedStore;
  readonly nodes: Pick<NodeStore, "self">;
};

const ofAll = (nodes: RefusalParts["nodes"], shared: SharedStore) => ({
  shared: nodes.self?.isAlone === false ? shared : null,
});

/** Records, and that nothing is done which cannot be recorded. */
export const auditing = feature({
  provides: {
    auditor: (c: { readonly audit: AuditLog; readonly log: Log }) => new Auditor(c.audit, c.log),
    refusals: ({ auditor, shared, nodes, now, ids }: RefusalParts) =>
      new RefusalLog({ subject: "gateway_token", auditor, ...ofAll(nodes, shared), now, ids }),
    /** Frames of no hook source. */
    hookRefusals: ({ auditor, shared, nodes, now, ids }: RefusalParts) =>
      new RefusalLog({ subject: "hook_source", auditor, ...ofAll(nodes, shared), now, ids }),
    onRefused: (c: Refusing) => () => c.refusals.note(),
    writeRecord: (c: Auditing) => (line: string) => c.auditor.writeLine(line),
    /** A record of the hub's own. */
    systemRecord:
      ({ version, now, ids }: { readonly version: string; readonly now: Clock; readonly ids: Ids }) =>
      (kind: string, detail: Readonly<Record<string, unknown>>) => {
        const change = { kind, by: HUB_ACTOR, subject: "hub", subject_id: version, detail };
        return changeRecord(change, { id: ids(), at: now() });
      },
    /** Throws while nothing can be recorded, or the hub is stopping. */
    assertAcceptingWork: (c: Auditing) => () => c.auditor.assertAcceptingWork(),
  },
  jobs: (c: Refusing) => [
    { name: "refusals", everyMs: REFUSALS_MS, run: () => c.refusals.flush() },
    { name: "hook refusals", everyMs: REFUSALS_MS, run: () => c.hookRefusals.flush() },
  ],
  quiesce: (c: Auditing) => () => c.auditor.stopAdmitting(),
  stop: (c: Refusing) => async () => {
    await Promise.all([c.refusals.close(), c.hookRefusals.close()]);
  },
});

type Uses = { readonly tokenUses: TokenUses };

/** Who there is, and what tokens they have. */
export const principalCaching = feature({
  provides: {
    tokenUses: (c: { readonly tokens: ConstructorParameters<typeof TokenUses>[0] }) => new TokenUses(c.tokens),
    principals: (c: Uses & { readonly now: Clock }) => new PrincipalCache(c.now, c.tokenUses),
    /** When a token was used last by this process, Unix milliseconds; null for not. */
    lastUsed: (c: Uses) => (tokenId: string) => c.tokenUses.last(tokenId),
  },
  jobs: (c: Uses) => [{ name: "token usage", everyMs: USES_MS, run: () => c.tokenUses.flush() }],
  stop: (c: Uses) => () => c.tokenUses.flush(),
});

type Recording = { readonly recorder: UsageRecorder };
type Recovering = Parameters<typeof recoverCrashed>[0];

/** What agents use. */
export const usageCounting = feature({
  provides: { recorder: single(UsageRecorder) },
  onCallEnded: (c: Recording) => (record) => c.recorder.note(record),
  prepare: (c: Recording & { readonly now: Clock }) => () => c.recorder.load(c.now()),
  jobs: (c: Recording & Recovering) => [
    { name: "usage", everyMs: USAGE_MS, run: () => c.recorder.flush() },
    { name: "usage of crashed processes", everyMs: CRASHED_MS, singleton: true, run: () => recoverCrashed(c) },
  ],
  stop: (c: Recording) => () => c.recorder.flush(),
});
