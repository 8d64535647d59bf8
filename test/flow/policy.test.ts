import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { PolicySource } from "#scan/policy";
import { openSqliteStore } from "#store/sqlite/index";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { ReviewWorld, type Who } from "./review-world";

setDefaultTimeout(120_000);

const FLOOR = JSON.stringify([{ type: "secret", origins: ["user"], thresholds: { redact: 0.9 } }]);
const ENV = {
  GUARDHOUSE_GUARD__ACTIONS: "pii.phone=redact",
  GUARDHOUSE_GUARD__FLOOR: FLOOR,
  GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8",
};
const MAIL = "Write to jo.miller@gmail.com about it.";
const CARD = "My card is 4539 1488 0343 6467, valid until 08/29.";
const EMAIL_AT = { type: "pii.email", origins: ["user"], thresholds: { flag: 0.3, block: 0.5 } };

let world: ReviewWorld;
let token: string;
beforeAll(async () => {
  world = await ReviewWorld.open({ env: ENV });
  ({ token } = await world.hub.createToken(world.email("owner")));
});
afterAll(() => world[Symbol.asyncDispose]());

const revision = async (): Promise<number> => (await world.as("root", "GET", "/policy")).json.revision;

const put = async (changes: readonly object[], more: object = {}, who: Who = "root") =>
  world.as(who, "PUT", "/policy", { base_revision: await revision(), changes, reason: "As agreed.", ...more });

const actionOn = async (text: string): Promise<string[]> => {
  const json = { text };
  const response = await world.hub.fetch("/v1/guard/scan", { token, json });
  const { flags }: { flags: { type: string; action: string }[] } = JSON.parse(await response.text());
  return flags.map(({ type, action }) => `${type}:${action}`);
};

const cell = async (type: string, origin: string) => {
  const { json } = await world.as("auditor", "GET", "/policy");
  const row = json.rows.find((one: { type: string }) => one.type === type);
  return row.cells.find((one: { origin: string }) => one.origin === origin);
};

test("an administrator makes the baseline stricter, and the next call is held to it", async () => {
  verifies("policy.edit");
  expect(await actionOn(MAIL)).toEqual(["pii.email:flag"]);
  expect(await cell("pii.email", "user")).toMatchObject({ action: "flag", from: "default", rule: "pii", key: null });
  const before = await revision();
  const { status, json } = await put([EMAIL_AT]);
  expect([status, json.revision]).toEqual([200, before + 1]);
  expect(json.changed).toMatchObject({ kind: "edit", by: world.email("root"), reason: "As agreed." });
  expect(await actionOn(MAIL)).toEqual(["pii.email:block"]);
  const set = { action: "block", threshold: 0.5, from: "edit", rule: "pii.email" };
  expect(await cell("pii.email", "user")).toMatchObject(set);
  expect(await cell("pii.email", "output")).toMatchObject({ action: "flag", from: "default" });
  const record = (await world.records()).findLast(({ kind }) => kind === "policy.edit");
  expect(record?.detail).toMatchObject({ revision: before + 1, effect: "stricter", reason: "As agreed." });
  const offline = await world.hub.cliWith({ stdin: MAIL }, "scan");
  expect(offline.json()).toMatchObject({ safe: false, policy_revision: before + 1 });
});

test("baseline changes: wrong role, stale base and below the floor are refused", async () => {
  verifies("policy.guarded");
  const base = await revision();
  expect((await put([EMAIL_AT], { base_revision: base - 1 })).json.error.code).toBe("stale_base");
  expect((await put([EMAIL_AT], { base_revision: base + 1 })).json.error.code).toBe("stale_base");
  for (const who of ["owner", "ann", "auditor"] as const) {
    const refused = await world.as(who, "PUT", "/policy", {
      base_revision: base,
      changes: [EMAIL_AT],
      reason: "Mine.",
    });
    expect([who, refused.status]).toEqual([who, 403]);
  }
  expect((await world.as("owner", "GET", "/policy")).status).toBe(403);
  expect((await world.as("auditor", "POST", "/policy/dry-run", { changes: [EMAIL_AT] })).status).toBe(403);
  const watched = { type: "secret", origins: ["user"], thresholds: { flag: 0.3, block: 0.7 }, mode: "monitor" };
  for (const change of [{ type: "secret", origins: ["user"], thresholds: { flag: 0.3 } }, watched]) {
    expect((await put([change])).json.error.code).toBe("below_floor");
  }
  expect((await put([EMAIL_AT], { reason: "  " })).status).toBe(400);
  expect((await put([{ type: "pii.nonsense", thresholds: { flag: 0.3 } }])).json.error.code).toBe("invalid_value");
  expect((await put([EMAIL_AT])).json.error.message).toContain("has no effect");
  expect(await revision()).toBe(base);
});

