import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UsageRecorder } from "#guard/limits/usage";
import { crashedAt, recount, recoverCrashed, recoverUsage } from "#guard/limits/usage-recovery";
import type { AuditRecord, Outcome } from "#model/audit";
import { FAILED_OPEN, HOUR_MS } from "#model/usage";
import { jsonLog } from "#platform/log";
import type { UsageStore } from "#store/governance-port";
import { Place } from "#test/store/directory";
import { callRecord, type RecordFacts, toolRecord } from "#test/support/call-record";
import { costRatio } from "#test/support/cost";
import { verifies } from "#test/support/verifies";

const NOON = Date.UTC(2026, 10, 20, 12);
type Row = Parameters<UsageStore["add"]>[0][number];

/** A store of counters in memory that can be made to fail. */
class Shelf implements Pick<UsageStore, "add" | "ofDay" | "ofHour"> {
  rows: Row[] = [];
  isBroken = false;

  async add(rows: readonly Row[]): Promise<void> {
    if (this.isBroken) throw new Error("no space left on device");
    this.rows.push(...rows);
  }
  async ofDay(day: number) {
    const rows = this.rows.filter(({ hour }) => hour - (hour % (24 * HOUR_MS)) === day);
    const sum = (subject: string, name: string) =>
      rows.reduce((all, { subject_id, counts }) => all + (subject_id === subject ? (counts[name] ?? 0) : 0), 0);
    return [...new Set(rows.map(({ subject_id }) => subject_id))].map((subject_id) => {
      const requests = sum(subject_id, "calls") + sum(subject_id, "tool_calls");
      return { subject_id, requests, tokens: sum(subject_id, "tokens") };
    });
  }
  async ofHour(wanted: number) {
    return this.rows.filter(({ hour }) => hour === wanted);
  }
  sum(subject = "agent-1"): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const { subject_id, counts } of this.rows) {
      if (subject_id !== subject) continue;
      for (const [name, n] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + n;
    }
    return sum;
  }
}

const counted = async (...records: readonly AuditRecord[]): Promise<Record<string, number>> => {
  const shelf = new Shelf();
  const recorder = new UsageRecorder({ usage: shelf, now: () => NOON });
  for (const record of records) recorder.note(record);
  await recorder.flush();
  return shelf.sum();
};

const flag = (type: string, detector = "x") => ({
  ...{ type, detector, score: 1, start: 0, end: 1, action: "flag" as const, origin: "user" as const, param: "p" },
});

