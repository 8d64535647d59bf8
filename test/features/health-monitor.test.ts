import { describe, expect, test } from "bun:test";
import { AccessService } from "#features/access/service";
import { NOTHING_CONFIRMED } from "#features/health/confirmed";
import { HealthMonitor } from "#features/health/health-monitor";
import { UsageRecorder } from "#guard/limits/usage";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import { HOUR_MS } from "#model/usage";
import { systemIds } from "#platform/ids";
import type { SqliteStore } from "#store/sqlite/index";
import { QUIET } from "#test/guard/call-fixture";
import { Place } from "#test/store/directory";
import { profileOf } from "#test/store/governed";
import { someRecord } from "#test/store/records";
import { callRecord } from "#test/support/call-record";
import { LARGE, seedConfiguration } from "#test/support/large-configuration";
import { verifies } from "#test/support/verifies";
import { chance, HABITS, type Habits, hourOfCalls } from "#test/support/watched-agent";

const START = Date.UTC(2026, 10, 2);
const ROUND_MS = 300_000;
const OTHER: Habits = { ...HABITS, model: { large: 0.1, small: 0.9 } };

/** A hub's watch on a store, which can be left and taken up again by another. */
class Watched {
  readonly recorder: UsageRecorder;
  readonly watch: HealthMonitor;

  /** What was told of the agent. */
  readonly moves: string[] = [];
  constructor(
    readonly store: SqliteStore,
    private readonly clock: { now: number },
  ) {
    const { agents, tokens, usage, watch } = store;
    this.recorder = new UsageRecorder({ usage, now: () => clock.now });
    this.watch = new HealthMonitor({
      ...{ agents, tokens, usage, watch, recorder: this.recorder, log: QUIET },
      onChanged: async (move) => void this.moves.push(move),
      facts: {
        restrictionsOf: () => [],
        confirmedOf: () => Promise.resolve(NOTHING_CONFIRMED),
        isActive: () => true,
      },
    });
  }

  /** So many hours of a governed agent's life, with a round of the watch every five minutes. */
  async live(agent: Agent, hours: number, habits: Habits, random: () => number): Promise<void> {
    for (let n = 0; n < hours; n += 1) {
      const { hour, counts } = hourOfCalls(this.clock.now, 60, habits, random);
      await this.store.usage.add([{ subject_id: agent.id, hour, counts }]);
      for (let round = 0; round < 12; round += 1) {
        this.clock.now += ROUND_MS;
        await this.watch.runOnce(this.clock.now - 1);
      }
    }
  }
}

const governed = async (store: SqliteStore, clock: () => number): Promise<Agent> => {
  const { users, agents, tokens } = store;
  const access = new AccessService({ users, agents, tokens, now: clock, ids: systemIds });
  const user = await access.createUser(CLI_ACTOR, {
    ...{ email: "eve@example.com", name: null, role: "member", password: null },
  });
  const agent = user && (await access.createAgent(CLI_ACTOR, user, "helper"));
  if (!user || !agent) throw new Error("the agent was not created");
  await access.issueToken(CLI_ACTOR, { user, agent, name: null, lifetimeMs: null });
  const profile = profileOf(1, { agent_id: agent.id });
  const patch = { profile_version: 1, review_status: "approved" } as const;
  await store.profiles.publish(agent.id, { profile, agent: patch }, someRecord());
  return { ...agent, ...patch };
};

