import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AlertReceiver } from "#test/support/alert-receivers";
import { bytesOf } from "#test/support/bytes";
import { beside } from "#test/support/database";
import { fails, times } from "#test/support/fake-provider";
import { SmtpServer } from "#test/support/smtp-server";
import { verifies } from "#test/support/verifies";
import { isSignedWith, WebhookReceiver } from "#test/support/webhook-receiver";
import { ADMIN, type Answer, BOB, RestrictedWorld, until } from "./restricted-world";

setDefaultTimeout(180_000);

const ENV = {
  GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8",
  GUARDHOUSE_ALERTS__EVERY_SECONDS: "1",
  GUARDHOUSE_UPSTREAM__RETRIES: "0",
  GUARDHOUSE_TOOL_GATEWAY__LIST_FRESH_MS: "500",
  GUARDHOUSE_PRICES: JSON.stringify([{ model: "fake-*", input: 1_000, output: 1_000 }]),
};
const ROUTING_KEY = "0123456789abcdef0123456789abcdef";
const PASSWORD = "quokka minstrel";
/** Blocked as a user's message. */
const SECRET = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;
/** At once, and over as soon as it is. */
const AT_ONCE = { for_seconds: 0, resolve_seconds: 0 };
const QUICK = { for_seconds: 0, resolve_seconds: 0, min_calls: 1, window_seconds: 600 };

