import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld, signIn } from "#test/browser/browser-world";
import { inChromium } from "#test/support/browser";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { invited, ownedHub } from "./hands";

const ADMINISTRATORS = ["/clients/all", "/settings/webhooks", "/settings/integrations"];
const KEEPERS = ["/audit", "/settings/users"];
const READERS = ["/settings/policy", "/settings/alerts", "/settings/reviewer", "/settings/kill-switch"];
/** Screens that are others'. */
const OTHERS = { analyst: [...ADMINISTRATORS, ...KEEPERS], auditor: ADMINISTRATORS } as const;

inChromium("what each role is shown", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    hub = await ownedHub();
    for (const role of ["member", "analyst", "auditor"]) await invited(hub, `${role}@example.org`, role);
    await hub.createAgent("helper", "member@example.org");
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${hub.url}${path}`);
    await page.locator("main h1").waitFor();
    await page.waitForFunction(() => document.querySelector("main [aria-label=Loading]") === null);
  };
  const linksOf = async (page: Page, navigation: string): Promise<string[]> => {
    const links = page.getByRole("navigation", { name: navigation }).getByRole("link");
    await links.first().waitFor();
    return links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  };

  const expectToldWhose = async (page: Page, paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      await page.goto(`${hub.url}${path}`);
      await page.getByText(/^Required role: .*\.$/).waitFor();
    }
  };

  test("pages that a role may not see name the roles that may", async () => {
    verifies("dashboard.roles");
    const { page } = await browsers.signedIn("member@example.org");
    await expectToldWhose(page, [...KEEPERS, ...READERS]);
  }, 120_000);

  test.each(["analyst", "auditor"] as const)(
    "the %s is refused nothing that is offered",
    async (role) => {
      verifies("dashboard.roles");
      const { page } = await browsers.signedIn(`${role}@example.org`);
      await open(page, "/settings/keys");
      const offered = [...(await linksOf(page, "Main")), ...(await linksOf(page, "Tabs"))];
      expect(offered.filter((path) => OTHERS[role].some((other) => other === path))).toEqual([]);
      for (const path of new Set(offered)) {
        await open(page, path);
        const main = page.getByRole("main");
        expect([path, await main.getByRole("alert").allTextContents()]).toEqual([path, []]);
        // Auditors change nothing, and so are offered to make nothing.
        const makes = main.getByRole("button", { name: /^(New|Add|Invite|Start|Restrict|Suspend|Assign)/ });
        if (role === "auditor") expect([path, await makes.allTextContents()]).toEqual([path, []]);
      }
      await expectToldWhose(page, ADMINISTRATORS);
    },
    180_000,
  );

  test("the menu of a narrow window is closed by Escape, and gives the keyboard back", async () => {
    verifies("dashboard.keyboard");
    const visitor = await browsers.visitor({ viewport: { width: 320, height: 640 } });
    const { page } = visitor;
    await page.goto(`${hub.url}/login`);
    await signIn(visitor);
    await page.waitForURL(`${hub.url}/`);
    await page.getByRole("button", { name: "Open menu" }).click();
    await page.locator("aside a:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close menu" }).waitFor({ state: "hidden" });
    await page.locator("button[aria-label='Open menu']:focus").waitFor();
    await page.getByRole("button", { name: "Open menu" }).click();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Calls" }).click();
    await page.getByRole("heading", { name: "Calls", level: 1 }).waitFor();
    await page.locator("#main:focus").waitFor();
  }, 120_000);
});
