import { expect, test } from "bun:test";
import type { Alert, AlertDestination, AlertNotice, AlertSilence, NodeFigures } from "#model/alert";
import { DEFAULT_RULES } from "#model/alert";
import type { It, Lend } from "#test/store/contract";
import type { LendProcesses } from "#test/store/processes";
import { someRecord } from "#test/store/records";
import { traces } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

const DESTINATION: AlertDestination = {
  id: "d1",
  name: "on call",
  kind: "email",
  active: true,
  settings: { host: "mail.example.com", port: 587, security: "starttls", from: "a@example.com", to: ["b@example.com"] },
  sealed: "v1.key.nonce.text",
  failing_since: null,
  created_by: null,
  created_at: 10,
};
const ALERT: Alert = {
  id: "al1",
  rule_id: "block-rate",
  subject: "",
  label: null,
  rule_name: "Many calls are blocked",
  kind: "block_rate",
  severity: "warning",
  state: "pending",
  value: 33.25,
  peak: 33.25,
  threshold: 20,
  window_seconds: 900,
  since: 100,
  fired_at: null,
  clear_since: null,
  told_at: null,
  resolved_at: null,
};
const FIRING: Alert = { ...ALERT, state: "firing", fired_at: 200, told_at: 200 };
const RESOLVED: Alert = { ...FIRING, state: "resolved", resolved_at: 300 };
const NOTICE: AlertNotice = {
  id: "n1",
  alert_id: "al1",
  destination_id: "d1",
  told: "none",
  state: "pending",
  attempts: [],
  next_at: 200,
  created_at: 200,
};
const JOB = { id: "j1", kind: "alert.notify", run_at: 200, attempts: 0 } as const;
const SILENCE: AlertSilence = {
  id: "s1",
  rule_id: "block-rate",
  subject: null,
  reason: "load test",
  until: 1_000,
  created_by: null,
  created_at: 100,
  ended_at: null,
};
const [RULE] = DEFAULT_RULES;

