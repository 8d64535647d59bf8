import { expect, test } from "bun:test";
import { EXAMPLES } from "#clients/examples";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { beside } from "#test/support/database";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, choose, invited, ownedHub, secretOn, worldOf } from "./hands";

const HOUR_MS = 3_600_000;
const ECHO = { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello" }] };

inChromium("keys", () => {
  const world = worldOf(ownedHub);

  const call = (token: string) => world.hub.fetch("/v1/chat/completions", { token, json: ECHO });
  test("a newcomer gets from nothing to the first call, and the password is asked for where the session is too old", async () => {
    verifies("dashboard.first-steps", "dashboard.confirm");
    const visitor = await world.browsers.signedIn();
    const { page } = visitor;
    beside(world.hub, (db) =>
      db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [HOUR_MS]),
    );
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "New key").click();
    await page.getByLabel("Name", { exact: true }).fill("laptop");
    await button(page, "Create key").click();
    const password = page.getByLabel(`Password of ${ADA}`);
    await password.fill("something else");
    await button(page, "Confirm").click();
    await page.getByRole("alert").filter({ hasText: "password" }).waitFor();
    await password.fill(PASSWORD);
    await button(page, "Confirm").click();
    const token = await secretOn(page);
    await eventually(() => page.getByLabel("Example: curl").last().textContent(), expect.stringContaining(token));
    await button(page, "Done").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Waiting for the first call…").waitFor();
    expect((await call(token)).status).toBe(200);
    // And from there to a blocked one, by what the page says to send.
    await page.getByText("Waiting for the first blocked call…").waitFor();
    const line = await page.getByLabel("Example: curl").last().textContent();
    const sent = /-d '(.*)'$/.exec(line ?? "")?.[1] ?? "";
    expect((await world.hub.fetch("/v1/chat/completions", { token, json: JSON.parse(sent) })).status).toBe(400);
    await page.getByText("First call blocked").waitFor();
    await page.getByText("First call received").waitFor();
    const links = page.getByRole("link", { name: "View call" });
    await links.nth(1).waitFor();
    const [first, blocked] = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(first).not.toBe(blocked);
    await links.last().click();
    await page.getByText("secret.aws_access_key").first().waitFor();
    await page.goBack();
    expect((await visitor.met(/status of 40[03]/, 2)).length).toBe(2);
  });

  test("keys: cancelling the password dialog changes nothing", async () => {
    verifies("dashboard.confirm");
    const visitor = await world.browsers.signedIn();
    const { page } = visitor;
    beside(world.hub, (db) =>
      db.run("UPDATE auth_session SET created_at = created_at - ?1, confirmed_at = confirmed_at - ?1", [HOUR_MS]),
    );
    await page.goto(`${world.hub.url}/settings/users`);
    await button(page, "Invite user").click();
    await page.getByLabel("E-mail", { exact: true }).fill("eve@example.org");
    await button(page, "Invite").click();
    const asked = page.getByRole("dialog", { name: "Confirm your identity" });
    await asked.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("alert").filter({ hasText: "Nothing was changed" }).waitFor();
    expect((await world.hub.cli("user", "list")).stdout).not.toContain("eve@");
    expect((await visitor.met(/status of 403/)).length).toBe(1);
  });

  test("keys: the holder sees who disabled a key, without an enable button", async () => {
    verifies("dashboard.keys", "token.disabled-above", "agents.suspended-above");
    const bea = "bea@example.org";
    await invited(world.hub, bea, "member");
    await world.hub.createAgent("porter", bea);
    const { id } = Object((await world.hub.cli("token", "create", "--user", bea, "--name", "night shift")).json());
    await world.hub.cli("token", "disable", id);
    await world.hub.cli("agent", "suspend", "porter", "--owner", bea, "--reason", "It leaks.");
    const { page } = await world.browsers.signedInAt("/settings/keys", bea);
    await page.getByText("By command on the host of the hub. Only an administrator can enable it.").waitFor();
    await page.getByRole("button", { name: "Actions for night shift" }).click();
    await page.getByRole("menuitem", { name: "Revoke…" }).waitFor();
    await eventually(() => page.getByRole("menuitem").allTextContents(), ["Revoke…"]);
    await page.keyboard.press("Escape");
    await page.goto(`${world.hub.url}/agents`);
    await page.getByRole("link", { name: "porter" }).click();
    await page.getByText("Only an administrator can resume it.").waitFor();
    await eventually(() => button(page, "Resume").count(), 0);
    const { page: adas } = await world.browsers.signedInAt("/settings/keys");
    await choose(adas, /Actions for night shift/, "Enable");
    await adas.getByText("night shift enabled.").waitFor();
  });

  test("settings of every client, with a new key in them, and for an older key with a placeholder", async () => {
    verifies("clients.settings", "dashboard.keys");
    const { page } = await world.browsers.signedIn();
    await page.goto(`${world.hub.url}/settings/keys`);
    await button(page, "New key").click();
    await page.getByLabel("Name", { exact: true }).fill("editor");
    await button(page, "Create key").click();
    const token = await secretOn(page);
    const made = page.getByRole("dialog", { name: "Your new key" });
    await made.getByLabel("Model", { exact: true }).fill("my-model");
    for (const { id, label, uses, snippets } of EXAMPLES) {
      await made.getByLabel("Client").selectOption(id);
      for (const { place, text } of snippets({ hub: world.hub.url, token, model: "my-model", words: "Hello" })) {
        const shown = () => made.getByLabel(`Example: ${place ?? label}`, { exact: true }).textContent();
        await eventually(shown, text);
      }
      await eventually(() => made.getByLabel("Model", { exact: true }).count(), uses === "models" ? 1 : 0);
    }
    await button(page, "Done").click();
    await choose(page, /Actions for editor/, "Client settings…");
    const older = page.getByRole("dialog", { name: "Client settings for editor" });
    await older.getByLabel("Client").selectOption("Claude Code");
    const shown = JSON.parse((await older.getByLabel("Example: ~/.claude/settings.json").textContent()) ?? "");
    expect(shown.env.ANTHROPIC_BASE_URL).toBe(world.hub.url);
    expect(await older.getByLabel("Example: a terminal").textContent()).toContain(`TOKEN=gw-live-…${token.slice(-4)}`);
    expect(await barriersOn(page)).toEqual([]);
  });

  test("a key is rotated, disabled, enabled and revoked, and each holds at once", async () => {
    verifies("dashboard.keys");
    const { page } = await world.browsers.signedInAt("/settings/keys");
    await button(page, "New key").click();
    await page.getByLabel("Name", { exact: true }).fill("staging");
    await button(page, "Create key").click();
    const first = await secretOn(page);
    await button(page, "Done").click();
    await choose(page, /Actions for staging/, "Rotate…");
    await page.getByLabel("Old key expires").selectOption("At once");
    await button(page, "Rotate").click();
    await page.getByRole("dialog", { name: "New key of staging" }).waitFor();
    const second = await secretOn(page);
    await button(page, "Done").click();
    expect([(await call(first)).status, (await call(second)).status]).toEqual([401, 200]);

    await page.goto(`${world.hub.url}/settings/keys?q=staging&state=active`);
    await choose(page, /Actions for staging/, "Disable…");
    await button(page, "Disable").click();
    await page.getByText("No matches for these filters.").waitFor();
    expect((await call(second)).status).toBe(401);
    await page.goto(`${world.hub.url}/settings/keys?state=disabled`);
    await choose(page, /Actions for staging/, "Enable");
    await page.getByText("No matches for these filters.").waitFor();
    expect((await call(second)).status).toBe(200);
    await page.goto(`${world.hub.url}/settings/keys?state=active&q=staging`);
    await choose(page, /Actions for staging/, "Revoke…");
    expect(await button(page, "Revoke permanently").isDisabled()).toBe(true);
    await page.getByLabel('Type "revoke" to confirm').fill("revoke");
    await button(page, "Revoke permanently").click();
    await page.getByText("No matches for these filters.").waitFor();
    expect((await call(second)).status).toBe(401);
  });
});
