import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, worldOf } from "./hands";

setDefaultTimeout(120_000);

const KEY = `AKIA${["Q7DK3NFJ", "2LSPW5XT"].join("")}`;

const ask = async (hub: Hub, token: string, content: string, conversation: string): Promise<string> => {
  const response = await hub.fetch("/v1/chat/completions", {
    token,
    headers: { "x-conversation-id": conversation },
    json: { model: "guardhouse/echo", messages: [{ role: "user", content }] },
  });
  await response.body?.cancel();
  return response.headers.get("x-request-id") ?? "";
};

inChromium("the list of calls", () => {
  let agentsToken: string;
  let blocked: string;
  const world = worldOf(async () => {
    const hub = await ownedHub();
    const { token } = await hub.createToken(ADA, undefined, "--name", "laptop");
    const agent = await hub.createAgent("helper", ADA);
    agentsToken = (await hub.createToken(ADA, agent.id, "--name", "production")).token;
    await ask(hub, token, "Good morning.", "talk-1");
    await ask(hub, agentsToken, "A longer question with some more words in it, so that it has more tokens.", "talk-2");
    blocked = await ask(hub, agentsToken, `The key is ${KEY}`, "talk-2");
    return hub;
  });

  const rows = (page: Page) => page.locator("main tbody tr");
  const shown = (page: Page, count: number) =>
    page.waitForFunction((wanted) => document.querySelectorAll("main tbody tr").length === wanted, count);
  const opened = async (address = "/calls"): Promise<Page> => {
    const visitor = await world.browsers.signedIn();
    await visitor.page.goto(`${world.hub.url}${address}`);
    return visitor.page;
  };
  /** Live, once it hears of calls: what ended before is not shown there. */
  const openedLive = async (address: string): Promise<Page> => {
    const { page } = await world.browsers.signedIn();
    const listening = page.waitForResponse((response) => new URL(response.url()).pathname === "/api/events");
    await page.goto(`${world.hub.url}${address}`);
    await listening;
    await page.getByText("Waiting for the next call…").waitFor();
    return page;
  };
  const filter = (page: Page, name: string) => page.getByRole("search").getByRole("button", { name, exact: true });
  const choose = async (page: Page, field: string, value: RegExp): Promise<void> => {
    await filter(page, field).click();
    await page
      .getByRole("dialog", { name: `Filter by ${field.toLowerCase()}` })
      .getByRole("button", { name: value })
      .click();
  };

  test("shows calls apart from administration, to the millisecond, with the zone said and what they come to", async () => {
    verifies("dashboard.calls");
    const page = await opened();
    await shown(page, 3);
    await eventually(() => page.locator("main").textContent(), expect.stringMatching(/Times are in [A-Za-z/_]+/));
    const time = rows(page).first().locator("time");
    await eventually(() => time.textContent(), expect.stringMatching(/ \d\d:\d\d:\d\d\.\d{3}$/));
    await page.getByText("3 calls", { exact: true }).waitFor();
    await page.getByLabel("Records").selectOption({ label: "Administration" });
    await page.locator("tbody").getByText("token.create").first().waitFor();
    await eventually(() => new URL(page.url()).searchParams.get("category"), "administration");
  });

  test("is narrowed by fields whose values it offers, and its address shows the same to others", async () => {
    verifies("dashboard.calls");
    const page = await opened();
    await shown(page, 3);
    await choose(page, "Agent", /^helper/);
    await shown(page, 2);
    await choose(page, "Decision", /^block/);
    await shown(page, 1);
    await page.getByText("1 call", { exact: true }).waitFor();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("decision")).toBe("block");
    const other = await opened(`/calls?${searchParams}`);
    await shown(other, 1);
    await button(other, "Agent: helper").waitFor();
    await button(other, "Remove the filter Decision").click();
    await shown(other, 2);
    await button(other, "Clear filters").click();
    await shown(other, 3);
  });

  test("finds by finding, key, conversation, status and numbers", async () => {
    verifies("dashboard.calls");
    const page = await opened();
    await shown(page, 3);
    await choose(page, "Finding", /^secret\.aws_access_key/);
    await shown(page, 1);
    await button(page, "Remove the filter Finding").click();
    await choose(page, "Key", /^production/);
    await shown(page, 2);
    await button(page, "Remove the filter Key").click();
    await choose(page, "Status", /^4xx/);
    await shown(page, 1);
    await button(page, "Remove the filter Status").click();
    await page.keyboard.press("/");
    await page.keyboard.type("talk-1");
    await page.keyboard.press("Enter");
    await shown(page, 1);
    await button(page, "Conversation: talk-1").waitFor();
    await button(page, "Remove the filter Conversation").click();
    await filter(page, "Tokens").click();
    await page.getByLabel("At least, in tokens").fill("30");
    await page.keyboard.press("Enter");
    await shown(page, 1);
    await button(page, "Tokens: ≥ 30 tokens").waitFor();
    await page.getByRole("searchbox", { name: /^Find by ID/ }).fill(blocked);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${world.hub.url}/calls/${blocked}`);
  });

  test("takes a time range from a choice, from two moments, and from a link", async () => {
    verifies("dashboard.calls");
    const page = await opened("/calls?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z");
    await page.getByText("No matches for these filters.").waitFor();
    await page.getByLabel("Time range").selectOption({ label: "Last hour" });
    await shown(page, 3);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("range"), searchParams.get("from")]).toEqual(["1h", null]);
    await page.getByLabel("Time range").selectOption({ label: "Custom" });
    await page.getByLabel(/^From/).fill("2021-03-04T05:06:07");
    await page.getByLabel("To, exclusive").fill("2021-03-05T05:06:07");
    await button(page, "Apply").click();
    await page.getByText("No matches for these filters.").waitFor();
    const from = () => new URL(page.url()).searchParams.get("from");
    await eventually(from, expect.stringMatching(/^2021-03-0[345]T\d\d:06:07\.000Z$/));
    await button(await opened("/calls?since=2020-01-01T00:00:00Z"), "Clear filters").waitFor();
  });

  test("is sorted by its columns, shows those that are chosen, and is exported as CSV", async () => {
    verifies("dashboard.calls", "calls.exported");
    const page = await opened();
    await shown(page, 3);
    const tokens = page.getByRole("columnheader", { name: "Tokens" });
    await tokens.getByRole("button").click();
    await page.waitForFunction(() => document.querySelector("th[aria-sort=descending]") !== null);
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-tokens");
    await page.waitForFunction(() => document.querySelector("main tbody tr")?.textContent?.includes("helper") === true);
    await button(page, "Columns").click();
    await page.getByLabel("Conversation", { exact: true }).check();
    await page.getByLabel("Findings", { exact: true }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Conversation" }).waitFor();
    await eventually(() => page.getByRole("columnheader", { name: "Findings" }).count(), 0);
    await choose(page, "Decision", /^block/);
    await shown(page, 1);
    const address = (await page.getByRole("link", { name: "Export CSV" }).getAttribute("href")) ?? "";
    const csv = await page.evaluate(async (at) => (await fetch(at)).text(), address);
    expect(
      csv
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(",")[1]),
    ).toEqual(["call_id", blocked]);
  });

  test("keeps a view under a name, for the user alone or for all", async () => {
    verifies("dashboard.calls", "views.kept");
    const page = await opened("/calls?decision=block&range=24h");
    await shown(page, 1);
    await button(page, "Views").click();
    const views = page.getByRole("dialog", { name: "Views" });
    await views.getByText("No saved views yet.").waitFor();
    await views.getByLabel("Save this view as").fill("Blocked today");
    await views.getByLabel("Share with every user").check();
    await button(page, "Save view").click();
    await views.getByText("Blocked today").waitFor();
    await page.goto(`${world.hub.url}/calls`);
    await shown(page, 3);
    await button(page, "Views").click();
    await views.getByText("Blocked today").click();
    await shown(page, 1);
    expect(new URL(page.url()).searchParams.get("range")).toBe("24h");
    await button(page, "Views").click();
    await button(page, "Delete the view Blocked today").click();
    await views.getByText("No saved views yet.").waitFor();
  });

  test("can be used by everybody in both themes, also at 375 pixels with its filters open", async () => {
    verifies("dashboard.accessible", "dashboard.reflow");
    const page = await opened("/calls?range=24h&decision=block&sort=-latency");
    await shown(page, 1);
    const faults = [...(await barriersOn(page)), ...(await overflowOn(page))];
    await button(page, "Model").click();
    await page
      .getByRole("dialog", { name: "Filter by model" })
      .getByRole("button", { name: /^guardhouse/ })
      .waitFor();
    faults.push(...(await barriersOn(page)));
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 375, height: 800 });
    await button(page, "Filters").click();
    await button(page, "Model").waitFor();
    faults.push(...(await barriersOn(page)), ...(await overflowOn(page)));
    expect(faults).toEqual([]);
  });

  test("draws of a long list what is seen, down to its end, and the keyboard goes on through it", async () => {
    verifies("dashboard.calls");
    for (let n = 0; n < 210; n += 1) await ask(world.hub, agentsToken, `Question ${n}`, "long");
    const page = await opened("/calls?conversation_id=long");
    const last = () =>
      page.evaluate(() =>
        Math.max(
          ...[...document.querySelectorAll("[data-index]")].map((row) => Number(row.getAttribute("data-index"))),
        ),
      );
    await shown(page, 50);
    // By mouse: what is pressed counts, also when rows that are drawn move the button away before it is let go.
    const showMore = button(page, "Show more");
    const height = () => page.evaluate(() => document.body.scrollHeight);
    /** Fifty rows came: rows that are measured later than they are drawn change the height by less. */
    const grown = (before: number) =>
      page.waitForFunction((height) => document.body.scrollHeight > height + 1_000, before);
    const before = await height();
    // Waits until the button has stopped moving.
    await showMore.hover();
    await page.mouse.down();
    await page.evaluate(() => window.scrollBy(0, -300));
    await page.mouse.up();
    await grown(before);
    for (let more = 0; more < 2; more += 1) {
      const before = await height();
      // By keyboard: rows that are drawn move the button below a pointer.
      await showMore.press("Enter");
      // While a page is on its way the button does nothing.
      await grown(before);
    }
    await showMore.press("Enter");
    await page.waitForFunction(() => document.querySelector("table")?.getAttribute("aria-rowcount") === "211");
    // Of more than fifty some are not drawn.
    expect(await rows(page).count()).toBeLessThan(100);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.waitForFunction(() => document.querySelector("[data-index='209']") !== null);
    await eventually(last, 209);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForFunction(() => document.querySelector("[data-index='0']") !== null);
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press("j");
      await page.waitForFunction((at) => document.activeElement?.getAttribute("data-index") === String(at), n);
    }
  });

  test("Live shows of each call what the list shows, and no reports", async () => {
    verifies("dashboard.calls");
    const page = await openedLive("/live");
    await ask(world.hub, agentsToken, `Again ${KEY}`, "talk-3");
    const row = rows(page).first();
    for (const part of ["guardhouse/echo", "helper", ADA, "secret.aws_access_key", "block"]) {
      await eventually(() => row.textContent(), expect.stringContaining(part));
    }
    await eventually(() => row.textContent(), expect.stringMatching(/\d\d:\d\d:\d\d\.\d{3}/));
  });

  test("Live takes the filters of the list, and each leads to the other with them", async () => {
    verifies("dashboard.calls");
    const page = await openedLive("/live?decision=redact&status=4xx&flag_type=secret&min_latency_ms=0");
    await ask(world.hub, agentsToken, `Once more ${KEY}`, "talk-4");
    await page.getByText("No matches for these filters.").waitFor();
    await button(page, "Remove the filter Decision").click();
    await rows(page).first().getByText("secret.aws_access_key").waitFor();
    await page.getByRole("link", { name: "Past calls" }).click();
    await page.getByRole("heading", { name: "Calls", level: 1 }).waitFor();
    await button(page, "Finding: secret").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Live" }).click();
    await page.getByRole("heading", { name: "Live", level: 1 }).waitFor();
    await button(page, "Status: 4xx").waitFor();
  });
});
