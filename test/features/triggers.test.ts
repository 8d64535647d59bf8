import { describe, expect, test } from "bun:test";
import { Triggers } from "#features/restrictions/triggers";
import type { AuditFlag, AuditRecord, CallFacts, ToolFacts } from "#model/audit";
import type { Restriction } from "#policy/restrictions/restriction";
import type { Tier } from "#policy/review/review";
import type { ProfileRow } from "#store/governance-port";
import { QUIET } from "#test/guard/call-fixture";
import { profileOf } from "#test/store/governed";
import { callRecord } from "#test/support/call-record";
import { costRatio } from "#test/support/cost";
import { verifies } from "#test/support/verifies";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const USUAL = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

const SECRET: AuditFlag = {
  type: "secret.aws_key",
  score: 1,
  start: 0,
  end: 20,
  detector: "vendor-tokens",
  action: "redact",
  origin: "output",
  param: "choices[0].message.content",
};

const TOOL: ToolFacts = {
  dialect: "minimal",
  allowlist_revision: 1,
  server: null,
  server_id: null,
  tool: null,
  name: null,
  denied_by: "unknown",
  is_error: null,
  listed: null,
};

/** Triggers on a clock of their own, over restrictions in memory. */
class Watchtower {
  now = 1_750_000_000_000;
  readonly set: Restriction[] = [];
  readonly records: string[] = [];
  fails = false;
  private next = 0;
  readonly triggers: Triggers;

  constructor(suspendable: readonly Tier[] = [], profile: ProfileRow | null = profileOf(1)) {
    this.triggers = new Triggers({
      suspendable,
      policyResolver: {
        restrictionsOf: (agentId) =>
          this.set.filter((one) => one.agent_id === agentId && (one.expires_at ?? 0) > this.now && !one.lifted_at),
        profileOf: () => profile,
      },
      restrictions: {
        set: async (restriction, record) => {
          if (this.fails) throw new Error("disk full");
          this.set.push(restriction);
          this.records.push(record);
          return true;
        },
      },
      shared: null,
      onChanged: () => Promise.resolve(),
      now: () => this.now,
      ids: () => this.id(),
      log: QUIET,
    });
  }

  private id(): string {
    this.next += 1;
    return `id-${this.next}`;
  }

  async call(facts: Partial<CallFacts> = {}, { kind = "chat.completion", agent = "a1" } = {}) {
    const id = this.id();
    const who = { user: "u1", agent: agent === "" ? null : agent };
    const record = callRecord({ id, call_id: id, kind, at: this.now, ...who, facts: { usage: USUAL, ...facts } });
    this.triggers.note(record);
    await this.triggers.runOnce();
    return record;
  }

  /** What was restricted: rule and kind. */
  get restricted(): string[] {
    return this.set.map(({ trigger, kind }) => `${trigger?.rule}: ${kind}`);
  }
}

