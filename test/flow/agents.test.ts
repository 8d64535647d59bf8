import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ReviewWorld, type Who } from "./review-world";

setDefaultTimeout(120_000);

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const models = async (token: string): Promise<number> => (await world.hub.fetch("/v1/models", { token })).status;

describe("agent ownership", () => {
  test("another member's agent does not exist, whatever is asked of it", async () => {
    verifies("agents.own");
    const { agent, review } = await world.submitted("owner");
    const asks: readonly [string, string, object?][] = [
      ["GET", `/agents/${agent}`],
      ["PATCH", `/agents/${agent}`, { description: "mine" }],
      ["POST", `/agents/${agent}/suspend`, { reason: "x" }],
      ["POST", `/agents/${agent}/resume`],
      ["POST", `/agents/${agent}/retire`, { confirm: "x" }],
      ["GET", `/agents/${agent}/profiles`],
      ["GET", `/agents/${agent}/profiles/1`],
      ["GET", `/agents/${agent}/reviews`],
      ["POST", `/agents/${agent}/reviews`, { answers: {} }],
      ["GET", `/reviews/${review.id}`],
      ["PATCH", `/reviews/${review.id}`, { answers: {} }],
      ["POST", `/reviews/${review.id}/submit`],
      ["POST", `/reviews/${review.id}/comments`, { text: "hello" }],
    ];
    const unknown = crypto.randomUUID();
    for (const [method, path, body] of asks) {
      const { status, json } = await world.as("stranger", method, path, body);
      const there = path.replace(agent, unknown).replace(review.id, unknown);
      const none = await world.as("stranger", method, there, body);
      expect([method, path, status, json]).toEqual([method, path, 404, none.json]);
    }
    expect((await world.as("stranger", "GET", "/agents")).json.data).toEqual([]);
    expect((await world.as("stranger", "GET", "/agents?all=true")).status).toBe(403);
  });

  test("reviewers and auditors read all, and change nothing", async () => {
    verifies("agents.own");
    const agent = await world.agent("owner");
    for (const who of ["ann", "auditor"] satisfies Who[]) {
      expect((await world.as(who, "GET", `/agents/${agent}`)).status).toBe(200);
      const all = await world.as(who, "GET", "/agents?all=true&limit=200");
      expect(all.json.data.map(({ id }: { id: string }) => id)).toContain(agent);
      const denied = await world.as(who, "PATCH", `/agents/${agent}`, { description: "x" });
      expect([who, denied.status, denied.json.error.code]).toEqual([who, 403, "insufficient_scope"]);
    }
  });

  test("only an administrator says who owns an agent; the old owner's tokens then open nothing", async () => {
    verifies("agents.own", "agents.lifecycle");
    const agent = await world.approved("owner");
    const token = await world.token("owner", agent);
    expect(await models(token)).toBe(200);
    const to = { owner: world.email("stranger") };
    expect((await world.as("owner", "PATCH", `/agents/${agent}`, to)).status).toBe(403);
    const { name } = (await world.as("owner", "GET", `/agents/${agent}`)).json;
    const namesake = (await world.as("stranger", "POST", "/agents", { name })).json;
    expect((await world.as("root", "PATCH", `/agents/${agent}`, to)).json.error.code).toBe("already_exists");
    expect(await models(token)).toBe(200);
    await world.as("stranger", "PATCH", `/agents/${namesake.id}`, { name: `${name}, too` });
    const moved = await world.as("root", "PATCH", `/agents/${agent}`, to);
    expect(moved.json).toMatchObject({ owner: world.email("stranger"), review_status: "expiring", governed: true });
    expect(await models(token)).toBe(401);
    expect((await world.as("owner", "GET", `/agents/${agent}`)).status).toBe(404);
    const sponsor = { owner: world.email("sponsor") };
    expect((await world.as("root", "PATCH", `/agents/${agent}`, sponsor)).json.error.param).toBe("sponsor");
  });
});

describe("registering and changing", () => {
  test("facts are taken, unknown ones named, and names are the owner's own", async () => {
    const facts = { name: "desk", description: "Answers.", environment: "production", sponsor: world.email("sponsor") };
    const made = await world.as("owner", "POST", "/agents", facts);
    expect(made).toMatchObject({
      status: 201,
      json: { ...facts, owner: world.email("owner"), review_status: "draft" },
    });
    expect((await world.as("owner", "POST", "/agents", facts)).json.error.code).toBe("already_exists");
    expect((await world.as("stranger", "POST", "/agents", { name: "desk" })).status).toBe(201);
    const wrong = await world.as("owner", "POST", "/agents", { name: "x", colour: "red" });
    expect([wrong.status, wrong.json.error.param]).toEqual([400, "colour"]);
    const other = { name: "for-sam", owner: world.email("stranger") };
    expect((await world.as("owner", "POST", "/agents", other)).status).toBe(403);
    expect((await world.as("root", "POST", "/agents", other)).json.owner).toBe(world.email("stranger"));
    const at = `/agents/${made.json.id}`;
    expect((await world.as("owner", "PATCH", at, { name: "front desk", sponsor: null })).json).toMatchObject({
      name: "front desk",
      sponsor: null,
      description: "Answers.",
    });
    expect((await world.as("owner", "PATCH", at, { sponsor: world.email("owner") })).json.error.param).toBe("sponsor");
    expect((await world.as("owner", "PATCH", at, {})).status).toBe(400);
  });
});

