import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { codeOf, NEIGHBOUR, TuningWorld } from "./tuning-world";

setDefaultTimeout(120_000);

let world: TuningWorld;
beforeAll(async () => {
  world = await TuningWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;

describe("from a suggestion to a rule and back", () => {
  test("request, approval, application and rollback change the scanner and restore it", async () => {
    verifies("tuning.in-force", "tuning.revert", "tuning.states", "tuning.on-record", "tuning.lapse");
    const agent = await world.agent();
    const id = await world.suggested(agent);
    expect(await world.actionOn(agent.token)).toBe("redact");
    const at = `/tuning/${id}`;
    expect((await world.guard(agent.human, "GET", `${at}/approval-status`)).json).toMatchObject({
      ...{ status: "proposed", can_apply: false, blocking: ["approval_required"], approvals: [], expires_at: null },
    });
    expect(codeOf(await world.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "approval_required"]);

    const asked = await world.guard(agent.human, "POST", `${at}/request-approval`, { note: "An example card." });
    expect([asked.status, asked.json.status, asked.json.approval.note]).toEqual([
      202,
      "pending_approval",
      "An example card.",
    ]);
    expect(asked.json.match.value.hash).toBe(world.cardHash.slice(0, 8));
    expect(codeOf(await world.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "approval_required"]);

    const approved = await world.people.as("ann", "POST", `${at}/approve`, { comment: "It is." });
    expect([approved.status, approved.json.status]).toEqual([200, "approved"]);
    const status = (await world.guard(agent.human, "GET", `${at}/approval-status`)).json;
    expect(status).toMatchObject({ status: "approved", required: 1, can_apply: true, blocking: [] });
    expect(status.approvals).toMatchObject([{ by: world.people.id("ann"), decision: "approve", comment: "It is." }]);
    expect(Date.parse(status.expires_at) - Date.now()).toBeWithin(6.9 * DAY_MS, 7.1 * DAY_MS);
    expect(await world.actionOn(agent.token)).toBe("redact");

    const applied = await world.guard(agent.human, "POST", `${at}/apply`, {});
    expect([applied.status, applied.json.status]).toEqual([200, "applied"]);
    const { rule, policy_revision, tuning_revision } = applied.json;
    expect(rule).toMatchObject({ mode: "enforce", status: "active", suggestion_id: id, revision: policy_revision });
    expect(rule.approved_by).toEqual([world.people.id("ann")]);
    expect(Date.parse(rule.expires_at) - Date.now()).toBeWithin(89.9 * DAY_MS, 90.1 * DAY_MS);
    expect(tuning_revision).toBe(policy_revision);
    expect([await world.actionOn(agent.token), await world.actionOn(agent.token, NEIGHBOUR)]).toEqual([
      "flag",
      "redact",
    ]);
    const other = await world.agent();
    expect([await world.actionOn(other.token), await world.actionOn(agent.human)]).toEqual(["redact", "redact"]);

    await world.people.hub.restart();
    expect(await world.actionOn(agent.token)).toBe("flag");

    const reverted = await world.guard(agent.human, "DELETE", `/agents/${agent.id}/tuning/${rule.id}`);
    expect([reverted.status, reverted.json.status]).toEqual([200, "reverted"]);
    expect(await world.actionOn(agent.token)).toBe("redact");
    expect((await world.guard(agent.human, "GET", at)).json.status).toBe("reverted");
    expect(codeOf(await world.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "state_conflict"]);

    const records = (await world.people.records()).filter(({ subject }) => subject === id || subject === rule.id);
    expect(records.map(({ kind }) => kind)).toEqual([
      "tuning.request",
      "tuning.approve",
      "tuning.apply",
      "tuning.revert",
    ]);
    expect(JSON.stringify(records)).not.toContain(world.cardHash);
    expect((await world.people.hub.cli("audit", "verify")).code).toBe(0);
  });

  test("of fifty applications at once one puts a rule in force, with one revision", async () => {
    verifies("tuning.apply-once");
    const agent = await world.agent();
    const id = await world.approved(agent);
    const before = (await world.store.policies.latest())?.revision ?? 0;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.guard(agent.human, "POST", `/tuning/${id}/apply`, {})),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map((one) => codeOf(one).join(" ")))).toEqual(
      new Set(["409 state_conflict"]),
    );
    expect((await world.store.policies.latest())?.revision).toBe(before + 1);
    expect(await world.store.tuning.ofSubject({ agent_id: agent.id })).toHaveLength(1);
  });

  test("the same Idempotency-Key is answered with the same rule", async () => {
    const agent = await world.agent();
    const id = await world.approved(agent);
    const apply = () => world.guard(agent.human, "POST", `/tuning/${id}/apply`, {}, { "idempotency-key": "k1" });
    const [first, second] = [await apply(), await apply()];
    expect([first.status, second.status, second.json]).toEqual([200, 200, first.json]);
  });

  test("in monitor mode it changes nothing", async () => {
    const agent = await world.agent();
    const id = await world.approved(agent);
    const body = { mode: "monitor", expires_in_days: 3 };
    const { json } = await world.guard(agent.human, "POST", `/tuning/suggestions/${id}/apply`, body);
    expect(json.rule.mode).toBe("monitor");
    expect(Date.parse(json.rule.expires_at) - Date.now()).toBeWithin(2.9 * DAY_MS, 3.1 * DAY_MS);
    expect(await world.actionOn(agent.token)).toBe("redact");
    const path = `/agents/${agent.id}/tuning/${json.rule.id}`;
    const looser = await world.guard(agent.human, "PATCH", path, { mode: "enforce" });
    expect([looser.status, looser.json.status, looser.json.change]).toEqual([
      202,
      "proposed",
      { op: "amend", mode: "enforce" },
    ]);
    await world.guard(agent.human, "POST", `/tuning/${looser.json.id}/request-approval`);
    expect((await world.people.as("bob", "POST", `/tuning/${looser.json.id}/approve`, {})).status).toBe(200);
    expect((await world.guard(agent.human, "POST", `/tuning/${looser.json.id}/apply`)).json.rule.id).toBe(json.rule.id);
    expect(await world.actionOn(agent.token)).toBe("flag");
    expect((await world.guard(agent.human, "PATCH", path, { mode: "monitor" })).status).toBe(200);
    expect(await world.actionOn(agent.token)).toBe("redact");
  });
});