test("baseline settings of the configuration are locked and take precedence", async () => {
  verifies("policy.locked");
  const locked = { action: "redact", from: "configuration", key: "guard.actions", rule: "pii.phone" };
  expect(await cell("pii.phone", "user")).toMatchObject(locked);
  const { status, json } = await put([{ type: "pii.phone", thresholds: { flag: 0.3 } }]);
  expect([status, json.error.code]).toEqual([400, "invalid_value"]);
  expect(json.error.message).toContain("guard.actions");
  const { json: policy } = await world.as("root", "GET", "/policy");
  expect(policy.settings).toContainEqual({ key: "guard.mode", value: "enforce", origin: "default" });
});

test("a dry run tells what would change, and changes nothing", async () => {
  verifies("policy.dry-run");
  expect(await actionOn(CARD)).toEqual(["pii.credit_card:redact"]);
  const base = await revision();
  const changes = [{ type: "pii.credit_card", origins: ["user"], thresholds: { flag: 0.3, block: 0.5 } }];
  const seen = async () => {
    const { json } = await world.as("root", "POST", "/policy/dry-run", { changes });
    return json.replay.would_change > 0 ? json : null;
  };
  const tried = await world.eventually(seen);
  expect(tried).toMatchObject({ effect: "stricter", approvers: [], would_release_confirmed: 0, lint: [] });
  expect(tried.samples.changed).toEqual([
    { name: "card number", origin: "user", is: "caught", before: "redact", after: "block" },
  ]);
  expect(tried.replay.moves).toEqual([{ before: "redact", after: "block", calls: 1 }]);
  expect(tried.replay.by_type).toEqual([{ type: "pii.credit_card", origin: "user", calls: 1 }]);
  expect(tried.replay.examples[0]).toMatchObject({ before: "redact", after: "block", type: "pii.credit_card" });
  const useless = [{ type: "pii.iban", origins: ["user"], thresholds: { redact: 0.6, block: 0.5 } }, EMAIL_AT];
  const { json } = await world.as("root", "POST", "/policy/dry-run", { changes: useless });
  const codes = json.lint.map(({ code, type }: { code: string; type: string }) => `${code} ${type}`);
  expect(codes).toEqual(["unreachable pii.iban", "no_effect pii.email"]);
  expect(await revision()).toBe(base);
});

test("loosening baseline changes need approval by another person", async () => {
  verifies("policy.two-people");
  const looser = [{ type: "pii.email", origins: ["user"], reset: true }];
  const first = await put(looser);
  expect([first.status, first.json.state]).toEqual([202, "waiting"]);
  expect(first.json).toMatchObject({ may_decide: false, may_withdraw: true, proposed_by: world.email("root") });
  expect(await actionOn(MAIL)).toEqual(["pii.email:block"]);
  const at = `/policy/proposals/${first.json.id}`;
  for (const who of ["root", "owner", "auditor"] as const) {
    expect([who, (await world.as(who, "POST", `${at}/approve`)).status]).toEqual([who, 403]);
  }
  const { json: seen } = await world.as("ann", "GET", "/policy");
  expect(seen.waiting).toMatchObject([{ id: first.json.id, may_decide: true, differences: [{ type: "pii.email" }] }]);
  expect((await world.as("ann", "POST", `${at}/reject`, { comment: "Not yet." })).json.state).toBe("rejected");
  expect((await world.as("ann", "POST", `${at}/approve`)).json.error.code).toBe("state_conflict");

  const second = await put(looser);
  const stale = await put(looser);
  const { status, json } = await world.as("ann", "POST", `/policy/proposals/${second.json.id}/approve`);
  expect([status, json.changed.by]).toEqual([200, world.email("ann")]);
  expect(await actionOn(MAIL)).toEqual(["pii.email:flag"]);
  const late = await world.as("bob", "POST", `/policy/proposals/${stale.json.id}/approve`);
  expect(late.json.error.code).toBe("stale_base");
  expect((await world.as("root", "GET", "/policy")).json.waiting).toEqual([]);
});

