import { expect, test } from "bun:test";
import fc from "fast-check";
import { BlockedSummary } from "#audit/blocked-summary";
import { type Due, type Heed, SharedTriggers } from "#features/restrictions/shared-triggers";
import { AgentTriggers, type Note } from "#features/restrictions/trigger-rules";
import type { HubEvent } from "#model/event";
import { systemIds } from "#platform/ids";
import type { LendProcesses, Processes, ProcessStore } from "#test/store/processes";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";

const MINUTE = 60_000;

const trioOf = async ({ open }: Processes): Promise<ProcessStore[]> => {
  const all = [];
  for (const id of ["0", "1", "2"]) all.push(await open({ id, version: "test", leaseMs: 10_000 }));
  return all;
};

const note = (more: Partial<Note> = {}): Note => {
  const id = systemIds();
  const counts = { calls: 1, tokens: 10, leaks: [], isProbe: false, isOffProfile: false, isPoint: false };
  return { id, call_id: id, ...counts, ...more };
};

const leaking = (): Note => ({ ...note({ isPoint: true }), leaks: [systemIds()] });

const step = fc.record({
  at: fc.nat(2),
  kind: fc.constantFrom("plain", "plain", "leak", "probe", "model", "point", "many"),
  later: fc.constantFrom(0, 1, 1_000, MINUTE, 11 * MINUTE),
});

const made = (kind: string): Note => {
  if (kind === "leak") return leaking();
  if (kind === "many") return note({ calls: 30, tokens: 9_000 });
  return note({ isProbe: kind === "probe", isOffProfile: kind === "model", isPoint: kind === "point" });
};

/** Whichever process is asked. */
const pick = <T>(all: readonly T[], n: number): T => {
  const one = all[n % all.length];
  if (one === undefined) throw new Error("no process");
  return one;
};

/** The alarms that are due. */
const dueOf = async (count: (heed: Heed) => Promise<void>): Promise<Due[]> => {
  const due: Due[] = [];
  await count({ restricts: () => true, take: (one) => due.push(one) });
  return due;
};

