import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { inChromium } from "#test/support/browser";
import { verifies } from "#test/support/verifies";
import { ownedHub, worldOf } from "./hands";

inChromium("the page by keyboard alone", () => {
  let agent: string;
  const world = worldOf(async () => {
    const hub = await ownedHub();
    ({ id: agent } = await hub.createAgent("helper", ADA));
    await hub.createToken(ADA, "helper", "--name", "laptop");
    return hub;
  });

  /** What stands for an answer that is still to come is gone. */
  const read = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => document.querySelector("main [aria-label=Loading]") === null);
  /** Where the keyboard is, in words for a failure. */
  const whereabouts = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? "no links");
  const isAt = (place: Locator): Promise<boolean> => place.evaluate((element) => element === document.activeElement);
  const holds = (place: Locator): Promise<boolean> =>
    place.evaluate((element) => element.contains(document.activeElement));
  /** The keyboard is moved by the page a moment after what is seen has changed: a key pressed before that goes astray. */
  const arrived = async (at: Locator, is: (place: Locator) => Promise<boolean>, what: string): Promise<void> => {
    const patience = Date.now() + 60_000;
    while (!(await is(at)) && Date.now() < patience) await Bun.sleep(10);
    if (!(await is(at)))
      throw new Error(`${what}: the keyboard is not at ${at}, but at ${await whereabouts(at.page())}`);
  };
  const returned = (to: Locator): Promise<void> => arrived(to, isAt, "given back");

  /** Tab stays in the dialog that is open, Escape closes it. */
  const goneThrough = async (page: Page): Promise<void> => {
    const dialog = page.getByRole("dialog");
    await arrived(dialog, holds, "opened");
    // It opens at one end or near it: both ways round are a few keys.
    for (const key of ["Shift+Tab", "Shift+Tab", "Tab", "Tab", "Tab"]) {
      await page.keyboard.press(key);
      await arrived(dialog, holds, key);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  /** What is read later draws anew what stands there: a button that is gone takes no key. */
  const ready = async (trigger: Locator): Promise<void> => {
    await trigger.focus();
    await arrived(trigger, isAt, "focused");
  };
  const opened = async (page: Page, trigger: Locator): Promise<void> => {
    await ready(trigger);
    await page.keyboard.press("Enter");
    await goneThrough(page);
    await returned(trigger);
  };
  /** Every item of a menu that opens a dialog, and the menu itself. */
  const chosen = async (page: Page, trigger: Locator, items: readonly string[]): Promise<void> => {
    const menu = page.getByRole("menu");
    const first = menu.getByRole("menuitem").first();
    await ready(trigger);
    await page.keyboard.press("Enter");
    await arrived(first, isAt, "menu opened");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await returned(trigger);
    for (const name of items) {
      await page.keyboard.press("ArrowDown");
      await arrived(first, isAt, "menu opened");
      const item = menu.getByRole("menuitem", { name, exact: true });
      const names = await menu.getByRole("menuitem").allTextContents();
      for (let place = 1; place <= names.indexOf(name); place += 1) {
        await page.keyboard.press("ArrowDown");
        await arrived(menu.getByRole("menuitem").nth(place), isAt, "one further down");
      }
      expect([name, await isAt(item)]).toEqual([name, true]);
      await page.keyboard.press("Enter");
      await goneThrough(page);
      await returned(trigger);
    }
  };

  test("dialogs and menus are gone through and left, and the keyboard is where it was", async () => {
    verifies("dashboard.keyboard");
    const { page } = await world.browsers.signedIn();
    const named = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
    const go = async (path: string, heading: string): Promise<void> => {
      await page.goto(`${world.hub.url}${path}`);
      await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
      await read(page);
    };
    await go("/settings/keys", "Keys");
    await opened(page, named("New key"));
    await chosen(page, named("Actions for laptop"), ["Rotate…", "Disable…", "Revoke…"]);
    await go(`/agents/${agent}`, "helper");
    await opened(page, named("Suspend"));
    await opened(page, named("Restrict"));
    await chosen(page, named("More actions for helper"), ["Edit details", "Kill switch", "Retire"]);
    await go("/settings/policy", "Baseline policy");
    await opened(page, page.getByRole("table").first().getByRole("button").first());
    await go("/settings/kill-switch", "Kill switch");
    await opened(page, named("Activate…"));
    await go("/tool-servers", "Tool servers");
    await opened(page, named("Add tool server").first());
  });

  test("the palette reaches screens, settings, agents and what is often done", async () => {
    verifies("dashboard.keyboard");
    const { page } = await world.browsers.signedIn();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await read(page);
    /** Types, and goes to what Enter would take by then. */
    const gone = async (words: string, first: RegExp): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.locator(":focus[role=combobox]").waitFor();
      await page.keyboard.type(words);
      const options = page.getByRole("listbox", { name: "Results" });
      await options.getByRole("option", { name: first, selected: true }).waitFor();
      await page.keyboard.press("Enter");
    };
    const places: readonly (readonly [words: string, first: RegExp, path: RegExp])[] = [
      ["audit", /^Audit/, /\/audit$/],
      ["rules in force", /^Tuning rules in force/, /\/tuning\/rules$/],
      ["apps of all", /^Connected apps of all users/, /\/clients\/all$/],
      ["webhooks settings", /^Webhooks/, /\/settings\/webhooks$/],
      ["helper agent", /^helper/, new RegExp(`/agents/${agent}$`)],
    ];
    for (const [words, first, path] of places) {
      await gone(words, first);
      await page.waitForURL(path);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // The keyboard is given back a moment after the window has gone: not into the next one.
      await returned(page.locator("#main"));
    }
    for (const [words, title] of [
      ["new key", "New key"],
      ["new agent", "New agent"],
      ["invite", "Invite user"],
      ["activate", "Activate kill switch"],
    ] as const) {
      await gone(words, new RegExp(`^${title}`));
      await page.getByRole("dialog", { name: title, exact: true }).waitFor();
      await goneThrough(page);
      await returned(page.locator("#main"));
    }
    await page.keyboard.press("?");
    await goneThrough(page);
  });
});
