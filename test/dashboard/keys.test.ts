import { expect, test } from "bun:test";
import { ADA, PASSWORD } from "#test/flow/oauth-house";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { beside } from "#test/support/database";
import { verifies } from "#test/support/verifies";
import { button, choose, houseOf, invited, ownedHub, secretOn } from "./hands";

const HOUR_MS = 3_600_000;
const ECHO = { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello" }] };

inChromium("keys", () => {
  const house = houseOf(ownedHub);

  const call = (token: string) => house.hub.fetch("/v1/chat/completions", { token, json: ECHO });
  test("a newcomer gets from nothing to the first call, and the password is asked for where the session is too old", async () => {
    verifies("dashboard.first-steps", "dashboard.confirm");
    const visitor = await house.browsers.signedIn();
    const { page } = visitor;
    beside(house.hub, (db) =>
      db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [HOUR_MS]),
    );
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "New key").click();
    await page.getByLabel("Name", { exact: true }).fill("laptop");
    await button(page, "Make the key").click();
    const password = page.getByLabel(`Password of ${ADA}`);
    await password.fill("something else");
    await button(page, "Go on").click();
    await page.getByRole("alert").filter({ hasText: "password" }).waitFor();
    await password.fill(PASSWORD);
    await button(page, "Go on").click();
    const token = await secretOn(page);
    expect(await page.getByLabel("Example: curl").last().textContent()).toContain(token);
    await button(page, "I have copied it").click();
    await page.getByText("Waiting for the first call…").waitFor();
    expect((await call(token)).status).toBe(200);
    // And from there to a blocked one, by what the page says to send.
    await page.getByText("Waiting for the first blocked call…").waitFor();
    const line = await page.getByLabel("Example: curl").last().textContent();
    const sent = /-d '(.*)'$/.exec(line ?? "")?.[1] ?? "";
    expect((await house.hub.fetch("/v1/chat/completions", { token, json: JSON.parse(sent) })).status).toBe(400);
    await page.getByText("The guard has blocked a call").waitFor();
    await page.getByText("The first call has come").waitFor();
    const links = page.getByRole("link", { name: "See what the hub knows of it" });
    const [first, blocked] = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(first).not.toBe(blocked);
    await links.last().click();
    await page.getByText("secret.aws_access_key").first().waitFor();
    await page.goBack();
    expect((await visitor.met(/status of 40[03]/, 2)).length).toBe(2);
  });

  test("who would rather not give the password has changed nothing", async () => {
    verifies("dashboard.confirm");
    const visitor = await house.browsers.signedIn();
    const { page } = visitor;
    beside(house.hub, (db) =>
      db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [HOUR_MS]),
    );
    await page.goto(`${house.hub.url}/settings/users`);
    await button(page, "Invite somebody").click();
    await page.getByLabel("E-mail", { exact: true }).fill("eve@example.org");
    await button(page, "Invite").click();
    const asked = page.getByRole("dialog", { name: "Is it still you?" });
    await asked.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alert").filter({ hasText: "Nothing was changed" }).waitFor();
    expect((await house.hub.cli("user", "list")).stdout).not.toContain("eve@");
    expect((await visitor.met(/status of 403/)).length).toBe(1);
  });

  test("its holder is told who disabled a key, and not offered to enable what they cannot", async () => {
    verifies("dashboard.keys", "token.disabled-above", "agents.suspended-above");
    const bea = "bea@example.org";
    await invited(house.hub, bea, "member");
    await house.hub.createAgent("porter", bea);
    const { id } = Object((await house.hub.cli("token", "create", "--user", bea, "--name", "night shift")).json());
    await house.hub.cli("token", "disable", id);
    await house.hub.cli("agent", "suspend", "porter", "--owner", bea, "--reason", "It leaks.");
    const { page } = await house.browsers.signedIn(bea);
    await page.goto(`${house.hub.url}/settings/keys`);
    await page.getByText("By command at the hub's machine. Only an administrator can enable it.").waitFor();
    await page.getByRole("button", { name: "What to do with night shift" }).click();
    await page.getByRole("menuitem", { name: "Revoke…" }).waitFor();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Revoke…"]);
    await page.keyboard.press("Escape");
    await page.goto(`${house.hub.url}/agents`);
    await page.getByRole("link", { name: "porter" }).click();
    await page.getByText("Only an administrator can resume it.").waitFor();
    expect(await button(page, "Resume").count()).toBe(0);
    const { page: adas } = await house.browsers.signedIn();
    await adas.goto(`${house.hub.url}/settings/keys`);
    await choose(adas, /What to do with night shift/, "Enable");
    await adas.getByText("night shift works again.").waitFor();
  });

  test("a key is rotated, disabled, enabled and revoked, and each holds at once", async () => {
    verifies("dashboard.keys");
    const { page } = await house.browsers.signedIn();
    await page.goto(`${house.hub.url}/settings/keys`);
    await button(page, "New key").click();
    await page.getByLabel("Name", { exact: true }).fill("staging");
    await button(page, "Make the key").click();
    const first = await secretOn(page);
    await button(page, "I have copied it").click();
    await choose(page, /What to do with staging/, "Rotate…");
    await page.getByLabel("The old key ends").selectOption("At once");
    await button(page, "Rotate").click();
    await page.getByRole("dialog", { name: "The new key of staging" }).waitFor();
    const second = await secretOn(page);
    await button(page, "I have copied it").click();
    expect([(await call(first)).status, (await call(second)).status]).toEqual([401, 200]);

    await page.goto(`${house.hub.url}/settings/keys?q=staging&state=active`);
    await choose(page, /What to do with staging/, "Disable…");
    await button(page, "Disable").click();
    await page.getByText("Nothing matches these filters.").waitFor();
    expect((await call(second)).status).toBe(401);
    await page.goto(`${house.hub.url}/settings/keys?state=disabled`);
    await choose(page, /What to do with staging/, "Enable");
    await page.getByText("Nothing matches these filters.").waitFor();
    expect((await call(second)).status).toBe(200);
    await page.goto(`${house.hub.url}/settings/keys?state=active&q=staging`);
    await choose(page, /What to do with staging/, "Revoke…");
    expect(await button(page, "Revoke for good").isDisabled()).toBe(true);
    await page.getByLabel("Type revoke to go on").fill("revoke");
    await button(page, "Revoke for good").click();
    await page.getByText("Nothing matches these filters.").waitFor();
    expect((await call(second)).status).toBe(401);
  });
});
