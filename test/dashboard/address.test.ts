import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { BrowserWorld, signIn } from "#test/browser/browser-world";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { ownedHub } from "./hands";

/** Not where the hub is, as after another port was given to the outside. */
const TOLD = "http://localhost:1";
const ELSEWHERE = "http://ai.internal";

inChromium("the hub's address", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  beforeAll(async () => {
    hub = await ownedHub({ serve: ["--public-url", TOLD] });
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  /** A proxy that people reach by a name the hub was not told of. */
  const forward = async (route: Route): Promise<void> => {
    const asked = route.request();
    const { host: _, ...headers } = asked.headers();
    const answer = await fetch(`${hub.url}${new URL(asked.url()).pathname}`, {
      ...{ method: asked.method(), headers, body: asked.postData() },
    });
    await route.fulfill({ status: answer.status, headers: answer.headers.toJSON(), body: await answer.text() });
  };

  test("a page at another address shows public_url and the setting to change", async () => {
    verifies("dashboard.address");
    const visitor = await browsers.visitor();
    visitor.mayVisit(ELSEWHERE);
    await visitor.page.route(`${ELSEWHERE}/**`, forward);
    for (const path of ["/login", "/invite"]) {
      await visitor.page.goto(`${ELSEWHERE}${path}`);
      const notice = visitor.page.locator("#elsewhere");
      await notice.getByText(`Its public_url is ${TOLD}`).waitFor();
      await eventually(() => notice.getByRole("code").textContent(), `GUARDHOUSE_PUBLIC_URL=${ELSEWHERE}`);
      expect(await barriersOn(visitor.page)).toEqual([]);
    }
    await visitor.page.goto(`${ELSEWHERE}/login`);
    await signIn(visitor);
    await visitor.page
      .getByRole("alert")
      .filter({ hasText: `Open ${TOLD}` })
      .waitFor();
    visitor.taken(/status of 4(03|10)/);
    await visitor.page.goto(`${hub.url}/login`);
    expect(await visitor.page.locator("#elsewhere").isVisible()).toBe(false);
  });

  test("the first steps and About say that the address is another, and the line that sets it", async () => {
    verifies("dashboard.address");
    const { page } = await browsers.signedIn();
    for (const path of ["/", "/settings/about"]) {
      await page.goto(`${hub.url}${path}`);
      await page.getByText(`but public_url is ${TOLD}`).waitFor();
      // As it was set: by a flag.
      await page.getByText("In the start command:").waitFor();
      await page.getByText(`--public-url ${hub.url}`, { exact: true }).waitFor();
      expect(await barriersOn(page)).toEqual([]);
    }
  });

  test("first steps: a loopback address is marked, with the settings for others", async () => {
    verifies("dashboard.address");
    await using toml = await Hub.create();
    const file = await toml.writeFile('log_level = "info"\n');
    await using local = await ownedHub({ serve: ["--config", file] });
    await using people = await BrowserWorld.open(local);
    const { page } = await people.signedIn();
    await page.goto(`${local.url}/settings/about`);
    await page.getByText("Reachable from this host only.").waitFor();
    await page.getByText(`In ${file}, before the first [section]:`).waitFor();
    await page.getByText('public_url = "https://guardhouse.example.com"', { exact: true }).waitFor();
    await people.expectNoTroubles();
  });
});