describe("whether it runs", () => {
  test("suspended it may do nothing, from the next call on; resumed it may again", async () => {
    verifies("agents.lifecycle");
    const agent = await world.agent("owner");
    const token = await world.token("owner", agent);
    expect((await world.as("owner", "POST", `/agents/${agent}/suspend`, {})).json.error.param).toBe("reason");
    const suspended = await world.as("owner", "POST", `/agents/${agent}/suspend`, { reason: "It loops." });
    expect(suspended.json.lifecycle).toBe("suspended");
    const refused = await world.hub.fetch("/v1/models", { token });
    expect([refused.status, Object(await refused.json()).error.code]).toEqual([403, "agent_suspended"]);
    expect((await world.as("root", "POST", `/agents/${agent}/resume`)).json.lifecycle).toBe("active");
    expect(await models(token)).toBe(200);
  });

  test("an agent suspended by an administrator cannot be resumed by present or new owner", async () => {
    verifies("agents.suspended-above");
    const agent = await world.agent("owner");
    const token = await world.token("owner", agent);
    const act = (who: Who, what: string) => world.as(who, "POST", `/agents/${agent}/${what}`, { reason: "It leaks." });
    expect((await act("owner", "suspend")).json.suspended.right).toBe("owner");
    const { json } = await act("root", "suspend");
    const stopped = { right: "administrator", by: world.email("root"), at: expect.any(String) };
    expect(json).toMatchObject({ lifecycle: "suspended", suspended: stopped });
    const refused = await act("owner", "resume");
    expect([refused.status, refused.json.error.code]).toEqual([403, "insufficient_scope"]);
    expect(refused.json.error.message).toContain("only an administrator");
    expect((await act("owner", "suspend")).json.suspended).toEqual(stopped);
    expect(await models(token)).toBe(403);

    await world.as("root", "PATCH", `/agents/${agent}`, { owner: world.email("stranger") });
    expect((await act("stranger", "resume")).json.error.code).toBe("insufficient_scope");
    expect((await act("root", "resume")).json).toMatchObject({ lifecycle: "active", suspended: null });

    await world.hub.cli("agent", "suspend", agent);
    expect((await world.as("stranger", "GET", `/agents/${agent}`)).json.suspended).toMatchObject({ right: "operator" });
    expect((await act("stranger", "resume")).status).toBe(403);
    await world.hub.cli("agent", "resume", agent);
    await act("stranger", "suspend");
    expect((await act("stranger", "resume")).json.lifecycle).toBe("active");
  });

  test("retired is final: its name typed out, its tokens revoked, its records kept", async () => {
    verifies("agents.lifecycle");
    const agent = await world.approved("owner");
    const { name } = (await world.as("owner", "GET", `/agents/${agent}`)).json;
    const token = await world.token("owner", agent);
    const open = await world.as("owner", "POST", `/agents/${agent}/reviews`, { answers: {}, submit: true });
    expect((await world.as("owner", "POST", `/agents/${agent}/retire`, { confirm: "no" })).json.error.param).toBe(
      "confirm",
    );
    const retired = await world.as("owner", "POST", `/agents/${agent}/retire`, { confirm: name });
    expect(retired.json).toMatchObject({ lifecycle: "retired", governed: false });
    expect(await models(token)).toBe(401);
    for (const [method, path, body] of [
      ["POST", `/agents/${agent}/resume`, undefined],
      ["PATCH", `/agents/${agent}`, { description: "x" }],
      ["POST", `/agents/${agent}/reviews`, { answers: {} }],
    ] as const) {
      expect([path, (await world.as("owner", method, path, body)).json.error.code]).toEqual([path, "state_conflict"]);
    }
    const late = await world.decide("ann", open.json.id, "approve", open.json.content_hash);
    expect(late.json.error.code).toBe("state_conflict");
    const kinds = (await world.records()).filter(
      ({ subject, detail }) => subject === agent || detail["agent_id"] === agent,
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["agent.retire", "token.revoke"]));
    expect((await world.as("owner", "GET", `/agents/${agent}/profiles`)).json.data).toHaveLength(1);
  });
});