describe("usage counters of a call", () => {
  test("an answered call: its model, tokens, sizes, reason and that nothing was flagged", async () => {
    verifies("usage.counted");
    expect(await counted(callRecord({ at: NOON }))).toEqual({
      ...{ calls: 1, tokens: 120, prompt_tokens: 100, completion_tokens: 20, "prompt_bin.6": 1, "output_bin.4": 1 },
      ...{ "model.fake-model": 1, "flag.none": 1, "finish.stop": 1 },
    });
  });

  const cases: readonly (readonly [string, AuditRecord, Record<string, number>])[] = [
    ["a block", callRecord({ outcome: "blocked_input", facts: { code: "content_filter" } }), { blocks: 1 }],
    ["a redaction", callRecord({ facts: { action: "redact" } }), { redactions: 1 }],
    [
      "each type of flag once",
      callRecord({ facts: { flags: [flag("a.b"), flag("a.b"), flag("c")] } }),
      { flags: 1, "flag.a.b": 1, "flag.c": 1 },
    ],
    ["an error of ours", callRecord({ outcome: "failed", facts: { code: "internal_error" } }), { errors_hub: 1 }],
    [
      "one upstream",
      callRecord({ outcome: "upstream_error", facts: { code: "upstream_error" } }),
      { errors_upstream: 1 },
    ],
    [
      "a text that passed unscanned",
      callRecord({
        facts: {
          coverage: {
            input: { texts: 1, chars: 1, cached: 0, unscanned: [{ param: "p", reason: FAILED_OPEN }] },
            output: { texts: 0, chars: 0, cached: 0, unscanned: [] },
          },
        },
      }),
      { fail_open: 1 },
    ],
    [
      "a model the profile forbids",
      callRecord({
        outcome: "refused",
        facts: { code: "model_not_allowed", denied_by: { layer: "profile v2", rule: "models.allow" } },
      }),
      { off_profile: 1 },
    ],
    [
      "the same, only watched",
      callRecord({ facts: { flags: [flag("profile.model", "profile")] } }),
      { off_profile: 1 },
    ],
    ["a tool", toolRecord("files__read"), { tool_calls: 1, "tool.files__read": 1 }],
    [
      "a tool that is not the agent's",
      toolRecord("files__read", { facts: { tool: { ...toolFacts(), denied_by: "agent" } } }),
      { tool_calls: 1, off_profile: 1 },
    ],
  ];

  function toolFacts() {
    return {
      dialect: "minimal",
      allowlist_revision: 1,
      server: null,
      server_id: null,
      tool: null,
      name: "files__read",
      denied_by: null,
      is_error: null,
      listed: null,
    };
  }

  test.each(cases)("%s", async (_name, record, expected) => {
    verifies("usage.counted");
    expect(await counted(record)).toMatchObject(expected);
  });

  test("usage: refused tools are not used, disabled servers are no error", async () => {
    verifies("usage.counted");
    const denied = callRecord({ outcome: "refused", facts: { code: "model_not_allowed" } });
    expect(Object.keys(await counted(denied))).not.toContain("model.fake-model");
    const off = await counted(toolRecord("files__read", { facts: { tool: { ...toolFacts(), denied_by: "server" } } }));
    expect(off["off_profile"]).toBeUndefined();
    const block = callRecord({
      outcome: "blocked_input",
      facts: { code: "content_filter", denied_by: { layer: "profile v2", rule: "secrets" } },
    });
    expect((await counted(block))["off_profile"]).toBeUndefined();
  });

  test("usage: stopped and limited calls count as refused; scans and lists do not count", async () => {
    verifies("usage.counted");
    for (const code of ["killed", "agent_suspended", "rate_limit_exceeded", "insufficient_quota"]) {
      expect(await counted(callRecord({ outcome: "refused", facts: { code } }))).toEqual({ turned_away: 1 });
    }
    const others: RecordFacts[] = [{ kind: "guard.scan" }, { kind: "tool.list" }, { phase: "request" }];
    for (const told of others) expect(await counted(callRecord(told))).toEqual({});
  });

  test("names from outside have bounds, also those objects have of their own", async () => {
    verifies("usage.counted");
    const shelf = new Shelf();
    const recorder = new UsageRecorder({ usage: shelf, now: () => NOON });
    for (let i = 0; i < 1_000; i += 1) recorder.note(callRecord({ at: NOON, facts: { model: `model-${i}` } }));
    recorder.note(callRecord({ at: NOON, facts: { model: "m".repeat(200) } }));
    for (const model of ["__proto__", "constructor"])
      recorder.note(callRecord({ at: NOON + HOUR_MS, facts: { model } }));
    await recorder.flush();
    const first = Object.keys(shelf.rows[0]?.counts ?? {});
    expect(first.filter((name) => /^(model|tool|flag|finish)\./.test(name)).length).toBeLessThanOrEqual(204);
    const models = Object.entries(shelf.sum()).filter(([name]) => name.startsWith("model."));
    expect(models.reduce((sum, [, n]) => sum + n, 0)).toBe(1_003);
    expect(shelf.rows.at(-1)?.counts).toMatchObject({ "model.__proto__": 1, "model.constructor": 1 });
  });
});

