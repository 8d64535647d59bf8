import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { KEY, ReportWorld } from "./report-world";

setDefaultTimeout(120_000);

let world: ReportWorld;
beforeAll(async () => {
  world = await ReportWorld.open({ processes: "hub" });
});
afterAll(() => world[Symbol.asyncDispose]());

const text = (at: number) => ({ message_content: `text ${at}` });

describe("five an hour", () => {
  test("over all tokens and both kinds, exactly, however many come at once", async () => {
    verifies("reports.limit");
    const eve = await world.reporter();
    const tokens = [eve.token, eve.agentToken, eve.siblingToken];
    const event = await world.blocked(eve.token);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        at === 50 ? world.dispute(eve.token, { event_id: event }) : world.miss(tokens[at % 3] ?? "", text(at)),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).toEqual([5, 95]);
    for (const { json, headers } of refused) {
      expect(json.error).toMatchObject({ code: "report_limit_exceeded", type: "rate_limit_error" });
      const [, left, reset] = /^"reports";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
      expect(left).toBe("0");
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(Number(reset));
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(3_600);
      expect(headers.get("x-should-retry")).toBe("false");
    }
    expect((await world.get(eve.token)).json.data).toHaveLength(5);
  });

  test("the hour rolls: what has left it counts no more, in the headers neither", async () => {
    verifies("reports.limit", "reports.headers");
    const eve = await world.reporter();
    for (let at = 0; at < 5; at += 1) expect((await world.miss(eve.token, text(at))).status).toBe(201);
    const { json } = await world.get(eve.token);
    const oldest = json.data.at(-1).miss_report_id;
    world.database((db) => db.run("UPDATE report SET created_at = created_at - 3590000 WHERE id = ?", [oldest]));
    const refused = await world.miss(eve.token, text(5));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(10);
    world.database((db) => db.run("UPDATE report SET created_at = created_at - 10000 WHERE id = ?", [oldest]));
    const next = await world.miss(eve.token, text(6));
    expect(next.status).toBe(201);
    expect(next.headers.get("ratelimit")).toStartWith('"reports";r=0;t=');
  });

  test("is told in every answer below /v1/guard, in blocks, and after a restart", async () => {
    verifies("reports.headers");
    const eve = await world.reporter();
    const { hub } = world.world;
    const asked = () =>
      Promise.all([
        hub.fetch("/v1/guard/scan", { token: eve.token, json: { text: "x" } }),
        hub.fetch("/v1/guard/scan", { token: eve.agentToken, json: { text: 1 } }),
        hub.fetch(`/v1/guard/health/${eve.agent}`, { token: eve.token }),
        hub.fetch(`/v1/guard/agents/${eve.agent}/profile`, { token: eve.agentToken }),
        hub.fetch("/v1/guard/miss-reports", { token: eve.token }),
        hub.fetch("/v1/guard/miss-reports/x", { token: eve.token }),
      ]);
    const told = async () => {
      const answers = await asked();
      for (const { headers } of answers) expect(headers.get("ratelimit-policy")).toBe('"reports";q=5;w=3600');
      const left = answers.map(({ headers }) => (headers.get("ratelimit") ?? "").split(";t=")[0] ?? "none");
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 404]);
      return new Set(left);
    };
    const remaining = async () => {
      const { error } = await (await world.world.ask(KEY, { token: eve.agentToken })).json();
      return error.guard.reports_remaining;
    };
    expect([await told(), await remaining()]).toEqual([new Set(['"reports";r=5']), 5]);
    await world.miss(eve.agentToken, text(0));
    expect([await told(), await remaining()]).toEqual([new Set(['"reports";r=4']), 4]);
    await hub.restart();
    expect([await told(), await remaining()]).toEqual([new Set(['"reports";r=4']), 4]);
  });
});

