import { expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL, USER } from "./chat-world";

const healthOf = async (world: ChatWorld, agent: string): Promise<unknown> => {
  const response = await world.hub.fetch(`/v1/guard/health/${agent}`, { token: world.token });
  expect(response.status).toBe(200);
  return response.json();
};

test("a crash takes no call from an agent's health, and an orderly stop neither", async () => {
  verifies("usage.crash", "health.restart");
  await using world = await ChatWorld.open({ processes: "hub" });
  const { hub } = world;
  const { id } = await hub.createAgent("helper", USER);
  const { token } = await hub.createToken(USER, id);
  const ask = async (calls: number) => {
    for (let n = 0; n < calls; n += 1) {
      const response = await world.ask({ model: MODEL, messages: [{ role: "user", content: `call ${n}` }] }, { token });
      expect(response.status).toBe(200);
      await response.text();
    }
  };
  await ask(40);
  // Before the counters were stored by themselves.
  await hub.kill("SIGKILL");
  await hub.start();
  await hub.log("usage.recovered");
  expect(await healthOf(world, id)).toMatchObject({ window: { calls: 40 }, health_score: null });
  await ask(20);
  await hub.restart();
  expect(await healthOf(world, id)).toMatchObject({ window: { calls: 60 }, health_score: 69, band: "degraded" });
  await hub.kill("SIGKILL");
  await hub.start();
  await hub.log("usage.recovered");
  expect(await healthOf(world, id)).toMatchObject({ window: { calls: 60 } });
});