test("a user's own calls are tuned apart from the calls of their agents", async () => {
  verifies("tuning.in-force", "tuning.own-only");
  const agent = await world.agent("sponsor");
  await world.applied(agent, { agent_id: null });
  expect([await world.actionOn(agent.human), await world.actionOn(agent.token)]).toEqual(["flag", "redact"]);
  expect((await world.guard(agent.token, "GET", "/tuning")).json.data).toEqual([]);
});

describe("tuning: who may decide", () => {
  test("not the requester, owner, author or only reporter; one of several reporters may", async () => {
    verifies("tuning.separation");
    const agent = await world.agent("ann");
    const own = await world.asked(agent);
    expect(codeOf(await world.people.as("ann", "POST", `/tuning/${own}/approve`, { reason: "Mine." }))).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect((await world.people.as("ann", "GET", `/tuning/${own}`)).json.deciding).toMatchObject({ allowed: false });
    for (const who of ["owner", "auditor"] as const) {
      const refused = await world.people.as(who, "POST", `/tuning/${own}/approve`, {});
      expect(codeOf(refused)).toEqual([403, "insufficient_scope"]);
    }
    expect((await world.people.as("bob", "POST", `/tuning/${own}/approve`, {})).status).toBe(200);

    const theirs = await world.agent("owner");
    const alone = await world.asked(theirs, { report_ids: [await world.report("ann")] });
    expect(codeOf(await world.people.as("ann", "POST", `/tuning/${alone}/approve`, {}))).toEqual([
      403,
      "insufficient_scope",
    ]);
    const several = [await world.report("ann"), await world.report("bob")];
    const together = await world.asked(theirs, { report_ids: several });
    expect((await world.people.as("ann", "POST", `/tuning/${together}/approve`, {})).status).toBe(200);

    const edited = await world.asked(theirs);
    const context = { match: { types: ["pii.credit_card"], origins: ["user"], context: "text" } };
    expect((await world.people.as("ann", "POST", `/tuning/${edited}/edit`, context)).status).toBe(200);
    expect(codeOf(await world.people.as("ann", "POST", `/tuning/${edited}/approve`, {}))).toEqual([
      403,
      "insufficient_scope",
    ]);
  });

  test("never a gateway token, and an agent's token changes nothing at all", async () => {
    verifies("tuning.agent-token", "tuning.separation");
    const agent = await world.agent();
    const id = await world.approved(agent);
    expect((await world.guard(agent.token, "GET", `/tuning/${id}`)).status).toBe(200);
    expect((await world.guard(agent.token, "GET", `/tuning/${id}/approval-status`)).json.can_apply).toBe(true);
    expect((await world.guard(agent.token, "GET", "/tuning")).json.data.map((one: { id: string }) => one.id)).toEqual([
      id,
    ]);
    const attempts: [string, string, object?][] = [
      ["POST", `/tuning/${id}/apply`, {}],
      ["POST", `/tuning/${id}/request-approval`, {}],
      ["POST", `/tuning/${id}/reject`, { reason: "no" }],
      [
        "POST",
        `/agents/${agent.id}/tuning`,
        { match: { keywords: ["abc"] }, change: { op: "detect", action: "block" } },
      ],
      ["PATCH", `/agents/${agent.id}/tuning/${id}`, {}],
      ["DELETE", `/agents/${agent.id}/tuning/${id}`],
    ];
    for (const [method, path, body] of attempts) {
      expect([path, ...codeOf(await world.guard(agent.token, method, path, body))]).toEqual([
        path,
        403,
        "insufficient_scope",
      ]);
    }
    for (const token of [agent.token, agent.human]) {
      const response = await world.people.hub.fetch(`/api/tuning/${id}/approve`, { token, json: {} });
      expect(response.status).toBe(403);
    }
    expect(await world.actionOn(agent.token)).toBe("redact");
  });

  test("others' tuning does not exist", async () => {
    verifies("tuning.own-only");
    const [mine, theirs] = [await world.agent("owner"), await world.agent("stranger")];
    const id = await world.suggested(mine);
    for (const token of [theirs.human, theirs.token]) {
      expect(codeOf(await world.guard(token, "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
      expect((await world.guard(token, "GET", "/tuning")).json.data).toEqual([]);
      expect(codeOf(await world.guard(token, "GET", `/agents/${mine.id}/tuning`))).toEqual([404, "not_found"]);
    }
    expect(codeOf(await world.guard(theirs.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([404, "not_found"]);
    expect(codeOf(await world.people.as("stranger", "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
    const sibling = await world.agent("owner");
    expect(codeOf(await world.guard(sibling.token, "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
    expect((await world.guard(sibling.human, "GET", `/tuning/${id}`)).status).toBe(200);
  });
});

describe("tuning: what voids an approval", () => {
  test("an edit does, and what was read before it cannot be approved after it", async () => {
    verifies("tuning.edit-revokes");
    const agent = await world.agent();
    const id = await world.approved(agent);
    const read = (await world.people.as("bob", "GET", `/tuning/${id}`)).json.content_hash;
    const value = { match: { types: ["pii.credit_card"], origins: ["user"], value: { text: NEIGHBOUR, of: "match" } } };
    const kept = {
      match: { types: ["pii.credit_card"], value: { hash: world.cardHash.slice(0, 8), of: "match" } },
    };
    const tried = await world.people.as("owner", "POST", `/tuning/${id}/dry-run`, kept);
    const told = { object: "tuning_trial", kind: "value_exception", effect: "loosen", match: kept.match };
    expect([tried.status, tried.json]).toMatchObject([200, { ...told, impact: { would_release_confirmed: 0 } }]);
    expect((await world.people.as("owner", "GET", `/tuning/${id}`)).json).toMatchObject({
      status: "approved",
      content_hash: read,
    });
    expect((await world.people.as("stranger", "POST", `/tuning/${id}/dry-run`, kept)).status).toBe(404);
    const edited = await world.people.as("owner", "POST", `/tuning/${id}/edit`, { ...kept, note: "Wider." });
    expect(edited.json.approval.note).toBe("Wider.");
    expect([edited.status, edited.json.status, edited.json.approval.approvals[0].counts]).toEqual([
      200,
      "pending_approval",
      false,
    ]);
    expect(codeOf(await world.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    const late = await world.people.as("bob", "POST", `/tuning/${id}/approve`, { content_hash: read });
    expect(codeOf(late)).toEqual([409, "stale_base"]);
    const bad = await world.people.as("owner", "POST", `/tuning/${id}/edit`, {
      match: { types: ["pii"], value: { hash: "00000000", of: "match" } },
    });
    expect(codeOf(bad)).toEqual([400, "invalid_value"]);
    expect(JSON.stringify(edited.json)).not.toContain(world.cardHash);
    const wrong = await world.people.as("owner", "POST", `/tuning/${id}/dry-run`, value);
    expect(wrong.json.impact.would_release_confirmed).toBeGreaterThan(0);
    const golden = await world.people.as("owner", "POST", `/tuning/${id}/edit`, value);
    expect([golden.status, golden.json.error.blocking]).toEqual([409, ["would_release_confirmed"]]);
  });

  test("a change to the same subject's tuning does; asked for anew it can be applied", async () => {
    verifies("tuning.stale-base");
    const agent = await world.agent();
    const first = await world.approved(agent);
    const second = await world.approved(agent, {
      match: { types: ["pii.credit_card"], context: "text" },
      kind: "context_exception",
    });
    const elsewhere = await world.approved(await world.agent());
    expect((await world.guard(agent.human, "POST", `/tuning/${first}/apply`, {})).status).toBe(200);
    expect((await world.guard(agent.human, "GET", `/tuning/${second}/approval-status`)).json.blocking).toContain(
      "stale_base",
    );
    expect(codeOf(await world.guard(agent.human, "POST", `/tuning/${second}/apply`, {}))).toEqual([409, "stale_base"]);
    expect((await world.guard(agent.human, "GET", `/tuning/${second}`)).json.status).toBe("stale");
    expect((await world.people.as("owner", "POST", `/tuning/${elsewhere}/apply`, {})).status).toBe(200);
    expect((await world.guard(agent.human, "POST", `/tuning/${second}/request-approval`, {})).status).toBe(202);
    expect((await world.people.as("ann", "POST", `/tuning/${second}/approve`, {})).status).toBe(200);
    expect((await world.guard(agent.human, "POST", `/tuning/${second}/apply`, {})).status).toBe(200);
  });

  test("seven days do", async () => {
    verifies("tuning.approval-expires");
    const agent = await world.agent();
    const id = await world.approved(agent);
    const approved = await world.store.suggestions.byId(id);
    if (!approved) throw new Error("it is gone");
    const past = { ...approved, expires_at: Date.now() - 1, revision: approved.revision + 1 };
    expect(await world.store.suggestions.save(past, approved.revision, someRecord())).toBe(true);
    expect((await world.guard(agent.human, "GET", `/tuning/${id}`)).json.status).toBe("expired");
    expect(codeOf(await world.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    expect((await world.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {})).status).toBe(202);
  });

  test("a denial does, and a rejection ends it", async () => {
    verifies("tuning.states");
    const agent = await world.agent();
    const id = await world.approved(agent);
    const denied = await world.people.as("bob", "POST", `/tuning/${id}/deny`, { reason: "Too broad." });
    expect([denied.status, denied.json.status]).toEqual([200, "proposed"]);
    expect(codeOf(await world.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    const rejected = await world.guard(agent.human, "POST", `/tuning/${id}/reject`, { reason: "too_broad" });
    expect([rejected.status, rejected.json.status]).toEqual([200, "rejected"]);
    const again = await world.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {});
    expect([...codeOf(again), again.json.error.current_status]).toEqual([409, "state_conflict", "rejected"]);
  });
});

test("a retired agent's suggestions are neither asked for nor applied, by tokens or by people", async () => {
  verifies("tuning.retired");
  const agent = await world.agent();
  const [open, approved] = [await world.suggested(agent), await world.approved(agent)];
  const { json } = await world.people.as("owner", "GET", `/agents/${agent.id}`);
  const retired = await world.people.as("owner", "POST", `/agents/${agent.id}/retire`, { confirm: json.name });
  expect([retired.status, retired.json.lifecycle]).toEqual([200, "retired"]);
  for (const [id, move] of [
    [open, "request-approval"],
    [approved, "apply"],
  ]) {
    const at = `/tuning/${id}/${move}`;
    expect(codeOf(await world.guard(agent.human, "POST", at, {}))).toEqual([409, "state_conflict"]);
    expect(codeOf(await world.people.as("owner", "POST", at, {}))).toEqual([409, "state_conflict"]);
  }
});

test("a change that releases a golden sample cannot be requested, approved or applied", async () => {
  verifies("tuning.rehearsal");
  const agent = await world.agent();
  const match = { types: ["pii.credit_card"], origins: ["user" as const] };
  const change = { op: "threshold", action: "redact", from: null, to: 1 } as const;
  const id = await world.suggested(agent, { match, change, kind: "threshold" });
  const refused = await world.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {});
  expect([...codeOf(refused), refused.json.error.blocking]).toEqual([
    409,
    "state_conflict",
    ["would_release_confirmed"],
  ]);
});
