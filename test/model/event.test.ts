import { expect, test } from "bun:test";
import type { AuditRecord } from "#model/audit";
import { EVENTS, eventsOf, isPattern, isSubscribed } from "#model/event";
import { verifies } from "#test/support/verifies";

const recordOf = (kind: string, detail: object = {}, subject = "thing"): AuditRecord => ({
  v: 1,
  id: "r1",
  call_id: "r1",
  phase: "final",
  kind,
  at: "2026-11-21T12:00:00.000Z",
  actor: { via: "session", user_id: "u1", agent_id: null, token_id: null },
  outcome: "done",
  change: { subject, subject_id: "s1", detail: { ...detail } },
});
const typesOf = (kind: string, detail: object = {}) => eventsOf(recordOf(kind, detail)).map(({ type }) => type);

test.each([
  ["agent.update", { changed: ["name"] }, ["agent.updated"]],
  ["agent.update", { owner_id: "u2" }, ["agent.owner_changed"]],
  ["review.decide", { status: "in_review" }, []],
  ["review.decide", { status: "rejected" }, ["review.rejected"]],
  ["review.decide", { status: "approved", profile: { version: 1 } }, ["review.approved", "profile.published"]],
  ["review.edit", { status: "draft" }, []],
  ["review.edit", { status: "submitted" }, ["review.submitted"]],
  ["hold.decide", { state: "denied" }, ["hold.denied"]],
  ["restriction.confirm", { points: ["calls", "tools"] }, []],
  ["restriction.confirm", { points: ["streams"] }, ["restriction.confirmed"]],
  ["tool_server.see", { changed: [], new: ["a"] }, []],
  ["tool_server.see", { changed: ["a"] }, ["mcp.tool.definition_changed"]],
  ["report.needs_human", {}, ["report.reviewed"]],
  ["tuning.approve", { status: "pending_approval" }, []],
  ["tuning.approve", { status: "approved" }, ["tuning.approved"]],
  ["webhook.add", {}, []],
  ["system.start", {}, []],
  ["constructor", {}, []],
] as const)("%s with %j tells of %j", (kind, detail, types) => {
  verifies("webhook.events");
  expect(typesOf(kind, detail)).toEqual([...types]);
});

test("a call tells of nothing, and neither does a record without a change", () => {
  const { change: _, ...call } = recordOf("agent.create");
  expect(eventsOf(call)).toEqual([]);
});

test("an event is known again: by the record it was made of, and its place there", () => {
  verifies("webhook.at-least-once");
  const record = recordOf("review.decide", { status: "approved", profile: {} });
  expect(eventsOf(record)).toEqual(eventsOf(record));
  expect(eventsOf(record).map(({ id }) => id)).toEqual(["r1", "r1-2"]);
});

test("an event's agent: the subject, the detail, the kill switch's target, or the actor", () => {
  const agentOf = (record: AuditRecord) => eventsOf(record)[0]?.agent_id;
  expect(agentOf(recordOf("agent.create", {}, "agent"))).toBe("s1");
  expect(agentOf(recordOf("restriction.set", { agent_id: "a1" }))).toBe("a1");
  expect(agentOf(recordOf("report.create", { agent_id: null }))).toBeNull();
  expect(agentOf(recordOf("killswitch.on", { level: "agent", target: "a2" }, "kill_switch"))).toBe("a2");
  expect(agentOf(recordOf("killswitch.on", { level: "model", target: "gpt-*" }, "kill_switch"))).toBeNull();
  const byAgent = recordOf("report.withdraw");
  expect(agentOf({ ...byAgent, actor: { ...byAgent.actor, agent_id: "a3" } })).toBe("a3");
});

test("nothing of a record but ids, type and time is told", () => {
  verifies("webhook.thin");
  const said = "quokka";
  for (const kind of ["agent.create", "restriction.set", "killswitch.on", "report.create", "tuning.suggest"]) {
    const told = eventsOf(recordOf(kind, { name: said, reason: said, target: said, level: "model", [said]: said }));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).not.toContain(said);
  }
});

test("a pattern is a type, all below a word, or all; anything else names no event", () => {
  verifies("webhook.events");
  expect(Object.keys(EVENTS).every(isPattern)).toBe(true);
  expect(["*", "report.*", "mcp.tool.*", "call.blocked.*"].map(isPattern)).toEqual([true, true, true, true]);
  const wrong = [
    "",
    "report",
    "report.",
    "rep*",
    "report*",
    "nothing.*",
    ".*",
    "*.created",
    "report.created.*",
    "toString",
  ];
  expect(wrong.filter(isPattern)).toEqual([]);
  expect(isSubscribed(["report.*"], "report.created")).toBe(true);
  expect(isSubscribed(["review.*", "killswitch.on"], "killswitch.off")).toBe(false);
  expect(isSubscribed(["*"], "drift.changed")).toBe(true);
  expect(isSubscribed([], "drift.changed")).toBe(false);
});
