import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld, decide } from "#test/browser/browser-world";
import { Loopback } from "#test/browser/loopback";
import { ADA, OAuthWorld } from "#test/flow/oauth-world";
import { WHOAMI } from "#test/flow/tools-world";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { Keeper, SDK_GENERATIONS } from "#test/support/sdk-program";
import { verifies } from "#test/support/verifies";

/** Has the hub look at the server, and waits until the page has read what was found. */
const testNow = async (page: Page): Promise<void> => {
  let tested = false;
  const read = page.waitForResponse((response) => {
    const asked = `${response.request().method()} ${new URL(response.url()).pathname}`;
    tested ||= /^POST .*\/test$/.test(asked);
    return tested && /^GET \/api\/tool-servers\/[^/]+$/.test(asked);
  });
  await page.getByRole("button", { name: "Test" }).click();
  await read;
};

inChromium("tool servers and clients", () => {
  let world: OAuthWorld;
  let books: McpFixture;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    world = await OAuthWorld.open({ env: { GUARDHOUSE_TOOL_GATEWAY__ALLOW_PRIVATE: "127.0.0.1/32" } });
    books = McpFixture.start({ tools: [tool("look_up", () => text("found")), tool("lend", () => text("lent"))] });
    await world.hub.createAgent("librarian", ADA);
    browsers = await BrowserWorld.open(world.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await books[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const choose = async (page: Page, of: string, item: string): Promise<void> => {
    await button(page, of).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };

  /** What an agent's token is offered, beside what the hub itself has. */
  const offered = async (token: string): Promise<string[]> =>
    (await world.names(token)).filter((name) => name !== WHOAMI).toSorted();

  test("a tool server is added, assigned, approved as it was read, and removed", async () => {
    verifies("dashboard.tool-servers", "dashboard.map", "dashboard.accessible");
    const { token } = await world.hub.createToken(ADA, "librarian");
    const visitor = await browsers.signedInAt("/tool-servers");
    const { page } = visitor;
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Add tool server").click();
    await page.getByLabel("Slug").fill("books");
    await page.getByLabel("URL", { exact: true }).fill(books.url);
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Add").click();
    await page.getByRole("heading", { name: "books", exact: true }).waitFor();
    await button(page, "Test").click();
    await page.getByText(/2 tools in .*, MCP 20/).waitFor();

    expect(await offered(token)).toEqual([]);
    await button(page, "Assign to agent").click();
    await page.getByLabel("look_up", { exact: true }).check();
    await button(page, "Assign").click();
    await page.getByRole("link", { name: "librarian" }).waitFor();
    expect(await offered(token)).toEqual(["books__look_up"]);
    await choose(page, "Tools of librarian", "Change");
    await page.getByLabel(/^All tools of this server/).check();
    await button(page, "Change").click();
    await page.getByText("all tools (incl. future)").waitFor();
    expect(await offered(token)).toEqual(["books__lend", "books__look_up"]);

    books.set(tool("lend", () => text("lent"), undefined, { description: "Lends a book to anybody." }));
    await button(page, "Test").click();
    await page.getByLabel("Select lend").check();
    expect(await offered(token)).toEqual(["books__look_up"]);
    await button(page, /^View and approve/).click();
    const reading = page.getByRole("dialog", { name: "lend" });
    await reading.getByText("gone:").waitFor();
    await reading.getByText('"description": "Lends a book to anybody."').waitFor();
    expect(await barriersOn(page)).toEqual([]);
    // Read, not yet approved, and changed once more: what was read is not what there is.
    expect(await button(page, "Approve").isEnabled()).toBe(false);
    books.set(tool("lend", () => text("lent"), undefined, { description: "Lends a book to members." }));
    await page.getByLabel(/^I have read/).check();
    await button(page, "Approve").click();
    await reading.getByRole("alert").filter({ hasText: "definition has changed" }).waitFor();
    expect(await visitor.met(/status of 409/)).toHaveLength(1);
    await button(page, "Cancel").click();
    await testNow(page);
    await button(page, "View changes").click();
    await reading.getByText('"description": "Lends a book to members."').waitFor();
    await page.getByLabel(/^I have read/).check();
    await button(page, "Approve").click();
    await reading.waitFor({ state: "detached" });
    expect(await offered(token)).toEqual(["books__lend", "books__look_up"]);
    expect(await barriersOn(page)).toEqual([]);

    await page.getByRole("link", { name: "Access map", exact: true }).click();
    const map = page.getByRole("group", { name: /1 agent, 2 tool servers/ });
    await map.getByRole("link", { name: /^librarian: agent/ }).focus();
    // What has nothing to do with it steps back.
    await map.locator("a.opacity-25").first().waitFor();
    const looks = (name: RegExp) => map.getByRole("link", { name }).getAttribute("class");
    await eventually(() => looks(/fix__echo/), expect.stringContaining("opacity-25"));
    await eventually(() => looks(/books__lend/), expect.not.stringContaining("opacity-25"));
    await page.keyboard.press("Tab");
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "View as table").click();
    await page.getByRole("row", { name: "librarian books books__lend" }).waitFor();
    await eventually(() => page.getByRole("row").count(), 3);

    await page.goBack();
    await page.getByRole("heading", { name: "books", exact: true }).waitFor();
    await choose(page, "More actions for books", "Remove");
    const remove = button(page, "Remove");
    expect(await remove.isEnabled()).toBe(false);
    await page.getByLabel('Type "books" to confirm').fill("books");
    await remove.click();
    await page.getByRole("heading", { name: "Tool servers", exact: true }).waitFor();
    await page.getByRole("link", { name: "fix", exact: true }).waitFor();
    // What the page knew of before is shown until the hub has answered anew.
    await page.getByRole("link", { name: "books", exact: true }).waitFor({ state: "detached" });
    expect(await offered(token)).toEqual([]);
  });

  test("a server of another registry is imported, read and approved", async () => {
    verifies("registry.proposals", "dashboard.accessible");
    const header = { name: "X-Key", isRequired: true, isSecret: true, description: "Key of the shop" };
    const entry = {
      ...{ name: "com.example/shop", description: "Sells books", version: "1.0.0" },
      remotes: [{ type: "streamable-http", url: books.url, headers: [header] }],
      packages: [{ registryType: "npm", identifier: "shop-mcp", version: "1.0.0", transport: { type: "stdio" } }],
    };
    const fetch = () => Response.json({ servers: [{ server: entry }], metadata: { count: 1 } });
    const registry = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    const { page } = await browsers.signedInAt("/tool-servers");
    await page.getByRole("link", { name: "Proposals", exact: true }).click();
    await button(page, "Import").first().click();
    await page.getByLabel("Registry").fill(`http://127.0.0.1:${registry.port}`);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
    await button(page, "com.example/shop").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("npx -y shop-mcp@1.0.0").waitFor();
    await dialog.getByText("tool-server approve-proposal com.example/shop").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("X-Key").fill("sesame");
    await button(page, "Approve").click();
    await dialog.waitFor({ state: "detached" });
    expect(books.requests.at(-1)?.headers.get("x-key")).toBe("sesame");
    await button(page, "com.example/shop").click();
    await page.getByRole("link", { name: "The tool server made of it" }).click();
    await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
    await registry.stop(true);
  });

  test("a program that signed in is narrowed and disconnected", async () => {
    verifies("dashboard.clients", "dashboard.accessible");
    await using loopback = new Loopback();
    const keeper = new Keeper(loopback.url, "Test IDE");
    const [[, generation]] = SDK_GENERATIONS;
    const program = generation(keeper, world.resource);
    await expect(program.connect()).rejects.toThrow();
    const visitor = await browsers.signedIn();
    visitor.mayVisit(loopback.url);
    const { page } = visitor;
    await page.goto(`${keeper.asked}`);
    await decide(visitor, ["*"]);
    await page.waitForURL(`${loopback.url}?*`);
    await program.finish(await loopback.parameters);
    const connected = await program.connect();
    expect(await connected.list()).toContain("fix__echo");

    await page.goto(`${world.hub.url}/clients`);
    const row = page.getByRole("row", { name: /“Test IDE”/ });
    await row.getByText("connected", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await eventually(
      () => page.getByLabel("For Claude Code").textContent(),
      `claude mcp add --transport http hub ${world.resource}`,
    );
    await row.getByRole("button", { name: "Change tools" }).click();
    await page.getByLabel(/^All my tools/).uncheck();
    await page.getByLabel("fix__add", { exact: true }).check();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Change").click();
    await row.getByText("fix__add").waitFor();
    expect((await connected.list()).toSorted()).toEqual(["fix__add", WHOAMI]);

    await page.getByRole("link", { name: "All users" }).click();
    await page
      .getByRole("row", { name: /“Test IDE”/ })
      .getByText(ADA)
      .waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("link", { name: "Mine" }).click();
    await choose(page, "More actions for Test IDE", "Disconnect");
    await page.getByLabel('Type "disconnect" to confirm').fill("disconnect");
    await button(page, "Disconnect").click();
    await page.getByText("App disconnected.").waitFor();
    await expect(connected.list()).rejects.toThrow();
    await connected.close();
  });
});
