import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { codeOf, NEIGHBOUR, TuningHouse } from "./tuning-house";

setDefaultTimeout(120_000);

let house: TuningHouse;
beforeAll(async () => {
  house = await TuningHouse.open();
});
afterAll(() => house[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;

describe("from a suggestion to a rule and back", () => {
  test("asked for, approved by somebody else, applied, the scanner has changed; taken back, it is as before", async () => {
    verifies("tuning.in-force", "tuning.revert", "tuning.states", "tuning.on-record", "tuning.lapse");
    const agent = await house.agent();
    const id = await house.suggested(agent);
    expect(await house.actionOn(agent.token)).toBe("redact");
    const at = `/tuning/${id}`;
    expect((await house.guard(agent.human, "GET", `${at}/approval-status`)).json).toMatchObject({
      ...{ status: "proposed", can_apply: false, blocking: ["approval_required"], approvals: [], expires_at: null },
    });
    expect(codeOf(await house.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "approval_required"]);

    const asked = await house.guard(agent.human, "POST", `${at}/request-approval`, { note: "An example card." });
    expect([asked.status, asked.json.status, asked.json.approval.note]).toEqual([
      202,
      "pending_approval",
      "An example card.",
    ]);
    expect(asked.json.match.value.hash).toBe(house.cardHash.slice(0, 8));
    expect(codeOf(await house.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "approval_required"]);

    const approved = await house.people.as("ann", "POST", `${at}/approve`, { comment: "It is." });
    expect([approved.status, approved.json.status]).toEqual([200, "approved"]);
    const status = (await house.guard(agent.human, "GET", `${at}/approval-status`)).json;
    expect(status).toMatchObject({ status: "approved", required: 1, can_apply: true, blocking: [] });
    expect(status.approvals).toMatchObject([{ by: house.people.id("ann"), decision: "approve", comment: "It is." }]);
    expect(Date.parse(status.expires_at) - Date.now()).toBeWithin(6.9 * DAY_MS, 7.1 * DAY_MS);
    expect(await house.actionOn(agent.token)).toBe("redact");

    const applied = await house.guard(agent.human, "POST", `${at}/apply`, {});
    expect([applied.status, applied.json.status]).toEqual([200, "applied"]);
    const { rule, policy_revision, tuning_revision } = applied.json;
    expect(rule).toMatchObject({ mode: "enforce", status: "active", suggestion_id: id, revision: policy_revision });
    expect(rule.approved_by).toEqual([house.people.id("ann")]);
    expect(Date.parse(rule.expires_at) - Date.now()).toBeWithin(89.9 * DAY_MS, 90.1 * DAY_MS);
    expect(tuning_revision).toBe(policy_revision);
    expect([await house.actionOn(agent.token), await house.actionOn(agent.token, NEIGHBOUR)]).toEqual([
      "flag",
      "redact",
    ]);
    const other = await house.agent();
    expect([await house.actionOn(other.token), await house.actionOn(agent.human)]).toEqual(["redact", "redact"]);

    await house.people.hub.restart();
    expect(await house.actionOn(agent.token)).toBe("flag");

    const reverted = await house.guard(agent.human, "DELETE", `/agents/${agent.id}/tuning/${rule.id}`);
    expect([reverted.status, reverted.json.status]).toEqual([200, "reverted"]);
    expect(await house.actionOn(agent.token)).toBe("redact");
    expect((await house.guard(agent.human, "GET", at)).json.status).toBe("reverted");
    expect(codeOf(await house.guard(agent.human, "POST", `${at}/apply`, {}))).toEqual([409, "state_conflict"]);

    const records = (await house.people.records()).filter(({ subject }) => subject === id || subject === rule.id);
    expect(records.map(({ kind }) => kind)).toEqual([
      "tuning.request",
      "tuning.approve",
      "tuning.apply",
      "tuning.revert",
    ]);
    expect(JSON.stringify(records)).not.toContain(house.cardHash);
    expect((await house.people.hub.cli("audit", "verify")).code).toBe(0);
  });

  test("of fifty applications at once one puts a rule in force, with one revision", async () => {
    verifies("tuning.apply-once");
    const agent = await house.agent();
    const id = await house.approved(agent);
    const before = (await house.store.policies.latest())?.revision ?? 0;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => house.guard(agent.human, "POST", `/tuning/${id}/apply`, {})),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map((one) => codeOf(one).join(" ")))).toEqual(
      new Set(["409 state_conflict"]),
    );
    expect((await house.store.policies.latest())?.revision).toBe(before + 1);
    expect(await house.store.tuning.ofSubject({ agent_id: agent.id })).toHaveLength(1);
  });

  test("the same Idempotency-Key is answered with the same rule", async () => {
    const agent = await house.agent();
    const id = await house.approved(agent);
    const apply = () => house.guard(agent.human, "POST", `/tuning/${id}/apply`, {}, { "idempotency-key": "k1" });
    const [first, second] = [await apply(), await apply()];
    expect([first.status, second.status, second.json]).toEqual([200, 200, first.json]);
  });

  test("in monitor mode it changes nothing", async () => {
    const agent = await house.agent();
    const id = await house.approved(agent);
    const body = { mode: "monitor", expires_in_days: 3 };
    const { json } = await house.guard(agent.human, "POST", `/tuning/suggestions/${id}/apply`, body);
    expect(json.rule.mode).toBe("monitor");
    expect(Date.parse(json.rule.expires_at) - Date.now()).toBeWithin(2.9 * DAY_MS, 3.1 * DAY_MS);
    expect(await house.actionOn(agent.token)).toBe("redact");
    const path = `/agents/${agent.id}/tuning/${json.rule.id}`;
    const looser = await house.guard(agent.human, "PATCH", path, { mode: "enforce" });
    expect([looser.status, looser.json.status, looser.json.change]).toEqual([
      202,
      "proposed",
      { op: "amend", mode: "enforce" },
    ]);
    await house.guard(agent.human, "POST", `/tuning/${looser.json.id}/request-approval`);
    expect((await house.people.as("bob", "POST", `/tuning/${looser.json.id}/approve`, {})).status).toBe(200);
    expect((await house.guard(agent.human, "POST", `/tuning/${looser.json.id}/apply`)).json.rule.id).toBe(json.rule.id);
    expect(await house.actionOn(agent.token)).toBe("flag");
    expect((await house.guard(agent.human, "PATCH", path, { mode: "monitor" })).status).toBe(200);
    expect(await house.actionOn(agent.token)).toBe("redact");
  });
});

