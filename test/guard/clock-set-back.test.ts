import { expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { BackupService } from "#features/backups/service";
import { ReportQuota } from "#guard/endpoints/report-quota";
import { Limiter } from "#guard/limits/limiter";
import { ToolServerBreaker } from "#guard/tools/breaker";
import { LoginThrottle } from "#identity/login-throttle";
import { REPORT_WINDOW_MS, REPORTS_AN_HOUR } from "#model/report";
import type { Bounds } from "#policy/profile/effective";
import type { BackupFile } from "#store/backup-port";
import { Place } from "#test/store/directory";
import { REPORT, withPolicy } from "#test/store/looped";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { QUIET } from "./call-fixture";

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** The code of what it throws; null where it throws nothing. */
const refusedBy = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof GuardError) return error.code;
    throw error;
  }
};

const bounds = (limits: Partial<Record<keyof Bounds, number>>): Bounds => {
  const said = (value: number | undefined) => (value === undefined ? null : { layer: "profile v1", value });
  return {
    requests_per_minute: said(limits.requests_per_minute),
    requests_per_day: said(limits.requests_per_day),
    tokens_per_minute: null,
    tokens_per_day: null,
    concurrent: null,
    calls_per_conversation: null,
    tool_calls_per_conversation: null,
  };
};

/** A limiter as one agent meets it, its clock a year ahead. */
const limited = (limits: Bounds) => {
  const clock = { now: NOON + 365 * DAY };
  const limiter = new Limiter({ now: () => clock.now, spentEarlier: () => ({ requests: 0, tokens: 0 }) });
  const call = () =>
    refusedBy(() => limiter.reserve({ agent_id: "a", limits, watched: null, tokens: 0, conversation: null }).settle(0));
  return { clock, call };
};

test("limits of a minute count on, and are over two minutes later", () => {
  verifies("hub.clock-set-back");
  const { clock, call } = limited(bounds({ requests_per_minute: 2 }));
  expect([call(), call(), call()]).toEqual([null, null, "rate_limit_exceeded"]);
  clock.now = NOON;
  expect(call()).toBe("rate_limit_exceeded");
  clock.now += 2 * MINUTE;
  expect(call()).toBeNull();
});

test("clock set back a second: no extra requests per minute", () => {
  const { clock, call } = limited(bounds({ requests_per_minute: 2 }));
  expect([call(), call()]).toEqual([null, null]);
  for (const step of [-1_000, 2_000, -1_500, 1_500]) {
    clock.now += step;
    expect(call()).toBe("rate_limit_exceeded");
  }
});

test("clock set back: daily quotas last for their day only", () => {
  verifies("hub.clock-set-back");
  const { clock, call } = limited(bounds({ requests_per_day: 1 }));
  expect([call(), call()]).toEqual([null, "insufficient_quota"]);
  clock.now = NOON;
  expect(call()).toBe("insufficient_quota");
  clock.now += DAY;
  expect(call()).toBeNull();
});

test("clock set back: sign-in waits are not extended", () => {
  verifies("hub.clock-set-back");
  let now = NOON + DAY;
  const attempts = new LoginThrottle(() => now);
  const attempt = () => refusedBy(() => attempts.begin("ada", "203.0.113.7"));
  for (let tries = 0; tries < 5; tries += 1) expect(attempt()).toBeNull();
  expect(attempt()).toBe("rate_limit_exceeded");
  now = NOON;
  expect([attempt(), attempt()]).toEqual([null, "rate_limit_exceeded"]);
});

test("a tool server that was left alone is tried again", () => {
  verifies("hub.clock-set-back");
  let now = NOON + DAY;
  const breaker = new ToolServerBreaker(() => now);
  for (let failures = 0; failures < 5; failures += 1) breaker.failed();
  expect(breaker.mayTry()).toBe(false);
  now = NOON;
  expect(breaker.mayTry()).toBe(true);
});

test("a backup of a time to come does not put the next one off until then", async () => {
  verifies("hub.clock-set-back");
  const fileOf = (at: number): BackupFile => ({
    name: `guardhouse-${at}`,
    bytes: 1,
    manifest: {
      ...{ format: "guardhouse-backup", format_version: 1, created_at: new Date(at).toISOString() },
      ...{ made_by: "schedule", version: "1", schema_version: 1, audit: null, audit_key_included: false },
      ...{ master_key_included: false, master_key_ids: [], parts: [] },
    },
  });
  const kept = [fileOf(NOON + 365 * DAY), fileOf(NOON - DAY)];
  let isMade = 0;
  const service = new BackupService({
    backupDirectory: {
      list: async () => kept,
      make: async () => {
        isMade += 1;
        const made = fileOf(NOON);
        kept.splice(1, 0, made);
        return { ...made, sha256: "" };
      },
      verify: async () => null,
      open: async () => null,
      remove: async () => false,
    },
    ...{ everyHours: 24, keep: 7, hasKey: () => true, writeRecord: async () => {} },
    ...{ now: () => NOON, ids: () => "id", log: QUIET },
  });
  await service.runOnce();
  await service.runOnce();
  expect(isMade).toBe(1);
  expect((await service.list()).schedule.next_at).toBe(new Date(NOON + DAY).toISOString());
});

test("reports of a time to come do not count against those of now, for the store and for who is told", async () => {
  verifies("hub.clock-set-back");
  await using place = new Place();
  const store = await place.open();
  await withPolicy(store);
  let now = NOON + DAY;
  const quota = new ReportQuota({ reports: store.reports, now: () => now, log: QUIET });
  const report = async (id: string) => {
    const it = { ...REPORT, id, event_id: id, created_at: now, updated_at: now };
    return (await store.reports.open(it, { most: 1, since: now - REPORT_WINDOW_MS }, null, someRecord())).kind;
  };
  expect([await report("r1"), await report("r2")]).toEqual(["created", "over_limit"]);
  now = NOON;
  await quota.refresh();
  expect(quota.leftOf(REPORT.user_id)?.remaining).toBe(REPORTS_AN_HOUR);
  expect([await report("r3"), await report("r4")]).toEqual(["created", "over_limit"]);
});
