import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserHouse } from "#test/browser/house";
import { ADA, PASSWORD } from "#test/flow/oauth-house";
import { ADMIN, RestrictedHouse } from "#test/flow/restricted-house";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

inChromium("held calls", () => {
  let house: RestrictedHouse;
  let browsers: BrowserHouse;
  beforeAll(async () => {
    house = await RestrictedHouse.open({
      tools: [tool("send", () => text("sent"))],
      before: async (hub) => {
        const file = await hub.writeFile(`${PASSWORD}\n`);
        await hub.cli("admin", "create", ADA, "--password-file", file);
      },
    });
    await house.restrict(await house.session(ADMIN), "human_approval", { params: { tools: ["files__send"] } });
    browsers = await BrowserHouse.open(house.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await house[Symbol.asyncDispose]();
  });

  const isServed = async (args: object): Promise<boolean> =>
    (await house.call("files__send", args)).json.content[0].text.startsWith("sent");

  test("one is read and allowed in the inbox, another denied, and each is gone from it", async () => {
    verifies("dashboard.holds");
    for (const to of ["ann", "mallory"]) expect(await isServed({ to })).toBe(false);
    const { page } = await browsers.signedIn();
    await page.goto(`${house.hub.url}/inbox`);
    const rows = page.getByRole("button", { name: "Decide: Call of files__send" });
    await page.getByRole("heading", { name: "Held calls (2)" }).waitFor();
    await rows.first().click();
    const dialog = page.getByRole("dialog", { name: "A held call" });
    await dialog.getByText('"to": "ann"').waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await dialog.getByLabel("Reason").fill("Ann is known.");
    await dialog.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("heading", { name: "Held calls (1)" }).waitFor();
    await rows.first().click();
    await dialog.getByText('"to": "mallory"').waitFor();
    await dialog.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect([await isServed({ to: "ann" }), await isServed({ to: "mallory" })]).toEqual([true, false]);
  });
});