export const sharedCountsContract = (name: string, lend: LendProcesses, runs: number): void => {
  test(
    `${name}: whichever processes calls come to, the same alarms are found as by one`,
    () =>
      lend(async (processes) => {
        verifies("restriction.automatic-shared");
        const { clock } = processes;
        const stores = await trioOf(processes);
        let agent = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
            const id = `agent-${agent++}`;
            const clocked = { quietMs: 0, clock: () => clock.at };
            const counting = stores.map((shared) => new SharedTriggers({ shared: shared.shared, ...clocked }));
            const alone = new AgentTriggers();
            for (const { at, kind, later } of steps) {
              clock.at += later;
              const one = made(kind);
              const process = pick(counting, at);
              process.note(id, one);
              const due = await dueOf((heed) => process.flush(heed));
              expect(due.map(({ alarm }) => alarm)).toEqual([...alone.note(one, clock.at)]);
            }
          }),
          { numRuns: runs },
        );
      }),
    240_000,
  );

  test(`${name}: a number is full by the sum of three processes that count at once, and one is told`, () =>
    lend(async (processes) => {
      verifies("restriction.automatic-shared");
      const { clock } = processes;
      const stores = await trioOf(processes);
      const counting = stores.map(
        ({ shared }) => new SharedTriggers({ shared, quietMs: MINUTE, clock: () => clock.at }),
      );
      const counted = async () => (await Promise.all(counting.map((it) => dueOf((heed) => it.count(heed))))).flat();
      for (let n = 0; n < 9; n++) pick(counting, n).note("a", note({ isProbe: true }));
      expect(await counted()).toEqual([]);
      for (const it of counting) it.note("a", note({ isProbe: true }));
      const due = await counted();
      expect(due.map(({ agent_id, alarm }) => [agent_id, alarm.rule])).toEqual([["a", "tool_probe"]]);
      expect(due[0]?.alarm.evidence_event_ids).toHaveLength(10);
      // Not twice while the others have not heard of it.
      for (let n = 0; n < 60; n++) pick(counting, n).note("a", note({ isProbe: true }));
      expect(await counted()).toEqual([]);
      clock.at += MINUTE;
      for (let n = 0; n < 10; n++) pick(counting, n).note("a", note({ isProbe: true }));
      expect(await counted()).toHaveLength(1);
      // Of another agent nothing was counted.
      counting[0]?.note("b", note({ isProbe: true }));
      expect(await counted()).toEqual([]);
    }));

  test(`${name}: a call of which nothing counts but itself waits for two seconds, no other does`, () =>
    lend(async (processes) => {
      verifies("restriction.automatic-shared");
      const { clock } = processes;
      const [store] = await trioOf(processes);
      if (!store) throw new Error("no store");
      let steps = 0;
      const changeTriggers: typeof store.shared.changeTriggers = (ids, work) => {
        steps += 1;
        return store.shared.changeTriggers(ids, work);
      };
      const counting = new SharedTriggers({ shared: { changeTriggers }, quietMs: MINUTE, clock: () => clock.at });
      const counted = () => dueOf((heed) => counting.count(heed));
      await counted();
      for (let n = 0; n < 20; n++) {
        counting.note("a", note());
        clock.at += 90;
        await counted();
      }
      expect(steps).toBe(0);
      counting.note("a", note({ isProbe: true }));
      await counted();
      expect(steps).toBe(1);
      for (let n = 0; n < 500; n++) counting.note(`agent-${n}`, note());
      clock.at += 2_000;
      await counted();
      expect(steps).toBe(1 + Math.ceil(500 / 16));
    }));

  test(`${name}: what cannot be counted waits, and is counted once`, () =>
    lend(async (processes) => {
      verifies("restriction.automatic-shared");
      const { clock } = processes;
      const [store] = await trioOf(processes);
      if (!store) throw new Error("no store");
      let isAway = true;
      const changeTriggers: typeof store.shared.changeTriggers = (ids, work) =>
        isAway ? Promise.reject(new Error("away")) : store.shared.changeTriggers(ids, work);
      const counting = new SharedTriggers({ shared: { changeTriggers }, quietMs: MINUTE, clock: () => clock.at });
      const counted = () => dueOf((heed) => counting.count(heed));
      for (let n = 0; n < 9; n++) counting.note("a", note({ isProbe: true }));
      await expect(counted()).rejects.toThrow("away");
      // Not asked again at once.
      expect(await counted()).toEqual([]);
      isAway = false;
      clock.at += 2_000;
      expect(await counted()).toEqual([]);
      counting.note("a", note({ isProbe: true }));
      expect(await counted()).toHaveLength(1);
    }));

  test(`${name}: what is tallied by three processes at once is taken once, and once in its time`, () =>
    lend(async (processes) => {
      verifies("auth.refusals-shared");
      const { clock } = processes;
      const stores = await trioOf(processes);
      const tally = async (n: number) =>
        Promise.all(Array.from({ length: n }, (_, at) => pick(stores, at).shared.tally("refused", 2, 1_000)));
      const sum = (some: readonly { readonly taken: number }[]) => some.reduce((all, { taken }) => all + taken, 0);
      const first = await tally(30);
      expect(first.filter(({ taken }) => taken > 0)).toHaveLength(1);
      clock.at += 999;
      expect(sum(await tally(3))).toBe(0);
      clock.at += 1;
      const last = await pick(stores, 1).shared.tally("refused", 0, 1_000);
      expect(sum(first) + last.taken).toBe(66);
      expect(last.left).toBe(0);
      expect(await pick(stores, 0).shared.tally("refused", 0, 0)).toEqual({ taken: 0, left: 0 });
    }));

  test(`${name}: whose calls were blocked is told once, of all processes`, () =>
    lend(async (processes) => {
      verifies("webhook.summary-shared");
      const stores = await trioOf(processes);
      const told: HubEvent[] = [];
      let isFull = false;
      const emit = async (event: HubEvent) => {
        if (isFull && told.length === 1) throw new Error("no room");
        told.push(event);
      };
      const all = stores.map(({ shared }) => new BlockedSummary({ emit, shared, now: () => 7, ids: systemIds }));
      for (let n = 0; n < 30; n++) pick(all, n).note(callRecord({ outcome: "blocked_input", agent: `a${n % 2}` }));
      await Promise.all(all.map((it) => it.share()));
      await pick(all, 0).runOnce();
      expect(told.map(({ subject_id }) => subject_id).toSorted()).toEqual(["a0", "a1"]);
      await pick(all, 1).runOnce();
      expect(told).toHaveLength(2);
      // The process that goes on where a round broke off tells of the rest, and of nothing under another id.
      told.length = 0;
      isFull = true;
      for (let n = 0; n < 9; n++) pick(all, n).note(callRecord({ outcome: "blocked_output", agent: `b${n % 3}` }));
      await Promise.all(all.map((it) => it.share()));
      await expect(pick(all, 2).runOnce()).rejects.toThrow("no room");
      isFull = false;
      await pick(all, 0).runOnce();
      expect(told.map(({ subject_id }) => subject_id).toSorted()).toEqual(["b0", "b1", "b2"]);
      expect(new Set(told.map(({ id }) => id)).size).toBe(3);
    }));
};