describe("secret_egress", () => {
  test("three secrets in the output within ten minutes: what is found is taken out for a day", async () => {
    verifies("restriction.automatic");
    const tower = new Watchtower();
    await tower.call({ flags: [SECRET, { ...SECRET, start: 30 }], event_id: "e1" });
    tower.now += 9 * MINUTE;
    expect(tower.restricted).toEqual([]);
    const last = await tower.call({ flags: [SECRET] });
    const [made] = tower.set;
    expect(made).toMatchObject({
      agent_id: "a1",
      kind: "output_redaction",
      source: "automatic",
      set_by: null,
      starts_at: tower.now,
      expires_at: tower.now + 24 * HOUR,
      trigger: { rule: "secret_egress", evidence_event_ids: ["e1", last.call_id] },
    });
    const record: AuditRecord = JSON.parse(tower.records[0] ?? "");
    expect([record.kind, record.actor.via, record.change?.subject_id]).toEqual(["restriction.set", "system", made?.id]);
  });

  test("not for what users send, tools answer or is allowed; not for one secret told twice by one call; not over more time", async () => {
    const tower = new Watchtower();
    const others: AuditFlag[] = [
      { ...SECRET, origin: "user", param: "messages[0].content" },
      { ...SECRET, origin: "tool_result", param: "result.content[0].text" },
      { ...SECRET, origin: "tool_args", param: "messages[1].tool_calls[0].function.arguments" },
      { ...SECRET, action: "allow" },
      { ...SECRET, action: "flag" },
      { ...SECRET, type: "pii.email" },
    ];
    for (let turn = 0; turn < 5; turn += 1)
      await tower.call({ flags: others.map((flag) => ({ ...flag, start: turn })) });
    await tower.call({ flags: [SECRET, { ...SECRET, detector: "assigned-secret" }, { ...SECRET, start: 40 }] });
    tower.now += 10 * MINUTE;
    await tower.call({ flags: [SECRET] });
    expect(tower.restricted).toEqual([]);
  });

  test("secrets sent to tools count", async () => {
    const tower = new Watchtower();
    const flags = [0, 1, 2].map((start) => ({
      ...SECRET,
      origin: "tool_args" as const,
      param: "arguments.text",
      start,
    }));
    await tower.call({ flags, tool: { ...TOOL, denied_by: null } }, { kind: "tool.call" });
    expect(tower.restricted).toEqual(["secret_egress: output_redaction"]);
  });
});

test("tool_probe: ten calls of tools it was not given", async () => {
  verifies("restriction.automatic");
  const tower = new Watchtower();
  for (const denied_by of ["server", "definition", null] as const) {
    for (let turn = 0; turn < 10; turn += 1) await tower.call({ tool: { ...TOOL, denied_by } }, { kind: "tool.call" });
  }
  for (let turn = 0; turn < 9; turn += 1) await tower.call({ tool: TOOL }, { kind: "tool.call" });
  expect(tower.restricted).toEqual([]);
  await tower.call({ tool: { ...TOOL, denied_by: "agent" } }, { kind: "tool.call" });
  expect(tower.restricted).toEqual(["tool_probe: tool_restricted"]);
  const [made] = tower.set;
  expect(made).toMatchObject({ params: { read_only: true }, expires_at: tower.now + 4 * HOUR });
  expect(made?.trigger?.evidence_event_ids).toHaveLength(10);
});

describe("runaway", () => {
  /** Three hours at a steady pace: so many calls in each ten minutes. */
  const warm = async (tower: Watchtower, calls: number) => {
    for (let window = 0; window < 18; window += 1) {
      for (let call = 0; call < calls; call += 1) {
        await tower.call();
        tower.now += (10 * MINUTE) / calls;
      }
    }
  };

  test("more than three times the usual calls: slowed down to the usual", async () => {
    verifies("restriction.automatic");
    const tower = new Watchtower();
    await warm(tower, 10);
    expect(tower.restricted).toEqual([]);
    for (let call = 0; call < 40; call += 1) await tower.call();
    expect(tower.restricted).toEqual(["runaway: rate_limited"]);
    expect(tower.set[0]).toMatchObject({
      params: { requests_per_minute: 1, tokens_per_minute: 10 },
      expires_at: tower.now + HOUR,
      trigger: { metrics: { usual_calls: 10 } },
    });
    expect(tower.set[0]?.trigger?.metrics["calls_in_10_min"]).toBeGreaterThan(30);
  });

  test("more than three times the usual tokens, of 20 calls", async () => {
    const tower = new Watchtower();
    await warm(tower, 15);
    const usage = { prompt_tokens: 0, completion_tokens: 100, total_tokens: 100 };
    for (let call = 0; call < 10; call += 1) await tower.call({ usage });
    expect(tower.restricted).toEqual(["runaway: rate_limited"]);
  });

  test("not of few calls, nor while nothing is known of what is usual", async () => {
    const quiet = new Watchtower();
    await warm(quiet, 2);
    for (let call = 0; call < 17; call += 1) await quiet.call();
    expect(quiet.restricted).toEqual([]);
    const young = new Watchtower();
    for (let call = 0; call < 1_000; call += 1) await young.call();
    expect(young.restricted).toEqual([]);
  });
});