/** What every store must do of alerts. */
export const alertContract = (name: string, lend: Lend): void => {
  const it: It = (title, use) => test(`${name}: ${title}`, () => lend(use));

  it("keeps rules that were changed, up to a number of them", async ({ alerts }) => {
    if (!RULE) throw new Error("there is no rule");
    const changed = { ...RULE, threshold: 3.5, destinations: ["d1"] };
    expect(await alerts.putRule(changed, 1, someRecord(), 1)).toBe(true);
    expect(await alerts.putRule({ ...RULE, id: "other" }, 2, someRecord(), 1)).toBe(false);
    expect(await alerts.putRule({ ...changed, enabled: false }, 3, someRecord(), 1)).toBe(true);
    expect(await alerts.rules()).toEqual([{ ...changed, enabled: false }]);
    expect(await alerts.removeRule(RULE.id, someRecord())).toBe(true);
    expect(await alerts.removeRule(RULE.id, someRecord())).toBe(false);
    expect(await alerts.rules()).toEqual([]);
  });

  it("keeps destinations; how sending goes is no change of governance", async (store) => {
    const { alerts } = store;
    expect(await alerts.addDestination(DESTINATION, someRecord(), 1)).toBe(true);
    expect(await alerts.addDestination({ ...DESTINATION, id: "d2" }, someRecord(), 1)).toBe(false);
    const before = await traces(store);
    await alerts.noteDestination("d1", 77);
    expect(await traces(store)).toEqual(before);
    expect(await alerts.destination("d1")).toEqual({ ...DESTINATION, failing_since: 77 });
    expect(await alerts.updateDestination("d1", { active: false, name: "team" }, someRecord())).toBe(true);
    expect(await alerts.updateDestination("none", { active: false }, someRecord())).toBe(false);
    const [kept] = await alerts.destinations();
    expect(kept).toEqual({ ...DESTINATION, failing_since: 77, active: false, name: "team" });
    expect(await alerts.removeDestination("d1", someRecord())).toBe(true);
    expect(await alerts.destination("d1")).toBe(null);
  });

  it("tells of an alert once, whichever process comes first, and of its end once", async (store) => {
    verifies("alert.once");
    const { alerts } = store;
    await alerts.save([ALERT], []);
    // Of a subject one is open at a time.
    await alerts.save([{ ...ALERT, id: "al2" }], []);
    expect(await alerts.open()).toEqual([ALERT]);
    const firing = await Promise.all([1, 2, 3].map(() => alerts.tell(FIRING, someRecord())));
    expect(firing.filter(Boolean)).toHaveLength(1);
    expect(await alerts.byId("al1")).toEqual(FIRING);
    await alerts.save([{ ...FIRING, value: 1, peak: 40 }], []);
    expect(await alerts.open()).toEqual([{ ...FIRING, value: 1, peak: 40 }]);
    const resolved = await Promise.all([1, 2, 3].map(() => alerts.tell(RESOLVED, someRecord())));
    expect(resolved.filter(Boolean)).toHaveLength(1);
    expect(await alerts.open()).toEqual([]);
    await alerts.save([{ ...ALERT, id: "al3" }], []);
    expect(await alerts.page(["resolved"], { after: null, limit: 9 })).toEqual([RESOLVED]);
    expect((await alerts.page(["resolved", "pending"], { after: null, limit: 9 })).map(({ id }) => id)).toEqual([
      "al3",
      "al1",
    ]);
    await alerts.save([], ["al3"]);
    expect(await alerts.dropBefore(300)).toBe(0);
    expect(await alerts.dropBefore(301)).toBe(1);
    expect(await alerts.byId("al1")).toBe(null);
  });

  it("keeps what a destination was told, one for each alert, with a job at each news", async (store) => {
    const { alerts, jobs } = store;
    // Neither the alert nor the destination is there.
    await alerts.queueNotice(NOTICE, JOB);
    expect(await jobs.lease("alert.notify", "a", 500, 600, 9)).toEqual([]);
    await alerts.addDestination(DESTINATION, someRecord(), 9);
    await alerts.save([FIRING], []);
    await alerts.queueNotice(NOTICE, JOB);
    await alerts.queueNotice({ ...NOTICE, id: "n2", state: "failed" }, { ...JOB, id: "j2" });
    expect((await jobs.lease("alert.notify", "a", 500, 600, 9)).map(({ ref }) => ref)).toEqual(["n1", "n1"]);
    const attempts = [{ at: 1, event: "firing", status: null, error: "timeout", ms: 2.5 }] as const;
    await alerts.saveNotice("n1", { told: "firing", state: "delivered", attempts, next_at: null });
    const saved = { ...NOTICE, told: "firing", state: "delivered", attempts, next_at: null } as const;
    expect(await alerts.notices("al1")).toEqual([saved]);
    expect(await alerts.notice("n1")).toEqual(saved);
    await alerts.removeDestination("d1", someRecord());
    expect(await alerts.notices("al1")).toEqual([]);
  });

  it("keeps silences until they are over, or ended", async ({ alerts }) => {
    verifies("alert.silences");
    expect(await alerts.silence(SILENCE, someRecord(), 1)).toBe(true);
    expect(await alerts.silence({ ...SILENCE, id: "s2" }, someRecord(), 1)).toBe(false);
    // One that is over takes no place.
    expect(await alerts.silence({ ...SILENCE, id: "s3", created_at: 1_000, until: 2_000 }, someRecord(), 1)).toBe(true);
    expect((await alerts.silences(999)).map(({ id }) => id)).toEqual(["s3", "s1"]);
    expect((await alerts.silences(1_000)).map(({ id }) => id)).toEqual(["s3"]);
    expect(await alerts.endSilence("s1", 1_000, someRecord())).toBe(false);
    expect(await alerts.endSilence("s3", 1_500, someRecord())).toBe(true);
    expect(await alerts.endSilence("s3", 1_500, someRecord())).toBe(false);
    expect(await alerts.silences(1_600)).toEqual([]);
  });
};

const figuresOf = (started_at: number): NodeFigures => ({
  directory: "",
  started_at,
  loop_delay_ms: 3,
  audit: { checked_at: null, faults: 0 },
  backup: null,
  tool_servers: [],
});

/** What every store must do of the figures of several processes. */
export const figuresContract = (name: string, lend: LendProcesses): void => {
  test(`${name}: figures say which of their processes live`, () =>
    lend(async ({ open, clock }) => {
      verifies("alert.once");
      const joining = (id: string) => ({ id, version: "test", leaseMs: 10_000 });
      const [one, other] = [await open(joining("0")), await open(joining("1"))];
      await one.alerts.noteFigures(figuresOf(1));
      await other.alerts.noteFigures(figuresOf(2));
      await one.alerts.noteFigures(figuresOf(3));
      const seen = [
        { node: "0", live: true, figures: figuresOf(3) },
        { node: "1", live: true, figures: figuresOf(2) },
      ];
      expect(await one.alerts.figures()).toEqual(seen);
      clock.at += 6_000;
      await one.nodes.renew();
      clock.at += 6_000;
      expect((await one.alerts.figures()).map(({ live }) => live)).toEqual([true, false]);
    }));
};
