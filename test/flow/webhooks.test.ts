import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf } from "#test/support/bytes";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { isSignedWith, WebhookReceiver } from "#test/support/webhook-receiver";
import { ADMIN, type Answer, BOB, EVE, RestrictedWorld, until } from "./restricted-world";

const LOOPBACK = { GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8" };
/** Put wherever people and models may write; it leaves by no webhook. */
const SAID = "quokkaminstrel";

let world: RestrictedWorld;
let admin: string;
beforeAll(async () => {
  world = await RestrictedWorld.open({ env: LOOPBACK });
  admin = await world.session(ADMIN);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const add = async (url: string, events: readonly string[] = ["*"], description: string | null = null) => {
  const answer = await world.api(admin, "POST", "/webhooks", { url, events, description });
  if (answer.status !== 201) throw new Error(`not added: ${JSON.stringify(answer.json)}`);
  return answer.json;
};
const remove = (id: string): Promise<Answer> => world.api(admin, "DELETE", `/webhooks/${id}`);
const codeOf = ({ status, json }: Answer) => [status, json.error?.code, json.error?.param];

describe("webhooks: delivered events", () => {
  test("changes made over HTTP, by the command line and by tool servers; in words that say nothing of their content", async () => {
    verifies("webhook.events", "webhook.thin", "webhook.signed");
    await using receiver = new WebhookReceiver();
    const { id, secret } = await add(receiver.url, ["*"], SAID);
    const restriction = await world.restrict(admin, "rate_limited", {
      params: { requests_per_minute: 500 },
      reason: SAID,
    });
    await until(() => receiver.types.includes("restriction.confirmed"));
    await world.lift(admin, restriction);
    await world.hub.cli("killswitch", "on", "--level", "model", "--target", `${SAID}-*`, "--reason", SAID);
    await world.hub.cli("killswitch", "off", "--reason", SAID);
    const { id: tokenId } = await world.hub.createToken(EVE, "helper", "--name", SAID);
    await world.hub.cli("token", "revoke", tokenId);
    const agent = await world.hub.createAgent(SAID, EVE);
    world.fixture.set(tool("read", () => text("It says hello."), { type: "object" }, { description: SAID }));
    await world.hub.cli("tool-server", "test", "files", "--owner", EVE);
    await until(() => receiver.types.includes("mcp.tool.definition_changed"));

    const told = [
      "restriction.applied",
      "restriction.confirmed",
      "restriction.lifted",
      "killswitch.on",
      "killswitch.off",
      "token.created",
      "token.revoked",
      "agent.created",
      "mcp.tool.definition_changed",
    ];
    await until(() => receiver.types.length >= told.length);
    // Several are on their way at once: which comes first is nobody's word.
    expect(receiver.types.sort()).toEqual(told.sort());
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    const of = (type: string) => bodies.find((body) => body.type === type);
    const { hub, ids } = world;
    const path = `/api/agents/${ids.agent}/restrictions/${restriction.id}`;
    const data = { id: restriction.id, agent_id: ids.agent, url: hub.url + path };
    expect(of("restriction.applied")).toEqual({ type: "restriction.applied", timestamp: expect.any(String), data });
    expect(of("restriction.confirmed").data).toEqual(data);
    expect(of("killswitch.on").data).toMatchObject({ agent_id: null, url: `${hub.url}/api/killswitch` });
    expect(of("agent.created").data).toEqual({
      id: agent.id,
      agent_id: agent.id,
      url: `${hub.url}/api/agents/${agent.id}`,
    });
    expect((await hub.fetch(path, { token: admin })).status).toBe(200);

    expect(JSON.stringify(bodies)).not.toContain(SAID);
    for (const got of receiver.received) {
      expect(JSON.stringify([...got.headers])).not.toContain(SAID);
      expect(isSignedWith(secret, got)).toBe(true);
      expect(Object.keys(JSON.parse(got.body)).sort()).toEqual(["data", "timestamp", "type"]);
      expect(Object.keys(JSON.parse(got.body).data).sort()).toEqual(["agent_id", "id", "url"]);
    }
    expect(new Set(receiver.received.map((got) => got.id)).size).toBe(receiver.received.length);
    await remove(id);
  });

  test("reports, from their begin to their end; without what was reported", async () => {
    verifies("webhook.events", "webhook.thin");
    await using receiver = new WebhookReceiver();
    const { id } = await add(receiver.url, ["report.*"]);
    const json = { message_content: `It leaked ${SAID}.`, flag_types: ["pii.email"], user_reason: SAID };
    const sent = await world.hub.fetch("/v1/guard/miss-reports", { token: world.tokens.agent, json });
    const { miss_report_id } = Object(await sent.json());
    const path = `/api/reports/${miss_report_id}`;
    await until(() => receiver.types.includes("report.created"));
    await world.hub.fetch(`/v1/guard/miss-reports/${miss_report_id}`, { method: "DELETE", token: world.tokens.eve });
    await until(() => receiver.types.includes("report.resolved"));
    // Without a reviewer a report may have come to people before it was taken back.
    const told = receiver.types.filter((type) => type !== "report.reviewed");
    expect(told).toEqual(["report.created", "report.resolved"]);
    for (const { body } of receiver.received) {
      const data = { id: miss_report_id, agent_id: world.ids.agent, url: world.hub.url + path };
      expect(JSON.parse(body).data).toEqual(data);
    }
    await remove(id);
  });

  test("only what they subscribe to, and nothing once they are off or removed", async () => {
    await using receiver = new WebhookReceiver();
    await using watcher = new WebhookReceiver();
    const { id } = await add(receiver.url, ["agent.*"]);
    const { id: other } = await add(watcher.url, ["*"]);
    await world.hub.createToken(EVE);
    await world.hub.createAgent("first", EVE);
    await until(() => receiver.types.length === 1);
    expect((await world.api(admin, "PATCH", `/webhooks/${id}`, { active: false })).json.active).toBe(false);
    await world.hub.createAgent("second", EVE);
    await until(() => watcher.types.length === 3);
    expect((await world.api(admin, "PATCH", `/webhooks/${id}`, { active: true, events: ["token.*"] })).status).toBe(
      200,
    );
    await world.hub.createToken(EVE);
    await until(() => receiver.types.length === 2);
    await remove(id);
    await world.hub.createToken(EVE);
    await until(() => watcher.types.length === 5);
    expect(receiver.types).toEqual(["agent.created", "token.created"]);
    await remove(other);
  });
});

describe("administrators", () => {
  test("see the secret once; it is kept sealed, and both sign while it is replaced", async () => {
    verifies("webhook.admin", "webhook.signed");
    await using receiver = new WebhookReceiver();
    const { id, secret } = await add(receiver.url, ["webhook.test"]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { json: shown } = await world.api(admin, "GET", `/webhooks/${id}`);
    expect(shown).toMatchObject({
      id,
      url: receiver.url,
      events: ["webhook.test"],
      active: true,
      disabled_reason: null,
    });
    expect(JSON.stringify([shown, (await world.api(admin, "GET", "/webhooks")).json])).not.toContain("secret");

    const { json: rotated } = await world.api(admin, "POST", `/webhooks/${id}/rotate`);
    expect((await world.api(admin, "POST", `/webhooks/${id}/test`)).json).toMatchObject({ state: "delivered" });
    const ended = await world.api(admin, "POST", `/webhooks/${id}/rotate`, { grace: 0 });
    await world.api(admin, "POST", `/webhooks/${id}/test`);
    const secrets = [secret, rotated.secret, ended.json.secret];
    expect(new Set(secrets).size).toBe(3);
    expect(receiver.received.map((got) => secrets.map((one) => isSignedWith(one, got)))).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
    for (const file of await readdir(world.hub.dataDir)) {
      if (!file.startsWith("guardhouse.db")) continue;
      const bytes = await bytesOf(join(world.hub.dataDir, file));
      for (const one of secrets) expect(bytes.includes(one.slice("whsec_".length))).toBe(false);
    }
    await remove(id);
  });

  test("are the only ones: neither others who sign in nor gateway tokens", async () => {
    verifies("webhook.admin");
    const bob = await world.session(BOB);
    for (const key of [bob, world.tokens.eve, world.tokens.agent]) {
      expect(codeOf(await world.api(key, "GET", "/webhooks"))[1]).toBe("insufficient_scope");
      const wanted = { url: "https://example.com/", events: ["*"] };
      expect(codeOf(await world.api(key, "POST", "/webhooks", wanted))[1]).toBe("insufficient_scope");
    }
    expect((await world.hub.fetch("/api/webhooks")).status).toBe(401);
  });

  test("are told what is wrong with what they want", async () => {
    verifies("webhook.ssrf");
    const wanted = (more: object) =>
      world.api(admin, "POST", "/webhooks", { url: "https://example.com/", events: ["*"], ...more });
    const bad = [
      "http://10.0.0.1/",
      "https://10.0.0.1/",
      "https://169.254.169.254/",
      "https://[::1]/",
      "https://[::ffff:a00:1]/",
      "https://167772161/",
      "https://user:word@example.com/",
      "https://example.com/#part",
      "ftp://example.com/",
      "nonsense",
    ];
    for (const url of bad)
      expect({ url, code: codeOf(await wanted({ url })) }).toEqual({ url, code: [400, "invalid_value", "url"] });
    expect(codeOf(await wanted({ events: ["agent.*", "reports.*"] }))).toEqual([400, "invalid_value", "events[1]"]);
    expect(codeOf(await wanted({ events: [] }))).toEqual([400, "invalid_value", "events"]);
    expect(codeOf(await wanted({ secret: "whsec_x" }))).toEqual([400, "invalid_value", "secret"]);
    const none = "/webhooks/01900000-0000-7000-8000-000000000000";
    for (const [method, path] of [
      ["GET", none],
      ["DELETE", none],
      ["POST", `${none}/test`],
      ["GET", `${none}/deliveries`],
    ] as const) {
      expect(codeOf(await world.api(admin, method, path))[1]).toBe("not_found");
    }
  });

  test("look at what was sent and send it again, under the same id", async () => {
    verifies("webhook.log");
    await using receiver = new WebhookReceiver();
    const { id } = await add(receiver.url, ["agent.created"]);
    receiver.answers.unshift(500);
    await world.hub.createAgent("logged", EVE);
    const log = async () => (await world.api(admin, "GET", `/webhooks/${id}/deliveries`)).json.data;
    await until(async () => (await log())[0]?.attempts.length === 1);
    expect(await log()).toMatchObject([
      {
        type: "agent.created",
        state: "pending",
        attempts: [{ status: 500, error: null }],
        next_at: expect.any(String),
      },
    ]);
    const [delivery] = await log();
    const again = await world.api(admin, "POST", `/webhooks/deliveries/${delivery.id}/replay`);
    expect(again).toMatchObject({ status: 202, json: { event_id: delivery.event_id, state: "pending" } });
    await until(async () => (await log())[0]?.state === "delivered");
    const [first, second] = receiver.received;
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
    await until(async () => (await log())[1]?.state === "delivered");
    await remove(id);
  });

  test("can do the same on the command line", async () => {
    await using receiver = new WebhookReceiver();
    const { hub } = world;
    const added = Object(
      (await hub.cli("webhook", "add", receiver.url, "--events", "agent.*,token.*", "--description", "chat")).json(),
    );
    expect(added).toMatchObject({ url: receiver.url, events: ["agent.*", "token.*"], description: "chat" });
    expect((await hub.cli("webhook", "test", added.id)).code).toBe(0);
    expect(receiver.types).toEqual(["webhook.test"]);
    const rotated = Object((await hub.cli("webhook", "rotate", added.id, "--grace", "0")).json());
    await hub.createAgent("by-hand", EVE);
    await until(() => receiver.types.includes("agent.created"));
    expect(receiver.received.map((got) => isSignedWith(added.secret, got))).toEqual([true, false]);
    expect(receiver.received.map((got) => isSignedWith(rotated.secret, got))).toEqual([false, true]);
    receiver.answers[0] = 500;
    const failed = await hub.cli("webhook", "test", added.id);
    expect([failed.code, failed.json()]).toMatchObject([1, { state: "failed", attempts: [{ status: 500 }] }]);
    expect((await hub.cli("webhook", "list")).stdout).not.toContain("secret");
    expect((await hub.cli("webhook", "remove", added.id)).code).toBe(0);
    expect((await hub.cli("webhook", "list")).json()).toEqual([]);
    expect((await hub.cli("webhook", "add", "https://10.0.0.1/", "--events", "*")).code).not.toBe(0);
  });

  test("leave records of what they did, without the secret paths of URLs", async () => {
    const { id } = await add(`http://127.0.0.1:9/${SAID}`, ["agent.created"]);
    await remove(id);
    const [added] = await world.records("webhook.add");
    expect(added.change).toEqual({
      subject: "webhook",
      subject_id: id,
      detail: { host: "127.0.0.1:9", events: ["agent.created"] },
    });
    expect(JSON.stringify(added)).not.toContain(SAID);
    expect((await world.records("webhook.remove"))[0].change.subject_id).toBe(id);
    expect(JSON.stringify(world.hub.logs)).not.toContain(SAID);
  });
});

test("a change is told although the hub is killed right after it was made, and what was sent is known by its id", async () => {
  verifies("webhook.at-least-once");
  await using receiver = new WebhookReceiver();
  await using own = await RestrictedWorld.open({ processes: "hub", env: LOOPBACK });
  const key = await own.session(ADMIN);
  await own.api(key, "POST", "/webhooks", { url: receiver.url, events: ["agent.created"] });
  const made: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { json } = await own.api(key, "POST", "/agents", { name: `agent-${round}`, owner: EVE });
    made.push(json.id);
    // From at once to after the first messages.
    await Bun.sleep(round * 120);
    await own.hub.kill("SIGKILL");
    if (round === 3) made.push((await own.hub.createAgent("while-it-was-down", EVE)).id);
    await own.hub.start();
  }
  const told = () => receiver.received.map(({ body }) => JSON.parse(body).data.id);
  // What a process had begun is begun anew once its lease has run out.
  const deadline = performance.now() + 60_000;
  while (!made.every((id) => told().includes(id)) && performance.now() < deadline) await Bun.sleep(100);
  expect(new Set(told())).toEqual(new Set(made));
  // Whatever came twice came under one id.
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(made.length);
}, 120_000);

test("without an exception nothing inside is sent to, whatever its name is", async () => {
  verifies("webhook.ssrf");
  await using receiver = new WebhookReceiver();
  await using own = await RestrictedWorld.open();
  const key = await own.session(ADMIN);
  const wanted = (url: string) => own.api(key, "POST", "/webhooks", { url, events: ["*"] });
  expect(codeOf(await wanted(receiver.url))).toEqual([400, "invalid_value", "url"]);
  expect(codeOf(await wanted(receiver.url.replace("http:", "https:")))).toEqual([400, "invalid_value", "url"]);
  const { json } = await wanted(`https://localhost:${receiver.port}/`);
  const { json: tried } = await own.api(key, "POST", `/webhooks/${json.id}/test`);
  expect(tried).toMatchObject({ state: "failed", attempts: [{ status: null, error: "forbidden_address" }] });
  expect(receiver.received).toEqual([]);
});
