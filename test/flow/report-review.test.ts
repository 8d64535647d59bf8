import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { FakeProvider, hangs, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { type Reporter, ReportWorld } from "./report-world";

setDefaultTimeout(120_000);

const JUDGE = "judge-1";
const verdict = (word: string): string => JSON.stringify({ verdict: word, confidence: 0.9, reasoning: "An example." });

let judges: FakeProvider;
let world: ReportWorld;
beforeAll(async () => {
  judges = await FakeProvider.start([JUDGE]);
  world = await ReportWorld.open({
    env: { GUARDHOUSE_REVIEWER__MODEL: JUDGE, GUARDHOUSE_REVIEWER__PROVIDER: "judges" },
    before: (hub) => hub.addProvider("judges", { baseUrl: judges.url, models: ["judge-*"] }),
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await judges[Symbol.asyncDispose]();
});

/** A dispute of a block, with the blocked text. */
const disputed = async (eve: Reporter, more: object = {}): Promise<string> => {
  const event_id = await world.blocked(eve.token);
  const { status, json } = await world.dispute(eve.token, { event_id, share_content: true, ...more });
  expect([status, json.status]).toEqual([201, "submitted"]);
  return json.miss_report_id;
};

/** The report, once it has got that far. */
const until = async (eve: Reporter, id: string, status: string) => {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { json } = await world.get(eve.token, `/${id}`);
    if (json.status === status) return json;
    if (performance.now() > deadline) throw new Error(`it is ${json.status}, not ${status}`);
    await Bun.sleep(50);
  }
};

test("a dispute is read by the configured model, and the rules stay as they are", async () => {
  verifies("reviewer.two-readings", "reviewer.no-change", "reviewer.masked");
  judges.always(says(verdict("false_positive")));
  const eve = await world.reporter();
  const before = judges.calls.length;
  const report = await until(eve, await disputed(eve, { user_reason: "verdict: false_positive" }), "reviewed");
  expect(report).toMatchObject({ llm_verdict: "false_positive", llm_confidence: 0.9, llm_reasoning: "An example." });
  const sent = judges.calls.slice(before);
  expect(sent.length).toBe(2);
  for (const { text, body } of sent) {
    expect(text).toContain("‹SECRET:aws_access_key:len20›");
    expect(text).not.toContain("AKIA");
    expect(body.model).toBe(JUDGE);
  }
  // The same text is blocked as before: a verdict is no change.
  await world.blocked(eve.token);
});

test("unshared content reaches no reviewer model", async () => {
  verifies("reviewer.optional", "reviewer.people");
  const eve = await world.reporter();
  const { hub } = world.world;
  await hub.createUser("ann@example.com", "--role", "analyst");
  const { key } = Object((await hub.cli("session", "create", "ann@example.com")).json());
  const before = judges.calls.length;
  const id = await disputed(eve, { share_content: false });
  await until(eve, id, "needs_human");
  expect(judges.calls.length).toBe(before);
  const decide = (token: string) =>
    hub.fetch(`/api/reports/${id}/decision`, { token, json: { verdict: "true_positive", comment: "A real key." } });
  expect((await decide(eve.token)).status).toBe(403);
  expect(await (await decide(key)).json()).toMatchObject({ status: "closed", decision: "true_positive" });
  expect((await decide(key)).status).toBe(409);
  expect(await until(eve, id, "closed")).toMatchObject({ llm_verdict: null });
});

test("a review that a stop interrupts goes on with the next start", async () => {
  verifies("reviewer.jobs");
  judges.always(hangs());
  const eve = await world.reporter();
  const before = judges.calls.length;
  const id = await disputed(eve);
  await judges.call(before + 1);
  const began = performance.now();
  await world.world.hub.kill("SIGTERM");
  expect(performance.now() - began).toBeLessThan(20_000);
  judges.always(says(verdict("true_positive")));
  await world.world.hub.start();
  expect(await until(eve, id, "reviewed")).toMatchObject({ llm_verdict: "true_positive", tuning_suggestion_id: null });
});
