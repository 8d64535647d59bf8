import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { beside } from "#test/support/database";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, worldOf } from "./hands";

const KEY = `AKIA${"ABCDEFGHIJKLMNOP".split("").reverse().join("")}`;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR = 3_600_000;

inChromium("charts", () => {
  const world = worldOf(async () => {
    const hub = await ownedHub();
    await hub.createAgent("helper", ADA);
    const { token } = await hub.createToken(ADA, "helper");
    const { token: own } = await hub.createToken(ADA);
    const say = (by: string, content: string) =>
      hub.fetch("/v1/chat/completions", {
        token: by,
        json: { model: "guardhouse/echo", messages: [{ role: "user", content }] },
      });
    for (const text of ["Hello", "Hello again", `My key is ${KEY}`]) await (await say(token, text)).text();
    await (await say(own, "Hello")).text();
    beside(hub, (db) => {
      const add = db.query("INSERT INTO storage_sample VALUES (?, ?, 7, 1000, 900000000)");
      db.run("PRAGMA wal_checkpoint(TRUNCATE)");
      const bytes = statSync(join(hub.dataDir, "guardhouse.db")).size;
      for (let ago = 40; ago >= 1; ago -= 1) add.run(Date.now() - ago * 24 * HOUR, Math.max(0, bytes - ago * 10_000));
    });
    return hub;
  });

  const at = async (query: string): Promise<{ page: Page; chart: Locator }> => {
    const { page } = await world.browsers.signedInAt(`/${query}`);
    const chart = page.getByRole("slider", { name: /4 calls, 1 blocked \(25%\)/ });
    await chart.waitFor();
    // Where the bars are is known once they are drawn.
    await chart.locator("canvas").waitFor();
    return { page, chart };
  };
  const reads = (chart: Locator, values: RegExp) =>
    eventually(() => chart.getAttribute("aria-valuetext"), expect.stringMatching(values));
  /** Where something is in the chart once nothing moves it any more: from its left edge, or from its right edge. */
  const placeIn = async (chart: Locator, x: (width: number) => number) => {
    await chart.hover();
    const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 };
    return { x: x(width), y: height / 2 };
  };
  const headings = (page: Page) => page.getByRole("table").first().getByRole("columnheader").allTextContents();
  const askedFor = async (page: Page): Promise<readonly [from: number, to: number]> => {
    await page.waitForURL(/\/calls\?/);
    const { searchParams } = new URL(page.url());
    const [from, to] = [searchParams.get("from") ?? "", searchParams.get("to") ?? ""];
    expect([from, to]).toEqual([expect.stringMatching(ISO_UTC), expect.stringMatching(ISO_UTC)]);
    return [Date.parse(from), Date.parse(to)];
  };

  test("values are read by arrow keys, and a span that is selected with Shift opens its calls", async () => {
    verifies("charts.read", "overview.one-base");
    const { page, chart } = await at("?window=7d");
    await chart.focus();
    await page.keyboard.press("End");
    await reads(chart, /: Calls 4, Allowed 3, Flagged 0, Redacted 0, Held 0, Blocked 1, Refused 0, Failed 0$/);
    const values = page.locator("[data-chart-values]");
    await eventually(() => values.textContent(), expect.stringContaining("Blocked1"));
    await page.keyboard.press("ArrowLeft");
    await reads(chart, /: Calls 0, /);
    await page.keyboard.press("Shift+ArrowRight");
    await page.getByText("Selected:").waitFor();
    await page.keyboard.press("Enter");
    const [from, to] = await askedFor(page);
    expect(to - from).toBe(4 * HOUR);
    expect(from).toBeLessThan(Date.now());
    expect(to).toBeGreaterThan(Date.now());
  });

  test("values are shown on hover, a click selects a bar, and dragging across some opens their calls", async () => {
    verifies("charts.read");
    const { page, chart } = await at("?window=7d");
    // The last bar ends beside the margin for labels.
    const position = await placeIn(chart, (width) => width - 20);
    await chart.hover({ position });
    const values = page.locator("[data-chart-values]");
    await eventually(() => values.textContent(), expect.stringContaining("Allowed3"));
    await chart.click({ position });
    await button(page, "Zoom in").click();
    await page.waitForURL(/from=/);
    await page.getByLabel(/^From \(/).waitFor();
    await eventually(() => page.getByLabel("Period", { exact: true }).inputValue(), "custom");

    const next = await at("?window=7d");
    await next.chart.hover({ position: await placeIn(next.chart, (width) => width * 0.4) });
    await next.page.mouse.down();
    await next.chart.hover({ position: await placeIn(next.chart, (width) => width * 0.6) });
    await next.page.mouse.up();
    const [from, to] = await askedFor(next.page);
    expect(to - from).toBeGreaterThan(20 * HOUR);
    expect(to - from).toBeLessThan(48 * HOUR);
  });

  test("calls are told apart by agent, compared with the period before, and shown as a table", async () => {
    verifies("charts.read", "traffic.compared");
    const { page, chart } = await at("?window=7d");
    await page.getByLabel("Compare with").selectOption("before");
    await page.getByText(/Period before: 0 calls/).waitFor();
    await button(page, "Agents").click();
    await page
      .getByRole("listitem")
      .filter({ hasText: /^Other$/ })
      .waitFor();
    await chart.focus();
    await page.keyboard.press("End");
    await reads(chart, /: Calls 4, helper 3, Other 1, Period before 0$/);
    await button(page, "View as table").click();
    await eventually(() => headings(page), ["Time", "Calls", "helper", "Other", "Period before"]);
    await eventually(() => page.getByRole("table").first().getByRole("row").count(), 2);
  });

  test("how the disk fills is a chart with axes, read by keyboard and as a table", async () => {
    verifies("charts.read", "settings.storage");
    const { page } = await world.browsers.signedInAt("/settings/retention");
    const chart = page.getByRole("slider", { name: /^Growth .* per week; .* free: full in/ });
    await chart.locator("canvas").waitFor();
    await chart.focus();
    await page.keyboard.press("Home");
    await reads(chart, /: Database [\d.]+ [KM]B, Backups 1\.0 KB, Search index 7 B$/);
    await button(page, "View as table").click();
    await eventually(() => headings(page), ["Time", "Database", "Backups", "Search index"]);
  });

  test("every range is drawn at every width without a page wider than its window, and nothing is found by axe", async () => {
    verifies("dashboard.accessible", "dashboard.reflow");
    const { page } = await at("?window=24h");
    const faults: string[] = [];
    for (const [query, width] of [
      ["?window=1h&compare=before", 375],
      ["?window=90d&by=agent&measure=cost", 768],
      ["?window=30d", 1440],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${world.hub.url}/${query}`);
      const chart = page.getByRole("slider");
      await chart.locator("canvas").waitFor();
      await chart.focus();
      await page.keyboard.press("End");
      await page.locator("[data-chart-values]").waitFor();
      const tooWide = () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
      await eventually(async () => [query, await tooWide()], [query, 0]);
      faults.push(...(await barriersOn(page)).map((barrier) => `${query} ${barrier}`));
    }
    faults.push(...(await overflowOn(page)));
    expect(faults).toEqual([]);
  });
});
