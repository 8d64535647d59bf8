import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserWorld } from "#test/browser/browser-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { FakeProvider, fails } from "#test/support/fake-provider";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { button, choose, ownedHub } from "./hands";

inChromium("the providers", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  let fake: FakeProvider;
  beforeAll(async () => {
    fake = await FakeProvider.start();
    hub = await ownedHub({ env: { GUARDHOUSE_UPSTREAM__ALLOW_PRIVATE: "127.0.0.0/8" } });
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  test("one of another kind is added with its credential and aliases, tested and changed", async () => {
    verifies("dashboard.providers");
    const { page } = await browsers.signedInAt("/settings/providers");
    await button(page, "Add provider").click();
    await page.getByLabel("Name", { exact: true }).fill("cloud");
    await page.getByLabel("Kind", { exact: true }).selectOption("azure");
    await page.getByLabel("Base URL").fill(fake.url.replace(/\/v1$/, ""));
    await page.getByLabel("Models", { exact: true }).fill("gpt-*");
    await page.getByLabel("Aliases (optional)").fill("gpt-5=my-deployment");
    await page.getByLabel("embeddings", { exact: true }).uncheck();
    await page.getByLabel("Credential", { exact: true }).selectOption("entra");
    await page.getByLabel("Tenant ID").fill("contoso.example");
    await page.getByLabel("Client ID").fill("11-22");
    expect(await barriersOn(page)).toEqual([]);
    expect(await overflowOn(page)).toEqual([]);
    // Changing one's mind takes what belongs to the other credential away.
    await page.getByLabel("Credential", { exact: true }).selectOption("key");
    await page.getByLabel("API key").fill("key-for-tests-only");
    await button(page, "Add").click();
    await page.getByText("cloud added.").waitFor();
    const [added] = JSON.parse((await hub.cli("provider", "list")).stdout);
    expect(added).toMatchObject({
      ...{ kind: "azure", apis: ["chat", "responses"], aliases: { "gpt-5": "my-deployment" } },
      ...{ credential: { source: "key" }, has_key: true },
    });
    await page.getByText("gpt-5 → my-deployment").waitFor();

    fake.always(fails(404));
    await button(page, "Test").click();
    await page.getByText("The provider does not have this API at this address.").first().waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await choose(page, /Actions for cloud/, "Change…");
    expect(await page.getByLabel("Kind", { exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Aliases (optional)").fill("");
    await button(page, "Save").click();
    await page.getByText("cloud changed.").waitFor();
    const [changed] = JSON.parse((await hub.cli("provider", "list")).stdout);
    expect(changed).toMatchObject({ aliases: {}, apis: ["chat", "responses"], has_key: true });
  }, 300_000);
});
