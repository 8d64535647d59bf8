import { afterAll, beforeAll, expect, test } from "bun:test";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Browser } from "#test/flow/browser";
import { CALLBACK, OAuthWorld } from "#test/flow/oauth-world";
import { Keeper, SDK_GENERATIONS } from "#test/support/sdk-program";
import { verifies } from "#test/support/verifies";

let world: OAuthWorld;
let ada: Browser;
beforeAll(async () => {
  world = await OAuthWorld.open();
  ada = await world.signedIn();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The person signs in and consents; gives the parameters the program gets back. */
const consented = async ({ asked }: Keeper): Promise<URLSearchParams> => {
  if (!asked) throw new Error("nobody was asked");
  const end = await world.decide(ada, asked.search.slice(1), ["fix__*"]);
  expect(end.searchParams.get("state")).toBe("sdk-state");
  return end.searchParams;
};

for (const [name, generation] of SDK_GENERATIONS) {
  test(`the SDK's client ${name} registers, signs in, lists tools, refreshes and survives a restart`, async () => {
    verifies("oauth.clients");
    const keeper = new Keeper(CALLBACK);
    const program = generation(keeper, world.resource);
    const refusal: unknown = await program.connect().catch((error: unknown) => error);
    expect(refusal instanceof UnauthorizedError || String(refusal).includes("nauthorized")).toBe(true);
    expect(keeper.asked?.searchParams.get("resource")).toBe(world.resource);
    await program.finish(await consented(keeper));
    const connected = await program.connect();
    expect(await connected.list()).toContain("fix__echo");
    await connected.close();
    await world.hub.restart();
    const after = await program.connect();
    expect(await after.list()).toContain("fix__echo");
    // A token that has ended: the client renews it by itself, and nobody is asked.
    const { kept } = keeper;
    if (!kept) throw new Error("no tokens were kept");
    keeper.kept = { ...kept, access_token: "gw-at-ended" };
    keeper.asked = undefined;
    const renewed = await program.connect();
    expect(await renewed.list()).toContain("fix__echo");
    expect([keeper.asked, keeper.kept.access_token === kept.access_token]).toEqual([undefined, false]);
    await Promise.all([after.close(), renewed.close()]);
  });
}

test("a program that was given another name of the machine finds its way by that", async () => {
  verifies("oauth.clients");
  for (const [name, generation] of SDK_GENERATIONS) {
    const keeper = new Keeper(CALLBACK);
    const resource = world.resource.replace("127.0.0.1", "localhost");
    const program = generation(keeper, resource);
    await program.connect().catch(() => undefined);
    expect([name, keeper.asked?.searchParams.get("resource")]).toEqual([name, resource]);
    await program.finish(await consented(keeper));
    const connected = await program.connect();
    expect(await connected.list()).toContain("fix__echo");
    await connected.close();
  }
});