describe("counters", () => {
  const told = fc.record({
    at: fc.integer({ min: NOON - 30 * HOUR_MS, max: NOON }),
    agent: fc.constantFrom("agent-1", "agent-2", null),
    outcome: fc.constantFrom<Outcome>("answered", "blocked_input", "failed", "upstream_error"),
    facts: fc.record({ model: fc.constantFrom("a", "b", "__proto__") }),
  });
  test("lose nothing and count nothing twice, however often they are stored and the store fails", async () => {
    verifies("usage.counted");
    const step = fc.oneof(told, fc.constantFrom("flush", "break", "mend"));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const shelf = new Shelf();
        const recorder = new UsageRecorder({ usage: shelf, now: () => NOON });
        let calls = 0;
        for (const one of steps) {
          if (one === "flush") await recorder.flush().catch(() => undefined);
          else if (typeof one === "string") shelf.isBroken = one === "break";
          else {
            recorder.note(callRecord(one));
            calls += 1;
          }
        }
        shelf.isBroken = false;
        await recorder.flush();
        const sum = ["agent-1", "agent-2", "user-1"].reduce((all, who) => all + (shelf.sum(who)["calls"] ?? 0), 0);
        expect(sum).toBe(calls);
      }),
    );
  });

  test("of the day are known after a restart and a crash, and gone the next day", async () => {
    verifies("usage.today");
    const shelf = new Shelf();
    let now = NOON;
    const recorder = new UsageRecorder({ usage: shelf, now: () => now });
    recorder.note(callRecord({ at: NOON - HOUR_MS }));
    recorder.note(callRecord({ at: NOON }));
    recorder.note(toolRecord("files__read", { at: NOON, facts: { attempts: 0 } }));
    recorder.note(callRecord({ at: NOON, facts: { code: "rate_limit_exceeded" } }));
    await recorder.flush();
    const after = new UsageRecorder({ usage: shelf, now: () => now });
    expect(after.spentEarlier("agent-1")).toEqual({ requests: 0, tokens: 0 });
    await after.load(now);
    expect(after.spentEarlier("agent-1")).toMatchObject({ requests: 3, tokens: 240 });
    // What it counts itself is not earlier.
    after.note(callRecord({ at: NOON, facts: { usage: null } }));
    expect(after.spentEarlier("agent-1")).toMatchObject({ requests: 3, tokens: 240 });
    const lost = { subject_id: "agent-1", counts: { calls: 2, tokens: 10 } };
    after.regain(
      [
        { ...lost, hour: NOON },
        { ...lost, hour: NOON - 24 * HOUR_MS },
      ],
      now,
    );
    expect(after.spentEarlier("agent-1")).toMatchObject({ requests: 5, tokens: 250 });
    now += 12 * HOUR_MS;
    expect(after.spentEarlier("agent-1")).toEqual({ requests: 0, tokens: 0 });
  });

  test("cost a call next to nothing", () => {
    const recorder = new UsageRecorder({ usage: new Shelf(), now: () => NOON });
    const records = Array.from({ length: 50 }, (_, i) => callRecord({ at: NOON, agent: `agent-${i}` }));
    const each = (take: (record: AuditRecord) => unknown) => () => {
      for (let round = 0; round < 200; round += 1) for (const one of records) take(one);
    };
    // Every call's record is put into words once: counting is to cost little more than that.
    const words = each(JSON.stringify);
    expect(
      costRatio(
        each((one) => recorder.note(one)),
        words,
      ),
    ).toBeLessThan(3);
  });
});