describe("a key for what is sent twice", () => {
  const keyed = (key: string) => ({ "idempotency-key": key });

  test("the same request is answered alike, and done once", async () => {
    verifies("reports.idempotent");
    const eve = await world.reporter();
    const body = { message_content: "twice", flag_types: ["pii.email"] };
    const first = await world.miss(eve.token, body, keyed("k-1"));
    const again = await world.miss(eve.token, { flag_types: ["pii.email"], message_content: "twice" }, keyed("k-1"));
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expect([again.status, again.json, again.headers.get("idempotency-replayed")]).toEqual([201, first.json, "true"]);
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    const other = await world.miss(eve.token, { message_content: "other" }, keyed("k-1"));
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_mismatch"]);
    expect((await world.miss(eve.agentToken, body, keyed("k-1"))).headers.has("idempotency-replayed")).toBe(false);
    expect((await world.get(eve.token)).json.data).toHaveLength(2);
    for (const key of ["x".repeat(256), "a b", "ü"]) {
      const { status, json } = await world.miss(eve.token, body, keyed(key));
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", "Idempotency-Key"]);
    }
  });

  test("fifty at once are one", async () => {
    verifies("reports.idempotent");
    const eve = await world.reporter();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.miss(eve.token, { message_content: "race" }, keyed("race"))),
    );
    const made = answers.filter(({ status }) => status === 201);
    const busy = answers.filter(({ json }) => json.error?.code === "idempotency_in_flight");
    expect(new Set(made.map(({ json }) => json.miss_report_id)).size).toBe(1);
    expect(made.filter(({ headers }) => !headers.has("idempotency-replayed"))).toHaveLength(1);
    expect(made.length + busy.length).toBe(50);
    expect(busy.every(({ status }) => status === 409)).toBe(true);
    expect((await world.get(eve.token)).json.data).toHaveLength(1);
  });

  test("idempotent reports: final errors are repeated, rate limits are retried", async () => {
    verifies("reports.idempotent");
    const eve = await world.reporter();
    const event_id = await world.blocked(eve.token);
    const wrong = { event_id, message_content: "not of it" };
    for (const replayed of [null, "true"]) {
      const { status, json, headers } = await world.dispute(eve.token, wrong, keyed("wrong"));
      expect([status, json.error.code, headers.get("idempotency-replayed")]).toEqual([
        ...[400, "content_mismatch", replayed],
      ]);
    }
    for (let at = 0; at < 5; at += 1) await world.miss(eve.token, text(at));
    const early = () => world.dispute(eve.token, { event_id }, keyed("early"));
    expect((await early()).status).toBe(429);
    world.database((db) => db.run("UPDATE report SET created_at = created_at - 3600000 WHERE user_id = ?", [eve.id]));
    expect((await early()).status).toBe(201);
  });
});

describe("an event is found", () => {
  test("after a restart, and after a crash that left no time to store it", async () => {
    verifies("reports.found");
    const eve = await world.reporter();
    world.world.provider.always(says("Done."));
    const stored = await world.blocked(eve.token);
    await world.world.hub.restart();
    const lost = await world.blocked(eve.agentToken);
    await world.world.hub.kill("SIGKILL");
    await world.world.hub.start();
    for (const event_id of [stored, lost]) {
      expect((await world.dispute(eve.token, { event_id })).json).toMatchObject({ event_id, status: "submitted" });
    }
  });

  test("also where nothing is kept of it: by what the record says", async () => {
    verifies("reports.found", "reports.content-bound");
    await using other = await ReportWorld.open({
      processes: "hub",
      env: { GUARDHOUSE_GUARD__KEEP_BLOCKED_HOURS: "0" },
    });
    const eve = await other.reporter();
    const event_id = await other.blocked(eve.token, `My key is ${KEY}.`);
    const said = (message_content: string) => other.dispute(eve.token, { event_id, message_content });
    expect((await said(KEY)).json.error.code).toBe("content_mismatch");
    const { status, json } = await said(`My key  is\n${KEY}. `);
    expect([status, json.questionnaire_section]).toEqual([201, "secrets_security"]);
  });
});

test("shared content is deleted a month after the report is closed", async () => {
  verifies("reports.forgotten");
  const eve = await world.reporter();
  const { json } = await world.miss(eve.token, { message_content: "shared", share_content: true });
  const row = (sql: string) => world.database((db) => db.query(sql).get(json.miss_report_id));
  const kept = "SELECT sealed_content IS NOT NULL AS kept FROM report WHERE id = ?";
  const closed = (days: number) =>
    world.database((db) =>
      db.run("UPDATE report SET status = 'closed', closed_at = ?, revision = revision + 1 WHERE id = ?", [
        ...[Date.now() - days * 86_400_000, json.miss_report_id],
      ]),
    );
  closed(29);
  await world.world.hub.restart();
  await Bun.sleep(300);
  expect(row(kept)).toEqual({ kept: 1 });
  closed(31);
  await world.world.hub.restart();
  await world.world.hub.log("reports.dropped");
  expect(row(kept)).toEqual({ kept: 0 });
});
