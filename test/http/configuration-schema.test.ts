import { expect, test } from "bun:test";
import { configurationSchema } from "#features/configuration/schema";
import { verifies } from "#test/support/verifies";
import { AppWorld } from "./app-world";

test("the schema of configuration files is served to everybody", async () => {
  verifies("apply.schema");
  await using world = await AppWorld.open();
  const answer = await world.fetch("/configuration.schema.json");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await answer.text()).toBe(configurationSchema());
});
