import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Answers } from "#policy/review/questionnaire";
import { answers, tool } from "#test/support/answers";
import { verifies } from "#test/support/verifies";
import { ReviewWorld } from "./review-world";

setDefaultTimeout(120_000);

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Answers of a high tier: two people have to approve. */
const HIGH: Partial<Answers> = {
  purpose: { intended_use: "Refunds orders.", audience: "customer" },
  data_privacy: { data_classes: ["confidential"] },
  tools: { tools: [tool("shop", "refund", "pay")] },
};

describe("from registration to a profile", () => {
  test("the last approval puts the compiled profile in force, from the next call on", async () => {
    verifies("review.publishes", "review.risk", "review.approvals");
    const agent = await world.agent("owner");
    const made = await world.as("owner", "POST", `/agents/${agent}/reviews`, {
      answers: world.answers(),
      submit: true,
    });
    expect(made).toMatchObject({
      status: 201,
      json: { status: "submitted", tier: "low", required: 1, number: 1, submitted_by: world.email("owner") },
    });
    const { id, content_hash, risk } = made.json;
    expect(risk.points).toBe(risk.parts.reduce((sum: number, part: { points: number }) => sum + part.points, 0));
    expect((await world.as("owner", "GET", `/agents/${agent}`)).json).toMatchObject({
      review_status: "submitted",
      governed: false,
      sponsor: world.email("sponsor"),
    });

    expect((await world.as("ann", "POST", `/reviews/${id}/start`)).json.status).toBe("in_review");
    const approved = await world.decide("ann", id, "approve", content_hash, "Fine.");
    expect(approved.json).toMatchObject({ status: "approved", moves: [], approvals: { given: [world.email("ann")] } });
    const now = (await world.as("owner", "GET", `/agents/${agent}`)).json;
    expect(now).toMatchObject({ review_status: "approved", governed: true, profile_version: 1 });
    expect(Date.parse(now.review_due_at) - Date.now()).toBeWithin(700 * 86_400_000, 740 * 86_400_000);

    const { json: profile } = await world.as("owner", "GET", `/agents/${agent}/profiles/1`);
    expect(profile).toMatchObject({
      version: 1,
      status: "active",
      review_id: id,
      risk_tier: "low",
      approved_by: [world.id("ann")],
      models: { allow: ["gpt-5*", "guardhouse/echo"] },
    });
    const kinds = (await world.records()).filter(({ subject }) => subject === id || subject === agent);
    expect(kinds.map(({ kind }) => kind)).toEqual(["agent.create", "review.submit", "review.start", "review.decide"]);
  });

  test("two people approve a high tier; the first alone puts nothing in force", async () => {
    verifies("review.approvals", "review.separation-of-duties");
    const { agent, review } = await world.submitted("owner", HIGH);
    expect(review).toMatchObject({ tier: "high", required: 2 });
    const first = await world.decide("ann", review.id, "approve", review.content_hash);
    expect(first.json).toMatchObject({ status: "in_review", approvals: { required: 2, given: [world.email("ann")] } });
    expect(first.json.moves).not.toContain("approve");
    const again = await world.decide("ann", review.id, "approve", review.content_hash);
    expect([again.status, again.json.error.code]).toEqual([409, "state_conflict"]);
    expect((await world.as("owner", "GET", `/agents/${agent}`)).json.governed).toBe(false);
    expect((await world.decide("bob", review.id, "approve", review.content_hash)).json.status).toBe("approved");
    expect((await world.as("owner", "GET", `/agents/${agent}`)).json.governed).toBe(true);
  });

  test("owner, sponsor, member and submitter cannot decide, and get the reason", async () => {
    verifies("review.separation-of-duties");
    const { review } = await world.submitted("owner", {}, "root");
    const tries = ["owner", "root"] as const;
    for (const who of tries) {
      const { status, json } = await world.decide(who, review.id, "approve", review.content_hash, "please");
      expect([who, status, json.error.code]).toEqual([who, 403, "insufficient_scope"]);
      const shown = await world.as(who, "GET", `/reviews/${review.id}`);
      expect(shown.json.deciding).toMatchObject({ allowed: false, why: json.error.message });
    }
    expect((await world.decide("stranger", review.id, "approve", review.content_hash)).status).toBe(404);
    expect((await world.as("ann", "GET", `/reviews/${review.id}`)).json.deciding).toMatchObject({ allowed: true });
  });

  test("a review without an eligible approver cannot be submitted", async () => {
    verifies("review.answers");
    const agent = await world.agent("owner");
    for (const ownership of [{}, { sponsor: world.email("owner") }, { sponsor: "nobody@example.com" }]) {
      const given = { answers: answers({ ownership }), submit: true };
      const { status, json } = await world.as("owner", "POST", `/agents/${agent}/reviews`, given);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", "answers.ownership.sponsor"]);
    }
  });
});