describe("severity_burn", () => {
  const BAD = { flags: [{ ...SECRET, type: "injection.indirect", action: "block" as const }] };
  const busy = async (tower: Watchtower, calls: number) => {
    for (let call = 0; call < calls; call += 1) {
      await tower.call();
      tower.now += HOUR / 2 / calls;
    }
  };

  test("too many bad answers, over the hour and in the last minutes: half the pace", async () => {
    verifies("restriction.automatic");
    const tower = new Watchtower();
    await busy(tower, 120);
    await tower.call(BAD);
    await tower.call(BAD);
    expect(tower.restricted).toEqual([]);
    await tower.call(BAD);
    expect(tower.restricted).toEqual(["severity_burn: rate_limited"]);
    expect(tower.set[0]).toMatchObject({ params: { requests_per_minute: 2 }, expires_at: tower.now + 4 * HOUR });
  });

  test("not for a spike in a busy hour, nor for one that is over, nor of few calls", async () => {
    const large = new Watchtower();
    await busy(large, 1_000);
    for (let call = 0; call < 10; call += 1) await large.call(BAD);
    expect(large.restricted).toEqual([]);
    const spread = new Watchtower();
    for (let turn = 0; turn < 8; turn += 1) {
      await spread.call(BAD);
      for (let call = 0; call < 10; call += 1) await spread.call();
      spread.now += 6 * MINUTE;
    }
    expect(spread.restricted).toEqual([]);
    const few = new Watchtower();
    for (let call = 0; call < 19; call += 1) await few.call(BAD);
    expect(few.restricted).toEqual([]);
  });

  test("not for calls that are held for a person or not allowed, nor for what callers and tools say", async () => {
    const flag = { ...SECRET, type: "injection.direct", action: "block" as const };
    const tainted = { ...flag, type: "tool.tainted_argument" };
    const harmless: AuditFlag[] = [
      ...["human_approval", "policy.human_approval", "tool.not_allowed"].map((type) => ({ ...flag, type })),
      ...(["user", "tool_result", "system"] as const).map((origin) => ({ ...flag, origin, param: "messages[0]" })),
      { ...tainted, action: "flag" },
      // Held: its cause is its rule.
      { ...tainted, rule: tainted.type },
    ];
    for (const one of harmless) {
      const tower = new Watchtower();
      await busy(tower, 30);
      for (let call = 0; call < 9; call += 1) await tower.call({ flags: [one] });
      expect([one, tower.restricted]).toEqual([one, []]);
    }
    const tower = new Watchtower();
    await busy(tower, 30);
    for (let call = 0; call < 3; call += 1)
      await tower.call({ flags: [{ ...tainted, rule: "tools.tainted_arguments" }] });
    expect(tower.restricted).toEqual(["severity_burn: rate_limited"]);
  });

  test("suspends only where an administrator has opted in for the agent's tier", async () => {
    verifies("restriction.automatic-suspension");
    for (const [tiers, kind] of [
      [["critical"], "rate_limited"],
      [["medium"], "suspended"],
    ] as const) {
      const tower = new Watchtower(tiers);
      await busy(tower, 20);
      for (let call = 0; call < 3; call += 1) await tower.call(BAD);
      expect(tower.restricted).toEqual([`severity_burn: ${kind}`]);
      expect(tower.set[0]?.expires_at).toBe(tower.now + 4 * HOUR);
    }
    // Without a profile there is no tier.
    const ungoverned = new Watchtower(["low", "medium", "high", "critical"], null);
    await busy(ungoverned, 20);
    for (let call = 0; call < 3; call += 1) await ungoverned.call(BAD);
    expect(ungoverned.restricted).toEqual(["severity_burn: rate_limited"]);
  });
});

