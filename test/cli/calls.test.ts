import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { followedAudit } from "#test/support/followed-audit";
import { Hub } from "#test/support/hub";
import { command, runProcess } from "#test/support/program";
import { verifies } from "#test/support/verifies";

const EVE = "eve@example.com";
const SECRET = `AKIA${["Q7DK3NFJ", "2LSPW5XT"].join("")}`;

let hub: Hub;
let token: string;
let other: string;
const ids: string[] = [];
beforeAll(async () => {
  hub = await Hub.create({ processes: "all" });
  await hub.createUser(EVE);
  await hub.start();
  await hub.cli("agent", "create", "helper", "--owner", EVE);
  token = (await hub.createToken(EVE)).token;
  other = Object(await hub.cli("token", "create", "--user", EVE, "--agent", "helper").then((it) => it.json())).token;
  for (const [who, words, conversation] of [
    [token, "Good morning.", "c-1"],
    [token, `The key is ${SECRET}`, "c-2"],
    [other, "Good evening.", "c-2"],
  ] as const)
    ids.push(await ask(who, words, conversation));
});
afterAll(() => hub[Symbol.asyncDispose]());

const ask = async (who: string, content: string, conversation = "c"): Promise<string> => {
  const response = await hub.fetch("/v1/chat/completions", {
    token: who,
    headers: { "x-conversation-id": conversation },
    json: { model: "guardhouse/echo", messages: [{ role: "user", content }] },
  });
  await response.body?.cancel();
  return response.headers.get("x-request-id") ?? "";
};

/** As a person sees it. */
const shown = (...args: string[]) =>
  runProcess([...command(), ...args, "--data-dir", hub.dataDir], {
    cwd: hub.dataDir,
    env: { PATH: process.env["PATH"] ?? "" },
  });

const listed = async (...flags: string[]): Promise<string[]> => {
  const records = (await hub.cli("call", "list", ...flags)).json();
  if (!Array.isArray(records)) throw new Error("no list");
  return records.map((record) => String(Object(record).call_id));
};

describe("call list", () => {
  test("finds calls by what they are, newest first, without administration", async () => {
    verifies("cli.calls");
    const [first = "", blocked = "", last = ""] = ids;
    expect(await listed()).toEqual([last, blocked, first]);
    expect(await listed("-n", "1")).toEqual([last]);
    expect(await listed("--decision", "block")).toEqual([blocked]);
    expect(await listed("--agent", "helper")).toEqual([last]);
    expect(await listed("--agent", "helper", "--owner", EVE)).toEqual([last]);
    expect(await listed("--conversation", "c-2")).toEqual([last, blocked]);
    expect(await listed("--user", EVE, "--model", "guardhouse/echo", "--since", "1h", "--kind", "model")).toHaveLength(
      3,
    );
    expect(await listed("--until", "1h")).toEqual([]);
    expect(await listed("--tool", "files__read")).toEqual([]);
    expect((await listed("--kind", "token.create")).length).toBe(2);
  });

  test("shows them as a table that names caller, model and decision", async () => {
    verifies("cli.calls");
    const { stdout } = await shown("call", "list");
    expect(stdout).toMatch(/^TIME \(UTC\) +ID +KIND +CALLER +MODEL OR TOOL +DECISION +FLAGS/);
    expect(stdout).toMatch(new RegExp(`${ids[1]} +chat\\.completion +${EVE} +guardhouse/echo +block +secret`));
    expect(stdout).toMatch(new RegExp(`${ids[2]} +chat\\.completion +helper `));
  });

  test("refuses what is not known", async () => {
    verifies("cli.calls");
    expect(await hub.cli("call", "list", "--agent", "nobody")).toMatchObject({ code: 9 });
    expect(await hub.cli("call", "list", "--user", "nobody@example.com")).toMatchObject({ code: 9 });
    expect(await hub.cli("call", "list", "--decision", "perhaps")).toMatchObject({ code: 2 });
    expect(await hub.cli("call", "list", "--since", "perhaps")).toMatchObject({ code: 2 });
    expect(await hub.cli("call", "list", "-n", "0")).toMatchObject({ code: 2 });
  });
});

test("call list takes the filters and orders of the API, and call values adds calls up", async () => {
  verifies("cli.calls", "calls.totals", "calls.ordered");
  const [first = "", blocked = "", last = ""] = ids;
  expect(await listed("--status", "4xx")).toEqual([blocked]);
  expect(await listed("--finding", "secret")).toEqual([blocked]);
  expect(await listed("--min-tokens", "1", "--max-cost-usd", "0")).toEqual([last, first]);
  expect(await listed("--sort", "time")).toEqual([first, blocked, last]);
  expect((await listed("--sort=-tokens")).at(-1)).toBe(blocked);
  expect((await listed("--category", "administration")).length).toBeGreaterThan(2);
  for (const wrong of [
    ["--status", "6xx"],
    ["--min-tokens", "few"],
    ["--sort", "colour"],
    ["--category", "none"],
  ])
    expect(await hub.cli("call", "list", ...wrong)).toMatchObject({ code: 2 });
  const values = async (...flags: string[]) => (await hub.cli("call", "values", ...flags)).json();
  expect(await values("--by", "user")).toMatchObject([{ label: EVE, calls: 3, cost_usd: 0 }]);
  expect(await values("--by", "agent", "--order", "cost")).toMatchObject([{ label: "helper", calls: 1 }]);
  expect(await values("--by", "decision", "--conversation", "c-2")).toMatchObject([
    { value: "allow", calls: 1 },
    { value: "block", calls: 1 },
  ]);
  expect(await hub.cli("call", "values", "--by", "colour")).toMatchObject({ code: 2 });
});