test("disabled users count neither as approvers nor as others who could decide", async () => {
  verifies("review.approvals", "review.separation-of-duties");
  await using hub = await ReviewWorld.open();
  await hub.as("root", "PATCH", `/users/${hub.id("bob")}`, { state: "disabled" });
  const { agent, review } = await hub.submitted("root", HIGH);
  expect(review).toMatchObject({ tier: "high", required: 1, approvals: { eligible: [hub.email("ann")] } });
  const rebaseline = () => hub.as("root", "POST", `/agents/${agent}/drift/rebaseline`, { reason: "Planned." });
  expect((await rebaseline()).json.error.code).toBe("insufficient_scope");
  expect((await hub.decide("ann", review.id, "approve", review.content_hash)).json.status).toBe("approved");
  await hub.as("root", "PATCH", `/users/${hub.id("ann")}`, { state: "disabled" });
  // Nobody else is left: the owner decides, and only then is looked whether there is anything to decide.
  expect((await rebaseline()).json.error.code).toBe("state_conflict");
});

test("an approved profile applies from the next call on", async () => {
  verifies("review.publishes");
  const { agent, review } = await world.submitted("owner", { models: { models: ["gpt-5*"] } });
  expect((await world.chat("owner", agent, "guardhouse/echo")).status).toBe(200);
  await world.decide("ann", review.id, "approve", review.content_hash);
  const { status, json } = await world.chat("owner", agent, "guardhouse/echo");
  expect([status, json.error.code]).toEqual([403, "model_not_allowed"]);
});

describe("while a review goes on", () => {
  test("a draft takes sections one by one; what is missing is named when it is submitted", async () => {
    verifies("review.answers", "review.states");
    const agent = await world.agent("owner");
    const { models, ...rest } = world.answers();
    const draft = (await world.as("owner", "POST", `/agents/${agent}/reviews`, { answers: rest })).json;
    expect(draft).toMatchObject({ status: "draft", content_hash: null, moves: ["edit", "submit", "withdraw"] });
    const early = await world.as("owner", "POST", `/reviews/${draft.id}/submit`);
    expect([early.status, early.json.error.param]).toEqual([400, "answers.models"]);
    const wrong = await world.as("owner", "PATCH", `/reviews/${draft.id}`, { answers: { models: { modles: [] } } });
    expect([wrong.status, wrong.json.error.param]).toEqual([400, "answers.models.modles"]);
    await world.as("owner", "PATCH", `/reviews/${draft.id}`, { answers: { models } });
    expect((await world.as("owner", "POST", `/reviews/${draft.id}/submit`)).json.status).toBe("submitted");
    const second = await world.as("owner", "POST", `/agents/${agent}/reviews`, { answers: {} });
    expect([second.status, second.json.error.code]).toEqual([409, "state_conflict"]);
  });

  test("an edit after submission gives a new hash and voids the approvals that were given", async () => {
    verifies("review.edit-voids");
    const { review } = await world.submitted("owner", HIGH);
    await world.decide("ann", review.id, "approve", review.content_hash);
    const edit = { answers: { monitoring: { alert_contact: "oncall@example.com" } } };
    const { json: edited } = await world.as("owner", "PATCH", `/reviews/${review.id}`, edit);
    expect(edited).toMatchObject({ status: "submitted", approvals: { given: [] } });
    expect(edited.content_hash).not.toBe(review.content_hash);
    expect(edited.decisions).toMatchObject([{ by: world.email("ann"), counts: false }]);
    const stale = await world.decide("bob", review.id, "approve", review.content_hash);
    expect([stale.status, stale.json.error.code]).toEqual([409, "stale_base"]);
    expect((await world.decide("bob", review.id, "approve", edited.content_hash)).json.status).toBe("in_review");
    // Back to what it was: what was approved then does not count again.
    await world.as("owner", "PATCH", `/reviews/${review.id}`, { answers: { monitoring: {} } });
    expect((await world.as("bob", "GET", `/reviews/${review.id}`)).json).toMatchObject({
      content_hash: review.content_hash,
      approvals: { given: [] },
    });
  });

  test("an edit with a stale revision is refused", async () => {
    const { review } = await world.submitted("owner");
    const edit = { answers: { monitoring: { slo: "99 %" } } };
    const at = `/reviews/${review.id}`;
    const first = await world.as("owner", "PATCH", at, edit, { "if-match": '"1"' });
    expect(first).toMatchObject({ status: 200, json: { revision: 2 } });
    const second = await world.as("owner", "PATCH", at, edit, { "if-match": '"1"' });
    expect([second.status, second.json.error.code]).toEqual([409, "stale_base"]);
    expect((await world.as("auditor", "POST", `${at}/comments`, { text: "Hm." })).status).toBe(403);
  });

  test("changes are asked for and made; a rejected one is over, and the next is a new one", async () => {
    verifies("review.states");
    const { agent, review } = await world.submitted("owner");
    await world.as("ann", "POST", `/reviews/${review.id}/comments`, { text: "Which tools?", section: "tools" });
    const asked = await world.decide("ann", review.id, "request_changes", review.content_hash, "See comment.");
    expect(asked.json).toMatchObject({
      status: "changes_requested",
      comments: [{ by: world.email("ann"), section: "tools", text: "Which tools?" }],
    });
    const again = (await world.as("owner", "POST", `/reviews/${review.id}/submit`)).json;
    expect((await world.decide("bob", review.id, "reject", again.content_hash)).json.status).toBe("rejected");
    const late = await world.as("owner", "POST", `/reviews/${review.id}/withdraw`);
    expect([late.status, late.json.error]).toMatchObject([409, { code: "state_conflict", current_status: "rejected" }]);
    expect((await world.as("owner", "GET", `/agents/${agent}`)).json.review_status).toBe("rejected");
    const next = await world.as("owner", "POST", `/agents/${agent}/reviews`, { answers: world.answers() });
    expect(next.json).toMatchObject({ status: "draft", number: 2 });
    await world.as("owner", "POST", `/reviews/${next.json.id}/withdraw`);
    expect((await world.as("owner", "GET", `/agents/${agent}/reviews`)).json.data).toMatchObject([
      { number: 2, status: "withdrawn" },
      { number: 1, status: "rejected" },
    ]);
  });

  test("review list: pending reviews for reviewers, own ones for members", async () => {
    verifies("agents.own");
    const { review } = await world.submitted("owner");
    const waiting = async (who: Parameters<ReviewWorld["as"]>[0], query = "") =>
      (await world.as(who, "GET", `/reviews?limit=200${query}`)).json.data.map(({ id }: { id: string }) => id);
    expect(await waiting("ann")).toContain(review.id);
    expect(await waiting("owner")).toContain(review.id);
    expect(await waiting("stranger")).toEqual([]);
    expect(await waiting("ann", "&status=draft,withdrawn")).not.toContain(review.id);
    expect((await world.as("ann", "GET", "/reviews?status=nonsense")).json.error.param).toBe("status");
  });
});