const NOVEL = { code: "model_not_allowed", denied_by: { layer: "profile v1", rule: "models.allow" } };

test("novel_model: five calls for models its profile does not allow", async () => {
  verifies("restriction.automatic");
  const tower = new Watchtower();
  for (let call = 0; call < 5; call += 1) await tower.call(NOVEL);
  expect(tower.restricted).toEqual(["novel_model: model_restricted"]);
  expect(tower.set[0]?.params).toEqual({ models_allow: ["gpt-*"] });
  const restricted = new Watchtower();
  const denied_by = { layer: "restriction r1", rule: "models.allow" };
  for (let call = 0; call < 9; call += 1) await restricted.call({ ...NOVEL, denied_by });
  expect(restricted.restricted).toEqual([]);
  const ungoverned = new Watchtower([], null);
  for (let call = 0; call < 5; call += 1) await ungoverned.call(NOVEL);
  expect(ungoverned.restricted).toEqual([]);
});

describe("how it restricts", () => {
  const leak = (tower: Watchtower, agent = "a1") =>
    tower.call({ flags: [0, 1, 2].map((start) => ({ ...SECRET, start })) }, { agent });

  test("a rule not twice while it is in force; again when it is over, on new evidence", async () => {
    verifies("restriction.automatic-once");
    const tower = new Watchtower();
    for (let call = 0; call < 5; call += 1) {
      await leak(tower);
      tower.now += 2 * MINUTE;
    }
    expect(tower.set).toHaveLength(1);
    tower.now += 24 * HOUR;
    await tower.call();
    expect(tower.set).toHaveLength(1);
    await leak(tower);
    expect(tower.set).toHaveLength(2);
  });

  test("not people, and each agent by itself", async () => {
    const tower = new Watchtower();
    await leak(tower, "");
    expect(tower.set).toEqual([]);
    await tower.call({ flags: [SECRET, { ...SECRET, start: 9 }] }, { agent: "a2" });
    await tower.call({ flags: [SECRET] }, { agent: "a3" });
    expect(tower.set).toEqual([]);
    await leak(tower, "a3");
    expect(tower.set.map(({ agent_id }) => agent_id)).toEqual(["a3"]);
  });

  test("automatic restrictions are retried when the store failed", async () => {
    const tower = new Watchtower();
    tower.fails = true;
    await leak(tower);
    await tower.triggers.runOnce();
    expect(tower.set).toEqual([]);
    tower.fails = false;
    await tower.triggers.runOnce();
    expect(tower.restricted).toEqual(["secret_egress: output_redaction"]);
  });

  test("costs a call next to nothing", () => {
    verifies("restriction.automatic-cheap");
    const tower = new Watchtower();
    const records = Array.from({ length: 10_000 }, (_, number) => callRecord({ agent: `agent-${number}` }));
    for (const one of records) tower.triggers.note(one);
    const busy = records.slice(-100);
    const inTurns = (take: (record: AuditRecord) => unknown) => () => {
      for (let round = 0; round < 100; round += 1) {
        tower.now += 100;
        for (const one of busy) take(one);
      }
    };
    // Every call's record is put into words once: watching is to cost less than that.
    const words = inTurns(JSON.stringify);
    const watching = inTurns((one) => tower.triggers.note(one));
    expect(costRatio(watching, words)).toBeLessThan(1);
  });

  test("automatic restrictions forget the longest silent agent first", async () => {
    verifies("restriction.automatic-cheap");
    const tower = new Watchtower();
    const twice = async (agent: string) => {
      for (const start of [0, 30]) await tower.call({ flags: [{ ...SECRET, start }] }, { agent });
    };
    await twice("silent");
    for (let number = 0; number < 4_000; number += 1) await tower.call({}, { agent: `agent-${number}` });
    await twice("heard-of");
    for (const agent of ["silent", "heard-of"]) await tower.call({ flags: [SECRET] }, { agent });
    expect(tower.set.map(({ agent_id }) => agent_id)).toEqual(["heard-of"]);
  });
});
