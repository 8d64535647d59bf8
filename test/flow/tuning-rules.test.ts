import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { someRecord } from "#test/store/records";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { CARD, codeOf, TuningWorld } from "./tuning-world";

setDefaultTimeout(120_000);

let world: TuningWorld;
beforeAll(async () => {
  world = await TuningWorld.open();
});

test("an approved exception changes nothing in a conversation that had the value redacted before", async () => {
  verifies("scan.earlier-decisions");
  const agent = await world.agent();
  const said = async (conversation: string): Promise<string> => {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: `My card is ${CARD}.` }] };
    const headers = { "x-conversation-id": conversation };
    const answer = await world.people.hub.fetch("/v1/chat/completions", { token: agent.token, headers, json });
    return Object(await answer.json()).choices[0].message.content;
  };
  const before = await said("begun-before");
  expect(before).toMatch(/My card is \[pii\.credit_card:\w{6}\]\.$/);
  await world.applied(agent, { match: { types: ["pii.credit_card"], value: { hash: world.cardHash, of: "match" } } });
  expect(await said("begun-before")).toBe(before);
  expect(await said("begun-after")).toEndWith(`My card is ${CARD}.`);
});
afterAll(() => world[Symbol.asyncDispose]());

const DETECT = { match: { keywords: ["project heron"] }, change: { op: "detect", action: "block" } };
const HERON = { text: "All about Project Heron, please." };
const BLOCK = {
  match: { types: ["pii.credit_card"], origins: ["user"] },
  change: { op: "threshold", action: "block", to: 0.1 },
};

const actionsOf = async (token: string, body: object): Promise<string[]> =>
  (await world.guard(token, "POST", "/scan", body)).json.flags.map(({ action }: { action: string }) => action);

describe("rules set by hand", () => {
  test("tightening rules apply at once; rolling back is a suggestion", async () => {
    verifies("tuning.stricter-free", "tuning.in-force");
    const agent = await world.agent();
    const path = `/agents/${agent.id}/tuning`;
    expect(await actionsOf(agent.token, HERON)).toEqual([]);
    const made = await world.guard(agent.human, "POST", path, DETECT);
    expect([made.status, made.json.kind, made.json.effect, made.json.expires_at]).toEqual([
      201,
      "pattern_add",
      "tighten",
      null,
    ]);
    expect(await actionsOf(agent.token, HERON)).toEqual(["block"]);
    expect((await world.guard(agent.token, "GET", `${path}/${made.json.id}`)).json).toMatchObject({ status: "active" });
    const ended = await world.guard(agent.human, "DELETE", `${path}/${made.json.id}`);
    expect([ended.status, ended.json.effect, ended.json.change]).toEqual([202, "loosen", { op: "amend", mode: "off" }]);
    expect(await actionsOf(agent.token, HERON)).toEqual(["block"]);
    const at = `/tuning/${ended.json.id}`;
    expect(codeOf(await world.guard(agent.human, "POST", `${at}/apply`))).toEqual([409, "approval_required"]);
    expect((await world.guard(agent.human, "POST", `${at}/request-approval`)).status).toBe(202);
    expect((await world.people.as("bob", "POST", `${at}/approve`, {})).status).toBe(200);
    expect((await world.guard(agent.human, "POST", `${at}/apply`)).json.rule.status).toBe("reverted");
    expect(await actionsOf(agent.token, HERON)).toEqual([]);
  });

  test("loosening rules become suggestions from every source", async () => {
    verifies("tuning.stricter-free");
    const agent = await world.agent();
    const path = `/agents/${agent.id}/tuning`;
    const looser = await world.guard(agent.human, "POST", path, {
      match: { types: ["pii.credit_card"], origins: ["user"], value: { text: CARD, of: "match" } },
      change: { op: "allow" },
      rationale: "An example.",
    });
    expect([looser.status, looser.json.status, looser.json.rationale]).toEqual([202, "proposed", "An example."]);
    expect(JSON.stringify(looser.json)).not.toContain(CARD);
    expect(await world.actionOn(agent.token)).toBe("redact");

    const made = await world.guard(agent.human, "POST", path, BLOCK);
    expect([made.status, made.json.kind]).toEqual([201, "threshold"]);
    expect(await world.actionOn(agent.token)).toBe("block");
    const rule = `${path}/${made.json.id}`;
    const changes: [object, number][] = [
      [{ mode: "monitor" }, 202],
      [{ expires_in_days: 1 }, 202],
      [{ change: { ...BLOCK.change, to: 0.99 } }, 202],
      [{ match: { types: ["pii.credit_card"], origins: ["output"] } }, 202],
      [{ change: { ...BLOCK.change, to: 0.05 } }, 200],
      [{}, 200],
    ];
    for (const [change, status] of changes) {
      const answer = await world.guard(agent.human, "PATCH", rule, change);
      expect([change, answer.status]).toEqual([change, status]);
    }
    expect(await world.actionOn(agent.token)).toBe("block");
    const { json } = await world.guard(agent.human, "GET", path);
    expect(json.data).toMatchObject([{ id: made.json.id, mode: "enforce", change: { op: "threshold", to: 0.05 } }]);
  });

  test("a second rule that undoes a first is looser, whatever it says by itself", async () => {
    verifies("tuning.stricter-free");
    const agent = await world.agent();
    const path = `/agents/${agent.id}/tuning`;
    expect((await world.guard(agent.human, "POST", path, BLOCK)).status).toBe(201);
    const flagged = { ...BLOCK, change: { op: "threshold", action: "flag", to: 0.01 } };
    expect((await world.guard(agent.human, "POST", path, flagged)).status).toBe(202);
    expect(await world.actionOn(agent.token)).toBe("block");
  });

  test("empty and unlimited rules and unknown fields are refused", async () => {
    verifies("tuning.validity");
    const agent = await world.agent();
    const path = `/agents/${agent.id}/tuning`;
    const bad: [object, string][] = [
      [{ match: { types: ["pii"] }, change: { op: "allow" } }, "match"],
      [{ match: { types: ["pii"], pattern: "(" }, change: { op: "allow" } }, "match.pattern"],
      [{ match: { types: ["pii"] }, change: { op: "threshold", action: "block", to: 2 } }, "change"],
      [{ match: { types: ["pii"], origin: "user" }, change: { op: "allow" } }, "match.origin"],
      [{ change: { op: "allow" } }, "match"],
    ];
    for (const [body, param] of bad) {
      const { status, json } = await world.guard(agent.human, "POST", path, body);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_value", param]);
    }
  });
});

