import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserWorld } from "#test/browser/browser-world";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { ADMIN, RestrictedWorld } from "#test/flow/restricted-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";

inChromium("held calls", () => {
  let world: RestrictedWorld;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    world = await RestrictedWorld.open({
      tools: [tool("send", () => text("sent"))],
      before: async (hub) => {
        const file = await hub.writeFile(`${PASSWORD}\n`);
        await hub.cli("admin", "create", ADA, "--password-file", file);
      },
    });
    await world.restrict(await world.session(ADMIN), "human_approval", { params: { tools: ["files__send"] } });
    browsers = await BrowserWorld.open(world.hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const isServed = async (args: object): Promise<boolean> =>
    (await world.call("files__send", args)).json.content[0].text.startsWith("sent");

  test("one is read and allowed in the inbox, another denied, and each is gone from it", async () => {
    verifies("dashboard.holds");
    for (const to of ["ann", "mallory"]) expect(await isServed({ to })).toBe(false);
    const { page } = await browsers.signedInAt("/inbox");
    const rows = page.getByRole("button", { name: "Decide: Call of files__send" });
    await page.getByRole("heading", { name: "Held calls (2)" }).waitFor();
    await rows.first().click();
    const dialog = page.getByRole("dialog", { name: "Held call" });
    await dialog.getByText('"to": "ann"').waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await dialog.getByLabel("Reason").fill("Ann is known.");
    await dialog.getByRole("button", { name: "Allow once" }).click();
    // The window leads on to the next one, which is read before it is decided.
    await dialog.getByText("1 held call left.").waitFor();
    await dialog.getByText("approved", { exact: true }).waitFor();
    await eventually(() => dialog.getByRole("button", { name: "Allow once" }).count(), 0);
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await dialog.getByRole("button", { name: "Next held call" }).click();
    await dialog.getByText('"to": "mallory"').waitFor();
    await dialog.getByRole("button", { name: "Deny" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("All caught up.").waitFor();
    expect([await isServed({ to: "ann" }), await isServed({ to: "mallory" })]).toEqual([true, false]);
  });

  test("several are denied at once, but not approved without their arguments", async () => {
    verifies("inbox.bulk");
    for (const to of ["one", "two", "three"]) expect(await isServed({ to })).toBe(false);
    const { page } = await browsers.signedInAt("/inbox");
    await page.getByRole("heading", { name: "Held calls (3)" }).waitFor();
    await page.getByRole("columnheader", { name: "Expires" }).waitFor();
    const session = await world.session(ADMIN);
    const [first] = (await world.api(session, "GET", "/inbox?kind=held_call")).json.data;
    const items = [{ kind: "held_call", id: first.id }];
    const approved = await world.api(session, "POST", "/inbox/decisions", { items, decision: "approve" });
    expect(approved.json).toMatchObject({ done: 0, failed: 1, data: [{ error: { code: "invalid_value" } }] });
    await page.getByRole("button", { name: "Select all shown" }).click();
    const toolbar = page.getByRole("toolbar", { name: "Selected items" });
    const offered = () => toolbar.getByRole("button").allTextContents();
    await eventually(offered, ["Deny", "Assign to me", "Clear selection"]);
    await toolbar.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deny (3)" }).click();
    await page.getByText("All caught up.").waitFor();
    expect(await isServed({ to: "one" })).toBe(false);
  });
});
