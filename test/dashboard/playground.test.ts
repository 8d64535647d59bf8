import { expect, test } from "bun:test";
import { MODEL_APIS, SPOKEN } from "#model/model-api";
import { ADA } from "#test/flow/oauth-world";
import { SECRETS } from "#test/scan/samples";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, worldOf } from "./hands";

inChromium("playground", () => {
  const world = worldOf(ownedHub);

  test("a model is called in each API, and the call is found; a block and a wrong key are shown", async () => {
    verifies("dashboard.playground");
    const { token } = await world.hub.createToken(ADA);
    const visitor = await world.browsers.signedIn();
    const { page } = visitor;
    await page.goto(`${world.hub.url}/playground`);
    await page.getByLabel("Key", { exact: true }).fill(token);
    await page.getByLabel("Prompt").fill("Good morning");
    for (const api of MODEL_APIS) {
      await page.getByLabel("API", { exact: true }).selectOption(SPOKEN[api].name);
      const answered = page.waitForResponse((response) => response.url() === `${world.hub.url}${SPOKEN[api].path}`);
      await button(page, "Send").click();
      expect([api, (await answered).status()]).toEqual([api, 200]);
      await page
        .getByLabel("Answer", { exact: true })
        .filter({ hasText: api === "embeddings" ? '"embedding"' : "Echo: Good morning" })
        .waitFor();
    }
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("Prompt").fill(`My key is ${SECRETS.awsAccessKey}`);
    await page.getByLabel("API", { exact: true }).selectOption(SPOKEN.messages.name);
    await button(page, "Send").click();
    await page.getByText("Status 400").waitFor();
    await page.getByRole("link", { name: "View call" }).click();
    await page.getByText("secret.aws_access_key").first().waitFor();
    await page.goto(`${world.hub.url}/playground`);
    await page.getByLabel("Text to scan").fill(`My key is ${SECRETS.awsAccessKey}`);
    await button(page, "Scan").click();
    await page.getByRole("columnheader", { name: "Because of" }).waitFor();
    await page.getByRole("cell", { name: "baseline" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("Key", { exact: true }).fill("gw-live-wrong");
    await page.getByLabel("Prompt").fill("Hello");
    await button(page, "Send").click();
    await page.getByText("Status 401").waitFor();
    expect((await visitor.met(/status of 40[01]/, 2)).length).toBe(2);
  });
});
