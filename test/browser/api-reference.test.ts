import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld } from "#test/browser/browser-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 375, height: 812 },
] as const;

/** Where an element stands in the window, in pixels. */
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return box;
};

/** What is listed in the navigation, one text for each row. */
const rowsOf = (page: Page): Promise<string[]> => page.locator(".operations li a").allTextContents();

inChromium("the API reference", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    hub = await Hub.started();
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  const opened = async (size: (typeof SIZES)[number], hash = "") => {
    const { page } = await browsers.visitor({ viewport: size });
    await page.goto(`${hub.url}/docs/api${hash}`);
    await page.locator("article h2").waitFor();
    return page;
  };

  for (const size of SIZES) {
    test(`at ${size.width} pixels its text is seen at once, and a chosen operation is shown where it is seen`, async () => {
      verifies("api.page-layout");
      const page = await opened(size);
      const isWide = size.width > 900;
      const [nav, article] = [await boxOf(page, ".side"), await boxOf(page, "article")];
      if (isWide) expect(article.x).toBeGreaterThanOrEqual(nav.x + nav.width);
      expect(article.width).toBeGreaterThan(isWide ? size.width / 2 : size.width - 40);
      expect((await boxOf(page, "article h2")).y).toBeLessThan(size.height / 2);

      if (!isWide) await page.getByText("Operations and schemas").click();
      await page.locator(".operations").getByRole("link", { name: "List agents" }).click();
      const heading = page.locator("article h2", { hasText: "List agents" });
      await heading.waitFor();
      const isSeen = async () => {
        const { y } = (await heading.boundingBox()) ?? { y: 0 };
        return y > 0 && y < size.height / 2;
      };
      await eventually(isSeen, true);
      expect(await overflowOn(page)).toEqual([]);
    });
  }

  test("it has one heading of the first level and is without barriers, at the start and at an operation", async () => {
    verifies("api.page-layout");
    const page = await opened(SIZES[0]);
    await eventually(() => page.getByRole("heading", { level: 1 }).allTextContents(), ["API reference"]);
    expect(await barriersOn(page)).toEqual([]);
    await page.goto(`${hub.url}/docs/api#getApiAgents`);
    await page.locator("article h2", { hasText: "List agents" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
  });

  test("no operation or schema shows a missing text as null, or code in back-ticks", async () => {
    verifies("api.page-layout");
    const page = await opened(SIZES[0]);
    const hashes = await page
      .locator(".operations li a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    expect(hashes.length).toBeGreaterThan(200);
    // By one script in the page, and without laying each out: it is what they say that is looked at.
    const faults = await page.evaluate(async (all) => {
      document.body.style.display = "none";
      const found: string[] = [];
      for (const hash of all) {
        const shown = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
        location.hash = hash;
        await shown;
        const current = document.querySelector(".operations [aria-current]")?.getAttribute("href");
        if (current !== hash) found.push(`${hash}: ${current} is shown`);
        const article = document.querySelector("article");
        const direct = [...(article?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
        const prose = [...(article?.querySelectorAll("p, td, li, summary") ?? [])].map((one) => one.textContent ?? "");
        const texts = [...direct.map((node) => node.textContent ?? ""), ...prose.filter((text) => text.includes("`"))];
        found.push(...texts.map((text) => `${hash}: ${text}`));
      }
      return found;
    }, hashes);
    expect(faults).toEqual([]);
  });

  test("a page that is served at many addresses is listed once, and names them all", async () => {
    verifies("api.page-layout");
    const page = await opened(SIZES[0]);
    const ofPages = async () => (await rowsOf(page)).filter((row) => row.includes("Dashboard page")).length;
    await eventually(ofPages, 1);
    await page.getByLabel("Find an operation").fill("/tool-servers/{path}");
    await eventually(ofPages, 1);
    await page
      .locator(".operations")
      .getByRole("link", { name: /Dashboard page/ })
      .click();
    await page.locator("article code", { hasText: "/live" }).first().waitFor();
    await page.locator("article code", { hasText: "/settings/{path}" }).waitFor();
  });
});
