import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserHouse, decide, signIn } from "#test/browser/house";
import { StdioComputer } from "#test/browser/stdio-program";
import { OAuthHouse } from "#test/flow/oauth-house";
import { WHOAMI } from "#test/flow/tools-house";
import { inChromium } from "#test/support/browser";
import { verifies } from "#test/support/verifies";

/** Of one call that waits until a person has signed in. */
const PATIENCE_MS = 150_000;

inChromium("programs that know stdio only, through mcp-remote", () => {
  let house: OAuthHouse;
  let browsers: BrowserHouse;
  beforeAll(async () => {
    house = await OAuthHouse.open();
    browsers = await BrowserHouse.open(house.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await house[Symbol.asyncDispose]();
  });

  test("a person signs in once and chooses; tools are listed and called, after a restart and a renewal too", async () => {
    verifies("oauth.mcp-remote", "oauth.browser");
    await using computer = await StdioComputer.create();
    const connecting = computer.connect(house.resource);
    const visitor = await browsers.visitor();
    const address = new URL(await computer.address());
    const callback = address.searchParams.get("redirect_uri") ?? "";
    expect([address.origin, new URL(callback).pathname]).toEqual([house.hub.url, "/oauth/callback"]);
    visitor.mayVisit(callback);
    await visitor.page.goto(`${address}`);
    await signIn(visitor);
    expect(await visitor.page.locator("dd").first().textContent()).toBe("a program on this computer");
    await decide(visitor, ["fix__echo"]);
    await visitor.page.waitForURL(`${callback}?*`);
    const program = await connecting;
    const tools = async (of: typeof program) => (await of.listTools()).tools.map(({ name }) => name).toSorted();
    const echo = (message: string) =>
      program.callTool({ name: "fix__echo", arguments: { message } }, undefined, { timeout: PATIENCE_MS });
    expect(await tools(program)).toEqual(["fix__echo", WHOAMI]);
    expect(await echo("hello")).toMatchObject({ content: [{ text: "hello" }] });
    await house.hub.restart();
    expect(await echo("again")).toMatchObject({ content: [{ text: "again" }] });
    house.endAccessTokens();
    expect(await echo("renewed")).toMatchObject({ content: [{ text: "renewed" }] });
    // Another program on the same computer, started later.
    house.endAccessTokens();
    expect(await tools(await computer.connect(house.resource))).toEqual(["fix__echo", WHOAMI]);
    expect(await computer.addresses()).toHaveLength(1);
    await visitor.page.goto(`${house.hub.url}/`);
    const id = address.searchParams.get("client_id");
    expect((await visitor.ask(`/api/oauth/clients/${id}`, "DELETE")).status).toBe(204);
    // What is asked now waits until a person has let it in again.
    const held = echo("let in again");
    const anew = await computer.address(1);
    visitor.mayVisit(new URL(anew).searchParams.get("redirect_uri") ?? "");
    await visitor.page.goto(anew);
    await decide(visitor, ["fix__echo"]);
    expect(await held).toMatchObject({ content: [{ text: "let in again" }] });
  }, 300_000);
});
