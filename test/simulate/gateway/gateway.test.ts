import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { CLIENTS } from "./clients.ts";
import { type Outcome, played } from "./main.ts";
import { GatewayWorld } from "./world.ts";

setDefaultTimeout(180_000);

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
});
