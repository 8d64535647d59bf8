/** From a wrong block to a scanner that has changed, and back: over HTTP alone, with every refusal on the way. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { FakeProvider, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { KEY, type Reporter, ReportWorld } from "./report-world";

setDefaultTimeout(120_000);

const JUDGE = "judge-1";
const FINDS = JSON.stringify({ verdict: "false_positive", confidence: 0.95, reasoning: "A key of the manual." });
const TEXT = `My key is ${KEY}, keep it safe.`;
const OTHER = `My key is ${["AKIA", "Z7QXW5RTLM3BV6NC"].join("")}, keep it safe.`;

let judges: FakeProvider;
let world: ReportWorld;
let eve: Reporter;
let reviewer = "";
beforeAll(async () => {
  judges = await FakeProvider.start([JUDGE]);
  judges.always(says(FINDS));
  world = await ReportWorld.open({
    env: { GUARDHOUSE_REVIEWER__MODEL: JUDGE, GUARDHOUSE_REVIEWER__PROVIDER: "judges" },
    before: (hub) => hub.addProvider("judges", { baseUrl: judges.url, models: ["judge-*"] }),
  });
  eve = await world.reporter();
  const { hub } = world.world;
  await hub.createUser("rita@example.com", "--role", "reviewer");
  reviewer = Object((await hub.cli("session", "create", "rita@example.com")).json()).key;
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await judges[Symbol.asyncDispose]();
});

const send = async (path: string, token: string, json?: object, method?: string) => {
  const response = await world.world.hub.fetch(path, { token, ...(json && { json }), ...(method && { method }) });
  return { status: response.status, json: await response.json() };
};
const isBlocked = async (token: string, text: string): Promise<boolean> => {
  const response = await world.world.ask(text, { token });
  await response.body?.cancel();
  return response.status === 400;
};
const suggestionOf = async (reportId: string): Promise<string> => {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { json } = await world.get(eve.token, `/${reportId}`);
    if (json.tuning_suggestion_id) return json.tuning_suggestion_id;
    if (performance.now() > deadline) throw new Error(`no suggestion; the report is ${json.status}`);
    await Bun.sleep(50);
  }
};

test("block, dispute, verdict, suggestion, approval, application, and all of it taken back", async () => {
  verifies("loop.whole");
  const { agent, agentToken, token } = eve;
  expect(await isBlocked(agentToken, TEXT)).toBe(true);
  const event_id = await world.blocked(agentToken, TEXT);

  const stranger = await world.reporter();
  expect(await world.dispute(stranger.token, { event_id })).toMatchObject({ status: 404 });
  const wrong = await world.dispute(agentToken, { event_id, message_content: "Something else altogether." });
  expect(wrong).toMatchObject({ status: 400, json: { error: { code: "content_mismatch" } } });

  const made = await world.dispute(agentToken, { event_id, share_content: true });
  expect(made).toMatchObject({ status: 201, json: { status: "submitted", report_direction: "false_positive" } });
  const id = await suggestionOf(made.json.miss_report_id);
  const tuning = `/v1/guard/tuning/${id}`;
  const suggestion = (await send(tuning, token)).json;
  expect(suggestion).toMatchObject({ agent_id: agent, effect: "loosen", kind: "value_exception", status: "proposed" });
  expect(suggestion.impact).toMatchObject({ would_release_confirmed: 0 });

  expect(await send(`${tuning}/apply`, agentToken, {})).toMatchObject({ status: 403 });
  const early = await send(`${tuning}/apply`, token, {});
  expect(early).toMatchObject({ status: 409, json: { error: { code: "approval_required" } } });
  expect(await send(`${tuning}/request-approval`, token, { note: "It is our manual's." })).toMatchObject({
    status: 202,
  });
  const own = Object((await world.world.hub.cli("session", "create", eve.email)).json()).key;
  expect((await send(`/api/tuning/${id}/approve`, own, {})).status).toBe(403);
  expect((await send(`/api/tuning/${id}/approve`, token, {})).status).toBe(403);
  expect(await isBlocked(agentToken, TEXT)).toBe(true);

  expect(await send(`/api/tuning/${id}/approve`, reviewer, { comment: "Only this value." })).toMatchObject({
    status: 200,
  });
  expect((await send(`${tuning}/approval-status`, token)).json).toMatchObject({ status: "approved", can_apply: true });
  const applied = await send(`${tuning}/apply`, token, {});
  expect(applied).toMatchObject({ status: 200, json: { status: "applied", policy_revision: 2 } });

  expect(await isBlocked(agentToken, TEXT)).toBe(false);
  expect((await send("/v1/guard/scan", agentToken, { text: TEXT })).json).toMatchObject({
    safe: true,
    policy_revision: 2,
  });
  expect(await isBlocked(agentToken, OTHER)).toBe(true);
  expect(await isBlocked(eve.siblingToken, TEXT)).toBe(true);
  expect(await isBlocked(token, TEXT)).toBe(true);

  const rule = applied.json.rule.id;
  expect((await send(`/v1/guard/agents/${agent}/tuning/${rule}`, token, undefined, "DELETE")).status).toBe(200);
  expect(await isBlocked(agentToken, TEXT)).toBe(true);
  expect((await world.world.hub.cli("audit", "verify")).code).toBe(0);
});

test("the sixth report of an hour is refused, whichever token sends it", async () => {
  verifies("loop.whole");
  const ann = await world.reporter();
  const send = async (token: string) => {
    const event_id = await world.blocked(ann.token, `${TEXT} ${crypto.randomUUID()}`);
    return world.dispute(token, { event_id });
  };
  for (const _ of Array(5)) expect((await send(ann.token)).status).toBe(201);
  const sixth = await send(ann.token);
  expect(sixth).toMatchObject({ status: 429, json: { error: { code: "report_limit_exceeded" } } });
  expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(3000);
});