test("call show takes every id a list shows, and names the findings without the text", async () => {
  verifies("cli.calls");
  const record = Object((await hub.cli("call", "show", ids[1] ?? "")).json());
  expect(record).toMatchObject({ call_id: ids[1], outcome: "blocked_input", seq: expect.any(Number) });
  const event = String(record.call.event_id);
  for (const id of [event, String(record.id)]) expect((await hub.cli("call", "show", id)).json()).toEqual(record);
  const { stdout } = await shown("call", "show", event);
  expect(stdout).toMatch(/^decision +block$/m);
  expect(stdout).toMatch(/^block +secret\.aws_access_key /m);
  expect(stdout).not.toContain(SECRET);
  for (const id of [crypto.randomUUID(), "x"]) expect(await hub.cli("call", "show", id)).toMatchObject({ code: 9 });
});

const following = (...flags: string[]) => followedAudit(hub.dataDir, flags);

describe("audit tail", () => {
  test("takes a kind and an agent", async () => {
    verifies("cli.follow");
    const kinds = async (...flags: string[]) =>
      [(await hub.cli("audit", "tail", ...flags)).json()].flat().map((record) => Object(record).kind);
    expect(await kinds("--kind", "agent.create")).toEqual(["agent.create"]);
    expect(await kinds("--agent", "helper")).toEqual(["chat.completion"]);
  });

  test("follows what other processes record, each record once, until it is interrupted", async () => {
    verifies("cli.follow");
    const tail = following("-n", "1", "--json");
    await tail.until(() => tail.lines.length === 1);
    const called = [await ask(token, "One."), await ask(other, "Two.")];
    await tail.until(() => tail.lines.length >= 3);
    await Bun.sleep(1_200);
    tail.child.kill("SIGINT");
    expect(await tail.child.exited).toBe(0);
    await tail.ended;
    expect(await new Response(tail.child.stderr).text()).toBe("");
    const records = tail.lines.map((line) => Object(JSON.parse(line)));
    expect(records.slice(1).map(({ call_id }) => call_id)).toEqual(called);
  }, 120_000);

  test("follows only what was asked for, a line each", async () => {
    verifies("cli.follow");
    const tail = following("-n", "1", "--agent", "helper", "--kind", "model");
    await tail.until(() => tail.lines.length === 2);
    await ask(token, "Not this one.");
    await ask(other, "This one.");
    await tail.until(() => tail.lines.length >= 3);
    await Bun.sleep(1_200);
    tail.child.kill("SIGINT");
    await tail.ended;
    expect(tail.lines).toHaveLength(3);
    expect(tail.lines[0]).toStartWith("SEQ");
    for (const line of tail.lines.slice(1)) expect(line).toContain("  helper ");
  }, 120_000);

  test("ends quietly when its reader is gone", async () => {
    verifies("cli.follow");
    await using child = Bun.spawn(
      ["sh", "-c", '"$@" | head -n 1', "sh", ...command(), "audit", "tail", "-f", "--data-dir", hub.dataDir],
      { env: { PATH: process.env["PATH"] ?? "" }, stdout: "pipe", stderr: "pipe" },
    );
    // It finds out when there is something to write.
    while (child.exitCode === null) await ask(token, "Again.");
    expect(child.exitCode).toBe(0);
    expect(await new Response(child.stderr).text()).toBe("");
  }, 120_000);
});

describe("call trace", () => {
  test("shows the conversation of a call in turns, with totals", async () => {
    verifies("cli.calls", "trace.shown");
    const [, blocked = "", agents = ""] = ids;
    const traced = Object((await hub.cli("call", "trace", blocked)).json());
    // The same id of another caller is another conversation.
    expect(traced.calls.map(({ call_id }: { call_id: string }) => call_id)).toEqual([blocked]);
    expect(traced).toMatchObject({ conversation_id: "c-2", totals: { calls: 1, blocked: 1, is_complete: true } });
    const { stdout } = await shown("call", "trace", agents);
    expect(stdout).toContain(agents);
    expect(stdout).toContain("1 calls (1 model, 0 tool)");
    expect(await hub.cli("call", "trace", Bun.randomUUIDv7())).toMatchObject({ code: 9 });
  });
});
