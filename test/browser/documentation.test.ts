import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { HELP } from "#dashboard/shell/help";
import { BrowserWorld } from "#test/browser/browser-world";
import { ownedHub } from "#test/dashboard/hands";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

/** One of each make: the first page, text with pictures, long tables, code, a page the navigation does not list. */
const KINDS = ["", "dashboard", "configuration", "recipes/nginx", "decisions/0003-audit", "api"];

const themeOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.documentElement.dataset["theme"]);

inChromium("the documentation", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    hub = await ownedHub();
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  test("its pages are without barriers at four widths in both themes, and none is wider than the window", async () => {
    verifies("docs.accessible", "docs.served");
    const { page } = await browsers.visitor();
    const faults: string[] = [];
    for (const path of KINDS) {
      await page.goto(`${hub.url}/docs/${path}`);
      await page.locator(path === "api" ? "article h2" : "main h1").waitFor();
      const found = [...(await barriersOn(page)), ...(await overflowOn(page))];
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  test("a search is done by keyboard, leads to the section, and its index is loaded only then", async () => {
    verifies("docs.search");
    const visitor = await browsers.visitor();
    const { page } = visitor;
    await page.goto(`${hub.url}/docs/`);
    await page.locator("#theme").waitFor();
    expect(visitor.requests.filter((one) => one.includes("/search-"))).toEqual([]);
    await page.keyboard.press("/");
    await page.keyboard.type("verify deliveries");
    const first = page.getByRole("option").first();
    await eventually(() => first.textContent(), expect.stringContaining("Verify deliveries"));
    expect(await barriersOn(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${hub.url}/docs/webhooks#verify-deliveries`);
    const indexes = () => visitor.requests.filter((one) => one.includes("/search-")).length;
    await eventually(indexes, 1);

    await page.getByRole("combobox").fill("qqqzzz");
    await page.getByText("Nothing found.").waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => page.locator("#found").isHidden(), true);
  });

  test("the theme is the dashboard's, and pictures are of the theme that is shown", async () => {
    verifies("docs.served");
    const { page } = await browsers.signedIn();
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    await page.goto(`${hub.url}/docs/dashboard`);
    await eventually(() => themeOf(page), "dark");
    const pictures = async () => {
      const sources = page.locator("main img:visible").evaluateAll((all) => all.map((one) => one.getAttribute("src")));
      return new Set((await sources).map((source) => /-(dark|light)-/.exec(source ?? "")?.[1]));
    };
    await eventually(pictures, new Set(["dark"]));
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await eventually(pictures, new Set(["light"]));
    await page.goto(`${hub.url}/`);
    await page.getByRole("button", { name: "Use the dark theme" }).waitFor();
  });

  test("on a narrow screen the pages are listed behind one button", async () => {
    verifies("docs.accessible");
    const { page } = await browsers.visitor({ viewport: { width: 375, height: 812 } });
    await page.goto(`${hub.url}/docs/clients`);
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Webhooks" });
    await page.locator("#theme").waitFor();
    expect(await link.isVisible()).toBe(false);
    await page.getByText("All pages").click();
    await link.click();
    await page.waitForURL(`${hub.url}/docs/webhooks`);
  });

  test("a screen leads to the section about its task, and a setting to its row", async () => {
    verifies("docs.help");
    const { page } = await browsers.signedInAt("/settings/kill-switch");
    for (const path of ["/settings/kill-switch", "/agents", "/"]) {
      await page.goto(`${hub.url}${path}`);
      await page.locator("main h1").waitFor();
      const [opened] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: /^Help for this screen/ }).click(),
      ]);
      await opened.waitForURL(`${hub.url}/docs/${HELP[path]}`);
      await opened.locator("main h1").waitFor();
      await opened.close();
    }
    await page.goto(`${hub.url}/settings/about`);
    await page.getByRole("link", { name: "guard.mode", exact: true }).click();
    await page.waitForURL(`${hub.url}/docs/configuration#guard.mode`);
    await page.goto(`${hub.url}/`);
    await page.locator("main h1").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("documentation");
    await page.getByRole("option", { name: /^Documentation/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${hub.url}/docs/`);
  });
});
