import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hangs, says } from "#test/support/fake-provider";
import { promptly } from "#test/support/promptly";
import { verifies } from "#test/support/verifies";
import { ADMIN, BOB, EVE, MODEL, RestrictedWorld, until } from "./restricted-world";

let world: RestrictedWorld;
let admin: string;
beforeAll(async () => {
  world = await RestrictedWorld.open();
  admin = await world.session(ADMIN);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const stop = async (level: string, target?: string) => {
  const body = { level, reason: "a test", ...(target && { target }) };
  const { status, json } = await world.api(admin, "POST", "/killswitch", body);
  expect([status, json.level, json.on]).toEqual([201, level, true]);
  return json;
};
const lift = async ({ id }: { id: string }) => {
  const { status, json } = await world.api(admin, "POST", `/killswitch/${id}/lift`, { reason: "enough" });
  expect([status, json.on, json.lift.reason]).toEqual([200, false, "enough"]);
};

const KILLED: [number, string] = [403, "killed"];
const SERVED: [number, null] = [200, null];

describe("kill switch levels", () => {
  const levels: [level: string, target: () => string | undefined, agent: boolean, eve: boolean, tools: boolean][] = [
    ["agent", () => world.ids.agent, true, false, true],
    ["agent", () => "helper", true, false, true],
    ["owner", () => EVE, true, true, true],
    ["tool_server", () => "files", false, false, true],
    ["model", () => "fake-*", true, true, false],
    ["all", () => undefined, true, true, true],
  ];
  test.each(levels)("%s", async (level, target, agent, eve, tools) => {
    verifies("kill.levels");
    const made = await stop(level, target());
    expect(made.contained).toBe(true);
    expect(await world.chat()).toEqual(agent ? KILLED : SERVED);
    expect(await world.chat({ stream: true })).toEqual(agent ? KILLED : SERVED);
    expect(await world.chat({}, world.tokens.eve)).toEqual(eve ? KILLED : SERVED);
    // A probe names no model.
    expect(await world.scan()).toEqual(agent && level !== "model" ? KILLED : SERVED);
    const called = await world.call();
    expect([called.status, called.json.error?.code ?? null]).toEqual(tools ? KILLED : SERVED);
    await lift(made);
    expect([await world.chat(), (await world.call()).status]).toEqual([SERVED, 200]);
  });

  test("of models only those that are meant", async () => {
    verifies("kill.levels");
    const made = await stop("model", "fake-other");
    expect([await world.chat(), await world.chat({ model: "fake-other" })]).toEqual([SERVED, KILLED]);
    await lift(made);
  });
});

test("it says why to those it stops: in the error, and to members on every screen, as one bounded line", async () => {
  verifies("kill.says-why");
  const reason = "It sends mail\n\u001b[31mby itself.\u202e Ask Ada. " + "x".repeat(1_000);
  const body = { level: "owner", target: EVE, reason };
  const { json: made } = await world.api(admin, "POST", "/killswitch", body);
  const answer = await world.ask({});
  const { error } = Object(await answer.json());
  expect([answer.status, error.code]).toEqual([403, "killed"]);
  expect(error.message).toContain("Do not retry. Reason: It sends mail [31mby itself. Ask Ada. xxx");
  expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(error.message.length).toBeLessThan(500);
  const eve = await world.session(EVE);
  const { json: seen } = await world.api(eve, "GET", "/overview/kill-switch");
  expect(seen).toMatchObject({ on: true, switches: [{ level: "owner", reason }] });
  const { json: others } = await world.api(await world.session(BOB), "GET", "/overview/kill-switch");
  expect(others).toEqual({ on: false, switches: [] });
  await lift(made);
});

test("an open stream ends within a second, with the error as its last event; a waiting call is answered", async () => {
  verifies("kill.open-streams");
  await promptly(1_000, async () => {
    const before = world.provider.calls.length;
    world.provider.next(says(["Once ", "upon "], { stop: { after: 2, how: "hang" } }));
    const stream = await world.ask({ stream: true });
    expect(stream.status).toBe(200);
    world.provider.next(hangs());
    const waiting = world.chat({}, world.tokens.eve);
    await world.provider.call(before + 1);
    const begin = performance.now();
    const made = await stop("owner", EVE);
    const events = (await stream.text()).trim().split("\n\n");
    expect(JSON.parse(events.at(-1)?.slice("data: ".length) ?? "").error.code).toBe("killed");
    expect(await waiting).toEqual(KILLED);
    const took = performance.now() - begin;
    const [record] = await world.records("chat.completion");
    expect([record.outcome, record.call.code]).toEqual(["refused", "killed"]);
    await lift(made);
    // Answered when nothing that it stops was left.
    const points = made.receipts.map(({ point }: { point: string }) => point).sort();
    return points.join() === "calls,streams,tools" ? took : Number.POSITIVE_INFINITY;
  });
});

test("of 200 calls at once none that began after the switch was on is served", async () => {
  verifies("kill.at-once");
  let onAt = Number.POSITIVE_INFINITY;
  const late: (readonly [number, string | null])[] = [];
  let served = 0;
  const worker = async (number: number) => {
    // Eight each, and on until some have begun behind the switch.
    for (let turn = 0; turn < 8 || late.length < 50; turn += 1) {
      const began = performance.now();
      const outcome = number % 4 === 0 ? await callOnce() : await world.chat({ stream: number % 2 === 0 });
      if (outcome[0] === 200) served += 1;
      if (began > onAt) late.push(outcome);
    }
  };
  const callOnce = async (): Promise<[number, string | null]> => {
    const { status, json } = await world.call();
    return [status, json.error?.code ?? null];
  };
  const workers = Array.from({ length: 25 }, (_, number) => worker(number));
  await until(() => served >= 40);
  const made = await stop("all");
  onAt = performance.now();
  await Promise.all(workers);
  expect(late.filter(([status]) => status === 200)).toEqual([]);
  await lift(made);
});

test("it survives a restart, and is on once for each target", async () => {
  verifies("kill.kept");
  const made = await stop("agent", world.ids.agent);
  await world.hub.restart();
  expect(await world.chat()).toEqual(KILLED);
  const again = await world.api(admin, "POST", "/killswitch", { level: "agent", target: "helper", reason: "again" });
  expect([again.status, again.json.error.code]).toEqual([409, "already_exists"]);
  const { json } = await world.api(admin, "GET", "/killswitch?on=true");
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  await lift(made);
  const twice = await world.api(admin, "POST", `/killswitch/${made.id}/lift`, { reason: "again" });
  expect([twice.status, twice.json.error.code]).toEqual([409, "state_conflict"]);
});

test("only administrators switch; members see nothing of it", async () => {
  verifies("kill.who");
  const eve = await world.session(EVE);
  for (const [method, path] of [
    ["GET", "/killswitch"],
    ["POST", "/killswitch"],
    ["POST", "/killswitch/01a1fbfa-d53a-7410-9bb7-0d100e31ae5a/lift"],
  ] as const) {
    const body = method === "POST" ? { level: "all", reason: "no" } : undefined;
    const { status, json } = await world.api(eve, method, path, body);
    expect([path, status, json.error.code]).toEqual([path, 403, "insufficient_scope"]);
    expect((await world.api(world.tokens.agent, method, path, body)).status).toBe(403);
  }
  for (const [body, code] of [
    [{ level: "all", target: "x", reason: "r" }, "invalid_value"],
    [{ level: "agent", reason: "r" }, "invalid_value"],
    [{ level: "agent", target: "nobody", reason: "r" }, "not_found"],
    [{ level: "everything", reason: "r" }, "invalid_value"],
    [{ level: "all" }, "invalid_value"],
  ] as const) {
    const { json } = await world.api(admin, "POST", "/killswitch", body);
    expect([body, json.error.code]).toEqual([body, code]);
  }
  expect(await world.chat()).toEqual(SERVED);
});

describe("on the command line", () => {
  test("it holds when `killswitch on` returns, and no longer than `off` takes", async () => {
    verifies("kill.command-line");
    const on = await world.hub.cli("killswitch", "on", "--reason", "a test");
    expect([on.code, on.complaints]).toEqual([0, ""]);
    expect(await world.chat()).toEqual(KILLED);
    const status = (await world.hub.cli("killswitch", "status")).json();
    expect(status).toMatchObject([{ level: "all", target: null, reason: "a test", on: true, set_by: null }]);
    expect((await world.hub.cli("killswitch", "off")).code).toBe(0);
    expect(await world.chat()).toEqual(SERVED);
    expect((await world.hub.cli("killswitch", "off")).json()).toEqual([]);
    const [off] = await world.records("killswitch.off");
    expect(off.actor.via).toBe("cli");
  });

  test("of several, the one for everything; the others by name", async () => {
    verifies("kill.command-line");
    const set = async (...args: string[]) =>
      Object((await world.hub.cli("killswitch", "on", "--reason", "r", ...args)).json()).id;
    const owner = await set("--level", "owner", "--target", BOB);
    const model = await set("--level", "model", "--target", MODEL);
    expect((await world.hub.cli("killswitch", "off")).code).toBe(2);
    const all = await set();
    expect((await world.hub.cli("killswitch", "off")).json()).toMatchObject([{ id: all }]);
    expect(await world.chat()).toEqual(KILLED);
    expect((await world.hub.cli("killswitch", "off", "--id", model)).code).toBe(0);
    expect(await world.chat()).toEqual(SERVED);
    expect((await world.hub.cli("killswitch", "off", "--all")).json()).toMatchObject([{ id: owner }]);
    const wrong = [
      ["--level", "agent"],
      ["--target", "x"],
      ["--level", "planet", "--target", "x"],
    ];
    for (const args of wrong) {
      expect((await world.hub.cli("killswitch", "on", "--reason", "r", ...args)).code).toBe(2);
    }
    const nobody = await world.hub.cli("killswitch", "on", "--reason", "r", "--level", "agent", "--target", "nobody");
    expect(nobody.code).toBe(9);
  });

  test("without a hub too: the next one begins stopped", async () => {
    verifies("kill.command-line");
    await world.hub.kill("SIGTERM");
    expect((await world.hub.cli("killswitch", "on", "--reason", "r")).code).toBe(0);
    await world.hub.start();
    expect(await world.chat()).toEqual(KILLED);
    expect((await world.hub.cli("killswitch", "off")).code).toBe(0);
  });
});