describe("a governed agent", () => {
  test("is tuned above its floor, and a new profile makes what was approved before it stale", async () => {
    verifies("tuning.below-floor", "tuning.stale-base");
    const id = await world.people.approved("owner");
    const human = (await world.people.hub.createToken(world.people.email("owner"))).token;
    const agent = { id, owner: "owner", token: await world.people.token("owner", id), human } as const;
    const below = await world.guard(human, "POST", `/agents/${id}/tuning`, {
      match: { types: ["secret"], origins: ["output"] },
      change: { op: "action", from: "redact", to: "flag" },
    });
    expect(codeOf(below)).toEqual([403, "below_floor"]);
    const suggestion = await world.approved(agent);
    const profile = Object((await world.people.hub.cli("profile", "show", id)).json());
    const file = await world.people.hub.writeFile(JSON.stringify({ ...profile, disclosure: "A new one." }));
    const set = await world.people.hub.cli("profile", "set", id, "--file", file, "--as", world.people.email("root"));
    expect([set.code, set.complaints]).toEqual([0, ""]);
    expect(codeOf(await world.guard(human, "POST", `/tuning/${suggestion}/apply`))).toEqual([409, "stale_base"]);
  });
});

describe("under /api", () => {
  test("rules are listed and taken back, by those who may", async () => {
    verifies("tuning.revert", "tuning.own-only");
    const agent = await world.agent();
    const rule = await world.applied(agent);
    const listed = (await world.people.as("owner", "GET", `/tuning/rules?agent_id=${agent.id}`)).json.data;
    expect(listed).toMatchObject([{ id: rule, status: "active", approved_by: ["ann@example.com"], unused: false }]);
    expect((await world.people.as("stranger", "GET", "/tuning/rules")).json.data).toEqual([]);
    expect(codeOf(await world.people.as("stranger", "POST", `/tuning/rules/${rule}/revert`))).toEqual([
      404,
      "not_found",
    ]);
    expect(codeOf(await world.people.as("auditor", "POST", `/tuning/rules/${rule}/revert`))).toEqual([
      403,
      "insufficient_scope",
    ]);
    expect((await world.people.as("bob", "POST", `/tuning/rules/${rule}/revert`)).json.status).toBe("reverted");
    expect(await world.actionOn(agent.token)).toBe("redact");
    expect(codeOf(await world.people.as("bob", "POST", `/tuning/rules/${rule}/revert`))).toEqual([
      409,
      "state_conflict",
    ]);
  });

  test("lists are filtered by state and agent", async () => {
    const agent = await world.agent();
    const [one, two] = [await world.suggested(agent), await world.asked(agent)];
    const idsOf = async (query: string): Promise<string[]> =>
      (await world.people.as("ann", "GET", `/tuning?agent_id=${agent.id}${query}`)).json.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf("")).toEqual([two, one]);
    expect(await idsOf("&status=pending_approval,approved")).toEqual([two]);
    expect(codeOf(await world.people.as("ann", "GET", "/tuning?status=done"))).toEqual([400, "invalid_value"]);
  });
});