describe("after approval", () => {
  test("a material change opens a new review; the old profile holds until it is approved too", async () => {
    verifies("review.material", "profile.diff", "review.preview");
    const agent = await world.approved("owner");
    const change = { answers: { models: { models: ["guardhouse/echo"] } }, submit: true };
    const { json: review } = await world.as("owner", "POST", `/agents/${agent}/reviews`, change);
    expect(review).toMatchObject({
      status: "submitted",
      number: 2,
      material: true,
      changes: [{ pointer: "/models/models", material: true, before: ["guardhouse/echo", "gpt-5*"] }],
    });
    expect((await world.as("owner", "GET", `/agents/${agent}`)).json).toMatchObject({
      review_status: "approved",
      profile_version: 1,
    });
    const { json: preview } = await world.as("bob", "GET", `/reviews/${review.id}/profile`);
    expect(preview).toMatchObject({
      in_force: { version: 1 },
      profile: { models: { allow: ["guardhouse/echo"] } },
      changes: [{ pointer: "/models/allow", direction: "stricter", after: ["guardhouse/echo"] }],
    });
    await world.decide("bob", review.id, "approve", review.content_hash);
    const { json: second } = await world.as("owner", "GET", `/agents/${agent}/profiles/2?diff=previous`);
    expect(second).toMatchObject({
      status: "active",
      content_hash: preview.content_hash,
      changes: [{ pointer: "/models/allow", direction: "stricter", after: ["guardhouse/echo"] }],
    });
    const { json: list } = await world.as("ann", "GET", `/agents/${agent}/profiles`);
    expect(list.data.map(({ version, status }: { version: number; status: string }) => [version, status])).toEqual([
      [2, "active"],
      [1, "superseded"],
    ]);
    expect((await world.as("owner", "GET", `/agents/${agent}/profiles/9`)).status).toBe(404);
  });

  test("an administrator takes a profile out of force, with a reason; the agent is ungoverned then", async () => {
    verifies("profile.by-hand");
    const agent = await world.approved("owner");
    const revoke = (who: "owner" | "root", body: object) =>
      world.as(who, "POST", `/agents/${agent}/profile/revoke`, body);
    expect((await revoke("owner", { reason: "x" })).status).toBe(403);
    expect((await revoke("root", {})).json.error.param).toBe("reason");
    expect((await revoke("root", { reason: "It lied." })).json).toMatchObject({
      review_status: "revoked",
      governed: false,
      profile_version: null,
    });
    expect((await world.as("owner", "GET", `/agents/${agent}/profiles/1`)).json.status).toBe("revoked");
    expect((await revoke("root", { reason: "again" })).json.error.code).toBe("state_conflict");
  });

  test("reviewers see observed models and tools, and whether they are declared", async () => {
    verifies("review.observed");
    const { agent, review } = await world.submitted("owner", { models: { models: ["gpt-*"] } });
    await world.chat("owner", agent, "guardhouse/echo");
    const used = await world.eventually(async () => {
      const { observed } = (await world.as("ann", "GET", `/reviews/${review.id}`)).json;
      return observed.models.length > 0 ? observed : null;
    });
    expect(used.models).toEqual([{ name: "guardhouse/echo", calls: 1, declared: false }]);
    expect(used.tools).toEqual([]);
  });
});