describe("the watch", () => {
  test("goes on after a restart where it stood, and tells what changes", async () => {
    verifies("health.restart", "webhook.events");
    await using place = new Place();
    const store = await place.open();
    const clock = { now: START };
    const agent = await governed(store, () => clock.now);
    const random = chance(7);
    const first = new Watched(store, clock);
    await first.watch.runOnce(clock.now);
    await first.live(agent, 30, HABITS, random);
    await first.live(agent, 10, OTHER, random);
    const before = await first.watch.healthOf(agent, clock.now + ROUND_MS);
    expect(before).toMatchObject({ drift_status: "drifting", health_score: 79, band: "watch" });
    expect(new Set(first.moves)).toEqual(new Set(["drift.changed", "health.band_changed"]));

    const second = new Watched(store, clock);
    expect(await second.watch.healthOf(agent, clock.now + ROUND_MS)).toEqual(before);
    expect(second.moves).toEqual([]);
    expect(await second.watch.trendOf(agent, clock.now + ROUND_MS)).toEqual(
      await first.watch.trendOf(agent, clock.now + ROUND_MS),
    );
    await second.live(agent, 34, HABITS, random);
    expect((await second.watch.healthOf(agent, clock.now)).drift_status).toBe("stable");
    expect(second.moves).toContain("drift.changed");
  });

  test("health monitor skips agents without news", async () => {
    verifies("health.cheap-rounds");
    await using place = new Place();
    const store = await place.open();
    const clock = { now: START };
    const agent = await governed(store, () => clock.now);
    const read: string[] = [];
    const { agents, tokens, watch, usage } = store;
    const counted = {
      newest: (id: string) => usage.newest(id),
      read: (id: string, since: number, until: number) => {
        read.push(id);
        return usage.read(id, since, until);
      },
    };
    const recorder = new UsageRecorder({ usage, now: () => clock.now });
    const rounds = new HealthMonitor({
      ...{ agents, tokens, usage: counted, watch, recorder, log: QUIET },
      facts: { restrictionsOf: () => [], confirmedOf: async () => NOTHING_CONFIRMED, isActive: () => true },
    });
    const round = async (): Promise<number> => {
      read.length = 0;
      clock.now += ROUND_MS;
      await rounds.runOnce(clock.now);
      return read.length;
    };
    expect([await round(), await round(), await round()]).toEqual([1, 0, 0]);
    await usage.add([{ subject_id: agent.id, hour: START, counts: { calls: 1 } }]);
    expect([await round(), await round()]).toEqual([1, 0]);
    clock.now += HOUR_MS;
    expect(await round()).toBe(1);
  });

  test("a round and a flush write few rows at a time, whatever the number of agents", async () => {
    verifies("health.short-turns");
    await using place = new Place();
    const store = await place.open();
    const size = { ...LARGE, agents: 70, tokensPerAgent: 0, providers: 0, servers: 0, rules: 0 };
    const { agents: seeded } = await seedConfiguration(
      store,
      { ...size, restrictions: 0, waiting: 0, usageHours: 1 },
      START,
    );
    const { agents, tokens, watch, usage } = store;
    /** Rows of each commit. */
    const commits: number[] = [];
    const recorder = new UsageRecorder({
      usage: {
        ofDay: usage.ofDay.bind(usage),
        ofHour: usage.ofHour.bind(usage),
        add: (rows) => {
          commits.push(rows.length);
          return usage.add(rows);
        },
      },
      now: () => START,
    });
    const rounds = new HealthMonitor({
      ...{ agents, tokens, usage, recorder, log: QUIET },
      watch: {
        get: (id) => watch.get(id),
        put: (rows) => {
          commits.push(rows.length);
          return watch.put(rows);
        },
        bands: () => watch.bands(),
        drifting: () => watch.drifting(),
      },
      facts: { restrictionsOf: () => [], confirmedOf: async () => NOTHING_CONFIRMED, isActive: () => true },
    });
    for (const { id } of seeded) recorder.note(callRecord({ at: START, agent: id }));
    await rounds.runOnce(START + ROUND_MS);
    expect(commits.reduce((sum, rows) => sum + rows, 0)).toBe(2 * seeded.length);
    expect(Math.max(...commits)).toBeLessThanOrEqual(25);
    const [written] = await usage.read(seeded.at(-1)?.id ?? "", START, START + 1);
    expect(written?.counts["calls"]).toBeGreaterThan(0);
    expect(await watch.get(seeded.at(-1)?.id ?? "")).not.toBeNull();
  });

  test("a state that cannot be read is begun anew", async () => {
    await using place = new Place();
    const store = await place.open();
    const agent = await governed(store, () => START);
    const state = { v: 0, from: "an earlier version" };
    await store.watch.put([{ agent_id: agent.id, state, at: START, band: null, drift_status: "stable" }]);
    const { watch } = new Watched(store, { now: START });
    expect((await watch.healthOf(agent, START)).drift_status).toBe("no_baseline");
  });

  test("health monitor caches a result for a minute", async () => {
    verifies("health.answer");
    await using place = new Place();
    const store = await place.open();
    const agent = await governed(store, () => START);
    const { watch, recorder } = new Watched(store, { now: START });
    expect((await watch.healthOf(agent, START)).window.calls).toBe(0);
    recorder.note(callRecord({ at: START, agent: agent.id }));
    expect((await watch.healthOf(agent, START + 59_999)).window.calls).toBe(0);
    expect((await watch.healthOf(agent, START + 60_000)).window.calls).toBe(1);
  });

  test("a review that is overdue, an old token and what somebody answers for at the same time", async () => {
    verifies("health.formula");
    await using place = new Place();
    const store = await place.open();
    const agent = await governed(store, () => START);
    const clock = { now: START + 181 * 24 * HOUR_MS };
    const { watch, recorder } = new Watched(store, clock);
    await store.agents.update(agent.id, { review_due_at: START + HOUR_MS }, someRecord());
    for (let n = 0; n < 300; n += 1) recorder.note(callRecord({ at: clock.now, agent: agent.id }));
    await watch.runOnce(clock.now);
    const [stored] = await store.agents.list();
    const report = await watch.healthOf(stored ?? agent, clock.now);
    expect(report.caps.map(({ code }) => code)).toEqual(["review_expired"]);
    expect(report.inputs.at(-1)).toMatchObject({ key: "governance", score: 0.5 });
    expect(report.health_score).toBe(78);
  });
});
