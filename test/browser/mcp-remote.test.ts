import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserWorld, decide, signIn } from "#test/browser/browser-world";
import { StdioComputer } from "#test/browser/stdio-program";
import { OAuthWorld } from "#test/flow/oauth-world";
import { WHOAMI } from "#test/flow/tools-world";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";

/** Of one call that waits until a person has signed in. */
const PATIENCE_MS = 150_000;

inChromium("programs that know stdio only, through mcp-remote", () => {
  let world: OAuthWorld;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    world = await OAuthWorld.open();
    browsers = await BrowserWorld.open(world.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test("a person signs in once and chooses; tools are listed and called, after a restart and a renewal too", async () => {
    verifies("oauth.mcp-remote", "oauth.browser");
    await using computer = await StdioComputer.create();
    const connecting = computer.connect(world.resource);
    const visitor = await browsers.visitor();
    const address = new URL(await computer.address());
    const callback = address.searchParams.get("redirect_uri") ?? "";
    expect([address.origin, new URL(callback).pathname]).toEqual([world.hub.url, "/oauth/callback"]);
    visitor.mayVisit(callback);
    await visitor.page.goto(`${address}`);
    await signIn(visitor);
    await eventually(() => visitor.page.locator("dd").first().textContent(), "a program on this computer");
    await decide(visitor, ["fix__echo"]);
    await visitor.page.waitForURL(`${callback}?*`);
    const program = await connecting;
    const tools = async (of: typeof program) => (await of.listTools()).tools.map(({ name }) => name).toSorted();
    const echo = (message: string) =>
      program.callTool({ name: "fix__echo", arguments: { message } }, undefined, { timeout: PATIENCE_MS });
    expect(await tools(program)).toEqual(["fix__echo", WHOAMI]);
    expect(await echo("hello")).toMatchObject({ content: [{ text: "hello" }] });
    await world.hub.restart();
    expect(await echo("again")).toMatchObject({ content: [{ text: "again" }] });
    world.endAccessTokens();
    expect(await echo("renewed")).toMatchObject({ content: [{ text: "renewed" }] });
    // Another program on the same computer, started later.
    world.endAccessTokens();
    expect(await tools(await computer.connect(world.resource))).toEqual(["fix__echo", WHOAMI]);
    expect(await computer.addresses()).toHaveLength(1);
    await visitor.page.goto(`${world.hub.url}/`);
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
