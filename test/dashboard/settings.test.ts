import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { MOVED_SCREENS } from "#dashboard/shell/screens";
import { BrowserWorld } from "#test/browser/browser-world";
import { ADA } from "#test/flow/oauth-world";
import { until } from "#test/flow/restricted-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { button, choose, invited, ownedHub, secretOn } from "./hands";

const ECHO = { model: "guardhouse/echo", messages: [{ role: "user", content: "Hello" }] };

inChromium("the settings", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = new WebhookReceiver();
    hub = await ownedHub({
      env: { GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8", GUARDHOUSE_ALERTS__EVERY_SECONDS: "1" },
    });
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const call = (token: string) => hub.fetch("/v1/chat/completions", { token, json: ECHO });
  test("settings: a user is invited, signs in as member and is disabled", async () => {
    verifies("dashboard.users");
    const { page } = await browsers.signedInAt("/settings/users");
    await button(page, "Invite user").click();
    await page.getByLabel("E-mail", { exact: true }).fill("bea@example.org");
    await button(page, "Invite").click();
    const link = await secretOn(page);
    await button(page, "Done").click();

    const bea = await browsers.visitor();
    await bea.page.goto(link);
    await bea.page.getByRole("textbox", { name: "Password" }).fill("quite a long password");
    await bea.page.getByRole("button").click();
    await bea.page.waitForURL(`${hub.url}/`);
    await bea.page.goto(`${hub.url}/settings/keys`);
    const tabs = bea.page.getByRole("navigation", { name: "Tabs" });
    await tabs.getByRole("link", { name: "Your account" }).waitFor();
    expect(await tabs.getByRole("link", { name: "Users" }).count()).toBe(0);

    // Her page goes on asking until it is left.
    bea.foresees(/status of 401/);
    await choose(page, /Actions for bea/, "Disable…");
    await page.getByLabel('Type "bea@example.org" to confirm').fill("bea@example.org");
    await button(page, "Disable").click();
    await page.getByText("bea@example.org disabled.").waitFor();
    expect((await bea.page.request.get(`${hub.url}/api/me`)).status()).toBe(401);
  });

  test("the kill switch stops everything by a typed word and a reason, and lets it go on", async () => {
    verifies("dashboard.kill-switch", "kill.says-why");
    const { token } = await hub.createToken(ADA);
    const { page } = await browsers.signedInAt("/settings/kill-switch");
    await button(page, "Activate…").click();
    await page.getByLabel("Scope", { exact: true }).selectOption("Everything");
    await page.getByLabel("Reason").fill("A drill");
    expect(await button(page, "Activate").isDisabled()).toBe(true);
    await page.getByLabel('Type "stop" to confirm').fill("stop");
    await button(page, "Activate").click();
    await page.getByText("Enforced").waitFor();
    expect((await call(token)).status).toBe(403);
    expect(await barriersOn(page)).toEqual([]);
    await invited(hub, "mel@example.org", "member");
    const { page: members } = await browsers.signedIn("mel@example.org");
    for (const path of ["/", "/live", "/calls", "/settings/keys"]) {
      await members.goto(`${hub.url}${path}`);
      await members.getByText("Kill switch active: every call is refused. Reason: A drill").waitFor();
      expect(await members.getByRole("link", { name: "Kill switches" }).count()).toBe(0);
    }
    await button(page, "Deactivate…").click();
    await page.getByLabel("Reason").fill("It was one");
    await button(page, "Deactivate").click();
    await page.getByText("No active kill switch.").waitFor();
    expect((await call(token)).status).toBe(200);
  });

  test("a price and a budget are set and removed, and the overview says what calls cost", async () => {
    verifies("dashboard.money");
    const { page } = await browsers.signedInAt("/settings/prices");
    await button(page, "Set price").first().click();
    await page.getByLabel("Model", { exact: true }).fill("guardhouse/*");
    await page.getByLabel("Input", { exact: true }).fill("1000");
    await page.getByLabel("Output", { exact: true }).fill("2000");
    await button(page, "Set").click();
    await page.getByText("Price set.").waitFor();
    await page.getByRole("cell", { name: "guardhouse/*", exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);

    await page.goto(`${hub.url}/settings/budgets`);
    await button(page, "Set budget").first().click();
    await page.getByLabel("For", { exact: true }).selectOption("The whole hub");
    await page.getByLabel("Limit in US dollars").fill("0.5");
    await button(page, "Set").click();
    await page.getByRole("cell", { name: /^Whole hub/ }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    const { token } = await hub.createToken(ADA);
    expect((await call(token)).status).toBe(429);
    await choose(page, /Actions for Whole hub/, "Remove…");
    await button(page, "Remove").click();
    await page.getByText("No budgets.").waitFor();
    expect((await call(token)).status).toBe(200);

    await page.goto(`${hub.url}/`);
    await page.getByRole("heading", { name: "Cost by user" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.goto(`${hub.url}/settings/prices`);
    await choose(page, /Actions for guardhouse/, "Remove…");
    await button(page, "Remove").click();
    await page.getByText("No prices set.").waitFor();
  });

  test("a webhook is added, tried and sent to once more", async () => {
    verifies("dashboard.webhooks");
    const { page } = await browsers.signedInAt("/settings/webhooks");
    await button(page, "Add webhook").first().click();
    await page.getByLabel("URL").fill(receiver.url);
    await button(page, "Add").click();
    expect(await secretOn(page)).toStartWith("whsec_");
    await button(page, "Done").click();
    await page.getByRole("link", { name: receiver.url }).click();
    await button(page, "Send test event").click();
    await page.getByText("delivered", { exact: true }).waitFor();
    expect(receiver.received.length).toBe(1);
    await choose(page, /Actions for webhook.test/, "Replay");
    await until(() => receiver.received.length === 2);
    expect(await barriersOn(page)).toEqual([]);
  });

  test("a hook source is added, tried, seen at work, given a new secret and removed", async () => {
    verifies("verdicts.source-settings", "dashboard.integrations");
    const { page } = await browsers.signedInAt("/settings/integrations");
    await page.getByText("No sources yet.").waitFor();
    await button(page, "Add source").first().click();
    await page.getByLabel("Name", { exact: true }).fill("claude");
    await button(page, "Add").click();
    const secret = await secretOn(page);
    expect(secret).toStartWith("whsec_");
    await page.getByRole("dialog").getByText("/v1/guard/hooks/anthropic?source=claude").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Done").click();
    await page.getByText("none yet").waitFor();
    await button(page, "Test claude").click();
    await page.getByText(/Answered allow in [\d.]+ ms\./).waitFor();
    await page.getByText("1 allow", { exact: true }).waitFor();
    await choose(page, /Actions for claude/, "New secret…");
    await button(page, "Create").click();
    expect(await secretOn(page)).not.toBe(secret);
    await button(page, "Done").click();
    await page.getByText("two secrets").waitFor();
    await choose(page, /Actions for claude/, "Remove…");
    await button(page, "Remove").click();
    await page.getByText("Source removed.").waitFor();
    await page.getByText("No sources yet.").waitFor();
  });

  test("alerts: a destination is added and tried, a rule fires, is silenced and is over", async () => {
    verifies("dashboard.alerts");
    receiver.received.length = 0;
    const { page } = await browsers.signedInAt("/settings/alerts");
    await page.getByText("Nobody is told yet.").waitFor();
    await button(page, "Add destination").click();
    await page.getByLabel("Name", { exact: true }).fill("on call");
    await page.getByLabel("URL", { exact: true }).fill(receiver.url);
    await button(page, "Add").click();
    await page.getByRole("cell", { name: /^on call/ }).waitFor();
    await button(page, "Test on call").click();
    await page.getByText("Test message delivered.").waitFor();
    expect(receiver.received).toHaveLength(1);
    await choose(page, /Actions for The newest backup is old/, "Edit…");
    await page.getByLabel("Fires above (hours)").fill("0");
    await page.getByLabel("Ends at or below").fill("0");
    await page.getByLabel("Severity", { exact: true }).selectOption("critical");
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Save").click();
    await page.getByText("firing", { exact: true }).waitFor();
    await until(() => receiver.received.length === 2);
    // What is critical is said on every screen.
    await page.getByText("Alert: The newest backup is old.").waitFor();
    await page.getByRole("button", { name: "Actions for The newest backup is old" }).first().click();
    await page.getByRole("menuitem", { name: "Silence…" }).click();
    await page.getByLabel("Reason", { exact: true }).fill("a test");
    await button(page, "Silence").click();
    await page.getByRole("heading", { name: "Silences" }).waitFor();
    await page.getByText("silenced", { exact: true }).waitFor();
    await page.getByText("Alert: The newest backup is old.").waitFor({ state: "detached" });
    expect([await barriersOn(page), await overflowOn(page)]).toEqual([[], []]);
    await button(page, "End").click();
    await page.getByText("Silence ended.").waitFor();
    await page.getByRole("button", { name: "Actions for The newest backup is old" }).last().click();
    await page.getByRole("menuitem", { name: "Reset" }).click();
    await page.getByText("Nothing fires.").waitFor();
    await until(() => receiver.received.length === 3);
    await page.getByRole("button", { name: "Actions for The newest backup is old" }).last().click();
    await page.getByRole("menuitem", { name: "View" }).click();
    await page.getByRole("dialog").getByText("delivered", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
  });

  test("the baseline policy is changed after a trial and for a reason, and compared with what it was", async () => {
    verifies("dashboard.policy");
    const { page } = await browsers.signedInAt("/settings/policy?q=pii.email");
    await page.getByRole("button", { name: /^pii\.email, User/ }).click();
    await page.getByLabel("Flag from").fill("");
    await page.getByLabel("Block from").fill("0.2");
    await button(page, "Add to draft").click();
    await page.getByText("1 change, not in force yet").waitFor();
    await eventually(() => button(page, "Apply").count(), 0);
    await button(page, "Preview changes").click();
    await page.getByText("stricter", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("Reason").fill("Addresses stay here");
    await button(page, "Apply").click();
    await page.getByRole("heading", { name: "Revision 2" }).waitFor();
    await page.getByText("edited", { exact: true }).waitFor();
    await choose(page, /Actions for revision 1/, "Compare with current");
    await page.getByRole("dialog").getByText("→ block from 0.2").waitFor();
  });

  test("every part of the settings can be used by everybody", async () => {
    verifies("dashboard.accessible", "dashboard.reflow");
    const { page } = await browsers.signedIn();
    for (const part of [
      "keys",
      "users",
      "providers",
      "policy",
      "alerts",
      "webhooks",
      "integrations",
      "reviewer",
      "retention",
      "kill-switch",
      "account",
      "about",
    ]) {
      await page.goto(`${hub.url}/settings/${part}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      expect([part, await barriersOn(page), await overflowOn(page)]).toEqual([part, [], []]);
    }
  }, 300_000);

  test("addresses of earlier versions lead to where the screen is now", async () => {
    verifies("dashboard.moved");
    const { page } = await browsers.signedIn();
    for (const [from, to] of MOVED_SCREENS) {
      await page.goto(`${hub.url}${from}`);
      await page.waitForURL(`${hub.url}${to}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
  });
});