let world: RestrictedWorld;
let admin: string;
beforeAll(async () => {
  world = await RestrictedWorld.open({ env: ENV });
  admin = await world.session(ADMIN);
  await quieten(world, admin);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** On a busy machine the event loop may be late for minutes, of which nobody is to be told here. */
const quieten = (one: RestrictedWorld, key: string): Promise<Answer> =>
  one.api(key, "PATCH", "/alert-rules/loop-delay", { enabled: false });

const api = (method: string, path: string, body?: object, key = admin): Promise<Answer> =>
  world.api(key, method, path, body);
const codeOf = ({ status, json }: Answer) => [status, json.error?.code, json.error?.param];

const destination = async (body: object): Promise<Answer["json"]> => {
  const answer = await api("POST", "/alert-destinations", { name: "on call", ...body });
  if (answer.status !== 201) throw new Error(`not added: ${JSON.stringify(answer.json)}`);
  return answer.json;
};
const rule = async (kind: string, parts: object): Promise<{ id: string }> => {
  const answer = await api("POST", "/alert-rules", { kind, ...QUICK, ...parts });
  if (answer.status !== 201) throw new Error(`not added: ${JSON.stringify(answer.json)}`);
  return answer.json;
};
const remove = async (path: string, id: string): Promise<void> => {
  expect((await api("DELETE", `${path}/${id}`)).status).toBe(200);
};
/** Of a rule, newest first. */
const alertsOf = async (ruleId: string, state?: string): Promise<Answer["json"][]> => {
  const { json } = await api("GET", `/alerts?limit=200${state === undefined ? "" : `&state=${state}`}`);
  return json.data.filter(({ rule_id }: { rule_id: string }) => rule_id === ruleId);
};
const firing = async (ruleId: string): Promise<Answer["json"]> => {
  await until(async () => (await alertsOf(ruleId, "firing")).length > 0);
  return (await alertsOf(ruleId, "firing"))[0];
};
const monthOf = (db: Database): string =>
  db.query<{ name: string }, []>("SELECT name FROM audit_partition ORDER BY first_seq DESC LIMIT 1").get()?.name ?? "";
const bodiesOf = ({ received }: WebhookReceiver) => received.map(({ body }) => JSON.parse(body));

describe("alerts: destinations", () => {
  test("each kind is told that an alert fires and that it is over, in its own format", async () => {
    verifies("alert.formats", "alert.rules");
    await using slack = AlertReceiver.slack();
    await using teams = AlertReceiver.teams();
    await using pager = AlertReceiver.pagerDuty();
    await using hook = new WebhookReceiver();
    await using events = new WebhookReceiver();
    await using mail = await SmtpServer.begin({ login: { user: "hub", password: PASSWORD } });
    const smtp = { host: "127.0.0.1", port: mail.port, security: "none", username: "hub", password: PASSWORD };
    const made = [
      await destination({ kind: "slack", url: slack.url }),
      await destination({ kind: "teams", url: teams.url }),
      await destination({ kind: "pagerduty", url: pager.url, routing_key: ROUTING_KEY }),
      await destination({ kind: "webhook", url: hook.url }),
      await destination({ kind: "email", ...smtp, from: "hub@example.com", to: ["oncall@example.com"] }),
    ];
    const { json: webhook } = await api("POST", "/webhooks", { url: events.url, events: ["alert.*"] });

    await world.ask({ messages: [{ role: "user", content: `My key is ${SECRET}` }] }).then((it) => it.text());
    const { id } = await rule("block_rate", { name: "Blocks", threshold: 10, agent_id: world.ids.agent });
    const alert = await firing(id);
    expect(alert).toMatchObject({ rule: "Blocks", label: "helper", subject: world.ids.agent, silenced: false });
    expect(alert.value).toBeGreaterThan(10);
    const counts = () => [mail.taken, slack.taken, teams.taken, pager.taken, hook.received].map((it) => it.length);
    await until(() => counts().every((count) => count === 1));
    expect(pager.open).toEqual(new Set([`guardhouse-${alert.id}`]));
    // A higher threshold ends it.
    expect((await api("PATCH", `/alert-rules/${id}`, { threshold: 100, clear_at: 100 })).status).toBe(200);
    await until(() => counts().every((count) => count === 2));
    expect([pager.open.size, ...[slack, teams, pager].flatMap(({ refused }) => refused)]).toEqual([0]);

    const [begun, over] = slack.taken;
    expect([begun.attachments[0].color, over.attachments[0].color]).toEqual(["#bf8700", "#1a7f37"]);
    expect(begun.text).toContain("Firing: Blocks");
    expect(begun.text).toContain("calls of helper were blocked");
    expect(teams.taken.map(({ attachments }) => attachments[0].content.body[0].style)).toEqual(["warning", "good"]);
    expect(pager.taken.map((it) => [it.event_action, it.dedup_key, it.routing_key])).toEqual([
      ["trigger", `guardhouse-${alert.id}`, ROUTING_KEY],
      ["resolve", `guardhouse-${alert.id}`, ROUTING_KEY],
    ]);
    expect(bodiesOf(hook).map(({ type, data }) => [type, data.id, data.rule_id])).toEqual([
      ["alert.firing", alert.id, id],
      ["alert.resolved", alert.id, id],
    ]);
    expect(hook.received.every((got) => isSignedWith(made[3].secret, got))).toBe(true);
    expect(mail.taken.map(({ from, to, user }) => [from, to, user])).toEqual([
      ["hub@example.com", ["oncall@example.com"], "hub"],
      ["hub@example.com", ["oncall@example.com"], "hub"],
    ]);
    expect(mail.taken[1]?.data).toContain(`In-Reply-To: <${alert.id}-firing@`);
    // Receivers of webhooks are told too, in words that say nothing.
    await until(() => events.types.length === 2);
    expect(events.types).toEqual(["alert.fired", "alert.resolved"]);
    expect(JSON.parse(events.received[0]?.body ?? "").data.url).toBe(`${world.hub.url}/api/alerts/${alert.id}`);

    // What was taken is noted a moment later.
    const detail = async () => (await api("GET", `/alerts/${alert.id}`)).json;
    await until(async () => (await detail()).notices.every(({ told }: { told: string }) => told === "resolved"));
    const shown = await detail();
    expect(shown).toMatchObject({ state: "resolved", resolved_at: expect.any(String) });
    expect(
      shown.notices.map((it: { kind: string; told: string; state: string }) => [it.kind, it.told, it.state]),
    ).toEqual(["slack", "teams", "pagerduty", "webhook", "email"].map((kind) => [kind, "resolved", "delivered"]));
    const said = JSON.stringify([shown, slack.taken, teams.taken, pager.taken, bodiesOf(hook), mail.taken]);
    expect(said).not.toContain(SECRET);
    for (const one of made) await remove("/alert-destinations", one.id);
    await remove("/alert-rules", id);
    await remove("/webhooks", webhook.id);
  });

  test("a test message says at once what came of it, and leaves no incident open", async () => {
    verifies("alert.formats");
    await using receiver = new WebhookReceiver();
    await using mail = await SmtpServer.begin();
    const slack = await destination({ kind: "slack", url: receiver.url });
    const test = async (id: string) => (await api("POST", `/alert-destinations/${id}/test`)).json;
    expect(await test(slack.id)).toMatchObject({ delivered: true, status: 204, error: null });
    expect(bodiesOf(receiver)[0].text).toStartWith("Test: ");
    receiver.answers[0] = 403;
    expect(await test(slack.id)).toMatchObject({ delivered: false, status: 403 });
    await using incidents = AlertReceiver.pagerDuty();
    const pager = await destination({ kind: "pagerduty", url: incidents.url, routing_key: ROUTING_KEY });
    expect(await test(pager.id)).toMatchObject({ delivered: true, status: 202 });
    expect(incidents.taken.map(({ event_action }) => event_action)).toEqual(["trigger", "resolve"]);
    expect(incidents.open.size).toBe(0);
    const to = { from: "hub@example.com", to: ["a@example.com"] };
    const plain = await destination({ kind: "email", host: "127.0.0.1", port: mail.port, security: "none", ...to });
    expect(await test(plain.id)).toMatchObject({ delivered: true, status: 250 });
    const encrypted = await destination({ kind: "email", host: "127.0.0.1", port: mail.port, ...to });
    expect(await test(encrypted.id)).toMatchObject({ delivered: false, error: "not_encrypted" });
    for (const { id } of [slack, pager, plain, encrypted]) await remove("/alert-destinations", id);
  });

  test("what is not taken is sent again; an alert that is over before is never told of", async () => {
    verifies("alert.retries");
    await using slow = new WebhookReceiver();
    await using gone = new WebhookReceiver();
    await using away = new WebhookReceiver();
    slow.answers.unshift(503);
    gone.answers[0] = 404;
    away.answers[0] = 500;
    const made = await Promise.all(
      [slow, gone, away].map((receiver, at) => destination({ kind: "slack", name: `d${at}`, url: receiver.url })),
    );
    const { id } = await rule("backup_age", { name: "Backups", threshold: 0 });
    const alert = await firing(id);
    await until(() => slow.received.length === 2);
    const noticesOf = async () => {
      const { notices } = (await api("GET", `/alerts/${alert.id}`)).json;
      return made.map((one) => notices.find((it: Answer["json"]) => it.destination_id === one.id));
    };
    await until(async () => (await noticesOf())[0]?.told === "firing");
    const [taken, refused, failing] = await noticesOf();
    expect(taken.attempts.map(({ status }: { status: number }) => status)).toEqual([503, 204]);
    // Asked again it would say the same again.
    expect(refused).toMatchObject({ state: "failed", told: "none", next_at: null, attempts: [{ status: 404 }] });
    expect(failing).toMatchObject({ state: "pending", told: "none" });
    const { json: listed } = await api("GET", "/alert-destinations");
    const own = listed.data.filter(({ id }: { id: string }) => made.some((one) => one.id === id));
    const failingSince = own.map((one: Answer["json"]) => [one.name, one.failing_since !== null]);
    expect(failingSince.toSorted()).toEqual([
      ["d0", false],
      ["d1", true],
      ["d2", true],
    ]);
    await remove("/alert-rules", id);
    await until(() => slow.received.length === 3);
    await until(async () => (await noticesOf())[2]?.state === "skipped");
    const count = away.received.length;
    expect(bodiesOf(away).every(({ text }) => text.startsWith("Firing: "))).toBe(true);
    expect((await noticesOf()).map(({ told }) => told)).toEqual(["resolved", "none", "none"]);
    for (const one of made) await remove("/alert-destinations", one.id);
    expect(away.received.length).toBe(count);
  });

  test("only those a rule names are told, and none that is paused", async () => {
    await using wanted = new WebhookReceiver();
    await using other = new WebhookReceiver();
    await using paused = new WebhookReceiver();
    const [first, second, third] = [
      await destination({ kind: "slack", url: wanted.url }),
      await destination({ kind: "slack", url: other.url }),
      await destination({ kind: "slack", url: paused.url }),
    ];
    expect((await api("PATCH", `/alert-destinations/${third.id}`, { active: false })).json.active).toBe(false);
    const { id } = await rule("backup_age", { threshold: 0, destinations: [first.id, third.id] });
    await until(() => wanted.received.length === 1);
    await remove("/alert-rules", id);
    await until(() => wanted.received.length === 2);
    expect([other.received.length, paused.received.length]).toEqual([0, 0]);
    for (const one of [first, second, third]) await remove("/alert-destinations", one.id);
  });
});

describe("alerts: rules", () => {
  test("measure errors, spend, budgets, delays and tool servers; each ends when its cause does", async () => {
    verifies("alert.rules");
    const { provider, fixture, ids } = world;
    await world.ask().then((it) => it.text());
    const budget = { scope: "agent", subject_id: ids.agent, period: "day", limit_usd: 1_000 };
    expect((await world.hub.fetch("/api/budgets", { method: "PUT", token: admin, json: budget })).status).toBe(200);
    expect((await world.chat())[0]).toBe(200);
    const [spend, spent, delay] = [
      await rule("spend", { threshold: 0 }),
      await rule("budget", { threshold: 0 }),
      await rule("loop_delay", { threshold: 0, clear_at: 0 }),
    ];
    expect(await firing(spend.id)).toMatchObject({ unit: "usd", text: expect.stringContaining("cost $") });
    expect(await firing(spent.id)).toMatchObject({ label: "helper, per day", subject: `agent/${ids.agent}/day` });
    expect(await firing(delay.id)).toMatchObject({ unit: "milliseconds", label: "process 0" });
    for (const { id } of [spend, spent, delay]) await remove("/alert-rules", id);

    provider.next(fails(500));
    expect((await world.chat())[0]).toBe(502);
    const errors = await rule("error_rate", { threshold: 0 });
    expect(await firing(errors.id)).toMatchObject({ unit: "percent", subject: "", label: null });
    await remove("/alert-rules", errors.id);

    const server = await rule("tool_server", { threshold: 0 });
    await fixture.down();
    await world.call();
    const alert = await firing(server.id);
    expect(alert).toMatchObject({ subject: ids.server, label: "files", text: expect.stringContaining("files") });
    fixture.up();
    await until(async () => (await alertsOf(server.id, "resolved")).length === 1);
    await remove("/alert-rules", server.id);
  });

  test("an agent drifts until somebody answers for it", async () => {
    verifies("alert.rules");
    const drifts = (acknowledged: object | null) => {
      const state = JSON.stringify({ v: 1, drift: { status: "drifting", acknowledged } });
      const row = "INSERT OR REPLACE INTO agent_watch (agent_id, state, updated_at, drift_status) VALUES (?, ?, ?, ?)";
      beside(world.hub, (db) => db.run(row, [world.ids.agent, state, Date.now(), "drifting"]));
    };
    // The built-in one would hold on for minutes.
    await api("PATCH", "/alert-rules/drift", { enabled: false });
    drifts(null);
    const { id } = await rule("drift", { threshold: 0 });
    expect(await firing(id)).toMatchObject({ subject: world.ids.agent, label: "helper", unit: "state" });
    drifts({ level: "drifting", until: Date.now() + 3_600_000 });
    await until(async () => (await alertsOf(id, "resolved")).length === 1);
    await remove("/alert-rules", id);
    beside(world.hub, (db) => db.run("DELETE FROM agent_watch WHERE agent_id = ?", [world.ids.agent]));
    await remove("/alert-rules", "drift");
  });

  test("a provider fails, and a check of the audit log finds a fault; each ends when it is mended", async () => {
    verifies("alert.rules");
    await using own = await RestrictedWorld.open({ env: ENV });
    const key = await own.session(ADMIN);
    const open = async () =>
      (await own.api(key, "GET", "/alerts?state=firing")).json.data.map((it: Answer["json"]) => [it.rule_id, it.label]);
    for (const kind of ["provider", "audit-log"]) await own.api(key, "PATCH", `/alert-rules/${kind}`, AT_ONCE);
    own.provider.next(...times(5, fails(401)));
    for (let failed = 0; failed < 5; failed += 1) await own.chat();
    await until(async () => (await open()).some(([id, label]: string[]) => id === "provider" && label === "fake"));
    const month = beside(own.hub, monthOf);
    const change = (from: string, to: string) =>
      beside(own.hub, (db) => db.run(`UPDATE "${month}" SET body = replace(body, ?, ?) WHERE seq = 1`, [from, to]));
    const checked = async (): Promise<string> => {
      expect((await own.api(key, "POST", "/audit/verify")).status).toBe(202);
      const state = async () => (await own.api(key, "GET", "/audit")).json.verification.state;
      await until(async () => (await state()) !== "running");
      return state();
    };
    change('"v":1', '"v":2');
    expect(await checked()).toBe("broken");
    await until(async () => (await open()).some(([id]: string[]) => id === "audit-log"));
    change('"v":2', '"v":1');
    expect(await checked()).toBe("ok");
    await until(async () => !(await open()).some(([id]: string[]) => id === "audit-log"));
  });

  test("built-in ones are changed and reset, others removed; what is wrong is told", async () => {
    const listed = async () => (await api("GET", "/alert-rules")).json.data;
    const before = await listed();
    expect(before.map(({ id }: { id: string }) => id)).toContain("block-rate");
    const { json: changed } = await api("PATCH", "/alert-rules/block-rate", { threshold: 40 });
    // What ends it stays the same share.
    expect(changed).toMatchObject({ threshold: 40, clear_at: 20, built_in: true, changed: true });
    expect((await api("DELETE", "/alert-rules/block-rate")).json).toEqual({ id: "block-rate", deleted: false });
    expect(await listed()).toEqual(before);
    const bad = (parts: object) => api("POST", "/alert-rules", { kind: "block_rate", ...parts });
    expect(codeOf(await bad({ threshold: 5, clear_at: 6 }))).toEqual([400, "invalid_value", "clear_at"]);
    expect(codeOf(await bad({ window_seconds: 90 }))).toEqual([400, "invalid_value", "window_seconds"]);
    expect(codeOf(await bad({ agent_id: "none" }))).toEqual([400, "invalid_value", "agent_id"]);
    expect(codeOf(await bad({ destinations: ["none"] }))).toEqual([400, "invalid_value", "destinations[0]"]);
    expect(codeOf(await bad({ kind: "weather" }))[1]).toBe("invalid_value");
    expect(codeOf(await api("POST", "/alert-rules", { kind: "drift", agent_id: world.ids.agent }))[2]).toBe("agent_id");
    expect(codeOf(await api("PATCH", "/alert-rules/none", {}))[1]).toBe("not_found");
    expect(codeOf(await api("DELETE", "/alert-rules/none"))[1]).toBe("not_found");
  });
});

describe("alerts: silences", () => {
  test("nobody is told while one lasts; what still fires at its end is told of then", async () => {
    verifies("alert.silences");
    await using receiver = new WebhookReceiver();
    const slack = await destination({ kind: "slack", url: receiver.url });
    const { id } = await rule("backup_age", { name: "Quiet", threshold: 0, enabled: false });
    const until1h = new Date(Date.now() + 3_600_000).toISOString();
    const { json: silence } = await api("POST", "/alert-silences", { rule_id: id, until: until1h, reason: "a test" });
    expect(silence).toMatchObject({ rule_id: id, created_by: ADMIN, ended_at: null });
    await api("PATCH", `/alert-rules/${id}`, { enabled: true });
    expect(await firing(id)).toMatchObject({ silenced: true, told_at: null });
    // One that ends meanwhile is never told of.
    await api("PATCH", `/alert-rules/${id}`, { enabled: false });
    await until(async () => (await alertsOf(id, "resolved")).length === 1);
    await api("PATCH", `/alert-rules/${id}`, { enabled: true });
    await firing(id);
    expect(receiver.received).toEqual([]);
    expect((await api("DELETE", `/alert-silences/${silence.id}`)).json.ended_at).not.toBe(null);
    await until(() => receiver.received.length === 1);
    expect((await firing(id)).silenced).toBe(false);
    expect((await api("GET", "/alert-silences")).json.data).toEqual([]);
    await remove("/alert-rules", id);
    await until(() => receiver.received.length === 2);
    expect(bodiesOf(receiver).map(({ text }) => text.split(":")[0])).toEqual(["Firing", "Resolved"]);
    await remove("/alert-destinations", slack.id);
  });

  test("what is wrong with one is told", async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const wanted = (more: object) => api("POST", "/alert-silences", { until: soon, reason: "x", ...more });
    expect(codeOf(await wanted({ until: "tomorrow" }))).toEqual([400, "invalid_value", "until"]);
    expect(codeOf(await wanted({ until: "2020-01-01T00:00:00Z" }))).toEqual([400, "invalid_value", "until"]);
    expect(codeOf(await wanted({ until: "2099-01-01T00:00:00Z" }))).toEqual([400, "invalid_value", "until"]);
    expect(codeOf(await wanted({ rule_id: "none" }))).toEqual([400, "invalid_value", "rule_id"]);
    expect(codeOf(await wanted({ subject: "a" }))).toEqual([400, "invalid_value", "rule_id"]);
    expect(codeOf(await api("DELETE", "/alert-silences/none"))[1]).toBe("not_found");
  });
});

describe("alerts: administrators", () => {
  test("are the only ones who change things; secrets are sealed and never shown, and changes are on record", async () => {
    verifies("alert.admin");
    const url = "https://hooks.example.com/services/T0/B0/murmuration";
    const made = await destination({ kind: "slack", url });
    const smtp = { kind: "email", host: "smtp.example.com", username: "hub", password: PASSWORD };
    const mail = await destination({ ...smtp, from: "a@example.com", to: ["b@example.com"] });
    expect(mail).toMatchObject({ host: "smtp.example.com", port: 587, security: "starttls", username: "hub" });
    // What is not given stays, the password too.
    const { json: changed } = await api("PATCH", `/alert-destinations/${mail.id}`, { to: ["c@example.com"] });
    expect(changed).toMatchObject({ to: ["c@example.com"], username: "hub", from: "a@example.com" });
    const shown = JSON.stringify([made, mail, changed, (await api("GET", "/alert-destinations")).json]);
    for (const secret of ["murmuration", PASSWORD]) {
      expect(shown).not.toContain(secret);
      expect(JSON.stringify(world.hub.logs)).not.toContain(secret);
      for (const file of await readdir(world.hub.dataDir)) {
        if (file.startsWith("guardhouse.db")) {
          expect((await bytesOf(join(world.hub.dataDir, file))).includes(secret)).toBe(false);
        }
      }
    }
    const bob = await world.session(BOB);
    for (const [method, path, body] of [
      ["GET", "/alerts"],
      ["GET", "/alert-rules"],
      ["GET", "/alert-destinations"],
      ["POST", "/alert-destinations", { name: "x", kind: "slack", url }],
      ["POST", `/alert-destinations/${made.id}/test`],
      ["PATCH", "/alert-rules/block-rate", { enabled: false }],
      ["POST", "/alert-silences", { until: "2030-01-01T00:00:00Z", reason: "x" }],
    ] as const) {
      expect([path, codeOf(await api(method, path, body, bob))[1]]).toEqual([path, "insufficient_scope"]);
    }
    await remove("/alert-destinations", made.id);
    await remove("/alert-destinations", mail.id);
    const kinds = ["destination_add", "destination_update", "destination_remove", "rule_add", "rule_update"];
    for (const kind of [...kinds, "rule_remove", "rule_reset", "silence", "unsilence", "fire", "resolve"]) {
      expect([kind, (await world.records(`alert.${kind}`)).length > 0]).toEqual([kind, true]);
    }
    const [added] = await world.records("alert.destination_add");
    expect(added.change.detail).toEqual({ destination_kind: "email", host: "smtp.example.com" });
  });

  test("are told what is wrong with a destination", async () => {
    verifies("alert.ssrf");
    const wrong = async (body: object) => codeOf(await api("POST", "/alert-destinations", { name: "x", ...body }));
    const mail = { kind: "email", host: "smtp.example.com", from: "a@example.com", to: ["b@example.com"] };
    for (const [param, body] of [
      ["url", { kind: "slack" }],
      ["url", { kind: "slack", url: "https://10.0.0.1/" }],
      ["url", { kind: "teams", url: "http://93.184.216.34/" }],
      ["url", { kind: "webhook", url: "https://user:word@example.com/" }],
      ["routing_key", { kind: "pagerduty" }],
      ["routing_key", { kind: "pagerduty", routing_key: "short" }],
      ["routing_key", { kind: "slack", url: "https://example.com/", routing_key: ROUTING_KEY }],
      ["host", { kind: "slack", url: "https://example.com/", host: "smtp.example.com" }],
      ["host", { ...mail, host: "169.254.169.254" }],
      ["host", { ...mail, host: "smtp.example.com:25" }],
      ["url", { ...mail, url: "https://example.com/" }],
      ["from", { ...mail, from: "a@example.com>\r\nBcc: <x@example.com" }],
      ["to[1]", { ...mail, to: ["b@example.com", "nobody"] }],
      ["password", { ...mail, username: "hub" }],
    ] as const) {
      expect({ body, code: await wrong(body) }).toEqual({ body, code: [400, "invalid_value", param] });
    }
  });

  test("do the same on the command line", async () => {
    await using receiver = new WebhookReceiver();
    const { hub } = world;
    const added = await hub.cliWith(
      { stdin: receiver.url },
      ...["alert", "add", "slack", "--name", "chat", "--secret-file", "-"],
    );
    expect(added.json()).toMatchObject({ name: "chat", kind: "slack" });
    const tried = await hub.cli("alert", "test", "chat");
    expect([tried.code, tried.json()]).toMatchObject([0, { delivered: true }]);
    expect(bodiesOf(receiver)[0].text).toStartWith("Test: ");
    receiver.answers[0] = 500;
    expect((await hub.cli("alert", "test", "chat")).code).toBe(1);
    expect((await hub.cli("alert", "test", "nobody")).code).toBe(9);
    receiver.answers[0] = 200;
    const set = await hub.cli("alert", "set", "backup-age", "--threshold", "0", "--for", "0", "--to", "chat");
    expect(set.json()).toMatchObject({ id: "backup-age", threshold: 0, for_seconds: 0 });
    await until(() => receiver.received.length === 3);
    // On a busy machine the event loop may be late too.
    const listed = async (...flags: readonly string[]): Promise<Answer["json"][]> => {
      const { alerts } = Object((await hub.cli("alert", "list", ...flags)).json());
      return alerts.filter(({ rule_id }: { rule_id: string }) => rule_id === "backup-age");
    };
    expect(await listed()).toMatchObject([{ state: "firing" }]);
    const silenced = await hub.cli("alert", "silence", "--rule", "backup-age", "--for", "1h", "--reason", "a test");
    const { id } = Object(silenced.json());
    expect(Object((await hub.cli("alert", "list")).json()).silences).toMatchObject([{ id, reason: "a test" }]);
    expect((await hub.cli("alert", "unsilence", id)).code).toBe(0);
    expect((await hub.cli("alert", "set", "backup-age", "--disable", "--to", "all")).json()).toMatchObject({
      enabled: false,
      destinations: null,
    });
    await until(async () => (await listed()).length === 0);
    expect((await listed("--all"))[0]).toMatchObject({ state: "resolved" });
    expect((await hub.cli("alert", "rules")).stdout).toContain("backup-age");
    expect((await hub.cli("alert", "destinations")).stdout).not.toContain("/hook");
    expect((await hub.cli("alert", "remove", "chat")).code).toBe(0);
    expect((await hub.cli("alert", "destinations")).json()).toEqual([]);
    expect((await hub.cli("alert", "set", "backup-age")).code).toBe(2);
    await api("DELETE", "/alert-rules/backup-age");
  });
});

test("alerts: a log that cannot be written is told of all the same, and that it can be again", async () => {
  verifies("alert.audit-log");
  await using receiver = new WebhookReceiver();
  await using own = await RestrictedWorld.open({ env: ENV });
  const key = await own.session(ADMIN);
  await quieten(own, key);
  const slack = { name: "on call", kind: "slack", url: receiver.url };
  expect((await own.api(key, "POST", "/alert-destinations", slack)).status).toBe(201);
  await own.ask().then((it) => it.text());
  const month = beside(own.hub, monthOf);
  // What it tells of was read before: once a rule has fired that was made later, it has been.
  const later = (await own.api(key, "POST", "/alert-rules", { kind: "backup_age", ...QUICK, threshold: 0 })).json;
  await until(async () => (await own.api(key, "GET", "/alerts?state=firing")).json.data.length === 1);
  await own.api(key, "DELETE", `/alert-rules/${later.id}`);
  await until(() => receiver.received.length === 2);
  receiver.received.length = 0;
  beside(own.hub, (db) => db.run(`ALTER TABLE "${month}" RENAME TO aside`));
  expect((await own.chat())[0]).toBe(503);
  await until(() => receiver.received.length === 1);
  expect(bodiesOf(receiver)[0].text).toContain("The audit log of process 0 cannot be written");
  beside(own.hub, (db) => db.run(`ALTER TABLE aside RENAME TO "${month}"`));
  await until(() => receiver.received.length === 2);
  expect(bodiesOf(receiver)[1].text).toStartWith("Resolved: ");
  const { json } = await own.api(key, "GET", "/alerts?state=resolved");
  expect(json.data[0]).toMatchObject({ rule_id: "audit-log", severity: "critical", silenced: false });
});

test("alerts: without an exception nothing inside is sent to, whatever its name is", async () => {
  verifies("alert.ssrf");
  await using receiver = new WebhookReceiver();
  await using own = await RestrictedWorld.open();
  const key = await own.session(ADMIN);
  const made = async (body: object) => (await own.api(key, "POST", "/alert-destinations", { name: "x", ...body })).json;
  const tried = async ({ id }: { id: string }) => (await own.api(key, "POST", `/alert-destinations/${id}/test`)).json;
  const slack = await made({ kind: "slack", url: `https://localhost:${receiver.port}/` });
  expect(await tried(slack)).toMatchObject({ delivered: false, error: "forbidden_address" });
  const mail = { kind: "email", host: "localhost", from: "a@example.com", to: ["b@example.com"] };
  expect(await tried(await made(mail))).toMatchObject({ delivered: false, error: "forbidden_address" });
  expect((await own.api(key, "POST", "/alert-destinations", { name: "x", ...mail, security: "none" })).status).toBe(
    400,
  );
  expect(receiver.received).toEqual([]);
});