describe("on the command line", () => {
  test("operators decide, apply and take back beside a running hub", async () => {
    verifies("tuning.command-line", "tuning.separation");
    const agent = await world.agent();
    const id = await world.asked(agent);
    const { hub } = world.people;
    const refused = await hub.cli("tuning", "approve", id, "--as", world.people.email("owner"));
    expect(refused.code).toBe(1);
    const approved = await hub.cli("tuning", "approve", id, "--as", world.people.email("ann"), "--reason", "Fine.");
    expect(Object(approved.json())).toMatchObject({ id, status: "approved" });
    const applied = Object((await hub.cli("tuning", "apply", id)).json());
    expect(applied.status).toBe("applied");
    expect(await world.actionOn(agent.token)).toBe("flag");
    const rules = (await hub.cli("tuning", "list", "--rules")).json();
    expect(JSON.stringify(rules)).toContain(applied.rule.id);
    expect(Object((await hub.cli("tuning", "revert", applied.rule.id)).json()).status).toBe("reverted");
    expect(await world.actionOn(agent.token)).toBe("redact");
    const other = await world.suggested(agent);
    const rejected = await hub.cli("tuning", "reject", other, "--as", world.people.email("owner"), "--reason", "No.");
    expect(Object(rejected.json())).toMatchObject({ status: "rejected", rejected: { reason: "No." } });
    const shown = (await hub.cli("tuning", "list", "--status", "rejected")).json();
    expect(JSON.stringify(shown)).toContain(other);
    expect((await hub.cli("tuning", "show", agent.id)).code).toBe(9);
  });
});

test("a sole administrator approves alone, with a reason, and that stays on record", async () => {
  verifies("tuning.separation", "tuning.on-record");
  await using hub = await Hub.create();
  await hub.createUser("root@example.com", "--role", "admin");
  const agent = await hub.createAgent("helper", "root@example.com");
  const { token } = await hub.createToken("root@example.com");
  const { key } = Object((await hub.cli("session", "create", "root@example.com")).json());
  await hub.start();
  const send = async (bearer: string, path: string, json: object) => {
    const response = await hub.fetch(path, { token: bearer, json });
    return { status: response.status, json: await response.json() };
  };
  const wanted = { match: { types: ["pii.credit_card"], value: { text: CARD, of: "match" } }, change: { op: "allow" } };
  const { json: suggestion } = await send(token, `/v1/guard/agents/${agent.id}/tuning`, wanted);
  expect((await send(token, `/v1/guard/tuning/${suggestion.id}/request-approval`, {})).status).toBe(202);
  const silent = await send(key, `/api/tuning/${suggestion.id}/approve`, {});
  expect([...codeOf(silent), silent.json.error.param]).toEqual([400, "invalid_value", "reason"]);
  const approved = await send(key, `/api/tuning/${suggestion.id}/approve`, { reason: "Nobody else is here." });
  expect(approved.json.approval.approvals).toMatchObject([{ alone: true, comment: "Nobody else is here." }]);
  const { json } = await send(token, `/v1/guard/tuning/${suggestion.id}/apply`, {});
  expect(json.rule.self_approved).toBe(true);
  const records = JSON.stringify((await hub.cli("audit", "tail", "-n", "50")).json());
  expect(records).toContain('"self_approved":true');
});

test("expired rules do not apply", async () => {
  verifies("tuning.lapse");
  const agent = await world.agent();
  const rule = await world.applied(agent);
  expect(await world.actionOn(agent.token)).toBe("flag");
  await world.store.tuning.change(rule, { expires_at: Date.now() - 1 }, null, () => someRecord());
  await world.people.eventually(async () => ((await world.actionOn(agent.token)) === "redact" ? true : null));
  const shown = await world.guard(agent.human, "GET", `/agents/${agent.id}/tuning/${rule}`);
  expect(shown.json.status).toBe("lapsed");
});

test("disabled users decide on nothing", async () => {
  verifies("tuning.separation");
  const agent = await world.agent();
  const id = await world.asked(agent);
  const disabled = { state: "disabled" } as const;
  expect(await world.store.users.update(world.people.id("ann"), disabled, someRecord())).toBe("done");
  const late = await world.people.hub.cli("tuning", "approve", id, "--as", world.people.email("ann"));
  expect(late.code).toBe(1);
  const [before, after] = [await world.store.suggestions.byId(id), await world.asked(agent)];
  const asked = await world.store.suggestions.byId(after);
  expect(before?.eligible).toContain(world.people.id("ann"));
  expect(asked?.eligible).not.toContain(world.people.id("ann"));
});
