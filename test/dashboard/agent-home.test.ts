import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld } from "#test/browser/browser-world";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { callsTools, says } from "#test/support/fake-provider";
import { tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { World } from "#test/support/world";
import { button, secretOn } from "./hands";

const MODEL = "gpt-test";
const SECRET = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;

let world: World;
let browsers: BrowserWorld;

const chat = async (token: string, content: string, conversation?: string): Promise<string> => {
  const response = await world.hub.fetch("/v1/chat/completions", {
    token,
    json: { model: MODEL, messages: [{ role: "user", content }] },
    headers: conversation === undefined ? {} : { "x-conversation-id": conversation },
  });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
};

const useTool = async (token: string, conversation: string): Promise<string> => {
  const response = await world.hub.fetch("/mcp/gateway", {
    token,
    json: { method: "tools/call", params: { name: "crm__find", arguments: {} } },
    headers: { "x-conversation-id": conversation },
  });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
};

/** Two turns: in the first the model has a tool called, in the second what is asked is blocked. */
const talk = async (conversation: string) => {
  const token = world.tokenOf("helper");
  const provider = world.providerOf("main");
  provider.always(callsTools([{ name: "crm__find", arguments: ["{}"] }]));
  const first = await chat(token, "Find Jane.", conversation);
  const found = await useTool(token, conversation);
  provider.always(says("Jane is there."));
  const answer = await chat(token, "Find Jane.", conversation);
  const blocked = await chat(token, `The key is ${SECRET}`, conversation);
  return { first, found, answer, blocked };
};

const at = (path: string) => browsers.signedIn(ADA, PASSWORD, path);

inChromium("agents and their conversations", () => {
  beforeAll(async () => {
    world = await World.open({
      seeds: {
        users: { ada: { email: ADA, role: "admin", password: PASSWORD } },
        agents: { helper: { owner: "ada" }, idle: { owner: "ada" } },
        tokens: { helper: { user: "ada", agent: "helper" } },
        providers: { main: { models: [MODEL] } },
        toolServers: {
          crm: {
            owner: "ada",
            agents: ["helper"],
            tools: [tool("find", () => ({ content: [{ type: "text", text: "Jane" }] }))],
          },
        },
      },
    });
    browsers = await BrowserWorld.open(world.hub);
  });
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  afterEach(() => browsers.expectNoTroubles());

  const stepOf = (page: Page, id: string) =>
    page.locator("main li").filter({ has: page.locator(`a[href="/calls/${id}"]`) });

  test("a conversation is read as a trace, and one gets from a tool call to what asked for it and back", async () => {
    verifies("trace.shown", "trace.nested", "trace.links");
    const { first, found, blocked } = await talk("talk-1");
    const other = await talk("talk-2");
    const { page } = await at(`/calls/${found}`);
    await page.getByRole("link", { name: "View trace" }).click();
    await page.getByRole("heading", { name: "Conversation", level: 1 }).waitFor();
    await page.getByRole("heading", { name: "Turn 2" }).waitFor();
    // The tool call stands below the model call that asked for it, in the first turn.
    const nested = page.getByRole("list", { name: `Tool calls of ${MODEL}` }).getByRole("link");
    await eventually(() => nested.allTextContents(), ["crm__find"]);
    await eventually(() => page.getByRole("list", { name: "Turn 1" }).getByRole("link").count(), 3);
    await eventually(() => stepOf(page, blocked).first().textContent(), expect.stringContaining("secret"));
    await eventually(() => page.getByText("3 model, 1 tool").count(), 1);
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);

    await page.getByRole("link", { name: "Next conversation" }).click();
    await page.getByText("talk-2").waitFor();
    await stepOf(page, other.first).first().waitFor();
    await page.getByRole("link", { name: "Previous conversation" }).click();
    await page.getByText("talk-1").waitFor();

    // The list of one conversation leads to it too.
    await page.goto(`${world.hub.url}/calls?conversation_id=talk-1`);
    await page.getByRole("link", { name: "View trace" }).click();
    await page.getByRole("heading", { name: "Turn 2" }).waitFor();
    await stepOf(page, blocked).first().waitFor();

    await page.goto(`${world.hub.url}/calls/${found}`);
    const askedFor = page.locator("dd").filter({ has: page.locator(`a[href="/calls/${first}"]`) });
    await askedFor.first().getByRole("link").click();
    await page.waitForURL(`${world.hub.url}/calls/${first}`);
    await page.locator(`a[href="/calls/${found}"]`).first().click();
    await page.waitForURL(`${world.hub.url}/calls/${found}`);
    await page.getByRole("heading", { name: "crm__find", level: 1 }).waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
  }, 120_000);

  test("an agent's page leads to the next step, until there is none", async () => {
    verifies("dashboard.agent-home");
    const { page } = await at(`/agents/${world.agentOf("idle").id}`);
    await page.getByRole("heading", { name: "Next step: Create a key" }).waitFor();
    // Nothing was measured yet: nothing is claimed.
    await page.getByText("There is no score below 50 calls.").waitFor();
    expect(await page.getByText("of 100 points").count()).toBe(0);
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await page.locator("main").getByRole("button", { name: "New key" }).first().click();
    await button(page, "Create key").click();
    const key = await secretOn(page);
    await page.keyboard.press("Escape");
    await page.goto(`${world.hub.url}/agents/${world.agentOf("idle").id}`);
    await page.getByRole("heading", { name: "Next step: Make a call" }).waitFor();
    world.providerOf("main").always(says("Hello."));
    await chat(key, "Hello.");
    await page.getByRole("heading", { name: "Next step: Have it reviewed" }).waitFor();
    await button(page, "Start review").click();
    await page.waitForURL(/\/reviews\//);
  }, 120_000);

  test("an agent's page shows what it does, and the list of agents how much", async () => {
    verifies("dashboard.agent-home", "agents.volume");
    await talk("talk-3");
    const { page } = await at(`/agents/${world.agentOf("helper").id}`);
    const traffic = page.locator("section").filter({ has: page.getByRole("heading", { name: "Traffic" }) });
    await traffic.getByRole("heading", { name: "Findings" }).waitFor();
    await traffic
      .getByRole("link", { name: /^secret/ })
      .first()
      .waitFor();
    await traffic.getByRole("link", { name: MODEL }).waitFor();
    await page.getByText("last used").first().waitFor();
    await traffic.getByLabel("Period").selectOption("7d");
    await page.waitForURL(/window=7d/);
    await traffic.getByText("Blocked", { exact: true }).first().waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await page.goto(`${world.hub.url}/agents`);
    await page.getByRole("columnheader", { name: "Block rate, 24 h" }).waitFor();
    await page
      .getByRole("row", { name: /helper/ })
      .getByText("%")
      .waitFor();
    const names = () => page.getByRole("row").getByRole("link").allTextContents();
    await page.getByRole("button", { name: "Calls, 24 h" }).click();
    await page.waitForURL(/sort=-calls/);
    await eventually(names, ["helper", "idle"]);
    await page.getByRole("button", { name: "Calls, 24 h" }).click();
    await page.waitForURL(/sort=calls/);
    await eventually(names, ["idle", "helper"]);
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
  }, 120_000);
});
