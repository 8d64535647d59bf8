import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { SCREENS } from "#dashboard/shell/screens";
import { BrowserWorld, signIn } from "#test/browser/browser-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium, type Visitor } from "#test/support/browser";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ADMIN = "ada@example.org";
const PASSWORD = "correct horse battery staple";
/** Nowhere to be broken. */
const LONG_NAME = "an_agent_with_a_name_of_sixty_characters_and_without_a_space";

let hub: Hub;
let browsers: BrowserWorld;

/** Some of everything, so that no list is empty. */
const furnish = async (): Promise<void> => {
  const password = await hub.writeFile(PASSWORD);
  expect(await hub.cli("admin", "create", ADMIN, "--password-file", password)).toMatchObject({ code: 0 });
  await hub.createUser("ben@example.org", "--role", "reviewer");
  const agent = await hub.createAgent(LONG_NAME, ADMIN);
  const { token } = await hub.createToken(ADMIN, agent.id, "--name", "production");
  await hub.start();
  const texts = ["Say hello to the team.", "Write to jane.doe@example.org.", "Refund the card 4539 1488 0343 6467."];
  for (const content of texts) {
    await hub.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "guardhouse/echo", messages: [{ role: "user", content }] }),
    });
  }
};

/** An address that is there, for one with an id in it; null where nothing of its kind was made. */
const addressOf = async (visitor: Visitor, path: string): Promise<string | null> => {
  if (!path.includes("$")) return path;
  const place = path.slice(0, path.indexOf("/$"));
  const { json, status } = await visitor.ask(`/api${place.replace("/settings", "")}?limit=1`);
  const [first] = status === 200 ? Object(json).data : [];
  const id: unknown = first?.call_id ?? first?.id;
  return typeof id === "string" ? path.replace(/\$\w+/, id) : null;
};

inChromium("every screen", () => {
  beforeAll(async () => {
    hub = await Hub.create();
    await furnish();
    browsers = await BrowserWorld.open(hub);
  });
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });
  afterEach(() => browsers.expectNoTroubles());

  test("is shown without a fault, asks nobody but the hub, and can be used by everybody, by day and by night", async () => {
    verifies("dashboard.accessible", "dashboard.reflow", "dashboard.served");
    const visitor = await browsers.visitor();
    await visitor.page.goto(`${hub.url}/login`);
    await signIn(visitor, ADMIN, PASSWORD);
    await visitor.page.waitForURL(`${hub.url}/`);
    const faults: string[] = [];
    let shown = 0;
    // Each part of the settings is looked at in settings.test.ts.
    for (const [path] of SCREENS.filter(([path]) => !path.startsWith("/settings/"))) {
      const address = await addressOf(visitor, path);
      if (address === null) continue;
      await visitor.page.goto(`${hub.url}${address}`);
      await visitor.page.locator("main h1").waitFor();
      // What stands for an answer that is still to come is gone.
      await visitor.page.waitForFunction(() => document.querySelector("main [aria-label=Loading]") === null);
      shown += 1;
      const found = [...(await barriersOn(visitor.page)), ...(await overflowOn(visitor.page))];
      faults.push(...found.map((barrier) => `${path} ${barrier}`));
    }
    expect(faults).toEqual([]);
    expect(shown).toBeGreaterThan(15);
  }, 300_000);
});