describe("the audit log", () => {
  const line = (told: RecordFacts, n: number) =>
    JSON.stringify({ ...callRecord(told), id: `record-${n}`, call_id: `call-${n}` });

  test("counted again gives the same numbers", async () => {
    verifies("usage.recount");
    await using place = new Place();
    const store = await place.open();
    const recorder = new UsageRecorder({ usage: store.usage, now: () => NOON + 3 * HOUR_MS });
    const told: RecordFacts[] = Array.from({ length: 120 }, (_, n) => ({
      at: NOON + n * 60_000,
      agent: n % 3 === 0 ? null : `agent-${n % 2}`,
      outcome: n % 7 === 0 ? "blocked_output" : "answered",
      facts: { model: n % 5 === 0 ? "rare" : "common", flags: n % 4 === 0 ? [flag("pii.email")] : [] },
    }));
    for (const [n, one] of told.entries()) {
      recorder.note(callRecord(one));
      await store.audit.append(line(one, n));
      if (n % 10 === 0) await recorder.flush();
    }
    await recorder.flush();
    const again = await recount(store.audit, NOON, NOON + 3 * HOUR_MS);
    const stored = await store.usage.readAll(NOON, NOON + 3 * HOUR_MS);
    expect(again.size).toBe(stored.length);
    for (const { subject_id, hour, counts } of stored) expect(again.get(`${hour} ${subject_id}`)).toEqual(counts);
  });

  test("gives back what a crash took, and only that", async () => {
    verifies("usage.crash");
    await using place = new Place();
    const store = await place.open();
    const recorder = new UsageRecorder({ usage: store.usage, now: () => NOON });
    for (let n = 0; n < 10; n += 1) {
      recorder.note(callRecord({ at: NOON + n }));
      await store.audit.append(line({ at: NOON + n }, n));
      if (n === 5) await recorder.flush();
    }
    // Somebody at the command line, before the hub is up again.
    await store.audit.append(
      JSON.stringify({
        ...callRecord({ at: NOON + 9 * HOUR_MS, kind: "token.create" }),
        call: undefined,
        actor: { via: "cli", user_id: null, agent_id: null, token_id: null },
      }),
    );
    const crash = await crashedAt(store);
    expect(crash).toBe(NOON + 9);
    const read = async () => (await store.usage.read("agent-1", NOON, NOON + 1))[0]?.counts;
    expect((await read())?.["calls"]).toBe(6);
    for (const lacking of [1, 0]) {
      expect(await recoverUsage(store, crash ?? 0, NOON + 10 * HOUR_MS)).toHaveLength(lacking);
      expect(await read()).toMatchObject({ calls: 10, tokens: 1_200, "model.fake-model": 10 });
    }
  });

  test("of one process of three is counted again once its hour is over, and the others' counts only once", async () => {
    verifies("usage.crash");
    await using place = new Place();
    place.broken = true; // the one that crashed does not leave
    let at = NOON;
    const open = (id: string) =>
      place.open({ node: { id, version: "test", leaseMs: 10_000, isAlone: false }, now: () => at });
    const stores = [await open("0"), await open("1"), await open("2")];
    const recorders = stores.map(({ usage }) => new UsageRecorder({ usage, now: () => at }));
    const [dead, one, other] = stores;
    if (!dead || !one || !other) throw new Error("no stores");
    for (let n = 0; n < 30; n += 1) {
      const told = { at: NOON + n };
      recorders[n % 3]?.note(callRecord(told));
      await stores[n % 3]?.audit.append(line(told, n));
      // The process that will crash has stored four of its ten.
      if (n === 10) await recorders[0]?.flush();
    }
    const lines: string[] = [];
    const log = jsonLog(
      "info",
      (text) => void lines.push(text),
      () => at,
    );
    const recover = (store: typeof one) => recoverCrashed({ ...store, now: () => at, log });
    at += 10_000;
    await Promise.all([one.nodes.renew(), other.nodes.renew()]);
    expect((await Promise.all([one, other].map(({ nodes }) => nodes.endSilent()))).flat()).toHaveLength(1);
    // What the others have not stored yet is nobody's loss.
    await recover(one);
    expect(await one.usage.read("agent-1", NOON, NOON + 1)).toMatchObject([{ counts: { calls: 4 } }]);
    for (const recorder of recorders.slice(1)) await recorder.flush();
    at += HOUR_MS + 60_000;
    for (const store of [one, other, one]) {
      await recover(store);
      expect(await one.usage.read("agent-1", NOON, NOON + 1)).toMatchObject([{ counts: { calls: 30, tokens: 3_600 } }]);
    }
    expect(lines).toHaveLength(1);
    // It starts again under its id, and crashes once more: that is another crash.
    const again = await open("0");
    expect(await again.nodes.crashes()).toMatchObject([{ id: "0", epoch: 1, has_usage: true, has_events: false }]);
    await open("0");
    expect((await again.nodes.crashes()).map(({ epoch }) => epoch)).toEqual([1, 2]);
  });

  test("that ends in an orderly stop has nothing to give", async () => {
    verifies("usage.crash");
    await using place = new Place();
    const store = await place.open();
    expect(await crashedAt(store)).toBeNull();
    const stop = callRecord({
      at: NOON,
      kind: "system.stop",
      actor: { via: "system", user_id: null, agent_id: null, token_id: null },
    });
    await store.audit.append(JSON.stringify(stop));
    expect(await crashedAt(store)).toBeNull();
  });
});
