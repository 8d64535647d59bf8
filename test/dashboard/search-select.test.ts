import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, secretOn, worldOf } from "./hands";

const AGENTS = 25;
const SHOWN = 20;

inChromium("choices of many", () => {
  const world = worldOf(async () => {
    const hub = await ownedHub();
    for (let n = 1; n <= AGENTS; n += 1) await hub.createAgent(`agent number ${n}`, ADA);
    return hub;
  });
  const field = (page: Page) => page.getByRole("combobox", { name: "Agent" });
  const options = (page: Page) => page.getByRole("listbox", { name: "Agent" }).getByRole("option");

  test("an agent beyond those that are shown is found by name, by keyboard alone", async () => {
    verifies("dashboard.search-select");
    const { page } = await world.browsers.signedInAt("/settings/keys?open=new");
    await field(page).focus();
    await page.keyboard.press("ArrowDown");
    // And no agent, which is offered first.
    await page.waitForFunction((wanted) => document.querySelectorAll("[role=option]").length === wanted, SHOWN + 1);
    await page.getByText("There are more: type a part of the name.").waitFor();
    for (const width of [320, 768, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    }
    // Escape closes the list, and the window only then.
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("listbox").count(), 0);
    await page.getByRole("dialog", { name: "New key" }).waitFor();
    await page.keyboard.type("NUMBER 1");
    // The oldest, which is not among the first twenty: `agent number 1` and 10 to 19.
    await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 11);
    for (let n = 0; n < 10; n += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await eventually(() => field(page).inputValue(), `agent number 1 · ${ADA}`);
    await page.keyboard.press("Enter");
    await secretOn(page);
    await button(page, "Done").click();
    await page.getByRole("link", { name: "agent number 1", exact: true }).first().waitFor();
  });

  test("the filter of a list names the agent that a link has set, and takes it away", async () => {
    verifies("dashboard.search-select");
    const { id } = await world.hub.createAgent("agent of a link", ADA);
    for (let n = 0; n < SHOWN; n += 1) await world.hub.createAgent(`later ${n}`, ADA);
    const { page } = await world.browsers.signedInAt(`/settings/keys?agent=${id}`);
    await page.waitForFunction(() =>
      document.querySelector("main [role=combobox]")?.matches("[value^='agent of a link']"),
    );
    await field(page).click();
    await options(page).first().waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await options(page).filter({ hasText: "Agent: all" }).click();
    await page.waitForURL((url) => !url.search.includes("agent"));
    await eventually(() => field(page).inputValue(), "");
    await field(page).fill("nobody");
    await page.getByText("No matches.").waitFor();
    await page.keyboard.press("Tab");
    await eventually(() => page.getByRole("listbox").count(), 0);
  });
});