test("a user's own calls are tuned apart from the calls of their agents", async () => {
  verifies("tuning.in-force", "tuning.own-only");
  const agent = await house.agent("sponsor");
  await house.applied(agent, { agent_id: null });
  expect([await house.actionOn(agent.human), await house.actionOn(agent.token)]).toEqual(["flag", "redact"]);
  expect((await house.guard(agent.token, "GET", "/tuning")).json.data).toEqual([]);
});

describe("who decides", () => {
  test("not who asked, owns, wrote or alone reported; one of several reporters does", async () => {
    verifies("tuning.separation");
    const agent = await house.agent("ann");
    const own = await house.asked(agent);
    expect(codeOf(await house.people.as("ann", "POST", `/tuning/${own}/approve`, { reason: "Mine." }))).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect((await house.people.as("ann", "GET", `/tuning/${own}`)).json.deciding).toMatchObject({ allowed: false });
    for (const who of ["owner", "auditor"] as const) {
      const refused = await house.people.as(who, "POST", `/tuning/${own}/approve`, {});
      expect(codeOf(refused)).toEqual([403, "insufficient_scope"]);
    }
    expect((await house.people.as("bob", "POST", `/tuning/${own}/approve`, {})).status).toBe(200);

    const theirs = await house.agent("owner");
    const alone = await house.asked(theirs, { report_ids: [await house.report("ann")] });
    expect(codeOf(await house.people.as("ann", "POST", `/tuning/${alone}/approve`, {}))).toEqual([
      403,
      "insufficient_scope",
    ]);
    const several = [await house.report("ann"), await house.report("bob")];
    const together = await house.asked(theirs, { report_ids: several });
    expect((await house.people.as("ann", "POST", `/tuning/${together}/approve`, {})).status).toBe(200);

    const edited = await house.asked(theirs);
    const context = { match: { types: ["pii.credit_card"], origins: ["user"], context: "text" } };
    expect((await house.people.as("ann", "POST", `/tuning/${edited}/edit`, context)).status).toBe(200);
    expect(codeOf(await house.people.as("ann", "POST", `/tuning/${edited}/approve`, {}))).toEqual([
      403,
      "insufficient_scope",
    ]);
  });

  test("never a gateway token, and an agent's token changes nothing at all", async () => {
    verifies("tuning.agent-token", "tuning.separation");
    const agent = await house.agent();
    const id = await house.approved(agent);
    expect((await house.guard(agent.token, "GET", `/tuning/${id}`)).status).toBe(200);
    expect((await house.guard(agent.token, "GET", `/tuning/${id}/approval-status`)).json.can_apply).toBe(true);
    expect((await house.guard(agent.token, "GET", "/tuning")).json.data.map((one: { id: string }) => one.id)).toEqual([
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
      expect([path, ...codeOf(await house.guard(agent.token, method, path, body))]).toEqual([
        path,
        403,
        "insufficient_scope",
      ]);
    }
    for (const token of [agent.token, agent.human]) {
      const response = await house.people.hub.fetch(`/api/tuning/${id}/approve`, { token, json: {} });
      expect(response.status).toBe(403);
    }
    expect(await house.actionOn(agent.token)).toBe("redact");
  });

  test("others' tuning does not exist", async () => {
    verifies("tuning.own-only");
    const [mine, theirs] = [await house.agent("owner"), await house.agent("stranger")];
    const id = await house.suggested(mine);
    for (const token of [theirs.human, theirs.token]) {
      expect(codeOf(await house.guard(token, "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
      expect((await house.guard(token, "GET", "/tuning")).json.data).toEqual([]);
      expect(codeOf(await house.guard(token, "GET", `/agents/${mine.id}/tuning`))).toEqual([404, "not_found"]);
    }
    expect(codeOf(await house.guard(theirs.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([404, "not_found"]);
    expect(codeOf(await house.people.as("stranger", "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
    const sibling = await house.agent("owner");
    expect(codeOf(await house.guard(sibling.token, "GET", `/tuning/${id}`))).toEqual([404, "not_found"]);
    expect((await house.guard(sibling.human, "GET", `/tuning/${id}`)).status).toBe(200);
  });
});

describe("what takes an approval back", () => {
  test("an edit does, and what was read before it cannot be approved after it", async () => {
    verifies("tuning.edit-revokes");
    const agent = await house.agent();
    const id = await house.approved(agent);
    const read = (await house.people.as("bob", "GET", `/tuning/${id}`)).json.content_hash;
    const value = { match: { types: ["pii.credit_card"], origins: ["user"], value: { text: NEIGHBOUR, of: "match" } } };
    const kept = {
      match: { types: ["pii.credit_card"], value: { hash: house.cardHash.slice(0, 8), of: "match" } },
    };
    const tried = await house.people.as("owner", "POST", `/tuning/${id}/dry-run`, kept);
    const told = { object: "tuning_trial", kind: "value_exception", effect: "loosen", match: kept.match };
    expect([tried.status, tried.json]).toMatchObject([200, { ...told, impact: { would_release_confirmed: 0 } }]);
    expect((await house.people.as("owner", "GET", `/tuning/${id}`)).json).toMatchObject({
      status: "approved",
      content_hash: read,
    });
    expect((await house.people.as("stranger", "POST", `/tuning/${id}/dry-run`, kept)).status).toBe(404);
    const edited = await house.people.as("owner", "POST", `/tuning/${id}/edit`, { ...kept, note: "Wider." });
    expect(edited.json.approval.note).toBe("Wider.");
    expect([edited.status, edited.json.status, edited.json.approval.approvals[0].counts]).toEqual([
      200,
      "pending_approval",
      false,
    ]);
    expect(codeOf(await house.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    const late = await house.people.as("bob", "POST", `/tuning/${id}/approve`, { content_hash: read });
    expect(codeOf(late)).toEqual([409, "stale_base"]);
    const bad = await house.people.as("owner", "POST", `/tuning/${id}/edit`, {
      match: { types: ["pii"], value: { hash: "00000000", of: "match" } },
    });
    expect(codeOf(bad)).toEqual([400, "invalid_value"]);
    expect(JSON.stringify(edited.json)).not.toContain(house.cardHash);
    const wrong = await house.people.as("owner", "POST", `/tuning/${id}/dry-run`, value);
    expect(wrong.json.impact.would_release_confirmed).toBeGreaterThan(0);
    const golden = await house.people.as("owner", "POST", `/tuning/${id}/edit`, value);
    expect([golden.status, golden.json.error.blocking]).toEqual([409, ["would_release_confirmed"]]);
  });

  test("a change to the same subject's tuning does; asked for anew it can be applied", async () => {
    verifies("tuning.stale-base");
    const agent = await house.agent();
    const first = await house.approved(agent);
    const second = await house.approved(agent, {
      match: { types: ["pii.credit_card"], context: "text" },
      kind: "context_exception",
    });
    const elsewhere = await house.approved(await house.agent());
    expect((await house.guard(agent.human, "POST", `/tuning/${first}/apply`, {})).status).toBe(200);
    expect((await house.guard(agent.human, "GET", `/tuning/${second}/approval-status`)).json.blocking).toContain(
      "stale_base",
    );
    expect(codeOf(await house.guard(agent.human, "POST", `/tuning/${second}/apply`, {}))).toEqual([409, "stale_base"]);
    expect((await house.guard(agent.human, "GET", `/tuning/${second}`)).json.status).toBe("stale");
    expect((await house.people.as("owner", "POST", `/tuning/${elsewhere}/apply`, {})).status).toBe(200);
    expect((await house.guard(agent.human, "POST", `/tuning/${second}/request-approval`, {})).status).toBe(202);
    expect((await house.people.as("ann", "POST", `/tuning/${second}/approve`, {})).status).toBe(200);
    expect((await house.guard(agent.human, "POST", `/tuning/${second}/apply`, {})).status).toBe(200);
  });

  test("seven days do", async () => {
    verifies("tuning.approval-expires");
    const agent = await house.agent();
    const id = await house.approved(agent);
    const approved = await house.store.suggestions.byId(id);
    if (!approved) throw new Error("it is gone");
    const past = { ...approved, expires_at: Date.now() - 1, revision: approved.revision + 1 };
    expect(await house.store.suggestions.save(past, approved.revision, someRecord())).toBe(true);
    expect((await house.guard(agent.human, "GET", `/tuning/${id}`)).json.status).toBe("expired");
    expect(codeOf(await house.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    expect((await house.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {})).status).toBe(202);
  });

  test("a denial does, and a rejection ends it", async () => {
    verifies("tuning.states");
    const agent = await house.agent();
    const id = await house.approved(agent);
    const denied = await house.people.as("bob", "POST", `/tuning/${id}/deny`, { reason: "Too broad." });
    expect([denied.status, denied.json.status]).toEqual([200, "proposed"]);
    expect(codeOf(await house.guard(agent.human, "POST", `/tuning/${id}/apply`, {}))).toEqual([
      409,
      "approval_required",
    ]);
    const rejected = await house.guard(agent.human, "POST", `/tuning/${id}/reject`, { reason: "too_broad" });
    expect([rejected.status, rejected.json.status]).toEqual([200, "rejected"]);
    const again = await house.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {});
    expect([...codeOf(again), again.json.error.current_status]).toEqual([409, "state_conflict", "rejected"]);
  });
});

test("what would let a golden sample pass can never be asked for, approved or applied", async () => {
  verifies("tuning.rehearsal");
  const agent = await house.agent();
  const match = { types: ["pii.credit_card"], origins: ["user" as const] };
  const change = { op: "threshold", action: "redact", from: null, to: 1 } as const;
  const id = await house.suggested(agent, { match, change, kind: "threshold" });
  const refused = await house.guard(agent.human, "POST", `/tuning/${id}/request-approval`, {});
  expect([...codeOf(refused), refused.json.error.blocking]).toEqual([
    409,
    "state_conflict",
    ["would_release_confirmed"],
  ]);
});
