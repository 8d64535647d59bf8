import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

let world: ReviewWorld;
beforeAll(async () => {
  world = await ReviewWorld.open();
  const token = await world.token("owner", await world.agent("owner"));
  for (let call = 0; call < 3; call += 1) {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: `Hello ${call}` }] };
    await (await world.hub.fetch("/v1/chat/completions", { token, json })).text();
  }
});
afterAll(() => world[Symbol.asyncDispose]());

const keyOf = async (who: Who): Promise<string> =>
  Object((await world.hub.cli("session", "create", world.email(who))).json()).key;

test("the chain's state is what the command line verifies", async () => {
  verifies("audit.for-auditors");
  const { status, json } = await world.as("auditor", "GET", "/audit");
  expect([status, json.object, json.healthy, json.verification]).toEqual([200, "audit.state", true, null]);
  const report = Object((await world.hub.cli("audit", "verify")).json());
  expect(json.head).toEqual({ seq: report.last_seq, hash: report.head });
  expect(json.records).toBe(report.records);
  expect(json.months).toHaveLength(1);
  for (const who of ["owner", "ann", "stranger"] as const) {
    for (const [method, path] of [
      ["GET", "/audit"],
      ["GET", "/audit/export"],
      ["POST", "/audit/verify"],
    ] as const) {
      const answer = await world.as(who, method, path);
      expect([who, path, answer.status, answer.json.error.code]).toEqual([who, path, 403, "insufficient_scope"]);
    }
  }
});

test("a check runs by itself, says how far it is, and is on record", async () => {
  verifies("audit.for-auditors");
  expect((await world.as("root", "GET", "/audit/verification")).status).toBe(404);
  const { status, json } = await world.as("root", "POST", "/audit/verify");
  expect([status, json.state, json.by]).toEqual([202, "running", world.email("root")]);
  const done = await world.eventually(async () => {
    const { json: now } = await world.as("auditor", "GET", "/audit/verification");
    return now.state === "running" ? null : now;
  });
  expect(done).toMatchObject({ id: json.id, state: "ok", faults: [] });
  // As many as there were when it began, its own record among them: never more of fewer.
  expect(done.records).toBe(done.of);
  expect(done.records).toBeGreaterThanOrEqual(json.of);
  expect(json.of).toBeLessThanOrEqual((await world.as("auditor", "GET", "/audit")).json.records);
  expect((await world.as("auditor", "GET", "/audit")).json.verification.id).toBe(json.id);
  expect((await world.records()).some(({ kind }) => kind === "audit.verify")).toBe(true);
});

test("an export over HTTP is the command line's, and is on record before its first byte", async () => {
  verifies("audit.for-auditors");
  const token = await keyOf("auditor");
  for (const format of ["ndjson", "csv", "ocsf"]) {
    const response = await world.hub.fetch(`/api/audit/export?format=${format}&until=2999-01-01T00:00:00Z`, { token });
    expect(response.headers.get("content-disposition")).toContain("attachment");
    const text = await response.text();
    const { stdout } = await world.hub.cli("audit", "export", "--format", format);
    expect(text.split("\n").length).toBeGreaterThan(10);
    expect(stdout.startsWith(text)).toBe(true);
    expect(text).toContain("audit.export");
  }
  const none = await world.hub.fetch("/api/audit/export?since=2999-01-01T00:00:00Z", { token });
  expect(await none.text()).toBe("");
  for (const query of ["format=xml", "since=yesterday"]) {
    expect((await world.hub.fetch(`/api/audit/export?${query}`, { token })).status).toBe(400);
  }
});