test("a looser baseline is in the approvers' inbox and sent to webhooks", async () => {
  verifies("inbox.decidable", "webhook.events");
  await using receiver = new WebhookReceiver();
  const subscription = { url: receiver.url, events: ["policy.*"] };
  expect((await world.as("root", "POST", "/webhooks", subscription)).status).toBe(201);
  const inboxOf = async (who: Who) => (await world.as(who, "GET", "/inbox?kind=policy")).json;
  await put([EMAIL_AT]);
  const looser = [{ type: "pii.email", origins: ["user"], reset: true }];
  const { id } = (await put(looser)).json;
  const mine = { id, kind: "policy", requested_by: world.email("root"), agent: null, alone: false };
  expect((await inboxOf("ann")).data).toMatchObject([{ ...mine, url: "/settings/policy" }]);
  expect((await world.as("ann", "GET", "/overview")).json.your_turn).toMatchObject({ policy: 1 });
  for (const who of ["root", "owner", "auditor"] as const) {
    expect([who, (await inboxOf(who)).counts.policy]).toEqual([who, 0]);
  }
  const second = (await put(looser)).json.id;
  await world.as("ann", "POST", `/policy/proposals/${second}/reject`, { comment: "Once is enough." });
  await world.as("ann", "POST", `/policy/proposals/${id}/approve`);
  expect((await inboxOf("ann")).counts.policy).toBe(0);

  await world.eventually(async () => (receiver.types.length >= 5 ? true : null));
  const told = receiver.received.map(({ body }) => JSON.parse(body));
  const inForce = await revision();
  // Several are under way at a time: in which order they arrive is not promised.
  expect(told.map(({ type, data }) => `${type} ${data.id}`).toSorted()).toEqual(
    [
      `policy.changed ${inForce - 1}`,
      `policy.approval_requested ${id}`,
      `policy.approval_requested ${second}`,
      `policy.rejected ${second}`,
      `policy.changed ${inForce}`,
    ].toSorted(),
  );
  for (const { data } of told) expect(data).toMatchObject({ agent_id: null, url: `${world.hub.url}/api/policy` });
});

test("revisions are listed, compared and brought back", async () => {
  verifies("policy.restore");
  const strict = { type: "pii.iban", origins: ["user"], thresholds: { flag: 0.3, block: 0.5 } };
  const { json: changed } = await put([strict]);
  const { json: page } = await world.as("auditor", "GET", "/policy/revisions?limit=2");
  expect(page.data[0]).toMatchObject({ revision: changed.revision, kind: "edit", by: world.email("root") });
  const { json: older } = await world.as("auditor", "GET", `/policy/revisions?cursor=${page.next_cursor}`);
  expect(older.data.at(-1)).toMatchObject({ revision: 1, kind: "configuration", by: null });
  const { json: diff } = await world.as("auditor", "GET", `/policy/diff?from=1&to=${changed.revision}`);
  const before = { thresholds: { flag: 0.3, redact: 0.5 }, mode: "enforce" };
  const after = { thresholds: { flag: 0.3, block: 0.5 }, mode: "enforce" };
  expect(diff.differences).toEqual([{ type: "pii.iban", origin: "user", before, after }]);
  expect((await world.as("auditor", "GET", "/policy/diff?from=1&to=99")).status).toBe(404);

  const { json: asked } = await world.as("root", "POST", "/policy/restore", { revision: 1, reason: "Too strict." });
  expect(asked).toMatchObject({ state: "waiting", restored: 1 });
  const { json: back } = await world.as("bob", "POST", `/policy/proposals/${asked.id}/approve`);
  expect(back.changed).toMatchObject({ kind: "restore", restored: 1, by: world.email("bob"), reason: "Too strict." });
  const { json: same } = await world.as("root", "GET", `/policy/diff?from=1&to=${back.revision}`);
  expect(same.differences).toEqual([]);
});

test("baseline changes of another process apply soon, and after a restart", async () => {
  verifies("policy.everywhere");
  const { json } = await put([EMAIL_AT]);
  const beside = await openSqliteStore({ dataDir: world.hub.dataDir, durability: "normal", writer: "inline" });
  const latest = await beside.policies.latest();
  if (!latest) throw new Error("no policy is stored");
  expect(latest.revision).toBe(json.revision);
  const { rules, ...rest }: PolicySource = JSON.parse(latest.source);
  const source = JSON.stringify({ ...rest, rules: rules.filter(({ type }) => type !== "pii.email") });
  const edit = { edits: [], user_id: null, reason: "From beside.", restored: null };
  await beside.policies.append(latest.revision, source, Date.now(), someRecord(), { edit, ends: null });
  await beside.close();
  await world.eventually(async () => ((await actionOn(MAIL))[0] === "pii.email:flag" ? true : null), 5_000);
  expect((await world.as("root", "GET", "/policy")).json.changed.reason).toBe("From beside.");
  const { json: mine } = await put([EMAIL_AT]);
  await world.hub.restart();
  expect(await revision()).toBe(mine.revision);
  expect(await actionOn(MAIL)).toEqual(["pii.email:block"]);
});
