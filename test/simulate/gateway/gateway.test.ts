import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { verifies } from "#test/support/verifies";
import { CLIENTS } from "./clients.ts";
import { type Outcome, played } from "./main.ts";
import { GatewayWorld } from "./world.ts";

setDefaultTimeout(180_000);

const INSPECTOR = resolve(import.meta.dir, "../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js");

describe("real tool servers behind the gateway", () => {
  let world: GatewayWorld;
  let outcomes: readonly Outcome[];
  beforeAll(async () => {
    world = await GatewayWorld.open();
    outcomes = await played(world);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test.each(CLIENTS)("by $client in the dialect $dialect: every kind, for every caller", ({ client, dialect }) => {
    verifies("simulate.gateway");
    const own = outcomes.filter((one) => one.client === client && one.dialect === dialect);
    const failed = own.filter(({ result }) => result === "fail");
    expect(failed.map(({ row: { kind, scope, what }, why }) => [kind, scope, what, why])).toEqual([]);
    expect(own.filter(({ result }) => result === "pass").length).toBeGreaterThan(10);
  });

  test("by the Inspector's command line", async () => {
    verifies("simulate.gateway");
    const asked = async (...flags: string[]) => {
      const token = `Authorization: Bearer ${world.tokens.agent}`;
      const child = Bun.spawn(["node", INSPECTOR, world.url, "--transport", "http", "--header", token, ...flags]);
      return Object(JSON.parse(await new Response(child.stdout).text()));
    };
    const { tools } = await asked("--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("everything__echo");
    const call = ["--method", "tools/call", "--tool-name", "everything__echo", "--tool-arg", "message=hello"];
    expect(await asked(...call)).toMatchObject({ content: [{ text: "Echo: hello" }] });
  });
});
