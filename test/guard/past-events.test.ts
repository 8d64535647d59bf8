import { expect, test } from "bun:test";
import fc from "fast-check";
import { PastEvents, REPORTABLE_MS } from "#audit/past-events";
import { ReportQuota } from "#guard/endpoints/report-quota";
import type { AuditRecord } from "#model/audit";
import { type PastEvent, pastEventOf } from "#model/past-event";
import type { PastEventStore } from "#store/loop-port";
import { Place } from "#test/store/directory";
import { verifies } from "#test/support/verifies";
import { QUIET } from "./call-fixture";

const NOW = 1_800_000_000_000;
const EVENT = "019a0000-0000-7000-8000-000000000001";

const record = (id: string, action: "allow" | "redact" | "block", at = NOW): AuditRecord => ({
  ...{ v: 1, id, call_id: id, phase: "final", kind: "chat.completion", at: new Date(at).toISOString() },
  actor: { via: "token", user_id: "user-1", agent_id: null, token_id: "token-1" },
  outcome: "answered",
  call: {
    ...{ status: 200, code: null, model: "m", provider: "p", stream: false, policy_revision: 1, profile_version: null },
    ...{ tuning_revision: null, mode: "enforce", action, event_id: id, usage: null, finish_reasons: [], attempts: 1 },
    flags: [
      {
        ...{ type: "pii.email", score: 0.95, start: 0, end: 9, detector: "pii.email", action },
        ...{ origin: "user", param: "messages[0].content", layer: "floor", rule: "pii.email" },
      },
      { type: "pii.phone", score: 0.5, start: 0, end: 9, detector: "x", action: "flag", origin: "user", param: "m" },
    ],
    coverage: {
      input: { texts: 1, chars: 9, cached: 0, unscanned: [] },
      output: { texts: 0, chars: 0, cached: 0, unscanned: [] },
    },
    ms: { total: 1, guard: 1, upstream: 0 },
    ...{ client_retry: 0, conversation_id: null },
    content_hmac: { key_id: "k", texts: [{ stage: "input", param: "messages[0].content", hmac: "00" }] },
  },
});

test("an event is remembered with what was blocked or redacted, and nothing else", () => {
  verifies("reports.found");
  const event = pastEventOf(record(EVENT, "redact"));
  expect(event?.facts).toMatchObject({ is_enforced: true, flags: [{ type: "pii.email", layer: "floor" }] });
  expect(event?.facts.flags).toHaveLength(1);
  expect(pastEventOf(record(EVENT, "allow"))?.facts).toMatchObject({ is_enforced: false, flags: [] });
  expect(pastEventOf({ ...record(EVENT, "block"), phase: "request" })).toBeNull();
});

test("it is found before and after it is stored, also when the store fails meanwhile, for thirty days", async () => {
  verifies("reports.found");
  await using place = new Place();
  const { pastEvents: store } = await place.open();
  let isBroken = true;
  const events = new PastEvents({
    add: (some) => (isBroken ? Promise.reject(new Error("the disk is full")) : store.add(some)),
    byId: (id) => store.byId(id),
    dropBefore: (at) => store.dropBefore(at),
  });
  events.note(record(EVENT, "block"));
  const found = await events.byId(EVENT);
  expect(found).toMatchObject({ id: EVENT, user_id: "user-1", at: NOW });
  await expect(events.flush()).rejects.toThrow("full");
  expect(await events.byId(EVENT)).toEqual(found);
  isBroken = false;
  await events.flush();
  expect(await store.byId(EVENT)).toEqual(found);
  await events.flush();
  expect(await events.forget(NOW + REPORTABLE_MS)).toBe(0);
  expect(await events.forget(NOW + REPORTABLE_MS + 1)).toBe(1);
  expect(await events.byId(EVENT)).toBeNull();
});

test("past events are rebuilt from the audit log after a crash; requests wait for it", async () => {
  verifies("reports.found");
  const stored = new Map<string, PastEvent>();
  const store: PastEventStore = {
    add: async (some) => {
      for (const event of some) stored.set(event.id, event);
    },
    byId: async (id) => stored.get(id) ?? null,
    dropBefore: async () => 0,
  };
  const events = new PastEvents(store);
  const begun = Promise.withResolvers<void>();
  const audit = {
    async *read({ since = 0 }) {
      await begun.promise;
      const bodies = [record(EVENT, "block"), { ...record("x", "block"), phase: "request" }];
      expect(since).toBeLessThan(NOW - 30_000);
      // A line that somebody changed keeps nobody from the others.
      const lines = ['{"event_id":"', ...bodies.map((body) => JSON.stringify(body))];
      for (const body of lines) yield { seq: 1, body, prev_hash: "", hash: "" };
    },
  };
  const recovered = events.recover(audit, NOW);
  const asked = events.byId(EVENT);
  begun.resolve();
  expect((await asked)?.id).toBe(EVENT);
  expect(await recovered).toBe(1);
  expect(await events.byId("x")).toBeNull();
});

test("of several processes one finds what another has just judged, and what one that crashed had not stored", async () => {
  verifies("reports.found");
  await using place = new Place();
  const [one, other] = [await place.open(), await place.open()];
  const [here, there] = [new PastEvents(one.pastEvents, 5), new PastEvents(other.pastEvents, 5)];
  here.note(record(EVENT, "block"));
  const asked = there.byId(EVENT);
  await here.flush();
  expect((await asked)?.id).toBe(EVENT);
  expect(await there.byId("unknown")).toBeNull();

  await one.audit.append(JSON.stringify(record("lost", "block")));
  const crash = { id: "7", epoch: 1, heard_at: NOW, until: NOW + 10_000, has_usage: false, has_events: false };
  const done: string[] = [];
  const nodes = {
    crashes: async () => [crash],
    recovered: async (of: typeof crash, what: string) => void done.push(`${of.id} ${what}`),
  };
  await there.recoverCrashed(other.audit, nodes);
  expect(done).toEqual(["7 has_events"]);
  expect((await here.byId("lost"))?.id).toBe("lost");
});

test("remaining reports never exceed what the store accepts", async () => {
  verifies("reports.headers");
  const ago = fc.array(fc.integer({ min: 0, max: 7_200_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(ago, fc.integer({ min: 0, max: 3_600_000 }), async (times, later) => {
      let now = NOW;
      const ordered = times.map((time) => NOW - time).toSorted((one, other) => one - other);
      const reports = {
        recentOfAll: async (since: number) =>
          ordered.filter((at) => at > since).map((at) => ({ user_id: "user-1", at })),
      };
      const quota = new ReportQuota({ reports, now: () => now, log: QUIET });
      expect(quota.leftOf("user-1")).toBeNull();
      await quota.refresh();
      now += later;
      const recent = ordered.filter((at) => at > now - 3_600_000);
      const left = quota.leftOf("user-1");
      expect(left?.remaining).toBe(Math.max(0, 5 - recent.length));
      expect(left?.resetMs).toBe((recent[0] ?? now) + 3_600_000 - now);
      expect(quota.leftOf("user-2")).toEqual({ remaining: 5, resetMs: 3_600_000 });
      quota.note("user-2", now);
      expect(quota.leftOf("user-2")?.remaining).toBe(4);
    }),
  );
});
