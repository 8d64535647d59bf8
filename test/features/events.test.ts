import { expect, test } from "bun:test";
import { BlockedSummary } from "#audit/blocked-summary";
import { PageChanges } from "#features/events/page-changes";
import { Events, OutboxReader } from "#features/webhooks/events";
import { CLI_ACTOR, changeRecord } from "#model/change";
import type { HubEvent } from "#model/event";
import { systemIds } from "#platform/ids";
import { ANN, BOB } from "#test/store/contract";
import { Place } from "#test/store/directory";
import { callRecord } from "#test/support/call-record";
import { verifies } from "#test/support/verifies";

const agentRecord = (id: string): string => {
  const change = { kind: "agent.create", by: CLI_ACTOR, subject: "agent", subject_id: id, detail: {} };
  return changeRecord(change, { id: systemIds(), at: 0 });
};

test("event outbox delivers in order and once, also events without a subscriber at the time", async () => {
  verifies("webhook.at-least-once");
  await using place = new Place();
  const store = await place.open({ writer: "inline" });
  await store.users.create(ANN, null, agentRecord("a1"));
  const events = new Events();
  const told: string[] = [];
  const end = events.subscribe(async ({ subject_id }) => void told.push(subject_id));
  const reader = new OutboxReader({ outbox: store.outbox, events });
  await Promise.all([reader.runOnce(), reader.runOnce()]);
  await store.users.create(BOB, null, agentRecord("a2"));
  await reader.runOnce();
  expect(told).toEqual(["a1", "a2"]);
  end();
  await events.emit({
    id: "e",
    type: "agent.created",
    at: 0,
    agent_id: null,
    user_id: null,
    subject: "x",
    subject_id: "y",
  });
  expect(told).toHaveLength(2);
});

test("event outbox repeats an event that a subscriber failed on, before later ones", async () => {
  verifies("webhook.at-least-once");
  await using place = new Place();
  const store = await place.open({ writer: "inline" });
  await store.users.create(ANN, null, agentRecord("a1"));
  await store.users.create(BOB, null, agentRecord("a2"));
  const events = new Events();
  const told: HubEvent[] = [];
  let isFull = true;
  events.subscribe(async (event) => {
    if (isFull) throw new Error("no room");
    told.push(event);
  });
  const reader = new OutboxReader({ outbox: store.outbox, events });
  await expect(reader.runOnce()).rejects.toThrow("no room");
  expect(await store.outbox.pending(10)).toHaveLength(2);
  isFull = false;
  await reader.runOnce();
  expect(told.map(({ subject_id }) => subject_id)).toEqual(["a1", "a2"]);
  expect(await store.outbox.pending(10)).toEqual([]);
});

test("blocked calls are told of in sum: once for each agent, and for each user without one", async () => {
  verifies("webhook.events");
  const told: HubEvent[] = [];
  const emit = async (event: HubEvent) => void told.push(event);
  const summary = new BlockedSummary({ emit, shared: null, now: () => 7, ids: systemIds });
  for (let n = 0; n < 100; n += 1) summary.note(callRecord({ outcome: "blocked_input" }));
  summary.note(callRecord({ outcome: "blocked_output" }));
  summary.note(callRecord({ outcome: "blocked_output", agent: null, user: "eve" }));
  summary.note(callRecord({ agent: "good" }));
  summary.note(callRecord({ agent: "refused", outcome: "refused" }));
  await summary.runOnce();
  expect(told).toMatchObject([
    { type: "call.blocked.summary", at: 7, subject: "agent", subject_id: "agent-1", agent_id: "agent-1" },
    { type: "call.blocked.summary", subject: "user", subject_id: "eve", agent_id: null },
  ]);
  await summary.runOnce();
  expect(told).toHaveLength(2);
});

test("whom a round could not tell of is told of in the next one, once", async () => {
  verifies("webhook.events");
  const told: (string | null)[] = [];
  let isFull = true;
  const emit = async ({ agent_id }: HubEvent) => {
    if (isFull && told.length === 1) throw new Error("no room");
    told.push(agent_id);
  };
  const summary = new BlockedSummary({ emit, shared: null, now: () => 7, ids: systemIds });
  for (const agent of ["a1", "a2", "a3"]) summary.note(callRecord({ agent, outcome: "blocked_input" }));
  await expect(summary.runOnce()).rejects.toThrow("no room");
  isFull = false;
  await summary.runOnce();
  expect(told).toEqual(["a1", "a2", "a3"]);
});

test("pages of every process are told of a change once, also where another process has told receivers", async () => {
  await using place = new Place();
  const joined = (id: string) => ({ id, version: "test", leaseMs: 10_000, isAlone: false });
  const stores = [await place.open({ node: joined("0") }), await place.open({ node: joined("1") })];
  const pages = stores.map(({ outbox }) => {
    const told: (string | undefined)[] = [];
    return { told, changes: new PageChanges(outbox, ({ change }) => void told.push(change?.subject_id)) };
  });
  for (const { changes } of pages) await changes.runOnce();
  const [one] = stores;
  await one?.users.create(ANN, null, agentRecord("a1"));
  if (one) await new OutboxReader({ outbox: one.outbox, events: new Events() }).runOnce();
  await one?.users.create(BOB, null, agentRecord("a2"));
  for (const { changes } of pages) await Promise.all([changes.runOnce(), changes.runOnce()]);
  for (const { changes } of pages) await changes.runOnce();
  expect(pages.map(({ told }) => told)).toEqual([
    ["a1", "a2"],
    ["a1", "a2"],
  ]);
});
